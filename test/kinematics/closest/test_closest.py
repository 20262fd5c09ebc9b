# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets that can't be met: honest answers inside the limits, as good as brute force finds."""

from dataclasses import replace
from itertools import product
from math import atan2, cos, dist, hypot, pi, radians, sin, sqrt
from random import Random
import re

from arm_ik import Arm, Status, Target
from arm_ik.kinematics.closest.candidates import candidates
from arm_ik.kinematics.ranking import Ranking
from judged_arms import (
    all_kinds, angle, each_kind, EXACT, ExactArm, inside, Judge, KINDS, make_arm, random_arm,
    random_readings)
import numpy as np
import pytest

TURN = 2 * pi


def random_target(random, size=0.8, up=True, forward=False):
    def vector():
        return [random.gauss(0.0, 1.0) for _ in range(3)]
    return Target([random.uniform(-size, size) for _ in range(3)], vector() if up else None,
                  vector() if forward else None)


# Reasons with numbers.

def metres(text):
    return float(re.search(r'by (\d+\.\d{3}) m', text).group(1))


@each_kind
def test_too_far_says_by_how_much(kind):
    for seed in range(3):
        random = Random(seed)
        arm = make_arm(kind, base_x=0.1, base_y=0.05, base_height=0.1,
                       shoulder_offset=random.uniform(-0.05, 0.05))
        judge = Judge(arm, thorough=False)
        direction = np.array([random.gauss(0, 1) for _ in range(3)])
        direction *= random.uniform(0.4, 2.0) / np.linalg.norm(direction)
        position = direction + (0.1, 0.05, 0.1)
        # The shoulder goes round the yaw axis: the nearest point of its circle counts.
        out = hypot(position[0] - 0.1, position[1] - 0.05) - abs(arm.model.shoulder_offset)
        truth = hypot(out, position[2] - 0.1) - 0.32
        for up in (None, (0.0, 0.0, 1.0)):
            target = Target(position, up)
            solution = arm.solve(target)
            assert solution.reason.startswith('too far by ')
            assert metres(solution.reason) == pytest.approx(truth, abs=0.00051)
            assert judge.errors(solution.q, target)[0] >= truth - 1e-9
            if not kind.startswith(('roll', 'tilt')):
                assert solution.position_error_m == pytest.approx(truth, abs=1e-9)


@each_kind
def test_too_close_says_by_how_much(kind):
    arm = make_arm(kind, links=(0.3, 0.1, 0.08), base_height=0.1)
    for distance, azimuth, height in ((0.1, 0.0, 0.3), (0.05, 2.0, -1.0), (0.01, -1.0, 1.5)):
        position = (distance * cos(azimuth) * cos(height),
                    distance * sin(azimuth) * cos(height), 0.1 + distance * sin(height))
        solution = arm.solve(Target(position, (0.0, 0.6, 0.8)))
        assert solution.reason.startswith('too close by ')
        assert metres(solution.reason) == pytest.approx(0.12 - distance, abs=0.00051)
        assert solution.position_error_m >= 0.12 - distance - 1e-9


def test_a_wrist_out_of_reach_with_this_up_vector_says_by_how_much():
    arm = make_arm()
    solution = arm.solve(Target((0.3, 0.0, 0.0), (0.0, 0.0, 1.0)))
    # The wrist would have to be at (0.3, -0.08).
    assert solution.status is Status.UP_RELAXED
    assert metres(solution.reason) == pytest.approx(hypot(0.3, 0.08) - 0.24, abs=0.00051)
    assert 'too far' in solution.reason
    solution = make_arm(links=(0.2, 0.1, 0.08)).solve(Target((0.14, 0.0, 0.0), (1.0, 0.0, 0.0)))
    assert 'too close' in solution.reason
    assert metres(solution.reason) == pytest.approx(0.1 - 0.06, abs=0.00051)


@pytest.mark.parametrize('role, q', [
    ('yaw', (0.9, 0.5, -1.0, 0.3)), ('shoulder', (0.2, 0.9, -1.0, 0.3)),
    ('elbow', (0.2, 0.5, 0.9, 0.3)), ('wrist', (0.2, 0.5, -0.4, 0.9))])
