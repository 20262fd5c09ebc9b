# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Brute force over the poses of a tip beside the roll axis, the roll serving the forward vector.

It shares no code with the solver: on a grid of elevations all yaws are tried, between which the
wrist passes from one side of the arm plane to the other.
"""

import numpy as np


class TipBruteForce:
    """
    The search for one arm that yaws only.

    :param arm: an arm with a wrist roll.
    :param roll: position [rad] to hold it at; ``None``: it serves the forward vector.
    """

    def __init__(self, arm, roll=None):
        self._roll = roll
        self._model, self._tip = arm.model, arm.model.chosen_tip
        self._base = np.array([arm.model.base_x, arm.model.base_y, arm.model.base_height])

    def least_up_error(self, target):
        """Return the least up error [rad] of poses that meet the position; infinite: none does."""
        elevations, best, where = np.radians(np.arange(-180.0, 180.0)), np.inf, None
        for span in np.radians([1.0, 0.02, 0.0004]):
            misses, inside = self._misses(target, elevations)
            if inside.any():
                k = np.argmin(np.where(inside, misses[0], np.inf))
                if misses[0][k] < best:
                    best, where = misses[0][k], misses[1][k]
            if where is None:
                return best
            elevations = np.linspace(where - span, where + span, 101)
        return best

    def _misses(self, target, elevations):
        """Return (up errors, elevations) of all poses found, and whether a branch can be there."""
        model, yaws = self._model, np.radians(np.arange(-180.0, 180.5))
        aside = self._wrist(yaws[:, None], elevations, target)[0]
        i, j = np.nonzero(np.sign(aside[:-1]) != np.sign(aside[1:]))
        low, high, elevation = yaws[i], yaws[i + 1], elevations[j]
        first = np.sign(self._wrist(low, elevation, target)[0])
        for _ in range(45):
            middle = 0.5 * (low + high)
            same = np.sign(self._wrist(middle, elevation, target)[0]) == first
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        aside, x, y, last_link = self._wrist(low, elevation, target)
        l1, l2 = model.upper_arm, model.forearm
        cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2.0 * l1 * l2)
        # Elsewhere it jumps from one side to the other.
        possible = (np.abs(aside) < 1e-7) & (np.abs(cosine) <= 1.0) & self._fits(0, low)
        inside = np.zeros(len(low), dtype=bool)
        for bend in (1.0, -1.0):
            elbow = bend * np.arccos(np.clip(cosine, -1.0, 1.0))
            shoulder = np.arctan2(y, x) - np.arctan2(
                l2 * np.sin(elbow), l1 + l2 * np.cos(elbow))
            inside |= possible & self._fits(1, shoulder) & self._fits(2, elbow) & self._fits(
                3, elevation - shoulder - elbow)
        up = np.arccos(np.clip(np.tensordot(np.array(target.up), last_link, 1), -1.0, 1.0))
        return (up, elevation), inside

    def _wrist(self, yaw, elevation, target):
        """Return the wrist left of the arm plane, ahead of and above the shoulder [m]; up."""
        model, tip = self._model, self._tip
        yaw, elevation = np.broadcast_arrays(yaw, elevation)
        none = np.zeros_like(yaw)
        ahead, above = np.array([np.cos(yaw), np.sin(yaw), none]), np.array([none, none, none + 1])
        left = np.array([-np.sin(yaw), np.cos(yaw), none])
        last_link = np.cos(elevation) * ahead + np.sin(elevation) * above
        over = np.cos(elevation) * above - np.sin(elevation) * ahead
        roll = model.joints[4].canonical(self._roll if self._roll is not None else self._clamped(
            4, np.arctan2(np.tensordot(target.forward, left, 1),
                          -np.tensordot(target.forward, over, 1)) - tip.turn)[0])
        x = np.sin(roll) * left - np.cos(roll) * over
        y = np.cos(roll) * left + np.sin(roll) * over
        shape = (3,) + (1,) * yaw.ndim
        e = np.reshape(target.position, shape) - np.reshape(self._base, shape)
        wrist = e - (model.hand + tip.z) * last_link - tip.x * x - tip.y * y
        return ((wrist * left).sum(0) - model.lateral,
                (wrist * ahead).sum(0) - model.shoulder_offset, wrist[2], last_link)

    def _clamped(self, index, angle):
        """Return the position inside the limits nearest to an angle, and how far it is off."""
        joint = self._model.joints[index]
        middle = 0.5 * (joint.lower + joint.upper)
        position = middle + (joint.position(angle) - middle + np.pi) % (2.0 * np.pi) - np.pi
        clamped = np.clip(position, joint.lower, joint.upper)
        return clamped, np.abs(position - clamped)

    def _fits(self, index, angle):
        return self._clamped(index, angle)[1] <= 1e-9
