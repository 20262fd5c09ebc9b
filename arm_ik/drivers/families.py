# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The one table of the servos that can be driven: who makes the back end, what its servos have.

Nothing is imported here: :mod:`.registry` does that by these names when one is asked for.
"""

from typing import NamedTuple, Optional, Tuple


class Family(NamedTuple):
    """
    The servos of one kind of bus.

    ``backend`` and ``tools`` are module and class of the back end and of what serves ``arm_ik
    servos``; empty: there are none. ``turn`` is in ticks, ``None`` where ticks are no angle; they
    go from 0 to ``last_tick``. The keys are those of the servos file; the first of a joint's is
    what tells a servo from others.
    """

    backend: Tuple[str, ...]
    tools: Tuple[str, ...]
    turn: Optional[float] = 4096.0
    last_tick: int = 4095
    joint_keys: Tuple[str, ...] = ('id', 'model', 'homing_offset', 'max_force')
    bus_keys: Tuple[str, ...] = ('port', 'baud', 'patience')
    bus_rate: float = 100.0
    baud: int = 1000000


_DYNAMIXEL = ('port', 'baud', 'patience', 'protocol')

#: By the name in the servos file; the 1 is for ``protocol: 1``, AX-12 and its kin.
FAMILIES = {
    'simulated': Family(('simulated', 'Simulated'), ()),
    'feetech': Family(('feetech.feetech', 'Feetech'), ('feetech.line', 'FeetechMaintenance')),
    'dynamixel': Family(
        ('dynamixel.x_series', 'XSeries'), ('dynamixel.x_line', 'XMaintenance'),
        joint_keys=('id', 'model', 'homing_offset', 'drive_mode', 'max_force', 'shadow_ids'),
        bus_keys=_DYNAMIXEL),
    'dynamixel1': Family(
        ('dynamixel.ax_series', 'AxSeries'), ('dynamixel.ax_line', 'AxMaintenance'),
        1023 * 1.2, 1023, ('id', 'model', 'max_force'), _DYNAMIXEL),    # 1023 ticks: 300 degrees
    'lx16a': Family(('lx16a.lx16a', 'Lx16a'), ('lx16a.line', 'Lx16aMaintenance'),
                    1500.0, 1000, ('id', 'homing_offset'), bus_rate=50.0, baud=115200),
    'pca9685': Family(
        ('pca9685.pca9685', 'Pca9685'), ('pca9685.maintenance', 'Pca9685Maintenance'),
        None, 20000, ('channel',), ('port', 'address', 'frequency', 'oscillator'), 50.0)}


def family_name(backend, protocol=2):
    """Return the key of a back end in :data:`FAMILIES`."""
    return 'dynamixel1' if (backend, protocol) == ('dynamixel', 1) else backend
