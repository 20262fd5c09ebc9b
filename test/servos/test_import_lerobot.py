# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Import-lerobot: from LeRobot's numbers, in its file or in the servos, to a servos file."""

import json
from math import pi
import re

from arm_ik import Arm
from arm_ik.drivers.servos_file import load_servos
from held_arm import hold_poses, JOINTS, MODEL, patient_example
import pytest
from tool_process import run_tool, ToolProcess

pytestmark = pytest.mark.about_time

TICK = 2 * pi / 4096

#: An arm as LeRobot leaves it: the ticks that are read are those after the offset.
MOTORS = {
    name: {'id': number, 'drive_mode': 0, 'homing_offset': offset, 'range_min': least,
           'range_max': most} for number, (name, offset, least, most) in enumerate((
               ('shoulder_pan', -12, 790, 3306), ('shoulder_lift', 133, 861, 3175),
               ('elbow_flex', 1502, 905, 3117), ('wrist_flex', 0, 982, 3141),
               ('wrist_roll', -800, 0, 4095), ('gripper', 7, 2030, 3500)), start=1)}

#: Middle of the arm file's limits; zero but for the roll.
ROLL = 0.5 * (-2.74385 + 2.84121)


def as_json(folder, **changes):
    motors = {name: {**motor, **changes.get(name, {})} for name, motor in MOTORS.items()}
    (folder / 'arm.json').write_text(json.dumps(motors))
    return 'arm.json'


def imported(folder, *arguments, **changes):
    """Import a file; return the servos file and what was printed."""
    code, output, errors = run_tool('import-lerobot', as_json(folder, **changes), '--port',
                                    '/dev/ttyACM0', *arguments, folder=folder)
    assert (code, errors) == (0, '')
    return load_servos(folder / 'my_so101.yaml', JOINTS), output


def write_into_servos(held):
    """Have servos hold what LeRobot writes into them, and horns sit as its zero says."""
    for motor in MOTORS.values():
        servo_id, offset = motor['id'], motor['homing_offset']
        for address, value in ((9, motor['range_min']), (11, motor['range_max']),
                               (31, abs(offset) | (0x800 if offset < 0 else 0))):
            held.bus.do('write', servo_id=servo_id, address=address, value=value)
        held.zeros[servo_id], held.directions[servo_id] = 0.5 * (
            motor['range_min'] + motor['range_max']), 1
    held.zeros[5] = 2047 - ROLL / TICK
    held.scales[6] = (3500 - 2030) / (1.74533 + 0.174533)
    held.zeros[6] = 2030 + 0.174533 * held.scales[6]


def test_one_arm_of_two_in_a_file_and_joints_of_other_names_are_found(tmp_path):
    def renamed(name):
        return {'shoulder_pan': 'base', 'gripper': 'jaw'}.get(name, name)
    both = {f'{side}_arm_{renamed(name)}': {**motor, 'id': motor['id'] + first}
            for side, first in (('left', 10), ('right', 0)) for name, motor in MOTORS.items()}
    (tmp_path / 'two.json').write_text(json.dumps(both))
    names = '--names', 'base=shoulder_pan', 'jaw=gripper'
    assert run_tool('import-lerobot', 'two.json', '--port', '/dev/ttyACM0', '--prefix',
                    'left_arm_', *names, folder=tmp_path)[0] == 0
    servos = load_servos(tmp_path / 'my_so101.yaml', JOINTS)
    assert {name: servo.id for name, servo in servos.joints.items()} == {
        name: motor['id'] + 10 for name, motor in MOTORS.items()}
    for given, words in (((), 'shoulder_pan is None.*it has left_arm_base, '),
                         (('--prefix', 'left_arm_'), 'shoulder_pan is None'),
                         (('--names', 'base:shoulder_pan'), '--names is .*NAME=VALUE')):
        code, _, errors = run_tool('import-lerobot', 'two.json', '--port', '/dev/ttyACM0', *given,
                                   folder=tmp_path)
        assert code == 2 and re.search(words, errors)


def test_the_middle_of_the_range_is_zero_and_a_turn_has_4096_ticks(tmp_path):
    servos, output = imported(tmp_path)
    for name in ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'):
        motor, ticks = MOTORS[name], servos.joints[name].ticks
        middle = 0.5 * (motor['range_min'] + motor['range_max'])
        assert ticks.position(middle) == pytest.approx(0.0, abs=TICK / 10)
        assert ticks.position(middle + 1024) == pytest.approx(pi / 2, abs=TICK / 10)
        assert [tick for tick, _ in ticks.points] == [motor['range_min'], motor['range_max']]
        assert servos.joints[name].homing_offset == motor['homing_offset']
        assert servos.joints[name].model == 'STS3215'
    assert not servos.is_verified and 'Nobody has verified it yet' in output
    assert 'next: arm_ik servos verify my_so101.yaml' in output


def test_the_middle_of_the_range_is_that_of_limits_that_are_not_even(tmp_path):
    code, output, _ = run_tool('import-lerobot', as_json(tmp_path), '--port', '/dev/ttyACM0',
                               '--arm', 'so100', folder=tmp_path)
    assert code == 0, output
    servos = load_servos(tmp_path / 'my_so100.yaml', JOINTS)
    for joint in Arm.preset('so100').model.joints[:4]:
        motor = MOTORS[joint.name]
        assert servos.joints[joint.name].ticks.position(
            0.5 * (motor['range_min'] + motor['range_max'])) == pytest.approx(
                0.5 * (joint.lower + joint.upper), abs=TICK / 10)


