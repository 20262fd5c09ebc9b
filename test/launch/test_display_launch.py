# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
display.launch.py for real, with stand-ins for robot_state_publisher and RViz.

They print what they were given. What the real ones make of it is theirs.
"""

from contextlib import ExitStack
import os
from pathlib import Path
import tempfile
import unittest

import pytest

pytest.importorskip('launch_ros', reason='needs launch_ros, which pip has not; a full ROS 2 has')
pytest.importorskip('launch_testing', reason='needs launch_testing; a full ROS 2 has it')

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.testing.processes import domain_environment, reserved_domain
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing import post_shutdown_test
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes
import stand_in

#: What RViz was given, to be looked for afterwards.
seen_configs = []

LAUNCH_FILE = Path(__file__).parents[2] / 'launch' / 'display.launch.py'


@pytest.mark.launch_test
def generate_test_description():
    """Display a PincherX in a namespace."""
    kept = ExitStack()
    prefix = Path(kept.enter_context(tempfile.TemporaryDirectory()))
    stand_in.install(prefix, 'robot_state_publisher', 'rviz2')
    variables = domain_environment(kept.enter_context(reserved_domain()))
    prefixes = [str(prefix), os.environ.get('AMENT_PREFIX_PATH', '')]
    variables['AMENT_PREFIX_PATH'] = os.pathsep.join(filter(None, prefixes))
    launched = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(LAUNCH_FILE)),
        launch_arguments=[('arm', 'px100'), ('namespace', 'left'), ('frame_prefix', 'left/'),
                          ('log_level', 'error')])
    return LaunchDescription([
        GroupAction([*(SetEnvironmentVariable(name, value)
                       for name, value in variables.items()), launched]),
        ReadyToTest(),
    ]), {'kept': kept}


class TestWhatIsShown(unittest.TestCase):

    def output_of(self, name, proc_output):
        proc_output.assertWaitFor(f'that is all of {name}', stream='stdout', timeout=60)
        process = next(process for process in proc_output.processes()
                       if process.process_details['name'].startswith(name))
        return ''.join(item.text.decode() for item in proc_output[process])

    def test_the_model_is_the_arms_own(self, proc_output):
        text = self.output_of('robot_state_publisher', proc_output)
        self.assertIn('name /left/robot_state_publisher\n', text)
        self.assertIn(f'parameter robot_description {Arm.preset("px100").to_urdf()!r}\n', text)
        self.assertIn("parameter frame_prefix 'left/'\n", text)
        self.assertIn('parameter use_sim_time False\n', text)
        self.assertIn('log level ERROR\n', text)

    def test_rviz_gets_the_saved_view_with_the_prefix(self, proc_output):
        text = self.output_of('rviz2', proc_output)
        self.assertIn('name /left/rviz2\n', text)
        arguments = next(line for line in text.splitlines() if line.startswith('arguments '))
        option, config, frame_option, frame = eval(arguments.removeprefix('arguments '))
        self.assertEqual((option, frame_option, frame), ('-d', '-f', 'left/base_link'))
        self.assertIn('TF Prefix: "left"', Path(config).read_text())
        self.assertIn('log level ERROR\n', text)
        seen_configs.append(Path(config))


@post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_exit_codes_are_clean(self, proc_info):
        self.assertIn(len(proc_info.processes()), (2, 3))   # one more with interactive_markers
        assertExitCodes(proc_info)

    def test_the_copy_of_the_view_is_removed(self):
        path, = seen_configs
        self.assertFalse(path.exists())
