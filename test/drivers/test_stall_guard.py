# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The stall guard: joints that press are held before their servos trip, and others are not."""

from math import radians
import os

from arm_ik import Arm
from arm_ik.bus.backend import Health
from arm_ik.demo.cli import shipped_files
from arm_ik.description.target_file import load_targets
from arm_ik.drivers.stall_guard import StallGuard
from arm_ik.errors import InvalidInputError
from driven_arm import DrivenArm
from loaded_servos import LoadedServos
import pytest
from small_arm import HOME, JOINTS, MODEL

#: Turns of the bus a second.
RATE = 50.0

#: So long the demo runs [s]; DEMO_SECONDS=3600 makes an hour.
DEMO = float(os.environ.get('DEMO_SECONDS', 45.0))


def stalled(watched='gripper', joint='gripper', goal=0.5, **options):
    """Return an arm of which a joint has stalled, 0.5 s after that."""
    arm = DrivenArm(stall_guard=watched, command_timeout=0.0, **options)
    if joint == 'gripper':      # half open
        arm.driver.command(['gripper'], [0.5])
        arm.come_to_rest()
        goal = 1.4
    arm.disturb(blocked=joint)
    arm.driver.command([joint], [goal])
    arm.run(1.0)
    arm.goal = goal
    return arm


def presses(arm, joint='gripper', most=radians(2.0)):
    """Tell whether a joint is sent a little beyond where it is."""
    return 0.0 < arm.set_points[joint] - arm.positions[joint] <= most + 1e-9


def test_a_gripper_that_stalls_presses_on_a_little_and_says_why():
    arm = stalled()
    assert presses(arm)
    words = arm.driver.condition
    assert words.startswith('gripper has stalled with 100 % of the load that trips its servo, ')
    assert 3.0 < float(words.split()[-5]) < 8.7, words
    assert arm.driver.status['commands'] == 'taken'


def test_one_that_stalls_while_it_opens_is_held_where_it_is():
    arm = DrivenArm()
    arm.disturb(blocked='gripper')
    arm.driver.command(['gripper'], [0.0])
    arm.run(1.0)
    assert arm.set_points['gripper'] == HOME['gripper']


def test_a_slide_presses_on_by_a_part_of_its_range():
    arm = DrivenArm()
    arm.driver.command(['slide'], [0.04])
    arm.come_to_rest()
    arm.driver.command(['slide'], [0.01])
    arm.run(0.2)
    arm.disturb(blocked='slide')
    arm.run(1.0)
    assert 'slide has stalled' in arm.driver.condition and ' mm before' in arm.driver.condition
    joint = JOINTS['slide']
    assert -radians(2.01) < (arm.set_points['slide'] - arm.positions['slide']) / (
        joint.upper - joint.lower) < 0.0


def test_the_goal_it_has_stalled_on_is_refused_and_one_away_ends_the_guard():
    arm = stalled()
    arm.refuses('gripper has stalled', ['gripper'], [arm.goal])
    assert arm.assert_stays(1.0) and presses(arm)
    arm.disturb(blocked='')
    arm.driver.command(['gripper'], [0.2])
    assert arm.driver.condition == ''
    assert arm.run(1.0)['gripper'] == 0.2
    arm.driver.command(['gripper'], [arm.goal])
    assert arm.run(1.5)['gripper'] == arm.goal


def test_the_chain_goes_on_beside_a_gripper_that_has_stalled():
    arm = stalled()
    arm.driver.command(['yaw', 'gripper'], [0.6, arm.goal])
    arm.run(1.5)
    assert arm.positions['yaw'] == 0.6
    assert presses(arm)


def test_single_points_of_a_leader_arm_move_the_chain_beside_a_gripper_that_has_stalled():
    arm = stalled()
    for number in range(50):
        arm.driver.follow_point(['yaw', 'gripper'], 0.02, [0.1 + 0.005 * number, arm.goal], [])
        arm.turn(0.02)
    assert arm.positions['yaw'] > 0.2 and presses(arm)


