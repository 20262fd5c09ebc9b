# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Set-points in time: limits under adversarial commands, arrival together, stops, leads."""

from dataclasses import replace
from math import ceil, copysign, cos, sin
import os
from random import Random

from arm_ik.kinematics.model import ArmModel, ExtraJoint, Joint
from arm_ik.motion.generator import Generator, TrapezoidalProfile
import pytest

MODEL = ArmModel(
    name='moving', upper_arm=0.12, forearm=0.12, hand=0.08,
    joints=(
        Joint('yaw', 'yaw', -3.0, 3.0, 2.0),
        Joint('shoulder', 'shoulder', -0.5, 2.5, 1.0, max_acceleration=3.0),
        Joint('elbow', 'elbow', -2.5, -0.1, 4.0),
        Joint('wrist', 'wrist', -1.5, 1.5, 3.0, max_acceleration=100.0)),
    home=(0.1, 1.1, -1.3, 0.3),
    extra_joints=(
        ExtraJoint('gripper', -0.2, 1.6, 2.5, closed=1.5, open=-0.1),
        ExtraJoint('slide', 0.0, 0.04, 0.05, type='prismatic')))
JOINTS = {joint.name: joint for joint in (*MODEL.joints, *MODEL.extra_joints)}
HOME = {**dict(zip(MODEL.joint_names, MODEL.home)), 'gripper': 1.5, 'slide': 0.0}

DT = 0.01

#: Set-points that are checked in all, in the long form.
COUNT = int(os.environ.get('SET_POINTS', 60_000))


class Judge:
    """Takes steps of a generator and holds every set-point to the limits."""

    def __init__(self, generator):
        self.generator, self.checked = generator, 0
        self.before = {name: (q, 0.0) for name, q in generator.set_points.items()}
        self.dt = DT

    def step(self, dt=DT, measured=None, follow={}):
        measured = self.generator.set_points if measured is None else measured
        set_points = self.generator.step(dt, measured, follow)
        for name, position in set_points.items():
            joint = JOINTS[name]
            last, speed = self.before[name]
            now = (position - last) / dt
            assert joint.lower <= position <= joint.upper, name
            assert abs(now) <= joint.max_velocity * (1.0 + 1e-9), name
            # The mean speeds of two steps of bounded acceleration are not farther apart.
            assert abs(now - speed) <= joint.acceleration * (0.5 * (dt + self.dt)) + 1e-9, name
            self.before[name] = position, now
        self.dt = dt
        self.checked += len(set_points)
        return set_points


def generator(**options):
    made = Generator(MODEL, **options)
    made.begin(HOME)
    return made


def moving(count, goals):
    """Return a generator that has gone so many steps towards goals."""
    made = generator()
    made.move(goals)
    go(made, count)
    return made


def go(made, count):
    for _ in range(count):
        made.step(DT, {})


def goals(random, part=0.7):
    return {name: random.choice((joint.lower, joint.upper,
                                 random.uniform(joint.lower, joint.upper)))
            for name, joint in JOINTS.items() if random.random() < part}


def test_every_set_point_is_inside_its_limits_whatever_is_commanded():
    random, judge = Random(1), Judge(generator())
    while judge.checked < COUNT:
        what = random.random()
        if what < 0.4:
            judge.generator.move(goals(random), random.choice((1.0, 1.0, 0.3)))
        elif what < 0.5:
            judge.generator.stop(random.choice((None, ['yaw'], ['elbow', 'slide'])))
        for _ in range(random.choice((1, 1, 2, 3, 10, 60))):
            judge.step(random.choice((DT, DT, 0.005, 0.02, random.uniform(0.001, 0.02))))
    print(f'{judge.checked} set-points')


def test_nor_does_what_is_followed_take_a_set_point_out_of_its_limits():
    random, judge = Random(4), Judge(generator())
    while judge.checked < COUNT:
        if random.random() < 0.2:
            judge.generator.move(goals(random))
        if random.random() < 0.2:
            judge.generator.stop(random.choice((None, ['yaw'])))
        follow = {}
        for _ in range(random.choice((1, 1, 2, 5, 30))):
            dt = random.choice((DT, 0.005, 0.02, random.uniform(0.001, 0.02)))
            follow = {name: (position + velocity * dt, velocity)
                      for name, (position, velocity) in follow.items()}
            for name in JOINTS:
                if random.random() < 0.1:
                    follow[name] = anywhere(random, judge.generator, name)
            judge.step(dt, None, follow)