def test_the_roll_was_held_in_the_middle_of_its_limits_at_2047(tmp_path):
    servos, output = imported(tmp_path)
    ticks, joint = servos.joints['wrist_roll'].ticks, MODEL.joints[4]
    assert ticks.position(2047) == pytest.approx(ROLL, abs=1e-4)
    assert (ticks.lower, ticks.upper) == pytest.approx((joint.lower, joint.upper), abs=2 * TICK)
    assert 'tick 2047, the pose it was held in, is 2.8 deg' in output


@pytest.mark.parametrize('drive_mode, closed, opened', [(0, 2030, 3500), (1, 3500, 2030)])
def test_the_gripper_goes_from_closed_to_open(tmp_path, drive_mode, closed, opened):
    gripper = imported(tmp_path, gripper={'drive_mode': drive_mode})[0].joints['gripper']
    assert gripper.ticks.position(closed) == pytest.approx(-0.174533)
    assert gripper.ticks.position(opened) == pytest.approx(1.74533)
    assert gripper.max_force == 0.4


def test_drive_mode_has_no_effect_on_degrees_as_in_lerobot(tmp_path):
    plain = imported(tmp_path)[0]
    (tmp_path / 'my_so101.yaml').unlink()
    turned, output = imported(tmp_path, elbow_flex={'drive_mode': 1})
    assert turned.joints['elbow_flex'].ticks.points == plain.joints['elbow_flex'].ticks.points
    assert 'elbow_flex: drive_mode 1 has no effect' in output


def test_a_range_that_misses_an_end_is_told_of(tmp_path):
    assert 'elbow_flex: only 105 of 194 deg were recorded' in imported(
        tmp_path, elbow_flex={'range_max': 2100})[1]


@pytest.mark.parametrize('name, least, most, words', [
    ('elbow_flex', 3, 4090, '359 of 194 deg recorded'),
    ('shoulder_lift', 0, 4095, '360 of 200 deg recorded'),
    ('elbow_flex', 2000, 2100, '9 of 194 deg recorded'),
    ('gripper', 2040, 2055, '1 of 110 deg recorded'),
    ('gripper', 20, 4070, '356 of 110 deg recorded')])
def test_a_range_that_the_joint_cannot_have_is_refused(tmp_path, name, least, most, words):
    code, output, errors = run_tool(
        'import-lerobot', as_json(tmp_path, **{name: {'range_min': least, 'range_max': most}}),
        '--port', '/dev/ttyACM0', folder=tmp_path)
    assert code == 1 and f'{name} ({least}..{most}): {words}' in errors
    assert 'calibrate again' in errors and 'records no range' not in output + errors
    assert list(tmp_path.glob('*.yaml')) == []


def test_an_arm_as_lerobot_left_it_agrees_with_the_file_made_of_its_numbers(held, tmp_path):
    write_into_servos(held)
    servos = imported(tmp_path, '--port', held.port, '--like', patient_example(tmp_path))[0]
    assert not servos.is_verified
    with ToolProcess('verify', 'my_so101.yaml', folder=tmp_path) as tool:
        hold_poses(tool, held)
        assert tool.end() == 0, tool.shown
    assert load_servos(tmp_path / 'my_so101.yaml', JOINTS).is_verified


def test_a_file_that_is_there_is_not_overwritten_unasked(tmp_path):
    (tmp_path / 'my_so101.yaml').write_text('mine\n')
    code, _, errors = run_tool('import-lerobot', as_json(tmp_path), '--port', '/dev/ttyACM0',
                               folder=tmp_path, typed='n\n')
    assert code == 1 and 'not wanted' in errors
    (tmp_path / 'arm.json').write_text('{')
    code, _, errors = run_tool('import-lerobot', 'arm.json', folder=tmp_path)
    assert code == 2 and 'allowed: JSON' in errors     # read before anything is asked
    assert (tmp_path / 'my_so101.yaml').read_text() == 'mine\n'


@pytest.mark.parametrize('text, words', [
    (None, 'No such file or directory'),
    ('{', 'allowed: JSON'),
    ('[]', 'motors by name'),
    ('{"motor_names": ["shoulder_pan"], "homing_offset": [-2048]}', "in LeRobot's old format"),
    ('{"shoulder_pan": {"id": 1}}', 'shoulder_pan.drive_mode is None; allowed: a whole number'),
    (json.dumps({**MOTORS, 'gripper': None}), 'gripper is None'),
    (json.dumps({**MOTORS, 'elbow_flex': {**MOTORS['elbow_flex'], 'range_min': 3500}}),
     'elbow_flex.range_min is 3500'),
    (json.dumps({**MOTORS, 'elbow_flex': {**MOTORS['elbow_flex'], 'id': 2.5}}), 'elbow_flex.id'),
    (json.dumps({**MOTORS, 'elbow_flex': {**MOTORS['elbow_flex'], 'id': 2}}), '2, which'),
    (json.dumps({**MOTORS, 'elbow_flex': {**MOTORS['elbow_flex'], 'homing_offset': 3000}}),
     'elbow_flex.homing_offset'),
])
def test_a_file_that_is_not_lerobots_is_refused(tmp_path, text, words):
    if text is not None:
        (tmp_path / 'arm.json').write_text(text)
    code, _, errors = run_tool('import-lerobot', 'arm.json', '--port', '/dev/ttyACM0',
                               folder=tmp_path)
    assert code == 2 and words in errors
    assert list(tmp_path.glob('*.yaml')) == []


@pytest.mark.parametrize('arguments, words', [
    (['arm.json'], '--port'),
    (['arm.json', '--arm', 'so102'], "did you mean 'so101'?"),
])
def test_what_is_wrong_is_said(tmp_path, arguments, words):
    as_json(tmp_path)
    code, _, errors = run_tool('import-lerobot', *arguments, folder=tmp_path)
    assert code == 2 and words in errors
