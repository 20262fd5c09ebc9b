# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the launch files offer, what they start, and what happens when part of it dies."""

from contextlib import contextmanager
import os
from pathlib import Path
import re
import signal
import sys
from time import monotonic, sleep

import pytest

pytest.importorskip('launch_ros', reason='needs launch_ros, which pip has not; a full ROS 2 has')

# flake8: noqa: E402, I100
from arm_ik.nodes.startup.discovery import PROFILE
from arm_ik.testing import ArmClient
from arm_ik.testing.processes import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
from geometry_msgs.msg import Vector3Stamped
from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import get_launch_description_from_python_launch_file
import stand_in

ROOT = Path(__file__).parents[2]
ARM, DISPLAY = ROOT / 'launch' / 'arm.launch.py', ROOT / 'launch' / 'display.launch.py'
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
#: A launch file that includes another twice.
TWO_ARMS = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    return LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource('{path}'), launch_arguments=[
            ('arm', arm), ('namespace', side), ('frame_prefix', side + '/')])
        for side, arm in (('left', 'so101'), ('right', '{file}'))])
"""
#: A launch file that includes another and starts a program after it.
WITH_ANOTHER = """
from launch import LaunchDescription
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    return LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource('{path}'), launch_arguments=[
            ('rviz', 'false'), ('discovery', 'subnet')]),
        ExecuteProcess(cmd=['sh', '-c', 'env; echo that is all'], output='screen')])
"""
#: As if no ROS package were installed.
NO_PROGRAMS = {'AMENT_PREFIX_PATH': '/nonexistent'}
SERVOS = f'servos:={ROOT / "config" / "servos" / "so101.yaml"}'

#: Stand-ins for modules: they tell what they were given.
PAGE_NEEDS = """
import sys
print('page:', *sys.argv, flush=True)
raise ModuleNotFoundError(name='msgspec')
"""
MARKERS = """
import sys
sys.modules['interactive_markers.interactive_marker_server'] = sys.modules[__name__]


class InteractiveMarkerServer:
    def __init__(self, *args):
        pass

    def insert(self, marker, feedback_callback):
        print('marker in', marker.header.frame_id, flush=True)

    def applyChanges(self):
        pass
