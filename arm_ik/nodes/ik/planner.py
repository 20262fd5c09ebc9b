# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a request comes to: how the arm goes where it is asked to, or why it does not."""

from collections import deque
from dataclasses import replace
from math import degrees, dist, inf, radians
from operator import sub
from typing import NamedTuple

from .goals import Goals
from .motion_sources import Jogging, Player, Source, Streaming
from .report import accepted, refused, Report, STREAM
from ...errors import ArmIkError
from ...kinematics.solution import Solution, Status
from ...kinematics.target import Target
from ...motion.cubic_spline import to_goal
from ...motion.goal_stream import GoalStream, LEAP
from ...motion.jog import Jog

#: A stream of targets is one trajectory after the other as long as no joint has to run faster than
#: this part of its largest velocity: between their points nothing limits its acceleration.
_STREAM_VELOCITY = 0.4

#: Part of the largest accelerations between set-points of such a stream: cubic curves between them
#: reach one and a half times it.
_STREAM_ACCELERATION = 0.65

#: A joint that would turn by more than this from one target of a stream to the next [rad] would
#: swing round.
_SWINGS = radians(60.0)

#: A target farther from the one before [m] is none of its stream.
_APART = 0.05

#: Less than this below a stream [m] is not below it.
_DIP = 2e-4

#: Shortest times between two looks ahead [s], for what stops the arm and for what is warned of.
_LOOKS, _WARNS = 0.1, 0.5

#: An arm farther from the goal before [rad] may not be near enough to be led along a stream.
_FAR = 0.15

#: The arm may still have goals before it that came so long ago [s].
_PLAYED = 2.0

#: After a pause for so long [s] the wrist roll turns back to where it is asked to be.
_PAUSED_FOR = 0.4

#: Intervals between targets that their commands keep [s], and how old that makes them.
_SHORTEST, _OLDEST = 1e-3, 0.1


class Plan(NamedTuple):
    """
    What a request comes to: its report, that of a refusal if there is an objection.

    ``source`` is what the path there is read from, see :meth:`.Tracker.start`; ``came`` when its
    target came, if it may be one of a stream [s], ``streams`` whether it is; ``made`` when its
    command is stamped [s].
    """

    report: Report
    source: Source | None = None
    came: float | None = None
    streams: bool = False
    made: float = 0.0


class TargetStream:
    """
    The newest targets; ``unrolled`` is the target whose roll waits for a pause, with its request.

    Times are monotonic [s]. ``came`` is when the newest target came, ``None`` if it is none of a
    stream.
    """

    def __init__(self):
        self.unrolled = self.came = None
        self._stamps = 0.0, 0.0          # of the newest target and of its command [s]
        self._goals = deque()            # when they were active, and positions

    def goes_on(self, came):
        """Return whether a target came soon enough after the newest one."""
        return self.came is not None and came - self.came < STREAM

    def is_silent(self, timeout, now):
        """Return whether no target has come for longer than a time [s]."""
        return self.came is not None and now - self.came > timeout

    def roll_back(self, now):
        """Return the target and request that is :attr:`unrolled`, after a pause; or ``None``."""
        return self.unrolled if self.is_silent(_PAUSED_FOR, now) else None

    def take(self, came, goal, streams, now):
        """Take a goal [rad] that is active now, of a target that came then, or ``None``."""
        self.came = came
        if not streams:
            self._goals.clear()
        self._goals.append((now, goal))
        while now - self._goals[0][0] > _PLAYED:
            self._goals.popleft()

    def shorten(self):
        """Forget the goals before the newest one: the arm goes straight there."""
        self._goals.clear()

    def path(self, start, goal):
        """Return the path from positions [rad] along the goals that are before the arm."""
        goals = [q for _, q in self._goals] or [goal]
        # The arm may be late: it has passed those before the nearest one.
        off = [max(map(abs, map(sub, q, start))) for q in goals]
        passed = len(off) - 1 - off[::-1].index(min(off))
        return [start, *goals[passed:], goal]

    def made(self, request, streams, now):
        """Return when a command is stamped [s]: those of a stream at its intervals."""
        stamp = request.stamp[0] + 1e-9 * request.stamp[1]
        interval, made = stamp - self._stamps[0], now
        if streams and _SHORTEST <= interval <= STREAM:
            made = min(max(self._stamps[1] + interval, now - _OLDEST), now)
        self._stamps = stamp, made
        return made


