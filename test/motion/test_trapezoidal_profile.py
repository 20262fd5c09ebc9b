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


# Distance, speed, largest speed and acceleration; the shortest time; and by time, in the duration
# given or else the shortest one, where the joint is and how fast.
@pytest.mark.parametrize('given, shortest, duration, seen', [
    ((2.0, 0.0, 10.0, 2.0), 2.0, None, {    # one second each way, at 2 rad/s^2
        0.5: (0.25, 1.0), 1.0: (1.0, 2.0), 1.5: (1.75, 1.0), 2.0: (2.0, 0.0)}),
    ((-2.0, 0.0, 10.0, 2.0), 2.0, None, {0.5: (-0.25, -1.0), 5.0: (-2.0, 0.0)}),
    ((3.0, 0.0, 1.0, 1.0), 4.0, None, {2.0: (1.5, 1.0)}),
    # As with a largest velocity of 1.
    ((3.0, 0.0, 10.0, 1.0), 12.0 ** 0.5, 4.0, {2.0: (1.5, 1.0), 4.0: (3.0, 0.0)}),
    # To 1 rad/s in 1 s and 1.5 rad, 1.5 s of cruise, 1 s to rest.
    ((3.5, 2.0, 10.0, 1.0), None, 3.5, {1.0: (1.5, 1.0), 2.5: (3.0, 1.0)}),
    ((1.0, 2.0, 10.0, 1.0), 4.0, None, {2.0: (2.0, 0.0), 3.0: (1.5, -1.0)}),
    ((1.0, -1.0, 10.0, 1.0), None, None, {0.5: (-0.375, -0.5), 1.0: (-0.5, 0.0)}),
    ((3.0, 1.0, 0.0, 1.0), inf, None, {0.5: (0.375, 0.5), 1.0: (0.5, 0.0), 9.0: (0.5, 0.0)}),
    ((10.0, 3.0, 1.0, 2.0), None, None, {1.0: (2.0, 1.0), 2.0: (3.0, 1.0)}),
    ((0.5, 1.0, 2.0, 1.0), 1.0, None, {0.5: (0.375, 0.5)})],
    ids=['without a cruise', 'backwards', 'with a cruise', 'slower', 'faster than it has to',
         'too fast to stop', 'the wrong way', 'no speed to run at', 'faster than it may',
         'braking already'])
def test_a_profile_is_what_it_is_worked_by_hand(given, shortest, duration, seen):
    profile = TrapezoidalProfile(*given)
    assert shortest is None or profile.shortest == pytest.approx(shortest)
    for time, state in seen.items():
        assert profile.after(time, duration) == pytest.approx(state, abs=1e-12)


@pytest.mark.parametrize('seed', range(2))
def test_ruckig_is_no_faster_and_no_slower(seed):
    ruckig = pytest.importorskip('ruckig')
    random, count = Random(seed), 4
    judge = ruckig.Ruckig(count)
    for _ in range(200):
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
