# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Back ends by name."""

from importlib import import_module

from ..errors import did_you_mean, DriverError

#: Module of each back end, and what makes one there; it is imported when it is asked for.
_BACKENDS = {'simulated': ('simulated', 'Simulated'), 'feetech': ('feetech.feetech', 'Feetech'),
             'dynamixel': ('dynamixel.dynamixel', 'dynamixel'), 'lx16a': ('lx16a.lx16a', 'Lx16a'),
             'pca9685': ('pca9685.pca9685', 'Pca9685')}


def backend_names():
    """Return the names that :func:`make_backend` knows, as a tuple."""
    return tuple(_BACKENDS)


def make_backend(name, model, **options):
    """
    Return a back end, not open.

    :param name: one of :func:`backend_names`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel` whose joints it moves.
    :param options: as the back end's own constructor takes them.
    :raises DriverError: if no back end has that name, or what it needs is not installed.
    """
    if name not in _BACKENDS:
        raise DriverError(name, f'no such back end; {did_you_mean(name, _BACKENDS)}'
                          f'there are: {", ".join(_BACKENDS)}')
    module, kind = _BACKENDS[name]
    try:
        return getattr(import_module(f'.{module}', __package__), kind)(model, **options)
    except ModuleNotFoundError as error:
        raise DriverError(name, f'needs the Python module {error.name}: '
                          'pip install "arm_ik[servos]"') from None
