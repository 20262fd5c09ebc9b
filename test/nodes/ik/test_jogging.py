# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the arm does for twists, and for a hold command: core, driver, servos on one clock."""

from math import isnan
from random import Random

from arm_ik import Target
from arm_ik.motion.jog import Jog, Twist
from arm_ik.nodes.ik.core import Settings
from arm_ik.nodes.ik.motion_sources import Jogging, LONGEST_STEP
from arm_ik.nodes.ik.report import Level, Request, State
from clocked_loop import ARM, Loop
from controlled_loop import require_inside_limits
import numpy as np
import pytest

UP, DOWN = Twist((0.0, 0.0, 0.08)), Twist((0.0, 0.0, -0.08))
ASIDE = Target((0.2, 0.1, 0.1), (1.0, 0.5, 0.0))


@pytest.fixture(params=range(4))
def loop(request):
    loop = Loop(Random(request.param))
    loop.run(0.1)
    return loop


def jog(loop, twist, seconds):
    """Send a twist at 50 Hz for a time; return what was answered."""
    reports = []
    for _ in range(round(seconds / 0.02)):
        reports.append(loop.core.take_twist(twist, Request(loop.core.reports.request.seq + 1)))
        loop.run(0.02)
    return [report for report in reports if report]


def tips(loop, since=0):
    return ARM.forward(np.array(loop.path[since:])).position


def test_the_tip_moves_while_twists_come_and_is_at_rest_soon_after(loop):
    start, = jog(loop, UP, 0.6)
    assert (start.state, start.level, start.cause) == (State.ACCEPTED, Level.OK, 'jog')
    assert isnan(start.solution.position_error_m)
    let_go = len(loop.path)
    loop.run(1.0)
    way = tips(loop) - tips(loop)[0]
    assert np.abs(way[:, :2]).max() < 1e-4
    assert 0.03 < way[let_go - 1, 2] < way[-1, 2] < 0.08
    still = next(index for index in range(let_go, len(way)) if way[index, 2] == way[-1, 2])
    # 0.2 s without a twist, three periods of 0.02 s, two of the bus, and the time to brake.
    assert (still - let_go) * 0.01 < 0.2 + 0.06 + 0.02 + 0.15
    states = [report.state for report in loop.reports[1:]]
    assert states[0] is State.MOVING and states[-1] is State.ARRIVED
    assert loop.core.go_on().velocities == () and loop.reports[-1].reason == ''


@pytest.mark.parametrize('seed', range(6))
def test_what_the_servos_are_sent_never_outruns_the_twist_also_when_it_is_turned_round(seed):
    random = Random(seed)
    loop = Loop(random)
    loop.run(0.1)
    v = np.array([random.gauss(0.0, 1.0) for _ in range(3)])
    v *= random.uniform(0.02, 0.2) / np.linalg.norm(v)
    for part, seconds in ((1.0, 2.0), (-1.0, 1.5)):
        jog(loop, Twist(tuple(part * v)), seconds)
    let_go = len(loop.path)
    loop.run(1.0)
    poses = ARM.forward(np.array(loop.path))
    steps = np.linalg.norm(np.diff(poses.position, axis=0), axis=1)
    assert steps.max() < 1.05 * 0.01 * np.linalg.norm(v)
    assert np.abs(np.diff(poses.up, axis=0)).max() < 1.05 * 0.01
    moved = np.flatnonzero(np.diff(np.array(loop.path)[let_go - 1:], axis=0).any(axis=1))
    assert 0.01 * (moved.max() + 1) < 0.4


@pytest.mark.parametrize('stall', [0.005, 0.01, 0.014])
def test_nor_does_it_on_a_busy_machine(loop, stall):
    random, twist = Random(1), Twist((0.0, 0.06, 0.08))
    for number in range(150):
        loop.core.take_twist(twist if number < 75 else Twist((0.0, -0.06, -0.08)),
                             Request(loop.core.reports.request.seq + 1))
        late = round(random.uniform(0.0, stall), 3)
        loop.busy = True
        loop.run(late)
        loop.busy = False
        loop.run(0.02 - late)
    steps = np.linalg.norm(np.diff(tips(loop), axis=0), axis=1)
    assert 0.9 * 0.001 < steps[100] and steps.max() < 1.05 * 0.001


