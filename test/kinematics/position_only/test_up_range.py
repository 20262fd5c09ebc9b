# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""At which elevations of the last link a position can be reached: all of them, and no others."""

from math import acos, atan2, cos, hypot, inf, nan, pi, remainder, sin
from random import Random

from arm_ik import Target
from arm_ik.description import preset_names
from arm_ik.errors import InvalidInputError
from arm_ik.kinematics.position_only.up_range import joined
from elevation_samples import sampled_in_planes
from judged_arms import (
    all_kinds, each_kind, EXACT, ExactArm, inside, Judge, KINDS, make_arm, random_arm,
    random_readings)
import numpy as np
import pytest

TURN = 2.0 * pi


def holds(ranges, elevation, slack=0.0):
    """Tell whether an elevation [rad] of any turn is in one of the intervals."""
    return any(low - slack <= elevation + turn <= high + slack
               for low, high in ranges for turn in (-TURN, 0.0, TURN))


def targets_at(arm, position, elevation):
    """Return a target for each plane the elevation may be served in: facing, over the back."""
    x, y = position[0] - arm.model.base_x, position[1] - arm.model.base_y
    turned = 0.0
    if 'wrist_tilt' not in arm.model.roles:
        turned = np.arcsin(min(1.0, max(-1.0, arm.model.lateral / hypot(x, y))))
    return [Target(position, (cos(elevation) * cos(yaw), cos(elevation) * sin(yaw),
                              sin(elevation)))
            for yaw in (atan2(y, x) - turned, atan2(y, x) + turned)]


def is_reached(arm, position, elevation):
    """Tell whether any branch has the tip there and the last link at the elevation."""
    targets = targets_at(arm, position, elevation)
    if arm.model.floor_height is not None:
        return any(arm.solve(target).reached for target in targets)
    return any(solution.reached for target in targets for solution in arm.solutions(target))


def assert_all_and_no_others(arm, position, random, samples=6, beside=1e-6):
    """Fail unless what is in the range is reached, and what is not is not."""
    ranges = arm.up_range(position)
    assert list(ranges) == sorted(ranges)
    for low, high in ranges:
        assert -pi < low <= pi or (low, high) == (-pi, pi)
        assert low <= high <= low + TURN
        for elevation in (low, high, *[random.uniform(low, high) for _ in range(samples)]):
            assert is_reached(arm, position, elevation), (position, elevation, ranges)
        if high - low < TURN - 1e-5:
            for elevation in (low - beside, high + beside):
                assert holds(ranges, elevation, 1e-7) or \
                    not is_reached(arm, position, elevation), (position, elevation, ranges)
    for _ in range(samples):
        elevation = random.uniform(-pi, pi)
        assert holds(ranges, elevation) == is_reached(arm, position, elevation), (
            position, elevation, ranges)
    return ranges


@all_kinds
def test_what_is_in_the_range_is_reached_and_nothing_else(kind):
    random, found = Random(kind), 0
    for seed in range(4 if kind.startswith('tilt') else 5):
        arm = random_arm(kind, seed)
        found += len(assert_all_and_no_others(
            arm, arm.forward(random_readings(arm, random)).position, random))
        assert_all_and_no_others(
            arm, [random.uniform(-0.4, 0.4) for _ in range(3)], random, samples=2)
    assert found > 1


@pytest.mark.parametrize('name', ['so101', 'px100', 'braccio', 'turtlebot_arm', 'rolling_base'])
def test_what_is_in_the_range_of_a_preset_is_reached_and_nothing_else(name):
    arm, random = ExactArm.preset(name), Random(name)
    several = 0
    for _ in range(12):
        several += len(assert_all_and_no_others(
            arm, arm.forward(random_readings(arm, random)).position, random)) > 0
    # Poses of the arm itself are reached; those below its floor are not.
    assert several >= 3


