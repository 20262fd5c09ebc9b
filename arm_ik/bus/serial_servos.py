# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What all serial servo buses have in common; how their servos are spoken to, each says itself.

A servo that does not answer may silence those that would answer after it: they are asked once more
without it. After a few misses it is left out, and asked by itself from time to time. Nothing is
ever written to an EEPROM.
"""

from functools import reduce
from itertools import cycle
from math import pi
import time

from .backend import BackendByFile, Health, JointReading, Snapshot
from .families import FAMILIES
from .readings import IMPLAUSIBLE, Plausibility
from .serial_line import BUSY, heard, lateness, NoAnswerError, SerialLine, SLOWER, tried
from .serial_port import lasting, SerialPort, timer_file
from .torque import SLOWLY, STAYS, TorqueRefusedError, turn_of
from ..errors import DriverError

#: Misses in a row after which a servo is left out.
_MISSES = 3

#: How often one that is left out is asked again [s].
_PROBE_PERIOD = 0.25

#: Tries before a servo is said not to answer, or not to obey.
TRIES = 3

#: Readings in which a joint at rest has to be believed.
_FIRST_READINGS = 10

#: Ticks that the reading of a joint at rest may flicker.
_FLICKER = 3

#: A servo by itself may be so much faster than set-points, to catch up with them.
_SPEED_MARGIN = 1.2


class _Servo:
    """What is known of one servo while the bus is open."""

    def __init__(self, joint, ticks):
        self.plausibility = Plausibility(joint.max_velocity, _FLICKER * ticks.resolution)
        self.misses = 0
        self.reason = 'no answer'       # of the last miss
        self.lost_replies = 0
        self.is_known = True    # else it was not there to be compared with the servos file
        self.tick = None        # where it is, if its last answer was believed

    @property
    def is_left_out(self):
        return self.misses >= _MISSES or not self.is_known


class SerialServos(BackendByFile):
    """
    One arm's servos on a serial port.

    The methods from :meth:`begin` on may be the bus's own. They speak of servos by their ids and
    of positions in ticks. What they send goes over ``bus``, which knows what servos have said of
    themselves; what the servos file says is in ``_drive``.
    """

    #: The subclass of :class:`~.serial_line.SerialLine`.
    line_kind: type[SerialLine]

    def __init__(self, model, servos, clock=time.monotonic):
        super().__init__(model, servos, clock)
        self._names = {servo.id: name for name, servo in self._drive.items()}
        self._lasting_port = servos.port
        self.last_tick = FAMILIES[servos.family].last_tick
        self._unit = FAMILIES[servos.family].turn / (2.0 * pi)      # ticks per radian

    @property
    def cycle_time(self):
        """Return what reading, writing and one health reading take on the wire [s]."""
        line, baud = self.line_kind, self._file.baud
        ids = [servo_id for name in self._drive for servo_id in self._ids(name)]
        return (line.read_duration(ids, line.position_block, baud)
                + 10.0 * len(line.goals(dict.fromkeys(self._names, 0))) / baud
                + sum(line.read_duration(ids[:1], block, baud) for block in line.health_blocks))

    def open(self):  # noqa: A003
        """Open the port and look where the joints are; as in :meth:`Backend.open`."""
        if self._bus is None:
            port = SerialPort(self.name, self._lasting_port, self._file.baud)
            self._lasting_port = lasting(self._lasting_port)
            self.notes = list(self._narrowings)
            self._bus = self.line_kind(port, self._file.patience, self.clock)
            self.turning = {}
            self.begin()
            self._servos = {servo.id: _Servo(self.joints[name], servo.ticks)
                            for name, servo in self._drive.items()}
            self._probes = cycle(self._servos)
            self._probed_at = self.clock()
            self._settle(self._drive)

    def verify(self):
        """Compare every servo with the servos file; as in :meth:`Backend.verify`."""
        wrong, lost = [], {}
        for servo_id, name in self._names.items():
            try:
                wrong += self._sentence(name, tried(self.identify, servo_id, tries=TRIES))
                self._servos[servo_id].misses = 0       # it is there
            except NoAnswerError as error:
                lost[name] = str(error)
            self._servos[servo_id].is_known = name not in lost
        nobody = len(lost) == len(self._names)
        if not nobody:
            lost.update(self._settle([name for name in self._drive if name not in lost]))
        late = next(filter(None, map(self.bus.latency, self._names)), 0.0)
        slowness = f'{self._file.port}: {lateness(late)}'
        if lost and late > self.bus.patience + BUSY:
            raise DriverError(self.name, slowness)
        if nobody:
            hint = 'something answers, but not at this speed' if 'garbled answer' in lost.values()\
                else 'has the arm power of its own, and is this its speed?'
            raise DriverError(self.name, f'no servo answers on {self._file.port} at '
                                         f'{self._file.baud} baud; {hint}')
        missing = {name: self._lost(name, reason) for name, reason in lost.items()}
        if wrong:
            raise DriverError(self.name, '. '.join([*wrong, *missing.values()]))
        for servo in self._servos.values():
            servo.lost_replies = 0      # first readings are believed only together
        if late > self.bus.patience + SLOWER:
            self.notes.append(slowness)
        elif late + self.cycle_time > 1.0 / self._file.bus_rate:
            self.notes.append(
                f'answers come {1e3 * late:.0f} ms late, so that a turn of the bus takes '
                f'{1e3 * (late + self.cycle_time):.0f} ms and more instead of '
                f'{1e3 / self._file.bus_rate:.0f}. An FTDI adapter is prompt after: echo 1 | sudo '
                f'tee {timer_file(self._file.port)}')
        return self._of_all(missing)

    def turns(self, names=None, most=STAYS):
        """Ask the servos and their shadows; as in :meth:`Backend.turns`."""
        turning, refused = {}, {}
        for name in self._driven(names):
            servo = self._drive[name]
            words = heard(self.identify, servo.id, tries=TRIES)
            words = ['does not answer'] if words is None else words
            for each, tick in self.bus.ticks(self._ids(name)).found.items() if not words else ():
                if heard(self.bus.holds, each, tries=TRIES):
                    continue        # it is where it holds
                turn, objection = turn_of(self.bus.known[each], tick, self._unit, most)
                if objection:
                    words.append(objection)
                if abs(turn) > STAYS:
                    turning[name] = turn
            words = words or self.doubts(servo.id, self._servos[servo.id].tick)
            if words:
                refused[name] = self._sentence(name, words)[0]
        if refused:
            raise TorqueRefusedError(self.name, refused)
        return turning

    def engage(self, names=None, most=STAYS):
        """Switch torque on where the joints are; as in :meth:`Backend.engage`."""
        self._settle(self._driven(names))
        held = super().engage(names, most)
        for name in held:
            if self._main[name] in self.turning:    # it goes to the nearest goal
                servo = self._drive[self._main[name]]
                held[name] = servo.ticks.position(
                    self._inside(servo.id, self._servos[servo.id].tick))
        return held

    def read(self):
        """Return where the joints are; as in :meth:`Backend.read`."""
        self._welcome()
        readings = {}
        missing = {self._names[servo_id]: servo.reason for servo_id, servo in self._servos.items()}
        ids = [servo_id for servo_id, servo in self._servos.items() if not servo.is_left_out]
        for _ in range(2):
            if not ids:
                break
            answers = self._ask_positions(ids)
            self._judge(answers, readings, missing)
            lost = list(answers.lost)
            for servo_id in lost[:1] if self.bus.is_together else lost:
                servo = self._servos[servo_id]
                servo.misses += 1   # one that was left out may be back as another
                servo.is_known = servo.is_known and servo.misses < _MISSES
            ids = lost[1:] if self.bus.is_together else []    # silenced perhaps by the first
        self._probe()
        self._end_slowness()
        self.bus.require_alone()
        for servo_id, name in self._names.items():
            self._servos[servo_id].lost_replies += name in missing
        return Snapshot(self._of_all(readings), self._of_all(missing))

    def write(self, set_points):
        """Write set-points; as in :meth:`Backend.write`."""
        self.require_finite(set_points)
        servos = [self._drive[name] for name in self._driven(set_points)]
        self._send_goals({
            servo.id: self._inside(servo.id, round(servo.ticks.tick(set_points[servo.name])))
            for servo in servos if self._servos[servo.id].is_known})

    def set_torque(self, on, names=None):
        """Switch torque and read it back; as in :meth:`Backend.set_torque`."""
        names = {servo_id: name for name in self._driven(names) for servo_id in self._ids(name)}
        waiting = list(names)
        for _ in range(TRIES):
            self._send_torque(waiting, on)
            # One that does not answer is missing from what is read, and no error here.
            waiting = [servo_id for servo_id in waiting
                       if heard(self._ask_torque, servo_id, tries=TRIES) == (not on)]
            if not waiting:
                return
        called = ', '.join(f'{names[servo_id]} (id {servo_id})' for servo_id in waiting)
        raise DriverError(self.name, f'no torque {"on" if on else "off"} at {called}, whatever is '
                                     'written')

    def read_health(self, name):
        """Return how a servo is; as in :meth:`Backend.read_health`."""
        self.require_open()
        self.require_known((name,))
        ids = self._ids(self._main[name])
        servo = self._servos[ids[0]]
        health = None if servo.is_left_out else heard(
            lambda: reduce(_together, map(self._ask_health, ids)))
        return (health or Health())._replace(lost_replies=servo.lost_replies)

    def clear_faults(self, names=None):
        """Make servos forget their faults; as in :meth:`Backend.clear_faults`."""
        words = []
        for name in self._driven(names):
            flags = self.read_health(name).flags
            remedy = self._remedy(self._drive[name].id, flags) if flags else None
            if remedy is not None:
                words.append(f'{self._called(name)} complains of {" and ".join(flags)}{remedy}')
        if words:
            raise DriverError(self.name, '. '.join(words))

    # What a bus may do otherwise.

    def begin(self):
        """Take note that nothing is known of the servos yet."""

    def identify(self, servo_id):
        """
        Compare a servo with the servos file, by one question.

        :returns: list of what is wrong, in words.
        """
        name, facts = self._names[servo_id], self.bus.facts(servo_id)
        self._note(name, facts.advice)
        return [*self.complaints(self._drive[name], facts), *self.bus.weakness(
            servo_id, self._drive[name].max_force is not None)]

    def complaints(self, servo, facts):
        """Yield in words what of a servo is unlike the servos file, or cannot be driven."""
        yield from facts.odd
        if not facts.is_known:
            return
        if servo.model and not self.bus.is_called(servo.model, facts.model):
            yield f'is a {facts.model}; the servos file says {servo.model}'
        if servo.homing_offset not in (None, facts.offset):
            yield (f'has the homing offset {facts.offset}; the servos file says '
                   f'{servo.homing_offset}: it was calibrated since, by this or another tool; '
                   'calibrate again')
        first, last = servo.ticks.first, servo.ticks.last
        if facts.upper and not facts.lower <= first <= last <= facts.upper:
            registers = facts.limit_registers and f' (registers {facts.limit_registers})'
            yield (f'goes only from tick {facts.lower} to {facts.upper}{registers}; the servos '
                   f'file says {first:g} to {last:g}')

    def doubts(self, servo_id, tick):
        """Return in words why a servo that is there is not switched on."""
        return []

    def _ask_positions(self, ids):
        """Return :class:`~.serial_line.Answers` with the tick of each servo."""
        return self.bus.ticks(ids)

    def _send_goals(self, ticks):
        """Send servos to ticks, by id."""
        self.bus.send_goals(ticks)

    def _send_torque(self, ids, on):
        """Switch the torque of servos."""
        if on:
            self._write_limits(ids)
        self.bus.send_torque(ids, on)

    def _ask_torque(self, servo_id):
        """Return whether a servo holds."""
        return self.bus.holds(servo_id)

    def _ask_health(self, servo_id):
        """Return a servo's :class:`~.backend.Health`."""
        return self.bus.health(servo_id)

    def limits(self, name, facts):
        """
        Yield what has a servo itself keep to its joint's speed, and a gripper to its force.

        :returns: registers and what is to be written there.
        """
        return ()

    def _remedy(self, servo_id, flags):
        """
        Make a servo forget what it complains of, if that can be done; no joint moves, none falls.

        :returns: ``None`` if it has; else what its owner has to do before, to follow a sentence.
        """
        return self.bus.remedy(flags)

    def _is_reading(self, servo_id, tick):
        """Return whether a servo can be there."""
        return 0 <= tick <= self.last_tick

    # What helps them.

    def _ids(self, name):
        """Return the ids of the servo that drives a joint, and of its shadows."""
        return self._drive[name].id, *self._drive[name].shadow_ids

    def _sentence(self, name, words):
        return [f'{self._called(name)} {"; ".join(words)}'] if words else []

    def _note(self, name, words):
        note = f'{self._called(name)} {words}'
        if words and note not in self.notes:
            self.notes.append(note)

    def _write_limits(self, ids):
        """Have servos themselves keep to their speed and their force."""
        limits = {}     # blocks for each register, by id
        for servo_id in ids:
            name, facts = self._names.get(servo_id), self.bus.known.get(servo_id)
            for address, data in self.limits(name, facts) if name and facts else ():
                limits.setdefault(address, {})[servo_id] = data
        for address, blocks in limits.items():
            self.bus.write(address, blocks)

    def _force(self, name, full, most, reason):
        """
        Return a joint's force in counts: that of the file, or the less that its servo allows.

        :param full: the counts of a servo's whole force.
        :param most: what is allowed.
        :param reason: what says so.
        """
        wanted = round(self._drive[name].max_force * full)
        if most < wanted:
            self._note(name, f'grips with {100 * most / full:.0f} % instead of '
                             f'{100 * wanted / full:.0f} %: its {reason}')
        return min(wanted, most)

    def _speed(self, name, unit=1.0):
        """Return how fast a joint's servo may be by itself, in so many ticks a second."""
        if name in self.turning:
            return max(1.0, SLOWLY * self._unit // unit)
        return _SPEED_MARGIN * self.joints[name].max_velocity \
            / self._drive[name].ticks.finest / unit

    def _inside(self, servo_id, tick):
        """Return the nearest tick that a servo takes as a goal."""
        facts = self.bus.known.get(servo_id)
        return facts.goal(tick) if facts and facts.upper else min(max(tick, 0), self.last_tick)

    def _lost(self, name, reason):
        words = {'no answer': 'does not answer', 'garbled answer': 'is not understood (garbled '
                 'answer): a bad cable, or another servo with this id'}
        gives = 'gives an ' * reason.startswith(IMPLAUSIBLE)
        return f'{self._called(name)} {gives}{words.get(reason, reason)}'

    def _called(self, name):
        return f'{name} (id {self._drive[name].id})'

    def _settle(self, names):
        """Read until these joints are believed; return those that are not, with reasons."""
        for _ in range(_FIRST_READINGS):
            missing = self.read().missing
            missing = {name: missing[name] for name in names if name in missing}
            if not missing:
                break
        return missing

    def _judge(self, answers, readings, missing):
        for servo_id, tick in answers.found.items():
            name, servo = self._names[servo_id], self._servos[servo_id]
            servo.misses, servo.tick = 0, None
            position = self._drive[name].ticks.position(tick)
            speed = self.bus.speed(answers.data[servo_id]) * (
                self._drive[name].ticks.position(tick + 1) - position)
            if not self._is_reading(servo_id, tick):
                missing[name] = f'{IMPLAUSIBLE}: tick {tick}'
            elif not servo.plausibility.believes(position, answers.asked, answers.answered):
                missing[name] = f'{IMPLAUSIBLE}: a jump to {position:.1f}'
            else:
                servo.tick = tick
                readings[name] = JointReading(position, answers.asked, velocity=speed)
                missing.pop(name, None)
        for servo_id, reason in answers.lost.items():
            self._servos[servo_id].tick = None
            self._servos[servo_id].reason = missing[self._names[servo_id]] = reason

    def _end_slowness(self):
        """Let joints that have come to the limits of their servos go at their own speed again."""
        for name in list(self.turning):
            servo = self._servos[self._drive[name].id]
            if servo.tick is not None and abs(
                    servo.tick - self._inside(self._drive[name].id, servo.tick)) <= _FLICKER:
                del self.turning[name]
                self._write_limits([self._drive[name].id])

    def _probe(self):
        """Ask one of those that are left out; each time if nobody else is there."""
        left_out = [servo_id for servo_id, servo in self._servos.items() if servo.is_left_out]
        due = self.clock() - self._probed_at >= _PROBE_PERIOD
        if left_out and (due or len(left_out) == len(self._servos)):
            self._probed_at = self.clock()
            self.bus.call(next(each for each in self._probes if each in left_out))

    def _welcome(self):
        """Ask those again that have answered; before, one that is not known is compared."""
        while self.bus.callers:
            servo_id = self.bus.callers.pop()
            servo = self._servos[servo_id]
            servo.misses = 0
            if not servo.is_known:
                words = heard(self.identify, servo_id)
                servo.is_known = words == []
                if words:
                    servo.reason = self._sentence(self._names[servo_id], words)[0]


def _together(one, other):
    """Return the health of two servos on a joint: the worse of each."""
    return one._replace(
        temperature_c=max(one.temperature_c, other.temperature_c),
        voltage_v=min(one.voltage_v, other.voltage_v), strain=max(one.strain, other.strain),
        torque=one.torque and other.torque, flags=tuple(dict.fromkeys(one.flags + other.flags)))


class TorqueByGoal(SerialServos):
    """
    Servos that take a goal for an order to hold: one that does not hold is given none.

    After a brown-out a set-point would give such a servo its torque back, without the limits of
    its speed and force, and nobody would notice that it was ever lost. So each reading brings
    along whether a servo holds, and one that has not answered is given no goal before it is heard
    again.
    """

    def begin(self):
        """As in :class:`.SerialServos`."""
        self._holding = set()   # ids of those that have said so, asked last
        self._goals = {}        # the last of each servo, by id

    def _ask_positions(self, ids):
        answers = self.bus.ticks(ids)
        self._holding.difference_update(ids)
        self._holding.update(each for each, data in answers.data.items() if self.bus.is_held(data))
        return answers

    def _send_goals(self, ticks):
        self._goals.update(ticks)
        self._write_goals(self._holding.intersection(ticks))

    def _send_torque(self, ids, on):
        if on:
            self._write_goals(self._goals.keys() & ids)
        super()._send_torque(ids, on)   # limits, too, may bring torque, so they come after goals

    def _ask_torque(self, servo_id):
        self._holding.discard(servo_id)
        holds = self.bus.holds(servo_id)
        if holds:
            self._holding.add(servo_id)
        return holds

    def _ask_health(self, servo_id):
        self._holding.discard(servo_id)
        health = self.bus.health(servo_id)
        if health.torque:
            self._holding.add(servo_id)
        return health

    def _write_goals(self, ids):
        self.bus.send_goals({servo_id: self._goals[servo_id] for servo_id in ids})
