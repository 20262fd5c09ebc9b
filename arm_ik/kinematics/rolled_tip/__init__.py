# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A tip beside the roll axis: the wrist roll moves it.

The order is that of other arms: the position comes first, then the up vector, then the forward
vector, then the step from ``near``. With its roll held the arm is an ordinary one
(:meth:`~..forward.Geometry.with_roll`), which :mod:`.solver` asks; where no roll meets the target
in full, :mod:`.roll_search` finds the best one.
"""
