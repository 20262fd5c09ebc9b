# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``driver_node``, with the emulated I2C bus in the place of Linux."""

import sys

from . import emulated_i2c
from ...nodes.driver.driver_node import main

emulated_i2c.install()

if __name__ == '__main__':
    sys.exit(main())
