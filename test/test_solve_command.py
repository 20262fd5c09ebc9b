# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command ``arm_ik solve``: what it prints, and its exit codes."""

import json

from arm_ik import Arm, Solution, Target
from arm_ik.__main__ import main
from arm_ik.description import preset_path
import numpy as np
import pytest
from urdf_judge import UrdfJudge

DOWN = ['so101', '--position', '0.20', '0.05', '0.05', '--up', '0', '0', '-1']


def solve(capsys, *args):
    """Run the command; return exit code, output and errors."""
    code = main(['solve', *args])
    return code, *capsys.readouterr()


@pytest.mark.parametrize('tip', ['', 'gripper_frame_link'])
def test_the_json_has_the_names_of_a_solution_and_positions_by_joint(capsys, tip):
    arm = Arm.preset('so101', tip=tip)
    code, output, errors = solve(capsys, *DOWN, '--tip', tip, '--json', '--near', '-1e-1', '-1.',
                                 '1', '.5', '0', '--forward', '1', '1', '-0.5')
    answer = json.loads(output)
    wanted = arm.solve(Target((0.20, 0.05, 0.05), (0, 0, -1), (1, 1, -0.5)), (-0.1, -1, 1, 0.5, 0))
    assert (code, errors, output.count('\n')) == (0 if wanted.reached else 1, '', 1)
    assert tuple(answer) == Solution._fields
    assert list(answer['q']) == list(arm.joint_names)
    assert list(answer['q'].values()) == pytest.approx(wanted.q, abs=1e-9)
    assert answer['status'] == wanted.status.name
    assert answer['step_rad'] == pytest.approx(wanted.step_rad, abs=1e-9)
    pose = UrdfJudge(arm.to_urdf()).pose(answer['q'])
    assert np.linalg.norm(pose[:3, 3] - [0.20, 0.05, 0.05]) == pytest.approx(
        answer['position_error_m'], abs=1e-9)


def test_an_arm_may_be_a_urdf_or_a_yaml_file(capsys, tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(Arm.preset('so101').to_urdf())
    answers = [json.loads(solve(capsys, str(arm), *DOWN[1:], '--json', *more)[1])['q']
               for arm, *more in ((preset_path('so101'),), ('so101',), (path, '--tip', 'tool0'))]
    home, zero = answers[0], answers.pop()
    assert answers == [home, home]
    assert zero == pytest.approx({**home, 'wrist_roll': zero['wrist_roll']}, abs=1e-9)


def test_what_is_out_of_reach_has_its_nearest_answer_its_reason_and_exit_code_1(capsys):
    far = 'so101', '--position', '0.60', '0', '0.10', '--up', '1', '0', '0'
    code, output, _ = solve(capsys, *far, '--json')
    answer = json.loads(output)
    assert (code, answer['status']) == (1, 'POSITION_RELAXED')
    assert answer['position_error_m'] > 0.1 and 'too far by' in answer['reason']
    code, output, _ = solve(capsys, *far)
    assert code == 1 and output.startswith('POSITION_RELAXED\n') and 'too far by' in output


def test_the_text_has_degrees_too(capsys):
    code, output, errors = solve(capsys, *DOWN)
    q = Arm.preset('so101').solve(Target((0.20, 0.05, 0.05), (0, 0, -1))).q
    assert (code, errors) == (0, '')
    for name, position in zip(Arm.preset('so101').joint_names, q):
        line, = [line for line in output.splitlines() if line.startswith(f'{name} ')]
        assert line.split()[1:] == [f'{position:.4f}', 'rad', f'{np.degrees(position):.2f}', 'deg']


@pytest.mark.parametrize('change, words', [
    (['--position', 'nan', '0', '0'], 'target position'),
    (['--position', '-inf', '0', '0'], 'target position'), (['--up', '0', '0', '0'], 'up vector'),
    (['--near', '0', '0'], 'near'), (['--tip', 'hand'], 'gripper_frame_link'),
    (['--forward', '0', '0', '-1'], 'along the up vector')])
def test_bad_numbers_are_named_on_stderr_and_nothing_is_printed(capsys, change, words):
    code, output, errors = solve(capsys, *DOWN, *change)
    assert (code, output, errors.count('\n')) == (2, '', 1)
    assert errors.startswith('arm_ik solve: ') and words in errors


@pytest.mark.parametrize('args, words', [
    (['so102', *DOWN[1:]], "did you mean 'so101'?"), (['my.yaml', *DOWN[1:]], 'my.yaml')])
def test_an_arm_that_is_not_there_is_bad_input(capsys, args, words):
    code, output, errors = solve(capsys, *args)
    assert (code, output) == (2, '') and words in errors


@pytest.mark.parametrize('args', [['so101'], DOWN[:4], [*DOWN, '--position', 'a', 'b', 'c']])
def test_a_wrong_command_line_has_the_same_exit_code(capsys, args):
    with pytest.raises(SystemExit, match='2'):
        main(['solve', *args])
    assert capsys.readouterr().out == ''
