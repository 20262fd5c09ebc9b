# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which commands reach the servos, and what happens when none come."""

from dataclasses import replace

from arm_ik.drivers import ServoDriver
from arm_ik.drivers.simulated import Simulated
from arm_ik.errors import DriverError, InvalidInputError
import pytest
from small_arm import HOME, MODEL, Time


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def driver(time):
    return make_driver(time)


def make_driver(time, backend=None, **options):
    backend = backend or Simulated(MODEL, clock=time)
    backend.connect()
    return ServoDriver(backend, MODEL, **{'clock': time, 'stamp_clock': time, **options})


def stream(driver, time, names, positions, seconds):
    """Repeat a command fifty times a second."""
    for _ in range(round(seconds * 50)):
        driver.command(names, positions)
        driver.update()
        time.advance(0.02)


def assert_stays(driver, time):
    there = driver.update()
    for _ in range(10):
        time.advance(1.0)
        assert driver.update() == there


def test_it_stands_where_the_arm_is_until_commanded(driver, time):
    assert driver.update() == HOME
    assert_stays(driver, time)
    assert driver.condition == ''


def test_a_commanded_arm_comes_to_rest_at_the_goal(driver, time):
    stream(driver, time, ['yaw', 'elbow'], [1.3, -0.5], 3.0)
    assert driver.update() == {**HOME, 'yaw': 1.3, 'elbow': -0.5}
    assert_stays(driver, time)


@pytest.mark.parametrize('names, positions', [
    (['yaw', 'elbow'], [1.0, float('nan')]), (['yaw', 'elbow'], [1.0])])
def test_a_refused_command_moves_nothing_and_is_told_of_until_a_good_one(
        driver, time, names, positions):
    with pytest.raises(InvalidInputError):
        driver.command(names, positions)
    assert driver.condition.startswith('refused: command')
    assert_stays(driver, time)
    assert driver.update() == HOME
    driver.command(['yaw'], [1.0])
    assert driver.condition == ''


def test_a_refused_command_leaves_the_one_before_in_force(driver, time):
    driver.command(['yaw'], [1.0])
    time.advance(0.1)
    with pytest.raises(InvalidInputError):
        driver.command(['yaw'], [float('inf')])
    time.advance(0.3)
    assert driver.update()['yaw'] == pytest.approx(HOME['yaw'] + 2.0 * 0.4)


def test_past_a_limit_the_arm_stops_at_it_and_says_so(driver, time):
    stream(driver, time, ['yaw'], [99.0], 3.0)
    assert driver.update()['yaw'] == 3.0
    assert 'yaw' in driver.condition


def test_the_watchdog_stops_a_moving_arm(driver, time):
    stream(driver, time, ['yaw'], [2.9], 0.2)
    time.advance(0.49)
    assert driver.update()['yaw'] == pytest.approx(HOME['yaw'] + 2.0 * 0.69)
    time.advance(0.02)
    there = driver.update()
    assert there['yaw'] < 2.9
    assert 'no command for 0.5 s' in driver.condition
    assert_stays(driver, time)
    assert driver.update() == there


class Late(Simulated):
    """Servos that set out a while after they were told, and read as if nothing had happened."""

    dead_time = 0.2

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.clock, self.told = kwargs['clock'], []

    def write(self, goals):
        self.told.append((self.clock() + self.dead_time, goals))

    def read(self):
        while self.told and self.told[0][0] <= self.clock():
            super().write(self.told.pop(0)[1])
        return super().read()


def test_the_watchdog_stops_an_arm_that_has_not_set_out_yet(time):
    driver = make_driver(time, Late(MODEL, clock=time), command_timeout=0.15)
    driver.update()
    driver.command(['yaw'], [HOME['yaw'] + 0.09])
    for _ in range(30):
        time.advance(0.02)
        there = driver.update()
    assert there['yaw'] < HOME['yaw'] + 0.08
    assert 'no command for 0.15 s' in driver.condition


