# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The sender of a stream of targets dies, falls silent or is cut off; a goal is sent once.

With ``target_timeout`` at 0.3 s a process sends 50 targets a second, two sides by turns, so that
SO-101 with joints of 1.2 rad/s never arrives. While it is on its way, at a random moment, the
sender is killed with ``kill -9``; or falls silent; or is frozen by SIGSTOP, so that the middleware
does not learn that it is gone. The arm has to be at rest short of its goal. Then, without a
``target_timeout``, new processes send one target each and die of ``kill -9`` as soon as it has
been heard: the arm has to arrive there. Times are those in the stamps of ``joint_states``, at
200 Hz.
"""

from random import Random
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGUSR1
import sys
from time import time

from arm_ik.kinematics.model import START_TIME
from arm_ik.testing.processes import domain_environment
from arm_ik.testing.processes import NodeProcess

from .figures import every, within
from .sender import HOLD
from .side_to_side import motions, SideToSide

FULL, SHORT = 40, 1

TIMEOUT = 0.3

#: From the fault until the arm is at rest [s]: target_timeout, two periods of command_rate, a
#: margin for the scheduling of both nodes, and the time to brake.
AT_REST = TIMEOUT + 0.04 + 0.03 + START_TIME

#: The faults of a sender: name, signal, and the signal that ends the fault.
_FAULTS = {'silent': (SIGUSR1, SIGUSR1), 'frozen': (SIGSTOP, SIGCONT), 'killed': (SIGKILL, None)}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    random, times, figures = Random(seed), SHORT if short else FULL, []
    with SideToSide(random, target_timeout=TIMEOUT) as arm:
        for fault, signals in _FAULTS.items():
            rests, stopped = zip(*(_end(arm, random, *signals) for _ in range(times)))
            figures += [
                every(f'sender {fault}: the arm stops before its goal', sum(stopped), times),
                within(f'sender {fault}: the arm is at rest after', rests,
                       AT_REST + (1.0 if short else 0.0), 's')]
            say(f'{fault}: {figures[-1].seen}')
    with SideToSide(random) as arm:
        arrived = 0
        for _ in range(times):
            arm.turn()
            seq = arm.status.seq
            with _Sender(arm, arm.goal) as sender:
                dead = sender.process.wait(arm.timeout) == -SIGKILL
                arm.wait_until(lambda: arm.status.seq > seq and arm.status.state == 'arrived',
                               'an arrival')
                arrived += dead and arm.left(arm.q) < 0.02
    return [*figures, every('a goal sent once by a sender that dies is reached', arrived, times)]


class _Sender:
    """A process that sends poses of joint positions, ended with the context."""

    def __init__(self, arm, *goals):
        self.process = NodeProcess('sender', [
            sys.executable, '-m', 'reliability.sender', str(arm.domain_id),
            *map(str, map(list, goals))], domain_environment(arm.domain_id))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.signal(SIGKILL)
        self.process.wait(None)


def _end(arm, random, fault, cure):
    """
    End a stream while the arm is on its way, and look at the arm.

    :returns: how long the arm has moved after that [s], and whether it stopped on the way.
    """
    sides = []
    for _ in range(2):
        arm.turn()
        sides.append(arm.goal)
    seq = arm.status.seq
    with _Sender(arm, *sides) as sender:
        arm.wait_until(lambda: arm.status.seq > seq, 'a target')
        arm.watch(random.uniform(0.0, HOLD))
        # Never just after a turn, when the arm has hardly set out, nor at the end of the way.
        states = arm.watch(arm.timeout, lambda states: len(states) > 10 and abs(
            states[-1][1][0] - states[-10][1][0]) > 0.03 and abs(states[-1][1][0]) < 0.3)
        now = time()
        sender.process.signal(fault)
        states = arm.watch(TIMEOUT + 0.7)
        if cure is not None:
            sender.process.signal(cure)
    rest = max(motions(states, now), default=now) - now
    return rest, all(abs(states[-1][1][0] - side[0]) > 0.02 for side in sides)
