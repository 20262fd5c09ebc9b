# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Reasons are true: every number in them, every joint, every side, for every kind of arm."""

from math import asin, atan2, cos, degrees, hypot, pi, radians, sin, sqrt
from random import Random
import re

from arm_ik import Arm, Status, Target
from brute_force import BruteForce
from judged_arms import (
    all_kinds, each_kind, ExactArm, Judge, KINDS, make_arm, random_arm, random_readings)
from optimum_cases import ARMS
import pytest
from widened import widened


#: A reading this near to a limit [rad] is at it.
AT_LIMIT = 2e-7

#: Every form a part of a reason may have.
FORMS = {
    'at': r'(\w+) at its (upper|lower) limit',
    'past': r'(\w+) at its (upper|lower) limit, (\S+) rad past',
    'would': r'(\w+) would be (\S+) rad past its (upper|lower) limit',
    'tip': r'tip (\S+) m off',
    'up': r'up vector (\S+) deg off(?:, at least (\S+) deg out of the arm plane)?',
    'forward': r'forward vector (\S+) deg off',
    'plane': r'up vector (\S+) deg out of the arm plane',
    'plane at least': r'up vector at least (\S+) deg out of the arm plane',
    'links': r'too (far|close) by (\S+) m',
    'unit': r'the numbers look like (centi|milli)metres: positions are in metres',
    'axis': r'too close to the yaw axis by (\S+) m',
    'wrist': r'wrist too (far|close) by (\S+) m (with this up vector|at the wanted elevation)',
    'wrist axis': r'wrist too close to the yaw axis with this up vector',
    'target floor': r'target (\S+) m below the floor',
    'floor': r'elbow or wrist would have to go below the floor',
}


def parts_of(reason):
    """Return the parts of a reason as ``(form, groups)``."""
    parts = []
    for text in reason.split('; '):
        matches = [(form, match.groups()) for form, match in (
            (form, re.fullmatch(pattern, text)) for form, pattern in FORMS.items()) if match]
        assert len(matches) == 1, f'{text!r} has no known form'
        parts += matches
    return parts


@pytest.mark.parametrize('position, unit', [
    ((20.0, 5.0, 10.0), 'centi'), ((-200.0, 50.0, 100.0), 'milli'), ((0.0, 0.0, -9.0), 'centi'),
    ((100.0, 0.0, 900.0), ''), ((2.9, 0.0, 0.0), ''), ((0.0, 40000.0, 0.0), '')])
def test_a_target_in_another_unit_is_told(position, unit):
    (words, *more) = Arm.preset('so101').solve(Target(position)).reason.split('; ')
    assert words.startswith('too far by ')
    assert more[:1] == [f'the numbers look like {unit}metres: positions are in metres'] \
        if unit else 'the numbers' not in ' '.join(more)


def says(words, truth, least=0.0):
    """Tell whether a number in words is a truth rounded: to two digits, or to ``least``."""
    return abs(float(words) - truth) <= max(least, 0.06 * truth)


def out_of_planes(arm, target):
    """Return the angles of the up vector to the vertical planes through the target [rad]."""
    model = arm.model
    x, y = target.position[0] - model.base_x, target.position[1] - model.base_y
    r = sqrt(max(x * x + y * y - model.lateral ** 2, 0.0))
    yaws = [atan2(y, x) - atan2(model.lateral, ahead) for ahead in (r, -r)]
    return [asin(min(1.0, abs(target.up[1] * cos(yaw) - target.up[0] * sin(yaw))))
            for yaw in yaws]


