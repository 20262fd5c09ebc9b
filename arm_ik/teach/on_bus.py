# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm by its servos, with a driver of its own and without ROS."""

from contextlib import suppress

from ..arm import Arm
from ..drivers import ServoDriver
from ..errors import DriverError, InvalidInputError
from ..servos.arguments import load, require_all

#: Longest wait for the bus [s].
_PATIENCE = 3.0

#: What a servos file says of a driver.
_OF_DRIVER = ('bus_rate', 'max_lead', 'on_fault', 'stall_guard', 'trim')


class OnBus:
    """
    The arm of a servos file, as :mod:`~..replay.player` wants it.

    ``arm`` is the :class:`~arm_ik.arm.Arm`, inside the limits of its servos. Nothing is switched before :meth:`torque`.

    :param options: with ``arm`` and ``servos``, of the command line.
    :raises DriverError: if servos do not answer, or are others.
    """

    def __init__(self, options):
        _, servos, self._backend = load(options)
        if not self._backend.has_feedback:
            raise DriverError(self._backend.name, 'these servos measure nothing, so that they cannot '
                              'be taught; replay needs a driver_node that runs, without --servos')
        self.arm = Arm(self._backend.model)
        self._driver = ServoDriver(self._backend, **{
            name: getattr(servos, name) for name in _OF_DRIVER})
        self._begun = False
        self._backend.open()
        require_all(self._backend)

    @property
    def reports(self):
        """Return the status of the driver."""
        return self._driver.status

    @property
    def measured(self):
        """Newest positions by joint name [rad, m]."""
        found = self._driver.snapshot if self._begun else self._backend.read()
        return {} if found is None else found.positions

    @property
    def set_points(self):
        """Set-points by joint name [rad, m]."""
        return self._driver.set_points

    @property
    def problem(self):
        """Return in words why the arm takes no commands, or ``''``."""
        return self._driver.condition if self.reports['commands'] == 'refused' else ''

    def torque(self, on):
        """Give all servos torque, where they are; or take it: a real arm falls."""
        if not self._begun:
            self._driver.connect(limp=not on)
            self._driver.start()
            self._begun = True
        self._driver.set_torque(on).result(_PATIENCE)

    def enable(self, on):
        """Return at once: there are no other senders."""

    def follow(self, names, positions, velocities):
        """Take one command of a stream."""
        with suppress(InvalidInputError):   # the problem says why
            self._driver.command(names, positions, 0.0, velocities)

    def close(self):
        """Give the bus back; every servo keeps its torque, or stays limp."""
        if self._begun:
            self._driver.close()
        self._backend.close()
