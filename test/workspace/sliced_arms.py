# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Arms to slice, and the points of a slice that their joints get to: forward kinematics alone."""

from math import pi

from arm_ik import Arm, ArmModel, Joint
import numpy as np

ROLES = {
    'yaw': ('yaw', 'shoulder', 'elbow', 'wrist'),
    'roll': ('yaw', 'roll', 'shoulder', 'elbow', 'wrist'),
    'tilt': ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt'),
}

DOWN = (0.0, 0.0, -1.0)

#: Limits that leave a joint free: more than a turn.
FREE = (-3.2, 3.2)

#: What a limit may be missed by [rad] without a difference that a picture shows.
HAIR = 1e-4


def model(kind='yaw', links=(0.12, 0.12, 0.08), home=None, everywhere=FREE, offsets=None,
          **numbers):
    """
    Return the model of an arm whose joints are called like their roles.

    :param kind: key of ``ROLES``.
    :param links: upper arm, forearm, hand [m].
    :param home: positions [rad]; all as near to zero as the limits allow by default.
    :param everywhere: limits [rad] of the joints not named in ``numbers``.
    :param offsets: dict from role to offset [rad].
    :param numbers: limits ``(lower, upper)`` by role, base lengths by their names in the model.
    """
    joints = [Joint(role, role, *numbers.pop(role, everywhere), 3.0,
                    offset=(offsets or {}).get(role, 0.0)) for role in ROLES[kind]]
    if home is None:
        home = [min(max(0.0, joint.lower), joint.upper) for joint in joints]
    return ArmModel('test', *links, joints=joints, home=home, **numbers)


#: Arms with something of everything.
LIMITED = {
    'narrow': model(shoulder=(0.1, 2.2), elbow=(-2.0, -0.2), wrist=(-1.4, 1.2), yaw=(-1.0, 1.0)),
    'beside': model(shoulder=(-0.5, 2.6), elbow=(-2.4, 0.9), wrist=(-1.0, 1.7), yaw=(0.69, 0.71),
                    lateral=0.03, shoulder_offset=0.04, base_height=0.1, base_x=0.05,
                    base_y=-0.02, home=(0.7, 1.0, -1.0, 0.2)),
    'turned': model(links=(0.15, 0.08, 0.1), shoulder=(-1.0, 1.5), elbow=(-1.8, 1.8),
                    wrist=(-0.6, 2.0), yaw=(-3.2, 3.2), offsets={'yaw': 1.0, 'shoulder': 0.4},
                    shoulder_offset=-0.03, home=(0.5, 0.3, 0.2, 0.1)),
    'bolted': model(shoulder=(0.1, 2.2), elbow=(-2.0, -0.2), wrist=(0.3, 0.3), yaw=(-1.0, 1.0)),
}


def model_of(name):
    """Return the model of one of these arms, or of one that comes with the package."""
    return LIMITED[name] if name in LIMITED else Arm.preset(name).model


def points_in_slice(model, count, seed, elevation=None):
    """
    Return points that the tip gets to, in a slice at the yaw at home.

    The base stands as at home, or half a turn further where its limits allow that.

    :param model: of an arm whose base yaws and whose wrist only bends.
    :param count: of the poses tried.
    :param seed: for them.
    :param elevation: of the last link as seen in the slice [rad]; ``None``: any.
    :returns: r and z [m], each (points,).
    """
    generator = np.random.default_rng(seed)
    yaw, shoulder, elbow, wrist = model.joints[:4]
    a = [joint.sign * generator.uniform(joint.lower, joint.upper, count) + joint.offset
         for joint in (shoulder, elbow)]
    found = []
    for turned in (0.0, pi):
        position = model.home[0] + turned
        # A plane beside the axis would be another one when turned.
        if turned and (model.lateral or not any(
                yaw.lower - HAIR <= position + turn <= yaw.upper + HAIR
                for turn in (0.0, -2.0 * pi))):
            continue
        side = -1.0 if turned else 1.0
        if elevation is None:
            last = generator.uniform(wrist.lower, wrist.upper, count)
            a3 = a[0] + a[1] + wrist.sign * last + wrist.offset
            inside = np.full(count, True)
        else:
            a3 = np.full(count, pi - elevation if turned else elevation)
            last = wrist.sign * (a3 - a[0] - a[1] - wrist.offset)
            middle = 0.5 * (wrist.lower + wrist.upper)
            last = middle + (last - middle + pi) % (2.0 * pi) - pi
            inside = (wrist.lower <= last) & (last <= wrist.upper)
        r = model.shoulder_offset + model.upper_arm * np.cos(a[0]) \
            + model.forearm * np.cos(a[0] + a[1]) + model.hand * np.cos(a3)
        z = model.base_height + model.upper_arm * np.sin(a[0]) \
            + model.forearm * np.sin(a[0] + a[1]) + model.hand * np.sin(a3)
        found.append(np.stack([side * r, z])[:, inside])
    return np.concatenate(found, axis=1)


def points_turned_into_slice(arm, cells, count, seed):
    """
    Return points that the tip gets to in a slice: any poses, with the base turned until it does.

    :param arm: of any kind, without ``lateral``.
    :param cells: the slice.
    :param count: of the poses tried.
    :param seed: for them.
    :returns: r and z [m], each (points,).
    """
    generator = np.random.default_rng(seed)
    q = generator.uniform(arm.lower, arm.upper, (count, len(arm.lower)))
    yaw = arm.model.joints[0]
    x, y, z = arm.forward(q).position.T
    x, y = x - arm.model.base_x, y - arm.model.base_y
    found = []
    for side in (1.0, -1.0):
        missing = cells.yaw - np.arctan2(side * y, side * x)
        position = q[:, 0] + yaw.sign * missing
        middle = 0.5 * (yaw.lower + yaw.upper)
        position = middle + (position - middle + pi) % (2.0 * pi) - pi
        inside = (yaw.lower <= position) & (position <= yaw.upper)
        found.append(np.stack([side * np.hypot(x, y), z])[:, inside])
    return np.concatenate(found, axis=1)