"""


@contextmanager
def launched(path, *arguments, **variables):
    """Yield a launch as a process and the ROS domain it is in."""
    with reserved_domain() as domain_id:
        process = NodeProcess(
            path.name, [sys.executable, str(Path(__file__).with_name('run_launch.py')),
                        str(path), *arguments], {'ROS_DOMAIN_ID': str(domain_id), **variables})
        try:
            yield process, domain_id
        finally:
            for pid in pids(process).values():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # as it should be, after process.stop()
            process.stop()


def pids(process):
    """Return the processes that a launch has started, by name."""
    return {name: int(pid) for name, pid in re.findall(
        r'\[(\w+)-\d+\]: process started with pid \[(\d+)\]', process.output())}


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def with_stand_ins(prefix, *names):
    """Install stand-ins for programs; return the environment variable that has them found."""
    stand_in.install(prefix, *names)
    prefixes = [str(prefix), os.environ.get('AMENT_PREFIX_PATH', '')]
    return {'AMENT_PREFIX_PATH': os.pathsep.join(filter(None, prefixes))}


def with_module(folder, path, text):
    """Write a module; return the environment variable that has it found before others."""
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)
    paths = [str(folder), str(ROOT), os.environ.get('PYTHONPATH', '')]
    return {'PYTHONPATH': os.pathsep.join(filter(None, paths))}


def command_of(process, name):
    """Return the command line of a process that a launch has started."""
    return Path(f'/proc/{pids(process)[name]}/cmdline').read_text()


def wait_for(holds, timeout=60.0):
    """Poll a condition of another process, which gives no notice; tell whether it came true."""
    deadline = monotonic() + timeout
    while not holds():
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True


def discovery_of(pid):
    """Return the range of discovery that a process was started with, or that it is ``host``."""
    text = Path(f'/proc/{pid}/environ').read_bytes().decode()
    variables = dict(line.split('=', 1) for line in text.split('\0') if line)
    return 'host' if str(PROFILE) in variables.values() else variables.get(RANGE)


def description(path):
    return get_launch_description_from_python_launch_file(str(path))


def arguments(path):
    return {action.name: action for action in description(path).entities
            if isinstance(action, DeclareLaunchArgument)}


@pytest.mark.parametrize('path, names', [
    (ARM, {'arm', 'tip', 'params_file', 'servos', 'backend', 'objects', 'controller', 'rviz',
           'viewer', 'namespace', 'frame_prefix', 'use_sim_time', 'log_level', 'discovery'}),
    (DISPLAY, {'arm', 'tip', 'rviz', 'model', 'rviz_config', 'sliders', 'namespace',
               'frame_prefix', 'use_sim_time', 'log_level', 'discovery'}),
])
def test_every_argument_is_described(path, names):
    declared = arguments(path)
    assert set(declared) == names
    for name, action in declared.items():
        text, _, _ = action.description.partition(' Valid choices are')
        assert len(text) >= 15 and text.endswith('.'), name
    for name in {'rviz', 'model', 'use_sim_time', 'log_level', 'discovery'} & names:
        assert declared[name].choices, f'{name} has no choices'


@pytest.mark.parametrize('path', [ARM, DISPLAY])
@pytest.mark.parametrize('environment, argument, comes_to', [
    ('', None, 'host'), ('SUBNET', None, 'SUBNET'), ('', 'subnet', 'SUBNET'),
    ('SUBNET', 'localhost', 'LOCALHOST'), ('SUBNET', 'host', 'host'), ('', 'default', '')])
def test_traffic_stays_on_this_host_unless_its_owner_says_otherwise(
        path, environment, argument, comes_to, tmp_path):
    given = [] if argument is None else [f'discovery:={argument}']
    with launched(path, 'rviz:=false', *given, **{RANGE: environment},
                  **with_stand_ins(tmp_path, 'robot_state_publisher')) as (process, _):
        expected = {ARM: 3, DISPLAY: 1}[path]
        assert wait_for(lambda: len(pids(process)) == expected), process.output()
        # A process that has just been started still has the environment of the launch.
        assert wait_for(
            lambda: {discovery_of(pid) for pid in pids(process).values()} == {comes_to})
        if path == ARM and argument:
            assert f'--discovery\0{argument}\0' in command_of(process, 'ik_node')


def test_an_unknown_value_of_discovery_is_refused():
    with launched(ARM, 'discovery:=everywhere') as (process, _):
        assert process.wait(60) == 1
        assert "Valid options are: ['', 'host', 'default', 'subnet'" in process.output()
        assert pids(process) == {}


@pytest.mark.parametrize('path', [ARM, DISPLAY])
def test_what_else_a_launch_file_starts_keeps_its_own_environment(path, tmp_path):
    including = tmp_path / 'more.launch.py'
    including.write_text(WITH_ANOTHER.format(path=str(path)))
    stand_ins = with_stand_ins(tmp_path, 'robot_state_publisher')
    with launched(including, **stand_ins, **{RANGE: ''}) as (process, _):
        assert wait_for(lambda: 'that is all\n' in process.output())
        assert f'{RANGE}=SUBNET' not in process.output()


def test_rviz_comes_with_the_arm_where_it_is_asked_for(tmp_path):
    programs = {**with_stand_ins(tmp_path, 'robot_state_publisher', 'rviz2',
                                 'interactive_markers'),
                **with_module(tmp_path, 'interactive_markers/__init__.py', MARKERS)}
    with launched(ARM, 'rviz:=true', 'frame_prefix:=left/', 'log_level:=error', **programs
                  ) as (process, _):
        assert wait_for(lambda: 'that is all of rviz2' in process.output()), process.output()
        assert 'log level ERROR' in process.output()
        assert wait_for(lambda: 'marker in left/base_link' in process.output()), process.output()
        assert process.stop() == 0


def test_the_page_comes_with_the_arm_where_it_is_asked_for(tmp_path):
    with launched(ARM, 'viewer:=true', 'namespace:=left', 'discovery:=localhost', **NO_PROGRAMS,
                  **with_module(tmp_path, 'msgspec.py', PAGE_NEEDS)) as (process, _):
        assert wait_for(lambda: re.search('page: .*\n', process.output())), process.output()
        page = re.search('page: .*', process.output())[0]
        assert ' --arm so101 --discovery localhost ' in page and '__ns:=/left' in page


def test_a_controller_of_ros2_control_moves_the_arm_in_the_place_of_the_driver(tmp_path):
    stand_ins = with_stand_ins(tmp_path, 'robot_state_publisher')
    # Our own driver takes trajectories as a controller would; commands it does not hear.
    deaf = ['--arm', 'so101', '--ros-args', '-r', '__ns:=/left', '-r', 'joint_commands:=unheard']
    with launched(ARM, 'controller:=driver_node', 'namespace:=left', SERVOS, **stand_ins
                  ) as (process, domain_id):
        driver = NodeProcess.of_node('driver_node', deaf, domain_environment(domain_id))
        try:
            with ArmClient('so101', 'left', domain_id) as arm:
                arm.move_to((0.25, 0.05, 0.05), (0.0, 0.0, -1.0))
        finally:
            driver.stop()
        assert set(pids(process)) == {'ik_node', 'robot_state_publisher'}
        assert '--servos\0' in command_of(process, 'ik_node')
        with launched(DISPLAY, 'rviz:=false', 'namespace:=left', ROS_DOMAIN_ID=str(domain_id),
                      **stand_ins) as (display, _):
            assert wait_for(lambda: 'robot_state_publisher runs already' in display.output())
        os.kill(pids(process)['ik_node'], signal.SIGKILL)
        assert wait_for(lambda: 'the controller has the arm' in process.output())


def test_a_back_end_and_a_controller_are_one_too_many():
    with launched(ARM, 'controller:=arm_controller', 'backend:=simulated') as (process, _):
        assert process.wait(60) == 1
        assert 'none: arm_controller moves the arm' in process.output()


def test_beside_a_running_arm_its_own_model_stays_the_only_one(tmp_path):
    stand_ins = with_stand_ins(tmp_path, 'robot_state_publisher', 'rviz2')
    with launched(ARM, **stand_ins) as (arm, domain_id):
        assert wait_for(lambda: 'that is all of robot_state_publisher' in arm.output())
        with launched(DISPLAY, ROS_DOMAIN_ID=str(domain_id), **stand_ins) as (process, _):
            assert wait_for(lambda: 'that is all of rviz2' in process.output()), process.output()
            assert 'robot_state_publisher runs already' in process.output()
            assert 'nobody publishes joint_states' not in process.output()
            assert 'robot_state_publisher' not in pids(process)
        with launched(ARM, 'controller:=other', ROS_DOMAIN_ID=str(domain_id), **stand_ins
                      ) as (process, _):
            assert wait_for(lambda: 'robot_state_publisher runs already' in process.output())


def test_without_states_the_reason_for_the_white_heap_is_told(tmp_path):
    stand_ins = with_stand_ins(tmp_path, 'robot_state_publisher')
    with launched(DISPLAY, 'rviz:=false', **stand_ins) as (process, _):
        assert wait_for(lambda: 'that is all of robot_state_publisher' in process.output())
        assert 'nobody publishes joint_states: RViz shows the arm as a white heap' in \
            process.output()


def test_a_prefix_that_rviz_cannot_use_is_refused():
    with launched(DISPLAY, 'frame_prefix:=left_', **NO_PROGRAMS) as (process, _):
        assert process.wait(60) == 1
        assert "frame_prefix is 'left_'; allowed: 'left_/'" in process.output()


def test_a_target_to_drag_comes_with_rviz_where_interactive_markers_is_installed(tmp_path):
    stand_ins = with_stand_ins(
        tmp_path, 'robot_state_publisher', 'rviz2', 'interactive_markers',
        'joint_state_publisher_gui')
    (tmp_path / 'my.rviz').write_text('Mine, Distance: 0.9\n')
    with launched(DISPLAY, f'rviz_config:={tmp_path / "my.rviz"}', **stand_ins) as (process, _):
        assert wait_for(lambda: 'target_marker' in pids(process)), process.output()
        assert wait_for(lambda: 'that is all of rviz2' in process.output()), process.output()
        view = Path(re.search("arguments \\['-d', '(.*?)'", process.output())[1]).read_text()
        assert view.startswith('Mine, Distance: ') and '0.9\n' not in view
    with launched(DISPLAY, 'rviz:=false', 'sliders:=true', **stand_ins) as (process, _):
        assert wait_for(lambda: set(pids(process)) == {
            'robot_state_publisher', 'joint_state_publisher_gui'}), process.output()


def test_a_view_that_is_saved_in_rviz_is_kept_and_shown_the_next_time(tmp_path):
    programs = {**with_stand_ins(tmp_path, 'robot_state_publisher', 'rviz2'),
                'ROS_HOME': str(tmp_path / 'home')}
    kept = tmp_path / 'home' / 'arm_ik' / 'so101left_.rviz'

    def shown(process):
        assert wait_for(lambda: 'that is all of rviz2' in process.output()), process.output()
        return Path(re.search("arguments \\['-d', '(.*?)'", process.output())[1])

    for text in ('', 'Mine'):
        with launched(DISPLAY, 'frame_prefix:=left/', **programs) as (process, _):
            copy = shown(process)
            if text:
                copy.write_text(text)
            assert process.stop() == 0
            assert not copy.exists() and kept.exists() == bool(text)
    assert f'kept: {kept}' in process.output() and kept.read_text() == 'Mine'
    with launched(DISPLAY, 'frame_prefix:=left/', **programs) as (process, _):
        assert shown(process) == kept and f'saved, {kept}' in process.output()
        assert process.stop() == 0 and kept.exists()
    with launched(DISPLAY, f'rviz_config:={ROOT / "rviz" / "arm_ik.rviz"}', **programs
                  ) as (process, _):
        assert shown(process).read_text() != 'Mine'  # of the arm without a prefix


def test_what_is_not_installed_is_left_out_with_a_log_line():
    with launched(DISPLAY, 'sliders:=true', **NO_PROGRAMS) as (process, _):
        assert process.wait(60) == 0  # with nothing to run, it ends
        output = process.output()
        for name in ('robot_state_publisher', 'joint_state_publisher_gui', 'rviz2'):
            assert f'{name} is not installed: ' in output
        assert pids(process) == {}


def test_an_unknown_arm_is_named_and_nothing_starts():
    with launched(ARM, 'arm:=so102', **NO_PROGRAMS) as (process, _):
        assert process.wait(60) == 1
        assert "no arm named 'so102'; did you mean 'so101'?" in process.output()
        assert pids(process) == {}


def test_an_unknown_back_end_is_refused():
    with launched(ARM, 'backend:=magic') as (process, _):
        assert process.wait(60) == 1
        assert "Valid options are: ['', 'simulated'" in process.output()


def test_an_arm_in_the_parameter_file_is_used(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text((ROOT / 'config' / 'px100.yaml').read_text()
                    + 'ik_node:\n  ros__parameters:\n    elbow: up\n')
    with launched(ARM, f'params_file:={path}') as (process, domain_id):
        with ArmClient('px100', domain_id=domain_id) as arm:
            arm.move_to((0.15, 0.0, 0.1))
        assert process.stop() == 0


def test_parameters_of_the_nodes_reach_them(tmp_path):
    path = tmp_path / 'nodes.yaml'
    path.write_text('ik_node:\n  ros__parameters:\n    follow_relaxed: false\n'
                    '/**:\n  ros__parameters:\n    arm.name: mine\n')
    with launched(ARM, 'arm:=so101', f'params_file:={path}') as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id) as arm:
            assert 'follow_relaxed' in arm.wait_for_refusal(arm.send((5.0, 0.0, 0.0))).reason
        assert process.stop() == 0


def test_a_prefix_without_a_slash_is_told_with_the_frames_that_come_of_it():
    with launched(ARM, 'frame_prefix:=left') as (process, _):
        assert wait_for(lambda: 'frames are leftbase_link and the like' in process.output())
        assert 'frame_prefix is left/, with a slash' in process.output()


def test_an_argument_wins_over_the_parameter_file(tmp_path):
    path = tmp_path / 'nodes.yaml'
    path.write_text('ik_node:\n  ros__parameters:\n    frame_prefix: other/\n')
    with launched(ARM, f'params_file:={path}', 'frame_prefix:=left/') as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id, frame_prefix='left/') as arm:
            arm.move_to((0.25, 0.05, 0.05))
        assert process.stop() == 0


def test_a_back_end_given_wins_over_that_of_the_parameter_file(tmp_path):
    path = tmp_path / 'nodes.yaml'
    path.write_text('driver_node:\n  ros__parameters:\n    backend: unknown\n')
    with launched(ARM, f'params_file:={path}', 'backend:=simulated') as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id):
            pass  # it came up
        assert process.stop() == 0


def test_a_servos_file_reaches_the_driver_and_a_back_end_given_wins_over_it():
    with launched(ARM, SERVOS) as (process, _):
        assert process.wait(60) == 1, process.output()
        assert 'driver_node: feetech: ' in process.output()
        assert 'exit code 1: it says above why, and holds no arm' in process.output()
    with launched(ARM, 'servos:=mistyped.yaml') as (process, _):
        assert process.wait(60) == 1, process.output()
        assert 'driver_node: mistyped.yaml: ' in process.output()
        assert 'exit code 2: it has not started, and says above why' in process.output()
        assert 'nothing holds the arm' not in process.output()
    with launched(ARM, SERVOS, 'backend:=simulated') as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id):
            assert '--servos' not in command_of(process, 'ik_node')
        assert process.stop() == 0


def test_the_log_level_holds_in_a_namespace_too():
    with launched(ARM, 'namespace:=left', 'log_level:=error') as (process, domain_id):
        with ArmClient('so101', 'left', domain_id):
            pass  # by now the nodes would have said that they are there
        assert process.stop() == 0
        assert '[left.' not in process.output()


def test_an_end_that_was_asked_for_is_no_loss():
    with launched(ARM) as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id):
            pass  # it came up
        assert process.stop() == 0
        assert 'ended with exit code' not in process.output()


def test_simulated_time_reaches_both_nodes():
    with launched(ARM, 'use_sim_time:=true') as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id) as arm:
            arm.publish(Vector3Stamped())
            arm.wait_until(lambda: arm.status.state == 'accepted', 'an answer of ik_node')
            # Nobody publishes /clock, so that time has not begun.
            assert arm.state_stamp == arm.status.target_stamp == (0, 0)
        assert process.stop() == 0


def test_everything_ends_when_the_driver_dies():
    with launched(ARM) as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id):
            started = pids(process)
        os.kill(started['driver_node'], signal.SIGKILL)
        assert process.wait(60) == 1, process.output()
        assert 'driver_node ended with exit code -9: nothing holds the arm' in process.output()
        assert 'the driver holds the arm' not in process.output()
        assert not any(map(is_running, started.values()))


def test_the_driver_stays_when_the_ik_node_dies():
    with launched(ARM) as (process, domain_id):
        with ArmClient('so101', domain_id=domain_id) as arm:
            started = pids(process)
            os.kill(started['ik_node'], signal.SIGKILL)
            arm.wait_until(lambda: 'the driver holds the arm where it is' in process.output(),
                           'a line on what is left')
            before = arm.joint_states
            seen = arm.record()
            arm.wait_until(lambda: len(seen) > 10, 'joint states going on')
            assert arm.joint_states == before
            assert is_running(started['driver_node'])
        assert process.stop() == 1
        assert not any(map(is_running, started.values()))


def test_an_arm_whose_driver_dies_takes_no_other_arm_of_its_launch_with_it(tmp_path):
    path = tmp_path / 'two.launch.py'
    path.write_text(TWO_ARMS.format(path=ARM, file=ROOT / 'config' / 'px100.yaml'))
    stand_ins = with_stand_ins(tmp_path, 'robot_state_publisher')
    with launched(path, **stand_ins) as (process, domain_id):
        with ArmClient('so101', 'left', domain_id, 'left/') as left_arm, \
                ArmClient('px100', 'right', domain_id, 'right/') as right:
            right.move_to((0.15, 0.0, 0.1))
            assert left_arm.q == left_arm.arm.home
            left_arm.move_to((0.20, 0.03, 0.10))
            right.assert_at((0.15, 0.0, 0.1))
            nodes = {f'{node}/{side}': pid for node, side, pid in nodes_of(process)}
            assert len(nodes) == 6
            os.kill(nodes['driver_node/left'], signal.SIGKILL)
            left = [pid for name, pid in nodes.items() if name.endswith('/left')]
            assert wait_for(lambda: not any(map(is_running, left))), process.output()
            right.move_to((0.15, 0.05, 0.1))
            assert all(is_running(pid) for name, pid in nodes.items() if name.endswith('/right'))
        assert process.stop() == 1


def nodes_of(process):
    """Yield name, namespace and process id of every node that a launch has started."""
    for name, pid in re.findall(
            r'\[(\w+)-\d+\]: process started with pid \[(\d+)\]', process.output()):
        command = Path(f'/proc/{pid}/cmdline').read_text()
        node = next(known for known in ('driver_node', 'ik_node', 'robot_state_publisher')
                    if known in command)
        yield node, re.search('__ns:=/(\\w+)', command)[1], int(pid)
