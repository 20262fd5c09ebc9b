# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from dataclasses import replace
from math import atan2, cos, sin
import threading
from time import monotonic, sleep

from arm_ik import Arm, Status, Target
from arm_ik.nodes.common.pose_message import columns
from arm_ik.nodes.ik import markers as ik_markers
from arm_ik.nodes.ik.markers import (
    CELLS, COLOURS, command_markers, ground_marker, reason_marker, ReachSlice, target_markers)
from arm_ik.nodes.ik.report import Level, Report, State
import numpy as np
import pytest
from tip_targets import xyz
from visualization_msgs.msg import Marker

ARM = Arm.preset('simple')
TARGET = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))


def report_of(state, target=TARGET):
    solution = ARM.solve(target)
    return Report(state, Level.OK, reason=solution.reason, target=target, solution=solution)


def markers(state, target=TARGET):
    report = report_of(state, target)
    return target_markers(report, ARM.forward(report.solution.q), ARM.model, 'base_link')


def colour(marker):
    return marker.color.r, marker.color.g, marker.color.b


@pytest.mark.parametrize('position, up, status', [
    ((0.2, 0.0, 0.1), (1.0, 0.0, 0.0), Status.REACHED),
    ((0.2, 0.0, 0.1), (0.0, 1.0, 0.0), Status.UP_RELAXED),
    ((2.0, 0.0, 0.1), (1.0, 0.0, 0.0), Status.POSITION_RELAXED)])
def test_colour_and_words_say_how_well_a_target_is_met(position, up, status):
    target = Target(position, up)
    ball, arrow, reached, line = markers(State.ACCEPTED, target)
    words = reason_marker(report_of(State.ACCEPTED, target), ARM.model, 'base_link')
    assert len(set(COLOURS.values())) == len(COLOURS)
    for marker in (reached, line, words):
        assert colour(marker) == pytest.approx(COLOURS[status])
    assert xyz(ball.pose.position) == xyz(arrow.points[0]) == xyz(line.points[0]) == position
    assert xyz(line.points[1]) == xyz(reached.points[0])
    assert (status.name in words.text) == (status is not Status.REACHED)


def test_arrows_begin_at_the_tips_and_point_along_the_up_vectors_out_of_the_hand():
    _, arrow, reached, _ = markers(State.ACCEPTED)
    for marker in (arrow, reached):
        begin, end = map(np.array, map(xyz, marker.points))
        assert (end - begin) / np.linalg.norm(end - begin) == pytest.approx(TARGET.up)
        assert begin == pytest.approx(TARGET.position)
    assert len({arrow.scale.x, reached.scale.x}) == 2  # one is seen around the other


def test_a_point_without_up_vector_has_no_arrow_of_its_own():
    ball, arrow, reached, _ = markers(State.ACCEPTED, Target((0.2, 0.0, 0.1)))
    assert (ball.action, arrow.action, reached.action) == (
        Marker.ADD, Marker.DELETE, Marker.ADD)


def test_a_refused_target_is_red_and_has_no_tip():
    ball, arrow, reached, line = markers(State.REFUSED)
    words = reason_marker(report_of(State.REFUSED), ARM.model, 'base_link')
    assert [marker.action for marker in (ball, arrow, reached, line, words)] == [
        Marker.ADD, Marker.ADD, Marker.DELETE, Marker.DELETE, Marker.ADD]
    assert colour(ball) == colour(arrow) == colour(words) == pytest.approx((1.0, 0.25, 0.2))
    assert words.text.startswith('refused')


def test_a_target_that_was_not_solved_is_shown_too():
    report = Report(State.REFUSED, Level.WARN, reason='disabled', target=Target((0.2, 0.0, 0.1)))
    found = target_markers(report, None, ARM.model, 'left/base_link')
    assert xyz(found[0].pose.position) == (0.2, 0.0, 0.1)
    assert {marker.header.frame_id for marker in found} == {'left/base_link'}


def test_the_reason_is_readable_and_stands_above_everything_the_arm_reaches():
    report = Report(State.REFUSED, Level.WARN, reason='a frame that nobody knows, ' * 4)
    words = reason_marker(report, ARM.model, 'base_link')
    assert words.scale.x > 0.0 and words.scale.y > 0.0 and words.scale.z > 0.0
    assert words.pose.position.z > ARM.model.base_height + ARM.model.reach
    assert max(map(len, words.text.splitlines())) <= 46 and words.text.count('\n') >= 2


def test_without_a_target_everything_of_the_last_one_is_deleted():
    found = target_markers(None, None, ARM.model, 'base_link')
    assert {marker.action for marker in found} == {Marker.DELETE}
    shown = markers(State.ACCEPTED)
    assert [(m.ns, m.id) for m in found] == [(m.ns, m.id) for m in shown]


