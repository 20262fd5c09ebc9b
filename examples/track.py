# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A path: 101 targets along a straight line, answered together so that no joint jumps."""

from arm_ik import Arm, Target
import numpy as np

RATE = 50.0  # targets a second

arm = Arm.preset('so101')
line = np.linspace((0.20, -0.15, 0.05), (0.20, 0.15, 0.05), 101)  # of the tip in base_link [m]
targets = [Target(position, up=(0.0, 0.0, -1.0)) for position in line]

answers = arm.track(targets, start=arm.home)  # knows all targets before it answers the first

print(f'reached: {sum(answer.reached for answer in answers)} of {len(answers)} targets')
print(f'from home to the line: {answers[0].step_rad:.2f} rad')
step = max(answer.step_rad for answer in answers[1:])
print(f'along the line: at most {step:.3f} rad a step, {step * RATE:.2f} rad/s at {RATE:g} Hz')
for answer in answers[::25]:
    print('  '.join(f'{angle:+.3f}' for angle in answer.q), 'rad')
