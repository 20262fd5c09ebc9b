# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The mathematics, scalar and without ROS; each module carries its derivation.

* :mod:`.solver` goes from target to answer: begin here.
* What an arm is: :mod:`.model`, :mod:`.limits`. Where its tool is: :mod:`.forward`, :mod:`.pose`.
* What is asked and answered: :mod:`.target` and :mod:`.tool_axes`, :mod:`.options`,
  :mod:`.solution`.
* Exact poses: the arm plane (:mod:`.arm_plane`, :mod:`.degenerate`), the triangle in it
  (:mod:`.two_link`), its limits (:mod:`.branch`), which is best (:mod:`.ranking`); ordinary
  targets in one function (:mod:`.fast_path`).
* No up vector: :mod:`.position_only`. No exact pose: :mod:`.closest`; the reason in words:
  :mod:`.explanation`. Keeping the branch: :mod:`.branch_hysteresis`.
* Many targets at once: :mod:`.batch`. The recipe of the source article: :mod:`.three_link`.
"""
