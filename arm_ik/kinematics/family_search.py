# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The member of a one-parameter family that is inside the limits and costs least.

The cost along a family is continuous except where a position jumps by a full turn. It has kinks
where another joint becomes the one with the largest step. Outside the limits the amount of
violation, raised above every cost, takes its place. Sampling finds each valley of that function,
golden section its bottom. A valley narrower than the sampling is still found, by the slope of the
violation around it.
"""

from math import inf, pi

from .branch import BENDS, joint_positions, nearest_positions
from .limits import less_turns
from .tolerances import LIMIT_SLACK

#: Samples around the circle: valleys of joint angles along a family are wider than 2 deg, or
#: reached through the slope of the violation beside them.
SAMPLES = 180

#: Golden section steps: 4 deg times 0.618^48 is 1e-11 rad.
REFINEMENTS = 48

_GOLDEN = 0.6180339887498949


#: Added to the cost of what is outside the limits: above any step a joint can make [rad].
_OUTSIDE = 1e3

#: Cost [rad] of a violation [rad] within the slack of limits: above any step it can save.
_SLACK_COST = 100.0


def nearest_members(solver, family, near, forward):
    """
    Return the members of a family that are inside the limits and nearest to where the arm is.

    :param solver: of the arm.
    :param family: function of one angle [rad] to a list of planes, always as many.
    :param near: joint positions [rad] to stay near to.
    :param forward: wanted ``tool0`` x axis, or ``None``.
    :returns: ``(found, planes)``: a list of ``(plane, positions)``, and for each plane of the
        family its best member, inside the limits or least outside.
    """
    # The parameter of the present pose is its yaw or its elevation.
    yaw, _, shoulder, elbow, wrist, _, _ = solver.geometry.canonical(less_turns(near))
    seeds = yaw, shoulder + elbow + wrist
    found, planes = [], []
    for i in range(len(family(0.0))):
        best = inf, None
        for bend in BENDS:
            t, cost = _least_on_circle(
                lambda t: _cost(solver, family(t)[i], bend, near, forward), seeds)
            plane = family(t)[i]
            if cost < best[0]:
                best = cost, plane
            found += [(plane, q) for _, q in joint_positions(solver, plane, near, forward)]
        planes.append(best[1])
    return found, planes


def _cost(solver, plane, bend, near, forward):
    """Return the step to a branch [rad], or how far it is outside, raised above every step."""
    q, excess, beyond = nearest_positions(solver, plane, bend, near, forward)
    violation = max(max([abs(x) for x in excess]), abs(beyond) / solver.triangle.outer)
    if beyond or violation > LIMIT_SLACK:
        return _OUTSIDE + violation
    if not solver.above_floor(q):
        return _OUTSIDE
    # A violation within the slack has a cost too: a member without violation is exact.
    return max([abs(a - b) for a, b in zip(q, near)]) + _SLACK_COST * violation


def _least_on_circle(function, seeds=()):
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
        # Strictly on one side, so that a level stretch counts once.
        if value < values[i - 1] and value <= values[(i + 1) % SAMPLES]:
            best = min(best, golden_section(function, -pi + i * step, -pi + (i + 2) * step))
    for seed in seeds:
        best = min(best, golden_section(function, seed - step, seed + step))
    return best[1], best[0]


def golden_section(function, lower, upper):
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
