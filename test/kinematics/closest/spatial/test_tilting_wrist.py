# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The closest poses of a tilting wrist nearer to the yaw axis than its hand can be."""

from math import hypot, pi

from arm_ik import Target
from judged_arms import EXACT, make_arm
import pytest


def test_nearer_to_the_yaw_axis_than_a_tilted_hand_can_be_it_still_meets_the_up_vector():
    arm = make_arm('tilt', wrist_tilt=(0.6, 0.6))
    tip = arm.forward((0.3, pi / 2 + 0.5, -1.0, 0.5, 0.6))
    x, y, z = tip.position
    solution = arm.solve(Target((0.5 * x, 0.5 * y, z), tip.up))
    assert solution.position_error_m == pytest.approx(0.5 * hypot(x, y))
    assert solution.up_error_rad <= EXACT
