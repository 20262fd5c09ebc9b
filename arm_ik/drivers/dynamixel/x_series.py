# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for Dynamixel X servos.

All positions are read by one request and all set-points written by one. While the arm is driven
the servos' bus watchdog is set: without a request on the bus for half a second they stop and hold
where they are. After that they take no goals. One that has not been heard for so long is set free
again when it is: with its position as its goal, from which set-points go on.
"""

from dataclasses import replace
from math import ceil
import time

from . import protocol2, x_line
from .protocol2 import little, little_number
from ..serial_line import tried
from ..serial_servos import SerialServos, TRIES
from ...errors import DriverError

#: The bus watchdog, in steps of 20 ms.
_WATCHDOG = 25

#: A servo that has not been heard for so long [s] may have stopped by its watchdog.
_SILENCE = 0.02 * _WATCHDOG / 2.0

#: Ticks per second in one step of a velocity, 0.229 revolutions per minute.
_VELOCITY = 0.229 * 4096 / 60.0

#: How long a servo that is rebooted may take to be back [s].
_BOOT = 2.0


class XSeries(SerialServos):
    """One arm's X servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name, line_kind = 'dynamixel', x_line.XLine

    def close(self):
        """Give the port back, the watchdog off; as in :meth:`Backend.close`."""
        if self._line is not None:
            try:
                self._line.write(x_line.WATCHDOG, dict.fromkeys(self._awake, b'\0'))
            except DriverError:
                pass    # the port is gone
        super().close()

    def begin(self):
        """As in :class:`.SerialServos`."""
        self._heard = {}        # when each was last asked and has answered [s], by id
        self._awake = set()     # whose watchdog is set, and has not stopped them
        self._limits = {}       # what limits speed and force: (address, data), by id

    def complaints(self, servo, facts):
        """As in :class:`.SerialServos`."""
        odd = facts.odd
        if servo.max_force and facts.is_known:
            odd = x_line.oddities(facts, x_line.CURRENT_MODE) if facts.table.most_current else (
                f'is a {facts.model} and has no limit of force: take max_force out of the servos '
                'file',)
        words = super().complaints(servo, replace(facts, odd=odd))
        if facts.is_known and servo.drive_mode is not None \
                and (facts.drive_mode ^ servo.drive_mode) & 1:
            words.append(f'has drive mode {facts.drive_mode} (register 10); the servos file says '
                         f'{servo.drive_mode}: it turns in the other direction')
        return words

    def identify(self, servo_id):
        """As in :class:`.SerialServos`."""
        words, reason = super().identify(servo_id)
        shadow_ids = self._drive[self._names[servo_id]].shadow_ids
        for shadow_id in () if words is None else shadow_ids:
            shadow, _ = self._line.facts(shadow_id)
            positions = self._line.ticks([servo_id, shadow_id])
            if shadow is None or positions.lost:
                return None, f'has a shadow (id {shadow_id}) that does not answer'
            words += x_line.shadow_complaints(
                self._facts[servo_id], shadow_id, shadow, servo_id,
                positions.found[shadow_id] - positions.found[servo_id])
        return words, reason

    def _ask_positions(self, ids):
        shadows = {servo_id: self._drive[self._names[servo_id]].shadow_ids for servo_id in ids}
        answers = self._line.ticks([each for servo_id in ids
                                    for each in (servo_id, *shadows[servo_id])])
        for servo_id in ids:
            for shadow_id in shadows[servo_id]:
                answers.found.pop(shadow_id, None)
                reason = answers.lost.pop(shadow_id, None)
                if reason and servo_id in answers.found:
                    del answers.found[servo_id]
                    answers.lost[servo_id] = f'{reason} of its shadow (id {shadow_id})'
        answers.lost = {servo_id: answers.lost[servo_id] for servo_id in ids
                        if servo_id in answers.lost}    # in the order in which they answer
        for servo_id in answers.found:
            if answers.asked - self._heard.get(servo_id, answers.asked) > _SILENCE:
                self._awake.discard(servo_id)
            self._heard[servo_id] = answers.asked
        return answers

    def _send_goals(self, ticks):
        goals = {servo_id: tick for servo_id, tick in ticks.items() if servo_id in self._awake}
        # The others go on from where they are, and not before that is known.
        asleep = {servo_id: self._servos[servo_id].tick for servo_id in ticks
                  if servo_id not in self._awake and self._servos[servo_id].tick is not None}
        self._line.write(x_line.WATCHDOG, dict.fromkeys(asleep, b'\0'))
        self._write_limits(asleep)
        self._line.send_goals({servo_id: self._inside(servo_id, tick)
                               for servo_id, tick in {**goals, **asleep}.items()})
        self._line.write(x_line.WATCHDOG, dict.fromkeys(asleep, bytes((_WATCHDOG,))))
        self._awake.update(asleep)

    def _remedy(self, servo_id, flags):
        ids = (servo_id, *self._drive[self._names[servo_id]].shadow_ids)
        if any(self._ask_torque(each)[0] is not False for each in ids):
            return '; only a reboot makes it forget that, and its joint would fall: switch its ' \
                   'torque off before'
        for each in ids:
            self._line.send(protocol2.reboot(each))
            self._awake.discard(each)
        end = time.monotonic() + _BOOT
        while time.monotonic() < end and any(self._ask_torque(each)[0] is None for each in ids):
            pass
        health = self._ask_health(servo_id)
        return '; still so after a reboot' if health and health.flags else None

    def _limit(self, names):
        for name in names:
            servo = self._drive[name]
            facts = self._facts.get(servo.id)
            if facts is None or not facts.is_known:
                continue
            profile = bytes(4) + little(
                min(ceil(self._speed(name, _VELOCITY)), facts.velocity_limit), 4)
            self._limits[servo.id] = [(x_line.PROFILE, profile)]
            if servo.max_force is not None:
                force = self._force(name, facts.table.most_current,
                                    self._force_limits(servo.id, facts.table.most_current))
                self._limits[servo.id].append((x_line.GOAL_CURRENT, little(force, 2)))
        self._write_limits([self._drive[name].id for name in names])

    def _force_limits(self, servo_id, full):
        limits = []
        for block, words, most in ((x_line.CURRENT_LIMIT, 'current limit', full),
                                   (x_line.PWM_LIMIT, 'PWM limit', x_line.MOST_PWM),
                                   (x_line.GOAL_PWM, 'goal PWM', x_line.MOST_PWM)):
            status, _ = tried(lambda: self._line.ask_one(servo_id, block), TRIES)   # noqa: B023
            if status is not None:
                part = little_number(status.data) / most
                limits.append((int(part * full + 0.5),
                               f'{words} (register {block.address}) is {100 * part:.0f} %'))
        return limits

    def _write_limits(self, ids):
        for address in (x_line.PROFILE, x_line.GOAL_CURRENT):
            self._line.write(address, {
                servo_id: data for servo_id in ids
                for where, data in self._limits.get(servo_id, ()) if where == address})
