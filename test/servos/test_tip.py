# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Tip: where the tip is, by touches of one point on an emulated arm, and in words why not."""

from dataclasses import replace

from arm_ik import Arm, Target
from arm_ik.description.presets import config_directory
from arm_ik.kinematics.model import Tip
from arm_ik.servos.tip import remedy, tip_of
import numpy as np
import pytest
from tool_process import run_tool, ToolProcess
import yaml

pytestmark = pytest.mark.about_time

BARE = Arm(replace(Arm.preset('so101').model, tip=''))
PLACE = np.array([0.02, -0.015, 0.03])
PEN = Arm(replace(BARE.model, tips=(Tip('pen', *PLACE),), tip='pen'))
POINT = np.array([0.22, 0.05, 0.03])
TICK = 2.0 * np.pi / 4096

#: Joint positions near which touches come from all around.
SIDES = [(-0.34, 0.339, -0.317, 1.658, -0.045), (-0.138, -1.745, 1.543, 0.923, -2.064),
         (-0.227, -1.745, 1.54, 0.811, -0.925), (-0.137, 0.218, -0.152, 1.658, -2.091)]


def touch(near):
    """Return positions of the joints with the tip at the point, near others."""
    pose = PEN.forward(near)
    result = PEN.solve(Target(position=POINT, up=pose.up, forward=pose.rotation[:, 0]), near=near,
                       branch_tolerance=(0.001, 0.0349))
    assert np.linalg.norm(PEN.forward(result.q).position - POINT) < 1e-6
    return np.array(result.q)


TOUCHES = [touch(side) for side in SIDES]


def touched(touches):
    pose = BARE.forward(touches)
    return tip_of(pose.rotation, pose.position)


def find(held, mine, touches):
    """Touch, and ask for no more; return the process at its next question or end."""
    tool = ToolProcess('tip', mine.name, '--name', 'pen', folder=mine.parent)
    tool.answer('Do you hold it?')
    for number, q in enumerate(touches, start=1):
        tool.expect(f'Touch {number}: ')
        tool.expect('press Enter')
        for part in (0.8, 1.0):     # a hand that does not move is no touch of its own
            held.hold(dict(zip(BARE.joint_names, part * q)))
            held.be_read(tool)
        tool.type('\n')
        if number >= 3:
            tool.answer('Another touch?', 'y\n' if number < len(touches) else 'n\n')
    return tool


def test_four_touches_with_a_tick_of_noise_tell_a_tip_to_a_millimetre():
    random = np.random.default_rng(1)
    for _ in range(300):
        place, residual, condition, weakest = touched(
            TOUCHES + random.uniform(-TICK, TICK, np.shape(TOUCHES)))
        assert np.linalg.norm(place - PLACE) < 1e-3 and residual < 1e-3
        assert condition < 6.0 and not remedy(condition, weakest)


def test_a_pen_is_found_on_the_bus(held, mine):
    with find(held, mine, TOUCHES) as tool:
        assert not any(held.torque().values())
        tool.expect('tip_names: [pen]')
        assert tool.end() == 0, tool.shown
    found = yaml.safe_load(next(line for line in tool.shown.splitlines() if 'tips: ' in line))
    place = [found['tips']['pen'][axis] for axis in 'xyz']
    assert np.linalg.norm(np.subtract(place, PLACE)) < 1e-3


def test_touches_that_are_alike_are_refused(held, mine):
    with find(held, mine, [TOUCHES[0]] * 3) as tool:
        assert tool.end() == 1
    assert 'too much alike' in tool.shown and 'tip_names' not in tool.shown


@pytest.mark.parametrize('joint, words', [
    ('wrist_roll', 'Tilt it, up or down'), ('wrist_flex', 'Turn the wrist by a quarter turn')])
def test_it_says_how_to_turn_the_hand(joint, words):
    touches = np.array([TOUCHES[1]] * 4)
    touches[:, BARE.joint_names.index(joint)] = -1.0, 0.0, 0.5, 1.0
    *_, condition, weakest = touched(touches)
    assert words in remedy(condition, weakest)[0]


def test_a_name_that_is_taken_is_refused_before_any_touch(mine):
    with ToolProcess('tip', mine.name, '--name', 'gripper_frame_link', folder=mine.parent) as tool:
        assert tool.end() == 2
    assert 'arm.tip_names' in tool.shown and 'hold it' not in tool.shown


def test_an_arm_that_cannot_roll_its_hand_is_told_before_any_touch(tmp_path):
    arm = config_directory() / 'servos' / 'px100.yaml'
    code, shown, errors = run_tool('tip', arm, '--yes', folder=tmp_path)
    assert code == 2 and 'one that rolls its hand' in errors and shown == ''
