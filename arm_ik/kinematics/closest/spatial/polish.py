# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The last micrometres to the closest pose: Newton's method inside the limits.

Minimises half the squared distance of the tip from the target over the canonical angles, from a
pose that is near already. With ``a_i`` the axis of joint i and p the tip, both derivatives are
exact::

    dp/dq_i = a_i x (p - o_i)            d2p/dq_i dq_j = a_i x dp/dq_j     (i at or before j)

Joints at a limit whose gradient points outwards stay there. The others take a Newton step, clipped
to the limits and halved until the distance decreases. Where the second derivative is not positive,
a growing multiple of the identity is added.
"""

from math import cos, sin

import numpy as np

#: Most Newton steps: convergence is quadratic, so a dozen are enough.
STEPS = 40

#: A squared-distance gain below this [m^2] ends it: 1e-15 m at a distance of a metre.
_GAIN = 1e-16


def polished(geometry, q, target):
    """
    Return joint positions at the nearest local minimum of the tip's distance from a target.

    :param geometry: of the arm.
    :param q: joint positions [rad] to start from, inside the limits.
    :param target: what is asked for.
    :returns: tuple of joint positions [rad], inside the limits and no farther than ``q``.
    """
    signs, offsets = np.array(geometry.signs), np.array(geometry.offsets)
    ends = np.sort([limits.canonical_ends for limits in geometry.limits], axis=1)
    lower, upper = ends[:, 0], ends[:, 1]
    goal = np.array(target.position)
    angles = signs * np.array(q) + offsets
    axes, origins, tip = _chain(geometry, angles)
    cost = 0.5 * (tip - goal) @ (tip - goal)
    for _ in range(STEPS):
        step, cost_before = _newton_step(angles, lower, upper, axes, origins, tip, goal), cost
        for _ in range(30):
            tried = np.clip(angles + step, lower, upper)
            chain = _chain(geometry, tried)
            cost = 0.5 * (chain[2] - goal) @ (chain[2] - goal)
            if cost < cost_before:
                break
            step = 0.5 * step
        if not cost < cost_before:
            break
        angles, (axes, origins, tip) = tried, chain
        if cost_before - cost < _GAIN:
            break
    positions = signs * (angles - offsets)
    return tuple([limits.clamp(float(r)) for limits, r in zip(geometry.limits, positions)])


def _newton_step(angles, lower, upper, axes, origins, tip, goal):
    miss = tip - goal
    columns = np.cross(axes, tip - origins)
    gradient = columns @ miss
    # Component [i, j] of the second derivative is a_i x column_j for i at or before j.
    second = np.einsum('ijk,k->ij', np.cross(axes[:, None], columns[None]), miss)
    second = np.triu(second) + np.triu(second, 1).T
    hessian = columns @ columns.T + second
    free = ~(((angles <= lower) & (gradient >= 0.0)) | ((angles >= upper) & (gradient <= 0.0)))
    step = np.zeros_like(angles)
    if free.any():
        block = hessian[np.ix_(free, free)]
        shift = max(0.0, 1e-9 - np.linalg.eigvalsh(block)[0]) * 1.1
        step[free] = -np.linalg.solve(block + shift * np.eye(len(block)), gradient[free])
    return step


def _chain(geometry, angles):
    """Return axes and origins (joints, 3) of the joints, and the tip (3,), at canonical angles."""
    at = dict(zip(geometry.roles, angles.tolist()))
    yaw, roll, tilt = at['yaw'], at.get('roll', 0.0), at.get('wrist_tilt', 0.0)
    cy, sy, cr, sr = cos(yaw), sin(yaw), cos(roll), sin(roll)
    f = np.array([cy, sy, 0.0])
    n = np.array([-sy * cr, cy * cr, sr])
    h = np.array([sy * sr, -cy * sr, cr])
    a1 = at['shoulder']
    a2 = a1 + at['elbow']
    a3 = a2 + at['wrist']
    base = np.array([geometry.base_x, geometry.base_y, geometry.base_height])
    shoulder = base + geometry.shoulder_offset * f + geometry.lateral * n
    elbow = shoulder + geometry.l1 * (cos(a1) * f + sin(a1) * h)
    wrist = elbow + geometry.l2 * (cos(a2) * f + sin(a2) * h)
    along, above = cos(a3) * f + sin(a3) * h, cos(a3) * h - sin(a3) * f
    up = cos(tilt) * along + sin(tilt) * n
    joints = {'yaw': ((0.0, 0.0, 1.0), base), 'roll': (f, base), 'shoulder': (-n, shoulder),
              'elbow': (-n, elbow), 'wrist': (-n, wrist), 'wrist_tilt': (above, wrist),
              'wrist_roll': (up, wrist)}
    axes = np.array([joints[role][0] for role in geometry.roles])
    origins = np.array([joints[role][1] for role in geometry.roles])
    return axes, origins, wrist + geometry.l3 * up
