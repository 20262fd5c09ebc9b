# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Parallel linkages: a servo that turns the sum of two joints.

Its limits and those of the first joint make a parallelogram of the two joints' positions, and an
arm has a box of them.
"""

import numpy as np

#: Limits of a joint [rad].
Range = tuple[float, float]

#: How many limits of the first joint are tried on either side.
_TRIED = 201


def largest_box(first: Range, second: Range, total: Range, home: tuple[float, float]
                ) -> tuple[Range, Range]:
    """
    Return the largest box around home inside which the sum of two joints is within its limits.

    :param first: limits of the first joint [rad].
    :param second: of the second joint.
    :param total: of their sum.
    :param home: positions of the two, inside all of these.
    :returns: the limits of both joints.
    """
    (low, high), (least, most) = first, second
    at, other = home
    down, up = np.meshgrid(np.linspace(0.0, at - low, _TRIED), np.linspace(0.0, high - at, _TRIED))
    below = np.minimum(other - least, sum(home) - total[0] - down)
    above = np.minimum(most - other, total[1] - sum(home) - up)
    area = np.where((below >= 0.0) & (above >= 0.0), (down + up) * (below + above), -1.0)
    best = np.unravel_index(np.argmax(area), area.shape)
    return ((float(at - down[best]), float(at + up[best])),
            (float(other - below[best]), float(other + above[best])))
