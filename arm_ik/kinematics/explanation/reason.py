# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The verdict on an answer: its status by its measured errors, and why it is not exact in words.

There are three kinds of cause: the target is out of reach of the links (too far, too close); the
up vector is out of every plane the arm can take; a joint is at a limit in the answer. An exact
pose a little outside the limits shows by how much. With an up vector the poses looked at are the
branches of the arm planes. Without one there are countless: of those only what a free yaw would do
is looked at. ``limited_by`` holds exactly the joints that the reason names.
"""

from itertools import product
from math import atan2, cos, degrees, hypot, pi, remainder, sin
from typing import NamedTuple, Tuple

from ..branch import BENDS, joint_positions, nearest_positions, unlimited
from ..forward import heights, residuals, tool
from ..solution import Solution, Status
from ..target import Target
from ..tolerances import AS_GOOD, LIMIT_SLACK, SAME, SLIGHTLY_ASIDE, UP_TOLERANCE

#: Keys of words that are not about a joint; a joint's name is never empty and never begins with a
#: space.
_NO_JOINT = _PLANE, _REACH = ' plane', ' reach'


class Violation(NamedTuple):
    """
    By how much an exact pose violates reach and joint limits.

    ``miss``: the angle between the up vector and its plane [rad]; ``beyond``: how far the wrist is
    out of reach [m], positive too far, negative too close; ``excess``: how far each position would
    be past a limit [rad], signed, base to tip.
    """

    miss: float
    beyond: float
    excess: Tuple[float, ...]


def verdict(solver, best, planes, target, near, ranking, tolerances, words='', branch=None):
    """
    Return the solution with the verdict on a measured pose.

    :param solver: of the arm.
    :param best: :class:`~arm_ik.kinematics.ranking.Candidate`.
    :param planes: every plane that would be exact without reach and limits.
    :param target: what was asked for.
    :param near: joint positions [rad] the answer was chosen near to.
    :param ranking: that chose it.
    :param tolerances: largest tip error [m] and angle [rad] that count as reached.
    :param words: to be added to the reason.
    :param branch: ``(plane, bend)`` that the answer belongs to, ``None``: any.
    """
    forward, reason, limited_by = best.forward, '', ()
    if target.forward is not None and not solver.geometry.has_wrist_roll:
        forward = residuals(solver.geometry, best.q, target)[2]
    status = status_of(best, *tolerances)
    if status is not Status.REACHED:
        reason, limited_by = _reason(
            solver, best, status, planes, target, near, branch, ranking.up_first)
    elbow = 'no branch with the elbow on the wanted side is as good'
    parts = [reason, elbow if ranking.has_wrong_elbow(best.q) else '', words]
    return Solution(best.q, status, best.position, best.up, forward,
                    '; '.join(filter(None, parts)), limited_by, best.step)


def elevation_missed(solver, best, target, elevation, tolerances):
    """
    Return in words how far the last link is from the elevation preferred; ``''``: it is there.

    :param best: the measured pose, of a target without an up vector.
    :param elevation: wanted [rad], ``None``: none.
    :param tolerances: as for :func:`verdict`.
    """
    if elevation is None or target.up is not None or best.position > tolerances[0]:
        return ''
    geometry = solver.geometry
    (x, y, _), up, _, _ = tool(geometry, best.q)
    x, y = x - geometry.base_x, y - geometry.base_y
    azimuths = [atan2(y, x)]
    if geometry.upright:     # the elevation counts in the arm plane, also beside the yaw axis
        yaw = geometry.canonical(best.q)[0]
        ahead = x * cos(yaw) + y * sin(yaw)
        azimuths = [yaw] * (ahead > -SAME) + [yaw + pi] * (ahead < SAME)
    miss, found = min([(abs(remainder(found - elevation, 2.0 * pi)), found) for found in [
        atan2(up[2], up[0] * cos(azimuth) + up[1] * sin(azimuth)) for azimuth in azimuths]])
    return '' if miss <= tolerances[1] else f'elevation {_degrees(miss)} off: {found:.3f} rad'


def status_of(best, position_tolerance, up_tolerance):
    """Return the status of a measured pose."""
    if best.position > position_tolerance:
        return Status.POSITION_RELAXED
    if best.up > up_tolerance:
        return Status.UP_RELAXED
    return Status.FORWARD_RELAXED if best.forward > up_tolerance else Status.REACHED


def _reason(solver, best, status, planes, target, near, branch, up_first):
    """Return ``(reason, limited_by)`` for an answer that is not exact, see :func:`verdict`."""
    geometry = solver.geometry
    at_limit = {limits.name: f'{limits.name} at its '
                f'{"lower" if position <= limits.lower + LIMIT_SLACK else "upper"} limit'
                for limits, position in zip(geometry.whole.limits, best.q)
                if limits.lower < limits.upper
                and not limits.lower + LIMIT_SLACK < position < limits.upper - LIMIT_SLACK}
    missed = _missed(best, status)
    if geometry.has_wrist_roll:
        # The wrist roll moves no up vector, and no tip on its axis. Only the wrist roll moves the
        # forward vector.
        roll = {name: text for name, text in at_limit.items() if name == geometry.limits[-1].name}
        if status is Status.FORWARD_RELAXED:
            return _joined([missed], roll)
        if not geometry.whole.beside:
            at_limit = {name: text for name, text in at_limit.items() if name not in roll}
    if status is Status.POSITION_RELAXED:
        words, by = _beyond_links(geometry, target, best.position)
        if words:
            words = f'{words} {_metres(by)}{wrong_unit(geometry, target)}'
            if best.position - by < LIMIT_SLACK:
                return words, ()
            # The miss, unless it is the same in words.
            more = [] if _metres(by) == _metres(best.position) else [missed]
            return _joined([words, *more], at_limit)
    elif branch is None and any(abs(plane.miss - best.up) <= LIMIT_SLACK for plane in planes):
        return f'up vector {_degrees(best.up)} out of the arm plane', ()
    floor = _floor(solver, best, planes, target, near, up_first)
    if floor:
        return _joined([missed, floor], at_limit)
    violation = _violation(solver, best, status, planes, target, near, branch, up_first)
    words = _in_words(geometry, violation, best.q, target) if violation else {}
    if status is Status.UP_RELAXED and _PLANE in words:
        missed += words.pop(_PLANE).replace('up vector', ',')
    if geometry.has_tilt and not planes and target.up is not None:
        missed += '; wrist too close to the yaw axis with this up vector'
    return _joined([missed], {**words, **{
        name: text for name, text in at_limit.items() if name not in words}})


def _violation(solver, best, status, planes, target, near, branch, up_first):
    """Return the violation that explains an answer best, ``None`` if there is none."""
    if branch is not None:
        _, excess, beyond = nearest_positions(solver, *branch, near, None)
        return Violation(branch[0].miss, beyond, excess)
    if target.up is None:
        return _of_yaw(solver, target, near)
    found = least_of_planes(solver, planes, near, best.q)
    if found and found.beyond and status is Status.POSITION_RELAXED and not up_first:
        # The position itself is out of reach, whatever the up vector.
        return _of_yaw(solver, Target(target.position), near)
    return found


def _of_yaw(solver, target, near):
    """Return by how much the yaw would have to turn past its limits if that alone would do."""
    geometry = solver.geometry
    if not geometry.upright:
        return None
    found, _ = solver.turning_round.exact(target, near)
    past = [geometry.limits[0].placed(plane.yaw, near[0])[1] for plane, _ in found]
    return Violation(0.0, 0.0, (min(past, key=abs),)) if past else None


def least_of_planes(solver, planes, near, q):
    """
    Return the violation of the exact branch least outside reach and limits, or ``None``.

    Branches that the answer's joints at limits explain go first.

    :param planes: list of :class:`~arm_ik.kinematics.arm_plane.Plane`.
    :param near: joint positions [rad] that positions are counted from.
    :param q: the answer.
    """
    geometry, best, best_cost = solver.geometry, None, None
    miss = min([plane.miss for plane in planes], default=0.0) + AS_GOOD
    for plane, bend in product([plane for plane in planes if plane.miss <= miss], BENDS):
        inside, excess, beyond = nearest_positions(solver, plane, bend, near, None)
        if not solver.above_floor(unlimited(inside, excess)):
            continue
        unexplained = any(abs(past) > LIMIT_SLACK and not _is_at(limits, position, past)
                          for limits, position, past in zip(geometry.limits, q, excess))
        # Rounding of one cost must not decide before the next cost is compared.
        cost = round(abs(beyond), 9), unexplained, max(map(abs, excess))
        if best is None or cost < best_cost:
            best, best_cost = Violation(plane.miss, beyond, excess), cost
    return best


def _is_at(limits, position, past):
    """Return whether a position is at the limit that another would be past by ``past`` [rad]."""
    return abs(position - (limits.upper if past > 0.0 else limits.lower)) <= LIMIT_SLACK


def _in_words(geometry, violation, q, target):
    """Return a violation in words, by the name of the joint they are about, or of none."""
    words = {}
    if violation.miss > UP_TOLERANCE and target.up is not None:
        words[_PLANE] = f'up vector at least {_degrees(violation.miss)} out of the arm plane'
    if violation.beyond:
        side = 'far' if violation.beyond > 0.0 else 'close'
        why = 'at the wanted elevation' if target.up is None else 'with this up vector'
        words[_REACH] = f'wrist too {side} by {_metres(abs(violation.beyond))} {why}'
        if not geometry.has_wrist:
            words[_REACH] = f'tip too {side} by {_metres(abs(violation.beyond))}'
        return words
    for limits, past, position in zip(geometry.limits, violation.excess, q):
        if abs(past) > LIMIT_SLACK:
            side = 'upper' if past > 0.0 else 'lower'
            amount = f'{abs(past):.2g} rad past'
            words[limits.name] = f'{limits.name} at its {side} limit, {amount}' \
                if _is_at(limits, position, past) \
                else f'{limits.name} would be {amount} its {side} limit'
    return words


def _floor(solver, best, planes, target, near, up_first):
    """Return in words how the arm's floor limits it; empty if it does not."""
    geometry, floor = solver.geometry, solver.geometry.floor
    if floor is None:
        return ''
    if target.position[2] < floor:
        return f'target {_metres(floor - target.position[2])} below the floor'
    elbow, wrist, *_ = heights(geometry, best.q)
    if min(elbow, wrist) <= floor + SAME or any(
            joint_positions(solver, plane, near, target) for plane in planes
            if not up_first or plane.miss <= best.up + SAME):
        return 'elbow or wrist would have to go below the floor'
    return ''