def assert_true(arm, target, near, solution):
    """Fail unless a reason is true, as far as it can be told from the arm and its answer."""
    position, up, forward = Judge(arm, thorough=False).errors(solution.q, target)
    if solution.reached:
        assert solution.reason == '' and solution.limited_by == ()
        return []
    parts, past, named = parts_of(solution.reason), {}, []
    at = {name: [reading <= low + AT_LIMIT, reading >= high - AT_LIMIT]
          for name, low, reading, high in zip(
              arm.joint_names, arm.lower, solution.q, arm.upper)}
    for form, groups in parts:
        if form in ('at', 'past'):
            name, side = groups[:2]
            named.append(name)
            assert at[name][side == 'upper'], (groups, solution)
            if form == 'past':
                past[name] = side, float(groups[2])
        elif form == 'would':
            name, amount, side = groups
            named.append(name)
            assert not at[name][side == 'upper'], (groups, solution)
            past[name] = side, float(amount)
        elif form == 'tip':
            assert solution.status is Status.POSITION_RELAXED
            assert says(groups[0], position, 6e-4 if position > 1e-3 else 0.0)
        elif form in ('up', 'plane'):
            assert solution.status is Status.UP_RELAXED
            assert says(groups[0], degrees(up), 0.06)
        elif form == 'forward':
            assert solution.status is Status.FORWARD_RELAXED
            assert says(groups[0], degrees(forward), 0.06)
        if form.startswith('plane') or form == 'up' and groups[1]:
            assert any(says(groups[-1], degrees(miss), 0.06)
                       for miss in out_of_planes(arm, target)), (solution, target)
        if form == 'links':
            assert f'tip {groups[1]} m off' not in solution.reason  # said once
        if form == 'plane at least':
            assert solution.status is Status.POSITION_RELAXED
        if form in ('links', 'axis', 'target floor'):
            assert solution.status is Status.POSITION_RELAXED
        if form in ('links', 'axis'):
            assert float(groups[-1]) <= position * 1.006 + 6e-4
        if form == 'target floor':
            assert says(groups[0], arm.model.floor_height - target.position[2], 6e-4)
    assert len(set(named)) == len(named)
    assert tuple(named) == solution.limited_by, solution
    if past:
        assert_frees(arm, target, near, past, solution)
    return [form for form, _ in parts]


def assert_frees(arm, target, near, past, solution):
    """Fail unless limits put out as far as a reason says let the arm meet the target."""
    # The words have two digits.
    freed = widened(arm, {name: (side, 1.06 * by + 1e-6) for name, (side, by) in past.items()})
    if target.up is not None:
        # The planes beside the axis miss the up vector by different angles.
        miss = 0.0 if 'roll' in arm.model.roles or 'wrist_tilt' in arm.model.roles \
            else max(out_of_planes(arm, target))
        both = Target(target.position, target.up)
        # Only the choice between branches knows of the floor.
        answers = freed.solutions(both, near) if arm.model.floor_height is None \
            else [freed.solve(both, near)]
        if any(answer.position_error_m < 1e-8 and answer.up_error_rad <= miss + 1e-7
               for answer in answers):
            return
        assert solution.status is Status.POSITION_RELAXED, (solution, target, near)
    assert freed.solve(Target(target.position), near).position_error_m < 1e-8, (
        solution, target, near)


def random_case(kind, seed, floor=False):
    """Return an arm, a target and where the arm is; the target mostly can't be met."""
    random = Random(f'explain {kind} {seed}')
    of_arms = random.choice(list(ARMS))
    arm = ARMS[of_arms](kind, seed, random, floor)
    joints = arm.model.joints
    position = random.choice((
        [random.uniform(-0.5, 0.5) for _ in range(3)],
        [random.uniform(-0.08, 0.08) for _ in range(3)],
        arm.forward([random.uniform(-pi, pi) for _ in joints]).position,
        arm.forward(random_readings(arm, random)).position))
    up = random.choice((None, [random.gauss(0.0, 1.0) for _ in range(3)], (0.0, 0.0, -1.0)))
    forward = None
    if up is not None and random.random() < 0.2:
        forward = [random.gauss(0.0, 1.0) for _ in range(3)]
    return arm, Target(position, up, forward), random_readings(arm, random), random


@all_kinds
def test_every_word_of_a_reason_is_true(kind):
    seen = set()
    for seed in range(80 if kind.startswith('yaw') else 25):
        arm, target, near, random = random_case(kind, seed)
        priority = random.choice(('position', 'position', 'up'))
        solution = arm.solve(target, near, priority=priority)
        seen |= {*assert_true(arm, target, near, solution)}
    assert seen >= {'at', 'past', 'would', 'tip', 'up', 'links', 'wrist'}


