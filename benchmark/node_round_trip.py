# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a target costs in ``ik_node``, beside the least that any rclpy node costs.

``python benchmark/node_round_trip.py`` runs, in turns, a plain rclpy node that echoes targets
without any kinematics, ``ik_node`` on rclpy's usual executor, and ``ik_node`` as it comes. Each is
a process of its own; this one sends targets along a path and waits for the commands, over DDS on
this host. Nobody listens to ``~/status`` and the like. Per round:

- *round trip*: one target after the other, from sending to the command's arrival;
- *rate* and *CPU per target*: a few targets always under way, all of them answered; the node's
  processor time, all its threads, divided by the targets.

Medians over the rounds, and the quotient to the echo of the same rounds.

Where nothing else runs, a round trip is for the greater part the time that processors take to wake
up; a node that has done its work sooner sleeps sooner and wakes up later. With ``--awake`` loops
that run only while a processor has nothing else to do keep it from sleeping.

Messages travel as they do by default: the plain node's through Fast DDS's shared memory, those of
``ik_node`` by UDP. With ``--shared-memory`` all take that, with ``--udp`` all take UDP, the plain
node with the settings that ``ik_node`` has for it. This process costs as little as it can
(:data:`SETTINGS`): it is not what is measured.
"""

import argparse
from contextlib import contextmanager, nullcontext
from glob import glob
import math
import os
from pathlib import Path
import random
from statistics import median
import subprocess
import sys
from tempfile import NamedTemporaryFile
from time import perf_counter

from arm_ik import Arm
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.nodes.process.transport import PROFILES, TRANSPORTS
from arm_ik.testing.domain import (
    domain_environment, environment, profiles_variable, reserved_domain)
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.experimental import EventsExecutor
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from sensor_msgs.msg import JointState

SUBJECTS = ('echo', 'single_threaded', 'events')
COLUMNS = ('round trip p50 us', 'p99 us', 'rate /s', 'CPU us/target')
SEED = 1

#: Settings of Fast DDS for this process: what ``arm_ik/nodes/this_host_2.xml`` tells of.
SETTINGS = """<dds xmlns="http://www.eprosima.com"><profiles>
  <data_writer profile_name="client" is_default_profile="true">
    <times><{0}><nanosec>1000000</nanosec></{0}></times>
  </data_writer>
