# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm with a gripper, with limits and speeds that differ from joint to joint; and its time."""

from arm_ik.kinematics.model import ArmModel, ExtraJoint, Joint

MODEL = ArmModel(
    name='small', upper_arm=0.12, forearm=0.12, hand=0.08,
    joints=(
        Joint('yaw', 'yaw', -3.0, 3.0, 2.0),
        Joint('shoulder', 'shoulder', -0.5, 2.5, 1.0, sign=-1, offset=1.3),
        Joint('elbow', 'elbow', -2.5, -0.1, 1.7),
        Joint('wrist', 'wrist', -1.5, 1.5, 3.0)),
    home=(0.1, 1.1, -1.3, 0.3),
    extra_joints=(
        ExtraJoint('gripper', -0.2, 1.6, 2.5, closed=1.5, open=-0.1),
        ExtraJoint('slide', 0.0, 0.04, 0.05, type='prismatic')))

HOME = {'yaw': 0.1, 'shoulder': 1.1, 'elbow': -1.3, 'wrist': 0.3, 'gripper': 1.5, 'slide': 0.0}

JOINTS = {joint.name: joint for joint in (*MODEL.joints, *MODEL.extra_joints)}


class Time:
    """A clock [s] that is moved by hand."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now

    def advance(self, seconds):
        """Let time pass."""
        self.now += seconds
