# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories to rest: as the generator goes step by step, inside all limits, cut and joined."""

from itertools import pairwise
from math import ceil
from random import Random

from arm_ik import Arm
from arm_ik.motion.cubic_spline import blend, CubicSpline, to_goal, to_rest
from arm_ik.motion.generator import Generator
import pytest

MODEL = Arm.preset('so101').model
NAMES = MODEL.joint_names
RAMP = CubicSpline([0.0, 1.0, 2.0], [(0.0,), (0.5,), (1.0,)], [(0.5,), (0.5,), (0.5,)])


def standing(random, margin=0.4):
    """Return positions far enough from limits to brake, and velocities; some stand."""
    return (tuple(random.uniform(joint.lower + margin, joint.upper - margin)
                  for joint in MODEL.joints),
            tuple(random.choice((0.0, random.uniform(-1.0, 1.0) * joint.max_velocity))
                  for joint in MODEL.joints))


def goal(random):
    return tuple(random.uniform(joint.lower, joint.upper) for joint in MODEL.joints)


def begun(start):
    generator = Generator(MODEL)
    generator.begin(*(dict(zip(NAMES, values)) for values in start))
    return generator


def require_inside_limits(spline):
    """Check each piece of constant acceleration, and that its numbers agree."""
    for (t, p, v), (u, q, w) in pairwise(zip(spline.times, spline.positions, spline.velocities)):
        dt = u - t
        for joint, a, b, speed, after in zip(MODEL.joints, p, q, v, w):
            assert abs(after) <= joint.max_velocity * (1.0 + 1e-9)
            assert abs(after - speed) <= joint.acceleration * dt + 1e-3  # 0.1 ms may be left out
            assert b - a == pytest.approx(0.5 * (speed + after) * dt, abs=1e-5)


@pytest.mark.parametrize('seed', range(20))
def test_a_spline_to_a_goal_is_as_the_generator_goes(seed):
    random = Random(seed)
    start, end, part = standing(random), goal(random), random.choice((0.3, 1.0))
    spline, generator = to_goal(MODEL, start, end, part), begun(start)
    generator.move(dict(zip(NAMES, end)), part)
    time = 0.0
    while generator.is_moving():
        positions, time = generator.step(0.001, {}), time + 0.001
        assert spline.at(time)[0] == pytest.approx([positions[name] for name in NAMES], abs=1e-4)
    assert time == pytest.approx(spline.duration, abs=0.003)
    assert spline.end == spline.at(99.0)[0] == end and spline.at(99.0)[1] == (0.0,) * len(NAMES)
    assert spline.at(0.0) == (pytest.approx(start[0]), pytest.approx(start[1]))
    if part == 1.0:  # at the present speed it may be beyond a smaller part
        require_inside_limits(spline)


@pytest.mark.parametrize('seed', range(20))
def test_a_spline_to_rest_brakes_the_chain_together(seed):
    start = standing(Random(seed))
    spline = to_rest(MODEL, start)
    assert spline.duration == pytest.approx(max(
        abs(speed) / joint.acceleration for speed, joint in zip(start[1], MODEL.joints)))
    require_inside_limits(spline)
    for position, speed, rest in zip(*start, spline.end):
        assert rest - position == pytest.approx(0.5 * speed * spline.duration)


def test_points_of_a_spline_are_distinct_for_whoever_counts_nanoseconds():
    for seed in range(200):
        random = Random(seed)
        spline = to_goal(MODEL, standing(random), goal(random))
        assert all(b - a > 9e-5 for a, b in pairwise(spline.times)), spline.times


@pytest.mark.parametrize('speed', [1e-12, 1e-9, 1e-6, 1e-3])
def test_an_arm_that_hardly_moves_comes_to_rest_all_the_same(speed):
    spline = to_rest(MODEL, (MODEL.home, (speed,) * len(NAMES)))
    assert spline.times[1] >= 1e-4 and not any(spline.velocities[-1])


def test_an_arm_at_rest_has_nowhere_to_go():
    here = (MODEL.home, (0.0,) * len(NAMES))
    for spline in (to_rest(MODEL, here), to_goal(MODEL, here, MODEL.home)):
        assert spline.times.tolist() == [0.0] and spline.duration == 0.0 and spline.at(0.0) == here


