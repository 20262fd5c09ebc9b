# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets to an arm that is running; waits, and assertions on what it does."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import dist
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from nav_msgs.msg import Path as PathMessage
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from .connection import NodeThread, Stamp, TargetStatus
from .processes import NodeProcess
from .touches import first_touch
from ..arm import Arm
from ..description.presets import arm_file
from ..description.urdf import links
from ..errors import InvalidInputError
from ..kinematics.model import KeepOut
from ..kinematics.pose import Pose
from ..kinematics.target import Target
from ..kinematics.vectors import angle_between
from ..nodes.common.diagnostics import STATUS_QOS
from ..nodes.common.pose_message import pose_message
from ..tool_rotation import tool_rotation

#: Three numbers.
Vector = Iterable[float]

ArmType = TypeVar('ArmType', bound='ArmClient')

#: QoS deep enough for all messages between two waits.
_STATUS_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_STATE_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

#: In a world with weight a gripper rests that is this still [rad, m] in so many states.
_STILL, _RESTS = 1e-3, 25

#: What is sent to the arm, by message type.
TARGET_TOPICS = {PoseStamped: 'target_pose', PointStamped: 'target_point',
                 Vector3Stamped: 'target_up', PathMessage: 'target_path',
                 Float64: 'gripper_command', JointState: 'joint_commands'}

#: What can be asked of the nodes.
SERVICES = {'ik_node/enable': SetBool, 'ik_node/pause': SetBool, 'ik_node/home': Trigger,
            'driver_node/torque': SetBool, 'driver_node/stop': Trigger,
            'driver_node/reset': Trigger, 'driver_node/clear_faults': Trigger}


class WorldObject(NamedTuple):
    """Where the middle of an object is [m], its turn x, y, z, w, and what it ``touches``."""

    position: tuple[float, float, float]
    rotation: tuple[float, float, float, float]
    touches: set[str]


