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
to one that is not known to hold: it is asked before, but for one that is on its way and has just
answered.
"""

from functools import partial
from itertools import cycle
from math import ceil

from . import protocol
from .protocol import signed
from ..backend import Health
from ..families import FAMILIES
from ..frames import word
from ..serial_line import Facts, Question, SerialLine
from ..serial_maintenance import SerialMaintenance
from ..serial_servos import SerialServos

#: How long a step takes [ms]: the tools send fifty a second.
_STEP = 20

#: What a servo is asked for its health.
HEALTH = (protocol.LOADED, protocol.TEMPERATURE, protocol.VOLTAGE)


class Lx16aLine(SerialLine):
    """As :class:`~arm_ik.drivers.serial_line.SerialLine`; blocks are commands."""

    is_together, return_delay = False, 0.001
    position_block, torque_block, presence_block = protocol.POSITION, protocol.LOADED, protocol.ID
    health_blocks = (protocol.VOLTAGE,)     # one of them in each turn
    others = (protocol.ALARMS, protocol.LED, protocol.ID)
    whole_frames = staticmethod(protocol.whole_frames)
    is_answer = staticmethod(protocol.is_answer)
    tick = staticmethod(signed)

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._bounds = {}       # the largest temperature, and the voltages, by id

    @staticmethod
    def ping():
        """See :class:`.SerialLine`."""
        return protocol.read(protocol.BROADCAST, protocol.ID)

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`."""
        return Question(protocol.read(*ids, block), protocol.answer_size(block),
                        partial(protocol.take_answers, command=block))

    @classmethod
    def goals(cls, ticks):
        """See :class:`.SerialLine`."""
        return b''.join(protocol.move(servo_id, tick, _STEP) for servo_id, tick in ticks.items())

    @staticmethod
    def is_held(data):
        """See :meth:`.SerialLine.is_held`."""
        return bool(data[0])

    def send_torque(self, ids, on):
        """See :meth:`.SerialLine.send_torque`."""
        self.send(b''.join(protocol.load(servo_id, on) for servo_id in ids))

    def send_id(self, servo_id, new_id):
        """See :meth:`.SerialLine.send_id`."""
        self.send(protocol.set_id(servo_id, new_id))

    def facts(self, servo_id):
        """See :class:`.SerialLine`."""
        data, reason = self.ask_all(servo_id, (
            protocol.MODE, protocol.OFFSET, protocol.LIMITS, protocol.TEMPERATURE_LIMIT,
            protocol.VOLTAGE_LIMITS))
        if data is None:
            return None, reason
        mode, offset, limits, hottest, voltages = data
        self._bounds[servo_id] = hottest[0], word(voltages), word(voltages, 2)
        return Facts('LX-16A', word(limits), word(limits, 2), signed(offset), (
            'runs as a motor; needed is the mode of a servo',) if mode[0] else ()), ''

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        data, _ = self.ask_all(servo_id, HEALTH)
        return data and self.health_of(servo_id, *data)

    def health_of(self, servo_id, loaded, temperature, voltage):
        """Return a servo's :class:`~.backend.Health` by its answers to :data:`HEALTH`."""
        hottest, least, most = self._bounds.get(servo_id, (85, 4500, 12000))
        flags = ['overheat'] * (temperature[0] > hottest)
        flags += ['voltage'] * (not least <= word(voltage) <= most)
        return Health(temperature_c=float(temperature[0]), voltage_v=1e-3 * word(voltage),
                      torque=self.is_held(loaded), flags=tuple(flags))

    @staticmethod
    def remedy(flags):
        """See :meth:`.SerialLine.remedy`."""
        words = {'overheat': '; let it cool', 'voltage': '; look at the power supply'}
        return ''.join(words[flag] for flag in flags)