@pytest.mark.parametrize('timeout, speed', [(0.01, 0.1), (0.1, 0.015), (0.5, 0.005)])
def test_the_watchdog_stops_a_slow_arm_that_is_nearly_there(time, timeout, speed):
    slow = replace(MODEL, joints=tuple(
        replace(joint, max_velocity=speed) for joint in MODEL.joints))
    backend = Simulated(slow, clock=time)
    backend.connect()
    driver = ServoDriver(backend, slow, timeout, clock=time, stamp_clock=time)
    driver.update()
    driver.command(['yaw'], [HOME['yaw'] + 0.09])
    for _ in range(100):
        time.advance(0.02)
        driver.update()
    assert driver.update()['yaw'] < HOME['yaw'] + speed * (timeout + 0.03)
    assert 'no command for' in driver.condition


@pytest.mark.parametrize('speed, way, seconds', [(2.0, 2.8, 1.355), (0.005, 0.05, 1.5)])
def test_the_watchdog_stops_an_arm_that_has_long_been_moving(time, speed, way, seconds):
    slow = replace(MODEL, joints=tuple(
        replace(joint, max_velocity=speed) for joint in MODEL.joints))
    backend = Simulated(slow, clock=time)
    backend.connect()
    driver = ServoDriver(backend, slow, 0.025, clock=time, stamp_clock=time)
    goal = HOME['yaw'] + way
    while backend.read()['yaw'] < HOME['yaw'] + speed * seconds:
        driver.command(['yaw'], [goal])
        driver.update()
        time.advance(0.01)
    for _ in range(100):
        time.advance(0.01)
        driver.update()
    assert driver.update()['yaw'] < min(goal, HOME['yaw'] + speed * (seconds + 0.05))
    assert 'no command for' in driver.condition


@pytest.mark.parametrize('goal, told', [(HOME['yaw'] + 0.08, True), (HOME['yaw'] + 0.04, False)])
def test_the_watchdog_stops_an_arm_that_is_nearly_there_and_not_one_that_is(time, goal, told):
    driver = make_driver(time, command_timeout=0.025)
    driver.update()
    driver.command(['yaw'], [goal])
    time.advance(0.03)
    there = driver.update()['yaw']
    assert there == pytest.approx(min(goal, HOME['yaw'] + 2.0 * 0.03))
    assert ('no command for' in driver.condition) == told
    assert_stays(driver, time)


def test_no_commands_after_arrival_is_no_problem(driver, time):
    stream(driver, time, ['yaw'], [0.5], 1.0)
    assert_stays(driver, time)
    assert driver.update()['yaw'] == 0.5
    assert driver.condition == ''


def test_the_next_command_ends_a_stop_by_the_watchdog(driver, time):
    driver.command(['yaw'], [2.9])
    time.advance(0.6)
    driver.update()
    stream(driver, time, ['yaw'], [2.9], 2.0)
    assert driver.update()['yaw'] == 2.9
    assert driver.condition == ''


@pytest.mark.parametrize('pause, goes_on', [(0.4, True), (0.9, True), (1.1, False), (1.3, False)])
@pytest.mark.parametrize('looks', [1, 50])
def test_a_command_from_before_a_long_gap_is_not_taken_up_again(
        driver, time, pause, goes_on, looks):
    made = time.now
    driver.command(['yaw'], [2.9], stamp=made)
    for _ in range(looks):
        time.advance(pause / looks)
        driver.update()
    there = driver.update()
    if goes_on:
        driver.command(['yaw'], [2.9], stamp=made)
    else:
        # The one that was heard, and one made while its sender could not be heard.
        for stamp in (made, made + 0.3):
            with pytest.raises(InvalidInputError, match='before its sender fell silent'):
                driver.command(['yaw'], [2.9], stamp=stamp)
    time.advance(0.2)
    assert (driver.update()['yaw'] > there['yaw']) == goes_on
    driver.command(['yaw'], [2.9], stamp=time.now)
    time.advance(0.2)
    assert driver.update()['yaw'] > there['yaw']


def test_an_arm_that_has_arrived_is_not_sent_back_by_what_it_heard_before_a_gap(driver, time):
    made = time.now
    driver.command(['yaw'], [0.5], stamp=made)
    time.advance(0.4)
    assert_stays(driver, time)
    driver.command(['yaw'], [0.3], stamp=time.now)  # somebody else has a go
    time.advance(0.4)
    with pytest.raises(InvalidInputError, match='made before'):
        driver.command(['yaw'], [0.5], stamp=made)
    assert driver.update()['yaw'] == 0.3


