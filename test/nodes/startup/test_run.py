# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What runs a node's callbacks: everything has to work in either executor."""

import resource
import signal
import sys

from arm_ik.nodes.ik.parameters import EXECUTORS
from arm_ik.nodes.startup.run import make_executor, spin_until
from ik_bench import IkBench
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_msgs.msg import Empty

pytestmark = pytest.mark.about_time

#: A reachable pose of the so101, tool pointing down.
POSE = (0.25, 0.05, 0.05), (1.0, 0.0, 0.0, 0.0)


class Logger:
    """Remembers the warnings."""

    def __init__(self):
        self.warnings = []

    def warning(self, text):
        self.warnings.append(text)


@pytest.mark.parametrize('name', EXECUTORS)
def test_timers_on_the_steady_clock_subscriptions_and_new_periods_are_served(node, name):
    stop, logger = Future(), Logger()
    executor = make_executor(name, logger)
    executor.add_node(node)
    publisher, heard = node.create_publisher(Empty, 'said', 10), []

    def speak():
        publisher.publish(Empty())
        timer.timer_period_ns = 1_000_000 * (1 + len(heard))

    def hear(message):
        heard.append(message)
        if len(heard) == 5:
            stop.set_result(None)
    node.create_subscription(Empty, 'said', hear, 10)
    timer = node.create_timer(0.05, speak, clock=Clock(clock_type=ClockType.STEADY_TIME))
    spin_until(executor, stop)
    assert len(heard) >= 5 and not logger.warnings
    assert isinstance(executor, SingleThreadedExecutor) == (name == 'single_threaded')
    executor.shutdown()


@pytest.mark.parametrize('name', EXECUTORS)
def test_what_a_callback_raises_comes_through(node, name):
    executor = make_executor(name, Logger())
    executor.add_node(node)

    def fail():
        raise LookupError('of a callback')
    node.create_timer(0.01, fail)
    with pytest.raises(LookupError, match='of a callback'):
        spin_until(executor, Future())
    executor.shutdown()


def test_without_an_events_executor_the_usual_one_serves_with_a_warning(node, monkeypatch):
    monkeypatch.setitem(sys.modules, 'rclpy.experimental', None)
    logger = Logger()
    executor = make_executor('events', logger)
    assert isinstance(executor, SingleThreadedExecutor)
    assert len(logger.warnings) == 1 and 'no events executor' in logger.warnings[0]
    executor.shutdown()


@pytest.mark.parametrize('name', EXECUTORS)
def test_waiting_takes_no_time_of_the_processor(node, name):
    executor, stop = make_executor(name, Logger()), Future()
    executor.add_node(node)
    ticks = []

    def tick():
        ticks.append(resource.getrusage(resource.RUSAGE_THREAD))
        if len(ticks) == 6:
            stop.set_result(None)
    node.create_timer(0.2, tick, clock=Clock(clock_type=ClockType.STEADY_TIME))
    spin_until(executor, stop)
    # Over a second in which nothing came: what spins without waiting takes most of it.
    used = ticks[-1].ru_utime + ticks[-1].ru_stime - ticks[0].ru_utime - ticks[0].ru_stime
    assert used < 0.2
    executor.shutdown()


def test_the_usual_executor_serves_targets_services_parameters_and_signals():
    with IkBench('--ros-args', '-p', 'executor:=single_threaded') as bench:
        bench.drive()
        bench.follows = True
        bench.wait_for_status('arrived', bench.pose(*POSE))
        assert bench.home().success
        assert not bench.enable(False).message.startswith('enabled')
        bench.wait_for_status('refused', bench.pose(*POSE), 'disabled')
        bench.enable(True)
        assert bench.ask(SetParameters, 'set_parameters', parameters=[Parameter(
            'command_rate', value=100.0).to_parameter_msg()]).results[0].successful
        bench.wait_for_status('arrived', bench.pose(*POSE))
        bench.wait_until(lambda: bench.diagnostics, 'diagnostics')
        bench.process.signal(signal.SIGTERM)
        assert bench.process.wait(60.0) == 0
        assert 'Traceback' not in bench.process.output()
