# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The least values of a function on closed curves are found, every one of them."""

from math import pi

from arm_ik.kinematics.closest.spatial.curve_search import parameters, valleys
import numpy as np
import pytest


def test_a_bottom_looked_at_twice_does_not_displace_another():
    bottoms = np.arange(6) * (pi / 3) + 0.1
    t, curve = parameters(np.repeat(bottoms, 3), lambda t, curve: np.ones((1, len(t))), 1)
    found, _ = valleys(t, curve, lambda t, curve: -np.cos(6.0 * (t - 0.1)))
    assert np.sort(found) == pytest.approx(bottoms, abs=1e-6)