def _joined(parts, words):
    """Return the reason and the names of the joints in it, from words by key."""
    names = tuple([name for name in words if name not in _NO_JOINT])
    return '; '.join([*parts, *words.values()]), names


def wrong_unit(geometry, target):
    """Return a hint where a target far away would be in reach in another unit; ``''``: none."""
    away, reach = hypot(*target.position), geometry.l1 + geometry.l2 + geometry.l3
    units = [unit for unit, size in (('centimetres', 0.01), ('millimetres', 0.001))
             if max(3.0, 3.0 * reach) < away <= (reach + abs(geometry.base_height)) / size]
    return f'; the numbers look like {units[0]}: positions are in metres' if units else ''


def _missed(best, status):
    if status is Status.POSITION_RELAXED:
        return f'tip {_metres(best.position)} off'
    if status is Status.UP_RELAXED:
        return f'up vector {_degrees(best.up)} off'
    return f'forward vector {_degrees(best.forward)} off'


def _degrees(angle):
    """Return an angle in words: to a tenth of a degree, and small ones with their digits."""
    angle = degrees(angle)
    return f'{angle:.1f} deg' if angle >= 0.1 else f'{angle:.2g} deg'


def _metres(length):
    """Return a length in words: to the millimetre, tiny and huge ones with their digits."""
    return f'{length:.3f} m' if 1e-3 <= length < 1e4 else f'{length:.3g} m'


