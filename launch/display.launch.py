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
installed are left out, and a log line says what is then missing. Beside a running arm, its own
robot_state_publisher goes on publishing the model.
"""

from functools import partial
from math import cos, sin
import os
from pathlib import Path
import sys
import tempfile
from typing import NamedTuple

from ament_index_python.packages import get_package_prefix
from arm_ik import Arm
from arm_ik.errors import InvalidInputError
from arm_ik.nodes.startup import discovery
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, GroupAction, LogInfo, OpaqueFunction, SetEnvironmentVariable)
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
import rclpy

#: What is missing without a package.
WITHOUT = {
    'robot_state_publisher': 'no frames on tf and no robot_description; the arm moves, '
                             'but RViz cannot show it',
    'rviz2': 'no RViz window; the arm moves',
    'joint_state_publisher_gui': 'no sliders; only joint_states of a running arm move the model',
    'interactive_markers': 'no target to drag in RViz; targets come on target_pose, and by clicks '
                           'with Publish Point',
}

#: Distance of the camera, height above the shoulder of what it looks at, and how far that is in
#: front, as parts of the reach: the arm fills the picture, and the reason above it is in view.
CAMERA_DISTANCE, CAMERA_HEIGHT, CAMERA_AHEAD = 2.5, 0.22, 0.25

#: This file's folder and those beside it are, in the source tree and where it is installed alike.
DEFAULT_VIEW = Path(__file__).resolve().parent.parent / 'rviz' / 'arm_ik.rviz'


class Copy(NamedTuple):
    """A temporary file and the text it was made with."""

    name: str
    text: str


def generate_launch_description():
    """Return the description; ``--show-args`` lists its arguments."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'arm', default_value='so101',
            description='Name of an arm that comes with the package, or path of the YAML file '
                        'that describes one.'),
        DeclareLaunchArgument(
            'tip', default_value='',
            description='Name of the tip that tool0 is at. Empty: as in the file of the arm.'),
        DeclareLaunchArgument(
            'rviz', default_value='true', choices=['true', 'false'],
            description='Start RViz; false: publish model and frames only.'),
        DeclareLaunchArgument(
            'model', default_value='auto', choices=['auto', 'true', 'false'],
            description='Publish the model and its frames; auto: unless a running arm does.'),
        DeclareLaunchArgument(
            'rviz_config', default_value=str(DEFAULT_VIEW),
            description='Configuration file of RViz. What is saved in RViz is kept, and shown '
                        'the next time.'),
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
        'arm', 'tip', 'rviz', 'model', 'rviz_config', 'sliders', 'namespace', 'frame_prefix',
        'use_sim_time', 'log_level')}
    prefix, shows = given['frame_prefix'], given['rviz'] == 'true'
    if shows and prefix and not prefix.endswith('/'):
        raise InvalidInputError('frame_prefix', prefix, f"'{prefix}/': RViz puts a slash between "
                                'prefix and link')
    named = given['arm']
    arm = (Arm.from_yaml if '/' in named or named.endswith(('.yaml', '.yml'))
           else Arm.preset)(named, given['tip'] or None)
    model = {'robot_description': ParameterValue(arm.to_urdf(), value_type=str)}
    actions = []
    if given['model'] == 'auto':
        has_model, has_states = _running(given['namespace'])
        given['model'] = 'false' if has_model else 'true'
        if has_model:
            actions.append(LogInfo(msg='robot_state_publisher runs already: it publishes the '
                                       'model and its frames, not this launch file'))
        if not has_states and given['sliders'] == 'false':
            actions.append(LogInfo(msg='nobody publishes joint_states: RViz shows the arm as a '
                                       'white heap until an arm runs (arm.launch.py); or add '
                                       'sliders:=true'))
    if given['model'] == 'true':
        actions += _node(given, 'robot_state_publisher',
                         parameters=[model, {'frame_prefix': prefix}])
    if given['sliders'] == 'true':
        actions += _node(given, 'joint_state_publisher_gui')
    if shows:
        config = Path(given['rviz_config'])
        kept = _kept(arm.model.name, prefix)
        if config == DEFAULT_VIEW and kept.exists():
            config = kept
            actions.append(LogInfo(msg=f'RViz shows the view that was saved, {kept}; without that '
                                       'file, the one that comes with the package'))
        copy = _fitted(config, prefix, arm.model)
        rviz = _node(given, 'rviz2', on_exit=partial(_keep_what_was_saved, copy, kept),
                     arguments=['-d', copy.name if copy else str(config),
                                '-f', f'{prefix}base_link'])
        actions += rviz
        if isinstance(rviz[0], Node):
            actions += _target_marker(given)
    return actions


