# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Straight lines through targets.

Those through several targets are planned in the background, while the arm goes on; the next call
of :meth:`LinePlanner.finished` returns what they come to.
"""

from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

from .motion_sources import Player
from .planner import Plan
from .report import accepted, refused, Request
from ...errors import ArmIkError
from ...motion.cubic_spline import blend, CubicSpline

#: How long the arm goes on while the lines that replace its path are planned [s per target].
PLANNING = 0.01


class _Planning(NamedTuple):
    """
    Lines that are planned in the background. They begin where the arm comes to rest.

    ``path`` and ``brakes`` lead there, see :meth:`.Tracker.braking`, from ``since`` [s] on; it
    brakes ``turns`` [s] later.
    """

    future: Future
    targets: list
    request: Request
    came: float | None
    since: float
    path: tuple | None
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


class LinePlanner:
    """
    Plans lines from where the arm is; ``planning`` are those in the background, or ``None``.

    :param planner: the :class:`~.planner.Planner`, which is asked for its ``goals`` and its
        ``stream``.
    :param tracker: the :class:`~.tracker.Tracker`, which is asked for the start state.
    :param background: function that has an action done and returns a future of what it returns.
    """

    def __init__(self, planner, tracker, background):
        self._planner, self._tracker, self._background = planner, tracker, background
        self.planning = None
        self._plans = 0                  # how many there were, those dropped included

    def through(self, targets, request, now):
        """
        Begin to plan lines through targets.

        :returns: the :class:`~.planner.Plan` of a single one, or the refusal of older lines that
            were being planned; or ``None``.
        """
        if len(targets) == 1:
            return self._end(self._plan(now, targets, request), now)
        older, self.planning = self.planning, self._plan(now, targets, request)
        return older and Plan(refused(older.request, 'a newer path came while it was planned',
                                      'newer path', older.targets[-1]))

    def _plan(self, now, targets, request, came=None, seconds=PLANNING):
        """Plan; ``seconds`` is how long the arm goes on for each target before it brakes."""
        tracker, several = self._tracker, len(targets) > 1
        since = tracker.since(now)
        path, brakes, turns = tracker.braking(
            now, seconds * len(targets) if several or not tracker.sends_commands else 0.0)
        if several:
            self.drop()
            if tracker.source is not None and tracker.source.endless:
                tracker.lead(Player(brakes, since, tracker.sends_commands))  # nobody knows where
                path, turns = None, 0.0                                       # else to
        number, submit = self._plans, self._background if several else at_once
        return _Planning(submit(partial(
            self._planner.goals.checked_line, targets, brakes.end, tracker.near(now),
            lambda: number == self._plans)), targets, request, came, since, path, brakes, turns)

    def plan_anew(self, now):
        """Plan once more what is being planned, for the arm or what it must avoid has changed."""
        if self.planning is not None:
            self.planning = self._plan(now, *self.planning[1:4])

    def drop(self):
        """End what is being planned."""
        self.planning = None
        self._plans += 1

    def finished(self, now):
        """Return the :class:`~.planner.Plan` of lines that are planned by now; or ``None``."""
        planning = self.planning
        if planning is None or not planning.future.done():
            return None
        self.planning = None
        return self._end(planning, now)

    def _end(self, planning, now):
        future, targets, request, came, since, path, brakes, turns = planning
        tracker, goals = self._tracker, self._planner.goals
        begin = tracker.since(now)
        late = begin - since
        if path and (late > turns or tracker.path not in (None, path)):
            # Planned in the background, while the arm has moved on: from there, with more time.
            self.planning = self._plan(now, targets, request, came, max(
                PLANNING, 2.0 * late / len(targets)))
            return self.finished(now)

        def onto(line):
            left = brakes.between(late, brakes.duration)
            spline, delay = blend(goals.arm.model, left, line.spline, max(0.0, turns - late),
                                  1.0 / goals.settings.command_rate)
            return Player(spline, begin, tracker.sends_commands, line, delay,
                          max(delay, left.duration))
        return self._along(future.result, onto, targets[-1], request, came)

    def to_target(self, target, request, came, now):
        """
        Return the :class:`~.planner.Plan` for a line to a target.

        It leads on the line that the arm is on, if the target is one of a stream.
        """
        player, tracker, goals = self._tracker.source, self._tracker, self._planner.goals
        if isinstance(player, Player) and player.line and tracker.pace and (
                self._planner.stream.goes_on(came)):
            since = tracker.since(now)
            travelled, pace = player.travelled(since - player.since)
            pure = max(travelled, player.pure)

            def onto(line):
                further = Player(player.whole.between(travelled, pure).then(line.spline), since,
                                 tracker.sends_commands, line, pure - travelled, pure - travelled)
                further.at_pace(goals.arm.model, player.pace, since, pace)
                return further
            if plan := self._along(partial(
                    goals.checked_on, player.line, pure - player.begins, target,
                    tracker.near(now)), onto, target, request, came):
                return plan
        return self._end(self._plan(now, [target], request, came), now)

    def _along(self, find, onto, target, request, came):
        """
        Return the plan of a line; ``None``: there is none.

        :param find: returns what :meth:`.Goals.checked_line` does, or ``None``.
        :param onto: returns the :class:`~.motion_sources.Player` that goes over into a line.
        """
        try:
            found = find()
        except ArmIkError as error:
            return Plan(refused(request, str(error), 'line', target))
        if found is None:
            return None
        line, solution, objection = found
        if objection:
            return Plan(refused(request, *objection, target, solution))
        return Plan(accepted(request, target, solution, 'line'), onto(line), came)
