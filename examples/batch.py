# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Many targets at once: a map of the table, seen from above, where the hand gets straight down."""

from arm_ik import Arm
import numpy as np

arm = Arm.preset('so101')
ahead = np.arange(0.44, -0.01, -0.04)  # x in base_link [m], the far end of the table first
left = np.arange(0.40, -0.41, -0.02)  # y [m]

positions = np.zeros((len(ahead), len(left), 3))
positions[..., 0] = ahead[:, None]
positions[..., 1] = left
positions[..., 2] = 0.02  # height of the tip above the table [m]
answers = arm.solve_batch(positions, ups=(0.0, 0.0, -1.0))  # the leading axes are kept

for x, reached in zip(ahead, answers.reached):
    print(f'x = {x:4.2f} m  {"".join("#" if yes else "." for yes in reached)}')
print(f'reached: {answers.reached.sum()} of {answers.reached.size} positions')
worst = answers.position_error_m[answers.reached].max()
print(f'off by at most {worst:.0e} m there; elsewhere answers.q is the closest pose')
