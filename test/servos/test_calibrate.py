# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Calibrate: an arm moved by hand through the poses drawn, and what stands in its servos file."""

from arm_ik import Arm
from arm_ik.description.presets import config_directory
from arm_ik.drivers.servos_file import JointTicks, load_servos
from arm_ik.servos import calibrate as calibrate_tool
from arm_ik.servos.named_poses import named_poses
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL
from held_arm import be_read, ENDS, hold_poses, JOINTS, MODEL, patient_example, POSES
import pytest
from tool_process import run_tool, ToolProcess
import yaml

pytestmark = pytest.mark.about_time


def move_to_ends(tool, held, ends=None):
    """Move each joint of the chain to both of its ends."""
    tool.expect('to both of its ends')
    for name, (lower, upper) in (ends or ENDS).items():
        if name == 'gripper':
            continue
        for at in (0.5 * lower, lower, 0.5 * lower, 0.5 * (lower + upper), 0.5 * upper, upper):
            held.hold({name: at})
            held.be_read(tool)
    tool.type('\n')


def go_through(tool, held, ends=None):
    """Go through the poses, then to the ends."""
    hold_poses(tool, held)
    move_to_ends(tool, held, ends)


def calibrate(held, folder, *more, patience=0.15):
    return ToolProcess('calibrate', 'so101', '--port', held.port, '--like',
                       patient_example(folder, patience=patience), *more, folder=folder)


def test_an_arm_moved_by_hand_gets_its_servos_file(held, tmp_path):
    eeproms = held.eeproms()
    held.bus.do('write', servo_id=3, address=40, value=1)
    with calibrate(held, tmp_path) as tool:
        go_through(tool, held)
        assert tool.end() == 0, tool.shown
    assert 'next: arm_ik servos verify my_so101.yaml' in tool.shown
    servos = load_servos(tmp_path / 'my_so101.yaml', JOINTS)
    assert not servos.is_verified
    for joint in MODEL.joints:
        ticks = servos.joints[joint.name].ticks
        for at in (-0.5, 0.0, 0.5):
            assert ticks.position(held.tick(joint.name, at)) == pytest.approx(at, abs=2e-3)
        assert (ticks.lower, ticks.upper) == pytest.approx(ENDS[joint.name], abs=4e-3)
        assert servos.joints[joint.name].homing_offset == 0
    gripper = servos.joints['gripper'].ticks
    closed, opened = (held.tick('gripper', at) for at in (-0.174533, 1.74533))
    assert gripper.position(closed) == pytest.approx(-0.174533, abs=2e-3)
    assert gripper.position(opened) == pytest.approx(1.74533, abs=2e-3)
    assert servos.joints['gripper'].max_force == 0.4
    assert held.eeproms() == eeproms
    assert set(held.torque().values()) == {0}


def test_of_a_linkage_the_sum_of_both_joints_is_found(held, tmp_path):
    """The servo of the elbow turns the sum of elbow and shoulder."""
    poses, at = named_poses(MODEL, {'elbow_flex': 'shoulder_lift'}), {}
    hold, like = held.hold, patient_example(tmp_path)

    def hold_linked(positions, off=0.0):
        at.update(positions)
        hold({**{name: at[name] for name in JOINTS},
              'elbow_flex': at['elbow_flex'] + at['shoulder_lift']}, off)
    held.hold = hold_linked
    block = yaml.safe_load(like.read_text())
    block['/**']['ros__parameters']['servos']['joints']['elbow_flex'] = {
        'id': 3, 'zero': 2047, 'direction': 1, 'lower_tick': 300, 'upper_tick': 3800,
        'plus': 'shoulder_lift'}
    like.write_text(yaml.safe_dump(block))
    with ToolProcess('calibrate', 'so101', '--port', held.port, '--like', like,
                     folder=tmp_path) as tool:
        hold_poses(tool, held, poses=poses, all_poses=poses)
        held.hold(MODEL.all_home)
        move_to_ends(tool, held)
        assert tool.end() == 0, tool.shown
    servo = load_servos(tmp_path / 'my_so101.yaml', JOINTS).joints['elbow_flex']
    assert servo.plus == 'shoulder_lift'
    for total in (-0.5, 0.0, 0.5):
        assert servo.ticks.position(held.tick('elbow_flex', total)) == pytest.approx(
            total, abs=2e-3)


