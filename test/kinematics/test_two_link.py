# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The planar two-link by angles and by vectors."""

from itertools import product
from math import atan2, cos, hypot, inf, isfinite, nan, pi, sin, sqrt
from random import Random

from arm_ik import InvalidInputError
from arm_ik.kinematics.two_link import solve_angles, solve_elbow
from hypothesis import assume, example, given, settings
from hypothesis.strategies import floats, sampled_from
import pytest

BOTH = (1, -1)
LINKS = ((0.12, 0.12), (0.2, 0.1), (0.1, 0.2), (1.0, 1e-3), (1e-3, 1.0))

both_bends = pytest.mark.parametrize('bend', BOTH)
both_sides = pytest.mark.parametrize('side', BOTH)
directions = floats(-pi, pi)
#: The same examples every time.
searched = settings(max_examples=300, deadline=None, derandomize=True)


def wrist_of(upper_arm, forearm, shoulder, elbow):
    """Return where the wrist is, and where the elbow is."""
    elbow_at = upper_arm * cos(shoulder), upper_arm * sin(shoulder)
    direction = shoulder + elbow
    wrist_at = elbow_at[0] + forearm * cos(direction), elbow_at[1] + forearm * sin(direction)
    return wrist_at, elbow_at


def distance(a, b):
    return hypot(a[0] - b[0], a[1] - b[1])


# By angles: worked by hand.

@pytest.mark.parametrize('x, y, bend, shoulder, elbow', [
    (1.0, 1.0, 1, 0.0, pi / 2),                 # first quadrant: out along x, then up
    (1.0, 1.0, -1, pi / 2, -pi / 2),            # up, then out
    (-1.0, 1.0, 1, pi / 2, pi / 2),             # second quadrant
    (-1.0, 1.0, -1, pi, -pi / 2),
    (-1.0, -1.0, 1, -pi, pi / 2),               # third
    (-1.0, -1.0, -1, -pi / 2, -pi / 2),
    (1.0, -1.0, 1, -pi / 2, pi / 2),            # fourth
    (1.0, -1.0, -1, 0.0, -pi / 2),
    (1.0, 0.0, 1, -pi / 3, 2 * pi / 3),         # an equilateral triangle on the axis
    (0.0, sqrt(3), -1, pi / 2 + pi / 6, -pi / 3),
])
def test_unit_links_worked_by_hand(x, y, bend, shoulder, elbow):
    found = solve_angles(1.0, 1.0, x, y, bend)
    assert found[2] is True
    assert cos(found[0] - shoulder) == pytest.approx(1.0, abs=1e-15)
    assert found[1] == pytest.approx(elbow, abs=1e-15)


@both_bends
@pytest.mark.parametrize('upper_arm, forearm', LINKS)
def test_every_direction_is_met_with_the_bend_asked_for(upper_arm, forearm, bend):
    inner, outer = abs(upper_arm - forearm), upper_arm + forearm
    for i, part in product(range(-180, 181), (0.01, 0.3, 0.5, 0.99)):
        reach, direction = inner + part * (outer - inner), i * pi / 180
        x, y = reach * cos(direction), reach * sin(direction)
        shoulder, elbow, reachable = solve_angles(upper_arm, forearm, x, y, bend)
        assert reachable is True
        assert 0.0 < bend * elbow < pi
        assert distance(wrist_of(upper_arm, forearm, shoulder, elbow)[0], (x, y)) < 1e-13 * outer


# By angles: beyond reach.

@pytest.mark.parametrize('upper_arm, forearm, x, y', [
    (0.2, 0.1, 0.31, 0.1), (0.2, 0.1, -3.0, -4.0), (0.1, 0.2, 0.0, 0.5),       # too far
    (0.2, 0.1, 0.05, 0.02), (0.1, 0.2, -0.03, 0.01), (0.1, 0.2, 0.0, -0.09),   # too close
    (0.2, 0.1, 0.0, 0.0), (0.1, 0.2, 0.0, 0.0),
])
def test_out_of_reach_no_other_angles_are_nearer(upper_arm, forearm, x, y):
    for bend in BOTH:
        shoulder, elbow, reachable = solve_angles(upper_arm, forearm, x, y, bend)
        assert reachable is False
        miss = distance(wrist_of(upper_arm, forearm, shoulder, elbow)[0], (x, y))
        h = hypot(x, y)
        assert miss == pytest.approx(
            max(h - upper_arm - forearm, abs(upper_arm - forearm) - h), abs=1e-15)


