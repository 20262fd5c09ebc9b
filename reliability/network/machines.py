# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Two machines: found only where that was asked for, and a link that fails and comes back.

``ik_node`` runs in one network namespace and ``driver_node`` with a simulated arm in another, each
with shared memory of its own; a virtual cable joins them. Nodes are started as by hand, with Fast
DDS as it comes. A joint moves at 0.8 rad/s at most, so that the arm is on its way for a while. The
link fails then: unplugged at either end, or silently in one direction, for 1.3 to 5 s, and
every tenth time for 25 s, when the nodes have given each other up. When it is back nobody asks for
anything until the middleware has repeated what had been waiting; then comes a new target. At last
commands are lost for moments of 0.1 to 0.3 s.
"""

from contextlib import ExitStack
from random import Random
from time import monotonic, sleep

from .hand import STATUS
from .link import fail, interrupt, WAYS
from .pair import Pair
from .two_machines import TwoMachines, why_not
from ..figure import Figure, NotHere

#: How long nodes that should not find each other are given to do it [s]: Fast DDS announces
#: itself every three.
_LOOK = 10.0

#: How long others may take [s].
_FOUND = 30.0

#: The arm is at rest this long after the last command that can get through [s]: the time-out, a
#: period in which it is noticed, one in which it is seen, and something for a busy machine.
_REST = 0.5 + 2 * 0.02 + 0.1

#: From a new target to the first motion after a failure [s].
_FOLLOWED = 5.0


def run(short, seed, say):
    """Return the experiment's figures; see the module."""
    reason = why_not()
    if reason:
        raise NotHere(reason)
    random = Random(seed)
    with TwoMachines() as machines, ExitStack() as stack:
        figures = []
        if short:
            apart = stack.enter_context(Pair(machines, domain=1))
        else:
            figures += [_apart(machines), _half_apart(machines)]
        pair = stack.enter_context(
            Pair(machines, domain=2, here='subnet', there='subnet', watched=True))
        figures.append(_together(pair))
        say(figures[-1].seen)
        figures += _failures(pair, 1 if short else 20, short, random, say)
        if short:
            apart.wait_until_up()
            figures.append(Figure('by default they do not find each other',
                                  'found' if apart.found else 'not found', 'not found',
                                  not apart.found))
        else:
            figures.append(_interruptions(pair, 10, random, say))
    return figures


def _apart(machines):
    with Pair(machines, domain=1) as pair:
        before = _packets(machines)
        pair.wait_until_up()
        sleep(_LOOK)
        packets = _packets(machines) - before
        found = 'found' if pair.found else 'not found'
        return Figure('by default they do not find each other, and nothing leaves their machines',
                      f'{found} in {_LOOK:g} s, {packets} packets', 'not found, 0 packets',
                      not pair.found and packets == 0)


def _half_apart(machines):
    with Pair(machines, domain=1, here='subnet') as one, \
            Pair(machines, domain=2, there='subnet') as other:
        for pair in (one, other):
            pair.wait_until_up()
        sleep(_LOOK)
        found = one.found + other.found
        return Figure('nor do they if it was asked for on one of the two',
                      f'{found} of 2 found in {_LOOK:g} s', 'none', not found)


def _together(pair):
    pair.wait_until_up()
    start = monotonic()
    found = pair.here.wait(STATUS, 0, lambda status: status[2] == 'ready', timeout=_FOUND)
    return Figure('with `--discovery subnet` on both they do',
                  f'after {monotonic() - start:.1f} s' if found else f'not in {_FOUND:g} s',
                  f'within {_FOUND:g} s', found is not None)


def _packets(machines):
    return machines.here.packets_sent() + machines.there.packets_sent()


def _failures(pair, count, short, random, say):
    fates = []
    ways = list(WAYS)
    for i in range(count):
        way = random.choice(ways[:2]) if short else ways[i % len(ways)]
        outage = 1.3 if short else 25.0 if i % 10 == 9 else random.uniform(1.3, 5.0)
        fates.append(fail(pair, way, random.uniform(0.1, 0.4), outage))
        say(f'{way}, {outage:.1f} s: {fates[-1]}')
    rest = max(fate.rest_s for fate in fates)
    moved = [fate.moved_rad for fate in fates]
    followed = [fate.followed_s for fate in fates if fate.arrived]
    slowest = max(followed, default=float('nan'))
    return [
        Figure('the link fails under way: from the last command let through until the arm rests',
               f'{count} failures, at most {rest:.3f} s',
               '' if short else f'within {_REST:g} s: command_timeout 0.5 s, two periods of '
               '0.02 s, and 0.1 s for a busy machine',
               short or rest <= _REST),
        Figure('the link is back: the arm does not move by itself',
               f'{sum(way > 0.0 for way in moved)} of {count} times, '
               f'{max(moved):g} rad at most', '0', not any(moved)),
        Figure('old commands that the middleware brought then', f'{sum(f.old for f in fates)}, '
               f'in {sum(f.old > 0 for f in fates)} of {count} failures', '', True),
        Figure('a new target is followed and reached',
               f'{len(followed)} of {count}, the first motion within {slowest:.2f} s',
               f'all, within {_FOLLOWED:g} s',
               len(followed) == count and (short or slowest <= _FOLLOWED)),
    ]


def _interruptions(pair, count, random, say):
    reached = 0
    for _ in range(count):
        length = random.uniform(0.1, 0.3)
        reached += interrupt(pair, random.uniform(0.1, 0.4), length)
        say(f'interrupted for {length:.2f} s: {reached} reached so far')
    return Figure('commands are lost for 0.1 to 0.3 s: the target is reached all the same',
                  f'{reached} of {count}', 'all', reached == count)
