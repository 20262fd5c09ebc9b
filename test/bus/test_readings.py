# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is made of readings: what is believed, what moves, and which complaints are faults."""

from arm_ik.bus.readings import Faults, MARGIN, Movement, Plausibility
from arm_ik.drivers import Health
import pytest

# Which complaints of servos are faults, and for how long.


@pytest.fixture
def faults():
    return Faults()


@pytest.mark.parametrize('flag', ['overload', 'overheat', 'voltage'])
def test_a_fault_is_kept_although_the_servo_is_well_again(faults, flag):
    assert not faults and faults.of('elbow') == ()
    assert faults.look('elbow', Health(flags=(flag, 'angle')), True)
    assert not faults.look('elbow', Health(), True)
    assert faults and 'elbow' in faults and faults.of('elbow') == (flag,)
    assert str(faults) == f'elbow: {flag}'
    faults.forget(['elbow'])
    assert not faults and 'elbow' not in faults


def test_the_lowest_voltage_of_a_dip_is_kept_with_its_fault(faults):
    for volts, flags in ((6.4, ('voltage',)), (5.1, ('voltage',)), (5.8, ('voltage',)), (4.9, ())):
        faults.look('elbow', Health(voltage_v=volts, flags=flags), True)
    assert str(faults) == 'elbow: voltage (5.1 V)' and faults.of('elbow') == ('voltage',)
    faults.forget(['elbow'])
    faults.look('elbow', Health(voltage_v=6.0, flags=('voltage',)), True)
    assert faults.words('elbow') == ['voltage (6.0 V)']


def test_one_that_is_known_is_no_news_and_another_one_is(faults):
    assert faults.look('elbow', Health(flags=('overload',)), True)
    assert not faults.look('elbow', Health(flags=('overload',)), True)
    assert faults.look('elbow', Health(flags=('voltage',), torque=False), True)
    assert faults.look('wrist', Health(flags=('overload',)), True)
    assert str(faults) == 'elbow: overload, voltage, torque lost; wrist: overload'


@pytest.mark.parametrize('torque, should_hold, lost', [
    (False, True, True), (False, False, False), (True, True, False), (None, True, False)])
def test_torque_is_lost_where_it_was_switched_on_and_is_off(faults, torque, should_hold, lost):
    assert faults.look('elbow', Health(torque=torque), should_hold) == lost


def test_other_flags_are_no_faults(faults):
    assert not faults.look('elbow', Health(flags=('angle', 'moving')), True)


# When an arm counts as moving.

@pytest.fixture
def movement():
    movement = Movement()
    movement.look({'yaw': 0.0, 'elbow': 1.0}, 10.0)
    return movement


def test_what_was_never_seen_to_move_stands_still(movement):
    assert not Movement().is_moving(0.0) and not movement.is_moving(10.0)
    movement.look({'yaw': 0.0, 'gripper': 1.0}, 11.0)
    assert not movement.is_moving(11.0)


@pytest.mark.parametrize('joint, other', [('yaw', 'elbow'), ('elbow', 'yaw')])
@pytest.mark.parametrize('far', [0.0021, -0.0021])
def test_a_joint_that_has_moved_moves_for_two_tenths_of_a_second(movement, joint, other, far):
    positions = {'yaw': 0.0, 'elbow': 1.0}
    positions[joint] += far
    movement.look(positions, 0.0)
    assert [movement.is_moving(now) for now in (0.0, 0.2, 0.2000001)] == [True, True, False]
    assert movement.is_moving(0.0, ['hand', joint]) and not movement.is_moving(0.0, [other])
    movement.look(positions, 1.0)
    assert not movement.is_moving(1.0), 'it does not rest where it is now'


def test_the_last_digit_of_an_encoder_is_no_motion(movement):
    for number, position in enumerate((0.0015, -0.0015, 0.002)):
        movement.look({'yaw': position, 'elbow': 1.0}, 11.0 + number)
        assert not movement.is_moving(11.0 + number)


def test_creeping_adds_up_to_a_motion(movement):
    for number in range(1, 5):
        movement.look({'yaw': 0.0015 * number, 'elbow': 1.0}, 11.0)
    assert movement.is_moving(11.0)


def test_coarse_encoders_flicker_by_more():
    movement = Movement({'yaw': 0.005})
    for number, position in enumerate((0.0, 0.01, 0.0, 0.012)):
        movement.look({'yaw': position}, 11.0 + number)
        assert not movement.is_moving(11.0 + number)
    movement.look({'yaw': 0.013}, 20.0)
    assert movement.is_moving(20.0)


# Which readings are believed.

SPEED, SLACK, PERIOD = 3.0, 0.005, 0.01


@pytest.fixture
def joint():
    """Return a joint that is believed to stand at 0.0, last asked at 0 s."""
    joint = Plausibility(SPEED, SLACK)
    for _ in range(3):
        seen = joint.believes(0.0, 0.0, 0.0)
    assert seen
    return joint


def after(joint, seconds, position):
    return joint.believes(position, seconds, seconds)


def test_the_first_reading_is_believed_with_the_third_that_agrees():
    joint = Plausibility(SPEED, SLACK)
    assert [joint.believes(1.0, time, time) for time in (0.0, 0.01, 0.02, 0.03)] == [
        False, False, True, True]


def test_one_wrong_reading_among_the_first_is_not_believed():
    joint = Plausibility(SPEED, SLACK)
    believed = [joint.believes(position, time, time) for time, position in enumerate(
        (1.0, 9.0, 1.0, 1.0, 1.0))]
    assert believed == [False, False, False, False, True]


def test_a_joint_may_go_as_fast_as_the_margin_allows(joint):
    assert after(joint, PERIOD, MARGIN * SPEED * PERIOD + 0.99 * SLACK)


@pytest.mark.parametrize('side', [1, -1])
def test_a_jump_is_not_believed_and_the_next_true_reading_is(joint, side):
    assert not after(joint, PERIOD, side * (MARGIN * SPEED * PERIOD + SLACK + 1e-6))
    assert after(joint, 2 * PERIOD, 0.0)


def test_a_joint_not_read_for_long_may_have_gone_far(joint):
    assert after(joint, 0.5, MARGIN * SPEED * 0.5)


def test_the_time_counts_from_the_last_reading_believed(joint):
    assert not after(joint, PERIOD, 1.0)
    assert not after(joint, 2 * PERIOD, MARGIN * SPEED * 2 * PERIOD + SLACK + 0.01)


def test_an_answer_that_was_late_may_be_of_the_time_when_it_came(joint):
    assert joint.believes(0.05, PERIOD, PERIOD)
    assert joint.believes(0.05 + MARGIN * SPEED * 0.04, 2 * PERIOD, 5 * PERIOD)


def test_three_readings_that_agree_are_believed_wherever_they_are(joint):
    assert [after(joint, PERIOD * step, 2.0 + 0.01 * step) for step in range(1, 5)] == [
        False, False, True, True]


def test_three_wrong_readings_that_do_not_agree_are_not_believed(joint):
    assert [after(joint, PERIOD * (step + 1), position) for step, position in enumerate(
        (2.0, 1.0, 2.0, 3.0, 1.5))] == [False] * 5


def test_wrong_readings_with_true_ones_between_them_do_not_add_up(joint):
    for step in range(1, 12, 2):
        assert not after(joint, PERIOD * step, 2.0)
        assert after(joint, PERIOD * (step + 1), 0.0)
