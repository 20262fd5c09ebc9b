# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arm of the page as a ROS node, ``viewer``: topics and services that everybody may use."""

from collections.abc import Iterable, Sequence
from math import inf, isfinite
import threading
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from ..arm import Arm
from ..errors import DriverError, InvalidInputError
from ..kinematics.model import KeepOut
from ..kinematics.target import Target
from ..nodes.common.diagnostics import refusal, speed, STATUS_QOS, values_of
from ..nodes.common.pose_message import pose_message, twist_message
from ..nodes.ik.ik_node import KEEP_OUT_QOS, STATE_QOS, TARGET_QOS
from ..nodes.ik.markers import keep_out_markers
from ..nodes.ik.target_reader import TargetReader
from ..nodes.startup.run import end_spin, make_executor, spin_until
from ..tool_rotation import target_rotation, tool_rotation

#: The parameters of ``ik_node`` that say how targets are read, how fast the tip is [m/s], and
#: which bend of the elbow is taken.
_ASKED = ('up_axis', 'frame_prefix', 'base_frame', 'motion', 'tip_speed', 'elbow')

#: How often ``ik_node`` is asked for them [s].
_PERIOD = 0.5

#: What was heard so long ago is missing [s]: joints, as for ``ik_node``; nodes, which report on
#: themselves each second.
_OLD, _SILENCE = 1.0, 1.5

#: How long an answer is waited for, and how long it is reported that there was none [s].
_PATIENCE, _REPORTED = 1.0, 10.0

#: Longest wait for an answer about torque [s], and how often it is asked for.
_ANSWER, _ASKED_FOR_TORQUE = 2.0, 4

#: Longest wait until the nodes have heard the page's last words [s].
_ACKNOWLEDGEMENT = 0.2

_UNANSWERED = 'nobody answers '

#: What ``ik_node`` says to those who have no buttons.
_DISABLED = 'call ~/enable with true first'


