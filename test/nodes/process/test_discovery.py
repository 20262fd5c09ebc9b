# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Nodes are found on this host only, unless an argument or the environment says otherwise."""

import os
from pathlib import Path
import re

from arm_ik.nodes.process.command_line import prepare
from arm_ik.nodes.process.discovery import RANGES, VARIABLE, variables
from arm_ik.testing.domain import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
import pytest


@pytest.mark.parametrize('asked, set_before, comes_to', [
    (None, None, 'LOCALHOST'), (None, '', 'LOCALHOST'), (None, 'SUBNET', 'SUBNET'),
    (None, 'OFF', 'OFF'), ('subnet', None, 'SUBNET'), ('subnet', 'LOCALHOST', 'SUBNET'),
    ('localhost', 'SUBNET', 'LOCALHOST'), ('system_default', None, 'SYSTEM_DEFAULT')])
def test_an_argument_wins_over_the_environment_and_that_over_the_default(
        asked, set_before, comes_to, monkeypatch):
    monkeypatch.setenv(VARIABLE, set_before or '')
    if set_before is None:
        monkeypatch.delenv(VARIABLE)
    given = [] if asked is None else ['--discovery', asked]
    with prepare(['--arm', 'simple', *given], 'ik_node'):
        assert os.environ[VARIABLE] == comes_to


def test_launch_files_get_the_same_answer_from_an_empty_argument():
    assert variables('', {}) == {VARIABLE: 'LOCALHOST'}
    assert variables('', {VARIABLE: 'SUBNET'}) == {}


def test_a_range_that_does_not_exist_is_refused_with_those_that_do(capsys):
    with pytest.raises(SystemExit) as ended, prepare(['--discovery', 'everywhere'], 'ik_node'):
        pass
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert 'everywhere' in said and all(name in said for name in RANGES)


def test_the_docs_say_what_each_range_becomes():
    page = Path(__file__).parents[2] / 'docs' / 'machines.md'
    rows = re.findall(r'^\| `(\w+)` \| `(\w+)` \|', page.read_text(encoding='utf-8'), re.MULTILINE)
    assert rows == [(name, variables(name, {})[VARIABLE]) for name in RANGES]


@pytest.mark.parametrize('arguments, says', [
    ((), 'found on this host only (--discovery subnet: on the local network too)'),
    (('--discovery', 'subnet'), f'found as far as {VARIABLE}=SUBNET reaches')])
def test_a_node_says_who_can_find_it(arguments, says):
    with reserved_domain() as domain_id:
        environment = {**domain_environment(domain_id), VARIABLE: ''}
        node = NodeProcess.of_module(
            'arm_ik.nodes.driver.driver_node', ['--arm', 'simple', *arguments], environment)
        try:
            while says not in node.output():
                assert node.wait(0.05) is None, node.describe()
        finally:
            node.stop()
