# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The poses whose tip is nearest to a position, of any arm, by numeric search.

A table of sampled poses is made once. The nearest of them, each of another part of joint space,
are starts of a bounded Levenberg-Marquardt search, all of them in columns. It minimises half the
squared distance of the tip from the target over the canonical angles. With ``a_i`` the axis of
joint i through ``o_i`` and p a point of the arm, both derivatives are exact::

    dp/dq_i = a_i x (p - o_i)            d2p/dq_i dq_j = a_i x dp/dq_j     (i at or before j)

so that it ends like Newton's method. A joint at a limit whose gradient points outwards stays there
for a step; the steps of the others are clipped to the limits. A step that gains nothing is tried
again with ten times the damping.

Above a floor half the squared depths of elbow, wrist and tip below it are added, with weights that
grow (method of multipliers): the floor that counts is raised by the depth that was left over, so
that in the end none is.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...model import ROLES

#: Poses in the table: 10 ms, and dense enough for the nearest of them to lie in the valley of the
#: nearest of all. In a small box there are few valleys.
SAMPLES, FEW_SAMPLES = 16384, 256

#: Parts of each joint's range; starts differ in at least one of them.
PARTS = 4

#: Starts of a search, and how many of them are followed to the end.
STARTS, FOLLOWED = 48, 8

#: Poses of the table that the starts are chosen from.
NEAREST = 1024

#: Steps of all starts, and of those that are followed: convergence is quadratic in the end.
STEPS, MORE_STEPS = 20, 40

#: Weights of the depth below the floor, one round after the other.
WEIGHTS = (3.0, 30.0, 1000.0, 1000.0, 1000.0)

#: Joints at which links may be in line, where the distance is flat.
LINKS = ('elbow', 'wrist', 'wrist_tilt')

UPWARDS = np.array([[0.0], [0.0], [1.0]])

#: A gain below this part of the cost ends a search: it is rounding.
_GAIN = 1e-15

#: The damping at first, and the most of it, in parts of the squared length of the arm.
_DAMPING, _MOST_DAMPING = 1e-3, 1e6


class Bounds(NamedTuple):
    """Floors of tip, elbow and wrist (n, 3) [m], up vectors (n, 3) or None, and their weight."""

    weight: float
    floor: np.ndarray
    up: np.ndarray | None


class Part(NamedTuple):
    """How a cost changes with a point, how that changes, arms from joints, joints that move it."""

    push: np.ndarray
    bend: np.ndarray
    arms: np.ndarray
    moved: int


class Landscape(NamedTuple):
    """Cost [m^2], its gradient and second derivatives at n poses; tips, heights [m], ups."""

    cost: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray
    tip: np.ndarray
    heights: np.ndarray
    up: np.ndarray


