# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A link that fails while an arm is on its way, and what becomes of the arm."""

from time import sleep
from typing import NamedTuple, Optional

from .hand import COMMAND, STATE

#: How a link fails: words, and what takes it down and up again.
WAYS = {
    'unplugged where ik_node runs': lambda two, up: two.here.plug(up),
    'unplugged where the arm is': lambda two, up: two.there.plug(up),
    'commands lost, states not': lambda two, up: two.here.lose(two.there, not up),
    'states lost, commands not': lambda two, up: two.there.lose(two.here, not up),
}

#: How long the middleware may take to repeat what had been waiting [s]: it asks every three.
_REPEATS = 4.0

#: How long the arm is watched after that, with nobody asking for anything [s].
_LOOK = 0.5

#: How long to wait for the arm to follow a new target [s].
_FOLLOWED = 30.0


#: How often a target is sent that is to bring the arm on its way: on a machine too busy to keep
#: joint states fresh, one is refused.
_TRIES = 5


class Fate(NamedTuple):
    """
    What became of the arm.

    ``rest_s``: from the last command it heard to the last motion. ``moved_rad``: how far a joint
    has gone between the link's return and the new target. ``old``: commands that came meanwhile.
    ``followed_s``: from the new target to the first motion; ``None``: there was none.
    """

    rest_s: float
    moved_rad: float
    old: int
    followed_s: Optional[float]
    arrived: bool


def fail(pair, way, delay, outage):
    """
    Let a link fail, come back, and ask for something new.

    :param pair: a watched :class:`~.pair.Pair` that has found each other, the arm at rest.
    :param way: one of :data:`WAYS`.
    :param delay: how long the arm has been on its way then [s].
    :param outage: how long the link is down [s].
    :returns: the :class:`Fate`.
    """
    begin = len(pair.there.heard)
    _set_out(pair, begin)
    sleep(delay)
    WAYS[way](pair.machines, False)
    sleep(outage)
    back = len(pair.there.heard)
    WAYS[way](pair.machines, True)
    pair.there.wait(COMMAND, back, timeout=_REPEATS)
    sleep(_LOOK)
    new = len(pair.there.heard)
    stamp, sent = pair.send()
    moved = pair.wait_for_motion(new, timeout=_FOLLOWED)
    arrived = moved is not None and pair.wait_for_arrival(stamp) is not None
    heard = pair.there.heard
    return Fate(_rest(heard[begin:back]), _way(heard[back - 1:new]),
                len(_of(COMMAND, heard[back:new])), moved and moved - sent, arrived)


def interrupt(pair, delay, length):
    """Let a link lose everything for a moment while the arm is on its way; tell if it arrives."""
    begin = len(pair.there.heard)
    stamp = _set_out(pair, begin)
    sleep(delay)
    here, there = pair.machines.here, pair.machines.there
    for losing in (here.lose_for(there, length), there.lose_for(here, length)):
        losing.wait()
    return pair.wait_for_arrival(stamp, timeout=_FOLLOWED) is not None


def _set_out(pair, begin):
    """Send the arm on its way and return the target's stamp."""
    for again in range(_TRIES):
        stamp, _ = pair.send(again)
        if pair.wait_for_motion(begin, timeout=5.0) is not None:
            return stamp
    raise RuntimeError('\n'.join(['the arm does not move:', pair.ik.describe(),
                                  pair.driver.describe()]))


def _rest(heard):
    """Return the time from the last command to the last motion [s]."""
    states = _of(STATE, heard)
    moving = [after for before, after in zip(states, states[1:]) if before[2] != after[2]]
    return moving[-1][1] - _of(COMMAND, heard)[-1][1]


def _way(heard):
    """Return how far a joint has gone from where it was first [rad]."""
    states = [state[2] for state in _of(STATE, heard)]
    return max(abs(now - first) for state in states for now, first in zip(state, states[0]))


def _of(kind, heard):
    return [event for event in heard if event[0] == kind]
