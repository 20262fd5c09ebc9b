# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 on an emulated bus in real time, and a hand."""

from arm_ik.testing.servos.emulated_bus import EmulatedBus
from held_arm import HeldArm, IDS, patient_example, ZEROS
import pytest


@pytest.fixture
def held(tmp_path):
    """Return the emulated arm, limp, all joints at 0."""
    with EmulatedBus(tmp_path, servos=[{'servo_id': servo_id, 'position': zero}
                                       for servo_id, zero in ZEROS.items()]) as bus:
        yield HeldArm(bus)


@pytest.fixture
def mine(held, tmp_path):
    """Return a servos file that is true of the emulated arm."""
    path = patient_example(tmp_path, name='mine_so101.yaml')
    text = path.read_text().replace(
        '/dev/serial/by-id/usb-1a86_USB_Single_Serial-if00', held.port)
    for servo_id in IDS.values():
        before, line, after = text.partition(f'{{id: {servo_id}, ')
        zero = 'zero: 1535' if servo_id == 6 else 'zero: 2047'
        after = after.replace(zero, f'zero: {ZEROS[servo_id]}', 1).replace(
            'direction: 1', f'direction: {held.directions[servo_id]}', 1)
        text = before + line + after
    path.write_text(text)
    return path
