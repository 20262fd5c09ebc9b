# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A node's words to people, through rclpy.

To say which line of code speaks, rclpy has Python's ``inspect`` look for the modules of the files
on the stack; and that looks at all modules there are when it meets the first file it doesn't know:
20 ms of a desktop's processor, at the first line that is logged. So it's told of the files before.
"""

import inspect

from rclpy.impl import rcutils_logger

# Where Python has no such table any more, the first line takes its time.
getattr(inspect, 'modulesbyfile', {}).update(
    {rcutils_logger.__file__: rcutils_logger.__name__, __file__: __name__})


def info(node, words):
    """Log that all is well with a node."""
    node.get_logger().info(words)


def warning(node, words):
    """Log that something is not well with a node."""
    # Not the line of info: rclpy ties a severity to the place it is called from.
    node.get_logger().warning(words)