@both_bends
def test_too_far_is_answered_by_straight_links_towards_the_target(bend):
    assert solve_angles(0.2, 0.1, -1.0, 1.0, bend) == (3 * pi / 4, 0.0, False)


@pytest.mark.parametrize('upper_arm, forearm, shoulder', [
    (0.2, 0.1, atan2(0.01, 0.02)), (0.1, 0.2, atan2(-0.01, -0.02))])
@both_bends
def test_too_close_is_answered_by_folded_links(upper_arm, forearm, shoulder, bend):
    assert solve_angles(upper_arm, forearm, 0.02, 0.01, bend) == (shoulder, bend * pi, False)


@both_bends
@pytest.mark.parametrize('upper_arm, forearm', [(0.2, 0.1), (0.1, 0.2), (0.12, 0.12)])
def test_the_edges_of_reach_count_as_reachable_and_the_answer_does_not_jump_there(
        upper_arm, forearm, bend):
    for edge in (upper_arm + forearm, abs(upper_arm - forearm)):
        for direction in (0.0, 0.3, pi / 2, 2.5, -1.2):
            x, y = edge * cos(direction), edge * sin(direction)
            on, before, beyond = (
                solve_angles(upper_arm, forearm, x * part, y * part, bend)
                for part in (1.0, 1.0 - 1e-9, 1.0 + 1e-9))
            assert on[2]
            if edge:
                assert before[2] is not beyond[2]
                for other in (before, beyond):
                    for a, b in zip(on[:2], other[:2]):
                        assert abs((a - b + pi) % (2 * pi) - pi) < 3e-4


# By angles: links of length zero, and the origin.

@both_bends
@pytest.mark.parametrize('upper_arm, forearm', [(0.3, 0.0), (0.0, 0.3)])
def test_one_link_of_length_zero_leaves_one_that_points_at_the_target(upper_arm, forearm, bend):
    for x, y, reachable in (
            (0.0, 0.3, True), (-0.3, 0.0, True), (0.1, 0.1, False), (1.0, -1.0, False)):
        assert solve_angles(upper_arm, forearm, x, y, bend) == (atan2(y, x), 0.0, reachable)
    assert solve_angles(upper_arm, forearm, 0.0, 0.0, bend)[2] is False


@both_bends
def test_two_links_of_length_zero_reach_only_the_origin(bend):
    assert solve_angles(0.0, 0.0, 0.0, 0.0, bend) == (0.0, 0.0, True)
    assert solve_angles(0.0, 0.0, 0.1, -0.2, bend) == (0.0, 0.0, False)


@both_bends
def test_equal_links_fold_onto_the_origin(bend):
    shoulder, elbow, reachable = solve_angles(0.12, 0.12, 0.0, 0.0, bend)
    assert reachable is True and elbow == bend * pi
    assert distance(wrist_of(0.12, 0.12, shoulder, elbow)[0], (0.0, 0.0)) < 1e-16
    beside = solve_angles(0.12, 0.12, 1e-9, 0.0, bend)
    assert beside[0] == pytest.approx(shoulder, abs=1e-8)


@both_bends
@pytest.mark.parametrize('upper_arm, forearm', [(0.2, 0.1), (0.1, 0.2)])
def test_unequal_links_cannot_reach_the_origin_and_fold(upper_arm, forearm, bend):
    shoulder, elbow, reachable = solve_angles(upper_arm, forearm, 0.0, 0.0, bend)
    assert reachable is False and elbow == bend * pi
    assert isfinite(shoulder)


# By vectors.

@both_sides
@pytest.mark.parametrize('x, y', [(1.0, 2.0), (0.01, 0.02), (0.0, 0.0)])
def test_out_of_reach_no_elbow_is_returned_unless_stretching_is_asked_for(x, y, side):
    assert solve_elbow(0.2, 0.1, x, y, side) is None
    assert solve_elbow(0.2, 0.1, x, y, side, stretch=False) is None
    assert solve_elbow(0.2, 0.1, x, y, side, stretch=True) is not None


@both_sides
@pytest.mark.parametrize('x, y', [(1.0, 2.0), (-0.31, 0.0)])
def test_links_stretched_too_far_lie_on_the_line_and_keep_their_difference_of_squares(x, y, side):
    a, b = solve_elbow(0.2, 0.1, x, y, side, stretch=True)
    assert x * b - y * a == pytest.approx(0.0, abs=1e-16)
    squares = a * a + b * b - distance((a, b), (x, y)) ** 2
    assert squares == pytest.approx(0.2 ** 2 - 0.1 ** 2, abs=1e-15)


