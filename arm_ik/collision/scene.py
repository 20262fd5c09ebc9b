# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An arm's collision shapes among those it is to stay out of, and their distances over poses.

The arm is a few segments with radii: of upper arm, forearm, wrist, hand, fingers. All else is
fixed: the cylinders of the base, the floor, the shapes of ``keep_out``. A *pair* is a segment and
a fixed shape, or a segment of the upper arm and one of wrist or hand. Neighbours are no pair:
upper arm and base, forearm and upper arm, hand and forearm; nor are two that meet in nearly all
poses.

On a segment a + s d the distance from a convex set is convex in s, and the gradient of half its
square, g(s) = e(s) . d with e the vector from the nearest point of the set, never falls. So its
zero is enclosed ever more narrowly, and the tangents of the distance at both ends bound it from
below.
"""

import numpy as np

from ..description.collision_shapes import base_cylinders, link_capsules
from ..description.urdf_tree import rotation
from ..kinematics.forward import ROLES
from ..kinematics.model import KeepOut

#: Pairs that overlap in more than this part of random poses are skipped; number of such poses.
_ALWAYS, _POSES = 0.95, 100

#: Where a segment is looked at first.
_PARTS = np.linspace(0.0, 1.0, 5)[:, None, None]

#: Used for zero in divisions.
_TINY = 1e-300

#: Where a segment is looked at, and how far apart.
_AT, _STEP = np.linspace(0.0, 1.0, 65, retstep=True)


class Scene:
    """
    Pairs of an arm's parts and what they may touch.

    ``parts`` and ``others`` have the names of each pair, and ``''`` at the end; ``is_own`` says
    whether the other is the arm's base or the arm itself, and False at the end. ``travel`` has for
    each pair and joint how far, at most, a point of the part's segment moves past the other for a
    turn of the joint [m/rad], shape (pairs, joints). ``seen`` is a pose [rad] that was looked at,
    and how far the pairs are apart there, at least [m].

    :param geometry: the arm's :class:`~arm_ik.kinematics.forward.Geometry`.
    :param keep_out: further :class:`~arm_ik.kinematics.model.KeepOut` than those of its model.
    :param positions: of the extra joints by name [rad or m]; the others are ``closed``.
    """

    def __init__(self, geometry, keep_out=(), positions={}):
        self._geometry, model = geometry.whole, geometry.model
        roles = [ROLES.index(role) for role in model.roles]
        # Yaw, roll, the elevations of the three links, tilt and wrist roll, from joint positions.
        self._angles, self._offsets = np.zeros((len(roles), 7)), np.zeros(7)
        for joint, role, sign, offset in zip(
                self._angles, roles, self._geometry.signs, self._geometry.offsets):
            turned = [at for at in range(7) if at == role or 2 <= role <= at <= 4]
            joint[turned] = sign
            self._offsets[turned] += offset
        if self._geometry.elevation is not None:    # whatever shoulder and elbow do
            self._angles[:, 4], self._offsets[4] = 0.0, self._geometry.elevation
        self._place(model, positions)
        own = base_cylinders(model)
        floor = [] if model.floor_height is None else [
            KeepOut('floor', 'half_space', position=(0.0, 0.0, model.floor_height))]
        shapes = (*own, *floor, *model.keep_out, *keep_out)
        self._fixed(shapes)
        self._pair(shapes, own, roles)

    def _place(self, model, positions):
        """Set where the segments begin and end: on which of four links, and where on it."""
        owners = ['shoulder', 'elbow', model.hand_role, *['wrist'] * (model.hand_role != 'wrist')]
        links = [link_capsules(model, role, positions) for role in owners]
        capsules = [capsule for link in links for capsule in link]
        self._link = np.repeat(range(len(links)), [len(link) for link in links])
        self._parts = [capsule.part.replace('_', ' ') for capsule in capsules]
        self._radii = np.array([capsule.radius for capsule in capsules])
        ends = np.array([(capsule.begin, capsule.end) for capsule in capsules])
        self._half_part = 0.5 * length(ends[:, 1] - ends[:, 0]) / (len(_PARTS) - 1)
        # All that begin, then all that end. Upper arm and forearm, and the hand before it rolls:
        # ahead and up, and to the left; of hand and wrist (which does not roll) to the left and
        # up, too.
        points, link = ends.transpose(1, 0, 2).reshape(-1, 3), np.tile(self._link, 2)
        ahead, left, up = points.T
        self._upper = np.where(link == 0, ahead + 1j * up, model.upper_arm)
        self._fore = np.where(link == 1, ahead + 1j * up, np.where(link > 1, model.forearm, 0.0))
        self._left = np.where(link < 2, left, 0.0)
        self._ahead = np.where(link > 1, ahead, 0.0)
        self._side = np.where(link > 1, left + 1j * up, 0.0)
        self._above = np.where(link == 2, model.hand_offset, 0.0)
        self._turns = link == 2

    def _fixed(self, shapes):
        """Set frames and sizes of shapes; half-spaces are the lower half of everything."""
        # From base_link: by shape, then by coordinate there, then by coordinate in the frame.
        axes = np.array([rotation(shape.rpy)[:3, :3] for shape in shapes])
        self._axes = axes.transpose(1, 0, 2).reshape(3, -1)
        self._origins = np.einsum('si,sij->sj', [shape.position for shape in shapes], axes)
        self._is_round = np.array([shape.kind == 'cylinder' for shape in shapes])
        self._is_plane = np.array([shape.kind == 'half_space' for shape in shapes])
        self._halves = 0.5 * np.array([shape.edges or (0.0, 0.0, 0.0) for shape in shapes])

    def _pair(self, shapes, own, roles):
        """Set the pairs: each part with each shape, then hand and fingers with the upper arm."""
        model, count = self._geometry.model, len(self._parts)
        hand, upper = np.nonzero(self._link > 1)[0], np.nonzero(self._link == 0)[0]
        self._inner = np.repeat(hand, len(upper)), np.tile(upper, len(hand))
        part = np.array([*np.repeat(range(count), len(shapes)), *self._inner[0]])
        is_inner = np.arange(len(part)) >= count * len(shapes)
        is_base = np.array([*[shape in own for shape in shapes] * count, *~is_inner[is_inner]])
        self.parts = np.array([*np.array(self._parts)[part], ''])
        self.others = np.array([*[shape.name for shape in shapes] * count,
                                *np.array(self._parts)[self._inner[1]], ''])
        self.is_own = np.array([*is_base | is_inner, False])
        # How far from the axis of each role a part may be.
        reach = np.hypot(self._ahead, abs(self._side) + abs(self._above))
        elbow = abs(self._fore) + reach
        shoulder = abs(self._upper) + elbow
        yaw = np.hypot(model.shoulder_offset, model.lateral) + shoulder + abs(self._left)
        far = np.stack([yaw, yaw, shoulder, elbow, reach, self._turns * reach,
                        self._turns * abs(self._side)], axis=1)
        self.travel = np.maximum(far[:count], far[count:])[part][:, roles]
        # The base is round about the yaw axis, and nothing before the elbow moves the hand past
        # the upper arm.
        self.travel[np.ix_(is_base, np.array(roles) == 0)] = 0.0
        self.travel[np.ix_(is_inner, np.array(roles) < 3)] = 0.0
        self._skipped = is_base & (self._link[part] == 0)
        lower, upper = zip(*((limit.lower, limit.upper) for limit in self._geometry.limits))
        poses = np.random.default_rng(0).uniform(lower, upper, (_POSES, len(roles)))
        self.seen = poses[0], np.full(len(part), -np.inf)
        below = np.where(self.is_own[:-1], 0.0, -np.inf)
        self._skipped |= (self.distances(poses, below) < below).mean(axis=0) > _ALWAYS

    def points(self, q):
        """
        Return where segments begin, then where they end, in ``base_link`` [m].

        :param q: joint positions [rad], shape (n, joints).
        :returns: shape (n, 2 segments, 3).
        """
        geometry = self._geometry
        yaw, roll, e1, e2, e3, *turns = np.exp(
            1j * (q @ self._angles + self._offsets)).T[..., None]
        tilt, wrist_roll = np.where(self._turns, turns, 1.0)
        side = wrist_roll * self._side                              # to the left, and up
        hand = tilt * (self._ahead + 1j * side.real)                # ahead, and to the left
        plane = geometry.shoulder_offset + e1 * self._upper + e2 * self._fore + e3 * (
            hand.real + 1j * (side.imag + self._above))             # ahead, and up
        left = geometry.lateral + self._left + hand.imag
        rolled = roll * (plane.imag - 1j * left)                    # up, and to the right
        level = yaw * (plane.real - 1j * rolled.imag)
        return np.stack([geometry.base_x + level.real, geometry.base_y + level.imag,
                         geometry.base_height + rolled.real], axis=-1)

    def far(self, paths, margin=0.0):
        """
        Return which pairs surely do not touch on paths: from the pose seen it is not far enough.

        :param paths: joint positions [rad], shape (paths, n, joints).
        :param margin: how far off them the arm may be [m].
        :returns: shape (pairs,).
        """
        q, distances = self.seen
        return distances > np.abs(paths - q).max(axis=(0, 1), initial=0.0) @ self.travel.T + margin

    def distances(self, q, below=np.inf):
        """
        Return how far the shapes of each pair are apart; negative where they overlap.

        Of an overlap no more is known than the part's radius.

        :param q: joint positions [rad], shape (n, joints).
        :param below: what is surely farther need not be exact [m], a number or shape (n, pairs).
        :returns: [m], shape (n, pairs), never more than it is; infinite of pairs that are skipped.
        """
        points, radii, count = self.points(q), self._radii, len(self._parts)
        begin, span = points[:, :count], points[:, count:] - points[:, :count]
        wanted = np.broadcast_to(below, (len(q), len(self._skipped)))
        # From a few points of each segment: between two, as far as their distance apart allows.
        # A cylinder is a box at first.
        local = (begin[:, None] + _PARTS * span[:, None]).reshape(-1, 3) @ self._axes
        local = local.reshape(len(q), len(_PARTS), count, len(self._halves), 3) - self._origins
        far = length(np.maximum(np.abs(local) - self._halves, 0.0))
        found = 0.5 * (far[:, 1:] + far[:, :-1]).min(axis=1) - self._half_part[:, None]
        found = np.where(self._is_plane, local[..., 2].min(axis=1), found)
        found -= radii[:, None]
        grid = count * len(self._halves)
        found[:, self._skipped[:grid].reshape(found.shape[1:])] = np.inf
        row, part, fixed = np.nonzero(
            (found < wanted[:, :grid].reshape(found.shape)) & ~self._is_plane)
        if len(row):
            found[row, part, fixed] = from_shapes(
                local[row, 0, part, fixed], local[row, -1, part, fixed], self._halves[fixed],
                self._is_round[fixed]) - radii[part]
        hand, upper = self._inner
        inner = apart(begin[:, hand], span[:, hand], begin[:, upper], span[:, upper])
        inner -= radii[hand] + radii[upper]
        inner[:, self._skipped[grid:]] = np.inf
        return np.concatenate([found.reshape(len(q), grid), inner], axis=1)


def outside(points, half, is_round):
    """
    Return the vectors to points from the nearest points of boxes and cylinders.

    :param points: [m], in the frame of the shape, shape (..., 3).
    :param half: halves of the edges [m], of a cylinder (radius, radius, half its length).
    :param is_round: whether it is a cylinder along z, shape (...).
    """
    found = points - np.clip(points, -half, half)
    if is_round.any():
        flat = points[..., :2]
        out = np.maximum(length(flat), _TINY)[..., None]
        found[..., :2] = np.where(is_round[..., None], flat * np.maximum(
            1.0 - half[..., :1] / out, 0.0), found[..., :2])
    return found


def from_shapes(begin, end, half, is_round):
    """
    Return lower bounds of the distances of segments from shapes, exact but for 0.1 mm.

    Parameters are those of :func:`outside`, for each segment from its begin to its end.
    """
    span, rows = end - begin, np.arange(len(begin))[:, None]
    vectors = outside(begin[:, None] + _AT[:, None] * span[:, None], half[:, None],
                      is_round[:, None])
    slope = np.matmul(vectors, span[:, :, None])[..., 0]
    after = np.clip((slope < 0.0).sum(axis=1), 1, len(_AT) - 1)
    ends = np.stack([after - 1, after], axis=1)
    far = length(vectors[rows, ends])
    slopes = slope[rows, ends] / np.maximum(far, _TINY)
    # Where the tangents meet; a slope that points outwards has its minimum at the end itself.
    down, up = np.minimum(slopes[:, 0], 0.0), np.maximum(slopes[:, 1], 0.0)
    at = (far[:, 1] - far[:, 0] - up * _STEP) / np.minimum(down - up, -_TINY)
    return np.maximum(np.where(
        slopes[:, 1] <= 0.0, far[:, 1], far[:, 0] + down * np.clip(at, 0.0, _STEP)), 0.0)


def apart(begin, span, other_begin, other):
    """Return the distances of segments, given by one end and the vector on, from others."""
    between = begin - other_begin
    a, e = np.maximum(_dot(span, span), _TINY), np.maximum(_dot(other, other), _TINY)
    b, c, f = _dot(span, other), _dot(span, between), _dot(other, between)
    # On the lines, of parallel ones anywhere; then on the segments, each with the other one free.
    s = ((b * f - c * e) / np.maximum(a * e - b * b, _TINY)).clip(0.0, 1.0)
    t = ((b * s + f) / e).clip(0.0, 1.0)
    s = ((b * t - c) / a).clip(0.0, 1.0)
    return length(between + s[..., None] * span - t[..., None] * other)


def length(vectors):
    """Return the lengths of vectors, shape (..., 3)."""
    return np.sqrt(_dot(vectors, vectors))


def _dot(a, b):
    return np.einsum('...i,...i->...', a, b)
