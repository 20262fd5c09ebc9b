# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The URDF against libraries that read URDF; where its links are. test_forward has the tool."""

from dataclasses import replace
from math import pi
from random import Random
from xml.etree import ElementTree

from arm_ik import Arm, ExtraJoint
from arm_ik.description import preset_names
from arm_ik.description.urdf import link_frames, link_names, links, to_urdf, TOOL_FRAME
from arm_ik.description.urdf_tree import rotation
from arm_ik.kinematics.model import Frame, Tip
from judged_arms import all_kinds, KINDS, random_arm, random_readings
import numpy as np
import pytest
from urdf_judge import UrdfJudge


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


@pytest.mark.parametrize('name', preset_names())
def test_pinocchio_and_the_judge_agree_on_every_frame_of(name):
    model = Arm.preset(name).model
    urdf = to_urdf(model)
    judge = UrdfJudge(urdf)
    random = Random(name)
    position = {joint.name: random.uniform(joint.lower, joint.upper)
                for joint in (*model.joints, *model.extra_joints)}
    followers = [link for link in links(model) if link.follows]
    assert set(judge.links) == {'base_link', 'tool0', *link_names(model).values(),
                                *(tip.name for tip in model.tips),
                                *(link.name for link in followers)}
    # Pinocchio takes joints that mimic others for joints of their own.
    each = {**position, **{f'{link.name}_joint': link.follows * position[link.joint.name]
                           for link in followers}}
    where = link_frames(links(model), position)
    for frame in judge.links:
        by_pinocchio = pinocchio_poses(urdf, frame)(each)
        np.testing.assert_allclose(where[frame], by_pinocchio, rtol=0, atol=1e-12)
        np.testing.assert_allclose(judge.pose(position, frame), by_pinocchio, rtol=0, atol=1e-12)


@all_kinds
def test_limits_and_speeds_arrive_with_every_digit(kind):
    pinocchio = pytest.importorskip('pinocchio')
    arm = random_arm(kind, 1)
    model = pinocchio.buildModelFromXML(arm.to_urdf())
    assert list(model.names)[1:] == list(arm.joint_names)
    assert tuple(model.lowerPositionLimit) == arm.lower
    assert tuple(model.upperPositionLimit) == arm.upper
    assert tuple(model.velocityLimit) == tuple(joint.max_velocity for joint in arm.model.joints)


def placed_arm(tip):
    tips = Tip('pen', 0.02, -0.01, 0.05, -2.0), Tip('claw', x=0.01)
    frames = (Frame('cam', 0.03, -0.01, 0.02, 0.3, -0.6, 2.5),
              Frame('down', yaw=0.5, pitch=pi / 2, roll=0.2), Frame('along', yaw=-0.4))
    return replace(random_arm('yaw_wrist_roll', 4).model, tips=tips, frames=frames, tip=tip)


@pytest.mark.parametrize('tip', ['', 'pen', 'claw'])
def test_the_chosen_tip_is_the_tool_frame_and_the_others_are_links_of_their_names(tip):
    model = placed_arm(tip)
    judge = UrdfJudge(to_urdf(model))
    others = {'pen', 'claw'} - {tip}
    assert set(judge.links) - set(link_names(model).values()) == {
        'base_link', 'tool0', 'cam', 'down', 'along', *others}
    position = dict(zip(model.joint_names, random_readings(Arm(model), Random(1))))
    tool = UrdfJudge(to_urdf(replace(model, tip=''))).pose(position)
    for placed_in_tool in (*model.tips, *model.frames):
        x, y, z, *turns = list(vars(placed_in_tool).values())[1:]
        wanted = np.eye(4)
        wanted[:3, 3] = x, y, z
        roll, pitch, yaw = turns if len(turns) == 3 else (0.0, 0.0, *turns)
        wanted[:3, :3] = rotation((roll, pitch, yaw))[:3, :3]
        name = placed_in_tool.name
        found = judge.pose(position, 'tool0' if name == tip else name)
        np.testing.assert_allclose(found, tool @ wanted, rtol=0, atol=1e-12)


def extra_arm(*extra_joints):
    """Return an arm with extra joints, and its judge."""
    model = replace(random_arm('yaw_wrist_roll', 5).model, extra_joints=extra_joints)
    return model, UrdfJudge(to_urdf(model))


def finger(name, **numbers):
    return ExtraJoint(name, -0.02, 0.03, 0.1, **numbers)


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('closed, opened', [(0.01, 0.03), (0.01, -0.02)])
def test_fingers_lie_ahead_when_closed_and_open_outwards(kind, closed, opened):
    model, judge = extra_arm(*[finger(name, type=kind, closed=closed, open=opened)
                               for name in ('left', 'right')])
    hand = f'{model.joint_names[-1]}_link'
    for name, side in (('left', 1.0), ('right', -1.0)):
        assert judge.joints[name].get('type') == kind
        tip = [np.linalg.inv(judge.pose({}, hand)) @ judge.pose({name: position}, f'{name}_link')
               @ (0.01, 0.0, 0.0, 1.0) for position in (closed, opened)]
        at_rest = np.linalg.inv(judge.pose({}, hand)) @ judge.pose({name: closed}, f'{name}_link')
        np.testing.assert_allclose(at_rest[:3, :3], np.eye(3), atol=1e-12)
        assert side * at_rest[1, 3] > 0.0
        assert side * (tip[1] - tip[0])[1] > 1e-5


