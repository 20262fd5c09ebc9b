# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How well an answer serves its target, and why it is not exact.

* :mod:`.reason`: status and reason of an answer, in words: begin here.
* :mod:`.answers_plane`: the arm plane that it is in.
"""
