# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Every degenerate target by name: a whole family of poses is exact; random targets never hit these.

Each case is readings that bring an arm there, at random but for the joints that make the case.
"""

from math import acos, atan2, cos, hypot, isfinite, pi, remainder, sin
from random import Random

from arm_ik import Status, Target
from judged_arms import (
    assert_meets, EXACT, inside, Judge, KINDS, make_arm, random_arm, random_readings, step)
import numpy as np
import pytest

TURN = 2 * pi
LINKS = (0.12, 0.12, 0.08)
UNEQUAL = (0.12, 0.15, 0.08)
BASE = {'base_x': 0.05, 'base_y': -0.02, 'base_height': 0.1}


def wrist_at(readings, links=UNEQUAL):
    """Return the wrist in the arm plane from the shoulder [m]."""
    shoulder, elbow = readings['shoulder'], readings['elbow']
    return (links[0] * cos(shoulder) + links[1] * cos(shoulder + elbow),
            links[0] * sin(shoulder) + links[1] * sin(shoulder + elbow))


def lift_hand_to(readings, elevation):
    """Set the wrist so that the last link stands at an elevation [rad]."""
    readings['wrist'] = elevation - readings['shoulder'] - readings['elbow']


def tip_on_axis(readings, offset=0.0, height=1.0):
    """Set shoulder, elbow and wrist so that the tip stands on the yaw axis."""
    readings['shoulder'], readings['elbow'] = 1.0 + 0.1 * readings['shoulder'] / pi, 1.4
    x, _ = wrist_at(readings)
    lift_hand_to(readings, height * acos((-offset - x) / LINKS[2]))


def wrist_to(readings, x, y, bend):
    """Set shoulder and elbow so that the wrist stands at (x, y) from the shoulder."""
    l1, l2, _ = UNEQUAL
    h = hypot(x, y)
    elbow = bend * acos((h * h - l1 * l1 - l2 * l2) / (2 * l1 * l2))
    readings['elbow'] = elbow
    readings['shoulder'] = atan2(y, x) - atan2(l2 * sin(elbow), l1 + l2 * cos(elbow))


# Each case sets the joints that make it, the others stay random: readings by role, random numbers.

def hand_in_line_with_the_wrist(q, random):
    x, y = wrist_at(q)
    lift_hand_to(q, atan2(y, x + 0.03))


def hand_pointing_back_at_the_base(q, random):
    x, y = wrist_at(q)
    lift_hand_to(q, atan2(-y, -x - 0.03))


def wrist_at_the_base(q, random):
    wrist_to(q, -0.03, 0.0, random.choice((1, -1)))


def wrist_at_the_base_hand_level(q, random):
    wrist_at_the_base(q, random)
    lift_hand_to(q, random.choice((0.0, pi)))


def plane_lying_flat(q, random):
    q['roll'] = random.choice((pi / 2, -pi / 2))


def plane_lying_flat_hand_in_line(q, random):
    plane_lying_flat(q, random)
    hand_in_line_with_the_wrist(q, random)


def tip_on_the_yaw_axis(q, random):
    tip_on_axis(q, 0.03, random.choice((1, -1)))


def hand_upright_on_the_yaw_axis(q, random):
    wrist_to(q, -0.03, random.uniform(-0.15, 0.2), random.choice((1, -1)))
    lift_hand_to(q, random.choice((pi / 2, -pi / 2)))


def wrist_on_the_yaw_axis(q, random):
    wrist_to(q, -0.03, random.uniform(-0.15, 0.2), random.choice((1, -1)))


def wrist_on_the_yaw_axis_hand_level(q, random):
    wrist_on_the_yaw_axis(q, random)
    lift_hand_to(q, random.choice((0.0, pi)))


def hand_across_the_plane(q, random):
    q['wrist_tilt'] = random.choice((pi / 2, -pi / 2))


def hand_across_the_plane_wrist_on_the_axis(q, random):
    wrist_on_the_yaw_axis(q, random)
    hand_across_the_plane(q, random)


def folded_onto_the_shoulder(q, random):
    q['elbow'] = random.choice((pi, -pi))


CASES = [
    ('roll', hand_in_line_with_the_wrist), ('roll', hand_pointing_back_at_the_base),
    ('roll', wrist_at_the_base), ('roll', wrist_at_the_base_hand_level),
    ('roll', plane_lying_flat), ('roll', plane_lying_flat_hand_in_line),
    ('roll', tip_on_the_yaw_axis), ('roll', hand_upright_on_the_yaw_axis),
    ('roll', folded_onto_the_shoulder),
    ('yaw', tip_on_the_yaw_axis), ('yaw', hand_upright_on_the_yaw_axis),
    ('yaw', folded_onto_the_shoulder),
    ('tilt', wrist_on_the_yaw_axis), ('tilt', wrist_on_the_yaw_axis_hand_level),
    ('tilt', hand_across_the_plane), ('tilt', hand_across_the_plane_wrist_on_the_axis),
    ('tilt', tip_on_the_yaw_axis), ('tilt', folded_onto_the_shoulder),
]
each_case = pytest.mark.parametrize('kind, case', CASES, ids=lambda value: (
    value if isinstance(value, str) else value.__name__))


def numbers_of(case):
    """Return the lengths of the arm of a case."""
    if case is folded_onto_the_shoulder:
        return {'links': LINKS, 'shoulder_offset': 0.03, **BASE}
    return {'links': UNEQUAL, 'shoulder_offset': 0.03, **BASE}


def readings_of(kind, case, random):
    """Return readings that bring the arm into a case."""
    q = {role: random.uniform(-pi, pi) for role in KINDS[kind]}
    # The shoulder on its own axis is a case too, so keep the wrist away from it.
    q['elbow'] = random.uniform(0.3, 2.6) * random.choice((1, -1))
    case(q, random)
    return tuple([remainder(reading, TURN) for reading in q.values()])


@each_case
def test_a_degenerate_target_is_met(kind, case):
    arm, random = make_arm(kind, **numbers_of(case)), Random(case.__name__)
    judge = Judge(arm)
    for _ in range(4):
        q = readings_of(kind, case, random)
        target = judge.target(q)
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))
        assert_meets(arm, judge, target, arm.solve(target))


@each_case
def test_the_same_answer_comes_twice_and_every_solution_is_honest(kind, case):
    kind += '_wrist_roll'
    arm, random = make_arm(kind, **numbers_of(case)), Random(case.__name__)
    judge = Judge(arm, thorough=False)
    target = judge.target(readings_of(kind, case, random))
    assert arm.solve(target) == arm.solve(target)
    found = arm.solutions(target)
    assert found[0].reached
    for solution in found:
        assert inside(arm, solution.q)
        assert solution.reached == (max(judge.errors(solution.q, target)) <= EXACT)


@each_case
@pytest.mark.parametrize('width', [0.4, 0.02])
def test_it_is_met_by_the_only_members_of_the_family_that_the_limits_allow(kind, case, width):
    random = Random(f'{case.__name__} {width}')
    for _ in range(2):
        q = readings_of(kind, case, random)
        limits = {role: (reading - width * random.random(), reading + width * random.random())
                  for role, reading in zip(KINDS[kind], q)}
        arm = make_arm(kind, **numbers_of(case), **limits)
        judge = Judge(arm, thorough=False)
        target = judge.target(q)
        near = [random.uniform(-3, 3) for _ in q]
        assert_meets(arm, judge, target, arm.solve(target, near))


@each_case
@pytest.mark.parametrize('away', [1e-12, 3e-11, 1e-9, 1e-8, 1e-6])
def test_just_beside_it_targets_are_met_too(kind, case, away):
    arm, random = make_arm(kind, **numbers_of(case)), Random(f'{case.__name__} {away}')
    judge = Judge(arm, thorough=False)
    for _ in range(2):
        q = [reading + away * random.uniform(-1, 1) for reading in readings_of(kind, case, random)]
        target = judge.target(q)
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


@each_case
def test_just_beside_it_the_arm_stays_where_it_is(kind, case):
    arm, random = make_arm(kind, **numbers_of(case)), Random(case.__name__)
    judge = Judge(arm, thorough=False)
    for away in (0.0, 1e-12, 1e-10, 1e-6):
        q = [reading + away * random.uniform(-1, 1) for reading in readings_of(kind, case, random)]
        # Rounding turns directions that almost vanish, and more so where two do.
        assert step(arm.solve(judge.target(q), near=q).q, q) < 1e-2


# The nearest member, against dense sampling of the family.

def sampled(arm, target, near, planes):
    """
    Return the least largest step to any sampled member of a family, both bends, all turns.

    :param planes: tuple of arrays yaw, roll, tilt, elevation [rad]; elevation None: as u stands.
    """
    yaw, roll, tilt, elevation = np.broadcast_arrays(*[
        np.nan if part is None else part for part in planes])
    model = arm.model
    l1, l2, l3 = model.upper_arm, model.forearm, model.hand
    f = np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw])
    n = np.stack([-np.sin(yaw) * np.cos(roll), np.cos(yaw) * np.cos(roll), np.sin(roll)])
    h = np.cross(f, n, axis=0)
    u, e = np.array(target.up), np.array(target.position) - [
        model.base_x, model.base_y, model.base_height]
    if planes[3] is None:
        turned_over = np.where(np.cos(tilt) < 0, -1, 1)
        elevation = np.arctan2(turned_over * (u @ h), turned_over * (u @ f))
    hand = l3 * np.cos(tilt)
    x = e @ f - model.shoulder_offset - hand * np.cos(elevation)
    y = e @ h - hand * np.sin(elevation)
    cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2)
    least = np.inf
    for bend in (1, -1):
        with np.errstate(invalid='ignore'):
            elbow = bend * np.arccos(np.clip(cosine, -1, np.where(cosine < 1 + 1e-9, 1, np.nan)))
        shoulder = np.arctan2(y, x) - np.arctan2(l2 * np.sin(elbow), l1 + l2 * np.cos(elbow))
        by_role = {'yaw': yaw, 'roll': roll, 'shoulder': shoulder, 'elbow': elbow,
                   'wrist': elevation - shoulder - elbow, 'wrist_tilt': tilt}
        steps = 0.0
        for joint, at in zip(model.joints, near):
            reading = by_role[joint.role]
            nearest = np.inf
            first = reading + TURN * np.ceil((joint.lower - reading) / TURN)
            for turns in range(3):
                ok = first + TURN * turns <= joint.upper
                nearest = np.minimum(nearest, np.where(ok, abs(first + TURN * turns - at), np.inf))
            steps = np.maximum(steps, nearest)
        least = min(least, np.nanmin(steps))
    return least


ROUND = np.linspace(-pi, pi, 20001)


def any_plane_through(arm, target):
    """All planes that contain the up vector, by both roots of their base."""
    u = np.array(target.up)
    a = np.cross(u, [0.3, 0.5, -0.8])
    a /= np.linalg.norm(a)
    n = np.outer(a, np.cos(ROUND)) + np.outer(np.cross(u, a), np.sin(ROUND))
    level = np.hypot(n[0], n[1])
    yield np.arctan2(-n[0], n[1]), np.arctan2(n[2], level), 0.0, None
    yield np.arctan2(n[0], -n[1]), np.arctan2(n[2], -level), 0.0, None


def flat_at_any_yaw(arm, target):
    for roll in (pi / 2, -pi / 2):
        yield ROUND, roll, 0.0, None


def upright_at_any_yaw(arm, target):
    yield ROUND, 0.0, 0.0, None


def tilted_at_any_yaw(arm, target):
    out = np.arcsin(np.clip(target.up[1] * np.cos(ROUND) - target.up[0] * np.sin(ROUND), -1, 1))
    yield ROUND, 0.0, out, None
    yield ROUND, 0.0, pi - out, None


def across_at_any_elevation(arm, target):
    ux, uy, _ = target.up
    for yaw, tilt in ((atan2(-ux, uy), pi / 2), (atan2(ux, -uy), -pi / 2)):
        yield yaw, 0.0, tilt, ROUND


@pytest.mark.parametrize('kind, case, families', [
    ('roll', hand_in_line_with_the_wrist, [any_plane_through]),
    ('roll', hand_pointing_back_at_the_base, [any_plane_through]),
    ('roll', wrist_at_the_base, [any_plane_through]),
    ('roll', wrist_at_the_base_hand_level, [any_plane_through, flat_at_any_yaw]),
    ('roll', plane_lying_flat, [flat_at_any_yaw]),
    ('roll', plane_lying_flat_hand_in_line, [any_plane_through, flat_at_any_yaw]),
    ('yaw', hand_upright_on_the_yaw_axis, [upright_at_any_yaw]),
    ('tilt', wrist_on_the_yaw_axis, [tilted_at_any_yaw]),
    ('tilt', wrist_on_the_yaw_axis_hand_level, [tilted_at_any_yaw, across_at_any_elevation]),
    ('tilt', hand_across_the_plane, [across_at_any_elevation]),
    ('tilt', hand_across_the_plane_wrist_on_the_axis,
     [tilted_at_any_yaw, across_at_any_elevation]),
], ids=lambda value: getattr(value, '__name__', None))
@pytest.mark.parametrize('width', [6.3, 1.5])
def test_no_sampled_member_of_the_family_is_nearer(kind, case, families, width):
    random = Random(f'{case.__name__} {width}')
    for _ in range(2):
        q = readings_of(kind, case, random)
        limits = {role: (reading - width * random.random(), reading + width * random.random())
                  for role, reading in zip(KINDS[kind], q)}
        arm = make_arm(kind, **numbers_of(case), **limits)
        judge = Judge(arm, thorough=False)
        target = judge.target(q)
        near = [reading + random.uniform(-2, 2) for reading in q]
        solution = arm.solve(target, near)
        assert_meets(arm, judge, target, solution)
        least = min(sampled(arm, target, near, planes)
                    for family in families for planes in family(arm, target))
        assert isfinite(least) or width < 1.0
        assert solution.step_rad <= least + 1e-9, (solution, least, near)
        # The samples are dense enough to find the family at all.
        assert solution.step_rad >= least - 0.02 or width < 1.0


# Degenerate targets that can't be met, and rules of their own.

def across_target(judge, arm, q):
    """Return a target with its up vector across the plane of a yaw arm."""
    yaw = arm.model.joints[0].canonical(q[0])
    return Target(judge.pose(q)[:3, 3], (-sin(yaw), cos(yaw), 0.0))


@pytest.mark.parametrize('wrist_roll', ['', '_wrist_roll'])
def test_an_up_vector_across_the_plane_leaves_the_tip_exact_and_any_elevation(wrist_roll):
    arm, random = make_arm('yaw' + wrist_roll, shoulder_offset=0.03, **BASE), Random(1)
    judge = Judge(arm)
    for _ in range(4):
        q = random_readings(arm, random)
        target = across_target(judge, arm, q)
        for near in (q, random_readings(arm, random)):
            solution = arm.solve(target, near)
            position, up, _ = judge.errors(solution.q, target)
            assert position <= EXACT and up == pytest.approx(pi / 2, abs=EXACT)
            assert solution.status is Status.UP_RELAXED
            assert 'up vector 90.0 deg out of the arm plane' in solution.reason
        assert step(arm.solve(target, q).q, q) < 1e-6


@pytest.mark.parametrize('width', [6.3, 1.0, 0.1])
def test_with_the_up_vector_across_the_plane_the_nearest_elevation_inside_the_limits_is_taken(
        width):
    random = Random(width)
    for _ in range(4):
        q = readings_of('yaw', lambda q, random: None, random)
        limits = {role: (reading - width * random.random(), reading + width * random.random())
                  for role, reading in zip(KINDS['yaw'], q)}
        arm = make_arm('yaw', links=UNEQUAL, shoulder_offset=0.03, **BASE, **limits)
        judge = Judge(arm, thorough=False)
        target = across_target(judge, arm, q)
        near = [reading + random.uniform(-2, 2) for reading in q]
        solution = arm.solve(target, near)
        assert judge.errors(solution.q, target)[0] <= EXACT and inside(arm, solution.q)
        ex, ey = target.position[0] - BASE['base_x'], target.position[1] - BASE['base_y']
        least = min(sampled(arm, target, near, (yaw, 0.0, 0.0, ROUND))
                    for yaw in (atan2(ey, ex), atan2(-ey, -ex)))
        assert solution.step_rad <= least + 1e-9


def test_with_the_tip_on_the_yaw_axis_the_plane_contains_the_up_vector():
    arm = make_arm('yaw', **BASE)
    for azimuth in (0.0, 0.7, -2.5, pi / 2):
        up = (cos(azimuth) * 0.6, sin(azimuth) * 0.6, 0.8)
        target = Target((BASE['base_x'], BASE['base_y'], 0.25), up)
        solution = arm.solve(target)
        assert_meets(arm, Judge(arm), target, solution)
        assert abs(sin(solution.q[0] - azimuth)) < 1e-12


def test_with_the_hand_upright_on_the_yaw_axis_the_yaw_stays():
    arm = make_arm('yaw', **BASE)
    target = Target((BASE['base_x'], BASE['base_y'], 0.3), (0.0, 0.0, 1.0))
    for yaw in (-2.0, 0.0, 1.3):
        solution = arm.solve(target, near=(yaw, 1.0, 1.0, 1.0))
        assert_meets(arm, Judge(arm), target, solution)
        assert solution.q[0] == yaw


def test_a_lateral_offset_keeps_the_tip_off_the_yaw_axis_and_says_so():
    arm = make_arm('yaw', lateral=0.01)
    judge = Judge(arm)
    for up in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), None):
        for x in (0.0, 0.004):
            target = Target((x, 0.0, 0.3), up)
            solution = arm.solve(target)
            assert solution.status is Status.POSITION_RELAXED
            assert judge.errors(solution.q, target)[0] == pytest.approx(0.01 - x, abs=1e-9)
            assert f'too close to the yaw axis by {0.01 - x:.3f} m' in solution.reason


@pytest.mark.parametrize('away', [0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6])
def test_a_tip_beside_the_yaw_axis_where_the_plane_just_touches_it_is_met(away):
    arm, random = make_arm('yaw', lateral=0.02, links=UNEQUAL, **BASE), Random(away)
    judge = Judge(arm, thorough=False)
    for _ in range(10):
        q = {role: random.uniform(-pi, pi) for role in KINDS['yaw']}
        tip_on_axis(q, away, random.choice((1, -1)))
        target = judge.target(tuple(q.values()))
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


def test_a_folded_arm_turns_its_shoulder_where_the_limits_allow():
    # Folded, the shoulder is free as long as shoulder + wrist stays: 0.5 here, wrist within 0.1.
    arm = make_arm('yaw', wrist=(-0.1, 0.1), shoulder=(-1.0, 1.0), elbow=(0.0, 3.2), **BASE)
    pose = arm.forward((0.4, 0.55, pi, -0.05))
    target = Target(pose.position, pose.up)
    for near, expected in (((0.4, 0.5, pi, 0.0), 0.5), ((0.4, 1.0, pi, 0.0), 0.6),
                           ((0.4, -1.0, pi, 0.0), 0.4)):
        solution = arm.solve(target, near)
        assert_meets(arm, Judge(arm), target, solution)
        assert solution.q[1] == pytest.approx(expected, abs=1e-6)


def test_a_flat_plane_with_the_hand_almost_in_line_is_met_with_joints_at_limits():
    # Found by search: |p x u| is 1e-8 here, so the level part of the normal is rounding.
    arm = random_arm('roll', 15)
    q = (-2.248502317023374, -2.0585938823948062, 1.2055321959014176, 2.0220441526643533,
         0.16622847949894748)
    near = (-2.248502317023374, -1.6293902091897028, 1.2055321959014176, 3.0220441526643533,
            -0.3337715205010525)
    pose = arm.forward(q)
    assert arm.solve(Target(pose.position, pose.up), near).status is Status.REACHED


def test_a_hand_bolted_across_its_plane_is_met_with_the_wrist_abreast_of_the_yaw_axis():
    # As near to the axis as the plane beside it: rounding turns the azimuth of the wrist by 1e-8.
    arm, random = make_arm('tilt', lateral=0.02, wrist_tilt=(pi / 2, pi / 2)), Random(1)
    judge = Judge(arm, thorough=False)
    for _ in range(60):
        elbow = random.uniform(0.4, 2.0) * random.choice((1, -1))
        shoulder = random.choice((1, -1)) * pi / 2 - elbow / 2 + random.choice((1e-9, 1e-8))
        target = judge.target((random.uniform(-3, 3), shoulder, elbow, random.uniform(-3, 3),
                               pi / 2))
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))
