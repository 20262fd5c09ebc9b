# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whoever sends targets dies, falls silent or is cut off; and a goal sent once is reached.

The arm's servos are simulated outside of both nodes, so where the arm has been is known exactly,
and joints are slowed down to 0.6 rad/s. *Streams*: ``target_timeout`` is 0.3 s. A process sends 50
targets a second, by turns to one side and to the other, so that the arm never arrives. While it is
on its way, at a random moment, the sender is killed (``kill -9``); or it lives on and says nothing
more; or it is cut off: frozen by SIGSTOP, so that the middleware does not learn that it is gone.
The arm has to be at rest, short of its goal, within ``target_timeout``, one period of
``command_rate`` and its deceleration. Simulated servos stop at once; but they are told to hold
where they were measured last, up to one period of ``joint_states`` ago, and go back there: that
period counts as their deceleration.

What is killed may hold others up where Fast DDS passes messages through shared memory: it leaves
locks there that it held, and ports that nobody reads, and whoever sends next waits for either.
Of 498 senders killed while the nodes had shared memory, watched from inside, six had the arm at
rest only after 0.42 to 1.04 s: ``ik_node`` stood still in five cases, ``driver_node`` in two, in
``publish`` or waiting for messages. So the nodes take UDP, whatever the sender takes
(``arm_ik/nodes/transport.py``); of 400 killed then, neither stood still.

*Goals*: with the nodes' own parameters a new process sends a single target, is heard, and dies by
``kill -9`` at once. The arm has to come to rest exactly there.

Where that is allowed, the full form has real-time priority, so that what else the machine does is
not measured. The short form has not: where a node gets no processor for a while, the arm is held
and then taken up by a target that had come in time, so it is looked at a second later.
"""

from math import degrees
from random import Random
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGUSR1
from time import monotonic, sleep
from typing import NamedTuple

from .fault_bench import above_others, FaultBench
from .sender_process import SenderProcess
from .spread import spread
from ..figure import Figure

TIMES, TIMES_SHORT = 100, 1

#: target_timeout, and the nodes' default periods of command_rate and state_rate [s].
_TIMEOUT, _PERIOD, _BACK = 0.3, 0.02, 0.02

#: Largest speeds of the joints, while streams end and while goals are reached [rad/s].
_SLOW, _FAST = 0.6, 3.0

#: When the short form looks whether the arm moves any more [s].
_LATER = 1.0

#: What is left of the way at least when a fault comes [s].
_LEFT = 1.5

#: How far from the place that was asked for the arm may come to rest [rad].
_THERE = 1e-5

#: The two ends of the streams, readings of so101 [rad].
_SIDES = ((-1.2, -0.9, 1.0, 0.3, -0.8), (1.2, -0.3, 0.4, 0.9, 0.8))

#: What happens to a sender, by which signal, and by which one it is undone.
_FAULTS = (('silent', SIGUSR1, SIGUSR1), ('cut off', SIGSTOP, SIGCONT), ('killed', SIGKILL, None))


class Seen(NamedTuple):
    """What was seen of a stream that ended."""

    rest: float   # when the arm was at rest, from the fault [s]
    to_go: float  # to the goal that was in force [rad]
    moved: float  # after that [rad]


def run(short, seed, say):
    """See the module; return a list of :class:`~.figure.Figure`."""
    if not short:
        above_others()
    times = TIMES_SHORT if short else TIMES
    rng = Random(seed)
    figures = []
    with FaultBench(rng, _SLOW, {'ik_node': {'target_timeout': _TIMEOUT}}) as bench:
        with SenderProcess(bench, 'stream', _SIDES) as sender:
            for words, fault, cure in _FAULTS:
                seen = [_ended(bench, sender, fault, cure, _LATER if short else 0.0)
                        for _ in range(times)]
                figures += _stream_figures(words, seen, short)
                say(f'{words}: {figures[-1].seen}')
        crashes = len(bench.crashes)
    with FaultBench(rng, _FAST) as bench:
        reached = sum(_reached(bench) for _ in range(times))
        crashes += len(bench.crashes)
    return [*figures,
            Figure('a goal sent once by a sender that dies is reached', f'{reached} of {times}',
                   'every time', reached == times),
            Figure('nodes that end on their own', str(crashes), 'none', not crashes)]


def _ended(bench, sender, fault, cure, later):
    """Let a stream run, end it, look after ``later`` [s]; return what was :class:`Seen`."""
    servos = bench.servos
    sender.start()
    _wait_for_motion(servos)
    sleep(bench.rng.uniform(0.0, 0.5))
    _wait_for_motion(servos)
    goal, now = servos.goal, monotonic()
    sender.signal(fault)
    sleep(later)
    bench.wait_for_rest()
    sleep(bench.rng.uniform(0.0, 0.3))
    rest, _ = servos.first_rest(now)
    looked, stand = servos.first_rest(now + later)
    seen = Seen(rest - now, max(abs(a - b) for a, b in zip(stand, goal)),
                servos.moved(stand, looked))
    if cure is not None:
        sender.signal(cure)
    return seen


def _wait_for_motion(servos):
    """Wait until the arm has a good way to go."""
    with servos.news:
        assert servos.news.wait_for(
            lambda: servos.rests_at() - monotonic() > _LEFT, 60.0), 'the arm moves'


def _reached(bench):
    """Have one goal sent, once, by a sender that dies; tell if the arm comes to rest there."""
    servos = bench.servos
    q, since = bench.pick(servos.q, way=0.5), monotonic()
    with SenderProcess(bench, 'once', [q]) as sender:
        sender.start()
        if servos.wait_for_order(q, since, 60.0) is None:
            return False
    bench.wait_for_rest()
    return max(abs(a - b) for a, b in zip(servos.q, q)) < _THERE


def _stream_figures(words, seen, short):
    stopped = sum(one.to_go > 0.1 for one in seen)
    moved = degrees(max(one.moved for one in seen))
    bound = _TIMEOUT + _PERIOD + _BACK
    rests = [one.rest for one in seen]
    return [
        Figure(f'sender {words}: the arm stops before its goal', f'{stopped} of {len(seen)}',
               'every time', stopped == len(seen)),
        Figure(f'sender {words}: the arm moves after that', f'at most {moved:.3f}°', '< 1°',
               moved < 1.0),
        Figure(f'sender {words}: the arm is at rest after', spread(rests, 's'),
               '' if short else f'≤ {bound:g} s', short or max(rests) <= bound)]
