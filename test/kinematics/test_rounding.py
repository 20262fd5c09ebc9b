# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Straight and folded arms, joints at their limits: rounding must not decide there."""

from itertools import product
from math import acos, cos, pi, sin
from random import Random

from arm_ik import Status, Target
from judged_arms import (
    all_kinds, assert_meets, each_kind, EXACT, inside, Judge, KINDS, make_arm, random_arm,
    random_readings)
import numpy as np
import pytest


@each_kind
@pytest.mark.parametrize('elbow', [0.0, 1e-9, -1e-8, 1e-7, 1e-5], ids='elbow {}'.format)
def test_a_straight_arm_is_reached(kind, elbow):
    random = Random(f'{kind} {elbow}')
    for _ in range(10):
        arm = make_arm(kind, links=[random.uniform(0.05, 0.5) for _ in range(3)],
                       base_x=random.uniform(-0.2, 0.2), base_height=random.uniform(0.0, 0.3))
        judge = Judge(arm, thorough=False)
        q = dict(zip(KINDS[kind], random_readings(arm, random)), elbow=elbow)
        target = judge.target(q.values())
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


@each_kind
@pytest.mark.parametrize('links', [(0.2, 0.12, 0.08), (0.12, 0.2, 0.08), (0.12, 0.12, 0.08)])
@pytest.mark.parametrize('short_of', [0.0, 1e-8, 1e-5])
def test_a_folded_arm_is_reached(kind, links, short_of):
    arm, random = make_arm(kind, links=links, base_height=0.1), Random(kind)
    judge = Judge(arm, thorough=False)
    for sign in (1, -1):
        q = dict(zip(KINDS[kind], random_readings(arm, random)), elbow=sign * (pi - short_of))
        target = judge.target(q.values())
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


@each_kind
def test_a_target_a_rounding_error_beyond_a_straight_arm_is_reached(kind):
    arm, random = make_arm(kind, base_height=0.1), Random(kind)
    judge = Judge(arm, thorough=False)
    for beyond in (1e-16, 1e-15, 1e-14, 1e-13):
        q = dict(zip(KINDS[kind], random_readings(arm, random)), elbow=0.0, wrist=0.0)
        q = [q[role] for role in KINDS[kind]]
        pose, shoulder = judge.pose(q), judge.point(q, 'shoulder')
        away = pose[:3, 3] + beyond * (pose[:3, 3] - shoulder)
        target = Target(away, pose[:3, 2])
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


# Joints at their limits.

@all_kinds
def test_every_corner_of_the_limits_is_reached(kind):
    for seed in range(3):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        for corner in product(*zip(arm.lower, arm.upper)):
            target = judge.target(corner, forward='wrist_roll' in kind)
            assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


@each_kind
@pytest.mark.parametrize('limits', [(0.0, 2.5), (-2.5, 0.0), (-1.0, 1.5)])
def test_a_straight_arm_with_every_other_joint_at_a_limit_is_reached(kind, limits):
    random = Random(f'{kind} {limits}')
    ranges = {role: (-random.uniform(0.5, 3.0), random.uniform(0.5, 3.0))
              for role in KINDS[kind]}
    ranges['elbow'] = limits
    arm = make_arm(kind, base_height=0.1, **ranges)
    judge = Judge(arm, thorough=False)
    corners = {**ranges, 'elbow': (0.0,)}
    for corner in product(*corners.values()):
        target = judge.target(corner)
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


@pytest.mark.parametrize('limits, links', [
    ((0.0, pi), (0.2, 0.12, 0.08)), ((-pi, 0.0), (0.12, 0.2, 0.08)),
    ((1.0, pi), (0.12, 0.12, 0.08)), ((-pi, -1.0), (0.12, 0.12, 0.08))])
def test_an_elbow_limited_where_the_arm_is_straight_or_folded_gets_there(limits, links):
    arm, random = make_arm(elbow=limits, links=links), Random(1)
    judge = Judge(arm, thorough=False)
    for elbow, _ in product(limits, range(20)):
        q = dict(zip(KINDS['yaw'], random_readings(arm, random)), elbow=elbow)
        target = judge.target(q.values())
        solution = arm.solve(target, random_readings(arm, random))
        assert_meets(arm, judge, target, solution)


@each_kind
@pytest.mark.parametrize('role', ['yaw', 'shoulder', 'elbow', 'wrist'])
def test_a_limit_holds_to_the_last_bit_and_the_miss_is_measured(kind, role):
    # Wanted: a little past the limit. Within the slack the answer is at the limit and as far off
    # as that is; the status says which of the two it is.
    for past in (1e-12, 1e-10, 1e-8, 1e-6, 1e-3):
        free = make_arm(kind, base_height=0.1)
        limits = dict.fromkeys(KINDS[kind], (-1.5, 1.5))
        limits[role] = (-1.5, 0.7)
        arm, judge = make_arm(kind, base_height=0.1, **limits), Judge(free, thorough=False)
        q = dict.fromkeys(KINDS[kind], 0.3)
        q[role] = 0.7 + past
        target = judge.target(q.values())
        solution = arm.solve(target, list(q.values()))
        position, up, _ = judge.errors(solution.q, target)
        assert inside(arm, solution.q)
        assert solution.reached == (max(position, up) <= EXACT)
        assert max(position, up) <= 5.0 * past + 1e-12
        assert solution.position_error_m == pytest.approx(position, abs=1e-12)
        assert solution.up_error_rad == pytest.approx(up, abs=1e-12)
        if past <= 1e-10:
            assert solution.reached


