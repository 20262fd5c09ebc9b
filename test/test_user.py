# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What people write in their first programs, and what they get."""

from dataclasses import replace
from functools import partial
import sys
from types import SimpleNamespace
import warnings

import arm_ik
from arm_ik import Arm, InvalidInputError, KeepOut, Status, Target, UnknownPresetError
from arm_ik.description.urdf import link_frames, link_names, links
from arm_ik.kinematics.model import Tip
import numpy as np
import pytest

ARM = Arm.preset('so101')
MET = Target((0.20, 0.05, 0.05), (0.0, 0.0, -1.0))
FAR = Target((2.0, 0.05, 0.05), (0.0, 0.0, -1.0))
KINDS = ['so101', 'simple', 'rolling_base', 'px100']
each_kind = pytest.mark.parametrize('name', KINDS)


def random_poses(arm, count, seed=0):
    """Return joint positions inside the limits, shape (count, joints)."""
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (count, len(arm.lower)))


# Answers.

def test_a_status_is_printed_by_its_name_and_stays_a_number():
    status = ARM.solve(FAR).status
    assert str(status) == f'{status}' == '%s' % status == 'POSITION_RELAXED'
    assert f'{status:>18}|{status:d}' == '  POSITION_RELAXED|3' and status == 3
    assert not Status.REACHED and Status.FORWARD_RELAXED


def test_a_solution_is_true_if_it_is_reached():
    assert ARM.solve(MET)
    assert not ARM.solve(FAR)


def test_a_solution_gives_an_array_to_reckon_with():
    solution = ARM.solve(MET)
    np.testing.assert_array_equal(solution.array, solution.q)
    solution.array[0] = 7.0
    assert solution.array[0] == solution.q[0] != 7.0
    np.testing.assert_array_equal(np.array([solution, solution]), [solution.q] * 2)


def test_a_solution_is_taken_wherever_joint_positions_are():
    at = ARM.solve(Target((0.15, -0.1, 0.1), (0.5, -0.3, -1.0)))
    assert at.step_rad > 0.1
    assert ARM.solve(MET, at) == ARM.solve(MET, at.q) != ARM.solve(MET)
    assert ARM.solutions(MET, at) == ARM.solutions(MET, at.q)
    assert ARM.track([MET], at) == ARM.track([MET], at.q)
    np.testing.assert_array_equal(ARM.line([MET], at).q, ARM.line([MET], at.q).q)
    np.testing.assert_array_equal(ARM.forward(at).rotation, ARM.forward(at.q).rotation)
    assert ARM.forward(ARM.track([MET, FAR], at)).position.shape == (2, 3)
    assert ARM.clearance(at) == ARM.clearance(at.q)
    assert ARM.check_path(at, ARM.solve(MET)) == ARM.check_path(at.q, ARM.solve(MET).q)
    batch = [ARM.solve_batch([MET.position], [MET.up], near=near).q for near in (at, at.q)]
    np.testing.assert_array_equal(*batch)
    with pytest.raises(InvalidInputError, match='near is .*allowed: 4 joint positions'):
        Arm.preset('simple').solve(MET, at)


def test_a_notebook_shows_a_solution_as_a_table_of_its_words():
    solution = ARM.solve(FAR)._replace(reason='a < b')
    table = getattr(solution, '_repr_html_')()
    assert 'POSITION_RELAXED' in table and 'a &lt; b' in table
    assert all(f'{position:.4f}' in table for position in solution.q)


# Joint positions.

@pytest.mark.parametrize('kind', [list, np.array, np.float32])
def test_near_of_any_type_takes_the_fast_path(kind, monkeypatch):
    monkeypatch.setattr(ARM.solver, 'solve_generally', None)
    assert ARM.solve(MET, kind(ARM.home))


@each_kind
def test_one_pose_is_the_same_as_one_of_many(name):
    arm = Arm.preset(name)
    poses = random_poses(arm, 20)
    for many in zip(*arm.forward(poses), poses):
        for one in (arm.forward(many[-1]), arm.forward(many[-1].tolist())):
            for found, expected in zip(one, many):
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    first = arm.forward(poses[0])
    before = first.rotation.copy()
    first.up[:] = 0.0
    np.testing.assert_array_equal(first.rotation, before)