@both_sides
@pytest.mark.parametrize('upper_arm, forearm, along', [(0.2, 0.1, 0.2), (0.1, 0.2, -0.1)])
@pytest.mark.parametrize('scale', [1.0, 1e-3, 1e-9, 1e-200])
def test_too_close_the_arm_is_folded_and_only_the_forearm_gives(
        upper_arm, forearm, along, scale, side):
    elbow = solve_elbow(upper_arm, forearm, 0.03 * scale, -0.04 * scale, side, stretch=True)
    assert elbow == pytest.approx((0.6 * along, -0.8 * along), abs=1e-15)


@both_sides
@pytest.mark.parametrize('reach, elbow', [(0.3, 0.2), (0.1, 0.2)])
def test_stretching_continues_straight_and_folded_arms_without_a_jump(reach, elbow, side):
    on, other = (solve_elbow(0.2, 0.1, reach * part, 0.0, side, stretch=True)
                 for part in (1 - 1e-12, 1 + 1e-12))
    assert distance(on, other) < 1e-6
    assert distance(other, (elbow, 0.0)) < 1e-6


@both_sides
@pytest.mark.parametrize('stretch', [False, True])
def test_at_the_origin_equal_links_have_an_elbow_on_the_side_asked_for(side, stretch):
    assert solve_elbow(0.12, 0.12, 0.0, 0.0, side, stretch) == (0.0, side * 0.12)
    assert distance(solve_elbow(0.12, 0.12, 1e-9, 0.0, side, stretch), (0.0, side * 0.12)) < 1e-9


@both_sides
@pytest.mark.parametrize('upper_arm, forearm, along', [
    (0.2, 0.1, 0.2), (0.1, 0.2, -0.1), (0.1, 0.0, 0.1), (0.0, 0.1, 0.0)])
def test_at_the_origin_unequal_links_are_folded_along_x_or_refused(
        upper_arm, forearm, along, side):
    assert solve_elbow(upper_arm, forearm, 0.0, 0.0, side) is None
    assert solve_elbow(upper_arm, forearm, 0.0, 0.0, side, stretch=True) == (along, 0.0)


@both_sides
def test_links_of_length_zero_have_their_elbow_at_an_end(side):
    assert solve_elbow(0.3, 0.0, 0.0, 0.3, side) == pytest.approx((0.0, 0.3), abs=1e-16)
    assert solve_elbow(0.0, 0.3, 0.0, 0.3, side) == pytest.approx((0.0, 0.0), abs=1e-16)
    assert solve_elbow(0.0, 0.0, 0.0, 0.0, side) == (0.0, 0.0)
    assert solve_elbow(0.0, 0.0, 0.1, 0.0, side) is None


# Both methods.

def tolerance(upper_arm, forearm, x, y):
    """Return how near the two methods must agree [m], for links of about 1 m."""
    straight = 1.0 - hypot(x, y) / (upper_arm + forearm)
    return 1e-12 if straight > 1e-5 else 1e-7


def assert_methods_agree(upper_arm, forearm, x, y, bend):
    shoulder, _, reachable = solve_angles(upper_arm, forearm, x, y, bend)
    # An elbow angle to the left puts the elbow right of the line.
    by_vectors = solve_elbow(upper_arm, forearm, x, y, -bend)
    assert reachable is (by_vectors is not None)
    if reachable:
        by_angles = upper_arm * cos(shoulder), upper_arm * sin(shoulder)
        assert distance(by_angles, by_vectors) <= tolerance(upper_arm, forearm, x, y)


@given(floats(0.05, 1.0), floats(0.05, 1.0), directions, floats(0.0, 1.1), sampled_from(BOTH))
@example(0.5, 0.5, 0.0, 0.0, 1)
@example(0.5, 0.5, 1.0, 1e-12, 1)
@example(0.5, 0.25, 1.0, 1 / 3, -1)
@searched
def test_both_methods_agree(upper_arm, forearm, direction, part, bend):
    reach = part * (upper_arm + forearm)
    # The folded edge is as ill-conditioned as the straight one, but for unequal links only.
    inner = abs(upper_arm - forearm)
    assume(reach == 0.0 or inner == 0.0 or abs(reach - inner) > 1e-5 * (upper_arm + forearm))
    assert_methods_agree(
        upper_arm, forearm, reach * cos(direction), reach * sin(direction), bend)