</profiles></dds>"""

#: What the time that is set there is called, before Fast DDS 3 and since.
ELEMENTS = ('nackSupressionDuration', 'nack_supression_duration')

#: Targets under way while the rate is measured.
WINDOW = 8

#: How far the joints move from one target to the next [rad]: 50 targets a second, at 1.5 rad/s.
STEP = 0.03

#: Longest wait for the answers of one round [s].
PATIENCE = 60.0


def targets(arm, count, seed=SEED):
    """Return serialized poses along a random path that stays inside the limits."""
    rng, q, found = random.Random(seed), list(arm.home), []
    for number in range(count):
        q = [min(max(reading + rng.uniform(-STEP, STEP), low), high)
             for reading, low, high in zip(q, arm.lower, arm.upper)]
        tip = arm.forward(q)
        found.append(bytes(serialize_message(
            pose_message(tip.position, tip.rotation, 'base_link', (1, number)))))
    return found


def cpu(pid):
    """Return the processor time of all threads of a process so far [s]."""
    return 1e-9 * sum(int(Path(path).read_text().split()[0])
                      for path in glob(f'/proc/{pid}/task/*/schedstat'))


class Client:
    """Sends targets and waits for the commands; raw, in the quickest executor there is."""

    def __init__(self, arm):
        self._arm = arm
        self._targets = targets(arm, 2000)
        self._node = rclpy.create_node('client')
        self._executor = EventsExecutor()
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(PoseStamped, 'target_pose', 100)
        self._states = self._node.create_publisher(JointState, 'joint_states', 10)
        self._node.create_subscription(
            JointState, 'joint_commands', self._on_command, QoSProfile(depth=100), raw=True)
        self._next = self._to_send = self._open = 0
        self._stamp, self._done, self.times = b'', Future(), []

    def wait_for(self, *, present):
        """Wait until a node that answers is there, or gone; tell it where the arm is."""
        state = JointState(name=list(self._arm.joint_names),
                           position=[float(reading) for reading in self._arm.home])
        answered = False
        while not (answered if present else not (
                self._publisher.get_subscription_count()
                or self._node.count_publishers('joint_commands'))):
            self._executor.spin_once(timeout_sec=0.02)
            if present and self._publisher.get_subscription_count():
                self._states.publish(state)
                answered = self.run(1, 1, patience=0.5)

    def run(self, count, window, patience=PATIENCE):
        """Have that many targets answered, so many at a time; tell whether all were."""
        self._done, self.times = Future(), []
        self._to_send, self._open = count, 0
        for _ in range(window):
            self._send()
        self.times.append(perf_counter())
        self._executor.spin_until_future_complete(self._done, timeout_sec=patience)
        return self._done.done()

    def _send(self):
        self._to_send -= 1
        self._open += 1
        self._next = (self._next + 1) % len(self._targets)
        self._publisher.publish(self._targets[self._next])

    def _on_command(self, data):
        stamp = data[4:12]
        if stamp == self._stamp or self._done.done():
            return  # the same command once more
        self._stamp = stamp
        self.times.append(perf_counter())
        self._open -= 1
        if self._to_send:
            self._send()
        elif not self._open:
            self._done.set_result(None)


@contextmanager
def processors_awake():
    """Keep every processor busy with work that gives way to any other."""
    loop = 'import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile 1: pass'
    loops = [subprocess.Popen([sys.executable, '-c', loop]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()


def as_users_have_it(domain, shared_memory):
    """Return the variables of a domain on this host, without the settings that tests have."""
    variables = domain_environment(domain, quick=False)
    return {**variables, TRANSPORTS: 'DEFAULT'} if shared_memory else variables


def make_client(arm):
    """Start ROS, and return a client for an arm that comes with the package."""
    variable = profiles_variable()
    element = dict(zip(PROFILES.values(), ELEMENTS))[variable]
    with NamedTemporaryFile('w', suffix='.xml') as file, environment(**{variable: file.name}):
        file.write(SETTINGS.format(element))
        file.flush()
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        return Client(Arm.preset(arm))


def measure(client, how, count):
    """Return the figures of one round, in the order of the columns; ``None``: it failed."""
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name('node_subject.py'), *how],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        client.wait_for(present=True)
        client.run(count // 5, 1)
        if not client.run(count, 1):
            return None
        ways = sorted(after - before for before, after in zip(client.times, client.times[1:]))
        client.run(count // 5, WINDOW)
        before = cpu(process.pid)
        if not client.run(3 * count, WINDOW):
            return None
        used = cpu(process.pid) - before
        return (1e6 * median(ways), 1e6 * ways[int(0.99 * len(ways))],
                3 * count / (client.times[-1] - client.times[0]), 1e6 * used / (3 * count))
    finally:
        process.terminate()  # it says goodbye: one that is killed is missed only after 20 s
        process.wait()
        client.wait_for(present=False)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--arm', default='simple', help='an arm that comes with the package')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--targets', type=int, default=3000, help='of one round')
    parser.add_argument('--awake', action='store_true', help='keep processors from sleeping')
    parser.add_argument('--shared-memory', action='store_true', help='for ik_node, too')
    parser.add_argument('--udp', action='store_true', help='for the plain node, too')
    options = parser.parse_args()
    busy = processors_awake() if options.awake else nullcontext()
    with busy, reserved_domain() as domain, environment(
            **as_users_have_it(domain, options.shared_memory)):
        client, rounds = make_client(options.arm), {name: [] for name in SUBJECTS}
        for _ in range(options.rounds):
            for name in SUBJECTS:
                how = ['--udp'] * options.udp if name == 'echo' else ['--arm', options.arm]
                rounds[name].append(measure(client, [name, *how], options.targets)
                                    or (math.nan,) * len(COLUMNS))
        rclpy.shutdown()
    print(f'{options.arm}, {options.rounds} rounds of {options.targets} targets, seed {SEED}')
    print(f'{"":17}' + ''.join(f'{column:>25}' for column in COLUMNS))
    for name in SUBJECTS:
        columns = list(zip(*rounds[name]))
        quotients = [median(a / b for a, b in zip(ours, theirs))
                     for ours, theirs in zip(columns, zip(*rounds['echo']))]
        print(f'{name:17}' + ''.join(f'{median(column):15.1f} ({quotient:5.2f} x)'
                                     for column, quotient in zip(columns, quotients)))


if __name__ == '__main__':
    main()
