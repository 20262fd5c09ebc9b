# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""More targets than can be answered: the newest one counts, and all else goes on."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import os
from pathlib import Path
from time import monotonic, sleep

from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.parameters import EXECUTORS, SPECS
from arm_ik.nodes.startup.run import make_executor, spin_until
from arm_ik.testing.connection import NodeThread, TargetStatus
from bench import made
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from ik_bench import IkBench
import pytest
from rclpy.duration import Duration
from rclpy.serialization import serialize_message
from rclpy.task import Future
from sensor_msgs.msg import JointState
from tip_targets import ASIDE, assert_tip, send_tip

pytestmark = pytest.mark.about_time

#: Targets per second: many more than can be answered, and few enough for the events executor of
#: rclpy to look at each notification, as it queues them all.
RATE = 20_000

#: Fewer than this in two seconds are no flood, however busy the machine is.
LEAST = 4_000

#: Longest time between two commands [s]: a tenth on an idle machine, half of this on a busy one.
LONGEST_GAP = 1.0

#: Most targets answered before one sent behind the flood: what was on its way. Were they queued,
#: it would be thousands.
MOST_BEFORE = 100

#: How much the node may grow under a flood [bytes]: much less than what is sent takes.
GROWTH = 16_000_000


@pytest.mark.parametrize('executor', EXECUTORS)
@pytest.mark.parametrize('topic, kind', [
    ('target_pose', PoseStamped), ('target_point', PointStamped)])
def test_of_several_targets_that_wait_only_the_newest_is_answered(node, executor, topic, kind):
    ik_node = made(IkNode, SPECS, '--arm', 'so101')
    answered, done = [], Future()
    running = make_executor(executor, node.get_logger())

    def on_status(message):
        answered.append(TargetStatus.from_message(message))
        if answered[-1].target_stamp[0] == 9:
            done.set_result(None)
            running.wake()
    node.create_subscription(DiagnosticStatus, 'ik_node/status', on_status, 100)
    sender = node.create_publisher(kind, topic, 100)
    running.add_node(node)
    running.add_node(ik_node)
    for first, last in ((1, 1), (2, 9)):
        for sec in range(first, last + 1):
            message = kind()
            message.header.stamp.sec = sec
            sender.publish(message)
        assert sender.wait_for_all_acked(Duration(seconds=60))
        if last == 1:
            while not answered:
                running.spin_once(timeout_sec=0.1)
    spin_until(running, done)
    ik_node.destroy_node()
    assert [(status.seq, status.target_stamp[0]) for status in answered] == [(1, 1), (2, 9)]


@pytest.fixture(params=EXECUTORS)
def bench(request):
    with IkBench('--ros-args', '-p', f'executor:={request.param}',
                 '-p', 'state_timeout:=60.0') as bench:
        yield bench.drive()


def memory(bench):
    pages = int(Path(f'/proc/{bench.process.pid}/statm').read_text().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE')


def flood(domain, seconds):
    """Send targets at :data:`RATE`; return how many."""
    message = PoseStamped()
    message.pose.position.x, message.pose.position.z = 0.2, 0.1
    message.pose.orientation.w = 1.0
    data, count = bytes(serialize_message(message)), 0
    with NodeThread('flood', domain_id=domain) as thread:
        node = thread.node
        topic = node.create_publisher(PoseStamped, 'target_pose', 1)
        while not topic.get_subscription_count():
            sleep(0.01)
        began = monotonic()
        while (elapsed := monotonic() - began) < seconds:
            while count < RATE * elapsed:
                topic.publish(data)
                count += 1
            sleep(0.001)
    return count


@pytest.fixture(scope='module')
def other_process():
    with ProcessPoolExecutor(1, get_context('spawn')) as pool:
        yield pool


def test_in_a_flood_commands_go_on_memory_stays_and_the_newest_target_wins(bench, other_process):
    other_process.submit(flood, bench.domain, 0.5).result()
    before, arrivals = memory(bench), []
    bench.listen(JointState, 'joint_commands', lambda _: arrivals.append(monotonic()))
    began = monotonic()
    assert other_process.submit(flood, bench.domain, 2.0).result() > LEAST
    arrivals += [began, monotonic()]
    assert memory(bench) - before < GROWTH
    latest = bench.statuses[-1].seq
    stamp = send_tip(bench, ASIDE)
    answer = bench.wait_for_status('accepted', stamp)
    assert answer.status == 'REACHED' and answer.seq - latest < MOST_BEFORE
    aside = ASIDE['shoulder_pan']
    bench.wait_until(lambda: abs(bench.commands[-1].position[0] - aside) < 1e-6, 'the target')
    heard = len(bench.commands)
    for commanded in bench.wait_for_command(heard + 5):
        assert_tip(bench, commanded, ASIDE)
    arrivals.sort()
    assert max(b - a for a, b in zip(arrivals, arrivals[1:])) < LONGEST_GAP
