# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Back ends that move the joints, behind one small interface; no ROS."""

from .backend import Backend, Health, JointReading, Snapshot
from .families import backend_names, make_backend
from .servo_driver import ServoDriver

__all__ = ['Backend', 'backend_names', 'Health', 'JointReading', 'make_backend', 'ServoDriver',
           'Snapshot']
