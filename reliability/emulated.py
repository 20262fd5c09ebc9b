# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The emulated servos, where a machine has what drives servos."""

from importlib import import_module

from .figures import NotPossibleHere


def serial_buses():
    """
    Return :mod:`arm_ik.testing.servos.serial_buses`.

    :raises NotPossibleHere: if what drives servos is not installed.
    """
    try:
        import serial, smbus2  # noqa: E401, F401
    except ImportError as error:
        raise NotPossibleHere(f'{error.name} is not installed') from None
    return import_module('arm_ik.testing.servos.serial_buses')
