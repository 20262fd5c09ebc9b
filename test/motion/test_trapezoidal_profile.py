# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The profile that brings a joint to rest at its goal: worked by hand, and judged by Ruckig."""

from math import inf
from random import Random

from arm_ik.motion.generator import TrapezoidalProfile
import pytest


def test_from_rest_to_rest_without_a_cruise():
    profile = TrapezoidalProfile(2.0, 0.0, 10.0, 2.0)
    assert profile.shortest == 2.0  # one second each way, at 2 rad/s^2
    assert profile.after(0.5, 2.0) == (0.25, 1.0)
    assert profile.after(1.0, 2.0) == (1.0, 2.0)
    assert profile.after(1.5, 2.0) == (1.75, 1.0)
    assert profile.after(2.0, 2.0) == (2.0, 0.0)


def test_backwards_all_signs_are_the_others():
    profile = TrapezoidalProfile(-2.0, 0.0, 10.0, 2.0)
    assert profile.after(0.5, profile.shortest) == (-0.25, -1.0)
    assert profile.after(5.0, profile.shortest) == (-2.0, 0.0)


def test_with_a_cruise_at_the_largest_velocity():
    profile = TrapezoidalProfile(3.0, 0.0, 1.0, 1.0)
    assert profile.shortest == 4.0
    assert profile.after(2.0, 4.0) == (1.5, 1.0)


def test_a_longer_time_is_taken_by_a_slower_cruise():
    profile = TrapezoidalProfile(3.0, 0.0, 10.0, 1.0)
    assert profile.after(2.0, 4.0) == (1.5, 1.0)  # as with a largest velocity of 1
    assert profile.after(4.0, 4.0) == (3.0, 0.0)


def test_one_that_moves_faster_than_it_has_to_slows_down_at_once():
    profile = TrapezoidalProfile(3.5, 2.0, 10.0, 1.0)
    # To 1 rad/s in 1 s and 1.5 rad, 1.5 s of cruise, 1 s to rest.
    assert profile.after(1.0, 3.5) == (1.5, 1.0)
    assert profile.after(2.5, 3.5) == (3.0, 1.0)


def test_one_that_cannot_stop_at_its_goal_comes_back():
    profile = TrapezoidalProfile(1.0, 2.0, 10.0, 1.0)
    assert profile.after(2.0, profile.shortest) == (2.0, 0.0)
    assert profile.shortest == 4.0
    assert profile.after(3.0, 4.0) == (1.5, -1.0)


def test_one_that_moves_the_wrong_way_brakes_first():
    profile = TrapezoidalProfile(1.0, -1.0, 10.0, 1.0)
    assert profile.after(0.5, profile.shortest) == (-0.375, -0.5)
    assert profile.after(1.0, profile.shortest) == (-0.5, 0.0)


def test_without_speed_to_run_at_it_brakes_and_stays():
    profile = TrapezoidalProfile(3.0, 1.0, 0.0, 1.0)
    assert profile.shortest == inf
    assert profile.after(0.5, inf) == (0.375, 0.5)
    assert profile.after(1.0, inf) == (0.5, 0.0)
    assert profile.after(9.0, inf) == (0.5, 0.0)


def test_faster_than_it_may_run_it_slows_down_to_that():
    profile = TrapezoidalProfile(10.0, 3.0, 1.0, 2.0)
    assert profile.after(1.0, profile.shortest) == (2.0, 1.0)
    assert profile.after(2.0, profile.shortest) == (3.0, 1.0)


def test_one_that_brakes_already_goes_on_to():
    profile = TrapezoidalProfile(0.5, 1.0, 2.0, 1.0)
    assert profile.shortest == 1.0 and profile.after(0.5, 1.0) == (0.375, 0.5)


@pytest.mark.parametrize('seed', range(2))
def test_ruckig_is_no_faster_and_no_slower(seed):
    ruckig = pytest.importorskip('ruckig')
    random, count = Random(seed), 4
    judge = ruckig.Ruckig(count)
    for _ in range(500):
        question = ruckig.InputParameter(count)
        question.max_jerk = [inf] * count
        question.max_velocity = top = [random.uniform(0.1, 6.0) for _ in range(count)]
        question.max_acceleration = [random.uniform(0.5, 60.0) for _ in range(count)]
        question.current_position = [random.uniform(-3.0, 3.0) for _ in range(count)]
        question.current_velocity = [random.choice((0.0, random.uniform(-v, v))) for v in top]
        question.target_position = [
            random.choice((q, random.uniform(-3.0, 3.0))) for q in question.current_position]
        answer = ruckig.Trajectory(count)
        judge.calculate(question, answer)
        profiles = [TrapezoidalProfile(goal - q, v, most, a) for q, v, goal, most, a in zip(
            question.current_position, question.current_velocity, question.target_position,
            question.max_velocity, question.max_acceleration)]
        duration = max(profile.shortest for profile in profiles)
        assert duration == pytest.approx(answer.duration, rel=1e-9, abs=1e-7)
        # What it takes for granted is inside the limits, and so is what is asked of each joint.
        for profile, most, a in zip(profiles, top, question.max_acceleration):
            steps = [profile.after(duration * part / 50.0, duration) for part in range(51)]
            dt = duration / 50.0
            for (before, v), (after, w) in zip(steps, steps[1:]):
                assert abs(w) <= most * (1.0 + 1e-9) and abs(w - v) <= a * dt * (1.0 + 1e-6) + 1e-9
                assert after - before == pytest.approx(0.5 * (v + w) * dt, abs=0.25 * a * dt * dt
                                                       + 1e-9)