@pytest.mark.parametrize('sign', [1, -1])
def test_a_joint_at_its_limit_is_named_with_how_far_past_it_is_wanted(role, q, sign):
    # Every other joint has just the range that this one branch needs.
    limits = {name: (reading - 0.05, reading + 0.05) for name, reading in zip(KINDS['yaw'], q)}
    limits[role] = (0.2, 0.8) if sign > 0 else (1.0, 1.5)
    side = 'upper' if sign > 0 else 'lower'
    arm = make_arm(**limits)
    pose = make_arm().forward(q)
    solution = arm.solve(Target(pose.position, pose.up))
    assert not solution.reached
    assert f'{role} at its {side} limit' in solution.reason
    assert '0.1 rad past' in solution.reason
    assert role in solution.limited_by


def test_a_forward_vector_past_the_wrist_rolls_limit_is_relaxed_alone():
    arm = make_arm('yaw_wrist_roll', wrist_roll=(-0.5, 0.5), yaw=(-1.0, 1.0))
    judge = Judge(arm)
    for wanted in (0.3, 0.9, -1.5, 3.0):
        pose = make_arm('yaw_wrist_roll').forward((0.3, 0.5, -1.0, 0.2, wanted))
        target = Target(pose.position, pose.up, pose.rotation[:, 0])
        solution = arm.solve(target, near=(0.3, 0.5, -1.0, 0.2, 0.0))
        position, up, forward = judge.errors(solution.q, target)
        assert max(position, up) <= EXACT
        past = max(0.0, abs(wanted) - 0.5)
        assert forward == pytest.approx(past, abs=1e-9)
        assert solution.forward_error_rad == pytest.approx(past, abs=1e-9)
        if past:
            assert solution.status is Status.FORWARD_RELAXED
            assert solution.limited_by == ('wrist_roll',)
            assert f'{np.degrees(past):.1f} deg' in solution.reason
        else:
            assert solution.reached


def test_an_arm_without_a_wrist_roll_measures_the_forward_error_and_does_not_complain():
    arm = make_arm()
    pose = arm.forward((0.3, 0.5, -1.0, 0.2))
    turned = cos(0.4) * pose.rotation[:, 0] + sin(0.4) * pose.rotation[:, 1]
    solution = arm.solve(Target(pose.position, pose.up, turned), near=(0.3, 0.5, -1.0, 0.2))
    assert solution.reached and solution.reason == ''
    assert solution.forward_error_rad == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize('kind', [kind for kind in KINDS if 'wrist_roll' in kind])
def test_the_up_vector_ranks_before_the_forward_vector(kind):
    arm = make_arm(kind, wrist_roll=(-0.1, 0.1), base_height=0.1)
    judge, random = Judge(arm, thorough=False), Random(3)
    for _ in range(10):
        pose = judge.pose(random_readings(arm, random))
        x, y = pose[:3, 0], pose[:3, 1]
        target = Target(pose[:3, 3], pose[:3, 2], cos(1.0) * x + sin(1.0) * y)
        solution = arm.solve(target)
        assert max(judge.errors(solution.q, target)[:2]) <= EXACT
        assert solution.status in (Status.REACHED, Status.FORWARD_RELAXED)


# What comes first is the caller's choice.

def test_with_priority_up_the_up_vector_is_kept_and_the_tip_as_near_as_can_be():
    arm = make_arm()
    target = Target((0.3, 0.0, 0.0), (0.0, 0.0, 1.0))
    by_position, by_up = arm.solve(target), arm.solve(target, priority='up')
    assert by_position.position_error_m <= EXACT and by_position.up_error_rad > 0.1
    assert by_up.up_error_rad <= EXACT
    assert by_up.position_error_m == pytest.approx(hypot(0.3, 0.08) - 0.24, abs=1e-9)
    assert by_up.status is Status.POSITION_RELAXED and by_up.reason


def test_with_priority_up_the_plane_turns_to_the_up_vector():
    arm = make_arm()
    target = Target((0.2, 0.0, 0.1), (0.0, 1.0, 0.0))
    assert arm.solve(target).up_error_rad == pytest.approx(pi / 2)
    solution = arm.solve(target, priority='up')
    assert solution.up_error_rad <= EXACT
    # In the plane x = 0 nothing is nearer than straight across.
    assert solution.position_error_m == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize('tilt', [0.3, -0.5, -2.5])
def test_with_priority_up_a_bolted_tilt_does_what_it_is_known_to_do(tilt):
    arm, random = make_arm('tilt', wrist_tilt=(tilt, tilt), yaw=(-1.0, 1.0)), Random(tilt)
    for _ in range(20):
        known = arm.forward(random_readings(arm, random))
        beside = [x + random.gauss(0.0, 0.01) for x in known.position]
        solution = arm.solve(Target(beside, known.up), priority='up')
        assert solution.up_error_rad <= EXACT
        assert solution.position_error_m <= dist(beside, known.position) + EXACT


