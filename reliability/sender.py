# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A sender of targets as a process of its own, to be killed, silenced or frozen, or to flood.

    python -m reliability.sender FILE [--rate HZ] [--hold S] [--seconds S | --once]

The file is a JSON list of poses ``[x, y, z, qx, qy, qz, qw]``, each of which is sent for
``--hold`` seconds before the next one. After SIGUSR1 it is silent until the next SIGUSR1. With
``--once`` it sends the first pose as soon as somebody listens, and kills itself when that has been
heard. With ``--seconds`` it prints at the end how many it has sent and which was the last.
"""

from argparse import ArgumentParser
import json
import os
from pathlib import Path
import signal
from time import monotonic, sleep

from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.duration import Duration
from rclpy.serialization import serialize_message
from rclpy.signals import SignalHandlerOptions

from .odd_messages import pose

#: Longest wait for a subscriber to acknowledge [s].
_PATIENCE = Duration(seconds=60.0)


def main():
    """Send targets as the command line says."""
    parser = ArgumentParser(prog='python -m reliability.sender')
    parser.add_argument('file', type=Path)
    parser.add_argument('--rate', type=float, default=50.0)
    parser.add_argument('--hold', type=float, default=1.0)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    parser.add_argument('--once', action='store_true')
    given = parser.parse_args()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('sender', enable_rosout=False, start_parameter_services=False)
    publisher = node.create_publisher(PoseStamped, 'target_pose', 10)
    # Serialized once: a flood leaves no time for it.
    messages = [serialize_message(pose(values[:3], values[3:]))
                for values in json.loads(given.file.read_text(encoding='utf-8'))]
    while not publisher.get_subscription_count():
        sleep(0.01)
    if given.once:
        publisher.publish(messages[0])
        publisher.wait_for_all_acked(_PATIENCE)
        os.kill(os.getpid(), signal.SIGKILL)
    sent, last = _send(publisher, messages, given)
    publisher.wait_for_all_acked(_PATIENCE)
    print(f'sent {sent} last {last}', flush=True)


def _send(publisher, messages, given):
    """Send until the time is up; return how many were sent and the number of the last."""
    silent = []
    signal.signal(signal.SIGUSR1, lambda *_: silent.clear() if silent else silent.append(True))
    # The first one alone: from its sequence number on the node can count the ones it has missed.
    publisher.publish(messages[0])
    sleep(0.2)
    sent, number, start = 0, 0, monotonic()
    while (elapsed := monotonic() - start) < given.seconds:
        if sent > elapsed * given.rate:
            sleep(max(0.0, sent / given.rate - elapsed))
            continue
        if not silent:
            number = int(elapsed / given.hold) % len(messages)
            publisher.publish(messages[number])
        sent += 1
    return sent + 1, number


if __name__ == '__main__':
    main()
