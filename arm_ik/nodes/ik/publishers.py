# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Everything ``ik_node`` publishes, but what moves the arm it leaves to ``commands``."""

from time import monotonic

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.duration import Duration

from .markers import Markers
from .output import JointCommands, JointTrajectories
from .report import Level, State
from ..common.diagnostics import Diagnostics, STATUS_QOS
from ..common.pose_message import pose_message

#: About how many poses a planned path has.
PLAN_POSES = 200

#: Longest wait for the last command to reach the driver when the node ends [s].
_ACKNOWLEDGEMENT_S = 0.2

#: The keys of ``~/status``, in this order.
KEYS = ('seq', 'target_stamp', 'frame', 'state', 'status', 'reason', 'position_error_m',
        'up_error_rad', 'limited_by', 'step_rad', 'forward_error_rad', 'cause')


class Publishers:
    """
    The publishers of the node.

    ``commands`` move the arm: :class:`~.output.JointCommands`, or with ``output`` at
    ``trajectory`` :class:`~.output.JointTrajectories`.

    :param node: the node.
    :param base_frame: its base frame, prefixed.
    :param core: the :class:`~.core.IkCore` it publishes for.
    :param health: the :class:`~.health.Health` that counts what is published.
    """

    def __init__(self, node, base_frame, core, health):
        self._node = node
        self._arm_name = core.arm.name
        self._base_frame = base_frame
        self._core = core
        self._health = health
        self._full_name = node.get_fully_qualified_name().lstrip('/')
        self._logged = None              # cause and level of the report that was logged last
        self._diagnosed_level = None
        self._unpublished = None         # the newest report, while nobody subscribes
        output = JointCommands if core.settings.output == 'commands' else JointTrajectories
        self.commands = output(node, core, health.commands.count)
        self._poses = node.create_publisher(PoseStamped, '~/solved_pose', 10)
        self._plans = node.create_publisher(Path, '~/planned_path', 10)
        self._status = node.create_publisher(DiagnosticStatus, '~/status', STATUS_QOS)
        self.markers = Markers(node, base_frame, core)
        self._diagnostics = Diagnostics(
            node, 'inverse kinematics', core.arm.name, self._diagnose,
            level=lambda: bytes([health.level]))

    def answer(self, report, now_ns, received=None):
        """
        Publish the results of a request, the command first; return whether there is a new one.

        :param report: the answer to the request; ``None``: there is none.
        :param now_ns: time on the clock of stamps [ns].
        :param received: when its message was taken [s], monotonic.
        """
        starts = report is not None and report.state is State.ACCEPTED and bool(report.solution)
        if starts:
            self._publish_plan(report.request.stamp)
            self.commands.start(now_ns)
            if received is not None:
                self._health.latencies.append(monotonic() - received)
            if self._poses.get_subscription_count():
                tip = self._core.arm.forward(report.solution.q)
                self._poses.publish(pose_message(
                    tip.position, tip.rotation, self._base_frame, report.request.stamp))
        self.report(report)
        return starts

    def report(self, report):
        """
        Publish a report, and log it unless it only repeats the previous one.

        :param report: ``None``: there is nothing to report.
        """
        if report is None:
            return
        self._unpublished = report
        self.markers.show(report)
        if self._status.get_subscription_count():
            self._publish_status()
        self._log(report)
        self._health.count(report)
        if report.level is not self._diagnosed_level or report.state is not State.ACCEPTED:
            self._diagnosed_level = report.level
            self._diagnostics.check()

    def check(self):
        """Publish diagnostics if the node's level has changed, and the newest status."""
        self._publish_status()
        self._diagnostics.check()

    def close(self):
        """Publish what ends the command, if it is due, and wait until it is acknowledged."""
        self.markers.show_reach(False)
        self.commands.end()
        self.commands.publisher.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGEMENT_S))

    def _publish_plan(self, stamp):
        plan = self._core.take_plan()
        if plan is None or not self._plans.get_subscription_count():
            return
        shown = [*range(0, len(plan.q) - 1, len(plan.q) // PLAN_POSES + 1), -1]
        tips = self._core.arm.forward(plan.q[shown])
        path = Path(poses=[pose_message(position, rotation, self._base_frame, stamp)
                           for position, rotation in zip(tips.position, tips.rotation)])
        path.header = path.poses[0].header
        self._plans.publish(path)

    def _publish_status(self):
        # The middleware keeps it for late subscribers, so it is published even without
        # subscribers.
        if self._unpublished is not None:
            self._status.publish(
                status_message(self._unpublished, self._full_name, self._arm_name))
            self._unpublished = None

    def _log(self, report):
        if (report.cause, report.level) != self._logged:
            self._logged = report.cause, report.level
            if report.level is Level.OK:
                self._node.get_logger().info(report.summary)
            else:
                self._node.get_logger().warning(report.summary)

    def _diagnose(self):
        level, message, values = self._health.diagnostics()
        return bytes([level]), message, values


def status_message(report, name, hardware_id):
    """
    Return the message of a report.

    :param report: a :class:`~.report.Report`.
    :param name: of the node, fully qualified.
    :param hardware_id: name of the arm.
    """
    return DiagnosticStatus(
        level=bytes([report.level]), name=f'{name}: target', message=report.summary,
        hardware_id=hardware_id,
        values=[KeyValue(key=key, value=value) for key, value in zip(KEYS, _values(report))])


def _values(report):
    request, solution = report.request, report.solution
    seconds, nanoseconds = request.stamp
    shared = (str(request.seq), f'{seconds}.{nanoseconds:09d}', _short(request.frame),
              report.state.value)
    if solution is None:
        return (*shared, '', report.reason, 'nan', 'nan', '', 'nan', 'nan', report.cause)
    # repr of a float is the shortest text that reads back as the same float.
    return (*shared, solution.status.name, report.reason, repr(solution.position_error_m),
            repr(solution.up_error_rad), ', '.join(solution.limited_by), repr(solution.step_rad),
            repr(solution.forward_error_rad), report.cause)


def _short(frame, limit=120):
    # Long names from a sender must not make the status long.
    return frame if len(frame) <= limit else frame[:limit - 3] + '...'