@each_kind
def test_priority_changes_nothing_where_both_can_be_met(kind):
    for seed in range(10):
        arm, random = random_arm(kind, seed), Random(seed)
        q = random_readings(arm, random)
        pose = arm.forward(q)
        target = Target(pose.position, pose.up)
        for near in (None, q):
            assert arm.solve(target, near, priority='up').q == pytest.approx(
                arm.solve(target, near, priority='position').q, abs=1e-12)


@all_kinds
def test_priority_up_is_no_worse_in_the_up_vector(kind):
    for seed in range(4):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        target, near = random_target(random, 0.4), random_readings(arm, random)
        by_position = arm.solve(target, near)
        by_up = arm.solve(target, near, priority='up')
        assert by_up.up_error_rad <= by_position.up_error_rad + EXACT
        assert by_position.position_error_m <= by_up.position_error_m + EXACT
        assert by_up.up_error_rad <= min(
            judge.errors(q, target)[1] for q in (near, arm.home)) + EXACT


@each_kind
def test_brute_force_finds_no_better_up_vector_with_priority_up(kind):
    for seed in range(30):
        arm, random = random_arm(kind, seed), Random(seed)
        target = random_target(random)
        solution = arm.solve(target, random_readings(arm, random), priority='up')
        signs = np.array([joint.sign for joint in arm.model.joints[:4]])
        offsets = np.array([joint.offset for joint in arm.model.joints[:4]])
        ends = np.sort([signs * arm.lower[:4] + offsets, signs * arm.upper[:4] + offsets], axis=0)
        yaw = np.linspace(*ends[:, 0], 300)[:, None]
        elevation = np.linspace(*ends[:, 1:].sum(axis=1), 600)
        ux, uy, uz = target.up
        along = ux * np.cos(yaw) + uy * np.sin(yaw)
        cosines = np.cos(elevation) * along + uz * np.sin(elevation)
        assert cos(solution.up_error_rad) >= cosines.max() - 1e-12, (seed, solution)


def test_without_an_up_vector_a_point_out_of_reach_is_pointed_at():
    solution = make_arm().solve(Target((0.5, 0.5, 0.0)))
    assert solution.status is Status.POSITION_RELAXED
    assert solution.q == pytest.approx((pi / 4, 0.0, 0.0, 0.0), abs=1e-12)
    assert solution.up_error_rad == 0.0


def test_of_equally_near_answers_the_one_with_the_smaller_step_is_taken():
    arm = make_arm(elbow=(-0.5, 0.5), wrist=(-0.1, 0.1), everywhere=(-3.1, 3.1))
    # Straight up and too close: bent either way the tip is equally near.
    target = Target((0.0, 0.0, 0.25), (0.0, 0.0, 1.0))
    for bend in (1, -1):
        near = (0.0, pi / 2 - 0.2 * bend, 0.5 * bend, 0.1 * bend)
        assert arm.solve(target, near).q[2] == pytest.approx(0.5 * bend)


@each_kind
@pytest.mark.parametrize('priority', ['position', 'up'])
def test_of_two_elbows_as_near_the_one_asked_for_is_taken_else_the_one_nearer_to_go(
        kind, priority):
    arm = make_arm(kind, **{role: (0.3, 0.3) for role in ('yaw', 'roll', 'wrist_tilt')
                            if role in KINDS[kind]})
    judge, first = Judge(arm, thorough=False), KINDS[kind].index('shoulder')
    below, above = list(arm.home), list(arm.home)
    # The links being equal, this is the same hand with the elbow on the other side.
    below[first:first + 3], above[first:first + 3] = (0.4, 0.9, -0.5), (1.3, -0.9, 0.4)
    pose = judge.pose(below)
    shoulder, elbow, wrist = [judge.point(below, name) for name in ('shoulder', 'elbow', 'wrist')]
    across = np.cross(elbow - shoulder, wrist - shoulder)
    target = Target(pose[:3, 3], pose[:3, 2] + 0.3 * across / np.linalg.norm(across))
    for near in (below, above):
        for side, q in (('nearest', near), ('down', below), ('up', above)):
            solution = arm.solve(target, near, elbow=side, priority=priority)
            assert solution.status is Status.UP_RELAXED and 'elbow' not in solution.reason
            assert solution.q == pytest.approx(q, abs=1e-6)


