# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What links weigh, and the servos that carry them.

A link's mass, centre and inertia are those of its joint in the arm file. What is missing there is
guessed: printed parts that fill what is drawn, thinly, and the servos of the joints that hang on
the link, each at its axis.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .urdf_shapes import Point, Shape
from .urdf_tree import Matrix, rotation
from ..errors import InvalidArmError, one_of
from ..kinematics.model import ExtraJoint, Joint

#: Of what is drawn [kg/m^3]: shapes are around parts that are hollow.
DENSITY = 200.0

#: What every link has at its axis [kg], and the mean square of a servo's extent, each axis [m^2].
_LEAST, _SQUARE = 1e-3, 1.2e-4

#: A prismatic joint is driven by a servo's horn of this radius [m].
_HORN = 0.014


class ServoModel(NamedTuple):
    """
    A servo that holds a position as a spring does.

    ``stiffness`` [N m/rad] is by the gain of the position that it is delivered with, ``torque``
    [N m] what it stalls at, ``speed`` [rad/s] what it turns at without a load, because a motor
    loses torque by its speed. Of a prismatic joint, in N/m, N and m/s. ``mass`` is in kg.
    """

    stiffness: float
    torque: float
    speed: float
    mass: float


#: Stiffness, torque, speed and mass by the names that servos files have.
SERVO_MODELS = {
    # Measured: under 1.04 N m it sags 2.2 deg in public reports; fitted with gain 32.
    'STS3215': (17.8, 2.94, 4.9, 0.055), 'STS3235': (17.8, 2.94, 4.9, 0.065),
    'STS3250': (29.7, 4.9, 7.8, 0.075),
    # By the manuals an error of 885 * 128 / gain ticks gives all torque. The gain of XL330 is the
    # 1500 that LeRobot sets for Koch's elbow, of AX-12A it is the compliance slope.
    'XL330-M288': (4.5, 0.52, 10.8, 0.018), 'XL430-W250': (5.5, 1.5, 6.4, 0.057),
    'XM430-W350': (18.9, 4.1, 4.8, 0.082), 'XM540-W270': (48.8, 10.6, 3.1, 0.165),
    'AX-12A': (9.1, 1.5, 6.2, 0.055),
    # A guess: as stiff for their torque as an STS3215.
    'LX-16A': (10.1, 1.67, 6.5, 0.052), 'MG996R': (5.7, 0.94, 6.2, 0.055)}


def servo_of(joint: Joint | ExtraJoint) -> ServoModel:
    """
    Return the servo of a joint, an STS3215 if the arm file has none.

    :raises InvalidArmError: for one that is not known.
    """
    count, _, name = joint.servo.rpartition('x ')
    if name and name not in SERVO_MODELS or count not in ('', '2'):
        raise InvalidArmError(f'joint {joint.name}, servo', joint.servo, one_of(
            name, SERVO_MODELS) + "; two of them: '2x NAME'")
    stiffness, torque, speed, mass = SERVO_MODELS[name or 'STS3215']
    many, lever = 1.0 + bool(count), _HORN if getattr(joint, 'type', '') == 'prismatic' else 1.0
    return ServoModel(many * stiffness / lever ** 2, many * torque / lever, speed * lever,
                      many * mass)


def inertial(joint: Joint | ExtraJoint | None, shapes: Iterable[Shape],
             carried: Iterable[tuple[float, Point]], is_own: bool) -> tuple[float, Matrix, Matrix]:
    """
    Return the mass [kg] of a link, its centre [m] (3,), and its inertia about that (3, 3).

    :param joint: that moves the link, ``None``: it is fixed.
    :param shapes: that it is drawn as.
    :param carried: masses [kg] of servos, and where they are [m].
    :param is_own: whether the numbers of the joint are of this link.
    """
    parts = [*map(_of, shapes), *((each, np.array(at), _SQUARE * np.eye(3))
                                  for each, at in (*carried, (_LEAST, (0.0, 0.0, 0.0))))]
    mass = sum([each for each, *_ in parts])
    centre = np.sum([each * at for each, at, _ in parts], axis=0) / mass
    spread = np.sum([each * (own + np.outer(at - centre, at - centre))
                     for each, at, own in parts], axis=0) / mass
    # The mass of a finger is that of the second one, too, and not of what carries both.
    if joint is not None and (len(parts) > 1 if isinstance(joint, ExtraJoint) else is_own):
        mass = joint.mass or mass
    inertia = mass * (np.trace(spread) * np.eye(3) - spread)
    if joint is not None and is_own:
        centre = np.array(joint.centre or centre)
        if joint.inertia:
            inertia[np.triu_indices(3)] = joint.inertia
            inertia = np.triu(inertia) + np.triu(inertia, 1).T
    return mass, centre, inertia


def _of(shape: Shape) -> tuple[float, Matrix, Matrix]:
    """Return the mass of a shape [kg], its centre (3,), and the mean squares about it (3, 3)."""
    turn, across = rotation(shape.rpy)[:3, :3], 2.0 * shape.size.get('radius', 0.0)
    edges = np.array(shape.size.get('size', (across, across, shape.size.get('length', 0.0))))
    filled, square = (1.0, 12.0) if shape.kind == 'box' else (np.pi / 4.0, (16.0, 16.0, 12.0))
    return (DENSITY * filled * float(np.prod(edges)), np.array(shape.xyz),
            turn * edges ** 2 / square @ turn.T)
