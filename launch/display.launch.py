# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Show an arm in RViz: its model, the target, the solution.

::

    ros2 launch arm_ik display.launch.py arm:=px100 sliders:=true

The joints follow the ``joint_states`` of a running arm, or the sliders. Packages that are not
installed are left out, and a log line says what is then missing.
"""

from pathlib import Path
import tempfile

from ament_index_python.packages import get_package_prefix
from arm_ik import Arm
from arm_ik.nodes.process import discovery
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, GroupAction, LogInfo, OpaqueFunction, RegisterEventHandler,
    SetEnvironmentVariable)
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

#: What is missing without a package.
WITHOUT = {
    'robot_state_publisher': 'no frames on tf and no robot_description; the arm moves, '
                             'but RViz cannot show it',
    'rviz2': 'no RViz window; the arm moves',
    'joint_state_publisher_gui': 'no sliders; only joint_states of a running arm move the model',
}


def generate_launch_description():
    """Return the description; ``--show-args`` lists its arguments."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'arm', default_value='so101',
            description='Name of an arm that comes with the package, or path of the YAML file '
                        'that describes one.'),
        DeclareLaunchArgument(
            'rviz', default_value='true', choices=['true', 'false'],
            description='Start RViz; false: publish model and frames only.'),
        DeclareLaunchArgument(
            'rviz_config', default_value=str(_beside('rviz') / 'arm_ik.rviz'),
            description='Configuration file of RViz.'),
        DeclareLaunchArgument(
            'sliders', default_value='false', choices=['true', 'false'],
            description='Move the joints by sliders, where no arm runs.'),
        DeclareLaunchArgument(
            'namespace', default_value='', description='Namespace of all nodes and topics.'),
        DeclareLaunchArgument(
            'frame_prefix', default_value='',
            description='Prefix of the names of all frames; RViz needs it to end in a slash.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'],
            description='Take the time of stamps from /clock.'),
        DeclareLaunchArgument(
            'log_level', default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Lowest severity that the nodes log.'),
        DeclareLaunchArgument(
            'discovery', default_value='', choices=['', *discovery.CHOICES],
            description=discovery.DESCRIPTION),
        # In a group, so that settings do not leak into launch files that include this one.
        GroupAction([
            OpaqueFunction(function=_set_discovery),
            OpaqueFunction(function=_nodes),
        ]),
    ])


def _set_discovery(context):
    asked = LaunchConfiguration('discovery').perform(context)
    variables, _ = discovery.settings(asked, context.environment)
    return [SetEnvironmentVariable(name, value) for name, value in variables.items()]


def _nodes(context):
    given = {name: LaunchConfiguration(name).perform(context) for name in (
        'arm', 'rviz', 'rviz_config', 'sliders', 'namespace', 'frame_prefix', 'use_sim_time',
        'log_level')}
    arm = given['arm']
    arm = Arm.from_yaml(arm) if '/' in arm or arm.endswith(('.yaml', '.yml')) else Arm.preset(arm)
    prefix = given['frame_prefix']
    model = {'robot_description': ParameterValue(arm.to_urdf(), value_type=str)}
    actions = _node(given, 'robot_state_publisher', parameters=[model, {'frame_prefix': prefix}])
    if given['sliders'] == 'true':
        actions += _node(given, 'joint_state_publisher_gui')
    if given['rviz'] == 'true':
        config = given['rviz_config']
        if prefix:
            config = _with_prefix(config, prefix)
            actions.append(RegisterEventHandler(OnShutdown(
                on_shutdown=lambda *_: Path(config).unlink(missing_ok=True))))
        actions += _node(given, 'rviz2', arguments=['-d', config, '-f', f'{prefix}base_link'])
    return actions


def _node(given, package, parameters=(), **arguments):
    """Return a node of a package, named as its executable; or a line on its absence."""
    if not _installed(package):
        return [LogInfo(msg=f'{package} is not installed: {WITHOUT[package]}')]
    logger = '.'.join([*filter(None, given['namespace'].split('/')), package])
    return [Node(
        package=package, executable=package, namespace=given['namespace'],
        parameters=[*parameters, {'use_sim_time': given['use_sim_time'] == 'true'}],
        ros_arguments=['--log-level', f'{logger}:={given["log_level"]}'],
        output='screen', **arguments)]


def _installed(package):
    try:
        return bool(get_package_prefix(package))
    except (LookupError, OSError):  # not in the ament index, or no index at all
        return False


def _with_prefix(path, prefix):
    """Write a copy of an RViz configuration in which frames have a prefix; return its path."""
    text = Path(path).read_text(encoding='utf-8')
    # RViz puts the slash between prefix and link itself.
    text = text.replace('TF Prefix: ""', f'TF Prefix: "{prefix.rstrip("/")}"')
    text = text.replace('Fixed Frame: base_link', f'Fixed Frame: {prefix}base_link')
    with tempfile.NamedTemporaryFile('w', prefix='arm_ik_', suffix='.rviz', delete=False,
                                     encoding='utf-8') as file:
        file.write(text)
    return file.name


def _beside(folder):
    """Return the folder next to this one, in the source tree and where it is installed alike."""
    return Path(__file__).resolve().parent.parent / folder
