# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``target_twist`` of the node."""

from math import nan

from geometry_msgs.msg import TwistStamped, Vector3
from ik_bench import cancel, IkBench
import numpy as np
import pytest
from tip_targets import assert_only_the_good_target_moves_it

pytestmark = pytest.mark.about_time


def twist(linear=(0.0, 0.0, 0.0), angular=(0.0, 0.0, 0.0), frame=''):
    message = TwistStamped()
    message.header.frame_id = frame
    message.twist.linear = Vector3(x=linear[0], y=linear[1], z=linear[2])
    message.twist.angular = Vector3(x=angular[0], y=angular[1], z=angular[2])
    return message


@pytest.fixture(scope='module')
def prefixed():
    with IkBench('--ros-args', '-p', 'frame_prefix:=left/') as bench:
        bench.twists = bench.node.create_publisher(TwistStamped, 'target_twist', 1)
        bench.wait_until(bench.twists.get_subscription_count, 'the node to listen', poll=0.05)
        yield bench.drive()


@pytest.mark.parametrize('frame', ['', 'left/base_link', 'left/tool0'])
def test_twists_move_the_tip_along_the_axes_of_their_frame(prefixed, frame):
    bench = prefixed
    bench.enable(False)
    bench.q = dict(zip(bench.arm.joint_names, bench.arm.home))
    bench.rest()
    bench.enable(True)
    bench.follows = True
    start, heard = bench.tip(bench.q), len(bench.commands)
    axis = start[:3, 0] if frame.endswith('tool0') else np.array((1.0, 0.0, 0.0))
    sent = bench.node.create_timer(0.02, lambda: bench.twists.publish(
        twist((-0.1, 0.0, 0.0), frame=frame)))
    try:
        bench.wait_until(lambda: -0.02 > (bench.tip(bench.q) - start)[:3, 3] @ axis, 'a way')
    finally:
        cancel(bench.node, sent)
    bench.wait_until(lambda: bench.statuses[-1].state == 'arrived', 'rest')
    ways = [(bench.tip(dict(zip(message.name, message.position))) - start)[:3, 3]
            for message in bench.commands[heard:]]
    way = next(way for way in ways if way @ axis < -0.02)   # later it may come to a limit
    assert abs(way - (way @ axis) * axis).max() < 1e-4
    moved = [message for message in bench.commands[heard:] if len(message.velocity)]
    assert len(moved) > 5
    stamps = [(message.header.stamp.sec, message.header.stamp.nanosec) for message in moved]
    assert sorted(set(stamps)) == stamps
    assert max(abs(v) for message in moved for v in message.velocity) > 0.05
    bench.wait_until(lambda: not bench.commands[-1].velocity, 'a goal')


@pytest.mark.parametrize('message, words', [
    (twist((nan, 0.0, 0.0)), 'target_twist linear'),
    (twist((0.1, 0.0, 0.0), frame='base_link'), "'left/base_link', 'left/tool0', or empty"),
    (twist((0.1, 0.0, 0.0), frame='map'), 'target_twist frame_id')])
def test_bad_twists_are_refused_with_the_reason_and_nothing_moves(prefixed, message, words):
    bench = prefixed
    bench.enable(False)
    bench.enable(True)
    bench.forget(bench.stamp())
    bench.twists.publish(message)
    status = bench.wait_for_status('refused', words=words)
    assert status.level == 1
    bench.follows = False
    assert_only_the_good_target_moves_it(bench)
    bench.wait_until(lambda: bench.poses, 'a solved pose')
    assert bench.poses[-1].header.frame_id == 'left/base_link'
