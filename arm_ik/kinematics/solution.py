# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The answer: joint positions, and how well they meet the target."""

from collections.abc import Iterable
from enum import IntEnum
from html import escape
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray


class Status(IntEnum):
    """
    How well an answer meets the target; a larger value is worse.

    ``FORWARD_RELAXED`` only occurs on arms with a wrist roll. Other arms cannot serve a forward
    vector: there its error is measured, but does not change the status. Its text is its name.
    """

    REACHED = 0
    FORWARD_RELAXED = 1
    UP_RELAXED = 2
    POSITION_RELAXED = 3

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec.endswith('d') else self.name, spec)


class Solution(NamedTuple):
    """
    Joint positions, with errors measured by forward kinematics.

    ``q`` holds one position per joint [rad], base to tip, always finite and inside the limits. The
    errors are measured by forward kinematics of ``q``: ``position_error_m`` is the distance from
    tip to target, ``up_error_rad`` and ``forward_error_rad`` are the angles between the wanted and
    the real vector (0 if none was asked for). ``reason`` says in words with numbers what stopped
    the arm, or is empty. ``limited_by`` names the joints at a limit that stopped it. ``step_rad``
    is the largest change of any joint position from ``near``.

    A solution is true if it is ``reached``. It is taken wherever joint positions are, also by
    numpy, as an array of its ``q``.
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
        """Return whether everything asked for was met within tolerance."""
        return self.status is _REACHED

    def __bool__(self) -> bool:
        return self.status is _REACHED

    @property
    def array(self) -> NDArray[np.float64]:
        """Joint positions [rad] as a new array, shape (joints,)."""
        return np.array(self.q, dtype=float)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.q, dtype=dtype or float)

    def _repr_html_(self) -> str:
        rows = {**self._asdict(), 'q': ', '.join(f'{position:.4f}' for position in self.q)}
        cells = [f'<tr><th>{key}</th><td>{escape(str(value))}</td></tr>'
                 for key, value in rows.items()]
        return f'<table>{"".join(cells)}</table>'


#: What joint positions [rad] are given as, base to tip.
JointPositions = Union[Solution, Iterable[float]]

#: The members of an enum are slow to look up before Python 3.12.
_REACHED = Status.REACHED