@pytest.mark.parametrize('name', ['so101', 'px100', 'rolling_base'])
def test_the_commanded_pose_is_a_transparent_arm_where_forward_kinematics_has_it(name):
    arm = Arm.preset(name)
    found = command_markers(arm.model, arm.home, 'base_link')
    assert {marker.action for marker in found} == {Marker.ADD}
    assert all(0.1 < marker.color.a < 0.6 for marker in found)
    assert all(marker.scale.x > 0.0 for marker in found)
    pose = arm.forward(arm.home)
    wrist = pose.position - arm.model.hand * pose.up
    palm = wrist + 0.5 * 0.45 * arm.model.hand * pose.up
    assert min(np.linalg.norm(palm - xyz(marker.pose.position)) for marker in found) < 1e-9
    turns = [marker.pose.orientation for marker in found if marker.type == Marker.CYLINDER]
    leans = {round(abs(columns((turn.x, turn.y, turn.z, turn.w))[2][2]), 6) for turn in turns}
    assert leans == {0.0, 1.0}    # drums lie, the turntable stands
    gone = command_markers(arm.model, None, 'base_link')
    assert {marker.action for marker in gone} == {Marker.DELETE}
    assert [(m.ns, m.id) for m in gone] == [(m.ns, m.id) for m in found]


def test_the_ground_to_click_on_is_thin_and_wider_than_the_reach():
    ground = ground_marker(ARM.model, 'base_link')
    assert ground.scale.x == ground.scale.y > 2.0 * ARM.model.reach
    assert 0.0 < ground.pose.position.z + 0.5 * ground.scale.z <= 0.002
    on_a_box = ground_marker(replace(ARM.model, floor_height=-0.12), 'base_link')
    assert on_a_box.pose.position.z == pytest.approx(ground.pose.position.z - 0.12)


# What the arm reaches

def computed(arm):
    """Return what an arm reaches, as soon as it is known."""
    reach, deadline = ReachSlice(arm), monotonic() + 60.0
    while reach.reached is None:
        assert monotonic() < deadline
        sleep(0.01)
    return reach


def counted(reach, marker):
    """Return the points of a marker in its plane [m], from the slice's own middle."""
    return np.array([(p.x, p.z - reach.slice.geometry.base_height) for p in marker.points])


def grid(reach):
    """Return the cells of the area's triangles, counted in half cells, and a cell's size [m]."""
    area, _ = reach.markers('base_link')
    corners = counted(reach, area).reshape(-1, 6, 2)
    half = 0.5 * float(np.ptp(corners[0, :, 0]))
    cells = set()
    for piece in np.rint(corners / half).astype(int):
        (left, low), (right, high) = piece.min(axis=0), piece.max(axis=0)
        cells |= {(int(left + right) // 2, int(row)) for row in range(low + 1, high, 2)}
    return cells, 2.0 * half


def place(reach, marker, r, z):
    """Return a point of a marker in its frame, by its pose."""
    z += reach.slice.geometry.base_height
    where, how = marker.pose.position, marker.pose.orientation
    yaw = 2.0 * atan2(how.z, how.w)
    return where.x + r * cos(yaw), where.y + r * sin(yaw), where.z + z


@pytest.mark.parametrize('name', ['so101', 'px100', 'braccio'])
def test_every_cell_shown_is_reached_and_no_other_of_the_plane_is(name):
    arm = Arm.preset(name)
    reach = computed(arm)
    area, edge = reach.markers('base_link')
    assert (area.type, area.action) == (Marker.TRIANGLE_LIST, Marker.ADD)
    cells, size = grid(reach)
    assert 100 < len(cells) < CELLS * CELLS
    assert len(cells) == reach.reached.sum()
    assert len(area.points) < 3 * len(cells)  # far fewer to draw
    outside = {(r + d, z) for r, z in cells for d in (-2, 2)} - cells
    # Reached is what the node calls so; of what is not, nothing is met exactly.
    for some, reached, tolerance in (cells, True, 2e-4), (outside, False, 1e-9):
        for r, z in some:
            where = place(reach, area, 0.5 * size * r, 0.5 * size * z)
            assert arm.solve(Target(where), position_tolerance=tolerance).reached is reached
    assert len(edge.points) == 2 * sum(
        (r + dr, z + dz) not in cells for r, z in cells
        for dr, dz in ((2, 0), (-2, 0), (0, 2), (0, -2)))
    # every line of the edge has a cell on one of its sides only
    ends = np.rint(counted(reach, edge) / (0.5 * size)).astype(int)
    for (r1, z1), (r2, z2) in ends.reshape(-1, 2, 2).tolist():
        r, z, dr, dz = (r1 + r2) // 2, (z1 + z2) // 2, (z2 - z1) // 2, (r2 - r1) // 2
        assert ((r + dr, z + dz) in cells) != ((r - dr, z - dz) in cells)


def test_it_stands_in_the_plane_of_home():
    arm = Arm.preset('so101')
    reach = computed(arm)
    area, _ = reach.markers('base_link')
    cells, size = grid(reach)
    home = np.array(arm.forward(arm.home).position)
    assert min(np.linalg.norm(home - place(reach, area, 0.5 * size * r, 0.5 * size * z))
               for r, z in cells) < size


def test_until_it_is_done_there_is_nothing_to_show(monkeypatch):
    waits, ends = threading.Event(), threading.Event()

    def endless(model, cells):
        while not ends.is_set():
            waits.set()
            yield np.ones(len(cells.r), dtype=bool)

    monkeypatch.setattr(ik_markers, 'rows_reached', endless)
    reach = ReachSlice(Arm.preset('rolling_base'))
    assert waits.wait(10.0)
    for marker in reach.markers('left/base_link'):
        assert (marker.action, marker.points) == (Marker.DELETE, [])
        assert marker.header.frame_id == 'left/base_link'
    reach.close()
    assert reach.reached is None and not ends.is_set()
