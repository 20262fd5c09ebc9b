# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes under a respawning parent, with servos that outlive them, and somebody to watch."""

from math import inf
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from arm_ik import Arm, Target
from arm_ik.description import preset_path
from arm_ik.testing import ArmClient
from arm_ik.testing.domain import reserved_domain
from arm_ik.testing.whole import Whole

from .bus import ADDRESS, Bus
from .respawned import Respawned
from .servos import Servos

#: Where targets are picked from, readings of so101 [rad]: the elbow bent one way, nothing at a
#: limit, and no second answer that reaches over the back, for want of yaw.
_PICK = ((-1.2, 1.2), (-1.4, 0.6), (-0.3, 1.4), (-1.2, 1.2), (-1.5, 1.5))


class FaultBench(Whole):
    """
    An arm, its servos, its two nodes and a client, in a ROS domain of their own.

    To be used as a context manager.

    :param rng: a :class:`random.Random`.
    :param speed: largest speed of every joint [rad/s].
    :param parameters: ``{'ik_node': {'target_timeout': 0.3}, ...}``.
    """

    def __init__(self, rng, speed, parameters=None):
        super().__init__()
        self.rng, self.speed = rng, speed
        self._given = parameters or {}

    def _start(self):
        folder = Path(self._stack.enter_context(TemporaryDirectory(prefix='arm_ik_')))
        file = folder / 'so101.yaml'
        text = preset_path('so101').read_text(encoding='utf-8')
        file.write_text(text.replace('max_velocity: 3.0', f'max_velocity: {self.speed:.6f}'),
                        encoding='utf-8')
        self.arm = Arm.from_yaml(file)
        self.servos = Servos(self.arm.model)
        bus = Bus(self.servos)
        self._stack.callback(bus.close)
        domain = self._stack.enter_context(reserved_domain())
        # As users have it: no settings of the middleware but these.
        self.variables = {'ROS_DOMAIN_ID': str(domain),
                          'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', ADDRESS: bus.address}
        self.nodes = {}
        for name, module, own in (
                ('driver_node', 'reliability.faults.bus', {'backend': 'outside'}),
                ('ik_node', 'arm_ik.nodes.ik.ik_node', {})):
            given = {**own, **self._given.get(name, {})}
            arguments = [item for key, value in given.items()
                         for item in ('-p', f'{key}:={value}')]
            self.nodes[name] = Respawned(
                module, ['--arm', str(file), '--ros-args', *arguments], self.variables)
            self._stack.callback(self.nodes[name].close)
        self.client = self._stack.enter_context(ArmClient(self.arm, domain_id=domain))

    @property
    def crashes(self):
        """Hold what is to be said of nodes that ended although nobody had killed them."""
        return [words for node in self.nodes.values() for words in node.crashes]

    def pick(self, near, way=0.0):
        """
        Return readings [rad] that are the nearest answer to a pose.

        :param near: where the arm is [rad].
        :param way: how far some joint shall have to go at least [rad].
        """
        while True:
            q = tuple(self.rng.uniform(*ends) for ends in _PICK)
            if _way(q, near) >= way and _way(self.answer(q, near), q) < 1e-7:
                return q

    def nudge(self, q):
        """Return readings a quarter of a degree off, which tells a new command from old ones."""
        return tuple(reading + self.rng.choice((-1, 1)) * self.rng.uniform(0.003, 0.0045)
                     for reading in q)

    def answer(self, q, near):
        """Return the readings [rad] that the pose of some readings is answered by."""
        tip = self.arm.forward(q)
        target = Target(tip.position, tip.up, tip.rotation[:, 0])
        return self.arm.solve(target, near=near).q

    def send(self, q):
        """Send the pose of some readings as a target; return its stamp."""
        tip = self.arm.forward(q)
        return self.client.send(tip.position, tip.up, tip.rotation[:, 0])

    def obeyed(self, q, patience=30.0, every=0.05):
        """
        Send a pose until the servos are sent there.

        :param q: readings [rad].
        :param patience: for how long [s].
        :param every: how often [s].
        :returns: when they were sent there [s], monotonic; infinite: they were not.
        """
        since = self.servos.notes[-1].time
        for _ in range(int(patience / every)):
            self.send(q)
            when = self.servos.wait_for_order(q, since, every)
            if when is not None:
                return when
        return inf

    def wait_for_ready(self, patience=10.0):
        """Wait until ``ik_node`` says that it waits for a target, but not for ever [s]."""
        try:
            self.client.wait_until(lambda: self.client.status.state == 'ready', 'ready', patience)
        except AssertionError:
            pass  # what the arm does meanwhile tells

    def wait_for_rest(self):
        """Wait until the servos stand."""
        with self.servos.news:
            while (left := self.servos.rests_at() - monotonic()) > 0.0:
                self.servos.news.wait(left)


def above_others():
    """Have this process, and those it starts, scheduled before all others, if that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        pass  # what else the machine does is measured too


def _way(a, b):
    return max(abs(x - y) for x, y in zip(a, b))
