# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What simulated servos promise beyond the contract: ideal motion, exact rest."""

from random import Random

from arm_ik.drivers.simulated import Simulated
from arm_ik.errors import DriverError
import pytest
from small_arm import HOME, JOINTS, MODEL, Time


@pytest.fixture
def time():
    return Time()


def simulated(time, **options):
    backend = Simulated(MODEL, clock=time, **options)
    backend.connect()
    return backend


def test_it_starts_at_home_with_the_gripper_closed(time):
    assert simulated(time).read() == HOME


def test_it_starts_where_it_is_told_to(time):
    assert simulated(time, start={'elbow': -0.2}).read() == {**HOME, 'elbow': -0.2}


@pytest.mark.parametrize('start, words', [
    ({'elbow': 0.5}, 'elbow is outside'), ({'knee': 0.0}, 'knee'), ({'yaw': float('nan')}, 'yaw')])
def test_a_start_that_cannot_be_is_an_error(time, start, words):
    with pytest.raises(DriverError, match=words):
        simulated(time, start=start)


@pytest.mark.parametrize('goal, speed', [(2.1, 2.0), (-1.9, -2.0)])
def test_a_joint_moves_at_its_max_velocity(time, goal, speed):
    backend = simulated(time)
    backend.write({'yaw': goal})
    for elapsed in (0.0, 0.25, 0.75, 0.9):
        time.now = 1000.0 + elapsed
        assert backend.read()['yaw'] == pytest.approx(0.1 + speed * elapsed, abs=1e-12)


def test_joints_of_one_command_are_the_same_part_of_their_ways_behind_at_any_time(time):
    backend = simulated(time)
    start = backend.read()
    goals = {name: joint.lower for name, joint in JOINTS.items()}
    backend.write(goals)
    longest = max(abs(goal - start[name]) / JOINTS[name].max_velocity
                  for name, goal in goals.items())
    for part in (0.1, 0.5, 0.9):
        time.now = 1000.0 + part * longest
        for name, position in backend.read().items():
            assert position == pytest.approx(
                start[name] + part * (goals[name] - start[name]), abs=1e-12)
    time.now = 1000.0 + 1.001 * longest
    assert backend.read() == goals


def test_a_joint_arrives_on_time_and_not_before(time):
    backend = simulated(time)
    backend.write({'yaw': 2.1})
    time.now = 1000.999
    assert backend.read()['yaw'] < 2.1
    time.now = 1001.001
    assert backend.read()['yaw'] == 2.1


def test_rest_is_equal_to_the_goal_to_the_last_bit(time):
    random = Random(2)
    backend = simulated(time)
    for _ in range(300):
        goals = {name: random.uniform(joint.lower, joint.upper) for name, joint in JOINTS.items()}
        for _ in range(random.randrange(1, 5)):
            backend.write(goals)
            time.advance(random.uniform(0.0, 0.2))
        time.advance(random.uniform(5.0, 7.0))
        assert backend.read() == goals


def test_how_often_it_is_read_makes_no_difference(time):
    often, once = simulated(time), simulated(time)
    for backend in (often, once):
        backend.write({'yaw': 2.0, 'elbow': -0.1})
    for _ in range(70):
        often.read()
        often.write({'yaw': 2.0, 'elbow': -0.1})
        time.advance(0.01)
    assert -1.0 < once.read()['elbow'] < -0.1
    assert often.read() == once.read()


def test_a_clock_that_steps_back_moves_nothing(time):
    backend = simulated(time)
    backend.write({'yaw': 2.0})
    time.now = 900.0
    assert backend.read() == HOME
