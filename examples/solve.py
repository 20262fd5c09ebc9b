# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""One target: where the joints have to go, and how good that is."""

from math import degrees

from arm_ik import Arm, Target

arm = Arm.preset('so101')  # or Arm.from_yaml('my_arm.yaml')
down = (0.0, 0.0, -1.0)  # along the last link, from the wrist to the tip

for position in ((0.20, 0.05, 0.05), (0.60, 0.0, 0.10)):  # of the tip in base_link [m]
    solution = arm.solve(Target(position, up=down), near=arm.home)  # near: where the joints are
    print(f'{position} m: {solution.status.name} {solution.reason}')
    print(f'  off by {1000 * solution.position_error_m:.1f} mm '
          f'and {degrees(solution.up_error_rad):.1f} degrees')
    for name, angle in zip(arm.joint_names, solution.q):
        print(f'  {name:13} {angle:+.3f} rad')