def test_every_set_point_is_inside_the_limits_and_no_joint_jumps(loop):
    random = Random(5)
    for _ in range(8):
        jog(loop, Twist([random.uniform(-0.2, 0.2) for _ in range(3)],
                        [random.uniform(-1.0, 1.0) for _ in range(3)], random.random() < 0.5), 0.5)
    loop.run(1.0)
    require_inside_limits(loop.path)


def test_a_twist_of_zeros_stops_at_once_and_moves_nothing_by_itself(loop):
    assert jog(loop, Twist(), 0.1) == []
    assert loop.core.command is None
    jog(loop, UP, 0.4)
    let_go = len(loop.path)
    jog(loop, Twist(), 0.3)
    loop.run(0.5)
    assert tips(loop)[-1, 2] - tips(loop)[let_go - 1, 2] < 0.012


def test_a_twist_of_zeros_does_not_end_a_target(loop):
    goal = loop.core.take_target(ASIDE, Request(1)).solution.q
    assert jog(loop, Twist(), 0.2) == []
    loop.run(2.0)
    assert loop.path[-1] == pytest.approx(goal, abs=1e-9)


@pytest.mark.parametrize('first', [UP, DOWN], ids=['up', 'down'])
def test_a_target_takes_over_from_a_jog_and_a_jog_from_a_target(loop, first):
    jog(loop, first, 0.4)
    assert loop.core.take_target(ASIDE, Request(99)).state is State.ACCEPTED
    assert loop.core.go_on().velocities == ()
    loop.run(0.1)
    restart, = jog(loop, UP, 0.5)
    assert restart.cause == 'jog'
    loop.run(1.0)
    require_inside_limits(loop.path)


def test_a_twist_after_a_pause_goes_on(loop):
    jog(loop, UP, 0.3)
    loop.run(0.35)
    assert len(jog(loop, DOWN, 0.3)) == 1
    loop.run(1.0)
    assert loop.reports[-1].state is State.ARRIVED


def test_disabled_it_brakes_on_its_way_and_twists_are_refused(loop):
    jog(loop, UP, 0.4)
    stood = len(loop.path)
    report = loop.core.enable(False)
    loop.do(report)
    assert report.cause == 'disabled'
    refused = jog(loop, UP, 0.3)
    assert {report.cause for report in refused} == {'disabled'}
    loop.run(0.5)
    height = tips(loop)[:, 2]
    assert height[-1] >= height[stood - 1] and height[-1] == pytest.approx(height.max(), abs=2e-4)


def test_what_cannot_be_had_is_told_once_and_its_end_too():
    loop = Loop(Random(1))
    loop.run(0.1)
    jog(loop, Twist((0.1, 0.0, 0.0)), 4.0)
    told = [report for report in loop.reports if 'm/s cannot be achieved' in report.reason]
    assert told and {report.level for report in told} == {Level.WARN}
    assert len(loop.reports) < 25  # and not at every step
    jog(loop, Twist((-0.05, 0.0, 0.0)), 1.0)
    loop.run(1.0)
    assert (loop.reports[-1].state, loop.reports[-1].level) == (State.ARRIVED, Level.OK)
    assert loop.reports[-1].request == loop.core.reports.request, 'told of an earlier twist'


def test_a_jog_that_arrives_is_not_taken_for_what_was_refused_meanwhile(loop):
    jog(loop, UP, 0.4)
    newest = loop.core.reports.request
    assert loop.core.take_path([Target((2.0, 0.0, 0.1))], Request(newest.seq + 1)).state is (
        State.REFUSED)
    loop.run(1.0)
    assert (loop.reports[-1].state, loop.reports[-1].request) == (State.ARRIVED, newest)


def test_a_jog_is_not_part_of_a_stream_of_targets(loop):
    loop.core.change(Settings(target_timeout=0.1))
    loop.core.take_target(ASIDE, Request(1))
    jog(loop, UP, 0.4)
    assert 'target_timeout' not in {report.cause for report in loop.reports}


