# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Back ends by name."""

from .simulated import Simulated
from ..errors import did_you_mean, DriverError

_BACKENDS = {backend.name: backend for backend in (Simulated,)}


def backend_names():
    """Return the names that :func:`open_backend` knows, as a tuple."""
    return tuple(_BACKENDS)


def open_backend(name, model, **options):
    """
    Return a back end, connected.

    :param name: one of :func:`backend_names`.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel` whose joints it moves.
    :param options: as the back end's own constructor takes them.
    :raises DriverError: if no back end has that name, or it cannot be connected.
    """
    if name not in _BACKENDS:
        raise DriverError(name, f'no such back end; {did_you_mean(name, _BACKENDS)}'
                          f'there are: {", ".join(_BACKENDS)}')
    backend = _BACKENDS[name](model, **options)
    backend.connect()
    return backend
