# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The makers' URDFs that the golden poses are computed from, and where in them the tip is."""

from typing import NamedTuple, Tuple


class GoldenArm(NamedTuple):
    """
    One arm in its maker's words.

    ``up_axis`` and ``forward_axis`` are the directions of ``tool0``'s z and x in the maker's tool
    frame. ``tip_along_up`` moves the tip from that frame's origin along the up axis [m], where the
    maker has no frame at the tip. ``tip`` says the same in words.
    """

    name: str
    repository: str
    path: str
    commit: str
    licence: str
    joint_names: Tuple[str, ...]
    base_frame: str
    tool_frame: str
    up_axis: Tuple[float, ...]
    forward_axis: Tuple[float, ...]
    tip: str
    wrist_roll: bool = False
    tip_along_up: float = 0.0


_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_MINUS_X, _MINUS_Z = (-1.0, 0.0, 0.0), (0.0, 0.0, -1.0)
_INTERBOTIX = {
    'repository': 'https://github.com/Interbotix/interbotix_ros_manipulators',
    'commit': '04a3506c6a20474579e27ea75125d1680b256ca0',
    'licence': 'BSD-3-Clause',
    'up_axis': _X,
    'forward_axis': _MINUS_Z,
    'tip': 'origin of ee_gripper_link',
}

ARMS = (
    GoldenArm(
        name='so101',
        repository='https://github.com/TheRobotStudio/SO-ARM100',
        path='Simulation/SO101/so101_new_calib.urdf',
        commit='fda892cba81032c46c40976a48c9ceadbf40a9ca',
        licence='Apache-2.0',
        joint_names=('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'),
        base_frame='base_link',
        tool_frame='gripper_frame_link',
        up_axis=_Z,
        forward_axis=_X,
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
        name='rx150',
        path='interbotix_ros_xsarms/interbotix_xsarm_descriptions/urdf/rx150.urdf.xacro',
        joint_names=('waist', 'shoulder', 'elbow', 'wrist_angle', 'wrist_rotate'),
        base_frame='rx150/base_link',
        tool_frame='rx150/ee_gripper_link',
        wrist_roll=True,
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
        up_axis=_Z,
        forward_axis=_X,
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
        up_axis=_Z,
        forward_axis=_MINUS_X,
        tip='origin of phantomx_pincher_end_effector'),
)