def sampled(arm, position):
    """Return elevations [rad], and which of them a yaw arm reaches."""
    (_, elevation, facing, _), (_, _, back, _) = sampled_in_planes(arm, position)
    # Over the back the in-plane elevation is pi less, which is a sample as well.
    count = len(elevation) - 1
    return elevation, facing | back[(count // 2 - np.arange(count + 1)) % count]


@each_kind
def test_it_is_what_the_law_of_cosines_says_sample_by_sample(kind):
    random, mixed = Random(7), 0
    for seed in range(40):
        arm = random_arm(kind, seed)
        position = arm.forward(random_readings(arm, random)).position
        ranges = arm.up_range(position)
        assert ranges
        elevation, reached = sampled(arm, position)
        for value, wanted in zip(elevation, reached):
            near_an_end = any(abs(remainder(value - end, TURN)) < 1e-6
                              for pair in ranges for end in pair)
            assert near_an_end or holds(ranges, value) == wanted, (seed, value, ranges)
        mixed += 0 < reached.sum() < len(reached)
    assert mixed > 20


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll', 'roll', 'tilt'])
def test_joints_that_are_bolted_leave_single_elevations(kind):
    random, single = Random(3), 0
    for seed in range(12):
        joints = ('shoulder', 'elbow', 'wrist')
        bolted = random.choice(joints)
        at = random.uniform(-1.2, 1.2)
        limits = dict.fromkeys(joints, (-2.5, 2.5))
        limits[bolted] = (at, at)
        arm = make_arm(kind, links=(0.15, 0.12, 0.08), **limits)
        q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        for role in ('roll', 'wrist_tilt'):
            if role in KINDS[kind]:
                q[KINDS[kind].index(role)] = 0.0
        pose = arm.forward(q)
        # Two elevations near each other are both within tolerance a little beside them.
        ranges = assert_all_and_no_others(arm, pose.position, random, 2, beside=1e-4)
        single += any(low == high for low, high in ranges)
        yaw = q[0]
        ahead = pose.position[0] * cos(yaw) + pose.position[1] * sin(yaw)
        along = (pose.up[0] * cos(yaw) + pose.up[1] * sin(yaw)) * (1.0 if ahead > 0.0 else -1.0)
        assert holds(ranges, atan2(pose.up[2], along), 1e-8), (q, ranges)
    assert single > 3


def test_an_interval_worked_by_hand():
    # The wrist has to be within 0.24 m: |0.3 - 0.08 e^ia| <= 0.24.
    end = acos((0.3 ** 2 + 0.08 ** 2 - 0.24 ** 2) / (2 * 0.3 * 0.08))
    (low, high), = make_arm().up_range((0.3, 0.0, 0.0))
    assert (low, high) == pytest.approx((-end, end), abs=1e-12)
    (low, high), = make_arm(base_x=0.1, base_height=0.2).up_range((0.1, -0.3, 0.2))
    assert (low, high) == pytest.approx((-end, end), abs=1e-12)


def test_the_stretched_arm_has_one_elevation():
    (low, high), = make_arm(yaw=(-1.0, 1.0)).up_range((0.32, 0.0, 0.0))
    assert low == pytest.approx(0.0, abs=1e-6) and high == pytest.approx(0.0, abs=1e-6)


def test_close_to_the_shoulder_every_elevation_is_reached():
    assert make_arm().up_range((0.15, 0.0, 0.0)) == ((-pi, pi),)


@each_kind
def test_out_of_reach_there_is_none(kind):
    arm = make_arm(kind)
    assert arm.up_range((0.5, 0.0, 0.0)) == ()
    assert make_arm(kind, yaw=(-0.1, 0.1), everywhere=(-0.3, 0.3)).up_range((0.0, 0.3, 0.0)) == ()


def test_an_interval_through_pi_ends_beyond_it():
    # Over the back alone, stretched but for the wrist: the hand points away from the axis.
    arm = make_arm(yaw=(-0.1, 0.1), shoulder=(2.0, 2.2), elbow=(1.0, 1.2), wrist=(-3.0, 3.0))
    position = arm.forward((0.0, 2.1, 1.1, 2.9)).position
    ranges = assert_all_and_no_others(arm, position, Random(1))
    assert any(low <= pi < high for low, high in ranges), ranges


def test_a_direction_has_one_elevation_whichever_plane_serves_it():
    """The target behind an arm that can't turn round: served over the back."""
    ahead = make_arm(yaw=(-0.5, 0.5), elbow=(0.0, 2.5), shoulder=(-3.2, 3.2))
    position = (-0.25, 0.0, 0.1)
    for low, high in ahead.up_range(position):
        middle = 0.5 * (low + high)
        target = Target(position, (-cos(middle), 0.0, sin(middle)))
        solution = ahead.solve(target)
        assert solution.reached and abs(solution.q[0]) < 1e-9


def test_on_the_yaw_axis_homes_forward_counts():
    arm = make_arm(home=(0.7, 0.0, 0.0, 0.0), yaw=(0.0, 1.0), shoulder=(0.0, pi),
                   elbow=(-2.0, 0.0))
    ranges = arm.up_range((0.0, 0.0, 0.28))
    assert ranges
    for low, high in ranges:
        for elevation in (low, 0.5 * (low + high), high):
            up = cos(elevation) * cos(0.7), cos(elevation) * sin(0.7), sin(elevation)
            assert arm.solve(Target((0.0, 0.0, 0.28), up)).reached
    assert make_arm(lateral=0.01).up_range((0.0, 0.0, 0.28)) == ()


@pytest.mark.parametrize('kind, limits, q', [
    # The base never stands upright: only vectors along the line from S0 lie in such a plane.
    ('roll', {'roll': (0.3, 1.0)}, (0.4, 0.6, 0.5, 0.0, 0.0)),
    # The base hardly yaws: only a wrist on the yaw axis lets the hand point to the side.
    ('tilt', {'yaw': (-0.2, 0.2), 'wrist_tilt': (0.5, 1.0)},
     (0.1, pi / 2 + 0.5, -1.0, 0.3, 0.8)),
])
def test_a_vector_in_a_whole_family_of_planes_is_a_single_elevation(kind, limits, q):
    arm = make_arm(kind, **limits)
    pose = arm.forward(q)
    x, y, z = pose.position
    elevation = atan2(pose.up[2], (pose.up[0] * x + pose.up[1] * y) / hypot(x, y))
    ranges = arm.up_range(pose.position)
    assert any(low == high == pytest.approx(elevation, abs=1e-9) for low, high in ranges), ranges
    assert_all_and_no_others(arm, pose.position, Random(1), samples=2)


@each_kind
def test_the_floor_is_kept(kind):
    random, fewer = Random(2), 0
    for seed in range(6):
        numbers = {'base_height': 0.1, 'shoulder_offset': 0.02}
        free = make_arm(kind, (0.15, 0.12, 0.1), **numbers)
        arm = make_arm(kind, (0.15, 0.12, 0.1), floor_height=0.02,
                       home=[0.0, pi / 2] + [0.0] * (len(KINDS[kind]) - 2)
                       if 'roll' not in KINDS[kind] else None, **numbers)
        position = (random.uniform(0.1, 0.25), random.uniform(-0.1, 0.1),
                    random.uniform(0.0, 0.1))
        ranges = assert_all_and_no_others(arm, position, random, samples=2)
        judge = Judge(arm, thorough=False)
        for low, high in ranges:
            for target in targets_at(arm, position, random.uniform(low, high)):
                q = arm.solve(target).q
                assert inside(arm, q) and judge.errors(q, target)[0] <= EXACT
                for joint in ('elbow', 'wrist'):
                    assert judge.point(q, joint)[2] >= 0.02 - 1e-8
        fewer += ranges != free.up_range(position)
    assert fewer > 3


def test_a_preferred_elevation_inside_is_taken_and_one_outside_gets_the_nearest():
    arm, random = ExactArm.preset('open_manipulator_x'), Random(4)
    for _ in range(20):
        position = arm.forward(random_readings(arm, random)).position
        ranges = arm.up_range(position)
        if not ranges:
            continue
        for _ in range(5):
            wanted = random.uniform(-pi, pi)
            pose = arm.forward(arm.solve(Target(position), elevation=wanted).q)
            x, y = position[:2] - (arm.model.base_x, arm.model.base_y)
            got = atan2(pose.up[2], (pose.up[0] * x + pose.up[1] * y) / hypot(x, y))
            missed = 0.0 if holds(ranges, wanted) else min(
                abs(remainder(end - wanted, TURN)) for pair in ranges for end in pair)
            assert abs(remainder(got - wanted, TURN)) == pytest.approx(missed, abs=1e-7)


@pytest.mark.parametrize('pieces, wanted', [
    ([], ()),
    ([(0.0, 1.0), (0.5, 2.0)], ((0.0, 2.0),)),
    ([(1.0, 1.0), (-2.0, -1.0)], ((-2.0, -1.0), (1.0, 1.0))),
    ([(3.0, 4.0)], ((3.0, 4.0),)),
    ([(3.0, pi), (-pi, -3.0)], ((3.0, TURN - 3.0),)),
    ([(-3.5, -3.0), (3.0, 3.1)], ((TURN - 3.5, TURN - 3.0),)),
    ([(-3.1, -3.0), (3.0, 3.1)], ((-3.1, -3.0), (3.0, 3.1))),
    ([(7.0, 7.5)], ((7.0 - TURN, 7.5 - TURN),)),
    ([(-1.0, 4.0), (3.5, 6.0)], ((-pi, pi),)),
    ([(0.0, TURN)], ((-pi, pi),)),
    ([(-pi, -3.0)], ((pi, TURN - 3.0),)),
    ([(-pi, -pi)], ((pi, pi),)),
])
def test_intervals_are_joined_around_the_circle(pieces, wanted):
    found = joined(pieces)
    assert len(found) == len(wanted)
    for pair, expected in zip(found, sorted(wanted)):
        assert pair == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize('wrong', [(0.1, 0.2), (nan, 0.0, 0.0), (0.0, inf, 0.0), 'here', None])
def test_a_position_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInputError, match='position'):
        make_arm().up_range(wrong)


@pytest.mark.parametrize('far', [1e7, 1e155, 1e300])
@pytest.mark.parametrize('name', preset_names())
def test_nothing_reaches_a_position_however_far_away(name, far):
    assert ExactArm.preset(name).up_range((far, 0.0, 0.0)) == ()
