# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The short form of each experiment, run by its command, and the output of the command."""

import json
import subprocess
import sys

import pytest
from reliability import __main__ as command, EXPERIMENTS
from reliability.figures import every, Figure, none_of, NotPossibleHere, ROOT, spread, within

pytestmark = pytest.mark.about_time


@pytest.mark.parametrize('name', EXPERIMENTS)
def test_the_short_form_keeps_every_promise(name):
    ran = subprocess.run([sys.executable, '-m', 'reliability', '--short', '--only', name],
                         cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if 'can be tried on this machine' in ran.stdout:
        pytest.skip(ran.stdout)


@pytest.fixture
def experiment(monkeypatch):
    """Return a list: what the only experiment returns, or raises."""
    result = []

    class Module:

        @staticmethod
        def run(short, seed, say):
            if isinstance(result[0], Exception):
                raise result[0]
            return result

    monkeypatch.setattr(command, 'import_module', lambda *_: Module)
    return result


def test_a_figure_that_is_missed_is_the_exit_code_and_marked(experiment, capsys):
    experiment += [Figure('falls', '0', '0 of 9')]
    assert command.main(['--only', 'motion']) == 0
    experiment += [none_of('slips', 3, 9)]
    assert command.main(['--only', 'motion', '--seed', '7']) == 1
    printed = capsys.readouterr().out
    assert '`python -m reliability --only motion --seed 7`' in printed
    assert '| slips | 0 | **missed:** 3 of 9 |' in printed


def test_an_experiment_that_breaks_off_is_missed(experiment, capsys):
    experiment.append(ZeroDivisionError('by zero'))
    assert command.main(['--only', 'motion']) == 1
    assert '**missed:** ZeroDivisionError: by zero' in capsys.readouterr().out


def test_an_experiment_that_a_machine_does_not_allow_is_not_missed(experiment, capsys):
    experiment.append(NotPossibleHere('no namespaces'))
    assert command.main(['--only', 'motion']) == 0
    assert 'no: no namespaces' in capsys.readouterr().out


def test_the_record_says_by_what_command_and_of_which_commit(experiment, tmp_path):
    experiment.append(Figure('falls', '0', '0 of 9'))
    file = tmp_path / 'new' / 'record.json'
    command.main(['--only', 'motion', 'kills', '--seed', '5', '--write', str(file)])
    first, second = json.loads(file.read_text())
    assert first['figures'] == [experiment[0]._asdict()]
    assert second['command'] == 'python -m reliability --only kills --seed 5'
    assert {'commit', 'date', 'distro', 'machine', 'seed', 'seconds'} <= first.keys()


@pytest.mark.parametrize('figure', [
    within('', [0.1, 0.6], 0.5, 's'), within('', [], 0.5, 's'), every('', 2, 3), every('', 0, 0),
    none_of('', 1, 3), none_of('', 0, 0)])
def test_what_is_past_its_bound_or_was_never_tried_is_missed(figure):
    assert not figure.kept


@pytest.mark.parametrize('figure', [
    within('', [0.1, 0.5], 0.5, 's'), every('', 3, 3), none_of('', 0, 3)])
def test_what_is_within_its_bound_is_kept(figure):
    assert figure.kept


def test_a_hundred_values_are_a_median_a_quantile_and_the_largest():
    assert spread([i / 100.0 for i in range(1, 101)], 's') == \
        'median 0.500, p99 0.990, largest 1.000 s, 100 times'
