# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How much room the up vector has where the tip gets with any: in steps, for the shades of a picture.

The room at a position is what :meth:`arm_ik.arm.Arm.up_range` comes to. Rolling bases and tilting
wrists turn the hand out of the slice as well, and are left without shades.
"""

from dataclasses import replace
from math import degrees

import numpy as np

from .blocks import look_at_blocks, UNKNOWN
from .cause import POSITION_TOLERANCE
from ..arm import Arm

#: Where one step ends and the next begins [deg].
EDGES = (30.0, 60.0, 90.0, 180.0)

#: Every so manieth cell of every so manieth row is looked at in any case.
STRIDE = 4

#: The step of cells that are not reached.
NONE = -2


def with_room(model, region):
    """
    Return the region for any up vector with the room that up vectors have.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param region: :class:`~arm_ik.workspace.region.Region` for any up vector.
    :returns: the region with ``room`` (rows, columns): of each reached cell how many of ``EDGES``
        its room is beyond, ``NONE`` elsewhere; unchanged for rolling bases and tilting wrists.
    """
    cells = region.slice
    if not cells.geometry.upright:
        return region
    arm = _with_hair(model)
    room = np.where(region.reached, UNKNOWN, NONE).astype(np.int8)

    def look(row, column):
        if room[row, column] == UNKNOWN:
            position = cells.position(cells.r[column], cells.z[row])
            width = sum(high - low for low, high in arm.up_range(position))
            room[row, column] = np.searchsorted(EDGES, degrees(width))
        return room[row, column]

    for row, column in STRIDE * np.argwhere(room[::STRIDE, ::STRIDE] == UNKNOWN):
        look(row, column)
    look_at_blocks(room, look)
    return region._replace(room=room)


def _with_hair(model):
    """
    Return an arm with limits wider by as little as a cell that is reached may miss them.

    A yaw that ends at 3.14158 gets round to what is behind, to all that can be seen.
    """
    hair = POSITION_TOLERANCE / model.reach
    return Arm(replace(model, joints=[
        replace(joint, lower=joint.lower - hair, upper=joint.upper + hair)
        for joint in model.joints]))