@each_kind
def test_every_word_of_a_reason_is_true_above_a_floor(kind):
    seen = set()
    for seed in range(500, 540):
        arm, target, near, _ = random_case(kind, seed, floor=True)
        seen |= {*assert_true(arm, target, near, arm.solve(target, near))}
    assert seen >= {'past', 'target floor'}


@each_kind
def test_every_word_on_a_branch_is_true(kind):
    seen = set()
    for seed in range(200, 230):
        arm, target, near, _ = random_case(kind, seed)
        assert arm.model.floor_height is None
        for solution in arm.solutions(target, near):
            seen |= {*assert_true(arm, target, near, solution)}
    assert 'past' in seen


@each_kind
def test_with_any_up_vector_the_limit_in_the_way_is_named(kind):
    """One joint keeps the arm from a position that it would reach with any up vector."""
    named = 0
    for seed in range(30):
        random = Random(f'{kind} {seed}')
        arm = make_arm(kind, (0.15, 0.12, 0.08), elbow=(-0.6, 0.6), everywhere=(-2.8, 2.8))
        position = [random.uniform(-0.12, 0.12), random.uniform(-0.12, 0.12),
                    random.uniform(-0.1, 0.1)]
        solution = arm.solve(Target(position), random_readings(arm, random))
        forms = assert_true(arm, Target(position), random_readings(arm, random), solution)
        named += 'at' in forms and 'elbow' in solution.limited_by
    assert named > 3


def assert_links_reach_no_nearer(arm, target, solution):
    """Fail unless 'too far' or 'too close' by that much is what brute force says of the links."""
    (_, number), = re.findall(r'too (far|close)(?: to the yaw axis)? by (\S+) m', solution.reason)
    open_arm = widened(arm, dict.fromkeys(arm.joint_names, ('upper', 7.0)))
    _, distances, _, _ = BruteForce(open_arm, samples=2000, starts=32).search(
        Target(target.position, (0.0, 0.0, 1.0)), 'position', 1, [solution.q])
    assert says(number, distances.min(), 6e-4), (solution, distances.min())


@pytest.mark.parametrize('kind', ['yaw', 'roll', 'tilt'])
@pytest.mark.parametrize('long', [0, 2, None])
def test_what_the_links_are_short_of_is_what_brute_force_says(kind, long):
    random, checked = Random(f'{kind} {long}'), 0
    while checked < 2:
        links = [random.uniform(0.05, 0.1) for _ in range(3)]
        size = 0.5
        if long is not None:
            links[long], size = random.uniform(0.25, 0.45), 0.08
        arm = make_arm(
            kind, links, everywhere=(-2.5, 2.0), shoulder_offset=random.uniform(-0.05, 0.05),
            lateral=0.0 if kind == 'roll' else random.choice((0.0, random.uniform(-0.05, 0.05))))
        target = Target([random.uniform(-size, size) for _ in range(3)])
        solution = arm.solve(target)
        if solution.reason.startswith('too'):
            assert_links_reach_no_nearer(arm, target, solution)
            checked += 1


def test_a_target_inside_the_circle_of_a_plane_beside_the_axis_is_too_close_to_the_axis():
    arm = make_arm(lateral=0.05)
    solution = arm.solve(Target((0.03, 0.0, 0.1)))
    assert solution.reason == 'too close to the yaw axis by 0.020 m'
    assert solution.position_error_m == pytest.approx(0.02)
    assert solution.limited_by == ()


@pytest.mark.parametrize('wanted', [(-0.01, -0.27, 0.03), (0.02, 0.03, 0.01)])
def test_what_a_tilted_hand_beside_the_axis_reaches_is_neither_too_far_nor_too_close(wanted):
    arm = make_arm('tilt', links=(0.05, 0.05, 0.15), lateral=0.1)
    assert arm.solve(Target(wanted)).reached
    held = dict.fromkeys(('yaw', 'shoulder', 'elbow', 'wrist'), (-1.0, 1.0))
    arm = make_arm('tilt', links=(0.05, 0.05, 0.15), lateral=0.1, wrist_tilt=(-0.3, 0.3), **held)
    solution = arm.solve(Target(wanted, (0.0, 0.0, 1.0)))
    assert solution.reason.startswith('tip ')


