# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The small arm on a PCA9685: its servos file, and the servos that its pulses move."""

from arm_ik.drivers.servos_file import servos_from_parameters
from small_arm import HOME, JOINTS

BLOCKS = {
    'yaw': {'channel': 0, 'ticks': [500, 2500], 'positions': [-3.2, 3.2]},
    'shoulder': {'channel': 1, 'ticks': [600, 1500, 2500], 'positions': [2.6, 1.0, -0.6]},
    'elbow': {'channel': 2, 'ticks': [600, 2400], 'positions': [-2.6, 0.3]},
    'wrist': {'channel': 5, 'ticks': [2450, 550], 'positions': [-1.6, 1.6]},
    'gripper': {'channel': 14, 'ticks': [1000, 2000], 'positions': [-0.25, 1.65]},
    'slide': {'channel': 15, 'ticks': [900, 1400, 2100], 'positions': [0.0, 0.01, 0.04]}}


def servos(port, **more):
    """Return the servos file of the small arm on a bus."""
    return servos_from_parameters({'backend': 'pca9685', 'port': str(port), 'joints': BLOCKS,
                                   **more}, JOINTS)


class Servos:
    """
    What stands behind the chip: each servo goes where its pulse says, and without one stays.

    ``positions`` are where the joints are.
    """

    def __init__(self, chip):
        self.chip = chip
        self.file = servos('none')
        self._positions = dict(HOME)

    @property
    def positions(self):
        pulses = self.chip.pulses
        for name, servo in self.file.joints.items():
            if servo.channel in pulses:
                self._positions[name] = servo.ticks.position(pulses[servo.channel])
        return dict(self._positions)

    def push(self, positions):
        """Move joints without pulses by hand."""
        self._positions.update(positions)
