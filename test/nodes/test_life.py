# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How both nodes begin and end: no process that dies or comes back moves the arm by itself."""

import signal

import pytest
from shelf import assert_rests, come_to_rest, Shelf

pytestmark = pytest.mark.about_time

HERE, THERE, DOWN = (0.20, 0.15, 0.05), (0.20, -0.15, 0.05), (0.0, 0.0, -1.0)

#: A driver that waits for its sender for ever: only a command can stop the arm.
PATIENT = ('--ros-args', '-p', 'command_timeout:=0.0')

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.mark.parametrize('number', SIGNALS)
def test_an_ik_node_that_is_told_to_end_holds_the_arm(number):
    with Shelf(driver=PATIENT) as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', number) == 0
        assert 'Traceback' not in shelf.processes['ik_node'].output()
        come_to_rest(shelf.arm)
        assert_rests(shelf.arm)
        y = shelf.arm.tip().position[1]
        assert THERE[1] < y < HERE[1] - 0.02  # it has not got there


def test_a_stream_that_falls_silent_leaves_the_arm_at_rest_by_itself():
    with Shelf(driver=PATIENT, ik=('--ros-args', '-p', 'target_timeout:=0.2')) as shelf:
        stamp = shelf.arm.send(HERE, DOWN)
        shelf.arm.wait_until(lambda: [status for status in shelf.arm.statuses(stamp)
                                      if 'target_timeout' in status.reason], 'the time-out')
        come_to_rest(shelf.arm)
        assert_rests(shelf.arm)
        assert 'arrived' not in {status.state for status in shelf.arm.statuses(stamp)}
        assert shelf.arm.tip().position[1] < HERE[1] - 0.02


def test_an_ik_node_that_dies_under_way_leaves_the_arm_to_the_drivers_time_out():
    with Shelf() as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', signal.SIGKILL) == -signal.SIGKILL
        come_to_rest(shelf.arm)
        statuses = len(shelf.arm.statuses())
        shelf.start('ik_node')
        shelf.wait_until_ready(statuses)
        assert_rests(shelf.arm)
        shelf.arm.move_to(HERE, DOWN)


@pytest.mark.parametrize('order', [('ik_node',), ('driver_node',), ('ik_node', 'driver_node'),
                                   ('driver_node', 'ik_node')], ids=' then '.join)
def test_nodes_that_die_and_come_back_do_not_move_the_arm(order):
    with Shelf() as shelf:
        shelf.arm.move_to(HERE, DOWN)
        for name in order:
            assert shelf.end(name, signal.SIGKILL) == -signal.SIGKILL
        statuses = len(shelf.arm.statuses())
        for name in order:
            shelf.start(name)
        # A new simulated arm stands at home; no old command may move it.
        stands = shelf.arm.arm.home if 'driver_node' in order else shelf.arm.q
        shelf.wait_until_ready(statuses)
        shelf.arm.wait_until(lambda: shelf.arm.q == stands, 'the arm where it is')
        assert_rests(shelf.arm)
        assert shelf.arm.q == stands
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.assert_at(THERE, DOWN)
