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

from contextlib import ExitStack
import json
from pathlib import Path
from random import Random
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGUSR1
from tempfile import TemporaryDirectory
from time import time

from arm_ik.kinematics.model import START_TIME

from .figures import every, Figure, within
from .odd_messages import orientation_of, position_of
from .running_arm import distance, DRIVER, IK, motions, RunningArm, states_since
from .side_to_side import side, slow

FULL, SHORT = 40, 1

TIMEOUT = 0.3

#: From the fault until the arm is at rest [s]: target_timeout, two periods of command_rate, a
#: margin for the scheduling of both nodes, and the time to brake.
AT_REST = TIMEOUT + 0.04 + 0.03 + START_TIME

#: The faults of a sender: name, signal, and the signal that ends the fault.
_FAULTS = {'silent': (SIGUSR1, SIGUSR1), 'frozen': (SIGSTOP, SIGCONT), 'killed': (SIGKILL, None)}

#: How long each of the two sides is asked for [s].
_HOLD = 1.2


def write_poses(file, poses):
    """Write poses to a file for a sender; return its name."""
    Path(file).write_text(json.dumps([[*position_of(message), *orientation_of(message)]
                                      for message in poses]), encoding='utf-8')
    return str(file)


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    random, times, figures, ended = Random(seed), SHORT if short else FULL, [], ''
    with ExitStack() as stack:
        file = Path(stack.enter_context(TemporaryDirectory())) / 'poses.json'
        arm = stack.enter_context(RunningArm('so101', {
            'both': slow('so101'), IK: {'target_timeout': TIMEOUT},
            DRIVER: {'state_rate': 200.0}}))
        poses = write_poses(file, [side(arm, number, random) for number in (0, 1)])
        stream = _Stream(arm, poses, random)
        for fault, signals in _FAULTS.items():
            seen = [stream.end(*signals) for _ in range(times)]
            figures += [
                every(f'sender {fault}: the arm stops before its goal',
                      sum(left > 0.02 for _, left in seen), times),
                within(f'sender {fault}: the arm is at rest after', [rest for rest, _ in seen],
                       AT_REST + (1.0 if short else 0.0), 's')]
            say(f'{fault}: {figures[-1].seen}')
        stream.close()
        ended += arm.ended()
    with ExitStack() as stack:
        file = Path(stack.enter_context(TemporaryDirectory())) / 'poses.json'
        arm = stack.enter_context(RunningArm('so101'))
        arrived = sum(_arrives(arm, write_poses(file, [side(arm, number, random)]))
                      for number in range(times))
        ended += arm.ended()
    return [*figures,
            every('a goal sent once by a sender that dies is reached', arrived, times),
            Figure('nodes that end by themselves', 'none', ended or 'none', not ended)]


class _Stream:
    """A process that sends a stream of targets, started again after it was killed."""

    def __init__(self, arm, poses, random):
        self._arm, self._poses, self._random = arm, poses, random
        self._process = None

    def end(self, fault, cure):
        """
        End the stream while the arm is on its way, and look at the arm.

        :returns: how long the arm has moved after that [s], and how far from its goal it is [rad].
        """
        arm, start = self._arm, time()
        if self._process is None or self._process.exit_code is not None:
            self._process = arm.module('sender', 'reliability.sender', self._poses,
                                       '--hold', str(_HOLD))
        arm.wait(lambda: arm.statuses[-1][0] > start, 'a status')
        arm.spin(self._random.uniform(0.0, _HOLD))
        # Never just after a turn, when the arm has hardly set out, nor at the end of the way.
        arm.wait(lambda: arm.states[-1][1] != arm.states[-10][1] and distance(
            arm.states[-1][1], arm.commands[-1][1].position) > 0.8, 'the arm is on its way')
        goal, now = arm.commands[-1][1].position, time()
        self._process.signal(fault)
        arm.spin(TIMEOUT + 0.7)
        rest = max(motions(states_since(arm, now)), default=now) - now
        left = distance(arm.states[-1][1], goal)
        if cure is not None:
            self._process.signal(cure)
        return rest, left

    def close(self):
        """End the process."""
        self._process.signal(SIGKILL)
        self._process.wait(None)


def _arrives(arm, poses):
    """Have a target sent once by a process that dies; return whether the arm arrives."""
    seq = arm.statuses[-1][1].seq
    sender = arm.module('sender', 'reliability.sender', poses, '--once')
    return arm.waited(lambda: arm.statuses[-1][1].seq > seq
                      and arm.statuses[-1][1].state == 'arrived') and \
        sender.wait(10.0) == -SIGKILL
