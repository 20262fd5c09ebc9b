# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command in force: its goal, how the arm follows it, and how it ends.

Where the way to the goal matters, a :class:`~.sources.Source` is commanded. How either leaves is
decided by :mod:`.outputs`.

A command that ends in mid-motion is followed by one *hold command*, where the arm comes to rest if
it brakes on its path. One that has arrived gets none: with a sagged position as its goal it would
sag further.
"""

from functools import partial
from math import copysign, inf
from operator import sub

from .checkers import EXACT, FollowingErrorChecker, ProgressChecker
from .outputs import Command, Commands, Trajectories
from .report import State, STREAM
from ...errors import InvalidArmError
from ...motion.cubic_spline import to_goal, to_rest

#: How long the arm goes on at its speed before it brakes [s], beside the age of its state: the
#: ways of that state and of the hold command, and a period of the driver's bus at both ends. If
#: the place where it is held were too near, it would pass it and come back.
_DELAY = 0.03


class CommandInForce:
    """
    At most one command, with the report that says what it is for.

    ``report`` belongs to the command in force, or is ``None``; ``blocked`` says which joint does
    not do what is commanded, or is ``None``;
    ``source`` is what further commands are read from, until it is done; ``pace`` may be changed,
    the part of its speed at which a source goes, at 0 the arm rests on its way; ``streams`` tells
    whether its goal is one of a stream.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may stand [rad].
    :param lead: how much later than they leave trajectories begin [s]; 0: commands leave.
    """

    def __init__(self, model, arrival_tolerance, lead=0.0):
        self.report = self.source = None
        self.pace, self.streams = 1.0, False
        self.blocked = None
        self.checker = ProgressChecker(arrival_tolerance)
        self._following = FollowingErrorChecker(_max_velocities(model))
        self._command = Command(None)   # what was commanded last
        self._asked = None              # when its source was asked last
        self._late = 0.0                # how long ago the goal was due, until it leaves [s]
        self._begun = -inf              # when the command was put in force
        self._output = Trajectories(model, lead) if lead else Commands()
        self._model, self._lead = model, lead

    def change(self, model, arrival_tolerance):
        """Go on with an arm of other limits, and another tolerance; the command stays."""
        self._model = self._output.model = model
        self._following.max_velocities = _max_velocities(model)
        self.checker.tolerance = arrival_tolerance

    @property
    def positions(self):
        """Return the positions commanded last [rad], base to tip; ``None``: none."""
        return self._command.positions

    def go_on(self, now):
        """Return what is to leave at a time [s], see :mod:`.outputs`; ``None``: nothing."""
        if self._command.positions is None:
            return None
        source, before, due = self.source, self._asked, now + self._lead
        renewed = None
        if source is None:
            rests = self.streams or (self.report is not None
                                     and self.report.state is State.ARRIVED)
            self._command = Command(self._command.positions, (), self._late, rests)
            self._late = 0.0
        else:
            if source.pace != self.pace:
                source.at_pace(self._model, self.pace, self.since(now))
                renewed = self._output.start(source, now, True)
            self._asked = due
            self._command = Command(*source.at(due), source.late)
            self.checker.goal = self._command.positions
            if source.done:
                self.source = None
        motion = self._output.go_on(self._command, source, (before, due), now)
        self._following.command(self._output.where(self._command, now), now)
        return renewed or motion

    def rest(self, state, now):
        """Return what lets an arm rest that is on its way to a goal without a source."""
        if self.report is None or self.source is not None or self._output.sent is not None or (
                self.report.state is State.ARRIVED):
            return None
        motion, self.streams = self.hold(state, now), False
        self._command = Command(motion.positions)
        return motion

    def go_on_to_goal(self, now):
        """Command the goal again that the arm rested on its way to."""
        if self.report is not None and self.source is None and self._output.sent is None:
            self._command = Command(self.report.solution.q)
            self._output.start(None, now, True)

    def near(self, measured, now):
        """Return the positions to solve from, and whether they are the command in force."""
        if self.report is not None and self._following.follows(measured, now):
            return self.positions, True
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
        left = self._output.standing(self.since(now), now, follows)
        if left is not None:
            return left
        if follows:
            return self.positions, self._command.velocities or (0.0,) * len(measured)
        speeds = tuple([min(max(speed, -joint.max_velocity), joint.max_velocity)
                        for speed, joint in zip(state.speeds, self._model.joints)])
        return clamped(self._model, [
            position + speed * age for position, speed in zip(measured, speeds)]), speeds

    def since(self, now):
        """Return when the arm was :meth:`standing` so [s]: a new source sets out at that time."""
        is_asked = self.source is not None and self._asked is not None
        return self._asked if is_asked and not self._lead else now + self._lead

    @property
    def way(self):
        """Return the way that the arm is on and when that began [s]; ``None``: it is not known."""
        return self._output.sent or self.source and self.source.way

    def braking(self, state, now, delay):
        """
        Return how the arm would come to rest that goes on for a time and brakes then.

        :param state: the :class:`~.state_monitor.StateMonitor`.
        :param now: time [s], monotonic.
        :param delay: for how long the arm goes on before [s], if it is known how.
        :returns: the way it is on and when that began [s], ``None`` if it is not known or at rest;
            the :class:`~arm_ik.motion.cubic_spline.CubicSpline` from :meth:`since` to rest; and
            how long after that it brakes [s].
        """
        standing, since = self.standing(state, now), self.since(now)
        way = self.way
        if self.source is None and way is None and self.report is not None:     # to a goal
            way = to_goal(self._model, standing, self.positions), since
        if way and delay and any(standing[1]):
            spline, gone = way[0], since - way[1]
            if standing == spline.at(gone):
                return way, spline.between(gone, gone + delay).then(
                    to_rest(self._model, spline.at(gone + delay))), delay
        return None, to_rest(self._model, standing), 0.0

    def lead(self, source):
        """Let a :class:`~.sources.Player` lead on the way that the arm is on."""
        self.source, self._asked = source, source.since

    def lost(self, measured, now):
        """Say which joint of an arm that does not follow a source is farthest, or ``None``."""
        is_led = self.source is not None or self._output.sent is not None and (
            self.report is not None and self.report.state is not State.ARRIVED)
        if not is_led or self._following.follows(measured, now):
            return None
        distance, index = max((abs(m - c), index) for index, (m, c) in enumerate(
            zip(measured, self.positions)))
        return (f'{self._model.joints[index].name} is {distance:.3g} rad from its command and '
                'does not follow')

    def start(self, report, measured, now, source=None, streams=False, late=0.0):
        """
        Put a command in force.

        :param report: of what is commanded.
        :param measured: where the arm is [rad].
        :param now: time of the command [s], monotonic.
        :param source: what the way there is read from; ``None``: command the goal at once and
            leave the way to the driver.
        :param streams: whether the goal is one of a stream.
        :param late: how long ago a goal was due [s].
        :returns: what is to leave for it now, or ``None``.
        """
        goal, (near, follows) = report.solution.q, self.near(measured, now)
        if source is None and self.report is not None and follows and (
                self.report.state is State.ARRIVED and max(
                    map(abs, map(sub, goal, self.positions))) <= EXACT):
            self.report = report._replace(state=State.ARRIVED)
            return None     # the arm is there
        self.checker.start(goal, measured, now)
        self.report, self.streams, self._late, self._begun = report, streams, late, now
        if source is not None and source is self.source:
            return None     # it goes on
        if not follows:
            self._following.start(measured)
        if source is None and not self.pace:
            goal = tuple(near)      # it waits there
        self._asked, self.source, self._command = None, source, Command(goal)
        way = self._output.start(source, now, follows)
        return self.go_on(now) or way

    def go_straight(self, report):
        """Return what ends a stream of goals: its newest one by itself."""
        self.report, self.streams = report, False
        return self._command._replace(velocities=(0.0,) * len(self._command.positions))

    def progress(self, measured, now):
        """Take measured positions [rad]; return a report if there is progress, else ``None``."""
        report = self.report
        self.check_progress(measured, now)
        if report is None or report.state is State.ARRIVED:
            return None
        has_ended = not self.streams or now - self._begun >= STREAM     # else the next one comes
        if self.checker.arrived(measured, now) and self.source is None and has_ended:
            self.report = report._replace(state=State.ARRIVED)
        elif self.checker.moved and report.state is State.ACCEPTED:
            self.report = report._replace(state=State.MOVING)
            if self.streams:
                return None     # it was said of the first of them
        else:
            return None
        return self.report

    def hold(self, state, now):
        """
        Return what holds the arm, if it is on its way; the command in force is to end.

        Of trajectories it is one that brakes and, if the arm does not follow, goes to where it is,
        if that is known.

        :param state: the :class:`~.state_monitor.StateMonitor`.
        :param now: time [s], monotonic.
        """
        if self.report is None or self.report.state is State.ARRIVED:
            return None
        if state.pause(now) or (
                self._output.sent is not None and self._following.follows(state.positions, now)):
            return self._output.brake(now)
        goal = self.report.solution.q
        if self.source is not None and self.source.endless:
            goal = [copysign(inf, speed) for speed in state.speeds]
        return self._output.hold(clamped(self._model, map(
            partial(_resting_place, state.age(now) + _DELAY), self._model.joints, state.positions,
            state.speeds, state.accelerations, goal)), self.source is None, now)

    def end(self):
        """End the command in force."""
        self.report = self.blocked = self.source = None
        self._command = Command(None)
        self.checker.clear()

    def check_progress(self, measured, now):
        """Look at measured positions [rad] and set :attr:`blocked`."""
        self.blocked = None
        if self.report is not None:
            found = self.checker.blocked(measured, self.positions, now)
            if found:
                self.blocked = (f'{self._model.joints[found[0]].name} does not move, and is '
                                f'{found[1]:.3g} rad from its command')

    def resting(self, measured, now):
        """Return by joint how far an arm that rests off its command is off [rad]."""
        off = {} if self.source else self.checker.resting(measured, self.positions, now)
        return {self._model.joints[index].name: off[index] for index in off}

    def require_inside(self, model):
        """Raise :class:`~arm_ik.errors.InvalidArmError` unless limits hold for the command."""
        if self.positions is None:
            return
        way = self.way[0].positions if self.way else ()
        for joint, *positions in zip(model.joints, self.positions, *way):
            for limit, outermost, sign, allowed in (('lower', min(positions), 1, 'at most'),
                                                    ('upper', max(positions), -1, 'at least')):
                if sign * getattr(joint, limit) > sign * outermost:
                    raise InvalidArmError(
                        f'arm.joints.{joint.name}.{limit}', getattr(joint, limit),
                        f'{allowed} {outermost:.6g}, the commanded position of the joint')


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
