# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Dynamixel servos: the X series by protocol 2.0, AX-12 and its kin by protocol 1.0."""