def test_servos_taken_for_each_other_are_named_and_nothing_is_written(held, tmp_path):
    held.ids['shoulder_lift'], held.ids['elbow_flex'] = 3, 2
    with calibrate(held, tmp_path) as tool:
        hold_poses(tool, held)
        tool.expect('These joints do not fit the drawings, and are asked for again:')
        tool.expect('- shoulder_lift (id 2) turned ')
        tool.expect('- elbow_flex (id 3) turned 0 deg from pose 1 to 3, drawn are -90 deg')
        tool.expect("is that the id of another joint's servo?")
        tool.expect('Pose 3 of 3')
        tool.interrupt()
        assert tool.end() == 130
    assert 'the torque is off: the arm is limp; no file was written' in tool.shown
    assert list(tmp_path.glob('*.yaml')) == []


def hold_pose(tool, held, number, keys='\n', **off):
    """Wait for a pose, hold it with some joints off [rad], and press keys."""
    tool.expect(f'Pose {number} of 3')
    tool.expect('press Enter')
    for part in (0.5, 1.0):
        held.hold({name: part * (at + off.get(name, 0.0))
                   for name, at in POSES[number - 1].positions.items()})
        held.be_read(tool)
    tool.type(keys)


def zeros_found(held, path):
    """Return how far each zero of a servos file is from the true one [ticks]."""
    servos = load_servos(path, JOINTS).joints
    return {joint.name: servos[joint.name].ticks.tick(0.0) + servos[joint.name].homing_offset
            - held.zeros[held.ids[joint.name]] for joint in MODEL.joints}


def test_a_joint_too_far_is_asked_for_again_at_once_and_alone(held, tmp_path):
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?')
        hold_pose(tool, held, 1)
        hold_pose(tool, held, 2, elbow_flex=0.3, gripper=-1.8)
        tool.expect('- elbow_flex (id 3) turned -73 deg from pose 1 to 2, drawn are -90 deg')
        tool.expect('- gripper (id 6) turned ')
        hold_pose(tool, held, 2, wrist_flex=0.4)        # that one was right, and counts no more
        hold_pose(tool, held, 3)
        move_to_ends(tool, held)
        assert tool.end() == 0, tool.shown
    assert max(map(abs, zeros_found(held, tmp_path / 'my_so101.yaml').values())) < 2


def test_enter_pressed_twice_is_one_enter(held, tmp_path):
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?', 'y\n\n')
        for number in (1, 2, 3):
            hold_pose(tool, held, number, '\n\n')
            tool.type('\n')
        move_to_ends(tool, held)
        assert tool.end() == 0, tool.shown
    assert 'do not fit' not in tool.shown and 'Less than half' not in tool.shown
    assert max(map(abs, zeros_found(held, tmp_path / 'my_so101.yaml').values())) < 2


def test_one_pose_or_one_joint_is_held_again_without_the_others(held, tmp_path):
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?')
        hold_pose(tool, held, 1)
        hold_pose(tool, held, 2, shoulder_pan=0.1)
        hold_pose(tool, held, 3, 'b\n')
        hold_pose(tool, held, 2, wrist_roll=0.12)
        hold_pose(tool, held, 3, 'wrist_roll\n')
        for number in (1, 2, 3):
            hold_pose(tool, held, number)
        tool.answer('press Enter', 'b\n')
        hold_pose(tool, held, 3)
        move_to_ends(tool, held)
        assert tool.end() == 0, tool.shown
    assert max(map(abs, zeros_found(held, tmp_path / 'my_so101.yaml').values())) < 2


def test_a_pose_held_still_is_taken_and_a_wrong_one_is_not(held, tmp_path):
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?')
        hold_pose(tool, held, 1, '')
        tool.expect('held still: taken in 1.')
        hold_pose(tool, held, 2, '', elbow_flex=0.3)
        for _ in range(40):     # longer than that takes
            held.be_read(tool)
        assert 'Pose 3 of 3' not in tool.shown
        held.hold(POSES[1].positions)
        tool.expect('held still: taken in 1.')
        tool.expect('Pose 3 of 3')


def test_limits_that_leave_no_range_are_named_with_what_mends_them(held, tmp_path):
    for address, value in ((9, 0), (11, 34)):
        held.bus.do('write', servo_id=4, address=address, value=value)
    with calibrate(held, tmp_path) as tool:
        go_through(tool, held)
        tool.expect('wrist_flex: its EEPROM lets it go only from tick 0 to 34; arm_ik servos set')
        assert tool.end() == 2
    assert 'servos.joints.wrist_flex' in tool.shown
    ram = held.bus.do('state', servo_id=4)['ram']
    assert ram[9:13] == [0, 0, 34, 0] and not list(tmp_path.glob('*.yaml'))


