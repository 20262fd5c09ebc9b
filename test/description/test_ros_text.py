# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is handed to ROS 2 arrives as it was meant, at a real node; and the traps are real."""

import json
import os
import subprocess
import sys

from arm_ik.description import load_model, model_from_parameters
from arm_ik.description.parameter_file import nested, ParameterFile
from arm_ik.description.ros_text import ros_text
from arm_ik.errors import InvalidArmError
import pytest


def rewritten(path):
    """Return a parameter file as it is handed to ROS."""
    return ros_text(ParameterFile.read(path).sections)


TRAPS = """
/**:
  ros__parameters:
    up_axis: y
    tolerance: 1e-3
    letters: [y, n]
    mixed: [1, 0.5]
    whole: [1, 2]
    enabled: yes
    armature: 2
    arm:
      name: 'yes'
      source: "a # 'quoted' text: ü\\u2028\\x07 \\\\"
      base: {height: 1e-3}
      links: {upper_arm: 1, forearm: 2e-1, hand: 0.1}
      joint_names: ['on', "1", lift, bend]
      joints:
        on: {role: yaw, lower: -3, upper: 3, max_velocity: 3}
        1: {role: shoulder, sign: -1.0, lower: -3, upper: +3, max_velocity: 3}
        lift: {role: elbow, sign: -1, offset: 0, lower: -2.5, upper: 2.5, max_velocity: 3.0}
        bend: {role: wrist, lower: -2, upper: 2, max_velocity: 3.0}
      home: [0, -1.2, 0, 0]
      extra_joint_names: []
      extra_joints: {}
/left:
  /ik_node:
    ros__parameters:
      rate: 5
      arm.floor_height: 0
"""

#: A node that is given parameters and prints those of every name it knows, with their types.
NODE = """
import json, sys
import rclpy
rclpy.init(args=['node', '--ros-args', '--params-file', sys.argv[1]])
node = rclpy.create_node('ik_node', namespace=sys.argv[2],
                         automatically_declare_parameters_from_overrides=True)
values = {name: parameter.value for name, parameter in node.get_parameters_by_prefix('').items()}
print(json.dumps({name: value if isinstance(value, (str, bool, int, float)) else list(value)
                  for name, value in values.items()}))
rclpy.shutdown()
"""


@pytest.fixture
def traps(tmp_path):
    path = tmp_path / 'traps.yaml'
    path.write_text(TRAPS, encoding='utf-8')
    return path


@pytest.fixture(scope='module')
def start_node():
    """Return a function that runs a real node with a parameter file and returns the process."""
    pytest.importorskip('rclpy')
    from arm_ik.testing.processes import domain_environment, reserved_domain
    with reserved_domain() as domain_id:
        def start(path, namespace='/'):
            return subprocess.run(
                [sys.executable, '-c', NODE, str(path), namespace], capture_output=True, text=True,
                env={**os.environ, **domain_environment(domain_id)})
        yield start


@pytest.mark.parametrize('namespace', ['/', '/left'])
def test_every_value_arrives_at_a_real_node_as_the_file_meant_it(
        traps, tmp_path, start_node, namespace):
    file = ParameterFile.read(traps)
    meant = file.parameters('ik_node', namespace)
    path = tmp_path / 'normalised.yaml'
    path.write_text(rewritten(traps), encoding='utf-8')
    process = start_node(path, namespace)
    assert process.returncode == 0, process.stderr
    arrived = json.loads(process.stdout)
    empty = {'arm.extra_joint_names'}
    assert {name: arrived.get(name) for name in meant} == {
        name: None if name in empty else value for name, value in meant.items()}
    assert arrived['up_axis'] == 'y' and arrived['letters'] == ['y', 'n']
    assert arrived['enabled'] is True
    assert [type(value) for value in arrived['mixed'] + arrived['whole']] == [
        float, float, int, int]
    assert type(arrived['armature']) is int
    for name, value in arrived.items():
        if name.startswith('arm.') and name.endswith('sign'):
            assert type(value) is int, name
        elif name.startswith('arm.') and not isinstance(value, str):
            numbers = value if isinstance(value, list) else [value]
            assert all(type(number) in (float, str) for number in numbers), name
    assert arrived.get('rate') == (5 if namespace == '/left' else None)


def test_the_arm_that_arrives_is_the_arm_of_the_file(traps, tmp_path, start_node):
    path = tmp_path / 'normalised.yaml'
    path.write_text(rewritten(traps), encoding='utf-8')
    arrived = json.loads(start_node(path).stdout)
    assert model_from_parameters(nested(arrived, 'arm')) == load_model(traps) == load_model(path)


@pytest.mark.parametrize('text, starts', [
    ('home: [0.0, -1.2]', True), ('home: [0, -1.2]', False), ('extra_joints: {}', False),
    ('extra_joint_names: []', False), ('floor_height: ', False)])
def test_ros_alone_starts_with(text, starts, tmp_path, start_node):
    path = tmp_path / 'trap.yaml'
    path.write_text(f'/**: {{ros__parameters: {{arm: {{{text}}}}}}}')
    assert (start_node(path).returncode == 0) == starts


def test_ros_alone_takes_a_letter_for_a_bool(tmp_path, start_node):
    path = tmp_path / 'trap.yaml'
    path.write_text('/**: {ros__parameters: {up_axis: y, lower: -3}}')
    arrived = json.loads(start_node(path).stdout)
    assert arrived['up_axis'] is True and type(arrived['lower']) is int


def test_sections_keep_their_order_and_names(traps):
    written = rewritten(traps)
    assert written.index('"/**":') < written.index('"/left/ik_node":')
    assert '"arm.joints.1.sign": -1\n' in written
    assert '"arm.joints.1.lower": -3.0\n' in written
    assert 'extra' not in written


def test_numbers_that_are_not_finite_stay_what_they_are(tmp_path):
    path = tmp_path / 'numbers.yaml'
    path.write_text(ros_text([('/**', {'a': float('inf'), 'b': -float('inf'), 'c': 1e-7})]))
    assert ParameterFile.read(path).parameters() == {
        'a': float('inf'), 'b': -float('inf'), 'c': 1e-7}


def test_a_section_with_nothing_in_it_is_left_out():
    assert ros_text([('/**', {'a': []}), ('b', {})]) == ''


def test_a_broken_file_is_named_before_ros_sees_it(tmp_path):
    path = tmp_path / 'broken.yaml'
    path.write_text('/**: {ros__parameters: {a: [1, x]}}')
    with pytest.raises(InvalidArmError, match='broken.yaml: a: found'):
        rewritten(path)
