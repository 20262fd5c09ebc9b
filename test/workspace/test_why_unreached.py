# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What stops an arm: on arms made so that it can be only one thing, and against the solver."""

from dataclasses import replace
from math import hypot

from arm_ik import Arm, Target
from arm_ik.workspace.cells import make_slice, with_roll_at_home
from arm_ik.workspace.region import (
    Causes, CLOSE, FAR, FIRST_JOINT, FLOOR, is_reached, REACHED, UP)
import numpy as np
import pytest
from sliced_arms import DOWN, LIMITED, model, ROLES


def causes_in_slice(arm, up=None, cells=24):
    """Return pairs of a target position and its cause, over the whole slice of a model."""
    causes, slice_ = Causes(arm), make_slice(arm, 2.2 * arm.reach / cells)
    direction = None if up is None else slice_.direction(up)
    positions = [slice_.position(r, z) for r in slice_.r for z in slice_.z]
    return [(position, causes.of(position, direction)) for position in positions]


def test_without_limits_an_arm_can_only_be_too_short_or_too_long():
    for position, cause in causes_in_slice(model(links=(0.3, 0.1, 0.05))):
        distance = hypot(*position)
        assert cause == (FAR if distance > 0.45 else CLOSE if distance < 0.15 else REACHED)


def test_with_an_up_vector_it_is_the_wrist_that_gets_too_far_or_too_close():
    for (x, y, z), cause in causes_in_slice(model(links=(0.3, 0.1, 0.05)), DOWN):
        distance = hypot(x, y, z + 0.05)
        assert cause == (FAR if distance > 0.4 else CLOSE if distance < 0.2 else REACHED)


@pytest.mark.parametrize('up', [None, DOWN, (0.6, 0.0, 0.8)])
@pytest.mark.parametrize('role, limits', [
    ('shoulder', (0.3, 1.2)), ('elbow', (-1.0, -0.5)), ('wrist', (-0.4, 0.3))])
def test_the_only_joint_that_has_limits_is_the_one_that_stops_the_arm(role, limits, up):
    arm = model(yaw=(0.0, 0.0), **{role: limits})
    found = {cause for _, cause in causes_in_slice(arm, up)}
    joint = FIRST_JOINT + ROLES['yaw'].index(role)
    assert joint in found and REACHED in found
    # The bolted base does not get round to what is behind, which the limited joint may then need.
    assert found <= {REACHED, FAR, CLOSE, joint, FIRST_JOINT}


@pytest.mark.parametrize('up', [None, DOWN])
def test_a_base_that_does_not_turn_round_stops_the_arm_behind_only(up):
    # Over its back it gets less far by twice the offset than it would turned round.
    arm = model(yaw=(-1.0, 1.0), shoulder_offset=0.1)
    yaw = [x for (x, _, _), cause in causes_in_slice(arm, up) if cause == FIRST_JOINT]
    assert yaw and max(yaw) < 0.0


def test_an_up_vector_across_the_slice_is_out_of_the_plane_of_an_arm_that_only_yaws():
    causes = causes_in_slice(model(), (0.0, 1.0, 0.0))
    assert {cause for _, cause in causes} == {UP}
    causes = causes_in_slice(model('tilt', wrist_tilt=(-2.0, 2.0)), (0.0, 1.0, 0.0), cells=8)
    assert {cause for _, cause in causes} == {FAR, REACHED}


@pytest.mark.parametrize('up', [None, DOWN])
def test_the_floor_stops_the_arm_where_it_would_reach_without(up):
    free = dict(causes_in_slice(model(), up))
    for position, cause in causes_in_slice(model(floor_height=-0.1), up):
        if position[2] < -0.1 and free[position] == REACHED:
            assert cause == FLOOR
        elif position[2] > 0.0:
            assert cause == free[position]


def test_the_floor_stops_an_elbow_or_a_wrist_too():
    arm = model(floor_height=0.0, elbow=(0.5, 2.5), shoulder=(-3.2, 0.0))
    assert Causes(arm).of((0.2, 0.0, 0.02), (1.0, 0.0, 0.0)) == FLOOR
    assert Causes(model(floor_height=-0.2, elbow=(0.5, 2.5), shoulder=(-3.2, 0.0))).of(
        (0.2, 0.0, 0.02), (1.0, 0.0, 0.0)) == REACHED


