# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Branch hysteresis: the arm keeps its branch where another is better by less than a tolerance.

Where no branch meets the target it is kept, too, while another gains little for the travel to it.

The present branch is the local optimum that the arm reaches by improving in small steps from
``near``. It is found as the best pose in a box around ``near`` (half side = radius, cut by the
limits), if that pose does not lie on a side of the box. Such a pose is a local optimum of the
whole arm and the best pose of its branch. Boxes grow until one has such a pose; if none has, the
branch ends here. Boxes in which no pose is good enough to be kept are left out. The same solver
finds it, with narrower limits, so this works for every kind of arm and for closest poses. Where
the base only yaws and an up vector is given, arm plane and bend define the branch. Then an exact
pose within :data:`NO_JUMP_UPRIGHT` of ``near`` with the elbow bent to the same side needs no
search.

If the global optimum is sure to be in the present branch, it is taken without a search. In the
box, of equally exact poses, those with the elbow bent to the side of ``near`` are preferred: where
the arm straightens and bends again, both sides are equally near. A straight arm stays bent by
``LEAST_BEND``, so that its elbow still has a side; this moves the tip by 1e-13 m.

With the tip beside the roll axis, and neither vector asked for, the present roll may meet a
position far from ``near`` only. Then the pose that least steps lead to from ``near``
(:mod:`.crowd`) is taken, if it is nearer and within the tolerance.
"""

from math import atan2, cos, degrees, hypot, pi, remainder, sin

import numpy as np

from .crowd import at_position
from ..arm_plane import from_s0
from ..closest.planar.reach import sum_of_pieces
from ..forward import residuals
from ..limits import TURN
from ..ranking import measure, Ranking
from ..tolerances import LIMIT_SLACK, TIE

#: Half sides of the boxes [rad].
RADII = (0.03, 0.1, 0.3, 1.0)

#: An exact answer this near [rad] with the same bend never counts as a jump.
NO_JUMP = 0.1

#: The same with a base that only yaws, where arm plane and bend are the branch.
NO_JUMP_UPRIGHT = 0.3

#: The same for answers that are not exact [rad].
NO_JUMP_INEXACT = 0.01

#: Where no branch meets the target, another has to gain 1 mm or 1 deg for each of so many degrees
#: that a joint travels; the present one is never kept for a tip this much farther off [m].
TRAVEL_PER_GAIN, MOST_LOST = 10.0, 0.005

#: The least bend of the elbow [rad].
LEAST_BEND = 1e-6


def is_in_present_branch(solver, q, step, exact, near, target):
    """
    Return whether an optimum is sure to be in the present branch, or is the only one nearby.

    At a pose that is a local optimum but not exact, a joint is at a limit or, with a base that
    only yaws, the elbow is straight or folded.

    :param q: joint positions of the optimum [rad].
    :param step: its largest step from near [rad].
    :param exact: whether it misses by no more than its arm plane does.
    :param near: joint positions [rad] the step is counted from.
    :param target: what is asked for; without a forward vector the wrist roll is free.
    """
    geometry = solver.geometry
    if same_bend(geometry, q, near) and step <= (NO_JUMP if exact else NO_JUMP_INEXACT):
        return True
    if not (exact and geometry.upright):
        return False
    if geometry.lateral and abs(q[0] - near[0]) > 0.5 * pi:
        # Over the back a plane beside the yaw axis has another azimuth, and another miss.
        return False
    farthest, (i, sign, offset) = NO_JUMP_UPRIGHT, geometry.elbow
    if target.up is None and step > farthest or abs(sin(sign * near[i] + offset)) <= farthest:
        return False
    return all(limits.lower + farthest < at < limits.upper - farthest
               for limits, at, role in zip(geometry.limits, near, geometry.roles)
               if role != 'wrist_roll' or target.forward is not None)


def keep_branch(solver, best, exact, target, near, ranking, elevation, branch_tolerance):
    """
    Return the best pose of the present branch, or the optimum if that pose is too much worse.

    :param solver: of the arm.
    :param best: the optimum, a :class:`~arm_ik.kinematics.ranking.Candidate`.
    :param exact: whether the optimum misses by no more than its arm plane does.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: that chose the optimum.
    :param elevation: preferred for the last link [rad], or ``None``.
    :param branch_tolerance: by how much the branch may be worse, position [m] and angles [rad].
    :returns: ``(candidate, words)``: words for the reason, empty if the branch costs nothing.
    """
    chosen, words = best, ''
    if not is_in_present_branch(solver, best.q, best.step, exact, near, target):
        local = _local_optimum(
            solver, best, exact, target, near, ranking, elevation, branch_tolerance)
        if local is not None and _is_preferred(
                solver.geometry, local, best, near, ranking, branch_tolerance):
            chosen, words = local, cost_of_keeping(local, best)
    if solver.geometry.beside and any(branch_tolerance) and max(best[1:4]) > TIE and not (
            ranking.up_first or ranking.elbow_is_wanted):
        # The best roll of a tip beside its axis may swing by 180 deg for a degree of up vector.
        steady = solver.steady(target, near, elevation, branch_tolerance)
        if is_within_tolerance(steady, best, branch_tolerance) or not exact and _has_less_angle(
                steady, best, branch_tolerance[0]):
            chosen, words = steady, cost_of_keeping(steady, best)
    if solver.geometry.beside and any(branch_tolerance) and chosen.step > NO_JUMP \
            and target.up is None and target.forward is None:
        # The present roll may meet it far from here only, and others nearby.
        at = at_position(solver.geometry, np.array([solver.geometry.clamped(near)]),
                         target.position)
        local = measure(solver.geometry, tuple(at[0].tolist()), target, near)
        if local.step < chosen.step and is_within_tolerance(local, best, branch_tolerance) \
                and solver.above_floor(local.q):
            chosen, words = local, cost_of_keeping(local, best)
    return _bent_like_near(solver, chosen, target, near), words


def is_within_tolerance(local, best, branch_tolerance):
    """Return whether a measured pose is worse than the optimum by no more than a tolerance."""
    position, angle = branch_tolerance
    return (local.position <= best.position + position and local.up <= best.up + angle
            and local.forward <= best.forward + angle)


def is_small_gain(local, best):
    """Return whether an optimum that misses its target, too, gains little for its travel."""
    position, up, forward = (max(0.0, worse - least) for worse, least in zip(
        local[1:4], best[1:4]))
    return (max(best.position, best.up, best.forward) > TIE and position <= MOST_LOST
            and 1e3 * position + degrees(up + forward) < degrees(best.step) / TRAVEL_PER_GAIN)


def _has_less_angle(steady, best, most):
    """Return whether a pose, farther off by at most ``most`` [m], misses less of both vectors."""
    return (steady.position <= best.position + most
            and steady.up + steady.forward < best.up + best.forward)


def _may_be_kept(local, best, branch_tolerance):
    return is_within_tolerance(local, best, branch_tolerance) \
        or any(branch_tolerance) and is_small_gain(local, best)


def same_bend(geometry, a, b):
    """Return whether the elbow is bent to the same side at positions a and b."""
    i, sign, offset = geometry.elbow
    return (sin(sign * a[i] + offset) < 0.0) == (sin(sign * b[i] + offset) < 0.0)


def _least_in_box(geometry, target, here, radius):
    """Return a distance [m] that is not less in a box around positions, by what joints move."""
    reach = geometry.l1 + geometry.l2 + geometry.l3
    beside = hypot(*geometry.beside or (0.0,))
    span = reach + abs(geometry.shoulder_offset) + abs(geometry.lateral)
    levers = {'yaw': span, 'roll': span, 'shoulder': reach, 'elbow': geometry.l2 + geometry.l3,
              'wrist': geometry.l3, 'wrist_tilt': geometry.l3, 'wrist_roll': beside}
    missed, _, _ = residuals(geometry, here, target)
    return missed - radius * sum([levers[role] for role in geometry.roles])


def _is_beyond(boxed, target, here, radius, most):
    """
    Return whether no tip in a box around positions is as near to a target as ``most`` [m].

    In the plane of a base that only yaws the tip would be about as far out as the target, in front
    or over the back; lateral offset and a tip beside the roll axis change that by their lengths.
    """
    geometry = boxed.geometry
    x, y, z = from_s0(geometry, target.position)
    out, yaw = hypot(x, y), geometry.canonical(here)[0]
    most += abs(geometry.lateral) + hypot(*geometry.beside or (0.0,))
    for side in (1.0, -1.0):
        turn = abs(remainder(atan2(side * y, side * x) - yaw, TURN)) - radius
        if out * sin(min(max(0.0, turn), 0.5 * pi)) <= most and boxed.reach.distance(
                side * out - geometry.shoulder_offset, z) <= most:
            return False
    return True


def _local_optimum(solver, best, exact, target, near, ranking, elevation, branch_tolerance):
    """
    Return the best pose around near that does not lie on a side of its box, or ``None``.

    What cannot be kept instead of the optimum is not looked for.
    """
    geometry = solver.geometry
    wanted = ranking.elbow_is_wanted or (lambda q: same_bend(geometry, q, near))
    in_box = Ranking('up' if ranking.up_first else 'position', wanted)
    if exact and geometry.upright and target.up is not None:
        local, exact, _ = solver.optimum(target, near, in_box, elevation)
        if exact and local.step <= NO_JUMP_UPRIGHT and wanted(local.q):
            return local
    here, last = geometry.clamped(near), None
    most = (best.position + max(branch_tolerance[0], MOST_LOST),
            best.up + max(branch_tolerance[1], best.step / TRAVEL_PER_GAIN))
    away, missed, _ = residuals(geometry, here, target)
    joints = 4 if geometry.upright else 5       # that turn the up vector, each by the radius
    # An elevation that nobody asked for is not worth the largest step.
    radii = [radius for radius in (RADII if target.up is not None else RADII[:-1])
             if not (best.step < radius and wanted(best.q)) and missed - joints * radius <= most[1]
             and _least_in_box(geometry, target, here, radius) <= most[0]]
    # Near the target the smallest box often serves. What the largest misses, all others do.
    first = radii[:1] if away <= MOST_LOST else []
    for radius in dict.fromkeys([*first, *radii[-1:], *radii]):
        boxed = solver.within(here, radius)
        if geometry.upright and _is_beyond(boxed, target, here, radius, most[0]):
            if radius == radii[-1]:
                return None
            continue
        local, _, _ = boxed.optimum(target, near, in_box, elevation)
        is_held = _is_held(geometry, boxed.geometry, local.q)
        if radius == radii[-1]:
            last = local, is_held
            if not _may_be_kept(local, best, branch_tolerance):
                return None
        elif not is_held:
            return local
    # Held on its path to the present elevation, which nobody asked for, it serves as well as best.
    if last is not None and (
            not last[1] or elevation is None and ranking.best([best, last[0]]) is last[0]):
        return last[0]
    return None


def _is_held(geometry, boxed, q):
    """Return whether a pose lies on a side of the box that is not a limit of the arm."""
    return any(box.lower > limits.lower and position <= box.lower + LIMIT_SLACK
               or box.upper < limits.upper and position >= box.upper - LIMIT_SLACK
               for limits, box, position in zip(geometry.limits, boxed.limits, q))


def _is_preferred(geometry, local, best, near, ranking, branch_tolerance):
    """Return whether the best pose of the present branch is to be taken instead of the optimum."""
    if not _may_be_kept(local, best, branch_tolerance):
        return False
    wanted = ranking.elbow_is_wanted
    if wanted is not None and wanted(best.q) != wanted(local.q):
        return wanted(local.q)
    return (local.step < best.step - TIE
            or same_bend(geometry, local.q, near) > same_bend(geometry, best.q, near))


def cost_of_keeping(local, best):
    """Return in words the gain of another branch and the step to it; empty if it gains nothing."""
    gains = [f'{gain:.2g} {what}' for gain, what in (
        (local.position - best.position, 'm nearer'),
        (local.up - best.up, 'rad nearer in its up vector'),
        (local.forward - best.forward, 'rad nearer in its forward vector')) if gain > TIE]
    if not gains:
        return ''
    return (f'kept the present branch: another is {" and ".join(gains)} '
            f'after a step of {best.step:.2f} rad')


def _bent_like_near(solver, best, target, near):
    """Return a straight or folded pose bent a little to the side of near, if it costs nothing."""
    geometry = solver.geometry
    i, limits = geometry.first_in_plane, geometry.limits_in_plane
    elbow = limits[1].canonical(best.q[i + 1])
    if abs(sin(elbow)) >= LEAST_BEND or not geometry.has_wrist:
        return best
    side = -1.0 if sin(limits[1].canonical(near[i + 1])) < 0.0 else 1.0
    turns = round(elbow / pi)
    bent = turns * pi + side * cos(turns * pi) * LEAST_BEND
    (length, turned), (_, turned_before) = [
        sum_of_pieces((geometry.l1, 0.0), (geometry.l2, angle)) for angle in (bent, elbow)]
    if length < 1e-3:
        return best
    changes = remainder(turned_before - turned, TURN), bent - elbow
    changes += (-changes[0] - changes[1],)
    q = list(best.q)
    for j, (limit, change) in enumerate(zip(limits, changes)):
        q[i + j] += limit.sign * change
        if not limit.lower <= q[i + j] <= limit.upper:
            return best
    bent_pose = measure(geometry, tuple(q), target, near)
    as_good = bent_pose.position <= best.position + TIE and bent_pose.up <= best.up + TIE
    return bent_pose if as_good and solver.above_floor(bent_pose.q) else best