class RosArm:
    """
    The arm that runs, through ``ik_node`` and ``driver_node`` in the namespace of this node.

    :param arm: the :class:`~arm_ik.Arm`.
    :param args: arguments of ROS.
    :param name: of the node.
    """

    #: How the arm can get to a target.
    motions = ('joint', 'line')

    def __init__(self, arm: Arm, args: Sequence[str] = (), name: str = 'viewer') -> None:
        self.arm = arm
        self.reports: dict[str, str] = {}    # of the driver's status
        self.measured: dict[str, float] = {}
        self.keep_out: tuple[KeepOut, ...] = ()     # what the arm stays out of
        self.objects: dict[str, Any] = {}           # markers of a simulation's, by name
        self.commanded: dict[str, float] = {}       # of all joints; empty: not known
        self.commanded_at = 0.0   # when that changed, on the monotonic clock
        self.stopped = False      # the driver, by whomever
        self.settings: dict[str, Any] = {}   # parameters of ik_node, by whomever they were set
        self.servos: dict[str, dict[str, str]] = {}   # what is known of each, by joint
        self._status = self._refused = ''
        self._has_walls = False   # that were put up here
        self._heard: dict[str, float] = {}    # when each node and each joint was, last
        self._notes: dict[str, tuple[int, float]] = {}   # their level, and when they begin
        self._health: dict[str, tuple[float, int, str]] = {}   # when it was heard, level, words
        self._conventions: dict[str, Any] | None = None
        rclpy.init(args=list(args), signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self._node = node = rclpy.create_node(name)
        self._targets = node.create_publisher(PoseStamped, 'target_pose', TARGET_QOS)
        self._commands = node.create_publisher(JointState, 'joint_commands', 10)
        self._grippers = node.create_publisher(Float64, 'gripper_command', TARGET_QOS)
        hear = node.create_subscription
        hear(JointState, 'joint_states', self._on_state, STATE_QOS)
        hear(JointState, 'joint_commands', self._on_command, 10)
        hear(DiagnosticStatus, 'ik_node/status', self._on_status, STATUS_QOS)
        hear(MarkerArray, 'ik_node/keep_out_markers', self._on_keep_out, STATUS_QOS)
        hear(MarkerArray, 'driver_node/objects', self._on_objects, STATUS_QOS)
        self._driver = hear(DiagnosticStatus, 'driver_node/status', self._on_driver, STATUS_QOS)
        hear(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._twists = node.create_publisher(TwistStamped, 'target_twist', TARGET_QOS)
        self._services = {name: node.create_client(kind, name) for name, kind in (
            ('ik_node/enable', SetBool), ('ik_node/home', Trigger), ('driver_node/stop', Trigger),
            ('driver_node/reset', Trigger), ('driver_node/torque', SetBool))}
        self._walls = node.create_publisher(MarkerArray, 'ik_node/keep_out', KEEP_OUT_QOS)
        self._parameters = AsyncParameterClient(node, 'ik_node')
        self._driver_parameters = AsyncParameterClient(node, 'driver_node')
        node.create_timer(_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._executor = make_executor('events', node.get_logger())
        self._executor.add_node(node)
        self._end = Future()
        self._thread = threading.Thread(
            target=spin_until, args=(self._executor, self._end), name='ros', daemon=True)
        self._thread.start()

    @property
    def connection(self) -> str:
        """Return in words what of the arm is found."""
        if self._conventions is None or self._is_silent('ik_node'):
            return 'no ik_node'
        silent = [name for name in self.arm.joint_names if self._is_silent(name)]
        if len(silent) == len(self.arm.joint_names):
            return 'no joint_states'
        return f'no joint_states of {", ".join(silent)}' if silent else 'connected'

    @property
    def is_live(self) -> bool:
        """Return whether the arm is where it was measured last."""
        return not any(map(self._is_silent, self.arm.joint_names))

    @property
    def status(self) -> str:
        """State and reason of the newest target, or what is missing for any."""
        lost = self.connection
        if lost == 'no ik_node' and 'ik_node' not in self._heard:
            name = self.arm.model.name
            return (f'no ik_node: start it and driver_node, each with --arm {name}, or ros2 '
                    f'launch arm_ik arm.launch.py arm:={name}; or go without ROS: arm_ik viewer '
                    f'--arm {name} --no-ros')
        refused = lost != 'no ik_node' and self._status.startswith('refused')
        words = self._status.replace(_DISABLED, 'press Reset, or Enable')
        return words if lost == 'connected' or refused else lost

    @property
    def health(self) -> list[tuple[int, str]]:
        """Level and words of each part that reports, and of what is missing."""
        now = monotonic()
        found = [(level, words) for _, (heard, level, words) in sorted(self._health.items())
                 if now - heard < _SILENCE]
        found += [(3, f'{name} is silent') for name in ('driver_node', 'ik_node')
                  if name in self._heard and self._is_silent(name)]
        found += [(level, words) for words, (level, begin) in sorted(self._notes.items())
                  if 0.0 <= now - begin < _REPORTED]
        return found if self.connection == 'connected' else [*found, (3, '')]

    def send(self, target: Target) -> None:
        """Send a target with an up vector; the newest counts."""
        found = self._conventions
        self._ask('target_pose', found is not None)
        if found is None:
            return
        self._targets.publish(pose_message(
            target.position, target_rotation(found['up_axis'], tool_rotation(self.arm, target)),
            found['frame_prefix'] + found['base_frame'], (0, 0)))

    def set(self, name: str, value: Any) -> None:  # noqa: A003
        """Change one of the settings, from the next target on; for all senders."""
        done = threading.Event()
        client = self._driver_parameters if name == 'driver_speed' else self._parameters
        client.set_parameters([Parameter(name.removeprefix('driver_'), value=value)],
                              lambda _: done.set())
        done.wait(_PERIOD)   # a target must not overtake it
        self.settings = {**self.settings, name: value}

    def stay_out_of(self, shapes: Sequence[KeepOut]) -> None:
        """Have ``ik_node`` stay out of shapes, for all senders, until the page ends."""
        self._has_walls = True
        # In the base frame, whatever its name.
        self._walls.publish(keep_out_markers(shapes, self.arm.model.reach, '', 'page'))

    def jog(self, linear: Iterable[float], angular: Iterable[float], in_tool: bool = False,
            is_stamped: bool = False) -> None:
        """
        Move the tip at velocities [m/s, rad/s], for 0.2 s.

        :param in_tool: whether these are in axes of the tool, not of the base.
        :param is_stamped: whether ``target_max_age`` is to refuse it where a link was down.
        """
        prefix = (self._conventions or {}).get('frame_prefix', '')
        now = self._node.get_clock().now().seconds_nanoseconds()
        self._twists.publish(twist_message(linear, angular, f'{prefix}tool0' if in_tool else '',
                                           now if is_stamped else (0, 0)))

    def gripper(self, opening: float) -> None:
        """Move the gripper: 0 closed, 1 open."""
        self._grippers.publish(Float64(data=opening))

    @property
    def problem(self) -> str:
        """Return in words why the driver takes no commands, or ``''``."""
        return self._refused or ('' if self.is_live else 'no joint_states')

    @property
    def set_points(self) -> dict[str, float]:
        """Set-points of joints at rest, by name; else where they were measured."""
        pairs = (word.split('=') for word in self.reports.get('set_points', '').split())
        return {**self.measured, **{name: float(at) for name, at in pairs}}

    def stream(self, names: Sequence[str], positions: Sequence[float],
               velocities: Sequence[float]) -> None:
        """Send one command of a stream past ``ik_node``, which has to be disabled."""
        message = JointState(name=names, position=positions, velocity=velocities)
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._commands.publish(message)

    def torque(self, on: bool) -> None:
        """
        Give all servos torque, or take it: a real arm falls.

        :raises DriverError: if the driver does not.
        """
        done, answers = threading.Event(), []
        for _ in range(_ASKED_FOR_TORQUE):  # the answer to a client just found may be lost
            answers.append(self._call('driver_node/torque', SetBool.Request(data=on)))
            answers[-1].add_done_callback(lambda _: done.set())
            if done.wait(_ANSWER):
                break
        heard = [answer.result() for answer in answers if answer.done()]
        if not heard or not heard[0].success:
            raise DriverError('driver_node/torque', heard[0].message if heard else 'no answer')

    def home(self) -> None:
        """Go home."""
        self._call('ik_node/home', Trigger.Request())

    def enable(self, on: bool) -> None:
        """Allow commands, or stop them."""
        self._call('ik_node/enable', SetBool.Request(data=on))

    def stop(self) -> None:
        """Stop the driver, until :meth:`reset`, and the commands."""
        self._call('driver_node/stop', Trigger.Request())
        self.enable(False)

    def reset(self) -> None:
        """Release the stop."""
        self._call('driver_node/reset', Trigger.Request())
        self.enable(True)

    def close(self) -> None:
        """End the node."""
        if self._has_walls:
            self.stay_out_of(())
        for publisher in (self._walls, self._twists):
            publisher.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGEMENT))
        end_spin(self._executor, self._end)
        self._thread.join(timeout=5.0)
        self._node.destroy_node()
        rclpy.try_shutdown()

    def _is_silent(self, name: str) -> bool:
        limit = _OLD if name in self.arm.joint_names else _SILENCE
        return monotonic() - self._heard.get(name, -inf) > limit

    def _tell(self, words: str, level: int = 1, after: float = 0.0) -> None:
        """Report something for a time that begins so long after now [s], if it is not yet."""
        now = monotonic()
        if now - self._notes.get(words, (0, -inf))[1] > _REPORTED:
            self._notes[words] = level, now + after

    def _ask(self, name: str, is_there: bool) -> None:
        self._tell(_UNANSWERED + name, 3, _PATIENCE if is_there else 0.0)

    def _call(self, name: str, request: Any) -> Future:
        self._ask(name, self._services[name].service_is_ready())
        answer = self._services[name].call_async(request)
        answer.add_done_callback(lambda future: self._on_answer(name, future.result()))
        return answer

    def _on_answer(self, name: str, answer: Any) -> None:
        self._notes.pop(_UNANSWERED + name, None)
        if not answer.success:
            self._tell(f'{name}: {answer.message}')

    def _look(self) -> None:
        if self._is_silent('ik_node'):   # the next one may read targets otherwise
            self._conventions = None
        own = self._services['ik_node/enable'], self._services['ik_node/home']
        if all(each.service_is_ready() for each in own) and self._parameters.services_are_ready():
            self._parameters.get_parameters(list(_ASKED), self._on_conventions)

    def _on_conventions(self, future: Any) -> None:
        self._conventions = dict(
            zip(_ASKED, map(parameter_value_to_python, future.result().values)))
        self.settings = {**self.settings, **self._conventions}

    def _on_state(self, message: JointState) -> None:
        positions = self._positions(message, 'joint_states')
        self.measured = {**self.measured, **positions}
        self._heard.update(dict.fromkeys(positions, monotonic()))

    def _on_command(self, message: JointState) -> None:
        commanded = self._positions(message, 'joint_commands')
        # The same is repeated all the time.
        if set(self.arm.joint_names) <= set(commanded) and commanded != self.commanded:
            self.commanded, self.commanded_at = commanded, monotonic()

    def _positions(self, message: JointState, topic: str) -> dict[str, float]:
        """Return positions by name; none, and a note, where one of them is no number."""
        if len(message.name) == len(message.position) and all(map(isfinite, message.position)):
            return dict(zip(message.name, message.position))
        self._tell(f'{topic}: dropped what has not a finite position for each name')
        return {}

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._status = message.message
        self._heard['ik_node'] = monotonic()
        self._notes.pop(_UNANSWERED + 'target_pose', None)

    def _on_keep_out(self, message: MarkerArray) -> None:
        frame = message.markers[0].header.frame_id if message.markers else ''
        try:
            self.keep_out = TargetReader(frame, 'z', None).from_markers(message, 0, inf)
        except InvalidInputError as error:
            self._tell(str(error))

    def _on_objects(self, message: MarkerArray) -> None:
        self.objects = {marker.ns: marker for marker in message.markers}

    def _on_driver(self, message: DiagnosticStatus) -> None:
        self.reports = values = values_of(message)
        self.stopped = values.get('stopped', '').lower() == 'true'
        self.settings = {**self.settings, 'driver_speed': speed(values)}
        self._refused = reason = (refusal(message, self._driver.topic_name) or ('',))[0]
        call = f'call {self._services["driver_node/reset"].service_name}'
        self._take(message, 'driver_node', reason.replace(call, 'press Reset'))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        own = self._node.get_namespace().strip('/')
        for status in message.status:
            node, _, part = status.name.partition(': ')
            namespace, _, name = node.rpartition('/')
            if namespace == own and name in ('ik_node', 'driver_node'):
                self._take(status, name, f'{part}: {status.message}')
                if part.startswith('servo '):
                    self.servos[part.removeprefix('servo ')] = values_of(status)

    def _take(self, status: DiagnosticStatus, node: str, words: str) -> None:
        if self._is_silent(node):    # it is back: what was not answered is old
            self._notes = {note: at for note, at in self._notes.items()
                           if not note.startswith(f'{_UNANSWERED}{node}/')}
        self._heard[node] = now = monotonic()
        self._health[status.name] = now, status.level[0] if words else 0, words