@pytest.mark.parametrize('many', [False, True])
def test_forward_of_degrees_is_warned_of_and_of_radians_is_not(many):
    degrees = [10.0, -60.0, 60.0, 50.0, 0.0]
    with pytest.warns(UserWarning, match='shoulder_pan at 10 rad .*degrees') as caught:
        ARM.forward([degrees, degrees] if many else degrees)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for q in (ARM.home, ARM.lower, np.add(ARM.upper, 6.2), [6.9] * 5):
            ARM.forward([q, q] if many else q)


def test_lines_and_tracks_start_at_home():
    assert ARM.track([MET]) == ARM.track([MET], ARM.home)
    np.testing.assert_array_equal(ARM.line([MET]).q, ARM.line([MET], ARM.home).q)


# Targets.

def rotation_of(xyzw):
    """Return the rotation of a unit quaternion, by turning the three axes with products."""
    x, y, z, w = xyzw

    def product(a, b):
        (a0, a1, a2, a3), (b0, b1, b2, b3) = a, b
        return (a3 * b0 + a0 * b3 + a1 * b2 - a2 * b1, a3 * b1 - a0 * b2 + a1 * b3 + a2 * b0,
                a3 * b2 + a0 * b1 - a1 * b0 + a2 * b3, a3 * b3 - a0 * b0 - a1 * b1 - a2 * b2)
    return np.array([product(product(xyzw, (*axis, 0.0)), (-x, -y, -z, w))[:3]
                     for axis in np.eye(3)]).T


def pose_of(position, xyzw):
    """Return what has the attributes of a geometry_msgs/Pose."""
    return SimpleNamespace(position=SimpleNamespace(**dict(zip('xyz', position))),
                           orientation=SimpleNamespace(**dict(zip('xyzw', xyzw))))


@pytest.mark.parametrize('up_axis, up, forward', [
    ('z', (0, 0, 1), (1, 0, 0)), ('-z', (0, 0, -1), (1, 0, 0)),
    ('x', (1, 0, 0), (0, 0, -1)), ('-x', (-1, 0, 0), (0, 0, 1)),
    ('y', (0, 1, 0), (1, 0, 0)), ('-y', (0, -1, 0), (1, 0, 0))])
def test_a_target_comes_from_a_matrix_a_quaternion_and_a_pose(up_axis, up, forward):
    position, xyzw = (0.2, 0.05, 0.1), (0.1, -0.5, 0.7, 0.5)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation_of(xyzw), position
    for target in (Target.from_quaternion(position, xyzw, up_axis),
                   Target.from_matrix(matrix.tolist(), up_axis),
                   Target.from_pose(pose_of(position, xyzw), up_axis=up_axis)):
        assert target.position == position
        assert target.up == pytest.approx(matrix[:3, :3] @ up, abs=1e-15)
        assert target.forward == pytest.approx(matrix[:3, :3] @ forward, abs=1e-15)


def test_the_pose_of_the_tool_is_a_target_by_default():
    pose = ARM.forward(ARM.home)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.position
    assert ARM.solve(Target.from_matrix(matrix)).q == pytest.approx(ARM.home, abs=1e-12)


@pytest.mark.parametrize('change', [
    lambda matrix: matrix[:3], lambda matrix: matrix.T, lambda matrix: 1.01 * matrix,
    lambda matrix: matrix * [1, 1, -1, 1], lambda matrix: matrix * np.nan, lambda matrix: 'x',
    lambda matrix: None, lambda matrix: matrix * 1j, lambda matrix: matrix.ravel(),
    lambda matrix: [[1.0], []], lambda matrix: [[0.0] * 4] * 4,
    *(partial(np.add, 0.01 * np.outer(np.eye(4)[i], np.eye(4)[j])) for i, j in (
        (0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2), (3, 0), (3, 3)))])
def test_what_is_no_transform_is_refused(change):
    matrix = np.eye(4)
    matrix[:3, 3] = 0.2, 0.05, 0.1
    with np.errstate(all='ignore'), pytest.raises(
            InvalidInputError, match='target matrix is .*allowed: a 4 x 4 matrix'):
        Target.from_matrix(change(matrix))