def _running(namespace):
    """Return whether a running arm publishes a model, and whether anybody publishes states."""
    place = '/' + namespace.strip('/')
    model, states = (place.rstrip('/') + f'/{topic}'
                     for topic in ('robot_description', 'joint_states'))
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    try:
        node = rclpy.create_node('display_launch', context=context, start_parameter_services=False)
        found = discovery.search(lambda: (
            bool(node.count_publishers(model)), bool(node.count_publishers(states))))
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    return found


def _target_marker(given):
    """Return the node that lets a target be dragged, or a line on what is missing for it."""
    if not _installed('interactive_markers'):
        return [LogInfo(msg=f'interactive_markers is not installed: '
                            f'{WITHOUT["interactive_markers"]}')]
    prefix = given['frame_prefix']
    return [Node(
        executable=sys.executable, exec_name='target_marker', namespace=given['namespace'],
        arguments=['-m', 'arm_ik.nodes.startup.start', 'target_marker', '--arm', given['arm'],
                   *(['--tip', given['tip']] if given['tip'] else [])],
        parameters=[{'frame_prefix': prefix,
                     'use_sim_time': given['use_sim_time'] == 'true'}], output='screen')]


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


def _kept(name, prefix):
    """Return the file that keeps what is saved in RViz of an arm."""
    home = Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    return home / 'arm_ik' / f'{name}{prefix.replace("/", "_")}.rviz'


def _fitted(path, prefix, model):
    """
    Return a copy of an RViz configuration for frames with a prefix and an arm of this size.

    ``None`` where nothing has to be changed: RViz then saves into the file itself.
    """
    text = given = path.read_text(encoding='utf-8')
    # RViz puts the slash between prefix and link itself.
    text = text.replace('TF Prefix: ""', f'TF Prefix: "{prefix.rstrip("/")}"')
    text = text.replace('Fixed Frame: base_link', f'Fixed Frame: {prefix}base_link')
    text = text.replace('Distance: 0.9\n', f'Distance: {CAMERA_DISTANCE * model.reach:.3f}\n')
    text = text.replace('Yaw: 0.9\n', f'Yaw: {0.9 + model.heading:.3f}\n')
    ahead = CAMERA_AHEAD * model.reach
    text = text.replace('X: 0\n        Y: 0\n        Z: 0.12\n', (
        f'X: {model.base_x + ahead * cos(model.heading):.3f}\n'
        f'        Y: {model.base_y + ahead * sin(model.heading):.3f}\n'
        f'        Z: {model.base_height + CAMERA_HEIGHT * model.reach:.3f}\n'))
    if text == given:
        return None
    with tempfile.NamedTemporaryFile('w', prefix='arm_ik_', suffix='.rviz', delete=False,
                                     encoding='utf-8') as file:
        file.write(text)
    return Copy(file.name, text)


def _keep_what_was_saved(copy, kept, *_):
    """Remove the copy of the view; if RViz has saved into it, keep that."""
    if copy is None:
        return []
    text = Path(copy.name).read_text(encoding='utf-8')
    Path(copy.name).unlink()
    if text == copy.text:
        return []
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text, encoding='utf-8')
    return [LogInfo(msg=f'the view that was saved in RViz is kept: {kept}; it is shown from now '
                        'on, by rviz_config:=... too')]
