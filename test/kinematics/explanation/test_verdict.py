# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Status and words of an answer follow from its measured errors and from what was asked."""

from arm_ik import Arm, Status, Target
from arm_ik.kinematics.explanation.reason import status_of, verdict
from arm_ik.kinematics.ranking import Candidate, Ranking
import pytest

ARM = Arm.preset('simple')
ROLLING = Arm.preset('so101')  # has a wrist roll
AHEAD = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))


def candidate(position=0.0, up=0.0, forward=0.0, q=ARM.home):
    return Candidate(q, position, up, forward, 0.5, 0.0, 0.0)


@pytest.mark.parametrize('errors, status', [
    ({}, Status.REACHED), ({'position': 1e-3, 'up': 1e-2, 'forward': 1e-2}, Status.REACHED),
    ({'position': 1.01e-3, 'up': 1.0, 'forward': 1.0}, Status.POSITION_RELAXED),
    ({'up': 1.01e-2, 'forward': 1.0}, Status.UP_RELAXED),
    ({'forward': 1.01e-2}, Status.FORWARD_RELAXED)], ids=str)
def test_the_first_error_past_its_tolerance_is_the_status(errors, status):
    assert status_of(candidate(**errors), 1e-3, 1e-2) is status


def judged(best, target=AHEAD, words='', branch=None, arm=ARM, **ranking):
    return verdict(arm.solver, best, [], target, arm.home, Ranking(**ranking), (1e-4, 1e-3), words,
                   branch)


def test_what_is_reached_has_no_reason():
    solution = judged(candidate(), Target((0.2, 0.0, 0.1)))
    assert solution.q == ARM.home and solution.status is Status.REACHED
    assert (solution.reason, solution.limited_by) == ('', ())
    assert solution[2:5] == (0.0, 0.0, 0.0) and solution.step_rad == 0.5


def test_words_are_added_to_the_reason_or_stand_alone():
    assert judged(candidate(), words='by hand').reason == 'by hand'
    relaxed = judged(candidate(position=0.1))
    assert relaxed.status is Status.POSITION_RELAXED and relaxed.reason
    assert judged(candidate(position=0.1), words='by hand').reason == (
        f'{relaxed.reason}; by hand')


@pytest.mark.parametrize('wanted, words', [
    (True, ''), (False, 'no branch with the elbow on the wanted side is as good')])
def test_an_elbow_on_the_other_side_is_told(wanted, words):
    assert judged(candidate(), elbow_is_wanted=lambda q: wanted).reason == words


def test_a_forward_error_no_joint_serves_is_told_and_does_not_count():
    across = Target(ARM.forward(ARM.home).position, forward=(0.0, 1.0, 0.0))
    solution = judged(candidate(), across)
    assert solution.status is Status.REACHED
    assert solution.forward_error_rad > 1.0


def test_a_forward_error_that_was_not_asked_for_is_none():
    assert judged(candidate(), AHEAD).forward_error_rad == 0.0


def test_of_an_arm_with_a_wrist_roll_the_measured_forward_error_is_told():
    across = Target((0.2, 0.0, 0.1), forward=(0.0, 1.0, 0.0))
    best = candidate(forward=0.25, q=ROLLING.home)
    solution = judged(best, across, arm=ROLLING)
    assert solution.forward_error_rad == 0.25
    assert solution.status is Status.FORWARD_RELAXED
