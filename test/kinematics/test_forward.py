# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Forward kinematics: each sign and role by hand, the tool frame, the base, leading axes."""

from math import cos, pi, radians, sin
from random import Random

from arm_ik import InvalidInputError, Target
from arm_ik.kinematics.forward import (
    angle_between, Geometry, heights, joint_centres, residuals, tool)
from judged_arms import (
    all_kinds, angle, each_kind, Judge, KINDS, make_arm, random_arm, random_readings)
import numpy as np
import pytest

X, Y, Z = np.eye(3)
RIGHT_ANGLE = pi / 2
ALL = 'tilt_wrist_roll'


def pose_of(kind='yaw', arm=None, **readings):
    """Return the pose of an arm of 0.12, 0.12, 0.08 m with all readings zero but those named."""
    arm = arm or make_arm(kind)
    return arm.forward([readings.get(name, 0.0) for name in arm.joint_names])


def assert_pose(pose, position, up, forward=None):
    np.testing.assert_allclose(pose.position, position, rtol=0, atol=1e-15)
    np.testing.assert_allclose(pose.up, up, rtol=0, atol=1e-15)
    if forward is not None:
        np.testing.assert_allclose(pose.rotation[:, 0], forward, rtol=0, atol=1e-15)


# One line per role and sign: tip position, up vector, the tool's x axis.

@pytest.mark.parametrize('kind, readings, position, up, forward', [
    (ALL, {}, (0.32, 0, 0), X, -Z),
    ('yaw', {'yaw': RIGHT_ANGLE}, (0, 0.32, 0), Y, -Z),                                # left
    ('yaw', {'yaw': -RIGHT_ANGLE}, (0, -0.32, 0), -Y, -Z),
    ('yaw', {'shoulder': RIGHT_ANGLE}, (0, 0, 0.32), Z, X),                            # raises
    ('yaw', {'shoulder': -RIGHT_ANGLE}, (0, 0, -0.32), -Z, -X),
    ('yaw', {'elbow': RIGHT_ANGLE}, (0.12, 0, 0.2), Z, X),                             # raises
    ('yaw', {'elbow': -RIGHT_ANGLE}, (0.12, 0, -0.2), -Z, -X),
    ('yaw', {'wrist': RIGHT_ANGLE}, (0.24, 0, 0.08), Z, X),                            # raises
    ('yaw', {'wrist': -RIGHT_ANGLE}, (0.24, 0, -0.08), -Z, -X),
    ('tilt', {'wrist_tilt': RIGHT_ANGLE}, (0.24, 0.08, 0), Y, -Z),                     # left
    ('tilt', {'wrist_tilt': -RIGHT_ANGLE}, (0.24, -0.08, 0), -Y, -Z),
    ('yaw_wrist_roll', {'wrist_roll': RIGHT_ANGLE}, (0.32, 0, 0), X, Y),               # right hand
    ('yaw_wrist_roll', {'wrist_roll': -RIGHT_ANGLE}, (0.32, 0, 0), X, -Y),
    # What is raised goes to the right when the base rolls by the right-hand rule about forward.
    ('roll', {'roll': RIGHT_ANGLE, 'wrist': RIGHT_ANGLE}, (0.24, -0.08, 0), -Y, X),
    ('roll', {'roll': -RIGHT_ANGLE, 'wrist': RIGHT_ANGLE}, (0.24, 0.08, 0), Y, X),
    # The elbow counts from the upper arm, the wrist from the forearm.
    ('yaw', {'shoulder': RIGHT_ANGLE, 'elbow': -RIGHT_ANGLE}, (0.2, 0, 0.12), X, -Z),
    ('yaw', {'elbow': RIGHT_ANGLE, 'wrist': -RIGHT_ANGLE}, (0.2, 0, 0.12), X, -Z),
    # The base rolls about the yawed forward axis, not about x.
    ('roll', {'yaw': RIGHT_ANGLE, 'roll': RIGHT_ANGLE, 'shoulder': RIGHT_ANGLE},
     (0.32, 0, 0), X, Y),
    # A raised wrist tilts about its own normal: still to the left of the arm plane.
    ('tilt', {'wrist': RIGHT_ANGLE, 'wrist_tilt': RIGHT_ANGLE}, (0.24, 0.08, 0), Y, X),
    # The wrist roll turns about the tilted hand.
    (ALL, {'wrist_tilt': RIGHT_ANGLE, 'wrist_roll': RIGHT_ANGLE}, (0.24, 0.08, 0), Y, -X),
])
def test_a_pose_worked_by_hand(kind, readings, position, up, forward):
    assert_pose(pose_of(kind, **readings), position, up, forward)


