# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An arm and the objects around it as a model of MuJoCo, made of the arm's URDF.

Links of the arm do not touch each other, nor the base what is fixed. What is drawn is in group 1,
what touches in group 3. A servo is a spring with a largest torque, friction and damping; a joint
stops a little past its limits. The floor is at the bottom of the base.
"""

import mujoco
import numpy as np

from ...description.collision_shapes import base_cylinders, radius_of
from ...description.inertia import servo_of
from ...description.urdf import to_urdf
from ...description.urdf_tree import rotation
from ...kinematics.model import KeepOut

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
