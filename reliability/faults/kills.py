# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Either node is killed with ``kill -9`` at random moments, under a parent that starts it again.

The arm's servos are simulated outside of both nodes, in the process of the experiment, and the
driver reaches them over a socket: as real ones, they go on to the last goal they were given when
the driver dies, and stand where they stand when it is back. Where they have been is known exactly.
SO-101's joints are slowed down to 0.6 rad/s, so that a kill on the way finds at least 1.7 s left
to go: more than ``command_timeout``.

Each time the arm is at rest at its target, or on the way to one; or at rest, and while the driver
is dead somebody bends it elsewhere, so that a command repeated to the new driver would show. One
kill of an arm at rest in four is followed by a second one within a second, of either node. Then
nobody says anything until ``ik_node`` tells that it waits for a target, and what the arm does is
held against what it should: nothing, or come to rest. After that a target a quarter of a degree
away is sent until the servos are sent there; the time from the kill until then is how long the
service was away: the start of a Python process on the machine below and ROS's own discovery.
Where that is allowed, the full form has real-time priority, so that what else the machine does is
not measured.

A process that is killed may hold the living up, as told under ``senders``; so the largest times
are far from the median.

When ``driver_node`` dies on the way there is nobody left to stop the servos. They end at the goal
that they were given, or where the new driver finds them and holds them.
"""

from collections import Counter
from math import degrees, inf
from random import Random
from time import monotonic, sleep
from typing import NamedTuple

from .fault_bench import above_others, FaultBench
from .spread import spread
from ..figure import Figure

KILLS, KILLS_SHORT = 300, 2

#: Of the joints [rad/s].
_SPEED = 0.6

#: The driver's defaults [s]: command_timeout, and a period of state_rate; and what the last
#: command before a kill may take to the driver, and the driver's to the servos.
_TIMEOUT, _PERIOD, _DELIVERY = 0.5, 0.02, 0.005

#: Wanted: how long service may be away [s].
_SERVICE = 3.0

REST, WAY, BENT, TWICE = 'at rest', 'on the way', 'bent', 'at rest and again'

_CASES = (('ik_node', REST), ('ik_node', WAY), ('driver_node', REST), ('driver_node', WAY),
          ('driver_node', BENT))


class Seen(NamedTuple):
    """What was seen of a kill; angles [deg], times [s] from the kill."""

    victim: str
    case: str
    moved: float     # at rest, without a target
    strayed: float   # off the way to the goal in force
    rest: float      # when the arm had come to rest; of arms on the way
    to_go: float     # what was left to its goal then
    service: float   # when a target was obeyed


def run(short, seed, say):
    """See the module; return a list of :class:`~.figure.Figure`."""
    if not short:
        above_others()
    rng = Random(seed)
    seen = []
    kills = KILLS_SHORT if short else KILLS
    with FaultBench(rng, _SPEED) as bench:
        bench.obeyed(bench.nudge(bench.servos.q))
        while len(seen) + sum(one.case == TWICE for one in seen) < kills:
            victim, case = (_CASES[1], _CASES[4])[len(seen)] if short else rng.choice(_CASES)
            seen.append(_kill(bench, victim, case))
            if seen[-1].service == inf:
                break
            if len(seen) % 50 == 0:
                say(f'{len(seen)} times so far')
        crashes = len(bench.crashes)
    return _figures(seen, short, crashes)


def _kill(bench, victim, case):
    rng, servos = bench.rng, bench.servos
    goal = servos.goal
    if case == WAY:
        goal = bench.pick(servos.q, way=2.5 * _SPEED)
        bench.obeyed(goal)
        sleep(rng.uniform(0.0, 0.8))
    else:
        bench.wait_for_rest()
        sleep(rng.uniform(0.0, 0.3))
    start = servos.q
    killed = since = bench.nodes[victim].kill()
    if case == BENT:
        goal = start = bench.pick(start, way=0.3)
        servos.bend(goal)
        since = monotonic()
    elif case == REST and rng.random() < 0.25:
        case = TWICE
        sleep(rng.uniform(0.0, 1.0))
        killed = bench.nodes[rng.choice(tuple(bench.nodes))].kill()
    bench.wait_for_ready()
    bench.wait_for_rest()
    rest, stand = servos.first_rest(since)
    moved = servos.moved(stand, rest)
    strayed = servos.strayed(start, goal, since)
    nudged = bench.nudge(servos.q)
    obeyed = bench.obeyed(nudged)
    bench.wait_for_rest()
    sleep(rng.uniform(0.0, 0.2))
    moved = max(moved, servos.moved(nudged, obeyed))
    return Seen(victim, case, degrees(moved), degrees(strayed), rest - killed,
                degrees(max(abs(a - b) for a, b in zip(stand, goal))), obeyed - killed)


def _figures(seen, short, crashes):
    cases = Counter(f'{one.victim} {one.case}' for one in seen)
    kills = len(seen) + sum(one.case == TWICE for one in seen)
    way = [one for one in seen if one.case == WAY]
    silenced = [one for one in way if one.victim == 'ik_node']
    cut = [one for one in way if one.victim == 'driver_node']
    figures = [
        Figure('kills', f'{kills}: ' + ', '.join(
            f'{name} {count}' for name, count in sorted(cases.items())), '', True),
        _least('an arm at rest, or bent while its driver is dead, moves without a new target',
               [one.moved for one in seen if one.case != WAY]),
        _least('an arm that was on the way and has come to rest moves without a new target',
               [one.moved for one in way])]
    if silenced:
        bound = _TIMEOUT + _PERIOD + _DELIVERY
        stopped = sum(one.to_go > 1.0 for one in silenced)
        figures += [
            Figure('ik_node killed on the way: the arm stops before its goal',
                   f'{stopped} of {len(silenced)}', 'every time', stopped == len(silenced)),
            _soon('ik_node killed on the way: the arm is at rest after',
                  [one.rest for one in silenced], bound, short)]
    if cut:
        figures.append(_least('driver_node killed on the way: the arm leaves the way to its goal',
                              [one.strayed for one in cut]))
    figures += [
        _soon(f'{name} killed: a target is obeyed after',
              [one.service for one in seen if one.victim == name], _SERVICE, short)
        for name in ('ik_node', 'driver_node')]
    return [*figures, Figure('nodes that end on their own', str(crashes), 'none', not crashes)]


def _least(what, angles):
    return Figure(what, f'at most {max(angles):.3f}° in {len(angles)} times', '< 1°',
                  max(angles) < 1.0)


def _soon(what, times, bound, short):
    """Return the figure of how soon something was; a short run on a busy machine has no bound."""
    return Figure(what, spread(times, 's'), '' if short else f'≤ {bound:g} s',
                  short or max(times) <= bound)
