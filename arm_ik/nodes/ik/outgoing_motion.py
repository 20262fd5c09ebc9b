# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How motion leaves: as commands, one for each moment, or as trajectories, each of a whole path.

A goal is commanded at once; whoever follows commands makes the path to it. As a trajectory the
whole source leaves, or of an endless one each time the part to rest; it begins a *lead* later, on
the one sent before.
"""

from typing import NamedTuple

from ...motion.cubic_spline import APART, CubicSpline, to_goal, to_rest


class Command(NamedTuple):
    """
    A command that is to leave now.

    ``positions`` [rad], base to tip; ``velocities`` are those of a source [rad/s], or empty;
    ``made`` says when they were due [s]: the same for a goal that is repeated; ``late`` how long
    that was before it left first [s]; ``rests`` whether it need not be repeated often, for the arm
    is there, or the next goal of a stream comes.
    """

    positions: tuple
    velocities: tuple = ()
    made: float = 0.0
    late: float = 0.0
    rests: bool = False


class TimedSpline(NamedTuple):
    """A :class:`~arm_ik.motion.cubic_spline.CubicSpline` to leave now, and when it begins [s]."""

    spline: CubicSpline
    begins: float


class Commands:
    """Whoever moves the arm follows commands."""

    def start(self, source, now, follows):
        """Return what leaves of a source's whole path, a new one or at a new pace; or ``None``."""
        return None

    def go_on(self, command, source, asked, now):
        """
        Return what leaves at a time.

        :param command: the :class:`Command` of the moment.
        :param source: what it was read from, or ``None``.
        :param asked: the moments it was asked for before, and now [s].
        """
        return command

    def start_state(self, since, now, follows):
        """Return positions and velocities at a time [s] of what has left, if the arm is on it."""
        return None

    def where(self, command, now):
        """Return where the arm should be [rad], on its path to a :class:`Command`."""
        return command.positions

    def brake(self, now):
        """Return what lets an arm brake on its path, to a place that nobody knows; or ``None``."""
        return None

    def hold(self, place, rests, now):
        """
        Return what holds the arm at positions [rad].

        :param rests: whether velocities say so: the positions may be one of a stream of goals.
        """
        return Command(place, (0.0,) * len(place) if rests else (), now)

    #: The newest :class:`TimedSpline` that has left.
    sent = None


class Trajectories(Commands):
    """
    Whoever moves the arm follows trajectories.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param lead: how much later than they leave trajectories begin [s].
    """

    def __init__(self, model, lead):
        self._model, self._lead = model, lead

    def start(self, source, now, follows):
        if not (follows or self._is_running(now)):
            self.sent = None
        return None if source.endless else self._send(source.spline, source.since, now)

    def go_on(self, command, source, asked, now):
        if source is None or not source.endless:
            return None
        (last, asked), here = asked, command[:2]
        spline, last = to_rest(self._model, here), asked if last is None else last
        if last + APART < asked:
            there = self.sent.spline.at(last - self.sent.begins)
            spline = CubicSpline([0.0, asked - last], *zip(there, here)).then(spline)
        return self._send(spline, last, now)

    def start_state(self, since, now, follows):
        if self._is_running(now) or follows and self.sent and self.sent.begins <= since:
            return self.sent.spline.at(since - self.sent.begins)
        return None

    def where(self, command, now):
        return self.sent.spline.at(max(0.0, now - self.sent.begins))[0]

    def brake(self, now):
        is_running = self._is_running(now)
        return self._send(self._rest(now), now + self._lead, now) if is_running else None

    def hold(self, place, rests, now):
        rest = self._rest(now)
        return self._send(rest.then(to_goal(
            self._model, (rest.end, (0.0,) * len(place)), place)), now + self._lead, now)

    def _rest(self, now):
        return to_rest(self._model, self.sent.spline.at(now + self._lead - self.sent.begins))

    def _is_running(self, now):
        """Return whether a trajectory has not come to its end, be its command active or not."""
        return self.sent is not None and (
            -self._lead <= now - self.sent.begins < self.sent.spline.duration)

    def _send(self, spline, since, now):
        # On the one sent before until then, for that may not be a single curve.
        if self.sent is not None:
            before, begun = self.sent
            now = max(now, begun)
            if now < since:
                spline = before.part(now - begun, since - begun).then(spline)
                since = now
        self.sent = TimedSpline(spline, since)
        return self.sent
