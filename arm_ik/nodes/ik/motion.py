# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command in force: its goal, how the arm follows it, and how it ends.

A command that ends while the arm is on its way is followed by one *hold command*: the place where
the arm comes to rest if it brakes on the way it is on. An arm that has arrived gets none. It
stands still already, and if the position it has sagged to became its new goal, it would sag
further.
"""

from functools import partial

from .checkers import FollowingErrorChecker, GoalChecker, ProgressChecker
from .report import State
from ...errors import InvalidArmError

#: Longest time step of a ramp [s]: after a longer pause the ramp continues from where it stopped.
_LONGEST_STEP = 0.1

#: How long the arm goes on at its speed before it brakes [s], beside the age of its state: the
#: ways of that state and of the hold command, and a period of the driver's bus at both ends. If
#: the place where it is held were too near, it would pass it and come back.
_DELAY = 0.03


class Motion:
    """
    At most one command, with the report that says what it is for.

    ``report`` belongs to the command in force, or is ``None``; ``blocked`` is
    ``(joint name, distance from its command [rad])`` of a joint that does not move, or ``None``.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may stand [rad].
    """

    def __init__(self, model, arrival_tolerance):
        self.report = None
        self.blocked = None
        self.goal_checker = GoalChecker(arrival_tolerance)
        self._following = FollowingErrorChecker(_max_velocities(model))
        self._progress = ProgressChecker()
        self._command = None  # what was commanded last
        self._ramp = None     # the ramp that further commands are read from, while it runs
        self._hold = None
        self._model = model

    def change_model(self, model):
        """Go on with an arm of other limits; the command in force stays."""
        self._model = model
        self._following.max_velocities = _max_velocities(model)

    def command(self, now):
        """Return the positions to command now [rad], base to tip; ``None``: none."""
        if self._ramp is not None:
            self._command = self._ramp.at(now)
            self._following.command(self._command, now)
            if self._command == self.report.solution.q:
                self._ramp = None
        return self._command

    def near(self, measured, now):
        """Return the positions to solve from, and whether they are the command in force."""
        if self.report is not None and self._following.follows(measured, now):
            return self._command, True
        return measured, False

    def start(self, report, measured, follows, now, speed=None):
        """
        Put a command in force.

        :param report: of what is commanded.
        :param measured: where the arm is [rad].
        :param follows: whether it was solved from the previous command.
        :param now: time of the command [s], monotonic.
        :param speed: part of the joints' ``max_velocity`` to go there at, by commands that run
            ahead of the arm; ``None``: command the goal at once and leave the speed to the driver.
        """
        goal = report.solution.q
        begin = self._command if follows else clamped(self._model, measured)
        if not follows:
            self._following.start(measured)
        self.goal_checker.start(goal, measured, now)
        self._hold = self._ramp = None
        self._command = goal
        if speed is not None:
            self._command = begin
            self._ramp = Ramp(begin, goal, [
                speed * joint.max_velocity for joint in self._model.joints], now)
        self._following.command(self._command, now)
        self.report = report

    def progress(self, measured, now):
        """Take measured positions [rad]; return a report if there is progress, else ``None``."""
        report = self.report
        if report is None or report.state is State.ARRIVED:
            return None
        if self.goal_checker.arrived(measured, now):
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
            self._hold = clamped(self._model, map(
                partial(_resting_place, age + _DELAY), self._model.joints, measured, speeds,
                accelerations, self.report.solution.q))

    def end(self):
        """End the command in force."""
        self.report = self.blocked = self._ramp = self._command = None
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
    Commands that run from one pose to another at limited speed.

    The joints start and arrive together; the one that needs the longest sets the time.

    :param start: positions [rad].
    :param goal: positions [rad].
    :param speeds: largest speed of each joint [rad/s].
    :param now: when it begins [s], monotonic.
    """

    def __init__(self, start, goal, speeds, now):
        self._start, self._goal = tuple(start), tuple(goal)
        self._duration = max(abs(g - s) / v for s, g, v in zip(start, goal, speeds))
        self._elapsed = 0.0
        self._now = now

    def at(self, now):
        """Return the positions to command at a time [s], which must not decrease between calls."""
        self._elapsed += min(now - self._now, _LONGEST_STEP)
        self._now = now
        if self._elapsed >= self._duration:
            return self._goal
        part = self._elapsed / self._duration
        return tuple(s + part * (g - s) for s, g in zip(self._start, self._goal))


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
