# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A path through given joint positions, from rest to rest, inside the limits.

Between two samples each joint stays between its positions there: the slope at a sample is the
harmonic mean of those beside it, and 0 where the joint turns back (F. N. Fritsch, J. Butland: A
Method for Constructing Local Monotone Piecewise Cubic Interpolants, SIAM J. Sci. Stat. Comput. 5,
1984). The path is run no faster than its samples say, and slower where the limits need it: at
every speed it is the same path.
"""

from typing import NamedTuple

import numpy as np

from .cubic_spline import CubicSpline
from .line import in_time
from ..kinematics.forward import Geometry

#: Set-points per second.
_RATE = 50.0

#: Farthest that a joint goes from sample to sample [rad], and the least number of samples.
_STEP, _SAMPLES = 0.02, 32


class JointPath(NamedTuple):
    """
    A path in time: ``spline`` of the chain, ``extra`` positions by name at its points [rad, m].

    Extra joints, such as a gripper, may step: whoever follows limits them. NaN: not commanded.
    """

    spline: CubicSpline
    extra: dict[str, np.ndarray]

    def extra_at(self, time):
        """Return the positions of extra joints at a time [s], by name."""
        found = {name: float(np.interp(time, self.spline.times, column))
                 for name, column in self.extra.items()}
        return {name: position for name, position in found.items() if position == position}


def joint_path(model, s, q, extra={}, speed=1.0):
    """
    Return the :class:`JointPath` through samples.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param s: when they are reached at the earliest, at the speed 1 [s], increasing, shape (n,).
    :param q: positions of the chain inside its limits [rad], shape (n, joints).
    :param extra: positions of extra joints by name, each shape (n,).
    :param speed: by which the path is faster than ``s``.
    """
    s, q = np.asarray(s) / speed, np.asarray(q, dtype=float)
    steps, moved = np.diff(s), np.diff(q, axis=0)
    if not moved.any():
        at, ends = s[[0, -1]], q[[0, -1]]
        spline = CubicSpline(at - s[0], ends, np.zeros_like(ends))
    else:
        rises = moved / steps[:, None]
        before, after = rises[:-1], rises[1:]
        slopes = np.vstack([rises[:1], np.zeros_like(before), rises[-1:]])
        np.divide(2.0 * before * after, before + after, slopes[1:-1], where=before * after > 0.0)
        count = np.maximum(1 + _SAMPLES // len(s), np.ceil(
            np.abs(moved).max(axis=1) / _STEP)).astype(int)
        fine = np.append(np.concatenate([
            begin + step * np.arange(n) / n for begin, step, n in zip(s, steps, count)]), s[-1])
        path = CubicSpline(fine, *CubicSpline(s, q, slopes).read(fine))
        spline, at, *_ = in_time(Geometry(model), path, np.ones(len(fine)), _RATE)
    after = np.searchsorted(s, at).clip(max=len(s) - 1)     # what is commanded first is at once
    return JointPath(spline, {name: np.where(np.isnan(ramp := np.interp(
        at, s, column)), np.asarray(column)[after], ramp) for name, column in extra.items()})