def test_both_methods_agree_all_the_way_to_the_straight_arm():
    random = Random(1)
    for i in range(10000):
        upper_arm, forearm = random.uniform(0.05, 1.0), random.uniform(0.05, 1.0)
        part = 1.0 - 10.0 ** random.uniform(-16.0, -1.0) if i % 100 else 1.0
        if part * (upper_arm + forearm) < abs(upper_arm - forearm) * 1.01:
            continue
        direction = random.uniform(-pi, pi)
        reach = part * (upper_arm + forearm)
        assert_methods_agree(upper_arm, forearm, reach * cos(direction), reach * sin(direction),
                             random.choice(BOTH))


# Numbers of every size, and numbers that are none.

@pytest.mark.parametrize('scale', [1e-290, 1e-150, 1e-9, 1e9, 1e150, 1e290])
def test_the_answer_does_not_depend_on_the_unit_of_length(scale):
    for bend in BOTH:
        expected = solve_angles(0.2, 0.1, 0.15, 0.12, bend)
        found = solve_angles(0.2 * scale, 0.1 * scale, 0.15 * scale, 0.12 * scale, bend)
        assert found == pytest.approx(expected, abs=1e-14)
        a, b = solve_elbow(0.2, 0.1, 0.15, 0.12, bend)
        found = solve_elbow(0.2 * scale, 0.1 * scale, 0.15 * scale, 0.12 * scale, bend)
        assert found == pytest.approx((a * scale, b * scale), rel=1e-12)


def answers(upper_arm, forearm, x, y, sign):
    shoulder, elbow, reachable = solve_angles(upper_arm, forearm, x, y, sign)
    assert isinstance(reachable, bool)
    yield from (shoulder, elbow)
    for stretch in (False, True):
        yield from solve_elbow(upper_arm, forearm, x, y, sign, stretch) or ()


any_finite = floats(allow_nan=False, allow_infinity=False)


@given(floats(1e-3, 1e3), floats(1e-3, 1e3), any_finite, any_finite, sampled_from(BOTH))
@example(0.2, 0.1, 1e308, -1e308, 1)
@example(0.2, 0.1, 1e200, 0.0, 1)
@example(0.1, 0.1, 5e-324, 0.0, 1)
@example(0.1, 0.1, 1.6e-156, 0.0, 1)
@example(0.2, 0.1, 1e-156, 0.0, -1)
@searched
def test_a_target_however_far_or_near_gets_a_finite_answer(upper_arm, forearm, x, y, sign):
    assert all(map(isfinite, answers(upper_arm, forearm, x, y, sign)))


@given(*2 * [floats(0.0, 1e300)], any_finite, any_finite, sampled_from(BOTH))
@example(1e-320, 1e-320, 1e-320, 0.0, 1)
@example(1e300, 1e300, 1e308, 1e308, 1)
@example(1e200, 1.0, 0.0, 0.0, -1)
@example(1e154, 1e154, 1e154, 0.0, -1)
@searched
def test_links_of_any_length_get_a_finite_answer(upper_arm, forearm, x, y, sign):
    links = upper_arm, forearm
    shoulder, elbow, reachable = solve_angles(*links, x, y, sign)
    assert isfinite(shoulder) and isfinite(elbow)
    assert reachable is (solve_elbow(*links, x, y, sign) is not None)
    assert all(map(isfinite, answers(*links, x, y, sign)))


@pytest.mark.parametrize('solve', [solve_angles, solve_elbow])
@pytest.mark.parametrize('arguments, what', [
    ((-0.1, 0.1, 0.1, 0.1), 'upper_arm is -0.1'), ((0.1, -0.1, 0.1, 0.1), 'forearm is -0.1'),
    ((nan, 0.1, 0.1, 0.1), 'upper_arm is nan'), ((0.1, inf, 0.1, 0.1), 'forearm is inf'),
    ((0.1, 0.1, nan, 0.1), 'x is nan'), ((0.1, 0.1, 0.1, -inf), 'y is -inf'),
    ((0.1, 0.1, 0.1, 0.1, 0), ' is 0; allowed: 1 or -1'),
    ((0.1, 0.1, 0.1, 0.1, 2), ' is 2'), ((0.1, 0.1, 0.1, 0.1, nan), ' is nan'),
])
def test_numbers_that_make_no_triangle_are_refused_by_name(solve, arguments, what):
    with pytest.raises(InvalidInputError) as caught:
        solve(*arguments)
    assert what in str(caught.value)
    assert isinstance(caught.value, ValueError)
