# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik import Solution, Status
from arm_ik.nodes.ik.report import Level, Report, Request, State
from arm_ik.nodes.ik.status_message import status_message

SOLUTION = Solution((0.1,), Status.UP_RELAXED, 1.25e-17, 0.1 + 0.2, 0.5, 'wrist at its limit',
                    ('wrist', 'elbow'), 0.75)


def values_of(report):
    message = status_message(report, 'left/ik_node', 'so101')
    assert (message.name, message.hardware_id) == ('left/ik_node: target', 'so101')
    return message, {pair.key: pair.value for pair in message.values}


def test_it_has_the_keys_in_their_order():
    message, _ = values_of(Report(State.READY, Level.OK))
    assert [pair.key for pair in message.values][:10] == [
        'seq', 'target_stamp', 'frame', 'state', 'status', 'reason', 'position_error_m',
        'up_error_rad', 'limited_by', 'step_rad']


def test_numbers_read_back_as_they_were():
    message, values = values_of(Report(
        State.ACCEPTED, Level.WARN, Request(7, (12, 34), 'base_link'), SOLUTION.reason,
        'UP_RELAXED', solution=SOLUTION))
    assert message.level == b'\x01'
    assert message.message == 'accepted, UP_RELAXED: wrist at its limit'
    assert values == {
        'seq': '7', 'target_stamp': '12.000000034', 'frame': 'base_link', 'state': 'accepted',
        'status': 'UP_RELAXED', 'reason': 'wrist at its limit', 'position_error_m': '1.25e-17',
        'up_error_rad': '0.30000000000000004', 'limited_by': 'wrist, elbow', 'step_rad': '0.75',
        'forward_error_rad': '0.5', 'cause': 'UP_RELAXED'}


def test_where_nothing_was_solved_the_numbers_are_nan():
    _, values = values_of(Report(State.REFUSED, Level.WARN, reason='because'))
    assert (values['status'], values['reason']) == ('', 'because')
    assert {values[key] for key in ('position_error_m', 'up_error_rad', 'step_rad')} == {'nan'}


def test_a_huge_frame_name_is_cut():
    _, values = values_of(Report(State.REFUSED, Level.WARN, Request(1, (0, 0), 'x' * 100_000)))
    assert len(values['frame']) == 120
