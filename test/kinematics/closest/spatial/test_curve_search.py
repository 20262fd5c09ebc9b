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


@pytest.mark.parametrize('root', [0.2, 1.0, 1.4])
def test_an_end_of_a_stretch_is_found_to_the_last_digits(root):
    def beyond(t, curve):
        # Flat on one side of its zero, where a chord hardly comes nearer.
        return np.array([np.exp(3.0 * t) - np.exp(3.0 * root)])

    t, _ = parameters([], beyond, 1, 4)
    assert np.abs(t - root).min() < 1e-12