def anywhere(random, made, name):
    """Return a position and velocity to follow: any, or near those of the set-point."""
    joint = JOINTS[name]
    if random.random() < 0.3:
        return (random.uniform(joint.lower - 1.0, joint.upper + 1.0),
                random.choice((0.0, 1e3, -1e3, random.uniform(-1.0, 1.0) * joint.max_velocity)))
    return (random.gauss(made.set_points[name], random.choice((1e-6, 1e-3, 0.1))),
            random.gauss(made.speeds[name], random.choice((0.0, 1e-3, 0.1, 1.0))))


def test_a_stop_at_a_speed_that_is_rounding_comes_to_rest():
    made = generator()
    made.begin({'yaw': 0.1, 'elbow': -0.3423102724612064},
               {'yaw': 1.0, 'elbow': 1.111766751191123e-15})
    made.stop()
    go(made, 100)
    assert not made.is_moving()


def test_the_joints_of_a_command_arrive_together_and_no_later_than_the_slowest_has_to():
    random = Random(2)
    for _ in range(50):
        made = generator()
        made.move(goals(random, 0.0))
        wanted = {name: random.uniform(joint.lower, joint.upper) for name, joint in JOINTS.items()}
        alone = 0.0
        for name, goal in wanted.items():
            single = generator()
            single.move({name: goal})
            alone = max(alone, steps_to_rest(single))
        made.move(wanted)
        arrivals, count = {}, 0
        while made.is_moving():
            count += 1
            for name, position in made.step(DT, {}).items():
                if position == wanted[name]:
                    arrivals.setdefault(name, count)
        assert set(arrivals) == set(wanted)
        assert max(arrivals.values()) - min(arrivals.values()) <= 1
        assert abs(count - alone) <= 1


def steps_to_rest(made, measured=None):
    count = 0
    while made.is_moving():
        made.step(DT, {} if measured is None else measured)
        count += 1
        assert count < 100_000
    return count


def test_part_of_the_speed_is_taken_for_a_part_of_the_speed():
    whole, part = generator(), generator()
    whole.move({'yaw': 2.9})
    part.move({'yaw': 2.9}, 0.25)
    assert steps_to_rest(part) > 3.5 * steps_to_rest(whole)


def test_a_known_goal_changes_nothing():
    one, other = generator(), generator()
    one.move({'yaw': 2.0, 'wrist': -1.0})
    other.move({'yaw': 2.0, 'wrist': -1.0})
    for _ in range(30):
        other.move({'yaw': 2.0})
        assert one.step(DT, {}) == other.step(DT, {})


def test_how_often_it_steps_makes_no_difference():
    fine, coarse = generator(), generator()
    for made in (fine, coarse):
        made.move({'yaw': 2.0, 'wrist': -1.0})
    for _ in range(20):
        for _ in range(4):
            there = fine.step(DT / 4.0, {})
        assert coarse.step(DT, {}) == pytest.approx(there, abs=1e-9)


def test_a_stop_is_no_longer_than_the_speed_asks_for():
    made = moving(50, {'yaw': 2.9, 'elbow': -2.4})
    made.stop()
    longest = max(joint.max_velocity / joint.acceleration
                  for joint in (JOINTS['yaw'], JOINTS['elbow']))
    assert steps_to_rest(made) <= ceil(longest / DT) + 1


def test_what_is_stopped_goes_on_to_the_next_goal():
    made = moving(50, {'yaw': 2.9})
    made.stop()
    made.step(DT, {})
    made.move({'yaw': -1.0})
    steps_to_rest(made)
    assert made.set_points['yaw'] == -1.0


def test_a_stop_makes_the_next_move_no_slower():
    made = moving(40, {'yaw': -2.0, 'shoulder': 2.3})
    made.stop()     # the yaw brakes as gently as the shoulder
    go(made, 1)
    made.move({'yaw': 2.0})
    shortest = TrapezoidalProfile(
        2.0 - made.set_points['yaw'], made.speeds['yaw'], 2.0, 20.0).shortest
    assert steps_to_rest(made) * DT == pytest.approx(shortest, abs=1.5 * DT)


