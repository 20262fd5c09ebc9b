# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Diagnostics come once a second, and at once when the level changes."""

from time import monotonic

from arm_ik.nodes.common.diagnostics import Diagnostics, refusal, speed
from arm_ik.testing.processes import own_domain
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

pytestmark = pytest.mark.about_time

PATIENCE = 60.0


class Desk:
    """A node that reports, and a node that listens; either is spun by itself."""

    def __init__(self, context):
        self.report = (Diagnostics.OK, 'fine', lambda: {'count': 3})
        self.heard = []
        self.executors = {}
        for name, namespace in (('speaker', 'left'), ('listener', '')):
            node = Node(name, context=context, namespace=namespace, use_global_arguments=False)
            self.executors[name] = SingleThreadedExecutor(context=context)
            self.executors[name].add_node(node)
        node.create_subscription(DiagnosticArray, '/diagnostics', self.heard.append, 10)
        speaker, = self.executors['speaker'].get_nodes()
        self.diagnostics = Diagnostics(speaker, 'small', lambda: [('servos', *self.report)])
        self.speaker = speaker
        self.spin_until('listener', lambda: speaker.count_subscribers('/diagnostics'))

    def spin_until(self, name, holds):
        deadline = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < deadline, f'{len(self.heard)} heard'
            self.executors[name].spin_once(timeout_sec=0.1)

    def close(self):
        for executor in self.executors.values():
            for node in list(executor.get_nodes()):
                node.destroy_node()
            executor.shutdown()


@pytest.fixture
def desk():
    context = Context()
    with own_domain():
        rclpy.init(context=context)
        desk = Desk(context)
        yield desk
        desk.close()
        context.shutdown()


def heard_after(desk, count):
    """Return levels and messages once that many have come, by checks alone."""
    desk.spin_until('listener', lambda: len(desk.heard) >= count)
    return [(array.status[0].level, array.status[0].message) for array in desk.heard]


def test_a_change_of_level_is_published_at_once_and_only_that(desk):
    expected = []
    for report in ((Diagnostics.OK, 'fine'), (Diagnostics.OK, 'finer'), (Diagnostics.WARN, 'odd'),
                   (Diagnostics.WARN, 'odder'), (Diagnostics.ERROR, 'bad'),
                   (Diagnostics.OK, 'fine')):
        if not expected or report[0] != expected[-1][0]:
            expected.append(report)
        desk.report = (*report, dict)
        desk.diagnostics.check()
    assert heard_after(desk, len(expected)) == expected


def test_a_report_comes_again_and_again_by_itself(desk):
    executor = desk.executors['speaker']
    desk.spin_until('speaker', lambda: executor.spin_once(timeout_sec=0.1)
                    or desk.executors['listener'].spin_once(timeout_sec=0.1)
                    or len(desk.heard) >= 2)


def test_that_is_once_a_second(desk):
    timer, = desk.speaker.timers
    assert timer.timer_period_ns == 1_000_000_000


def test_a_report_says_who_and_what(desk):
    desk.diagnostics.publish()
    heard_after(desk, 1)
    status = desk.heard[0].status[0]
    assert status.name == 'left/speaker: servos'
    assert status.hardware_id == 'small'
    assert [(item.key, item.value) for item in status.values] == [('count', '3')]
    assert desk.heard[0].header.stamp.sec > 0


# What a driver says

def status(**values):
    return DiagnosticStatus(message='so', values=[
        KeyValue(key=key, value=value) for key, value in values.items()])


@pytest.mark.parametrize('values, reason, cause', [
    ({'stopped': 'True', 'torque': 'on', 'fault': ''},
     'is stopped: call /left/driver_node/reset', 'driver stopped'),
    ({'stopped': 'False', 'torque': 'off', 'fault': ''},
     'is without torque: call /left/driver_node/torque with true (servos without feedback: with '
     'the arm at home)', 'driver without torque'),
    ({'stopped': 'True', 'torque': 'on', 'fault': 'yaw: overload (until clear_faults)'},
     'is at fault: yaw: overload (until clear_faults): call /left/driver_node/clear_faults; '
     'stopped: call /left/driver_node/reset', 'driver at fault'),
    ({'fault': 'yaw: no reply'}, 'is at fault: yaw: no reply', 'driver at fault'),
    ({}, 'is refusing commands: so', 'driver')])
def test_the_reason_says_what_to_call_by_its_full_name(values, reason, cause):
    assert refusal(status(commands='refused', **values), '/left/driver_node/status') == (
        f'driver_node {reason}', cause)
    assert refusal(status(commands='taken', **values), '/left/driver_node/status') is None


def test_a_status_of_something_else_refuses_nothing():
    assert refusal(status(stopped='True'), '/driver_node/status') is None


@pytest.mark.parametrize('given, part', [
    ({'speed': '0.25'}, 0.25), ({'speed': '0.0'}, 0.05), ({'speed': '7.0'}, 1.0),
    ({'speed': 'nan'}, 1.0), ({'speed': 'slow'}, 1.0), ({'commands': 'taken'}, 1.0)])
def test_the_speed_of_a_driver_is_a_part_of_the_largest_whatever_it_says(given, part):
    assert speed(given) == part
