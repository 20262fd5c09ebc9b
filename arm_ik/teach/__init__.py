# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Teach poses by hand, replay them, and record what an arm does.

``paths`` makes paths of files, ``player`` plays them on an arm: by its bus (``on_bus``) or by the
topics of a driver that runs (``on_topics``). ``recording`` writes and reads MCAP files.
"""

from .cli import record, replay, teach

__all__ = ['record', 'replay', 'teach']
