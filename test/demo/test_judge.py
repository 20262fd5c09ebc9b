# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the judge lets pass and what not, of every way to be wrong."""

from math import cos, nan, pi, sin

from arm_ik.demo.stream import tip_of
import pytest
from two_joints import answer, FAR, MODEL, relaxed, step, verdict

TURNED = (0.0, sin(0.2), -cos(0.2))


@pytest.mark.parametrize('asked, came, words', [
    (step(), answer(), ''),
    (step(), answer(lift=1e-7), ''),
    (step(), answer(lift=1.1e-6), 'missed'),
    (step(up=(cos(0.1), 0.0, sin(0.1)), forward=None), answer(), 'missed'),
    (step(forward=TURNED), answer(), 'missed'),
    (step(up=None, forward=None), answer(claimed=(0.0, nan)), ''),
    (step(), answer(status='UP_RELAXED'), 'the node says UP_RELAXED'),
    (step(), answer(status=''), 'the node says nothing'),
    (step(forward=None), answer(status='FORWARD_RELAXED'), ''),
    (step(), answer(status='FORWARD_RELAXED'), 'the node says FORWARD_RELAXED'),
    (step(), answer(status='', state='refused', reason='disabled'), 'the node says refused'),
    (step(), answer(claimed=(1e-3, 0.0)), 'claims an error of 0.001'),
    (step(), answer(claimed=(0.0, 1e-3)), 'claims an error of 0.001'),
    (step(), answer(claimed=(nan, 0.0)), 'claims an error of nan'),
    (FAR, relaxed(), ''),
    (FAR, relaxed('REACHED'), 'calls it unreachable, the node says REACHED'),
    (FAR, relaxed(reason=''), 'no reason'),
    (FAR, relaxed(claimed=(0.1, 0.0)), 'claims an error of 0.1, it is 0.2'),
    (FAR, answer(status='', state='refused', reason='disabled', claimed=(nan, nan)), 'claims'),
    (FAR._replace(reachable=True), relaxed(), 'missed')])
def test_a_pose_passes_if_the_arm_is_there_or_the_node_says_truly_why_not(asked, came, words):
    failure = verdict(asked, came).failure
    assert words in failure and bool(failure) == bool(words)


def test_errors_are_measured_and_only_of_what_was_asked_for():
    found = verdict(step(up=(cos(0.1), 0.0, sin(0.1)), forward=(0.0, sin(0.2), -cos(0.2))))
    assert found.position_error_m < 1e-15 and found.up_error_rad == pytest.approx(0.1)
    assert found.forward_error_rad == pytest.approx(0.2)
    assert verdict(step(up=None, forward=None))[-3:-1] == (None, None)


def test_a_pose_worked_by_hand():
    raised, _ = answer(turn=pi / 2, lift=pi / 2)
    tip, forward, up = tip_of(MODEL, raised)
    assert tip == pytest.approx((0.0, 0.0, 0.4)) and up == pytest.approx((0.0, 0.0, 1.0))
    assert forward == pytest.approx((0.0, 1.0, 0.0))
