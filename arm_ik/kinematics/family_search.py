# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The member of a one-parameter family that is inside the limits and costs least.

The cost along a family is continuous but for jumps of a full turn in a reading, with kinks where one
joint takes over from another as the farthest; outside the limits the amount of violation takes its
place, lifted above every cost. Sampling finds each valley of that function, golden section its bottom:
valleys narrower than the sampling still pull the search in through the violation around them.
"""

from math import pi

#: Samples around the circle: valleys of joint angles along a family are wider than 2 deg, or reached
#: through the slope of the violation beside them.
SAMPLES = 180

#: Golden section steps: 2 deg times 0.618^64 is 1e-15 rad.
REFINEMENTS = 64

_GOLDEN = 0.6180339887498949


def least_on_circle(function, seeds=()):
    """
    Return the parameter in (-pi, pi] where ``function`` is least.

    :param function: of one angle [rad], returning a float; infinite where it is undefined.
    :param seeds: parameters to try besides the samples.
    :returns: ``(parameter, value)``.
    """
    step = 2.0 * pi / SAMPLES
    values = [function(-pi + (i + 1) * step) for i in range(SAMPLES)]
    best = min((value, -pi + (i + 1) * step) for i, value in enumerate(values))
    for seed in seeds:
        best = min(best, (function(seed), seed))
    for i, value in enumerate(values):
        if value <= values[i - 1] and value <= values[(i + 1) % SAMPLES]:
            best = min(best, _golden_section(function, -pi + i * step, -pi + (i + 2) * step))
    for seed in seeds:
        best = min(best, _golden_section(function, seed - step, seed + step))
    return best[1], best[0]


def _golden_section(function, lower, upper):
    """Return (value, parameter) at the bottom of the valley between two parameters."""
    a = upper - _GOLDEN * (upper - lower)
    b = lower + _GOLDEN * (upper - lower)
    fa, fb = function(a), function(b)
    for _ in range(REFINEMENTS):
        if fa <= fb:
            upper, b, fb = b, a, fa
            a = upper - _GOLDEN * (upper - lower)
            fa = function(a)
        else:
            lower, a, fa = a, b, fb
            b = lower + _GOLDEN * (upper - lower)
            fb = function(b)
    return min((fa, a), (fb, b))
