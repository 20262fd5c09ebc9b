# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Everything ``ik_node`` says: commands, status, solved poses, markers, log and diagnostics."""

from time import monotonic

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from ..common import log
from .audience import Audience
from .cdr import JointStateWriter
from .condition import driver, trouble
from ..common.diagnostics import Diagnostics
from ..common.pose_message import pose_message
from ..common.qos_events import publisher_events
from .report import Level, State
from .status_message import status_message

#: Status: whoever comes late gets the newest.
STATUS_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

#: Before Python 3.12 the members of an enum are slow to look up.
_ACCEPTED = State.ACCEPTED

#: How long the last command may take to reach the driver when the node ends [s].
_LAST_WORDS_S = 0.2

#: Commands made while simulated time stands still are so far apart [ns]: what a float of seconds
#: can tell apart.
_STEP_NS = 1000


class IkOut:
    """
    The publishers of the node.

    :param node: the node.
    :param base_frame: its base frame, prefixed.
    :param core: the :class:`~.core.IkCore` it speaks for.
    :param health: the :class:`~.health.Health` that counts what is said.
    """

    def __init__(self, node, base_frame, core, health):
        self._node = node
        arm = core.arm
        self._name = arm.name
        self._base_frame = base_frame
        self._core = core
        self._health = health
        self._full_name = node.get_fully_qualified_name().lstrip('/')
        self._logged_cause = self._logged_level = None
        self._level_told = None
        self._reach = self._reach_of = None  # what which arm reaches, if that is to be shown
        self._shown = None  # the newest report with a target to show
        self._unsaid = None  # the newest report, while nobody listens
        self._writer = JointStateWriter(arm.joint_names)
        self._stamp = (0, 0)
        self._stamp_ns = self._stamped_at_ns = None
        self._commands, self._poses, self._status, self._markers = [
            node.create_publisher(kind, topic, qos, event_callbacks=publisher_events())
            for kind, topic, qos in ((JointState, 'joint_commands', 10),
                                     (PoseStamped, '~/solved_pose', 10),
                                     (DiagnosticStatus, '~/status', STATUS_QOS),
                                     (MarkerArray, '~/markers', 10))]
        self._audience = Audience(self._poses, self._status, self._markers)
        # As Publisher.publish sends bytes, without asking each time what it is given.
        self._send = self._commands.handle.publish_raw
        self._diagnostics = Diagnostics(
            node, 'inverse kinematics', arm.name, self._condition, self._level,
            each_second=self._show)

    def repeat_command(self):
        """Send the command in force, or the one that ends the one before, if there is any."""
        if not self.send_last_words():
            readings = self._core.command
            if readings is not None:
                self._send_command(readings)

    def send_last_words(self):
        """Send the command that ends the one before; tell whether there is one."""
        self._catch_up()
        readings = self._core.last_words()
        if readings is None:
            return False
        self._stamp_command(self._node.get_clock().now().nanoseconds)
        self._send_command(readings)
        return True

    def _send_command(self, readings):
        self._send(self._writer.write(self._stamp, readings))
        self._health.commands.count()

    def tell_motion(self, report, now_ns, received=None):
        """
        Send off what an accepted order leads to, the command first.

        :param report: the answer to the order.
        :param now_ns: time on the stamps' clock [ns].
        :param received: when its message came [s], monotonic.
        """
        self._catch_up()
        accepted = report.state is _ACCEPTED
        if accepted:
            self._stamp_command(now_ns)
            self.repeat_command()
        now = monotonic()
        to_poses, _, to_markers = self._audience.counts(now)
        if accepted:
            if received is not None:
                self._health.latencies.add(now - received)
            if to_poses:
                tip = self._core.arm.forward(report.solution.q)
                self._poses.publish(pose_message(
                    tip.position, tip.rotation, self._base_frame, report.order.stamp))
        if report.target is not None:
            self._shown = report
            if to_markers:
                self._show_target()
        self.tell(report, now)

    def tell(self, report, now=None):
        """
        Publish a report, and log it unless it only repeats the one before.

        :param report: ``None``: there is nothing to say.
        :param now: time [s], monotonic, where it is known.
        """
        if report is None:
            return
        self._catch_up()
        self._unsaid = report
        if self._audience.counts(now or monotonic())[1]:
            self._say()
        self._log(report)
        self._health.count(report)
        if report.level is not self._level_told or report.state is not _ACCEPTED:
            self._level_told = report.level
            self._diagnostics.check()

    @property
    def heard(self):
        """Tell whether anybody listens to what is said of a target, as of a moment ago."""
        return any(self._audience.counts(monotonic()))

    @property
    def commands(self):
        """Return what gives the bytes of a command, and what sends them and does nothing else."""
        return self._writer.write, self._send

    def check(self):
        """Tell at once if the node's level has changed, and have the newest status at hand."""
        self._catch_up()
        self._say()
        self._diagnostics.check()

    def _catch_up(self):
        for burst in self._core.bursts():
            self._stamp = burst.sent_stamp
            self._unsaid = self._shown = burst.report
            self._health.count_burst(burst)

    def _say(self):
        # Who listens later gets the newest from the middleware, so it must get there.
        if self._unsaid is not None:
            self._status.publish(status_message(self._unsaid, self._full_name, self._name))
            self._unsaid = None

    def end(self):
        """Send the last command, if there is one, and see it off."""
        self.show_reach(False)
        self.repeat_command()
        self._commands.wait_for_all_acked(Duration(seconds=_LAST_WORDS_S))

    def _stamp_command(self, now_ns):
        # Once for all repetitions: a driver that was stopped and reset knows by it that this
        # command is an old one. So no two commands have the same, nor one of zero, which stands
        # for now, even where simulated time stands still.
        if now_ns == self._stamped_at_ns:
            self._stamp_ns += _STEP_NS
        else:
            self._stamped_at_ns, self._stamp_ns = now_ns, max(now_ns, _STEP_NS)
        self._stamp = divmod(self._stamp_ns, 1_000_000_000)

    def _log(self, report):
        if report.cause != self._logged_cause or report.level is not self._logged_level:
            self._logged_cause, self._logged_level = report.cause, report.level
            say = log.info if report.level is Level.OK else log.warning
            say(self._node, report.summary)

    def _level(self):
        return bytes([self._health.level(trouble(self._core))])

    def _condition(self):
        self._catch_up()
        core = self._core
        level, message, values = self._health.condition(
            trouble(core), enabled=str(core.enabled).lower(), driver=driver(core),
            joint_states_age_s=f'{core.state_age:.3f}')
        return bytes([level]), message, values

    def show_reach(self, on):
        """Show what the arm reaches from now on, worked out anew for another arm; or no longer."""
        arm = self._core.arm if on else None
        if arm is self._reach_of:
            return
        self._reach_of = arm
        if self._reach is not None:
            self._reach.close()
            self._show()
        self._reach = None
        if on:
            from .reach_slice import ReachSlice
            self._reach = ReachSlice(arm)

    def _show(self):
        """Show everything there is to show."""
        self._show_target()
        if self._reach is not None and self._markers.get_subscription_count():
            self._markers.publish(MarkerArray(markers=[self._reach.message(self._base_frame)]))

    def _show_target(self):
        report = self._shown
        if report is None or not self._markers.get_subscription_count():
            return
        tip = self._core.arm.forward(report.solution.q) if report.solution is not None else None
        from .marker_message import marker_message
        self._markers.publish(marker_message(report, tip, self._base_frame))
