# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The makers' URDFs that the golden poses are computed from, and where in them the tip is."""

from math import pi
from typing import NamedTuple, Tuple

_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


class GoldenArm(NamedTuple):
    """
    One arm in its maker's words.

    ``up_axis`` and ``forward_axis`` are the directions of ``tool0``'s z and x in the maker's tool
    frame. ``tip_along_up`` moves the tip from that frame's origin along the up axis [m], where the
    maker has no frame at the tip. ``tip`` says the same in words.

    ``base_turn`` [rad] turns ``base_link`` in the maker's base frame about z. ``limits`` stand for
    those of a URDF that has none. Where the preset's joints have names and zeros of their own,
    ``urdf_joint_names`` are the URDF's, and its reading is ``sign * reading + offset``.
    """

    name: str
    repository: str
    path: str
    commit: str
    licence: str
    joint_names: Tuple[str, ...]
    base_frame: str
    tool_frame: str
    tip: str
    up_axis: Tuple[float, ...] = _Z
    forward_axis: Tuple[float, ...] = _X
    wrist_roll: bool = False
    tip_along_up: float = 0.0
    base_turn: float = 0.0
    limits: Tuple[Tuple[float, float], ...] = ()
    urdf_joint_names: Tuple[str, ...] = ()
    urdf_readings: Tuple[Tuple[int, float], ...] = ()


_MINUS_X, _MINUS_Y, _MINUS_Z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
_INTERBOTIX = {
    'repository': 'https://github.com/Interbotix/interbotix_ros_manipulators',
    'commit': '04a3506c6a20474579e27ea75125d1680b256ca0',
    'licence': 'BSD-3-Clause',
    'up_axis': _X,
    'forward_axis': _MINUS_Z,
    'tip': 'origin of ee_gripper_link',
}

_SO = {
    'repository': 'https://github.com/TheRobotStudio/SO-ARM100',
    'commit': 'fda892cba81032c46c40976a48c9ceadbf40a9ca',
    'licence': 'Apache-2.0',
    'base_frame': 'base',
    'tool_frame': 'gripper',
    'joint_names': ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'),
    'wrist_roll': True,
    'base_turn': -0.5 * pi,
    'tip_along_up': 0.0981274,
    'tip': 'on the axis of wrist_roll, 0.0981274 m beyond the origin of gripper',
}
_OMX = {
    'repository': 'https://github.com/ROBOTIS-GIT/open_manipulator',
    'commit': '3fd6fa94727f863deec52d4f461f39a5fe4d2b10',
    'licence': 'Apache-2.0',
    'base_frame': 'link0',
    'joint_names': ('joint1', 'joint2', 'joint3', 'joint4', 'joint5'),
    'wrist_roll': True,
    'up_axis': _X,
    'forward_axis': _MINUS_Z,
}

#: A servo's turn, without its last tick [rad].
_TURN = (-3.141592654, 3.140058673)


def _interbotix(name):
    """Return a five-axis arm of Interbotix, all of which have the same frames."""
    return GoldenArm(
        name=name,
        path=f'interbotix_ros_xsarms/interbotix_xsarm_descriptions/urdf/{name}.urdf.xacro',
        joint_names=('waist', 'shoulder', 'elbow', 'wrist_angle', 'wrist_rotate'),
        base_frame=f'{name}/base_link',
        tool_frame=f'{name}/ee_gripper_link',
        wrist_roll=True,
        **_INTERBOTIX)


