# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Odd messages to the two nodes over topics: targets, joint states, joint commands, and bytes.

Each message is sent by a plain client, the answer to each target is awaited, and what both nodes
publish is checked against the joint limits, except after odd bytes, which may be read as anything.
One message in six, and each joint state and command, is followed by a good one: a pose that the
arm reaches has to be accepted as reached, and the command that follows has to lead there; a joint
command has to bring every joint exactly where it says. Bytes that are no message may be dropped by
the middleware unseen: there the good target after them is all that has to be answered.
"""

from itertools import cycle
from random import Random
from time import time_ns

from arm_ik import Arm
import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from .figures import every, Figure
from .odd_messages import (
    JOINT_MESSAGES, LONG, ODD_BYTES, ODD_TARGETS, ORDINARY_TARGETS, position_of,
    target_must_be_refused, Targets)
from .running_arm import DRIVER, IK, OWN, RunningArm, TARGETS
from .tally import NO_ANSWER, OUTSIDE, Tally

#: How many targets, joint states, joint commands and odd bytes each arm is sent.
FULL, SHORT = (7_500, 500, 500, 600), (112, 6, 6, 30)

#: How often a target is followed by a good one.
_GOOD = 0.15

#: How long to wait for an answer [s], and how many that don't come end the trial.
_PATIENCE, _ENOUGH = 10.0, 5

#: Long timeouts, because delays of a busy machine are not tested here.
_PATIENT = {DRIVER: {'command_timeout': 30.0}, IK: {'state_timeout': 10.0}}

#: How far from a good target a command may lead [m]: position_tolerance.
_TOLERANCE = 1e-4

#: How far a good joint command is from home at most [rad]: the arm has to get there.
_NEAR = 0.02


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    tally, arms = Tally(say), ('so101',) if short else ('so101', 'px100')
    counts, codes = SHORT if short else FULL, []
    for name in arms:
        with RunningArm(name, _PATIENT) as arm:
            trial = _Trial(arm, Random(f'{seed} {name}'), tally)
            for step, count in zip((trial.targets, trial.states, trial.commands, trial.bytes),
                                   counts):
                step(count)
                say(f'{name}: {tally.total} messages after {step.__name__}')
            tally.faults[OUTSIDE] += arm.outside
            codes += arm.stop().values()
    return [*tally.figures(len(arms) * sum(counts)),
            every('exit code 0 when told to end', codes.count(0), len(codes)),
            Figure('exit codes', '', ', '.join(map(str, codes)))]


class _Trial:
    """Messages to the nodes of one arm."""

    def __init__(self, arm, random, tally):
        self._arm, self._random, self._tally = arm, random, tally
        self._make = Targets(arm.arm, random, time_ns)
        self._home = Arm.preset(arm.name).home
        self._chain = list(arm.arm.joint_names)

    def targets(self, count):
        """Send targets of all classes."""
        kinds = cycle({**ORDINARY_TARGETS, **ODD_TARGETS}.items())
        for number in range(count):
            kind, make = next(kinds)
            message = make(self._make)
            # A stamp just ahead may be in the past when it is read: both answers are then right.
            before = target_must_be_refused(message, time_ns())
            status = self._ask(kind, message)
            if status is not None:
                after = target_must_be_refused(message, time_ns())
                refused = status.state == 'refused'
                self._tally.judge(kind, refused, before if before == after else refused,
                                  status.reason or not refused and status.status == 'REACHED',
                                  message)
            if self._random.random() < _GOOD or number < 2 * len(ODD_TARGETS):
                self._ask_good(kind)

    def states(self, count):
        """Send joint states, in between those of the driver, each followed by a good target."""
        for kind, message in self._joint_messages(count):
            self._arm.publish('joint_states', message)
            self._tally.answer(f'joint states, {kind}', None)
            self._ask_good(f'joint states, {kind}')

    def commands(self, count):
        """Send joint commands past ``ik_node``, each followed by a good one."""
        self._arm.enable(False)
        for kind, message in self._joint_messages(count):
            self._arm.publish('joint_commands', message)
            self._tally.answer(f'commands, {kind}', None)
            goal = [at + self._random.uniform(-_NEAR, _NEAR) for at in self._home]
            self._arm.publish('joint_commands', _marked(
                JointState(name=self._chain, position=goal)))
            self._tally.good_one(f'commands, {kind}', self._arm.waited(
                lambda: self._arm.states[-1][1] == tuple(goal), _PATIENCE), goal)
        self._arm.enable(True)

    def bytes(self, count):  # noqa: A003
        """Send bytes that are no message on every topic, each followed by a good target."""
        topics = {**{topic: kind() for kind, topic in TARGETS.items()},
                  'joint_states': JointState(name=self._chain, position=self._home),
                  'joint_commands': JointState(name=self._chain, position=self._home)}
        self._arm.judges = False
        pairs = cycle([(topic, kind) for kind in ODD_BYTES for topic in topics])
        for _ in range(count):
            topic, kind = next(pairs)
            data = serialize_message(_marked(topics[topic]))
            self._arm.publish(topic, ODD_BYTES[kind](self._random, data))
            self._tally.answer(f'bytes, {kind}', None)
            self._ask_good(f'bytes, {kind}')

    def _ask(self, kind, message):
        """Send a target and return its status; ``None`` if none came."""
        seen = len(self._arm.statuses) and self._arm.statuses[-1][1].seq
        self._arm.publish(TARGETS[type(message)], message)
        if not self._arm.waited(lambda: self._arm.statuses[-1][1].seq > seen, _PATIENCE):
            self._tally.fault(NO_ANSWER, kind, message)
            if self._tally.faults[NO_ANSWER] >= _ENOUGH or self._arm.ended():
                raise RuntimeError(self._arm.ended() or 'the nodes do not answer any more')
            return None
        return next(status for _, status in self._arm.statuses if status.seq > seen)

    def _ask_good(self, kind):
        """Send a pose that the arm reaches until it is accepted, for joint states may be odd."""
        message = self._make.reachable()
        for _ in range(3):
            stamp = self._arm.send(message)
            if self._arm.waited(lambda: self._arm.status_of(stamp), _PATIENCE) and (
                    self._arm.status_of(stamp).status == 'REACHED'):
                break
        status = self._arm.status_of(stamp)
        self._tally.good_one(
            kind, status and status.status == 'REACHED'
            and self._arm.waited(lambda: self._commands_lead_to(message), _PATIENCE),
            status, message)

    def _commands_lead_to(self, message):
        tip = self._arm.arm.forward(self._arm.commands[-1][1].position)
        return np.linalg.norm(tip.position - position_of(message)) <= _TOLERANCE

    def _joint_messages(self, count):
        kinds = [kind for kind in JOINT_MESSAGES if kind != LONG]
        for number in range(count):
            kind = LONG if number == 0 else kinds[number % len(kinds)]
            yield kind, _marked(JOINT_MESSAGES[kind](self._random, self._chain))


def _marked(message):
    """Return a message so that the client knows it as its own; targets keep their frame."""
    if isinstance(message, JointState):
        message.header.frame_id = OWN
    return message
