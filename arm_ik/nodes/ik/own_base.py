# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
Whether an arm would stand in its own base: the cylinders that its URDF draws there.

Only tip, wrist and elbow are looked at, and only where they would come to rest.
"""

from math import hypot

from ...description.urdf_shapes import base_shapes
from ...kinematics.forward import joint_centres


class OwnBase:
    """
    The base of an arm.

    :param solver: the arm's :class:`~arm_ik.kinematics.solver.Solver`.
    """

    def __init__(self, solver):
        self._geometry = solver.geometry
        self._cylinders = [shape for shape in base_shapes(solver.geometry.model)
                           if shape.kind == 'cylinder']

    def hit(self, q):
        """Return in words what would be inside the base at joint positions [rad], or ``''``."""
        for name, (x, y, z) in zip(('elbow', 'wrist', 'tip'), joint_centres(self._geometry, q)):
            for shape in self._cylinders:
                base_x, base_y, middle = shape.xyz
                radius, length = shape.size['radius'], shape.size['length']
                out = hypot(x - base_x, y - base_y)
                if out < radius and abs(z - middle) < 0.5 * length:
                    return (f'the {name} would be inside the base: {out:.3f} m from its axis; '
                            f'allowed: at least {radius:.3f} m, or avoid_base false')
        return ''
