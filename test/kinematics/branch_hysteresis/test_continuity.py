# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Along a continuous path of targets the joints move continuously as long as a branch allows it.

Paths in steps of 0.1 mm across the edge of reach and back, on random arms with random limits and
on presets: 1000 of them with ``--long``. Each step of a joint obeys the law of
:mod:`continuous_paths`, or it is declared in ``step_rad`` and brute force finds no way round it.
"""

from math import cos, pi, radians, sin
from random import Random

from arm_ik import Target
from arm_ik.description import preset_names
from continuous_paths import across_the_edge, Avoidable, BOX, followed, law, SMALL, TOLERANCE
from judged_arms import ExactArm, make_arm, random_arm
import pytest


def assert_continuous(arm, targets, answers):
    """Hold every step to the law, or to be declared and unavoidable; return the jumps."""
    jumps, avoidable = [], Avoidable(arm)
    for i in range(1, len(answers)):
        a, b = answers[i - 1].q, answers[i].q
        step = max(abs(x - y) for x, y in zip(a, b))
        assert answers[i].step_rad == pytest.approx(step, abs=1e-12)
        allowed = max(SMALL, law(arm, a, b, targets[i - 1:i + 1]))
        if step > allowed:
            jumps.append(i)
            spared = avoidable.poses(targets[i], a, min(allowed, BOX))
            assert not spared, (i, targets[i], a, b, spared[0], allowed)
    return jumps


def check(arm, seed, with_up, count=20):
    """Go a random way across the edge and back; return the jumps."""
    near, targets = across_the_edge(arm, Random(seed), with_up, count)
    near = arm.solve(targets[0], near).q
    answers = followed(arm, targets, near, branch_tolerance=TOLERANCE)
    return assert_continuous(arm, targets, answers)


@pytest.mark.cases(24, 760)
def test_across_the_edge_of_reach_and_back_on_random_arms(case):
    check(random_arm(('yaw', 'yaw_wrist_roll')[case % 2], case), case, with_up=case % 3 > 0)


@pytest.mark.cases(2, 90)
def test_across_the_edge_of_reach_and_back_with_a_rolling_base(case):
    check(random_arm(('roll', 'roll_wrist_roll')[case % 2], case), case, case % 3 > 0, count=10)


@pytest.mark.cases(2, 90)
def test_across_the_edge_of_reach_and_back_with_a_tilting_wrist(case):
    check(random_arm(('tilt', 'tilt_wrist_roll')[case % 2], case), case, case % 3 > 0, count=10)


@pytest.mark.cases(6, 60)
def test_across_the_edge_of_reach_and_back_on_presets(case):
    names = preset_names()
    check(ExactArm.preset(names[case % len(names)]), case, with_up=case % 4 > 0)


def line(start, end, up=None, count=100):
    """Return targets on a line."""
    return [Target([a + (b - a) * i / (count - 1) for a, b in zip(start, end)], up)
            for i in range(count)]


def there_and_back(arm, targets, near):
    """Hold a path and its way back to continuity without any jump; return where it ends."""
    targets = targets + targets[::-1]
    answers = followed(arm, targets, near, branch_tolerance=TOLERANCE)
    assert assert_continuous(arm, targets, answers) == []
    return answers


def test_an_up_vector_may_turn_all_around():
    arm, near = make_arm(links=(0.15, 0.15, 0.05), wrist=(-9.0, 9.0)), (0.0, 0.8, -1.2, 0.0)
    turns = [2.0 * pi * i / 400 for i in range(401)]
    answers = there_and_back(
        arm, [Target((0.18, 0.0, 0.05), (cos(a), 0.0, sin(a))) for a in turns], near)
    assert answers[400].q[3] - answers[0].q[3] == pytest.approx(2.0 * pi)
    assert answers[-1].q == pytest.approx(answers[0].q, abs=1e-6)


def test_an_up_vector_may_turn_out_of_the_arm_plane():
    arm, near = make_arm(), (0.0, 0.8, -1.2, 0.0)
    turns = [radians(80.0) * i / 200 for i in range(201)]
    there_and_back(arm, [Target((0.2, 0.0, 0.05), (cos(a), sin(a), 0.0)) for a in turns], near)


@pytest.mark.parametrize('with_up', [True, False])
def test_the_tip_may_pass_over_the_yaw_axis(with_up):
    arm, near = make_arm(), (0.0, 1.2, 0.5, -0.3)
    up = (0.6, 0.0, 0.8) if with_up else None
    answers = there_and_back(arm, line((0.1, 0.0, 0.22), (-0.1, 0.0, 0.22), up, 201), near)
    # Facing the target before, over the back behind: the base does not turn.
    assert {round(answer.q[0], 9) for answer in answers} == {0.0}
    assert all(answer.reached for answer in answers)


def test_beside_the_yaw_axis_the_base_turns_as_fast_as_it_must():
    arm = make_arm()
    targets = line((0.1, 0.002, 0.2), (-0.1, 0.002, 0.2), count=2001)
    answers = there_and_back(arm, targets, arm.solve(targets[0]).q)
    assert answers[2000].q[0] == pytest.approx(pi, abs=0.03)


@pytest.mark.parametrize('joint, limits', [
    ('shoulder', (0.3, 1.2)), ('elbow', (-1.6, -0.5)), ('wrist', (-0.3, 0.3)),
    ('yaw', (-0.2, 0.2))])
def test_a_path_may_cross_the_limit_of_a_joint(joint, limits):
    arm = make_arm(**{joint: limits})
    targets = line((0.26, -0.06, 0.0), (0.16, 0.09, 0.15), (1.0, 0.0, 0.0), 1000)
    answers = followed(arm, targets, arm.solve(targets[0]).q, branch_tolerance=TOLERANCE)
    assert_continuous(arm, targets, answers)
    assert any(joint in answer.limited_by for answer in answers)


@pytest.mark.parametrize('kind', ['roll', 'tilt'])
@pytest.mark.parametrize('with_up', [True, False])
def test_an_arm_with_one_joint_more_follows_a_circle(kind, with_up):
    arm = make_arm(kind)
    angles = [2.0 * pi * i / 150 for i in range(151)]
    targets = [Target((0.2 + 0.03 * cos(a), 0.05 * sin(a), 0.05 + 0.03 * sin(a)),
                      (0.5, 0.4, -0.6) if with_up else None) for a in angles]
    answers = there_and_back(arm, targets, arm.solve(targets[0]).q)
    assert all(answer.reached for answer in answers)


def test_without_keeping_the_branch_some_paths_jump_that_need_not():
    arm = make_arm(elbow=(-2.5, 2.5), wrist=(-0.3, 0.3))
    tilts = [1e-3 * (i - 10) for i in range(21)]
    targets = [Target((0.15, 0.0, 0.0), (cos(tilt), 0.0, sin(tilt))) for tilt in tilts]
    flipping = followed(arm, targets, arm.solve(targets[0]).q)
    with pytest.raises(AssertionError):
        assert_continuous(arm, targets, flipping)
    there_and_back(arm, targets, arm.solve(targets[0]).q)
