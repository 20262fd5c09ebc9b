# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Verify: what is written into a servos file that agrees with the arm, and what is said if not."""

import json
from math import pi

from arm_ik.drivers.servos_file import load_servos
from arm_ik.errors import InvalidArmError
from arm_ik.servos import verify as verify_tool
from arm_ik.servos.arguments import write_verified
from arm_ik.servos.named_poses import named_poses
from held_arm import hold_poses, JOINTS, MODEL
import pytest
from tool_process import run_tool, ToolProcess
import yaml

pytestmark = pytest.mark.about_time

TOOTH = round(4096 / 25)


def verify(path, *more):
    return ToolProcess('verify', path.name, *more, folder=path.parent)


def verified(path, held, *more, off=0.0):
    """Hold the poses; return the exit code and what was shown."""
    with verify(path, *more) as tool:
        hold_poses(tool, held, off)
        return tool.end(), tool.shown


def test_a_file_that_agrees_is_verified_and_keeps_every_other_byte(held, mine):
    before = mine.read_text()
    held.bus.do('write', servo_id=3, address=40, value=1)
    code, shown = verified(mine, held)
    assert code == 0 and 'next: driver_node --arm so101 --servos mine_so101.yaml' in shown, shown
    servos = load_servos(mine, JOINTS)
    assert servos.is_verified
    line = f"      verified: '{servos.fingerprint}'\n"
    assert mine.read_text() == before.replace('      joints:\n', f'{line}      joints:\n')
    assert set(held.torque().values()) == {0}


def test_verified_again_the_old_hash_is_replaced(held, mine):
    text = mine.read_text().replace('      joints:',
                                    '      verified: 00old  # when?\n      joints:')
    mine.write_text(text)
    assert verified(mine, held)[0] == 0
    fingerprint = load_servos(mine, JOINTS).fingerprint
    assert mine.read_text() == text.replace('00old', f"'{fingerprint}'")


def test_a_file_that_does_not_agree_is_refused_and_stays(held, mine):
    before = mine.read_bytes()
    code, shown = verified(mine, held, off=0.192)
    assert code == 1 and 'shoulder_pan (id 1): off by +11, +11, +11 deg' in shown
    assert 'mine_so101.yaml stays as it is' in shown and mine.read_bytes() == before


def test_a_zero_that_is_off_is_told_with_numbers(held, mine):
    held.zeros[3] += 91
    held.zeros[2] += 23
    code, shown = verified(mine, held)
    lines = [line.split() for line in shown.splitlines()]
    assert ['elbow_flex', '+8.0', '+8.0', 'deg'] in lines
    assert ['shoulder_lift', '-2.0', '-2.0', 'deg'] in lines
    assert code == 1 and 'its zero: +91 ticks' in shown and shown.count('its zero') == 1


def test_a_joint_that_does_not_answer_is_not_said_to_be_right():
    pose = named_poses(MODEL)[0]
    at = {name: position for name, position in pose.positions.items() if name != 'wrist_flex'}
    rows = [line.split() for line in verify_tool.compared(MODEL, pose, 0.1, at)]
    assert {row[0]: row[-1] for row in rows[1:]} == {**dict.fromkeys(JOINTS, 'ok'),
                                                     'wrist_flex': 'deg'}


def test_a_file_of_windows_keeps_its_lines(mine):
    text = mine.read_bytes().replace(b'\n', b'\r\n')
    mine.write_bytes(b'# joints:\r\n' + text)
    line = load_servos(mine, JOINTS).fingerprint.encode()
    for _ in range(2):      # then the line is there
        write_verified(mine, line.decode(), JOINTS)
        assert mine.read_bytes() == b'# joints:\r\n' + text.replace(
            b'      joints:', b"      verified: '" + line + b"'\r\n      joints:")


def test_the_line_goes_into_the_servos_of_a_file_that_has_the_arm_too(mine):
    before, _, servos = mine.read_text().partition('    servos:')
    arm = '    arm:\n      joints: {a: {verified: 1}}\n'
    mine.write_text(f'{before}{arm}    servos:{servos}')
    write_verified(mine, load_servos(mine, JOINTS).fingerprint, JOINTS)
    assert load_servos(mine, JOINTS).is_verified and arm in mine.read_text()


def test_a_file_in_which_the_line_does_not_count_stays_as_it_was(mine):
    text = mine.read_text() + '/**/**:\n  ros__parameters:\n    servos: {verified: other}\n'
    mine.write_text(text)
    with pytest.raises(InvalidArmError, match='does not count'):
        write_verified(mine, load_servos(mine, JOINTS).fingerprint, JOINTS)
    assert mine.read_text() == text


def test_a_block_in_one_line_is_not_written_into(mine):
    mine.write_text(text := json.dumps(yaml.safe_load(mine.read_text())))
    with pytest.raises(InvalidArmError, match='above joints, by hand'):
        write_verified(mine, load_servos(mine, JOINTS).fingerprint, JOINTS)
    assert mine.read_text() == text


