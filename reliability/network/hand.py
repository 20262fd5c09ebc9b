# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Eyes and a hand in another machine: what goes over its topics, and targets into them.

``python -m reliability.network.hand`` prints a line of JSON for whatever it hears:
``[kind, stamp, ...]``, the stamp its sender's [s], on the clock that all machines in this one
share: what is heard late, on a busy machine, is not taken for late. A line ``[position, up]``
that it reads is sent as a target. :class:`Hand` is the other end.
"""

import json
import os
import subprocess
import sys
import threading
from time import sleep

STATE, COMMAND, STATUS, SENT = 'state', 'command', 'status', 'sent'


class Hand:
    """
    A process of this module, started by a command.

    ``heard`` grows by what it prints, as lists; ``news`` guards it.

    :param machine: the :class:`~.two_machines.Machine` it is in.
    :param environment: its environment variables, all of them.
    """

    def __init__(self, machine, environment):
        self.heard = []
        self.news = threading.Condition()
        self._process = subprocess.Popen(
            machine.command(sys.executable, '-m', __name__), env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self._read, name='hand', daemon=True).start()

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()

    def send(self, position, up):
        """Send a target; return its stamp [s]."""
        begin = len(self.heard)
        print(json.dumps([position, up]), file=self._process.stdin, flush=True)
        return self.wait(SENT, begin)[1]

    def of(self, kind, begin=0):
        """Return what was heard of a kind, from a place in ``heard`` on."""
        return [event for event in self.heard[begin:] if event[0] == kind]

    def wait(self, kind, begin, fits=lambda event: True, timeout=60.0):
        """Return the first event of a kind that fits; ``None`` if time is up."""
        def found():
            return next(filter(fits, self.of(kind, begin)), None)
        with self.news:
            self.news.wait_for(lambda: found() or self._process.poll() is not None, timeout)
            return found()

    def _read(self):
        for line in self._process.stdout:
            with self.news:
                self.heard.append(json.loads(line))
                self.news.notify_all()


def main():
    """Tell what is heard, and send what is read, until there is no more to read."""
    # ROS is for the process alone: who starts one may have to do without.
    from arm_ik import Arm
    from arm_ik.nodes.common.pose_message import pose_message
    from arm_ik.testing.poses import tool_axes
    from builtin_interfaces.msg import Time
    from diagnostic_msgs.msg import DiagnosticStatus
    from geometry_msgs.msg import PoseStamped
    import rclpy
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
    from sensor_msgs.msg import JointState

    rclpy.init()
    node = rclpy.create_node('hand')
    arm = Arm.preset('so101')
    targets = node.create_publisher(PoseStamped, 'target_pose', 10)

    one_line = threading.Lock()

    def tell(kind, stamp, *values):
        with one_line:
            print(json.dumps([kind, stamp.sec + stamp.nanosec * 1e-9, *values]), flush=True)

    def send():
        for line in sys.stdin:
            position, up = json.loads(line)
            while not targets.get_subscription_count():
                sleep(0.01)  # what is sent to nobody is lost
            stamp = node.get_clock().now().to_msg()
            targets.publish(pose_message(
                position, tool_axes(arm, position, up), 'base_link', (stamp.sec, stamp.nanosec)))
            tell(SENT, stamp)
        os._exit(0)  # nothing to put in order

    def status(message):
        values = {pair.key: pair.value for pair in message.values}
        seconds, _, nanoseconds = values['target_stamp'].partition('.')
        tell(STATUS, Time(sec=int(seconds), nanosec=int(nanoseconds)), values['state'])

    node.create_subscription(
        JointState, 'joint_states',
        lambda message: tell(STATE, message.header.stamp, list(message.position)),
        QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT))
    node.create_subscription(
        JointState, 'joint_commands', lambda message: tell(COMMAND, message.header.stamp), 100)
    node.create_subscription(DiagnosticStatus, 'ik_node/status', status, QoSProfile(
        depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    threading.Thread(target=send, daemon=True).start()
    rclpy.spin(node)


if __name__ == '__main__':
    main()
