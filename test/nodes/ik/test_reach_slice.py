# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import atan2, cos, sin

from arm_ik import Arm, Target
from arm_ik.nodes.ik.reach_slice import CELLS, ReachSlice
import pytest
from visualization_msgs.msg import Marker


def places(marker):
    """Return where the points of a marker are in its frame, by its pose alone."""
    where, how = marker.pose.position, marker.pose.orientation
    yaw = 2.0 * atan2(how.z, how.w)
    return [(where.x + p.x * cos(yaw), where.y + p.x * sin(yaw), where.z + p.z)
            for p in marker.points]


@pytest.mark.parametrize('name', ['so101', 'px100', 'braccio'])
def test_every_cell_shown_is_reached_and_no_other_of_the_plane_is(name):
    arm = Arm.preset(name)
    reach = ReachSlice(arm)
    reach.wait()
    marker = reach.message('base_link')
    assert (marker.type, marker.action) == (Marker.CUBE_LIST, Marker.ADD)
    shown = places(marker)
    assert 100 < len(shown) < CELLS * CELLS
    for place in shown:
        assert arm.solve(Target(place)).reached
    cell = marker.scale.x / 0.9
    rows = {round(p.z / cell * 2) for p in marker.points}
    grid = {(round(p.x / cell * 2), round(p.z / cell * 2)) for p in marker.points}
    edge = [(r + dr, z) for r, z in grid for dr in (-2, 2) if (r + dr, z) not in grid]
    assert len(rows) > 5 and edge
    marker.points = [type(marker.points[0])(x=0.5 * r * cell, y=0.0, z=0.5 * z * cell)
                     for r, z in edge]
    assert not any(arm.solve(Target(place)).reached for place in places(marker))


def test_it_stands_in_the_plane_of_home():
    arm = Arm.preset('so101')
    reach = ReachSlice(arm)
    reach.wait()
    x, y, z = arm.forward(arm.home).position
    cell = reach.message('base_link').scale.x
    assert min((a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2
               for a, b, c in places(reach.message('base_link'))) < cell ** 2


def test_until_it_is_done_there_is_nothing_to_show():
    reach = ReachSlice(Arm.preset('rolling_base'))
    marker = reach.message('left/base_link')
    assert (marker.action, marker.points) == (Marker.DELETE, [])
    assert marker.header.frame_id == 'left/base_link'
    reach.close()
    assert reach.points is None
