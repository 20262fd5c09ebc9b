# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Simulated servos that outlive every driver, and know exactly where they have been.

A driver that is killed leaves a real arm's servos under power, on their way to the last goal they
were given. The simulated arm inside of ``driver_node`` dies with it and comes back at home, which
shows nothing of what a restarted driver does to an arm that stands. So the experiments hold the
arm themselves, and the driver reaches it over a socket, as it would a bus (:mod:`.bus`).

Servos of this kind move evenly between two orders, so what they were told and where they were then
says where they have ever been; nothing is sampled.
"""

from threading import Condition
from time import monotonic
from typing import NamedTuple, Tuple

from arm_ik.drivers.simulated import Simulated

#: Goals this near are the same [rad].
_SAME = 1e-5


class Note(NamedTuple):
    """
    An order that changed something.

    ``time`` [s], where the chain's joints were then, what their goals were from then on [rad], and
    when they will have come to rest if nothing more is said [s].
    """

    time: float
    q: Tuple[float, ...]
    goal: Tuple[float, ...]
    ends: float


class Servos(Simulated):
    """
    See the module.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param clock: returns the time [s]; steadily growing.
    """

    def __init__(self, model, clock=monotonic):
        super().__init__(model, clock=clock)
        self._chain = model.joint_names
        self._notes = []
        self.news = Condition()
        self.connect()

    @property
    def q(self):
        """Where the chain's joints are [rad], base to tip."""
        with self.news:
            return self._of(self.read())

    @property
    def notes(self):
        """Every :class:`Note` so far, oldest first."""
        with self.news:
            return list(self._notes)

    def write(self, goals):
        """See :meth:`Backend.write`."""
        with self.news:
            before = self._goals()
            super().write(goals)
            if self._goals() != before:
                self._note()

    def set_torque(self, on):
        """See :meth:`Backend.set_torque`."""
        with self.news:
            super().set_torque(on)
            self._note()

    def bend(self, q):
        """Put the chain's joints somewhere [rad] by hand; the servos hold them there."""
        with self.news:
            for name, reading in zip(self._chain, q):
                self._runs[name] = self._rest(name, reading)
            self._note()

    def rests_at(self):
        """Return when the arm has come to rest, or will if nothing more is said [s]."""
        return self.notes[-1].ends

    def first_rest(self, since):
        """
        Return when and where the arm came to rest first, ``(s, rad)``.

        :param since: not before this [s], which is the answer if it was at rest then.
        """
        with self.news:
            for note, following in zip(self._notes, [*self._notes[1:], None]):
                if following is None or following.time > max(note.ends, since):
                    return max(note.ends, since), note.goal

    def moved(self, origin, since):
        """
        Return how far any joint has been from where it was [rad].

        :param origin: where it was, base to tip [rad].
        :param since: from when on [s].
        """
        return self.strayed(origin, origin, since)

    def strayed(self, origin, goal, since):
        """
        Return how far any joint has been from the way between two readings [rad].

        :param origin: one end of the way [rad], base to tip.
        :param goal: the other.
        :param since: from when on [s].
        """
        with self.news:
            seen = [note.q for note in self._notes if note.time > since] + [self.q]
        return max(max(max(min(a, b) - here, here - max(a, b), 0.0)
                       for here, a, b in zip(q, origin, goal)) for q in seen)

    def wait_for_order(self, q, since, timeout):
        """
        Return when the arm was sent somewhere [s], ``None`` if it was not.

        :param q: where [rad], base to tip.
        :param since: not before this [s].
        :param timeout: how long to wait [s].
        """
        def order():
            return next((note.time for note in self._notes if note.time > since
                         and max(abs(a - b) for a, b in zip(note.goal, q)) < _SAME), None)

        with self.news:
            return self.news.wait_for(order, timeout)

    @property
    def goal(self):
        """Where the chain is sent [rad], base to tip."""
        return self.notes[-1].goal

    def _goals(self):
        return {name: run.goal for name, run in self._runs.items()}

    def _of(self, readings):
        return tuple(readings[name] for name in self._chain)

    def _note(self):
        now, runs = self._clock(), [self._runs[name] for name in self._chain]
        ends = max(now, *(run.since + abs(run.goal - run.start) / run.speed for run in runs))
        self._notes.append(Note(now, self.q, tuple(run.goal for run in runs), ends))
        self.news.notify_all()