def test_a_stopped_chain_stays_on_its_way():
    made = moving(40, {'yaw': -2.0, 'shoulder': 2.3, 'elbow': -0.3, 'gripper': 0.0})
    before, speeds = made.set_points, made.speeds
    made.stop()
    gripper = 0
    while made.is_moving():
        made.step(DT, {})
        gripper += made.speeds['gripper'] != 0.0
        gone = {name: made.set_points[name] - before[name] for name in ('yaw', 'shoulder')}
        assert gone['yaw'] == pytest.approx(gone['shoulder'] * speeds['yaw'] / speeds['shoulder'])
    # The shoulder, at 3 rad/s^2, takes its time; no other joint does for its sake.
    assert gripper <= ceil(abs(speeds['gripper']) / 25.0 / DT)
    assert made.set_points['shoulder'] - before['shoulder'] == pytest.approx(
        0.5 * speeds['shoulder'] ** 2 / 3.0)


def test_what_is_stopped_just_before_its_limit_does_not_pass_it_for_the_others_sake():
    made = generator()
    made.begin({'elbow': -0.14, 'shoulder': 0.0})
    judge = Judge(made)
    made.move({'shoulder': 2.0})
    for _ in range(50):
        judge.step()
    for _ in range(3):
        judge.step(follow={'shoulder': (made.set_points['shoulder'] + DT, 1.0),
                           'elbow': (-0.1, 0.0)})
    assert made.speeds['elbow'] > 0.5
    made.stop()
    while made.is_moving():
        judge.step()


@pytest.mark.parametrize('amplitude, rate', [(0.5, 3.0), (1.0, 1.9), (0.1, 14.0)])
def test_what_is_inside_the_limits_is_followed_to_the_last_bit(amplitude, rate):
    made = generator()
    for number in range(1, 500):
        time = number * DT
        there = (HOME['yaw'] + amplitude * (1.0 - cos(rate * time)),
                 amplitude * rate * sin(rate * time))
        assert made.step(DT, {}, {'yaw': there})['yaw'] == there[0]
        assert made.speeds['yaw'] == there[1]


@pytest.mark.parametrize('velocity', [0.0, 0.7, -1.0])
def test_whoever_is_behind_catches_up_in_the_shortest_time(velocity):
    made, number, there = generator(), 0, None
    while there != made.set_points['yaw']:
        number += 1
        there = 0.4 + velocity * number * DT
        made.step(DT, {}, {'yaw': (there, velocity)})
    # As seen from what it follows; the profile has Ruckig for its judge.
    shortest = TrapezoidalProfile(0.3, -velocity, 2.0 - velocity, 20.0).shortest
    assert number * DT == pytest.approx(shortest, abs=1.5 * DT)
    assert made.speeds['yaw'] == velocity


def test_what_goes_on_at_the_largest_velocity_is_followed_at_a_distance():
    made = generator()
    for number in range(1, 101):
        now = made.step(DT, {}, {'yaw': (0.1 + 2.0 * number * DT, 2.0)})['yaw']
    assert now == pytest.approx(0.1 + 2.0 - 0.1)  # what it lost on its way to 2 rad/s
    assert made.speeds['yaw'] == 2.0


def test_one_that_follows_and_is_blocked_keeps_the_chain_waiting():
    made, time = generator(), 0.0
    for _ in range(300):
        time += DT
        there = (HOME['yaw'] + 0.5 * time, 0.5)
        made.step(DT, {**made.set_points, 'yaw': HOME['yaw']},
                  {'yaw': there, 'wrist': (0.3 - 0.4 * time, -0.4), 'gripper': (1.5 - time, -1.0)})
    assert made.blocked == ('yaw',)
    assert made.set_points['yaw'] <= HOME['yaw'] + 0.15 + 1e-12
    assert made.speeds['wrist'] == 0.0 and made.set_points['wrist'] > 0.1
    assert made.set_points['gripper'] < 0.0
    free = {'yaw': (1.6, 0.0), 'wrist': (-0.9, 0.0)}
    for _ in range(200):
        made.step(DT, made.set_points, free)
    assert made.set_points['yaw'] == 1.6 and made.set_points['wrist'] == -0.9


