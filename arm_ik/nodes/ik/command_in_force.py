# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command in force: its goal, how the arm follows it, and how it ends.

A goal is commanded at once; the driver makes the path to it. Where the path matters a *source* is
commanded, once for each command, from where the one before it is, at its speed:

- ``at(now)`` returns positions [rad] and velocities [rad/s] of a moment [s], inside the limits;
- ``done``: it has come to rest; the last positions are the goal;
- ``endless``, only if true: what it returns was asked for before, ``ahead`` is what it is asked.

A command that ends in mid-motion is followed by one *hold command*, where the arm comes to rest if
it brakes on its path. One that has arrived gets none: with a sagged position as its goal it would
sag further. As a trajectory the whole source leaves, or of an endless one each time the part to
rest; it begins a *lead* later, on the one sent before.
"""

from functools import partial
from math import copysign, inf

from .checkers import FollowingErrorChecker, GoalChecker, ProgressChecker
from .report import State
from ...errors import InvalidArmError
from ...motion.cubic_spline import APART, CubicSpline, to_goal, to_rest

#: How long the arm goes on at its speed before it brakes [s], beside the age of its state: the
#: ways of that state and of the hold command, and a period of the driver's bus at both ends. If
#: the place where it is held were too near, it would pass it and come back.
_DELAY = 0.03


class CommandInForce:
    """
    At most one command, with the report that says what it is for.

    ``report`` belongs to the command in force, or is ``None``; ``velocities`` are those of the
    newest command of a source [rad/s], or empty; ``late`` says how long before that its positions
    were due [s], which are the end of a trajectory then; ``blocked`` is
    ``(joint name, distance from its command [rad])`` of a joint that does not move, or ``None``;
    ``source`` is what further commands are read from, until it is done;
    ``hold_rests`` tells whether the hold command ends a goal, which may be one of a stream;
    ``resting`` has those distances by joint of an arm that rests off its command.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may stand [rad].
    :param lead: how much later than they leave trajectories begin [s]; 0: commands leave.
    """

    def __init__(self, model, arrival_tolerance, lead=0.0):
        self.report = None
        self.velocities = ()
        self.late = 0.0
        self.blocked, self.resting = None, {}
        self.goal_checker = GoalChecker(arrival_tolerance)
        self._following = FollowingErrorChecker(_max_velocities(model))
        self._progress = ProgressChecker()
        self._command = None  # what was commanded last
        self._asked = None    # when its source was asked last
        self.source = None
        self._hold = None
        self.hold_rests = False
        self._lead = lead
        self._sent = self._due = None  # trajectories, and when they begin [s]
        self._model = model

    def change_model(self, model):
        """Go on with an arm of other limits; the command in force stays."""
        self._model = model
        self._following.max_velocities = _max_velocities(model)

    def command(self, now):
        """Return the positions to command now [rad], base to tip; ``None``: none."""
        self.late = 0.0
        if self.source is None:
            self.velocities = ()
        else:
            last, self._asked = self._asked, now + self._lead
            self._command, self.velocities = self.source.at(self._asked)
            if self._lead and self._is_endless():
                self._send_next(self._asked if last is None else last, now)
            where = self.goal_checker.command = self._command
            if self.source.done:
                self.late = getattr(self.source, 'late', 0.0)
                self.source = None
            elif self._sent is not None:
                spline, begun = self._sent
                where, _ = spline.at(max(0.0, now - begun))
            self._following.command(where, now)
        return self._command

    def near(self, measured, now):
        """Return the positions to solve from, and whether they are the command in force."""
        if self.report is not None and self._following.follows(measured, now):
            return self._command, True
        return measured, False

    def standing(self, state, now):
        """
        Return positions and velocities that a new source sets out from.

        :param state: the :class:`~.state_monitor.StateMonitor`.
        :param now: time [s], monotonic.
        """
        measured, age = state.positions, state.age(now)
        # Known is what a source has commanded, also one that is done before the arm is at rest.
        known = self.report is not None and (
            self._asked is not None or self.report.state is State.ARRIVED)
        follows = known and self._following.follows(measured, now)
        if self._is_on_its_way(now) or follows and self._sent is not None and (
                self._sent[1] <= self.since(now)):
            spline, since = self._sent
            return spline.at(self.since(now) - since)
        if follows:
            return self._command, self.velocities or (0.0,) * len(measured)
        speeds = tuple([min(max(speed, -joint.max_velocity), joint.max_velocity)
                        for speed, joint in zip(state.speeds, self._model.joints)])
        return clamped(self._model, [
            position + speed * age for position, speed in zip(measured, speeds)]), speeds

    def _is_on_its_way(self, now):
        """Tell whether a trajectory has not come to its end, be its command in force or not."""
        return self._sent is not None and (
            0.0 <= self.since(now) - self._sent[1] < self._sent[0].duration)

    def since(self, now):
        """Return when the arm was :meth:`standing` so [s]: a new source sets out at that time."""
        if self._lead:
            return now + self._lead
        return now if self.source is None else self._asked

    def braking(self, standing, since, delay):
        """
        Return the :class:`~arm_ik.motion.cubic_spline.CubicSpline` to rest.

        :param standing: positions and velocities that it sets out from.
        :param since: when it does [s].
        :param delay: for how long a trajectory goes on before [s], that it may leave meanwhile.
        :returns: the trajectory, and when it begins to brake [s].
        """
        if self._sent is not None:
            spline, begun = self._sent
            if standing == spline.at(since - begun) and any(standing[1]):
                kept = spline.part(since - begun, since - begun + delay)
                rest = to_rest(self._model, (kept.positions[-1], kept.velocities[-1]))
                return kept.then(rest), delay
        return to_rest(self._model, standing), 0.0

    def lost(self, measured, now):
        """
        Return ``(joint name, distance from its command [rad])`` if it does not follow a source.

        :param measured: positions [rad].
        :param now: time [s], monotonic.
        :returns: of the joint that is farthest from its command; ``None``: the arm follows.
        """
        is_led = self.source is not None or self._sent is not None and (
            self.report is not None and self.report.state is not State.ARRIVED)
        if not is_led or self._following.follows(measured, now):
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
        self.goal_checker.start(goal, measured, now)
        self._hold, self.report = None, report
        if source is not None and source is self.source:
            return  # which goes on
        if not follows:
            self._following.start(measured)
            if not self._is_on_its_way(now):
                self._sent = None
        self._asked = None
        self.source, self._command, self.velocities = source, goal, ()
        if self._lead and not self._is_endless():
            self._send(source.spline, source.since, now)
        if source is None:
            self._following.command(goal, now)
        self.command(now)
        self._check_rest(measured, now)

    def progress(self, measured, now):
        """Take measured positions [rad]; return a report if there is progress, else ``None``."""
        report = self.report
        if report is None:
            return None
        self._check_rest(measured, now)
        if report.state is State.ARRIVED:
            return None
        if self.goal_checker.arrived(measured, now) and self.source is None:
            self.report = report._replace(state=State.ARRIVED)
        elif self.goal_checker.moved and report.state is State.ACCEPTED:
            self.report = report._replace(state=State.MOVING)
        else:
            return None
        return self.report

    def hold(self, state, now):
        """
        Make a hold command due if the arm is on its way; the command in force is to end.

        Of trajectories it is one that brakes and, if the arm does not follow, goes to where it is.

        :param state: the :class:`~.state_monitor.StateMonitor`.
        :param now: time [s], monotonic.
        """
        if self.report is None or self.report.state is State.ARRIVED:
            return
        if self._lead and self._following.follows(state.positions, now):
            return self.brake(now)
        goal = self.report.solution.q
        if self._is_endless():
            goal = [copysign(inf, speed) for speed in state.speeds]
        place = clamped(self._model, map(
            partial(_resting_place, state.age(now) + _DELAY), self._model.joints, state.positions,
            state.speeds, state.accelerations, goal))
        if self._lead:
            self.brake(now, place)
        else:
            self._hold, self.hold_rests = place, self.source is None

    def brake(self, now, place=None):
        """Send whoever follows a trajectory one that brakes on its way, and goes to a place."""
        if place is None and not self._is_on_its_way(now):
            return
        (spline, begun), since = self._sent, self.since(now)
        rest = to_rest(self._model, spline.at(since - begun))
        if place is not None:
            rest = rest.then(to_goal(self._model, (rest.end, (0.0,) * len(place)), place))
        self._send(rest, since, now)

    def take_trajectory(self):
        """Return the trajectory that is due and when it begins [s], once; else ``None``."""
        due, self._due = self._due, None
        return due

    def _send(self, spline, since, now):
        # On the one sent before until then, for that may not be a single curve.
        if self._sent is not None:
            before, begun = self._sent
            now = max(now, begun)
            if now < since:
                spline = before.part(now - begun, since - begun).then(spline)
                since = now
        self._sent = self._due = spline, since

    def _send_next(self, time, now):
        # What is known of it, and how it would brake then.
        ahead = self.source.ahead
        spline = to_rest(self._model, ahead)
        if time + APART < self._asked:
            spline = CubicSpline([0.0, self._asked - time], *zip(
                (self._command, self.velocities), ahead)).then(spline)
        self._send(spline, time, now)

    def _is_endless(self):
        return getattr(self.source, 'endless', False)

    def end(self):
        """End the command in force."""
        self.report = self.blocked = self.source = self._command = None
        self.velocities, self.resting = (), {}
        self._progress.clear()

    def take_hold_command(self):
        """Return the positions [rad] of the hold command that is due, once; else ``None``."""
        hold, self._hold = self._hold, None
        return hold

    def check_progress(self, measured, now):
        """Look at measured positions [rad] and set :attr:`blocked` and :attr:`resting`."""
        self.blocked = None
        if self.report is not None:
            found = self._progress.blocked(measured, self._command, now)
            if found:
                self.blocked = self._model.joints[found[0]].name, found[1]
            self._check_rest(measured, now)

    def _check_rest(self, measured, now):
        off = {} if self.source else self._progress.resting(measured, self._command, now)
        self.resting = {self._model.joints[index].name: off[index] for index in off}

    def require_inside(self, model):
        """Raise :class:`~arm_ik.errors.InvalidArmError` unless limits hold for the command."""
        for joint, position in zip(model.joints, self._command or ()):
            for limit, holds, allowed in (('lower', joint.lower <= position, 'at most'),
                                          ('upper', position <= joint.upper, 'at least')):
                if not holds:
                    raise InvalidArmError(
                        f'arm.joints.{joint.name}.{limit}', getattr(joint, limit),
                        f'{allowed} {position:.6g}, the commanded position of the joint')


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
