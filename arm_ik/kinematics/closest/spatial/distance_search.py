# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The poses whose tip is nearest to a position, of any arm, by numeric search.

The angle of the last link to an up vector may come second, or first.

A table of sampled poses is made once. The nearest of them, each of another part of joint space,
are starts of a bounded Levenberg-Marquardt search, all of them in columns. It minimises half the
squared distance of the tip from the target over the canonical angles. With ``a_i`` the axis of
joint i through ``o_i`` and p a point of the arm, both derivatives are exact::

    dp/dq_i = a_i x (p - o_i)            d2p/dq_i dq_j = a_i x dp/dq_j     (i at or before j)

so that it ends like Newton's method. A joint at a limit whose gradient points outwards stays there
for a step; the steps of the others are clipped to the limits. In the last rounds a joint that a
step takes to a limit stays there, too, and the others step again. A step that gains nothing is
tried again with ten times the damping.

Above a floor half the squared depths of elbow, wrist and tip below it are added, with weights that
grow (method of multipliers): the floor that counts is raised by the depth that was left over, so
that in the end none is.

In order: half the squared distance between the last link and the up vector, both of length one, is
added, in squared lengths of the arm. The weight of what comes second becomes less from round to
round, and zero in the last one, in which a joint at a limit stays there.
"""

from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from ...forward import ROLES
from ...limits import TURN
from ...pose import links
from ...tolerances import IN_LINE, NO_GAIN, SAME, TIE
from ...vectors import cross

#: Poses in the table: 10 ms, and dense enough for the nearest of them to lie in the valley of the
#: nearest of all. In a small box there are few valleys.
SAMPLES, FEW_SAMPLES = 16384, 256

#: Parts of each joint's range; starts differ in at least one of them.
PARTS = 4

#: Starts of a search, and how many of them are followed to the end.
STARTS, FOLLOWED = 48, 12

#: Poses of the table that the starts are chosen from.
NEAREST = 1024

#: Joints at which links may be in line, where the distance is flat.
LINKS = ('elbow', 'wrist', 'wrist_tilt')

#: The least damping, in squared lengths of the arm for a weight of the bounds of one.
_LEAST_DAMPING = 1e-12


class Aim(NamedTuple):
    """
    What is asked for.

    ``goal``: of the tip [m], (3, 1); ``heights``: least ones of the points of the arm [m],
    (points, n) or (points, 1); ``up``: up vectors, (3, n) or (3, 1); both may be ``None``.
    """

    goal: np.ndarray
    heights: np.ndarray | None = None
    up: np.ndarray | None = None


class Round(NamedTuple):
    """
    The weights of a round of steps.

    ``bound``: of what is missing of the bounds; ``steps``: most of them; ``solved``: how often a
    step is computed; ``tip``: of the distance; ``up``: of the up vector, ``None``: it is a bound;
    ``damping``: the first one, in squared lengths of the arm.
    """

    bound: float
    steps: int
    solved: int = 2
    tip: float = 1.0
    up: float | None = None
    damping: float = 1e-3


#: Rounds of all starts, and of those that are followed: without bounds, and with bounds.
FREE = (Round(30.0, 10, 1),), (Round(1e5, 50),)
BOUNDED = (Round(30.0, 10, 1), Round(1e3, 10, 1)), (Round(1e5, 15),) * 3

#: Rounds in order: the most steps, and the weight of what comes second.
IN_ORDER = (12, 1e-2), (6, 1e-4), (4, 1e-6), (9, 0.0)

#: What the chord to the up vector counts for a start in order, in lengths of the arm.
TURNED = 1.0


class DistanceSearch:
    """
    Search for the poses of one arm.

    :param geometry: of the arm.
    :param samples: number of poses in the table.
    """

    def __init__(self, geometry, samples=SAMPLES):
        self._geometry, self._samples = geometry, samples
        #: The joints that move the tip.
        self._roles = roles = geometry.own(ROLES)
        ends = [limits.canonical_ends for limits in geometry.limits[:len(roles)]]
        self._lower, self._upper = np.sort(ends, axis=1).T
        self._square = (geometry.l1 + geometry.l2 + geometry.l3) ** 2
        #: Which joints move each point of :meth:`_chain`, and turn the up vector.
        elbow = roles.index('elbow')
        count = [len(roles), elbow, elbow + 1, *[len(roles)] * (2 if geometry.beside else 1)]
        #: The diagonal counts half, for it is added twice.
        self._upper_triangle = np.triu(np.ones((len(roles),) * 2)) - 0.5 * np.eye(len(roles))
        self._moves = np.arange(len(roles))[:, None, None] < np.reshape(count, (-1, 1, 1, 1))

    @cached_property
    def _table(self):
        """Hold poses, their tips, up vectors, lowest heights, and parts of joint space."""
        count = len(self._lower)
        # The corners are there, too, and in every second pose half of the joints are at limits: so
        # they are at most of the nearest poses. More than a turn of a joint shows nothing new.
        corners = np.array(list(product((0.0, 1.0), repeat=count)))
        random = np.random.default_rng(0).random((self._samples, count))
        span = self._upper - self._lower
        at_limits = np.clip(2.0 * random[::2] - 0.5, 0.0, 1.0)
        share = np.concatenate([corners, at_limits, random[1::2]])
        angles = self._lower + np.concatenate([
            corners * span, at_limits * span, random[1::2] * np.minimum(span, TURN)])
        _, _, points = self._chain(angles)
        parts = (share * PARTS).astype(int) @ (PARTS + 1) ** np.arange(count)
        return angles, points[0].T, points[-1].T, points[:-1, 2].min(axis=0), parts

    def nearest(self, position, floor=None, more=(), up=None):
        """
        Return poses whose tips are as near to a position as they can be.

        :param position: in ``base_link`` [m].
        :param floor: elbow, wrist and tip stay above this height [m]; ``None``: anywhere.
        :param more: poses to start from, too: canonical angles [rad] in the order of ROLES.
        :param up: direction that the last link must have, a unit vector; ``None``: any.
        :returns: list of canonical angles [rad] in the order of ROLES, 0.0 for joints that do not
            move the tip, inside the limits; the nearest first.
        """
        rounds = FREE if floor is None and up is None else BOUNDED
        return self._search(position, floor, more, up, *rounds)

    def in_order(self, position, floor, more, up, up_first=False):
        """
        Return the nearest poses with the last link as near to a direction as can be.

        :param up_first: whether the direction comes before the position.
        :returns: as :meth:`nearest` does.
        """
        rounds = [Round(1e3, steps, tip=second if up_first else 1.0,
                        up=1.0 if up_first else second, damping=1e-5)
                  for steps, second in IN_ORDER]
        return self._search(position, floor, more, up, rounds[:-1], rounds[-1:])

    def _search(self, position, floor, more, up, rounds, last):
        poses, tips, ups, lowest, parts = self._table
        goal, floor = np.array(position), -np.inf if floor is None else floor + SAME
        in_order = last[0].up is not None
        starts = STARTS if self._samples > FEW_SAMPLES else FOLLOWED
        away = np.linalg.norm(tips - goal, axis=1) + np.maximum(floor - lowest, 0.0)
        if in_order:
            turned = away + TURNED * self._square ** 0.5 * np.linalg.norm(ups - up, axis=1)
            chosen = [*_first_of_parts(turned, parts, starts // 2),
                      *_first_of_parts(away, parts, starts // 2)]
        else:
            chosen = _first_of_parts(
                away, parts, starts if starts > FOLLOWED else starts - len(more))
            if floor > -np.inf:
                # Poses below the floor lead nowhere if it is in between.
                above = _first_of_parts(
                    np.where(lowest < floor, np.inf, away), parts, len(chosen) // 2)
                chosen = [*chosen, *above]
        angles = np.clip([*poses[chosen], *map(self._geometry.own, more)],
                         self._lower, self._upper)
        aim, given = Aim(goal[:, None]), None if up is None else np.reshape(up, (3, 1))
        if floor > -np.inf or up is not None:
            aim = Aim(aim.goal, np.full((len(self._moves) - 1, 1), floor), given)
        if in_order or len(angles) > FOLLOWED:
            for each in rounds:
                angles, cost = self._descend(angles, aim, each)
            angles = angles[np.argsort(cost)[:FOLLOWED]]
        for each in last:
            angles, _ = self._descend(angles, aim, each)
            if aim.heights is not None:
                # What is left over moves the bounds.
                _, _, points = self._chain(angles)
                aim = Aim(aim.goal, np.maximum(floor, aim.heights + floor - points[:-1, 2]),
                          aim.up if up is None or in_order else aim.up + given - points[-1])
        if aim.heights is not None:
            angles = angles[(points[:-1, 2] >= floor - SAME).all(axis=0)]
        first = -1 if in_order and last[0].tip < 1.0 else 0
        return self._straightened(angles, first, given[:, 0] if first else goal)

    def _straightened(self, angles, point, goal):
        """
        Return poses, the nearest first, with links in line that are nearly and gain nothing.

        :param point: which one of :meth:`_chain` is to be near to the goal.
        """
        links = [i for i, role in enumerate(self._roles) if role in LINKS]
        in_line = np.round(angles[:, links] / np.pi) * np.pi
        straight = angles.copy()
        straight[:, links] = np.where(
            np.abs(angles[:, links] - in_line) < IN_LINE, in_line, angles[:, links])
        straight = np.clip(straight, self._lower, self._upper)
        before, after = [np.linalg.norm(self._chain(pose)[2][point].T - goal, axis=1)
                         for pose in (angles, straight)]
        angles = np.where((after > before + NO_GAIN)[:, None], angles, straight)
        return [tuple([dict(zip(self._roles, pose)).get(role, 0.0) for role in ROLES])
                for pose in angles[np.argsort(before)].tolist()]

    def _descend(self, angles, aim, each):
        """Return angles (n, joints) at lower cost, and the cost [m^2]."""
        cost, gradient, hessian = self._landscape(angles, aim, each)
        damping = np.full(len(angles), each.damping * self._square)
        diagonal, still = np.arange(angles.shape[1]), 0.0 in (each.tip, each.up)
        for _ in range(each.steps):
            # Where what comes second counts no more, what it holds at a limit stays there.
            free = ~((angles <= self._lower) & (still | (gradient >= 0.0))
                     | (angles >= self._upper) & (still | (gradient <= 0.0)))
            tried = angles
            for _ in range(each.solved):
                # A joint that a step takes to a limit stays there, and the others step again.
                damped = np.where(free[:, :, None] & free[:, None], hessian, 0.0)
                damped[:, diagonal, diagonal] += np.where(free, damping[:, None], 1.0)
                held = np.where(free, 0.0, tried - angles)
                pull = gradient + (hessian @ held[..., None])[..., 0]
                step = np.linalg.solve(damped, np.where(free, -pull, 0.0)[..., None])[..., 0]
                tried = np.clip(angles + step + held, self._lower, self._upper)
                free = free & (tried > self._lower) & (tried < self._upper)
            moved = np.abs(tried - angles).max()
            there = self._landscape(tried, aim, each)
            better = there[0] < cost
            angles = np.where(better[:, None], tried, angles)
            cost, gradient, hessian = [
                np.where(better.reshape(-1, *[1] * (new.ndim - 1)), new, old)
                for new, old in zip(there, (cost, gradient, hessian))]
            damping = np.maximum(np.where(better, 0.1, 10.0) * damping,
                                 _LEAST_DAMPING * each.bound * self._square)
            if moved < TIE:
                break
        return angles, cost

    def _landscape(self, angles, aim, each):
        """Return cost [m^2], its gradient and its second derivatives at n poses."""
        axes, origins, points = self._chain(angles)
        # Tip only; with bounds the other points as well; and the up vector.
        bounded = len(points) - 1
        count = 1 if aim.heights is None else bounded if aim.up is None else bounded + 1
        arms = points[:, None] - origins
        arms[-1] = points[-1]
        points, arms, moves = points[:count], arms[:count], self._moves[:count]
        #: How the cost changes with each point, and how that changes.
        push, bend = np.zeros_like(points), np.zeros_like(points)
        push[0], bend[0] = each.tip * (points[0] - aim.goal), each.tip
        cost = 0.5 * each.tip * ((points[0] - aim.goal) ** 2).sum(axis=0)
        if count > 1:
            depth = np.maximum(aim.heights - points[:bounded, 2], 0.0)
            cost += 0.5 * each.bound * (depth ** 2).sum(axis=0)
            push[:bounded, 2] -= each.bound * depth
            bend[:bounded, 2] += each.bound * (depth > 0.0)
        if count > bounded:
            weight = each.bound if each.up is None else each.up * self._square
            off = points[-1] - aim.up
            cost += 0.5 * weight * (off ** 2).sum(axis=0)
            push[-1], bend[-1] = weight * off, weight
        columns = _cross(axes, arms) * moves
        gradient = (columns * push[:, None]).sum(axis=(0, 2))
        # A row for each joint, all points one after the other.
        columns, bent, turned = [part.transpose(3, 1, 0, 2).reshape(*angles.shape, -1)
                                 for part in (columns, columns * bend[:, None],
                                              _cross(push[:, None], axes) * moves)]
        columns = columns.swapaxes(1, 2)
        # The second derivative is by the joint nearer to the base first.
        second = (turned @ columns) * self._upper_triangle
        return cost, gradient.T, bent @ columns + second + second.swapaxes(1, 2)

    def _chain(self, angles):
        """
        Return axes and origins (joints, 3, n); tip, elbow, wrist, up vector (4, 3, n).

        With a tip beside the last link, that link's end comes before the up vector.
        """
        geometry, at = self._geometry, dict(zip(self._roles, angles.T))
        zero = np.zeros(len(angles))
        joints, hand = links(geometry, *[at.get(role, zero) for role in ROLES[:6]])
        (_, elbow), (above, wrist) = joints['elbow'], joints['wrist_tilt']
        bend = geometry.bend
        up = np.cos(bend) * hand - np.sin(bend) * above if bend else hand
        points = [wrist + geometry.l3 * hand, elbow, wrist]
        if geometry.beside:
            # All but along hand, the tip's x and y turn with the roll.
            (x, y), s, c = geometry.beside, np.sin(at['wrist_roll']), np.cos(at['wrist_roll'])
            foot = wrist + geometry.hand_offset * above
            beside = (x * s + y * c) * np.array(cross(above, hand)) + (y * s - x * c) * above
            joints['wrist_roll'] = hand, foot
            points = [foot + geometry.l3 * hand + beside, elbow, wrist, foot + geometry.end * hand]
        axes, origins = map(np.array, zip(*[joints[role] for role in self._roles]))
        return axes, origins, np.array([*points, up])


def _first_of_parts(away, parts, count):
    """Return the indices of the nearest samples, each of another part of joint space."""
    order = np.argpartition(away, min(NEAREST, len(away)) - 1)[:NEAREST]
    order = order[np.argsort(away[order])]
    _, first = np.unique(parts[order], return_index=True)
    return order[np.sort(first)[:count]]


def _cross(a, b):
    """Return the cross products of vectors, shape (..., 3, n)."""
    return np.stack(cross(np.moveaxis(a, -2, 0), np.moveaxis(b, -2, 0)), axis=-2)
