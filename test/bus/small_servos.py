# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The servos of the small arm: one with its horn reversed, and a slide driven over a crank."""

from arm_ik.drivers.servos_file import servos_from_parameters
from small_arm import HOME, JOINTS

_BLOCKS = {
    'yaw': {'id': 1, 'zero': 2048, 'direction': 1, 'lower_tick': 50, 'upper_tick': 4046},
    'shoulder': {'id': 2, 'zero': 1000, 'direction': 1, 'lower_tick': 600, 'upper_tick': 2700},
    'elbow': {'id': 3, 'zero': 1000, 'direction': -1, 'lower_tick': 900, 'upper_tick': 2700},
    'wrist': {'id': 4, 'zero': 2100, 'direction': -1, 'lower_tick': 1000, 'upper_tick': 3200},
    'gripper': {'id': 5, 'zero': 1500, 'direction': 1, 'lower_tick': 1300, 'upper_tick': 2600},
    'slide': {'id': 6, 'ticks': [3000, 2500, 1500], 'positions': [0.0, 0.01, 0.04]}}


class SmallServos:
    """
    The servos of the small arm on one bus.

    :param backend: its name.
    :param kind: the module of the emulated servos.
    :param blocks: the joints of the servos file.
    :param extra: what else each of the emulated servos is made with.
    :param bus: what else stands in the servos file.
    """

    def __init__(self, backend, kind, blocks, extra={}, **bus):
        self._block = {'backend': backend, 'patience': 0.3, 'joints': blocks, **bus}
        self.emulated = {'kind': kind, 'servos': [
            {**dict(zip(('servo_id', 'position'), self.place(name, HOME[name]))), **extra}
            for name in JOINTS]}

    def file(self, port):
        """Return the servos file on a port."""
        return servos_from_parameters({**self._block, 'port': port}, JOINTS)

    def place(self, name, position):
        """Return the id of a joint's servo and the tick at a position."""
        servo = self.file('none').joints[name]
        return servo.id, servo.ticks.tick(position)


class LinkedServos(SmallServos):
    """The same, but the elbow's servo turns the sum of shoulder and elbow."""

    def place(self, name, position, shoulder=HOME['shoulder']):
        """Return the same, with the shoulder at a position."""
        return super().place(name, position + shoulder if name == 'elbow' else position)


LINKED = LinkedServos('feetech', 'sts_servos', {
    **_BLOCKS, 'gripper': {**_BLOCKS['gripper'], 'max_force': 0.4}, 'elbow': {
        'id': 3, 'zero': 2048, 'direction': -1, 'lower_tick': 60, 'upper_tick': 4030,
        'plus': 'shoulder'}})

FEETECH = SmallServos('feetech', 'sts_servos', {
    **_BLOCKS, 'gripper': {**_BLOCKS['gripper'], 'max_force': 0.4}})

DYNAMIXEL = SmallServos('dynamixel', 'dxl_servos', {
    **_BLOCKS, 'gripper': {**_BLOCKS['gripper'], 'max_force': 0.4}},
    {'model': 'XM430-W350', 'mode': 5})

AX12 = SmallServos('dynamixel', 'ax_servos', {
    'yaw': {'id': 1, 'zero': 512, 'direction': 1, 'lower_tick': 0, 'upper_tick': 1023},
    'shoulder': {'id': 2, 'zero': 300, 'direction': 1, 'lower_tick': 150, 'upper_tick': 800},
    'elbow': {'id': 3, 'zero': 300, 'direction': -1, 'lower_tick': 280, 'upper_tick': 800},
    'wrist': {'id': 4, 'zero': 512, 'direction': -1, 'lower_tick': 200, 'upper_tick': 820},
    'gripper': {'id': 5, 'zero': 450, 'direction': 1, 'lower_tick': 400, 'upper_tick': 800,
                'max_force': 0.4},
    'slide': {'id': 6, 'ticks': [900, 750, 450], 'positions': [0.0, 0.01, 0.04]}}, protocol=1)

LX16A = SmallServos('lx16a', 'lx16a_servos', {
    'yaw': {'id': 1, 'ticks': [20, 980], 'positions': [-3.2, 3.2]},
    'shoulder': {'id': 2, 'zero': 100, 'direction': 1, 'lower_tick': 0, 'upper_tick': 720},
    'elbow': {'id': 3, 'zero': 100, 'direction': -1, 'lower_tick': 80, 'upper_tick': 720},
    'wrist': {'id': 4, 'zero': 500, 'direction': -1, 'lower_tick': 100, 'upper_tick': 900},
    'gripper': {'id': 5, 'zero': 200, 'direction': 1, 'lower_tick': 100, 'upper_tick': 600},
    'slide': {'id': 6, 'ticks': [900, 700, 300], 'positions': [0.0, 0.01, 0.04]}})
