# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which elevations of the last link reach a position, sample by sample, by the law of cosines."""

from math import atan2, pi
from typing import NamedTuple

import numpy as np


class Sampled(NamedTuple):
    """
    One plane of an arm whose base only yaws.

    Its canonical yaw [rad], elevations in it from -pi to pi [rad], which of them put the tip at
    the position inside the limits, and whether it is the plane over the back.
    """

    yaw: float
    elevation: np.ndarray
    reached: np.ndarray
    over_the_back: bool


def sampled_in_planes(arm, position, count=4001):
    """
    Yield what an arm whose base only yaws reaches in its two planes, facing and over the back.

    :returns: :class:`Sampled` of each plane.
    """
    model = arm.model
    ex, ey, ez = np.array(position) - (model.base_x, model.base_y, model.base_height)
    elevation = np.linspace(-pi, pi, count)
    ahead = np.sqrt(max(ex * ex + ey * ey - model.lateral ** 2, 0.0))
    for r in (ahead, -ahead):
        reached = np.zeros(count, dtype=bool)
        yaw = atan2(ey, ex) - atan2(model.lateral, r)
        x = r - model.shoulder_offset - model.hand * np.cos(elevation)
        z = ez - model.hand * np.sin(elevation)
        cosine = ((x * x + z * z - model.upper_arm ** 2 - model.forearm ** 2)
                  / (2 * model.upper_arm * model.forearm))
        for bend in (1, -1):
            with np.errstate(invalid='ignore'):
                elbow = bend * np.arccos(cosine)
            shoulder = np.arctan2(z, x) - np.arctan2(
                model.forearm * np.sin(elbow), model.upper_arm + model.forearm * np.cos(elbow))
            fits = np.isfinite(elbow)
            angles = (yaw, shoulder, elbow, elevation - shoulder - elbow)
            for joint, wanted in zip(model.joints, angles):
                reading = joint.sign * (wanted - joint.offset)
                with np.errstate(invalid='ignore'):
                    fits &= (reading - joint.lower) % (2.0 * pi) <= joint.upper - joint.lower
            reached |= fits
        yield Sampled(yaw, elevation, reached, r < 0.0)