def test_in_the_plane_of_the_up_vector_the_elbow_is_on_the_side_asked_for():
    arm, target = make_arm(), Target((0.2, 0.0, 0.1), (cos(0.1), sin(0.1), 0.0))
    for near in ((0.1, 0.0, 1.0, -1.0), (0.1, 1.0, -1.0, 0.0)):
        for side, bend in (('up', -1), ('down', 1)):
            solution = arm.solve(target, near, elbow=side, priority='up')
            assert solution.up_error_rad <= EXACT and 'elbow' not in solution.reason
            assert solution.q[2] * bend > 0.1


def test_degrees_in_reasons_are_degrees():
    arm = make_arm()
    out = radians(12.3)
    reason = arm.solve(Target((0.2, 0.0, 0.1), (cos(out), sin(out), 0.0))).reason
    assert '12.3 deg' in reason


@all_kinds
def test_a_target_below_the_floor_is_met_on_the_floor(kind):
    seen = 0
    for seed in range(30):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        q = random_readings(arm, random)
        pose = judge.pose(q)
        tip = pose[:3, 3]
        if min(judge.point(q, joint)[2] for joint in ('elbow', 'wrist')) < tip[2]:
            continue
        floored = ExactArm(replace(arm.model, home=q, floor_height=float(tip[2])))
        target = Target((tip[0], tip[1], tip[2] - 0.03), pose[:3, 2])
        solution = floored.solve(target)
        assert solution.position_error_m == pytest.approx(0.03, abs=EXACT)
        assert solution.up_error_rad <= EXACT
        assert judge.pose(solution.q)[2, 3] >= tip[2] - EXACT
        assert 'target 0.030 m below the floor' in solution.reason or \
            solution.reason.startswith('too far')
        seen += 1
    assert seen >= 5


def test_below_the_floor_too_the_wrist_roll_serves_the_forward_vector():
    arm = make_arm('yaw_wrist_roll', floor_height=0.0)
    forward = (0.0, sin(0.5), -cos(0.5))
    solution = arm.solve(Target((0.2, 0.0, -0.05), (1.0, 0.0, 0.0), forward))
    assert solution.position_error_m == pytest.approx(0.05)
    assert solution.forward_error_rad <= EXACT


def test_above_a_floor_a_tilting_wrist_is_turned_to_the_target_too():
    arm = make_arm('tilt', everywhere=(-1.5, 1.5), shoulder=(-2.0, 0.0), elbow=(-2.0, 0.0),
                   wrist_tilt=(-0.5, 0.5), floor_height=-0.1)
    # At a limit of the yaw it is 0.143 m.
    solution = arm.solve(Target((0.11, -0.11, -0.08), (0.9, 0.4, 0.4)))
    assert solution.position_error_m < 0.1


def test_above_a_floor_that_is_between_arm_and_target_the_nearest_pose_is_found():
    arm = make_arm('tilt', (0.069, 0.127, 0.051), (0.28, 0.7, -0.54, 0.41, -1.38),
                   yaw=(-0.305, 0.595), shoulder=(-0.605, 1.065), elbow=(-1.855, -0.385),
                   wrist=(0.025, 2.405), wrist_tilt=(-2.145, -1.295), base_height=0.1,
                   floor_height=0.043)
    # Home is 0.471 m away.
    assert arm.solve(Target((-0.25, 0.01, 0.01))).position_error_m < 0.3291


def test_below_the_floor_too_the_plane_turns_to_an_up_vector_that_goes_first():
    arm = make_arm(base_height=0.1, floor_height=0.0)
    target = Target((0.2, 0.0, -0.02), (0.0, 1.0, 0.0))
    assert arm.solve(target).position_error_m == pytest.approx(0.02, abs=EXACT)
    assert arm.solve(target, priority='up').up_error_rad <= EXACT


