# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets without an up vector: reached whenever any direction of the last link reaches them."""

from math import atan2, cos, hypot, pi, radians, remainder, sin
from random import Random
import re

from arm_ik import Arm, Target
from elevation_samples import sampled_in_planes
from global_judge import complaint
from judged_arms import (
    all_kinds, angle, assert_meets, each_kind, EXACT, ExactArm, inside, Judge, KINDS, make_arm,
    random_arm, random_readings, step)
import numpy as np
from optimum_cases import Case
import pytest

TURN = 2.0 * pi


def preferred_up(arm, position, elevation):
    """Return the up vector of an elevation as seen by who faces the position."""
    x, y = position[0] - arm.model.base_x, position[1] - arm.model.base_y
    rho = hypot(x, y)
    return cos(elevation) * x / rho, cos(elevation) * y / rho, sin(elevation)


def in_plane(arm, q):
    """Return the elevation of the last link above the arm plane's own forward [rad]."""
    return sum(joint.canonical(reading) for joint, reading in zip(arm.model.joints, q)
               if joint.role in ('shoulder', 'elbow', 'wrist'))


def over_the_back(arm, q):
    """Tell whether the tip is behind the yaw axis, as the arm plane's forward has it."""
    x, y, _ = arm.forward(q).position - (arm.model.base_x, arm.model.base_y, 0.0)
    yaw = arm.model.joints[0].canonical(q[0])
    return x * cos(yaw) + y * sin(yaw) < 0.0


@pytest.mark.parametrize('name', ['so101', 'simple', 'rolling_base', 'open_manipulator_x'])
def test_an_elevation_that_is_missed_is_measured_and_told(name):
    arm, random, missed = Arm.preset(name), Random(5), 0
    for _ in range(18):
        q = [random.uniform(*limits) for limits in zip(arm.lower, arm.upper)]
        target, wanted = Target(arm.forward(q).position), random.uniform(-pi, pi)
        solution, (tracked,) = (arm.solve(target, elevation=wanted),
                                arm.track([target], None, elevation=wanted))
        found = elevation_of(arm, solution.q)
        off = abs(remainder(found - wanted, 2.0 * pi))
        assert solution.reached
        if off < 1e-3 and not solution.reason:
            continue
        missed += 1
        words = re.fullmatch(r'elevation (\S+) deg off: (\S+) rad', solution.reason)
        assert radians(float(words[1])) == pytest.approx(off, abs=2e-3)
        assert abs(remainder(float(words[2]) - found, 2.0 * pi)) < 2e-3
        assert 'deg off' in tracked.reason
    assert 2 < missed < 18


def elevation_of(arm, q):
    """Return the elevation of the last link, 0 being away from the yaw axis [rad]."""
    if arm.model.has('roll'):
        pose = arm.forward(q)
        x, y = pose.position[:2] - (arm.model.base_x, arm.model.base_y)
        return atan2(pose.up[2], (pose.up[0] * x + pose.up[1] * y) / hypot(x, y))
    return pi - in_plane(arm, q) if over_the_back(arm, q) else in_plane(arm, q)


def random_elevation(random):
    return random.choice((None, random.uniform(-pi, pi)))


@all_kinds
def test_a_position_the_arm_can_reach_is_reached(kind):
    random = Random(kind)
    for seed in range(25 if kind.startswith('yaw') else 8):
        arm = random_arm(kind, 100 + seed)
        judge = Judge(arm, thorough=False)
        for _ in range(4):
            target = Target(judge.pose(random_readings(arm, random))[:3, 3])
            near, elevation = random_readings(arm, random), random_elevation(random)
            assert_meets(arm, judge, target, arm.solve(target, near, elevation=elevation))


@pytest.mark.parametrize('kind, joint', [
    *(('yaw', role) for role in KINDS['yaw']), ('roll', 'roll'), ('tilt', 'wrist_tilt')])
def test_it_is_reached_with_a_joint_that_hardly_moves(kind, joint):
    random = Random(f'{kind} {joint}')
    for width in (0.0, 1e-3, 0.05):
        for _ in range(3):
            at = random.uniform(-1.0, 1.0)
            arm = make_arm(kind, (0.15, 0.1, 0.07), shoulder_offset=0.02,
                           **{joint: (at, at + width)}, everywhere=(-2.5, 2.5))
            judge = Judge(arm, thorough=False)
            target = Target(judge.pose(random_readings(arm, random))[:3, 3])
            solution = arm.solve(target, elevation=random_elevation(random))
            assert_meets(arm, judge, target, solution)


