# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is given to a node arrives as meant, or the start ends with one clear message."""

from contextlib import contextmanager
import os
import subprocess
import sys

from arm_ik.description import load_model, model_from_parameters, preset_path
from arm_ik.description.parameter_file import nested
from arm_ik.description.presets import config_directory
from arm_ik.drivers.servos_file import load_servos
from arm_ik.errors import ArmFileWarning, ArmIkError
from arm_ik.nodes.common.parameters import overrides, Parameters
from arm_ik.nodes.driver.parameters import SPECS as DRIVER
from arm_ik.nodes.ik.parameters import SPECS as IK
from arm_ik.nodes.startup.command_line import prepare, split
from arm_ik.testing.processes import NodeProcess, own_domain, reserved_domain
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node

SPECS = {'driver_node': DRIVER, 'ik_node': IK}
SIMPLE = preset_path('simple').read_text(encoding='utf-8')


@pytest.fixture
def write(tmp_path):
    def write(text, name='mine.yaml'):
        path = tmp_path / name
        path.write_text(text, encoding='utf-8')
        return str(path)
    return write


@contextmanager
def node_given(*args, name='driver_node'):
    """Yield a node that is given the parameters of a command line."""
    context = Context()
    ros_args, _, given = prepare(args, name, SPECS[name])
    with own_domain():
        rclpy.init(args=ros_args, context=context)
        node = Node(name, context=context, parameter_overrides=overrides(given.values))
        try:
            Parameters(node, SPECS[name], given.values)
            yield node
        finally:
            node.destroy_node()
            context.shutdown()


def values(*args, name='driver_node'):
    """Return what a node is given, by name."""
    return prepare(args, name, SPECS[name])[2].values


def model_of(node):
    """Return the arm that ROS has been given."""
    return model_from_parameters(nested({
        f'arm.{name}': list(value) if hasattr(value := parameter.value, 'tolist') else value
        for name, parameter in node.get_parameters_by_prefix('arm').items()}, 'arm'))


def refused(*args, name='driver_node'):
    """Return the message that a command line is refused with."""
    with pytest.raises(ArmIkError) as refusal:
        prepare(args, name, SPECS[name])
    return str(refusal.value)


def section(name='/**', **parameters):
    lines = ''.join(f'    {key}: {value}\n' for key, value in parameters.items())
    return f'{name}:\n  ros__parameters:\n{lines}'


def test_a_command_line_is_split_as_ros_does_it():
    assert split(['--arm', 'a', '--ros-args', '-r', 'x:=y', '--', '--more', '--ros-args', '-p',
                  'z:=1']) == (['--arm', 'a', '--more'], ['-r', 'x:=y', '-p', 'z:=1'])


@pytest.mark.parametrize('name', ['simple', 'so101', 'rolling_base'])
def test_an_arm_by_name_arrives_as_its_file_says(name):
    with node_given('--arm', name) as node:
        assert model_of(node) == load_model(preset_path(name))


def test_an_arm_by_path_arrives_however_its_numbers_are_written(write):
    text = SIMPLE.replace('lower: -3.1416', 'lower: -3').replace(
        'home: [0.0, 2.2, -2.0, -0.5]', 'home: [0, 2.2, -2, -5e-1]').replace(
        'forearm: 0.12', 'forearm: 12e-2')
    assert text.count('12e-2') == text.count('[0, 2.2') == text.count('lower: -3,') == 1
    with node_given('--arm', write(text)) as node:
        model = model_of(node)
    assert model.home == (0.0, 2.2, -2.0, -0.5)
    assert model.joints[0].lower == -3.0
    assert model.forearm == 0.12


def test_the_arm_and_its_servos_come_out_as_their_files_say():
    arm, servos = preset_path('so101'), config_directory() / 'servos' / 'so101.yaml'
    *_, given = prepare(['--arm', str(arm), '--servos', str(servos)], 'ik_node', IK)
    assert given.model == load_model(arm) and given.notes == []
    names = [joint.name for joint in (*given.model.joints, *given.model.extra_joints)]
    assert given.servos.fingerprint == load_servos(servos, names).fingerprint
    *_, given = prepare(['--arm', 'so101'], 'ik_node', IK)
    assert given.servos is None


def test_lengths_that_look_like_millimetres_are_a_note_and_no_warning(write, recwarn):
    arm = write(SIMPLE.replace('hand: 0.08', 'hand: 80.0'))
    *_, given = prepare(['--arm', arm], 'driver_node', DRIVER)
    note, = given.notes
    assert 'look like millimetres' in note and 'arm.links.hand 80' in note
    assert not [warning for warning in recwarn if warning.category is ArmFileWarning]


def test_every_key_of_an_arm_is_fixed():
    with node_given('--arm', 'so101') as node:
        described = [node.describe_parameter(f'arm.{name}')
                     for name in node.get_parameters_by_prefix('arm')]
    assert len(described) > 50
    assert all(one.read_only and 'fixed' in one.additional_constraints for one in described)


