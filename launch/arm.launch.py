# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Everything for one arm: driver, inverse kinematics, its model and frames, and RViz if wanted.

::

    ros2 launch arm_ik arm.launch.py arm:=so101 rviz:=true
    ros2 launch arm_ik arm.launch.py arm:=so101 servos:=my_so101.yaml
    ros2 launch arm_ik arm.launch.py arm:=my_arm.yaml namespace:=left frame_prefix:=left/
    ros2 launch arm_ik arm.launch.py arm:=my_arm.yaml controller:=arm_controller

The arm stands still until a target comes. If the driver ends, every node of the arm's namespace
ends; other arms that are launched with it go on. If ``ik_node`` ends, the driver stays and holds
the arm. After the death of either the launch ends with exit code 1; what only shows the arm (RViz,
model and frames, the page) may end without that.
"""

from functools import partial
from pathlib import Path
import sys

from ament_index_python.packages import get_package_prefix
from arm_ik.bus.families import SIMULATED
from arm_ik.description.parameter_file import ParameterFile
from arm_ik.drivers import backend_names
from arm_ik.errors import InvalidInputError
from arm_ik.nodes.startup import discovery
from arm_ik.nodes.startup.run import DRIVER_FAILURE, USAGE_ERROR
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, EmitEvent, GroupAction, IncludeLaunchDescription, LogInfo,
    OpaqueFunction, SetEnvironmentVariable)
from launch.events.process import ShutdownProcess
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

DEFAULT_ARM = 'so101'


def generate_launch_description():
    """Return the description; ``ros2 launch arm_ik arm.launch.py --show-args`` lists arguments."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'arm', default_value='',
            description='Name of an arm that comes with the package, or path of the YAML file '
                        'that describes one. Empty: the arm in params_file, else '
                        f'{DEFAULT_ARM}.'),
        DeclareLaunchArgument(
            'tip', default_value='',
            description='Name of the tip that tool0 is at. Empty: as in the file of the arm.'),
        DeclareLaunchArgument(
            'params_file', default_value='',
            description='ROS parameter file for the nodes, which may describe the arm too.'),
        DeclareLaunchArgument(
            'servos', default_value='',
            description='YAML file that says which servos this unit has. Empty: those in '
                        'params_file, else simulated ones.'),
        DeclareLaunchArgument(
            'backend', default_value='', choices=['', *backend_names()],
            description='Back end of the driver. Empty: as params_file or servos say, else '
                        'simulated.'),
        DeclareLaunchArgument(
            'objects', default_value='',
            description='YAML file of the objects in the world of the back end mujoco. Empty: as '
                        'params_file says, else none.'),
        DeclareLaunchArgument(
            'controller', default_value='',
            description='Name of the joint_trajectory_controller of ros2_control that moves the '
                        'arm. Empty: driver_node does.'),
        DeclareLaunchArgument(
            'rviz', default_value='false', choices=['true', 'false'],
            description='Show the arm, its target and its solution in RViz.'),
        DeclareLaunchArgument(
            'viewer', default_value='false', choices=['true', 'false'],
            description='Show the arm in the browser, at http://127.0.0.1:8080, with a target '
                        'to drag.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of all nodes and topics, for several arms.'),
        DeclareLaunchArgument(
            'frame_prefix', default_value='',
            description='Prefix of the names of all frames, for several arms: left/.'),
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
        'arm', 'tip', 'params_file', 'servos', 'backend', 'objects', 'controller', 'namespace',
        'frame_prefix', 'use_sim_time', 'log_level', 'discovery', 'viewer')}
    controller = given['controller']
    if controller and given['backend']:
        raise InvalidInputError('backend', given['backend'], f'none: {controller} moves the arm')
    given['arm'] = given['arm'] or _arm_in(given['params_file']) or DEFAULT_ARM
    driver, ik = {}, {}
    for name in ('backend', 'objects'):
        if given[name]:
            driver[name] = given[name]
    if given['frame_prefix']:
        ik['frame_prefix'] = driver['frame_prefix'] = given['frame_prefix']
    if controller:
        ik['output'] = 'trajectory'
    servos = ['--servos', given['servos']] if given['servos'] else []
    driver_node = None if controller else _node(
        'driver_node', given, driver, _driver_ended, servos)
    display = Path(__file__).with_name('display.launch.py')
    return [
        # First, so that nothing starts for an arm that cannot be described. It sees all arguments
        # of this file.
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(display)),
            launch_arguments={'arm': given['arm'], 'tip': given['tip'], 'sliders': 'false',
                              'model': 'auto' if controller else 'true'}.items()),
        *([driver_node] if driver_node else []),
        _node('ik_node', given, ik, partial(_ik_ended, driver_node),
              servos if given['backend'] not in SIMULATED else [],
              [('joint_trajectory', f'{controller}/joint_trajectory')] if controller else []),
        *([_viewer(given)] if given['viewer'] == 'true' else []),
    ]


