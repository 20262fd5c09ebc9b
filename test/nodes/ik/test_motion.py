# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


from dataclasses import replace
from types import SimpleNamespace

from arm_ik import Arm, InvalidArmError, Solution, Status
from arm_ik.nodes.ik.motion import clamped, Motion, Ramp
from arm_ik.nodes.ik.report import Level, Report, State
import pytest

MODEL = Arm.preset('simple').model
NAMES = tuple(joint.name for joint in MODEL.joints)
START, GOAL = (0.0, 0.0, 0.0, 0.0), (0.8, -0.4, 0.2, 0.1)


@pytest.fixture
def motion():
    return Motion(MODEL, 0.05)


def start(motion, goal=GOAL, measured=START, follows=False, now=10.0, speed=None):
    solution = Solution(tuple(goal), Status.REACHED, 0.0, 0.0, 0.0)
    motion.start(Report(State.ACCEPTED, Level.OK, solution=solution), measured, follows, now,
                 speed)


def hold(motion, measured, speeds=(0.0,) * 4, accelerations=(0.0,) * 4, age=0.0):
    motion.hold(measured, speeds, accelerations, age)
    motion.end()


def half(a, b):
    return tuple(0.5 * (x + y) for x, y in zip(a, b))


# A command, from start to end

def test_without_a_command_there_is_nothing_to_send(motion):
    assert motion.command(10.0) is None
    assert motion.near(START, 10.0) == (START, False)
    assert motion.progress(START, 10.0) is None
    hold(motion, START)
    assert motion.take_hold_command() is None


def test_the_goal_is_commanded_at_once_and_until_the_end(motion):
    start(motion)
    assert motion.command(10.0) == motion.command(99.0) == GOAL
    motion.end()
    assert motion.command(99.0) is None and motion.report is None


def test_progress_is_reported_once_each(motion):
    start(motion)
    assert motion.progress(START, 10.1) is None
    assert motion.progress(half(START, GOAL), 10.2).state is State.MOVING
    assert motion.progress(half(START, GOAL), 10.3) is None
    assert motion.progress(GOAL, 10.4).state is State.ARRIVED
    assert motion.progress(START, 10.5) is None
    assert motion.report.state is State.ARRIVED


def test_an_arm_on_its_way_gets_one_hold_command_and_one_that_has_arrived_none(motion):
    for measured, held in ((half(START, GOAL), half(START, GOAL)), (GOAL, None)):
        start(motion)
        motion.progress(measured, 10.1)
        hold(motion, measured)
        assert motion.take_hold_command() == held
        assert motion.take_hold_command() is None


@pytest.mark.parametrize('speed, acceleration, age, ahead', [
    (1.0, 0.0, 0.0, 0.03 + 0.05),                # for the delay, and to brake at 10 rad/s^2
    (-1.0, 0.0, 0.02, -0.05 - 0.05),             # and for the age of the state, either way
    (0.5, 10.0, 0.02, 1.0 * 0.05 + 0.05),        # still speeding up,
    (0.5, 90.0, 0.02, 3.0 * 0.05 + 0.45),        # but not beyond its largest speed
    (1.0, -10.0, 0.0, 0.03 + 0.05),              # that it brakes already is left out
    (3.0, 0.0, 0.2, 0.8)])                       # never past its goal
def test_the_arm_is_held_where_it_comes_to_rest(motion, speed, acceleration, age, ahead):
    motion.change_model(SimpleNamespace(joints=[
        replace(joint, lower=-3.0, upper=3.0, max_velocity=3.0, max_acceleration=10.0)
        for joint in MODEL.joints]))
    start(motion)
    hold(motion, START, (speed, 0.0, 0.0, 0.0), (acceleration, 0.0, 0.0, 0.0), age)
    assert motion.take_hold_command() == pytest.approx((ahead, 0.0, 0.0, 0.0))


def test_where_the_arm_is_not_known_there_is_no_hold_command(motion):
    start(motion)
    motion.end()
    assert motion.take_hold_command() is None


def test_the_hold_command_and_what_a_target_is_solved_from_are_inside_the_limits(motion):
    outside = tuple(joint.upper + 0.01 for joint in MODEL.joints)
    start(motion)
    hold(motion, outside)
    assert motion.take_hold_command() == tuple(joint.upper for joint in MODEL.joints)
    start(motion, measured=outside, speed=1.0)
    assert motion.command(10.0) == tuple(joint.upper for joint in MODEL.joints)