def test_letters_stay_letters(write):
    for given in (('-p', 'up_axis:=y'), ('--params-file', write(section(up_axis='y')))):
        with node_given('--arm', 'simple', '--ros-args', *given, name='ik_node') as node:
            assert node.get_parameter('up_axis').value == 'y'


def test_later_files_win_over_earlier_ones_and_values_over_files(write):
    first = write(section(state_rate=10.0, command_timeout=1.0), 'first.yaml')
    second = write(section(state_rate=20.0), 'second.yaml')
    given = values('--arm', 'simple', '--ros-args', '-p', 'command_timeout:=2',
                   '--params-file', first, '--params-file', second)
    assert given['state_rate'] == 20.0
    assert given['command_timeout'] == 2


def test_a_file_adds_to_the_arm_of_the_name(write):
    file = write(section('driver_node', **{'arm.home': '[0, 1, -1, 0]'}))
    with node_given('--arm', 'simple', '--ros-args', '--params-file', file) as node:
        assert model_of(node).home == (0.0, 1.0, -1.0, 0.0)


def test_sections_of_other_nodes_are_theirs(write):
    file = write(section('ik_node', state_rate='bogus') + section('/left/driver_node', x=1)
                 + section('driver_node', state_rate=5.0))
    assert values('--arm', 'simple', '--ros-args', '--params-file', file)['state_rate'] == 5.0


@pytest.mark.parametrize('name', ['driver_nod', '/left/driver-node', 'drive_node'])
def test_a_section_with_a_similar_name_is_warned_of(write, capsys, name):
    file = write(section(name, state_rate=5.0))
    assert 'state_rate' not in values('--arm', 'simple', '--ros-args', '--params-file', file)
    assert capsys.readouterr().err == (
        f"driver_node: {file}: {name} is not for this node; did you mean 'driver_node'?\n")


@pytest.mark.parametrize('name', [
    'ik_node', 'driver_node', '/left/driver_node', 'driver_node2', 'my_driver_node', 'ur_driver'])
def test_a_section_of_another_node_brings_no_warning(write, capsys, name):
    file = write(section(name, state_rate=5.0))
    values('--arm', 'simple', '--ros-args', '--params-file', file)
    assert capsys.readouterr().err == ''


def test_a_node_with_a_name_of_its_own_may_have_similar_neighbours(write, capsys):
    file = write(''.join(section(f'driver_node_{letter}', state_rate=5.0) for letter in 'ab'))
    values('--arm', 'simple', '--ros-args', '--params-file', file, '-r', '__node:=driver_node_a')
    assert capsys.readouterr().err == ''


def test_a_section_is_found_by_the_name_and_namespace_the_node_runs_under(write):
    file = write(section('/left/lefty', state_rate=5.0))
    assert values('--arm', 'simple', '--ros-args', '--params-file', file,
                  '-r', '__ns:=/left', '-r', '__node:=lefty')['state_rate'] == 5.0
    assert 'state_rate' not in values('--arm', 'simple', '--ros-args', '--params-file', file)


def test_a_value_for_another_node_is_not_ours():
    given = values('--arm', 'simple', '--ros-args', '-p', 'ik_node:command_rate:=7',
                   '-p', 'driver_node:state_rate:=8')
    assert given['state_rate'] == 8 and 'command_rate' not in given


def test_shared_sections_may_hold_parameters_of_other_nodes(write):
    file = write(section(command_rate=20.0, use_sim_time=True, robot_colour='red'))
    with node_given('--arm', 'simple', '--ros-args', '--params-file', file) as node:
        assert node.get_parameter('use_sim_time').value is True


@pytest.mark.parametrize('where', ['/**', 'driver_node', '/driver_node'])
def test_a_misspelt_parameter_in_a_file_is_refused_with_file_and_right_name(write, where):
    file = write(section(where, comand_timeout=1.0))
    message = refused('--arm', 'simple', '--ros-args', '--params-file', file)
    assert message.startswith(f'{file}: comand_timeout: found 1.0')
    assert "did you mean 'command_timeout'?" in message


def test_a_parameter_of_the_other_node_is_meant_in_shared_sections_alone(write):
    file = write(section(comand_rate=20.0))
    message = refused('--arm', 'simple', '--ros-args', '--params-file', file)
    assert 'comand_rate: found 20.0' in message and "did you mean 'command_rate'?" in message
    message = refused('--arm', 'simple', '--ros-args', '-p', 'comand_rate:=20')
    assert 'comand_rate: found 20' in message and ' command_rate' not in message


