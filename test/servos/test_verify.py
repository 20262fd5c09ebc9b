# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Verify: what is written into a servos file that agrees with the arm, and what is said if not."""

from arm_ik.drivers.servos_file import load_servos
from held_arm import hold_poses, JOINTS
import pytest
from tool_process import run_tool, ToolProcess

pytestmark = pytest.mark.about_time

TOOTH = round(4096 / 25)


def verify(path, *more):
    return ToolProcess('verify', path.name, *more, folder=path.parent)


def refusal(path, held, *more):
    """Hold the poses; return what a file that is wrong is refused with."""
    before = path.read_bytes()
    with verify(path, *more) as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held)
        tool.expect('Not verified.')
        assert tool.end() == 1
        tool.expect('mine.yaml is as it was')
    assert path.read_bytes() == before
    return tool.shown[tool.shown.index('Not verified'):]


def test_a_file_that_agrees_is_verified_and_keeps_every_other_byte(held, mine):
    before = mine.read_text()
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held)
        assert tool.end() == 0, tool.shown
    assert 'next: driver_node --arm so101 --servos mine.yaml' in tool.shown
    servos = load_servos(mine, JOINTS)
    assert servos.is_verified
    line = f"      verified: '{servos.fingerprint}'\n"
    assert mine.read_text() == before.replace('      joints:\n', f'{line}      joints:\n')
    assert set(held.torque().values()) == {0}


def test_verified_again_the_old_hash_is_replaced(held, mine):
    text = mine.read_text().replace('      joints:',
                                    '      verified: 00old  # when?\n      joints:')
    mine.write_text(text)
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held)
        assert tool.end() == 0
    fingerprint = load_servos(mine, JOINTS).fingerprint
    assert mine.read_text() == text.replace('00old', f"'{fingerprint}'")


def test_held_within_eight_degrees_it_agrees(held, mine):
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held, off=0.14)
        assert tool.end() == 0


def test_held_eleven_degrees_aside_it_does_not(held, mine):
    with verify(mine) as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held, off=0.192)
        assert tool.end() == 1
    assert 'shoulder_pan (id 1): off by +11, +11, +11 deg' in tool.shown


def test_a_direction_that_is_wrong_is_named(held, mine):
    held.directions[2] = 1
    words = refusal(mine, held)
    assert 'shoulder_lift (id 2)' in words and 'its direction is the wrong one\n' in words
    assert words.count('\n- ') == 1


def test_servos_taken_for_each_other_are_named(held, mine):
    held.ids['wrist_flex'], held.ids['shoulder_pan'] = 1, 4
    words = refusal(mine, held)
    assert 'it is the servo of wrist_flex (id 4) that moved so' in words
    assert 'it is the servo of shoulder_pan (id 1) that moved so' in words


def test_a_horn_one_tooth_aside_is_named(held, mine):
    held.zeros[3] += TOOTH
    words = refusal(mine, held)
    assert 'elbow_flex (id 3): off by +14, +14, +14 deg' in words
    assert 'its zero (one tooth of its horn is 14.4 deg): +164 ticks' in words


def test_a_zero_far_off_is_told_in_ticks(held, mine):
    held.zeros[4] -= 400
    assert 'the same in all poses, so its zero: -400 ticks' in refusal(mine, held)


def test_a_joint_that_was_not_moved_is_told_of(held, mine):
    held.ids['wrist_roll'] = 1      # and nothing moves servo 5
    assert 'wrist_roll (id 5)' in refusal(mine, held)


def test_a_dry_run_writes_nothing(held, mine):
    before = mine.read_bytes()
    with verify(mine, '--dry-run') as tool:
        tool.answer('Do you hold it?')
        hold_poses(tool, held)
        assert tool.end() == 0
    assert 'To be written into mine.yaml: verified:' in tool.shown
    assert mine.read_bytes() == before


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
    assert code == 2 and 'servos.joints.waist' in errors
