# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The driver's rules: which set-points the servos of an arm get; no ROS."""

from .servo_driver import ServoDriver
from ..bus.backend import Backend, Health, JointReading, Snapshot
from ..bus.families import backend_names, make_backend

__all__ = ['Backend', 'backend_names', 'Health', 'JointReading', 'make_backend', 'ServoDriver',
           'Snapshot']
