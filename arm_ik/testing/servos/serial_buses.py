# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The serial buses that faults, commands and judges are tried on: one arm on each.

A bus added here goes through all of them. What cannot occur on it, it has to say.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from time import monotonic
from types import ModuleType
from typing import Dict, Tuple

from .emulated_bus import EmulatedBus
from ...arm import Arm
from ...description.presets import config_directory
from ...drivers import make_backend
from ...drivers.servos_file import load_servos, servos_from_parameters

#: How long an answer may take on a busy machine [s].
PATIENCE = 0.15


@dataclass(frozen=True, eq=False)
class SerialBus:
    """
    One arm on a bus: the preset and the servos file of that name, and its emulated servos.

    ``kind`` is the module of the servos in this folder; ``ticks`` where they are at first, by
    id; ``more_of`` what else some are made with, by id. ``another`` is a register, its value, and
    what is said of a servo in which it has that; ``counts_turns`` are those that let a servo count
    turns. ``cannot`` says why a fault cannot occur, by a part of its test's name. ``block`` is the
    servos file of a bus of which none comes with the package; ``health_reads`` is how often a
    servo's health is read until all of it is new.
    """

    name: str
    arm: str
    kind: str
    ticks: Dict[int, int]
    another: Tuple[int, int, str]
    last_tick: int = 4095
    counts_turns: Tuple[Tuple[int, int], ...] = ()
    more_of: dict = field(default_factory=dict)
    cannot: Dict[str, str] = field(default_factory=dict)
    block: dict = field(default_factory=dict)
    health_reads: int = 1

    @cached_property
    def model(self):
        """Return the arm."""
        return Arm.preset(self.arm).model

    @cached_property
    def joints(self):
        """Names of all joints, chain first."""
        return [*self.model.all_joints]

    @property
    def pan(self):
        """Return the first joint; :attr:`elbow`, :attr:`wrist` and :attr:`gripper` are others."""
        return self.joints[0]

    @property
    def elbow(self):
        return self.joints[2]

    @property
    def wrist(self):
        return self.joints[3]

    @property
    def gripper(self):
        return self.model.extra_joints[0].name

    @cached_property
    def file(self):
        """Return the servos file, if there is none of its own that comes with the package."""
        if self.block:
            return servos_from_parameters(self.block, self.joints)
        return load_servos(config_directory() / 'servos' / f'{self.arm}.yaml', self.joints)

    @cached_property
    def ids(self):
        """Ids of the servos, by their joints' names."""
        return {name: servo.id for name, servo in self.file.joints.items() if not servo.same_as}

    @cached_property
    def servos(self) -> ModuleType:
        """Return the module of the emulated servos."""
        return import_module(f'.{self.kind}', __package__)

    def id_of(self, name):
        """Return the id of the servo that drives a joint."""
        return self.ids[self.file.joints[name].same_as or name]

    def ticks_of(self, name):
        """Return the :class:`~arm_ik.drivers.servos_file.JointTicks` of a joint."""
        return self.file.joints[self.file.joints[name].same_as or name].ticks

    def tick(self, name, position):
        """Return the tick of a joint at a position, a float."""
        return self.ticks_of(name).tick(position)

    def position(self, name, tick):
        """Return the position of a joint at a tick."""
        return self.ticks_of(name).position(tick)

    def emulated(self, folder, **config):
        """Return the bus, a process to be entered; its port is in a folder."""
        servos = [self.servo(servo_id, position=tick) for servo_id, tick in self.ticks.items()]
        return EmulatedBus(folder, kind=self.kind, servos=servos, **config)

    def servo(self, servo_id, **more):
        """Return the arguments of an emulated servo."""
        return {'servo_id': servo_id, **self.more_of.get(servo_id, {}), **more}

    def backend(self, port, joints={}, patience=PATIENCE, clock=monotonic, **more):
        """Return the back end on a port, with other joints in its file, or more that is other."""
        file = replace(self.file, port=port, patience=patience,
                       joints={**self.file.joints, **joints}, **more)
        return make_backend(file.backend, self.model, servos=file, clock=clock)

    def changed(self, name, **more):
        """Return a joint for :meth:`backend` with a servo that is changed."""
        return {name: replace(self.file.joints[name], **more)}


FEETECH = SerialBus(
    'feetech', 'so101', 'sts_servos',
    {1: 2047, 2: 1265, 3: 2829, 4: 2438, 5: 2100, 6: 2000}, (33, 1, 'runs in mode 1'),
    counts_turns=((18, 28),))

DYNAMIXEL = SerialBus(
    'dynamixel', 'px100', 'dxl_servos', {1: 2100, 2: 1461, 3: 2570, 4: 2309, 5: 2200},
    (11, 1, 'runs in mode 1'),
    more_of={2: {'drive_mode': 1}, 3: {'drive_mode': 1}, 4: {'drive_mode': 1}})

AX12 = SerialBus(
    'ax12', 'phantomx_pincher', 'ax_servos', {1: 540, 2: 395, 3: 902, 4: 590, 5: 300},
    (0, 64, 'is of model 64'), last_tick=1023,
    cannot={'outside_of_a_turn': 'a position has ten bits, and all of them are in its range'})

LX16A = SerialBus(
    'lx16a', 'so101', 'lx16a_servos', {1: 500, 2: 786, 3: 786, 4: 643, 5: 514, 6: 270},
    (29, 1, 'runs as a motor'), last_tick=1000,
    cannot={'complains_of_is_reported_with_its_position[lx16a-overload]':
            'a servo goes limp then, and does not say why'},
    block={'backend': 'lx16a', 'port': 'none', 'joints': {
        'shoulder_pan': {'id': 1, 'zero': 500, 'direction': 1, 'lower_tick': 30,
                         'upper_tick': 970},
        'shoulder_lift': {'id': 2, 'zero': 500, 'direction': -1, 'lower_tick': 70,
                          'upper_tick': 930},
        'elbow_flex': {'id': 3, 'zero': 500, 'direction': 1, 'lower_tick': 80, 'upper_tick': 920},
        'wrist_flex': {'id': 4, 'zero': 500, 'direction': 1, 'lower_tick': 80, 'upper_tick': 920},
        'wrist_roll': {'id': 5, 'ticks': [0, 1000], 'positions': [-2.9, 2.9]},
        'gripper': {'id': 6, 'zero': 100, 'direction': 1, 'lower_tick': 50, 'upper_tick': 530}}},
    health_reads=3)

BUSES = (FEETECH, DYNAMIXEL, AX12, LX16A)


class Time:
    """A clock [s] for the back end; moved by hand, and the time of the servos with it."""

    def __init__(self, emulated):
        self.now = 1000.0
        self._emulated = emulated

    def __call__(self):
        return self.now

    def advance(self, seconds):
        """Let time pass."""
        self.now += seconds
        self._emulated.do('advance', seconds=seconds)
