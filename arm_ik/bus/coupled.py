# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Parallel linkages: a servo that turns the sum of two joints, around any back end.

Its servo has the position ``joint + other``: where the other joint turns alone, this servo turns
along, and where it is held, so is the sum.
"""

from dataclasses import replace
import time

from .backend import Openable, Snapshot
from .torque import STAYS
from ..errors import DriverError


class Coupled(Openable):
    """
    A back end some of whose joints are sums; what is not here is the back end's own.

    Inside, the positions are those of servos. A sum is made with the last set-point of the other
    joint; without torque that one has none, and is where it is measured.

    :param kind: the class of the back end.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param clock: returns the time [s].
    """

    def __init__(self, kind, model, servos, clock=time.monotonic):
        self._other = {name: servo.plus for name, servo in servos.joints.items() if servo.plus}
        self.model, self._narrowings = servos.narrowed(model)
        joints = {joint.name: joint for joint in model.joints}
        home = dict(zip(self.model.joint_names, self.model.home))
        inside = [joint if joint.name not in self._other else replace(joint, **{
            key: getattr(joint, key) + getattr(joints[self._other[joint.name]], key)
            for key in ('lower', 'upper', 'max_velocity')}) for joint in model.joints]
        self._inner = kind(
            replace(model, joints=inside, home=[*self._summed(home).values()], floor_height=None),
            replace(servos, joints={
                name: replace(servo, plus=None) for name, servo in servos.joints.items()}), clock)
        self.joints = self.model.all_joints
        self.home = {**self._inner.home, **home}
        self._at = {}

    def __getattr__(self, name):
        return getattr(self._inner, name)

    @property
    def notes(self):
        """Hold words for the log."""
        return [*self._narrowings, *self._inner.notes]

    @property
    def resolution(self):
        """Smallest step of a reading by joint name [rad, m]."""
        return self._summed(self._inner.resolution)

    def read(self):
        """Return where the joints are, as in :meth:`.backend.Backend.read`."""
        inner = self._inner.read()
        readings, missing = dict(inner.readings), dict(inner.missing)
        for name, other in self._other.items():
            if name in readings and other in readings:
                of_sum, of_other = readings[name], readings[other]
                readings[name] = of_sum._replace(position=of_sum.position - of_other.position,
                                                 stamp=min(of_sum.stamp, of_other.stamp),
                                                 velocity=of_sum.velocity - of_other.velocity)
            elif name in readings:
                del readings[name]
                missing[name] = f'{other} is missing: {missing[other]}'
        return Snapshot(readings, {name: missing[name] for name in self.joints if name in missing})

    def write(self, set_points):
        """Write set-points, as in :meth:`.backend.Backend.write`."""
        self._inner.require_finite(set_points)
        self._at.update({name: each for name, each in set_points.items() if name in self._at})
        at = {**set_points, **self._at}
        moved = {name for name, other in self._other.items() if other in set_points}
        self._inner.write({name: position for name, position in self._summed(at).items()
                           if name in set_points or name in moved})

    def engage(self, names=None, most=STAYS):
        """Switch torque on where the joints are, as in :meth:`.backend.Backend.engage`."""
        names = list(self.joints) if names is None else names
        measured = self._inner.read()
        for name in names:
            other = self._other.get(name, name)
            if other not in self._at and other not in names and other in measured.missing:
                raise DriverError(self.name, f'no torque for {name} without the position of '
                                             f'{other}: {measured.missing[other]}')
        held = self._inner.engage(names, most)
        at = {**measured.positions, **self._at, **held}
        self._at.update({name: held[name] - (
            at[self._other[name]] if name in self._other else 0.0) for name in names})
        return {name: self._at[name] for name in names}

    def set_torque(self, on, names=None):
        """Switch torque, as in :meth:`.backend.Backend.set_torque`."""
        self._inner.set_torque(on, names)
        for name in (self.joints if names is None else names) if not on else ():
            self._at.pop(name, None)

    def _summed(self, positions):
        """Return what servos have to have of positions by joint name, as far as both are known."""
        return {name: position + positions[self._other[name]] if name in self._other else position
                for name, position in positions.items()
                if name not in self._other or self._other[name] in positions}
