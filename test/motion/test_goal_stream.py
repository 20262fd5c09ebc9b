# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A stream of goals by itself: what counts as one, by which clock, and what is made of it."""

from itertools import pairwise
from math import sin
from random import Random
from types import SimpleNamespace

from arm_ik import Arm
from arm_ik.motion.generator import Generator
from arm_ik.motion.goal_stream import GoalStream
import numpy as np
import pytest

JOINTS = {'yaw': SimpleNamespace(acceleration=30.0, max_velocity=2.0)}

STEP = 0.002


def play(messages, seconds, standing=(0.0, 0.0)):
    """Take ``(arrival, stamp, goal)``; return times, positions and velocities as played."""
    stream, messages, played = GoalStream(JOINTS), list(messages), []
    for number in range(round(seconds / STEP)):
        now = number * STEP
        while messages and messages[0][0] <= now:
            _, made, goal = messages.pop(0)
            stream.take({'yaw': goal}, {'yaw': standing}, made, now)
        for position, velocity, _ in stream.step(STEP, now, {'yaw': standing[0]}).values():
            standing = position, velocity
            played.append((now, position, velocity))
    return np.array(played).T


def ramp(rate, seconds=2.0, speed=0.5):
    times = np.arange(0.0, seconds, 1.0 / rate)
    return [(time, 0.0, speed * time) for time in times]


def test_velocities_are_those_of_the_positions():
    _, positions, velocities = play(ramp(30.0), 2.5)
    assert velocities[1:] == pytest.approx(np.diff(positions) / STEP, abs=0.02)
    # Of second order: from one speed to another without a step.
    assert np.abs(np.diff(velocities)).max() / STEP < 12.0


@pytest.mark.parametrize('rate', [6.0, 8.0, 25.0])
def test_goals_a_fifth_of_their_period_early_or_late_are_there_in_time(rate):
    random = Random(1)
    messages = [(time + random.uniform(0.0, 0.2) / rate, 1.0 + time, goal)
                for time, _, goal in ramp(rate, 4.0)]
    times, _, velocities = play(messages, 4.0)
    assert velocities[(times > 1.0) & (times < 3.9)] == pytest.approx(0.5, rel=0.05)


def test_stamps_say_when_goals_are_due_where_a_sender_is_uneven():
    random = Random(2)
    made = np.cumsum([random.uniform(0.02, 0.045) for _ in range(80)])
    times, _, velocities = play([(0.005 + time, 1.0 + time, 0.5 * time) for time in made], 2.5)
    assert velocities[(times > 1.0) & (times < 2.4)] == pytest.approx(0.5, rel=0.05)


def test_stamps_that_stand_still_tell_no_time():
    messages = [(time, 1e-6 * (1 + number), goal)
                for number, (time, _, goal) in enumerate(ramp(30.0))]
    times, _, velocities = play(messages, 2.0)
    assert velocities[(times > 0.5) & (times < 1.9)] == pytest.approx(0.5, rel=0.05)


