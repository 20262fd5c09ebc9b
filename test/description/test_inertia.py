# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What links weigh, and the servos that carry them."""

from dataclasses import replace
from xml.etree.ElementTree import fromstring

from arm_ik import Arm
from arm_ik.description.arm_file import dump, load_model
from arm_ik.description.inertia import inertial, servo_of
from arm_ik.description.presets import preset_names
from arm_ik.description.urdf_shapes import Shape
from arm_ik.errors import InvalidArmError
import numpy as np
import pinocchio
import pytest

MODEL = Arm.preset('so101').model


def links_of(model):
    """Return the elements ``<inertial>`` of an arm's URDF, by link, or ``None``."""
    robot = fromstring(Arm(model).to_urdf())
    return {link.get('name'): link.find('inertial') for link in robot.findall('link')}


def masses_of(model):
    return {name: float(element.find('mass').get('value'))
            for name, element in links_of(model).items() if element is not None}


def without_masses(model):
    """Return an arm whose masses are guessed."""
    return replace(model, **{
        block: tuple(replace(joint, mass=None, centre=(), inertia=())
                     for joint in getattr(model, block)) for block in ('joints', 'extra_joints')})


def gravity_torques(model, poses):
    """Return the torques [N m] (n, joints) that hold an arm in poses, by pinocchio."""
    made = pinocchio.buildModelFromXML(Arm(model).to_urdf())
    order = [made.joints[made.getJointId(name)].idx_v for name in model.joint_names]
    data, torques = made.createData(), []
    for pose in poses:
        q = pinocchio.neutral(made)
        q[order] = pose
        torques.append(pinocchio.computeGeneralizedGravity(made, data, q)[order])
    return np.array(torques)


@pytest.mark.parametrize('name', preset_names())
def test_every_link_that_moves_has_a_mass_and_an_inertia_that_can_be(name):
    model = Arm.preset(name).model
    found = links_of(model)
    assert found['base_link'] is None     # KDL does not allow it
    for joint in (*model.joints, *model.extra_joints):
        numbers = found[f'{joint.name}_link'].find('inertia').attrib
        xx, xy, xz, yy, yz, zz = (float(numbers[key]) for key in (
            'ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
        least, middle, most = np.linalg.eigvalsh([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)])
        assert 0.0 < least and most <= 1.001 * (least + middle), joint.name


def test_the_numbers_of_the_file_are_those_of_the_link():
    joint = MODEL.joints[1]
    inertial_ = links_of(MODEL)[f'{joint.name}_link']
    assert float(inertial_.find('mass').get('value')) == joint.mass
    assert [*map(float, inertial_.find('origin').get('xyz').split())] == [*joint.centre]
    numbers = inertial_.find('inertia').attrib
    assert tuple(float(numbers[key]) for key in (
        'ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')) == joint.inertia


def test_a_guessed_link_weighs_its_shapes_and_the_servo_it_carries():
    made = {**masses_of(without_masses(MODEL))}
    heavier = replace(without_masses(MODEL), joints=tuple(
        replace(joint, servo='XM430-W350') for joint in MODEL.joints))
    more = masses_of(without_masses(heavier))
    assert more['shoulder_lift_link'] - made['shoulder_lift_link'] == pytest.approx(0.082 - 0.055)
    assert more['wrist_roll_link'] == pytest.approx(made['wrist_roll_link'])    # the gripper's


def test_a_box_and_a_cylinder_are_evenly_filled():
    box = Shape('box', {'size': (0.1, 0.2, 0.3)}, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), '')
    mass, centre, inertia = inertial(None, [box], [], False)
    assert centre[0] == pytest.approx(1.0, abs=1e-2)
    assert inertia[0, 0] == pytest.approx(mass * (0.2 ** 2 + 0.3 ** 2) / 12.0, rel=0.01)
    rod = Shape('cylinder', {'radius': 0.1, 'length': 1.0}, (0.0, 0.0, 0.0),
                (0.0, np.pi / 2, 0.0), '')
    mass, _, inertia = inertial(None, [rod], [], False)
    assert inertia[0, 0] == pytest.approx(mass * 0.1 ** 2 / 2.0, rel=0.01)      # about x


def test_a_mass_alone_keeps_the_shape_of_the_guess():
    joint = replace(MODEL.joints[1], mass=0.3, centre=(), inertia=())
    arm = replace(without_masses(MODEL), joints=(MODEL.joints[0], joint, *MODEL.joints[2:]))
    (mass, centre), guessed = [
        (float(each.find('mass').get('value')), each.find('origin').get('xyz'))
        for each in (links_of(arm)['shoulder_lift_link'],
                     links_of(without_masses(MODEL))['shoulder_lift_link'])]
    assert mass == 0.3 and centre == guessed[1]


def test_guessed_masses_load_shoulder_and_elbow_as_the_makers_do():
    generator = np.random.default_rng(1)
    poses = generator.uniform([joint.lower for joint in MODEL.joints],
                              [joint.upper for joint in MODEL.joints], (200, 5))
    true, guessed = (np.sqrt(np.mean(gravity_torques(model, poses) ** 2, axis=0))
                     for model in (MODEL, without_masses(MODEL)))
    assert guessed[1:3] == pytest.approx(true[1:3], rel=0.2)


@pytest.mark.parametrize(('key', 'value'), [
    ('mass', 0.0), ('mass', -1.0), ('mass', float('nan')), ('centre', (0.0, 0.0)),
    ('inertia', (1.0, 2.0, 3.0)), ('centre', (0.0, 0.0, float('inf')))])
def test_a_mass_that_cannot_be_is_named(key, value):
    joints = (replace(MODEL.joints[0], **{key: value}), *MODEL.joints[1:])
    with pytest.raises(InvalidArmError, match=f'shoulder_pan.{key}'):
        replace(MODEL, joints=joints)


def test_a_centre_goes_with_a_mass():
    joints = (replace(MODEL.joints[0], mass=None, inertia=()), *MODEL.joints[1:])
    with pytest.raises(InvalidArmError, match='shoulder_pan.centre.*beside a mass'):
        replace(MODEL, joints=joints)


def test_an_unknown_servo_is_named_with_the_nearest(tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(dump(MODEL).replace('STS3215', 'STS3512', 1))
    with pytest.raises(InvalidArmError, match="shoulder_pan, servo: found 'STS3512'.*STS3215"):
        load_model(file)


def test_two_servos_are_twice_as_strong():
    one, two = (servo_of(replace(MODEL.joints[1], servo=servo))
                for servo in ('XM430-W350', '2x XM430-W350'))
    assert [two.torque, two.stiffness, two.mass] == pytest.approx(
        [2.0 * each for each in (one.torque, one.stiffness, one.mass)])
    assert two.speed == one.speed


def test_a_servo_that_slides_a_finger_gives_a_force():
    finger = Arm.preset('px100').model.extra_joints[0]
    servo = servo_of(finger)
    assert servo.torque == pytest.approx(1.5 / 0.014)       # [N]
    assert servo.speed == pytest.approx(6.4 * 0.014)        # [m/s]