class ArmClient:
    """
    An arm that is running: sends targets, waits, asserts where it is.

    To be used as a context manager, or with :meth:`close`. ``ik_node`` has to run with
    ``up_axis: z``, its default. Every method that waits raises ``AssertionError`` if its event
    does not come in time; the error says what was expected and what came instead. Stamps have to
    be on the system's clock.

    :param arm: an :class:`~arm_ik.Arm`, the name of one that comes with the package, or its file.
    :param namespace: the arm's.
    :param domain_id: the ROS domain the arm is in; ``None``: as ``ROS_DOMAIN_ID`` says.
    :param frame_prefix: the arm's.
    :param timeout: how long to wait for anything [s].
    """

    def __init__(self, arm: Arm | Path | str = 'so101', namespace: str = '',
                 domain_id: int | None = None, frame_prefix: str = '', timeout: float = 60.0
                 ) -> None:
        self.arm, self.timeout = find_arm(arm), timeout
        self.frame = f'{frame_prefix}base_link'
        self._positions: dict[str, float] = {}
        #: Stamp of the newest joint state, ``(seconds, nanoseconds)``; zeros before the first.
        self.state_stamp: Stamp = (0, 0)
        self._statuses: deque[TargetStatus] = deque(maxlen=1000)
        self._records: list[list[dict[str, Any]]] = []
        self._objects: dict[str, WorldObject] = {}
        self._has_objects = False
        #: The processes of the arm that were started here, by name.
        self.processes: dict[str, NodeProcess] = {}
        self._links = {link.name for link in links(self.arm.model)}
        self._ros = ros = NodeThread('arm_ik_testing', namespace, domain_id)
        self._publishers = {kind: ros.node.create_publisher(kind, topic, 10)
                            for kind, topic in TARGET_TOPICS.items() if kind is not JointState}
        ros.listen(JointState, 'joint_states', self._on_state, _STATE_QOS)
        ros.listen(DiagnosticStatus, 'ik_node/status', lambda message: self._statuses.append(
            TargetStatus.from_message(message)), _STATUS_QOS)
        ros.listen(MarkerArray, 'driver_node/objects', self._on_objects, STATUS_QOS)
        for name, kind in SERVICES.items():
            ros.client(kind, name)

    def __enter__(self: ArmType) -> ArmType:
        try:
            self.wait_until_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; the arm stays as it is."""
        self._ros.close()

    @property
    def joint_states(self) -> dict[str, float]:
        """Newest measured position of every joint, by name [rad]; grippers too."""
        with self._ros.changed:
            return dict(self._positions)

    @property
    def q(self) -> tuple[float, ...]:
        """Newest measured positions of the chain [rad], base to tip."""
        positions = self.joint_states
        return tuple(positions[name] for name in self.arm.joint_names)

    def tip(self) -> Pose:
        """Return the pose of ``tool0`` by forward kinematics of the measured positions."""
        return self.arm.forward(self.q)

    @property
    def objects(self) -> dict[str, WorldObject]:
        """Newest :class:`WorldObject` of each object of ``backend: mujoco``, by name."""
        with self._ros.changed:
            return dict(self._objects)

    def holds(self, name: str) -> bool:
        """Return whether an object is touched by two links of the arm, and by nothing else."""
        return self.objects[name].touches <= self._links and len(self.objects[name].touches) > 1

    def assert_holds(self, name: str) -> None:
        """Assert that an object is held: touched by two links of the arm, and by nothing else."""
        came = ', '.join(sorted(self.objects[name].touches)) or 'nothing'
        self._require(self.holds(name), f'{name} held by two links of the arm', f'touches {came}')

    def record(self) -> list[dict[str, Any]]:
        """Return a list to which every state from now on adds joints and :attr:`objects`."""
        record: list[dict[str, Any]] = []
        with self._ros.changed:
            self._records.append(record)
        return record

    @property
    def status(self) -> TargetStatus | None:
        """Newest :class:`TargetStatus`, ``None`` before the first."""
        with self._ros.changed:
            return self._statuses[-1] if self._statuses else None

    def statuses(self, stamp: Stamp | None = None) -> list[TargetStatus]:
        """Return all statuses so far, or those of the target with a stamp, oldest first."""
        with self._ros.changed:
            return [status for status in self._statuses
                    if stamp is None or status.target_stamp == stamp]

    def wait_until_ready(self, timeout: float | None = None) -> None:
        """Wait until both nodes listen and every joint has been measured."""
        names = self.arm.model.all_joints

        def missing() -> list[str]:
            return [*(name for name in names if name not in self._positions),
                    *(['ik_node/status'] if not self._statuses else []),
                    *(['driver_node/objects'] if self._has_objects and not self._objects else []),
                    *(TARGET_TOPICS[kind] for kind, publisher in self._publishers.items()
                      if not publisher.get_subscription_count()),
                    *(name for name, kind in SERVICES.items()
                      if not self._ros.client(kind, name).service_is_ready())]

        # Discovery sends no notification, so it is checked at every joint state.
        self.wait_until(lambda: not missing(), 'both nodes listening and every joint measured',
                        timeout, lambda: f'nothing yet of {", ".join(missing())}')

    def wait_for_arrival(self, stamp: Stamp, timeout: float | None = None) -> TargetStatus:
        """Wait until the arm has arrived at the target with that stamp; return its status."""
        status = self._wait_for_state('arrived', ['refused'], stamp, timeout)
        # The status may arrive before the measured state it is about: wait for a later state.
        now = self._now()
        self.wait_until(lambda: self.state_stamp > now, 'a joint state after the arrival', timeout)
        return status

    def wait_for_refusal(self, stamp: Stamp, timeout: float | None = None) -> TargetStatus:
        """Wait until the target with that stamp has been refused; return its status."""
        return self._wait_for_state('refused', ['accepted', 'moving', 'arrived'], stamp, timeout)

    def wait_until(self, holds: Callable[[], object], expected: str, timeout: float | None = None,
                   came: Callable[[], str] = lambda: 'not so') -> None:
        """
        Wait until a condition holds; it is checked whenever a message of the arm comes.

        :param holds: callable without arguments.
        :param expected: what is waited for, in words.
        :param timeout: how long [s]; ``None``: the client's.
        :param came: callable that says in words what is the case instead.
        :raises AssertionError: if time is up, or a process of the arm has ended.
        """
        timeout = self.timeout if timeout is None else timeout
        ended = self._ros.wait_until(holds, timeout, self._ended)
        if ended is not None:
            self._require(False, expected, ended or f'{came()}, after {timeout:g} s')

    def wait_until_at(self, position: Vector, up: Vector | None = None, tolerance: float = 1e-6,
                      up_tolerance: float = 1e-6, timeout: float | None = None) -> None:
        """
        Wait until the arm is somewhere, by its measured positions, whoever sends it there.

        Parameters are those of :meth:`assert_at`, and how long to wait [s].
        """
        target = Target(position, up)

        def off() -> str:
            return self._off(target, tolerance, up_tolerance)

        self.wait_until(lambda: not off(), f'{_words(target.position, target.up)}, within '
                        f'{tolerance:g} m and {up_tolerance:g} rad', timeout, off)

    def assert_at(self, position: Vector, up: Vector | None = None, tolerance: float = 1e-6,
                  up_tolerance: float = 1e-6) -> None:
        """
        Assert where the arm is, by its measured positions.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param tolerance: for the tip [m].
        :param up_tolerance: for the up vector [rad].
        :raises InvalidInputError: for a place that is none: NaN, or an up vector of zeros.
        """
        self.wait_until_at(position, up, tolerance, up_tolerance, timeout=0.0)

    def assert_no_touch(self, record: Sequence[Mapping[str, float]],
                        keep_out: Iterable[KeepOut] = ()) -> None:
        """
        Assert that the arm touched no floor, no shape to stay out of, not its base nor itself.

        :param record: the states from :meth:`record`.
        :param keep_out: further shapes than those of the arm's file.
        """
        touch = first_touch(self.arm, record, keep_out)
        self._require(not touch, 'no touch', touch)

    def _off(self, target: Target, tolerance: float, up_tolerance: float) -> str:
        """Return in words where the tip is if not at a target, or ``''``."""
        tip = self.tip()
        error_m = dist(tip.position, target.position)
        error_rad = 0.0 if target.up is None else angle_between(tip.up, target.up)
        if error_m <= tolerance and error_rad <= up_tolerance:
            return ''
        return f'{_words(tip.position, tip.up)}, off by {error_m:.3g} m and {error_rad:.3g} rad'

    def _wait_for_state(self, wanted: str, others: list[str], stamp: Stamp,
                        timeout: float | None) -> TargetStatus:
        """Wait for the first status of a target among some states; it has to be the wanted one."""
        expected = f'target {stamp[0]}.{stamp[1]:09d} {wanted}'

        def found() -> list[TargetStatus]:
            return [status for status in self.statuses(stamp) if status.state in (wanted, *others)]

        self.wait_until(found, expected, timeout,
                        lambda: str(next(reversed(self.statuses(stamp)), 'no status of it')))
        status = found()[0]
        self._require(status.state == wanted, expected, str(status))
        return status

    def _now(self) -> Stamp:
        return self._ros.node.get_clock().now().seconds_nanoseconds()

    def _ended(self) -> str:
        """Return in words which process has ended; ``''``: none."""
        return ' and '.join(f'{name} ended with exit code {process.exit_code}' for name, process
                            in self.processes.items() if process.exit_code is not None)

    def _require(self, holds: object, expected: str, came: str) -> None:
        """Raise an ``AssertionError`` with what is known of the arm, unless something holds."""
        if holds:
            return
        with self._ros.changed:
            positions, status = dict(self._positions), self.status
        measured = ', '.join(f'{name} {value:.6g}' for name, value in positions.items())
        raise AssertionError('\n'.join([
            f'expected: {expected}', f'came:     {came}', f'status:   {status or "none yet"}',
            f'measured: {measured or "nothing yet"}',
            *(process.describe() for process in self.processes.values())]))

    def send(self, position: Vector, up: Vector | None = None, forward: Vector | None = None
             ) -> Stamp:
        """
        Send a target and return at once.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param forward: tool x, as far as the up vector leaves it free; ``None``: any.
        :returns: the target's stamp, to wait for what comes of it.
        """
        if up is not None:
            axes = tool_rotation(self.arm, Target(position, up, forward))
            return self.publish(pose_message(position, axes, self.frame, self._now()))
        cleared = self.publish(self._stamped(Vector3Stamped()))
        self.wait_until(lambda: self.statuses(cleared), 'the stored up vector cleared')
        message = self._stamped(PointStamped())
        message.point.x, message.point.y, message.point.z = map(float, position)
        return self.publish(message)

    def send_path(self, targets: Iterable[Target]) -> Stamp:
        """
        Send targets to go to along straight lines, and return at once.

        :param targets: each with an up vector.
        :returns: the path's stamp, to wait for what comes of it.
        :raises InvalidInputError: for a target without one.
        """
        message = self._stamped(PathMessage())
        for target in targets:
            if target.up is None:
                raise InvalidInputError('targets', target, 'targets with an up vector')
            axes = tool_rotation(self.arm, target)
            message.poses.append(pose_message(target.position, axes, self.frame, (0, 0)))
        return self.publish(message)

    def set_parameters(self, node: str, **values: Any) -> None:
        """
        Change parameters of a node while it runs.

        :param node: ``'ik_node'`` or ``'driver_node'``.
        :param values: by name.
        """
        name = f'{node}/set_parameters'
        client = self._ros.client(SetParameters, name)
        self.wait_until(client.service_is_ready, name)
        asked = [Parameter(key, value=value).to_parameter_msg() for key, value in values.items()]
        for result in self._answer(SetParameters, name, parameters=asked).results:
            self._require(result.successful, f'{node} with {values}', result.reason)

    def publish(self, message: Any) -> Stamp:
        """
        Publish a message of any type the arm takes, as it is.

        :returns: its stamp as ``(seconds, nanoseconds)``; zeros for a message without.
        """
        kind = type(message)
        if kind not in self._publishers:  # only for callers that send commands without ik_node
            self._publishers[kind] = self._ros.node.create_publisher(kind, TARGET_TOPICS[kind], 10)
        self._publishers[kind].publish(message)
        return _stamp(message) if hasattr(message, 'header') else (0, 0)

    def move_to(self, position: Vector, up: Vector | None = None, forward: Vector | None = None,
                timeout: float | None = None) -> tuple[float, ...]:
        """Send a target, wait for arrival, and return the measured positions [rad]; see `send`."""
        self.wait_for_arrival(self.send(position, up, forward), timeout)
        return self.q

    def move_gripper(self, opening: float, timeout: float | None = None) -> float:
        """Open the gripper (0 closed, 1 open), wait, and return the measured position."""
        (name, goal), *_ = self.arm.model.gripper_goals(opening).items()
        self.publish(Float64(data=float(opening)))
        states = self.record()

        def rests() -> bool:
            last = [state[name] for state in states[-_RESTS:]]
            return any(abs(at - goal) <= 1e-6 for at in last[-1:]) or bool(
                self._objects) and len(last) == _RESTS and max(last) - min(last) <= _STILL
        self.wait_until(rests, f'{name} at {goal:.6g}', timeout)
        return self.joint_states[name]

    def enable(self, on: bool = True) -> str:
        """Let commands leave ``ik_node``, or none."""
        return self._call('ik_node/enable', data=on)

    def pause(self, on: bool = True) -> str:
        """Let the arm rest on its path, or go on."""
        return self._call('ik_node/pause', data=on)

    def go_home(self) -> str:
        """Ask for the home pose; returns at once."""
        return self._call('ik_node/home')

    def torque(self, on: bool) -> str:
        """Switch the servos' torque; a real arm falls without."""
        return self._call('driver_node/torque', data=on)

    def stop(self) -> str:
        """Stop the servos where they are, until :meth:`reset`."""
        return self._call('driver_node/stop')

    def reset(self) -> str:
        """Take commands again after :meth:`stop`."""
        return self._call('driver_node/reset')

    def clear_faults(self) -> str:
        """Forget what was wrong with servos."""
        return self._call('driver_node/clear_faults')

    def _stamped(self, message: Any) -> Any:
        message.header.frame_id = self.frame
        message.header.stamp.sec, message.header.stamp.nanosec = self._now()
        return message

    def _call(self, name: str, **request: Any) -> str:
        response = self._answer(SERVICES[name], name, **request)
        self._require(response.success, f'{name} done', response.message)
        return response.message

    def _answer(self, kind: Any, name: str, **request: Any) -> Any:
        future = self._ros.call(kind, name, **request)
        self.wait_until(future.done, f'an answer of {name}')
        return future.result()

    def _on_objects(self, message: MarkerArray) -> None:
        for marker in message.markers:
            at, turn = marker.pose.position, marker.pose.orientation
            self._objects[marker.ns] = WorldObject(
                (at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w), {*marker.text.split()})

    def _on_state(self, message: JointState) -> None:
        self._positions.update(zip(message.name, message.position))
        self.state_stamp = _stamp(message)
        for record in self._records:
            record.append({**self._positions, **self._objects})


def find_arm(arm: Arm | Path | str) -> Arm:
    """Return an arm by name or file, or as it is."""
    return arm if isinstance(arm, Arm) else Arm.from_yaml(arm_file(str(arm)))


def _words(position: Vector, up: Vector | None) -> str:
    tip = f'tip at ({", ".join(f"{float(value):.6g}" for value in position)}) m'
    if up is None:
        return tip
    return f'{tip}, up ({", ".join(f"{float(value):.6g}" for value in up)})'


def _stamp(message: Any) -> Stamp:
    return message.header.stamp.sec, message.header.stamp.nanosec