ARMS = (
    *map(_interbotix, ('px150', 'rx150', 'rx200', 'wx200', 'wx250', 'vx250', 'vx300')),
    GoldenArm(
        name='so100',
        path='Simulation/SO100/so100.urdf',
        up_axis=_MINUS_Y,
        **_SO),
    GoldenArm(
        name='so101_old_calib',
        path='Simulation/SO101/so101_old_calib.urdf',
        up_axis=_MINUS_Z,
        forward_axis=_MINUS_X,
        **_SO),
    GoldenArm(
        name='lekiwi',
        repository='https://github.com/SIGRobotics-UIUC/LeKiwi',
        path='URDF/LeKiwi.urdf',
        commit='d8febebf3829dbbac9b065a50951340f1ae49a59',
        licence='Apache-2.0',
        joint_names=('arm_shoulder_pan', 'arm_shoulder_lift', 'arm_elbow_flex', 'arm_wrist_flex',
                     'arm_wrist_roll'),
        urdf_joint_names=(
            'STS3215_03a-v1_Revolute-45', 'STS3215_03a-v1-1_Revolute-49',
            'STS3215_03a-v1-2_Revolute-51', 'STS3215_03a-v1-3_Revolute-53',
            'STS3215_03a_Wrist_Roll-v1_Revolute-55'),
        urdf_readings=((1, 0.0), (-1, -1.6580590953), (-1, 1.4838093129), (-1, 1.3087194629),
                       (-1, 0.5 * pi + 0.0486795)),
        limits=((-1.91986, 1.91986), (-1.74533, 1.74533), (-1.69, 1.69), (-1.65806, 1.65806),
                (-2.74385, 2.84121)),
        base_frame='base_plate_layer1-v5',
        base_turn=0.5 * pi,
        tool_frame='Wrist_Roll_08c-v1',
        up_axis=(0.0, 0.422618, -0.906308),
        wrist_roll=True,
        tip_along_up=0.0981274,
        tip='on the axis of the wrist roll, 0.0981274 m beyond the origin of Wrist_Roll_08c-v1'),
    GoldenArm(
        name='omx_f',
        path='open_manipulator_description/urdf/omx_f/omx_f.urdf.xacro',
        tool_frame='end_effector_link',
        limits=(_TURN, (-1.8683886, 1.658233232), (-1.570796327, 1.67510702), _TURN, _TURN),
        tip='foot of end_effector_link on the axis of joint5',
        **_OMX),
    GoldenArm(
        name='omx_l',
        path='open_manipulator_description/urdf/omx_l/omx_l.urdf.xacro',
        tool_frame='link5',
        limits=(_TURN,) * 5,
        tip_along_up=0.0298,
        tip='on the axis of joint5, 0.0298 m beyond the origin of link5',
        **_OMX),
    GoldenArm(
        name='crane_plus',
        repository='https://github.com/rt-net/crane_plus',
        path='crane_plus_description/urdf/crane_plus.urdf.xacro',
        commit='f637c799b53ff5a2b65845d3689c65cee303b762',
        licence='Apache-2.0',
        joint_names=('crane_plus_joint1', 'crane_plus_joint2', 'crane_plus_joint3',
                     'crane_plus_joint4'),
        base_frame='base_link',
        tool_frame='crane_plus_link_tcp',
        tip='origin of crane_plus_link_tcp'),
    GoldenArm(
        name='turtlebot_arm',
        repository='https://github.com/turtlebot/turtlebot_arm',
        path='turtlebot_arm_description/urdf/turtlebot_arm.urdf.xacro',
        commit='fd6aa08575c19f930a7ac1a0619ebb9a97406340',
        licence='BSD-3-Clause',
        joint_names=('arm_shoulder_pan_joint', 'arm_shoulder_lift_joint', 'arm_elbow_flex_joint',
                     'arm_wrist_flex_joint'),
        base_frame='arm_base_link',
        tool_frame='arm_wrist_flex_link',
        tip_along_up=0.112,
        tip='origin of gripper_link, 0.112 m beyond arm_wrist_flex_link'),
    GoldenArm(
        name='so101',
        repository='https://github.com/TheRobotStudio/SO-ARM100',
        path='Simulation/SO101/so101_new_calib.urdf',
        commit='fda892cba81032c46c40976a48c9ceadbf40a9ca',
        licence='Apache-2.0',
        joint_names=('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'),
        base_frame='base_link',
        tool_frame='gripper_frame_link',
        wrist_roll=True,
        tip='foot of gripper_frame_link on the axis of wrist_roll'),
    GoldenArm(
        name='open_manipulator_x',
        repository='https://github.com/ROBOTIS-GIT/open_manipulator',
        path='open_manipulator_description/urdf/open_manipulator_x/open_manipulator_x.urdf.xacro',
        commit='3fd6fa94727f863deec52d4f461f39a5fe4d2b10',
        licence='Apache-2.0',
        joint_names=('joint1', 'joint2', 'joint3', 'joint4'),
        base_frame='link1',
        tool_frame='end_effector_link',
        up_axis=_X,
        forward_axis=_MINUS_Z,
        tip='origin of end_effector_link'),
    GoldenArm(
        name='px100',
        path='interbotix_ros_xsarms/interbotix_xsarm_descriptions/urdf/px100.urdf.xacro',
        joint_names=('waist', 'shoulder', 'elbow', 'wrist_angle'),
        base_frame='px100/base_link',
        tool_frame='px100/ee_gripper_link',
        **_INTERBOTIX),
    GoldenArm(
        name='braccio',
        repository='https://github.com/jaMulet/ROS2_braccio',
        path='braccio_description/urdf/braccio.urdf.xacro',
        commit='8a58521d9008d6c215da94c02f739e47829a171b',
        licence='MIT',
        joint_names=('joint_base', 'joint_1', 'joint_2', 'joint_3', 'joint_4'),
        base_frame='base_link',
        tool_frame='link_5',
        wrist_roll=True,
        tip_along_up=0.130,
        tip='on the axis of joint_4, 0.130 m beyond the origin of link_5'),
    GoldenArm(
        name='phantomx_pincher',
        repository='https://github.com/snt-spacer/phantomx_pincher',
        path='phantomx_pincher_description/urdf/phantomx_pincher.urdf',
        commit='9b398f21a7638021676dc32eccdcb3e098c7e65c',
        licence='BSD-3-Clause',
        joint_names=(
            'phantomx_pincher_arm_shoulder_pan_joint', 'phantomx_pincher_arm_shoulder_lift_joint',
            'phantomx_pincher_arm_elbow_flex_joint', 'phantomx_pincher_arm_wrist_flex_joint'),
        base_frame='phantomx_pincher_base_link',
        tool_frame='phantomx_pincher_end_effector',
        forward_axis=_MINUS_X,
        tip='origin of phantomx_pincher_end_effector'),
    GoldenArm(
        name='koch',
        repository='https://github.com/s1lent4gnt/koch-v1-1',
        path='simulation/follower.urdf',
        commit='cc1a4eb9b27978b6bc3bb34f12fa5a7d229f1fde',
        licence='Apache-2.0',
        joint_names=('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'),
        urdf_joint_names=('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5'),
        limits=((-2.2, 2.2), (-1.57, 0.6), (-1.45, 1.57), (-1.9, 1.9), (-3.14, 3.14)),
        base_frame='base_link',
        base_turn=-pi,
        tool_frame='link_5',
        up_axis=_MINUS_X,
        forward_axis=_MINUS_Z,
        wrist_roll=True,
        tip_along_up=0.064,
        tip='on the axis of joint_5, 0.064 m beyond the origin of link_5'),
    GoldenArm(
        name='al5d',
        repository='https://github.com/yohatad/lynxmotion_al5d',
        path='urdf/lynxmotion_al5d.urdf.xacro',
        commit='38ebb53fd9aba25e6212369e187b810ed9035943',
        licence='BSD',
        joint_names=('Joint1', 'Joint2', 'Joint3', 'Joint4', 'Joint5'),
        limits=((-0.5 * pi, 0.5 * pi), (0.0, pi), (-pi, 0.0), (-0.5 * pi, 0.5 * pi),
                (-0.5 * pi, 0.5 * pi)),
        base_frame='world',
        base_turn=0.5 * pi,
        tool_frame='gripper',
        up_axis=_MINUS_Y,
        forward_axis=_MINUS_Z,
        wrist_roll=True,
        tip_along_up=0.050,
        tip='on the axis of Joint5, 0.050 m beyond the origin of gripper'),
    GoldenArm(
        name='roarm_m3',
        repository='https://github.com/DUDULRX/roarm_web_app',
        path='website/public/URDF/roarm_m3.urdf',
        commit='6fc10f3832a1c83d23534d4d31009b78c186a115',
        licence='Apache-2.0',
        joint_names=('base_link_to_link1', 'link1_to_link2', 'link2_to_link3', 'link3_to_link4',
                     'link4_to_link5'),
        base_frame='world',
        tool_frame='hand_tcp',
        up_axis=_X,
        forward_axis=_MINUS_Z,
        wrist_roll=True,
        tip='origin of hand_tcp'),
    GoldenArm(
        name='lss_5dof',
        repository='https://github.com/Lynxmotion/LSS-ROS2-Arms',
        path='lss_arm_description/urdf/lss_arm.urdf.xacro',
        commit='23f5dbe090287f0b4a56ef9e85e14d46e8bef669',
        licence='Apache 2.0',
        joint_names=('lss_arm_joint_1', 'lss_arm_joint_2', 'lss_arm_joint_3', 'lss_arm_joint_4',
                     'lss_arm_joint_6'),
        base_frame='world',
        tool_frame='lss_arm_ee',
        up_axis=_X,
        forward_axis=_MINUS_Y,
        wrist_roll=True,
        tip='foot of lss_arm_ee on the axis of lss_arm_joint_6'),
    GoldenArm(
        name='dofbot',
        repository='https://github.com/jimdinunzio/dofbot_ros2',
        path='dofbot_description/urdf/dofbot.urdf',
        commit='9407f3d7da8566133fef5742cb50f7cab979f585',
        licence='no licence named',
        joint_names=('arm1_Joint', 'arm2_Joint', 'arm3_Joint', 'arm4_Joint', 'arm5_Joint'),
        base_frame='base_link',
        base_turn=-pi,
        tool_frame='arm5_Link',
        forward_axis=_MINUS_X,
        wrist_roll=True,
        tip_along_up=0.068091,
        tip='foot of Gripping_point_Link on the axis of arm5_Joint, 0.068091 m beyond arm5_Link'),
    # Of this file the joints alone were read, not its boxes: the sha256 is that of the extract.
    GoldenArm(
        name='so_arm_102',
        repository='https://github.com/roboninecom/SO-ARM-102',
        path='simulation/urdf/so_arm_102.urdf',
        commit='54c012573aed5b1d0b0a45367052a5a6e132414f',
        licence='CC-BY-4.0',
        joint_names=('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'),
        urdf_joint_names=('base_to_link1', 'link1_to_link2', 'link2_to_link3', 'link3_to_link4',
                          'link4_to_link5'),
        base_frame='base_link',
        tool_frame='link5_1',
        up_axis=_X,
        forward_axis=_MINUS_Z,
        wrist_roll=True,
        tip_along_up=0.126,
        tip='on the axis of link4_to_link5, 0.126 m beyond the origin of link5_1'),
)