class Lx16aMaintenance(SerialMaintenance):
    """LX-16A servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, family, line_kind = 'lx16a', FAMILIES['lx16a'], Lx16aLine
    bauds = (115200,)

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`."""
        # A move may give torque, so one without gets none.
        super().write({servo_id: tick for servo_id, tick in ticks.items()
                       if self._holds(servo_id)})

    def _switch(self, ids, on, ticks):
        for servo_id in ids:
            move = self._line.goals({servo_id: min(max(ticks[servo_id], 0), self.last_tick)}) \
                if on else b''
            # Before, and after if one without torque does not hear it.
            self._line.send(move + protocol.load(servo_id, on) + move)

    def odd(self, facts, health):
        """Say what is unusual, each with what to do."""
        yield from super().odd(facts, health)
        if (facts.lower, facts.upper) != (0, self.last_tick):
            yield f'goes only from tick {facts.lower} to {facts.upper}'


#: How often a goal is sent that stays the same: a request may get lost, and nothing tells.
_TIMES = 3

#: Readings a little beyond the ends are true: these are all of a turn.
_READINGS = range(-250, 1251)


class _State:
    """What is known of one servo while the bus is open."""

    def __init__(self):
        self.tick = None        # where it was read last
        self.goal = None        # where it was sent last
        self.times = 0          # how often
        self.is_sure = False    # that it has torque still
        self.told = {}          # its last answers to the questions for its health
        self.questions = cycle(HEALTH)


class Lx16a(SerialServos):
    """One arm's LX-16A servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name, line_kind = 'lx16a', Lx16aLine

    def begin(self):
        """As in :class:`.SerialServos`."""
        self._states = {servo_id: _State() for servo_id in self._names}

    def _is_reading(self, servo_id, tick):
        return tick in _READINGS

    def _ask_positions(self, ids):
        answers = self._line.ticks(ids)
        for servo_id, tick in answers.found.items():
            self._states[servo_id].tick = tick
        for servo_id in answers.lost:
            self._states[servo_id].is_sure = False
        return answers

    def _send_goals(self, ticks):
        moves = []
        for servo_id, tick in ticks.items():
            state = self._states[servo_id]
            is_new = tick != state.goal
            if is_new:
                state.goal, state.times = tick, 0
            if self._servos[servo_id].misses:
                continue
            if state.times == _TIMES:
                state.is_sure = False       # it rests
            elif is_new and state.is_sure or self._ask_torque(servo_id)[0]:
                state.is_sure = True
                state.times += 1
                moves.append(self._move(servo_id))
        if moves:
            self._line.send(b''.join(moves))

    def _send_torque(self, ids, on):
        requests = []
        for servo_id in ids:
            state = self._states[servo_id]
            state.is_sure, state.times = False, 0
            requests.append(protocol.load(servo_id, on))
            if on and state.goal is not None:
                # Before, and after if one without torque does not hear it.
                requests[-1:] = [self._move(servo_id), *requests[-1:], self._move(servo_id)]
        if requests:
            self._line.send(b''.join(requests))

    def _ask_torque(self, servo_id):
        data, reason = self._ask_one(servo_id, protocol.LOADED)
        return (None if data is None else self._line.is_held(data)), reason

    def _ask_health(self, servo_id):
        state = self._states[servo_id]
        for _ in range(1 if len(state.told) == len(HEALTH) else len(HEALTH)):
            if self._ask_one(servo_id, next(state.questions))[0] is None:
                return None
        return self._line.health_of(servo_id, *(state.told[command] for command in HEALTH))

    def _move(self, servo_id):
        """Return the request to go to the goal, in the time its joint needs at full speed."""
        state, name = self._states[servo_id], self._names[servo_id]
        way = 0 if state.tick is None else abs(state.goal - state.tick)
        seconds = max(way / self._speed(name), 1.0 / self._file.bus_rate)
        return protocol.move(servo_id, state.goal,
                             min(ceil(1000.0 * seconds), protocol.LONGEST_MOVE))

    def _ask_one(self, servo_id, command):
        """Return the data of one servo's answer or ``None``, and the reason."""
        answer, reason = self._line.ask_one(servo_id, command)
        state = self._states[servo_id]
        if answer is None:
            state.is_sure = False
            return None, reason
        state.told[command] = answer.data
        return answer.data, ''
