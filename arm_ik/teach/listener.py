# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What hears topics as they are, without reading them."""

from importlib import import_module
from time import time_ns

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from ..nodes.common.diagnostics import STATUS_QOS
from ..nodes.startup import discovery
from ..nodes.startup.run import make_executor, StopSignal

_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)


def listen(topics, take, options):
    """
    Hear topics until a signal comes.

    :param topics: with the ``type`` of each.
    :param take: called with a topic, a message as CDR, and the time [ns].
    :param options: of the command line.
    """
    stop = StopSignal()
    discovery.adopt(options.discovery)
    rclpy.init(args=options.ros, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('arm_ik_record')
        for topic, known in topics.items():
            package, _, name = known['type'].split('/')
            node.create_subscription(
                getattr(import_module(f'{package}.msg'), name), topic,
                lambda data, topic=topic: take(topic, data, time_ns()),
                STATUS_QOS if topic.endswith('status') else _QOS, raw=True)
        executor = make_executor('events', node.get_logger())
        executor.add_node(node)
        print('Recording, until Ctrl-C.', flush=True)
        stop.spin(executor)
    finally:
        rclpy.try_shutdown()
