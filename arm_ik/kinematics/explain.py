# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Why an answer is not exact, in words with numbers.

Three kinds of cause are told apart: the target is beyond what the links reach (too far, too
close); the up vector is out of every plane the arm can take; a joint is at a limit. For the last,
the exact branch that is least outside its limits says which joint, and by how much.
"""

from math import degrees, hypot

from .arm_plane import DEGENERATE
from .branch import BENDS, nearest_readings, readings
from .solution import Status

#: A reading this near to a limit [rad] is at it.
AT_LIMIT = 1e-7


def reason(solver, best, status, planes, target, near, branch=None):
    """
    Return ``(reason, limited_by)`` for an answer that is not exact.

    :param solver: of the arm.
    :param best: the measured candidate that was chosen.
    :param status: its status.
    :param planes: every plane that would be exact but for reach and limits.
    :param target: what was asked for.
    :param near: readings [rad] the answer was chosen near to.
    :param branch: ``(plane, bend)`` that the answer belongs to; without it the one least outside.
    """
    geometry = solver.geometry
    at_limit = tuple([limits.name for limits, reading in zip(geometry.limits, best.q)
                      if limits.lower < limits.upper and _side(limits, reading)])
    if status is Status.FORWARD_RELAXED:
        at_limit = tuple([name for name in at_limit if name == geometry.limits[-1].name])
        text = f'forward vector {_degrees(best.forward)} off'
        return _with_limits(geometry, text, at_limit, best.q), at_limit
    if status is Status.POSITION_RELAXED:
        reach, by = _beyond_links(geometry, target, best.position)
        if reach and best.position - by < AT_LIMIT:
            return reach, ()
        if reach:
            return _with_limits(
                geometry, f'{reach}, {_missed(best)}', at_limit, best.q), at_limit
    elif branch is None:
        misses = [plane.miss for plane in planes]
        if any(abs(miss - best.up) <= AT_LIMIT for miss in misses):
            return f'up vector {_degrees(best.up)} out of the arm plane', ()
    parts, limited = _obstacles(solver, planes, target, near, branch)
    if status is Status.UP_RELAXED or not parts:
        parts.insert(0, _missed(best))
    if not limited:
        parts[0] = _with_limits(geometry, parts[0], at_limit, best.q)
    return '; '.join(parts), limited + tuple([n for n in at_limit if n not in limited])


def _obstacles(solver, planes, target, near, branch):
    """Return what keeps the exact branch least outside from being taken, and its limits' names."""
    geometry = solver.geometry
    if branch is None:
        branch, excess, beyond = _least_outside(solver, planes, target, near)
    else:
        _, excess, beyond = nearest_readings(solver, *branch, near, target.forward)
    parts, limited = [], ()
    if branch is None:
        if geometry.has_tilt:
            parts.append('wrist too close to the yaw axis with this up vector')
    else:
        if branch[0].miss > AT_LIMIT:
            parts.append(
                f'up vector at least {_degrees(branch[0].miss)} out of the arm plane')
        if beyond:
            side = 'far' if beyond > 0.0 else 'close'
            parts.append(f'wrist too {side} by {_metres(abs(beyond))} with this up vector')
        for limits, past in () if beyond else zip(geometry.limits, excess):
            if abs(past) > AT_LIMIT:
                side = 'upper' if past > 0.0 else 'lower'
                parts.append(f'{limits.name} at its {side} limit, {abs(past):.2g} rad past')
                limited += (limits.name,)
    return parts + _floor(solver, planes, target, near), limited


def _floor(solver, planes, target, near):
    """Return what the arm's floor has to do with it, as a list of no or one part."""
    floor = solver.geometry.floor
    if floor is None:
        return []
    if target.position[2] < floor:
        return [f'target {_metres(floor - target.position[2])} below the floor']
    if any(readings(solver, plane, near, target.forward) for plane in planes):
        return ['elbow or wrist would have to go below the floor']
    return []


def _beyond_links(geometry, target, miss):
    """Return ``('too far by ...', by [m])`` of links without limits, ``('', 0.0)`` in reach."""
    yaw_x = target.position[0] - geometry.base_x
    yaw_y = target.position[1] - geometry.base_y
    rho = hypot(yaw_x, yaw_y)
    short = abs(geometry.lateral) - rho
    reach = geometry.l1 + geometry.l2 + geometry.l3
    longest = max(geometry.l1, geometry.l2, geometry.l3)
    inner = max(0.0, 2.0 * longest - reach)
    distances = _shoulder_distances(geometry, rho, target.position[2] - geometry.base_height)
    # The measured miss is the smaller where the shoulder goes round the axis beside it.
    if min(distances) > reach:
        words, by = 'too far by', min(miss, min(distances) - reach)
    elif not geometry.has_tilt and short > DEGENERATE:
        words, by = 'too close to the yaw axis by', short
    elif max(distances) < inner:
        words, by = 'too close by', min(miss, inner - max(distances))
    else:
        return '', 0.0
    return f'{words} {_metres(by)}', by


def _shoulder_distances(geometry, rho, above):
    """Return the least and the largest distance of the tip target from the shoulder [m]."""
    if geometry.has_roll or geometry.has_tilt:
        # The shoulder goes round the yaw axis and the target need not be in a vertical plane.
        return [hypot(rho - abs(geometry.shoulder_offset), above),
                hypot(rho + abs(geometry.shoulder_offset), above)]
    r = max(0.0, rho * rho - geometry.lateral ** 2) ** 0.5
    return [hypot(r - geometry.shoulder_offset, above), hypot(r + geometry.shoulder_offset, above)]


def _least_outside(solver, planes, target, near):
    """Return the exact branch least outside reach and limits, with its excess and reach miss."""
    best = None, None, (), 0.0
    for plane in planes:
        for bend in BENDS:
            _, excess, beyond = nearest_readings(solver, plane, bend, near, target.forward)
            # Rounding of one must not decide before the next is looked at.
            cost = round(plane.miss, 9), round(abs(beyond), 9), max(map(abs, excess))
            if best[0] is None or cost < best[0]:
                best = cost, (plane, bend), excess, beyond
    return best[1:]


def _side(limits, reading):
    """Return 'lower', 'upper' or '' for a reading at a limit or not."""
    if reading <= limits.lower + AT_LIMIT:
        return 'lower'
    return 'upper' if reading >= limits.upper - AT_LIMIT else ''


def _with_limits(geometry, text, names, q):
    for limits, reading in zip(geometry.limits, q):
        if limits.name in names:
            text += f'; {limits.name} at its {_side(limits, reading)} limit'
    return text


def _missed(best):
    if best.position > DEGENERATE:
        return f'tip {_metres(best.position)} off'
    return f'up vector {_degrees(best.up)} off'


def _degrees(angle):
    """Return an angle in words: to a tenth of a degree, and small ones not as nothing."""
    angle = degrees(angle)
    return f'{angle:.1f} deg' if angle >= 0.1 else f'{angle:.2g} deg'


def _metres(length):
    """Return a length in words: to the millimetre, and tiny and huge ones by their digits."""
    return f'{length:.3f} m' if 1e-3 <= length < 1e4 else f'{length:.3g} m'
