# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Odd joint commands and a failing bus, on the driver's rules and simulated servos, without DDS.

Commands with wrong names, lengths and numbers come in, and reads and writes fail at random, some
in a row: then the bus is given back and looked for again. Nothing may come out of the driver but
refusals; every position that is measured has to be inside the limits; and a good command has to
bring every joint exactly where it says as soon as the bus is back.
"""

from math import isfinite
from random import Random

from arm_ik import Arm
from arm_ik.drivers import ServoDriver
from arm_ik.drivers.simulated import Simulated
from arm_ik.errors import InvalidInputError

from .figures import Figure
from .odd_messages import command_must_be_refused, JOINT_MESSAGES, LONG
from .tally import CRASH, OUTSIDE, Tally

FULL, SHORT = 50_000, 1_000

#: Probability that a failure of the bus begins, and how many calls in a row fail at most.
_FAILS, _IN_A_ROW = 0.1, 5

#: From one turn of the bus to the next [s].
_PERIOD = 0.02

#: Longest time until a joint is anywhere [s].
_PATIENCE = 10.0

_ARM = 'so101'


class FailingServos(Simulated):
    """
    Simulated servos on a bus that fails at random.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param clock: returns the time [s].
    """

    def __init__(self, model, clock):
        super().__init__(model, clock=clock)
        self.failing = 0   # verbs that are still to fail
        self.failures = 0

    def read(self):
        """See :meth:`Simulated.read`."""
        self._fail()
        return super().read()

    def write(self, set_points):
        """See :meth:`Simulated.write`."""
        self._fail()
        super().write(set_points)

    def _fail(self):
        if self.failing > 0:
            self.failing -= 1
            self.failures += 1
            raise OSError('made to fail')


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    random, tally, arm = Random(seed), Tally(say), Arm.preset(_ARM)
    trial = _Trial(arm, random, tally)
    count = SHORT if short else FULL
    kinds = [kind for kind in JOINT_MESSAGES if kind != LONG]
    for number in range(count):
        trial.command(LONG if number == 0 else kinds[number % len(kinds)])
    return [*tally.figures(count),
            Figure('failures of the bus', '', f'{trial.servos.failures}')]


class _Trial:
    """A driver on failing servos, commanded with anything."""

    def __init__(self, arm, random, tally):
        self._chain, self._random, self._tally = list(arm.joint_names), random, tally
        self._now = 0.0
        self.servos = FailingServos(arm.model, lambda: self._now)
        self._driver = ServoDriver(self.servos, clock=lambda: self._now,
                                   stamp_clock=lambda: self._now)
        self._driver.connect()

    def command(self, kind):
        """Send a command of a class, on a bus that may fail, and then a good one."""
        message = JOINT_MESSAGES[kind](self._random, self._chain)
        if self._random.random() < _FAILS:
            self.servos.failing = self._random.randint(1, _IN_A_ROW)
        try:
            self._turn()
            refused = self._refused(message.name, message.position)
            if self._driver.bus_error is None:
                self._tally.judge(kind, refused, command_must_be_refused(message),
                                  self._driver.condition, message)
            else:
                self._tally.answer(kind, refused)
            self._turn()
            self._judge_state(kind)
            while self._driver.bus_error is not None:
                self._turn()
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, repr(error), message)
        self._obey(kind)

    def _turn(self):
        self._now += _PERIOD
        self._driver.turn()

    def _refused(self, names, positions):
        try:
            self._driver.command(names, positions)
        except InvalidInputError:
            return True
        return False

    def _obey(self, kind):
        goals = {name: self._random.uniform(joint.lower, joint.upper)
                 for name, joint in self.servos.joints.items()}
        names, positions = list(goals), list(goals.values())
        refused = self._refused(names, positions)
        give_up = self._now + _PATIENCE
        while self._now < give_up and self._driver.snapshot.positions != goals:
            self._turn()
            refused = refused or self._refused(names, positions)
        self._tally.good_one(kind, not refused and self._judge_state(kind) == goals, goals,
                             self._driver.condition)

    def _judge_state(self, kind):
        """Return what is published of the joints; ``None``: nothing, as the bus is gone."""
        snapshot = self._driver.snapshot
        if snapshot is None:
            return None
        if snapshot.readings.keys() != self.servos.joints.keys():
            self._tally.fault(OUTSIDE, kind, f'only {snapshot}')
        for name, position in snapshot.positions.items():
            joint = self.servos.joints[name]
            if not (isfinite(position) and joint.lower <= position <= joint.upper):
                self._tally.fault(OUTSIDE, kind, f'{name} at {position}')
        return snapshot.positions