def test_a_limit_missed_by_a_hair_does_not_stop_the_arm():
    # Makers' URDFs end at 3.14158 where half a turn is 3.14159.
    arm = model(yaw=(-3.14158, 3.14158), shoulder=(-0.5, 1.5))
    for up in (None, DOWN):
        assert Causes(arm).of((-0.2, 0.0, 0.0), up) == REACHED
    assert not Arm(arm).solve(Target((-0.2, 0.0, 0.0), DOWN), up_tolerance=1e-9,
                              position_tolerance=1e-9).reached


@pytest.mark.parametrize('kind', sorted(ROLES))
@pytest.mark.parametrize('up', [DOWN, (1.0, 0.0, 0.0), (0.6, 0.3, -0.7)])
def test_reached_with_an_up_vector_is_what_the_solver_says(kind, up):
    arm = Arm(model(kind, yaw=(-2.0, 2.0), shoulder=(0.0, 2.4), elbow=(-2.4, 0.4),
                    wrist=(-1.5, 1.5), everywhere=(-0.9, 1.2), shoulder_offset=0.02))
    found = causes_in_slice(arm.model, up, cells=24 if kind == 'yaw' else 5)
    positions = np.array([position for position, _ in found])
    reached = np.array([cause == REACHED for _, cause in found])
    direction = make_slice(arm.model).direction(up)
    solved = arm.solve_batch(positions, [direction] * len(found))
    assert reached[solved.reached].all()
    assert (solved.position_error_m[reached] <= 2e-4).all()
    assert (solved.up_error_rad[reached] <= 2e-3).all()
    assert reached.any() or kind == 'yaw' and up[1]


@pytest.mark.parametrize('name', sorted(LIMITED))
def test_reached_with_any_up_vector_is_what_the_solver_says(name):
    arm = Arm(LIMITED[name])
    # Beside the axis what is out of reach takes a search.
    for position, cause in causes_in_slice(arm.model, cells=8 if name == 'beside' else 24):
        solution = arm.solve(Target(position), position_tolerance=1e-4)
        assert (cause == REACHED) == solution.reached
        if cause >= FIRST_JOINT:
            assert arm.joint_names[cause - FIRST_JOINT] in solution.limited_by
        elif cause != REACHED:
            assert cause in (FAR, CLOSE)


def test_of_several_joints_at_a_limit_the_one_that_would_bring_the_tip_nearest_is_told():
    arm, compared = Arm(LIMITED['narrow']), 0
    for position, cause in causes_in_slice(arm.model):
        solution = arm.solve(Target(position))
        if cause < FIRST_JOINT or len(solution.limited_by) < 2:
            continue
        nearer = [solution.position_error_m - widened(arm.model, name).solve(
            Target(position)).position_error_m for name in solution.limited_by]
        told = solution.limited_by.index(arm.joint_names[cause - FIRST_JOINT])
        assert nearer[told] >= 0.99 * max(nearer)
        compared += max(nearer) > 2.0 * min(nearer)
    assert compared > 10


def widened(model, name, by=1e-4):
    """Return an arm whose joint of that name may turn on by an angle [rad] at either limit."""
    return Arm(replace(model, joints=[
        replace(joint, lower=joint.lower - by, upper=joint.upper + by) if joint.name == name
        else joint for joint in model.joints]))


def test_a_tip_beside_the_roll_axis_is_reached_where_the_map_says_so():
    arm = Arm.preset('so101', tip='gripper_frame_link').model
    solver = with_roll_at_home(arm)
    for position, cause in causes_in_slice(arm, cells=16):
        assert is_reached(solver, position) == (cause == REACHED)


@pytest.mark.parametrize('up', [None, (1.0, 0.0, -0.5)])
def test_causes_are_those_of_the_roll_at_home_and_of_no_other(up):
    arm = Arm.preset('so101', tip='gripper_frame_link').model
    *joints, roll = arm.joints
    held = replace(arm, joints=(*joints, replace(roll, lower=arm.home[-1], upper=arm.home[-1])))
    free, fixed = [causes_in_slice(each, up, 20) for each in (arm, held)]
    assert [cause for _, cause in free] == [cause for _, cause in fixed]
    assert REACHED in [cause for _, cause in fixed]
