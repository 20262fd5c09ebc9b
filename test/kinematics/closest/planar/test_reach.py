# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The nearest poses of the links in their plane: all that are as near."""

from math import cos, pi, sin

from arm_ik.kinematics.closest.planar.reach import PlanarReach
from judged_arms import make_arm


def test_of_two_elbows_that_come_as_near_both_are_listed_whatever_rounding_says():
    arm = make_arm(links=(0.3, 0.1, 0.08), elbow=(-2.5 + 1e-12, 2.5), wrist=(-0.3, 0.3))
    reach = PlanarReach(0.3, 0.1, arm.solver.geometry.limits_in_plane, 0.08)
    for i in range(40):
        found = reach.nearest(0.05 * cos(pi * i / 40), 0.05 * sin(pi * i / 40))
        assert {elbow > 0.0 for _, elbow, _ in found} == {True, False}