def test_a_part_of_a_spline_is_gone_as_before():
    spline = to_goal(MODEL, standing(Random(1)), goal(Random(2)))
    for begin, end in ((0.1, 0.3), (spline.times[1], spline.times[3]), (0.2, 0.2001)):
        part = spline.part(begin, end)
        assert part.duration == pytest.approx(end - begin)
        for step in range(11):
            time = 0.1 * step * (end - begin)
            for found, expected, allowed in zip(
                    part.at(time), spline.at(begin + time), (1e-5, 2e-2)):
                assert found == pytest.approx(expected, abs=allowed)


def test_points_of_a_part_are_close_together():
    times = RAMP.part(0.5, 0.55).times
    assert times[0] == 0.0 and times[-1] == pytest.approx(0.05)
    assert all(5e-4 < b - a <= 1e-3 + 1e-12 for a, b in pairwise(times))
    assert len(RAMP.part(3.0, 3.05).times) > 50


def test_one_spline_is_gone_after_another():
    both = RAMP.then(CubicSpline([0.0, 1.0], [(1.0,), (1.2,)], [(0.5,), (0.0,)]))
    assert both.times.tolist() == [0.0, 1.0, 2.0, 3.0] and both.end == (1.2,)
    assert both.at(2.0) == ((1.0,), (0.5,))


@pytest.mark.parametrize('goal, part', [(0.5, 0.0), (-0.5, 1.0)], ids=['onwards', 'back'])
def test_a_line_begins_at_once_or_where_a_joint_turns_back_after_the_braking(goal, part):
    here = list(MODEL.home)
    brakes = to_rest(MODEL, (here, [1.0, *[0.0] * 5][:len(here)]))
    line = to_goal(MODEL, (brakes.end, [0.0] * len(here)), [here[0] + goal, *here[1:]])
    both, delay = blend(MODEL, brakes, line, 0.0, 0.02)
    assert delay == pytest.approx(part * 0.02 * ceil(brakes.duration / 0.02))
    assert both.duration == pytest.approx(delay + line.duration)
    assert both.at(0.0) == brakes.at(0.0) and both.end == pytest.approx(line.end)
    for step in range(1, 100):
        time = both.duration * step / 100
        for sum_, a, b, rest in zip(both.at(time), brakes.at(time),
                                    line.at(max(0.0, time - delay)), brakes.at(99.0)):
            assert sum_ == pytest.approx([x + y - z for x, y, z in zip(a, b, rest)])
    require_inside_limits(both)


@pytest.mark.parametrize('position, velocity, after', [
    (1.1, 0.0, 0.0), (-1.1, 0.0, 0.0), (0.0, 1.1, 1.1), (0.0, -1.1, -1.1), (0.0, 0.0, 0.1)])
def test_a_sum_beyond_a_limit_is_told(position, velocity, after):
    joint, others = MODEL.joints[0], [0.0] * (len(NAMES) - 1)
    v, w = velocity * joint.max_velocity, after * joint.max_velocity
    time = 0.1 if v == w else 0.09 * joint.max_velocity / joint.acceleration
    begin = position * joint.upper
    spline = CubicSpline([0.0, time], [[begin, *others], [begin + 0.5 * time * (v + w), *others]],
                         [[v, *others], [w, *others]])
    assert not spline.keeps_limits(MODEL, 1.0) and spline.keeps_limits(MODEL, 0.0)


def test_a_line_begins_no_earlier_than_it_may():
    brakes = to_rest(MODEL, (MODEL.home, [1.0] * len(NAMES)))
    line = CubicSpline([0.0, 1.0], [brakes.end] * 2, [[0.0] * len(NAMES)] * 2)
    assert blend(MODEL, brakes, line, 0.05, 0.02)[1] == pytest.approx(0.06)


@pytest.mark.parametrize('speed', [1e-9, 1e-4])
def test_an_arm_that_hardly_moves_goes_over_into_a_line_from_where_it_is(speed):
    here = MODEL.home, (speed,) * len(NAMES)
    brakes = to_rest(MODEL, here)
    there = tuple([q + 0.1 for q in brakes.end])
    line = to_goal(MODEL, (brakes.end, (0.0,) * len(NAMES)), there)
    for earliest in (0.0, 0.02):
        spline, _ = blend(MODEL, brakes, line, earliest, 0.02)
        assert spline.at(0.0) == here and spline.end == there


@pytest.mark.parametrize('delay', [0.02 * number for number in range(1, 8)])
def test_what_is_added_later_ends_at_rest_in_spite_of_rounding(delay):
    here = MODEL.home, (0.0,) * len(NAMES)
    line = to_goal(MODEL, here, [q + 0.1 for q in MODEL.home])
    spline = to_rest(MODEL, here).plus(line, delay)
    assert spline.end == line.end and not spline.velocities[-1].any()
