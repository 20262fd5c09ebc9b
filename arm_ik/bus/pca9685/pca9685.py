# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Hobby servos on a PCA9685, which report nothing.

Where a joint is is known while its channel pulses: where the pulses send it. So the chip's own
registers are asked, also when it is opened: after a crash it continues, and joints are taken to
be where it holds them. Where a joint without pulses is, is not known. It starts by
:meth:`Pca9685.engage`: whoever calls that says that the joint is at home. A chip that has lost its
power sleeps: then no position is known any more.
"""

import time

from . import chip
from ..backend import BackendByFile, Health, JointReading, Snapshot
from ..families import FAMILIES
from ..maintenance import FoundServo, Maintenance
from ..torque import STAYS
from ...errors import DriverError

#: Why a joint is not read.
_UNKNOWN = 'no pulses: where it is is not known'

#: What a transfer of so many bytes takes on the wire [s], at 100 kHz.
_BYTE_TIME = 9e-5


class Pca9685(BackendByFile):
    """
    One arm's servos on a PCA9685 board; the ticks of its servos file are pulses [us].

    :raises DriverError: if the chip cannot make such pulses.
    """

    name = 'pca9685'
    has_feedback = False

    def __init__(self, model, servos, clock=time.monotonic):
        super().__init__(model, servos, clock)
        self._prescale = chip.prescale_of(servos.oscillator, servos.frequency)
        self._count = chip.count_time(servos.oscillator, self._prescale)
        least, most = (1e6 / (chip.COUNTS * chip.count_time(servos.oscillator, scale))
                       for scale in (chip.MOST_PRESCALE, chip.LEAST_PRESCALE))
        if not chip.LEAST_PRESCALE <= self._prescale <= chip.MOST_PRESCALE:
            raise DriverError(self.name, f'frequency {servos.frequency:g} Hz; allowed with this '
                              f'oscillator: {least:.1f} to {most:.0f} Hz')
        period = chip.COUNTS * self._count
        for main, servo in self._drive.items():
            if servo.ticks.last >= period:
                raise DriverError(self.name, f'pulses of {servo.ticks.last:g} us for {main}; at '
                                  f'{servos.frequency:g} Hz allowed: less than {period:.0f} us')
        self._held = {}     # set-points of the joints that have pulses, without second fingers

    @property
    def resolution(self):
        """Return what one count of a pulse moves, by joint name [rad, m]."""
        return {name: self._count * step for name, step in super().resolution.items()}

    @property
    def cycle_time(self):
        """Return what a look at the chip, all pulses and a health reading take at 100 kHz [s]."""
        look, block = 2 * 4, 7
        return (look + 6 * len(self._drive) + look + block) * _BYTE_TIME

    def open(self):  # noqa: A003
        """Open the bus and look which channels pulse; as in :meth:`Backend.open`."""
        if self._bus is not None:
            return
        self._bus = chip.Chip(self.name, self._file.port, self._file.address, self._prescale)
        self._held = {name: servo.ticks.position(self._count * self._bus.found[servo.channel])
                      for name, servo in self._drive.items() if servo.channel in self._bus.found}
        home = ', '.join(f'{name} {self.home[name]:.2f}' for name in self.joints)
        self.notes = [
            *self._narrowings,
            'all servos have pulses already: the arm is taken to be where they send it'
            if len(self._held) == len(self._drive) else
            f'these servos report no positions: ~/torque true says that the arm is at home '
            f'({home}). A servo that is elsewhere jumps there at full speed',
            'no stall guard: these servos report neither position nor load']

    def verify(self):
        """Make sure that no other program's pulses are disturbed; as in :meth:`Backend.verify`."""
        self.bus.require_free()
        foreign = []
        for name, position in self._held.items():
            ticks, step = self._drive[name].ticks, self.resolution[name]
            if not ticks.lower - step <= position <= ticks.upper + step:
                foreign.append(f'{name} has pulses of {ticks.tick(position):.0f} us, beyond its '
                               'range: of another program, or file. End that, and switch the '
                               'power of the board off and on')
        if foreign:
            raise DriverError(self.name, '; '.join(foreign))
        return {}

    def engage(self, names=None, most=STAYS):
        """
        Let channels pulse: where they do already, or else at home, where their joints have to be.

        As in :meth:`Backend.engage`.
        """
        names = list(self.joints) if names is None else names
        self.require_known(names)
        if not self.bus.runs():
            self._held.clear()
            self.bus.wake()
        for name in names:
            main = self._main[name]
            self._pulse(main, self._held.get(main, self.home[main]))
        return {name: self._held[self._main[name]] for name in names}

    def read(self):
        """Return where the pulses send the joints; as in :meth:`Backend.read`."""
        if not self.bus.runs():
            self._held.clear()
        now = self.clock()
        return Snapshot(self._of_all({name: JointReading(position, now, measured=False)
                                      for name, position in self._held.items()}),
                        self._of_all(dict.fromkeys(self._drive.keys() - self._held, _UNKNOWN)))

    def write(self, set_points):
        """Send joints that have pulses to set-points; as in :meth:`Backend.write`."""
        self.require_finite(set_points)
        for name in self._driven(set_points):
            if name in self._held:
                self._pulse(name, set_points[name])

    def set_torque(self, on, names=None):
        """
        End pulses, or repeat them; as in :meth:`Backend.set_torque`.

        :raises DriverError: to switch on a joint without a set-point: that is what
            :meth:`engage` is for.
        """
        for name in self._driven(names):
            if not on:
                self.bus.silence(self._drive[name].channel)
                self._held.pop(name, None)
            elif name in self._held:
                self._pulse(name, self._held[name])
            else:
                raise DriverError(self.name, f'no pulses for {name} without a set-point')

    def read_health(self, name):
        """Return whether a channel pulses; as in :meth:`Backend.read_health`."""
        self.require_known((name,))
        servo = self._drive[self._main[name]]
        pulses = self.bus.runs() and self.bus.counts(servo.channel) is not None
        if not pulses:
            self._held.pop(servo.name, None)
        return Health(torque=pulses)

    def _pulse(self, main, position):
        counts = self._drive[main].ticks.tick(position) / self._count
        self.bus.pulse(self._drive[main].channel, counts)
        self._held[main] = position


class Pca9685Maintenance(Maintenance):
    """Channels and pulses [us] without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, address, has_feedback = 'pca9685', 'channel', False
    family, ids = FAMILIES['pca9685'], range(chip.CHANNELS)

    def __init__(self, port, baud=None, address=0x40, frequency=50.0, oscillator=25e6, **_):
        prescale = chip.prescale_of(oscillator, frequency)
        self._count = chip.count_time(oscillator, prescale)
        self._chip = chip.Chip(self.name, port, address, prescale)
        self._pulses = {channel: each * self._count for channel, each in self._chip.found.items()}

    def find(self, servo_id):
        """See :meth:`Maintenance.find`; whether a servo is plugged in, nobody knows."""
        pulse = self._pulses.get(servo_id)
        return FoundServo(servo_id, pulse and round(pulse), health=Health(torque=bool(pulse)))

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        return {channel: self._pulses[channel] for channel in ids if channel in self._pulses}

    def write(self, ticks):
        """
        Send servos to pulses [us], by channel; one that has none yet may jump.

        :raises DriverError: while the chip makes pulses for another program.
        """
        for channel, pulse in ticks.items():
            if channel not in self._pulses and not self._chip.runs():
                self._chip.require_free()
                self._chip.wake()
            self._chip.pulse(channel, pulse / self._count)
            self._pulses[channel] = pulse

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._chip.close()