def _node(name, given, parameters, on_exit, more=(), remappings=()):
    """Return a node of this package, installed by colcon or by pip."""
    if given['use_sim_time'] == 'true':
        parameters['use_sim_time'] = True
    arguments = [] if given['arm'] == given['params_file'] else ['--arm', given['arm']]
    arguments += [*(['--tip', given['tip']] if given['tip'] else []), *more]
    if given['discovery']:
        arguments += ['--discovery', given['discovery']]
    files = [given['params_file']] if given['params_file'] else []
    return Node(
        **_command(name, arguments), exec_name=name, namespace=given['namespace'],
        parameters=[*files, *([parameters] if parameters else [])], remappings=remappings,
        ros_arguments=['--log-level', f'{_logger(given, name)}:={given["log_level"]}'],
        output='screen', emulate_tty=True, on_exit=on_exit)


def _viewer(given):
    more = [text for name in ('tip', 'discovery') if given[name]
            for text in (f'--{name}', given[name])]
    return Node(
        executable=sys.executable, exec_name='viewer', namespace=given['namespace'],
        arguments=['-m', 'arm_ik', 'viewer', '--arm', given['arm'], *more],
        output='screen', emulate_tty=True)


def _logger(given, name):
    return '.'.join([*filter(None, given['namespace'].split('/')), name])


def _command(name, arguments):
    """Return how to start an executable: as ros2 run does, or by this Python where pip put it."""
    try:
        installed = Path(get_package_prefix('arm_ik'), 'lib', 'arm_ik', name).is_file()
    except (LookupError, OSError):  # not in the ament index, or no index at all
        installed = False
    if installed:
        return {'package': 'arm_ik', 'executable': name, 'arguments': arguments}
    return {'executable': sys.executable,
            'arguments': ['-m', 'arm_ik.nodes.startup.start', name, *arguments]}


def _arm_in(params_file):
    """Return the parameter file if it describes an arm."""
    if not params_file:
        return None
    names = (name for _, parameters in ParameterFile(params_file).sections
             for name in parameters)
    return params_file if any(name.startswith('arm.') for name in names) else None


def _driver_ended(event, context):
    if context.is_shutdown:
        return []
    _tell_failure(event, context)
    namespace = _namespace(event.action)
    words = {USAGE_ERROR: 'it has not started, and says above why',
             DRIVER_FAILURE: 'it says above why, and holds no arm'}.get(
                 event.returncode, 'nothing holds the arm any more')
    return [
        LogInfo(msg=f'driver_node ended with exit code {event.returncode}: {words}; all nodes in '
                    f'{namespace or "/"} end'),
        EmitEvent(event=ShutdownProcess(process_matcher=lambda action: (
            isinstance(action, Node) and _namespace(action) == namespace)))]


def _namespace(node):
    """Return the namespace of a node that has been started, with those it stands in."""
    return node.node_name.rpartition('/')[0]


def _ik_ended(driver_node, event, context):
    if context.is_shutdown or driver_node and driver_node.return_code is not None:
        return []
    _tell_failure(event, context)
    rest = 'the driver holds the arm where it is' if driver_node else 'the controller has the arm'
    return [LogInfo(msg=f'ik_node ended with exit code {event.returncode}: no target is followed '
                        f'any more; {rest}')]


def _tell_failure(event, context):
    """Let the launch end with an exit code other than 0, whenever that is, if a node did."""
    if event.returncode:
        # An exception would end the other arms of the launch, too.
        context.asyncio_loop.call_exception_handler(
            {'message': f'{event.process_name} ended with exit code {event.returncode}'})
