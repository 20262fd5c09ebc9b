# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Set and restore: what other software left in EEPROMs, and what a backup says."""

from arm_ik.description.presets import config_directory
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL, FEETECH
from line_time import LineTime
import pytest
from tool_process import run_tool

pytestmark = pytest.mark.about_time


def registers(emulated, servo_id, *addresses):
    ram = emulated.do('state', servo_id=servo_id)['ram']
    return [ram[address] for address in addresses]


LEFT = [
    # Interbotix, ROBOTIS, and out of the box: drive mode, mode, delay; baud rate.
    (DYNAMIXEL, {(2, 10): 5, (3, 10): 4, (5, 11): 16, (1, 9): 250},
     {(2, 10): 1, (3, 10): 1, (5, 11): 3, (1, 9): 0}),
    (FEETECH, {(4, 9): 0, (4, 11): 0, (2, 33): 1, (3, 18): 28, (1, 7): 250},
     {(4, 11): 0xFF, (4, 12): 0x0F, (2, 33): 0, (3, 18): 12, (1, 7): 0}),
    (AX12, {(2, 8): 0, (1, 5): 250}, {(2, 8): 0xFF, (2, 9): 3, (1, 5): 0})]


@pytest.mark.parametrize('bus, left, needed', LEFT, ids=lambda each: getattr(each, 'name', ''))
def test_what_others_left_is_shown_and_set_and_can_be_taken_back(
        bus, left, needed, tmp_path, monkeypatch):
    with bus.emulated(tmp_path) as emulated:
        LineTime(emulated, monkeypatch)
        for (servo_id, address), value in left.items():
            emulated.do('write', servo_id=servo_id, address=address, value=value)
        before = [emulated.do('state', servo_id=each)['ram'][:40] for each in bus.ticks]
        arguments = ('set', bus.arm, '--port', emulated.port)
        assert run_tool(*arguments, folder=tmp_path, typed='n\n')[0] == 1
        assert before == [emulated.do('state', servo_id=each)['ram'][:40] for each in bus.ticks]
        emulated.do('write', servo_id=2, address=bus.servos.TORQUE, value=1)
        code, output, errors = run_tool(*arguments, folder=tmp_path, typed='y\n')
        assert (code, errors) == (0, ''), output
        assert not emulated.do('state', servo_id=2)['torque']
        for (servo_id, address), value in needed.items():
            assert registers(emulated, servo_id, address) == [value], output
        assert 'All is as it has to be' in run_tool(*arguments, folder=tmp_path)[1]
        backup, = tmp_path.glob('servos_backup_*.yaml')
        assert run_tool('restore', backup.name, folder=tmp_path, typed='y\n')[0] == 0
        assert before == [emulated.do('state', servo_id=each)['ram'][:40] for each in bus.ticks]


def test_servos_out_of_the_box_come_to_the_arms_baud_rate(tmp_path, monkeypatch):
    with DYNAMIXEL.emulated(tmp_path) as emulated:
        LineTime(emulated, monkeypatch)
        for servo_id in DYNAMIXEL.ticks:
            emulated.do('write', servo_id=servo_id, address=8, value=1)
        code, output, errors = run_tool('set', 'px100', '--port', emulated.port, folder=tmp_path,
                                        typed='y\n')
        assert (code, errors) == (0, ''), output
        assert '5 servos at 57600 baud' in output
        assert [registers(emulated, each, 8) for each in DYNAMIXEL.ticks] == [[3]] * 5


def test_every_shadow_of_a_servo_is_set_to_follow_it(tmp_path, monkeypatch):
    own = (config_directory() / 'servos' / 'px100.yaml').read_text()
    mine = tmp_path / 'mine.yaml'
    mine.write_text(own.replace('{id: 3,', '{id: 3, shadow_ids: [13, 14],'))
    assert mine.read_text() != own
    with DYNAMIXEL.emulated(tmp_path) as emulated:
        LineTime(emulated, monkeypatch)
        for shadow_id in (13, 14):
            emulated.do('add', servo_id=shadow_id, secondary_id=255, position=DYNAMIXEL.ticks[3])
        code, output, errors = run_tool('set', mine.name, '--arm', 'px100', '--port',
                                        emulated.port, folder=tmp_path, typed='y\n')
        assert (code, errors) == (0, ''), output
        assert [registers(emulated, each, 12) for each in (13, 14)] == [[3]] * 2


@pytest.mark.parametrize('text', ['joints: {}', '{', 'family: feetech\nservos: {a: {id: 1, '
                                  'mode: -7000}}', 'family: feetech\nservos: {a: {mode: 3}}'])
def test_another_file_is_no_backup(text, tmp_path):
    (tmp_path / 'other.yaml').write_text(text)
    code, _, errors = run_tool('restore', 'other.yaml', folder=tmp_path)
    assert code == 2 and 'allowed: what arm_ik servos calibrate, set or restore' in errors
