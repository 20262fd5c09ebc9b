# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Teach and replay on an emulated bus: what is stored, what is limp, and where the arm goes."""

import sys

from arm_ik.description.presets import config_directory
from arm_ik.description.target_file import load_targets
from arm_ik.testing.servos.sts_servos import written
from held_arm import MODEL
import pytest
from tool_process import ToolProcess

pytestmark = pytest.mark.about_time

#: The register that gives torque.
TORQUE = 40

HOME = dict(zip(MODEL.joint_names, MODEL.home))
ASIDE = {**HOME, 'shoulder_pan': 0.5}


def command(name, mine, *arguments):
    return ToolProcess(folder=mine.parent, program=[
        sys.executable, '-m', 'arm_ik', name, 'poses.yaml', '--servos', mine.name, '--arm',
        'so101', *arguments])


def hold(tool, held, positions, typed):
    """Bring the arm somewhere by hand, and type."""
    tool.expect('press Enter')
    for part in (0.8, 1.0):
        held.hold({name: part * at for name, at in positions.items()})
        held.be_read(tool)
    tool.type(f'{typed}\n')


def taught(held, mine):
    with command('teach', mine) as tool:
        tool.answer('Do you hold it?')
        hold(tool, held, {**HOME, 'gripper': 0.0}, '')
        tool.expect('pose 1: stored')
        assert not any(held.torque().values())
        hold(tool, held, {**ASIDE, 'gripper': 1.0}, 'aside')
        tool.expect('aside: stored')
        tool.interrupt()
        assert tool.end() == 130
    assert not any(held.torque().values())
    assert 'the arm is limp' in tool.shown
    return mine.parent / 'poses.yaml'


def test_poses_are_stored_as_a_target_file_and_ctrl_c_leaves_the_arm_limp(held, mine):
    one, other = load_targets(taught(held, mine)).steps
    assert (one.name, other.name) == ('pose 1', 'aside')
    for step, pose in ((one, HOME), (other, ASIDE)):
        assert step.joints == pytest.approx(pose, abs=2e-3)
    assert one.opening < 0.2 and 0.5 < other.opening < 0.8


def test_no_servo_gets_torque_before_a_hand_moves_the_arm(held, mine):
    held.bus.do('requests')
    with command('teach', mine) as tool:
        tool.answer('Do you hold it?')
        tool.expect('press Enter')
        sent = [written(bytes.fromhex(request)) for request in held.bus.do('requests')]
        tool.interrupt()
        assert tool.end() == 130
    torques = [data[TORQUE - address] for address, blocks in filter(None, sent)
               for data in blocks.values() if address <= TORQUE < address + len(data)]
    assert torques and not any(torques)


def test_a_pose_is_tried_replaced_and_deleted_and_the_arm_is_limp_again_in_a_hand(held, mine):
    path = taught(held, mine)
    with command('teach', mine) as tool:
        tool.answer('Do you hold it?')
        hold(tool, held, HOME, 'go aside')
        tool.answer('Is there room around the arm?')
        tool.expect('at rest')
        assert held.position('shoulder_pan') == pytest.approx(0.5, abs=0.02)
        assert all(held.torque().values())
        tool.answer('Do you hold it?')
        hold(tool, held, {**ASIDE, 'shoulder_pan': 0.3}, 'aside')
        assert not any(held.torque().values())
        tool.expect('aside: stored')
        hold(tool, held, HOME, 'delete pose 1')
        hold(tool, held, ASIDE, 'list')
        tool.expect('aside')
        tool.interrupt()
        assert tool.end() == 130
    step, = load_targets(path).steps
    assert step.joints['shoulder_pan'] == pytest.approx(0.3, abs=2e-3)


def test_a_replay_goes_slowly_through_the_poses_and_holds(held, mine):
    taught(held, mine)
    held.hold({name: at + 0.04 for name, at in HOME.items()})
    with command('replay', mine, '--speed', '2') as tool:
        tool.answer('Is there room around the arm?')
        tool.expect('at rest')
        assert tool.end() == 0, tool.shown
    assert held.position('shoulder_pan') == pytest.approx(0.5, abs=0.02)
    assert held.position('gripper') == pytest.approx(1.0, abs=0.1)
    assert all(held.torque().values())


def test_ctrl_c_brakes_a_replay_to_rest_on_its_path(held, mine):
    taught(held, mine)
    held.hold(HOME)
    with command('replay', mine, '--speed', '0.2') as tool:
        tool.answer('Is there room around the arm?')
        while held.position('shoulder_pan') < 0.1:
            tool.look()
        tool.interrupt()
        assert tool.end() == 130, tool.shown
        at = held.position('shoulder_pan')
    assert 0.1 <= at < 0.4 and held.position('shoulder_pan') == pytest.approx(at, abs=2e-3)
    assert 'holds where it came to rest' in tool.shown


def test_servos_that_measure_nothing_cannot_be_taught(tmp_path):
    file = config_directory() / 'servos' / 'braccio.yaml'
    with ToolProcess(folder=tmp_path, program=[sys.executable, '-m', 'arm_ik', 'teach', 'x.yaml',
                                               '--servos', str(file)]) as tool:
        assert tool.end() == 1
    assert 'measure nothing' in tool.shown and not (tmp_path / 'x.yaml').exists()
