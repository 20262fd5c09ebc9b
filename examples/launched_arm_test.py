# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A test with launch_testing: ``launch_test launched_arm_test.py``, or pytest on a full ROS 2."""

import unittest

from arm_ik.testing import ArmClient
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.substitutions import PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare
from launch_testing.actions import ReadyToTest
import pytest

DOWN = (0.0, 0.0, -1.0)  # along the last link


@pytest.mark.launch_test  # for pytest
def generate_test_description():
    """Start driver_node, with a simulated arm, and ik_node."""
    share = FindPackageShare('arm_ik')
    return LaunchDescription([
        IncludeLaunchDescription(PathJoinSubstitution([share, 'launch', 'arm.launch.py']),
                                 launch_arguments={'arm': 'px100'}.items()),
        ReadyToTest()])


class TestArm(unittest.TestCase):
    """Positions are those of the tip in base_link [m]."""

    def test_it_gets_to_the_cube(self):
        with ArmClient('px100') as arm:
            arm.move_to((0.15, 0.05, 0.02), DOWN)  # waits for arrival
            arm.assert_at((0.15, 0.05, 0.02), DOWN)  # by the measured joint positions

    def test_it_says_that_a_shelf_is_out_of_reach(self):
        with ArmClient('px100') as arm:
            status = arm.wait_for_arrival(arm.send((0.60, 0.0, 0.10)))
            self.assertEqual(status.status, 'POSITION_RELAXED')
            self.assertIn('too far', status.reason)
