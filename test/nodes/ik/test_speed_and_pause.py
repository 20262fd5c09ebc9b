# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Speed and pause: the arm stays on its way and inside its limits, in any order of requests."""

from random import Random

from arm_ik import Target
from arm_ik.motion.cubic_spline import to_goal
from arm_ik.motion.jog import Twist
from arm_ik.motion.playback import Playback
from arm_ik.nodes.ik.report import Level, Request, State
from clocked_loop import Loop
from controlled_loop import Loop as Controlled, require_inside_limits
import numpy as np
import pytest
from test_lines_of_core import ARM, Bench, LEFT, MIDDLE, PERIOD, RIGHT, START

#: What commands may exceed limits by where the period is not that of the line.
SLACK = 0.03


@pytest.fixture
def bench():
    """Return an arm on a line from the right to the left."""
    bench = Bench(motion='line')
    bench.target(LEFT)
    return bench


def set_speed(bench, speed):
    bench.core.change(bench.core.settings._replace(speed=speed))


def stands(bench):
    there = bench.commands[-1][0]
    bench.follow(0.5)
    return bench.commands[-1][0] == there


def require_straight(bench):
    require_inside_limits([positions for positions, _ in bench.commands], PERIOD, SLACK)
    assert np.abs(bench.tips()[:, [0, 2]] - (0.2, 0.05)).max() < 1e-5
    assert np.diff(bench.tips()[:, 1]).min() > -1e-9


def require_at(bench, target):
    bench.until_arrived()
    assert bench.tips()[-1] == pytest.approx(target.position, abs=1e-9)


@pytest.mark.parametrize('seconds', [0.0, 0.02, 0.1, 0.33, 1.0, 1.77, 1.9])
def test_a_pause_brakes_along_the_line_and_the_rest_follows(bench, seconds):
    bench.follow(seconds)
    report = bench.core.pause(True)
    assert (report.level, report.cause) == (Level.WARN, 'user pause')
    assert bench.core.pause(True) is None
    bench.follow(0.6)
    assert stands(bench) and bench.tips()[-1][1] < 0.1
    assert bench.core.pause(False).cause == 'line' and bench.core.pause(False) is None
    require_at(bench, LEFT)
    require_straight(bench)


@pytest.mark.parametrize('seed', range(6))
def test_any_speeds_and_pauses_keep_line_and_limits(bench, seed):
    random = Random(seed)
    for _ in range(12):
        bench.follow(random.uniform(0.0, 0.3))
        if random.random() < 0.5:
            set_speed(bench, random.uniform(0.05, 1.0))
        else:
            bench.core.pause(random.random() < 0.5)
    bench.core.pause(False)
    set_speed(bench, 1.0)
    require_at(bench, LEFT)
    require_straight(bench)


@pytest.mark.parametrize('speed', [0.05, 0.5])
def test_a_speed_is_that_part_of_tip_speed(speed):
    bench = Bench(motion='line', speed=speed)
    bench.target(LEFT)
    bench.follow(1.0)
    assert bench.tips()[-1][1] - bench.tips()[-11][1] == pytest.approx(0.2 * 0.1 * speed, rel=0.02)


def test_home_and_jogging_have_their_part_of_speed():
    full, half = Bench(), Bench(speed=0.5)
    for bench in (full, half):
        bench.home()
        bench.until_arrived()
    assert len(half.commands) == pytest.approx(2 * len(full.commands), rel=0.2)
    for bench, speed in ((full, 0.05), (half, 0.025)):
        for _ in range(50):
            bench.core.take_twist(Twist((0.0, 0.0, -0.05)), bench.request())
            bench.follow(PERIOD)
        assert bench.tips()[-11][2] - bench.tips()[-1][2] == pytest.approx(0.2 * speed, rel=0.05)


def test_progress_and_time_left_are_told(bench):
    bench.until_arrived()
    told = [(report.progress, report.time_left_s) for report in bench.reports]
    assert len(told) > 4 and told == sorted(told) and told[-1] == (1.0, 0.0)
    assert all(left == pytest.approx(2.02 * (1.0 - progress), abs=0.1) for progress, left in told)


@pytest.mark.parametrize('end, cause', [
    (lambda bench: bench.core.enable(False), 'disabled'),
    (lambda bench: bench.core.take_refusal(('stopped', 'stopped')), 'stopped')])
def test_what_ends_a_command_ends_a_paused_one_and_the_pause_lasts(bench, end, cause):
    bench.follow(1.0)
    bench.core.pause(True)
    bench.follow(0.5)
    assert end(bench).cause == cause and bench.core.go_on() is None
    assert bench.core.pause(True) is None
    ready = bench.core.enable(True) if cause == 'disabled' else bench.core.take_refusal(None)
    assert (ready.state, ready.cause) == (State.READY, 'user pause')
    assert bench.target(RIGHT).cause == 'user pause'
    bench.follow(0.5)
    assert stands(bench)
    bench.core.pause(False)
    require_at(bench, RIGHT)


def test_a_pause_of_a_disabled_arm_is_taken_back_silently(bench):
    bench.core.enable(False)
    assert bench.core.pause(True) is None and bench.core.pause(False) is None


