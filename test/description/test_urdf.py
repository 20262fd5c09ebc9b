# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The URDF against the conventions in vectors, and against libraries that read URDF."""

from random import Random
from xml.etree import ElementTree

from arm_ik.description import (
    load_model, model_from_parameters, preset_names, preset_path, to_urdf)
from arm_ik.description.urdf import link_names
import numpy as np
from plain_arm import KINDS, random_arm, random_position, tool_pose
import pytest
from urdf_judge import UrdfJudge

each_kind = pytest.mark.parametrize('roles', KINDS, ids=lambda roles: '-'.join(roles))


def pinocchio_poses(urdf, frame='tool0'):
    """Return a function from positions by name to a frame's 4x4 pose, by pinocchio."""
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(urdf)
    data = model.createData()
    frame_id = model.getFrameId(frame, pinocchio.FrameType.BODY)

    def pose(position):
        q = pinocchio.neutral(model)
        for name, value in position.items():
            q[model.joints[model.getJointId(name)].idx_q] = value
        pinocchio.framesForwardKinematics(model, data, q)
        return data.oMf[frame_id].homogeneous

    return pose


def worst_difference(poses, roles):
    """Return how far ``poses(urdf)`` is from the conventions at worst, over random arms."""
    worst = 0.0
    for seed in range(20):
        arm = random_arm(roles, seed)
        pose = poses(to_urdf(model_from_parameters(arm)))
        random = Random(seed)
        for _ in range(20):
            position = random_position(arm, random)
            worst = max(worst, np.abs(pose(position) - tool_pose(arm, position)).max())
    return worst


@each_kind
def test_pinocchio_finds_the_tool_where_the_conventions_put_it(roles):
    assert worst_difference(pinocchio_poses, roles) < 1e-12


@each_kind
def test_the_judge_finds_the_tool_where_the_conventions_put_it(roles):
    assert worst_difference(lambda urdf: UrdfJudge(urdf).pose, roles) < 1e-12


@pytest.mark.parametrize('name', preset_names())
def test_pinocchio_and_the_judge_agree_on_every_frame_of(name):
    model = load_model(preset_path(name))
    urdf = to_urdf(model)
    judge = UrdfJudge(urdf)
    random = Random(name)
    position = {joint.name: random.uniform(joint.lower, joint.upper)
                for joint in (*model.joints, *model.extra_joints)}
    assert set(judge.links) == {'base_link', 'tool0', *link_names(model).values()}
    for frame in judge.links:
        by_pinocchio = pinocchio_poses(urdf, frame)(position)
        np.testing.assert_allclose(judge.pose(position, frame), by_pinocchio, rtol=0, atol=1e-12)


@each_kind
def test_limits_and_speeds_arrive_with_every_digit(roles):
    pinocchio = pytest.importorskip('pinocchio')
    arm = random_arm(roles, 1)
    model = pinocchio.buildModelFromXML(to_urdf(model_from_parameters(arm)))
    assert list(model.names)[1:] == arm['joint_names']
    blocks = arm['joints'].values()
    assert model.lowerPositionLimit.tolist() == [block['lower'] for block in blocks]
    assert model.upperPositionLimit.tolist() == [block['upper'] for block in blocks]
    assert model.velocityLimit.tolist() == [block['max_velocity'] for block in blocks]


def test_the_axes_of_an_arm_without_signs_are_those_of_the_conventions():
    roles = ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll')
    arm = random_arm(roles, 3)
    for block in arm['joints'].values():
        block['sign'] = 1
    joints = UrdfJudge(to_urdf(model_from_parameters(arm))).joints.values()
    axes = [joint.find('axis').get('xyz') for joint in joints if joint.get('type') == 'revolute']
    assert axes == ['0.0 0.0 1.0', *3 * ['0.0 -1.0 0.0'], '0.0 0.0 1.0', '1.0 0.0 0.0']


