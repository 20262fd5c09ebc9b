# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Teach poses by hand, replay them, and record what an arm does.

On the bus of an arm, or by the topics of a driver that runs. What is played and recorded is in
:mod:`~arm_ik.replay`.
"""

from .cli import record, replay, teach

__all__ = ['record', 'replay', 'teach']
