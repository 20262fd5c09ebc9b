# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""arm.launch.py twice, in namespaces with frame prefixes: two arms that leave each other alone."""

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

ROOT = Path(__file__).parents[2]
ARMS = {'left': 'so101', 'right': str(ROOT / 'config' / 'px100.yaml')}
TARGET = (0.20, 0.03, 0.10)


@pytest.mark.launch_test
def generate_test_description():
    """Start one arm by name and one by file."""
    reservation = ExitStack()
    domain_id = reservation.enter_context(reserved_domain())
    launched = [
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(ROOT / 'launch' / 'arm.launch.py')),
            launch_arguments=[('arm', arm), ('namespace', side), ('frame_prefix', f'{side}/')])
        for side, arm in ARMS.items()]
    return LaunchDescription([
        GroupAction([*(SetEnvironmentVariable(name, value)
                       for name, value in domain_environment(domain_id).items()), *launched]),
        ReadyToTest(),
    ]), {'domain_id': domain_id, 'reservation': reservation}


class TestTwoArms(unittest.TestCase):

    def test_only_the_arm_that_is_asked_moves(self, domain_id):
        left, right = (
            ArmClient(arm, namespace=side, domain_id=domain_id, frame_prefix=f'{side}/')
            for side, arm in ARMS.items())
        with left, right:
            right.move_to(TARGET)
            right.assert_at(TARGET)
            self.assertEqual(left.q, left.arm.home)
            left.move_to(TARGET)
            left.assert_at(TARGET)
            right.assert_at(TARGET)


@post_shutdown_test()
class TestAfterBothWereShutDown(unittest.TestCase):

    def test_exit_codes_are_clean(self, proc_info):
        names = ' '.join(proc_info.process_names())
        self.assertEqual((names.count('driver_node'), names.count('ik_node')), (2, 2))
        assertExitCodes(proc_info)