@pytest.mark.parametrize('xyzw', [
    (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.1), (0.0, 0.0, float('nan'), 1.0), 5,
    'abcd', {0.0: 0, 1.0: 1, 2.0: 2, 3.0: 3}, np.array([0, 0, 0, 1j]), (10 ** 400, 0, 0, 1)])
def test_what_is_no_quaternion_is_refused(xyzw):
    with pytest.raises(InvalidInputError, match='^target quaternion is '):
        Target.from_quaternion((0.2, 0.0, 0.1), xyzw)


def test_an_unknown_up_axis_is_refused():
    for up_axis in ('w', None, ['z']):
        with pytest.raises(InvalidInputError, match="up_axis is .*allowed: 'z', '-z', 'x'"):
            Target.from_quaternion((0.2, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0), up_axis)


def test_a_stamped_pose_is_refused_because_its_frame_may_be_another():
    stamped = SimpleNamespace(header=None, pose=pose_of((0.2, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0)))
    with pytest.raises(InvalidInputError, match='of a PoseStamped its pose, if .* base_link'):
        Target.from_pose(stamped)


def test_a_target_is_copied_with_one_thing_changed():
    target = Target((0.2, 0.05, 0.1), (0.1, 0.2, -1.0), (1.0, 0.3, 0.1))
    higher = target.replace(position=(0.2, 0.05, 0.2))
    assert (higher.position, higher.up, higher.forward) == (
        (0.2, 0.05, 0.2), target.up, target.forward)
    assert target.replace(up=(0, 0, -2)).up == (0.0, 0.0, -1.0)
    assert target.replace(up=None, forward=None) == Target(target.position)
    assert target == Target((0.2, 0.05, 0.1), (0.1, 0.2, -1.0), (1.0, 0.3, 0.1))
    with pytest.raises(InvalidInputError, match='not along the up vector'):
        target.replace(up=target.forward)
    with pytest.raises(TypeError, match='u_p'):
        target.replace(u_p=None)


# Points of the arm, and how it moves.

def tipped(name, tip):
    """Return a preset with a tip beside its last link."""
    model = Arm.preset(name).model
    return Arm(replace(model, tips=(Tip('beside', *tip),), tip='beside'))


BESIDE = [tipped('so101', (0.008, -0.002, 0.01, 0.3)), tipped('simple', (0.01, 0.02, -0.02, 0.4))]
TILTING = Arm(replace(
    ARM.model, lateral=0.01, tips=(), joints=(*ARM.model.joints[:4], replace(
        ARM.model.joints[4], name='tilt', role='wrist_tilt', sign=-1, offset=0.2),
        replace(ARM.model.joints[4], sign=-1, offset=0.3)), home=(*ARM.home, 0.0)))
every_arm = pytest.mark.parametrize(
    'arm', [*map(Arm.preset, KINDS), TILTING, *BESIDE], ids=lambda arm: arm.name)


@every_arm
def test_points_are_where_the_urdf_has_them(arm):
    found = link_frames(links(arm.model), dict(zip(arm.joint_names, poses := random_poses(
        arm, 1)[0])))
    names, model = link_names(arm.model), arm.model
    at = {joint.role: found[names[joint.name]][:3, 3] for joint in model.joints}
    points = arm.points(poses)
    for role in ('shoulder', 'elbow', 'wrist'):
        np.testing.assert_allclose(getattr(points, role), at[role], rtol=0, atol=1e-12)
    pose, tip = arm.forward(poses), model.chosen_tip
    np.testing.assert_allclose(points.tip, pose.position, rtol=0, atol=1e-12)
    corner = points.wrist + (model.hand + tip.z) * pose.up
    np.testing.assert_allclose(points.corner, corner, rtol=0, atol=1e-12)
    assert np.linalg.norm(points.tip - points.corner) == pytest.approx(
        np.hypot(tip.x, tip.y), abs=1e-12)


