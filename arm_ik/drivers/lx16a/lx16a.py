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
from .line import HEALTH, Lx16aLine
from ..serial_servos import SerialServos

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

    def _is_reading(self, tick):
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
