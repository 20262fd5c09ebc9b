# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A ROS domain of its own for what is tested inside this process."""

from arm_ik.testing.processes import own_domain
import pytest
import rclpy
from rclpy.context import Context


@pytest.fixture(scope='module')
def context():
    """Return an rclpy context in that domain, for all tests of a module."""
    context = Context()
    with own_domain():
        rclpy.init(context=context)
        yield context
        context.shutdown()


@pytest.fixture
def node():
    """Return a node in that domain and in the context that is rclpy's default."""
    with own_domain():
        rclpy.init()
        node = rclpy.create_node('some')
        yield node
        node.destroy_node()
        rclpy.shutdown()
