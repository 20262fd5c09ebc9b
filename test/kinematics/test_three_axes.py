# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Arms without a wrist, judged by their URDF and by a grid of poses."""

from dataclasses import replace
from math import pi, sin

from arm_ik import Arm, ArmModel, Joint, Status, Target
from arm_ik.description.arm_file import dump, load_model
from arm_ik.kinematics.model import KeepOut
from arm_ik.motion.jog import Jog, Twist
from arm_ik.workspace.region import Causes, REACHED, UP
from judged_arms import EXACT, inside, Judge
import numpy as np
import pytest


def three_axes(hand_elevation, roll, **numbers):
    """Return an arm that is nowhere symmetric."""
    limits = {'yaw': (1, 0.2, -2.4, 2.1), 'shoulder': (-1, 1.3, -0.9, 1.2),
              'elbow': (1, -1.1, -1.3, 0.9), 'wrist_roll': (-1, 0.4, -2.0, 2.6)}
    joints = [Joint(role, role, lower, upper, 3.0, sign, offset)
              for role, (sign, offset, lower, upper) in limits.items()
              if roll or role != 'wrist_roll']
    return Arm(ArmModel('three', 0.12, 0.13, 0.0 if hand_elevation is None else 0.06, joints,
                        [0.1] * len(joints), base_x=0.02, base_height=0.1, shoulder_offset=0.02,
                        hand_elevation=hand_elevation, **numbers))


ARMS = {'no hand': three_axes(None, False), 'forearm rolls': three_axes(None, True, lateral=0.01),
        'level': three_axes(0.0, True), 'down': three_axes(-0.5 * pi, False, lateral=-0.008)}
each_arm = pytest.mark.parametrize('arm', ARMS.values(), ids=ARMS)


def poses(arm, count, seed):
    """Return joint positions inside the limits."""
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (count, len(arm.home)))


@each_arm
def test_pose_and_jacobian_are_those_of_the_urdf_and_a_file_holds_the_arm(arm, tmp_path):
    judge, small = Judge(arm, False), 1e-6
    for q in poses(arm, 10, 1):
        pose, found = judge.pose(q), arm.forward(q)
        assert found.position == pytest.approx(pose[:3, 3], abs=1e-12)
        assert found.rotation == pytest.approx(pose[:3, :3], abs=1e-12)
        for turn, column in zip(small * np.eye(len(q)), arm.jacobian(q).T):
            ahead, back = judge.pose(q + turn), judge.pose(q - turn)
            spin = (ahead - back)[:3, :3] @ pose[:3, :3].T / (2.0 * small)
            assert column[:3] == pytest.approx((ahead - back)[:3, 3] / (2.0 * small), abs=1e-8)
            assert column[3:] == pytest.approx((spin[2, 1], spin[0, 2], spin[1, 0]), abs=1e-8)
    path = tmp_path / 'arm.yaml'
    path.write_text(dump(arm.model))
    assert load_model(path) == arm.model


@each_arm
def test_a_position_is_reached_and_an_up_vector_is_reported(arm):
    judge, rng = Judge(arm, False), np.random.default_rng(2)
    for q, near in zip(poses(arm, 25, 2), poses(arm, 25, 3).tolist()):
        pose, up = judge.pose(q), rng.normal(size=3)
        for elbow in ('nearest', 'up', 'down'):
            answer = arm.solve(Target(pose[:3, 3]), near, elbow=elbow)
            assert answer.reached and inside(arm, answer.q)
            assert judge.errors(answer.q, Target(pose[:3, 3]))[0] < EXACT
        target = Target(pose[:3, 3], up / np.linalg.norm(up))
        answer = arm.solve(target, near)
        assert answer.status is Status.UP_RELAXED and answer.reason.startswith('up vector ')
        assert judge.errors(answer.q, target)[:2] == pytest.approx(
            (0.0, answer.up_error_rad), abs=1e-7)
        assert arm.solve(Target(pose[:3, 3], pose[:3, 2], pose[:3, 0]), near).reached
        assert answer.q in [one.q for one in arm.solutions(target, near)]
    position, up = arm.forward(poses(arm, 1, 2)[0])[:2]
    for wanted, is_met in ((None, True), (up, True), (-up, False)):
        assert Causes(arm.model).of(position, wanted) == (REACHED if is_met else UP)
    batch = arm.solve_batch(np.tile(arm.forward(poses(arm, 20, 4)).position, (4, 1)))
    assert batch.reached.all()


