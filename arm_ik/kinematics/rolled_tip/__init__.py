# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A tip beside the roll axis: the wrist roll moves it.

The rule: the roll serves the forward vector. It is then the projection of the target's across the
last link, or the limit nearest to it (:mod:`.forward_curve`). Without a forward vector it is the
nearest roll that meets position and up vector, or else that of ``near`` (:mod:`.free_roll`). Of
the poses that this leaves the best is taken, in the same order as for other arms.

With its roll held the arm is an ordinary one (:meth:`~..forward.Geometry.with_roll`), and
:mod:`.solver` asks that one.
"""
