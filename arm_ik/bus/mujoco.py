# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A world with weight, in the simulator MuJoCo: simulated servos carry weight and touch things.

They sag, grip, stall, and are limp. The world goes on by whole steps whenever the servos are
spoken to. Where that is too late it loses time and does not catch up.

An arm and the objects around it are a model of MuJoCo, made of the arm's URDF. Links of the arm do
not touch each other, nor the base what is fixed. What is drawn is in group 1, what touches in
group 3. A servo is a spring with a largest torque, friction and damping; a joint stops a little
past its limits. The floor is at the bottom of the base.
"""

import mujoco
import numpy as np

from .simulated import Simulated
from ..description.collision_shapes import base_cylinders, radius_of
from ..description.inertia import servo_of
from ..description.urdf import links, to_urdf
from ..description.urdf_tree import rotation
from ..errors import DriverError
from ..kinematics.model import KeepOut

#: How far past its limits a joint stops: an angle [rad], of a prismatic one a part of its range.
STOP = 0.1

#: Dry friction as a part of the torque, and inertia of motor and gears as a part of the stiffness
#: [s^2]: those of an STS3215.
_FRICTION, _ARMATURE = 0.052 / 2.94, 0.028 / 17.8

#: After an error the state is not to jump, and with MuJoCo's own cones a cube creeps in the hand.
_OPTIONS = """<mujoco>
  <compiler fusestatic="false" discardvisual="false"/>
  <option timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="100">
    <flag autoreset="disable"/>
  </option>
</mujoco></robot>"""

_TYPES = {'box': mujoco.mjtGeom.mjGEOM_BOX, 'cylinder': mujoco.mjtGeom.mjGEOM_CYLINDER,
          'sphere': mujoco.mjtGeom.mjGEOM_SPHERE, 'half_space': mujoco.mjtGeom.mjGEOM_PLANE}

#: Time constant of contacts [s], at least two steps. MuJoCo leaves centripetal acceleration out of
#: contacts, so in a hand that turns about the base an object slips in proportion to this.
_SOFT = 0.005

#: Colour of the floor: red, green, blue, opacity.
_FLOOR = (0.93, 0.94, 0.96, 1.0)

#: Longest time that passes at once, and how much the world may lose before that is reported [s].
_MOST, _LOST = 0.1, 0.5

#: Damping of a joint that is blocked [N m s/rad].
_JAMMED = 1e6

#: How deep an object may be in something at the start [m].
_DEEP = 0.002

#: It would write a file; what it warns of is looked for here.
mujoco.set_mju_user_warning(lambda _: None)


def make_spec(model, objects=()):
    """
    Return a model to be compiled, a ``mujoco.MjSpec``.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param objects: each a :class:`~arm_ik.kinematics.model.SceneObject`.
    """
    spec = mujoco.MjSpec.from_string(to_urdf(model).replace('</robot>', _OPTIONS))
    for geom in spec.geoms:     # with bit 0 it is hit by others alone, which have bits 0 and 1
        geom.group, geom.conaffinity = (3, 0) if geom.contype else (1, 0)
    for joint in spec.joints:
        by = STOP * (np.ptp(joint.range) if joint.type == mujoco.mjtJoint.mjJNT_SLIDE else 1.0)
        joint.range += (-by, by)
    for joint in model.all_joints.values():
        servo, made = servo_of(joint), spec.joint(joint.name)
        made.damping[0], made.frictionloss, made.armature = (
            servo.torque / servo.speed, _FRICTION * servo.torque, _ARMATURE * servo.stiffness)
        spec.add_actuator(
            name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcelimited=1,
            forcerange=(-servo.torque, servo.torque)).set_to_position(servo.stiffness)
    spec.visual.headlight.ambient = spec.visual.headlight.diffuse = (0.4, 0.4, 0.4)
    spec.worldbody.add_light(pos=(0.3, 0.3, 1.5), dir=(-0.2, -0.3, -1.0), diffuse=(0.5,) * 3)
    bottom = min([model.base_height - radius_of(model, 'upper_arm'),
                  *(each.position[2] - 0.5 * each.size[1] for each in base_cylinders(model))])
    floor = KeepOut('floor', 'half_space', position=(0.0, 0.0, bottom))
    for shape in (floor, *model.keep_out, *objects):
        body = spec.worldbody.add_body(name=shape.name, pos=shape.position,
                                       xyaxes=rotation(shape.rpy)[:3, :2].T.ravel())
        x, y, z = shape.edges or (0.0, 0.0, 0.2)    # of a plane: endless
        geom = body.add_geom(
            name=shape.name, type=_TYPES[shape.kind], rgba=_FLOOR, contype=2, conaffinity=3,
            size=np.array((x, z, y) if shape.kind == 'cylinder' else (x, y, z)) / 2.0)
        if shape in objects:
            geom.rgba, geom.priority = shape.colour, 1
            geom.friction[0], geom.solref[0] = shape.friction, _SOFT
            if shape.mass is not None:
                body.add_freejoint()
                geom.mass = shape.mass
    return spec


class Mujoco(Simulated):
    """
    Simulated servos in a world with weight; their imperfections come on top.

    ``world`` and ``data`` are MuJoCo's ``MjModel`` and ``MjData``. ``objects`` has by name the
    place [m] of each object of the ``scene``, its turn w, x, y, z, and the names of what it
    touches. The world rests while the back end is closed.

    :param scene: the objects, each a :class:`~arm_ik.kinematics.model.SceneObject`.
    :raises DriverError: for a world that cannot be, or an object that is in something else.

    The other parameters are those of :class:`~.simulated.Simulated`.
    """

    name = 'mujoco'

    def __init__(self, model, scene=(), **more):
        super().__init__(model, **more)
        try:
            self.world = world = make_spec(model, scene).compile()
        except ValueError as error:
            raise DriverError(self.name, f'no such world: {error}') from None
        guessed = ', '.join(name for name, joint in self.joints.items() if joint.mass is None)
        if guessed:
            self.notes.append(f'guessed are the masses of the links of {guessed}')
        self.scene, self.data = scene, mujoco.MjData(world)
        # Of all joints, whose servos are in this order.
        self._places = [world.joint(name).qposadr[0] for name in self.joints]
        self._speeds = [world.joint(name).dofadr[0] for name in self.joints]
        self._names = [world.body(body).name for body in world.geom_bodyid]
        self._bodies = [world.body(each.name).id for each in scene]
        self._strength = world.actuator_forcerange[:, 1].copy()
        self._damping = world.dof_damping[self._speeds]
        self._followers = [link for link in links(model) if link.follows]
        self._reset, self._then, self._behind, self._said = False, self.clock(), 0.0, _LOST
        self.push({})
        for contact in self.data.contact:
            names = [self._names[geom] for geom in contact.geom]
            if contact.dist < -_DEEP and not self.objects.keys().isdisjoint(names):
                raise DriverError(self.name, f'{names[0]} is {-1e3 * contact.dist:.0f} mm deep in '
                                  f'{names[1]}: give the object another position')

    def open(self):  # noqa: A003
        """See :meth:`~.backend.Backend.open`."""
        if self._bus is None:
            self._then = self.clock()
        super().open()

    def read_health(self, name):
        """See :meth:`~.backend.Backend.read_health`; a servo trips at its largest torque."""
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