@pytest.mark.parametrize('along, moved', [
    ('x', (0.0, 0.0, -0.03)), ('-x', (0.0, 0.0, 0.03)), ('y', (0.0, 0.03, 0.0))])
def test_fingers_that_a_turning_joint_slides_follow_it(along, moved):
    jaw = ExtraJoint('jaw', 0.0, 1.5, 1.0, closed=1.5, open=0.5, along=along, second='mirrored',
                     moves='slides', travel=0.03)
    model, judge = extra_arm(jaw)
    assert judge.joints['jaw'].get('type') == 'revolute'
    for link, sign in (('jaw_link_2', 1.0), ('jaw_link_3', -1.0)):
        closed, opened = (judge.pose({'jaw': position}, link) for position in (1.5, 0.5))
        hand = judge.pose({}, f'{model.joint_names[-1]}_link')[:3, :3]
        np.testing.assert_allclose(hand.T @ (opened - closed)[:3, 3], np.multiply(sign, moved),
                                   rtol=0, atol=1e-12)
        np.testing.assert_allclose(opened[:3, :3], closed[:3, :3], rtol=0, atol=1e-12)


def test_extra_joints_do_not_move_the_tool():
    _, judge = extra_arm(finger('jaw', type='prismatic'))
    assert (judge.pose({'jaw': 0.03}) == judge.pose({})).all()
    assert (judge.pose({'jaw': 0.03}, 'jaw_link') != judge.pose({}, 'jaw_link')).any()


def test_names_that_xml_or_urdf_could_trip_over_survive():
    arm, names = random_arm('yaw', 6), ['base', 'a <b> & "c"', "o'clock", 'größe']
    model = replace(arm.model, name='<&">', joints=[
        replace(joint, name=name) for joint, name in zip(arm.model.joints, names)])
    judge = UrdfJudge(to_urdf(model))
    assert list(judge.joints)[:4] == names
    assert len(set(judge.links)) == len(judge.links) == 6
    q = random_readings(arm, Random(6))
    np.testing.assert_allclose(pinocchio_poses(to_urdf(model))(dict(zip(names, q)))[:3, 3],
                               arm.forward(q).position, atol=1e-12)


@all_kinds
def test_every_joint_has_the_limits_urdf_demands_and_every_link_but_the_tool_is_drawn(kind):
    robot = ElementTree.fromstring(random_arm(kind, 7).to_urdf())
    for joint in robot.findall("joint[@type='revolute']"):
        limit = joint.find('limit')
        assert all(float(limit.get(name)) > 0.0 for name in ('effort', 'velocity'))
    drawn = {link.get('name') for link in robot.findall('link') if link.find('visual') is not None}
    assert {'base_link', 'yaw_link', f'{KINDS[kind][-1]}_link'} <= drawn
    colours = {material.get('name') for material in robot.findall('material')}
    assert {material.get('name') for material in robot.findall('link/visual/material')} <= colours
    for value in [value for size in robot.iterfind('link/visual/geometry/*')
                  for value in size.attrib.values()]:
        assert all(float(number) > 0.0 for number in value.split())


@pytest.mark.parametrize('name', preset_names())
def test_the_tool_frame_is_where_forward_kinematics_has_it(name):
    arm = Arm.preset(name)
    random = np.random.default_rng(8)
    for _ in range(20):
        q = random.uniform(arm.lower, arm.upper)
        frame = link_frames(
            links(arm.model), dict(zip(arm.joint_names, q.tolist())))[TOOL_FRAME]
        pose = arm.forward(q)
        assert np.linalg.norm(pose.position - frame[:3, 3]) < 1e-12
        assert np.linalg.norm(pose.rotation - frame[:3, :3]) < 1e-12


def test_turns_about_fixed_axes_come_in_the_order_x_y_z():
    assert rotation((pi / 2, 0.0, pi / 2), (1.0, 2.0, 3.0)) == pytest.approx(np.array([
        [0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 3.0], [0.0, 0.0, 0.0, 1.0]]))


def test_a_fixed_finger_is_drawn_on_the_hand_as_the_mirror_image_of_the_one_that_moves():
    def drawn(second):
        model, _ = extra_arm(finger('jaw', second=second))
        found = {link.name: link for link in links(model)}
        return model, found[found['jaw_link'].parent], found['jaw_link']
    model, hand, jaw = drawn('fixed')
    box, = (shape for shape in hand.shapes if shape not in drawn('none')[1].shapes)
    frames = link_frames(links(model), {'jaw': model.extra_joints[0].closed})
    moving, = jaw.shapes
    x, y, z, _ = np.linalg.inv(frames[hand.name]) @ frames[jaw.name] @ (*moving.xyz, 1.0)
    assert box.size == moving.size and box.xyz == pytest.approx((x, -y, z)) and y > 0.0
