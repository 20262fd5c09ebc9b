# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Why an answer is not exact, in words.

* :mod:`.reason`: status and reason of an answer: begin here.
* :mod:`.limit_violation`: which joint limits prevent it, and by how much.
"""