@each_arm
@pytest.mark.parametrize('priority', ['position', 'up'])
def test_no_pose_of_a_grid_is_better_than_the_closest(arm, priority):
    rng = np.random.default_rng(5)
    grid = [np.linspace(low, high, 61) for low, high in zip(arm.lower[:3], arm.upper[:3])]
    q = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 3)
    at = arm.forward(np.concatenate([q, np.zeros((len(q), len(arm.home) - 3))], axis=1))
    missed = 0
    for position in rng.uniform(-0.35, 0.35, (12, 3)) + (0.0, 0.0, 0.1):
        up = rng.normal(size=3)
        target = Target(position, up / np.linalg.norm(up))
        answer = arm.solve(target, priority=priority)
        distances = np.linalg.norm(at.position - position, axis=1)
        angles = np.arccos(np.clip(at.up @ target.up, -1.0, 1.0))
        costs, found = distances, answer.position_error_m
        if priority == 'up':
            costs, found = angles, answer.up_error_rad
        missed += answer.position_error_m > 0.01
        assert inside(arm, answer.q) and found <= costs.min() + 1e-9
        assert costs.min() < found + 0.02    # the grid is fine enough to have a say
        equal = costs <= found + 1e-9
        assert not equal.any() or (
            distances if priority == 'up' else angles)[equal].min() >= (
                answer.position_error_m if priority == 'up' else answer.up_error_rad) - 1e-6
    assert missed > 3


@each_arm
def test_lines_paths_and_jogs_keep_to_the_position(arm):
    start = arm.forward(arm.home).position
    for end in arm.forward(arm.home + 0.15 * poses(arm, 4, 6)).position:
        line = arm.line([Target(end, (0.0, 0.6, 0.8))])
        assert (line.fraction, line.reason) == (1.0, '') and line.max_deviation_m < 1e-4
        assert arm.forward(line.q[-1]).position == pytest.approx(end, abs=1e-9)
        targets = [Target(start + part * (end - start)) for part in np.linspace(0.1, 1.0, 10)]
        q = [arm.home, *[answer.q for answer in arm.track(targets)]]
        assert all(answer.reached for answer in arm.track(targets))
        assert np.abs(np.diff(q, axis=0)).max() < 0.3
    jog = Jog(arm.model, arm.home, [0.0] * len(arm.home))
    for _ in range(25):
        before = arm.forward(jog.q).position
        jog.step(Twist((0.0, 0.0, -0.04), (0.0, 0.0, 0.0), False), 0.02)
    at = arm.forward(jog.q).position
    assert before - at == pytest.approx((0.0, 0.0, 0.0008), abs=2e-6) and not jog.reason


@each_arm
def test_a_hand_held_by_a_linkage_has_the_one_elevation(arm):
    for position in arm.forward(poses(arm, 10, 6)).position:
        ranges = arm.up_range(position)
        assert ranges and all(low == high for low, high in ranges)
        for (elevation, _), facing in zip(ranges, [np.arctan2(position[1], position[0] - 0.02)]):
            held = arm.model.hand_elevation
            assert held is None or abs(sin(elevation) - sin(held)) < 1e-9


@each_arm
def test_above_a_floor_elbow_wrist_and_tip_stay_above_it(arm):
    arm = Arm(replace(arm.model, floor_height=0.06))
    for q in poses(arm, 30, 7):
        for target in (Target(arm.forward(q).position), Target((0.2, 0.1, -0.1))):
            answer = arm.solve(target)
            points = arm.points(answer.q)
            assert min(points.elbow[2], points.wrist[2], points.tip[2]) >= 0.06 - 1e-9
            if target.position[2] > 0.0 and min(each[2] for each in arm.points(q)[1:]) > 0.06:
                assert answer.reached


@each_arm
def test_a_shape_at_the_end_of_the_arm_is_touched(arm):
    for q in poses(arm, 5, 8):
        wrist, tip = arm.points(q).wrist, arm.points(q).tip
        at = 0.7 * wrist + 0.3 * tip
        for shift, touches in ((0.0, True), (0.3, False)):
            centre = tuple((at + (0.0, 0.0, shift)).tolist())
            box = KeepOut('box', 'box', (0.01, 0.01, 0.01), centre)
            pairs = arm.scene(keep_out=(box,))
            near = pairs.distances(q[None])[0][[other == 'box' for other in pairs.others[:-1]]]
            assert (near.min() < 0.0) == touches
