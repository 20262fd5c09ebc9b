# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""README and docs against what runs: examples, topics, services, keys, arms."""

import importlib
import os
from pathlib import Path
import re
import subprocess
import sys

from arm_ik import Arm, Target
from arm_ik.description.target_file import load_targets
from arm_ik.description import preset_names
from arm_ik.kinematics.solution import Status
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGES = {path.name: path.read_text(encoding='utf-8')
         for path in (ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md')))}


def blocks(page, language):
    return re.findall(rf'```{language}\n(.*?)```', PAGES[page], re.DOTALL)


def block_with(page, language, words):
    found, = [block for block in blocks(page, language) if words in block]
    return found


def section(page, heading):
    """Return what follows a heading, up to the next one."""
    return PAGES[page].split(f'\n{heading}\n', 1)[1].split('\n#', 1)[0]


def first_cells(page, heading):
    """Return the names in the first cells of the table that follows a heading."""
    rows = re.findall(r'^\| (`.*?) \| ', section(page, heading), re.MULTILINE)
    return {name for row in rows for name in re.findall('`([^`]+)`', row)}


@pytest.mark.parametrize('page', ['README.md', 'python.md', 'lines.md', 'lerobot.md'])
def test_the_python_examples_run_and_say_what_they_claim(page):
    names, claims = {}, []
    for example in blocks(page, 'python'):
        exec(compile(example, page, 'exec'), names)
        for expression, claim in re.findall(r'^(.+?) +# -> (.+)$', example, re.MULTILINE):
            value = eval(expression.split(' = ')[-1], names)
            assert claim in (str(value), repr(value)), expression
            claims.append(claim)
    assert len(claims) >= 3


def run(*command, **variables):
    """Run a Python module as a process of its own; return its output, or fail with it."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run([sys.executable, '-m', *map(str, command)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, 'PYTHONPATH': path, **variables})
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize('of', ['simulated_arm.move_to', 'simulated_arm.wait_until_at'])
def test_the_pytest_examples_of_the_harness_pass(tmp_path, of):
    pytest.importorskip('rclpy')
    example = tmp_path / 'test_example.py'
    example.write_text(block_with('testing.md', 'python', of))
    assert 'passed' in run('pytest', '-q', '-p', 'no:cacheprovider', example)


@pytest.mark.parametrize('page', PAGES)
def test_every_python_example_is_python(page):
    for block in blocks(page, 'python'):
        compile(block, page, 'exec')


@pytest.fixture
def own_arm(tmp_path):
    path = tmp_path / 'my_arm.yaml'
    path.write_text(block_with('README.md', 'yaml', 'ros__parameters'))
    return Arm.from_yaml(path)


def test_the_yaml_of_an_arm_describes_one(own_arm):
    tip = own_arm.forward(own_arm.home)
    assert own_arm.solve(Target(tip.position, tip.up), near=own_arm.home).reached


def test_the_yaml_of_targets_suits_that_arm(own_arm, tmp_path):
    path = tmp_path / 'my_targets.yaml'
    path.write_text(block_with('targets.md', 'yaml', 'targets:'))
    poses = [step for step in load_targets(path).steps if step.target]
    assert len(poses) > 3
    for step in poses:
        assert own_arm.solve(step.target).reached == step.reachable, step


@pytest.mark.parametrize('page, asked', [
    ('README.md', {'/target_pose'}),
    ('move_my_arm.md', {'/target_pose', '/target_point', '/target_up', '/gripper_command'})])
def test_every_message_in_an_example_fits_its_type_and_topic(page, asked):
    pytest.importorskip('rclpy')
    from arm_ik.testing.client import TARGET_TOPICS
    topics = {f'/{topic}': kind for kind, topic in TARGET_TOPICS.items()}
    examples = re.findall(r'^ros2 topic pub .*?(/\S+) (\S+) "(.*)"$', PAGES[page], re.MULTILINE)
    assert {topic for topic, _, _ in examples} == asked
    for topic, kind, content in examples:
        package, _, name = kind.split('/')
        message = getattr(importlib.import_module(f'{package}.msg'), name)()
        assert isinstance(message, topics[topic])
        fill(message, yaml.safe_load(content))


def fill(message, content):
    """Set fields as ``ros2 topic pub`` does; an unknown one or a wrong type raises."""
    for key, value in content.items():
        if isinstance(value, dict):
            fill(getattr(message, key), value)
        else:
            field = getattr(message, key)
            setattr(message, key, type(field)(value))


def service_examples(page):
    return re.findall(r'^ros2 service call /(\S+) std_srvs/srv/(\S+)', PAGES[page], re.MULTILINE)


def test_every_service_in_an_example_is_served():
    pytest.importorskip('rclpy')
    from arm_ik.testing.client import SERVICES
    assert {name for name, _ in service_examples('move_my_arm.md')} == set(SERVICES)
    assert len(service_examples('README.md')) == 3
    for name, kind in service_examples('move_my_arm.md') + service_examples('README.md'):
        assert SERVICES[name].__name__ == kind


def test_what_cannot_be_changed_while_the_node_runs_is_said():
    pytest.importorskip('rclpy')
    from arm_ik.nodes.ik.parameters import SPECS
    fixed = re.search(r'Every parameter but (.*?) may be changed', PAGES['nodes.md'],
                      re.DOTALL)[1]
    assert re.findall(r'`(\w+)`', fixed) == [spec.name for spec in SPECS if spec.read_only]


def test_every_key_and_word_of_the_status_is_described():
    pytest.importorskip('rclpy')
    from arm_ik.nodes.ik.publishers import status_values
    from arm_ik.nodes.ik.report import Level, Report, State
    keys = {*status_values(Report(State.READY, Level.OK))}
    assert first_cells('move_my_arm.md', '## Status of a target') == keys
    page = 'move_my_arm.md'
    assert first_cells(page, '### `state`') == {'state', *(state.value for state in State)}
    assert first_cells(page, '### `status`') == {'status', *(name.name for name in Status)}


def test_every_cause_is_described():
    pytest.importorskip('rclpy')
    described = first_cells('move_my_arm.md', '### Why a target is refused, or its command stops')
    files = [path for part in ('nodes', 'collision')
             for path in (ROOT / 'arm_ik' / part).rglob('*.py')]
    source = '\n'.join(path.read_text(encoding='utf-8') for path in files)
    for cause in described - {'cause'}:
        assert f"'{cause.removesuffix(' ...')}" in source, cause


def test_every_arm_that_comes_along_is_named():
    named = set(re.findall(r'`(\w+)`', section('README.md', '## Your own arm')))
    assert named >= set(preset_names())


def test_readme_is_short():
    assert len(PAGES['README.md'].splitlines()) <= 160
    assert len(PAGES['README.md'].split()) <= 920


def test_pip_is_never_given_a_name_that_anybody_may_register():
    pages = [ROOT / 'README.md', *(ROOT / 'docs').rglob('*.md'), *(ROOT / 'arm_ik').rglob('*.py')]
    assert [page for page in pages
            if re.search(r'pip install\W+arm_ik', page.read_text('utf-8'))] == []


def test_the_documents_are_short():
    pages = [ROOT / 'README.md', *(ROOT / 'docs').rglob('*.md')]
    assert sum(len(page.read_text(encoding='utf-8').split()) for page in pages) <= 18_000