class Planner:
    """
    Plans motions of the joints; for lines see :class:`~.line_planner.LinePlanner`.

    ``goals`` are the :class:`~.goals.Goals` of the arm and the settings, ``stream`` is what is
    known of targets that follow each other; ``driver_speed`` is the part of max_velocity at which
    the arm goes to goals; ``warning`` is what is only warned of on the path, or ``''``.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`~.parameters.Settings`.
    :param tracker: the :class:`~.tracker.Tracker`, which is asked for the start state.
    """

    def __init__(self, arm, settings, tracker):
        self.goals, self.stream, self.driver_speed = Goals(arm, settings), TargetStream(), 1.0
        self._tracker, self._looked = tracker, -inf
        self.forget_warning()
        self._extra_names = frozenset(joint.name for joint in arm.model.extra_joints)
        self._goal_stream = GoalStream(
            arm.model.all_joints, 1.0 if tracker.sends_commands else _STREAM_VELOCITY)

    def change(self, settings):
        """Go on with other settings."""
        paths = self.goals.paths
        self.goals = Goals(self.goals.arm, settings, paths.extra, paths.keep_out)

    def take_extra(self, positions):
        """Take the positions of extra joints, from pairs with the names of any joints."""
        if extra := {name: position for name, position in positions if name in self._extra_names}:
            self.goals.paths.extra = {**self.goals.paths.extra, **extra}

    def to_target(self, target, request, came, now):
        """
        Return the :class:`Plan` for a target.

        :param target: the :class:`~arm_ik.Target`.
        :param request: its :class:`~.report.Request`.
        :param came: when it came [s].
        :param now: monotonic time [s], as in all methods.
        """
        goals, stream, tracker = self.goals, self.stream, self._tracker
        near, before = tracker.near(now), None
        if tracker.report is not None and stream.goes_on(came):
            before = tracker.report.solution
        try:
            solution = exact = goals.solve(target, near)
        except ArmIkError as error:
            return Plan(refused(request, str(error), 'solve', target))
        if before is not None:
            solution = goals.with_roll_kept(exact, target, before.q[-1])
        stream.unrolled = (target, request) if solution is not exact else None
        streams, objection = False, goals.objection(target, solution, near)
        if objection is None and before is not None:
            streams, objection = self._continues(target, solution.q, came)
        if objection is None and goals.paths.refuses:
            objection = self._objection_on_the_path(solution.q, streams, now)
        if objection:
            return Plan(refused(request, *objection, target, solution))
        return Plan(accepted(request, target, solution, solution.status.name),
                    self._source_to(solution.q, now), came, streams,
                    stream.made(request, streams, now))

    def _continues(self, target, goal, came):
        """Return whether a goal goes on with a stream, and why it is not followed, if it isn't."""
        before, stream = self._tracker.report, self.stream
        interval, joints = max(came - stream.came, 0.01), self.goals.arm.model.joints
        steps = [abs(g - b) for g, b in zip(goal, before.solution.q)]
        is_near = self._tracker.streams and before.target is not None and dist(
            target.position, before.target.position) < _APART
        for joint, step in zip(joints, steps):
            if is_near and step > _SWINGS and joint.role != 'wrist_roll':
                stream.came = came      # it is still a stream
                return True, (f'{joint.name} would have to swing round, by {degrees(step):.0f} '
                              'deg: send it as a single target', 'swing')
        return all(step <= LEAP * joint.max_velocity * interval for joint, step in zip(
            joints, steps) if joint.role != 'wrist_roll'), None

    def _objection_on_the_path(self, goal, streams, now):
        path, speeds = self.path_to(goal, streams, now)
        objection = self.goals.paths.objection(path, speeds)
        if objection is None and streams and max(map(abs, map(
                sub, path[0], self._tracker.report.solution.q))) > _FAR:
            objection = self.objection_to(goal, now)    # the driver may go there directly
        return objection

    def objection_to(self, goal, now):
        """Return the objection to the motion straight to positions [rad], or ``None``."""
        return self.goals.paths.objection(self.path_to(goal, False, now)[0])

    def dip_to(self, goal, now):
        """Say how far the tip would go below its stream straight to positions [rad], or ``''``."""
        straight, stream = (self.goals.arm.forward(self.path_to(goal, streams, now)[0]
                                                   ).position[:, 2].min()
                            for streams in (False, True))
        return (f'straight to its newest target the tip would go {1e3 * (stream - straight):.1f} '
                'mm below it') if stream - straight > _DIP else ''

    def path_to(self, goal, streams, now):
        """Return about the path to a goal, and how fast the joints are if they cut its corners."""
        if streams:
            start, velocities = self._tracker.start_state(now)
            return self.stream.path(start, goal), velocities
        return self.ramp(goal, now, self.driver_speed).spline.evenly(), ()

    # The rest of the path of an arm that moves is looked at again, while shapes may move.

    def _path_left(self, now):
        tracker = self._tracker
        spline, begun = tracker.path or (None, now)
        if spline:
            return spline.evenly(max(0.0, now - begun))
        return self.path_to(tracker.report.solution.q, tracker.streams, now)[0]

    @property
    def _looks_ahead(self):     # a jog does so all the time
        return self._tracker.is_pending and not self._tracker.is_jogging

    def objection_ahead(self, now):
        """Return the objection to the rest of the path, or ``None``."""
        return self.goals.paths.objection(self._path_left(now)) if self._looks_ahead else None

    def look_ahead(self, now):
        """Return the same, if it is time and the path is not the one that was looked at."""
        paths = self.goals.paths
        if not paths.refuses or now - self._looked < _LOOKS or not (
                paths.is_outdated or self._tracker.path is None):
            return None
        self._looked = now
        return self.objection_ahead(now)

    def warns_anew(self, now):
        """Return whether :attr:`warning` has changed."""
        paths, before = self.goals.paths, self.warning
        if paths.warns and now - self._warned >= _WARNS and self._looks_ahead:
            self._warned, self.warning = now, paths.warning(self._path_left(now))
        return self.warning != before

    def forget_warning(self):
        """Begin anew, on a path of which nothing is known."""
        self._warned, self.warning = -inf, ''

    def home(self, request, now):
        """Return the :class:`Plan` to the home pose."""
        arm, speed = self.goals.arm, self.goals.settings.home_speed
        home, near = tuple(arm.home), self._tracker.near(now)
        tip = arm.forward(home)
        solution = Solution(home, Status.REACHED, 0.0, 0.0, 0.0,
                            step_rad=max(abs(h - n) for h, n in zip(home, near)))
        target, source = Target(tip.position, tip.up), self.ramp(home, now, speed)
        if objection := self.goals.paths.objection(source.spline.evenly()):
            return Plan(refused(request, *objection, target, solution))
        return Plan(accepted(request, target, solution, 'home'), source)

    def jog(self, twist, request, now):
        """Return the :class:`Plan` to jog by a :class:`~arm_ik.motion.jog.Twist`."""
        tracker, goals = self._tracker, self.goals
        jog = Jog(goals.arm.model, *tracker.start_state(now), goals.settings.priority,
                  goals.settings.jog_slide, goals.settings.tip_turn_speed)
        source = Jogging(jog, tracker.since(now), lambda path: self.goals.paths.clear(path))
        source.take(twist, now)
        return Plan(accepted(request, None, source.solution, 'jog'), source)

    def _source_to(self, goal, now):
        """Return what leads to a goal, by trajectories or after a pause; ``None``: the driver."""
        tracker, model = self._tracker, self.goals.arm.model
        if tracker.sends_commands:
            return None if tracker.pace else self.ramp(goal, now, self.driver_speed)
        source, since = tracker.source, tracker.since(now)
        if not isinstance(source, Streaming):
            source = Streaming(replace(model, joints=tuple([
                replace(joint, max_acceleration=_STREAM_ACCELERATION * joint.acceleration)
                for joint in model.joints])), self._goal_stream, tracker.start_state(now), since)
        return source if source.take(goal, since) and tracker.pace else self.ramp(goal, now)

    def ramp(self, goal, now, part=1.0):
        """Return a source that goes to positions [rad] at a part of the largest velocities."""
        tracker = self._tracker
        return Player(to_goal(self.goals.arm.model, tracker.start_state(now), goal, part),
                      tracker.since(now), tracker.sends_commands)

    def to_pause(self, now):
        """Return a source to the goal that the driver or a :class:`Streaming` leads to by now."""
        self._goal_stream.drop()
        return self.ramp(self._tracker.report.solution.q, now, self.driver_speed)
