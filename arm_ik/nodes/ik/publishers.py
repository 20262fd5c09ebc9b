# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Everything ``ik_node`` publishes.

What moves the arm are repeated joint commands or whole trajectories, by the parameter ``output``.
Both have ``publisher``, and ``send`` for what leaves, see :mod:`.outgoing_motion`.
"""

from math import nan

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

from .markers import keep_out_markers, Markers
from .report import Journal, Level, State
from ..common.diagnostics import Diagnostics, STATUS_QOS
from ..common.pose_message import pose_message
from ..common.serialized import joint_state
from ...kinematics.solution import Solution

#: Topics of targets.
_TARGETS = ('target_pose', 'target_point', 'target_path', 'target_twist')

#: Nodes of the package that send targets only while a person moves them.
_BY_HAND = 'target_marker', 'viewer'

#: About how many poses a planned path has.
PLAN_POSES = 200

#: Longest wait for the last command to reach the driver when the node ends [s].
_ACKNOWLEDGEMENT_S = 0.2

#: Difference of the stamps of commands while simulated time does not go on [ns]: the resolution of
#: a float in seconds.
_STEP_NS = 1000

#: Time that goes back by more has begun anew [ns].
_BACK_NS = 200_000_000


class Publishers:
    """
    The publishers of the node.

    :param node: the node.
    :param base_frame: its base frame, prefixed.
    :param core: the :class:`~.core.IkCore` it publishes for.
    """

    def __init__(self, node, base_frame, core):
        self._node, self._base_frame, self._core = node, base_frame, core
        self._journal = Journal()
        self._newest = 0            # number of the newest request that is followed
        output = JointCommands if core.settings.output == 'commands' else JointTrajectories
        self._output = output(node, core)
        self._poses = node.create_publisher(PoseStamped, '~/solved_pose', 10)
        self._plans = node.create_publisher(Path, '~/planned_path', 10)
        self._shows_plan = False
        self._markers = Markers(node, base_frame, core)
        self._shapes = node.create_publisher(MarkerArray, '~/keep_out_markers', STATUS_QOS)
        self.show_keep_out(())
        self._diagnostics = Diagnostics(node, core.arm.name, self._diagnose, self._each_second)

    def publish(self, report):
        """
        Publish what leaves with a report, and then the report.

        :param report: ``None``: there is nothing to report.
        """
        if report is None:
            return
        if report.player is not None:
            self._publish_plan(report.player)
        self.move(report.motion)
        request = report.request
        if (report.solution is not None and report.state is State.ACCEPTED
                and request.seq > self._newest):
            self._newest = request.seq
            if self._poses.get_subscription_count():
                tip = self._core.arm.forward(report.solution.q)
                self._poses.publish(pose_message(
                    tip.position, tip.rotation, self._base_frame, request.stamp))
        tracker = self._core.tracker
        if self._shows_plan and not (tracker.is_pending and tracker.report.cause == 'line'):
            self._shows_plan = False
            self._plans.publish(Path(header=Header(frame_id=self._base_frame)))  # it is over
        self._markers.show(report)
        self._diagnostics.say(
            'target', bytes([report.level]), report.summary, status_values(report))
        if line := self._journal.take(report):
            level, words = line
            if level is Level.OK:       # rclpy wants a line for each level
                self._node.get_logger().info(words)
            else:
                self._node.get_logger().warning(words)

    def _each_second(self):
        self._markers.check(anew=True)
        return '; '.join(self._crowds())

    def _crowds(self):
        """Say where several nodes send targets: the arm goes to and fro then."""
        for topic in _TARGETS:
            names = sorted(info.node_name for info in self._node.get_publishers_info_by_topic(
                self._node.resolve_topic_name(topic)))
            if len([name for name in names if name not in _BY_HAND]) > 1:
                yield f'{len(names)} publishers on {topic}: {", ".join(names)}'

    def move(self, motion):
        """Send what moves the arm, see :mod:`.outgoing_motion`; ``None``: nothing."""
        if motion is not None:
            self._output.send(motion)

    def show_keep_out(self, shapes):
        """Show shapes to stay out of, in addition to those of the arm."""
        model = self._core.arm.model
        self._shapes.publish(keep_out_markers(
            (*model.keep_out, *shapes), model.reach, self._base_frame))

    def check(self):
        """Publish diagnostics if the node's level has changed, and markers if they have."""
        self._diagnostics.check()
        self._markers.check()

    def close(self, report):
        """Send what leaves with the last report, and wait until it is acknowledged."""
        self.move(report.motion)
        self._markers.close()
        self._output.publisher.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGEMENT_S))

    def _publish_plan(self, player):
        if not self._plans.get_subscription_count():
            return
        plan, begins = player.line, player.since + player.begins - self._core.clock()
        shown = [*range(0, len(plan.q) - 1, len(plan.q) // PLAN_POSES + 1), -1]
        tips = self._core.arm.forward(plan.q[shown])
        now, speed = self._node.get_clock().now().nanoseconds, self._core.settings.speed
        path = Path(poses=[
            pose_message(position, rotation, self._base_frame,
                         divmod(now + round(1e9 * (begins + time) / speed), 10**9))
            for time, position, rotation in zip(
                plan.times[shown].tolist(), tips.position, tips.rotation)])
        path.header = path.poses[0].header
        self._plans.publish(path)
        self._shows_plan = True

    def _diagnose(self):
        gate, now = self._core.gate, self._core.clock()
        level, message = self._core.reports.condition(self._markers.report, now)
        return [('inverse kinematics', bytes([level]), message, lambda: {
            'enabled': str(gate.enabled).lower(),
            'joint_states_age_s': f'{gate.state.age(now):.3f}'})]


def status_values(report):
    """Return what ``~/status`` has of a report by key, in their order."""
    request, (seconds, nanoseconds) = report.request, report.request.stamp
    solution = Solution((), None, nan, nan, nan, step_rad=nan) if report.solution is None \
        else report.solution
    # The text of a float is the shortest that reads back as the same float; the name of a frame,
    # which a sender may make as long as it likes, is cut.
    return {'seq': request.seq, 'target_stamp': f'{seconds}.{nanoseconds:09d}',
            'frame': f'{request.frame:.120}', 'state': report.state.value,
            'status': '' if report.solution is None else solution.status.name,
            'reason': report.reason, 'position_error_m': solution.position_error_m,
            'up_error_rad': solution.up_error_rad,
            'limited_by': ', '.join(solution.limited_by), 'step_rad': solution.step_rad,
            'forward_error_rad': solution.forward_error_rad, 'cause': report.cause,
            'rest_error_rad': report.rest_error_rad, 'tip_error_m': report.tip_error_m,
            'progress': report.progress, 'time_left_s': report.time_left_s}


class JointCommands:
    """
    The topic ``joint_commands``.

    :param node: the node.
    :param core: the :class:`~.core.IkCore` whose commands they are.
    """

    def __init__(self, node, core):
        self._node, self._names = node, core.arm.joint_names
        self._made, self._stamp_ns = None, -_BACK_NS
        self.publisher = node.create_publisher(JointState, 'joint_commands', 10)

    def send(self, command):
        """Publish a :class:`~.outgoing_motion.Command`."""
        if command.made != self._made:
            # The end of a path is due between two commands: so the driver is there in time.
            self._stamp(self._node.get_clock().now().nanoseconds - round(1e9 * command.late))
        self._made = command.made
        self.publisher.publish(joint_state(self._stamp_ns, self._names, *command[:2]))

    def _stamp(self, now_ns):
        # A command of a source has the stamp of its moment, one of a stream that of its target. A
        # repeated one keeps its stamp, so that a driver that was stopped and reset recognises an
        # old command. So stamps rise, even while simulated time does not, but where time begins
        # anew; and no stamp is zero, which would mean now.
        if 0 <= self._stamp_ns - now_ns < _BACK_NS:
            self._stamp_ns += _STEP_NS
        else:
            self._stamp_ns = max(now_ns, _STEP_NS)


class JointTrajectories:
    """
    The topic ``joint_trajectory``, for a ``joint_trajectory_controller`` of ros2_control.

    Each trajectory takes the place of the one before, and ends at rest.

    :param node: the node.
    :param core: the :class:`~.core.IkCore` whose trajectories they are.
    """

    def __init__(self, node, core):
        self._node, self._core = node, core
        self.publisher = node.create_publisher(JointTrajectory, 'joint_trajectory', 10)

    def send(self, trajectory):
        """Publish a :class:`~.outgoing_motion.TimedSpline`."""
        spline, delay = trajectory.spline, trajectory.begins - self._core.clock()
        message = JointTrajectory(joint_names=self._core.arm.joint_names)
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.points = [JointTrajectoryPoint(
            positions=positions, velocities=velocities,
            time_from_start=Duration(nanoseconds=round(1e9 * (time + delay))).to_msg())
            for time, positions, velocities in zip(*[values.tolist() for values in (
                spline.times, spline.positions, spline.velocities)]) if time + delay > 0.0]
        if message.points:  # an empty one would hold the arm at once: the one before ends at rest
            self.publisher.publish(message)