@pytest.mark.parametrize('outside, goal', [(3.4, 2.0), (-3.7, 1.0), (3.4, 3.0)])
def test_a_joint_past_its_limit_moves_inwards_only_and_only_when_commanded(outside, goal):
    made = generator()
    made.begin({'yaw': outside})
    made.move({'wrist': -1.0})
    made.stop()
    made.move({'elbow': -2.0})
    steps_to_rest(made)
    assert made.set_points['yaw'] == outside
    made.move({'yaw': goal})
    before = outside
    while made.is_moving():
        now = made.step(DT, {})['yaw']
        assert (before - now) * copysign(1.0, outside) >= -1e-12
        before = now
    assert before == goal


# What is measured


@pytest.mark.parametrize('max_lead', [0.02, 0.15, 0.5])
@pytest.mark.parametrize('name', ['elbow', 'slide'])
@pytest.mark.parametrize('dt', [0.002, DT, 0.03])
def test_a_set_point_never_leads_its_joint_by_more_than_it_may(max_lead, name, dt):
    random, made, joint = Random(3), generator(max_lead=max_lead), JOINTS[name]
    made.begin({name: 0.5 * (joint.lower + joint.upper)})
    longest = max_lead * (joint.upper - joint.lower if name == 'slide' else 1.0)
    stuck = made.set_points[name]
    for _ in range(30):
        made.move({name: random.choice((joint.lower, joint.upper))})
        for _ in range(random.randrange(200)):
            set_point = made.step(dt, {name: stuck})[name]
            assert abs(set_point - stuck) <= longest + 1e-12


def test_a_joint_that_is_blocked_keeps_those_waiting_that_go_with_it_inside_their_limits():
    made = generator()
    judge = Judge(made)
    made.move({'yaw': 2.9, 'shoulder': 2.4})
    for _ in range(50):
        judge.step()
    stuck = made.set_points['yaw']
    del judge.before['yaw']
    for _ in range(300):
        now = made.step(DT, {**made.set_points, 'yaw': stuck})
        last, speed = judge.before['shoulder']
        assert abs((now['shoulder'] - last) / DT - speed) <= 3.0 * DT + 1e-9
        judge.before['shoulder'] = now['shoulder'], (now['shoulder'] - last) / DT
    assert made.blocked == ('yaw',)
    assert judge.before['shoulder'][1] < 0.01 and now['shoulder'] < 2.0
    while made.is_moving():
        made.step(DT, made.set_points)
    assert made.blocked == () and made.set_points['yaw'] == 2.9


def test_one_that_follows_late_gets_there_as_fast_as_it_follows():
    for lag, longest in ((2, 1.7), (5, 2.2), (10, 5.0)):
        made, late = generator(), [HOME] * lag
        made.move({'yaw': 2.9})
        count = 0
        while made.is_moving():
            late.append(made.step(DT, late.pop(0)))
            count += 1
        assert count * DT < longest, lag


def test_a_set_point_does_not_go_back_for_a_joint_that_was_pushed_away():
    made = generator()
    made.move({'yaw': 2.9})
    for _ in range(30):
        made.step(DT, made.set_points)
    there = made.set_points['yaw']
    for _ in range(50):
        now = made.step(DT, {'yaw': there - 1.0})['yaw']
        assert now >= there
    assert made.blocked == ('yaw',)


def test_one_that_is_not_measured_is_not_waited_for():
    made = generator()
    made.move({'yaw': 2.9})
    assert steps_to_rest(made) <= ceil((2.8 / 2.0 + 0.1) / DT) + 1


def test_one_that_was_measured_once_is_waited_for():
    made = generator()
    made.step(DT, HOME)
    made.move({'yaw': 2.9})
    go(made, 100)
    assert made.set_points['yaw'] <= HOME['yaw'] + 0.15
    assert made.blocked == ('yaw',)


def test_what_a_joint_may_do_is_its_own_or_made_of_its_speed():
    assert JOINTS['yaw'].acceleration == pytest.approx(20.0)
    assert JOINTS['shoulder'].acceleration == 3.0
    assert replace(JOINTS['yaw'], max_velocity=1.0).acceleration == pytest.approx(10.0)


def test_a_joint_that_may_hardly_move_breaks_nothing():
    model = replace(MODEL, joints=tuple(
        replace(joint, max_velocity=5e-324) for joint in MODEL.joints))
    made = Generator(model)
    made.begin(HOME)
    made.move({'yaw': 1.0, 'gripper': 0.0})
    for _ in range(100):
        assert made.step(DT, HOME)['yaw'] == HOME['yaw']
