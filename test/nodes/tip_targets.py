# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets at which an SO-101 stands in given positions, and what is asserted of the answer."""

from math import sqrt

import numpy as np
import pytest

#: Positions of the joints of an SO-101 whose tip poses serve as targets.
GOOD = {'shoulder_pan': 0.3, 'shoulder_lift': -0.5, 'elbow_flex': 0.6, 'wrist_flex': 0.7,
        'wrist_roll': 0.4}
ASIDE = {'shoulder_pan': -0.6, 'shoulder_lift': -0.9, 'elbow_flex': 0.9, 'wrist_flex': 0.8,
         'wrist_roll': -0.5}

#: The axes of tool0 in the target's frame, as columns, for some values of up_axis.
HABITS = {
    'z': [(1, 0, 0), (0, 1, 0), (0, 0, 1)], '-x': [(0, 0, 1), (0, 1, 0), (-1, 0, 0)]}


def quaternion(rotation):
    """Return the quaternion of a rotation matrix that is no half turn: axis from R - R^T."""
    w = sqrt(1.0 + np.trace(rotation)) / 2.0
    x, y, z = (rotation - rotation.T)[(2, 0, 1), (1, 2, 0)] / (4.0 * w)
    return x, y, z, w


def send_tip(bench, positions, up_axis='z', norm=1.0, **header):
    """Send the tip pose at some positions as a target; return its stamp."""
    tip = bench.tip(positions)
    orientation = quaternion(tip[:3, :3] @ np.array(HABITS[up_axis], float))
    return bench.pose(tip[:3, 3], norm * np.array(orientation), **header)


def assert_tip(bench, commanded, positions):
    """Assert that commanded positions bring the tip where other positions have it."""
    assert bench.tip(commanded) == pytest.approx(bench.tip(positions), abs=1e-9)


def assert_only_the_good_target_moves_it(bench):
    """Assert that nothing was commanded so far, and that a good target is answered."""
    status = bench.wait_for_status('accepted', send_tip(bench, GOOD))
    assert status.status == 'REACHED'
    for commanded in bench.wait_for_command():
        assert_tip(bench, commanded, GOOD)


def xyz(point):
    return point.x, point.y, point.z
