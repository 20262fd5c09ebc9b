# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The decisions of the node, without ROS: which targets are followed, and when that ends.

A request passes the :class:`~.gate.Gate`, a planner makes a :class:`~.planner.Plan` of it, and the
:class:`~.tracker.Tracker` follows that. At most one command is active. Every input is answered by
a :class:`~.report.Report`, or by ``None`` if there is nothing new to report. A target that comes
before every joint was heard is kept for :data:`~.gate.KEPT`; a refused one leaves the active
command as it is. docs/overview.md has what ends a command. Ages are measured from receipt, on the
monotonic clock.
"""

from functools import partial
from math import inf
from time import monotonic

from .gate import Gate, KEPT
from .line_planner import at_once, LinePlanner
from .motion_sources import Streaming, TWIST_TIMEOUT
from .parameters import Settings
from .planner import Planner
from .report import Level, refused, Report, Reports, State, warned
from .tracker import Tracker
from ...errors import InvalidInputError
from ...motion.goal_stream import LATEST

#: How much later than they leave trajectories begin [s]: longer than messages take.
LEAD = 0.05

#: Period of the check of timeouts [s], independent of the rate of commands; and of commands of an
#: arm at rest, or on a stream, of which the next target comes.
CHECK_PERIOD, REST_PERIOD = 0.05, 0.2

#: A stream that the driver plays later than this [s] is shortened, long before it is given up: the
#: arm goes straight to its newest goal. Where the tip would go below the stream, a later goal is
#: waited for, until so long [s] before the stream is given up: then the arm stops.
LATE, WAIT = 0.5 * LATEST, 0.5


class IkCore:
    """
    The state machine between targets, measured states and commands.

    To be asked, not to be changed, are its parts: ``gate``, ``tracker``, ``planner``, ``reports``.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`~.parameters.Settings`.
    :param clock: returns monotonic seconds.
    :param background: function that has an action done and returns a future of what it returns;
        paths of several targets are planned so, and :meth:`check` takes them when they are.
    """

    def __init__(self, arm, settings=Settings(), clock=monotonic, background=at_once):
        self.arm, self.settings, self.clock = arm, settings, clock
        self.gate = Gate(arm.joint_names, settings)
        self.tracker = Tracker(arm.model, settings.arrival_tolerance, self.gate.state,
                               0.0 if settings.output == 'commands' else LEAD)
        self.tracker.pace = settings.speed
        self.planner = Planner(arm, settings, self.tracker)
        self.lines = LinePlanner(self.planner, self.tracker, background)
        self.reports = Reports(arm, self.gate, self.tracker)
        self._is_known = False           # whether a report said that the arm's state is known
        self._appeared = -inf            # when a sender of joint states appeared last

    def change(self, settings):
        """Go on with other settings."""
        self.settings = self.gate.settings = settings
        self.gate.state.timeout = settings.state_timeout
        self.planner.change(settings)
        self.tracker.checker.tolerance = settings.arrival_tolerance
        self.tracker.pace = self.tracker.pace and settings.speed

    @property
    def command(self):
        """Return the positions commanded last [rad], base to tip; ``None``: none are sent."""
        return None if self.gate.pause(self.clock()) else self.tracker.positions

    def go_on(self):
        """Return what is to leave now, see :mod:`.outgoing_motion`; ``None``: nothing."""
        now = self.clock()
        return None if self.gate.pause(now) else self.tracker.go_on(now)

    def take_state(self, *arrays, stamp=None):
        """
        Take a JointState's names, positions and other arrays; a bad one changes nothing.

        :param stamp: when it was measured, on any clock [s]; ``None``: now.
        """
        now, state = self.clock(), self.gate.state
        try:
            merged = state.merge(now, *arrays, stamp=stamp)
        except InvalidInputError as error:
            return self.reports.refused_state(error)
        self.planner.take_extra(zip(*arrays[:2]))
        if not merged or state.unavailable(now):
            return None
        if not self._is_known:
            self._is_known = True
            return self.gate.take_kept(now) or (
                self.reports.ready('the state of the arm is known') if self.gate.enabled else None)
        if replaced := self._stop_if_replaced(now):
            return replaced
        report = self.tracker.progress(now)
        return report and self.reports.as_it_is(report, now)

    def take_target(self, target, request, age=0.0):
        """
        Solve for a target and follow it, or report why not.

        :param target: the :class:`~arm_ik.Target`.
        :param request: its :class:`~.report.Request`.
        :param age: upper bound of the time since it was received [s].
        """
        now, settings = self.clock(), self.settings
        planner = self.lines if settings.motion == 'line' else self.planner
        return self._refuse([target], request, now, partial(self.take_target, target), age,
                            settings.target_timeout) or self._follow(
            planner.to_target(target, request, now - age, now), now)

    def take_path(self, targets, request, age=0.0):
        """
        Go along straight lines through targets, with a stop at each, or report why not.

        :param targets: list of :class:`~arm_ik.Target`, not empty.
        :param request: their :class:`~.report.Request`.
        :param age: upper bound of the time since they were received [s].
        """
        now, lines = self.clock(), self.lines
        return self._refuse(targets, request, now, partial(self.take_path, targets), age) or (
            self._follow(lines.through(targets, request, now) or lines.finished(now), now)
        ) or Report(State.PLANNING, Level.OK, request, f'{len(targets)} targets', 'planning',
                    targets[-1])

    def _refuse(self, targets, request, now, *args):
        """Report why targets are not even planned for, see :meth:`.Gate.refuse`; or ``None``."""
        self.reports.take(request)
        if report := self.gate.refuse(request, now, targets[-1], *args):
            return report
        below = self.planner.goals.below_floor(targets)     # to solve for such takes long
        return refused(request, below, 'floor', targets[-1]) if below else None

    def go_home(self, request):
        """Go to the home pose, or report why not."""
        now = self.clock()
        self.reports.take(request)
        return self.gate.refuse(request, now) or self._follow(self.planner.home(request, now), now)

    def take_twist(self, twist, request, age=0.0):
        """
        Jog by a twist, or report why not; a twist that goes on jogging reports nothing.

        :param twist: the :class:`~arm_ik.motion.jog.Twist`.
        :param request: its :class:`~.report.Request`.
        :param age: upper bound of the time since it was received [s].
        """
        now, tracker = self.clock(), self.tracker
        passes = self.gate.passes_twist(twist, request, now)
        refusal = self.gate.refuse(
            request, now, age=age, timeout=TWIST_TIMEOUT, limit='twist timeout')
        if not (refusal or tracker.is_jogging or twist and passes):
            return None     # it moves nothing, so it ends no command either
        self.reports.take(request)
        if refusal:
            return refusal
        if not tracker.is_jogging:
            return self._follow(self.planner.jog(twist, request, now), now)
        tracker.source.take(twist, now)
        tracker.report = tracker.report._replace(request=request)
        return None

    def _follow(self, plan, now):
        """Follow a plan, unless it is a refusal; report that; ``None``: there is no plan."""
        if plan is None or plan.report.state is State.REFUSED:
            return plan and plan.report
        report, source, came, streams, made = plan
        self.planner.stream.take(came, report.solution.q, streams, now)
        if not streams:
            self.planner.forget_warning()
        elif self.planner.warning:
            report = warned(report, self.planner.warning)
        self.lines.drop()
        motion = self.tracker.start(report, now, source, streams, made)
        return self.reports.as_it_is(self.tracker.report, now)._replace(
            motion=None if self.gate.pause(now) else motion,
            player=source if source and source.line else None)

    def take_keep_out(self, shapes):
        """
        Stay out of shapes from now on; an arm on its path into one stops.

        :param shapes: of :class:`~arm_ik.kinematics.model.KeepOut`, with those of the arm.
        """
        paths = self.planner.goals.paths
        if tuple(shapes) == paths.keep_out:
            return None
        paths.keep_out = tuple(shapes)
        self.lines.plan_anew(self.clock())
        return self._stop_if_blocked(self.planner.objection_ahead(self.clock()))

    def _stop_if_blocked(self, objection):
        """Stop an arm whose rest of the path has come to touch something; or return ``None``."""
        return objection and self._stop(f'stopped: {objection[0]}', objection[1])

    def enable(self, on):
        """Allow commands, or stop them; a command that was active before is not resumed."""
        self.gate.enabled = on
        if not on:
            return self._stop('disabled by ~/enable', 'disabled', State.REFUSED)
        is_idle = self.tracker.report is None and self._is_known
        return self.reports.ready('enabled') if is_idle else None

    def pause(self, on):
        """
        Let the arm rest on its path, and what comes wait, or go on; again does nothing.

        It lasts until it is taken back, whatever ends the active command meanwhile.
        """
        tracker, now, motion = self.tracker, self.clock(), None
        if on is not bool(tracker.pace):
            return None
        if on and tracker.is_pending and not self.gate.pause(now) and (
                tracker.source is None or isinstance(tracker.source, Streaming)):
            motion = tracker.start(tracker.report, now, self.planner.to_pause(now))
        tracker.pace = 0.0 if on else self.settings.speed
        motion = self.go_on() or motion
        self.lines.plan_anew(now)
        if not on and (stopped := self._stop_if_blocked(self.planner.objection_ahead(now))):
            return stopped      # by what came meanwhile
        if tracker.report is not None:
            return self.reports.as_it_is(tracker.report, now)._replace(motion=motion)
        return None if self.gate.unavailable(now) else self.reports.ready(
            'paused' if on else 'no longer paused')

    def take_refusal(self, refusal):
        """
        Take what the driver says of commands; one that refuses them ends the active command.

        :param refusal: ``(reason, cause)`` why it takes none; ``None``: it does, or is not heard.
        """
        if refusal == self.gate.refusal:
            return None
        self.gate.refusal, now = refusal, self.clock()
        unavailable = self.gate.unavailable(now)
        if not unavailable:
            return self.reports.ready('enabled, and no driver refuses commands')
        self._is_known &= not self.gate.state.unavailable(now)
        self.gate.twists.stop()     # those that go on do not jog when it takes commands again
        return self._stop(*unavailable, State.REFUSED, hold=False)

    def take_lag(self, seconds, joint):
        """
        Shorten a stream that the driver plays too late, once: go to its newest goal by itself.

        :param seconds: how late it is [s].
        :param joint: the one that is too slow.
        """
        tracker, now = self.tracker, self.clock()
        report = tracker.report
        if seconds < LATE or report is None or not tracker.streams:
            return None
        dip = self.planner.dip_to(report.solution.q, now)
        if dip and seconds < LATEST - WAIT:
            return None
        words = f'{joint} is too slow, the stream {seconds:.1f} s late: '
        objection = self.planner.objection_to(report.solution.q, now)
        if objection or dip:
            return self._stop(f'stopped: {words}{objection[0] if objection else dip}', 'late')
        report = report._replace(level=Level.WARN, cause='late', reason='; '.join(filter(None, (
            report.reason, f'{words}straight to its newest target'))))
        motion = tracker.go_straight(report, now)
        self.planner.stream.shorten()
        return self.reports.as_it_is(report, now)._replace(motion=motion)

    def take_stops(self, count):
        """End what began before the driver was stopped; ``count``: how often it was by now."""
        if not self.gate.was_stopped(count) or (
                self.tracker.report is None and self.lines.planning is None):
            return None
        return self._stop('the driver was stopped: waiting for a new target', 'driver stopped',
                          hold=False)

    def sender_appeared(self):
        """Take note of a new sender of joint states; with a gap it is a restarted driver."""
        self._appeared = self.clock()
        return self._stop_if_replaced(self._appeared)

    def _stop_if_replaced(self, now):
        """Stop if joint states had a gap about when a sender appeared; else return ``None``."""
        # With trajectories, it is not the one who follows them.
        if not self.tracker.sends_commands or now - self._appeared > self.settings.state_timeout \
                or not self.gate.state.was_interrupted(now):
            return None
        self._appeared = -inf       # what is commanded from now on is for the new one
        return self.tracker.report and self._stop(
            'joint_states were interrupted and come from a new sender: stopped until a new target',
            'new sender', hold=False)

    def stood_still(self, seconds):
        """Drop the command of an arm that moves if the node has not run for a time [s]."""
        if not self.tracker.sends_commands or seconds <= self.settings.state_timeout or (
                not self.tracker.is_pending):
            return None     # else the driver, who heard nothing, takes it for old
        return self._stop(f'ik_node did not run for {seconds:.2g} s: stopped until a new target',
                          'not running', hold=False)

    def check(self):
        """Check all timeouts; to be called often."""
        now, gate, tracker = self.clock(), self.gate, self.tracker
        unavailable = gate.state.unavailable(now)
        if self._is_known and unavailable:
            self._is_known = False  # so there is no position to hold
            return self._stop(*(gate.refusal or unavailable), State.REFUSED, Level.STALE)
        if gate.kept is not None and now - gate.kept.received > KEPT:
            return gate.take_kept(now)
        if not gate.state.pause(now) and (behind := tracker.left_behind(now)):
            gate.twists.stop()
            return self._stop(f'{behind}: stopped until a new target', 'left behind')
        return (self._follow(self.lines.finished(now), now) or self._stop_if_silent(now)
                or self._roll_back() or self._look_ahead(now) or self.reports.news(now))

    def _roll_back(self):
        """Go to the newest target as it is, if a stream has paused that kept the roll from it."""
        unrolled = self.tracker.report and self.planner.stream.roll_back(self.clock())
        return unrolled and self.take_target(*unrolled)

    def _look_ahead(self, now):
        """Stop an arm that would touch something, or report what is warned of; or ``None``."""
        if stopped := self._stop_if_blocked(self.planner.look_ahead(now)):
            return stopped
        if not self.planner.warns_anew(now):
            return None
        self.tracker.report = warned(self.tracker.report, self.planner.warning)
        return self.reports.as_it_is(self.tracker.report, now)

    def refuse(self, request, reason, cause):
        """Report a refused request; the active command stays."""
        self.reports.take(request)
        return refused(request, reason, cause)

    def take_up(self, up, request, age=0.0):
        """Report the up vector of later points, which moves nothing; ``None``: any."""
        self.reports.take(request)
        return Report(State.ACCEPTED, Level.OK, request,
                      f'up vector of later points: {up or "any"}', 'acknowledged')

    def _stop_if_silent(self, now):
        """End the command of a stream of targets that has stopped; else return ``None``."""
        timeout = self.settings.target_timeout
        if not timeout or self.tracker.report is None or not (
                self.planner.stream.is_silent(timeout, now)):
            return None
        return self._stop(f'no valid target for {timeout:g} s (target_timeout): stopped until a '
                          'new one', 'target_timeout', level=Level.STALE)

    def _stop(self, reason, cause, state=State.READY, level=Level.WARN, hold=True):
        self.lines.drop()
        motion = self.tracker.hold(self.clock()) if hold else None
        self.tracker.end()
        kept, self.gate.kept = self.gate.kept, None
        return Report(state, level, kept.request if kept else self.reports.request, reason, cause,
                      kept and kept.target, motion=motion)
