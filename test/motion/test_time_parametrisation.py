# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The shortest time along a path, where it can be worked out by hand."""

from arm_ik.motion.time_parametrisation import fastest, set_points
import numpy as np
import pytest

S = np.linspace(0.0, 1.0, 201)


def fastest_at(first, second, top_speeds, most):
    second = np.array(second)
    return fastest(S, np.array(first), (second[:-1], second[1:]), top_speeds, np.array(most))


def duration(s, speeds):
    """Return the time of the last set-point [s]."""
    return set_points(s, speeds, 1.0)[0][-1]


def largest_accelerations(s, first, second, speeds):
    """Return the largest one of any joint at the start and at the end of each step."""
    u = 0.5 * np.diff(speeds ** 2) / np.diff(s)
    return np.max([np.abs(first[i] * u[:, None] + second[i] * speeds[i, None] ** 2)
                   for i in (slice(None, -1), slice(1, None))], axis=(0, 2))


def test_one_joint_runs_up_cruises_and_brakes():
    first, second = np.full((201, 1), 2.0), np.zeros((201, 1))
    run = fastest_at(first, second, np.full(201, 0.5), [4.0])
    # To 0.5 at 2: 0.25 s and 0.0625 of the way, at both ends.
    whole = 0.5 + (1.0 - 0.125) / 0.5
    assert duration(S, run) == pytest.approx(whole, rel=1e-2)
    times, s, speeds = set_points(S, run, 0.01)
    i = [0, 10, 100, -1]
    assert times[i] == pytest.approx([0.0, 0.1, 1.0, whole], abs=0.02)
    assert s[i] == pytest.approx([0.0, 0.01, 0.4375, 1.0], abs=3e-3)
    assert speeds[i] == pytest.approx([0.0, 0.2, 0.5, 0.0], abs=5e-3)


@pytest.mark.parametrize('period', [0.2, 0.07, 0.01, 1e-3, 5.0])
def test_set_points_are_where_the_path_is_at_their_times(period):
    first, second = np.full((201, 1), 2.0), np.zeros((201, 1))
    run = fastest_at(first, second, np.full(201, 0.5), [4.0])
    times, s, speeds = set_points(S, run, period)
    assert np.diff(times)[:-1] == pytest.approx(period) and times[0] == s[0] == speeds[0] == 0.0
    assert 0.0 < times[-1] - times[-2] < 1.01 * period
    assert (times[-1], s[-1], speeds[-1]) == (pytest.approx(duration(S, run)), 1.0, 0.0)
    # From rest and to rest at 2, at most at 0.5.
    left = np.minimum(times, times[-1] - times)
    assert np.minimum(s, 1.0 - s) == pytest.approx(
        np.where(left < 0.25, left ** 2, 0.5 * left - 0.0625), abs=5e-3)
    assert speeds == pytest.approx(np.minimum(2.0 * left, 0.5), abs=2e-2)


def test_the_last_step_is_no_rounding():
    run = fastest_at(np.ones((201, 1)), np.zeros((201, 1)), np.full(201, 0.5), [1.0])
    period = duration(S, run) / (20.0 + 1e-6)
    steps = np.diff(set_points(S, run, period)[0])
    assert len(steps) == 20 and steps[-1] == pytest.approx(period, rel=1e-4)


def test_a_place_that_is_slower_than_the_next_set_point_is_not_jumped_over():
    tops = np.full(201, 10.0)
    tops[100] = 0.05
    run = fastest_at(np.ones((201, 1)), np.zeros((201, 1)), tops, [1.0])
    _, s, speeds = set_points(S, run, 0.05)
    assert speeds[np.abs(s - 0.5).argmin()] < 0.12


def test_without_a_top_it_brakes_half_way():
    run = fastest_at(np.ones((201, 1)), np.zeros((201, 1)), np.full(201, 1e9), [1.0])
    assert duration(S, run) == pytest.approx(2.0, rel=1e-2)


def test_the_slowest_joint_decides():
    run = fastest_at(np.tile([1.0, -3.0], (201, 1)), np.zeros((201, 2)), np.full(201, 1e9),
                     [1.0, 1.0])
    assert duration(S, run) == pytest.approx(2.0 * np.sqrt(3.0), rel=1e-2)


def test_a_bend_is_run_through_as_fast_as_it_can_be():
    # A circle of two joints: x = q_dot^2 and q_dotdot^2 <= 1 in each.
    angle = np.pi * S
    first = np.pi * np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    second = -np.pi ** 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    speeds = fastest_at(first, second, np.full(201, 1e9), np.ones(2))
    largest = largest_accelerations(S, first, second, speeds)
    assert largest.max() < 1.0 + 1e-9 and np.median(largest) == pytest.approx(1.0, abs=1e-3)


def test_where_a_joint_turns_back_in_a_slower_step_the_path_does_not_come_to_rest():
    s, second, most = S[::50], np.ones((5, 1)), np.array([[4.0], [4.0], [1.0], [1.0]])
    first = s[:, None] - 0.45
    speeds = fastest(s, first, (second[:-1], second[1:]), np.full(5, 1e9), most)
    assert speeds[1:-1].min() > 0.1 and duration(s, speeds) < 4.0
    assert (largest_accelerations(s, first, second, speeds) < most[:, 0] + 1e-9).all()


def test_a_slow_place_is_not_run_into_too_fast():
    tops = np.full(201, 10.0)
    tops[100] = 0.05
    speeds = fastest_at(np.ones((201, 1)), np.zeros((201, 1)), tops, np.ones(1))
    assert speeds[100] == pytest.approx(0.05) and speeds[50] == pytest.approx(0.7, abs=0.02)
