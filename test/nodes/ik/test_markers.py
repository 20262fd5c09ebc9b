# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import atan2, cos, sin

from arm_ik import Arm, Status, Target
from arm_ik.nodes.ik.markers import CELLS, COLOURS, ReachSlice, target_markers
from arm_ik.nodes.ik.report import Level, Report, State
import pytest
from tip_targets import xyz
from visualization_msgs.msg import Marker

ARM = Arm.preset('simple')
TARGET = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))


def markers(state, target=TARGET, **options):
    solution = ARM.solve(target, **options)
    report = Report(state, Level.OK, reason=solution.reason, target=target, solution=solution)
    return target_markers(report, ARM.forward(solution.q), 'base_link').markers


def colour(marker):
    return marker.color.r, marker.color.g, marker.color.b


@pytest.mark.parametrize('position, up, status', [
    ((0.2, 0.0, 0.1), (1.0, 0.0, 0.0), Status.REACHED),
    ((0.2, 0.0, 0.1), (0.0, 1.0, 0.0), Status.UP_RELAXED),
    ((2.0, 0.0, 0.1), (1.0, 0.0, 0.0), Status.POSITION_RELAXED)])
def test_colour_and_words_say_how_well_a_target_is_met(position, up, status):
    target, reached, line, words = markers(State.ACCEPTED, Target(position, up))
    assert len(set(COLOURS.values())) == len(COLOURS)
    for marker in (reached, line, words):
        assert colour(marker) == pytest.approx(COLOURS[status])
    assert xyz(target.points[1]) == xyz(line.points[0]) == position
    assert xyz(line.points[1]) == xyz(reached.points[1])
    assert (status.name in words.text) == (status is not Status.REACHED)
    assert xyz(words.pose.position)[:2] == position[:2]
    assert words.scale.z > 0.0


def test_a_refused_target_is_red_and_has_no_tip():
    target, reached, line, words = markers(State.REFUSED)
    assert [marker.action for marker in (target, reached, line, words)] == [
        Marker.ADD, Marker.DELETE, Marker.DELETE, Marker.ADD]
    assert colour(target) == colour(words) == pytest.approx((0.9, 0.1, 0.1))
    assert words.text.startswith('refused')


def test_a_target_that_was_not_solved_is_shown_too():
    report = Report(State.REFUSED, Level.WARN, reason='disabled', target=Target((0.2, 0.0, 0.1)))
    array = target_markers(report, None, 'left/base_link')
    assert xyz(array.markers[0].points[1]) == (0.2, 0.0, 0.1)
    assert array.markers[3].text == 'refused: disabled'
    assert {marker.header.frame_id for marker in array.markers} == {'left/base_link'}


def test_ids_are_unique_and_arrows_as_long_as_they_should_be():
    array = markers(State.ACCEPTED)
    assert len({(marker.ns, marker.id) for marker in array}) == len(array)
    assert xyz(array[0].points[0]) == pytest.approx((0.14, 0.0, 0.1))


# What the arm reaches

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
