# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The core with a short way for targets in close succession.

Whatever else is asked of it or told to it ends the :mod:`.burst` first, and only then happens to a
core that is as if all the targets had gone the usual way.
"""

from functools import wraps
from math import inf

from .burst import Burst, LASTS_S
from .ik_core import IkCore
from .report import Level, Order, Report, State
from ..kinematics.solution import Solution
from ..kinematics.target import Target


class BurstCore(IkCore):
    """
    An :class:`~.ik_core.IkCore`, and at times a short way.

    ``short_way`` is the :attr:`.Burst.take` of the burst there is, or ``None``.
    """

    short_way = None
    _burst = None
    _waited = None
    _ended = ()

    def begin_burst(self, waited, *how):
        """
        Let targets take the short way for a while, if the newest one is an ordinary one.

        :param waited: how long what is read may have waited, beside what its age says [s].
        :param how: the first arguments of :class:`~.burst.Burst`.
        """
        report, settings, solver = self._motion.report, self._settings, self._arm.solver
        target, solution = report.target, report.solution
        # An answer that relaxes something has a reason; of a wrist that rolls, poses ask for a
        # forward vector too, even where the newest target was a point without one.
        if solver.fast is None or target.up is None or self._arm.model.has('wrist_roll') \
                or solution.reason or settings.max_step \
                or settings.elbow != 'nearest' or settings.priority != 'position':
            return
        until = min(self._clock() + LASTS_S, self._watch.pauses_at)
        self._waited = waited
        self._burst = Burst(
            *how, solver=solver, near=solution.q,
            tolerances=(settings.position_tolerance, settings.up_tolerance),
            longest_age=settings.target_timeout - waited if settings.target_timeout else inf,
            until=until, clock=self._clock)
        self.short_way = self._burst.take

    def bursts(self):
        """Return a :class:`~.burst.Ended` for each that came to its end since the last call."""
        ended, self._ended = self._ended, ()
        return ended

    def _end_burst(self):
        burst, self._burst, self.short_way = self._burst, None, None
        ended = burst.end() if burst else None
        if ended is None:
            return
        order = Order(self._latest.seq + ended.count, ended.stamp, self._latest.frame)
        self._take_order(order)
        self._streamed = ended.received - self._waited
        solution = Solution(*ended.found)
        report = Report(State.ACCEPTED, Level.OK, order, '', solution.status.name,
                        Target.of_unit_vectors(ended.position, ended.up), solution)
        self._motion.start(report, self._watch.positions, True, ended.received + ended.age)
        self._ended += ended._replace(report=report),


def _after_the_burst(member):
    """Return a method or property that does the same once the burst has ended."""
    if isinstance(member, property):
        return property(*[function and _after_the_burst(function)
                          for function in (member.fget, member.fset)], doc=member.__doc__)

    @wraps(member)
    def method(self, *args, **kwargs):
        self._end_burst()
        return member(self, *args, **kwargs)
    return method


for _name in dir(BurstCore):
    if not _name.startswith('_') and _name != 'short_way':
        setattr(BurstCore, _name, _after_the_burst(getattr(BurstCore, _name)))
