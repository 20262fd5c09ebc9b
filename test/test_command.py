# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command ``arm_ik``: its list of commands, each of them, and ``ros2 run`` of each."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

from arm_ik import Arm
from arm_ik.__main__ import COMMANDS, main
import pytest

ROOT = Path(__file__).resolve().parents[1]


def arm_ik(*args, path=()):
    """Run the command as a process; return (exit code, output, errors)."""
    done = subprocess.run(
        [sys.executable, '-m', 'arm_ik', *args], capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([*path, str(ROOT), *sys.path])})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize('args', [[], ['--help'], ['-h']])
def test_it_lists_its_commands_with_a_line_for_each(capsys, args):
    assert main(args) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, (what, _) in COMMANDS.items():
        assert f'  {name:12} {what}' in lines
    assert all(len(line) <= 80 for line in lines)


def test_the_list_needs_nothing_that_a_command_needs():
    script = 'import sys; from arm_ik.__main__ import main; main([]); print(*sys.modules)'
    shown = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True,
                           env={**os.environ, 'PYTHONPATH': str(ROOT)}, check=True).stdout
    loaded = set(shown.splitlines()[-1].split())
    assert 'arm_ik.errors' in loaded
    assert not loaded & {'numpy', 'yaml', 'rclpy', 'matplotlib', 'arm_ik.arm'}


@pytest.mark.parametrize('name, words', [
    ('dmeo', "no command 'dmeo'; did you mean 'demo'? there are: demo, solve"),
    ('--frobnicate', "no command '--frobnicate'; there are: demo"),
])
def test_a_misspelt_command_is_answered_with_the_right_one(name, words):
    code, output, errors = arm_ik(name)
    assert (code, output) == (2, '')
    assert errors.startswith('arm_ik: ') and words in errors and errors.count('\n') == 1


@pytest.mark.parametrize('name', COMMANDS)
def test_every_command_runs_with_its_own_arguments(capsys, name):
    if name not in ('solve', 'from-urdf', 'workspace', 'servos'):
        pytest.importorskip('rclpy')
    with pytest.raises(SystemExit, match='^0$'):
        main([name, '--help'])
    output, errors = capsys.readouterr()
    assert output.startswith('usage: ') and f'{name} [-h]' in output and errors == ''


@pytest.mark.parametrize('name', ['ik_node', 'driver_node'])
def test_a_node_has_the_exit_code_of_its_own_executable(name):
    pytest.importorskip('rclpy')
    code, _, errors = arm_ik(name, '--arm', 'simpel')
    assert code == 2 and "did you mean 'simple'?" in errors


def test_a_warning_about_an_arm_is_one_line(tmp_path):
    text = (ROOT / 'config' / 'simple.yaml').read_text()
    arm = tmp_path / 'arm.yaml'
    arm.write_text(re.sub('upper_arm: [0-9.]+', 'upper_arm: 120', text))
    code, _, errors = arm_ik('workspace', str(arm), '--cell', '0.001')  # refused: it is quick
    assert code == 2
    warning, refusal = errors.splitlines()
    assert warning == (f'arm_ik workspace: {arm}: arm.links.upper_arm 120: look like millimetres '
                       'or centimetres; lengths are in metres')
    assert refusal.startswith('arm_ik workspace: the size of a cell')


@pytest.mark.parametrize('name', ['demo', 'ik_node', 'driver_node'])
def test_without_ros_it_says_what_is_missing_in_one_line(name, tmp_path):
    for module in ('rclpy', 'geometry_msgs'):
        (tmp_path / f'{module}.py').write_text(
            f'raise ModuleNotFoundError("no ROS here", name={module!r})')
    code, output, errors = arm_ik(name, path=[str(tmp_path)])
    assert (code, output) == (1, '')
    assert f'{name}: no Python module ' in errors and errors.count('\n') == 1


def test_without_pyserial_the_extra_that_brings_it_is_named(tmp_path):
    (tmp_path / 'serial.py').write_text(
        'raise ModuleNotFoundError("no pyserial here", name="serial")')
    code, _, errors = arm_ik('servos', 'scan', path=[str(tmp_path)])
    assert (code, errors) == (
        1, "arm_ik servos: no Python module 'serial'; in the clone pip install '.[servos]' brings "
        'it\n')


@pytest.mark.parametrize('args', [
    ['--help'], ['solve', 'so101', '--position', '0.2', '0', '0.1'], ['from-urdf', 'px100.urdf'],
    ['workspace', 'px100', '--cell', '0.1']], ids=' '.join)
def test_a_reader_that_has_enough_ends_a_command_without_a_word(args, tmp_path):
    (tmp_path / 'px100.urdf').write_text(Arm.preset('px100').to_urdf())
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, '-m', 'arm_ik', *args], stdout=writing, stderr=subprocess.PIPE, text=True,
        cwd=tmp_path, env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])})
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, '')


@pytest.mark.parametrize('scripts', ['lib/arm_ik', 'bin'])
@pytest.mark.parametrize('name', sorted(path.name for path in (ROOT / 'executables').iterdir()))
def test_ros2_run_finds_the_command_where_colcon_or_pip_put_it(name, scripts, tmp_path):
    executable = tmp_path / 'lib' / 'arm_ik' / name
    executable.parent.mkdir(parents=True)
    shutil.copy(ROOT / 'executables' / name, executable)
    (tmp_path / scripts).mkdir(exist_ok=True)
    command = tmp_path / scripts / 'arm_ik'
    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n')
    command.chmod(0o755)
    done = subprocess.run([executable, '--arm', 'my arm.yaml'], stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (7, f'<{name}><--arm><my arm.yaml>')
