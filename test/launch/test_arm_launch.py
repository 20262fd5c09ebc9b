# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""arm.launch.py for real: it comes up, the arm arrives, a bad target is refused, all ends well."""

from contextlib import ExitStack
from pathlib import Path
import unittest

import pytest

pytest.importorskip('launch_ros', reason='needs launch_ros, which pip has not; a full ROS 2 has')
pytest.importorskip('launch_testing', reason='needs launch_testing; a full ROS 2 has it')

# flake8: noqa: E402, I100
from arm_ik.testing import ArmClient
from arm_ik.testing.processes import domain_environment, reserved_domain
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing import post_shutdown_test
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes

LAUNCH_FILE = Path(__file__).parents[2] / 'launch' / 'arm.launch.py'
TARGET, DOWN = (0.25, 0.05, 0.05), (0.0, 0.0, -1.0)


@pytest.mark.launch_test
def generate_test_description():
    """Start an SO-101 in a ROS domain of its own."""
    reservation = ExitStack()
    domain_id = reservation.enter_context(reserved_domain())
    launched = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(LAUNCH_FILE)), launch_arguments=[('arm', 'so101')])
    return LaunchDescription([
        GroupAction([*(SetEnvironmentVariable(name, value)
                       for name, value in domain_environment(domain_id).items()), launched]),
        ReadyToTest(),
    ]), {'domain_id': domain_id, 'reservation': reservation}


class TestAnArmThatWasLaunched(unittest.TestCase):

    def test_it_comes_up(self, domain_id, proc_output):
        with ArmClient('so101', domain_id=domain_id) as arm:
            self.assertEqual(set(arm.joint_states), {*arm.arm.joint_names, 'gripper'})
        proc_output.assertWaitFor('so101 on the simulated back end', timeout=60)
        proc_output.assertWaitFor('waiting for a target', timeout=60)

    def test_the_arm_arrives_at_a_target(self, domain_id):
        with ArmClient('so101', domain_id=domain_id) as arm:
            arm.move_to(TARGET, DOWN)
            arm.assert_at(TARGET, DOWN)

    def test_a_bad_target_is_refused_and_the_arm_stays_and_lives(self, domain_id):
        with ArmClient('so101', domain_id=domain_id) as arm:
            arm.move_to(TARGET, DOWN)
            status = arm.wait_for_refusal(arm.send((float('nan'), 0.0, 0.1)))
            self.assertIn('nan', status.reason)
            arm.assert_at(TARGET, DOWN)
            arm.move_to((0.22, -0.08, 0.04), DOWN)


@post_shutdown_test()
class TestAfterItWasShutDown(unittest.TestCase):

    def test_exit_codes_are_clean(self, proc_info):
        names = ' '.join(proc_info.process_names())
        self.assertIn('driver_node', names)
        self.assertIn('ik_node', names)
        assertExitCodes(proc_info)
