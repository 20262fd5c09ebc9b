# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command, the record and the page."""

import json

import pytest
from reliability import __main__ as command, experiments, record
from reliability.figure import Figure

GOOD = Figure('nothing falls', '0 of 100', '0', True)
BAD = Figure('nothing slips', '3 of 100', '0', False)
CIRCUMSTANCES = {'command': 'python -m reliability', 'seed': 1, 'commit': 'abc', 'seconds': 3,
                 'date': '2026-01-31', 'machine': 'a machine'}


class Shelf:
    """An experiment."""

    figures = [GOOD]

    def run(self, name, short, seed, say):
        return self.figures


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Return the only experiment; its figures go into files of its own."""
    shelf = Shelf()
    monkeypatch.setattr(record, 'JSON', tmp_path / 'reliability.json')
    monkeypatch.setattr(record, 'PAGE', tmp_path / 'reliability.md')
    monkeypatch.setattr(experiments, 'names', lambda: ['shelf'])
    monkeypatch.setattr(experiments, 'about', lambda name: 'A shelf.\n\nIt takes ``books``.')
    monkeypatch.setattr(experiments, 'run', shelf.run)
    return shelf


def test_the_page_is_what_the_record_makes():
    assert not record.JSON.exists() or record.PAGE.read_text(encoding='utf-8') == record.page(), \
        'run: python -m reliability --render'


def test_a_promise_that_is_not_held_is_the_exit_code_and_printed(shelf, capsys):
    assert command.main([]) == 0
    shelf.figures = [GOOD, BAD]
    assert command.main(['--seed', '7']) == 1
    printed = capsys.readouterr().out
    assert 'python -m reliability --only shelf --seed 7\n' in printed
    assert '| nothing slips | 0      | 3 of 100 | NO   |' in printed


def test_an_experiment_that_breaks_off_is_not_held(shelf, capsys, monkeypatch):
    monkeypatch.setattr(experiments, 'run', lambda *arguments: 1 / 0)
    assert command.main([]) == 1
    assert 'ZeroDivisionError' in capsys.readouterr().out


def test_only_full_runs_are_put_on_record(shelf):
    command.main([])
    assert not record.JSON.exists()
    with pytest.raises(SystemExit):
        command.main(['--short', '--write'])
    command.main(['--write', '--seed', '5'])
    (_, run), = json.loads(record.JSON.read_text())['shelf'].items()
    assert run['seed'] == 5 and run['figures'] == [GOOD._asdict()]


def test_the_record_keeps_the_figures_of_each_distribution(shelf):
    record.store('shelf', 'jazzy', [GOOD, BAD], **CIRCUMSTANCES)
    record.store('shelf', 'kilted', [GOOD], **CIRCUMSTANCES)
    record.store('shelf', 'jazzy', [GOOD._replace(seen='1 of 100'), BAD], **CIRCUMSTANCES)
    page = record.PAGE.read_text()
    assert 'A shelf.\n\nIt takes `books`.\n' in page
    assert '| | wanted | Jazzy | Kilted |' in page
    assert '| nothing falls | 0 | 1 of 100 | 0 of 100 |' in page
    assert '| nothing slips | 0 | **missed:** 3 of 100 |  |' in page
    assert page == record.page()


def test_an_experiment_without_a_full_run_says_so(shelf):
    assert 'A shelf.\n\nIt takes `books`.\n\nNo full run is on record yet.\n' in record.page()


def test_an_experiment_is_a_module_that_can_be_run():
    assert 'figure' not in experiments.names() and 'record' not in experiments.names()
    for name in experiments.names():
        assert experiments.about(name), f'{name} says nothing of itself'
