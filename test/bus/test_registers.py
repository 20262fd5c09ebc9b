# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page of registers is true: what is written to servos is in its tables, and nothing else."""

from pathlib import Path
import re
import struct

from arm_ik.bus.families import bus_kind
from arm_ik.bus.pca9685 import chip
from arm_ik.drivers import make_backend
from arm_ik.errors import DriverError
from arm_ik.testing.servos import dxl_servos, emulated_i2c
from arm_ik.testing.servos.emulated_bus import EmulatedBus
from arm_ik.testing.servos.serial_buses import PATIENCE, Time
from line_time import LineTime
import pytest
from small_arm import HOME, MODEL
import small_pca9685
import small_servos

PAGE = Path(__file__).parents[2] / 'docs' / 'registers.md'

#: Family: its servos.
SERVOS = {'feetech': small_servos.FEETECH, 'dynamixel': small_servos.DYNAMIXEL,
          'dynamixel1': small_servos.AX12, 'lx16a': small_servos.LX16A}


class Wire:
    """
    The wire of an emulated bus.

    ``seen`` maps (who, first register written, how many) to when that was; a reboot is none.
    """

    def __init__(self, family, emulated):
        self.seen = {}
        self._emulated, self._family = emulated, family

    def listen(self, who, when):
        """Take note of what has been sent since the last time."""
        for request in map(bytes.fromhex, self._emulated.do('requests')):
            written = self._written(request)
            if written:
                self.seen.setdefault((who, *written), set()).add(when)

    def _written(self, request):
        if self._family == 'lx16a':
            return (request[4], 1) if len(request) > 6 else None
        protocol_2 = self._family == 'dynamixel'
        code = request[7 if protocol_2 else 4]
        if code in (1, 2, 0x82):
            return None     # a ping, or read
        if code == 8:
            return None, None
        assert code == 0x83, 'all is written to several servos at once'
        if protocol_2:
            return struct.unpack('<HH', dxl_servos.parameters(request)[:4])
        return tuple(request[5:7])


def drive(family, emulated, wire):
    """Have the driver do all it does with servos."""
    time = Time(emulated)
    servos = SERVOS[family].file(emulated.port)
    backend = make_backend(servos.backend, MODEL, servos=servos, clock=time)

    def turns(count=3):
        for number in range(count):
            time.advance(0.3)
            backend.read()
            backend.write({name: place - 0.01 * number for name, place in HOME.items()})

    def health():
        for name in 3 * list(MODEL.joint_names):
            backend.read_health(name)
    backend.open()
    backend.verify()
    wire.listen('driver', 'start')
    backend.engage()
    wire.listen('driver', 'torque')
    turns()
    wire.listen('driver', 'turn')
    health()
    wire.listen('driver', 'health')
    backend.set_torque(False)
    wire.listen('driver', 'torque')
    emulated.do('servo', servo_id=3, present=False)
    turns(6)
    emulated.do('servo', servo_id=3, present=True)
    turns(3)
    wire.listen('driver', 'missing')
    emulated.do('servo', servo_id=2, overloaded=True)
    health()
    wire.listen('driver', 'health')
    try:
        backend.clear_faults()
    except DriverError as refusal:
        assert 'switch the power' in str(refusal)
    wire.listen('driver', 'clear_faults')
    backend.close()
    wire.listen('driver', 'end')


def use_tools(family, emulated, wire):
    """Have the tools do all they do with servos."""
    with bus_kind(family)(emulated.port, patience=PATIENCE) as tools:
        assert tools.is_anybody_there() and tools.find(1)
        wire.listen('tools', 'scan')
        tools.release([1, 2])
        wire.listen('tools', 'torque')
        settings = tools.settings(1)
        if settings:
            settings.pop('model', None)
            tools.write_settings(1, settings)
        wire.listen('tools', 'set')
        tools.set_id(1, 9)
        wire.listen('tools', 'set-id')


def on_page(family):
    """Return what the page says, as :class:`Wire` has it."""
    section = re.search(rf'^## [^\n]*`{family}`.*?(?=^## |\Z)', PAGE.read_text('utf-8'),
                        re.M | re.S)[0]
    said = {}
    for who, when, cell in re.findall(r'^\| (\w+): ([\w-]+) \|([^|]*)\|$', section, re.M):
        for first, last in re.findall(r'\b(\d+)(?:-(\d+))?\b', cell):
            place = int(first), int(last or first) - int(first) + 1
            said.setdefault((who, *place), set()).add(when)
    return said


@pytest.mark.parametrize('family', SERVOS)
def test_what_is_written_is_on_the_page_and_nothing_else(family, tmp_path, monkeypatch):
    monkeypatch.setattr('arm_ik.bus.serial_line.TURNS', 1)      # blocks of one length
    with EmulatedBus(tmp_path, manual_time=True, **SERVOS[family].emulated) as emulated:
        wire = Wire(family, emulated)
        LineTime(emulated, monkeypatch)
        drive(family, emulated, wire)
        LineTime(emulated, monkeypatch)
        use_tools(family, emulated, wire)
    if family == 'dynamixel':
        assert wire.seen.pop(('driver', None, None)) == {'clear_faults'}    # a reboot
    assert wire.seen == on_page(family)


def test_what_is_written_to_a_pca9685_is_on_the_page_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr('smbus2.smbus2.ioctl', emulated_i2c.ioctl)
    seen, now = {}, ['', '']

    class Bus(chip.SMBus):
        """An I2C bus that takes note of registers, those of a channel as of the first."""

        def write_i2c_block_data(self, address, register, data):
            first = 6 + (register - 6) % 4 if 6 <= register < 70 else register
            seen.setdefault((now[0], first, len(data)), set()).add(now[1])
            return super().write_i2c_block_data(address, register, data)
    monkeypatch.setattr(chip, 'SMBus', Bus)
    board = emulated_i2c.Chip(tmp_path / 'i2c-7')
    backend = make_backend('pca9685', MODEL, servos=small_pca9685.servos(board.path))
    for now[:], step in (
            (('driver', 'start'), backend.open), (('driver', 'start'), backend.verify),
            (('driver', 'torque'), backend.engage), (('driver', 'turn'), backend.read),
            (('driver', 'turn'), lambda: backend.write({'yaw': 0.3})),
            (('driver', 'health'), lambda: backend.read_health('yaw')),
            (('driver', 'torque'), lambda: backend.set_torque(False)),
            (('driver', 'end'), backend.close)):
        step()
    board = emulated_i2c.Chip(tmp_path / 'i2c-8')
    now[:] = 'tools', 'scan'
    with bus_kind('pca9685')(str(board.path)) as tools:
        tools.find(0)
        now[1] = 'torque'
        tools.write({0: 1500})
        now[1] = 'move'
        tools.write({0: 1510})
        tools.read([0])
    assert seen == on_page('pca9685')
