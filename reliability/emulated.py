# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The emulated servos of the tests, for experiments."""

from importlib import import_module
import sys

from .figures import NotPossibleHere, ROOT

#: Where the tests of servos are.
FOLDER = ROOT / 'test' / 'servos'


def serial_buses():
    """
    Return ``test/servos/serial_buses.py``; its neighbours can be imported from then on.

    :raises NotPossibleHere: if what drives servos is not installed.
    """
    try:
        import serial, smbus2  # noqa: E401, F401
    except ImportError as error:
        raise NotPossibleHere(f'{error.name} is not installed') from None
    sys.path.insert(0, str(FOLDER))
    return import_module('serial_buses')
