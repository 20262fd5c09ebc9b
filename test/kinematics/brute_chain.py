# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics of many poses at once, with first and second derivatives, from a URDF.

Product of exponentials: with all readings at zero the URDF says where each axis is and points;
joint i turns everything after it about its own axis. With a, o an axis and a point of it in the
pose, and v a vector that both joints i <= j carry::

    d point / d q_j = a_j x (point - o_j)        d^2 point / d q_i d q_j = a_i x (d point / d q_j)
    d v / d q_j = a_j x v                        d^2 v / d q_i d q_j = a_i x (a_j x v)

Nothing here knows of yaw, roll or arm planes.
"""

import numpy as np
from urdf_judge import UrdfJudge


class Chain:
    """
    A chain of revolute joints as its URDF describes it.

    :param urdf_text: the URDF.
    :param joint_names: base to tip.
    :param lowest: names of joints whose axes are to stay above ``floor``, as is the tip.
    :param floor: height [m], or ``None``.
    """

    def __init__(self, urdf_text, joint_names, lowest=(), floor=None):
        urdf = UrdfJudge(urdf_text)
        self.axes, self.points, self.crosses = [], [], []
        for name in joint_names:
            joint = urdf.joints[name]
            at_zero = urdf.pose({}, joint.find('child').get('link'))
            axis = [float(word) for word in joint.find('axis').get('xyz').split()]
            self.axes.append(at_zero[:3, :3] @ axis)
            self.points.append(at_zero[:3, 3])
            x, y, z = self.axes[-1]
            self.crosses.append(np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]))
        tool = urdf.pose({}, 'tool0')
        self.tip, self.up = tool[:3, 3], tool[:3, 2]
        self.floor = floor
        self.lowest = [joint_names.index(name) for name in lowest]

    def poses(self, q):
        """
        Return where everything is.

        :param q: readings [rad], shape (n, joints).
        :returns: tip [m] and up vector, (n, 3) each; axes and points on them [m], (joints, n, 3).
        """
        turn, shift = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
        axes, points = [], []
        for i, cross in enumerate(self.crosses):
            axes.append(turn @ self.axes[i])
            points.append(turn @ self.points[i] + shift)
            angle = q[:, i, None, None]
            turn = turn @ (np.eye(3) + np.sin(angle) * cross
                           + (1.0 - np.cos(angle)) * (cross @ cross))
            shift = points[i] - turn @ self.points[i]
        return turn @ self.tip + shift, turn @ self.up, np.array(axes), np.array(points)

    def errors(self, q, position, up):
        """Return the tip's distance [m], angle to ``up`` [rad], lowest height above floor [m]."""
        tip, along, _, points = self.poses(q)
        angle = np.zeros(len(q))
        if up is not None:
            angle = np.arctan2(np.linalg.norm(np.cross(along, up), axis=1), along @ up)
        clear = np.full(len(q), np.inf)
        if self.floor is not None:
            clear = np.min([tip[:, 2], *points[self.lowest, :, 2]], axis=0) - self.floor
        return np.linalg.norm(tip - position, axis=1), angle, clear

    def cost(self, q, position, up, weights):
        """
        Return a weighted cost with its derivatives.

        ``w_p |tip - position|^2 / 2 + w_u |along - up|^2 / 2 + w_f (depth below the floor)^2 / 2``

        :param weights: ``(w_p, w_u, w_f)`` [1/m^2, 1, 1/m^2].
        :returns: values (n,), gradients (n, joints), Hessians (n, joints, joints).
        """
        by_position, by_up, by_floor = weights
        tip, along, axes, points = self.poses(q)
        total = _Sum(q)
        if by_position:
            turned = np.cross(axes, tip - points)
            total.add(by_position, tip - position, turned, np.cross(axes[:, None], turned))
        if up is not None and by_up:
            turned = np.cross(axes, along)
            total.add(by_up, along - up, turned, np.cross(axes[:, None], turned))
        if self.floor is not None and by_floor:
            for joint, point in [*((i, points[i]) for i in self.lowest), (len(axes), tip)]:
                turned = np.cross(axes, point - points)
                turned[joint:] = 0.0
                below = np.minimum(point[:, 2:] - self.floor, 0.0)
                # The height alone counts, and only below the floor.
                seen = np.concatenate([np.zeros((len(q), 2)), below < 0.0], axis=1)
                total.add(by_floor, below * seen, turned * seen,
                          np.cross(axes[:, None], turned))
        return total.value, total.gradient, total.hessian


class _Sum:
    """Sum of weighted squares ``w |r|^2 / 2`` with derivatives."""

    def __init__(self, q):
        n, joints = q.shape
        self.value, self.gradient = np.zeros(n), np.zeros((n, joints))
        self.hessian = np.zeros((n, joints, joints))

    def add(self, weight, r, first, second):
        """Add one: r (n, 3), first (joints, n, 3), second (joints, joints, n, 3) for i <= j."""
        self.value += 0.5 * weight * np.einsum('nk,nk->n', r, r)
        self.gradient += weight * np.einsum('nk,jnk->nj', r, first)
        curved = np.triu(np.einsum('nk,ijnk->nij', r, second))
        curved += np.swapaxes(np.triu(curved, 1), 1, 2)
        self.hessian += weight * (np.einsum('ink,jnk->nij', first, first) + curved)
