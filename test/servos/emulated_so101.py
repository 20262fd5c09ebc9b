# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 on an emulated bus: its joints, its servos, its time."""

from arm_ik import Arm
from arm_ik.description.presets import config_directory
from arm_ik.drivers.servos_file import load_servos
import pytest

MODEL = Arm.preset('so101').model
JOINTS = (*MODEL.joint_names, 'gripper')

#: Where the servos stand at first, by id.
TICKS = {1: 2047, 2: 1265, 3: 2829, 4: 2438, 5: 2100, 6: 2000}

#: How long an answer may take on a busy machine [s].
PATIENCE = 0.15


def needs_pyserial():
    """Skip where pyserial is not installed."""
    pytest.importorskip('serial', reason='the extra "servos" brings pyserial')


class Time:
    """A clock [s] for the back end; moved by hand, and the time of the servos with it."""

    def __init__(self, emulated):
        self.now = 1000.0
        self._emulated = emulated

    def __call__(self):
        return self.now

    def advance(self, seconds):
        """Let time pass."""
        self.now += seconds
        self._emulated.do('advance', seconds=seconds)


def example_file():
    """Return the servos file that comes with the package."""
    return load_servos(config_directory() / 'servos' / 'so101.yaml', JOINTS)
