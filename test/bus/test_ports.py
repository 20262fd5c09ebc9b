# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Ports that are found by their lasting names, and models of X servos."""

from arm_ik.bus import serial_port
from arm_ik.bus.dynamixel.x_series import XMaintenance
from arm_ik.testing.servos.serial_buses import DYNAMIXEL, FEETECH, PATIENCE
from bus_helpers import remake
import pytest


@pytest.fixture
def ports(monkeypatch):
    """Return the list of ports there are."""
    there = []
    monkeypatch.setattr(serial_port, 'ports', lambda: list(there))
    return there


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
            assert tools.find(3).facts.model == name
