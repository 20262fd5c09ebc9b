# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A tip beside the roll axis, judged by its URDF, by brute force, and by the rule of the roll."""

from dataclasses import replace
from math import cos, hypot, pi, sin
from pathlib import Path
import sys

from arm_ik import Arm, Status, Target
from arm_ik.errors import InvalidArmError
from arm_ik.kinematics import solver
from arm_ik.kinematics.batch.solve import RowSolver
from arm_ik.kinematics.closest.spatial.distance_search import DistanceSearch
from arm_ik.kinematics.forward import heights
from arm_ik.kinematics.model import Tip
import numpy as np
import pytest
from urdf_judge import UrdfJudge

sys.path.insert(0, str(Path(__file__).parent))
from tip_brute_force import TipBruteForce  # noqa: E402, I100

ARM = Arm.preset('so101', tip='gripper_frame_link')
PEN = Arm(replace(ARM.model, tips=(Tip('pen', -0.03, 0.02, 0.04, 0.7),), tip='pen'))
BACK = Arm(replace(ARM.model, tips=(Tip('back', 0.01, 0.0, -0.03),), tip='back'))
BENT = Arm.preset('lss_5dof', tip='lss_arm_ee')
ARMS = pytest.mark.parametrize(
    'arm', [ARM, PEN, BACK, BENT], ids=['gripper', 'pen', 'back', 'bent hand'])
JUDGES = {}


def judged(arm, q):
    """Return position and rotation of tool0 by the URDF."""
    if arm not in JUDGES:
        JUDGES[arm] = UrdfJudge(arm.to_urdf())
    pose = JUDGES[arm].pose(dict(zip(arm.joint_names, q)))
    return pose[:3, 3], pose[:3, :3]


def reachable(arm, count, seed):
    """Return joint positions and their poses."""
    random = np.random.default_rng(seed)
    q = random.uniform(arm.lower, arm.upper, (count, len(arm.lower)))
    return q, arm.forward(q), random


def rotations(random, count):
    return np.linalg.qr(random.normal(size=(count, 3, 3)))[0]


def inside(arm, q):
    return all(low <= at <= high for low, at, high in zip(arm.lower, q, arm.upper))


