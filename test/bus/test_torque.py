# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Torque on moves nothing: servos whose limits, offset or mode are not where their joint is."""

from math import degrees
import re

from arm_ik.bus.families import bus_kind
from arm_ik.bus.torque import RUNS
from arm_ik.drivers import ServoDriver
from arm_ik.drivers.servos_file import JointTicks
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL, FEETECH, LX16A
import pytest

#: The register of the upper limit of each family, and what stands there for a lower and an upper.
LIMITS = {
    'feetech': lambda lower, upper: {9: lower, 11: upper},
    'dynamixel': lambda lower, upper: {52: lower, 48: upper},
    'ax12': lambda lower, upper: {6: lower, 8: upper},
    'lx16a': lambda lower, upper: {20: lower | upper << 16}}

#: Modes in which a servo does not go to a position, by family: what has to be written for them.
MODES = [(FEETECH, {33: 1, 46: 500}), (FEETECH, {33: 2, 44: 500}), (FEETECH, {33: 3}),
         (DYNAMIXEL, {11: 0, 102: 500}), (DYNAMIXEL, {11: 1, 104: 100}), (DYNAMIXEL, {11: 16}),
         (AX12, {6: 0, 8: 0, 32: 500}), (LX16A, {29: 1 | 500 << 16})]

TORQUE = {'feetech': 40, 'dynamixel': 64, 'ax12': 24, 'lx16a': 31}

TURN = {'feetech': 4096, 'dynamixel': 4096, 'ax12': 1023 * 1.2, 'lx16a': 1500}


class Outside:
    """
    An arm whose elbow's servo is outside of its own limits, by an angle [deg].

    ``moved`` is by how much the servo has turned since, at most [deg], ``fastest`` how fast in a
    third of a second [deg/s].
    """

    def __init__(self, bus, emulated, time, make, by):
        self.bus, self.emulated, self.time = bus, emulated, time
        self.id, self.begin = bus.ids[bus.elbow], bus.ticks[bus.ids[bus.elbow]]
        self.upper = round(self.begin - by / 360.0 * TURN[bus.name])
        lower = self.upper - round(TURN[bus.name] / 6)
        for register, value in LIMITS[bus.name](lower, self.upper).items():
            emulated.do('write', servo_id=self.id, address=register, value=value)
        ticks = lower, self.upper
        positions = [bus.position(bus.elbow, tick) for tick in ticks]
        self.moved, self.fastest = 0.0, 0.0
        self.driver = ServoDriver(make(bus.changed(bus.elbow, ticks=JointTicks(ticks, positions))),
                                  0.0, clock=time, stamp_clock=time, sleep=time.advance)
        self.driver.connect()

    def run(self, seconds):
        """Let time pass, with the turns of the bus."""
        places = [self.at] * 16
        for _ in range(round(seconds / 0.02)):
            self.time.advance(0.02)
            self.driver.turn()
            places = [*places[1:], self.at]
            self.moved = max(self.moved, self.degrees(self.at - self.begin))
            self.fastest = max(self.fastest, self.degrees(places[-1] - places[0]) / 0.3)
        return self

    @property
    def at(self):
        return self.emulated.position(self.id)

    def degrees(self, ticks):
        return abs(ticks) * 360.0 / TURN[self.bus.name]

    @property
    def holds(self):
        return self.emulated.do('state', servo_id=self.id)['torque']

    def ask_for_torque(self):
        answer = self.driver.set_torque(True)
        self.run(0.02)
        return answer


@pytest.fixture
def outside(bus, emulated, time, make):
    return lambda by: Outside(bus, emulated, time, make, by)


def test_a_servo_that_would_turn_far_gets_no_torque_whoever_asks(outside):
    arm = outside(44.0).run(1.0)
    assert (arm.moved, arm.holds) == (0.0, False)
    words = f'is at tick {arm.begin}, and its own limits are .* to {arm.upper}'
    with pytest.raises(DriverError, match=f'{arm.bus.elbow} .id 3. {words}.* turn by 4[34]'):
        arm.ask_for_torque().result(0)
    arm.run(1.0)
    assert (arm.moved, arm.holds) == (0.0, False)
    assert re.search(words, arm.driver.condition)
    assert arm.driver.status['torque'] == 'off' and 'holds' not in arm.driver.condition
    assert arm.emulated.do('state', servo_id=1)['torque']       # a healthy one


def test_one_a_little_outside_goes_to_its_limit_slowly_if_somebody_asks_for_torque(outside):
    arm = outside(6.0).run(0.5)
    assert (arm.moved, arm.holds) == (0.0, False)
    assert 'with ~/torque true' in arm.driver.condition
    answer = arm.ask_for_torque().result(0)
    assert re.search(f'{arm.bus.elbow} goes (5.9|6.[01]) deg to the limit of its servo', answer)
    arm.run(1.5)
    assert arm.holds and abs(arm.at - arm.upper) <= 1
    assert arm.fastest < 13.0       # of which ticks and the last of the way are a part
    inside = arm.upper - round(TURN[arm.bus.name] / 24)
    arm.driver.command([arm.bus.elbow], [arm.bus.position(arm.bus.elbow, inside)])
    arm.fastest = 0.0
    arm.run(1.0)
    assert abs(arm.at - inside) <= 1 and arm.fastest > 20.0     # at its own speed again
    arm.driver.set_torque(False)
    arm.run(0.1)
    assert arm.driver.condition == 'torque is off'      # what was refused is over


