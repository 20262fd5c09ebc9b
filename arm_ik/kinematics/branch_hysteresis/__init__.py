# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Keeping the branch the arm is in; ``docs/theory.md`` says what is guaranteed.

* :mod:`.hysteresis`: target by target, for ``branch_tolerance``.
* :mod:`.track`: a path of targets known beforehand.
* :mod:`.crowd`: poses for it, where the roll of a tip beside its axis has to turn.
"""
