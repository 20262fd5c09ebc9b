# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Regions against forward kinematics of random poses.

A point that the tip gets to must be in a cell that is marked as reached, or beside one, where the
edge runs through its cell; and a cell marked as reached must have such a point in it or beside it.
"""

from math import atan2
import re

from arm_ik import Arm
from arm_ik.workspace.cells import make_slice
from arm_ik.workspace.region import Causes, FAR, lines_of, REACHED, region_of
import numpy as np
import pytest
from sliced_arms import (
    DOWN, LIMITED, model, model_of, points_in_slice, points_turned_into_slice)

POSES = 500_000
ASLANT = (0.6, 0.0, -0.8)
PRESETS = ('so101', 'px100')


def visited(cells, points):
    """Tell of each cell whether a point is in it."""
    left, _, bottom, _ = cells.extent
    columns, rows = (np.asarray(points) - [[left], [bottom]]) // cells.cell
    there = np.zeros(cells.grid[0].shape, bool)
    there[rows.astype(int), columns.astype(int)] = True
    return there


def widened(mask, by=1):
    """Return a mask with all cells beside its own, also across corners."""
    for _ in range(by):
        around = np.pad(mask, 1)
        rows, columns = mask.shape
        mask = np.logical_or.reduce([around[i:i + rows, j:j + columns]
                                     for i in range(3) for j in range(3)])
    return mask


@pytest.mark.parametrize('name, up', [
    *((name, up) for name in ('narrow', 'beside', 'turned', *PRESETS) for up in (None, ASLANT)),
    ('bolted', None)])
def test_the_tip_gets_to_cells_marked_as_reached_and_to_no_others(name, up):
    arm = model_of(name)
    # Beside the axis what is out of reach is solved one by one.
    cell = 0.03 if name == 'beside' else 0.008 if up is None else 0.0045
    region = region_of(arm, make_slice(arm, cell), up)
    elevation = None if up is None else atan2(up[2], up[0])
    there = visited(region.slice, points_in_slice(arm, POSES, 1, elevation))
    missed = there & ~widened(region.reached)
    assert missed.sum() <= 0.002 * there.sum(), np.argwhere(missed)
    assert not (there & ~widened(region.reached, 2)).any()
    claimed = region.reached & ~widened(there, 2)
    assert not claimed.any(), np.argwhere(claimed)
    assert there.any()


@pytest.mark.parametrize('arm', [
    model('roll', yaw=(-2.0, 2.0), roll=(-0.5, 0.9), shoulder=(0.2, 2.2), elbow=(-2.2, -0.2),
          wrist=(-1.0, 1.2), base_height=0.05),
    model('tilt', yaw=(-1.0, 2.0), shoulder=(0.2, 2.2), elbow=(-2.2, -0.2), wrist=(-1.0, 1.2),
          wrist_tilt=(-0.4, 0.8), base_height=0.05)], ids=['roll', 'tilt'])
def test_the_tip_of_any_kind_of_arm_gets_to_cells_marked_as_reached_and_to_no_others(arm):
    region = region_of(arm, make_slice(arm, 0.045))
    there = visited(region.slice, points_turned_into_slice(Arm(arm), region.slice, POSES, 1))
    missed = there & ~widened(region.reached)
    assert not missed.any(), np.argwhere(missed)
    claimed = region.reached & ~widened(there)
    assert not claimed.any(), np.argwhere(claimed)


@pytest.mark.parametrize('name', ['beside', 'so101'])
@pytest.mark.parametrize('up', [None, DOWN])
def test_the_cells_between_those_looked_at_are_what_they_would_be(name, up):
    arm = model_of(name)
    cells = make_slice(arm, 0.05 if name == 'beside' else 0.02)
    region = region_of(arm, cells, up)
    causes, direction = Causes(arm), None if up is None else cells.direction(up)
    one_by_one = np.array([[causes.of(cells.position(r, z), direction) for r in cells.r]
                           for z in cells.z])
    within = ~cells.beyond_links(*cells.grid)
    assert (region.cause[~within] == FAR).all()
    wrong = within & (region.cause != one_by_one)
    assert wrong.sum() <= 0.01 * within.sum()
    # Of what is reached nothing is lost that is wider than a cell.
    assert not ((one_by_one == REACHED) & ~widened(region.reached)).any()


def test_the_figures_are_those_of_a_disc():
    arm = model(base_height=0.1)
    one, two = lines_of(arm, region_of(arm, make_slice(arm)))
    assert one.startswith('test, any up vector: reached 100.0% of what')
    figures = [float(number) for number in re.findall(r'-?[0-9]+[.][0-9]+', one + two)][1:]
    assert figures[0] == pytest.approx(np.pi * 0.32 ** 2, rel=1e-3)
    assert figures[1:] == pytest.approx([0.32, -0.22, 0.42], abs=0.002)


def test_shares_add_up_and_are_printed_the_largest_first():
    arm = LIMITED['narrow']
    region = region_of(arm, make_slice(arm, 0.01), DOWN)
    first, second, third = lines_of(arm, region)
    assert 'up vector straight down (0, 0, -1)' in first
    shares = [float(share) for share in re.findall('([0-9.]+)%', third)]
    assert shares == sorted(shares, reverse=True) and len(shares) >= 3
    reached = float(re.search('([0-9.]+)%', first).group(1))
    assert reached + sum(shares) == pytest.approx(100.0, abs=0.3) and reached > 5.0


def test_an_arm_that_reaches_nothing_is_told_so():
    arm = LIMITED['narrow']
    first, second = lines_of(arm, region_of(arm, make_slice(arm, 0.08), (0.0, 1.0, 0.0)))
    assert 'reached 0.0%' in first and 'out of the arm plane 100.0%' in second
