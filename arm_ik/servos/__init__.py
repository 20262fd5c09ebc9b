# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The tools for real servos: scan, move, set-id, calibrate, import-lerobot, verify, check.

Each tool is a module of its own. ``named_poses`` chooses the poses that a person holds the arm in
and draws them, ``posing`` waits until the arm is so: by hand, or by keys where nothing is
measured. ``writing`` makes and changes servos files.
"""
