# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Ports that are looked for: by the servos behind them, and by their lasting names."""

from arm_ik.bus import serial_port, serial_servos
from arm_ik.bus.dynamixel.x_series import XMaintenance
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import DYNAMIXEL, FEETECH, PATIENCE
from bus_helpers import remake
import pytest


@pytest.fixture
def ports(monkeypatch):
    """Return the list of ports there are."""
    there = []
    for module in (serial_port, serial_servos):
        monkeypatch.setattr(module, 'ports', lambda: list(there))
    return there


def positions(port, **joints):
    backend = FEETECH.backend(port, joints)
    backend.open()
    try:
        return backend.read().positions
    finally:
        backend.close()


def test_an_arm_is_found_by_its_servos_and_told_from_another_by_their_offsets(tmp_path, ports):
    folders = [tmp_path / name for name in ('leader', 'follower', 'other')]
    for folder in folders:
        folder.mkdir()
    with FEETECH.emulated(folders[0]) as leader, FEETECH.emulated(folders[1]) as follower, \
            FEETECH.emulated(folders[2]) as other:
        other.do('remove', servo_id=4)
        follower.do('write', servo_id=2, address=31, value=300)
        ports += [other.port, leader.port, follower.port, str(tmp_path / 'gone')]
        lift = FEETECH.joints[1]
        for offset, arm in ((300, follower), (0, leader)):
            arm.do('push', servo_id=1, position=1500)
            mine = FEETECH.changed(lift, homing_offset=offset)
            assert positions('auto', **mine)[FEETECH.pan] == pytest.approx(
                FEETECH.position(FEETECH.pan, 1500))
            arm.do('push', servo_id=1, position=2500)
        with pytest.raises(DriverError, match='leader/.* and .*follower/.* have such servos'):
            positions('auto')
        with pytest.raises(DriverError, match='port auto: none of'):
            positions('auto', **FEETECH.changed(lift, homing_offset=77))


def test_an_adapter_that_comes_back_under_another_name_is_found(tmp_path, ports):
    with FEETECH.emulated(tmp_path) as emulated:
        ports.append(emulated.port)         # its name by its serial number
        backend = FEETECH.backend(emulated.device)
        backend.open()
        backend.close()
        emulated.do('unplug')
        emulated.do('plug', elsewhere=True)
        backend.open()
        assert len(backend.read().positions) == len(FEETECH.joints)
        backend.close()


def test_the_model_of_an_x_servo_is_a_row(tmp_path):
    with DYNAMIXEL.emulated(tmp_path) as emulated, XMaintenance(
            emulated.port, patience=PATIENCE) as tools:
        remake(emulated, 3, model='XM430-W350')
        for number, name in ((1220, 'XC330-T288'), (311, 'MX-64'), (1001, 'XD430-T350')):
            emulated.do('write', servo_id=3, address=0, value=number)
            assert tools.find(3).model == name
