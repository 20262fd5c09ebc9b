# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Degenerate targets: those that a continuous family of arm planes meets exactly.

=================================  =========================================================
case                               family
=================================  =========================================================
yaw arm, e on the yaw axis         the plane must contain u: its azimuth and the opposite
the same, u vertical too           any yaw; in the plane all are alike, so yaw stays as near
yaw arm, u across the plane        any elevation: the miss is a right angle for each
rolling base, p along u (or p = 0) any plane that contains u
rolling base, plane horizontal     any yaw with roll ± pi/2 (cos roll = 0)
tilting wrist, p on the yaw axis   any yaw
tilting wrist, u = ± n             any elevation: the hand is across the plane
=================================  =========================================================

A family is a function of one parameter in (-pi, pi] that returns planes. The member inside the
limits that is nearest to ``near`` is taken. A fixed rule such as "take the vertical plane" would
lose poses that only other members reach inside the limits.

The cost along a family is continuous except where a position jumps by a full turn. It has kinks
where another joint becomes the one with the largest step. Outside the limits the amount of
violation, raised above every cost, takes its place. Sampling finds each valley of that function,
golden section its bottom. A valley narrower than the sampling is still found, by the slope of the
violation around it.
"""

from functools import partial
from math import atan2, cos, hypot, pi, sin

from . import arm_plane
from .branch import BENDS, joint_positions, nearest_positions
from .limits import less_turns
from .position_only.planes import TargetPlane, yaws
from .tolerances import DEGENERATE, LIMIT_SLACK
from .vectors import cross, dot, turned, unit

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


def planes_and_families(geometry, e, u, near):
    """
    Return every plane for a target, degenerate or not.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector; :mod:`.position_only` has targets without one.
    :param near: joint positions [rad]; they only decide what the target leaves free.
    :returns: ``(planes, families)``; each family a function from (-pi, pi] to a list of planes.
    """
    if geometry.has_roll:
        return _rolling_base(geometry, e, u)
    if geometry.has_tilt:
        return _tilting_wrist(geometry, e, u)
    return _yaw_arm(geometry, e, u, near)


def _yaw_arm(geometry, e, u, near):
    (ex, ey, _), (ux, uy, uz) = e, u
    if hypot(ex, ey) <= DEGENERATE:
        bases = yaws(geometry, e, near)
        if bases and hypot(ux, uy) > DEGENERATE:
            bases = [atan2(uy, ux), atan2(-uy, -ux)]
        return [arm_plane.yawed(geometry, yaw, e, u) for yaw in bases], []
    if abs(uz) <= DEGENERATE:
        # Only a level up vector can be perpendicular to a vertical plane.
        bases = yaws(geometry, e, near)
        across = [yaw for yaw in bases if abs(ux * cos(yaw) + uy * sin(yaw)) <= DEGENERATE]
        return [arm_plane.yawed(geometry, yaw, e, u) for yaw in bases if yaw not in across], [
            lambda elevation, free=TargetPlane(geometry, e, yaw): [free.at(elevation, pi / 2)]
            for yaw in across]
    return arm_plane.of_yaw_arm(geometry, e, u), []


def _rolling_base(geometry, e, u):
    p = arm_plane.wrist_of(geometry, e, u)
    n = cross(p, u)
    # Tested on p and u themselves, because rounding tilts the cross product of nearly parallel
    # vectors.
    lies_flat = abs(u[2]) <= DEGENERATE and abs(p[2]) <= DEGENERATE
    families = [partial(_lying_flat, geometry, e, u)] if lies_flat else []
    if hypot(*n) > DEGENERATE:
        return [] if lies_flat else arm_plane.of_rolling_base(geometry, e, u), families
    normal = _across(u)
    return [], [lambda t: arm_plane.rolls_at(geometry, turned(normal, u, t), e, u), *families]


def _tilting_wrist(geometry, e, u):
    px, py, _ = arm_plane.wrist_of(geometry, e, u)
    ux, uy, uz = u
    if hypot(px, py) > DEGENERATE:
        planes = arm_plane.of_tilting_wrist(geometry, e, u)
        across = [plane for plane in planes if abs(cos(plane.tilt)) <= DEGENERATE]
        return [plane for plane in planes if plane not in across], [
            partial(_hand_across, plane) for plane in across]
    if abs(geometry.lateral) > DEGENERATE:
        return [], []
    families = [lambda yaw: arm_plane.tilts_at(geometry, yaw, e, u)]
    if abs(uz) <= DEGENERATE:
        for yaw in (atan2(ux, -uy), atan2(-ux, uy)):
            families += [partial(_hand_across, p) for p in arm_plane.tilts_at(geometry, yaw, e, u)]
    return [], families


def _lying_flat(geometry, e, u, yaw):
    return [arm_plane.rolled(geometry, yaw, roll, e, u) for roll in (pi / 2, -pi / 2)]


def _hand_across(plane, elevation):
    return [plane._replace(elevation=elevation)]


def _across(u):
    """Return a unit vector that is perpendicular to u."""
    axes = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    return unit(cross(u, min(axes, key=lambda axis: abs(dot(u, axis)))))


def nearest_members(solver, family, near, target):
    """
    Return the members of a family that are inside the limits and nearest to where the arm is.

    :param solver: of the arm.
    :param family: function of one angle [rad] to a list of planes, always as many.
    :param near: joint positions [rad] to stay near to.
    :param target: whose forward vector the wrist roll serves.
    :returns: ``(found, planes)``: a list of ``(plane, positions)``, and for each plane of the
        family its best member, inside the limits or least outside.
    """
    # The parameter of the present pose is its yaw or its elevation.
    yaw, _, shoulder, elbow, wrist, _, _ = solver.geometry.canonical(less_turns(near))
    seeds = yaw, shoulder + elbow + wrist
    found, planes = [], []
    for i in range(len(family(0.0))):
        members = []
        for bend in BENDS:
            cost, t = _least_on_circle(
                lambda t: _cost(solver, family(t)[i], bend, near, target), seeds)
            plane = family(t)[i]
            members.append((cost, plane))
            found += [(plane, q) for _, q in joint_positions(solver, plane, near, target)]
        planes.append(min(members)[1])
    return found, planes


def _cost(solver, plane, bend, near, target):
    """Return the step to a branch [rad], or how far it is outside, raised above every step."""
    q, excess, beyond = nearest_positions(solver, plane, bend, near, target)
    violation = max(max([abs(x) for x in excess]), abs(beyond) / solver.triangle.outer)
    if beyond or violation > LIMIT_SLACK:
        return _OUTSIDE + violation
    if not solver.above_floor(q):
        return _OUTSIDE
    # A violation within the slack has a cost too: a member without violation is exact.
    return max([abs(a - b) for a, b in zip(q, near)]) + _SLACK_COST * violation


def _least_on_circle(function, seeds):
    """
    Return the parameter in (-pi, pi] where ``function`` is least.

    :param function: of one angle [rad], returning a float; infinite where it is undefined.
    :param seeds: parameters to try besides the samples.
    :returns: ``(value, parameter)``.
    """
    step = 2.0 * pi / SAMPLES
    samples = [-pi + (i + 1) * step for i in range(SAMPLES)]
    values = [function(at) for at in samples]
    # Strictly on one side, so that a level stretch counts once.
    lowest = [at for i, at in enumerate(samples)
              if values[i - 1] > values[i] <= values[(i + 1) % SAMPLES]]
    return min([*zip(values, samples), *[(function(at), at) for at in seeds],
                *[golden_section(function, at - step, at + step) for at in (*lowest, *seeds)]])


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
