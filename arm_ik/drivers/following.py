# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A trajectory in progress: its clock, its tolerances, and how it ends; a gripper's goal likewise.

The clock of a trajectory waits for the joints of the chain: where their set-points fall behind it
by more than braking takes, because it asks for more than the limits allow or because one of them
is blocked, time goes by more slowly for it. So the path is kept, and a joint that is free again
does not hurry.
"""

from concurrent.futures import Future
from math import isfinite, radians
from typing import NamedTuple

from ..errors import InvalidInputError
from ..motion.generator import unit
from ..motion.trajectory import tolerance

#: A trajectory that waits for so long, and nothing moves [s], has failed.
_PATIENCE = 2.0

#: It waits if its clock runs slower than this; nothing moves at speeds below that part of the
#: largest ones.
_WAITS, _SLOW = 0.5, 0.02

#: So near its goal a gripper is there; farther than so, having moved by less for so long [s], it
#: has stalled. Angles [rad]; on a prismatic joint parts of its range.
_NEAR, _FAR, _STILL, _LONG = radians(1.0), radians(3.0), radians(1.0), 1.0


class Tolerances(NamedTuple):
    """
    How far off joints may be, by name [rad, m], and how late [s]; negative: as far as they like.

    Without one for a joint, it may be anywhere on the path, and at the end :data:`~arm_ik.motion.
    trajectory.TOLERANCE` off if it is of the chain, and anywhere if not: a gripper may hold
    something. ``None``: as late as it likes as long as it moves.
    """

    path: dict[str, float] = {}
    goal: dict[str, float] = {}
    time: float | None = None

    def require_valid(self, joints):
        """
        Look at names and numbers.

        :raises InvalidInputError: unless they are of joints, and finite.
        """
        for name, far in (*self.path.items(), *self.goal.items()):
            if name not in joints:
                raise InvalidInputError('joint of a tolerance', name,
                                        f'one of {", ".join(joints)}')
            if not isfinite(far):
                raise InvalidInputError(f'tolerance of {name}', far, 'a finite one')


class Outcome(NamedTuple):
    """
    How a trajectory or a grasp ended.

    ``code`` is the name of an error code of FollowJointTrajectory, ``'CANCELED'``, or of a gripper
    ``'STALLED'``; ``words`` say why.
    """

    code: str
    words: str = ''


class Progress(NamedTuple):
    """
    Where a trajectory is: ``point`` is the index of the point that is next.

    ``desired`` holds positions and velocities, ``actual`` positions.
    """

    time: float
    point: int
    desired: dict[str, tuple]
    actual: dict[str, float]


class Following:
    """
    A trajectory that is followed.

    ``outcome`` is a :class:`concurrent.futures.Future` of its :class:`Outcome`.

    :param trajectory: the :class:`~arm_ik.motion.trajectory.Trajectory`, which has begun.
    :param elapsed: time since its start [s].
    :param tolerances: :class:`Tolerances`.
    :param joints: mapping from names to joints.
    :param chain: names of those of the chain.
    :param now: the time [s].
    """

    def __init__(self, trajectory, elapsed, tolerances, joints, chain, now):
        self.names = trajectory.names
        self.outcome = Future()
        self._trajectory, self._time, self._joints = trajectory, elapsed, joints
        self._chain = [name for name in self.names if name in chain]
        self._path, self._goal = (
            {name: far for name, far in given.items() if name in self.names and far >= 0.0}
            for given in (tolerances.path, {
                **{name: tolerance(joints[name]) for name in self._chain}, **tolerances.goal}))
        self._deadline = None if tolerances.time is None else (
            now - elapsed + trajectory.duration + tolerances.time)
        self._moved, self._rate = now, 1.0
        self._desired = trajectory.at(elapsed)

    def step(self, dt, set_points, blocked):
        """
        Return positions and velocities by name, a time later.

        :param dt: that time [s].
        :param set_points: by name, as they are now.
        :param blocked: names of the joints that are.
        """
        # In parts of what a set-point may be behind: twice what it takes to brake.
        lag = max((abs(self._desired[name][0] - set_points[name])
                   / (self._joints[name].max_velocity ** 2 / self._joints[name].acceleration)
                   for name in self._chain), default=0.0)
        self._rate = rate = 0.0 if any(name in blocked for name in self._chain) else min(
            1.0, max(0.0, 2.0 - lag))
        self._time += rate * dt
        self._desired = {name: (position, rate * velocity) for name, (position, velocity)
                         in self._trajectory.at(self._time).items()}
        return self._desired

    def judge(self, set_points, speeds, positions, now):
        """
        Return the :class:`Outcome`, ``None`` while it is in progress.

        :param set_points: by name.
        :param speeds: of the set-points, by name.
        :param positions: where joints are, by name.
        :param now: the time [s].
        """
        ended = self._time >= self._trajectory.duration
        goals, off = self._trajectory.goals, {
            name: abs(position - self._desired[name][0])
            for name, position in positions.items() if name in self._desired}
        if not ended:
            for name, far in self._path.items():
                if off.get(name, 0.0) > far:
                    return Outcome('PATH_TOLERANCE_VIOLATED',
                                   f'{name} is {off[name]:.3g} off its path, allowed {far:g}')
        missed = [name for name, far in self._goal.items()
                  if name in self._chain and set_points[name] != goals[name]
                  or not off.get(name, far + 1.0) <= far]
        if ended and not missed:
            return Outcome('SUCCESSFUL')
        if any(abs(speeds[name]) > _SLOW * self._joints[name].max_velocity
               for name in self.names) or not ended and self._rate > _WAITS:
            self._moved = now
        late = self._deadline is not None and now > self._deadline
        if late or now - self._moved > _PATIENCE:
            words = ', '.join(f'{name} {abs(positions[name] - goals[name]):.3g}'
                              for name in missed or self.names if name in positions)
            return Outcome('GOAL_TOLERANCE_VIOLATED',
                           f'{"too late" if late else "comes no nearer"}: off by {words}')
        return None

    def progress(self, positions):
        """Return the :class:`Progress`, of joints at positions by name."""
        return Progress(self._time, self._trajectory.index(self._time), self._desired, positions)


class Grasp:
    """
    A gripper that goes somewhere.

    ``outcome`` is a :class:`concurrent.futures.Future` of its :class:`Outcome`.

    :param joint: the gripper's.
    :param goal: its position there [rad, m].
    :param now: the time [s].
    """

    def __init__(self, joint, goal, now):
        self.outcome = Future()
        self._goal, self._unit = goal, unit(joint)
        self._place, self._since = goal, now

    def judge(self, position, set_point, waits, now):
        """
        Return the :class:`Outcome`, ``None`` while it is in progress.

        :param position: where it is.
        :param set_point: of it.
        :param waits: whether its set-point waits for it.
        :param now: the time [s].
        """
        off, arrived = abs(position - self._goal) / self._unit, set_point == self._goal
        if arrived and off <= _NEAR:
            return Outcome('SUCCESSFUL')
        if not (arrived or waits) or abs(position - self._place) > _STILL * self._unit:
            self._place, self._since = position, now
        if now - self._since > _LONG:
            return Outcome('STALLED' if off > _FAR else 'SUCCESSFUL')
        return None
