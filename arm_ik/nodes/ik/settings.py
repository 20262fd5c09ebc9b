# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What ``ik_node`` decides by: the parameters that may change between two targets."""

from math import nan
from typing import NamedTuple


class Settings(NamedTuple):
    """The parameters that decide; ``ik_parameters.py`` says what each one means."""

    position_tolerance: float = 1e-4
    up_tolerance: float = 1e-3
    arrival_tolerance: float = 0.05
    elbow: str = 'nearest'
    priority: str = 'position'
    follow_relaxed: bool = True
    max_step: float = 0.0
    home_speed: float = 0.5
    elevation: float = nan
    branch_tolerance: tuple = (0.001, 0.0349)
    state_timeout: float = 1.0
    target_timeout: float = 0.0
