# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The trim: an arm at rest that sags is brought to its set-points, and nothing moves besides."""

from math import dist, radians
import os
from random import Random

from arm_ik import Arm
from arm_ik.bus.feetech import FeetechLine
from driven_arm import DrivenArm
from loaded_servos import LoadedServos
import pytest
from small_arm import HOME, JOINTS, MODEL

#: Turns of the bus a second.
RATE = 50.0

#: Poses in which an arm comes to rest; POSES=100 makes a hundred.
POSES = int(os.environ.get('POSES', 5))

CHAIN = MODEL.joint_names


class Sagging(LoadedServos):
    """Servos that sag by 4 deg, stick, and have backlash."""

    slip, play, counts = radians(0.4), radians(0.5), radians(0.088)


def sagging(model=MODEL, trim=True, **options):
    return DrivenArm(model, Sagging, trim=trim, bus_rate=RATE, command_timeout=0.0, **options)


def go_on(arm, seconds):
    """Let time pass; return what was sent, turn by turn."""
    begin = len(arm.servos.done)
    for _ in range(round(RATE * seconds)):
        arm.turn(1.0 / RATE)
    return [what for _, verb, what in arm.servos.done[begin:] if verb == 'write']


def added(arm, name='shoulder'):
    """Return what is sent beyond a set-point [rad]."""
    return arm.servos.written[-1][name] - arm.set_points[name]


def off(arm, name='shoulder'):
    """Return how far a joint is from its set-point [rad]."""
    return abs(arm.set_points[name] - arm.positions[name])


@pytest.fixture
def trimmed():
    """Return an arm at rest that has been brought to its set-points."""
    arm = sagging()
    go_on(arm, 6.0)
    assert abs(added(arm)) > radians(1.0) and off(arm) < radians(0.5)
    return arm


def tip_error(so101, arm):
    """Return how far the tip is from where the set-points have it [m]."""
    names = so101.joint_names
    return dist(so101.forward([arm.servos.places[name] for name in names]).position,
                so101.forward([arm.set_points[name] for name in names]).position)


def test_the_tip_of_an_arm_at_rest_is_nearer_by_seven_tenths_and_does_not_hunt():
    so101, random = Arm.preset('so101'), Random(3)
    arms = [sagging(so101.model, trim) for trim in (False, True)]
    errors = [], []
    for _ in range(POSES):
        goal = [random.uniform(0.8 * joint.lower, 0.8 * joint.upper)
                for joint in so101.model.joints]
        for arm, all_errors in zip(arms, errors):
            arm.driver.command(so101.joint_names, goal)
            go_on(arm, 10.0)
            sent = go_on(arm, 3.0)
            assert sent == [sent[-1]] * len(sent), 'hunts'
            assert arm.set_points.items() >= dict(zip(so101.joint_names, goal)).items()
            all_errors.append(tip_error(so101, arm))
    sagged, brought = map(sum, errors)
    assert brought <= 0.3 * sagged, f'{1e3 * sagged / POSES:.1f} to {1e3 * brought / POSES:.1f} mm'


@pytest.mark.parametrize('slip', [0.1, 0.7, 1.5, 2.5])
def test_it_does_not_hunt_however_much_a_joint_sticks(slip):
    arm = sagging()
    arm.servos.slip, arm.servos.creep = radians(slip), radians(0.05)
    for goal in (0.7, 1.2):
        arm.driver.command(['shoulder'], [goal])
        go_on(arm, 12.0)
        sent = go_on(arm, 8.0)
        assert sent == [sent[-1]] * len(sent)


def test_it_does_not_creep_where_the_last_digit_of_an_encoder_flickers():
    arm = sagging()
    arm.servos.flicker = 2.0
    go_on(arm, 20.0)
    before = go_on(arm, 0.1)[-1]
    assert go_on(arm, 60.0)[-1] == pytest.approx(before, abs=radians(0.3))


def test_it_is_slow_bounded_and_of_the_chain_only():
    arm = sagging()
    go_on(arm, 0.4)     # with new torque so much would be running
    arm.servos.sag, arm.servos.full = radians(5.6), radians(20.0)
    sent = go_on(arm, 12.0)
    for name in JOINTS:
        steps = [abs(b[name] - a[name]) for a, b in zip(sent, sent[1:])]
        assert max(steps) <= radians(1.0) / RATE * 1.001
        assert abs(added(arm, name)) <= radians(5.0) + 1e-9
    assert abs(added(arm)) == pytest.approx(radians(5.0))
    assert added(arm, 'gripper') == added(arm, 'slide') == 0.0


def test_neither_set_points_nor_condition_show_it(trimmed):
    begun = {name: trimmed.servos.written[0][name] for name in CHAIN}
    assert {name: trimmed.set_points[name] for name in CHAIN} == begun
    assert trimmed.driver.condition == '' and trimmed.driver.blocked == ()


def test_it_is_taken_off_within_a_tenth_of_a_second_of_the_next_motion_without_a_leap(trimmed):
    trimmed.driver.command(['yaw'], [1.0])
    before = added(trimmed)
    left = []
    for _ in range(round(0.1 * RATE) + 1):
        trimmed.turn(1.0 / RATE)
        left.append(added(trimmed))
    assert left[-1] == 0.0
    assert all(abs(b - a) <= abs(before) * 0.21 for a, b in zip([before, *left], left))


def test_switched_off_it_is_taken_off(trimmed):
    trimmed.driver.trim.on = False
    go_on(trimmed, 0.2)
    assert added(trimmed) == 0.0
    sent = go_on(trimmed, 3.0)
    assert sent == [sent[-1]] * len(sent)


