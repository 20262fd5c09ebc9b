# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes on simulated time that starts, runs, stands still, and jumps back and forth."""

from contextlib import contextmanager
from math import dist
import signal

from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, Vector3Stamped
from ik_bench import IkBench
import pytest
from rosgraph_msgs.msg import Clock
from shelf import assert_rests, come_to_rest, Shelf
from tip_targets import ASIDE, send_tip

pytestmark = pytest.mark.about_time

SIM_TIME = {node: {'use_sim_time': True} for node in ('ik_node', 'driver_node')}

#: Positions a hand that points down reaches, far enough apart to take a while.
PLACES = ((0.20, 0.15, 0.05), (0.20, -0.15, 0.05), (0.20, 0.05, 0.05))


class SimTime:
    """Simulated time as a simulator publishes it, a hundred times a second."""

    def __init__(self, node):
        self.now = Time()
        self.runs = True
        self._publisher = node.create_publisher(Clock, '/clock', 1)
        self._timer = node.create_timer(0.01, self._tick)

    def jump(self, seconds):
        """Go on from another time."""
        self.now = Time(sec=seconds)

    def _tick(self):
        now = self.now
        if self.runs and now.sec:
            nanosec = now.nanosec + 10_000_000
            self.now = Time(sec=now.sec + nanosec // 10**9, nanosec=nanosec % 10**9)
            self._publisher.publish(Clock(clock=self.now))


@contextmanager
def arm_in_simulated_time(seconds=1000):
    """Yield an arm and the time, which goes on from there; from 0 it does not begin."""
    with SimulatedArm('so101', parameters=SIM_TIME) as arm, NodeThread(
            'simulator', domain_id=arm.domain_id) as thread:
        node = thread.node
        time = SimTime(node)
        time.jump(seconds)
        wait_for_time(arm, time)
        yield arm, time


def wait_for_time(arm, time):
    """Wait until the clocks of both nodes show a time that is near to the simulator's."""
    def is_near(stamp):
        return abs(stamp[0] - time.now.sec) <= 1
    arm.wait_until(lambda: is_near(arm.state_stamp), 'simulated time')
    # An up vector without a stamp is stamped by ik_node, and moves nothing.
    answers = ()
    while not (answers and is_near(answers[-1].target_stamp)):
        before = len(arm.statuses())
        arm.publish(Vector3Stamped())
        arm.wait_until(lambda: len(arm.statuses()) > before, 'an answer to the up vector')
        answers = arm.statuses()


def send(arm, place, stamp):
    message = PoseStamped()
    message.header.stamp = stamp
    where, how = message.pose.position, message.pose.orientation
    where.x, where.y, where.z = place
    how.y, how.w = 1.0, 0.0
    return arm.publish(message)


def wait_for(arm, state, stamp):
    def found():
        return [status for status in arm.statuses(stamp) if status.state == state]
    arm.wait_until(found, f'{state} {stamp}',
                   came=lambda: f'only {[str(status) for status in arm.statuses(stamp)]}')
    return found()[0]


def test_targets_are_followed_before_and_after_every_jump_and_no_jump_moves_the_arm():
    with arm_in_simulated_time() as (arm, time):
        for seconds, place in zip((1000, 10, 2_000_000), PLACES):
            time.jump(seconds)
            wait_for_time(arm, time)
            assert_rests(arm)
            stamp = send(arm, place, time.now)
            wait_for(arm, 'arrived', stamp)
            wait_at(arm, place)
            arm.assert_at(place, (0.0, 0.0, -1.0))


def wait_at(arm, place):
    """Wait for the measured state of an arrival: the status overtakes it."""
    arm.wait_until(lambda: dist(arm.tip().position, place) < 1e-6, f'the tip at {place}')


@pytest.mark.parametrize('seconds', [10, 2_000_000])
def test_an_arm_on_its_way_gets_there_through_a_jump(seconds):
    with arm_in_simulated_time() as (arm, time):
        start = arm.q
        stamp = send(arm, PLACES[0], time.now)
        arm.wait_until(lambda: arm.q != start, 'the arm on its way')
        time.jump(seconds)
        wait_for(arm, 'arrived', stamp)
        wait_at(arm, PLACES[0])


def test_a_command_from_before_a_stop_stays_old_when_time_runs_back():
    with arm_in_simulated_time() as (arm, time):
        start = arm.q
        send(arm, PLACES[0], time.now)
        arm.wait_until(lambda: arm.q != start, 'the arm on its way')
        arm.stop()
        arm.reset()
        come_to_rest(arm)
        time.jump(10)
        wait_for_time(arm, time)
        assert_rests(arm)
        stamp = send(arm, PLACES[1], time.now)
        wait_for(arm, 'arrived', stamp)
        wait_at(arm, PLACES[1])


def test_a_stream_times_out_by_real_time_while_simulated_time_stands_still():
    with IkBench('--ros-args', '-p', 'use_sim_time:=true', '-p', 'target_timeout:=0.3') as bench:
        time = SimTime(bench.node)
        time.jump(100)
        bench.drive()
        time.runs = False
        send_tip(bench, ASIDE, stamp=Time())
        assert bench.wait_for_status('ready', words='target_timeout').level == 3


@pytest.mark.parametrize('seconds', [0, 1000])
def test_where_time_stands_still_a_command_from_before_a_stop_is_old_and_a_new_one_new(seconds):
    with arm_in_simulated_time(seconds) as (arm, time):
        time.runs = False
        start = arm.q
        send(arm, PLACES[0], Time())
        arm.wait_until(lambda: arm.q != start, 'the arm on its way')
        arm.stop()
        arm.reset()
        come_to_rest(arm)
        assert_rests(arm)
        send(arm, PLACES[1], Time())
        wait_at(arm, PLACES[1])


def test_a_driver_that_is_back_before_it_has_heard_the_time_obeys_no_old_command():
    sim_time = ('--ros-args', '-p', 'use_sim_time:=true')
    # Longer than the driver is away: ik_node does not notice, and goes on.
    with Shelf(driver=sim_time, ik=(*sim_time, '-p', 'state_timeout:=100.0')) as shelf, NodeThread(
            'simulator', domain_id=shelf.domain) as thread:
        node = thread.node
        time = SimTime(node)
        time.jump(1000)
        wait_for_time(shelf.arm, time)
        send(shelf.arm, PLACES[0], Time())
        wait_at(shelf.arm, PLACES[0])
        assert shelf.end('driver_node', signal.SIGKILL) == -signal.SIGKILL
        shelf.start('driver_node')
        shelf.arm.wait_until(lambda: shelf.arm.q == shelf.arm.arm.home, 'the new arm')
        assert_rests(shelf.arm, 60)
        assert shelf.arm.q == shelf.arm.arm.home
        send(shelf.arm, PLACES[1], Time())
        wait_at(shelf.arm, PLACES[1])
