# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A port that is had by one, and what is said when it cannot be had."""

import os
import shutil
import subprocess
import sys

from arm_ik.bus import serial_port
from arm_ik.bus.serial_port import SerialPort, why_not_opened
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import FEETECH
import pytest


@pytest.fixture
def bus():
    return FEETECH


def refusal(path):
    with pytest.raises(DriverError) as caught:
        SerialPort('feetech', path, 1000000)
    return str(caught.value)


def test_a_port_that_is_not_there_is_answered_with_those_that_are(tmp_path, monkeypatch):
    monkeypatch.setattr(serial_port, 'ports', lambda: ['/dev/ttyACM0', '/dev/ttyUSB1'])
    words = refusal(str(tmp_path / 'ttyACM7'))
    assert words == f'feetech: no port {tmp_path}/ttyACM7; there are: /dev/ttyACM0, /dev/ttyUSB1'


def test_no_port_at_all_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(serial_port, 'ports', list)
    assert 'there is none: is the adapter plugged in?' in refusal(str(tmp_path / 'ttyACM7'))


def test_ports_go_by_their_lasting_names(tmp_path):
    for name in ('ttyUSB0', 'ttyACM1', 'ttyS0'):
        (tmp_path / name).touch()
    (tmp_path / 'serial/by-id').mkdir(parents=True)
    (tmp_path / 'serial/by-id/usb-FTDI').symlink_to('../../ttyUSB0')
    assert serial_port.ports(tmp_path) == [f'{tmp_path}/serial/by-id/usb-FTDI',
                                           f'{tmp_path}/ttyACM1']


def test_no_right_to_a_port_is_answered_with_the_group_that_has_it():
    words = why_not_opened(PermissionError(13, 'Permission denied'), '/dev/null', 1000000)
    assert words == ('no right to /dev/null, which belongs to the group root: '
                     'sudo usermod -a -G root $USER, then log out and in again')


def test_a_port_is_kept_from_those_who_ask_for_no_lock(emulated):
    os.chmod(emulated.port, 0o666)
    user = {'user': 65534} if os.getuid() == 0 else {}      # root may do anything
    command = ['sh', '-c', f'exec 3<>{os.path.realpath(emulated.port)}']
    assert subprocess.run(command, **user).returncode == 0
    port = SerialPort('feetech', emulated.port, 1000000)
    assert subprocess.run(command, stderr=subprocess.PIPE, **user).returncode != 0
    port.close()
    assert subprocess.run(command, **user).returncode == 0


@pytest.mark.parametrize('error', [ValueError('Invalid baud rate'), OSError(22, 'Invalid')])
def test_a_speed_that_cannot_be_set_is_told(error):
    assert why_not_opened(error, '/dev/null', 123) == '/dev/null cannot be set to 123 baud'


@pytest.mark.parametrize('name, words', [('brltty', 'sudo apt remove brltty'),
                                         ('ModemManager', 'systemctl stop ModemManager')])
def test_a_program_that_takes_ports_for_something_else_is_named(
        tmp_path, monkeypatch, name, words):
    monkeypatch.setattr(serial_port, 'ports', list)
    assert words not in refusal(str(tmp_path / 'ttyUSB0'))
    program = shutil.copy(shutil.which('cat'), tmp_path / name)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          bufsize=0) as running:
        running.stdin.write(b'\n')
        running.stdout.read(1)
        assert words in refusal(str(tmp_path / 'ttyUSB0'))


def test_an_adapter_that_keeps_answers_is_found_by_its_timer(tmp_path):
    timer = tmp_path / 'ttyUSB0/device/latency_timer'
    timer.parent.mkdir(parents=True)
    timer.write_text('16\n')
    assert serial_port.latency_timer('/dev/ttyUSB0', tmp_path) == 16
    timer.write_text('1\n')
    assert serial_port.latency_timer('/dev/ttyUSB0', tmp_path) == 0
    assert serial_port.latency_timer('/dev/ttyACM0', tmp_path) == 0


def test_what_an_adapter_keeps_answers_for_is_waited_for(emulated, monkeypatch):
    monkeypatch.setattr(serial_port, 'latency_timer', lambda path: 16)
    port = SerialPort('feetech', emulated.port, 1000000)
    port.close()
    assert 0.016 < port.latency < 0.024


def test_a_port_that_is_closed_again_can_be_had_again(emulated):
    for _ in range(2):
        port = SerialPort('feetech', emulated.port, 1000000)
        port.close()
        port.close()


LOCKED = 'serial.Serial(sys.argv[1], exclusive=True)'
UNLOCKED = 'os.open(os.path.realpath(sys.argv[1]), os.O_RDWR | os.O_NOCTTY)'


@pytest.mark.parametrize('how', [LOCKED, UNLOCKED], ids=['locked', 'unlocked'])
def test_a_port_that_somebody_has_is_refused_by_name_before_a_byte(emulated, how):
    emulated.do('requests')
    program = f'import os, serial, sys; port = {how}; print(flush=True); sys.stdin.read()'
    with subprocess.Popen([sys.executable, '-c', program, emulated.port], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        words = refusal(emulated.port)
        other.stdin.close()
    assert f'{emulated.port} is used by ' in words
    assert f'(process {other.pid}); end that first' in words
    assert emulated.do('requests') == []
    SerialPort('feetech', emulated.port, 1000000).close()
