# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Emulated servos, for tests and experiments; no ROS.

``emulator`` is a serial bus in a process of its own, :class:`~.emulated_bus.EmulatedBus` the
handle on it, and ``serial_buses`` one arm on each of these buses. ``emulated_i2c`` is a PCA9685.
"""
