# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command in force: how the arm follows it, and how it ends.

A command that ends while the arm is on its way is followed by one last: hold where the arm was
measured, inside the limits. An arm that has arrived stands still already; a new goal where it sags
to would only make it sag further.
"""

from .answer import inside
from .arrival import Arrival
from .following import Following
from .ramp import Ramp
from .report import State
from .stuck import Stuck
from ...errors import InvalidArmError


class Motion:
    """
    At most one command, with its report.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param arrival_tolerance: how far from its command a joint at rest may stand [rad].
    """

    def __init__(self, model, arrival_tolerance):
        self.report = None
        self.stuck = None
        self.arrival = Arrival(arrival_tolerance)
        self._following = Following(_max_velocities(model))
        self._commanded = None  # what was commanded last
        self._ramp = None       # what is commanded from now on, while that changes
        self._last_words = None
        self._stuck = Stuck()
        self._model = model

    def change_model(self, model):
        """Go on with an arm of other limits; the command in force stays."""
        self._model = model
        self._following.max_velocities = _max_velocities(model)

    def command(self, now):
        """Return the readings to command now [rad], base to tip; ``None``: none."""
        if self._ramp is not None:
            self._commanded = self._ramp.at(now)
            self._following.command(self._commanded, now)
            if self._commanded == self.report.solution.q:
                self._ramp = None
        return self._commanded

    def near(self, measured, now):
        """Return where to solve from, and whether that is the command the arm follows."""
        if self.report is not None and self._following.follows(measured, now):
            return self._commanded, True
        return measured, False

    def start(self, report, measured, follows, now, speed=None):
        """
        Put a command in force.

        :param report: of what is commanded.
        :param measured: where the arm is [rad].
        :param follows: whether it was solved from the command before.
        :param now: time of the command [s], monotonic.
        :param speed: part of the joints' ``max_velocity`` to go there at, by commands that run
            ahead; ``None``: command it at once, and leave the speed to the driver.
        :returns: the report.
        """
        goal = report.solution.q
        begin = self._commanded if follows else inside(self._model, measured)
        if not follows:
            self._following.start(measured)
        self.arrival.start(goal, measured, now)
        self._last_words = self._ramp = None
        self._commanded = goal
        if speed is not None:
            self._commanded = begin
            self._ramp = Ramp(begin, goal, [
                speed * joint.max_velocity for joint in self._model.joints], now)
        self._following.command(self._commanded, now)
        self.report = report
        return report

    def progress(self, measured, now):
        """Take a measured state [rad]; return a report where the arm has got on, else ``None``."""
        report = self.report
        if report is None or report.state is State.ARRIVED:
            return None
        if self.arrival.arrived(measured, now):
            self.report = report._replace(state=State.ARRIVED)
        elif self.arrival.moved and report.state is State.ACCEPTED:
            self.report = report._replace(state=State.MOVING)
        else:
            return None
        return self.report

    def end(self, measured=None):
        """
        End the command in force.

        :param measured: where the arm is [rad], to hold it there if it is on its way; ``None``:
            say nothing more.
        """
        if self.report is not None and measured and self.report.state is not State.ARRIVED:
            self._last_words = inside(self._model, measured)
        self.report = self.stuck = self._ramp = self._commanded = None
        self._stuck.clear()

    def last_words(self):
        """Return the readings [rad] that the command's end is to be followed by, once."""
        words, self._last_words = self._last_words, None
        return words

    def watch(self, measured, now):
        """Take a look at the arm; :attr:`stuck` says ``(joint, rad)`` if one is stuck."""
        self.stuck = None
        if self.report is not None:
            found = self._stuck.look(measured, self._commanded, now)
            if found:
                self.stuck = self._model.joints[found[0]].name, found[1]

    def require_inside(self, model):
        """Raise :class:`~arm_ik.errors.InvalidArmError` unless limits hold for the command."""
        for joint, reading in zip(model.joints, self._commanded or ()):
            for limit, holds, allowed in (('lower', joint.lower <= reading, 'at most'),
                                          ('upper', reading <= joint.upper, 'at least')):
                if not holds:
                    raise InvalidArmError(
                        f'arm.joints.{joint.name}.{limit}', getattr(joint, limit),
                        f'{allowed} {reading:.6g}, where the joint is commanded to')


def _max_velocities(model):
    return tuple(joint.max_velocity for joint in model.joints)
