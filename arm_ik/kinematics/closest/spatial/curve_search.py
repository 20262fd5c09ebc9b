# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The least values of a function on closed curves, each with an angle as its parameter.

The function is infinite where the arm has no pose, and smooth on the stretches between. They may
be as short as a point, where joints are bolted, so the curves are sampled at the ends of all of
them too: at the zeros of functions that tell one side of an end from the other.
"""

import numpy as np

from ...limits import TURN
from ...tolerances import ROUNDING, TIE

#: Samples around each curve, besides the ends of stretches.
SAMPLES = 96

#: Valleys that are narrowed down, the lowest first.
VALLEYS = 6

#: Points across a valley in each round, and rounds: each makes it eight times narrower.
_POINTS = np.linspace(-1.0, 1.0, 17)
_ROUNDS = 10

#: After so many rounds one that gains nothing is the last.
_AT_LEAST = 4

#: Rounds of narrowing an end down, to the last digits of all but very crooked functions.
_END_ROUNDS = 12


def parameters(special, beyond, count=2, samples=SAMPLES):
    """
    Return parameters to look at: evenly spaced, special ones, and the ends of stretches.

    :param special: parameters [rad] to look at on every curve.
    :param beyond: function of arrays ``(t, curve)`` of shape (n,), ``curve`` counting from 0,
        that returns values of shape (functions, n), zero where a stretch may end.
    :param count: how many curves there are.
    :param samples: evenly spaced around each of them.
    :returns: ``(t, curve)``, one curve after the other, each in order.
    """
    t = np.concatenate([np.linspace(0.0, TURN, samples, endpoint=False), np.mod(special, TURN)])
    t.sort()
    curve = np.repeat(np.arange(count), len(t))
    t = np.tile(t, count)
    ends, on = _zeros(beyond, t, curve, count)
    t, curve = np.append(t, ends), np.append(curve, on)
    order = np.lexsort((t, curve))
    return t[order], curve[order]


def _zeros(function, t, curve, count):
    """Return where any of the functions changes its sign, going round each curve once."""
    each = len(t) // count
    values = function(t, curve)
    following = np.roll(values.reshape(-1, count, each), -1, axis=2).reshape(values.shape)
    which, at = np.nonzero((values < 0.0) != (following < 0.0))
    after = np.append(t[1:each], t[0] + TURN)
    low, high, on = t[at], after[at % each], curve[at]
    f_low, f_high = values[which, at], following[which, at]
    rows, before = np.arange(len(which)), None
    for _ in range(_END_ROUNDS if len(which) else 0):
        # Regula falsi; the value of an end that stays put is halved (Illinois), and so it moves.
        share = f_low / np.where(f_low == f_high, 1.0, f_low - f_high)
        middle = low + (high - low) * np.clip(share, 0.0, 1.0)
        f_middle = function(middle, on)[which, rows]
        left = (f_middle < 0.0) == (f_low < 0.0)
        halved = np.where(left == before, 0.5, 1.0)
        low, high, before = np.where(left, middle, low), np.where(left, high, middle), left
        f_low, f_high = (np.where(left, f_middle, halved * f_low),
                         np.where(left, halved * f_high, f_middle))
    return np.mod(np.where(np.abs(f_low) < np.abs(f_high), low, high), TURN), on


def valleys(t, curve, cost):
    """
    Return the parameters at the bottoms of the lowest valleys, as arrays ``(t, curve)``.

    :param t: parameters, see :func:`parameters`.
    :param curve: on which of the curves.
    :param cost: function of such arrays, shape (n,).
    """
    costs = cost(t, curve)
    low, width = [], np.empty_like(t)
    starts = np.searchsorted(curve, np.arange(curve[-1] + 2))
    for first, last in zip(starts, starts[1:]):
        part = slice(first, last)
        on, values = t[part], costs[part]
        gaps = np.mod(np.diff(on, append=on[0] + TURN), TURN)
        width[part] = np.maximum(gaps, np.roll(gaps, 1))
        bottom = np.isfinite(values) & (values <= np.roll(values, 1)) \
            & (values <= np.roll(values, -1))
        # What is special for two reasons stands there twice, and must not displace others.
        bottom &= ~(np.roll(bottom, 1) & (np.roll(gaps, 1) < TIE))
        low.append(first + np.flatnonzero(bottom))
    low = np.concatenate(low)
    low = low[np.argsort(costs[low], kind='stable')[:VALLEYS]]
    at, on, width, least = t[low], curve[low], width[low], costs[low]
    rows = np.arange(len(at))
    for i in range(_ROUNDS if len(at) else 0):
        tried = at[:, None] + width[:, None] * _POINTS
        values = cost(tried.ravel(), np.repeat(on, len(_POINTS))).reshape(tried.shape)
        best = np.argmin(values, axis=1)
        gain = np.max(least - values[rows, best])
        better = values[rows, best] < least
        at = np.where(better, tried[rows, best], at)
        least = np.where(better, values[rows, best], least)
        width = width / 8.0
        if i >= _AT_LEAST and gain < ROUNDING:
            break
    return at, on
