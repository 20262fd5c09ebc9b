# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command in force: its goal, how the arm follows it, and how it ends.

A goal is commanded at once, and the driver makes the way to it. Where the way matters it is a
*source* that is commanded: an object with

- ``at(now)``, which returns the positions [rad] and velocities [rad/s] of a moment [s], base to
  tip, inside the limits of the joints; moments never decrease;
- ``done``: whether it has come to rest; then the last positions are the goal;
- ``endless``, only if it is true: nobody knows yet where it ends.

It is asked once for each command. It sets out from where the command before it is, at its speed
(:meth:`Motion.standing`), so that a new target takes over without a stop. Where the arm does not
follow, it is :meth:`~Motion.lost`.

A command that ends while the arm is on its way is followed by one *hold command*: the place where
the arm comes to rest if it brakes on the way it is on. An arm that has arrived gets none. It
stands still already, and if the position it has sagged to became its new goal, it would sag
further.
"""

from functools import partial
from math import copysign, inf

from .checkers import FollowingErrorChecker, GoalChecker, ProgressChecker
from .report import State
from ...errors import InvalidArmError
from ...motion import Generator

#: Longest time step of a source [s]: after a longer pause it continues from where it stopped.
LONGEST_STEP = 0.1

#: How long the arm goes on at its speed before it brakes [s], beside the age of its state: the
#: ways of that state and of the hold command, and a period of the driver's bus at both ends. If
#: the place where it is held were too near, it would pass it and come back.
_DELAY = 0.03


class Motion:
    """
    At most one command, with the report that says what it is for.

    ``report`` belongs to the command in force, or is ``None``; ``velocities`` are those of the
    newest command of a source [rad/s], or empty; ``blocked`` is
    ``(joint name, distance from its command [rad])`` of a joint that does not move, or ``None``.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may stand [rad].
    """

    def __init__(self, model, arrival_tolerance):
        self.report = None
        self.velocities = ()
        self.blocked = None
        self.goal_checker = GoalChecker(arrival_tolerance)
        self._following = FollowingErrorChecker(_max_velocities(model))
        self._progress = ProgressChecker()
        self._command = None  # what was commanded last
        self._asked = None    # when its source was asked last
        self._source = None   # what further commands are read from, until it is done
        self._hold = None
        self._model = model

    def change_model(self, model):
        """Go on with an arm of other limits; the command in force stays."""
        self._model = model
        self._following.max_velocities = _max_velocities(model)

    def command(self, now):
        """Return the positions to command now [rad], base to tip; ``None``: none."""
        if self._source is None:
            self.velocities = ()
        else:
            self._command, self.velocities = self._source.at(now)
            self._asked = now
            self._following.command(self._command, now)
            self.goal_checker.command = self._command
            if self._source.done:
                self._source = None
        return self._command

    def near(self, measured, now):
        """Return the positions to solve from, and whether they are the command in force."""
        if self.report is not None and self._following.follows(measured, now):
            return self._command, True
        return measured, False

    def standing(self, measured, speeds, age, now):
        """
        Return positions and velocities that a new source sets out from.

        :param measured: where the arm was [rad].
        :param speeds: how fast it was there [rad/s].
        :param age: how long ago [s].
        :param now: time [s], monotonic.
        """
        known = self._source is not None or (
            self.report is not None and self.report.state is State.ARRIVED)
        if known and self._following.follows(measured, now):
            return self._command, self.velocities or (0.0,) * len(measured)
        speeds = tuple([min(max(speed, -joint.max_velocity), joint.max_velocity)
                        for speed, joint in zip(speeds, self._model.joints)])
        return clamped(self._model, [
            position + speed * age for position, speed in zip(measured, speeds)]), speeds

    def since(self, now):
        """Return when the arm was :meth:`standing` so [s]: a new source sets out at that time."""
        return now if self._source is None else self._asked

    def lost(self, measured, now):
        """
        Return ``(joint name, distance from its command [rad])`` if it does not follow a source.

        :param measured: positions [rad].
        :param now: time [s], monotonic.
        :returns: of the joint that is farthest from its command; ``None``: the arm follows.
        """
        if self._source is None or self._following.follows(measured, now):
            return None
        distance, index = max((abs(m - c), index) for index, (m, c) in enumerate(
            zip(measured, self._command)))
        return self._model.joints[index].name, distance

    def start(self, report, measured, follows, now, source=None):
        """
        Put a command in force.

        :param report: of what is commanded.
        :param measured: where the arm is [rad].
        :param follows: whether it was solved from the previous command.
        :param now: time of the command [s], monotonic.
        :param source: what the way there is read from; ``None``: command the goal at once and
            leave the way to the driver.
        """
        goal = report.solution.q
        if not follows:
            self._following.start(measured)
        self.goal_checker.start(goal, measured, now)
        self._hold = None
        self._source, self._command, self.velocities = source, goal, ()
        self.report = report
        if source is None:
            self._following.command(goal, now)
        self.command(now)

    def progress(self, measured, now):
        """Take measured positions [rad]; return a report if there is progress, else ``None``."""
        report = self.report
        if report is None or report.state is State.ARRIVED:
            return None
        if self.goal_checker.arrived(measured, now) and self._source is None:
            self.report = report._replace(state=State.ARRIVED)
        elif self.goal_checker.moved and report.state is State.ACCEPTED:
            self.report = report._replace(state=State.MOVING)
        else:
            return None
        return self.report

    def hold(self, measured, speeds, accelerations, age):
        """
        Make a hold command due if the arm is on its way; the command in force is to end.

        :param measured: where the arm was [rad].
        :param speeds: how fast it was there [rad/s].
        :param accelerations: how fast that grew [rad/s^2].
        :param age: how long ago [s].
        """
        if self.report is not None and self.report.state is not State.ARRIVED:
            goal = self.report.solution.q
            if getattr(self._source, 'endless', False):
                goal = [copysign(inf, speed) for speed in speeds]
            self._hold = clamped(self._model, map(
                partial(_resting_place, age + _DELAY), self._model.joints, measured, speeds,
                accelerations, goal))

    def end(self):
        """End the command in force."""
        self.report = self.blocked = self._source = self._command = None
        self.velocities = ()
        self._progress.clear()

    def take_hold_command(self):
        """Return the positions [rad] of the hold command that is due, once; else ``None``."""
        hold, self._hold = self._hold, None
        return hold

    def check_progress(self, measured, now):
        """Look at measured positions [rad] and set :attr:`blocked`."""
        self.blocked = None
        if self.report is not None:
            found = self._progress.blocked(measured, self._command, now)
            if found:
                self.blocked = self._model.joints[found[0]].name, found[1]

    def require_inside(self, model):
        """Raise :class:`~arm_ik.errors.InvalidArmError` unless limits hold for the command."""
        for joint, position in zip(model.joints, self._command or ()):
            for limit, holds, allowed in (('lower', joint.lower <= position, 'at most'),
                                          ('upper', position <= joint.upper, 'at least')):
                if not holds:
                    raise InvalidArmError(
                        f'arm.joints.{joint.name}.{limit}', getattr(joint, limit),
                        f'{allowed} {position:.6g}, the commanded position of the joint')


class Ramp:
    """
    A source that goes to a goal within the limits; the joints arrive together.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param standing: positions [rad] and velocities [rad/s] that it sets out from.
    :param goal: positions [rad], inside the limits.
    :param part: of the joints' ``max_velocity`` that they may run at.
    :param now: when it begins [s], monotonic.
    """

    def __init__(self, model, standing, goal, part, now):
        self._names = model.joint_names
        self._generator = Generator(model)
        self._generator.begin(*(dict(zip(self._names, values)) for values in standing))
        self._generator.move(dict(zip(self._names, goal)), part)
        self._now = now

    @property
    def done(self):
        """Whether the goal is commanded."""
        return not self._generator.is_moving()

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        step, self._now = min(now - self._now, LONGEST_STEP), now
        positions = self._generator.step(step, {}) if step > 0.0 else self._generator.set_points
        speeds = self._generator.speeds
        return (tuple([positions[name] for name in self._names]),
                tuple([speeds[name] for name in self._names]))


def _resting_place(delay, joint, measured, speed, acceleration, goal):
    """Return where a joint that goes on for a time and then brakes is at rest [rad]."""
    if acceleration * speed > 0.0:
        speed += acceleration * delay
    speed = min(max(speed, -joint.max_velocity), joint.max_velocity)
    ahead = speed * delay + 0.5 * speed * abs(speed) / joint.acceleration
    to_go = goal - measured
    if ahead * to_go > 0.0 and abs(ahead) > abs(to_go):
        return goal
    return measured + ahead


def clamped(model, positions):
    """Return the positions [rad] inside the limits that are nearest to others."""
    return tuple([min(max(position, joint.lower), joint.upper)
                  for position, joint in zip(positions, model.joints)])


def _max_velocities(model):
    return tuple(joint.max_velocity for joint in model.joints)
