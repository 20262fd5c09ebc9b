# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Torque comes on in random states of one servo, in every way there is, on all four serial families.

A state is its own limits, homing offset, mode, place (carried while limp, over the wrap-around of
its encoder, too), the goal that is left over, and whether it is exchanged while it has power. The
servos file means what is in the EEPROM, but for what a way of exchange changes. Counted are servos
that turn without anybody asking for torque, that get torque although it was refused, and healthy
ones (in position mode, inside their own limits, as in the file) that are refused.
"""

from math import pi
from random import Random
from tempfile import TemporaryDirectory

from arm_ik.drivers import ServoDriver
from arm_ik.drivers.servos_file import JointTicks
from arm_ik.errors import DriverError

from .emulated import serial_buses
from .figures import Figure, none_of, within

STATES, SHORT_STATES = 300, 4

#: How torque comes on; those that somebody asks for.
WAYS = ('start', 'torque', 'clear_faults', 'bus back', 'servo back', 'reboot', 'exchanged')
ASKED = ('torque',)

#: A turn [ticks] and the registers of torque and goal, by bus.
TURN = {'feetech': 4096, 'dynamixel': 4096, 'ax12': 1023 * 1.2, 'lx16a': 1500}
TORQUE = {'feetech': 40, 'dynamixel': 64, 'ax12': 24, 'lx16a': 31}

#: Without being asked, and if somebody asks, a servo may turn so far [deg].
_STAYS, _MOST = 1.5, 10.3


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    buses, figures = serial_buses(), []
    for bus in buses.BUSES:
        random, seen = Random(f'{seed} {bus.name}'), _Seen()
        with TemporaryDirectory() as folder, bus.emulated(folder, manual_time=True) as emulated:
            for number in range(SHORT_STATES if short else STATES):
                emulated.do('reset')
                seen.look(_State(bus, emulated, buses.Time(emulated), random))
                if number % 50 == 49:
                    say(f'{bus.name}: {number + 1} states')
        figures += seen.figures(bus.name)
    return figures


class _Seen:
    def __init__(self):
        self.unasked, self.asked, self.refused_on, self.healthy, self.count = [], [], 0, [], 0
        self.claims = 0

    def look(self, state):
        state.bring_torque()
        self.count += 1
        (self.asked if state.way in ASKED else self.unasked).append(state.moved)
        self.refused_on += state.refused and state.holds
        self.claims += state.moved > _STAYS and 'holds' in state.words
        if state.is_healthy:
            self.healthy.append(not state.refused)

    def figures(self, name):
        return [within(f'{name}: unasked, a servo turns', [0.0, *self.unasked], _STAYS, 'degrees'),
                within(f'{name}: asked for torque, a servo turns', [0.0, *self.asked], _MOST,
                       'degrees'),
                none_of(f'{name}: refused, and torque is on', self.refused_on, self.count),
                none_of(f'{name}: said to hold, and turns', self.claims, self.count),
                none_of(f'{name}: a healthy one is refused', self.healthy.count(False),
                        self.count),
                Figure(f'{name}: states', '', str(self.count))]


class _State:
    """
    One servo, the elbow's, in a random state, and an arm around it that is well.

    ``moved`` is by how much it has turned [deg], ``refused`` whether its torque was, in ``words``.
    """

    def __init__(self, bus, emulated, time, random):
        self._bus, self._emulated, self._time = bus, emulated, time
        self.id, self.name, self._turn = bus.ids[bus.elbow], bus.elbow, TURN[bus.name]
        self.way = random.choice(WAYS)
        last = bus.last_tick
        width = round(self._turn * random.uniform(0.15, 0.4))
        lower = random.randrange(0, last - width)
        self.mode = random.random() < 0.85 or self.way == 'exchanged'
        offset = random.choice((0, 0, random.randrange(-1500, 1500)))
        inside = random.random() < 0.5
        place = random.randrange(lower, lower + width + 1) if inside else round(
            random.choice((lower, lower + width)) + random.gauss(0.0, self._turn / 40))
        low = -250 if bus.name == 'lx16a' else 0
        place = min(max(place, low), 1250 if bus.name == 'lx16a' else last)
        self._limits = lower, lower + width
        self._write(self._registers(offset))
        emulated.do('push', servo_id=self.id, position=place)
        # An X servo counts on over the wrap-around of its encoder, as long as it is limp.
        self.is_healthy = self.mode and lower <= place <= lower + width and (
            bus.name != 'dynamixel' or 0 < place - offset < 4096) and self.way != 'exchanged'
        self._leave_goal(random.randrange(0, last))
        emulated.do('write', servo_id=self.id, address=TORQUE[bus.name], value=0)
        self._random, self.words, self.refused = random, '', False

    def _registers(self, offset):
        lower, upper = self._limits
        name, mode = self._bus.name, self.mode
        if name == 'feetech':
            code = abs(offset) | (0x800 if offset < 0 else 0)
            return {9: lower, 11: upper, 31: code, **({} if mode else {33: 1, 46: 300})}
        if name == 'dynamixel':
            return {52: lower, 48: upper, 20: offset, **({} if mode else {11: 1, 104: 50})}
        if name == 'ax12':
            return {6: lower, 8: upper} if mode else {6: 0, 8: 0, 32: 300}
        return {20: lower | upper << 16, **({} if mode else {29: 1 | 300 << 16})}

    def _write(self, registers):
        for address, value in registers.items():
            self._emulated.do('write', servo_id=self.id, address=address, value=value)

    def _leave_goal(self, goal):
        if self._bus.name == 'lx16a':
            self._emulated.do('servo', servo_id=self.id, goal=float(goal))
        else:
            self._write({{'feetech': 42, 'dynamixel': 116, 'ax12': 30}[self._bus.name]: goal})

    @property
    def _actual(self):
        return self._emulated.do('state', servo_id=self.id)['actual']

    @property
    def holds(self):
        state = self._emulated.do('state', servo_id=self.id)
        return bool(state['ram'][TORQUE[self._bus.name]])

    def _run(self, driver, seconds):
        for _ in range(round(seconds / 0.02)):
            self._time.advance(0.02)
            self._look()
            driver.turn()

    def _look(self):
        half = 0.5 * self._turn     # a count of turns that begins anew is no motion
        turned = (self._actual - self._begin + half) % self._turn - half
        self.moved = max(self.moved, abs(turned) / self._turn * 360.0)

    def bring_torque(self):
        """Let torque come on, and time pass."""
        self._begin, self.moved = self._actual, 0.0
        half = pi * (self._limits[1] - self._limits[0]) / self._turn
        joint = self._bus.changed(self.name, model=None, homing_offset=None,
                                  ticks=JointTicks(self._limits, (-half, half)))
        driver = ServoDriver(self._bus.backend(self._emulated.port, joint, clock=self._time), 0.0,
                             clock=self._time, stamp_clock=self._time, sleep=self._time.advance)
        try:
            driver.connect()
            self._run(driver, 0.3)
            self.refused = self.name in driver.monitor.refused
            getattr(self, f'_by_{self.way.replace(" ", "_")}')(driver)
            self._run(driver, 1.5)
            self.words = f'{self.words} {driver.condition}'
        except DriverError as error:
            self.refused, self.words = True, str(error)
        finally:
            driver.close()
        self._time.advance(0.5)
        self._look()

    def _by_start(self, driver):
        pass

    def _by_torque(self, driver):
        off = driver.set_torque(False)
        driver.turn()
        off.result(0)
        answer = driver.set_torque(True)
        driver.turn()
        self.refused = answer.exception() is not None
        self.words = str(answer.exception() or answer.result() or 'holds')

    def _by_clear_faults(self, driver):
        driver.clear_faults()

    def _by_bus_back(self, driver):
        self._emulated.do('unplug')
        self._run(driver, 0.2)
        self._emulated.do('plug')

    def _by_servo_back(self, driver):
        self._emulated.do('servo', servo_id=self.id, present=False)
        self._run(driver, 0.6)
        self._emulated.do('servo', servo_id=self.id, present=True)

    def _by_reboot(self, driver):
        self._emulated.do('power_cycle', servo_id=self.id)

    def _by_exchanged(self, driver):
        self._emulated.do('servo', servo_id=self.id, present=False)
        self._run(driver, 0.6)
        low = max(0, self._limits[0] - round(self._turn / 5))
        self._limits = low, low + round(self._turn / 10)
        self._write({TORQUE[self._bus.name]: 0})
        self._write(self._registers(self._random.randrange(-800, 800)))
        self._emulated.do('servo', servo_id=self.id, present=True)
        self.refused = True