@each_kind
def test_brute_force_finds_no_direction_nearer_to_the_preferred(kind):
    random, inexact, as_good = Random(kind), 0, 0
    for seed in range(6):
        arm = random_arm(kind, 200 + seed)
        if arm.model.lateral:
            # The plane's own forward counts there: see the test after the next.
            arm = make_arm(kind, (0.12, 0.1, 0.09), everywhere=(-1.0 - 0.3 * seed, 1.2))
        position = tuple(arm.forward(random_readings(arm, random)).position)
        near, elevation = random_readings(arm, random), random.uniform(-pi, pi)
        solution = arm.solve(Target(position), near, elevation=elevation)
        target = Target(position, preferred_up(arm, position, elevation))
        words, found = complaint(Case(arm, target, near, ''), solution.q, 'position', seed)
        assert not words, (seed, elevation, words)
        inexact += angle(arm.forward(solution.q).up, target.up) > 1e-6
        as_good += found
    assert as_good >= 4 and inexact


@each_kind
@pytest.mark.parametrize('preferred', [True, False])
def test_no_sampled_elevation_in_a_yaw_arms_planes_is_nearer(kind, preferred):
    """With the arm plane beside the axis too; and without a preference, to the present one."""
    random, moved = Random(5), 0
    for seed in range(40):
        arm = random_arm(kind, seed)
        position = arm.forward(random_readings(arm, random)).position
        near = random_readings(arm, random)
        elevation = random.uniform(-pi, pi) if preferred else None
        solution = arm.solve(Target(position), near, elevation=elevation)
        assert solution.reached

        def miss(values, back):
            wanted = elevation if preferred else in_plane(arm, near)
            if preferred and back:
                wanted = pi - wanted
            return abs(np.remainder(values - wanted + pi, TURN) - pi)

        got = miss(in_plane(arm, solution.q), over_the_back(arm, solution.q))
        least = min(miss(values[reached], back).min(initial=9.0)
                    for _, values, reached, back in sampled_in_planes(arm, position))
        assert got <= least + 1e-9, (seed, got, least)
        assert got >= least - TURN / 4000
        moved += got > 1e-6
    assert moved > 10


@all_kinds
def test_without_a_preference_the_arm_does_not_move_where_it_is_there(kind):
    random = Random(kind)
    for seed in range(5):
        arm = random_arm(kind, 300 + seed)
        near = random_readings(arm, random)
        solution = arm.solve(Target(arm.forward(near).position), near)
        assert solution.reached and solution.step_rad < 1e-6


@each_kind
def test_without_a_preference_the_last_link_turns_with_the_base(kind):
    arm = make_arm(kind, base_x=0.1, shoulder_offset=0.02)
    near = (0.3, 0.6, -1.0, 0.2) + (0.0,) * (len(KINDS[kind]) - 4)
    if kind.startswith('roll'):
        near = (0.3, 0.0, 0.6, -1.0, 0.2) + (0.0,) * (len(KINDS[kind]) - 5)
    before = arm.forward(near)
    for turn in (0.5, -1.0, 1.4):
        c, s = cos(turn), sin(turn)
        x, y, z = before.position - (0.1, 0.0, 0.0)
        target = Target((0.1 + 0.9 * (c * x - s * y), 0.9 * (s * x + c * y), z + 0.02))
        solution = arm.solve(target, near)
        ux, uy, uz = before.up
        assert solution.reached
        assert angle(arm.forward(solution.q).up, (c * ux - s * uy, s * ux + c * uy, uz)) < 1e-7


def test_a_path_over_the_yaw_axis_is_followed_without_a_jump():
    arm = make_arm(shoulder=(0.0, pi), elbow=(-2.5, 0.0))
    near = arm.solve(Target((0.1, 0.0, 0.22)), (0.0, 1.5, -1.0, 0.0)).q
    for x in np.linspace(0.1, -0.08, 37):
        solution = arm.solve(Target((float(x), 0.0, 0.22)), near)
        assert solution.reached and step(solution.q, near) < 0.3, (x, near, solution)
        near = solution.q
    assert over_the_back(arm, near)


def test_a_preferred_elevation_is_the_same_direction_facing_and_over_the_back():
    position = (-0.15, 0.05, 0.1)
    facing = make_arm(everywhere=(-3.1, 3.1))
    back = make_arm(yaw=(-1.0, 1.0), everywhere=(-3.1, 3.1))
    for elevation in (-1.2, -0.3, 0.4, 1.3):
        ups = []
        for arm in (facing, back):
            solution = arm.solve(Target(position), elevation=elevation)
            assert solution.reached
            ups.append(arm.forward(solution.q).up)
        assert over_the_back(back, solution.q)
        for up in ups:
            assert angle(up, preferred_up(facing, position, elevation)) < 1e-9