def test_every_joint_at_once_worked_by_hand():
    arm = make_arm('yaw', base_x=0.01, base_y=0.02, base_height=0.1, shoulder_offset=0.03)
    pose = pose_of(arm=arm, yaw=radians(90), shoulder=radians(60), elbow=radians(-90),
                   wrist=radians(60))
    reach = 0.03 + 0.12 * cos(radians(60)) + 0.12 * cos(radians(-30)) + 0.08 * cos(radians(30))
    height = 0.1 + 0.12 * sin(radians(60)) + 0.12 * sin(radians(-30)) + 0.08 * sin(radians(30))
    assert_pose(pose, (0.01, 0.02 + reach, height), (0, cos(radians(30)), sin(radians(30))))


# The tool frame.

@each_kind
def test_in_the_zero_pose_the_tool_stands_rpy_0_90_0(kind):
    rotation = pose_of(kind).rotation
    np.testing.assert_allclose(rotation, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], rtol=0, atol=1e-15)


@each_kind
def test_a_hand_pointing_straight_up_ahead_has_the_identity_as_orientation(kind):
    np.testing.assert_allclose(pose_of(kind, wrist=RIGHT_ANGLE).rotation, np.eye(3), atol=1e-15)


@each_kind
def test_the_tools_z_axis_is_the_up_vector_and_its_axes_are_right_handed(kind):
    arm = random_arm(kind, 1)
    q = np.array([random_readings(arm, Random(i)) for i in range(50)])
    pose = arm.forward(q)
    np.testing.assert_array_equal(pose.rotation[..., 2], pose.up)
    turned = np.swapaxes(pose.rotation, -1, -2) @ pose.rotation
    np.testing.assert_allclose(turned, np.broadcast_to(np.eye(3), turned.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(pose.rotation), 1.0, atol=1e-14)


# The base, signs and offsets.

def test_the_base_stands_where_the_model_says():
    arm = make_arm('tilt', base_x=0.1, base_y=-0.2, base_height=0.3, shoulder_offset=0.04,
                   lateral=0.005)
    assert_pose(pose_of(arm=arm), (0.46, -0.195, 0.3), X)
    # Shoulder offset and lateral offset turn with the yaw.
    assert_pose(pose_of(arm=arm, yaw=RIGHT_ANGLE), (0.095, 0.16, 0.3), Y)


def test_the_shoulder_of_a_rolling_base_lies_on_the_roll_axis():
    arm = make_arm('roll', base_height=0.3, shoulder_offset=0.04)
    assert_pose(pose_of(arm=arm, roll=1.0), (0.36, 0, 0.3), X)


@pytest.mark.parametrize('role', KINDS[ALL] + ('roll',))
def test_a_negative_sign_turns_the_other_way(role):
    kind = 'roll' if role == 'roll' else ALL
    bent = {'elbow': 0.5, 'wrist': 0.7}
    by_sign = pose_of(arm=make_arm(kind, signs={role: -1}), **{**bent, role: 0.3})
    expected = pose_of(kind, **{**bent, role: -0.3})
    np.testing.assert_allclose(by_sign.rotation, expected.rotation, atol=1e-15)
    np.testing.assert_allclose(by_sign.position, expected.position, atol=1e-15)


@pytest.mark.parametrize('role', KINDS[ALL] + ('roll',))
@pytest.mark.parametrize('sign', [1, -1])
def test_an_offset_is_the_canonical_angle_at_reading_zero(role, sign):
    kind = 'roll' if role == 'roll' else ALL
    offset = make_arm(kind, offsets={role: 0.4}, signs={role: sign})
    np.testing.assert_allclose(pose_of(arm=offset).rotation,
                               pose_of(kind, **{role: 0.4}).rotation, atol=1e-15)
    # canonical = sign * reading + offset, not sign * (reading + offset).
    np.testing.assert_allclose(pose_of(arm=offset, **{role: 0.1}).rotation,
                               pose_of(kind, **{role: 0.4 + sign * 0.1}).rotation, atol=1e-15)


# Against the URDF, and the scalar path against the arrays.

@all_kinds
def test_the_urdf_says_the_same(kind):
    for seed in range(10):
        arm = random_arm(kind, seed)
        judge, random = Judge(arm), Random(seed)
        for _ in range(10):
            q = random_readings(arm, random)
            pose = arm.forward(q)
            np.testing.assert_allclose(judge.pose(q)[:3, :3], pose.rotation, rtol=0, atol=1e-13)
            np.testing.assert_allclose(judge.pose(q)[:3, 3], pose.position, rtol=0, atol=1e-14)
            target = Target(pose.position, pose.up, pose.rotation[:, 0])
            assert max(judge.errors(q, target)) < 1e-13


@all_kinds
def test_plain_floats_and_arrays_say_the_same(kind):
    arm = random_arm(kind, 3)
    for i in range(50):
        q = random_readings(arm, Random(i))
        pose, (tip, up, forward, left) = arm.forward(q), tool(Geometry(arm.model), q)
        np.testing.assert_allclose(tip, pose.position, rtol=0, atol=1e-15)
        np.testing.assert_allclose(
            np.column_stack([forward, left, up]), pose.rotation, rtol=0, atol=2e-15)


@all_kinds
def test_elbow_wrist_and_tip_are_where_the_urdf_has_their_axes(kind):
    arm = random_arm(kind, 4)
    judge = Judge(arm)
    for i in range(20):
        q = random_readings(arm, Random(i))
        by_urdf = [judge.point(q, 'elbow'), judge.point(q, 'wrist'), judge.pose(q)[:3, 3]]
        np.testing.assert_allclose(
            joint_centres(Geometry(arm.model), q), by_urdf, rtol=0, atol=1e-14)
        assert heights(Geometry(arm.model), q) == pytest.approx(
            [point[2] for point in by_urdf], abs=1e-14)


# Leading axes.

@each_kind
@pytest.mark.parametrize('shape', [(), (1,), (7,), (3, 1, 2), (0,)])
def test_leading_axes_are_kept_and_each_pose_is_the_one_alone(kind, shape):
    arm = random_arm(kind, 5)
    random = np.random.default_rng(5)
    q = random.uniform(arm.lower, arm.upper, shape + (len(arm.joint_names),))
    before = q.copy()
    pose = arm.forward(q)
    assert pose.position.shape == pose.up.shape == shape + (3,)
    assert pose.rotation.shape == shape + (3, 3)
    for index in np.ndindex(shape):
        alone = arm.forward(q[index])
        np.testing.assert_allclose(pose.position[index], alone.position, rtol=0, atol=1e-15)
        np.testing.assert_allclose(pose.rotation[index], alone.rotation, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(q, before)


@pytest.mark.parametrize('q', [
    [0.0, 0.0, 0.0], [0.0] * 5, 0.0, [[0.0, 0.0, 0.0]], 'abcd', None, [0.0, 'x', 0.0, 0.0],
    [0.0, [0.0], 0.0, 0.0], {}])
def test_readings_of_a_wrong_shape_are_refused(q):
    with pytest.raises(InvalidInputError, match='joint positions'):
        make_arm().forward(q)


@pytest.mark.parametrize('bad', [float('nan'), float('inf'), -float('inf')])
def test_readings_that_are_not_finite_are_refused_by_their_place(bad):
    with pytest.raises(InvalidInputError, match=r'joint positions\[1, 2\]'):
        make_arm().forward([[0.0] * 4, [0.0, 0.0, bad, 0.0]])


# How far a pose is from a target.

@pytest.mark.parametrize(
    'between', [0.0, 1e-300, 1e-12, 1e-9, 0.3, RIGHT_ANGLE, 3.0, pi - 1e-9, pi])
def test_an_angle_between_vectors_is_exact_however_small_or_large(between):
    b = cos(between), sin(between), 0.0
    assert angle_between((1.0, 0.0, 0.0), b) == pytest.approx(between, rel=1e-12, abs=1e-15)
    assert angle((2.0, 0.0, 0.0), b) == pytest.approx(between, rel=1e-12, abs=1e-15)


def test_residuals_are_measured_against_what_was_asked_for():
    geometry, q = Geometry(make_arm(ALL).model), (0.0,) * 6
    position = 0.32 + 0.03, 0.04, 0.0
    assert residuals(geometry, q, Target(position)) == pytest.approx((0.05, 0.0, 0.0))
    up = cos(0.2), 0.0, sin(0.2)
    assert residuals(geometry, q, Target(position, up)) == pytest.approx((0.05, 0.2, 0.0))
    # Carried along from this up vector to the real one it is (0, sin, -cos).
    forward = sin(0.2) * cos(0.7), sin(0.7), -cos(0.2) * cos(0.7)
    assert residuals(geometry, q, Target(position, up, forward)) == pytest.approx((0.05, 0.2, 0.7))
    opposite = Target(position, (-1.0, 0.0, 0.0), (0.0, sin(0.7), -cos(0.7)))
    assert residuals(geometry, q, opposite) == pytest.approx((0.05, pi, 0.7))
