# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""README and docs against what runs: examples, topics, parameters, arms, links."""

import importlib
import os
from pathlib import Path
import re
import subprocess
import sys

from arm_ik import Arm, Target
from arm_ik.demo.target_file import load_targets
from arm_ik.description import preset_names
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]


def blocks(language):
    return re.findall(rf'```{language}\n(.*?)```', README, re.DOTALL)


def block_with(language, words):
    found, = [block for block in blocks(language) if words in block]
    return found


def table_rows(heading):
    """Return the cells of the table that follows a heading, without its head."""
    section = README.split(f'\n{heading}\n', 1)[1]
    table = re.search(r'(?:^\|.*\n)+', section, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip().strip('|').split(' | ')] for row in table]


def test_the_python_example_runs_and_says_what_it_claims():
    example = block_with('python', 'arm.solve(')
    names = {}
    exec(compile(example, 'README.md', 'exec'), names)
    claims = re.findall(r'^(.+?) +# -> (.+)$', example, re.MULTILINE)
    assert len(claims) >= 5
    for expression, claim in claims:
        value = eval(expression.split(' = ')[-1], names)
        assert claim in (str(value), repr(value)), expression


def run(*command, **variables):
    """Run a Python module as a process of its own; return its output, or fail with it."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run([sys.executable, '-m', *map(str, command)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, 'PYTHONPATH': path, **variables})
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_pytest_example_of_the_harness_passes(tmp_path):
    pytest.importorskip('rclpy')
    example = tmp_path / 'test_example.py'
    example.write_text(block_with('python', 'simulated_arm.move_to'))
    assert 'passed' in run('pytest', '-q', '-p', 'no:cacheprovider', example)


def test_the_launch_testing_example_of_the_harness_passes(tmp_path):
    pytest.importorskip('launch_ros', reason='needs launch_ros; a full ROS 2 has it')
    pytest.importorskip('launch_testing', reason='needs launch_testing; a full ROS 2 has it')
    from arm_ik.testing.domain import domain_environment, reserved_domain
    example = tmp_path / 'test_example.py'
    example.write_text(block_with('python', 'ReadyToTest'))
    packages = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    packages.mkdir(parents=True)
    (packages / 'arm_ik').touch()
    (tmp_path / 'share' / 'arm_ik').symlink_to(ROOT)
    prefixes = [str(tmp_path), os.environ.get('AMENT_PREFIX_PATH', '')]
    with reserved_domain() as domain_id:
        output = run('launch_testing.launch_test', example, **domain_environment(domain_id),
                     AMENT_PREFIX_PATH=os.pathsep.join(filter(None, prefixes)))
    assert 'Ran 1 test' in output


def test_every_python_example_is_python():
    assert len(blocks('python')) >= 3
    for block in blocks('python'):
        compile(block, 'README.md', 'exec')


def test_the_yaml_of_an_arm_describes_one(tmp_path):
    path = tmp_path / 'my_arm.yaml'
    path.write_text(block_with('yaml', 'ros__parameters'))
    arm = Arm.from_yaml(path)
    tip = arm.forward(arm.home)
    assert arm.solve(Target(tip.position, tip.up), near=arm.home).reached


def test_the_yaml_of_targets_is_a_target_file(tmp_path):
    path = tmp_path / 'my_targets.yaml'
    path.write_text(block_with('yaml', 'targets:'))
    assert len(load_targets(path).steps) > 3


def test_every_message_in_an_example_fits_its_type_and_topic():
    pytest.importorskip('rclpy')
    from arm_ik.testing.wires import TARGET_TOPICS
    topics = {f'/{topic}': kind for kind, topic in TARGET_TOPICS.items()}
    examples = re.findall(r'^ros2 topic pub .*?(/\S+) (\S+) "(.*)"$', README, re.MULTILINE)
    assert {topic for topic, _, _ in examples} >= {
        '/target_pose', '/target_point', '/target_up', '/gripper_command'}
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


def test_every_service_in_an_example_is_served():
    pytest.importorskip('rclpy')
    from arm_ik.testing.wires import SERVICES
    examples = re.findall(r'^ros2 service call /(\S+) std_srvs/srv/(\S+)', README, re.MULTILINE)
    assert {name for name, _ in examples} == set(SERVICES)
    for name, kind in examples:
        assert SERVICES[name].__name__ == kind


@pytest.mark.parametrize('node, module', [
    ('ik_node', 'ik_parameters'), ('driver_node', 'driver_parameters')])
def test_the_table_of_parameters_is_that_of_the_node(node, module):
    pytest.importorskip('rclpy')
    specs = importlib.import_module(f'arm_ik.nodes.{module}').SPECS
    rows = {row[0].strip('`'): row[1].strip('`') for row in table_rows(f'#### `{node}`')}
    assert set(rows) == {spec.name for spec in specs}
    for spec in specs:
        shown = yaml.safe_load(rows[spec.name])
        if isinstance(spec.default, float):
            shown = float(shown)
        assert repr(shown) == repr(spec.plain)


def test_what_cannot_be_changed_while_the_node_runs_is_said():
    pytest.importorskip('rclpy')
    from arm_ik.nodes.ik_parameters import SPECS
    page = (ROOT / 'docs' / 'ik_node.md').read_text(encoding='utf-8')
    fixed = re.search(r'Every parameter but (.*?) may be changed', page, re.DOTALL)[1]
    assert re.findall(r'`(\w+)`', fixed) == [spec.name for spec in SPECS if spec.read_only]


def test_every_key_of_the_diagnostics_is_described():
    pytest.importorskip('rclpy')
    from arm_ik.nodes.health import Health
    page = (ROOT / 'docs' / 'ik_node.md').read_text(encoding='utf-8')
    rows = re.findall(r'^\| (`.*?) \| ', page.split('## Diagnostics')[1], re.MULTILINE)
    described = {key for row in rows for key in re.findall('`([^`]+)`', row)}
    _, _, values = Health().condition(None)
    assert described == {*values, 'enabled', 'driver', 'joint_states_age_s', 'refused: CAUSE'}


def test_every_arm_that_comes_along_is_listed():
    rows = {row[0].strip('`'): row[2] for row in table_rows('## Arms')}
    assert sorted(rows) == sorted(preset_names())
    for name, joints in rows.items():
        model = Arm.preset(name).model
        assert joints == ', '.join([*model.roles, *(['gripper'] if model.extra_joints else [])])


@pytest.mark.parametrize('page', PAGES, ids=lambda path: path.name)
def test_every_link_to_a_file_leads_to_one(page):
    for link in re.findall(r'\]\(([^)#]+)(?:#[^)]*)?\)', page.read_text(encoding='utf-8')):
        if '://' not in link:
            assert (page.parent / link).exists(), link