def test_a_blocked_joint_is_that_of_the_command_in_force(motion):
    motion.check_progress(START, 10.0)
    assert motion.blocked is None
    start(motion)
    motion.check_progress(START, 10.0)
    motion.check_progress(START, 10.6)
    assert motion.blocked == (NAMES[0], 0.8)
    motion.end()
    assert motion.blocked is None
    start(motion)
    motion.check_progress(START, 11.0)
    assert motion.blocked is None


# What the next target is solved from

def test_it_is_the_command_while_the_arm_follows_and_else_where_it_was_measured(motion):
    start(motion)
    assert motion.near(START, 10.1) == (GOAL, True)
    assert motion.near(START, 20.0) == (START, False)
    assert motion.near(GOAL, 20.0) == (GOAL, True)


def test_a_stream_of_commands_does_not_hide_an_arm_that_stays_behind(motion):
    follows = []
    for step in range(100):
        now = 10.0 + 0.02 * step
        follows.append(motion.near(START, now)[1])
        start(motion, (0.01 * step, 0.0, 0.0, 0.0), START, follows[-1], now)
    assert all(follows[1:10]) and not all(follows[1:])


def test_a_model_of_slower_joints_may_take_longer(motion):
    motion.change_model(SimpleNamespace(joints=[
        replace(joint, max_velocity=0.01) for joint in MODEL.joints]))
    start(motion)
    assert motion.near(START, 20.0) == (GOAL, True)


# Limits and the command

@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('limit, beyond, words', [
    ('lower', 0.01, 'at most'), ('upper', -0.01, 'at least')])
def test_limits_that_leave_the_command_outside_are_refused(motion, name, limit, beyond, words):
    position = GOAL[NAMES.index(name)]
    model = SimpleNamespace(joints=[
        replace(joint, **{limit: position + beyond}) if joint.name == name else joint
        for joint in MODEL.joints])
    motion.require_inside(model)
    start(motion)
    with pytest.raises(InvalidArmError) as error:
        motion.require_inside(model)
    assert error.value.key == f'arm.joints.{name}.{limit}'
    assert error.value.found == position + beyond
    assert error.value.allowed == f'{words} {position:.6g}, the commanded position of the joint'
    motion.end()
    motion.require_inside(model)


def test_limits_that_end_where_the_command_is_are_taken(motion):
    start(motion)
    motion.require_inside(SimpleNamespace(joints=[
        replace(joint, lower=position, upper=position)
        for joint, position in zip(MODEL.joints, GOAL)]))


def test_positions_are_clamped_joint_by_joint():
    outside = [joint.lower - 1.0 if index % 2 else joint.upper + 1.0
               for index, joint in enumerate(MODEL.joints)]
    assert clamped(MODEL, outside) == tuple(
        joint.lower if index % 2 else joint.upper for index, joint in enumerate(MODEL.joints))
    assert clamped(MODEL, GOAL) == GOAL


# The ramp

def test_the_joint_that_needs_longest_sets_the_time_of_all():
    ramp = Ramp((0.0, 1.0), (0.1, 0.9), (1.0, 2.0), 10.0)
    assert ramp.at(10.0) == (0.0, 1.0)
    assert ramp.at(10.025) == pytest.approx((0.025, 0.975))
    assert ramp.at(10.075) == pytest.approx((0.075, 0.925))
    assert ramp.at(10.11) == ramp.at(10.2) == (0.1, 0.9)


def test_a_ramp_of_no_distance_is_at_its_goal_at_once():
    assert Ramp((0.5,), (0.5,), (1.0,), 10.0).at(10.0) == (0.5,)


def test_after_a_pause_the_ramp_goes_on_where_it_stopped():
    ramp = Ramp((0.0,), (1.0,), (1.0,), 10.0)
    assert ramp.at(10.05) == pytest.approx((0.05,))
    assert ramp.at(15.0) == pytest.approx((0.15,))
    assert ramp.at(15.05) == pytest.approx((0.2,))


def test_a_ramp_begins_at_the_command_of_an_arm_that_follows(motion):
    start(motion)
    sagging = tuple(q - 0.03 for q in GOAL)
    start(motion, START, sagging, True, 20.0, 0.5)
    assert motion.command(20.0) == GOAL
    speed = 0.5 * MODEL.joints[0].max_velocity
    assert motion.command(20.02)[0] == pytest.approx(0.8 - 0.02 * speed)
    start(motion, START, sagging, False, 30.0, 0.5)
    assert motion.command(30.0) == sagging
