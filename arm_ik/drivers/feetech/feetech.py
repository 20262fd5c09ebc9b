# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for Feetech's STS and SMS servos.

All positions are read by one request and all set-points written by one. A servo that is gone also
silences those that would answer after it: they are asked once more without it, and after a few
misses it is left out and asked by itself from time to time. Nothing is ever written to an EEPROM.
"""

from itertools import cycle
from math import ceil
import time

from . import identity, protocol
from .protocol import signed, two_bytes, word
from .transactions import read_duration, Transactions, write_duration
from ..backend import Backend, Health, JointReading, Snapshot
from ..plausibility import Plausibility
from ..serial_port import SerialPort
from ...errors import DriverError

#: Misses in a row after which a servo is left out.
_MISSES = 3

#: How often one that is left out is asked again [s].
_PROBE_PERIOD = 0.25

#: Tries before a servo is said not to answer, or not to obey.
_TRIES = 3

#: Readings in which a joint at rest has to be believed.
_FIRST_READINGS = 10

#: A servo by itself may be so much faster than set-points, to catch up with them.
_SPEED_MARGIN = 1.2

#: Ticks that the reading of a joint at rest may flicker.
_FLICKER = 3

_LAST_TICK = 4095

#: Ticks per second in one step of a servo's coarse unit of speed, 0.732 revolutions per minute.
_COARSE_SPEED = 50.0

_AMPERES, _VOLTS, _FULL_LOAD = 6.5e-3, 0.1, 1000.0

#: Registers that tell a servo's health: torque to current.
_HEALTH = range(protocol.TORQUE, protocol.TABLE_END)


class _Servo:
    """What is known of one servo while the bus is open."""

    def __init__(self, joint, ticks):
        self.plausibility = Plausibility(joint.max_velocity, _FLICKER * ticks.resolution)
        self.misses = 0
        self.reason = 'no answer'       # of the last miss
        self.lost_replies = 0
        self.phase = 0
        self.is_known = True    # else it was not there to be compared with the servos file

    @property
    def is_left_out(self):
        return self.misses >= _MISSES or not self.is_known


class Feetech(Backend):
    """
    One arm's STS or SMS servos on a serial port.

    ``model`` has the limits of the arm file, narrowed to what the servos file allows.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param clock: returns the time [s].
    """

    name = 'feetech'

    def __init__(self, model, servos, clock=time.monotonic):
        model, self._narrowings = servos.narrowed(model)
        super().__init__(model, clock)
        self._file = servos
        self._drive = {name: servo for name, servo in servos.joints.items() if not servo.same_as}
        self._names = {servo.id: name for name, servo in self._drive.items()}
        self._line = None

    @property
    def resolution(self):
        """Smallest step of a reading by joint name [rad, m]."""
        return {name: self._servo_of(name).ticks.resolution for name in self.joints}

    @property
    def cycle_time(self):
        """What reading, writing and one health reading take on the wire [s]."""
        count, baud = len(self._drive), self._file.baud
        return (read_duration(count, 2, baud) + write_duration(count, 2, baud)
                + read_duration(1, len(_HEALTH), baud))

    def open(self):  # noqa: A003
        """Open the port and look where the joints are; as in :meth:`Backend.open`."""
        if self._line is None:
            port = SerialPort(self.name, self._file.port, self._file.baud)
            self.notes = [*self._narrowings, *port.notes]
            self._line = Transactions(port, self._file.patience, self.clock)
            self._servos = {servo.id: _Servo(self.joints[name], servo.ticks)
                            for name, servo in self._drive.items()}
            self._probes = cycle(self._servos)
            self._probed_at = self.clock()
            self._settle(self._drive)

    def verify(self):
        """Compare every servo with the servos file; as in :meth:`Backend.verify`."""
        wrong, lost = [], {}
        for servo_id, name in self._names.items():
            status, reason = self._ask_one(servo_id, 0, protocol.EEPROM_END)
            self._servos[servo_id].is_known = status is not None
            if status is None:
                lost[name] = reason
                continue
            self._servos[servo_id].misses = 0       # it is there
            wrong += self._complaints(name, status)
            advice = identity.advice(status.data)
            if advice:
                self.notes.append(f'{self._called(name)} {advice}')
        if len(lost) == len(self._names):
            raise DriverError(self.name, self._nobody(lost))
        missing = {name: self._lost(name, reason) for name, reason in
                   {**lost, **self._settle([name for name in self._drive if name not in lost])
                    }.items()}
        if wrong:
            raise DriverError(self.name, '. '.join([*wrong, *missing.values()]))
        for servo in self._servos.values():
            servo.lost_replies = 0      # first readings are believed only together
        return {name: missing[main] for name, main in self._mains() if main in missing}

    def engage(self, names=None):
        """Switch torque on where the joints are; as in :meth:`Backend.engage`."""
        self._require_open()
        self._limit(self._driven(names))
        self._settle(self._driven(names))
        return super().engage(names)

    def read(self):
        """Return where the joints are; as in :meth:`Backend.read`."""
        self._require_open()
        readings = {}
        missing = {self._names[servo_id]: servo.reason
                   for servo_id, servo in self._servos.items()}
        ids = [servo_id for servo_id, servo in self._servos.items() if not servo.is_left_out]
        for _ in range(2):
            if not ids:
                break
            answers = self._line.read(ids, protocol.POSITION, 2)
            self._judge(answers, readings, missing)
            lost = list(answers.lost)
            if lost:
                self._servos[lost[0]].misses += 1
            ids = lost[1:]      # silenced perhaps by the first of them
        self._probe(readings, missing)
        for servo_id, name in self._names.items():
            self._servos[servo_id].lost_replies += name in missing
        # In the order of the joints, those that have no servo of their own included.
        return Snapshot(
            {name: readings[main] for name, main in self._mains() if main in readings},
            {name: missing[main] for name, main in self._mains() if main in missing})

    def write(self, set_points):
        """Write set-points; as in :meth:`Backend.write`."""
        self._require_open()
        self.require_finite(set_points)
        goals = {}
        for name in self._driven(set_points):
            servo = self._drive[name]
            if not self._servos[servo.id].is_known:
                continue
            tick = round(servo.ticks.tick(set_points[name]))
            goals[servo.id] = two_bytes(min(max(tick, 0), _LAST_TICK))
        self._line.write(protocol.GOAL, goals)

    def set_torque(self, on, names=None):
        """Switch torque and read it back; as in :meth:`Backend.set_torque`."""
        self._require_open()
        waiting = [self._drive[name].id for name in self._driven(names)]
        for _ in range(_TRIES):
            self._line.write(protocol.TORQUE, dict.fromkeys(waiting, bytes((int(on),))))
            answers = [self._ask_one(servo_id, protocol.TORQUE, 1)[0] for servo_id in waiting]
            # One that does not answer is missing from what is read, and no error here.
            waiting = [status.id for status in answers if status and bool(status.data[0]) != on]
            if not waiting:
                return
        called = ', '.join(self._called(self._names[servo_id]) for servo_id in waiting)
        raise DriverError(self.name, f'no torque {"on" if on else "off"} at {called}, whatever is '
                                     'written')

    def read_health(self, name):
        """Return how a servo is; as in :meth:`Backend.read_health`."""
        self._require_open()
        self.require_known((name,))
        servo_id = self._servo_of(name).id
        servo = self._servos[servo_id]
        found = {} if servo.is_left_out else \
            self._line.read([servo_id], _HEALTH.start, len(_HEALTH)).found
        if servo_id not in found:
            return Health(lost_replies=servo.lost_replies)
        error, data = found[servo_id].error, found[servo_id].data
        at = {address: data[address - _HEALTH.start:] for address in _HEALTH}
        return Health(
            temperature_c=float(at[protocol.TEMPERATURE][0]),
            voltage_v=_VOLTS * at[protocol.VOLTAGE][0],
            current_a=_AMPERES * signed(word(at[protocol.CURRENT]), protocol.POSITION_SIGN),
            load=signed(word(at[protocol.LOAD]), protocol.LOAD_SIGN) / _FULL_LOAD,
            torque=at[protocol.TORQUE][0] == 1,
            lost_replies=servo.lost_replies,
            flags=protocol.flags(error | at[protocol.STATUS][0]))

    def clear_faults(self, names=None):
        """
        Make sure that no servo complains any more; as in :meth:`Backend.clear_faults`.

        A servo takes back by itself what was too hot or the wrong voltage; an overload it only
        forgets when its power is switched off.
        """
        self._require_open()
        words = []
        for name in self._driven(names):
            flags = self.read_health(name).flags
            if flags:
                words.append(f'{self._called(name)} complains of {" and ".join(flags)}'
                             + ('; switch the power of the arm off and on'
                                if 'overload' in flags else ''))
        if words:
            raise DriverError(self.name, '. '.join(words))

    def close(self):
        """Give the port back; as in :meth:`Backend.close`."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _servo_of(self, name):
        return self._drive[self._file.joints[name].same_as or name]

    def _driven(self, names):
        """Return those of some joints, or of all, that have a servo of their own."""
        names = self.joints if names is None else names
        self.require_known(names)
        return [name for name in names if name in self._drive]

    def _mains(self):
        """Return pairs of each joint's name and that of the joint whose servo drives it."""
        return [(name, self._file.joints[name].same_as or name) for name in self.joints]

    def _complaints(self, name, status):
        """Take note of a servo's EEPROM; return what is wrong with it, in a sentence or none."""
        words = identity.complaints(self._drive[name], status.data)
        self._servos[status.id].phase = status.data[protocol.PHASE]
        return [f'{self._called(name)} {"; ".join(words)}'] if words else []

    def _lost(self, name, reason):
        words = {'no answer': 'does not answer', 'garbled answer': 'is not understood (garbled '
                 'answer): a bad cable, or another servo with this id'}
        return f'{self._called(name)} {words.get(reason, reason)}'

    def _called(self, name):
        return f'{name} (id {self._drive[name].id})'

    def _require_open(self):
        if self._line is None:
            raise DriverError(self.name, 'not open')

    def _ask_one(self, servo_id, address, length):
        """Return one servo's :class:`~.protocol.Status` or ``None``, and the reason."""
        self._require_open()
        for _ in range(_TRIES):
            answers = self._line.read([servo_id], address, length)
            if servo_id in answers.found:
                return answers.found[servo_id], ''
        return None, answers.lost[servo_id]

    def _settle(self, names):
        """Read until these joints are believed; return those that are not, with reasons."""
        for _ in range(_FIRST_READINGS):
            missing = self.read().missing
            missing = {name: missing[name] for name in names if name in missing}
            if not missing:
                break
        return missing

    def _nobody(self, lost):
        hint = 'something answers, but not at this speed' if 'garbled answer' in lost.values() \
            else 'has the arm power of its own, and is this its speed?'
        return f'no servo answers on {self._file.port} at {self._file.baud} baud; {hint}'

    def _limit(self, names):
        """Have the servos themselves keep to the joints' speeds, and the gripper to its force."""
        blocks, forces = {}, {}
        for name in names:
            servo = self._drive[name]
            phase = self._servos[servo.id].phase
            unit = 1.0 if phase & protocol.FINE_SPEED else _COARSE_SPEED
            speed = ceil(_SPEED_MARGIN * self.joints[name].max_velocity
                         / servo.ticks.finest / unit)
            blocks[servo.id] = bytes(2) + two_bytes(min(speed, 0x7FFF))
            if servo.max_force is not None:
                forces[servo.id] = two_bytes(round(servo.max_force * _FULL_LOAD))
        self._line.write(protocol.GOAL_TIME, blocks)
        self._line.write(protocol.TORQUE_LIMIT, forces)

    def _judge(self, answers, readings, missing):
        for servo_id, status in answers.found.items():
            name, servo = self._names[servo_id], self._servos[servo_id]
            servo.misses = 0
            tick = signed(word(status.data), protocol.POSITION_SIGN)
            position = self._drive[name].ticks.position(tick)
            if not 0 <= tick <= _LAST_TICK:
                missing[name] = f'implausible answer: tick {tick}'
            elif not servo.plausibility.believes(position, answers.asked, answers.answered):
                missing[name] = f'implausible answer: a jump to {position:.1f}'
            else:
                readings[name] = JointReading(position, answers.asked)
                missing.pop(name, None)
        for servo_id, reason in answers.lost.items():
            self._servos[servo_id].reason = missing[self._names[servo_id]] = reason

    def _probe(self, readings, missing):
        """Ask one of those that are left out; each time if nobody else is there."""
        left_out = [servo_id for servo_id, servo in self._servos.items() if servo.is_left_out]
        due = self.clock() - self._probed_at >= _PROBE_PERIOD
        if left_out and (due or len(left_out) == len(self._servos)):
            self._probed_at = self.clock()
            servo_id = next(each for each in self._probes if each in left_out)
            if self._is_known(servo_id, missing):
                self._judge(self._line.read([servo_id], protocol.POSITION, 2), readings, missing)

    def _is_known(self, servo_id, missing):
        """Compare a servo that was not there at the start with the servos file."""
        servo, name = self._servos[servo_id], self._names[servo_id]
        if not servo.is_known:
            status = self._line.read([servo_id], 0, protocol.EEPROM_END).found.get(servo_id)
            complaints = self._complaints(name, status) if status else []
            servo.is_known = status is not None and not complaints
            if complaints:
                servo.reason = missing[name] = complaints[0]
        return servo.is_known
