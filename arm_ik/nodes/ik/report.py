# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A report about a request or the node itself, before it is a message, and a line of the log."""

from enum import Enum, IntEnum
from math import inf, nan
from time import monotonic
from typing import NamedTuple, Optional, Union

from .outgoing_motion import Command, TimedSpline
from ...kinematics.solution import Solution
from ...kinematics.target import Target
from ...motion.playback import Playback

#: Targets that come so soon after the one before are a stream [s].
STREAM = 0.2


class State(Enum):
    """
    How far a target has come.

    ``READY``: waiting for a target. ``PLANNING``: a path is being planned. ``ACCEPTED``: solved,
    commands are sent. ``MOVING``: the arm has been measured to move since. ``ARRIVED``: the arm
    rests at the goal. ``REFUSED``: not followed, for the reason given.
    """

    READY = 'ready'
    PLANNING = 'planning'
    ACCEPTED = 'accepted'
    MOVING = 'moving'
    ARRIVED = 'arrived'
    REFUSED = 'refused'


class Level(IntEnum):
    """Levels of diagnostics, REP-107."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


class Request(NamedTuple):
    """
    A request to the node: a target, an up vector for later points, or home.

    ``seq`` counts them from 1, refused ones too; 0: none yet. ``stamp`` is its time as
    ``(seconds, nanoseconds)``, ``frame`` its frame as it was sent. ``age`` is that of its stamp
    when it was taken [s]; 0.0 without one.
    """

    seq: int = 0
    stamp: tuple = (0, 0)
    frame: str = ''
    age: float = 0.0


class Report(NamedTuple):
    """
    One entry of ``~/status``.

    ``cause`` is the reason without its numbers: consecutive reports of one cause are logged once.
    ``target`` and ``solution`` are ``None`` if there was nothing to solve. ``rest_error_rad`` and
    ``tip_error_m`` are those of an arm that rests off its command. ``motion`` is what is to leave
    for the arm with it, ``player`` the :class:`~.motion_sources.Player` that begins to lead along
    lines. Of lines ``progress`` says how much has been travelled, from 0 to 1.
    """

    state: State
    level: Level
    request: Request = Request()
    reason: str = ''
    cause: str = ''
    target: Optional[Target] = None
    solution: Optional[Solution] = None
    rest_error_rad: float = nan
    tip_error_m: float = nan
    progress: float = nan
    time_left_s: float = nan
    motion: Union[Command, TimedSpline, None] = None
    player: Optional[Playback] = None

    @property
    def summary(self):
        """Return the state and its reason in one line for people."""
        words = self.state.value
        if self.solution is not None and not self.solution.reached:
            words += f', {self.solution.status.name}'
        return f'{words}: {self.reason}' if self.reason else words


def refused(request, reason, cause, target=None, solution=None):
    """Return the report of a request that is not followed, for a reason."""
    return Report(State.REFUSED, Level.WARN, request, reason, cause, target, solution)


def accepted(request, target, solution, cause):
    """Return the report of a request that is followed."""
    return Report(State.ACCEPTED, Level.OK if solution.reached else Level.WARN, request,
                  solution.reason, cause, target, solution)


def warned(report, warning):
    """Return a report on a solution, with a warning or ``''``."""
    solution = report.solution
    return report._replace(
        level=Level.OK if solution.reached and not warning else Level.WARN,
        reason='; '.join(filter(None, (solution.reason, warning))))


class Journal:
    """
    The lines of the log, each a level and words: one for each goal and each arrival.

    Of a stream the first target has one, the arrival at the last one, and of those between each
    cause of a refusal. Whatever else is reported has one when it is new.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock=monotonic):
        self._clock = clock
        self._seq, self._came, self._is_first = 0, -inf, True   # the newest target
        self._refused = set()       # causes and levels of those of its stream
        self._followed = {}         # by state the newest target that is followed, or has arrived
        self._newest = None         # cause and level of the newest report

    def take(self, report):
        """Return the line that is due with a report, or ``None``."""
        request, state, now = report.request, report.state, self._clock()
        kind, line = (report.cause, report.level), None
        is_new = request.seq > self._seq and state is not State.MOVING
        if is_new:
            self._is_first = now - self._came >= STREAM
            if self._is_first:
                self._refused = set()
            self._seq, self._came = request.seq, now
        if (state in (State.ACCEPTED, State.ARRIVED) and report.solution is not None
                and self._followed.get(state) != request.seq):
            self._followed[state] = request.seq
            if self._is_first or state is State.ARRIVED and not is_new:
                line = report.level, f'target {request.seq}: {report.summary}'
        elif is_new and kind not in self._refused:
            self._refused.add(kind)
            line = report.level, f'target {request.seq}: {report.summary}'
        elif not is_new and kind != self._newest:
            line = report.level, report.summary
        self._newest = kind
        return line