@ARMS
def test_forward_kinematics_are_those_of_the_urdf(arm):
    q, poses, _ = reachable(arm, 20, 1)
    for i, row in enumerate(q):
        position, rotation = judged(arm, row)
        np.testing.assert_allclose(poses.position[i], position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(poses.rotation[i], rotation, rtol=0, atol=1e-12)


@ARMS
@pytest.mark.parametrize('asked', [3, 2, 1], ids=['forward', 'up', 'position'])
def test_what_can_be_reached_is_reached(arm, asked):
    q, poses, random = reachable(arm, 60, 2)
    for row, position, rotation in zip(q, poses.position, poses.rotation):
        for near in (random.uniform(arm.lower, arm.upper), row + random.uniform(-0.2, 0.2, 5)):
            target = Target(position, *[rotation[:, 2], rotation[:, 0]][:asked - 1])
            answer = arm.solve(target, tuple(near.tolist()))
            assert answer.reached and inside(arm, answer.q)
            tip, axes = judged(arm, answer.q)
            assert np.linalg.norm(tip - position) < 1e-6
            if asked > 1:
                assert np.linalg.norm(axes[:, 2] - rotation[:, 2]) < 1e-6
            if asked > 2:
                assert np.linalg.norm(axes[:, 0] - rotation[:, 0]) < 1e-6


@ARMS
def test_any_rotation_at_a_reachable_point_is_as_good_as_by_brute_force(arm):
    _, poses, random = reachable(arm, 10, 3)
    brute, met = TipBruteForce(arm), 0
    for position, rotation in zip(poses.position, rotations(random, 10)):
        target = Target(position, rotation[:, 2], rotation[:, 0])
        answer = arm.solve(target)
        least = brute.least_up_error(target)
        assert inside(arm, answer.q)
        if least < np.inf:
            met += 1
            assert np.linalg.norm(judged(arm, answer.q)[0] - position) < 1e-6
            # A pen so far beside: docs/theory.md says what is not claimed.
            assert answer.up_error_rad < least + (1e-5 if arm is not PEN else 0.5)
    assert met > 3


def test_where_the_yaw_comes_to_its_limit_it_is_as_good_as_by_brute_force():
    q, _, random = reachable(ARM, 80, 19)
    q[:, 0] = np.where(np.arange(80) % 2, ARM.lower[0], ARM.upper[0])
    brute, at_limit = TipBruteForce(ARM), 0
    for position, rotation in zip(ARM.forward(q).position, rotations(random, 80)):
        target = Target(position, rotation[:, 2], rotation[:, 0])
        answer = ARM.solve(target)
        if min(abs(answer.q[0] - ARM.lower[0]), abs(answer.q[0] - ARM.upper[0])) < 1e-9:
            least = brute.least_up_error(target)
            at_limit += least < np.inf
            assert answer.position_error_m < 1e-6 or least == np.inf
            assert answer.up_error_rad < least + 1e-5
    assert at_limit > 3


def test_without_a_forward_vector_the_nearest_roll_that_meets_position_and_up_is_taken():
    q, poses, _ = reachable(ARM, 25, 5)
    for row, position, up in zip(q, poses.position, poses.up):
        for beside in (-0.1, 0.1):
            near = (*row[:4].tolist(), row[4] + beside)
            answer = ARM.solve(Target(position, up), near)
            assert answer.reached and abs(answer.q[4] - near[4]) < 0.1 + 1e-9


@ARMS
def test_an_ordinary_up_vector_is_met_fast_with_the_same_answer(arm):
    q, poses, _ = reachable(arm, 60, 20)
    fast = 0
    for i, (row, position, up) in enumerate(zip(q, poses.position, poses.up)):
        near = tuple((row + 0.2).tolist()) if i % 2 else arm.home
        asked = Target(position, up), near
        answer = arm.solver.solve_fast(*asked, 1e-4, 1e-3)
        if answer is not None:
            fast += 1
            slow = arm.solver.solve_generally(*asked, 'nearest', 'position', 1e-4, 1e-3)
            np.testing.assert_allclose(answer.q, slow.q, rtol=0, atol=1e-6)
    assert fast > 30


@pytest.mark.parametrize('arm', [ARM, PEN, BACK])    # the roll of the bent one has no ends
def test_past_a_limit_of_the_roll_position_and_up_vector_are_met(arm):
    q, _, _ = reachable(arm, 20, 12)
    for end, sign in ((arm.lower[4], -1.0), (arm.upper[4], 1.0)):
        q[:, 4] = end
        poses = arm.forward(q)
        for row, position, rotation in zip(q, poses.position, poses.rotation):
            turn = arm.model.joints[4].sign * sign * 0.2
            wanted = cos(turn) * rotation[:, 0] + sin(turn) * rotation[:, 1]
            answer = arm.solve(Target(position, rotation[:, 2], wanted), tuple(row.tolist()))
            assert answer.status is Status.FORWARD_RELAXED
            assert answer.q[4] == pytest.approx(end, abs=1e-12)
            assert answer.limited_by == arm.joint_names[-1:]
            assert answer.forward_error_rad == pytest.approx(0.2)
            tip, axes = judged(arm, answer.q)
            assert np.linalg.norm(tip - position) < 1e-6
            assert np.linalg.norm(axes[:, 2] - rotation[:, 2]) < 1e-6


@ARMS
@pytest.mark.parametrize('with_forward', [False, True], ids=['up', 'forward'])
def test_of_all_rolls_the_one_that_misses_the_up_vector_least_is_taken(arm, with_forward):
    _, poses, random = reachable(arm, 3, 13)
    for position, rotation in zip(poses.position, rotations(random, 3)):
        forward = rotation[:, 0] if with_forward else None
        answer = arm.solve(Target(position, rotation[:, 2], forward))
        assert np.linalg.norm(judged(arm, answer.q)[0] - position) < 1e-6
        least = min(TipBruteForce(arm, roll).least_up_error(Target(position, rotation[:, 2]))
                    for roll in np.linspace(arm.lower[4], arm.upper[4], 8))
        assert answer.up_error_rad < least + 1e-6


@pytest.mark.parametrize('position, up, q', [
    ((-0.07922965791714401, 0.08746417751313547, -0.06448510451556361), None,
     (0.6190220185710107, -1.74533, -1.69, -1.65806, -2.74385)),
    ((-0.11003753488407104, 0.11000240627487833, 0.2519264269134259),
     (0.7628982967843486, 0.6378821187022604, -0.10532137201658169), None)])
def test_a_position_that_few_rolls_reach_is_met_whatever_the_vectors(position, up, q):
    if q:
        assert np.linalg.norm(judged(ARM, q)[0] - position) < 1e-9 and inside(ARM, q)
    for forward in (None, (0.0, 0.1, 0.9)):
        answer = ARM.solve(Target(position, up, forward))
        assert np.linalg.norm(judged(ARM, answer.q)[0] - position) < 1e-9


def test_a_tip_in_a_plane_of_its_own_is_met_by_an_arm_without_a_roll():
    model = Arm.preset('px100').model
    arm = Arm(replace(model, tips=(Tip('camera', 0.02, -0.015, 0.01, 0.3),), tip='camera'))
    q, poses, _ = reachable(arm, 40, 6)
    for row, position, up in zip(q, poses.position, poses.up):
        answer = arm.solve(Target(position, up), tuple(row.tolist()))
        assert answer.reached
        assert np.linalg.norm(judged(arm, answer.q)[0] - position) < 1e-6
        np.testing.assert_allclose(judged(arm, answer.q)[1][:, 2], up, rtol=0, atol=1e-6)
    assert arm.solve_batch(poses.position, poses.up).reached.all()


def test_a_tip_on_the_line_of_the_last_link_is_an_ordinary_arm():
    long = Arm(replace(ARM.model, tips=(Tip('long', z=0.05, turn=0.4),), tip='long'))
    plain = replace(ARM.model, tip='', hand=ARM.model.hand + 0.05)
    assert type(long.solver) is type(Arm(plain).solver)
    q, poses, _ = reachable(long, 20, 7)
    for row, position, rotation in zip(q, poses.position, poses.rotation):
        answer = long.solve(Target(position, rotation[:, 2], rotation[:, 0]), tuple(row.tolist()))
        assert answer.reached and answer.step_rad < 1e-6


@ARMS
@pytest.mark.parametrize('scale, off', [
    (1.0, (0.1, 0.0, 0.1)), (1.6, (0.1, 0.0, 0.1)), (1.0, (-0.4, 0.0, 0.0))])
def test_out_of_reach_nothing_is_nearer(arm, scale, off):
    """Judged by poses around the answer, and by many others."""
    _, poses, random = reachable(arm, 6, 8)
    compared = 0
    for position, rotation in zip(poses.position, rotations(random, 6)):
        target = Target(scale * position + off, rotation[:, 2], rotation[:, 0])
        answer = arm.solve(target)
        if answer.position_error_m < 1e-6:
            continue
        compared += 1
        others = [random.uniform(arm.lower, arm.upper, (4000, 5)), np.array(answer.q)[None]]
        others[1:] += [np.array(answer.q) + random.normal(scale=size, size=(1000, 5))
                       for size in (0.1, 0.01, 0.001)]
        # The roll alone is on the path to the other side of the hand.
        others.append(np.tile(answer.q, (100, 1)))
        others[-1][:, 4] = np.linspace(arm.lower[4], arm.upper[4], 100)
        found = arm.forward(np.clip(np.concatenate(others), arm.lower, arm.upper))
        distances = np.linalg.norm(found.position - target.position, axis=1)
        assert answer.position_error_m < distances.min() + 1e-9
    assert compared


def test_a_tip_just_above_a_target_below_the_floor_is_found_beside_the_arm_plane():
    model = Arm.preset('koch', tip='fingertips').model
    floor = Arm(replace(model, floor_height=0.0))
    near = (-1.3646, -0.1535, 0.8764, -0.7366, -0.0954)
    solution = floor.solve(Target((-0.12, -0.14, -0.01)), near)
    assert solution.position_error_m == pytest.approx(0.01, abs=1e-9)
    assert min(heights(floor.solver.geometry, solution.q)) > -1e-8


def test_a_stream_of_positions_turns_the_roll_a_little_sooner_than_the_base_far():
    near = (-1.91986, 0.2074058599518085, -1.302585198204198, -1.65806, -0.47820373914462655)
    target = Target((0.0400580466356416, -0.007375127090490079, 0.40905476626585596))
    solution = ARM.solve(target, near, branch_tolerance=(0.001, 0.0349))
    assert solution.reached and solution.step_rad < 0.5
    assert inside(ARM, solution.q) and ARM.solve(target, near).step_rad > 3.0


@ARMS
def test_no_pose_above_the_floor_is_nearer_to_a_target_below_it(arm, monkeypatch):
    made = []
    monkeypatch.setattr(solver, 'DistanceSearch', lambda *args: made.append(
        args) or DistanceSearch(*args))
    low = Arm(replace(arm.model, floor_height=0.02, home=(0.0, -1.2, 1.2, 0.0, 0.0)))
    q, poses, random = reachable(arm, 4000, 11)
    above = [min(heights(low.solver.geometry, row)) >= 0.02 for row in q]
    for _ in range(6):
        position = *random.uniform(-0.7, 0.7, 2) * arm.model.reach, random.uniform(-0.1, 0.02)
        for up in (None, rotations(random, 1)[0, 0]):
            answer = low.solve(Target(position, up))
            nearest = np.linalg.norm(poses.position[above] - position, axis=1).min()
            assert answer.position_error_m < nearest + 1e-6
            assert min(heights(low.solver.geometry, answer.q)) > 0.02 - 1e-8
    assert len(made) == 1       # one search serves every roll


@ARMS
def test_the_floor_counts_the_tip_and_the_end_of_the_last_link(arm):
    low = Arm(replace(arm.model, floor_height=0.0, home=(0.0, -1.2, 1.2, 0.0, 0.0)))
    q, poses, random = reachable(arm, 30, 9)
    kept = 0
    for position, rotation in zip(poses.position, poses.rotation):
        if not -0.02 < position[2] < 0.06:
            continue
        kept += 1
        for vectors in ((rotation[:, 2], rotation[:, 0]), (rotation[:, 2],), ()):
            answer = low.solve(Target(position, *vectors))
            tip, axes = judged(low, answer.q)
            tip_in_hand = low.model.chosen_tip
            axis = axes @ [[cos(tip_in_hand.turn), sin(tip_in_hand.turn), 0.0],
                           [-sin(tip_in_hand.turn), cos(tip_in_hand.turn), 0.0], [0.0, 0.0, 1.0]]
            end = tip - axis @ [tip_in_hand.x, tip_in_hand.y, tip_in_hand.z]
            assert min(tip[2], end[2], *heights(low.solver.geometry, answer.q)) > -1e-8
    assert kept


def test_every_branch_has_its_verdict():
    q, poses, _ = reachable(ARM, 15, 10)
    for row, position, rotation in zip(q, poses.position, poses.rotation):
        for vectors in ((rotation[:, 2], rotation[:, 0]), (rotation[:, 2],)):
            found = ARM.solutions(Target(position, *vectors), tuple(row.tolist()))
            assert found[0].reached
            assert max(abs(a - b) for a, b in zip(found[0].q[:4], row)) < 1e-6
            assert all(inside(ARM, solution.q) for solution in found)


def test_the_elbow_and_the_up_vector_may_be_asked_for_first():
    target = Target((0.2, 0.05, 0.06), (0.1, 0.025, -1.0), (0.0, 1.0, 0.0))
    for elbow, sign in (('up', -1.0), ('down', 1.0)):
        answer = ARM.solve(target, elbow=elbow)
        assert sign * sin(ARM.model.joints[2].canonical(answer.q[2])) > 0.0 \
            or 'elbow' in answer.reason
    far = Target((0.6, 0.1, 0.1), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    answer = ARM.solve(far, priority='up')
    assert answer.up_error_rad < 1e-6


def test_a_preferred_elevation_is_that_of_the_last_link():
    for vectors in ({}, {'forward': (0.0, 1.0, 0.2)}):
        answer = ARM.solve(Target((0.25, 0.05, 0.1), **vectors), elevation=-0.4)
        up = judged(ARM, answer.q)[1][:, 2]
        assert answer.reached and np.arctan2(up[2], hypot(up[0], up[1])) == pytest.approx(-0.4)
    (low, high), = ARM.up_range((0.25, 0.05, 0.1))
    for elevation in (low + 1e-6, high - 1e-6):
        answer = ARM.solve(Target((0.25, 0.05, 0.1)), ARM.home, elevation=elevation)
        assert answer.reached and 'elevation' not in answer.reason
        assert answer.q[4] == ARM.home[4]


def test_a_batch_answers_as_one_by_one(monkeypatch):
    alone, one_by_one = [], RowSolver.solve_one_by_one
    monkeypatch.setattr(RowSolver, 'solve_one_by_one', lambda self, rows: (
        alone.append(rows), one_by_one(self, rows)))
    _, poses, random = reachable(ARM, 120, 11)
    near = random.uniform(ARM.lower, ARM.upper, (120, 5))
    forwards = poses.rotation[..., 0].copy()
    forwards[::10] = rotations(random, 12)[..., 0]
    for given in (forwards, None):
        found = ARM.solve_batch(poses.position, poses.up, given, near)
        for i in range(0, 120, 3 if given is not None else 12):
            target = Target(poses.position[i], poses.up[i], None if given is None else given[i])
            one = ARM.solve(target, tuple(near[i].tolist()))
            np.testing.assert_allclose(found.q[i], one.q, rtol=0, atol=1e-6)
            assert found.status[i] == one.status
        if given is not None:
            assert len(alone) == 1 and len(alone[0]) < 30
    floor = Arm(replace(ARM.model, floor_height=0.02))
    high = poses.position[:, 2] > 0.03
    found = floor.solve_batch(poses.position[high], poses.up[high], poses.rotation[high, :, 0])
    assert min(min(heights(floor.solver.geometry, q)) for q in found.q) > 0.02 - 1e-8


def test_the_present_branch_is_kept():
    """As the target comes back from the edge of reach the elbow stays on its side."""
    near, q = ARM.solve(Target((0.25, 0.0, 0.1), (1, 0, -1), (0, 1, 0)), elbow='down').q, []
    for x in np.linspace(0.25, 0.45, 60).tolist() + np.linspace(0.45, 0.25, 60).tolist():
        near = ARM.solve(Target((x, 0.03, 0.1), (1, 0, -0.2), (0, 1, 0)), near,
                         branch_tolerance=(0.001, 0.0349)).q
        q.append(near)
    assert np.abs(np.diff(q, axis=0)).max() < 0.4
    flipped = Target((0.3, 0.05, 0.1), (1.0, 0.1, -0.4), (0.0, 1.0, 0.0))
    before = ARM.solve(flipped, elbow='up')
    kept = ARM.solve(flipped, before.q, branch_tolerance=(0.001, 0.0349))
    # It is not the same pose: here the roll serves the forward vector, not the last degree of up.
    assert max(abs(a - b) for a, b in zip(before.q, kept.q)) < 0.1


@pytest.mark.parametrize('up, forward, most', [
    ((1.0, 0.0, -0.5), (0.0, 0.0, 1.0), 0.01), ((0.2, 0.1, -1.0), (1.0, 0.0, 0.0), 0.01),
    ((1.0, 0.0, -0.5), None, 1.3)])
def test_in_a_stream_the_roll_does_not_swing_for_the_last_degree_of_an_up_vector(
        up, forward, most):
    near, rolls = ARM.home, []
    for angle in np.linspace(0.0, 2.0 * pi, 150):
        near = ARM.solve(Target((0.2 + 0.04 * cos(angle), 0.04 * sin(angle), 0.1), up, forward),
                         near, branch_tolerance=(0.001, 0.0349)).q
        rolls.append(near[-1])
    assert np.abs(np.diff(rolls)).max() < most


@pytest.mark.parametrize('up, forward', [((0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
                                         ((0.3, 0.1, -1.0), (0.0, 1.0, 0.0))])
def test_with_a_branch_tolerance_the_up_vector_comes_first_if_it_is_asked_to(up, forward):
    target = Target((0.36, 0.05, 0.12), up, forward)
    first = ARM.solve(target, priority='up')
    kept = ARM.solve(target, first.q, priority='up', branch_tolerance=(0.001, 0.0349))
    assert first.up_error_rad < 1e-9 and kept.up_error_rad < 1e-9
    assert kept.position_error_m < first.position_error_m + 0.001


def test_the_roll_gives_no_up_vector_away_for_less_of_the_forward_vector():
    target = Target((0.05, 0.0, 0.05), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    best = ARM.solve(target)
    kept = ARM.solve(target, best.q, branch_tolerance=(0.001, 0.0349))
    assert kept.up_error_rad + kept.forward_error_rad < (
        best.up_error_rad + best.forward_error_rad + 1e-6)


def test_track_takes_the_tip_around_a_circle_without_a_jump():
    circle = np.linspace(0.0, 2.0 * pi, 40)
    for vectors in ((), ((0.0, 0.0, -1.0),), ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0))):
        targets = [Target((0.22 + 0.03 * cos(t), 0.04 * sin(t), 0.06), *vectors) for t in circle]
        answers = ARM.track(targets, ARM.home)
        assert max(answer.position_error_m for answer in answers) < 1e-6
        assert max(answer.step_rad for answer in answers[1:]) < 0.3
        for answer, target in zip(answers, targets):
            assert np.linalg.norm(judged(ARM, answer.q)[0] - target.position) < 1e-6


@pytest.mark.parametrize('number', [15, 36, 47, 55])     # of the paths some that need it
def test_track_rolls_where_positions_would_need_a_jump_with_the_roll_at_rest(number):
    """The path is made of joint motion, and so can be followed without a jump."""
    arm, random = ARM, np.random.default_rng(3)
    for _ in range(number):
        q = random.uniform(arm.lower, arm.upper)
        path, goal = [q], random.uniform(arm.lower, arm.upper)
        while len(path) < 60:
            off = goal - path[-1]
            if np.abs(off).max() < 0.06:
                goal = random.uniform(arm.lower, arm.upper)
            else:
                path.append(path[-1] + 0.06 * off / np.abs(off).max())
    positions = arm.forward(np.array(path)).position
    answers = arm.track([Target(position) for position in positions[1:]], tuple(path[0].tolist()))
    moved = np.linalg.norm(np.diff(positions, axis=0), axis=1) / arm.model.reach
    steps = [answer.step_rad for answer in answers]
    assert max(answer.position_error_m for answer in answers) < 1e-9
    assert np.all(steps < 0.3 + 5.0 * moved)


def test_an_unknown_tip_is_named():
    with pytest.raises(InvalidArmError, match="did you mean 'gripper_frame_link'"):
        Arm.preset('so101', tip='gripper_frame')


def test_what_can_be_reached_beside_the_yaw_axis_is_reached():
    q, poses, _ = reachable(ARM, 4000, 14)
    away = np.hypot(poses.position[:, 0] - ARM.model.base_x, poses.position[:, 1])
    some = np.flatnonzero(away < 0.008)[:20]
    assert len(some) == 20
    for row, position, rotation in zip(q[some], poses.position[some], poses.rotation[some]):
        answer = ARM.solve(Target(position, rotation[:, 2], rotation[:, 0]), tuple(row.tolist()))
        assert answer.reached and max(abs(a - b) for a, b in zip(answer.q, row)) < 1e-6


def with_pen(preset, *tip):
    return Arm(replace(Arm.preset(preset).model, tips=(Tip('pen', *tip),), tip='pen'))


@pytest.mark.parametrize('arm, target, position, up', [
    # Half a millimetre from the yaw axis, and 37 mm from it.
    (with_pen('px150', -0.03, 0.052, 0.02), Target(
        (3.2e-05, -0.000429, 0.445655), (-0.2338250, -0.4086592, 0.8822264),
        (-0.5501047, 0.8037856, 0.2265248)), 1e-4, 0.02),
    (with_pen('wx250', 0.02, 0.03, 0.01), Target(
        (-0.0364955, 0.0039605, -0.0052011), (-0.4952137, 0.8343632, 0.2420775),
        (-0.7808749, 0.4785498, 0.4015277)), 1e-6, 0.5)])
def test_beside_the_yaw_axis_the_nearest_of_several_rolls_is_found(arm, target, position, up):
    answer = arm.solve(target)
    assert answer.position_error_m < position and answer.up_error_rad < up


def test_a_forward_vector_without_an_up_vector_is_met_near_the_yaw_axis():
    answer = ARM.solve(Target((0.0, 0.0, 0.0), None, (1.0, 0.0, 0.0)))
    assert answer.reached and np.linalg.norm(judged(ARM, answer.q)[0]) < 1e-6


@ARMS
def test_a_pose_with_its_up_vector_rounded_is_met_as_fast_and_as_well(arm):
    q, poses, random = reachable(arm, 60, 15)
    fast = 0
    for row, position, rotation in zip(q, poses.position, poses.rotation):
        off = rotation @ (np.eye(3) + np.cross(np.eye(3), random.normal(scale=1e-5, size=3)))
        target, near = Target(position, off[:, 2], off[:, 0]), tuple((row + 0.05).tolist())
        asked = target, near, 1e-4, 1e-3
        answer = arm.solver.solve_fast(*asked, (0.001, 0.035))
        if answer is None:
            continue
        fast += 1
        tip, axes = judged(arm, answer.q)
        assert np.linalg.norm(tip - position) < 1e-9 and abs(axes[:, 1] @ off[:, 0]) < 1e-9
        assert answer.up_error_rad == pytest.approx(
            np.linalg.norm(axes[:, 2] - target.up), abs=1e-9)
    assert fast > 50


@ARMS
def test_an_up_vector_that_goes_first_is_met_out_of_reach_whatever_the_roll(arm):
    _, poses, _ = reachable(arm, 10, 16)
    for position, rotation in zip(poses.position, poses.rotation):
        for forward in (rotation[:, 0], None):
            target = Target(1.5 * position + (0.0, 0.0, 0.1), rotation[:, 2], forward)
            answer = arm.solve(target, priority='up')
            assert answer.up_error_rad < 1e-9
            np.testing.assert_allclose(
                judged(arm, answer.q)[1][:, 2], target.up, rtol=0, atol=1e-9)


@ARMS
def test_a_position_that_only_the_stretched_arm_reaches_is_met_whatever_the_up_vector(arm):
    random = np.random.default_rng(17)
    q = random.uniform(arm.lower, arm.upper, (10, 5))
    q[:, 2:4] = [joint.position(0.002) for joint in arm.model.joints[2:4]]
    q[:, 1] = np.abs(q[:, 1])    # ahead, off the yaw axis
    for position, rotation in zip(arm.forward(q).position, arm.forward(q).rotation):
        up = rotation[:, 2] + 0.02 * rotation[:, 1]
        answer = arm.solve(Target(position, up, rotation[:, 0]))
        assert answer.status is not Status.REACHED and answer.position_error_m < 1e-6


def test_no_nearer_roll_reaches_a_position_than_the_one_that_is_taken():
    q = np.random.default_rng(18).uniform(ARM.lower, ARM.upper, (12, 5))
    q[:, 2:] = [*[joint.position(0.002) for joint in ARM.model.joints[2:4]], 0.1]
    moved = 0
    for row, position in zip(q, ARM.forward(q).position):
        near, target = (*row[:4].tolist(), 1.5), Target(position)
        answer = ARM.solve(target, near)
        if answer.reached and answer.q[4] < 1.5:
            moved += 1
            assert not ARM.solver.with_roll(answer.q[4] + 1e-6).exact(target, near)[0]
    assert moved > 3


def test_two_nearest_rolls_with_a_farthest_one_between_them_are_found():
    """With the yaw at its limit; between them the tip is in its arm plane, with no slope."""
    target = Target((-0.0003819, -0.0689948, -0.3846752))
    answer = ARM.solve(target)
    # By brute force; an eighth of a turn from there it is 0.163707.
    assert answer.position_error_m < 0.163703
    assert np.linalg.norm(judged(ARM, answer.q)[0] - target.position) < 0.163703
