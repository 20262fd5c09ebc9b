# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``ik_node`` and where the arm is: steps too far, joints past a limit, how motion ends."""

from time import monotonic

from ik_bench import IkBench
from inner_node import InnerNode
from pose_bytes import pose_bytes
import pytest
from tip_targets import ASIDE, assert_only_the_good_target_moves_it, GOOD, send_tip


def test_a_step_beyond_max_step_is_refused_by_name_and_smaller_ones_are_followed():
    with IkBench('--ros-args', '-p', 'max_step:=0.4') as bench:
        bench.follows = True
        bench.drive()
        status = bench.wait_for_status('refused', send_tip(bench, ASIDE))
        assert 'allowed: at most 0.4 rad (max_step)' in status.reason
        assert (status.status, status.values['cause']) == ('REACHED', 'max_step')
        assert f'{status.step_rad:.3g} rad' in status.reason and status.step_rad > 0.4
        assert not bench.commands
        start = dict(bench.q)
        ways = {name: ASIDE[name] - start[name] for name in start}
        steps = int(max(map(abs, ways.values())) / 0.4) + 1
        for step in range(1, steps + 1):
            there = {name: start[name] + step / steps * ways[name] for name in start}
            bench.wait_for_status('arrived', send_tip(bench, there))
        assert bench.q == pytest.approx(ASIDE, abs=1e-6)
        bench.wait_until(lambda: 'refused: max_step' in [
            item.key for status in bench.diagnostics[-1:] for item in status.values],
            'the refusal to be counted')


@pytest.mark.parametrize('name', ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'])
def test_a_joint_measured_past_a_limit_comes_back_and_no_other_jumps(name):
    with IkBench() as bench:
        joint, = [joint for joint in bench.arm.model.joints if joint.name == name]
        at_limit = {**bench.q, name: joint.upper}
        bench.q = {**at_limit, name: joint.upper + 0.02}
        bench.drive()
        stamp = send_tip(bench, at_limit)
        assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
        assert bench.wait_for_command()[0] == pytest.approx(at_limit, abs=1e-6)
        # Where it stands can't be held: the nearest that can is near in every joint.
        stamp = send_tip(bench, bench.q)
        status = bench.wait_for_status('accepted', stamp)
        assert status.step_rad < 0.1
        heard = len(bench.commands)
        command = bench.wait_for_command(heard + 1)[0]
        assert command[name] <= joint.upper
        assert command == pytest.approx(bench.q, abs=0.1)


def test_disabling_sends_an_arm_on_its_way_one_last_command_to_hold():
    with IkBench() as bench:
        bench.drive()
        send_tip(bench, ASIDE)
        goal = bench.wait_for_command()[0]
        half = {name: 0.5 * (goal[name] + bench.q[name]) for name in goal}
        bench.q = half
        bench.wait_for_status('moving')
        bench.enable(False)
        bench.wait_until(lambda: dict(zip(
            bench.commands[-1].name, bench.commands[-1].position)) == half, 'the arm to hold')
        stamps = {(m.header.stamp.sec, m.header.stamp.nanosec) for m in bench.commands}
        assert len(stamps) == 2  # a command of its own, not a repetition
        with bench.news:
            bench.commands.clear()
        bench.enable(True)
        bench.wait_for_status('ready', words='enabled')
        assert_only_the_good_target_moves_it(bench)


def test_an_arm_that_has_arrived_is_left_as_it_is():
    with IkBench() as bench:
        bench.follows = True
        bench.drive()
        bench.wait_for_status('arrived', send_tip(bench, GOOD))
        bench.follows = False
        bench.q = {name: q + 0.02 for name, q in bench.q.items()}  # it sags
        heard = len(bench.commands)
        bench.wait_for_command(heard + 10)
        bench.enable(False)
        bench.wait_for_status('refused', words='disabled by')
        commands = {tuple(message.position) for message in bench.commands}
        assert len(commands) == 1


def test_an_arm_whose_stream_is_silent_is_told_to_hold_as_soon_as_its_state_comes(node):
    inner = InnerNode('simple', 'target_timeout:=0.3', 'state_timeout:=3600.0')
    inner.state(inner.arm.home)
    inner.node._on_pose(pose_bytes(inner.arm.forward([0.5, 0.9, -1.2, -0.3])), 0.0)
    goal, = inner.commands
    half = [0.5 * (a + b) for a, b in zip(goal, inner.arm.home)]
    now = monotonic()
    inner.node._core._clock = lambda: now + 0.31
    inner.state(half)
    assert inner.commands[1:] == [pytest.approx(half)]
    inner.state(half)
    inner.node._out.repeat_command()
    assert len(inner.commands) == 2
    inner.node.destroy_node()
