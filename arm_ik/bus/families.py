# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The one table of the servos that can be driven: their back ends, and what they have.

The module of a family is imported when one of its servos is asked for.
"""

from importlib import import_module
from typing import NamedTuple

from .coupled import Coupled
from ..errors import did_you_mean, DriverError, missing_module


class Family(NamedTuple):
    """
    The servos of one kind of bus.

    ``backend`` and ``tools`` are the classes in ``module`` of the back end and of what serves
    ``arm_ik servos``; empty: there are none. ``turn`` is in ticks, ``None`` where ticks are no
    angle; they go from 0 to ``last_tick``. ``over_jump`` is what lets a joint go over the jump
    from there to 0: a homing ``'offset'``, a mode that counts ``'turns'``, or nothing. The keys
    are those of the servos file; the first of a joint's is what identifies a servo. ``port`` is
    the default; ``None``: there is none.
    """

    name: str
    module: str
    backend: str
    tools: str = ''
    turn: float | None = 4096.0
    last_tick: int = 4095
    joint_keys: tuple[str, ...] = ('id', 'model', 'homing_offset', 'max_force')
    bus_keys: tuple[str, ...] = ('port', 'baud', 'patience')
    bus_rate: float = 100.0
    baud: int = 1000000
    over_jump: str = ''
    port: str | None = None


_DYNAMIXEL = ('port', 'baud', 'patience', 'protocol')

#: By the name in the servos file; the 1 is for ``protocol: 1``, AX-12 and its kin.
FAMILIES = {family.name: family for family in (
    Family('simulated', 'simulated', 'Simulated', port=''),
    Family('mujoco', 'mujoco', 'Mujoco', port=''),
    Family('feetech', 'feetech', 'Feetech', 'FeetechMaintenance', over_jump='offset'),
    Family('dynamixel', 'dynamixel.x_series', 'XSeries', 'XMaintenance',
           joint_keys=('id', 'model', 'homing_offset', 'drive_mode', 'max_force', 'shadow_ids'),
           bus_keys=_DYNAMIXEL, over_jump='turns'),
    # 1023 ticks: 300 degrees
    Family('dynamixel1', 'dynamixel.ax_series', 'AxSeries', 'AxMaintenance', 1023 * 1.2, 1023,
           ('id', 'model', 'max_force'), _DYNAMIXEL),
    Family('lx16a', 'lx16a.lx16a', 'Lx16a', 'Lx16aMaintenance', 1500.0, 1000,
           ('id', 'homing_offset'), bus_rate=50.0, baud=115200),
    Family('pca9685', 'pca9685.pca9685', 'Pca9685', 'Pca9685Maintenance', None, 20000,
           ('channel',), ('port', 'address', 'frequency', 'oscillator'), 50.0,
           port='/dev/i2c-1'))}

#: Those without real servos, and those with: the tools serve them.
SIMULATED = tuple([name for name, family in FAMILIES.items() if not family.tools])
REAL = tuple([name for name in FAMILIES if name not in SIMULATED])


def family_name(backend, protocol=2):
    """Return the key of a back end in :data:`FAMILIES`."""
    return 'dynamixel1' if (backend, protocol) == ('dynamixel', 1) else backend


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
    kind = _imported(name, family, 'backend', backend_names(), 'no such back end; ')
    if any(servo.plus for servo in getattr(options.get('servos'), 'joints', {}).values()):
        return Coupled(kind, model, **options)
    return kind(model, **options)


def bus_kind(name):
    """
    Return a subclass of :class:`~.maintenance.Maintenance`.

    :param name: of the back end, one of :data:`REAL`.
    :raises DriverError: if it has no such tools, or what it needs is not installed.
    """
    return _imported(name, name, 'tools', REAL, 'no tools for such servos; ')


def _imported(name, family, what, names, words):
    if name not in names:
        raise DriverError(name, f'{words}{did_you_mean(name, names)}there are: {", ".join(names)}')
    kind = FAMILIES[family]
    try:
        return getattr(import_module(f'.{kind.module}', __package__), getattr(kind, what))
    except ModuleNotFoundError as error:
        raise DriverError(name, missing_module(error)) from None
