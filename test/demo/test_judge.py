# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the judge lets pass and what not: one test for every way to be wrong."""

from math import cos, nan, sin

from arm_ik import ExtraJoint
from arm_ik.demo.judge import judge_grip
from arm_ik.demo.target_file import Step
import pytest
from two_joints import answer, step, UP, verdict

TOO_FAR = step(position=(0.5, 0.0, 0.1), reachable=False)
SAID_SO = {'status': 'POSITION_RELAXED', 'reason': 'too far by 0.2 m', 'claimed': (0.2, 0.0)}


def test_a_pose_that_is_met_passes():
    found = verdict()
    assert not found.failure
    assert found.position_error_m < 1e-15 and found.up_error_rad < 1e-15
    assert found.forward_error_rad < 1e-15


def test_a_micrometre_and_a_microradian_are_not_forgiven():
    assert verdict(came=answer(lift=3e-6)).failure == 'missed'
    assert verdict(came=answer(lift=1.1e-6)).failure == 'missed'
    assert not verdict(came=answer(lift=1e-7)).failure


def test_an_arm_that_points_elsewhere_has_missed():
    found = verdict(asked=step(up=(cos(0.1), 0.0, sin(0.1)), forward=None))
    assert found.failure == 'missed'
    assert found.up_error_rad == pytest.approx(0.1)


def test_a_hand_that_is_turned_has_missed():
    found = verdict(asked=step(forward=(0.0, sin(0.2), -cos(0.2))))
    assert found.failure == 'missed'
    assert found.forward_error_rad == pytest.approx(0.2)


def test_what_is_not_asked_for_is_not_judged():
    found = verdict(asked=step(up=None, forward=None), came=answer(claimed=(0.0, nan)))
    assert not found.failure and found.up_error_rad is None and found.forward_error_rad is None


def test_a_node_that_calls_a_hit_a_miss_is_wrong():
    assert 'UP_RELAXED' in verdict(came=answer(status='UP_RELAXED')).failure


def test_a_node_that_says_nothing_is_wrong():
    assert 'nothing' in verdict(came=answer(status='')).failure


def test_a_forward_vector_that_only_the_wire_asked_for_may_be_relaxed():
    relaxed = answer(status='FORWARD_RELAXED')
    assert not verdict(step(forward=None), relaxed).failure
    assert 'FORWARD_RELAXED' in verdict(came=relaxed).failure


def test_a_refused_target_does_not_pass():
    refused = answer(status='', state='refused', reason='disabled', claimed=(nan, nan))
    assert 'refused' in verdict(came=refused).failure
    assert verdict(TOO_FAR, refused).failure


def test_an_error_that_is_claimed_wrongly_is_found():
    assert 'claims' in verdict(came=answer(claimed=(1e-3, 0.0))).failure
    assert 'claims' in verdict(came=answer(claimed=(0.0, 1e-3))).failure
    assert 'claims' in verdict(came=answer(claimed=(nan, 0.0))).failure


def test_out_of_reach_and_said_so_passes():
    assert not verdict(TOO_FAR, answer(**SAID_SO)).failure


def test_out_of_reach_and_called_reached_does_not_pass():
    assert 'calls it reached' in verdict(TOO_FAR, answer(claimed=(0.2, 0.0))).failure


def test_out_of_reach_without_a_reason_does_not_pass():
    assert 'no reason' in verdict(TOO_FAR, answer(**{**SAID_SO, 'reason': ''})).failure


def test_out_of_reach_by_another_distance_than_said_does_not_pass():
    assert 'claims' in verdict(TOO_FAR, answer(**{**SAID_SO, 'claimed': (0.1, 0.0)})).failure


def test_a_pose_called_reachable_that_is_relaxed_does_not_pass():
    found = verdict(step(position=(0.5, 0.0, 0.1), up=UP), answer(**SAID_SO))
    assert found.failure == 'missed'


def test_a_gripper_is_judged_between_its_closed_and_its_open_position():
    joint = ExtraJoint('jaw', -1.0, 2.0, 1.0, closed=1.0, open=-1.0)
    half = Step(1, 'half', None, 0.25)
    assert not judge_grip(half, joint, {'jaw': 0.5}).failure
    assert '0.5' in judge_grip(half, joint, {'jaw': 0.5001}).failure
    assert 'no gripper' in judge_grip(half, None, {}).failure