def _beyond_links(geometry, target, miss):
    """
    Return ``('too far by', by [m])`` of links without limits, ``('', 0.0)`` within their reach.

    The stretched arm reaches as far as the sum of its links, the folded arm no nearer than the
    longest link minus the others. The shoulder moves on a circle around the yaw axis,
    ``shoulder_offset`` ahead and ``lateral`` beside it: its nearest and its farthest point count.

    :param miss: the measured distance of the answer [m], an upper bound of the value returned.
    """
    rho = hypot(target.position[0] - geometry.base_x, target.position[1] - geometry.base_y)
    above = target.position[2] - geometry.base_height
    short = abs(geometry.lateral) - rho
    reach = geometry.l1 + geometry.l2 + geometry.l3
    inner = max(0.0, 2.0 * max(geometry.l1, geometry.l2, geometry.l3) - reach)
    offset, ahead = abs(geometry.shoulder_offset), max(
        0.0, rho * rho - geometry.lateral ** 2) ** 0.5
    gap, words = max((hypot(ahead - offset, above) - reach, 'too far by'),
                     (inner - hypot(ahead + offset, above), 'too close by'))
    # Farther beside the axis the plane that contains the target is not the one that gets nearest,
    # and a tilted hand reaches what is in no plane.
    sure = abs(geometry.lateral) <= (0.0 if geometry.has_tilt else SLIGHTLY_ASIDE * rho)
    if gap > 0.0:
        return (words, min(miss, gap)) if sure else ('', 0.0)
    if not geometry.has_tilt and short > SAME:
        return 'too close to the yaw axis by', short
    return '', 0.0
