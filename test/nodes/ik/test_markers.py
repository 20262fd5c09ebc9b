# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from dataclasses import replace
from itertools import combinations
from pathlib import Path
import re
from types import SimpleNamespace

from arm_ik import Arm, Status, Target
from arm_ik.description.urdf import link_frames, links
from arm_ik.kinematics.tool_axes import columns
from arm_ik.nodes.ik import markers as ik_markers
from arm_ik.nodes.ik.markers import (
    COLOURS, command_markers, ground_marker, reason_marker, target_markers)
from arm_ik.nodes.ik.parameters import Settings
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
    return target_markers(report_of(state, target), ARM, 'base_link')


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
    assert [(marker.ns, marker.type) for marker in markers(
        State.ACCEPTED, Target((0.2, 0.0, 0.1)))] == [
            ('target', Marker.SPHERE), ('solution', Marker.ARROW), ('miss', Marker.LINE_STRIP)]


def test_a_refused_target_is_red_and_has_no_tip():
    ball, arrow = markers(State.REFUSED)
    words = reason_marker(report_of(State.REFUSED), ARM.model, 'base_link')
    assert colour(ball) == colour(arrow) == colour(words) == pytest.approx((1.0, 0.5, 0.45))
    assert words.text.startswith('refused')


def test_a_target_that_was_not_solved_is_shown_too():
    report = Report(State.REFUSED, Level.WARN, reason='disabled', target=Target((0.2, 0.0, 0.1)))
    found = target_markers(report, ARM, 'left/base_link')
    assert xyz(found[0].pose.position) == (0.2, 0.0, 0.1)
    assert {marker.header.frame_id for marker in found} == {'left/base_link'}


def test_the_reason_is_readable_and_stands_above_everything_the_arm_reaches():
    report = Report(State.REFUSED, Level.WARN, reason='a frame that nobody knows, ' * 4)
    words = reason_marker(report, ARM.model, 'base_link')
    assert words.scale.x > 0.0 and words.scale.y > 0.0 and words.scale.z > 0.0
    assert words.pose.position.z > ARM.model.base_height + ARM.model.reach
    assert max(map(len, words.text.splitlines())) <= 56 and words.text.count('\n') >= 2


@pytest.mark.parametrize('name', ['so101', 'px100', 'rolling_base'])
def test_the_commanded_pose_is_a_transparent_arm_where_forward_kinematics_has_it(name):
    arm = Arm.preset(name)
    found = command_markers(arm.model, arm.home, 'base_link')
    assert len({marker.id for marker in found}) == len(found) > 3
    assert all(0.1 < marker.color.a < 0.6 for marker in found)
    assert all(marker.scale.x > 0.0 for marker in found)
    pose = arm.forward(arm.home)
    boxes = [shape.position for shape in arm.model.shapes_on('hand')]
    palm = pose.position + pose.rotation @ [*boxes, (0.0, 0.0, -0.775 * arm.model.hand)][0]
    assert min(np.linalg.norm(palm - xyz(marker.pose.position)) for marker in found) < 1e-9
    turns = [marker.pose.orientation for marker in found if marker.type == Marker.CYLINDER]
    leans = {round(abs(columns((turn.x, turn.y, turn.z, turn.w))[2][2]), 6) for turn in turns}
    assert leans == {0.0, 1.0}    # drums lie, the turntable stands


@pytest.mark.parametrize('name, along, farther', [
    ('so101', (-1.0, 0.0, 0.0), 0.02), ('px100', (0.0, 1.0, 0.0), 0.01)])
def test_the_commanded_arm_has_the_fingers_that_the_gripper_has_now(name, along, farther):
    arm = Arm.preset(name)
    pose, (finger, *_) = arm.forward(arm.home), arm.model.extra_joints
    shut, wide, none = (
        np.array([pose.rotation.T @ (xyz(marker.pose.position) - pose.position)
                  for marker in command_markers(arm.model, arm.home, 'base_link', extra)])
        for extra in ({finger.name: finger.closed}, {finger.name: finger.open}, {}))
    moved = (wide - shut) @ along
    assert moved.max() > farther and (none == shut).all()
    assert (np.abs(moved) < 1e-9).sum() > len(moved) / 2     # of the arm itself


