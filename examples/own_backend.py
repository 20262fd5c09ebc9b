# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An own back end: pulses, as lines of text, for a microcontroller that drives hobby servos."""

import sys

from arm_ik import Arm, Target
from arm_ik.drivers import Backend, JointReading, Snapshot


class PulseServos(Backend):
    """Servos that go to 0 rad at 500 us, 637 us more for each radian, and measure nothing."""

    name, has_feedback = 'pulse_servos', False

    def __init__(self, model, port):
        super().__init__(model)
        self._port, self._at = port, dict.fromkeys(self.joints, 1.57)  # rad

    def open(self):  # noqa: A003
        pass

    def read(self):  # where they have been sent
        return Snapshot({n: JointReading(q, self.clock(), False) for n, q in self._at.items()})

    def write(self, set_points):
        self._at.update(set_points)
        for name, position in set_points.items():
            print(f'{name} {500.0 + 637.0 * position:.0f} us', file=self._port)

    def set_torque(self, on, names=None):
        print('pulses on' if on else 'pulses off', file=self._port)

    def close(self):
        self._port.flush()


arm = Arm.preset('braccio')
solution = arm.solve(Target((0.20, 0.05, 0.05), up=(0.0, 0.0, -1.0)))  # m in base_link, hand down
with PulseServos(arm.model, port=sys.stdout) as servos:
    servos.set_torque(True)
    servos.write(dict(zip(arm.joint_names, solution.q)))