def test_the_tool_frame_stands_at_the_tip_with_z_along_the_last_link():
    judge = UrdfJudge(to_urdf(model_from_parameters(random_arm(KINDS[0], 4))))
    (tool,) = [joint for joint in judge.joints.values() if joint.get('type') == 'fixed']
    assert tool.find('child').get('link') == 'tool0'
    assert tool.find('origin').get('rpy') == '0.0 1.5707963267948966 0.0'


def extra_arm(**extra_joints):
    """Return an arm with extra joints, and its judge."""
    arm = random_arm(KINDS[1], 5)
    arm.update(extra_joint_names=list(extra_joints), extra_joints=extra_joints)
    model = model_from_parameters(arm)
    return model, UrdfJudge(to_urdf(model))


FINGER = {'lower': -0.02, 'upper': 0.03, 'max_velocity': 0.1}


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('closed, opened', [(0.01, 0.03), (0.01, -0.02)])
def test_fingers_lie_ahead_when_closed_and_open_outwards(kind, closed, opened):
    block = {**FINGER, 'type': kind, 'closed': closed, 'open': opened}
    model, judge = extra_arm(left=block, right=block)
    hand = f'{model.joint_names[-1]}_link'
    for name, side in (('left', 1.0), ('right', -1.0)):
        assert judge.joints[name].get('type') == kind
        tip = [np.linalg.inv(judge.pose({}, hand)) @ judge.pose({name: position}, f'{name}_link')
               @ (0.01, 0.0, 0.0, 1.0) for position in (closed, opened)]
        at_rest = np.linalg.inv(judge.pose({}, hand)) @ judge.pose({name: closed}, f'{name}_link')
        np.testing.assert_allclose(at_rest[:3, :3], np.eye(3), atol=1e-12)
        assert side * at_rest[1, 3] > 0.0
        assert side * (tip[1] - tip[0])[1] > 1e-5


def test_extra_joints_do_not_move_the_tool():
    _, judge = extra_arm(jaw={**FINGER, 'type': 'prismatic'})
    assert (judge.pose({'jaw': 0.03}) == judge.pose({})).all()
    assert (judge.pose({'jaw': 0.03}, 'jaw_link') != judge.pose({}, 'jaw_link')).any()


def test_names_that_xml_or_urdf_could_trip_over_survive():
    arm = random_arm(KINDS[0], 6)
    names = ['base', 'a <b> & "c"', "o'clock", 'größe']
    arm['joints'] = dict(zip(names, arm['joints'].values()))
    arm.update(name='<&">', joint_names=names)
    urdf = to_urdf(model_from_parameters(arm))
    judge = UrdfJudge(urdf)
    assert list(judge.joints)[:4] == names
    assert len(set(judge.links)) == len(judge.links) == 6
    position = random_position(arm, Random(6))
    np.testing.assert_allclose(
        pinocchio_poses(urdf)(position), tool_pose(arm, position), atol=1e-12)


@each_kind
def test_every_joint_has_the_limits_urdf_demands_and_every_link_but_the_tool_is_drawn(roles):
    robot = ElementTree.fromstring(to_urdf(model_from_parameters(random_arm(roles, 7))))
    for joint in robot.findall("joint[@type='revolute']"):
        limit = joint.find('limit')
        assert all(float(limit.get(name)) > 0.0 for name in ('effort', 'velocity', 'upper'))
    drawn = {link.get('name') for link in robot.findall('link') if link.find('visual') is not None}
    assert {'base_link', 'joint_0_link', f'joint_{len(roles) - 1}_link'} <= drawn
    colours = {material.get('name') for material in robot.findall('material')}
    assert {material.get('name') for material in robot.findall('link/visual/material')} <= colours
    for value in [value for size in robot.iterfind('link/visual/geometry/*')
                  for value in size.attrib.values()]:
        assert all(float(number) > 0.0 for number in value.split())
