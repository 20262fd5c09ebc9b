# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The active command: its goal, how the arm follows it, and how it ends.

Where the path to the goal matters, a :class:`~.motion_sources.Source` is commanded. How either
leaves is decided by :mod:`.outgoing_motion`. Whether the arm follows is asked here alone.

A command that ends in mid-motion is followed by one *hold command*, where the arm comes to rest if
it brakes on its path. One that has arrived gets none: with a sagged position as its goal it would
sag further.
"""

from math import copysign, inf
from operator import sub

from .checkers import EXACT, FollowingErrorChecker, ProgressChecker
from .motion_sources import Jogging
from .outgoing_motion import Command, Commands, Trajectories
from .report import State, STREAM
from ...motion.cubic_spline import to_goal, to_rest

#: How long the arm goes on at its speed before it brakes [s], in addition to the age of its state:
#: the state and the hold command take so long to arrive, with a period of the driver's bus at
#: both ends. If the place where it is held were too near, it would pass it and come back.
_DELAY = 0.03


class Tracker:
    """
    At most one active command, with the report that says what it is for.

    ``report`` belongs to the active command, or is ``None``; ``blocked`` says which joint does not
    do what is commanded, or is ``None``; ``source`` is what further commands are read from, until
    it is done; ``pace`` may be changed, the part of its speed at which a source goes, at 0 the arm
    rests on its path; ``streams`` says whether its goal is one of a stream. Times ``now`` are
    monotonic [s].

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may be [rad].
    :param state: the :class:`~.state_monitor.StateMonitor`.
    :param lead: how much later than they leave trajectories begin [s]; 0: commands leave.
    """

    def __init__(self, model, arrival_tolerance, state, lead=0.0):
        self.report = self.source = None
        self.pace, self.streams, self.blocked = 1.0, False, None
        self.checker = ProgressChecker(arrival_tolerance)
        self._following = FollowingErrorChecker([joint.max_velocity for joint in model.joints])
        self._command = Command(None)   # what was commanded last
        self._asked = None              # when its source was asked last
        self._begun = -inf              # when the command became active
        self._output = Trajectories(model, lead) if lead else Commands()
        self._model, self._state, self._lead = model, state, lead
        self.sends_commands = not lead

    @property
    def positions(self):
        """Return the positions commanded last [rad], base to tip; ``None``: none."""
        return self._command.positions

    @property
    def is_pending(self):
        """Whether a command is active and the arm has not arrived."""
        return self.report is not None and self.report.state is not State.ARRIVED

    @property
    def rests(self):
        """Whether commands need not be sent often: the arm is there, or the next goal comes."""
        return self._command.positions is None or self._command.rests

    @property
    def is_jogging(self):
        """Whether twists lead the arm."""
        return isinstance(self.source, Jogging)

    def go_on(self, now):
        """Return what is to leave at a time, see :mod:`.outgoing_motion`; ``None``: nothing."""
        if self._command.positions is None:
            return None
        source, before, due, renewed = self.source, self._asked, now + self._lead, None
        if source is None:
            self._command = self._command._replace(
                velocities=(), rests=self.streams or not self.is_pending)
        else:
            if source.pace != self.pace:
                source.at_pace(self._model, self.pace, self.since(now))
                renewed = self._output.start(source, now, True)
            self._asked = due
            self._command = Command(*source.at(due), now - source.late, source.late)
            if source.done:
                self.source = None
                self.report = self.report._replace(**source.said)
        motion = self._output.go_on(self._command, source, (before, due), now)
        self._following.command(self._output.where(self._command, now), now)
        return renewed or motion

    def _follows(self, now):
        return self.report is not None and self._following.follows(self._state.positions, now)

    def near(self, now):
        """Return the positions to solve from: those commanded, of an arm that follows."""
        return self.positions if self._follows(now) else self._state.positions

    def start_state(self, now):
        """Return positions and velocities that a new source sets out from, at :meth:`since`."""
        state = self._state
        measured, age = state.positions, state.age(now)
        # Known is what a source has commanded, also one that is done before the arm is at rest.
        follows = (self._asked is not None or not self.is_pending) and self._follows(now)
        left = self._output.start_state(self.since(now), now, follows)
        if left is not None:
            return left
        if follows:
            return self.positions, self._command.velocities or (0.0,) * len(measured)
        speeds = tuple([min(max(speed, -joint.max_velocity), joint.max_velocity)
                        for speed, joint in zip(state.speeds, self._model.joints)])
        return clamped(self._model, [
            position + speed * age for position, speed in zip(measured, speeds)]), speeds

    def since(self, now):
        """Return the time of :meth:`start_state` [s]: a new source sets out then."""
        is_asked = self.source is not None and self._asked is not None
        return self._asked if is_asked and not self._lead else now + self._lead

    @property
    def path(self):
        """Return the path that the arm is on and when that began [s]; ``None``: unknown."""
        return self._output.sent or self.source and self.source.path

    def braking(self, now, delay):
        """
        Return how the arm would come to rest that goes on for a time and brakes then.

        :param delay: for how long the arm goes on before [s], if it is known how.
        :returns: the path it is on and when that began [s], ``None`` if it is unknown or at rest;
            the :class:`~arm_ik.motion.cubic_spline.CubicSpline` from :meth:`since` to rest; and
            how long after that it brakes [s].
        """
        start, since, path = self.start_state(now), self.since(now), self.path
        if self.source is None and path is None and self.report is not None:     # to a goal
            path = to_goal(self._model, start, self.positions), since
        if path and delay and any(start[1]):
            spline, travelled = path[0], since - path[1]
            if start == spline.at(travelled):
                return path, spline.between(travelled, travelled + delay).then(
                    to_rest(self._model, spline.at(travelled + delay))), delay
        return None, to_rest(self._model, start), 0.0

    def lead(self, source):
        """Let a :class:`~.motion_sources.Player` lead on the path that the arm is on."""
        self.source, self._asked = source, source.since

    def left_behind(self, now):
        """Say which joint of an arm that does not follow a source is farthest, or ``None``."""
        waits = self.source and self.source.follow(self._model, self._state.positions)
        is_led = self.source is not None or self._output.sent is not None and self.is_pending
        if not is_led or waits and not self.blocked or self._follows(now):
            return None
        distance, name = max((abs(m - c), joint.name) for joint, m, c in zip(
            self._model.joints, self._state.positions, self.positions))
        refused = '' if self.sends_commands or self.checker.moved else (
            '; no joint has moved: the controller may have refused the trajectory')
        return f'{name} is {distance:.3g} rad from its command and does not follow{refused}'

    def start(self, report, now, source=None, streams=False, made=0.0):
        """
        Make a command the active one.

        :param report: of what is commanded.
        :param source: what the path there is read from; ``None``: command the goal at once and
            leave the path to the driver.
        :param streams: whether the goal is one of a stream.
        :param made: when a goal without a source was due [s].
        :returns: what is to leave for it now, or ``None``.
        """
        goal, measured, follows = report.solution.q, self._state.positions, self._follows(now)
        if source is None and follows and not self.is_pending and max(
                map(abs, map(sub, goal, self.positions))) <= EXACT:
            self.report = report._replace(state=State.ARRIVED)
            return None     # the arm is there
        self.checker.start(measured, now)
        self.report, self.streams, self._begun = report, streams, now
        if source is not None and source is self.source:
            return None     # it goes on
        if not follows:
            self._following.start(measured)
        self._asked, self.source, self._command = None, source, Command(goal, (), made, now - made)
        path = self._output.start(source, now, follows)
        return self.go_on(now) or path

    def go_straight(self, report, now):
        """Return what ends a stream of goals: its newest one by itself."""
        self.report, self.streams = report, False
        self._command = self._command._replace(made=now, late=0.0)
        return self._command._replace(velocities=(0.0,) * len(self._command.positions))

    def progress(self, now):
        """Take the measured state; return a report if there is progress, else ``None``."""
        report, measured, self.blocked = self.report, self._state.positions, None
        if report is None:
            return None
        if found := self.checker.blocked(measured, self.positions, now):
            self.blocked = (f'{self._model.joints[found[0]].name} does not move, and is '
                            f'{found[1]:.3g} rad from its command')
        if not self.is_pending:
            return None
        has_ended = not self.streams or now - self._begun >= STREAM     # else the next one comes
        has_arrived = self.checker.arrived(measured, self.positions, now)
        if has_arrived and self.source is None and has_ended:
            self.report = report._replace(state=State.ARRIVED)
        elif self.checker.moved and report.state is State.ACCEPTED:
            self.report = report._replace(state=State.MOVING)
            if self.streams:
                return None     # it was said of the first of them
        else:
            return None
        return self.report

    def hold(self, now):
        """
        Return what holds the arm, if it is in motion; the active command is to end.

        Of trajectories it is one that brakes and, if the arm does not follow, goes to where it is,
        if that is known.
        """
        state = self._state
        if not self.is_pending:
            return None
        if state.pause(now) or self._output.sent is not None and self._follows(now):
            return self._output.brake(now)
        goal = self.report.solution.q
        if self.source is not None and self.source.endless:
            goal = [copysign(inf, speed) for speed in state.speeds]
        places = [_resting_place(state.age(now) + _DELAY, *each) for each in zip(
            self._model.joints, state.positions, state.speeds, state.accelerations, goal)]
        return self._output.hold(clamped(self._model, places), self.source is None, now)

    def end(self):
        """End the active command."""
        self.report = self.blocked = self.source = None
        self._command = Command(None)
        self.checker.clear()

    def resting(self, now):
        """Return by joint how far an arm that rests off its command is off [rad]."""
        off = {} if self.source else self.checker.resting(
            self._state.positions, self.positions, now)
        return {self._model.joints[index].name: off[index] for index in off}


def _resting_place(delay, joint, measured, speed, acceleration, goal):
    """Return where a joint that goes on for a time and then brakes is at rest [rad]."""
    if acceleration * speed > 0.0:
        speed += acceleration * delay
    speed = min(max(speed, -joint.max_velocity), joint.max_velocity)
    ahead = speed * delay + 0.5 * speed * abs(speed) / joint.acceleration
    to_go = goal - measured
    return goal if ahead * to_go > 0.0 and abs(ahead) > abs(to_go) else measured + ahead


def clamped(model, positions):
    """Return the positions [rad] inside the limits that are nearest to others."""
    return tuple([min(max(position, joint.lower), joint.upper)
                  for position, joint in zip(positions, model.joints)])