@pytest.mark.parametrize('wanted, up', [((0.3, 0.0, 0.0), (0.0, 0.0, 1.0)),
                                        ((0.0, 0.31, 0.0), (0.0, 0.0, -1.0))])
def test_how_far_the_wrist_is_out_of_reach_is_the_triangles(wanted, up):
    solution = make_arm().solve(Target(wanted, up))
    (number,) = re.findall(r'wrist too far by (\S+) m with this up vector', solution.reason)
    assert says(number, hypot(hypot(*wanted), 0.08) - 0.24, 6e-4)


@pytest.mark.parametrize('degrees_out', [0.02, 0.5, 12.3, 89.0])
def test_how_far_the_up_vector_is_out_of_the_plane_is_said_in_degrees(degrees_out):
    out = radians(degrees_out)
    solution = make_arm().solve(Target((0.2, 0.0, 0.1), (cos(out), sin(out), 0.0)))
    assert solution.status is Status.UP_RELAXED and solution.limited_by == ()
    assert solution.reason == f'up vector {degrees_out} deg out of the arm plane'


def test_no_reason_speaks_of_an_up_vector_where_none_is_asked_for():
    for kind in KINDS:
        for seed in range(6):
            arm, target, near, _ = random_case(kind, seed)
            solution = arm.solve(Target(target.position), near)
            assert 'up vector' not in solution.reason
            assert solution.status in (Status.REACHED, Status.POSITION_RELAXED)


def test_a_wrist_roll_is_named_for_the_forward_vector_alone():
    arm = make_arm('yaw_wrist_roll', wrist_roll=(-0.5, 0.5), home=(0.0, 0.0, 0.0, 0.0, 0.5))
    solution = arm.solve(Target((0.3, 0.0, 0.0), (0.0, 0.0, 1.0)))
    assert solution.status is Status.UP_RELAXED and 'wrist_roll' not in solution.reason
    pose = arm.forward((0.0, 0.5, -1.0, 0.2, 0.5))
    turned = cos(0.3) * pose.rotation[:, 0] + sin(0.3) * pose.rotation[:, 1]
    solution = arm.solve(Target(pose.position, pose.up, turned))
    assert solution.limited_by == ('wrist_roll',)
    assert solution.reason == 'forward vector 17.2 deg off; wrist_roll at its upper limit'


@pytest.mark.parametrize('name', ['so101', 'open_manipulator_x'])
def test_presets_tell_the_truth(name):
    arm, random = ExactArm.preset(name), Random(name)
    for _ in range(100):
        target = Target([random.uniform(-0.5, 0.5) for _ in range(3)],
                        random.choice((None, [random.gauss(0.0, 1.0) for _ in range(3)])))
        near = random_readings(arm, random)
        assert_true(arm, target, near, arm.solve(target, near))


def test_the_tests_own_judge_of_words_can_fail():
    arm = random_arm('yaw', 3)
    target, near = Target((0.5, 0.5, 0.5)), arm.home
    solution = arm.solve(target, near)
    for wrong in ('too far by 9.000 m', 'elbow at its side limit', 'tip 0.001 m off',
                  'elbow would be 0.1 rad past its upper limit'):
        with pytest.raises(AssertionError):
            assert_true(arm, target, near, solution._replace(reason=wrong, limited_by=()))


def test_a_yaw_that_alone_keeps_the_tip_away_is_named_whatever_the_up_vector():
    arm = make_arm(yaw=(-1.0, 1.0))
    for up in (None, (0.0, 0.0, 1.0)):
        solution = arm.solve(Target((0.3 * cos(1.5), 0.3 * sin(1.5), 0.0), up))
        assert solution.limited_by[:1] == ('yaw',)
        assert 'yaw at its upper limit, 0.5 rad past' in solution.reason, solution


def test_a_floor_is_not_blamed_where_the_plane_misses_the_up_vector():
    arm = make_arm(base_height=0.1, floor_height=0.0)
    aside = Target((0.2, 0.05, 0.15), (1.0, 0.0, 0.0))
    assert 'out of the arm plane' in arm.solve(aside, priority='up').reason
    assert 'floor' not in arm.solve(aside, priority='up').reason
