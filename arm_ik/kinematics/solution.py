# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the arm answers: joint positions, and how well they do what was asked."""

from enum import IntEnum
from typing import NamedTuple


class Status(IntEnum):
    """
    How an answer relates to what was asked; the worse, the larger.

    ``FORWARD_RELAXED`` is only said of arms with a wrist roll: no other arm can serve a forward
    vector, so its error is measured and not complained of.
    """

    REACHED = 0
    FORWARD_RELAXED = 1
    UP_RELAXED = 2
    POSITION_RELAXED = 3


class Solution(NamedTuple):
    """
    Joint positions with what forward kinematics says of them.

    ``q`` holds one position per joint [rad], base to tip, always finite and inside the limits. The
    errors are measured by forward kinematics of ``q``: ``position_error_m`` tip to target,
    ``up_error_rad`` and ``forward_error_rad`` angles between the wanted vector and the real one (0
    where none was asked for). ``reason`` is empty, or says in words with numbers what stopped the
    arm; ``limited_by`` names the joints at a limit that stopped it. ``step_rad`` is the largest
    change of any joint position from ``near``.
    """

    q: tuple[float, ...]
    status: Status
    position_error_m: float
    up_error_rad: float
    forward_error_rad: float
    reason: str = ''
    limited_by: tuple[str, ...] = ()
    step_rad: float = 0.0

    @property
    def reached(self) -> bool:
        """Tell whether everything asked for was met within tolerance."""
        return self.status is _REACHED


#: The members of an enum are slow to look up before Python 3.12.
_REACHED = Status.REACHED
