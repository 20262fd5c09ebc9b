# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The shortest time for a given path of the joints to rest, and the set-points in it.

The path is q(s), known at samples s_i. With the square of the path's speed, x = (ds/dt)^2, and its
acceleration u = d^2s/dt^2::

    dx/ds = 2 u       q_dot = q' sqrt(x)       q_dotdot = q' u + q'' x

u is constant from sample to sample: ``x_(i+1) = x_i + 2 u_i d_i``, ``d_i = s_(i+1) - s_i``. The
limit A of a joint's acceleration holds at both ends of each of these steps::

    |q'_i u_i + q''_i x_i| <= A       |(q'_(i+1) + 2 d_i q''_(i+1)) u_i + q''_(i+1) x_i| <= A

q'' are those of the cubic between the two samples. Each of these rows is
``-a - k x <= u <= a - k x`` after a division by the factor of u.

Backwards from rest at the end: the largest x_i from which some u_i leads to an allowed x_(i+1).
Forwards from the start: the largest u_i that leads to one. This is the fastest motion to run
along the path (H. Pham, Q.-C. Pham: A New Approach to Time-Optimal Path Parameterization
Based on Reachability Analysis, IEEE Transactions on Robotics 34, 2018).
"""

import numpy as np

from ..errors import InvalidInputError

#: Most set-points of one path.
MOST_SET_POINTS = 1_000_000

#: The last step is longer than this part of a period.
_LEAST_STEP = 5e-3

#: Factors of u below this part of the path's largest one count as this: no division by zero.
_LEAST_FACTOR = 1e-9


def fastest(s, first, seconds, top_speeds, accelerations, begin=0.0):
    """
    Return the fastest motion along a path to rest; ``None``: it begins too fast for that.

    :param s: samples of the path parameter, increasing, shape (n,), n at least 2.
    :param first: q', the joints' first derivatives by s, shape (n, joints).
    :param seconds: q'' at the start of each step and at its end, each shape (n - 1, joints).
    :param top_speeds: largest ds/dt at each sample [1/s], shape (n,), above zero.
    :param accelerations: largest acceleration of each joint [rad/s^2], shape (joints,) or for each
        step, shape (n - 1, joints).
    :param begin: ds/dt at the first sample [1/s].
    :returns: ds/dt at each sample [1/s], shape (n,): ``begin`` at the start, zero at the end.
    """
    steps = 2.0 * np.diff(s)
    a, k = _rows(steps, first, seconds, np.broadcast_to(accelerations, seconds[0].shape))
    reachable = _backwards(steps, a, k, _tops(steps, a, k, top_speeds))
    if begin ** 2 > reachable[0]:
        return None
    return np.sqrt(_forwards(steps, a, k, reachable, begin ** 2))


def _rows(steps, first, seconds, accelerations):
    """Return a and k of the rows of each step, shapes (n - 1, 2 joints)."""
    of_u = np.hstack([first[:-1], first[1:] + steps[:, None] * seconds[1]])
    of_x = np.hstack(seconds)
    of_x = np.where(of_u < 0.0, -of_x, of_x)
    of_u = np.maximum(np.abs(of_u), _LEAST_FACTOR * np.abs(first).max())
    return np.hstack([accelerations] * 2) / of_u, of_x / of_u


def _tops(steps, a, k, top_speeds):
    """Return the largest x at the start of each step with which the rows leave any u."""
    differences, sums = k[:, None, :] - k[:, :, None], a[:, None, :] + a[:, :, None]
    # A lower bound of u meets an upper one,
    meet = np.divide(sums, differences, where=differences > 0.0,
                     out=np.full(differences.shape, np.inf)).min(axis=(1, 2))
    # or x falls to less than half in the step: the path would come to rest where it must not.
    falls = steps[:, None] * k - 0.5
    half = np.divide(steps[:, None] * a, falls, where=falls > 0.0,
                     out=np.full(k.shape, np.inf)).min(axis=1)
    return np.minimum(top_speeds[:-1] ** 2, np.minimum(meet, half))


def _backwards(steps, a, k, tops):
    """Return the largest x at each sample from which the end can be reached."""
    plus, by = (steps[:, None] * a).tolist(), (1.0 - steps[:, None] * k).tolist()
    reachable = [0.0]
    for top, numerators, divisors in zip(reversed(tops.tolist()), reversed(plus), reversed(by)):
        after, x = reachable[-1], top
        for numerator, divisor in zip(numerators, divisors):
            if x * divisor > after + numerator:
                x = (after + numerator) / divisor
        reachable.append(x)
    return reachable[::-1]


def _forwards(steps, a, k, reachable, x):
    """Return x at each sample of the fastest motion, from the one at the start."""
    run = [x]
    for step, limits, by, after in zip(steps.tolist(), a.tolist(), k.tolist(), reachable[1:]):
        most = (after - x) / step
        for limit, factor in zip(limits, by):
            u = limit - factor * x
            if u < most:
                most = u
        x = min(max(x + step * most, 0.0), after)
        run.append(x)
    run[-1] = 0.0
    return run


def set_points(s, speeds, period):
    """
    Return when a path is where: times [s], s and ds/dt [1/s], each shape (m,).

    The times are a period apart, the last one is nearer.

    :param s: samples of the path parameter, shape (n,).
    :param speeds: ds/dt at each [1/s], shape (n,), zero at the last.
    :param period: of the set-points [s].
    :raises InvalidInputError: if they are more than :data:`MOST_SET_POINTS`.
    """
    u = 0.5 * np.diff(speeds ** 2) / np.diff(s)
    reached = np.append(0.0, np.cumsum(2.0 * np.diff(s) / (speeds[:-1] + speeds[1:])))
    if (count := reached[-1] / period) > MOST_SET_POINTS:
        raise InvalidInputError(
            'tip_speed, tip_turn_speed, rate', f'such that the path takes {count:.3g} set-points',
            f'speeds and a rate with which it takes at most {MOST_SET_POINTS}')
    times = period * np.arange(1 + max(0, int(reached[-1] / period - _LEAST_STEP)))
    i = np.searchsorted(reached, times, side='right') - 1
    since = times - reached[i]
    at = s[i] + since * (speeds[i] + 0.5 * u[i] * since)
    return (np.append(times, reached[-1]), np.append(at, s[-1]),
            np.append(speeds[i] + u[i] * since, 0.0))
