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

from math import ceil
import time

from . import protocol2, x_table
from .protocol2 import little, little_number
from .transactions2 import read_duration, Transactions2, write_duration
from ..backend import Health
from ..serial_servos import SerialServos, SPEED_MARGIN
from ...errors import DriverError

#: The bus watchdog, in steps of 20 ms.
_WATCHDOG = 25

#: A servo that has not been heard for so long [s] may have stopped by its watchdog.
_SILENCE = 0.02 * _WATCHDOG / 2.0

#: Ticks per second in one step of a velocity, 0.229 revolutions per minute.
_VELOCITY = 0.229 * 4096 / 60.0

_VOLTS, _FULL_LOAD = 0.1, 1000.0

#: How long a servo that is rebooted may take to be back [s].
_BOOT = 2.0


class XSeries(SerialServos):
    """One arm's X servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name = 'dynamixel'

    @property
    def cycle_time(self):
        """What reading, writing and one health reading take on the wire [s]."""
        count = sum(1 + len(servo.shadow_ids) for servo in self._drive.values())
        baud = self._file.baud
        return (read_duration(count, x_table.POSITION.length, baud)
                + write_duration(len(self._drive), 4, baud)
                + read_duration(1, x_table.HEALTH.length, baud)
                + read_duration(1, x_table.TORQUE.length, baud))

    def engage(self, names=None):
        """Switch torque on where the joints are; as in :meth:`Backend.engage`."""
        self._require_open()
        self._refuse_outside(names, {servo_id: facts.range for servo_id, facts
                                     in self._facts.items()}, '52 and 48')
        return super().engage(names)

    def close(self):
        """Give the port back, the watchdog off; as in :meth:`Backend.close`."""
        if self._line is not None:
            try:
                self._line.write(x_table.WATCHDOG, dict.fromkeys(self._awake, b'\0'))
            except DriverError:
                pass    # the port is gone
        super().close()

    def _start(self, port):
        self._facts = {}        # by id
        self._heard = {}        # when each was last asked and has answered [s], by id
        self._awake = set()     # whose watchdog is set, and has not stopped them
        self._limits = {}       # what limits speed and force: (address, data), by id
        return Transactions2(port, self._file.patience, self.clock)

    def _identify(self, servo_id):
        name = self._names[servo_id]
        servo = self._drive[name]
        facts, reason = self._line.facts(servo_id)
        if facts is None:
            return None, reason
        words = x_table.complaints(servo, facts)
        for shadow_id in servo.shadow_ids:
            shadow, reason = self._line.facts(shadow_id)
            positions = self._line.read([servo_id, shadow_id], x_table.POSITION)
            if shadow is None or positions.lost:
                return None, f'has a shadow (id {shadow_id}) that does not answer'
            there, here = (little_number(positions.found[each].data, signed=True)
                           for each in (servo_id, shadow_id))
            words += x_table.shadow_complaints(facts, shadow_id, shadow, servo_id, here - there)
        self._note(name, x_table.advice(facts))
        self._facts[servo_id] = facts
        return words, ''

    def _ask_positions(self, ids):
        shadows = {servo_id: self._drive[self._names[servo_id]].shadow_ids for servo_id in ids}
        everyone = [each for servo_id in ids for each in (servo_id, *shadows[servo_id])]
        answers = self._line.read(everyone, x_table.POSITION)
        for servo_id in ids:
            for shadow_id in shadows[servo_id]:
                answers.found.pop(shadow_id, None)
                reason = answers.lost.pop(shadow_id, None)
                if reason and servo_id in answers.found:
                    del answers.found[servo_id]
                    answers.lost[servo_id] = f'{reason} of its shadow (id {shadow_id})'
        answers.lost = {servo_id: answers.lost[servo_id] for servo_id in ids
                        if servo_id in answers.lost}    # in the order in which they answer
        for servo_id, status in answers.found.items():
            answers.found[servo_id] = little_number(status.data, signed=True)
            if answers.asked - self._heard.get(servo_id, answers.asked) > _SILENCE:
                self._awake.discard(servo_id)
            self._heard[servo_id] = answers.asked
        return answers

    def _send_goals(self, ticks):
        goals = {servo_id: tick for servo_id, tick in ticks.items() if servo_id in self._awake}
        # The others go on from where they are, and not before that is known.
        asleep = {servo_id: self._servos[servo_id].tick for servo_id in ticks
                  if servo_id not in self._awake and self._servos[servo_id].tick is not None}
        goals = {servo_id: little(self._inside(servo_id, tick), 4)
                 for servo_id, tick in {**goals, **asleep}.items()}
        self._line.write(x_table.WATCHDOG, dict.fromkeys(asleep, b'\0'))
        self._write_limits(asleep)
        self._line.write(x_table.GOAL, goals)
        self._line.write(x_table.WATCHDOG, dict.fromkeys(asleep, bytes((_WATCHDOG,))))
        self._awake.update(asleep)

    def _send_torque(self, ids, on):
        self._line.write(x_table.TORQUE.address, dict.fromkeys(ids, bytes((int(on),))))

    def _ask_torque(self, servo_id):
        status, reason = self._line.ask_one(servo_id, x_table.TORQUE)
        return (None if status is None else bool(status.data[0])), reason

    def _ask_health(self, servo_id):
        status, _ = self._line.ask_one(servo_id, x_table.HEALTH)
        torque, _ = self._ask_torque(servo_id)
        if status is None or torque is None:
            return None
        errors = 0
        if status.error & protocol2.ALERT:
            answer, _ = self._line.ask_one(servo_id, x_table.ERRORS)
            errors = answer.data[-1] if answer else 0
        facts = self._facts.get(servo_id)
        model = facts.model if facts else None
        load = little_number(status.data[0:2], signed=True)
        current = load * model.amperes if model and model.most_current else None
        return Health(
            temperature_c=float(status.data[20]),
            voltage_v=_VOLTS * little_number(status.data[18:20]),
            current_a=current,
            load=load / (_FULL_LOAD if current is None else model.most_current),
            torque=torque, flags=x_table.flags(errors))

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
            if facts is None or facts.model is None:
                continue
            speed = ceil(SPEED_MARGIN * self.joints[name].max_velocity
                         / servo.ticks.finest / _VELOCITY)
            profile = bytes(4) + little(min(speed, facts.velocity_limit), 4)
            self._limits[servo.id] = [(x_table.PROFILE, profile)]
            if servo.max_force is not None:
                force = self._force(name, facts.model.most_current,
                                    self._force_limits(servo.id, facts.model))
                self._limits[servo.id].append((x_table.GOAL_CURRENT, little(force, 2)))
        self._write_limits([self._drive[name].id for name in names])

    def _force_limits(self, servo_id, model):
        full, limits = model.most_current, []
        for block, words, most in ((x_table.CURRENT_LIMIT, 'current limit', full),
                                   (x_table.PWM_LIMIT, 'PWM limit', x_table.MOST_PWM),
                                   (x_table.GOAL_PWM, 'goal PWM', x_table.MOST_PWM)):
            status, _ = self._tried(lambda: self._line.ask_one(servo_id, block))    # noqa: B023
            if status is not None:
                part = little_number(status.data) / most
                limits.append((int(part * full + 0.5),
                               f'{words} (register {block.address}) is {100 * part:.0f} %'))
        return limits

    def _write_limits(self, ids):
        for address in (x_table.PROFILE, x_table.GOAL_CURRENT):
            self._line.write(address, {
                servo_id: data for servo_id in ids
                for where, data in self._limits.get(servo_id, ()) if where == address})

    def _inside(self, servo_id, tick):
        """Return the nearest tick that a servo takes as a goal: others it ignores."""
        lower, upper = self._facts[servo_id].range if servo_id in self._facts else (0, 4095)
        return min(max(tick, lower), upper)
