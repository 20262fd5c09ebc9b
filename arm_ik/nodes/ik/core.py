# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The decisions of the node, without ROS: which targets are followed, and when that ends.

At most one command is in force. Every input is answered by a :class:`~.report.Report`, or by
``None`` if there is nothing new to report. A target that comes before every joint was heard is
kept for :data:`KEPT`; a refused one leaves the command in force as it is. docs/overview.md has
what ends a command. Ages are measured from receipt, on the monotonic clock.
"""

from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from math import degrees, dist, inf, radians
from operator import sub
from time import monotonic
from typing import Callable, NamedTuple, Optional

from .command_in_force import CommandInForce
from .goals import Goals
from .parameters import Settings
from .report import Level, Report, Request, State, STREAM
from .sources import Jogging, Player, Streaming, TWIST_TIMEOUT
from .state_monitor import StateMonitor, UNKNOWN
from ...errors import ArmIkError, InvalidInputError
from ...kinematics.solution import Solution, Status
from ...kinematics.target import Target
from ...motion import GoalStream
from ...motion.cubic_spline import blend, CubicSpline, to_goal
from ...motion.jog import Jog

#: How long a target is kept while the state of the arm is not known yet [s], from its receipt.
KEPT = 5.0

#: How much later than they leave trajectories begin [s]: longer than messages take.
LEAD = 0.05

#: A stream of targets is one trajectory after the other as long as no joint has to run faster than
#: this part of its largest velocity: between their points nothing limits its acceleration.
_STREAM_VELOCITY = 0.4

#: Part of the largest accelerations between set-points of such a stream: cubic curves between them
#: reach one and a half times it.
_STREAM_ACCELERATION = 0.65

#: What is said while the arm rests because somebody wants it to.
_PAUSED = 'paused by ~/pause: the arm rests, and targets wait'

#: The arm may still have goals of a stream before it that came so long ago [s].
_PLAYED = 2.0

#: A joint that would turn by more than this from one target of a stream to the next [rad] would
#: swing round.
_SWINGS = radians(60.0)

#: A stream that the driver plays later than this [s] is shortened: the arm goes straight to its
#: newest goal. Much later, the driver gives it up by itself (:data:`.goal_stream.LATEST`).
LATEST = 1.5

#: A target farther from the one before [m] leaps: it is one by itself.
_LEAPS = 0.05

#: An arm farther from the goal before [rad] may not be near enough to be led along a stream.
_FAR = 0.15

#: After a pause of a stream for so long [s] the wrist roll turns back to where it is asked to be.
_PAUSED_FOR = 0.4

#: Intervals between targets of a stream that its commands keep [s], and how old that makes them.
_SHORTEST, _OLDEST = 1e-3, 0.1

#: How often is looked ahead on the way [s], for what ends it and for what is only warned of.
_LOOKS, _WARNS = 0.1, 0.5

#: How long the arm goes on while the lines that take its way's place are planned [s per target].
PLANNING = 0.01


class _Kept(NamedTuple):
    """A target that waits for the state of the arm; ``take`` takes its request, at an age [s]."""

    take: Callable
    request: Request
    target: Target
    received: float


class _Planning(NamedTuple):
    """
    Lines that are being planned, from where the arm comes to rest that goes on and brakes then.

    ``way`` and ``brakes`` lead there, see :meth:`.CommandInForce.braking`, from ``since`` [s] on;
    it brakes ``turns`` [s] later.
    """

    future: Future
    targets: list
    request: Request
    came: Optional[float]
    since: float
    way: Optional[tuple]
    brakes: CubicSpline
    turns: float


def at_once(action):
    """Return a future of what an action returns, that is done."""
    future = Future()
    try:
        future.set_result(action())
    except ArmIkError as error:
        future.set_exception(error)
    return future


class IkCore:
    """
    The state machine between targets, measured states and commands.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`~.parameters.Settings`.
    :param clock: returns monotonic seconds.
    :param beside: function that has an action done and returns a future of what it returns; paths
        of several targets are planned so, and :meth:`check` takes them when they are.

    To be asked, not to be changed, are ``arm``, ``settings``, ``request``, the newest one, the
    :class:`~.state_monitor.StateMonitor` ``state``, and the
    :class:`~.command_in_force.CommandInForce` ``in_force``.
    """

    def __init__(self, arm, settings=Settings(), clock=monotonic, beside=at_once):
        self.arm, self.settings, self.clock = arm, settings, clock
        self.enabled, self.paused = True, False
        self.refusal = None              # (reason, cause) why the driver takes no commands
        self.driver_speed = 1.0          # part of max_velocity at which it goes to goals
        self._commands = settings.output == 'commands'
        self.state = StateMonitor(arm.joint_names, settings.state_timeout)
        self.in_force = CommandInForce(arm.model, settings.arrival_tolerance,
                                       0.0 if self._commands else LEAD)
        self.request = Request()
        self._bad_state = ''             # reason of the newest refused state since that request
        self._kept = None                # the newest target, until the state is known
        self._extra_names = frozenset(joint.name for joint in arm.model.extra_joints)
        self._is_known = False           # whether a report said that the arm's state is known
        self._told = None                # cause of the trouble that a report told of
        self.beside, self._planning = beside, None
        self._plans = 0                  # how many there were, those dropped included
        self._target_time = None         # when the newest target of a stream came
        self._jogging = None             # what twists lead
        self._goal_stream = GoalStream({joint.name: joint for joint in arm.model.joints},
                                       *() if self._commands else (_STREAM_VELOCITY,))
        self._recent = deque()           # (when, positions) of the stream's newest goals
        self._stamped = 0.0, 0.0         # stamps of the newest target and its command [s]
        self._looked = self._warned = -inf   # when the rest of the path was last looked at
        self._warning = ''               # of what is on it
        self._unrolled = None            # the newest target, whose roll waits for a pause
        self._stops = None               # how often the driver was stopped
        self._touched = -inf             # when a motion to a target was blocked last
        self._twisted = -inf             # when the newest twist came
        self._let_go = True              # whether twists have paused since the arm did not follow
        self._extra = {}                 # positions of the extra joints, by name
        self._keep_out = []              # shapes beside those of the arm
        self.change()

    def change(self, arm=None, settings=None):
        """Go on with an arm of other limits, or with other settings."""
        self.arm, self.settings = arm or self.arm, settings or self.settings
        self._goals = Goals(self.arm, self.settings, self._extra, self._keep_out)
        self.state.timeout = self.settings.state_timeout
        self.in_force.change(self.arm.model, self.settings.arrival_tolerance)
        self._set_pace()
        if arm is not None:
            self._goal_stream.drop()
            self._plan_anew()

    def _set_pace(self):
        self.in_force.pace = 0.0 if self.paused else self.settings.speed

    @property
    def command(self):
        """Return the positions commanded last [rad], base to tip; ``None``: none are sent."""
        return None if self._pause(self.clock()) else self.in_force.positions

    def go_on(self):
        """Return what is to leave now, see :mod:`.outputs`; ``None``: nothing."""
        now = self.clock()
        return None if self._pause(now) else self.in_force.go_on(now)

    def unavailable(self):
        """Return ``(reason, cause)`` why no target can be followed now; ``None``: one can."""
        if not self.enabled:
            return 'disabled: call ~/enable with true first', 'disabled'
        return self.refusal or self.state.unavailable(self.clock())

    def take_state(self, *arrays, stamp=None):
        """
        Take a JointState's names, positions and other arrays; a bad one changes nothing.

        :param stamp: when it was measured, on any clock [s]; ``None``: now.
        """
        now = self.clock()
        try:
            merged = self.state.merge(now, *arrays, stamp=stamp)
        except InvalidInputError as error:
            # Bad joint states repeat at their sender's rate: one report is enough.
            if str(error) == self._bad_state:
                return None
            self._bad_state = str(error)
            return Report(State.REFUSED, Level.WARN, self.request, str(error), error.what)
        self._extra.update((name, position) for name, position in zip(*arrays[:2])
                           if name in self._extra_names)
        if not merged or self.state.unavailable(now):
            return None
        if not self._is_known:
            self._is_known = True
            return self._end_keeping(now) or (
                self._ready('the state of the arm is known') if self.enabled else None)
        report = self.in_force.progress(self.state.positions, now)
        return report and self._as_it_is(report)

    def take_target(self, target, request, age=0.0):
        """
        Solve for a target and follow it, or report why not.

        :param target: the :class:`~arm_ik.Target`.
        :param request: its :class:`~.report.Request`.
        :param age: upper bound of the time since it was received [s].
        """
        unfit = self._unfit(request, target, partial(self.take_target, target), age)
        if unfit:
            return unfit
        settings, now = self.settings, self.clock()
        if 0.0 < settings.target_timeout < age:
            return self.refuse(
                request, f'received up to {age:.3g} s ago; allowed: at most '
                f'{settings.target_timeout:g} s (target_timeout)', 'target_timeout',
                target)._replace(level=Level.STALE)
        if below := self._refused_below([target], request):
            return below
        came = now - age
        follows_others = self._target_time is not None and came - self._target_time < STREAM
        if settings.motion == 'line':
            return self._lead_on(target, request, came) or self._go_along([target], request, came)
        near, _ = self.in_force.near(self.state.positions, now)
        try:
            solution = self._goals.solve(target, near)
        except ArmIkError as error:
            return self.refuse(request, str(error), 'solve', target)
        streams, before = False, self.in_force.report
        if follows_others and before is not None and before.solution is not None:
            exact, solution = solution, self._goals.with_roll_kept(
                solution, target, before.solution.q[-1])
            self._unrolled = (target, request) if solution is not exact else None
        else:
            before = self._unrolled = None
        objection = self._goals.objection(target, solution, near)
        if objection is None and before:
            streams, objection = self._continues(target, solution.q, came)
        if objection is None and self._goals.paths.refuses:
            path, speeds = self._path_to(solution.q, streams, now)
            # To look for a line takes its time: not for each target of a stream.
            objection = self._goals.objection_to_motion(
                path, target if now - self._touched > KEPT else None, speeds)
            if objection is None and streams and max(map(abs, map(
                    sub, path[0], before.solution.q))) > _FAR:   # the driver may go there directly
                objection = self._goals.objection_to_motion(
                    self._path_to(solution.q, False, now)[0])
            self._touched = now if objection else self._touched
        if objection:
            return self.refuse(request, *objection, target, solution)
        return self._start(
            _accepted(request, target, solution, solution.status.name,
                      self._warning if streams else ''),
            self._source_to(solution.q), came, streams, self._lateness(request, streams, now))

    def _continues(self, target, goal, came):
        """Return whether a goal goes on with a stream, and why it is not followed, if it isn't."""
        interval, before = max(came - self._target_time, 0.01), self.in_force.report
        steps = [abs(g - b) for g, b in zip(goal, before.solution.q)]
        is_near = self.in_force.streams and before.target is not None and dist(
            target.position, before.target.position) < _LEAPS
        for joint, step in zip(self.arm.model.joints, steps):
            if is_near and step > _SWINGS and joint.role != 'wrist_roll':
                self._target_time = came    # it is still a stream
                return True, (f'{joint.name} would have to swing round, by {degrees(step):.0f} '
                              'deg: send it as a single target', 'swing')
        return all(step <= 1.5 * joint.max_velocity * interval for joint, step in zip(
            self.arm.model.joints, steps) if joint.role != 'wrist_roll'), None

    def _path_to(self, goal, streams, now):
        """Return about the path to a goal, and how fast the joints are if they cut its corners."""
        start = self.in_force.standing(self.state, now)
        if not streams:
            part = self.driver_speed if self._commands else 1.0
            return to_goal(self.arm.model, start, goal, part).evenly(), ()
        # From where the arm is by now: it may be late.
        goals = [q for _, q in self._recent] or [goal]
        off = [max(map(abs, map(sub, q, start[0]))) for q in goals]
        passed = len(off) - 1 - off[::-1].index(min(off))
        return [start[0], *goals[passed:], goal], start[1]

    def _lateness(self, request, streams, now):
        """Return how long ago a command is stamped [s]: those of a stream at its intervals."""
        stamp = request.stamp[0] + 1e-9 * request.stamp[1]
        interval, made = stamp - self._stamped[0], now
        if streams and _SHORTEST <= interval <= STREAM:
            made = min(max(self._stamped[1] + interval, now - _OLDEST), now)
        self._stamped = stamp, made
        return now - made

    def take_path(self, targets, request, age=0.0):
        """
        Go along straight lines through targets, with a stop at each, or report why not.

        :param targets: list of :class:`~arm_ik.Target`, not empty.
        :param request: their :class:`~.report.Request`.
        :param age: upper bound of the time since they were received [s].
        """
        return self._unfit(
            request, targets[-1], partial(self.take_path, targets), age) or self._refused_below(
                targets, request) or self._go_along(targets, request)

    def _refused_below(self, targets, request):
        """Refuse targets below the floor, at once: to solve for such takes long; or ``None``."""
        below = self._goals.below_floor(targets)
        return self.refuse(request, below, 'floor', targets[-1]) if below else None

    def go_home(self, request):
        """Go to the home pose, or report why not."""
        if unfit := self._unfit(request):
            return unfit
        home = tuple(self.arm.home)
        near, _ = self.in_force.near(self.state.positions, self.clock())
        tip = self.arm.forward(home)
        solution = Solution(home, Status.REACHED, 0.0, 0.0, 0.0,
                            step_rad=max(abs(h - n) for h, n in zip(home, near)))
        target, speed = Target(tip.position, tip.up), self.settings.home_speed
        objection = self._goals.objection_to_motion(self._motion(home, speed).evenly())
        if objection:
            return self.refuse(request, *objection, target, solution)
        return self._start(_accepted(request, target, solution, 'home'), self._ramp(home, speed))

    def take_twist(self, twist, request, age=0.0):
        """
        Jog by a twist, or report why not; a twist that goes on jogging reports nothing.

        :param twist: the :class:`~arm_ik.motion.jog.Twist`.
        :param request: its :class:`~.report.Request`.
        :param age: upper bound of the time since it was received [s].
        """
        now = self.clock()
        self._let_go |= not twist or now - self._twisted > TWIST_TIMEOUT
        self._twisted = now
        if unfit := self._unfit(request):
            return unfit
        if age > TWIST_TIMEOUT:
            return self.refuse(request, f'received up to {age:.3g} s ago; allowed: at most '
                               f'{TWIST_TIMEOUT:g} s', 'twist timeout')
        if self._is_jogging():
            self._take_request(request)
            self._jogging.take(twist, now)
            self.in_force.report = self.in_force.report._replace(request=request)
            return None
        if not (twist and self._let_go):  # it moves nothing, so it ends no command either
            return None
        settings = self.settings
        jog = Jog(self.arm.model, *self.in_force.standing(self.state, now), settings.priority,
                  settings.jog_slide, settings.tip_turn_speed)
        self._jogging = Jogging(jog, self.in_force.since(now),
                                lambda way: self._goals.paths.clear(way))
        self._jogging.take(twist, now)
        return self._start(_accepted(request, None, self._jogging.solution, 'jog'), self._jogging)

    def _is_jogging(self):
        return self._jogging is not None and self.in_force.source is self._jogging

    def _go_along(self, targets, request, came=None, seconds=PLANNING):
        """Follow lines through targets, or why not; ``None``: several are being planned beside."""
        older = self._planning
        planning = self._plan(targets, request, came, seconds)
        if len(targets) == 1:
            return self._end_planning(planning)
        self._planning = planning
        if older:
            return self.refuse(older.request, 'a newer path came while it was planned',
                               'newer path', older.targets[-1])
        return self._take_planned() or Report(
            State.PLANNING, Level.OK, request, f'{len(targets)} targets', 'planning', targets[-1])

    def _plan(self, targets, request, came=None, seconds=PLANNING):
        """
        Plan lines from where the arm would come to rest; several beside, in place of older ones.

        :param came: when the target came, if it may be one of a stream [s].
        :param seconds: how long the arm goes on as it does before it brakes, for each target.
        """
        now, beside = self.clock(), len(targets) > 1
        since = self.in_force.since(now)
        way, brakes, turns = self.in_force.braking(
            self.state, now, seconds * len(targets) if beside or not self._commands else 0.0)
        if beside:
            self._drop_planning()
            self._take_request(request)
            if self.in_force.source is not None and self.in_force.source.endless:
                self.in_force.lead(Player(brakes, since, self._commands))  # nobody knows where
                way, turns = None, 0.0                                     # else to
        near, _ = self.in_force.near(self.state.positions, now)
        goals, number = self._goals, self._plans
        return _Planning(
            (self.beside if beside else at_once)(partial(
                goals.checked_line, targets, brakes.end, near, lambda: number == self._plans)),
            targets, request, came, since, way, brakes, turns)

    def _plan_anew(self):
        if self._planning is not None:
            self._planning = self._plan(*self._planning[1:4])

    def _drop_planning(self):
        self._planning = None
        self._plans += 1

    def _take_planned(self):
        """Follow lines that have been planned beside by now, or report why not; or ``None``."""
        planning = self._planning
        if planning is None or not planning.future.done():
            return None
        self._planning = None
        return self._end_planning(planning)

    def _end_planning(self, planning):
        future, targets, request, came, since, way, brakes, turns = planning
        begin = self.in_force.since(self.clock())
        late = begin - since
        if way and (late > turns or self.in_force.way not in (None, way)):
            # The arm has gone on, or at another pace: from there, with more time.
            return self._go_along(targets, request, came, max(PLANNING, 2.0 * late / len(targets)))

        def onto(line):
            left = brakes.between(late, brakes.duration)
            spline, delay = blend(self.arm.model, left, line.spline, max(0.0, turns - late),
                                  1.0 / self.settings.command_rate)
            return Player(spline, begin, self._commands, line, delay, max(delay, left.duration))
        return self._follow_line(future.result, onto, targets[-1], request, came)

    def _lead_on(self, target, request, came):
        """Lead the line that the arm is on to a target of a stream; ``None``: plan one anew."""
        player, now = self.in_force.source, self.clock()
        is_led = isinstance(player, Player) and player.line and not self.paused
        if not is_led or self._target_time is None or came - self._target_time >= STREAM:
            return None
        since = self.in_force.since(now)
        gone, pace = player.gone(since - player.since)
        pure = max(gone, player.pure)
        near, _ = self.in_force.near(self.state.positions, now)

        def onto(line):
            further = Player(player.whole.between(gone, pure).then(line.spline), since,
                             self._commands, line, pure - gone, pure - gone)
            further.at_pace(self.arm.model, player.pace, since, pace)
            return further
        return self._follow_line(
            partial(self._goals.checked_on, player.line, pure - player.begins, target, near),
            onto, target, request, came)

    def _follow_line(self, find, onto, target, request, came):
        """
        Follow a line, or report why not; ``None``: there is none.

        :param find: returns what :meth:`.Goals.checked_line` does, or ``None``.
        :param onto: returns the :class:`~.sources.Player` that goes over into a line.
        """
        try:
            found = find()
        except ArmIkError as error:
            return self.refuse(request, str(error), 'line', target)
        if found is None:
            return None
        line, solution, objection = found
        if objection:
            return self.refuse(request, *objection, target, solution)
        player = onto(line)
        report = self._start(_accepted(request, target, solution, 'line'), player, came)
        return report._replace(line=line,
                               line_begins=player.since + player.begins - self.clock())

    def _start(self, report, source, came=None, streams=False, late=0.0):
        """
        Put a command in force.

        :param came: when its target came, if it may be one of a stream [s].
        :param streams: whether it is.
        :param late: how long ago its command is stamped [s].
        """
        now = self.clock()
        self._target_time = came
        if not streams:
            self._recent.clear()
            self._warned, self._warning = -inf, ''
        self._recent.append((now, report.solution.q))
        while now - self._recent[0][0] > _PLAYED:
            self._recent.popleft()
        self._drop_planning()
        self._take_request(report.request)
        motion = self.in_force.start(report, self.state.positions, now, source, streams, late)
        report = self.in_force.report
        return self._as_it_is(report)._replace(motion=None if self._pause(now) else motion)

    def _source_to(self, goal):
        """Return what leads to a goal by trajectories; ``None``: the driver does."""
        if self._commands:
            return None
        now, source, model = self.clock(), self.in_force.source, self.arm.model
        since = self.in_force.since(now)
        if not isinstance(source, Streaming):
            source = Streaming(replace(model, joints=tuple([
                replace(joint, max_acceleration=_STREAM_ACCELERATION * joint.acceleration)
                for joint in model.joints])), self._goal_stream,
                self.in_force.standing(self.state, now), since)
        return source if source.take(goal, since) and not self.paused else self._ramp(goal)

    def _ramp(self, goal, part=1.0):
        """Return a source that goes to positions [rad] at a part of the largest velocities."""
        return Player(self._motion(goal, part), self.in_force.since(self.clock()), self._commands)

    def _motion(self, goal, part=1.0):
        """Return how the joints go to positions [rad], at a part of the largest velocities."""
        return to_goal(self.arm.model, self.in_force.standing(self.state, self.clock()), goal,
                       part)

    def take_keep_out(self, shapes):
        """
        Stay out of shapes from now on; an arm on its way into one stops.

        :param shapes: of :class:`~arm_ik.kinematics.model.KeepOut`, beside those of the arm.
        """
        if tuple(shapes) == tuple(self._keep_out):
            return None
        self._keep_out[:] = shapes
        self._plan_anew()
        return self._stop_if_blocked()

    def _path_left(self, now):
        """Return the rest of the path that the arm is on."""
        spline, begun = self.in_force.way or (None, now)
        if spline:
            return spline.evenly(max(0.0, now - begun))
        return self._path_to(self.in_force.report.solution.q, self.in_force.streams, now)[0]

    def _stop_if_blocked(self):
        """Stop an arm whose rest of the way has come to touch something; else return ``None``."""
        report, now = self.in_force.report, self.clock()
        if report is None or report.state is State.ARRIVED or self._is_jogging():
            return None     # a jog looks ahead all the time
        objection = self._goals.objection_to_motion(self._path_left(now))
        return objection and self._stop(State.READY, Level.WARN, f'stopped: {objection[0]}',
                                        objection[1])

    def _look_ahead(self, now):
        """Stop an arm that would touch something, or report what is warned of; or ``None``."""
        report, paths = self.in_force.report, self._goals.paths
        if report is None or report.state is State.ARRIVED or self._is_jogging():
            return None
        if paths.refuses and now - self._looked >= _LOOKS and (
                paths.is_outdated or self.in_force.way is None):
            self._looked = now
            if stopped := self._stop_if_blocked():
                return stopped
        if paths.warns and now - self._warned >= _WARNS:
            self._warned, before = now, self._warning
            self._warning = paths.warning(self._path_left(now))
            if self._warning != before:
                self.in_force.report = warned(report, self._warning)
                return self._as_it_is(self.in_force.report)
        return None

    def enable(self, on):
        """Allow commands, or stop them; a command that was in force before is not resumed."""
        self.enabled = on
        if not on:
            return self._stop(State.REFUSED, Level.WARN, 'disabled by ~/enable', 'disabled')
        if self.in_force.report is not None or not self._is_known:
            return None
        return self._ready('enabled')

    def pause(self, on):
        """
        Let the arm rest on its way, and what comes wait, or go on; again does nothing.

        It lasts until it is taken back, whatever ends the command in force meanwhile.
        """
        if on == self.paused:
            return None
        now, motion = self.clock(), None
        if on and isinstance(self.in_force.source, Streaming):
            self._goal_stream.drop()
            report = self.in_force.report
            motion = self.in_force.start(
                report, self.state.positions, now, self._ramp(report.solution.q))
        self.paused = on
        self._set_pace()
        if not on:
            self.in_force.go_on_to_goal(now)
        elif not self.state.pause(now):
            motion = self.in_force.rest(self.state, now)
        motion = self.go_on() or motion
        self._plan_anew()
        if not on and (stopped := self._stop_if_blocked()):     # by what came meanwhile
            return stopped
        if self.in_force.report is not None:
            return self._as_it_is(self.in_force.report)._replace(motion=motion)
        return None if self.unavailable() else self._ready('paused' if on else 'no longer paused')

    def take_refusal(self, refusal):
        """
        Take what the driver says of commands; one that refuses them ends the command in force.

        :param refusal: ``(reason, cause)`` why it takes none; ``None``: it does, or is not heard.
        """
        if refusal == self.refusal:
            return None
        self.refusal = refusal
        unavailable = self.unavailable()
        if not unavailable:
            return self._ready('enabled, and no driver refuses commands')
        self._let_go = False  # twists that go on do not jog when it takes commands again
        return self._stop(State.REFUSED, Level.WARN, *unavailable, hold=False)

    def take_lag(self, seconds, joint):
        """
        Shorten a stream that the driver plays too late, once: go to its newest goal by itself.

        :param seconds: how late it is [s].
        :param joint: the one that is too slow.
        """
        report, now = self.in_force.report, self.clock()
        if seconds < LATEST or report is None or not self.in_force.streams:
            return None
        words = f'{joint} is too slow, the stream {seconds:.1f} s late: '
        goal = report.solution.q
        objection = self._goals.objection_to_motion(self._path_to(goal, False, now)[0])
        if objection:
            return self._stop(State.READY, Level.WARN, f'stopped: {words}{objection[0]}', 'late')
        report = report._replace(level=Level.WARN, cause='late', reason='; '.join(filter(None, (
            report.reason, f'{words}straight to its newest target'))))
        motion = self.in_force.go_straight(report)
        self._recent.clear()
        return self._as_it_is(report)._replace(motion=motion)

    def take_stops(self, count):
        """End what began before the driver was stopped; ``count``: how often it was by now."""
        before, self._stops = self._stops, count
        if before is None or count <= before or (
                self.in_force.report is None and self._planning is None):
            return None
        self._let_go = False    # twists that go on do not jog, either
        return self._stop(State.READY, Level.WARN, 'the driver was stopped: waiting for a new '
                          'target', 'driver stopped', hold=False)

    def sender_appeared(self):
        """Take note of a new sender of joint states; after a gap it is a restarted driver."""
        # With trajectories, it is not the one who follows them.
        if self.in_force.report is None or not (
                self._commands and self.state.was_interrupted(self.clock())):
            return None
        return self._stop(State.READY, Level.WARN, 'joint_states were interrupted and come from a '
                          'new sender: stopped until a new target', 'new sender', hold=False)

    def stood_still(self, seconds):
        """Drop the command of an arm on its way if the node has not run for a time [s]."""
        report = self.in_force.report
        if not self._commands or seconds <= self.settings.state_timeout or (
                report is None or report.state is State.ARRIVED):
            return None     # else the driver, who heard nothing, takes it for old
        return self._stop(State.READY, Level.WARN, f'ik_node did not run for {seconds:.2g} s: '
                          'stopped until a new target', 'not running', hold=False)

    def check(self):
        """Check all timeouts; to be called often."""
        now = self.clock()
        unavailable = self.state.unavailable(now)
        if self._is_known and unavailable:
            self._is_known = False  # so there is no position to hold
            return self._stop(State.REFUSED, Level.STALE, *(self.refusal or unavailable))
        if self._kept and now - self._kept.received > KEPT:
            return self._end_keeping(now)
        if not self.state.pause(now):
            self.in_force.check_progress(self.state.positions, now)
            lost = self.in_force.lost(self.state.positions, now)
            if lost:
                self._let_go = False
                refused = '' if self._commands or self.in_force.checker.moved else (
                    '; no joint has moved: the controller may have refused the trajectory')
                return self._stop(State.READY, Level.WARN, f'{lost}{refused}: '
                                  'stopped until a new target', 'left behind')
        return (self._take_planned() or self._stop_if_silent(now) or self._roll_back(now)
                or self._look_ahead(now) or self._news(now))

    def _roll_back(self, now):
        """Go to the newest target as it is, if a stream has paused that kept the roll from it."""
        if self._unrolled is None or self._target_time is None or (
                now - self._target_time < _PAUSED_FOR or self.in_force.report is None):
            return None
        return self.take_target(*self._unrolled)

    def refuse(self, request, reason, cause, target=None, solution=None):
        """Report a refused request; the command in force stays."""
        self._take_request(request)
        return Report(State.REFUSED, Level.WARN, request, reason, cause, target, solution)

    def _unfit(self, request, target=None, take=None, age=0.0):
        """
        Refuse a request that can't be followed now or is too old; ``None``: neither.

        :param take: takes its target once the state of the arm is known, see :class:`_Kept`.
        """
        unavailable = self.unavailable()
        if unavailable and take and unavailable[1] == UNKNOWN:
            self._take_request(request)
            self._kept = _Kept(take, request, target, self.clock() - age)
            return Report(State.READY, Level.STALE, request,
                          f'the target is kept for up to {KEPT:g} s: {unavailable[0]}', UNKNOWN,
                          target)
        if not unavailable and 0.0 < self.settings.target_max_age < request.age:
            unavailable = (f'stamped {request.age:.3g} s ago; allowed: at most '
                           f'{self.settings.target_max_age:g} s (target_max_age)',
                           'target_max_age')
        return unavailable and self.refuse(request, *unavailable, target)

    def _end_keeping(self, now):
        """Take the target that is kept, or refuse it if it is too old; ``None``: there is none."""
        kept, self._kept = self._kept, None
        if kept is None:
            return None
        age = now - kept.received
        if age <= KEPT:
            return kept.take(kept.request._replace(age=kept.request.age + age), age=age)
        reason, cause = self.unavailable() or (
            f'the state of the arm was not known for {age:.3g} s', UNKNOWN)
        return self.refuse(kept.request, reason, cause, kept.target)

    def acknowledge(self, request, reason):
        """Report an accepted request that moves nothing."""
        self._take_request(request)
        return Report(State.ACCEPTED, Level.OK, request, reason, 'acknowledged')

    def _take_request(self, request):
        self.request = max(request, self.request)  # one that was kept may be older
        self._bad_state = ''

    def _ready(self, reason):
        if self.refusal:
            return Report(State.REFUSED, Level.WARN, self.request, *self.refusal)
        if self.paused:
            return Report(State.READY, Level.WARN, self.request, f'{reason}; {_PAUSED}',
                          'user pause')
        return Report(
            State.READY, Level.OK, self.request, f'{reason}; waiting for a target', 'ready')

    def _news(self, now):
        """Report what is new of the command in force, or of what keeps it; ``None``: nothing."""
        report, source = self.in_force.report, self.in_force.source
        if report is None:
            return None
        news = source and source.news(now)
        if news is None and self._told == self._trouble(report).get('cause'):
            return None
        report = report._replace(**(news or {}))
        if self._is_jogging():
            self.in_force.report = report
        return self._as_it_is(report)

    def _as_it_is(self, report):
        """Return a report of the command in force that says how far it is, and what keeps it."""
        if report.cause == 'jog' and report.state is State.ARRIVED:
            report = self.in_force.report = report._replace(**self._jogging.said)
        elif report.cause == 'line':
            source = self.in_force.source
            progress, left = source.progress if source else (1.0, 0.0)
            report = report._replace(progress=progress, time_left_s=left)
        trouble = self._trouble(report)
        self._told = trouble.get('cause')
        return report._replace(**trouble)

    def _pause(self, now):
        # A trajectory goes on without states.
        return self.state.pause(now) if self._commands else None

    def _trouble(self, report):
        """Return what a report of the command in force says instead while something keeps it."""
        pause = self._pause(now := self.clock())
        if not pause and self.paused and report.state is not State.ARRIVED:
            pause = _PAUSED, 'user pause'
        if pause or self.in_force.blocked:
            reason, cause = pause or (self.in_force.blocked, 'blocked')
            level = Level.WARN if pause else Level.ERROR
            return {'reason': reason, 'cause': cause, 'level': level}
        off = self.in_force.resting(self.state.positions, now)
        if not off:
            return {}
        here, there = (self.arm.forward(q).position for q in (
            self.state.positions, self.in_force.checker.goal))
        farthest, miss = max(off.values()), dist(here, there)
        words = (f'rests {degrees(farthest):.1f} deg from its command: {", ".join(off)}; tip '
                 f'{1e3 * miss:.0f} mm off')
        return {'reason': '; '.join(filter(None, (report.reason, words))), 'cause': 'rest',
                'level': Level.WARN, 'rest_error_rad': farthest, 'tip_error_m': miss}

    def _stop_if_silent(self, now):
        """End the command of a stream of targets that has stopped; else return ``None``."""
        timeout = self.settings.target_timeout
        silent = timeout and self._target_time is not None and now - self._target_time > timeout
        if self.in_force.report is None or not silent:
            return None
        return self._stop(State.READY, Level.STALE, f'no valid target for {timeout:g} s '
                          '(target_timeout): stopped until a new one', 'target_timeout')

    def _stop(self, state, level, reason, cause, hold=True):
        self._drop_planning()
        motion = self.in_force.hold(self.state, self.clock()) if hold else None
        self.in_force.end()
        kept, self._kept = self._kept, None
        return Report(state, level, kept.request if kept else self.request, reason, cause,
                      kept and kept.target, motion=motion)


def _accepted(request, target, solution, cause, warning=''):
    return warned(Report(State.ACCEPTED, Level.OK, request, '', cause, target, solution), warning)


def warned(report, warning):
    """Return a report on a solution, with a warning or ``''``."""
    solution = report.solution
    return report._replace(
        level=Level.OK if solution.reached and not warning else Level.WARN,
        reason='; '.join(filter(None, (solution.reason, warning))))