def test_two_messages_at_once_are_no_end_of_the_stream():
    messages = [(number // 2 * 0.02, 0.0, 0.005 * number) for number in range(100)]
    times, _, velocities = play(messages, 1.0)
    assert len(times) > 0.9 / STEP
    assert 0.35 < velocities[times > 0.5].min() and velocities[times > 0.5].max() < 0.65


@pytest.mark.parametrize('jump', [0.15, -5.0])
def test_a_clock_of_stamps_that_is_set_costs_no_lag(jump):
    messages = [(time, 1.0 + time + (jump if time > 0.995 else 0.0), goal)
                for time, _, goal in ramp(50.0)]
    times, positions, _ = play(messages, 2.0)
    lag = times - positions / 0.5
    late = (times > 1.1) & (times < 1.9)
    assert lag[late].max() < lag[(times > 0.5) & (times < 0.9)].max() + 0.03


def test_goals_that_come_slowly_are_goals_by_themselves():
    stream = GoalStream(JOINTS)
    for number in range(10):
        assert not stream.take({'yaw': 0.01 * number}, {'yaw': (0.0, 0.0)}, 0.0, 0.25 * number)
    assert stream.take({'yaw': 0.1}, {'yaw': (0.09, 0.0)}, 0.0, 2.3)


class Roll:
    role, max_velocity, acceleration = 'wrist_roll', 3.0, 30.0


class Lift:
    role, max_velocity, acceleration = 'shoulder', 3.0, 30.0


@pytest.mark.parametrize('leaps, led', [('roll', {'lift', 'yaw'}), ('lift', set())])
def test_a_roll_that_leaps_goes_alone_and_a_joint_that_moves_the_tip_ends_the_stream(leaps, led):
    stream = GoalStream({'yaw': Lift, 'lift': Lift, 'roll': Roll})
    for number in range(6):
        goals = dict.fromkeys(('yaw', 'lift', 'roll'), 0.01 * number)
        taken = stream.take(goals, {name: (goal, 0.0) for name, goal in goals.items()}, 0.0,
                            0.02 * number)
    assert taken == {'yaw', 'lift', 'roll'}
    goals = {**dict.fromkeys(goals, 0.06), leaps: 5.0}
    standing = dict.fromkeys(goals, (0.05, 0.0))
    assert stream.take(goals, standing, 0.0, 0.12) == led
    assert set(stream.step(0.01, 0.13, dict.fromkeys(goals, 0.05))) == led


@pytest.mark.parametrize('away, late', [(0.01, 0.0), (0.2, 0.075), (0.4, 0.175), (0.5, None)])
def test_a_stream_begins_late_for_a_joint_that_is_far_from_it_and_not_for_one_that_is_farther(
        away, late):
    stream = GoalStream(JOINTS)
    taken = [stream.take({'yaw': goal}, {'yaw': (-away, 0.0)}, 0.0, time)
             for time, _, goal in ramp(30.0, 0.05, 0.1)]
    assert taken == [set(), set() if late is None else {'yaw'}]
    assert stream.lag == pytest.approx(late or 0.0, abs=1e-9)


def test_a_stream_begins_at_the_speed_of_the_joint():
    _, positions, velocities = play(ramp(50.0), 0.2, standing=(-0.02, 0.5))
    assert velocities[0] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize('rate', [20.0, 50.0, 100.0])
def test_no_set_point_passes_the_last_goal_of_a_stream_that_speeds_up_and_ends(rate):
    model = Arm.preset('so101').model
    joint, name = model.joints[0], model.joints[0].name
    for seed in range(40):
        random = Random(seed)
        speed, more = random.uniform(0.5, 2.0), random.uniform(0.0, 6.0)
        times = [number / rate for number in range(1, int(random.uniform(0.2, 0.5) * rate))]
        goals = [speed * time + 0.5 * more * time ** 2 for time in times]
        due = [1.0 + time + random.uniform(-0.2, 0.2) / rate for time in times]
        generator, stream, farthest = Generator(model), GoalStream({name: joint}), 0.0
        generator.begin({name: 0.0})
        left = list(zip(due, goals))
        for turn in range(150):
            now = 1.0 + 0.01 * turn
            while left and left[0][0] <= now:
                came, goal = left.pop(0)
                standing = generator.set_points[name], generator.speeds[name]
                if not stream.take({name: goal}, {name: standing}, 0.0, came):
                    generator.move({name: goal})
            generator.step(0.01, {}, stream.step(0.01, now, generator.set_points))
            farthest = max(farthest, generator.set_points[name])
        assert farthest <= goals[-1] + 1e-9, seed


class TwoJoints:
    """Two joints that are sent along a path."""

    def __init__(self):
        self.model = Arm.preset('simple').model
        self.names, self.fastest = self.model.joint_names[:2], self.model.joints[0].max_velocity

    def run(self, rate, seconds, path):
        """Send what ``path`` returns for a time; return lag, slow joint and positions by turn."""
        stream = GoalStream({joint.name: joint for joint in self.model.joints})
        generator, goals, seen = Generator(self.model), [], []
        generator.begin(dict.fromkeys(self.names, 0.0))
        for turn in range(600):
            now = 1.0 + 0.01 * turn
            time = len(goals) / rate
            if time <= now - 1.0 and time < seconds:
                goals.append(path(time))
                goal = dict(zip(self.names, goals[-1]))
                if not stream.take(goal, {name: (at, generator.speeds[name]) for name, at
                                          in generator.set_points.items()}, 0.0, now):
                    generator.move(goal)
            ended = stream.ended(now)
            stream.drop(ended)
            generator.move(ended)
            generator.step(0.01, {}, stream.step(0.01, now, generator.set_points))
            seen.append((stream.lag, stream.slow_joint,
                         [generator.set_points[name] for name in self.names]))
        assert seen[-1][:2] == (0.0, '') and seen[-1][2] == pytest.approx(goals[-1])
        fine = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(goals)])
        self.farthest = max(np.linalg.norm(fine - here, axis=1).min() for *_, here in seen[60:])
        return max(seen)[:2]


@pytest.mark.parametrize('rate', [10.0, 30.0])
def test_a_stream_that_is_too_fast_for_a_joint_is_played_later_and_on_its_path(rate):
    joints = TwoJoints()

    def path(time):
        angle = 1.4 * joints.fastest * time    # for the first joint, a curve that is too fast
        return 1.2 * sin(angle / 1.2), 0.3 * angle
    lag, slow_joint = joints.run(rate, 2.0, path)
    assert lag > 0.2 and slow_joint == joints.names[0]
    assert joints.farthest < 0.02


@pytest.mark.parametrize('seed', range(5))
def test_a_stream_whose_corners_are_too_sharp_for_a_joint_stays_on_its_path(seed):
    random, joints = Random(seed), TwoJoints()
    lag, _ = joints.run(10.0, 3.0, lambda time: (
        0.5 * time + random.gauss(0.0, 0.08), 0.5 * sin(2.0 * time) + random.gauss(0.0, 0.02)))
    assert 0.1 < lag < 1.0
    assert joints.farthest < 0.015


def test_the_arm_does_not_wait_for_a_gripper_that_holds_something():
    model = Arm.preset('so101').model
    yaw, gripper = model.joints[0], model.extra_joints[0]
    stream, at = GoalStream({joint.name: joint for joint in (yaw, gripper)}), {yaw.name: 0.0}
    for turn in range(100):
        now, standing = 0.01 * turn, {yaw.name: (at[yaw.name], 0.2), gripper.name: (1.0, 0.0)}
        if turn % 2 == 0:
            stream.take({yaw.name: 0.2 * now, gripper.name: 1.0 - now}, standing, 0.0, now)
        at = {name: position for name, (position, *_) in stream.step(
            0.01, now, {name: position for name, (position, _) in standing.items()}).items()} or at
    assert stream.lag == 0.0
    assert at[yaw.name] == pytest.approx(0.2 * (now - 0.07), abs=0.01)