def test_a_joint_moved_by_little_is_told_of(held, tmp_path):
    with calibrate(held, tmp_path) as tool:
        go_through(tool, held, {**ENDS, 'wrist_flex': (-0.1, 0.1)})
        tool.expect('wrist_flex (94 of 190 deg)')
        tool.answer('Go on moving?')
        move_to_ends(tool, held, {'wrist_flex': ENDS['wrist_flex']})
        assert tool.end() == 0
    ticks = load_servos(tmp_path / 'my_so101.yaml', JOINTS).joints['wrist_flex'].ticks
    assert (ticks.lower, ticks.upper) == pytest.approx(ENDS['wrist_flex'], abs=4e-3)


def calibrated(held):
    """Return the registers of wrist_flex that its calibration is about, as its EEPROM has them."""
    eeprom = held.bus.do('state', servo_id=4)['eeprom']
    return [eeprom[address] | eeprom[address + 1] << 8 for address in (9, 11, 31)]


def hold_over_the_jump(tool, held):
    """Calibrate with the jump within the range of wrist_flex, as far as the question."""
    go_through(tool, held)
    tool.expect("Over the servo's jump from 4095 to 0: wrist_flex (id 4).")
    tool.expect('homing offset')
    tool.expect("LeRobot's does not fit this arm any more")
    tool.expect('Write that into the EEPROM of 1 servos?')


def test_a_joint_over_the_jump_is_given_an_offset_and_limits_and_they_can_be_taken_back(
        held, tmp_path):
    held.zeros[4] = 300
    before = held.eeproms()
    others = [each for at, each in enumerate(held.eeproms()) if at != 3]
    with calibrate(held, tmp_path) as tool:
        hold_over_the_jump(tool, held)
        assert held.eeproms() == before
        tool.type('y\n')
        assert tool.end() == 0, tool.shown
    servo = load_servos(tmp_path / 'my_so101.yaml', JOINTS).joints['wrist_flex']
    assert abs(servo.homing_offset - (300 - 2047)) < 5
    for at in (-1.5, 0.0, 1.5):
        assert servo.ticks.position(300 + at * held.scales[4] - servo.homing_offset) \
            == pytest.approx(at, abs=4e-3)
    state = held.bus.do('state', servo_id=4)
    assert calibrated(held) == [servo.ticks.points[0][0] - 34, servo.ticks.points[-1][0] + 34,
                                0x800 | -servo.homing_offset]
    assert (state['ram'][55], state['torque']) == (1, False)
    assert [each for at, each in enumerate(held.eeproms()) if at != 3] == others
    backup, = tmp_path.glob('servos_backup_*.yaml')
    code, shown, errors = run_tool('restore', backup.name, folder=tmp_path, typed='y\n')
    assert (code, errors) == (0, '') and calibrated(held) == [0, 4095, 0], shown
    assert run_tool('restore', backup.name, folder=tmp_path)[1].endswith('Nothing was written.\n')


def test_without_a_yes_nothing_is_written_and_after_lost_power_there_is_a_way_back(
        held, tmp_path):
    held.zeros[4] = 300
    before = held.eeproms()
    with calibrate(held, tmp_path) as tool:
        hold_over_the_jump(tool, held)
        tool.type('n\n')
        assert tool.end() == 1
    assert held.eeproms() == before and not list(tmp_path.glob('*.yaml'))
    with calibrate(held, tmp_path, patience=0.05) as tool:     # nobody answers in the end
        hold_over_the_jump(tool, held)
        held.bus.do('cut', writes=6)
        tool.type('y\n')
        assert tool.end() == 1
    backup, = tmp_path.glob('servos_backup_*.yaml')
    assert f'arm_ik servos restore {backup.name}' in tool.shown
    held.bus.do('power_cycle')
    held.bus.do('write', servo_id=4, address=31, value=77)
    assert run_tool('restore', backup.name, folder=tmp_path, typed='y\n')[0] == 0
    state = held.bus.do('state', servo_id=4)
    assert calibrated(held) == [0, 4095, 0] and state['ram'][55] == 1
    assert not state['torque']


def interrupt_the_writing(tool, held):
    """Press Ctrl-C while an EEPROM is unlocked."""
    held.bus.fault('late', seconds=0.03)
    tool.type('y\n')
    while held.bus.do('state', servo_id=4)['ram'][55]:
        tool.look()
    tool.interrupt()
    assert tool.end() == 130, tool.shown
    held.bus.do('clear')


def assert_is_defined(held):
    """Locked, limp, and with a goal where it stands."""
    state = held.bus.do('state', servo_id=4)
    assert (state['ram'][55], state['torque']) == (1, False)


