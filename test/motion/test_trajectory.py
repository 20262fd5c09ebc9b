# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories between their points, and those that are refused."""

from math import inf, nan

from arm_ik.errors import InvalidInputError
from arm_ik.kinematics.model import ExtraJoint, Joint
from arm_ik.motion.trajectory import MOST_POINTS, Trajectory
import pytest

JOINTS = {'yaw': Joint('yaw', 'yaw', -3.0, 3.0, 2.0),
          'wrist': Joint('wrist', 'wrist', -1.5, 1.5, 3.0),
          'slide': ExtraJoint('slide', 0.0, 0.04, 0.05, type='prismatic')}
STANDING = {'yaw': (0.1, 0.0), 'wrist': (0.3, 0.0), 'slide': (0.0, 0.0)}
STRAIGHT = (['yaw', 'wrist'], [1.0, 2.0, 4.0], [[0.5, 0.2], [0.7, 0.4], [0.3, 0.0]], [[]] * 3)
CURVED = (['wrist', 'yaw'], [0.0, 1.0, 2.0], [[0.3, 0.1], [0.5, 0.4], [0.2, 0.6]],
          [[0.0, 0.0], [-0.1, 0.3], [0.0, 0.0]])


def begun(given=STRAIGHT, elapsed=0.0, standing=STANDING):
    made = Trajectory(JOINTS, *given)
    made.begin(elapsed, standing, JOINTS)
    return made


def test_positions_alone_are_joined_by_straight_lines_from_where_the_arm_is():
    made = begun()
    assert made.at(0.0) == {'yaw': (0.1, 0.0), 'wrist': (0.3, 0.0)}
    assert made.at(0.5)['yaw'][0] == pytest.approx(0.3)
    assert made.at(1.5)['wrist'][0] == pytest.approx(0.3)
    assert made.at(3.0)['yaw'][0] == pytest.approx(0.5)
    for time in (4.0, 99.0):
        assert made.at(time) == {'yaw': (0.3, 0.0), 'wrist': (0.0, 0.0)}
    assert [made.index(time) for time in (0.0, 0.9, 1.0, 3.9, 4.0, 9.0)] == [0, 0, 1, 2, 2, 2]


def test_straight_lines_never_pass_a_point():
    made = begun()
    yaws = [made.at(0.001 * number)['yaw'][0] for number in range(5000)]
    assert min(yaws) == 0.1 and max(yaws) <= 0.7


def test_velocities_make_the_curve_cubic():
    made = begun(CURVED)
    for time, row, speeds in zip(*CURVED[1:]):
        for name, position, speed in zip(CURVED[0], row, speeds):
            assert made.at(time)[name] == pytest.approx((position, speed))
    assert made.index(0.0) == 1
    # By hand, for yaw from 0.1 at rest to 0.4 at 0.3: 0.1 + 0.6 s^2 - 0.3 s^3.
    assert made.at(0.5)['yaw'] == pytest.approx((0.1 + 0.15 - 0.0375, 0.6 - 0.225))


def test_a_curve_that_ends_all_but_at_rest_ends_at_rest():
    made = begun((*CURVED[:3], [*CURVED[3][:2], [1e-7, -1e-7]]))
    assert made.at(2.0) == {'wrist': (0.2, 0.0), 'yaw': (0.6, 0.0)}


def test_a_curve_begins_at_the_speed_the_arm_has():
    made = begun((CURVED[0], [1.0, 2.0, 3.0], *CURVED[2:]),
                 standing={**STANDING, 'yaw': (0.0, 0.4)})
    assert made.at(0.0)['yaw'] == (0.0, 0.4)
    assert made.at(1.0)['yaw'] == pytest.approx((0.1, 0.0))


def test_one_that_is_to_come_brings_the_arm_to_its_first_point_in_time():
    made = begun(elapsed=-3.0)
    assert made.at(-3.0)['yaw'][0] == 0.1
    assert made.at(-1.0)['yaw'][0] == pytest.approx(0.3)
    assert made.at(1.0)['yaw'][0] == 0.5


def test_one_that_has_begun_is_joined_in_the_middle():
    made = begun(elapsed=1.5, standing={**STANDING, 'yaw': (0.58, 1.0)})
    assert made.at(1.5)['yaw'][0] == pytest.approx(0.6)
    assert made.index(1.5) == 1


def test_a_position_a_little_past_its_limit_means_the_limit():
    made = begun((['yaw'], [2.0], [[3.05]], [[]]))
    assert made.goals == {'yaw': 3.0}


def test_a_single_point_is_a_trajectory():
    made = begun((['slide'], [2.0], [[0.04]], [[]]))
    assert made.at(1.0) == {'slide': (pytest.approx(0.02), 0.0)}


@pytest.mark.parametrize('given, words', [
    ((['knee'], [1.0], [[0.0]], [[]]), 'knee'),
    ((['yaw', 'yaw'], [1.0], [[0.0, 0.0]], [[]]), 'twice'),
    (([], [1.0], [[]], [[]]), 'without joints'),
    ((['yaw'], [1.0], [[]], [[]]), '0 positions'),
    ((['yaw'], [1.0], [[0.0, 1.0]], [[]]), '2 positions'),
    ((['yaw'], [1.0], [[0.0]], [[0.0, 0.0]]), '2 velocities'),
    ((['yaw'], [1.0, 2.0], [[0.0]] * 2, [[0.0], []]), 'point 1 .*0 velocities'),
    ((['yaw'], [1.0, 2.0], [[0.0]] * 2, [[], [0.0]]), 'point 1 .*1 velocities'),
    ((['yaw'], [1.0], [[nan]], [[]]), 'finite'),
    ((['yaw'], [1.0, 2.0], [[0.0]] * 2, [[-inf], [0.0]]), 'finite'),
    ((['yaw'], [1.0], [[0.0]], [[0.5]]), 'ends at rest'),
    ((['yaw'], [2.0, 1.0], [[0.0]] * 2, [[]] * 2), 'point 1 .*1 s'),
    ((['yaw'], [1.0, 1.0], [[0.0]] * 2, [[]] * 2), 'point 1 .*1 s'),
    ((['yaw'], [-1.0, 1.0], [[0.0]] * 2, [[]] * 2), 'point 0 .*-1 s'),
    ((['yaw'], [0.0], [[0.1]], [[]]), 'takes 0 s'),
    ((['yaw'], [1.0], [[3.2]], [[]]), 'yaw at point 0'),
    ((['slide'], [1.0], [[0.05]], [[]]), 'slide at point 0'),
    ((['yaw'], [0.0, 1.0], [[0.3], [0.4]], [[]] * 2), 'begins 0.2 from where yaw is'),
    ((['yaw'], [0.1], [[0.5]], [[]]), 'begins 0.4 from where yaw is'),
    ((['yaw'], list(range(1, MOST_POINTS + 2)), [[0.0]] * (MOST_POINTS + 1),
      [[]] * (MOST_POINTS + 1)), 'points')])
def test_what_nobody_could_follow_is_refused_with_a_reason(given, words):
    with pytest.raises(InvalidInputError, match=words):
        begun(given)


@pytest.mark.parametrize('elapsed, words', [(4.5, 'ended 0.5 s ago'), (1.5, 'begins 0.5 from')])
def test_one_that_is_over_or_elsewhere_by_now_is_refused(elapsed, words):
    with pytest.raises(InvalidInputError, match=words):
        begun(elapsed=elapsed)


def test_the_longest_one_is_taken():
    count = MOST_POINTS
    made = begun((['yaw'], [1.0 + index for index in range(count)], [[0.2]] * count, [[]] * count))
    assert made.duration == count
