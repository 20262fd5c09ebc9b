# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A line led on to another target: it begins as the one before goes on, and keeps all limits."""

from arm_ik import Arm, Target
from arm_ik.motion.cubic_spline import accelerations, CubicSpline
from arm_ik.motion.line import Speeds
from arm_ik.motion.moving_target import led_on
import numpy as np
import pytest

ARM = Arm.preset('so101')
DOWN = (0.0, 0.0, -1.0)
START = ARM.solve(Target((0.2, -0.1, 0.05), DOWN)).q
SPEEDS = Speeds(0.3, 1.0, 50.0)
FIRST = ARM.line([Target((0.2, -0.05, 0.05), DOWN)], START, 0.3)


def spline(line):
    return CubicSpline(line.times, line.q, line.velocities)


def lead(line, time, target, up=DOWN):
    return led_on(ARM.solver, line, time, Target(target, up), SPEEDS, 1e-3)


@pytest.mark.parametrize('time', [0.0, 0.013, 0.04, 0.1, 0.17, 0.21, 0.9999 * FIRST.duration])
@pytest.mark.parametrize('target', [
    (0.2, -0.03, 0.05), (0.22, -0.05, 0.05), (0.2, -0.09, 0.05), (0.2, -0.0499, 0.06)])
def test_it_begins_as_the_line_goes_on_and_keeps_limits_between_set_points(time, target):
    line = lead(FIRST, time, target)
    assert (tuple(line.q[0]), tuple(line.velocities[0])) == spline(FIRST).at(time)
    assert ARM.forward(line.q[-1]).position == pytest.approx(target, abs=1e-9)
    assert not line.velocities[-1].any()
    steps = np.diff(line.times)[:, None]
    most = np.array([joint.acceleration for joint in ARM.model.joints])
    assert (np.abs(accelerations(line.q, line.velocities, steps)) < 1.01 * most).all()
    tips = ARM.forward(spline(line).evenly(period=1e-3)).position
    assert np.linalg.norm(tips - (0.2, -0.05, 0.05), axis=1).min() < 1.1e-3


def test_straight_on_it_is_as_fast_as_one_line():
    line = lead(lead(FIRST, 0.1, (0.2, 0.0, 0.05)), 0.1, (0.2, 0.05, 0.05))
    whole = ARM.line([Target((0.2, 0.05, 0.05), DOWN)], START, 0.3)
    assert 0.2 + line.duration == pytest.approx(whole.duration, abs=0.015)


def test_the_same_target_changes_nothing():
    line = lead(FIRST, 0.1, (0.2, -0.05, 0.05))
    assert line.duration == pytest.approx(FIRST.duration - 0.1)
    assert line.last is FIRST.last


def test_far_behind_the_line_is_left_for_the_short_way():
    long = ARM.line([Target((0.2, 0.1, 0.05), DOWN)], START, 0.3)
    for target in (0.25, 0.0, 0.05), (0.2, -0.1, 0.05):
        tips = ARM.forward(lead(long, 0.1, target).q).position
        assert tips[:, 1].max() < max(tips[0, 1] + 0.032, target[1] + 1e-9)
        assert tips[-1] == pytest.approx(target, abs=1e-9)


def test_what_cannot_be_reached_is_told_with_its_reason():
    line = lead(FIRST, 0.1, (0.9, 0.0, 0.05))
    assert line.fraction < 1.0 and 'tip' in line.reason
