# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What an arm touches: floor, keep-out shapes, its base and itself, in a pose or on a path."""

from .paths import look, MODES, PathCheck, PathChecker, TOUCH
from .scene import Scene

__all__ = ['look', 'MODES', 'PathCheck', 'PathChecker', 'Scene', 'TOUCH']
