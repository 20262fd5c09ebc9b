# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Take hold of something from above, over ROS 2, and lift it; both nodes have to run."""

from arm_ik import Arm
from arm_ik.testing import ArmClient

arm = Arm.preset('so101')
approach = arm.approach((0.20, 0.05, 0.015), distance=0.08, opening=(0.0, 1.0, 0.0))
if approach.line is None:
    raise SystemExit(f'this cannot be picked up: {approach.reason}')
before, at = approach.before, approach.at

with ArmClient(arm) as robot:
    robot.move_gripper(1.0)
    robot.move_to(before.position, before.up, before.forward)
    robot.wait_for_arrival(robot.send_path([at]))  # on target_path: a straight line
    print('there, with the tip at', robot.tip().position.round(4))
    robot.move_gripper(0.2)
    robot.wait_for_arrival(robot.send_path([before]))
    print('lifted to', robot.tip().position.round(4))
