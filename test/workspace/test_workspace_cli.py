# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command: what it writes and prints, and one clear line for everything that is wrong."""

from importlib.util import find_spec
import sys

from arm_ik import Arm
from arm_ik.__main__ import main as arm_ik
from arm_ik.description import dump, preset_path
from arm_ik.workspace import cli
import pytest
from sliced_arms import LIMITED

COARSE = ('--cell', '0.04')
DRAWN = pytest.mark.skipif(find_spec('matplotlib') is None, reason='needs matplotlib')


def main(arguments):
    return arm_ik(['workspace', *arguments])


def lines_of_error(capsys, *arguments):
    """Run a wrong command; return its error message."""
    assert main([*arguments]) == 2
    out, error = capsys.readouterr()
    assert out == ''
    return error.splitlines()


@DRAWN
@pytest.mark.parametrize('arguments, words', [
    (['so102'], "no arm named 'so102'; did you mean 'so101'?"),
    (['nowhere.yaml'], 'nowhere.yaml'),
    (['so101', '--elevation', 'nan'], '--elevation is nan; allowed: -180 to 180 degrees'),
    (['so101', '--elevation', '181'], '--elevation is 181.0; allowed: -180 to 180'),
    (['so101', '--cell', '0'], 'the size of a cell is 0.0; allowed: from'),
    (['so101', '--cell', 'nan'], 'the size of a cell is nan; allowed: from'),
    (['so101', '--output', 'a.pdf'], "'a.pdf'; allowed: a name that ends in .png or .svg"),
    (['so101', '--output', 'nowhere/a.png'], 'a file in a folder that is there'),
    (['so101', '--output', 'folder.png'], "'folder.png'; allowed: a file in a folder that is"),
    (['simple', *COARSE, '-o', '/proc/arm_ik.png'], '/proc/arm_ik.png'),
    (['so101', *4 * ['--any-up']], 'the number of panels is 4; allowed: at most 3'),
])
def test_what_is_wrong_is_said_in_one_line(capsys, monkeypatch, tmp_path, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'folder.png').mkdir()
    line, = lines_of_error(capsys, *arguments)
    assert line.startswith('arm_ik workspace: ') and words in line
    assert [path.name for path in tmp_path.rglob('*')] == ['folder.png']


@pytest.mark.parametrize('arguments', [
    [], ['so101', '--elevation'], ['so101', '--frobnicate'], ['so101', '--cell', '1 mm'],
    ['so101', '--elevation', 'down']])
def test_a_command_line_of_another_form_is_refused(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert 'usage: arm_ik workspace' in capsys.readouterr().err


def test_without_matplotlib_it_says_so_before_anything_is_computed(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    monkeypatch.setattr(cli, 'region_of', None)
    assert main(['so101']) == 1
    assert capsys.readouterr().err == (
        "arm_ik workspace: no Python module 'matplotlib'; in the clone pip install '.[plot]' "
        'brings it\n')


@DRAWN
def test_any_up_and_straight_down_are_drawn_by_default(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(['simple', *COARSE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('simple, any up vector: reached ')
    assert any(line.startswith('simple, up vector straight down') for line in lines)
    assert lines[-1] == 'written: simple_workspace.png'
    assert [path.name for path in tmp_path.iterdir()] == ['simple_workspace.png']


@DRAWN
def test_the_panels_asked_for_are_drawn_in_that_order(capsys, tmp_path):
    png, svg = tmp_path / 'a.PNG', tmp_path / 'a.svg'
    assert main(['simple', '--elevation', '-90', '--elevation', '45', '--any-up', *COARSE,
                 '-o', str(png), '-o', str(svg)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(':')[0] for line in lines if line.startswith('simple')] == [
        'simple, up vector straight down (0, 0, -1)',
        'simple, up vector at 45 deg (0.707, 0, 0.707)', 'simple, any up vector']
    assert png.read_bytes().startswith(b'\x89PNG') and b'<svg' in svg.read_bytes()


@DRAWN
@pytest.mark.parametrize('name', ['test', 'px100', 'simple'])
def test_an_arm_can_be_a_file_that_of_a_preset_or_a_urdf_too(capsys, tmp_path, name):
    path = preset_path(name) if name == 'px100' else tmp_path / f'mine.{name}'.replace(
        'test', 'yaml').replace('simple', 'urdf')
    if name != 'px100':
        path.write_text(dump(LIMITED['narrow']) if name == 'test' else Arm.preset(name).to_urdf())
    assert main([str(path), *COARSE, '-o', str(tmp_path / 'a.svg')]) == 0
    assert capsys.readouterr().out.startswith(f'{name}, any up vector: ')


@DRAWN
def test_interrupted_it_ends_without_a_trace(capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(cli, 'region_of', interrupt)
    assert main(['simple', *COARSE]) == 130
    assert capsys.readouterr().err == 'arm_ik workspace: interrupted\n'