def test_without_a_timeout_a_gap_makes_nothing_old(time):
    driver = make_driver(time, command_timeout=0.0)
    made = time.now
    for _ in range(3):
        driver.command(['yaw'], [2.9], stamp=made)
        time.advance(60.0)
        driver.update()


def test_without_a_timeout_a_single_command_is_enough(time):
    driver = make_driver(time, command_timeout=0.0)
    driver.command(['yaw'], [2.9])
    for _ in range(20):
        time.advance(0.1)
        driver.update()
    assert driver.update()['yaw'] == 2.9


def test_a_gripper_finishes_what_it_was_told_once(driver, time):
    driver.command(['gripper'], [-0.1])
    for _ in range(20):
        time.advance(0.1)
        driver.update()
    assert driver.update() == {**HOME, 'gripper': -0.1}


def test_commands_for_the_gripper_do_not_keep_a_dead_senders_arm_going(driver, time):
    driver.command(['yaw'], [2.9])
    for _ in range(20):
        driver.command(['gripper'], [0.5])
        driver.update()
        time.advance(0.1)
    assert driver.update()['yaw'] < 1.5


def test_a_stop_by_the_watchdog_leaves_the_gripper_moving(driver, time):
    driver.command(['yaw', 'slide'], [2.9, 0.04])
    for _ in range(20):
        driver.update()
        time.advance(0.1)
    assert driver.update()['slide'] == 0.04


def test_stop_holds_every_joint_and_refuses_commands_until_reset(driver, time):
    driver.command(['yaw', 'gripper'], [2.9, 0.0])
    time.advance(0.2)
    driver.stop()
    there = driver.update()
    assert HOME['yaw'] < there['yaw'] < 2.9
    assert_stays(driver, time)
    for attempt in (lambda: driver.command(['yaw'], [0.0]), lambda: driver.open_gripper(1.0)):
        with pytest.raises(InvalidInputError, match='stopped'):
            attempt()
    assert driver.condition == 'stopped until reset'
    assert_stays(driver, time)
    assert driver.update() == there


def test_after_reset_nothing_moves_before_a_new_command(driver, time):
    driver.command(['yaw'], [2.9])
    time.advance(0.2)
    driver.stop()
    there = driver.update()
    driver.reset()
    assert_stays(driver, time)
    assert driver.update() == there
    assert driver.condition == ''
    stream(driver, time, ['yaw'], [2.0], 2.0)
    assert driver.update()['yaw'] == 2.0


@pytest.mark.parametrize('let_go', [
    lambda driver: (driver.stop(), driver.reset()), lambda driver: driver.reset(),
    lambda driver: (driver.set_torque(False), driver.set_torque(True))])
def test_a_repeated_old_command_does_not_set_the_arm_in_motion_again(driver, time, let_go):
    time.advance(1.0)
    made = time.now
    driver.command(['yaw'], [2.9], stamp=made)
    time.advance(0.2)
    let_go(driver)
    there = driver.update()
    with pytest.raises(InvalidInputError, match='made before'):
        driver.command(['yaw'], [2.9], stamp=made)
    assert_stays(driver, time)
    assert driver.update() == there
    driver.command(['yaw'], [2.9], stamp=time.now)
    time.advance(0.2)
    assert driver.update()['yaw'] > there['yaw']


@pytest.mark.parametrize('reset_first', [True, False])
def test_a_clock_that_runs_back_makes_no_new_command_old_and_no_old_one_new(
        driver, time, reset_first):
    stamps = Time(5000.0)
    driver = make_driver(time, stamp_clock=stamps)
    driver.command(['yaw'], [2.9], stamp=5000.0)
    time.advance(0.2)

    def reset():
        driver.stop()
        driver.reset()
    if reset_first:
        reset()
        with pytest.raises(InvalidInputError, match='made before'):
            driver.command(['yaw'], [2.9], stamp=5000.0)
    stamps.now = 3.0
    driver.update()
    if not reset_first:
        driver.command(['yaw'], [2.9], stamp=5000.0)  # nothing has let the driver go
        reset()
    there = driver.update()
    for _ in range(3):
        with pytest.raises(InvalidInputError, match='made before'):
            driver.command(['yaw'], [2.9], stamp=5000.0)
    assert driver.update() == there
    driver.command(['yaw'], [2.9], stamp=3.0)
    time.advance(0.2)
    assert driver.update()['yaw'] > there['yaw']