@every_arm
@pytest.mark.parametrize('shape', [(), (1,), (7,), (3, 1, 2), (0,)])
def test_points_and_jacobians_are_of_each_pose(arm, shape):
    poses = random_poses(arm, int(np.prod(shape))).reshape(*shape, len(arm.home))
    points, jacobians = arm.points(poses), arm.jacobian(poses)
    assert jacobians.shape == (*shape, 6, poses.shape[-1])
    for index in np.ndindex(shape):
        np.testing.assert_array_equal(jacobians[index], arm.jacobian(poses[index].tolist()))
        np.testing.assert_array_equal([part[index] for part in points], arm.points(poses[index]))


@every_arm
def test_the_jacobian_is_that_of_pinocchio(arm):
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(arm.to_urdf())
    joints = [model.joints[model.getJointId(name)] for name in arm.joint_names]
    for q in random_poses(arm, 5):
        everything = pinocchio.neutral(model)
        everything[[joint.idx_q for joint in joints]] = q
        expected = pinocchio.computeFrameJacobian(
            model, model.createData(), everything, model.getFrameId('tool0'),
            pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(
            arm.jacobian(q), expected[:, [joint.idx_v for joint in joints]], rtol=0, atol=1e-12)


@pytest.mark.parametrize('q', [(0.0,) * 4, None, 'abcde', [[0.0] * 5, [float('nan')] * 5]])
def test_points_and_jacobians_of_no_pose_are_refused(q):
    for ask in (ARM.points, ARM.jacobian):
        with pytest.raises(InvalidInputError, match='^q.*allowed: 5 finite joint positions'):
            ask(q)


# Targets by elevation, and the arm elsewhere.

def elevation_of(arm, q):
    """Return the elevation of the last link as docs/conventions.md has it [rad]."""
    x, y, _ = np.subtract(arm.forward(q).position, (arm.model.base_x, arm.model.base_y, 0.0))
    up = arm.forward(q).up
    return np.arctan2(up[2], (up[0] * x + up[1] * y) / np.hypot(x, y))


OFF_AXIS = Arm(replace(ARM.model, name='off_axis', lateral=0.03))


@pytest.mark.parametrize('arm', [ARM, OFF_AXIS, Arm.preset('simple'), *BESIDE],
                         ids=lambda arm: arm.name)
def test_a_target_by_elevation_is_in_the_arm_plane(arm):
    behind = []
    for q in random_poses(arm, 40):
        pose = arm.forward(q)
        yaw, _, a1, elbow, wrist, _, _ = arm.solver.geometry.whole.canonical(q)
        facing = np.cos(yaw) * (pose.position[0] - arm.model.base_x) + np.sin(yaw) * (
            pose.position[1] - arm.model.base_y) > 0.0
        elevation = np.angle(np.exp(1j * (a1 + elbow + wrist)) if facing
                             else -np.exp(-1j * (a1 + elbow + wrist)))
        target = arm.target(pose.position, elevation, pose.rotation[:, 0])
        solution = arm.solve(target)
        assert target.position == tuple(pose.position) and target.up[2] == pytest.approx(
            np.sin(elevation))
        assert solution.position_error_m < 1e-8 and solution.up_error_rad < 1e-7
        behind.append(not facing)
    assert 5 < sum(behind) < 35


def test_over_the_back_alone_the_plane_is_that_over_the_back():
    wide = replace(OFF_AXIS.model.joints[1], lower=-3.0, upper=3.0)
    first, _, *others = OFF_AXIS.model.joints
    arm = Arm(replace(OFF_AXIS.model, joints=(
        replace(first, lower=-0.3, upper=0.3), wide, *others)))
    met = 0
    for q in random_poses(arm, 60):
        position = arm.forward(q).position
        if position[0] < arm.model.base_x - 0.1:
            solution = arm.solve(arm.target(position, elevation_of(arm, q)))
            met += solution.position_error_m < 1e-9 and solution.up_error_rad < 1e-9
    assert met > 5


AHEAD = Arm(replace(ARM.model, joints=(
    replace(ARM.model.joints[0], lower=-0.3, upper=0.3), *ARM.model.joints[1:])))


@pytest.mark.parametrize('arm, x, y', [
    (AHEAD, 0.1, 0.9), (AHEAD, -0.1, -0.9), (TILTING, 0.2, 0.1), (TILTING, -0.1, 0.2),
    (Arm.preset('rolling_base'), 0.1, 0.1)], ids=['left', 'right', 'tilt', 'behind', 'roll'])
def test_out_of_limits_or_with_a_plane_for_every_vector_it_faces_the_target(arm, x, y):
    away = np.cos(0.5) / np.hypot(x, y)
    position = x + arm.model.base_x, y + arm.model.base_y, 0.1
    assert arm.target(position, -0.5).up == pytest.approx(
        (away * x, away * y, -np.sin(0.5)), abs=1e-3)
    assert arm.target((arm.model.base_x, arm.model.base_y, 9.0), np.pi / 2).up[2] == 1.0


@pytest.mark.parametrize('elevation', [None, 'x', float('nan'), -90.0])
def test_an_elevation_in_degrees_or_none_is_refused(elevation):
    with pytest.raises(InvalidInputError, match='elevation is .*from -6.28319 to 6.28319'):
        ARM.target((0.2, 0.0, 0.1), elevation)


@every_arm
def test_an_arm_placed_elsewhere_is_the_same_arm_there(arm):
    bar = KeepOut('bar', 'box', (0.02, 0.6, 0.02), (0.2, 0.05, 0.2), (0.1, 0.2, 0.3))
    arm = Arm(replace(arm.model, keep_out=(bar,), floor_height=-0.02))
    x, y, z, yaw = 0.3, -0.2, 0.0, 2.0
    elsewhere, turn = arm.placed(x, y, z, yaw), np.eye(3)
    turn[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    poses = random_poses(arm, 20)
    before, after = arm.forward(poses), elsewhere.forward(poses)
    np.testing.assert_allclose(after.position, before.position @ turn.T + (x, y, z), atol=1e-12)
    np.testing.assert_allclose(after.rotation, turn @ before.rotation, atol=1e-12)
    np.testing.assert_allclose(elsewhere.clearance(poses), arm.clearance(poses), atol=1e-9)
    for q in poses[:5]:
        target = Target(arm.forward(q).position, arm.forward(q).up)
        there = Target(turn @ target.position + (x, y, z), turn @ target.up)
        assert elsewhere.solve(there).q == pytest.approx(arm.solve(target).q, abs=1e-6)
    higher = arm.placed(z=0.5)
    assert (higher.model.floor_height, higher.model.keep_out[0].position[2]) == (0.48, 0.7)
    assert higher.forward(arm.home).position[2] == pytest.approx(
        arm.forward(arm.home).position[2] + 0.5)
    assert arm.placed() == arm


def test_no_place_is_refused():
    for wrong in ({'x': float('nan')}, {'y': 'x'}, {'z': None}, {'yaw': float('inf')}):
        with pytest.raises(InvalidInputError, match=f'^{next(iter(wrong))} is '):
            ARM.placed(**wrong)


# Arms.

def test_presets_are_listed_and_a_name_that_is_nearly_right_is_suggested():
    assert 'so101' in arm_ik.presets() == arm_ik.description.preset_names()
    for name in ('SO 101', 'S0101'):
        with pytest.raises(UnknownPresetError, match="did you mean 'so101'"):
            Arm.preset(name)


def test_arms_of_one_model_are_equal():
    same = Arm.preset('so101')
    assert ARM == same and hash(ARM) == hash(same) and len({ARM, same}) == 1
    assert ARM != Arm.preset('so101', tip='gripper_frame_link') != Arm.preset('so100')
    assert ARM != ARM.model and ARM is not None


def test_an_arm_says_what_it_is():
    assert repr(Arm.preset('so101', tip='gripper_frame_link')) == (
        '<Arm so101: shoulder_pan (yaw), shoulder_lift (shoulder), elbow_flex (elbow), '
        'wrist_flex (wrist), wrist_roll (wrist_roll); reach 0.410 m, tip gripper_frame_link>')
    assert repr(Arm.preset('simple')).endswith('wrist (wrist); reach 0.320 m>')


def test_a_notebook_shows_an_arm_as_a_picture_where_matplotlib_is(monkeypatch):
    picture = getattr(ARM, '_repr_png_')
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    assert picture() is None
    monkeypatch.undo()
    pytest.importorskip('matplotlib')
    assert picture().startswith(b'\x89PNG') and len(picture()) < 30000
