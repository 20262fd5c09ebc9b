# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik import Arm, Status, Target
from arm_ik.nodes.ik.marker_message import COLOURS, marker_message
from arm_ik.nodes.ik.report import Level, Report, State
import pytest
from tip_targets import xyz
from visualization_msgs.msg import Marker

ARM = Arm.preset('simple')
TARGET = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))


def markers(state, target=TARGET, **options):
    solution = ARM.solve(target, **options)
    report = Report(state, Level.OK, reason=solution.reason, target=target, solution=solution)
    return marker_message(report, ARM.forward(solution.q), 'base_link').markers


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
    array = marker_message(report, None, 'left/base_link')
    assert xyz(array.markers[0].points[1]) == (0.2, 0.0, 0.1)
    assert array.markers[3].text == 'refused: disabled'
    assert {marker.header.frame_id for marker in array.markers} == {'left/base_link'}


def test_ids_are_unique_and_arrows_as_long_as_they_should_be():
    array = markers(State.ACCEPTED)
    assert len({(marker.ns, marker.id) for marker in array}) == len(array)
    assert xyz(array[0].points[0]) == pytest.approx((0.14, 0.0, 0.1))
