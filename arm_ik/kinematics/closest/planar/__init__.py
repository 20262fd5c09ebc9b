# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose in a given arm plane.

* :mod:`.reach`: what three links in a plane reach inside their limits, and the poses at its edge.
* :mod:`.section`: what an arm plane makes of a target, and the best pose in it.
"""