def test_without_it_exactly_the_set_points_are_sent():
    arm = sagging(trim=False)
    assert go_on(arm, 5.0)[-1] == arm.set_points
    assert off(arm) > radians(1.0)


def test_it_goes_no_farther_than_a_limit():
    limits = [JOINTS['shoulder'].lower, JOINTS['shoulder'].upper]
    for limit in limits:
        arm = sagging()
        arm.servos.sag *= -1.0      # inwards, as by a counterweight
        arm.driver.command(['shoulder'], [limit])
        sent = go_on(arm, 8.0)
        assert off(arm) > radians(0.5)
        assert all(limits[0] <= each['shoulder'] <= limits[1] for each in sent)


def test_against_something_it_does_not_press_until_a_servo_trips():
    arm = sagging()
    arm.servos.sag = 0.0
    arm.servos.full = radians(3.0)      # stiff
    place = HOME['shoulder']
    arm.servos.walls['shoulder'] = place - radians(0.1), 9.0
    arm.driver.command(['shoulder'], [place - radians(2.0)])
    sent = go_on(arm, 20.0)
    assert 'shoulder' not in arm.servos.tripped
    assert [each['shoulder'] for each in sent[-200:]] == [sent[-1]['shoulder']] * 200


@pytest.mark.parametrize('freeze', ['stop', 'fault', 'guard', 'missing'])
def test_it_stays_as_it_is_while_the_arm_is_held(trimmed, freeze):
    arm = trimmed
    if freeze == 'stop':
        arm.driver.stop()
    elif freeze == 'fault':
        arm.disturb(brown_out='gripper')
        arm.servos.lose_torque('gripper')
        go_on(arm, 0.6)
        assert arm.driver.fault
    elif freeze == 'guard':
        arm.driver.guard.held['yaw'] = 'yaw has stalled'
    else:
        arm.disturb(dead='wrist')
        go_on(arm, 0.6)
        assert arm.driver.missing == ('wrist',)
    go_on(arm, 0.1)
    arm.servos.sag *= 1.5
    sent = go_on(arm, 3.0)
    assert sent == [sent[-1]] * len(sent) and abs(added(arm)) > radians(1.0)


def test_torque_off_moved_by_hand_and_torque_on_it_begins_where_the_arm_is(trimmed):
    arm = trimmed
    arm.driver.set_torque(False)
    go_on(arm, 0.1)
    place = {**HOME, 'shoulder': HOME['shoulder'] + 0.3}
    arm.servos.push(place)
    go_on(arm, 0.5)
    arm.driver.set_torque(True)
    first = go_on(arm, 0.1)
    for sent in first[1:]:
        assert sent == pytest.approx(place, abs=radians(0.1))
    assert abs(arm.positions['shoulder'] - place['shoulder']) < radians(4.2)
    go_on(arm, 8.0)
    assert off(arm) < radians(0.5)


def test_a_fault_then_cleared_and_reset_moves_nothing_at_once(trimmed):
    arm = trimmed
    arm.disturb(brown_out='shoulder')
    arm.servos.lose_torque('shoulder')
    go_on(arm, 0.6)
    assert 'shoulder: torque lost' in arm.driver.fault
    arm.servos.push({'shoulder': HOME['shoulder'] - 0.2})
    arm.disturb(brown_out='')
    arm.driver.clear_faults()
    go_on(arm, 0.2)
    arm.driver.set_torque(True)
    sent = go_on(arm, 0.1)
    assert all(each['shoulder'] == pytest.approx(HOME['shoulder'] - 0.2, abs=radians(0.1))
               for each in sent[1:])


def test_a_joint_silent_for_a_while_keeps_its_trim_if_it_has_not_been_moved(trimmed):
    arm, before = trimmed, added(trimmed)
    arm.disturb(dead='shoulder')
    go_on(arm, 1.0)
    arm.disturb(dead='')
    sent = go_on(arm, 0.2)
    assert all(each['shoulder'] - arm.set_points['shoulder'] == pytest.approx(before)
               for each in sent if 'shoulder' in each)


def test_a_joint_moved_while_it_was_silent_is_held_where_it_is(trimmed):
    arm, place = trimmed, HOME['shoulder'] + 0.3
    arm.disturb(dead='shoulder')
    go_on(arm, 1.0)
    arm.servos.push({'shoulder': place})
    arm.servos.walls['shoulder'] = place, place
    arm.disturb(dead='')
    sent = go_on(arm, 0.1)
    assert [each['shoulder'] for each in sent if 'shoulder' in each] == pytest.approx(
        [place] * 5, abs=radians(0.1))


def test_torque_on_once_more_holds_the_arm_where_it_is(trimmed):
    place = trimmed.positions['shoulder']
    trimmed.driver.set_torque(True)
    for sent in go_on(trimmed, 0.08)[1:]:
        assert sent['shoulder'] == pytest.approx(place, abs=radians(0.2))


@pytest.mark.parametrize('gain, told', [(16, True), (32, False), (0, False)])
def test_a_servo_left_softer_than_its_maker_has_it_is_told(gain, told):
    class Port:
        baud, latency = 1000000, 0.0
    from arm_ik.bus import feetech, frames
    eeprom = bytearray(40)
    eeprom[feetech.P_GAIN] = gain
    line = FeetechLine(Port())
    line.ask_one = lambda *_: frames.StatusPacket(1, 0, bytes(eeprom))
    advice = line.facts(1).advice
    assert ('has a P gain of 16 (register 21; the maker has 32)' in advice) == told
