# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What counts as equal, as zero, as inside: every tolerance of the kinematics, with its reason."""

from math import radians

#: Largest error of the tip [m], and of the up and forward vectors [rad], that counts as reached.
#: Both decide the status and the reason of an answer, never which pose is chosen.
POSITION_TOLERANCE, UP_TOLERANCE = 1e-4, 1e-3

#: How much worse than the best pose the present branch may be and still be kept [m, rad].
BRANCH_TOLERANCE = (0.001, radians(2.0))
