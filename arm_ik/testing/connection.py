# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A ROS node in a thread of its own, and what it hears of targets."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
import threading
from time import monotonic
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future

from .processes import domain_environment, environment

#: Of a message: seconds and nanoseconds.
Stamp = tuple[int, int]


class TargetStatus(NamedTuple):
    """
    One message of ``ik_node/status``.

    ``state`` is ``ready``, ``accepted``, ``moving``, ``arrived`` or ``refused``; ``status`` the
    name of an :class:`~arm_ik.Status`, empty where nothing was solved; errors are NaN then.
    ``target_stamp`` is ``(seconds, nanoseconds)`` of the target it is about.
    """

    level: int
    seq: int
    target_stamp: Stamp
    state: str
    status: str
    reason: str
    position_error_m: float
    up_error_rad: float
    limited_by: tuple[str, ...]
    step_rad: float
    values: dict[str, str]

    @classmethod
    def from_message(cls, message: DiagnosticStatus) -> 'TargetStatus':
        """Read a message."""
        values = {item.key: item.value for item in message.values}
        seconds, _, nanoseconds = values['target_stamp'].partition('.')
        return cls(message.level[0], int(values['seq']), (int(seconds), int(nanoseconds or 0)),
                   values['state'], values['status'], values['reason'],
                   float(values['position_error_m']), float(values['up_error_rad']),
                   tuple(filter(None, values['limited_by'].split(', '))),
                   float(values['step_rad']), values)

    def __str__(self) -> str:
        """Return one line for people."""
        reason = f': {self.reason}' if self.reason else ''
        return f'target {self.seq} {" ".join(filter(None, (self.state, self.status)))}{reason}'


class NodeThread(AbstractContextManager['NodeThread']):
    """
    A node of its own context, whose callbacks run in a thread; a context manager.

    The condition ``changed`` is notified of all that is heard and answered; callbacks hold it.

    :param name: of the node.
    :param namespace: of the node.
    :param domain_id: its ROS domain; ``None``: as the environment says, for discovery too.
    """

    def __init__(self, name: str, namespace: str = '', domain_id: int | None = None) -> None:
        self.changed = threading.Condition()
        self._clients: dict[str, Any] = {}
        self._context = rclpy.context.Context()
        with environment(**({} if domain_id is None else domain_environment(domain_id))):
            rclpy.init(context=self._context, domain_id=domain_id,
                       signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
            self.node = rclpy.create_node(
                name, namespace=namespace, context=self._context, use_global_arguments=False,
                enable_rosout=False, start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._stop = Future()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the thread, the node and its context."""
        # First the thread: rclpy's executor must not be shut down while a callback runs.
        self._stop.set_result(None)
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def listen(self, kind: Any, topic: str, take: Callable[[Any], object], qos: Any = 100) -> Any:
        """Call back with every message of a topic."""
        def on_message(message: Any) -> None:
            with self.changed:
                take(message)
                self.changed.notify_all()
        return self.node.create_subscription(kind, topic, on_message, qos)

    def client(self, kind: Any, name: str) -> Any:
        """Return the client of a service; there is one for each."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        return self._clients[name]

    def call(self, kind: Any, name: str, **request: Any) -> Future:
        """Call a service that is there; return the future of its answer."""
        future = self.client(kind, name).call_async(kind.Request(**request))
        future.add_done_callback(lambda _: self.notify())
        return future

    def notify(self) -> None:
        """Wake those who wait, to look again."""
        with self.changed:
            self.changed.notify_all()

    def wait_until(self, holds: Callable[[], object], timeout: float,
                   ended: Callable[[], str] = lambda: '', poll: float | None = None) -> str | None:
        """
        Wait until a condition holds, which is checked at all that is heard and answered.

        :param timeout: how long [s].
        :param ended: returns in words what has ended, so that it is waited no longer, or ``''``.
        :param poll: how often it is checked at least [s], for what makes no news.
        :returns: ``None`` if it holds, what has ended, or ``''`` if time is up.
        """
        deadline = monotonic() + timeout
        with self.changed:
            while not holds():
                end, left = ended(), deadline - monotonic()
                if end or left <= 0.0 or not self._thread.is_alive():
                    return end
                self.changed.wait(min(left, poll or left))
        return None

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin_until_future_complete(self._stop)