@pytest.mark.parametrize('argument, message', [
    ('sate_rate:=3', "command line: sate_rate: found 3; allowed: did you mean 'state_rate'?"),
    ('colour:=red', "command line: colour: found 'red'"),
    ('armm.name:=x', "did you mean 'arm'?"),
    ('arm.links.forarm:=0.2', 'command line: arm.links.forarm: found 0.2; allowed: '
                              "did you mean 'forearm'?"),
    ('state_rate:=0', 'command line: state_rate: found 0'),
    ('state_rate:=.nan', 'command line: state_rate: found nan'),
    ('state_rate:=fast', "command line: state_rate: found 'fast'"),
    ('command_timeout:=-1', 'a number from 0 to 3600 [s]'),
    ('backend:=simulatd', "'simulatd'; allowed: one of 'simulated'"),
    ('use_sim_time:=1', 'command line: use_sim_time: found 1; allowed: true or false'),
    ("use_sim_time:='true'", "found 'true'"), ('start_type_description_service:=3', 'found 3'),
    ('state_rate:=', 'state_rate'), ('state_rate', '-p NAME:=VALUE'), ('x:={a: 1}', 'a value')])
def test_a_wrong_value_on_the_command_line_is_refused(argument, message):
    assert message in refused('--arm', 'simple', '--ros-args', '-p', argument)


def test_a_broken_rule_of_the_arm_is_refused_with_key_and_the_file_with_the_mistake(write):
    arm = write(SIMPLE.replace('forearm: 0.12', 'forearm: -0.12'))
    file = write(section(**{'arm.links.forearm': -1}), 'second.yaml')
    assert refused('--arm', arm).startswith(f'{arm}: arm.links.forearm: found -0.12')
    assert refused('--arm', 'simple', '--ros-args', '--params-file', file).startswith(
        f'{file}: arm.links.forearm: found -1')


def test_files_and_arms_that_are_not_there_are_refused(write, tmp_path):
    nowhere = str(tmp_path / 'nowhere.yaml')
    assert nowhere in refused('--arm', nowhere)
    assert 'line 2' in refused('--arm', write('a: [\n'))
    assert '--arm NAME, or with --ros-args --params-file FILE' in refused()
    assert "did you mean 'simple'" in refused('--arm', 'simpel')


@pytest.mark.parametrize('node, args, message', [
    ('driver_node', ['--arm', 'simple', '--ros-args', '-p', 'state_rate:=0'], 'state_rate: found'),
    ('ik_node', ['--arm', 'simple', '--ros-args', '-r', 'nonsense'], 'nonsense'),
    ('driver_node', ['--params-file', 'a.yaml'], '--params-file belongs behind --ros-args'),
    ('ik_node', ['--arm', 'simple', '-p', 'a:=1'], '-p belongs behind --ros-args'),
    ('driver_node', ['--arm', 'so101'], "start of ROS 2 is 'error creating node: Unable")])
def test_a_wrong_start_ends_in_one_message_and_exit_code_2(node, args, message):
    ended = subprocess.run([sys.executable, '-m', 'arm_ik.nodes.startup.start', node, *args],
                           capture_output=True, text=True, timeout=60,
                           env={**os.environ, 'ROS_STATIC_PEERS': 'no.such.host.invalid'})
    assert ended.returncode == 2, ended.stderr
    assert 'Traceback' not in ended.stderr
    lines = [line for line in ended.stderr.splitlines() if line.startswith(f'{node}: ')]
    assert len(lines) == 1 and message in lines[0], ended.stderr


def test_notes_on_the_arm_are_logged_and_quality_of_service_by_a_profile_keeps_no_node(write):
    arm = write(SIMPLE.replace('hand: 0.08', 'hand: 80.0'))
    with reserved_domain() as domain:
        node = NodeProcess.of_node('driver_node', ['--arm', arm], {
            'ROS_DOMAIN_ID': str(domain), 'RMW_FASTRTPS_USE_QOS_FROM_XML': '1'})
        try:
            while 'found on this host only' not in node.output():
                assert node.exit_code is None, node.output()
        finally:
            assert node.stop() == 0
    told = [line for line in node.output().splitlines() if 'look like millimetres' in line]
    assert len(told) == 1 and 'WARN' in told[0]


def test_the_tip_is_chosen_by_option_or_parameter_and_a_wrong_one_is_named():
    for args in (['--tip', 'gripper_frame_link'],
                 ['--ros-args', '-p', 'arm.tip:=gripper_frame_link'],
                 ['--tip', '', '--ros-args', '-p', 'arm.tip:=gripper_frame_link']):
        *_, given = prepare(['--arm', 'so101', *args], 'ik_node', IK)
        assert given.model.chosen_tip.x == 0.0079
    *_, given = prepare(['--arm', 'so101'], 'ik_node', IK)
    assert given.model.tip == ''
    with pytest.raises(ArmIkError, match="arm.tip: found 'gripper'; allowed: one of ''"):
        prepare(['--arm', 'so101', '--tip', 'gripper'], 'ik_node', IK)
