# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
LX-16A servos, read and written one by one.

Nothing in a request can make its answer unlike a late one to the same question. But answers come
in the order of the requests. So after a lost answer a servo is first asked something else, each
time another thing that nobody else asks: when that is answered, all older answers have come.

To read and write all takes most of a turn at 50 Hz: so a look at a servo's health is one question,
and the next look asks the next. The time that each move takes has the servo itself keep to its
joint's speed.

Whether a move gives torque to a servo that has lost it, the maker does not say. So no move is sent
to one that is not known to hold: it is asked before, but for one that moves and has just
answered.
"""

from itertools import cycle
from math import ceil

from . import protocol
from .protocol import signed
from ..backend import Facts, Health
from ..families import FAMILIES
from ..frames import little, word
from ..serial_line import heard, Question, SerialLine
from ..serial_maintenance import SerialMaintenance
from ..serial_servos import TorqueByGoal

#: How long a step takes [ms]: the tools send fifty a second.
_STEP = 20

#: What a servo is asked for its health.
HEALTH = (protocol.LOADED, protocol.TEMPERATURE, protocol.VOLTAGE)


#: The largest temperature [deg C] and the voltages [mV] that servos come with.
_BOUNDS = bytes((85,)) + little(4500) + little(12000)


class Lx16aLine(SerialLine):
    """As :class:`~arm_ik.bus.serial_line.SerialLine`; blocks are commands."""

    is_together, return_delay = False, 0.001
    position_block, torque_block, presence_block = protocol.POSITION, protocol.LOADED, protocol.ID
    health_blocks = (protocol.VOLTAGE,)     # one of them in each turn
    protocol = protocol
    tick = staticmethod(signed)

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._late = set()      # ids of servos that have an answer to come
        self._others = cycle((protocol.ALARMS, protocol.LED, protocol.ID))

    def ask(self, ids, block, answers, patience=None):
        """See :meth:`.SerialLine.ask`."""
        servo_id, = ids
        if servo_id in self._late:
            super().ask(ids, next(self._others), answers, patience)
            if servo_id in answers.lost:
                return
            del answers.found[servo_id]
        super().ask(ids, block, answers, patience)
        if servo_id in answers.lost:
            self._late.add(servo_id)
        else:
            self._late.discard(servo_id)

    def call(self, servo_id):
        """See :meth:`.SerialLine.call`."""
        self._late.discard(servo_id)    # whatever it answers, it is there
        super().call(servo_id)

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`."""
        return Question(protocol.read(*ids, block), protocol.answer_size(block), block)

    @classmethod
    def goals(cls, ticks):
        """See :class:`.SerialLine`."""
        return b''.join(protocol.move(servo_id, tick, _STEP) for servo_id, tick in ticks.items())

    def is_held(self, data):
        """See :meth:`.SerialLine.is_held`."""
        return bool(data[0])

    def send_torque(self, ids, on):
        """See :meth:`.SerialLine.send_torque`."""
        self.send(b''.join(protocol.load(servo_id, on) for servo_id in ids))

    def send_id(self, servo_id, new_id):
        """See :meth:`.SerialLine.send_id`."""
        self.send(protocol.set_id(servo_id, new_id))

    def ask_facts(self, servo_id):
        """See :class:`.SerialLine`; ``data`` is the largest temperature, and the voltages."""
        mode, offset, limits, *bounds = (
            self.ask_one(servo_id, command).data for command in (
                protocol.MODE, protocol.OFFSET, protocol.LIMITS, protocol.TEMPERATURE_LIMIT,
                protocol.VOLTAGE_LIMITS))
        odd = ('runs as a motor; needed is the mode of a servo',) if mode[0] else ()
        return Facts('LX-16A', word(limits), word(limits, 2), signed(offset), odd,
                     data=b''.join(bounds))

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        return self.health_of(servo_id, *(self.ask_one(servo_id, each).data for each in HEALTH))

    def health_of(self, servo_id, loaded, temperature, voltage):
        """Return a servo's :class:`~.backend.Health` by its answers to :data:`HEALTH`."""
        bounds = self.known[servo_id].data if servo_id in self.known else _BOUNDS
        flags = [flag for flag, is_so in (
            ('overheat', temperature[0] > bounds[0]),
            ('voltage', not word(bounds, 1) <= word(voltage) <= word(bounds, 3))) if is_so]
        return Health(temperature_c=float(temperature[0]), voltage_v=1e-3 * word(voltage),
                      torque=self.is_held(loaded), flags=tuple(flags))

    def remedy(self, flags):
        """See :meth:`.SerialLine.remedy`."""
        words = {'overheat': '; let it cool', 'voltage': '; look at the power supply'}
        return ''.join(words[flag] for flag in flags)


