# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What serves the tools on both kinds of Dynamixel servos."""

from ..serial_maintenance import SerialMaintenance
from ...errors import DriverError


class DynamixelMaintenance(SerialMaintenance):
    """Dynamixel servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name = 'dynamixel'

    def set_id(self, servo_id, new_id):
        """See :meth:`~.maintenance.Maintenance.set_id`; its torque has to be off."""
        if self._holds(servo_id) is not False:
            raise DriverError(self.name, f'id {servo_id} holds; nothing is written then. Switch '
                                         'the power of the arm off and on, and it is limp')
        super().set_id(servo_id, new_id)
