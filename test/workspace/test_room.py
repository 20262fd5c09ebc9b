# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The room that up vectors have: against counting the elevations that the solver reaches."""

from arm_ik import Arm
from arm_ik.workspace.cells import make_slice
from arm_ik.workspace.picture import shades
from arm_ik.workspace.region import EDGES, NONE, region_of, with_room, words
import numpy as np
import pytest
from sliced_arms import LIMITED, model, model_of

#: How far apart the elevations that are counted are [deg].
APART = 4.0


@pytest.mark.parametrize('name', ['narrow', 'so101'])
def test_the_room_is_as_wide_as_the_elevations_reached(name):
    arm = Arm(model_of(name))
    cells = make_slice(arm.model, arm.model.reach / 25)
    region = with_room(arm.model, region_of(arm.model, cells))
    turns = np.radians(np.arange(0.0, 360.0, APART))
    ups = np.array([cells.direction((np.cos(turn), 0.0, np.sin(turn))) for turn in turns])
    some = region.reached & (np.random.default_rng(1).random(cells.shape) < 0.1)
    positions = np.stack(cells.position(*(values[some] for values in cells.grid)), axis=-1)
    solved = arm.solve_batch(positions[:, None, :], ups[None])
    counted = APART * solved.reached.sum(axis=1)
    low = np.array([0.0, *EDGES])[region.room[some]]
    high = np.array([*EDGES, 360.0])[region.room[some]]
    # Of each stretch of elevations counting may miss or add a step.
    slack = 3 * APART
    right = (counted >= low - slack) & (counted <= high + slack)
    # Where a step is narrower than a block it may be missed.
    assert right.mean() > 0.97 and len(right) > 50 and len({*low}) >= 2


def test_the_middle_of_a_free_arm_leaves_the_hand_free_and_its_edge_does_not():
    arm = model()
    region = with_room(arm, region_of(arm, make_slice(arm, 0.01)))
    cells = region.slice
    distance = np.hypot(*cells.grid)
    assert (region.room[distance < 0.15] == len(EDGES)).all()
    assert (region.room[(distance > 0.318) & region.reached] == 0).all()
    assert (region.room[~region.reached] == NONE).all()


def test_a_base_that_ends_a_hair_short_of_half_a_turn_has_the_same_room_behind():
    arm = Arm.preset('px100').model
    assert arm.joints[0].upper < np.pi
    region = with_room(arm, region_of(arm, make_slice(arm, 0.02)))
    same = region.room == region.room[:, ::-1]
    assert same.mean() > 0.97 and region.reached.any()


def test_rolling_bases_and_tilting_wrists_are_left_without():
    for kind in ('roll', 'tilt'):
        arm = model(kind)
        region = region_of(arm, make_slice(arm, 0.1))
        assert with_room(arm, region) is region


def test_what_is_reached_is_shaded_by_its_room_and_named_so():
    arm = LIMITED['narrow']
    region = with_room(arm, region_of(arm, make_slice(arm, 0.02)))
    shade = shades(region)
    assert (shade[region.reached] == -1 - region.room[region.reached]).all()
    assert (shade[~region.reached] == region.cause[~region.reached]).all()
    assert [words(arm, step) for step in (-1, -2, -5)] == [
        'reached, hand free < 30°', 'reached, hand free 30 to 60°',
        'reached, hand free > 180°']