def test_a_trajectory_goes_on_without_a_gripper_that_stalls_until_that_opens():
    arm = DrivenArm()
    arm.driver.command(['gripper'], [0.5])
    arm.come_to_rest()
    arm.disturb(blocked='gripper')
    outcome = arm.driver.follow(
        ['yaw', 'gripper'], [1.0, 3.0, 4.5], [[0.3, 1.4], [0.9, 1.4], [1.0, 0.2]], [[]] * 3)
    arm.run(2.9)
    assert 'gripper has stalled' in arm.driver.condition and not outcome.done()
    assert presses(arm)
    arm.disturb(blocked='')
    arm.run(2.0)
    assert outcome.result(0.0).code == 'SUCCESSFUL'
    assert arm.positions['gripper'] == pytest.approx(0.2)
    assert arm.driver.condition == ''


def test_a_joint_of_the_chain_is_held_and_with_it_the_others():
    arm = stalled('all', 'elbow', -0.5)
    there = arm.positions
    assert arm.set_points == pytest.approx(there)
    assert 'elbow has stalled' in arm.driver.condition
    arm.refuses('one that leads on .elbow has stalled', ['yaw', 'elbow'], [0.5, -0.5])
    arm.refuses('one that leads on', ['yaw', 'elbow'], [0.5, -0.5], velocities=[0.1, 0.1])
    arm.assert_stays(1.0)
    arm.disturb(blocked='')
    arm.assert_stays(1.0)
    arm.driver.command(['elbow'], [HOME['elbow'] - 0.3])
    assert arm.run(2.0)['elbow'] == HOME['elbow'] - 0.3
    assert arm.driver.condition == ''


def test_the_rest_of_the_chain_may_move_while_a_joint_of_it_is_held():
    arm = stalled('all', 'elbow', -0.5)
    arm.driver.command(['yaw'], [0.5])
    assert arm.run(1.5)['yaw'] == 0.5 and 'elbow has stalled' in arm.driver.condition


def test_what_moves_with_a_joint_that_stalls_comes_to_rest():
    arm = DrivenArm(stall_guard='all', command_timeout=0.0)
    arm.disturb(blocked='elbow')
    arm.driver.command(['yaw', 'elbow'], [2.9, -0.5])
    arm.run(1.5)
    assert arm.assert_stays(1.0)['yaw'] < 1.0


def test_clear_faults_ends_it_and_nothing_moves():
    arm = stalled('all', 'elbow', -0.5)
    arm.disturb(blocked='')
    there = arm.positions
    future = arm.driver.clear_faults()
    arm.run(1.0)
    assert future.result(0.0) is None and arm.positions == pytest.approx(there)
    assert arm.driver.condition == ''
    arm.driver.command(['elbow'], [-0.5])
    assert arm.run(4.0)['elbow'] == -0.5


@pytest.mark.parametrize('watched, joint', [('gripper', 'elbow'), ('none', 'gripper')])
def test_a_joint_that_is_not_watched_presses_on(watched, joint):
    arm = stalled(watched, joint)
    assert 'stalled' not in arm.driver.condition
    assert abs(arm.set_points[joint] - arm.positions[joint]) > 0.14


def test_looks_at_a_servo_that_were_not_answered_tell_no_load():
    guard, at = StallGuard(MODEL), dict.fromkeys(JOINTS, 0.0)
    for turn in range(100):
        guard.hear('gripper', Health())
        assert not guard.look({**at, 'gripper': 0.5}, at, 0.02 * turn)


# Sequences, none of which moves the arm by surprise


def test_stalled_then_stopped_then_reset_nothing_moves_and_the_goal_is_still_refused():
    arm = stalled('all', 'elbow', -0.5)
    there = arm.positions
    arm.driver.stop()
    arm.disturb(blocked='')
    arm.run(1.0)
    arm.driver.reset()
    arm.run(1.0)
    assert arm.positions == pytest.approx(there)
    arm.refuses('elbow has stalled', ['elbow'], [-0.5])
    arm.driver.command(['elbow'], [HOME['elbow']])
    assert arm.run(1.0) == pytest.approx(there)


def test_while_stopped_a_gripper_that_stalls_presses_on_a_little_too():
    arm = DrivenArm()
    arm.driver.command(['gripper'], [0.5])
    arm.come_to_rest()
    arm.disturb(blocked='gripper')
    arm.driver.command(['gripper'], [1.4])
    arm.run(0.2)
    arm.driver.stop()
    arm.run(1.0)
    assert presses(arm)