def test_a_new_target_waits_and_takes_the_place_of_the_paused_one(bench):
    bench.follow(1.0)
    bench.core.pause(True)
    bench.follow(0.05)      # it brakes still
    for target in (MIDDLE, RIGHT):
        assert bench.target(target).cause == 'user pause'
    bench.follow(0.5)
    assert stands(bench)
    bench.core.pause(False)
    require_at(bench, RIGHT)
    require_inside_limits([positions for positions, _ in bench.commands], PERIOD, SLACK)


def test_a_new_driver_ends_a_paused_command(bench):
    bench.follow(0.5)
    bench.core.pause(True)
    bench.now += 0.5
    bench.state()
    assert bench.core.sender_appeared().cause == 'new sender'
    assert bench.core.go_on() is None and not bench.core.tracker.pace


def test_a_paused_jog_brakes_and_goes_on_with_twists_that_go_on():
    bench, heights = Bench(), []
    for number in range(120):
        bench.core.take_twist(Twist((0.0, 0.0, 0.05)), bench.request())
        bench.follow(PERIOD)
        heights.append(bench.tips()[-1][2])
        if number in (39, 79):
            bench.core.pause(number == 39)
    assert heights[79] - heights[59] == pytest.approx(0.0, abs=1e-6)
    assert heights[119] - heights[109] == pytest.approx(0.2 * 0.05, rel=0.05)
    bench.require_inside_limits()


# Goals, to which the driver makes the way

@pytest.mark.parametrize('seed', range(4))
def test_a_goal_is_held_and_sent_again(seed):
    loop = Loop(Random(seed))
    loop.run(0.1)
    goal = loop.core.take_target(Target((0.2, 0.1, 0.1), (1.0, 0.5, 0.0)), Request(1)).solution.q
    loop.run(0.15)
    loop.do(loop.core.pause(True))
    loop.run(0.5)
    there = loop.path[-1]
    assert loop.core.command != goal and np.abs(np.subtract(there, goal)).max() > 0.05
    loop.run(2.0)
    assert loop.path[-1] == pytest.approx(there, abs=1e-3)
    loop.do(loop.core.pause(False))
    loop.run(2.0)
    assert loop.path[-1] == pytest.approx(goal, abs=1e-9)
    assert loop.reports[-1].state is State.ARRIVED
    require_inside_limits(loop.path)


def test_a_goal_that_comes_in_a_pause_waits():
    loop = Loop(Random(0))
    loop.run(0.1)
    loop.do(loop.core.pause(True))
    there = loop.path[-1]
    report = loop.core.take_target(Target((0.2, 0.1, 0.1), (1.0, 0.5, 0.0)), Request(1))
    loop.do(report)
    loop.run(1.0)
    assert loop.path[-1] == pytest.approx(there, abs=1e-6) and report.cause == 'user pause'
    loop.do(loop.core.pause(False))
    loop.run(2.5)
    assert loop.path[-1] == pytest.approx(report.solution.q, abs=1e-9)


# Trajectories

@pytest.mark.parametrize('motion', ['line', 'joint'])
@pytest.mark.parametrize('seed', range(4))
def test_trajectories_are_paused_and_slowed(motion, seed):
    random = Random(seed)
    made = Controlled(random, START, motion=motion)
    made.do(made.core.take_target(LEFT, made.request()))
    for _ in range(4):
        made.run(random.uniform(0.02, 0.4))
        made.do(made.core.pause(True))
        made.run(0.8)
        there = made.path[-1]
        made.run(0.1)
        assert made.path[-1] == pytest.approx(there, abs=1e-9)
        set_speed(made, random.uniform(0.1, 1.0))
        made.do(made.core.pause(False))
    made.until(State.ARRIVED)
    require_inside_limits(made.path, slack=0.05)
    if motion == 'line':
        assert np.abs(ARM.forward(np.array(made.path)).position[:, [0, 2]] - (0.2, 0.05)).max() \
            < 1e-4
    assert ARM.forward(made.path[-1]).position == pytest.approx(LEFT.position, abs=1e-6)


def test_trajectories_of_what_comes_in_a_pause_leave_after_it():
    made = Controlled(Random(0), START)
    made.do(made.core.pause(True))
    stream = [Target((0.2, 0.002 * step, 0.05), LEFT.up) for step in range(6, -1, -1)]
    for target in (LEFT, *stream):
        made.do(made.core.take_target(target, made.request()))
        made.run(0.1)
        assert np.abs(np.subtract(made.path, START)).max() < 1e-9
    made.do(made.core.pause(False))
    made.until(State.ARRIVED)
    assert ARM.forward(made.path[-1]).position == pytest.approx(MIDDLE.position, abs=1e-6)


def test_a_goal_that_is_sent_again_is_another_command():
    bench = Bench()
    bench.target(LEFT)
    bench.state([0.9 * a + 0.1 * b for a, b in zip(START, bench.core.command)])
    held = bench.core.pause(True).motion
    bench.state()
    assert bench.core.pause(False).motion.made > held.made


@pytest.mark.parametrize('left', [0.001, 0.005, 0.012])
def test_a_pause_just_before_the_end_is_never_past_it(left):
    whole = to_goal(ARM.model, (START, (0.0,) * len(START)), [q + 0.1 for q in START])
    playback = Playback(whole, 0.0)
    playback.at_pace(ARM.model, 0.0, whole.duration - left)
    assert max(playback.travelled(time)[0]
               for time in np.arange(0.0, 0.05, 1e-3)) <= whole.duration