def complaints(mine, off=0.0, within=verify_tool.TOLERANCE, **changed):
    """Return what is said of an arm held as drawn whose readings are changed: name=function."""
    servos = load_servos(mine, JOINTS)
    poses = named_poses(MODEL)
    readings = [{name: changed.get(name, lambda pose, name=name: pose[name])(pose.positions) + off
                 for name in pose.positions} for pose in poses]
    return verify_tool.complaints(
        verify_tool.judged(MODEL, servos, poses, readings, within), servos)


def test_how_far_joints_may_be_off_can_be_said(mine):
    assert complaints(mine, off=0.14) == []
    assert len(complaints(mine, off=-0.192)) == len(JOINTS)
    assert len(complaints(mine, off=0.06, within=0.0524)) == len(MODEL.joints)
    assert complaints(mine, off=0.05, within=0.0524) == []


def radians_of(ticks):
    return ticks * 2.0 * pi / 4096


@pytest.mark.parametrize('changed, words', [
    ({'shoulder_lift': lambda pose: -pose['shoulder_lift']},
     ['shoulder_lift (id 2): off by', 'its direction is the wrong one']),
    ({'wrist_flex': lambda pose: -pose['wrist_flex'] + 1.0},
     ['wrist_flex (id 4): off by', 'its direction is the wrong one, and its zero is off, too']),
    ({'wrist_flex': lambda pose: pose['shoulder_pan'],
      'shoulder_pan': lambda pose: pose['wrist_flex']},
     ['it is the servo of wrist_flex (id 4) that moved so',
      'it is the servo of shoulder_pan (id 1) that moved so']),
    ({'wrist_flex': lambda pose: -pose['shoulder_pan'],
      'shoulder_pan': lambda pose: -pose['wrist_flex']},
     ['it is the servo of wrist_flex (id 4) that moved so',
      'it is the servo of shoulder_pan (id 1) that moved so']),
    ({'elbow_flex': lambda pose: pose['elbow_flex'] + radians_of(TOOTH)},
     ['elbow_flex (id 3): off by +14, +14, +14 deg',
      'its zero (one tooth of its horn is 14.4 deg): +164 ticks']),
    ({'wrist_flex': lambda pose: pose['wrist_flex'] - radians_of(400)},
     ['the same in all poses, so its zero: -400 ticks']),
    ({'wrist_roll': lambda pose: 0.0},
     ['wrist_roll (id 5)', 'it moved very little: is this id the servo of another joint?'])],
    ids=['direction', 'direction and zero', 'taken for each other',
         'taken for each other, turned round', 'tooth', 'zero', 'not moved'])
def test_what_is_wrong_with_a_joint_is_named(mine, changed, words):
    said = complaints(mine, **changed)
    assert len(said) == len(changed)
    for each in words:
        assert each in '\n'.join(said)
    assert ('its zero' in '\n'.join(said)) == ('its zero' in '\n'.join(words))


def test_servos_other_than_the_file_means_are_refused_before_the_torque_goes(held, mine):
    held.bus.do('write', servo_id=3, address=40, value=1)
    mine.write_text(mine.read_text().replace('model: STS3215', 'model: STS3250', 1))
    code, _, errors = run_tool('verify', mine.name, folder=mine.parent)
    assert code == 1
    assert 'shoulder_pan (id 1) is a STS3215; the servos file says STS3250' in errors
    assert 'no servo was touched' in errors and held.torque()[3] == 1


def test_a_servo_that_is_gone_is_named(held, mine):
    held.bus.do('servo', servo_id=4, present=False)
    code, _, errors = run_tool('verify', mine.name, folder=mine.parent)
    assert code == 1 and 'wrist_flex (id 4) does not answer' in errors


def test_unplugged_meanwhile_it_ends_and_says_so(held, mine):
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        tool.expect('press Enter')
        held.bus.do('unplug')
        assert tool.end() == 1
    assert 'is missing or has failed' in tool.shown and 'no file was written' in tool.shown
    held.bus.do('plug')


def test_terminated_it_says_how_the_arm_is_left(held, mine):
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        tool.expect('press Enter')
        tool.interrupt(15)
        assert tool.end() == 130
    assert 'the torque is off: the arm is limp' in tool.shown


@pytest.mark.parametrize('text, words', [
    (None, 'No such file'),
    ('a: 1\n', 'sections such as'),
    ('/**: {ros__parameters: {arm_name: so101}}\n', 'servos.joints'),
    ('/**: {ros__parameters: {servos: {backend: feetech, port: x, joints: {a: {id: 1}}}}}\n',
     '--arm'),
])
def test_a_file_that_is_none_is_refused(tmp_path, text, words):
    if text is not None:
        (tmp_path / 'mine.yaml').write_text(text)
    code, _, errors = run_tool('verify', 'mine.yaml', folder=tmp_path)
    assert code == 2 and words in errors and errors.count('\n') == 2


def test_an_arm_of_that_name_with_other_joints_is_refused(mine):
    code, _, errors = run_tool('verify', mine.name, '--arm', 'px100', folder=mine.parent)
    assert code == 2 and 'servos.joints.shoulder_pan' in errors
