# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes, each in a machine of its own, and somebody beside each who watches and asks."""

from contextlib import ExitStack
import os
from pathlib import Path
import sys

from arm_ik.testing.processes import Guard, NodeProcess

from .hand import Hand, STATE, STATUS

_ROOT = Path(__file__).resolve().parents[2]
_RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'

_JOINTS = ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll')

#: Slow enough to be on its way for seconds [rad/s].
_SLOW = [argument for name in _JOINTS
         for argument in ('-p', f'arm.joints.{name}.max_velocity:=0.8')]

#: Where the arm is sent in turn: position [m] and up vector.
_GOALS = (((0.20, 0.15, 0.05), (0.0, 0.0, -1.0)), ((0.20, -0.15, 0.05), (0.0, 0.0, -1.0)))

#: What ik_node says when it hears of the driver.
_KNOWN = 'the state of the arm is known'


class Pair:
    """
    ``ik_node`` here and ``driver_node`` there, as a context manager.

    :param machines: the :class:`~.two_machines.TwoMachines`.
    :param domain: the ROS domain of both.
    :param here: what ``ik_node`` is given as ``--discovery``; ``None``: nothing.
    :param there: the same for ``driver_node``.
    :param watched: whether there is a :class:`~.hand.Hand` beside each: ``here`` and ``there``.
    """

    def __init__(self, machines, domain, here=None, there=None, watched=False):
        self.machines = machines
        self._domain = str(domain)
        self._ranges = here, there
        self._watched = watched
        self._stack = ExitStack()
        self._goals = 0

    def __enter__(self):
        with self._stack:
            self.driver, self.ik = (
                self._node(name, machine, asked) for name, machine, asked in zip(
                    ('driver_node', 'ik_node'), (self.machines.there, self.machines.here),
                    reversed(self._ranges)))
            guard = Guard([self.driver.pid, self.ik.pid])
            self._stack.callback(guard.close)
            if self._watched:
                # The one here hears of the other machine by what ik_node says alone.
                self.here = self._hand(self.machines.here, 'LOCALHOST')
                self.there = self._hand(self.machines.there, 'SUBNET')
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def wait_until_up(self):
        """Wait until both nodes run."""
        for node in (self.driver, self.ik):
            while '] [' + node.name + ']: found ' not in node.output():
                if node.wait(0.05) is not None:
                    raise RuntimeError(node.describe())

    @property
    def found(self):
        """Whether ``ik_node`` has ever heard of the arm."""
        return _KNOWN in self.ik.output()

    def send(self, again=False):
        """Send the arm to the other of two places, or again; return the target's stamp [s]."""
        if not again:
            self._goals += 1
        return self.here.send(*_GOALS[self._goals % 2])

    def wait_for_motion(self, since, begin, timeout):
        """
        Wait until the arm has moved.

        :param since: from when on [s].
        :param begin: a place in what ``there`` has heard, from before that.
        :param timeout: how long [s].
        :returns: when it was first seen to have moved [s]; ``None``: it was not.
        """
        if self.there.wait(STATE, begin, lambda state: state[1] > since) is None:
            return None
        at_rest = [state for state in self.there.of(STATE, begin) if state[1] <= since][-1]
        moved = self.there.wait(STATE, begin, lambda state: (
            state[1] > since and state[2] != at_rest[2]), timeout)
        return moved and moved[1]

    def wait_for_arrival(self, stamp, timeout=60.0):
        """Wait until the arm has arrived at a target; tell if it has."""
        return self.here.wait(STATUS, 0, lambda status: (
            status[1:] == [stamp, 'arrived']), timeout) is not None

    def _node(self, name, machine, asked):
        node = NodeProcess(
            name, machine.command(
                sys.executable, '-m', f'arm_ik.nodes.{name}', '--arm', 'so101',
                *(['--discovery', asked] if asked else []), '--ros-args', *_SLOW),
            {'ROS_DOMAIN_ID': self._domain, _RANGE: ''})
        self._stack.callback(node.stop)
        return node

    def _hand(self, machine, range_):
        hand = Hand(machine, {**os.environ, 'PYTHONPATH': str(_ROOT),
                              'ROS_DOMAIN_ID': self._domain, _RANGE: range_})
        self._stack.callback(hand.close)
        return hand
