# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Back ends, and what serves the tools, by name: imported when they are asked for."""

from importlib import import_module

from .families import FAMILIES
from ..errors import did_you_mean, DriverError


def backend_names():
    """Return the names that :func:`make_backend` knows, as a tuple."""
    return tuple(name for name in FAMILIES if name != 'dynamixel1')


def make_backend(name, model, **options):
    """
    Return a back end, not open.

    :param name: one of :func:`backend_names`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel` whose joints it moves.
    :param options: as the back end's own constructor takes them.
    :raises DriverError: if no back end has that name, or what it needs is not installed.
    """
    family = getattr(options.get('servos'), 'family', name)
    return _imported(name, family, 'backend', backend_names(), 'no such back end; ')(
        model, **options)


def bus_names():
    """Return the names that :func:`bus_kind` knows, as a tuple."""
    return tuple(name for name, family in FAMILIES.items() if family.tools)


def bus_kind(name):
    """
    Return a subclass of :class:`~.maintenance.Maintenance`.

    :param name: of the back end, one of :func:`bus_names`.
    :raises DriverError: if it has no such tools, or what it needs is not installed.
    """
    return _imported(name, name, 'tools', bus_names(), 'no tools for such servos; ')


def _imported(name, family, what, names, otherwise):
    if name not in names:
        raise DriverError(name, f'{otherwise}{did_you_mean(name, names)}there are: '
                                f'{", ".join(names)}')
    module, kind = getattr(FAMILIES[family], what)
    try:
        return getattr(import_module(f'.{module}', __package__), kind)
    except ModuleNotFoundError as error:
        raise DriverError(name, f'needs the Python module {error.name}: '
                          'pip install "arm_ik[servos]"') from None
