# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
What it costs to start each node, beside a plain rclpy node with the same entities.

``python benchmark/node_start.py`` starts, in turns, each node as its executable does and a plain
rclpy node that declares the same parameters with the same descriptions and has the same
publishers, subscriptions, services and timers, without any use for them. With the first line that
a process writes, when its node is there, its processor time so far, all its threads, and its
resident memory are read. Of the times the minimum of all rounds counts, because other load only
adds to it; of memory the median.
"""

import argparse
from pathlib import Path
from statistics import median
import subprocess
import sys
from tempfile import TemporaryDirectory

from arm_ik.nodes.driver import driver_node
from arm_ik.nodes.ik import ik_node
from arm_ik.nodes.startup.command_line import prepare
from arm_ik.testing.processes import environment, reserved_domain
from node_round_trip import cpu, memory
import rclpy

NODES = {'ik_node': (ik_node.IkNode, ik_node.SPECS),
         'driver_node': (driver_node.DriverNode, driver_node.SPECS)}

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
print('started', flush=True)
executor.spin()
"""

#: What rclpy gives to every node.
OF_EVERY_NODE = ('/parameter_events', '/rosout', '/clock', 'parameters', 'parameter_types',
                 'parameters_atomically', '/get_type_description')


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
        lines.append(f'node.create_timer({timer.timer_period_ns * 1e-9!r}, lambda: None, '
                     'clock=Clock(clock_type=ClockType.STEADY_TIME))')
    types.add('import rcl_interfaces.msg')
    for name in node.list_parameters([], 0).names:
        value = node.get_parameter(name).value
        if name not in ('use_sim_time', 'start_type_description_service'):
            value = list(value) if hasattr(value, 'tolist') else value
            number = f'float({str(value)!r})' if isinstance(value, float) else repr(value)
            lines.append(f'node.declare_parameter({name!r}, {number}, '
                         f'{node.describe_parameter(name)!r})')
    return BARE.format(imports='\n'.join(sorted(types)), name=node.get_name(),
                       entities='\n'.join(lines))


def start(command):
    """Return processor time [s] and resident memory [KiB] of a node that has just started."""
    process = subprocess.Popen([sys.executable, *map(str, command)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        process.stdout.readline()
        return cpu(process.pid), memory(process.pid)
    finally:
        process.kill()
        process.wait()


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--arm', default='so101', help='an arm that comes with the package')
    parser.add_argument('--rounds', type=int, default=15)
    options = parser.parse_args()
    with reserved_domain() as domain, environment(ROS_DOMAIN_ID=str(domain)), \
            TemporaryDirectory() as directory:
        rclpy.init()
        for name, (kind, specs) in NODES.items():
            with prepare(['--arm', options.arm], name, specs) as (ros_args, _, given):
                node = kind(given, cli_args=ros_args)
            path = Path(directory, f'bare_{name}.py')
            path.write_text(bare(node))
            node.destroy_node()
            commands = {'bare': [path], name: [
                '-m', 'arm_ik.nodes.startup.start', name, '--arm', options.arm]}
            rounds = [{label: start(command) for label, command in commands.items()}
                      for _ in range(options.rounds + 1)][1:]  # the first one compiles
            figures = {label: (min(found[label][0] for found in rounds),
                               median(found[label][1] for found in rounds)) for label in commands}
            for label, (time, resident) in figures.items():
                print(f'{label:12} start-up {1e3 * time:6.0f} ms CPU '
                      f'({time / figures["bare"][0]:.2f} x)   resident {resident / 1024:5.1f} MB '
                      f'({(resident - figures["bare"][1]) / 1024:+.1f} MB)', flush=True)
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