def test_ctrl_c_waits_for_the_eeprom_and_the_same_command_needs_none_then(held, tmp_path):
    held.zeros[4] = 300
    with calibrate(held, tmp_path) as tool:
        hold_over_the_jump(tool, held)
        interrupt_the_writing(tool, held)
    backup, = tmp_path.glob('servos_backup_*.yaml')
    assert f'EEPROMs were written whole, {backup.name} says what was there' in tool.shown
    assert abs(held.offset('wrist_flex') + 1747) < 5
    assert_is_defined(held)
    with calibrate(held, tmp_path) as tool:
        go_through(tool, held)
        assert tool.end() == 0, tool.shown
    servo = load_servos(tmp_path / 'my_so101.yaml', JOINTS).joints['wrist_flex']
    assert calibrated(held)[:2] == [servo.ticks.points[0][0] - 34, servo.ticks.points[-1][0] + 34]
    with ToolProcess('restore', backup.name, folder=tmp_path) as tool:
        tool.expect('Write it into the EEPROM of 1 servos?')
        interrupt_the_writing(tool, held)
    assert calibrated(held) == [0, 4095, 0]
    assert_is_defined(held)


def test_replies_lost_while_an_eeprom_is_written_cost_time_and_nothing_else(held, tmp_path):
    held.zeros[4] = 300
    with calibrate(held, tmp_path) as tool:
        hold_over_the_jump(tool, held)
        held.bus.fault('lost', p=0.3)
        tool.type('y\n')
        tool.expect('Written and read back.')
    assert_is_defined(held)
    assert abs(held.offset('wrist_flex') + 1747) < 5


def test_usb_pulled_at_enter_or_while_writing_ends_with_words_on_the_arm(held, tmp_path):
    held.zeros[4] = 300
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?')
        tool.expect('press Enter')
        held.bus.do('unplug')
        tool.type('\n')
        assert tool.end() == 1
    for words in ('is the adapter plugged in?', 'the torque is off: the arm is limp'):
        assert words in tool.shown
    held.bus.do('plug')
    with calibrate(held, tmp_path) as tool:
        hold_over_the_jump(tool, held)
        held.bus.fault('late', seconds=0.03)
        tool.type('y\n')
        while held.bus.do('state', servo_id=4)['ram'][55]:
            tool.look()
        held.bus.do('unplug')
        assert tool.end() == 1
    backup, = tmp_path.glob('servos_backup_*.yaml')
    assert f'an EEPROM may be written in part: arm_ik servos restore {backup.name}' in tool.shown
    held.bus.do('plug')
    held.bus.do('clear')
    assert not any(held.torque().values())
    assert run_tool('restore', backup.name, folder=tmp_path, typed='y\n')[0] == 0
    assert calibrated(held) == [0, 4095, 0]


def test_a_servo_silent_at_enter_is_waited_for(held, tmp_path):
    with calibrate(held, tmp_path, patience=0.05) as tool:
        tool.answer('Do you hold it?')
        tool.expect('press Enter')
        held.bus.do('servo', servo_id=3, present=False)
        held.be_read(tool)
        tool.type('\n')
        tool.expect('No answer: elbow_flex. Look at the cables')
        held.bus.do('servo', servo_id=3, present=True)
        tool.expect('Pose 2 of 3')


def test_the_jump_the_eeprom_and_its_offset_come_into_the_file(
        held, tmp_path):
    for address, value in ((9, 1000), (11, 3000), (31, 0x800 | 12)):
        held.bus.do('write', servo_id=2, address=address, value=value)
    held.hold({'wrist_roll': -2.95})    # the first reading is beyond the jump
    with calibrate(held, tmp_path) as tool:
        go_through(tool, held, {**ENDS, 'wrist_roll': (-3.08, 3.19)})
        tool.expect('shoulder_lift: its EEPROM lets it go only from tick 1000 to 3000')
        tool.expect("wrist_roll: it was turned beyond the servo's jump from 4095 to 0")
        assert tool.end() == 0
    for words in ('lower_tick: 1000, upper_tick: 3000,', 'homing_offset: -12',
                  'lower_tick: 120, upper_tick: 4095,'):
        assert words in (tmp_path / 'my_so101.yaml').read_text()


def test_a_file_that_is_there_is_not_overwritten_unasked(held, tmp_path):
    (tmp_path / 'my_so101.yaml').write_text('mine\n')
    with calibrate(held, tmp_path) as tool:
        tool.answer('my_so101.yaml is there already. Write over it in the end?', 'n\n')
        assert tool.end() == 1
    assert 'no servo was touched' in tool.shown
    assert (tmp_path / 'my_so101.yaml').read_text() == 'mine\n'