def test_a_stream_that_presses_a_joint_is_refused_until_it_comes_back():
    arm = DrivenArm(stall_guard='all')
    arm.disturb(blocked='elbow')
    start, refused, last = HOME['elbow'], 0, None
    for number in range(200):
        way = 0.3 * min(number, 200 - number) / 50.0
        speed = 0.3 if number < 100 else -0.3
        last = start + way
        try:
            arm.driver.command(['elbow'], [last], velocities=[speed], stamp=arm.time.now)
        except InvalidInputError as error:
            assert 'leads on' in str(error)
            refused += 1
        arm.turn(0.01)
        arm.turn(0.01)
    assert refused > 30
    assert arm.driver.condition == ''       # the way back led away
    assert abs(arm.set_points['elbow'] - start) < 0.02


def test_power_lost_while_it_is_held_is_a_fault_and_nothing_is_sent():
    arm = stalled()
    arm.disturb(blocked='', brown_out='gripper')
    arm.run(0.6)
    assert 'gripper: torque lost' in arm.driver.fault
    assert 'gripper' not in arm.servos.written[-1]
    arm.disturb(brown_out='')
    arm.servos.push({'gripper': 0.9})
    arm.driver.clear_faults()
    arm.run(0.3)
    arm.driver.set_torque(True)
    arm.driver.reset()
    arm.run(1.0)
    assert arm.positions['gripper'] == 0.9 and arm.driver.condition == ''


def test_torque_off_and_on_ends_it():
    arm = stalled()
    arm.disturb(blocked='')
    arm.let_go('torque')
    there = arm.positions
    assert arm.run(1.0) == there and arm.driver.condition == ''


# Loaded servos


class Slow(LoadedServos):
    """Slow ones."""

    slow, slip, play, counts = 0.5, radians(0.4), radians(0.5), radians(0.088)


def test_no_joint_stalls_in_an_hour_of_the_demo_by_slow_servos_that_sag():
    so101 = Arm.preset('so101')
    steps = [step for file in shipped_files() for step in load_targets(file).steps]
    arm = DrivenArm(so101.model, Slow, stall_guard='all', bus_rate=RATE, command_timeout=0.0)
    gripper, q, until = so101.model.extra_joints[0], so101.home, arm.time.now + DEMO
    while arm.time.now < until:
        for step in steps:
            if step.target is None:
                arm.driver.open_gripper(step.opening)
            else:
                q = so101.solve(step.target, near=q).q
                arm.driver.command(so101.joint_names, q)
            for _ in range(round(1.5 * RATE)):
                arm.turn(1.0 / RATE)
                assert not arm.driver.guard.held, step
    assert gripper.name in arm.positions and not arm.servos.tripped
    assert max(abs(q - at) for q, at in zip(q, arm.positions.values())) > radians(1.0)


def test_an_arm_that_presses_on_a_table_is_held_before_its_servos_trip():
    for watched in ('all', 'gripper'):
        arm = DrivenArm(backend=Slow, stall_guard=watched, bus_rate=RATE, command_timeout=0.0)
        arm.servos.walls['shoulder'] = HOME['shoulder'] - 0.1, 9.0
        arm.driver.command(['shoulder'], [HOME['shoulder'] - 0.8])
        for _ in range(round(4.0 * RATE)):
            arm.turn(1.0 / RATE)
        assert ('shoulder' in arm.servos.tripped) == (watched == 'gripper')
        assert ('shoulder has stalled' in arm.driver.condition) == (watched == 'all')


def test_a_joint_that_is_far_behind_but_moves_has_not_stalled():
    arm = DrivenArm(backend=Slow, stall_guard='all', bus_rate=RATE, command_timeout=0.0)
    arm.servos.slow = 0.05
    arm.driver.command(['yaw', 'gripper'], [1.5, 0.0])
    behind = 0.0
    for _ in range(round(16.0 * RATE)):
        arm.turn(1.0 / RATE)
        behind = max(behind, arm.set_points['yaw'] - arm.positions['yaw'])
        assert not arm.driver.guard.held
    assert behind > radians(6.0) and abs(arm.positions['yaw'] - 1.5) < radians(1.0)