def test_everything_has_a_colour_of_its_own_that_is_seen_on_the_background():
    ball, arrow, _, _ = markers(State.ACCEPTED)
    refused = reason_marker(report_of(State.REFUSED), ARM.model, 'base_link')
    ghost = command_markers(ARM.model, ARM.home, 'base_link')[0]
    shown = [colour(marker) for marker in (ball, ghost, refused)] + [*COLOURS.values()]
    for one, other in combinations(shown, 2):
        assert max(abs(a - b) for a, b in zip(one, other)) >= 0.2, (one, other)
    view = (Path(__file__).parents[3] / 'rviz' / 'arm_ik.rviz').read_text()
    background = [int(part) / 255 for part in re.search(
        r'Background Color: (\d+); (\d+); (\d+)', view).groups()]
    for letters in (colour(refused), *COLOURS.values()):
        assert (luminance(letters) + 0.05) / (luminance(background) + 0.05) >= 4.5


def luminance(rgb):
    """Return the relative luminance of a colour, as WCAG defines it."""
    return sum(share * (part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4)
               for share, part in zip((0.2126, 0.7152, 0.0722), rgb))


class Shown:
    """A node and a core as far as markers know them; ``markers`` are those shown last."""

    def __init__(self, command, measured):
        self.arm, self.command, self.markers = ARM, command, []
        self.gate = SimpleNamespace(state=SimpleNamespace(positions=measured))
        self.planner = SimpleNamespace(goals=SimpleNamespace(paths=SimpleNamespace(extra={})))
        self.settings = Settings()

    def create_publisher(self, *_):
        return self

    def get_subscription_count(self):
        return 1

    def publish(self, message):
        self.markers = message.markers


@pytest.mark.parametrize('off, shown', [(0.005, False), (0.02, True)])
def test_the_commanded_arm_is_hidden_where_the_arm_is_there(off, shown):
    there = Shown(ARM.home, (*ARM.home[:2], ARM.home[2] + off, ARM.home[3]))
    markers = ik_markers.Markers(there, 'base_link', there)
    markers.show(report_of(State.REFUSED))
    markers.check()
    assert there.markers[0].action == Marker.DELETEALL     # of what was shown before
    assert ('command' in {marker.ns for marker in there.markers}) == shown
    # A node that is killed deletes nothing.
    assert {marker.lifetime.sec for marker in there.markers} == {3}


def test_the_target_goes_when_nothing_is_in_force_any_more():
    there = Shown(ARM.home, ARM.home)
    shown = ik_markers.Markers(there, 'base_link', there)
    for report, names in ((report_of(State.REFUSED), {'target', 'reason'}),
                          (Report(State.READY, Level.OK, reason='enabled'), {'reason'})):
        shown.show(report)
        shown.check()
        assert {marker.ns for marker in there.markers} == {'', 'ground', *names}


def test_the_ground_to_click_on_is_thin_and_wider_than_the_reach():
    ground = ground_marker(ARM.model, 'base_link')
    assert ground.scale.x == ground.scale.y > 2.0 * ARM.model.reach
    assert 0.0 < ground.pose.position.z + 0.5 * ground.scale.z <= 0.002
    on_a_box = ground_marker(replace(ARM.model, floor_height=-0.12), 'base_link')
    assert on_a_box.pose.position.z == pytest.approx(ground.pose.position.z - 0.12)


def test_markers_are_at_the_tip_that_is_chosen():
    arm = Arm.preset('so101', tip='gripper_frame_link')
    target = Target((0.2, 0.05, 0.06), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    solution = arm.solve(target)
    report = Report(State.ACCEPTED, Level.OK, target=target, solution=solution)
    ball, _, reached, line = target_markers(report, arm, 'base_link')
    tip = link_frames(
        links(arm.model), dict(zip(arm.joint_names, solution.q)))['tool0'][:3, 3]
    assert xyz(ball.pose.position) == target.position
    assert xyz(reached.points[0]) == xyz(line.points[1]) == pytest.approx(tip, abs=1e-9)
    assert tip == pytest.approx(target.position, abs=1e-9)
