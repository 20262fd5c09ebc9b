# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics: from joint positions to the tip, the up vector and ``tool0``.

With yaw and roll of the base, ``f`` forward, ``n`` left normal and ``h`` upward side of the arm
plane (``h = f x n``, right-handed) are::

    f = (cos yaw, sin yaw, 0)
    n = (-sin yaw cos roll, cos yaw cos roll, sin roll)
    h = (sin yaw sin roll, -cos yaw sin roll, cos roll)

The links are at ``a1 = shoulder``, ``a2 = a1 + elbow``, ``a3 = a2 + wrist`` above f. Before a
tilt the last link points along ``c = cos a3 f + sin a3 h`` with ``g = -sin a3 f + cos a3 h`` above
it; a tilt t about g turns it to the left::

    up = cos t c + sin t n            left = -sin t c + cos t n

A bent hand begins ``hand_offset`` g from the wrist.
The end of the last link has z = up; with the wrist roll r about it, x = cos r (-g) + sin r left.
``tool0`` is there, or at the chosen tip: ``beside`` from it along x and y. The tip's z is a part
of the last link's length here, its turn a part of the roll.
"""

from copy import copy
from math import atan2, cos, dist, hypot, sin

from .limits import JointLimits, NO_WRIST
from .vectors import angle_between, carried, dot


#: Every role a joint can have, base to tip.
ROLES = ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll')


class Geometry:
    """
    The numbers of an arm as plain floats, for the scalar path.

    ``beside``: x and y of the tip [m] in ``tool0``'s axes, ``None`` if it is on the line of the
    last link; ``end``: from the wrist to the last link's end [m].
    """

    def __init__(self, model):
        self.model = model
        self.base_x, self.base_y = float(model.base_x), float(model.base_y)
        self.base_height = float(model.base_height)
        self.shoulder_offset, self.lateral = float(model.shoulder_offset), float(model.lateral)
        self.l1, self.l2, self.l3 = (
            float(model.upper_arm), float(model.forearm), float(model.hand))
        tip = model.chosen_tip
        self.end, self.turn, self.beside = self.l3, tip.turn, None
        if tip.x or tip.y or tip.z < 0.0:
            c, s = cos(tip.turn), sin(tip.turn)
            self.beside = c * tip.x + s * tip.y, c * tip.y - s * tip.x
        #: How far above the wrist the line of the last link passes [m].
        self.hand_offset = float(model.hand_offset)
        #: The arm itself, of one as its plane has it (:meth:`in_plane`, :meth:`with_roll`), and
        #: how far the hand of that one is bent [rad].
        self.whole, self.bend = self, 0.0
        self.l3 += tip.z
        self.limits = tuple(JointLimits(joint) for joint in model.joints)
        self.roles = model.roles
        self.has_roll, self.has_wrist, self.has_tilt, self.has_wrist_roll = [
            role in self.roles for role in ('roll', 'wrist', 'wrist_tilt', 'wrist_roll')]
        #: Without a wrist: the elevation at which a linkage keeps the hand [rad], or ``None``.
        self.elevation = model.hand_elevation
        if self.has_wrist_roll:
            self.limits[-1].offset += self.turn
        self.upright = not (self.has_roll or self.has_tilt)
        #: Where shoulder, elbow and wrist begin in a joint vector.
        self.first_in_plane = 2 if self.has_roll else 1
        self.limits_in_plane = self.of_plane(self.limits, NO_WRIST)
        elbow = self.limits_in_plane[1]
        #: Where the elbow is in a joint vector, its sign and its offset [rad].
        self.elbow = self.first_in_plane + 1, elbow.sign, elbow.offset
        #: Yaw, shoulder, elbow and wrist, and nothing else.
        self.bare = self.has_wrist and len(self.limits) == 4
        self.signs = tuple([limits.sign for limits in self.limits])
        self.offsets = tuple([limits.offset for limits in self.limits])
        self.home = tuple(float(position) for position in model.home)
        self.floor = model.floor_height

    def narrowed(self, middle, radius):
        """
        Return the same arm with limits no farther than ``radius`` from a pose, its home.

        :param middle: joint positions [rad], inside the limits.
        :param radius: [rad].
        """
        other = copy(self)
        other.home = middle
        other.limits = tuple([
            limits.narrowed(max(limits.lower, at - radius), min(limits.upper, at + radius))
            for limits, at in zip(self.limits, middle)])
        other.limits_in_plane = other.of_plane(other.limits, NO_WRIST)
        return other

    def of_plane(self, values, missing=0.0):
        """Return what belongs to shoulder, elbow and wrist, of values for each joint."""
        first = self.first_in_plane
        return values[first:first + 3] if self.has_wrist else (*values[first:first + 2], missing)

    def in_plane(self, above=None):
        """
        Return the arm with a last link that leads from the wrist to the tip, in the arm plane.

        It is bent by ``atan2(above, l3)``, and its elevations are those of this line. Without a
        wrist it has no length; a hand that a linkage keeps at its elevation is as if the shoulder
        were so much farther ahead and up.

        :param above: how far the tip is above the wrist, across the up vector [m]; ``None``: as
            it is on the line of the last link. With one beside it this is the arm itself.
        """
        if above is None:
            above = 0.0 if self.beside else self.hand_offset
        if not self.has_wrist:
            other = copy(self)
            other.l3 = 0.0
            if self.elevation is not None:
                other.shoulder_offset += self.l3 * cos(self.elevation)
                other.base_height += self.l3 * sin(self.elevation)
                other.elevation = None
            return other
        if not above:
            return self
        other, limits = copy(self), list(self.limits)
        other.l3, other.bend = hypot(self.l3, above), atan2(above, self.l3)
        limits[3] = limits[3].turned(other.bend)
        other.limits, other.limits_in_plane = tuple(limits), tuple(limits[1:4])
        other.offsets = tuple([limit.offset for limit in limits])
        return other

    def with_roll(self, position):
        """
        Return the arm with its wrist roll held: the tip then is in an arm plane, on a bent hand.

        It is as if the plane were beside the yaw axis by so much more as the tip is beside it.

        :param position: of the wrist roll [rad]; without one it does not count.
        """
        other, (x, y), roll = copy(self), self.beside, self.turn
        if self.has_wrist_roll:
            roll = self.limits[-1].canonical(position)
            other.limits = *self.limits[:-1], self.limits[-1].narrowed(position, position)
            other.home = *self.home[:-1], position
        other.lateral = self.lateral + x * sin(roll) + y * cos(roll)
        other.beside = None
        return other.in_plane(self.hand_offset + y * sin(roll) - x * cos(roll))

    def clamped(self, q):
        """Return joint positions [rad] brought inside the limits."""
        return tuple([limits.clamp(position) for limits, position in zip(self.limits, q)])

    def own(self, angles):
        """Return those of the angles of :meth:`canonical` that a joint moving the tip has."""
        roles = ROLES if self.beside else ROLES[:6]
        return [angle for role, angle in zip(roles, angles) if role in self.roles]

    def canonical(self, q):
        """
        Return the seven canonical angles [rad] in the order of ROLES, 0.0 for absent roles.

        :param q: joint positions [rad], floats or columns.
        """
        angles = [sign * position + offset
                  for sign, position, offset in zip(self.signs, q, self.offsets)]
        if self.bare:
            yaw, shoulder, elbow, wrist = angles
            return yaw, 0.0, shoulder, elbow, wrist, 0.0, self.turn
        if not self.has_roll:
            angles.insert(1, 0.0)
        if not self.has_wrist:
            _, _, shoulder, elbow, *_ = angles
            angles.insert(4, 0.0 if self.elevation is None else self.elevation - shoulder - elbow)
        if not self.has_tilt:
            angles.insert(5, 0.0)
        if not self.has_wrist_roll:
            angles.append(self.turn)
        return angles


def _sine_and_cosine(angle):
    return sin(angle), cos(angle)


def tool(geometry, q, sine_and_cosine=_sine_and_cosine, with_forward=True):
    """
    Return where the tool is at joint positions, in ``base_link``.

    :param geometry: of the arm.
    :param q: joint positions [rad], base to tip: floats or columns of numpy.
    :param sine_and_cosine: of one of them, :func:`.batch.columns.sine_and_cosine` for columns.
    :param with_forward: whether forward and left are asked for; ``None`` otherwise.
    :returns: ``(tip, up, forward, left)``: the tip [m] and ``tool0``'s z, x and y axes, each a
        tuple of three.
    """
    geometry = geometry.whole
    yaw, roll, a1, elbow, wrist, tilt, wrist_roll = geometry.canonical(q)
    a2 = a1 + elbow
    (sy, cy), (s1, c1), (s2, c2), (s3, c3), (sw, cw) = map(
        sine_and_cosine, (yaw, a1, a2, a2 + wrist, wrist_roll))
    r = geometry.shoulder_offset + geometry.l1 * c1 + geometry.l2 * c2
    z = geometry.l1 * s1 + geometry.l2 * s2
    lateral, l3 = geometry.lateral, geometry.l3
    if geometry.hand_offset:
        r, z = r - geometry.hand_offset * s3, z + geometry.hand_offset * c3
    if geometry.upright:
        # No roll and no tilt: h is straight up, n is level.
        ux, uy, uz = c3 * cy, c3 * sy, s3
        gx, gy, gz = -s3 * cy, -s3 * sy, c3
        nx, ny, nz = -sy, cy, 0.0
        x, y = r * cy - lateral * sy, r * sy + lateral * cy
    else:
        (sr, cr), (st, ct) = map(sine_and_cosine, (roll, tilt))
        hx, hy, nx, ny, nz = sy * sr, -cy * sr, -sy * cr, cy * cr, sr
        cx, cy_, cz = c3 * cy + s3 * hx, c3 * sy + s3 * hy, s3 * cr
        gx, gy, gz = c3 * hx - s3 * cy, c3 * hy - s3 * sy, c3 * cr
        x, y = r * cy + z * hx + lateral * nx, r * sy + z * hy + lateral * ny
        z = z * cr + lateral * nz
        ux, uy, uz = ct * cx + st * nx, ct * cy_ + st * ny, ct * cz + st * nz
        nx, ny, nz = ct * nx - st * cx, ct * ny - st * cy_, ct * nz - st * cz
    tip = geometry.base_x + x + l3 * ux, geometry.base_y + y + l3 * uy, \
        geometry.base_height + z + l3 * uz
    if not (with_forward or geometry.beside):
        return tip, (ux, uy, uz), None, None
    forward = sw * nx - cw * gx, sw * ny - cw * gy, sw * nz - cw * gz
    left = cw * nx + sw * gx, cw * ny + sw * gy, cw * nz + sw * gz
    if geometry.beside:
        x, y = geometry.beside
        tip = tuple([at + x * ahead + y * aside for at, ahead, aside in zip(tip, forward, left)])
    return tip, (ux, uy, uz), forward, left


def end_of_link(geometry, tip, up, forward):
    """
    Return where the line of the last link ends if a pose is met.

    :param tip: of a tip beside that line [m], three floats or columns.
    :param up: unit vector along it.
    :param forward: any vector but along up; ``tool0``'s x is its part across up.
    """
    # Written out, for every fast solve of such an arm comes through here.
    (x, y, z), (ux, uy, uz), (a, b) = forward, up, geometry.beside
    along = x * ux + y * uy + z * uz
    x, y, z = x - along * ux, y - along * uy, z - along * uz
    length = (x * x + y * y + z * z) ** 0.5
    x, y, z = x / length, y / length, z / length
    return (tip[0] - a * x - b * (uy * z - uz * y), tip[1] - a * y - b * (uz * x - ux * z),
            tip[2] - a * z - b * (ux * y - uy * x))


def joint_centres(geometry, q):
    """Return where elbow, wrist and tip are in ``base_link`` [m] at joint positions [rad]."""
    geometry = geometry.whole
    yaw, roll, a1, elbow, _, _, _ = geometry.canonical(q)
    cy, sy, cr, sr = cos(yaw), sin(yaw), cos(roll), sin(roll)
    r, z, lateral, found = geometry.shoulder_offset, 0.0, geometry.lateral, []
    for length, angle in ((geometry.l1, a1), (geometry.l2, a1 + elbow)):
        r, z = r + length * cos(angle), z + length * sin(angle)
        found.append((geometry.base_x + r * cy + z * sy * sr - lateral * sy * cr,
                      geometry.base_y + r * sy - z * cy * sr + lateral * cy * cr,
                      geometry.base_height + z * cr + lateral * sr))
    return *found, tool(geometry, q, with_forward=False)[0]


def heights(geometry, q):
    """
    Return the heights above ``base_link`` [m] of what stays above a floor.

    :returns: of elbow, wrist and tip; with a tip beside the last link, of that link's end, too.
    """
    geometry, found = geometry.whole, [height for _, _, height in joint_centres(geometry, q)]
    if geometry.beside:
        (_, _, z), up, forward, left = tool(geometry, q)
        x, y = geometry.beside
        found.append(z - x * forward[2] - y * left[2] + (geometry.end - geometry.l3) * up[2])
    return tuple(found)


def residuals(geometry, q, target):
    """
    Return how far the tool is from a target at joint positions.

    :param geometry: of the arm.
    :param q: joint positions [rad].
    :param target: :class:`~arm_ik.kinematics.target.Target`.
    :returns: ``(position error [m], up error [rad], forward error [rad])``; the forward error is
        the turn about the real up vector that would bring ``tool0``'s x onto the wanted forward
        vector, carried along by the smallest rotation from the wanted to the real up vector.
    """
    tip, up, forward, left = tool(geometry, q)
    wanted, turn = target.forward, 0.0
    if wanted is not None:
        if target.up is not None:
            wanted = carried(wanted, target.up, up)
        turn = abs(atan2(dot(wanted, left), dot(wanted, forward)))
    return (dist(tip, target.position),
            0.0 if target.up is None else angle_between(up, target.up), turn)