def test_without_a_yes_the_torque_stays_on(held, tmp_path):
    held.bus.do('write', servo_id=3, address=40, value=1)
    with calibrate(held, tmp_path) as tool:
        tool.answer('Do you hold it?', '\n')
        assert tool.end() == 1
    assert held.torque()[3] == 1


def test_the_end_of_the_input_is_an_error_and_no_endless_loop(held, tmp_path):
    code, _, errors = run_tool('calibrate', 'so101', '--port', held.port, '--like',
                               patient_example(tmp_path), folder=tmp_path, typed='y\n\n')
    assert code == 2 and 'the end of the input' in errors
    assert 'the arm is limp; no file was written' in errors
    assert list(tmp_path.glob('*.yaml')) == []


def test_servos_that_are_not_there_are_all_named(held, tmp_path):
    for servo_id in (2, 5):
        held.bus.do('servo', servo_id=servo_id, present=False)
    code, _, errors = run_tool('calibrate', 'so101', '--port', held.port, folder=tmp_path)
    assert code == 1
    assert 'shoulder_lift (id 2) does not answer; wrist_roll (id 5) does not answer' in errors


def test_two_servos_with_one_id_are_told_of(held, tmp_path):
    held.bus.do('add', servo_id=3, position=900)
    code, _, errors = run_tool('calibrate', 'so101', '--port', held.port, folder=tmp_path)
    assert code == 1
    assert 'elbow_flex (id 3) answers, but garbled: two servos with this id' in errors


@pytest.mark.parametrize('arguments, words', [
    (['so102'], "did you mean 'so101'?"),
    (['simple', '--port', 'x'], '--like'),
    (['so101', '--port', '/dev/ttyNONE'], 'no port /dev/ttyNONE'),
    (['so101', '--like', 'nowhere.yaml'], 'nowhere.yaml'),
])
def test_what_is_wrong_is_said_before_anything_is_done(tmp_path, arguments, words):
    code, _, errors = run_tool('calibrate', *arguments, folder=tmp_path)
    assert code in (1, 2) and words in errors and 'no servo was touched' in errors


def test_a_gripper_with_a_horn_keeps_its_curve_between_its_own_ends():
    model = Arm.preset('px100').model
    finger, = model.extra_joints
    example = load_servos(config_directory() / 'servos' / 'px100.yaml',
                          [*model.joint_names, finger.name]).joints[finger.name].ticks
    found = calibrate_tool.curve(example, finger, 3000, 2000)
    mine = JointTicks(found['ticks'], found['positions'])
    assert (mine.tick(finger.closed), mine.tick(finger.open)) == (3000, 2000)
    closed, opened = example.tick(finger.closed), example.tick(finger.open)
    for part in (0.2, 0.5, 0.8):
        assert mine.position(3000 - 1000 * part) == pytest.approx(
            example.position(closed + part * (opened - closed)), abs=2e-5)


@pytest.mark.parametrize('bus', [DYNAMIXEL, AX12], ids=lambda bus: bus.name)
def test_an_arm_is_calibrated_and_its_example_comes_out(bus, tmp_path):
    patient_example(tmp_path, bus.arm)
    with bus.emulated(tmp_path) as emulated, ToolProcess(
            'calibrate', bus.arm, '--port', emulated.port, '--like', 'like.yml', '--output',
            'my.yaml', folder=tmp_path) as tool:
        tool.answer('Do you hold it?')

        def hold(positions):
            for name, servo_id in bus.ids.items():
                if name in positions:
                    emulated.do('push', servo_id=servo_id,
                                position=round(bus.tick(name, positions[name])))
            be_read(emulated, 5 * len(bus.ids), tool)

        for number, pose in enumerate(named_poses(bus.model), start=1):
            tool.expect(f'Pose {number} of 3')
            tool.expect('press Enter')
            hold({name: 0.5 * position for name, position in pose.positions.items()})
            hold(pose.positions)
            tool.type('\n')
        tool.expect('to both of its ends')
        for part in (0.0, 0.3, 0.6, 0.9, 0.0, -0.3, -0.6, -0.9):
            hold({joint.name: part * min(joint.upper, -joint.lower) for joint in bus.model.joints})
        tool.type('\n')
        assert tool.end() == 0, tool.shown
    mine = load_servos(tmp_path / 'my.yaml', bus.joints)
    for name in bus.ids:
        for tick in (0.4 * bus.last_tick, 0.6 * bus.last_tick):
            assert mine.joints[name].ticks.position(tick) == pytest.approx(
                bus.position(name, tick), abs=0.01)
        assert mine.joints[name].drive_mode == bus.file.joints[name].drive_mode
