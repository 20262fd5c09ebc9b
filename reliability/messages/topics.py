# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
One hundred thousand messages over real topics to both nodes.

``ik_node`` and ``driver_node`` of four arms run as processes of their own. They are sent the
targets that the core is sent too, joint states and joint commands with wrong names, lengths and
numbers, and bytes that are no message at all. Each target's answer is awaited before the next is
sent; joint states, commands, and bytes that the middleware may drop unseen are followed by a good
one. A good target has to be accepted as reached, and the command that follows has to lead there by
forward kinematics read off the URDF, within the node's tolerances; a good command has to bring
every joint exactly where it says.

A sender that publishes a message of no bytes at all cuts itself off, for the middleware at the
other end waits for the rest of it: that is tried with a sender of its own, and others have to be
heard on.
"""

from contextlib import ExitStack
from functools import partial
from itertools import cycle
from multiprocessing import get_context
from random import Random

from . import odd_bytes, odd_joints, odd_targets
from .tally import NO_ANSWER, Tally
from .topic_trial import GaveUp, TopicTrial
from .wired_arm import WiredArm
from ..figure import Figure

#: How many messages of each sort each arm is sent: targets, joint states, commands, bytes.
FULL = {'targets': 15_500, 'states': 1_500, 'commands': 1_750, 'bytes': 1_500, 'long': 3}
SHORT = {'targets': 112, 'states': 6, 'commands': 6, 'bytes': 30, 'long': 1}

#: The arms, at a time, each in a ROS domain of its own.
FULL_ARMS, SHORT_ARMS = ('so101', 'px100', 'rx150', 'simple'), ('so101',)

#: How many messages there have to be, good ones counted.
FULL_TOTAL, SHORT_TOTAL = 100_000, 200

#: Targets of a class in a row: the node logs and diagnoses only what is new.
_IN_A_ROW = 7


def run(short, seed, say):
    """Count what goes wrong; see the module."""
    tally, sent, ends = Tally(say), 0, []
    arms, total = (SHORT_ARMS, SHORT_TOTAL) if short else (FULL_ARMS, FULL_TOTAL)
    with ExitStack() as stack:
        at_a_time = map if short else stack.enter_context(
            get_context('spawn').Pool(len(arms))).imap
        for said, counts, part, end in at_a_time(partial(_of_arm, short, seed), arms):
            for line in said:
                say(line)
            tally.add(counts)
            sent += part
            ends.append(end)
    alive = [words for words, _ in ends if words]
    codes = sorted({code for _, codes in ends for code in codes}, key=str)
    return [Figure('messages sent', str(sent), f'at least {total}', sent >= total),
            *tally.figures(),
            Figure('targets without an answer', str(tally.faults[NO_ANSWER]), '0',
                   not tally.faults[NO_ANSWER]),
            Figure('nodes that ended by themselves', ', '.join(alive) or 'none', 'none',
                   not alive),
            Figure('exit codes when told to end', ', '.join(map(str, codes)), '0', codes == [0]),
            *tally.figures_by_class()]


def _of_arm(short, seed, name):
    """Return what one arm's trial has to say, its counts, messages sent, and how the nodes end."""
    said, counts = [], SHORT if short else FULL
    tally, random = Tally(said.append), Random(f'{seed} {name}')
    with WiredArm(name, tally) as wired:
        trial = TopicTrial(wired, random, tally, 100 if short else 2000)
        try:
            for step in (_targets, _states, _commands, _bytes):
                step(trial, counts, random)
                said.append(f'{name}: {trial.sent} messages after {step.__name__[1:]}')
        except GaveUp as error:
            said.append(f'{name}: given up after {trial.sent} messages: {error}')
        ended = wired.ended()
        codes = wired.stop()
    trial.judge_goods()
    return said, tally.counts, trial.sent, (ended, codes)


def _targets(trial, counts, _):
    kinds = (*odd_targets.ORDINARY, *odd_targets.EXCEPTIONAL)
    for number in range(counts['targets']):
        kind = kinds[number // _IN_A_ROW % len(kinds)]
        trial.ask(kind, trial.make(kind))
        if trial.due(kind):
            trial.ask_good(kind)


def _states(trial, counts, random):
    for kind, make in _joint_kinds(counts['states'], counts['long']):
        trial.send_state(kind, make(random, trial.joint_names))
        trial.ask_good(f'joint states, {kind}')


def _commands(trial, counts, random):
    trial.wired.passes_commands = False
    trial.wired.listen_to_refusals()
    for kind, make in _joint_kinds(counts['commands'], counts['long']):
        trial.command(kind, make(random, trial.joint_names))
    trial.wired.passes_commands = True


def _bytes(trial, counts, random):
    topics = ('target_pose', 'target_point', 'target_up', 'reported_states', 'joint_commands')
    both = cycle((topic, kind) for kind in odd_bytes.KINDS for topic in topics)
    for _ in range(counts['bytes']):
        topic, kind = next(both)
        trial.send_bytes(topic, kind)
        if trial.due(kind):
            trial.ask_good(f'bytes: {kind}')
    for topic in topics:
        trial.send_no_bytes(topic)
        trial.ask_good('bytes: none')


def _joint_kinds(count, long):
    """Yield classes of joint messages and their makers in turn; the long ones so many times."""
    others = [kind for kind in odd_joints.KINDS if kind != odd_joints.LONG]
    for number in range(count):
        kind = odd_joints.LONG if number < long else others[number % len(others)]
        yield kind, odd_joints.KINDS[kind]
