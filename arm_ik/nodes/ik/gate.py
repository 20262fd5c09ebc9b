# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Why no request is followed now: what is switched off, the driver, the arm's state, its age."""

from typing import Callable, NamedTuple

from .report import Level, refused, Report, Request, State
from .state_monitor import StateMonitor, UNKNOWN
from ...drivers.gate import PAUSE, PauseAfterStop
from ...kinematics.target import Target

#: How long a target is kept while the state of the arm is not known yet [s], from its receipt.
KEPT = 5.0


class Kept(NamedTuple):
    """A target that waits for the state of the arm; ``take`` takes its request, at an age [s]."""

    take: Callable
    request: Request
    target: Target
    received: float


class Gate:
    """
    What every request passes first.

    ``enabled`` is by ~/enable; ``refusal`` is ``(reason, cause)`` why the driver takes no
    commands, or ``None``; ``state`` is the :class:`~.state_monitor.StateMonitor`; ``kept`` is the
    newest target if it waits for that, or ``None``; ``twists`` says whether they have paused since
    a stop. Times ``now`` are monotonic [s].

    :param joint_names: of the chain, base to tip.
    :param settings: :class:`~.parameters.Settings`; may be changed later.
    """

    def __init__(self, joint_names, settings):
        self.settings, self.state = settings, StateMonitor(joint_names, settings.state_timeout)
        self.enabled, self.refusal, self.kept = True, None, None
        self._stops = None               # how often the driver was stopped
        self._targets, self.twists = PauseAfterStop(), PauseAfterStop()

    def unavailable(self, now):
        """Return ``(reason, cause)`` why no target can be followed now; ``None``: one can."""
        if not self.enabled:
            return 'disabled: call ~/enable with true first', 'disabled'
        return self.refusal or self.state.unavailable(now)

    def pause(self, now):
        """Return ``(reason, cause)`` why commands pause; a trajectory goes on without states."""
        return self.state.pause(now) if self.settings.output == 'commands' else None

    def refuse(self, request, now, target=None, take=None, age=0.0, timeout=0.0,
               limit='target_timeout'):
        """
        Return the report of a request that can't be followed now or is too old, or ``None``.

        :param take: takes its target once the state of the arm is known, see :class:`Kept`.
        :param age: upper bound of the time since it was received [s].
        :param timeout: the longest such time [s]; 0: any.
        :param limit: what that is called.
        """
        objection, longest = self.unavailable(now), self.settings.target_max_age
        if objection and take and objection[1] == UNKNOWN:
            self.kept = Kept(take, request, target, now - age)
            return Report(State.READY, Level.STALE, request, 'the target is kept for up to '
                          f'{KEPT:g} s: {objection[0]}', UNKNOWN, target)
        if not objection and 0.0 < longest < request.age:
            objection = (f'stamped {request.age:.3g} s ago; allowed: at most {longest:g} s '
                         '(target_max_age)', 'target_max_age')
        if target is not None and not self._targets.take(now - request.age, now) and not objection:
            objection = ('one of targets that went on through a stop of the driver; allowed: '
                         f'any after a pause of {PAUSE:g} s', 'driver stopped')
        if objection:
            return refused(request, *objection, target)
        if 0.0 < timeout < age:
            return refused(request, f'received up to {age:.3g} s ago; allowed: at most '
                           f'{timeout:g} s ({limit})', limit, target)._replace(level=Level.STALE)
        return None

    def take_kept(self, now):
        """Take the target that is kept, or refuse it if it is too old; ``None``: there is none."""
        kept, self.kept = self.kept, None
        if kept is None:
            return None
        age = now - kept.received
        if age <= KEPT:
            return kept.take(kept.request._replace(age=kept.request.age + age), age=age)
        reason, cause = self.unavailable(now) or (
            f'the state of the arm was not known for {age:.3g} s', UNKNOWN)
        return refused(kept.request, reason, cause, kept.target)

    def was_stopped(self, count):
        """Return whether the driver was stopped anew; ``count``: how often it was by now."""
        before, self._stops = self._stops, count
        if before is None or count <= before:
            return False
        self._targets.stop()
        self.twists.stop()
        return True

    def passes_twist(self, twist, request, now):
        """Return whether a twist may begin to move the arm: not one of those that go on."""
        self.twists.is_free |= not twist
        return self.twists.take(now - request.age, now)
