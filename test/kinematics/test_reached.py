# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which positions are reached: what forward kinematics gets to, and what the solver meets."""

from dataclasses import replace

from arm_ik import Arm, Target
from arm_ik.kinematics.batch.columns import reached
from arm_ik.kinematics.forward import heights
from judged_arms import EXACT, KINDS, make_arm, random_arm
import numpy as np
import pytest

#: Random arms of each kind, and rows.
SEEDS, ROWS = 4, 300


def arms(kind):
    """Return random arms, half of them a little above a floor."""
    for seed in range(SEEDS):
        arm = random_arm(kind, seed)
        low = min(heights(arm.solver.geometry, arm.home)) - 0.02
        yield Arm(replace(arm.model, floor_height=low)) if seed % 2 else arm


def poses(arm, rng, count):
    """Return random positions above the floor, and the tool's poses there."""
    q = rng.uniform(arm.lower, arm.upper, (count, len(arm.home)))
    q = q[[arm.solver.above_floor(row) for row in q.tolist()]]
    return q, arm.forward(q)


@pytest.mark.parametrize('kind', KINDS)
def test_wherever_forward_kinematics_gets_to_is_reached(kind):
    rng = np.random.default_rng(1)
    for arm in arms(kind):
        q, pose = poses(arm, rng, ROWS if arm.solver.geometry.upright else 40)
        assert len(q) and reached(arm.solver, pose.position).all()
        for position, up in zip(pose.position[:40], pose.up):
            assert reached(arm.solver, position[None], up).all()


@pytest.mark.parametrize('kind', KINDS)
def test_what_is_called_reached_is_what_the_solver_meets(kind):
    rng, counted = np.random.default_rng(2), []
    for arm in arms(kind):
        # On a rolling base or a tilting wrist with a floor a closest pose takes long.
        count = 20 if arm.solver.geometry.upright and arm.model.floor_height is None else 4
        model = arm.model
        position = rng.uniform(-1.0, 1.0, (count, 3)) * 0.8 * model.reach + (
            model.base_x, model.base_y, model.base_height)
        up = rng.normal(size=3)
        for vector in (None, up):
            found = reached(arm.solver, position, vector)
            for row in range(count):
                solved = arm.solve(Target(position[row], vector), up_tolerance=1e-3,
                                   position_tolerance=EXACT)
                assert found[row] == solved.reached or (
                    solved.status == 1 and found[row]), (row, position[row], solved)
            counted += found.tolist()
    assert 5 < sum(counted) < len(counted) - 5


def test_where_the_hand_is_free_all_around_is_reached():
    arm = make_arm(links=(0.2, 0.2, 0.02), everywhere=(-9.0, 9.0))
    angle = np.linspace(0.0, 3.0, 30)
    position = 0.25 * np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
    assert arm.up_range(position[0]) == ((-np.pi, np.pi),)
    assert reached(arm.solver, position).all()


def test_a_straight_arm_reaches_the_edge_whichever_way_rounding_goes():
    arm, rng = make_arm('yaw'), np.random.default_rng(3)
    outwards = rng.normal(size=(200, 3))
    outwards /= np.linalg.norm(outwards, axis=1)[:, None]
    assert reached(arm.solver, 0.32 * outwards).all()
    assert not reached(arm.solver, (0.32 + 1e-8) * outwards).any()
    assert all(reached(arm.solver, 0.32 * u[None], u).all() for u in outwards)


@pytest.mark.parametrize('numbers', [
    # With the wrist on the floor, with the elbow on it, or nearly so, the tip gets to some.
    {'shoulder': (-0.96, 1.88), 'elbow': (0.48, 2.21), 'wrist': (0.4, 2.24),
     'home': (0.0, 0.46, 1.345, 1.32), 'floor_height': -0.082},
    {'shoulder': (-0.12, 2.26), 'elbow': (-1.29, 0.6), 'wrist': (-2.29, 1.41),
     'home': (0.0, 1.07, -0.345, -0.44), 'floor_height': 0.039}])
def test_where_only_the_floor_ends_what_is_reached_it_is_told_apart(numbers):
    arm, low = make_arm(**numbers), numbers['floor_height']
    position = np.random.default_rng(1).uniform(
        (-0.3, -0.3, low - 0.01), (0.3, 0.3, low + 0.1), (2000, 3))
    found = reached(arm.solver, position)
    assert found.tolist() == [bool(arm.up_range(row)) for row in position]


@pytest.mark.parametrize('lateral', [0.0, 0.03])
def test_on_the_yaw_axis_and_beside_it_nothing_is_lost(lateral):
    arm = make_arm('yaw', lateral=lateral)
    around = np.repeat([0.0, 1e-7, lateral, lateral + 1e-9, lateral + 1e-4], 2)
    position = np.stack([0.0 * around, around, np.tile([0.2, 0.9], 5)], axis=1)
    assert reached(arm.solver, position).tolist() == [
        bool(arm.up_range(row)) for row in position]


def test_an_up_vector_out_of_the_plane_is_not_reached():
    arm, position = make_arm('yaw'), np.array([[0.2, 0.0, 0.1]])
    assert [reached(arm.solver, position, (1.0, aside, 0.0)).item() for aside in (
        0.0, 0.9e-3, 1.1e-3, 1e3)] == [True, True, False, False]
    assert reached(arm.solver, position, (1.0, 1.1e-3, 0.0), (1e-4, 2e-3)).all()