def test_a_command_right_after_the_clock_ran_back_is_new(time):
    stamps = Time(5000.0)
    driver = make_driver(time, stamp_clock=stamps)
    stamps.now = 4000.0
    assert driver.command(['yaw'], [1.0], stamp=4000.0).goals


def test_an_old_command_that_was_refused_stays_old_when_the_clock_runs_back(time):
    stamps = Time(5000.0)
    driver = make_driver(time, stamp_clock=stamps)
    for now in (5000.1, 3.0, 6000.0):
        stamps.now = now
        with pytest.raises(InvalidInputError, match='made before'):
            driver.command(['yaw'], [1.0], stamp=4999.0)


class Recorded(Simulated):
    """Servos that remember what they were told."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.told = []

    def write(self, goals):
        self.told.append(goals)
        super().write(goals)


def test_the_last_goal_of_a_moving_arm_is_where_it_is(time):
    backend = Recorded(MODEL, clock=time)
    driver = make_driver(time, backend)
    stream(driver, time, ['yaw'], [2.9], 0.5)
    there = driver.update()
    driver.close()
    assert backend.told[-1] == there and 0.2 < there['yaw'] < 2.8


def test_an_arm_at_rest_is_told_nothing_at_the_end(time):
    backend = Recorded(MODEL, clock=time)
    driver = make_driver(time, backend)
    stream(driver, time, ['yaw'], [0.5], 2.0)
    told = len(backend.told)
    driver.close()
    assert len(backend.told) == told


class Bent(Recorded):
    """Servos one of which stands off its goal, by its load or by what is in its way."""

    off = 0.0

    def read(self):
        measured = super().read()
        return {**measured, 'shoulder': measured['shoulder'] + self.off}


def bent_driver(time, off, yaw=0.5, seconds=2.0):
    """Return a back end and its driver: it was sent somewhere, and stands still off its goal."""
    backend = Bent(MODEL, clock=time)
    driver = make_driver(time, backend)
    backend.off = off
    stream(driver, time, ['yaw', 'shoulder'], [yaw, HOME['shoulder']], seconds)
    backend.told.clear()
    return backend, driver


@pytest.mark.parametrize('yaw, seconds', [(0.5, 2.0), (0.5, 1.2), (HOME['yaw'], 2.0)])
@pytest.mark.parametrize('off', [0.09, -0.09])
def test_an_arm_that_sags_is_not_let_sag_farther_by_the_watchdog(time, off, yaw, seconds):
    backend, driver = bent_driver(time, off, yaw, seconds)
    assert_stays(driver, time)
    assert driver.condition == ''
    driver.close()
    assert backend.told == []


@pytest.mark.parametrize('off', [0.11, -0.11])
def test_the_watchdog_takes_the_goal_from_an_arm_that_is_blocked(time, off):
    backend, driver = bent_driver(time, off)
    time.advance(0.6)
    measured = driver.update()
    assert backend.told == [{name: measured[name] for name in MODEL.joint_names}]
    assert 'no command for 0.5 s' in driver.condition


@pytest.mark.parametrize('off', [0.11, -0.11])
def test_a_driver_that_ends_takes_the_goal_from_an_arm_that_is_blocked(time, off):
    backend, driver = bent_driver(time, off)
    measured = driver.update()
    driver.close()
    assert backend.told == [{name: measured[name] for name in MODEL.joint_names}]


def test_an_arm_that_was_sent_elsewhere_a_moment_ago_is_held(time):
    backend, driver = bent_driver(time, 0.09)
    driver.command(['yaw'], [0.55])
    backend.told.clear()
    time.advance(0.6)
    driver.update()
    assert set(backend.told[0]) == set(MODEL.joint_names)


def test_a_driver_that_ends_does_not_let_go_of_what_a_gripper_holds(time):
    backend, driver = bent_driver(time, 0.12)
    driver.open_gripper(1.0)
    stream(driver, time, ['yaw'], [0.5], 2.0)
    backend.told.clear()
    driver.close()
    assert set(backend.told[0]) == set(MODEL.joint_names)


def test_a_driver_that_looks_seldom_holds_a_moving_arm_at_the_end(time):
    backend = Recorded(MODEL, clock=time)
    driver = make_driver(time, backend)
    driver.update()
    driver.command(['yaw'], [HOME['yaw'] + 0.09])
    time.advance(0.03)
    driver.close()
    assert backend.told[-1]['yaw'] == pytest.approx(HOME['yaw'] + 0.06)


def test_a_gripper_that_moves_does_not_let_the_arm_sag_farther(time):
    backend, driver = bent_driver(time, 0.09)
    driver.open_gripper(1.0)
    backend.told.clear()
    gripper = [driver.update()['gripper']]
    for _ in range(6):
        time.advance(0.1)
        gripper.append(driver.update()['gripper'])
    assert gripper[-1] != gripper[-2] != gripper[0]
    assert backend.told == []


def test_with_torque_back_on_the_arm_is_where_it_ought_to_be(time):
    backend, driver = bent_driver(time, 0.0)
    driver.set_torque(False)
    backend.off = 0.5
    driver.set_torque(True)
    for _ in range(4):
        time.advance(0.1)
        driver.update()
    driver.close()
    assert backend.told == []


def test_servos_without_torque_are_told_nothing_at_the_end(time):
    backend, driver = bent_driver(time, 0.0)
    driver.set_torque(False)
    backend.off = 0.5
    driver.update()
    driver.close()
    assert backend.told == []


def test_a_bus_that_has_failed_is_given_back_all_the_same(time):
    class Failing(Recorded):

        def read(self):
            if self.told and self.told[-1] == 'broken':
                raise DriverError('test', 'no answer')
            return super().read()

        def close(self):
            self.told.append('closed')
            super().close()
    backend = Failing(MODEL, clock=time)
    driver = make_driver(time, backend)
    stream(driver, time, ['yaw'], [2.9], 0.5)
    driver.update()
    backend.told.append('broken')
    driver.close()
    assert backend.told[-1] == 'closed'


def test_a_command_made_before_the_driver_started_is_refused(time):
    made = time.now
    time.advance(1.0)
    driver = make_driver(time)
    with pytest.raises(InvalidInputError, match='made before'):
        driver.command(['yaw'], [2.9], stamp=made)


def test_before_simulated_time_has_begun_a_command_with_a_time_is_refused(time):
    clock = Time(0.0)
    driver = make_driver(time, stamp_clock=clock)
    with pytest.raises(InvalidInputError, match='until /clock has come'):
        driver.command(['yaw'], [2.9], stamp=1000.0)
    clock.advance(1000.5)
    with pytest.raises(InvalidInputError, match='last started, reset'):
        driver.command(['yaw'], [2.9], stamp=1000.3)
    driver.command(['yaw'], [2.9], stamp=1000.5)


def test_before_simulated_time_has_begun_a_command_from_before_a_reset_stays_old(time):
    driver = make_driver(time, stamp_clock=Time(0.0))
    driver.command(['yaw'], [2.9], stamp=1e-6)
    driver.stop()
    driver.reset()
    with pytest.raises(InvalidInputError, match='an old one'):
        driver.command(['yaw'], [2.9], stamp=1e-6)
    driver.command(['yaw'], [2.9], stamp=2e-6)


def test_the_clock_is_watched_between_commands(time):
    clock = Time(1000.0)
    driver = make_driver(time, stamp_clock=clock)
    clock.advance(-990.0)
    driver.update()
    clock.advance(991.0)
    driver.command(['yaw'], [2.9], stamp=15.0)


@pytest.mark.parametrize('let_go', [
    lambda driver: (driver.stop(), driver.reset()),
    lambda driver: (driver.set_torque(False), driver.set_torque(True))], ids=['stop', 'torque'])
def test_whoever_was_let_go_waits_for_nobody(driver, time, let_go):
    driver.command(['yaw'], [2.9], stamp=time.now)
    time.advance(0.3)
    let_go(driver)
    time.advance(0.8)
    driver.update()
    driver.command(['yaw'], [2.9], stamp=time.now - 0.05)
    assert driver.condition == ''


def test_somebody_elses_command_is_nobodys_business_even_when_stopped(driver):
    driver.stop()
    assert driver.command(['knee'], [1.0]).goals == {}


def test_without_torque_commands_are_refused_and_with_it_nothing_jumps(driver, time):
    driver.command(['yaw'], [2.9])
    time.advance(0.2)
    driver.set_torque(False)
    there = driver.update()
    with pytest.raises(InvalidInputError, match='torque'):
        driver.command(['yaw'], [0.0])
    assert driver.condition == 'torque is off'
    driver.set_torque(True)
    assert driver.condition == ''
    assert_stays(driver, time)
    assert driver.update() == there


def test_a_stop_outlasts_torque_off_and_on(driver):
    driver.stop()
    driver.set_torque(False)
    driver.set_torque(True)
    with pytest.raises(InvalidInputError, match='stopped'):
        driver.command(['yaw'], [0.0])


def test_a_gripper_is_opened_by_a_number(driver, time):
    driver.open_gripper(1.0)
    time.advance(5.0)
    assert driver.update() == {**HOME, 'gripper': -0.1, 'slide': 0.04}


def test_a_gripper_is_opened_after_a_reset_too(driver):
    driver.open_gripper(1.0)
    driver.stop()
    driver.reset()
    driver.open_gripper(1.0)


@pytest.mark.parametrize('well_again', [
    lambda driver: driver.open_gripper(1.0), lambda driver: driver.reset()],
    ids=['gripper', 'reset'])
def test_a_problem_ends_with_the_next_thing_that_goes_well(driver, well_again):
    with pytest.raises(InvalidInputError):
        driver.command(['yaw'], [float('nan')])
    well_again(driver)
    assert driver.condition == ''


def test_joints_have_their_names(driver):
    assert driver.joint_names == tuple(HOME)


def test_a_wrong_opening_moves_nothing(driver, time):
    with pytest.raises(InvalidInputError):
        driver.open_gripper(1.5)
    assert driver.condition.startswith('refused: gripper command is 1.5')
    assert_stays(driver, time)


class Unplugged(Simulated):
    """Servos that stop answering."""

    plugged = True

    def read(self):
        if not self.plugged:
            raise DriverError(self.name, 'no answer')
        return super().read()


def test_a_stop_is_latched_even_if_the_bus_fails(time):
    backend = Unplugged(MODEL, clock=time)
    driver = make_driver(time, backend)
    backend.plugged = False
    with pytest.raises(DriverError):
        driver.stop()
    backend.plugged = True
    with pytest.raises(InvalidInputError, match='stopped'):
        driver.command(['yaw'], [0.0])


def test_a_reset_that_fails_leaves_the_arm_stopped(time):
    backend = Unplugged(MODEL, clock=time)
    driver = make_driver(time, backend)
    driver.stop()
    backend.plugged = False
    with pytest.raises(DriverError):
        driver.reset()
    assert driver.stopped


def test_opening_the_gripper_neither_feeds_nor_ends_the_command_watchdog(driver, time):
    driver.command(['yaw'], [2.9])
    for _ in range(20):
        driver.open_gripper(0.5)
        driver.update()
        time.advance(0.1)
    assert driver.update()['yaw'] < 1.5


class Gripping(Simulated):
    """Servos that do not answer when they are to lose their torque."""

    def set_torque(self, on):
        if not on:
            raise DriverError(self.name, 'no answer')
        super().set_torque(on)


def test_torque_is_off_only_once_the_servos_have_answered(time):
    driver = make_driver(time, Gripping(MODEL, clock=time))
    with pytest.raises(DriverError):
        driver.set_torque(False)
    assert driver.torque
    driver.command(['yaw'], [1.0])
    assert driver.condition == ''