def test_one_that_is_hardly_outside_stays_there(outside):
    arm = outside(1.0).run(1.0)
    assert arm.holds and arm.moved <= 1.5 and arm.driver.condition == ''


@pytest.mark.parametrize('bus', [DYNAMIXEL], ids=['dynamixel'])
def test_one_carried_over_the_wrap_around_of_its_encoder_gets_no_torque(
        bus, emulated, time, make):
    emulated.do('write', servo_id=3, address=20, value=-512)
    emulated.do('push', servo_id=3, position=3500)
    emulated.do('push', servo_id=3, position=3700)
    positions = [bus.position(bus.elbow, tick) for tick in (2500, 3800)]
    driver = ServoDriver(make(bus.changed(bus.elbow, ticks=JointTicks((2500, 3800), positions))),
                         0.0, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect()
    assert 'across the wrap-around of its encoder: it would turn by 360.0 deg' in driver.condition
    with pytest.raises(DriverError, match='mode 4'):
        answer = driver.set_torque(True)
        driver.turn()
        answer.result(0)
    time.advance(2.0)
    assert emulated.position(3) == 3700


@pytest.mark.parametrize('bus, registers', MODES, ids=lambda it: getattr(it, 'name', str(it)))
def test_a_servo_in_another_mode_gets_no_torque(bus, registers, emulated, time, make):
    backend = make()
    backend.open()
    for register, value in registers.items():
        emulated.do('write', servo_id=3, address=register, value=value)
    before = emulated.do('state', servo_id=3)['actual']
    with pytest.raises(DriverError, match='id 3. (runs|turns without end)'):
        backend.engage()
    time.advance(1.0)
    state = emulated.do('state', servo_id=3)
    assert (state['actual'], state['torque']) == (before, False)
    backend.close()


def test_a_servo_exchanged_while_it_was_silent_is_compared_and_asked_anew(
        bus, emulated, time, make):
    driver = ServoDriver(make(), 0.0, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect()

    def run(seconds):
        for _ in range(round(seconds / 0.02)):
            time.advance(0.02)
            driver.turn()

    emulated.do('servo', servo_id=3, present=False)
    run(0.6)
    emulated.do('remove', servo_id=3)
    emulated.do('add', **bus.servo(3, position=bus.ticks[3] - 20))
    lower = bus.ticks[3] - 200
    for register, value in LIMITS[bus.name](lower, bus.ticks[3] - 150).items():
        emulated.do('write', servo_id=3, address=register, value=value)
    emulated.do('write', servo_id=3, address=TORQUE[bus.name], value=1)
    begin = emulated.position(3)
    emulated.do('servo', servo_id=3, blocked=True)      # by its own limits it would turn at once
    run(1.5)
    emulated.do('requests')
    run(0.3)
    assert emulated.position(3) == begin
    assert 'goes only from tick' in driver.snapshot.missing[bus.elbow]
    written = [bus.servos.written(bytes.fromhex(request)) for request in emulated.do('requests')]
    assert not [each for each in written if each and 3 in each[1]]


@pytest.mark.parametrize('speed', [100.0, 12.0])
def test_a_servo_that_runs_when_its_torque_comes_is_switched_off(
        bus, emulated, time, make, speed):
    driver = ServoDriver(make(), 0.0, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect()
    begin = emulated.do('state', servo_id=3)['actual']
    for turn in range(1, 50):
        degree = 0.01 * turn * speed
        emulated.do('servo', servo_id=3, actual=begin + degree * TURN[bus.name] / 360.0)
        time.now += 0.01
        driver.turn()
        driver.turn()
        if not emulated.do('state', servo_id=3)['torque']:
            break
    assert degree <= degrees(RUNS) + 2.5 and turn < 40
    assert f'{bus.elbow} ran as soon as it had torque, and was switched off' in driver.condition
    assert emulated.do('state', servo_id=1)['torque']


@pytest.mark.parametrize('bus', [FEETECH], ids=['feetech'])
def test_no_write_switches_a_servo_on_that_was_switched_off(bus, emulated, time, make):
    for servo_id in bus.ticks:
        emulated.do('servo', servo_id=servo_id, any_goal=True)
    driver = ServoDriver(make(), 0.0, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect()
    off = driver.set_torque(False)
    driver.turn()
    off.result(0)
    emulated.do('requests')
    for _ in range(20):
        time.advance(0.02)
        driver.turn()
    driver.clear_faults()
    driver.turn()
    driver.close()
    with bus_kind('feetech')(emulated.port, patience=0.15) as tools:
        tools.write_settings(3, {'homing offset': 7})
    goals = [request for request in map(bytes.fromhex, emulated.do('requests'))
             if (written := bus.servos.written(request)) and written[0] <= 42 < written[0] + max(
                 map(len, written[1].values()))]
    assert goals == []
