# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``ik_node`` in the process of a test, which hands in what comes and looks at what leaves."""

from pathlib import Path

from arm_ik import Arm
from arm_ik.nodes.ik.ik_node import IkNode
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

CONFIG = Path(__file__).resolve().parents[2] / 'config'


class InnerNode:
    """
    The node as it is; ``sent`` holds the bytes of every command.

    It wants rclpy to be initialised, and is to be destroyed.

    :param arm: name of an arm.
    :param parameters: such as ``name:=value``.
    """

    def __init__(self, arm, *parameters):
        self.arm = Arm.preset(arm)
        arguments = [word for parameter in parameters for word in ('-p', parameter)]
        self.node = IkNode(cli_args=[
            '--ros-args', '--params-file', str(CONFIG / f'{arm}.yaml'), *arguments])
        self.sent, send = [], self.node._out._send
        self.node._out._send = lambda data: (self.sent.append(data), send(data))

    def state(self, q):
        """Hand in where the arm is [rad]."""
        self.node._on_state(serialize_message(JointState(
            name=list(self.arm.joint_names), position=[float(reading) for reading in q])))

    @property
    def messages(self):
        """Return every command as a message."""
        return [deserialize_message(data, JointState) for data in self.sent]

    @property
    def commands(self):
        """Return the readings of every command [rad]."""
        return [tuple(message.position) for message in self.messages]
