# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Reports about a request, the active command or the node itself, before they are messages.

Here is also which of them is a line of the log.
"""

from enum import Enum, IntEnum
from math import degrees, dist, inf, nan
from time import monotonic
from typing import NamedTuple

from .outgoing_motion import Command, TimedSpline
from ...kinematics.solution import Solution
from ...kinematics.target import Target
from ...motion.playback import Playback

#: Targets that come so soon after the one before are a stream [s].
STREAM = 0.2

#: What is said while the arm rests because somebody wants it to.
_PAUSED = 'paused by ~/pause: the arm rests, and targets wait'


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
    target: Target | None = None
    solution: Solution | None = None
    rest_error_rad: float = nan
    tip_error_m: float = nan
    progress: float = nan
    time_left_s: float = nan
    motion: Command | TimedSpline | None = None
    player: Playback | None = None

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
    return report._replace(level=Level.OK if solution.reached and not warning else Level.WARN,
                           reason='; '.join(filter(None, (solution.reason, warning))))


class Reports:
    """
    Makes reports; ``request`` is the newest request, ``arm`` the :class:`~arm_ik.Arm`.

    :param gate: the :class:`~.gate.Gate`.
    :param tracker: the :class:`~.tracker.Tracker`.
    """

    def __init__(self, arm, gate, tracker):
        self.arm, self.request = arm, Request()
        self._gate, self._tracker = gate, tracker
        self._bad_state = ''             # reason of the newest refused state since that request
        self._trouble = None             # cause of the trouble that was reported last

    def take(self, request):
        """Take note of a request."""
        self.request = max(request, self.request)   # one that was kept may be older
        self._bad_state = ''

    def condition(self, newest, now):
        """
        Return the level of the node, and one line about it.

        :param newest: the newest :class:`Report`, or ``None``.
        :param now: monotonic time [s].
        """
        gate = self._gate
        if unavailable := gate.unavailable(now):
            is_silent = gate.enabled and not gate.refusal
            return (Level.STALE if is_silent else Level.WARN), unavailable[0]
        if self._tracker.blocked:
            return Level.ERROR, self._tracker.blocked
        return (newest.level, newest.summary) if newest else (Level.OK, State.READY.value)

    def refused_state(self, error):
        """Return the report of a refused JointState, or ``None``: its sender repeats it."""
        if str(error) == self._bad_state:
            return None
        self._bad_state = str(error)
        return Report(State.REFUSED, Level.WARN, self.request, str(error), error.what)

    def ready(self, reason):
        """Return that the node waits for a target, or for who keeps it from that."""
        if self._gate.refusal:
            return Report(State.REFUSED, Level.WARN, self.request, *self._gate.refusal)
        if not self._tracker.pace:
            return Report(State.READY, Level.WARN, self.request, f'{reason}; {_PAUSED}',
                          'user pause')
        return Report(
            State.READY, Level.OK, self.request, f'{reason}; waiting for a target', 'ready')

    def news(self, now):
        """Report what is new of the active command, or of what keeps it; ``None``: nothing."""
        report, source = self._tracker.report, self._tracker.source
        if report is None:
            return None
        news = source and source.news(now)
        if news is None and self._trouble == self._trouble_of(report, now).get('cause'):
            return None
        report = report._replace(**(news or {}))
        if self._tracker.is_jogging:
            self._tracker.report = report
        return self.as_it_is(report, now)

    def as_it_is(self, report, now):
        """Return a report of the active command that says how far it is, and what keeps it."""
        if report.cause == 'line':
            source = self._tracker.source
            progress, left = source.progress if source else (1.0, 0.0)
            report = report._replace(progress=progress, time_left_s=left)
        trouble = self._trouble_of(report, now)
        self._trouble = trouble.get('cause')
        return report._replace(**trouble) if trouble else report

    def _trouble_of(self, report, now):
        """Return what a report of the active command says instead while something keeps it."""
        tracker, gate = self._tracker, self._gate
        pause = gate.pause(now)
        if not pause and not tracker.pace and report.state is not State.ARRIVED:
            pause = _PAUSED, 'user pause'
        if pause or tracker.blocked:
            reason, cause = pause or (tracker.blocked, 'blocked')
            level = Level.WARN if pause else Level.ERROR
            return {'reason': reason, 'cause': cause, 'level': level}
        off = tracker.resting(now)
        if not off:
            return {}
        farthest, miss = max(off.values()), dist(*[
            self.arm.forward(q).position for q in (gate.state.positions, tracker.positions)])
        words = (f'rests {degrees(farthest):.1f} deg from its command: {", ".join(off)}; tip '
                 f'{1e3 * miss:.0f} mm off')
        return {'reason': '; '.join(filter(None, (report.reason, words))), 'cause': 'rest',
                'level': Level.WARN, 'rest_error_rad': farthest, 'tip_error_m': miss}


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