class Lx16aMaintenance(SerialMaintenance):
    """LX-16A servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, family, line_kind = 'lx16a', FAMILIES['lx16a'], Lx16aLine
    bauds = (115200,)

    def odd(self, facts, health):
        """Say what is unusual, each with what to do."""
        yield from super().odd(facts, health)
        if (facts.lower, facts.upper) != (0, self.family.last_tick):
            yield f'goes only from tick {facts.lower} to {facts.upper}'


#: How often a goal is sent that stays the same: a request may get lost, and nothing says so.
_TIMES = 3

#: Readings a little beyond the ends are true: these are all of a turn.
_READINGS = range(-250, 1251)


class Lx16a(TorqueByGoal):
    """One arm's LX-16A servos; as :class:`~arm_ik.bus.serial_servos.SerialServos`."""

    name, line_kind = 'lx16a', Lx16aLine

    def begin(self):
        """As in :class:`.SerialServos`."""
        super().begin()
        self._at = {}           # where each was read last [ticks], by id
        self._times = {}        # how often its goal was sent, by id
        self._answers = {servo_id: {} for servo_id in self._names}     # last answers to HEALTH

    def _is_reading(self, servo_id, tick):
        return tick in _READINGS

    def _ask_positions(self, ids):
        answers = self.bus.ticks(ids)
        self._at.update(answers.found)
        self._holding.difference_update(answers.lost)
        return answers

    def _send_goals(self, ticks):
        moves = []
        for servo_id, tick in ticks.items():
            goes_on = False
            if tick != self._goals.get(servo_id):
                goes_on = servo_id in self._holding and self._times.get(servo_id, 0) > 0
                self._goals[servo_id], self._times[servo_id] = tick, 0
            if self._servos[servo_id].misses:
                continue
            if self._times[servo_id] == _TIMES:
                self._holding.discard(servo_id)     # it rests
            elif goes_on or heard(self._ask_torque, servo_id):
                self._times[servo_id] += 1
                moves.append(servo_id)
        self._write_goals(moves)

    def _send_torque(self, ids, on):
        super()._send_torque(ids, on)
        if on:      # the goals once more, if one without torque does not hear them
            self._times.update(dict.fromkeys(ids, 0))
            self._write_goals(self._goals.keys() & ids)

    def _write_goals(self, ids):
        self.bus.send(b''.join(map(self._move, ids)))

    def _ask_torque(self, servo_id):
        holds = super()._ask_torque(servo_id)
        self._answers[servo_id][protocol.LOADED] = bytes((holds,))
        return holds

    def _ask_health(self, servo_id):
        answers = self._answers[servo_id]
        for command in HEALTH if len(answers) < len(HEALTH) else [next(iter(answers))]:
            data = self.bus.ask_one(servo_id, command).data
            answers.pop(command, None)     # the one asked first goes to the end
            answers[command] = data
        return self.bus.health_of(servo_id, *(answers[command] for command in HEALTH))

    def _move(self, servo_id):
        """Return the request to go to the goal, in the time its joint needs at full speed."""
        goal = self._goals[servo_id]
        distance = abs(goal - self._at.get(servo_id, goal))
        seconds = max(distance / self._speed(self._names[servo_id]), 1.0 / self._file.bus_rate)
        return protocol.move(servo_id, goal, min(ceil(1000.0 * seconds), protocol.LONGEST_MOVE))