class DistanceSearch:
    """
    Search for the poses of one arm.

    :param geometry: of the arm.
    :param samples: number of poses in the table.
    :param offset: of the tip from the end of the last link, along the axes of ``tool0`` [m].
    """

    def __init__(self, geometry, samples=SAMPLES, offset=(0.0, 0.0, 0.0)):
        self._geometry, self._samples, self._offset = geometry, samples, np.array(offset)
        #: The joints that move the tip.
        self._roles = roles = [role for role in geometry.roles
                               if role != 'wrist_roll' or self._offset[:2].any()]
        ends = [limits.canonical_ends for limits in geometry.limits[:len(roles)]]
        self._lower, self._upper = np.sort(ends, axis=1).T
        self._damping = _DAMPING * (geometry.l1 + geometry.l2 + geometry.l3) ** 2

    @cached_property
    def _table(self):
        """Hold poses, their tips, how low they reach, and the part of joint space they are in."""
        share = np.random.default_rng(0).random((self._samples, len(self._lower)))
        angles = self._lower + share * (self._upper - self._lower)
        tip, elbow, wrist = self._chain(angles)[2]
        parts = (share * PARTS).astype(int) @ PARTS ** np.arange(len(self._lower))
        return angles, tip.T, np.min([tip[2], elbow[2], wrist[2]], axis=0), parts

    def nearest(self, position, floor=None, more=(), up=None):
        """
        Return poses whose tips are as near to a position as they can be.

        :param position: in ``base_link`` [m].
        :param floor: elbow, wrist and tip stay above this height [m]; ``None``: anywhere.
        :param more: poses to start from, too: canonical angles [rad] in the order of ROLES.
        :param up: direction that the last link must have, a unit vector; only with a floor.
        :returns: ``(angles, distances)``: canonical angles [rad], shape (n, joints), inside the
            limits, and the distances of their tips [m]; the nearest first.
        """
        poses, tips, lowest, parts = self._table
        goal = np.array(position)
        away = np.linalg.norm(tips - goal, axis=1)
        if floor is not None:
            away += np.maximum(floor - lowest, 0.0)
        order = np.argsort(away)[:NEAREST]
        _, first = np.unique(parts[order], return_index=True)
        starts = poses[order[np.sort(first)[:STARTS]]]
        own = [ROLES.index(role) for role in self._roles]
        angles = np.array([*starts, *[np.array(pose)[own] for pose in more]])
        angles = np.clip(angles, self._lower, self._upper)
        if floor is None:
            angles, at = self._descend(angles, goal, None, STEPS)
            angles, at = self._descend(angles[np.argsort(at.cost)[:FOLLOWED]], goal, None,
                                       MORE_STEPS)
        else:
            bounds = Bounds(WEIGHTS[0], np.full((len(angles), 3), floor),
                            None if up is None else np.tile(up, (len(angles), 1)))
            angles, at = self._descend(angles, goal, bounds, STEPS)
            followed = np.argsort(at.cost)[:FOLLOWED]
            angles = angles[followed]
            for weight in WEIGHTS:
                bounds = Bounds(weight, *[None if part is None else part[:FOLLOWED] for part in bounds[1:]])
                angles, at = self._descend(angles, goal, bounds, MORE_STEPS)
                bounds = Bounds(
                    weight, np.maximum(floor, bounds.floor + floor - at.heights),
                    None if up is None else bounds.up + up - at.up)
        distance = np.linalg.norm(at.tip - goal, axis=1)
        links = [i for i, role in enumerate(self._roles) if role in LINKS]
        inline = np.round(angles[:, links] / np.pi) * np.pi
        straight = angles.copy()
        straight[:, links] = np.where(abs(angles[:, links] - inline) < 1e-5, inline, angles[:, links])
        straight = np.clip(straight, self._lower, self._upper)
        further = np.linalg.norm(self._chain(straight)[2][0].T - goal, axis=1) > distance + 1e-11
        angles = np.where(further[:, None], angles, straight)
        order = np.argsort(distance)
        return angles[order], distance[order]

    def canonical(self, pose):
        """Return angles of a pose [rad] in the order of ROLES, 0.0 for absent roles."""
        at = dict(zip(self._roles, pose.tolist()))
        return tuple([at.get(role, 0.0) for role in ROLES[:6]])

    def _descend(self, angles, goal, bounds, steps):
        """Return angles (n, joints) at lower cost, and the :class:`Landscape` there."""
        at = self._landscape(angles, goal, bounds)
        damping, least = np.full(len(angles), self._damping), 1e-9 * self._damping
        diagonal = np.arange(angles.shape[1])
        for _ in range(steps):
            free = ~((angles <= self._lower) & (at.gradient >= 0.0)
                     | (angles >= self._upper) & (at.gradient <= 0.0))
            hessian = np.where(free[:, :, None] & free[:, None], at.hessian, 0.0)
            hessian[:, diagonal, diagonal] += np.where(free, damping[:, None], 1.0)
            step = np.linalg.solve(hessian, np.where(free, -at.gradient, 0.0)[..., None])[..., 0]
            tried = np.clip(angles + step, self._lower, self._upper)
            there = self._landscape(tried, goal, bounds)
            gain = at.cost - there.cost
            better = gain > 0.0
            angles = np.where(better[:, None], tried, angles)
            at = Landscape(*[np.where(better.reshape(-1, *[1] * (new.ndim - 1)), new, old)
                             for new, old in zip(there, at)])
            damping = np.maximum(np.where(better, 0.1, 10.0) * damping, least)
            if not ((gain > _GAIN * at.cost) | (~better & (damping < _MOST_DAMPING * self._damping))).any():
                break
        return angles, at

    def _landscape(self, angles, goal, bounds):
        axes, origins, (tip, elbow, wrist), up = self._chain(angles)
        miss, heights = tip - goal[:, None], np.array([tip[2], elbow[2], wrist[2]])
        parts = [Part(miss, np.ones((3, 1)), tip - origins, len(axes))]
        cost = 0.5 * (miss ** 2).sum(axis=0)
        if bounds is not None:
            depth = np.maximum(bounds.floor.T - heights, 0.0)
            cost += 0.5 * bounds.weight * (depth ** 2).sum(axis=0)
            at = self._roles.index('elbow')
            parts += [
                Part(-UPWARDS * bounds.weight * deep, UPWARDS * bounds.weight * (deep > 0.0),
                     point - origins, moved)
                for point, deep, moved in zip(
                    (tip, elbow, wrist), depth, (len(axes), at, at + 1))]
            if bounds.up is not None:
                off = up - bounds.up.T
                cost += 0.5 * bounds.weight * (off ** 2).sum(axis=0)
                parts.append(Part(bounds.weight * off, bounds.weight * np.ones((3, 1)),
                                  up + 0.0 * axes, len(axes)))
        gradient, hessian = 0.0, 0.0
        for push, bend, arms, moved in parts:
            columns = cross(axes, arms)
            columns[moved:] = 0.0
            gradient += (columns * push).sum(axis=1)
            hessian += np.einsum('ikn,jkn->nij', columns * bend, columns)
            second = np.einsum('ikn,jkn->nij', cross(push + 0.0 * axes, axes), columns)
            hessian += np.triu(second) + np.triu(second, 1).swapaxes(1, 2)
        return Landscape(cost, gradient.T, hessian, tip.T, heights.T, up.T)

    def _chain(self, angles):
        """Return axes and origins of the joints (joints, 3, n); tip, elbow, wrist (3, 3, n)."""
        geometry, offset = self._geometry, self._offset
        at = dict(zip(self._roles, angles.T))
        zero = np.zeros(len(angles))
        roll, tilt = at.get('roll', zero), at.get('wrist_tilt', zero)
        sy, cy, sr, cr = np.sin(at['yaw']), np.cos(at['yaw']), np.sin(roll), np.cos(roll)
        f = np.array([cy, sy, zero])
        n = np.array([-sy * cr, cy * cr, sr])
        h = np.array([sy * sr, -cy * sr, cr])
        a1 = at['shoulder']
        a2 = a1 + at['elbow']
        a3 = a2 + at['wrist']
        base = np.array([[geometry.base_x], [geometry.base_y], [geometry.base_height]]) + 0.0 * f
        shoulder = base + geometry.shoulder_offset * f + geometry.lateral * n
        elbow = shoulder + geometry.l1 * (np.cos(a1) * f + np.sin(a1) * h)
        wrist = elbow + geometry.l2 * (np.cos(a2) * f + np.sin(a2) * h)
        along, above = np.cos(a3) * f + np.sin(a3) * h, np.cos(a3) * h - np.sin(a3) * f
        up, left = np.cos(tilt) * along + np.sin(tilt) * n, np.cos(tilt) * n - np.sin(tilt) * along
        tip = wrist + (geometry.l3 + offset[2]) * up
        if offset.any():
            turn = at.get('wrist_roll', zero)
            tip += offset[0] * (np.sin(turn) * left - np.cos(turn) * above)
            tip += offset[1] * (np.cos(turn) * left + np.sin(turn) * above)
        joints = {'yaw': ([zero, zero, zero + 1.0], base), 'roll': (f, base),
                  'shoulder': (-n, shoulder), 'elbow': (-n, elbow), 'wrist': (-n, wrist),
                  'wrist_tilt': (above, wrist), 'wrist_roll': (up, wrist)}
        axes, origins = map(np.array, zip(*[joints[role] for role in self._roles]))
        return axes, origins, (tip, elbow, wrist), up


def cross(a, b):
    """Return the cross products of vectors, shape (..., 3, n)."""
    (ax, ay, az), (bx, by, bz) = a.swapaxes(0, -2), b.swapaxes(0, -2)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-2)
