# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 on an emulated bus in real time, and a hand."""

from pathlib import Path
import sys

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / 'servos'))


@pytest.fixture
def held(tmp_path):
    """Return the emulated arm, limp, all joints at 0."""
    from emulated_bus import EmulatedBus
    from emulated_so101 import needs_pyserial
    from held_arm import HeldArm, ZEROS
    needs_pyserial()
    with EmulatedBus(tmp_path, servos=[{'servo_id': servo_id, 'actual': zero}
                                       for servo_id, zero in ZEROS.items()]) as bus:
        yield HeldArm(bus)
