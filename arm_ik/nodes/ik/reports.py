# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is said of the node and of the active command, and of what keeps it."""

from math import degrees, dist

from .report import Level, Report, Request, State

#: What is said while the arm rests because somebody wants it to.
_PAUSED = 'paused by ~/pause: the arm rests, and targets wait'


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

        :param newest: the newest :class:`~.report.Report`, or ``None``.
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
        here, there = (self.arm.forward(q).position for q in (
            gate.state.positions, tracker.positions))
        farthest, miss = max(off.values()), dist(here, there)
        words = (f'rests {degrees(farthest):.1f} deg from its command: {", ".join(off)}; tip '
                 f'{1e3 * miss:.0f} mm off')
        return {'reason': '; '.join(filter(None, (report.reason, words))), 'cause': 'rest',
                'level': Level.WARN, 'rest_error_rad': farthest, 'tip_error_m': miss}
