# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A node that is started up to where it would spin: what ``node_start.py`` measures.

:func:`real` starts ``ik_node`` or ``driver_node`` as its executable does and prints what it cost,
or the text of a plain rclpy node with the same publishers, subscriptions, services, timers and
parameters, which does the same.
"""

from pathlib import Path
import sys
from time import process_time

BARE = """\
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
{imports}

rclpy.init()
node = Node({name!r})
{entities}
executor = SingleThreadedExecutor()
executor.add_node(node)
from start_subject import cost
print(cost())
node.destroy_node()
rclpy.try_shutdown()
"""

#: What rclpy gives to every node.
OF_EVERY_NODE = ('/parameter_events', '/rosout', '/clock', 'parameters', 'parameter_types',
                 'parameters_atomically', '/get_type_description')


def cost():
    """Return the processor time of this process [s] and its resident memory [MB]."""
    lines = Path('/proc/self/smaps_rollup').read_text().splitlines()
    resident, = [int(line.split()[1]) for line in lines if line.startswith('Rss:')]
    return f'{process_time():.4f} {resident / 1024:.2f}'


def bare(node):
    """Return the text of a plain node with the same entities."""
    types, lines = set(), []

    def name_of(kind):
        types.add(f'from {kind.__module__.rsplit(".", 1)[0]} import {kind.__name__}')
        return kind.__name__

    def qos(profile):
        return (f'QoSProfile(depth={profile.depth}, '
                f'reliability=ReliabilityPolicy({int(profile.reliability)}), '
                f'durability=DurabilityPolicy({int(profile.durability)}))')

    for topic in node.publishers:
        if not topic.topic.endswith(OF_EVERY_NODE):
            lines.append(f'node.create_publisher({name_of(topic.msg_type)}, {topic.topic!r}, '
                         f'{qos(topic.qos_profile)})')
    for topic in node.subscriptions:
        if not topic.topic_name.endswith(OF_EVERY_NODE):
            lines.append(f'node.create_subscription({name_of(topic.msg_type)}, '
                         f'{topic.topic_name!r}, print, {qos(topic.qos_profile)})')
    for service in node.services:
        if not service.srv_name.endswith(OF_EVERY_NODE):
            lines.append(f'node.create_service({name_of(service.srv_type)}, '
                         f'{service.srv_name!r}, print)')
    for timer in node.timers:
        lines.append(f'node.create_timer({timer.timer_period_ns * 1e-9!r}, print, '
                     'clock=Clock(clock_type=ClockType.STEADY_TIME))')
    parameters = [(name, node.get_parameter(name).value, node.describe_parameter(name))
                  for name in node._parameters
                  if name not in ('use_sim_time', 'start_type_description_service')]
    if parameters:
        types.add('import rcl_interfaces.msg')
    for name, value, descriptor in parameters:
        value = list(value) if hasattr(value, 'tolist') else value
        lines.append(f'node.declare_parameter({name!r}, float({str(value)!r}), {descriptor!r})'
                     if isinstance(value, float) else
                     f'node.declare_parameter({name!r}, {value!r}, {descriptor!r})')
    return BARE.format(imports='\n'.join(sorted(types)), name=node.get_name(),
                       entities='\n'.join(lines))


def real(name, arm, as_bare=False):
    """Start one of the package's nodes, and print instead of spinning."""
    from arm_ik.nodes.process import start
    from arm_ik.nodes.process import stop_signal

    def spin(executor, stop):
        print(bare(*executor.get_nodes()) if as_bare else cost())
    stop_signal.spin_until = spin
    sys.argv[1:] = ['--arm', arm]
    getattr(start, name)()
