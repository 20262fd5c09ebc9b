# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Paths through samples: inside the limits, the same at every speed, at rest at both ends."""

from arm_ik import Arm
from arm_ik.motion.joint_path import joint_path
import numpy as np
import pytest

ARM = Arm.preset('so101')
RANDOM = np.random.default_rng(4)


def wave(count=200, noise=0.0):
    s = np.linspace(0.0, 20.0, count)
    q = np.transpose([0.8 * np.sin(s * (0.5 + 0.2 * joint) + joint) for joint in range(5)])
    return s, np.clip(q + noise * RANDOM.normal(size=q.shape), ARM.lower, ARM.upper)


def deviation(path, points):
    """Return how far points are from a path at most [rad]."""
    at = path.spline.read(np.linspace(0.0, path.spline.duration, 20_000))[0]
    return max(np.abs(at - point).max(axis=1).min() for point in points)


@pytest.mark.parametrize('speed', [0.1, 1.0, 3.0, 10.0])
def test_at_any_speed_it_is_the_same_path_inside_the_limits(speed):
    s, q = wave(noise=5e-4)
    path = joint_path(ARM.model, s, q, speed=speed)
    assert path.spline.keeps_limits(ARM.model)
    assert path.spline.duration >= s[-1] / speed * 0.999
    assert speed > 1.0 or path.spline.duration < s[-1] / speed * 1.05
    assert deviation(path, q) < 2e-3
    assert not path.spline.velocities[[0, -1]].any()


def test_a_step_is_a_straight_line_that_takes_its_time():
    s, q = wave()
    q[:] = q[0]
    q[100:] = [1.5, -1.0, 1.0, 1.0, 2.0]
    path = joint_path(ARM.model, s, q)
    assert path.spline.keeps_limits(ARM.model) and path.spline.duration > s[-1] + 0.3
    positions = path.spline.positions
    part = (positions - q[0]) / (q[-1] - q[0])
    assert np.ptp(part, axis=1).max() < 1e-6 and part.min() >= 0.0 and part.max() <= 1.0


@pytest.mark.parametrize('far', [0.0, 1e-9, 1e-5, 1e-3])
def test_two_samples_that_are_near_each_other_are_a_path(far):
    path = joint_path(ARM.model, [0.0, 1.0], [ARM.home, np.add(ARM.home, far)])
    assert np.isfinite(path.spline.duration) and path.spline.end == pytest.approx(
        np.add(ARM.home, far))


def test_a_gripper_goes_with_its_samples_and_only_where_it_is_commanded():
    s, q = wave()
    path = joint_path(ARM.model, s, q, {'gripper': np.where(s < 10.0, np.nan, 1.0)})
    assert path.extra_at(1.0) == {} and path.extra_at(path.spline.duration) == {'gripper': 1.0}
    path = joint_path(ARM.model, [0.0, 1.0, 2.0], [q[0], q[40], q[40]], {
        'gripper': [np.nan, np.nan, 1.0], 'other': [0.0, 0.0, 1.0]})
    rest = 0.5 * (path.spline.duration + 1.0)
    assert path.extra_at(rest)['gripper'] == 1.0 and 0.3 < path.extra_at(rest)['other'] < 0.7