def test_on_the_yaw_axis_the_preferred_elevation_is_above_the_arms_forward():
    arm = make_arm()
    near = (0.4, 1.0, -0.5, 0.3)
    for elevation in (0.3, 1.2, 2.0):
        solution = arm.solve(Target((0.0, 0.0, 0.2)), near, elevation=elevation)
        assert solution.reached and solution.q[0] == pytest.approx(0.4)
        assert remainder(in_plane(arm, solution.q) - elevation, TURN) == pytest.approx(0.0)


@each_kind
def test_of_several_ways_the_one_with_the_smallest_step_is_taken(kind):
    arm = make_arm(kind, everywhere=(-3.1, 3.1))
    for bend in (1.0, -1.0):
        near = [0.1] * len(KINDS[kind])
        near[KINDS[kind].index('elbow')] = bend
        near[KINDS[kind].index('shoulder')] = 0.3 - 0.5 * bend
        solution = arm.solve(Target((0.2, 0.03, 0.1)), near, elevation=0.2)
        assert solution.reached
        assert solution.q[KINDS[kind].index('elbow')] * bend > 0.0


@each_kind
def test_the_floor_is_kept_where_any_direction_will_do(kind):
    random, kept = Random(kind), 0
    for seed in range(6):
        arm = make_arm(kind, (0.15, 0.12, 0.1), base_height=0.1, floor_height=0.0,
                       shoulder_offset=0.02, elbow=(-2.6, 2.6))
        judge = Judge(arm, thorough=False)
        position = (random.uniform(0.12, 0.25), random.uniform(-0.1, 0.1), 0.01)
        solution = arm.solve(Target(position), elevation=random.uniform(0.5, 2.5))
        assert inside(arm, solution.q)
        assert solution.reached and judge.errors(solution.q, Target(position))[0] <= EXACT
        heights = [judge.point(solution.q, joint)[2] for joint in ('elbow', 'wrist')]
        assert min(heights) >= -1e-8
        kept += min(heights) < 1e-6
    assert kept


def test_out_of_reach_the_tip_is_as_near_as_can_be_whatever_is_preferred():
    arm, random = ExactArm.preset('so101'), Random(1)
    for _ in range(20):
        position = [random.uniform(-0.6, 0.6) for _ in range(3)]
        near, elevation = random_readings(arm, random), random.uniform(-pi, pi)
        plain = arm.solve(Target(position), near)
        preferring = arm.solve(Target(position), near, elevation=elevation)
        assert preferring.status is plain.status
        assert preferring.position_error_m == pytest.approx(plain.position_error_m, abs=2e-9)


def test_azimuths_are_those_of_the_yaw_axis():
    arm = make_arm(base_x=0.2, base_y=-0.1)
    solution = arm.solve(Target((0.2, 0.1, 0.05)), elevation=0.5)
    up = arm.forward(solution.q).up
    assert atan2(up[1], up[0]) == pytest.approx(pi / 2) and up[2] == pytest.approx(sin(0.5))


def arms_beside_the_axis(random):
    """Yield arms with limits of any width whose yaw axis is not at the origin."""
    while True:
        middles = [random.uniform(-1.0, 1.0) for _ in KINDS['yaw']]
        widths = [random.choice((0.5, 1.0, 2.0, 3.0)) for _ in KINDS['yaw']]
        yield make_arm(lateral=random.choice((0.005, -0.02)), base_x=0.3, base_y=-0.07, **{
            role: (middle - width, middle + width)
            for role, middle, width in zip(KINDS['yaw'], middles, widths)})


@pytest.mark.parametrize('elevation', [None, 0.6, -2.1])
def test_inside_the_circle_of_the_arm_plane_the_elevation_is_the_nearest_to_the_wanted(elevation):
    random, checked = Random(4), 0
    for arm in arms_beside_the_axis(random):
        azimuth, aside = random.uniform(-pi, pi), abs(arm.model.lateral)
        rho, near = aside * random.uniform(0.05, 1.0), random_readings(arm, random)
        target = Target((0.3 + rho * cos(azimuth), -0.07 + rho * sin(azimuth),
                         random.uniform(-0.3, 0.3)))
        solution = arm.solve(target, near, elevation=elevation)
        if solution.position_error_m > aside - rho + EXACT:
            continue
        # The tip is abreast of the axis: facing it and over the back are one plane.
        tip, yaw = arm.forward(solution.q).position, solution.q[0]
        wanted = [in_plane(arm, near)] if elevation is None else [elevation, pi - elevation]

        def turn(a):
            return min([abs(remainder(a - b, TURN)) for b in wanted])

        reached = [turn(a) for a in np.linspace(-pi, pi, 90) if arm.solve(Target(
            tip, (cos(a) * cos(yaw), cos(a) * sin(yaw), sin(a))),
            position_tolerance=1e-7, up_tolerance=1e-6).reached]
        assert turn(in_plane(arm, solution.q)) <= min(reached, default=pi) + 1e-6
        checked += 1
        if checked == 8:
            break