def test_an_upright_up_vector_that_goes_first_holds_a_tilt_with_a_limit_at_zero_there():
    arm = make_arm('tilt', wrist_tilt=(0.0, 1.0))
    solution = arm.solve(Target((0.5, 0.0, 0.3), (0.0, 0.0, 1.0)), priority='up')
    assert solution.up_error_rad <= EXACT and solution.q[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_roll_that_its_limit_stops_on_the_way_to_the_up_vector_is_at_that_limit():
    arm, random, stopped = make_arm('roll', roll=(-0.4, 0.3)), Random(3), 0
    for _ in range(60):
        tip = arm.forward(random_readings(arm, random)).position
        solution = arm.solve(Target(tip, [random.gauss(0.0, 1.0) for _ in range(3)]))
        away = min(abs(solution.q[1] - limit) for limit in (-0.4, 0.3))
        if solution.status is Status.UP_RELAXED and away < 1e-3:
            assert away < EXACT
            stopped += 1
    assert stopped > 20


@pytest.mark.parametrize('tilt', [2.5, -2.2])
def test_beside_the_plane_of_a_hand_tilted_over_backwards_the_up_vector_is_met(tilt):
    arm = make_arm('tilt', yaw=(0.0, 0.0), wrist_tilt=(tilt, tilt))
    tip = arm.forward((0.0, 0.5, -0.8, 0.4, tilt))
    solution = arm.solve(Target(tip.position + (0.0, 0.02, 0.0), tip.up))
    assert solution.position_error_m == pytest.approx(0.02, abs=EXACT)
    assert solution.up_error_rad <= EXACT


@pytest.mark.parametrize('height', [-0.3, 0.1, 0.5])
def test_with_the_yaw_held_and_a_plane_beside_its_axis_a_straight_arm_points_at_the_target(height):
    arm = make_arm('tilt', yaw=(0.0, 0.0), lateral=0.05)
    solution = arm.solve(Target((0.5, 0.05, height), (1.0, 0.0, 0.0)))
    assert solution.q == pytest.approx((0.0, atan2(height, 0.5), 0.0, 0.0, 0.0), abs=1e-6)


def test_on_the_yaw_axis_where_every_yaw_is_as_near_the_base_keeps_its_yaw():
    solution = make_arm().solve(
        Target((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), (1.0, 0.3, 0.1, 0.1))
    assert solution.q == pytest.approx((1.0, pi / 2, 0.0, 0.0), abs=1e-6)


def test_too_close_a_bolted_wrist_is_folded_back_with_the_forearm():
    arm = make_arm(links=(0.3, 0.1, 0.08), wrist=(1.0, 1.0))
    beyond_elbow = hypot(0.1 + 0.08 * cos(1.0), 0.08 * sin(1.0))
    assert arm.solve(Target((0.01, 0.0, 0.0))).position_error_m == pytest.approx(
        0.3 - beyond_elbow - 0.01)


def test_with_priority_up_two_bolted_joints_leave_one_elbow():
    arm = make_arm(yaw=(-1.0, 1.0), shoulder=(0.5, 0.5), wrist=(-0.2, -0.2))
    solution = arm.solve(Target((0.1, 0.0, 0.1), (1.0, 0.0, 0.0)), priority='up')
    assert solution.q == pytest.approx((0.0, 0.5, -0.3, -0.2))


def test_with_priority_up_a_hand_square_to_its_plane_stands_at_any_elevation():
    arm = make_arm('tilt', yaw=(0.0, 0.0), wrist=(-0.2, 0.2))
    x, y, z = arm.forward((0.0, 0.9, -0.3, 0.1, pi / 2)).position
    solution = arm.solve(Target((x, y + 0.5, z), (0.0, 1.0, 0.0)), priority='up')
    assert solution.position_error_m == pytest.approx(0.5) and solution.up_error_rad <= EXACT


@pytest.mark.parametrize('height', [0.15, -0.15])
def test_with_the_roll_held_a_tip_above_or_below_the_shoulder_is_turned_to_the_target(height):
    arm = make_arm('roll', roll=(1.0, 1.0))
    solution = arm.solve(Target((0.05, 0.0, height), (1.0, 0.0, 0.0)))
    assert solution.position_error_m == pytest.approx(0.15 * sin(1.0) - 0.05 * cos(1.0))


def test_out_of_reach_on_the_yaw_axis_the_up_vector_chooses_the_yaw():
    arm = make_arm(shoulder=(-0.5, 0.8), elbow=(-0.3, 0.3), wrist=(-0.3, 0.3))
    for azimuth in (-2.0, 0.4, 1.3):
        solution = arm.solve(Target((0.0, 0.0, 0.6), (cos(azimuth), sin(azimuth), 0.5)))
        assert solution.position_error_m > 0.1 and solution.q[0] == pytest.approx(azimuth)


def test_a_plane_that_misses_the_up_vector_more_is_left_for_a_wrist_turned_less():
    # Beside the axis the plane over the back misses by 7e-4 rad, the wrist's limit by 2e-4.
    q = (0.3, 0.9, -1.1, -0.2)
    pose = make_arm(lateral=1e-4).forward(q)
    arm = make_arm(lateral=1e-4, wrist=(-0.2 + 2e-4, 3.0))
    solution = Arm(arm.model).solve(Target(pose.position, pose.up), (0.3 - pi, *q[1:]))
    assert solution.position_error_m < EXACT
    assert solution.up_error_rad < 2e-4


def test_tolerances_never_choose_the_pose():
    random, arm = Random(8), ExactArm.preset('so101')
    for _ in range(40):
        target, near = random_target(random, 0.5), random_readings(arm, random)
        exact = arm.solve(target, near)
        loose = arm.solve(target, near, position_tolerance=0.03, up_tolerance=0.3)
        assert loose.q == exact.q


def test_with_the_yaw_held_a_rolling_base_overturns_to_point_at_the_target():
    arm = make_arm('roll', yaw=(0.0, 0.0), roll=(1.0, 2.6), shoulder_offset=0.05)
    solution = arm.solve(Target((0.3, 0.3, 0.1), (1.0, 0.0, 0.0)))
    assert solution.position_error_m == pytest.approx(hypot(0.25, 0.3, 0.1) - 0.32)


@pytest.mark.parametrize('priority', ['position', 'up'])
@pytest.mark.parametrize('aside', [0.0, 3e-10])
def test_on_the_yaw_axis_where_every_yaw_is_as_near_a_tilting_arm_keeps_its_yaw(aside, priority):
    arm, near = make_arm('tilt'), (1.0, 0.1, 0.1, 0.1, 0.1)
    solution = arm.solve(Target((aside, 0.0, 1.0), (0.0, 0.0, 1.0)), near, priority=priority)
    assert solution.q == pytest.approx((1.0, pi / 2, 0.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize('roll', [(0.8, 1.2), (-2.0, -0.8), (pi - 1.2, pi - 0.8)])
def test_on_the_yaw_axis_that_the_roll_keeps_the_arm_from_yaw_and_elevation_meet_the_up_vector(
        roll):
    arm, random = make_arm('roll', roll=roll), Random(1)
    for _ in range(10):
        azimuth = random.uniform(-pi, pi)
        up = cos(azimuth), sin(azimuth), random.uniform(-0.6, 0.6)
        solution = arm.solve(Target((0.0, 0.0, 0.15), up))
        assert solution.position_error_m == pytest.approx(0.15 * sin(0.8), abs=EXACT)
        assert solution.up_error_rad <= EXACT


def test_over_the_yaw_axis_out_of_reach_the_base_turns_to_the_up_vector():
    random, checked = Random(1), 0
    while checked < 15:
        middles = [(random.uniform(-1, 1), random.choice((0.2, 0.5, 1.0, 2.0, 3.0)))
                   for _ in KINDS['roll']]
        arm = make_arm('roll', **{role: (middle - width, middle + width)
                                  for role, (middle, width) in zip(KINDS['roll'], middles)})
        up = [random.gauss(0.0, 1.0) for _ in range(3)]
        target = Target((0.0, 0.0, random.uniform(-0.5, 0.5)), up)
        solution = arm.solve(target, random_readings(arm, random))
        if solution.position_error_m > 1e-6:
            checked += 1
            for yaw in np.linspace(arm.lower[0], arm.upper[0], 91):
                # As near to a target on the axis, whatever the yaw.
                turned = arm.forward((yaw, *solution.q[1:])).up
                assert angle(turned, up) > solution.up_error_rad - 1e-9


def test_a_rolling_base_whose_hand_comes_back_to_the_shoulder_has_no_hole_there():
    # Where the links come in line is farther from the shoulder than these targets are.
    arm, random = make_arm('roll', yaw=(-1.5, 1.5), roll=(-0.5, 0.5), shoulder=(-1.5, 1.5)), \
        Random(0)
    asked = 0
    while asked < 60:
        known = arm.forward(random_readings(arm, random))
        if hypot(*known.position) > 0.06:
            continue
        asked += 1
        target = Target(known.position, [x + random.gauss(0.0, 0.1) for x in known.up])
        solution = arm.solve(target)
        assert solution.position_error_m <= EXACT
        assert solution.up_error_rad <= angle(known.up, target.up) + EXACT


def test_beside_the_yaw_axis_the_plane_over_the_back_gains_by_turning_the_tip_to_the_target():
    def at(**yaw):
        arm = make_arm(links=(0.1, 0.1, 0.1), shoulder=(0.2665, 3.15), elbow=(-0.001, 0.001),
                       wrist=(-0.001, 0.001), lateral=0.02, shoulder_offset=0.02, **yaw)
        position = 0.4, 0.02, 0.0
        # Of a few a batch is solved one by one.
        many = arm.solve_batch(200 * [position]).position_error_m
        assert many == pytest.approx(arm.solve(Target(position)).position_error_m, abs=EXACT)
        return arm.solve(Target(position)).position_error_m

    over_the_back = at(yaw=(-3.1, -2.0))
    # Not yet turned, it is no nearer than the plane that faces the target.
    assert over_the_back < at(yaw=(-1.0, 1.0)) < 0.12
    assert at() == pytest.approx(over_the_back, abs=EXACT)


def with_the_same_hand(kind, q):
    """Return three other ways to hold a hand with the shoulder on the yaw axis."""
    def turned(q):
        if kind == 'roll':
            yaw, roll, shoulder, elbow, wrist = q
            return yaw, roll + pi, -shoulder, -elbow, -wrist
        yaw, shoulder, elbow, wrist, tilt = q
        return yaw, shoulder, elbow, wrist + pi, pi - tilt

    def over_the_back(q):
        if kind == 'roll':
            yaw, roll, shoulder, elbow, wrist = q
            return yaw + pi, -roll, pi - shoulder, -elbow, -wrist
        yaw, shoulder, elbow, wrist, tilt = q
        return yaw + pi, pi - shoulder, -elbow, -wrist, -tilt

    return turned(q), over_the_back(q), turned(over_the_back(q))


@pytest.mark.parametrize('kind, limit, lateral, size', [
    ('roll', 4.0, 0.0, 0.6), ('tilt', 3.5, 0.02, 0.25)], ids=['roll', 'tilt'])
def test_no_other_way_to_hold_the_hand_is_nearer_to_where_the_arm_is(kind, limit, lateral, size):
    arm = make_arm(kind, everywhere=(-limit, limit), lateral=lateral)
    random = Random(f'hand {kind}')

    def moved(q):
        """Return the costs that decide between poses with the same hand."""
        yaw, *rest = [abs(a - b) for a, b in zip(q, near)]
        return max(yaw, *rest), yaw, yaw * yaw + sum(x * x for x in rest)

    others = 0
    for _ in range(30):
        near, target = random_readings(arm, random), random_target(random, size)
        solution = arm.solve(target, near)
        tip, least = arm.forward(solution.q).position, moved(solution.q)
        for pose in with_the_same_hand(kind, solution.q):
            pose = [min([angle + turn for turn in (-2 * TURN, -TURN, 0.0, TURN, 2 * TURN)
                         if abs(angle + turn) <= limit], key=lambda angle: abs(angle - at),
                        default=None) for angle, at in zip(pose, near)]
            if None not in pose and dist(arm.forward(pose).position, tip) < EXACT:
                others += 1
                gains = [now - cost for now, cost in zip(least, moved(pose))]
                assert next((gain for gain in gains if abs(gain) > 1e-6), 0.0) <= 0.0
    assert others > 10


@pytest.mark.parametrize('kind', ['roll', 'tilt'])
def test_an_arm_that_is_at_a_closest_pose_stays_however_it_holds_the_hand(kind):
    arm = make_arm(kind, everywhere=(-3.5, 3.5), elbow=(0.5, TURN - 0.5), wrist=(0.3, TURN - 0.3))
    random = Random(kind)
    for _ in range(5):
        target = random_target(random, 1.0)
        for pose in with_the_same_hand(kind, arm.solve(target).q):
            near = [angle + TURN * round(((low + high) / 2 - angle) / TURN)
                    for low, angle, high in zip(arm.lower, pose, arm.upper)]
            if inside(arm, near):
                assert arm.solve(target, near).step_rad < 1e-6


def test_beside_the_yaw_axis_a_straight_arm_may_point_over_the_back():
    arm = make_arm('tilt', (0.22, 0.1, 0.13), everywhere=(-3.5, 3.5), lateral=0.1)
    random, over_the_back = Random('0.13.5'), 0
    for _ in range(8):
        near, target = random_readings(arm, random), random_target(random, 1.0)
        solution = arm.solve(target, near)
        pose = arm.forward(solution.q)
        for other in arm.solutions(Target(pose.position, pose.up), near):
            if other.reached and solution.status is Status.POSITION_RELAXED:
                over_the_back += abs(other.q[0] - solution.q[0]) > 0.1
                assert solution.step_rad <= other.step_rad + 1e-6
    assert over_the_back > 8


@pytest.mark.parametrize('limits', [
    {}, {'wrist_tilt': (2.5, 3.5)}, {'elbow': (2.5, 2.5), 'wrist': (-0.4, -0.4)}])
def test_too_close_to_the_shoulder_yaw_and_shoulder_turn_to_the_up_vector_as_far_as_they_may(
        limits):
    arm, random = make_arm('tilt', (0.3, 0.1, 0.08), yaw=(-1.0, 1.0), shoulder=(-0.5, 0.5),
                           **limits), Random(1)
    for _ in range(8):
        up = random_target(random).up
        solution = arm.solve(Target((0.0, 0.0, 0.0), up))
        for yaw, shoulder in product(np.linspace(-1.0, 1.0, 21), np.linspace(-0.5, 0.5, 21)):
            turned = arm.forward((yaw, shoulder, *solution.q[2:])).up
            assert angle(turned, up) > solution.up_error_rad - 1e-9


@pytest.mark.parametrize('kind', ['roll', 'roll_wrist_roll'])
def test_a_straight_arm_that_points_at_a_target_stays_rolled_as_it_is(kind):
    arm, random, too_far = make_arm(kind, everywhere=(-3.5, 3.5)), Random(kind), 0
    for _ in range(10):
        near, target = random_readings(arm, random), random_target(random, 1.0)
        solution = arm.solve(target, near)
        if solution.reason.startswith('too far'):
            # Any roll about the straight arm holds the hand as well.
            pose = arm.forward(solution.q)
            rolled = arm.solve(Target(pose.position, pose.up), near)
            assert rolled.reached
            assert arm.solve(target, rolled.q).step_rad < 1e-6
            too_far += 1
    assert too_far > 6


@pytest.mark.parametrize('lateral', [0.0, 0.05])
@pytest.mark.parametrize('kind', ['tilt', 'tilt_wrist_roll'])
def test_too_close_to_the_shoulder_a_hand_that_any_direction_suits_takes_the_up_vector(
        kind, lateral):
    arm, random = make_arm(kind, (0.3, 0.1, 0.08), lateral=lateral), Random(1)
    for _ in range(4):
        solution = arm.solve(Target((0.0, 0.0, 0.0), random_target(random).up))
        assert solution.position_error_m == pytest.approx(hypot(0.12, lateral), abs=0.01)
        assert solution.up_error_rad <= EXACT


def test_a_tip_on_the_yaw_axis_leaves_the_yaw_to_the_up_vector():
    # The hand leads back to the axis, and the target is very near to it, but not on it.
    arm = make_arm('tilt', (0.1, 0.1, 0.1), shoulder=(pi / 2, pi / 2), elbow=(pi / 3, pi / 3),
                   wrist=(-2 * pi / 3, -2 * pi / 3), wrist_tilt=(0.0, 0.5))
    for azimuth in (-2.0, -1.0, 0.5, 3.0):
        up = cos(azimuth), sin(azimuth), 1 / sqrt(3)
        assert arm.solve(Target((1e-5, 0.0, 0.9), up)).up_error_rad < 1e-4


def test_two_bolted_joints_leave_a_rolling_base_single_planes_and_they_are_met():
    random = Random(6)
    for _ in range(12):
        # A bolted shoulder and a straight elbow: the target is met in four planes at most.
        arm = make_arm('roll', (0.19, 0.31, 0.08), yaw=(-0.5, 0.5), elbow=(0.0, 0.0),
                       shoulder=2 * (random.uniform(-1.0, 1.0),))
        pose = arm.forward(random_readings(arm, random))
        for up in (None, random_target(random).up):
            assert arm.solve(Target(pose.position, up)).position_error_m <= EXACT


def test_every_nearest_pose_has_the_wrist_roll_that_the_forward_vector_asks_for():
    arm = make_arm('tilt_wrist_roll', (0.11, 0.07, 0.23), everywhere=(-3.5, 3.5), lateral=0.03,
                   shoulder_offset=-0.05)
    random, ranking = Random(2), Ranking()
    for _ in range(16):
        target, near = random_target(random, 1.0, forward=True), random_readings(arm, random)
        found = candidates(arm.solver, target, near, ranking)
        least = min(candidate.position for candidate in found)
        assert max(candidate.forward for candidate in found
                   if candidate.position <= least + EXACT) < 1e-6
