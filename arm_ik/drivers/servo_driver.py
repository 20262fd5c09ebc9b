# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver without ROS: which commands reach the servos, and what happens when none come.

The arm moves only for a command that was made after the driver was last let go (started, reset or
given torque) and after the last long gap in the commands: a sender that goes on repeating an old
goal does not set it in motion again. When commands stop while the arm is moving, the arm stops
where it is. Extra joints such as a gripper finish what they were told: a grip should not open
half-way because a sender has died.
"""

from math import inf
import time

from .command_age import CommandAge
from .command_filter import filter_command, gripper_goals
from .command_watchdog import CommandWatchdog
from .movement import Movement
from ..errors import DriverError, InvalidInputError

#: A joint this near to its goal [rad] has arrived.
_ARRIVED = 1e-3

#: A joint at rest farther than this from its goal [rad] is blocked: it would go on when it is let
#: go. Nearer ones sag, and with a goal where they have sagged to they would sag farther.
_BLOCKED = 0.1

#: An arm has settled that has not moved for so long, nor been sent elsewhere [s]: more than the
#: dead time of servos, and enough to see a slow joint move.
_SETTLED = 1.0


class ServoDriver:
    """
    A back end with a filter and a watchdog for its commands.

    :param backend: a connected :class:`~arm_ik.drivers.Backend`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param command_timeout: time without a command [s] after which a moving arm stops; 0: never.
    :param clock: returns the time [s] that the command watchdog counts on.
    :param stamp_clock: returns the time [s] that the stamps of commands are of.
    """

    def __init__(self, backend, model, command_timeout=0.5, clock=time.monotonic,
                 stamp_clock=time.time):
        self.command_timeout = command_timeout
        self.stopped = False
        self.torque = True
        self._problem = ''    # with the last command
        self._backend = backend
        self._chain = model.joint_names
        self._extra_joints = model.extra_joints
        self._clock = clock
        self._age = CommandAge(stamp_clock)
        self._movement = Movement()
        self._goals = backend.read()
        self._sent_elsewhere = -inf  # when the chain's goals changed
        self._watchdog = CommandWatchdog()

    @property
    def joint_names(self):
        """Names of all joints: the chain's, base to tip, then the extra ones."""
        return tuple(self._goals)

    @property
    def condition(self):
        """Return what there is to say of the arm; empty if all is well."""
        if self.stopped:
            return 'stopped until reset'
        return self._problem if self.torque else 'torque is off'

    def command(self, names, positions, stamp=0.0):
        """
        Send joints where a command says, if it may be obeyed.

        :param names: joint names; those of no joint here are passed over.
        :param positions: a position for each [rad, m where it slides].
        :param stamp: when the command was made [s]; 0: now.
        :returns: the :class:`~arm_ik.drivers.command_filter.Command` that was carried out.
        :raises InvalidInputError: if it was refused as a whole.
        :raises DriverError: if the bus fails.
        """
        try:
            command = filter_command(self._backend.joints, names, positions)
            if command.goals:
                self._require_free(stamp)
        except InvalidInputError as error:
            self._problem = f'refused: {error}'
            raise
        if command.goals:
            self._send(command.goals)
            self._problem = '; '.join(command.clamped)
            if any(name in command.goals for name in self._chain):
                self._watchdog.feed(self._clock())
        return command

    def open_gripper(self, opening):
        """
        Open the extra joints from 0, closed, to 1, open.

        :raises InvalidInputError: if it was refused.
        :raises DriverError: if the bus fails.
        """
        try:
            goals = gripper_goals(self._extra_joints, opening)
            self._require_free()
        except InvalidInputError as error:
            self._problem = f'refused: {error}'
            raise
        self._send(goals)
        self._problem = ''

    def update(self):
        """
        Return where the joints are, and stop the arm if commands have stopped coming.

        :returns: dict from joint names to measured positions.
        :raises DriverError: if the bus fails.
        """
        self._age.look()
        measured = self._backend.read()
        now = self._clock()
        self._movement.look(measured, now)
        if self._watchdog.stops(now, self.command_timeout) and self._goes_on(measured, now):
            self._problem = f'stopped on its way: no command for {self.command_timeout:g} s'
            self._hold_chain(measured)
        if self._watchdog.makes_old(now, self.command_timeout):
            self._age.begin()
        return measured

    def stop(self):
        """Hold every joint where it is and refuse all commands until :meth:`reset`."""
        self.stopped = True
        self._hold()

    def reset(self):
        """Take commands again; nothing moves before one that is made from now on."""
        self._hold()
        self.stopped = False
        self._problem = ''
        self._age.begin()

    def set_torque(self, on):
        """Switch the servos on, held where they are, or off: a real arm falls."""
        self._backend.set_torque(on)
        self.torque = on
        self._goals = self._backend.read()
        self._watchdog.reset()
        self._age.begin()
        self._problem = ''

    def close(self):
        """Hold an arm that moves or is blocked where it is, and give the bus back."""
        try:
            measured, now = self._backend.read(), self._clock()
            self._movement.look(measured, now)
            if not self.torque:
                pass  # it has fallen, and is not lifted
            elif self._movement.is_moving(now):
                self._send(measured)
            elif self._distance_left(measured) > _BLOCKED:
                self._hold_chain(measured)
        except DriverError:
            pass  # a bus that has failed takes no last goal
        finally:
            self._backend.close()

    def _goes_on(self, measured, now):
        """Tell whether the chain is moving to its goals, or would be if nothing blocked it."""
        distance = self._distance_left(measured)
        settled = now - self._sent_elsewhere > _SETTLED and not self._movement.is_moving(
            now, self._chain, _SETTLED)
        return distance > _BLOCKED or (distance > _ARRIVED and not settled)

    def _distance_left(self, measured):
        return max(abs(measured[name] - self._goals[name]) for name in self._chain)

    def _require_free(self, stamp=0.0):
        old = self._age.is_old(stamp)  # asked of every command: it has to be remembered
        if self.stopped:
            raise InvalidInputError('command', 'one while stopped', 'none until reset')
        if not self.torque:
            raise InvalidInputError('command', 'one while torque is off', 'none until it is on')
        if old:
            found, allowed = (
                ('one made before the driver was last started, reset or given torque, or before '
                 'its sender fell silent', 'one made since, or without a stamp')
                if self._age.has_begun else
                ('an old one, or one made who knows when', 'one without a stamp, until /clock '
                 'has come (use_sim_time is set)'))
            raise InvalidInputError('command', found, allowed)

    def _hold(self):
        self._watchdog.reset()
        self._send(self._backend.read())

    def _hold_chain(self, measured):
        self._send({name: measured[name] for name in self._chain})

    def _send(self, goals):
        if any(goals.get(name, self._goals[name]) != self._goals[name] for name in self._chain):
            self._sent_elsewhere = self._clock()
        self._backend.write(goals)
        self._goals.update(goals)
