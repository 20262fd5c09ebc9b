# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose inside the limits to a target that can't be met.

``docs/theory.md`` explains why no pose is closer.

* :mod:`.candidates`: every pose that can be the closest, for each kind of arm: begin here.
* :mod:`.planar`: three links in a given arm plane.
* :mod:`.spatial`: searches over arm planes, for a rolling base, a tilting wrist, or a plane that
  passes beside the yaw axis.
"""