# Status comes from what is measured.

def test_the_tolerances_asked_for_decide_what_is_reached():
    arm = make_arm()
    too_far = Target((0.32 + 5e-5, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert arm.solve(too_far).status is Status.POSITION_RELAXED
    assert arm.solve(too_far, position_tolerance=1e-4).status is Status.REACHED
    assert arm.solve(too_far, position_tolerance=4e-5).status is Status.POSITION_RELAXED
    aside = Target((0.25, 0.0, 0.1), (cos(5e-4), sin(5e-4), 0.0))
    assert arm.solve(aside).status is Status.UP_RELAXED
    assert arm.solve(aside, up_tolerance=1e-3).status is Status.REACHED
    assert arm.solve(aside, up_tolerance=4e-4).status is Status.UP_RELAXED


@pytest.mark.parametrize('out', [2e-9, 1e-8, 1e-7, 1e-5, pi / 2 - 1e-8])
def test_small_angles_between_vectors_are_measured_not_lost(out):
    arm = make_arm()
    solution = arm.solve(Target((0.25, 0.0, 0.1), (cos(out), sin(out), 0.0)))
    assert solution.status is Status.UP_RELAXED
    assert solution.up_error_rad == pytest.approx(out, rel=1e-6)


@pytest.mark.parametrize('out', [1e-12, 1e-10, 9e-10])
def test_an_up_vector_out_of_the_plane_within_the_tolerance_is_reached(out):
    arm = make_arm()
    target = Target((0.25, 0.0, 0.1), (cos(out), sin(out), 0.0))
    assert_meets(arm, Judge(arm), target, arm.solve(target))


def test_an_up_vector_turned_right_round_is_half_a_turn_off():
    arm = make_arm(elbow=(-0.1, 0.1), shoulder=(-0.1, 0.1), wrist=(-0.1, 0.1))
    solution = arm.solve(Target((0.32, 0.0, 0.0), (-1.0, 1e-12, 0.0)))
    assert solution.status is Status.UP_RELAXED
    assert solution.up_error_rad == pytest.approx(pi, abs=1e-9)


@each_kind
def test_a_target_in_micrometres_around_a_limit_is_never_past_it(kind):
    arm, random = make_arm(kind, base_height=0.1, everywhere=(-1.0, 1.0)), Random(2)
    judge = Judge(arm, thorough=False)
    for _ in range(10):
        corner = [random.choice((-1.0, 1.0, random.uniform(-1, 1))) for _ in arm.lower]
        pose = judge.pose(corner)
        nudge = np.array([random.uniform(-1e-6, 1e-6) for _ in range(3)])
        solution = arm.solve(Target(pose[:3, 3] + nudge, pose[:3, 2]), corner)
        assert inside(arm, solution.q)
        assert solution.position_error_m <= np.linalg.norm(nudge) + 1e-12


@pytest.mark.parametrize('away', [3e-10, 1e-9, 3e-9, 1e-8])
@pytest.mark.parametrize('end', [pi / 2, 1.3])
def test_a_tilt_at_its_limit_with_the_wrist_almost_on_the_yaw_axis_gets_there(away, end):
    # A base away from the origin costs digits.
    arm = make_arm('tilt', (0.15, 0.12, 0.08), wrist_tilt=(end, end), everywhere=(-3.1, 3.1),
                   base_x=0.3, base_y=-0.7)
    judge, random, met = Judge(arm), Random(f'{away} {end}'), 0
    while met < 12:
        shoulder, side = random.uniform(0.9, 2.2), random.choice((1, -1))
        cosine = (side * away - 0.15 * cos(shoulder)) / 0.12
        if abs(cosine) > 1.0:
            continue
        q = (random.uniform(-3.0, 3.0), shoulder, acos(cosine) - shoulder,
             random.uniform(-3.0, 3.0), end)
        pose = arm.forward(q)
        target = Target(pose.position, pose.up)
        near = [random.choice((reading, random.uniform(-1.0, 1.0))) for reading in q]
        assert_meets(arm, judge, target, arm.solve(target, near))
        met += 1


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('yaw', [2.9689, -0.3309, 1.7385, 0.5097])
def test_an_up_vector_square_to_the_only_plane_is_met_as_near_as_a_tilt_can(yaw):
    # Its part across the plane is a rounding error more than one.
    arm = make_arm('tilt', (0.12, 0.12, 0.08), yaw=(yaw, yaw), wrist_tilt=(-1.5, 1.5))
    target = Target((0.5 * cos(yaw), 0.5 * sin(yaw), 0.4), (-sin(yaw), cos(yaw), 0.0))
    solution = arm.solve(target, [yaw, 0.0, 0.0, 0.0, 0.0], priority='up')
    assert Judge(arm).errors(solution.q, target)[1] == pytest.approx(pi / 2 - 1.5, abs=1e-12)
