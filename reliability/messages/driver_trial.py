# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The driver's rules, commanded with anything, on simulated servos; every goal judged."""

from math import isfinite

from arm_ik.drivers import open_backend, ServoDriver
from arm_ik.errors import InvalidInputError

from .odd_joints import command_must_be_refused
from .tally import CRASH, NO_REASON, NOT_TAKEN, OUTSIDE, TAKEN


class DriverTrial:
    """
    An arm's driver, and what came of it.

    :param arm: the :class:`~arm_ik.Arm`.
    :param random: a :class:`random.Random`.
    :param tally: the :class:`~.tally.Tally` to count in.
    """

    def __init__(self, arm, random, tally):
        self._arm, self._random, self._tally = arm, random, tally
        backend = open_backend('simulated', arm.model)
        self._joints = backend.joints
        self._driver = ServoDriver(backend, arm.model)

    def command(self, kind, arrays):
        """Hand in a command of a class, and then a good one."""
        kind, refused = f'commands, {kind}', False
        try:
            goals = self._driver.command(*arrays[:2]).goals
        except InvalidInputError as error:
            goals, refused = {}, True
            if not str(error) or str(error) not in self._driver.condition:
                self._tally.fault(NO_REASON, kind, arrays)
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, error, arrays)
            return
        self._tally.answer(kind, refused)
        if refused != command_must_be_refused(arrays):
            self._tally.fault(NOT_TAKEN if refused else TAKEN, kind, arrays)
        self._judge(kind, arrays, goals)
        self._judge(kind, arrays, self._driver.update())
        self._good_one(kind)

    def _judge(self, kind, arrays, readings):
        for name, reading in readings.items():
            joint = self._joints[name]
            if not (isfinite(reading) and joint.lower <= reading <= joint.upper):
                self._tally.fault(OUTSIDE, kind, arrays, f'{name} {reading}')

    def _good_one(self, kind):
        goals = {joint.name: self._random.uniform(joint.lower, joint.upper)
                 for joint in self._arm.model.joints}
        try:
            obeyed = self._driver.command(list(goals), list(goals.values())).goals == goals
        except InvalidInputError:
            obeyed = False
        self._tally.good_one(kind, obeyed, self._driver.condition)
