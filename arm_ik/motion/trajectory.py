# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where joints should be between the points of a trajectory.

Points that give velocities are joined by cubic curves, all others by straight lines: these never
pass a point. What follows them is asked to be able to stop wherever they are, by a velocity of
zero, so that it does not pass a point either, where the path turns back.
"""

from itertools import pairwise
from math import isfinite

import numpy as np

from .cubic_spline import CubicSpline
from .generator import unit
from ..errors import InvalidInputError

#: Most points that are taken.
MOST_POINTS = 10_000

#: How far a trajectory may begin from where the joints are, and how far past a limit a position
#: may be that is meant to be the limit [rad]; on a prismatic joint, as a part of its range.
TOLERANCE = 0.1

#: A speed that is none [rad/s, m/s].
_REST = 1e-6


class Trajectory:
    """
    Points in time.

    ``names`` are those of its joints, ``duration`` is the time from its start to the last point.

    :param joints: mapping from names to the joints there are.
    :param names: of the joints that it moves.
    :param times: of the points, from its start on [s].
    :param positions: a list for each point, of a position for each name [rad, m].
    :param velocities: the same, or an empty list for each point [rad/s, m/s].
    :raises InvalidInputError: if it cannot be followed, whoever should.
    """

    def __init__(self, joints, names, times, positions, velocities):
        self.names = tuple(names)
        _check(self.names, joints, times)
        self._curved = bool(velocities[0])
        _check_sizes('positions', positions, len(self.names))
        _check_sizes('velocities', velocities, len(self.names) if self._curved else 0)
        for name, speed in zip(self.names, velocities[-1]):
            if abs(speed) > _REST:
                raise InvalidInputError('trajectory', f'one that ends with {name} at {speed:g}',
                                        'one that ends at rest')
        self._first = 0             # index of the first point that was given
        positions = [[_inside(joints[name], position, index) for name, position
                      in zip(self.names, row)] for index, row in enumerate(positions)]
        self._points = CubicSpline(
            times, positions, velocities if self._curved else np.zeros_like(positions))
        self._points.velocities[-1] = 0.0
        self.duration = times[-1]
        self.goals = dict(zip(self.names, positions[-1]))

    def begin(self, elapsed, state, joints):
        """
        Begin where the joints are.

        :param elapsed: time since the trajectory's start [s]; negative: it is to come.
        :param state: positions and speeds by name.
        :param joints: mapping from names to joints.
        :raises InvalidInputError: if it has ended by now, or is too far away to begin.
        """
        if elapsed >= self.duration:
            raise InvalidInputError(
                'trajectory', f'one that ended {elapsed - self.duration:.3g} s ago',
                'one that has not ended')
        points = self._points
        left = max(0.0, points.times[0] - elapsed)
        there = points.positions[0] if left else next(zip(*self.at(elapsed).values()))
        for name, position in zip(self.names, there):
            away = abs(position - state[name][0])
            if away > tolerance(joints[name]) + joints[name].max_velocity * left:
                raise InvalidInputError(
                    'trajectory', f'one that begins {away:.3g} from where {name} is',
                    'one that begins where the arm is, or gives it the time to get there')
        if left:
            self._first = 1
            here = zip(*[state[name] for name in self.names])
            self._points = CubicSpline([elapsed, *points.times], *[
                np.vstack(rows) for rows in zip(here, (points.positions, points.velocities))])

    def index(self, time):
        """Return the index of the point that is next at a time since its start [s]."""
        times = self._points.times
        return min(int(np.searchsorted(times, time, side='right')), len(times) - 1) - self._first

    def at(self, time):
        """Return position and velocity by name at a time since its start [s]."""
        if self._curved:
            return dict(zip(self.names, zip(*self._points.at(time))))
        return {name: (float(np.interp(time, self._points.times, positions)), 0.0)
                for name, positions in zip(self.names, self._points.positions.T)}


def tolerance(joint):
    """Return :data:`TOLERANCE` of a joint [rad, m]."""
    return TOLERANCE * unit(joint)


def _check(names, joints, times):
    for name in names:
        if name not in joints:
            raise InvalidInputError('joint of a trajectory', name, f'one of {", ".join(joints)}')
    for index, (before, time) in enumerate(pairwise([-1e-12, *times])):  # one at 0 may be first
        if not before < time:
            raise InvalidInputError(
                f'time of point {index} of a trajectory', f'{time:g} s',
                'a later one than that of the point before' if index else 'none before 0')
    for is_wrong, found, allowed in (
            (not names, 'one without joints', 'one with joint names'),
            (len(set(names)) < len(names), 'one with a joint twice', 'each joint once'),
            (len(times) > MOST_POINTS, f'one of more than {MOST_POINTS} points', 'a shorter one'),
            (not times or times[-1] <= 0.0, 'one that takes 0 s', 'one that takes some time')):
        if is_wrong:
            raise InvalidInputError('trajectory', found, allowed)


def _check_sizes(what, table, count):
    for index, row in enumerate(table):
        if len(row) != count:
            raise InvalidInputError(f'point {index} of a trajectory', f'one of {len(row)} {what}',
                                    f'{count} {what}, as many as others have or as joints')
        if not all(map(isfinite, row)):
            raise InvalidInputError(f'point {index} of a trajectory', f'one with {what} {row}',
                                    'finite numbers')


def _inside(joint, position, index):
    inside = min(max(position, joint.lower), joint.upper)
    if abs(position - inside) > tolerance(joint):
        raise InvalidInputError(f'{joint.name} at point {index} of a trajectory', position,
                                f'from {joint.lower:g} to {joint.upper:g}')
    return inside
