# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A link that fails while an arm is on its way, and what becomes of the arm."""

from time import sleep, time
from typing import NamedTuple, Optional

from .hand import COMMAND, STATE

#: How a link fails: words, and what takes it down and up again.
WAYS = {
    'unplugged where ik_node runs': lambda two, up: two.here.plug(up),
    'unplugged where the arm is': lambda two, up: two.there.plug(up),
    'commands lost, states not': lambda two, up: two.here.lose(two.there, not up),
    'states lost, commands not': lambda two, up: two.there.lose(two.here, not up),
}

#: How much longer commands get through where only states are lost [s]: a fifth of state_timeout.
PAUSE = {'states lost, commands not': 0.2}

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
    What became of the arm, by the stamps of its states.

    ``rest_s``: from the last command that could get through to the last motion. ``moved_rad``: how
    far a joint has gone between the link's return and the new target. ``old``: commands that came
    meanwhile. ``followed_s``: from the new target to the first motion; ``None``: there was none.
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
    there = pair.there
    begin = len(there.heard)
    _set_out(pair, begin)
    sleep(delay)
    WAYS[way](pair.machines, False)
    cut = time() + PAUSE.get(way, 0.0)
    sleep(outage)
    back, heard = time(), len(there.heard)
    WAYS[way](pair.machines, True)
    there.wait(COMMAND, heard, timeout=_REPEATS)
    sleep(_LOOK)
    old = len(there.of(COMMAND, heard))
    stamp = pair.send()
    moved = pair.wait_for_motion(stamp, begin, timeout=_FOLLOWED)
    states = [state for state in there.of(STATE, begin) if state[1] <= stamp]
    moving = [after[1] for before, after in zip(states, states[1:])
              if before[2] != after[2] and after[1] <= back]
    return Fate(moving[-1] - cut, _way(states, back), old, moved and moved - stamp,
                moved is not None and pair.wait_for_arrival(stamp))


def interrupt(pair, delay, length):
    """Lose commands for a moment while the arm is on its way; tell if it arrives all the same."""
    stamp = _set_out(pair, len(pair.there.heard))
    sleep(delay)
    pair.machines.here.lose_for(pair.machines.there, length).wait()
    return pair.wait_for_arrival(stamp, timeout=_FOLLOWED)


def _set_out(pair, begin):
    """Send the arm on its way and return the target's stamp."""
    pair.there.wait(STATE, begin)  # where it is at rest
    for again in range(_TRIES):
        stamp = pair.send(again)
        if pair.wait_for_motion(stamp, begin, timeout=5.0) is not None:
            return stamp
    raise RuntimeError('\n'.join(['the arm does not move:', pair.ik.describe(),
                                  pair.driver.describe()]))


def _way(states, since):
    """Return how far a joint has gone from where it was last before a time [s]; in rad."""
    first = [state[2] for state in states if state[1] <= since][-1]
    return max(abs(now - then) for _, stamp, positions in states if stamp >= since
               for now, then in zip(positions, first))