def test_an_arm_that_does_not_follow_is_led_no_farther_until_twists_have_paused(loop):
    loop.deaf = True
    jog(loop, Twist((0.0, 0.3, 0.0)), 3.0)
    stops = [report for report in loop.reports if report.cause == 'left behind']
    assert len(stops) == 1 and loop.core.command is None
    loop.deaf = False
    assert jog(loop, UP, 0.2) == []
    loop.run(0.3)
    assert len(jog(loop, UP, 0.2)) == 1 and loop.core.command is not None


def test_a_twist_that_has_waited_is_refused(loop):
    report = loop.core.take_twist(UP, Request(1), age=1.0)
    assert (report.state, report.cause) == (State.REFUSED, 'twist timeout')
    assert loop.core.command is None


def test_up_first_keeps_the_hand_where_the_tip_could_get_farther():
    lost = {}
    for priority in ('position', 'up'):
        loop = Loop(Random(1))
        loop.core.change(Settings(priority=priority))
        loop.run(0.1)
        jog(loop, Twist((0.1, 0.0, 0.0)), 3.0)
        ups = ARM.forward(np.array(loop.path)).up
        lost[priority] = np.linalg.norm(ups[-1] - ups[0])
    assert lost['up'] < 0.03 < 0.1 < lost['position']


def test_a_jog_that_sets_out_in_motion_complains_of_nothing_that_is_over_at_once(loop):
    for _ in range(8):
        loop.do(loop.core.take_target(ASIDE, Request(loop.core.reports.request.seq + 1)))
        loop.run(0.06)
        loop.do(loop.core.take_twist(
            Twist((0.05, -0.1, 0.0)), Request(loop.core.reports.request.seq + 1)))
        loop.run(0.06)
    jogs = [report for report in loop.reports if report.cause == 'jog']
    assert len(jogs) > 8 and {report.reason for report in jogs} == {''}


def jogging_at_home():
    return Jogging(Jog(ARM.model, ARM.home, (0.0,) * 5), 0.0, lambda path: (1.0, ''))


def test_what_changes_to_and_fro_is_not_told_at_every_step():
    jogging, now, news = jogging_at_home(), 0.0, 0
    for number in range(100):
        now += 0.02
        jogging.take(Twist((0.0, 0.0, 0.01), (0.0, 0.0, 0.5 * (number // 5 % 2))), now)
        jogging.at(now)
        news += jogging.news(now) is not None
    assert 5 <= news <= 11


def test_after_a_stall_it_goes_on_where_it_was():
    jogging, heights = jogging_at_home(), []
    for now in (*np.arange(0.0, 0.6, 0.02), 0.78):
        jogging.take(UP, now)
        heights.append(ARM.forward(jogging.at(now)[0]).position[2])
    assert heights[-1] - heights[-2] == pytest.approx(0.08 * LONGEST_STEP, rel=0.01)


# The hold command on its way to a driver that brakes

@pytest.mark.parametrize('seed', range(12))
def test_a_disabled_arm_brakes_on_its_way_and_does_not_come_back(seed):
    random = Random(seed)
    loop = Loop(random)
    loop.run(0.1)
    goal = ARM.forward([random.uniform(low, high) for low, high in zip(ARM.lower, ARM.upper)])
    goal = loop.core.take_target(Target(goal.position, goal.up), Request(1)).solution.q
    loop.run(random.uniform(0.06, 0.6))  # before, it has not been heard to move
    stood = len(loop.path)
    loop.do(loop.core.enable(False))
    loop.run(0.5)
    for joint, end, *path in zip(ARM.model.joints, goal, *loop.path[stood - 1:]):
        farthest = max(path, key=lambda position: abs(position - path[0]))
        assert path[-1] == pytest.approx(farthest, abs=1e-4)
        gone, allowed = abs(farthest - path[0]), (
            0.5 * joint.max_velocity ** 2 / joint.acceleration + 0.06 * joint.max_velocity)
        assert gone <= min(allowed, abs(end - path[0]) + 1e-9)
