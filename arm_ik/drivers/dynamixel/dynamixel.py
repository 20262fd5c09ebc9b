# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Dynamixel servos, by the protocol that the servos file names."""

import time

from .ax_series import AxSeries
from .x_series import XSeries


def dynamixel(model, servos, clock=time.monotonic):
    """
    Return the back end for an arm's Dynamixel servos.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param clock: returns the time [s].
    """
    return (AxSeries if servos.protocol == 1 else XSeries)(model, servos, clock)
