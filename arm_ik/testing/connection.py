# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A ROS node in a thread of its own, and one with the topics and services of one arm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import threading
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from nav_msgs.msg import Path
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.subscription import Subscription
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from .processes import domain_environment, environment

#: Of a message: seconds and nanoseconds.
Stamp = tuple[int, int]

#: QoS deep enough for all messages between two waits.
_STATUS_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_STATE_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

Thread = TypeVar('Thread', bound='NodeThread')

#: What is sent to the arm, by message type.
TARGET_TOPICS = {PoseStamped: 'target_pose', PointStamped: 'target_point',
                 Vector3Stamped: 'target_up', Path: 'target_path', Float64: 'gripper_command',
                 JointState: 'joint_commands'}

#: What can be asked of the nodes.
SERVICES = {'ik_node/enable': SetBool, 'ik_node/home': Trigger, 'driver_node/torque': SetBool,
            'driver_node/stop': Trigger, 'driver_node/reset': Trigger,
            'driver_node/clear_faults': Trigger}


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
    def from_message(cls, message: DiagnosticStatus) -> TargetStatus:
        """Read a message."""
        values = {item.key: item.value for item in message.values}
        seconds, _, nanoseconds = values['target_stamp'].partition('.')
        return cls(
            level=message.level[0], seq=int(values['seq']),
            target_stamp=(int(seconds), int(nanoseconds or 0)),
            state=values['state'], status=values['status'], reason=values['reason'],
            position_error_m=float(values['position_error_m']),
            up_error_rad=float(values['up_error_rad']),
            limited_by=tuple(name.strip() for name in values['limited_by'].split(',')
                             if name.strip()),
            step_rad=float(values['step_rad']), values=values)

    def __str__(self) -> str:
        """Return one line for people."""
        reason = f': {self.reason}' if self.reason else ''
        return f'target {self.seq} {" ".join(filter(None, (self.state, self.status)))}{reason}'


class NodeThread:
    """
    A node of its own context, whose callbacks run in a thread; a context manager.

    The condition ``changed`` is notified of all that is heard and answered; callbacks hold it.

    :param name: of the node.
    :param namespace: of the node.
    :param domain_id: its ROS domain; ``None``: as the environment says, for discovery too.
    """

    def __init__(self, name: str, namespace: str = '', domain_id: int | None = None) -> None:
        self.changed = threading.Condition()
        self._clients: dict[str, Client] = {}
        self._context = Context()
        with environment(**({} if domain_id is None else domain_environment(domain_id))):
            rclpy.init(context=self._context, domain_id=domain_id,
                       signal_handler_options=SignalHandlerOptions.NO)
            self.node = Node(name, namespace=namespace, context=self._context,
                             use_global_arguments=False, enable_rosout=False,
                             start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._stop = Future()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    def __enter__(self: Thread) -> Thread:
        return self

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

    def listen(self, kind: Any, topic: str, take: Callable[[Any], object],
               qos: QoSProfile | int = 100) -> Subscription:
        """Call back with every message of a topic."""
        def on_message(message: Any) -> None:
            with self.changed:
                take(message)
                self.changed.notify_all()
        return self.node.create_subscription(kind, topic, on_message, qos)

    def client(self, kind: Any, name: str) -> Client:
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
                   ended: Callable[[], str] = lambda: '', poll: float | None = None
                   ) -> str | None:
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
        try:
            self._executor.spin_until_future_complete(self._stop)
        except ExternalShutdownException:
            pass


class ArmConnection(NodeThread):
    """
    Topics and services of one arm.

    The condition ``changed`` guards ``positions``, ``state_stamp`` and ``statuses``.

    :param namespace: the arm's.
    :param domain_id: the arm's; ``None``: as the environment says, for discovery too.
    """

    def __init__(self, namespace: str = '', domain_id: int | None = None) -> None:
        super().__init__('arm_ik_testing', namespace, domain_id)
        self.positions: dict[str, float] = {}
        self.state_stamp: Stamp = (0, 0)
        self.statuses: deque[TargetStatus] = deque(maxlen=1000)
        self._records: list[list[dict[str, float]]] = []
        self._publishers = {kind: self.node.create_publisher(kind, topic, 10)
                            for kind, topic in TARGET_TOPICS.items() if kind is not JointState}
        self.listen(JointState, 'joint_states', self._on_state, _STATE_QOS)
        self.listen(DiagnosticStatus, 'ik_node/status', lambda message: self.statuses.append(
            TargetStatus.from_message(message)), _STATUS_QOS)
        for name, kind in SERVICES.items():
            self.client(kind, name)

    def publish(self, message: Any) -> None:
        """Publish a message on the topic of its type."""
        kind = type(message)
        if kind not in self._publishers:  # only for callers that send commands without ik_node
            self._publishers[kind] = self.node.create_publisher(kind, TARGET_TOPICS[kind], 10)
        self._publishers[kind].publish(message)

    def now(self) -> Time:
        """Return the time on this node's clock."""
        return self.node.get_clock().now().to_msg()

    def unmatched(self) -> list[str]:
        """Return the topics and services of the arm that no other node offers or uses yet."""
        topics = [TARGET_TOPICS[kind] for kind, publisher in self._publishers.items()
                  if not publisher.get_subscription_count()]
        return topics + [name for name, client in self._clients.items()
                         if not client.service_is_ready()]

    def ask(self, name: str, **request: Any) -> Future:
        """Call one of :data:`SERVICES`; return the future of its answer."""
        return self.call(SERVICES[name], name, **request)

    def set_parameters(self, node: str, values: dict[str, Any]) -> Any:
        """Ask a node to change parameters; return the future of its answer."""
        name = f'{node}/set_parameters'
        self.client(SetParameters, name).wait_for_service()
        return self.call(SetParameters, name, parameters=[
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()])

    def record(self) -> list[dict[str, float]]:
        """Return a list to which every joint state adds the positions of all joints."""
        record: list[dict[str, float]] = []
        with self.changed:
            self._records.append(record)
        return record

    def _on_state(self, message: JointState) -> None:
        self.positions.update(zip(message.name, message.position))
        self.state_stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
        for record in self._records:
            record.append(dict(self.positions))
