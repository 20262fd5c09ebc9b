# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for LX-16A servos.

They are read and written one by one, which takes most of a turn at 50 Hz: so a look at a servo's
health is one question, and the next look asks the next. The time that each move takes has the
servo itself keep to its joint's speed.

Whether a move gives torque to a servo that has lost it, the maker does not say. So no move is sent
to one that is not known to hold: it is asked before, but for one that is on its way and has just
answered.
"""

from itertools import cycle
from math import ceil

from . import protocol
from .protocol import signed_byte, signed_word
from .transactions import read_duration, Transactions
from ..backend import Health
from ..frames import word
from ..serial_servos import SerialServos, SPEED_MARGIN

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
        self.holds = None       # whether it had torque when it was asked last
        self.is_sure = False    # that it has still
        self.temperature = self.voltage = None
        self.hottest, self.voltages = 85, (4500, 12000)
        self.questions = cycle((protocol.LOADED, protocol.TEMPERATURE, protocol.VOLTAGE))


class Lx16a(SerialServos):
    """One arm's LX-16A servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name = 'lx16a'
    last_tick = 1000
    silences = False

    @property
    def cycle_time(self):
        """What reading, writing and one health reading take on the wire [s]."""
        count, baud = len(self._drive), self._file.baud
        return (count * (read_duration(protocol.POSITION, baud) + 10.0 * protocol.MOVE / baud)
                + read_duration(protocol.VOLTAGE, baud))

    def _start(self, port):
        self._states = {servo_id: _State() for servo_id in self._names}
        return Transactions(port, self._file.patience, self.clock)

    def _identify(self, servo_id):
        told = {}
        for command in (protocol.MODE, protocol.OFFSET, protocol.LIMITS,
                        protocol.TEMPERATURE_LIMIT, protocol.VOLTAGE_LIMITS):
            told[command], reason = self._ask_one(servo_id, command)
            if told[command] is None:
                return None, reason
        state, words = self._states[servo_id], []
        state.hottest = told[protocol.TEMPERATURE_LIMIT][0]
        state.voltages = word(told[protocol.VOLTAGE_LIMITS]), word(
            told[protocol.VOLTAGE_LIMITS], 2)
        if told[protocol.MODE][0]:
            words.append('runs as a motor; needed is the mode of a servo')
        servo = self._drive[self._names[servo_id]]
        offset = signed_byte(told[protocol.OFFSET])
        if servo.homing_offset not in (None, offset):
            words.append(f'has the offset {offset}; the servos file says {servo.homing_offset}: '
                         'calibrate again')
        lower, upper = word(told[protocol.LIMITS]), word(told[protocol.LIMITS], 2)
        points = servo.ticks.points
        if not (lower <= points[0][0] and points[-1][0] <= upper):
            words.append(f'goes only from tick {lower} to {upper}; the servos file says '
                         f'{points[0][0]:g} to {points[-1][0]:g}')
        return words, ''

    def _is_reading(self, tick):
        return tick in _READINGS

    def _ask_positions(self, ids):
        answers = self._line.read(ids, protocol.POSITION)
        for servo_id, answer in answers.found.items():
            tick = signed_word(answer.data)
            answers.found[servo_id] = self._states[servo_id].tick = tick
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
        if data is None:
            return None, reason
        self._states[servo_id].holds = bool(data[0])
        return bool(data[0]), ''

    def _ask_health(self, servo_id):
        state = self._states[servo_id]
        questions = 1 if state.voltage is not None else 3
        for _ in range(questions):
            command = next(state.questions)
            data, _ = self._ask_one(servo_id, command)
            if data is None:
                return None
            if command == protocol.LOADED:
                state.holds = bool(data[0])
            elif command == protocol.TEMPERATURE:
                state.temperature = data[0]
            else:
                state.voltage = word(data)
        flags = []
        if state.temperature > state.hottest:
            flags.append('overheat')
        if not state.voltages[0] <= state.voltage <= state.voltages[1]:
            flags.append('voltage')
        return Health(temperature_c=float(state.temperature), voltage_v=1e-3 * state.voltage,
                      torque=state.holds, flags=tuple(flags))

    def _move(self, servo_id):
        """Return the request to go to the goal, in the time its joint needs at full speed."""
        state, name = self._states[servo_id], self._names[servo_id]
        way = 0 if state.tick is None else abs(state.goal - state.tick)
        speed = SPEED_MARGIN * self.joints[name].max_velocity / self._drive[name].ticks.finest
        seconds = max(way / speed, 1.0 / self._file.bus_rate)
        return protocol.move(servo_id, state.goal,
                             min(ceil(1000.0 * seconds), protocol.LONGEST_MOVE))

    def _ask_one(self, servo_id, command):
        """Return the data of one servo's answer or ``None``, and the reason."""
        answers = self._line.read([servo_id], command)
        if servo_id in answers.lost:
            self._states[servo_id].is_sure = False
            return None, answers.lost[servo_id]
        return answers.found[servo_id].data, ''
