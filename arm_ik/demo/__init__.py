# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The main job, to be watched: a simulated arm follows files of target poses, and is judged.

``target_file`` reads what is asked for, ``stream`` asks for it, ``judge`` finds where the arm got,
``table`` and ``picture`` show it.
"""

from .cli import main

__all__ = ['main']
