# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Find in a chain of joints the arm that the kinematics knows, and measure by how much it is not.

With every joint at position 0 let z be up, n the left normal of the arm plane (along the shoulder
axis) and ``f = n x z`` forward. Of a point on an axis only the coordinates along f and z count.
The lines from axis to axis, and on to the tip's foot on the roll axis (the tip itself where there
is none), are the arm's links: their directions give the offsets of its joints, whatever the shape
of the parts between. A roll axis that passes beside the wrist axis makes a bent hand.

Joints that follow others in the file are linkages. What turns with the same joints by as much is
one link: with the shoulder the upper arm, with shoulder and elbow the forearm, with neither a hand
that keeps its elevation. Where the forearm turns with the elbow's servo alone, this turns the sum
of shoulder and elbow.
"""

from cmath import phase
from collections.abc import Mapping, Sequence
from math import atan2, copysign, cos, degrees, hypot, inf, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np

from .arm_file import unlikely_units
from .linkage import largest_box
from .urdf_tree import Matrix, turned, UrdfJoint
from ..kinematics.forward import Geometry
from ..kinematics.model import ArmModel, Joint
from ..kinematics.pose import forward as forward_kinematics

#: The roles a chain can have, base to tip; the last two may be absent.
ROLES = ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll')

#: Fields of the model that are lengths.
LENGTHS = ('upper_arm', 'forearm', 'hand', 'hand_offset', 'base_x', 'base_y', 'base_height',
           'shoulder_offset', 'lateral')

#: An axis may be off its direction by this [rad]; whether the arm is near enough then, the tips
#: decide. The hand may be bent by so much [rad].
AXIS_SLACK, MOST_BEND = radians(1.0), radians(45.0)

#: Largest disagreement of tips [m] that is accepted by default, and in how many poses by chance.
MOST_MISS, POSES = 1e-4, 10_000

#: The shortest link, and the shortest reach that shows where forward is [m].
SHORTEST = 1e-3

#: A tip nearer to the roll axis than this [m] is on it, and so is the wrist.
ON_AXIS = 1e-5

#: Of the tip frame's x, the part across the last link that says where ``tool0``'s x is.
VANISHES = 0.1

TURNING = ('revolute', 'continuous')

#: Speeds [rad/s, m/s]: the most that is believed, and what is taken where the file has none.
FASTEST, USUAL = 3.0, 1.0

#: No servo turns further [rad]; limits in degrees do.
WIDEST = 4.0 * pi

_UP = np.array([0.0, 0.0, 1.0])


class Misfit(Exception):
    """A joint has no place in an arm; so many before it have one."""

    def __init__(self, fitted: int, joint: str, found: str, allowed: str) -> None:
        super().__init__(fitted, joint, found, allowed)
        self.fitted, self.joint, self.found, self.allowed = fitted, joint, found, allowed


class Fit(NamedTuple):
    """
    An arm, and where it is not as in the URDF.

    ``turn`` [rad]: of ``base_link`` in the URDF's base frame, about z. ``beside`` [m]: the URDF's
    tip in ``tool0``. ``roll_off`` [rad]: of the roll axis, from the last link. ``miss`` [m]: the
    largest disagreement of tips. ``summed``: whether the elbow's joint is shoulder and elbow.
    """

    model: ArmModel
    turn: float
    beside: tuple[float, ...]
    roll_off: float
    miss: float
    summed: bool = False


def speed(joint: UrdfJoint) -> float:
    """Return the largest speed [rad/s, m/s] that is taken from the file."""
    return min(joint.velocity, FASTEST) if joint.velocity > 0.0 else USUAL


def fit(joints: Sequence[UrdfJoint], name: str, source: str, turn: float | None,
        tolerance: float) -> Fit:
    """
    Return the arm that joints make.

    :param joints: from the base frame to the tip.
    :param name: of the arm.
    :param source: what to write under ``source``.
    :param turn: of ``base_link`` in the base frame, about z [rad]; ``None``: to where the arm
        reaches at home.
    :param tolerance: how far the tips may disagree [m].
    :raises Misfit: if it is none, or the tips disagree by more than that.
    """
    joints = joints[:2 * len(ROLES)]    # some too many are enough to say so
    moving, every = free(joints), [joint for joint in joints if joint.kind != 'fixed']
    home = tuple([joint.home for joint in moving])
    *at_zero, tip = frames(joints, np.zeros(len(moving)))
    turning = {joint.name: (frame[:3, :3] @ joint.axis, frame[:3, 3])
               for joint, frame in zip(every, at_zero)}
    axes, points = zip(*[turning[joint.name] for joint in moving]) if moving else ((), ())
    # Of four axes the last may be a roll of the forearm, more along the reach than across it.
    has_wrist = len(axes) > 4 or len(axes) > 3 and _angle(axes[3], axes[1]) < 0.25 * pi
    roles = ROLES if has_wrist else (*ROLES[:3], ROLES[4])
    off, last = [*_check(moving, axes, roles), 0.0], len(roles) - 1
    ahead, turn = _facing(axes, frames(joints, home)[-1][:3, 3] - points[0], home[0], turn)
    normal = np.cross(_UP, ahead)
    # Where the yaw axis is at the height of the shoulder, should it not be quite vertical.
    yaw = points[0] + axes[0] * ((points[1] - points[0])[2] / axes[0][2])
    foot = tip[:3, 3]
    if rolls := len(axes) > last:
        foot = points[last] + ((foot - points[last]) @ axes[last]) * axes[last]
    signs = [axes[0][2], *(float(np.copysign(1.0, -axis @ normal)) for axis in axes[1:last])]
    shoulder = complex((points[1] - yaw) @ ahead, points[1][2])
    links, held, summed = _links(
        [joint for joint in every if joint not in (moving[0], *moving[last:])],
        [joint.name for joint in moving[1:last]], signs[1:],
        {name: (float(-axis @ normal), complex((point - yaw) @ ahead, point[2]))
         for name, (axis, point) in turning.items()},
        complex((foot - yaw) @ ahead, foot[2]))
    if min(map(abs, links)) < SHORTEST:
        raise Misfit(4, moving[1 + int(np.argmin(np.abs(links)))].name,
                     f'{1e3 * min(map(abs, links)):.3f} mm to the next axis or the tip',
                     'a longer link')
    bend, beside = 0.0, np.zeros(3)
    if rolls:
        axis = complex(axes[last] @ ahead, axes[last] @ _UP)
        hand = held or links[-1]
        bend = phase(hand / axis)
        bend -= copysign(pi, bend) * (abs(bend) > 0.5 * pi)
        off[last] = _angle(axes[last], hand.real * ahead + hand.imag * _UP)
        if off[last] > (MOST_BEND if has_wrist else AXIS_SLACK) or abs(axis) < cos(AXIS_SLACK):
            raise Misfit(4, moving[last].name, f'an axis {degrees(off[last]):.1f} deg off the '
                         'last link', 'a roll about the last link')
        if abs(links[-1]) * abs(sin(bend)) < ON_AXIS or not has_wrist:
            bend = 0.0
    headings = [phase(link) for link in links]
    headings[-1] -= bend
    offsets = [atan2(ahead[1], ahead[0]) - turn, *np.diff([0.0, *headings])]
    if summed:
        signs[2] = signs[1]
    if rolls:
        heading = phase(held) if held else headings[-1]
        along = cos(heading) * ahead + sin(heading) * _UP
        off[last] = _angle(axes[last], along)
        roll, tool = _tool(along, normal, tip[:3, 0])
        offsets.append(roll)
        signs.append(axes[last] @ along)
        if has_wrist and np.linalg.norm(tip[:3, 3] - foot) > ON_AXIS:
            beside = tool.T @ (tip[:3, 3] - foot)
            beside[2] = 0.0    # of an axis askew, half of what it would miss with the roll turned
    lengths = [*map(abs, links[:2]), abs(held), 0.0]
    if has_wrist:
        lengths[2:] = abs(links[2]) * cos(bend), abs(links[2]) * sin(bend)
    for joint in moving[len(roles):]:
        raise Misfit(5, joint.name, f'a {joint.kind} joint behind the wrist roll', 'none')
    to_base_link = turned(_UP, -turn)[:3, :3]
    numbers: dict[str, Any] = dict(zip(LENGTHS, map(_rounded, (
        *lengths, *(to_base_link @ yaw)[:2], shoulder.imag, shoulder.real,
        (foot - yaw) @ normal))))
    limits = [(joint.lower, joint.upper) for joint in moving]
    if summed:
        total, home = sorted(summed * end for end in limits[2]), (
            *home[:2], summed * home[2] - home[1], *home[3:])
        limits[1:3] = largest_box(limits[1], (-inf, inf), (total[0], total[1]), (home[1], home[2]))
    model = ArmModel(name=name, source=source, home=home, **numbers, joints=tuple([
        Joint(joint.name, role, *ends, speed(joint), 1 if sign > 0.0 else -1,
              _rounded(atan2(sin(offset), cos(offset))))
        for joint, role, ends, sign, offset in zip(moving, roles, limits, signs, offsets)]),
        hand_elevation=_rounded(phase(held)) if held else None)
    lower, upper = np.transpose(limits)
    q = np.random.default_rng(0).uniform(lower, upper, (POSES, len(moving)))
    pose = forward_kinematics(Geometry(model), q)
    if summed:
        q[:, 2] = summed * (q[:, 1] + q[:, 2])
    tips = frames(joints, q)[-1][:, :3, 3] @ to_base_link.T
    miss = float(np.linalg.norm(pose.position + pose.rotation @ beside - tips, axis=-1).max())
    if not miss <= tolerance:
        worst = int(np.argmax(off))
        raise Misfit(5, moving[worst].name, f'an axis {degrees(off[worst]):.2f} deg off; '
                     f'the tip misses by {1e3 * miss:.2f} mm', ', '.join(unlikely_units(vars(
                         model))) or f'at most {1e3 * tolerance:g} mm (--tolerance)')
    return Fit(model, turn, tuple(map(_rounded, beside)), off[-1], miss, bool(summed))


def frames(joints: Sequence[UrdfJoint], q: Any) -> list[Matrix]:
    """
    Return the frames of the joints that move, and the tip's.

    :param q: positions of the free ones [rad], shape (..., joints).
    """
    found, here = [], np.eye(4)
    at = dict(zip([joint.name for joint in free(joints)], np.moveaxis(np.asarray(q), -1, 0)))
    for joint in joints:
        here = here @ joint.origin
        if joint.kind != 'fixed':
            found.append(here)
            here = here @ turned(joint.axis, at[joint.name] if joint.name in at else (
                joint.multiplier * at[joint.mimic] + joint.shift))
    return [*found, here]


def free(joints: Sequence[UrdfJoint]) -> list[UrdfJoint]:
    """Return those of a chain that move, but for those that follow one of them."""
    leading = {joint.name for joint in joints if joint.kind != 'fixed' and not joint.mimic}
    return [joint for joint in joints if joint.kind != 'fixed' and joint.mimic not in leading]


def _links(joints: Sequence[UrdfJoint], names: Sequence[str], signs: Sequence[float],
           at_zero: Mapping[str, tuple[float, complex]], foot: complex
           ) -> tuple[list[complex], complex, int]:
    """
    Return the links in the arm plane at position 0, ahead and up [m].

    :param joints: that turn in it, base to tip.
    :param names: of the free ones.
    :param signs: of these, 1 raises what follows.
    :param at_zero: by name, what part of the axis raises, and a point on it.
    :param foot: where the last link ends.
    :returns: ``(links, held, summed)``: one link for each free joint, a hand that keeps its
        elevation or 0, and 1 or -1 if the elbow's joint turns the sum of shoulder and elbow.
    """
    turns, rigid = np.zeros(len(names)), dict[tuple[float, ...], complex]()
    ends = [*[at_zero[joint.name][1] for joint in joints[1:]], foot]
    for joint, end in zip(joints, ends):
        raises, point = at_zero[joint.name]
        follows = joint.name not in names
        if follows and abs(abs(raises) - 1.0) > 1.0 - cos(AXIS_SLACK):
            raise Misfit(3, joint.name, f'a joint that follows {joint.mimic}', 'one about an axis '
                         'parallel to its')
        turns[names.index(joint.mimic if follows else joint.name)] += np.copysign(1.0, raises) * (
            joint.multiplier if follows else 1.0)
        key = tuple(turns.round(6).tolist())
        rigid[key] = rigid.get(key, 0.0) + end - point
    wanted = [(*signs[:i + 1], *[0.0] * (len(names) - i - 1)) for i in range(len(names))]
    summed = 0
    if len(names) == 2 and wanted[1] not in rigid and (0.0, signs[1]) in rigid:
        wanted[1], summed = (0.0, signs[1]), round(signs[0] * signs[1])
    links = [rigid.pop(key, 0j) for key in wanted]
    held = rigid.pop((0.0,) * len(names), 0j)
    if len(names) > 2 or abs(held) < SHORTEST or any(key):
        rigid[()], held = held, 0j
    if max(map(abs, rigid.values()), default=0.0) > SHORTEST:
        follower = next(joint for joint in joints if joint.name not in names)
        raise Misfit(3, follower.name, f'a joint that follows {follower.mimic}, a linkage',
                     'one that keeps the hand at its elevation')
    return links, held, summed


def _check(joints: list[UrdfJoint], axes: Sequence[Matrix], roles: Sequence[str]) -> list[float]:
    """
    Require joints that turn within limits; a vertical axis, then level, parallel ones.

    :returns: by how much each of them is off [rad].
    """
    off: list[float] = []
    for index, (joint, axis, role) in enumerate(zip(joints, axes, roles)):
        off.append(_angle(axis, axes[1] if index > 1 else _UP))
        if index == 1:
            off[1] = 0.5 * pi - off[1]
        wanted = ('a vertical axis, for the yaw, or another --base',
                  'a level axis, for the shoulder', *[
                      f'an axis parallel to that of {joints[min(index, 1)].name}, '
                      f'for the {role}'] * 3)
        for fits, found, allowed in (
                (joint.kind in TURNING, f'a {joint.kind} joint', 'a joint that turns'),
                (not joint.mimic, f'a joint that follows {joint.mimic}, a linkage', 'a servo'),
                (-WIDEST <= joint.lower < joint.upper <= WIDEST,
                 f'limits {joint.lower:g} to {joint.upper:g}', 'lower below upper, in radians'),
                ('.' not in joint.name, 'a dot in its name', 'a name without one'),
                (role == 'wrist_roll' or off[index] <= AXIS_SLACK,
                 f'an axis {degrees(off[index]):.1f} deg off', wanted[index])):
            if not fits:
                raise Misfit(index, joint.name, found, allowed)
    if len(axes) < 3:
        raise Misfit(len(axes), joints[-1].name if axes else 'none',
                     f'no {ROLES[len(axes)]} behind it', 'a yaw, shoulder and elbow')
    return off[:len(roles) - 1]


def _facing(axes: Sequence[Matrix], to_tip: Matrix, yaw: float, turn: float | None
            ) -> tuple[Matrix, float]:
    """
    Return where forward is at position 0, and the turn of ``base_link`` [rad].

    :param to_tip: at home, from the yaw axis [m].
    :param yaw: position of its joint there [rad].
    :param turn: the one asked for, ``None``: to where the arm reaches at home.
    """
    normal = sum(np.copysign(1.0, axis @ axes[1]) * axis for axis in axes[1:4]
                 if _angle(axis, axes[1]) < 0.25 * pi)
    ahead = np.cross(normal, _UP)
    at_home = turned(_UP, np.copysign(yaw, yaw * axes[0][2]))[:3, :3] @ ahead
    reach = to_tip @ at_home
    if abs(reach) < SHORTEST:    # straight up
        reach = at_home[0] if abs(at_home[0]) > 0.5 else at_home[1]
    ahead, at_home = [np.copysign(1.0, reach) * each / np.linalg.norm(ahead)
                      for each in (ahead, at_home)]
    azimuth = atan2(at_home[1], at_home[0])
    quarter = 0.5 * pi * round(azimuth / (0.5 * pi))
    at_quarter = abs(azimuth - quarter) <= AXIS_SLACK
    return ahead, turn if turn is not None else quarter if at_quarter else azimuth


def _tool(along: Matrix, normal: Matrix, wanted: Matrix) -> tuple[float, Matrix]:
    """Return the roll [rad] that brings ``tool0``'s x towards ``wanted``, and ``tool0`` there."""
    above = np.cross(along, normal)
    across = wanted @ normal, -wanted @ above
    roll = atan2(*across) if hypot(*across) > VANISHES else 0.0
    x = sin(roll) * normal - cos(roll) * above
    return roll, np.stack([x, np.cross(along, x), along], axis=-1)


def _rounded(value: float) -> float:
    """Return a number without the dust of rounding."""
    return round(float(value), 12) + 0.0


def _angle(a: Matrix, b: Matrix) -> float:
    """Return the angle between two lines [rad]."""
    return atan2(float(np.linalg.norm(np.cross(a, b))), abs(float(a @ b)))
