# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a target costs in ``ik_node``, beside a plain rclpy node that echoes targets.

``python benchmark/node_round_trip.py`` runs three nodes in turns, each as a process of its own:
``shared``, a node on rclpy's default executor that answers a target with constant positions,
through the shared memory that Fast DDS uses by default; ``echo``, the same by UDP, as ``ik_node``
has it; and ``ik_node`` as it ships. This process, a client without settings, sends full poses
along a path of the arm and waits for the commands. For each rate of targets, and for each arm:

- *p50*, *p99*: from sending a target to the arrival of its command, one target at a time;
- *CPU*: processor time of the node, all its threads, for each target answered;
- *answers*: targets answered in a second. In the row *at once* each target follows the answer to
  the one before; in the row *flood* they are sent as quickly as this process can, and the node
  answers the newest one each time.

Medians over the rounds, and the ratio to ``echo`` in the same rounds. With ``--awake``, loops of
idle priority keep the processors from sleeping: on an idle machine most of a round trip is the
time that processors take to wake up.
"""

import argparse
from contextlib import contextmanager, nullcontext
import math
import os
from pathlib import Path
import random
from statistics import median
import subprocess
import sys
from time import perf_counter

from arm_ik import Arm
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.nodes.startup.discovery import settings
from arm_ik.testing.processes import environment, reserved_domain
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

COLUMNS = ('p50 us', 'p99 us', 'CPU us', 'answers/s')
RATES = (50, 200, 1000, math.inf, None)
SEED = 1

#: How far the joints move from one target to the next [rad]: 50 targets a second, at 1.5 rad/s.
STEP = 0.03

#: Longest wait for an answer [s].
PATIENCE = 0.5


def echo():
    """Run the plain node until its process ends."""
    rclpy.init()
    node = rclpy.create_node('ik_node')
    answer = JointState(name=['a', 'b', 'c', 'd', 'e'], position=[0.0] * 5)
    publisher = node.create_publisher(JointState, 'joint_commands', 10)

    def on_pose(message):
        answer.header = message.header
        publisher.publish(answer)
    node.create_subscription(PoseStamped, 'target_pose', on_pose, QoSProfile(depth=1))
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass


def targets(arm, count):
    """Return serialized poses along a random path that stays inside the limits."""
    rng, q, found = random.Random(SEED), list(arm.home), []
    for number in range(count):
        q = [min(max(position + rng.uniform(-STEP, STEP), low), high)
             for position, low, high in zip(q, arm.lower, arm.upper)]
        tip = arm.forward(q)
        found.append(bytes(serialize_message(
            pose_message(tip.position, tip.rotation, 'base_link', (1, number)))))
    return found


def cpu(pid):
    """Return the processor time of all threads of a process so far [s]."""
    return 1e-9 * sum(int(path.read_text().split()[0])
                      for path in Path(f'/proc/{pid}/task').glob('*/schedstat'))


def memory(pid):
    """Return the resident memory of a process [KiB]."""
    lines = Path(f'/proc/{pid}/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith('VmRSS'))


class Client:
    """Sends targets and counts the commands that answer them."""

    def __init__(self, arm):
        self.answers, self.answered, self.longest_gap = 0, 0.0, 0.0
        self._arm = arm
        self._targets = targets(arm, 2000)
        self._next, self._stamp = 0, b''
        self._node = rclpy.create_node('client')
        self._executor = EventsExecutor()
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(PoseStamped, 'target_pose', 1)
        self._states = self._node.create_publisher(JointState, 'joint_states', 10)
        self._node.create_subscription(
            JointState, 'joint_commands', self._on_command, QoSProfile(depth=100), raw=True)

    def wait_for_node(self, present):
        """Wait until a node that answers is there, or gone; tell it where the arm is."""
        state = JointState(name=self._arm.joint_names, position=self._arm.home)
        end = perf_counter() + 60.0
        while present == (self.round_trip() is None):
            self._states.publish(state)
            if perf_counter() > end:
                raise RuntimeError('no node came within a minute' if present else
                                   'the node did not go within a minute')

    def round_trip(self):
        """Send a target; return the time until its command came [s], or ``None``."""
        before, sent = self.answers, perf_counter()
        self.send()
        while self.answers == before:
            if perf_counter() - sent > PATIENCE:
                return None
            self._executor.spin_once(timeout_sec=PATIENCE)
        return self.answered - sent

    def at_rate(self, rate, seconds):
        """Return the times of round trips [s] at a rate of targets [1/s]."""
        times, begin = [], perf_counter()
        while perf_counter() - begin < seconds:
            while (wait := begin + len(times) / rate - perf_counter()) > 0.0:
                self._executor.spin_once(timeout_sec=wait)
            times.append(self.round_trip() or math.inf)
        return times

    def flood(self, seconds):
        """Send targets as quickly as it goes; return how many were sent."""
        sent, begin = 0, perf_counter()
        self.answered, self.longest_gap = begin, 0.0
        while perf_counter() - begin < seconds:
            for _ in range(8):
                self.send()
            sent += 8
            self._executor.spin_once(timeout_sec=0.0)
        return sent

    def send(self):
        """Send the next target."""
        self._next = (self._next + 1) % len(self._targets)
        self._publisher.publish(self._targets[self._next])

    def _on_command(self, data):
        stamp = data[4:12]
        now = perf_counter()
        if stamp != self._stamp:  # else the same command once more
            self._stamp = stamp
            self.answers += 1
            self.longest_gap = max(self.longest_gap, now - self.answered)
            self.answered = now


@contextmanager
def processors_awake():
    """Keep every processor busy with work of idle priority."""
    loop = 'import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile 1: pass'
    loops = [subprocess.Popen([sys.executable, '-c', loop]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()


def measure(client, command, variables, seconds):
    """Return the columns for each rate, of a node that is started for it."""
    process = subprocess.Popen([sys.executable, *command], env={**os.environ, **variables},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = {}
    try:
        client.wait_for_node(True)
        client.at_rate(1000, 0.2)
        for rate in RATES:
            used, answers, begin = cpu(process.pid), client.answers, perf_counter()
            held = memory(process.pid)
            times, sent = [], 0
            if rate:
                times = sorted(client.at_rate(rate, seconds))
            else:
                sent = client.flood(seconds)
            took = perf_counter() - begin
            answers = client.answers - answers
            found[rate] = (
                1e6 * median(times) if times else math.nan,
                1e6 * times[int(0.99 * len(times))] if times else math.nan,
                1e6 * (cpu(process.pid) - used) / max(1, answers), answers / took,
                sent / took, client.longest_gap, memory(process.pid) - held)
    finally:
        process.terminate()  # not killed: that would be noticed only after 20 s
        try:
            process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:   # rclpy's own handler misses a signal now and then
            process.kill()
        client.wait_for_node(False)
    return found


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--arms', nargs='+', default=['so101', 'simple'], help='presets')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=2.0, help='of each rate in a round')
    parser.add_argument('--executor', default='events', help="ik_node's parameter")
    parser.add_argument('--awake', action='store_true', help='keep processors from sleeping')
    options = parser.parse_args()
    with processors_awake() if options.awake else nullcontext(), reserved_domain() as domain, \
            environment(ROS_DOMAIN_ID=str(domain)):
        rclpy.init()
        for name in options.arms:
            client = Client(Arm.preset(name))
            commands = {
                'shared': ([__file__, '--echo'], {}),
                'echo': ([__file__, '--echo'], settings('host', os.environ)[0]),
                'ik_node': (['-m', 'arm_ik.nodes.startup.start', 'ik_node', '--arm', name,
                             '--ros-args', '-p', f'executor:={options.executor}',
                             '-p', 'state_timeout:=3600.0'], {})}
            rounds = [{node: measure(client, *command, options.seconds)
                       for node, command in commands.items()} for _ in range(options.rounds)]
            print_table(name, rounds)
        rclpy.try_shutdown()


def print_table(arm, rounds):
    """Print the medians of all rounds and their ratios to the echo."""
    print(f'{arm}, full poses, {len(rounds)} rounds')
    print(f'{"":18}' + ''.join(f'{column:>24}' for column in COLUMNS))
    for rate in RATES:
        label = {math.inf: 'at once', None: 'flood'}.get(rate, f'{rate} Hz')
        for node in rounds[0]:
            cells = ''
            for column in range(len(COLUMNS)):
                ours = median(found[node][rate][column] for found in rounds)
                ratio = median(found[node][rate][column] / found['echo'][rate][column]
                               for found in rounds)
                cells += '' if math.isnan(ours) else f'{ours:14.1f} ({ratio:5.2f} x)'
            print(f'{label:9}{node:9}' + f'{cells:>96}')
    sent, gap, more = [max(found['ik_node'][None][column] for found in rounds)
                       for column in (4, 5, 6)]
    print(f'flood of {sent:.0f}/s: longest time between two commands {gap:.3f} s, '
          f'memory {more:+} KiB\n')


if __name__ == '__main__':
    echo() if '--echo' in sys.argv else main()
