# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


from dataclasses import replace
from types import SimpleNamespace

from arm_ik import Arm, Solution, Status
from arm_ik.nodes.ik.motion_sources import Source
from arm_ik.nodes.ik.report import Level, Report, State
from arm_ik.nodes.ik.tracker import Tracker
import pytest

MODEL = Arm.preset('simple').model
NAMES = tuple(joint.name for joint in MODEL.joints)
START, GOAL = (0.0, 0.0, 0.0, 0.0), (0.8, -0.4, 0.2, 0.1)


#: The measured state that all of them read.
STATE = SimpleNamespace(pause=lambda now: None)


@pytest.fixture
def motion():
    return Tracker(MODEL, 0.05, STATE)


def put(measured, speeds=(0.0,) * 4, accelerations=(0.0,) * 4, age=0.0):
    vars(STATE).update(positions=measured, speeds=speeds, accelerations=accelerations,
                       age=lambda now: age)


def start(motion, goal=GOAL, measured=START, now=10.0, source=None):
    put(measured)
    solution = Solution(tuple(goal), Status.REACHED, 0.0, 0.0, 0.0)
    motion.start(Report(State.ACCEPTED, Level.OK, solution=solution), now, source)


def start_state(motion, now, *state, **age):
    put(*state, **age)
    return motion.start_state(now)


def hold(motion, *measured):
    put(*measured)
    held = motion.hold(10.0)
    motion.end()
    return held.positions


def half(a, b):
    return tuple(0.5 * (x + y) for x, y in zip(a, b))


# A command, from start to end

@pytest.mark.parametrize('speed, acceleration, age, ahead', [
    (1.0, 0.0, 0.0, 0.03 + 0.05),                # for the delay, and to brake at 10 rad/s^2
    (-1.0, 0.0, 0.02, -0.05 - 0.05),             # and for the age of the state, either way
    (0.5, 10.0, 0.02, 1.0 * 0.05 + 0.05),        # still speeding up,
    (0.5, 90.0, 0.02, 3.0 * 0.05 + 0.45),        # but not beyond its largest speed
    (1.0, -10.0, 0.0, 0.03 + 0.05),              # that it brakes already is left out
    (3.0, 0.0, 0.2, 0.8)])                       # never past its goal
def test_the_arm_is_held_where_it_comes_to_rest(speed, acceleration, age, ahead):
    motion = Tracker(SimpleNamespace(joints=[
        replace(joint, lower=-3.0, upper=3.0, max_velocity=3.0, max_acceleration=10.0)
        for joint in MODEL.joints]), 0.05, STATE)
    start(motion)
    held = hold(motion, START, (speed, 0.0, 0.0, 0.0), (acceleration, 0.0, 0.0, 0.0), age)
    assert held == pytest.approx((ahead, 0.0, 0.0, 0.0))


def test_what_a_target_is_solved_from_and_where_the_arm_is_held_is_inside_the_limits(motion):
    upper = tuple(joint.upper for joint in MODEL.joints)
    outside = tuple(position + 0.01 for position in upper)
    assert start_state(motion, 10.0, outside)[0] == upper
    start(motion)
    assert hold(motion, outside) == upper


# What the next target is solved from

# The ramp

# A source

class Rising(Source):
    """A source that raises the first joint until it is done."""

    def at(self, now):
        return (now - 10.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def test_a_source_is_commanded_with_its_velocities_until_it_is_done(motion):
    source = Rising()
    start(motion, source=source)
    assert motion.go_on(10.5)[:2] == ((0.5, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    put((0.5, 0.0, 0.0, 0.0))
    assert motion.progress(10.5).state is State.MOVING
    source.done = True
    there = pytest.approx((0.6, 0.0, 0.0, 0.0))
    assert motion.go_on(10.6).positions == motion.go_on(20.0).positions == there
    assert motion.go_on(20.0).velocities == ()
    put(motion.positions)
    assert motion.progress(20.0).state is State.ARRIVED


def test_the_next_source_begins_at_the_set_point_and_speed_of_an_arm_that_follows(motion):
    start(motion, source=Rising())
    motion.go_on(10.1)
    measured = (0.08, 0.0, 0.0, 0.0)
    assert start_state(motion, 10.1, measured) == (
        pytest.approx((0.1, 0.0, 0.0, 0.0)), (1.0, 0.0, 0.0, 0.0))
    assert motion.left_behind(10.1) is None


def test_the_next_source_begins_where_an_arm_is_that_moves_or_does_not_follow(motion):
    top = MODEL.joints[1].max_velocity
    speeds = (1.0, -99.0, 0.0, 0.0)
    expected = (pytest.approx((0.01, -0.01 * top, 0.0, 0.0)), (1.0, -top, 0.0, 0.0))
    assert start_state(motion, 10.1, START, speeds, age=0.01) == expected
    start(motion)
    assert start_state(motion, 10.1, START, speeds, age=0.01) == expected
    start(motion, source=Rising())
    motion.go_on(12.0), motion.go_on(14.0)
    assert start_state(motion, 14.0, START, speeds, age=0.01) == expected
    assert motion.left_behind(14.0).startswith(f'{NAMES[0]} is 4 rad from')


def test_of_a_source_that_is_endless_the_last_reported_positions_are_no_goal(motion):
    start(motion, START, source=Rising())
    motion.go_on(10.0)
    behind = (-0.01, 0.0, 0.0, 0.0)
    assert hold(motion, behind, (1.0, 0.0, 0.0, 0.0)) == START
    start(motion, START, source=Rising())
    motion.go_on(10.0)
    Rising.endless = True
    held = hold(motion, behind, (1.0, 0.0, 0.0, 0.0))
    del Rising.endless
    assert held[0] > 0.01
