# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Simulated servos that carry weight and touch things: they sag, grip, stall, and are limp.

The world goes on by whole steps whenever the servos are spoken to. Where that is too late it loses
time and does not catch up.
"""

import time

import mujoco
import numpy as np

from .world import make_spec
from ..simulated import Imperfections, Simulated
from ...description.urdf import links
from ...errors import DriverError

#: Longest time that passes at once, and how much the world may lose before that is reported [s].
_MOST, _LOST = 0.1, 0.5

#: Damping of a joint that is blocked [N m s/rad].
_JAMMED = 1e6

#: How deep an object may be in something at the start [m].
_DEEP = 0.002


#: It would write a file; what it warns of is looked for here.
mujoco.set_mju_user_warning(lambda _: None)


class Mujoco(Simulated):
    """
    Simulated servos in a world with weight; their imperfections come on top.

    ``world`` and ``data`` are MuJoCo's ``MjModel`` and ``MjData``. ``objects`` has by name the
    place [m] of each object of the ``scene``, its turn w, x, y, z, and the names of what it
    touches. The world rests while the back end is closed.

    :param scene: the objects, each a :class:`~arm_ik.kinematics.model.SceneObject`.
    :raises DriverError: for a world that cannot be, or an object that is in something else.

    The other parameters are those of :class:`~..simulated.Simulated`.
    """

    name = 'mujoco'

    def __init__(self, model, start=None, clock=time.monotonic, imperfections=Imperfections(),
                 seed=0, scene=()):
        super().__init__(model, start, clock, imperfections, seed)
        try:
            self.world = world = make_spec(model, scene).compile()
        except ValueError as error:
            raise DriverError(self.name, f'no such world: {error}') from None
        guessed = ', '.join(name for name, joint in self.joints.items() if joint.mass is None)
        self.notes += [f'guessed are the masses of the links of {guessed}'] * bool(guessed)
        self.scene, self.data = scene, mujoco.MjData(world)
        # Of all joints, whose servos are in this order.
        self._places = [world.joint(name).qposadr[0] for name in self.joints]
        self._speeds = [world.joint(name).dofadr[0] for name in self.joints]
        self._names = [world.body(body).name for body in world.geom_bodyid]
        self._bodies = [world.body(each.name).id for each in scene]
        self._strength = world.actuator_forcerange[:, 1].copy()
        self._damping = world.dof_damping[self._speeds]
        self._followers = [link for link in links(model) if link.follows]
        self._reset, self._then, self._behind, self._said = False, clock(), 0.0, _LOST
        self.push({})
        for contact in self.data.contact:
            names = [self._names[geom] for geom in contact.geom]
            if contact.dist < -_DEEP and not self.objects.keys().isdisjoint(names):
                raise DriverError(self.name, f'{names[0]} is {-1e3 * contact.dist:.0f} mm deep in '
                                  f'{names[1]}: give the object another position')

    def open(self):  # noqa: A003
        """See :meth:`~..backend.Backend.open`."""
        if self._bus is None:
            self._then = self.clock()
        super().open()

    def read_health(self, name):
        """See :meth:`~..backend.Backend.read_health`; a servo trips at its largest torque."""
        health, servo = super().read_health(name), self.world.actuator(name).id
        load = float(self.data.actuator_force[servo] / self._strength[servo])
        return health._replace(load=load, strain=max(health.strain, abs(load)))

    def push(self, positions):
        """Move joints by hand to positions by name, and all to rest."""
        super().push(positions)
        self.data.qpos[self._places] = [self._positions[name] for name in self.joints]
        for link in self._followers:
            self.data.joint(f'{link.name}_joint').qpos = link.follows * self._positions[
                link.joint.name]
        self.data.qvel[:] = 0.0
        mujoco.mj_forward(self.world, self.data)
        self._look()

    def reset_objects(self):
        """Have the objects put where they were at the start; from any thread."""
        self._reset = True

    def step(self, steps):
        """
        Let so many steps of the world pass.

        :raises DriverError: if its state is not finite; all is at rest then where it was before.
        """
        before = self.data.qpos.copy()
        mujoco.mj_step(self.world, self.data, steps)
        if not np.isfinite((*self.data.qpos, *self.data.qvel)).all():
            mujoco.mj_resetData(self.world, self.data)
            self.data.qpos[:] = before
            mujoco.mj_forward(self.world, self.data)
            raise DriverError(self.name, 'the state was no longer finite: all is at rest where it '
                              'was before')
        self._look()

    def _move(self):
        if self._reset:
            self._reset = False
            mujoco.mj_resetData(self.world, self.data)
            self.push({})
        self.data.ctrl[:] = [self._set_points[name] for name in self.joints]
        torque = self._strength * [self._torque[name] for name in self.joints]
        self.world.actuator_forcerange[:] = np.stack([-torque, torque], axis=-1)
        self.world.dof_damping[self._speeds] = self._damping + [
            _JAMMED * (name == self._imperfections.blocked) for name in self.joints]
        late = max(0.0, self.clock() - self._then - _MOST)
        self._then += late
        self._behind += late
        if self._behind > self._said:
            self._said = 2.0 * self._behind
            self.notes.append('this machine is too slow for the world, which is '
                              f'{self._behind:.1f} s behind by now')
        steps = int((self.clock() - self._then) / self.world.opt.timestep + 1e-6)
        if steps > 0:
            self._then += steps * self.world.opt.timestep
            self.step(steps)

    def _look(self):
        self._positions.update(zip(self.joints, self.data.qpos[self._places].tolist()))
        touches = {each.name: set() for each in self.scene}
        for one, other in self.data.contact.geom.tolist() if touches else ():
            one, other = self._names[one], self._names[other]
            touches.get(one, set()).add(other)
            touches.get(other, set()).add(one)
        self.objects = {name: (tuple(at), tuple(turn), tuple(sorted(touches[name])))
                        for name, at, turn in zip(touches, *(
                            each[self._bodies].round(6).tolist()
                            for each in (self.data.xpos, self.data.xquat)))}
