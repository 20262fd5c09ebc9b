# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The node's timer: it repeats commands as told, and looks after the node often enough."""

from time import sleep

from inner_node import InnerNode
from pose_bytes import path, pose_bytes
import pytest
from rclpy.parameter import Parameter

MILLISECOND_NS = 1_000_000


class Flooded:
    """What of a Newest is used."""

    subscription, reads = None, 0

    def read(self):
        self.reads += 1


@pytest.fixture
def make(node):
    """Return what makes a node with parameters, the state of its arm known."""
    made = []

    def make(*parameters):
        inner = InnerNode('simple', 'state_timeout:=3600.0', *parameters)
        made.append(inner)
        inner.state(inner.arm.home)
        return inner
    yield make
    for inner in made:
        inner.node.destroy_node()


def send_good(inner):
    inner.node._on_pose(path(inner.arm, 1, 0.02, seed=6)[0], 0.0)


def change(inner, **values):
    result = inner.node.set_parameters_atomically([
        Parameter(name, value=value) for name, value in values.items()])
    assert result.successful, result.reason


@pytest.mark.parametrize('rate, period_ms, beats', [
    (50.0, 20, 1), (100.0, 10, 1), (1000.0, 1, 1), (40.0, 12.5, 2), (5.0, 20, 10), (1.0, 20, 50)])
def test_commands_are_repeated_at_their_rate_and_the_node_is_looked_after_more_often(
        make, rate, period_ms, beats):
    inner = make(f'command_rate:={rate}')
    assert inner.node._timer.timer_period_ns == period_ms * MILLISECOND_NS
    send_good(inner)
    inner.node._on_timer()
    before = len(inner.sent)
    for _ in range(3 * beats):
        inner.node._on_timer()
    assert len(inner.sent) == before + 3


def test_a_stream_that_falls_silent_is_stopped_however_seldom_commands_are_repeated(make):
    inner = make('command_rate:=1.0', 'target_timeout:=0.05')
    inner.node._on_timer()
    send_good(inner)
    sent = len(inner.sent)
    sleep(0.06)
    inner.node._on_timer()
    assert len(inner.sent) == sent + 1
    assert inner.commands[-1] == tuple(inner.arm.home)


def test_a_flood_is_read_however_seldom_commands_are_repeated(make):
    inner = make('command_rate:=1.0')
    flooded = Flooded()
    inner.node._flooded = {flooded}
    for _ in range(5):
        inner.node._on_timer()
    inner.node._flooded = set()
    assert flooded.reads == 5


def test_parameters_that_change_again_and_again_do_not_hold_the_timer_up(make):
    inner = make()
    sleep(0.002)
    left = inner.node._timer.time_until_next_call()
    change(inner, home_speed=0.4)
    assert inner.node._timer.time_until_next_call() <= left


@pytest.mark.parametrize('rate', [2.0, 1000.0])
def test_the_next_repetition_does_not_wait_for_a_slow_rate_to_end(make, rate):
    inner = make('command_rate:=1.0')
    send_good(inner)
    inner.node._on_timer()
    before = len(inner.sent)
    change(inner, command_rate=rate)
    for _ in range(25):
        inner.node._on_timer()
    assert len(inner.sent) > before


def test_another_rate_counts_from_now_and_is_no_pause(make):
    inner = make('command_rate:=1.0')
    pauses = inner.node._pauses
    now = pauses._beat + 0.019
    pauses._clock = lambda: now
    change(inner, command_rate=1000.0)
    assert inner.node._timer.timer_period_ns == MILLISECOND_NS
    assert pauses.waited() == 0.0
    now += 0.1
    assert pauses.waited() == pytest.approx(0.099)


def stamps(inner):
    found = [(command.header.stamp.sec, command.header.stamp.nanosec)
             for command in inner.messages]
    return [sec * 1_000_000_000 + nanosec for sec, nanosec in found]


@pytest.mark.parametrize('now_ns', [0, 1000 * 10**9])
def test_where_simulated_time_stands_still_no_two_commands_have_one_stamp(make, now_ns):
    inner = make()
    change(inner, use_sim_time=True)
    inner.node._now_ns = lambda: now_ns
    for _ in range(3):
        inner.node._on_pose(pose_bytes(inner.arm.forward(inner.arm.home), sec=0, nanosec=0), 0.0)
        inner.node._out.repeat_command()
    found = stamps(inner)
    assert found[::2] == found[1::2]
    first = now_ns or 1000
    assert found[::2] == [first, first + 1000, first + 2000]


def test_where_simulated_time_runs_back_stamps_do_too(make):
    inner = make()
    change(inner, use_sim_time=True)
    for now_ns in (1000 * 10**9, 10 * 10**9, 0):
        inner.node._now_ns = lambda: now_ns
        inner.node._on_pose(pose_bytes(inner.arm.forward(inner.arm.home), sec=0, nanosec=0), 0.0)
    assert stamps(inner) == [1000 * 10**9, 10 * 10**9, 1000]
