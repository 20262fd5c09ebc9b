# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Exact inverse kinematics for hobby servo arms: position and up vector in, joint readings out.

The public names, nothing else; see ``docs/`` for conventions and mathematics.
"""

from .errors import (
    ArmIkError, DriverError, InvalidArmError, InvalidInputError, UnknownPresetError)
from .kinematics.model import ArmModel, ExtraJoint, Joint
from .kinematics.pose import Pose
from .kinematics.solution import Solution, Status
from .kinematics.target import Target

__all__ = [
    'Arm', 'ArmIkError', 'ArmModel', 'DriverError', 'ExtraJoint', 'InvalidArmError',
    'InvalidInputError', 'Joint', 'Pose', 'Solution', 'Status', 'Target', 'UnknownPresetError',
]


def __getattr__(name):
    # Most of the package hangs on Arm, and a driver needs none of it.
    if name == 'Arm':
        from .arm import Arm
        return Arm
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
