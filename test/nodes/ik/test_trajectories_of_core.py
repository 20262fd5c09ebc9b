# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories that leave the node's core, and a controller that follows them."""

from random import Random

from arm_ik import Target
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import LEAD
from arm_ik.nodes.ik.report import State
from controlled_loop import ARM, Controller, Loop, require_inside_limits
import numpy as np
import pytest

DOWN = (0.0, 0.0, -1.0)
LEFT, MIDDLE, RIGHT = (Target((0.2, y, 0.05), DOWN) for y in (0.1, 0.0, -0.1))
START = ARM.solve(RIGHT).q

#: Of lines; their set-points of 20 ms are inside the limits, what is between them is not judged.
BETWEEN = 0.05


def require_limits_between_points(made, slack):
    most = np.array([joint.acceleration for joint in ARM.model.joints])
    for _, spline in made.sent:
        speeds = spline.read_to_rest(np.arange(0.0, spline.duration + 1e-3, 1e-3))[1]
        assert (np.abs(np.diff(speeds, axis=0)) < (1.0 + slack) * 1e-3 * most).all()


def loop(seed=1, **settings):
    return Loop(Random(seed), START, **settings)


def to(made, target):
    return made.do(made.core.take_target(target, made.request()))


def random_target(random):
    return Target((random.uniform(0.14, 0.24), random.uniform(-0.12, 0.12),
                   random.uniform(0.04, 0.12)), DOWN)


def tips(made):
    return ARM.forward(np.array(made.path)).position


def test_a_target_is_one_trajectory_of_few_points_that_keeps_to_the_limits():
    made = loop()
    assert to(made, LEFT).state is State.ACCEPTED
    made.until(State.ARRIVED)
    (_, spline), = made.sent
    assert len(spline.times) < 20 and spline.end == pytest.approx(ARM.solve(LEFT, near=START).q)
    assert made.path[-1] == pytest.approx(spline.end)
    require_inside_limits(made.path)
    # The slowest joint is as fast as it may be.
    speeds = np.abs(np.diff(np.array(made.path), axis=0)).max(axis=0) / 0.01
    assert max(speeds / [joint.max_velocity for joint in ARM.model.joints]) > 0.99


@pytest.mark.parametrize('seed', range(12))
def test_targets_in_mid_motion_take_over_inside_all_limits(seed):
    made, random = loop(seed), Random(seed)
    for _ in range(8):
        to(made, random_target(random))
        made.run(random.uniform(0.005, 0.5))
    made.until(State.ARRIVED)
    require_inside_limits(made.path, slack=0.01)
    assert made.path[-1] == pytest.approx(made.sent[-1][1].end)


def test_a_target_in_mid_motion_takes_over_without_a_stop():
    made = loop()
    to(made, MIDDLE)
    made.run(0.2)
    to(made, LEFT)
    made.until(State.ARRIVED)
    speeds = np.diff(np.array(made.path)[:, 0]) / 0.01
    moving = np.flatnonzero(np.abs(speeds) > 0.01)
    assert np.abs(speeds[moving[5]:moving[-5]]).min() > 0.5


def test_a_line_is_straight_and_leaves_as_it_was_planned():
    made = loop(motion='line')
    plan = to(made, LEFT).player.line
    made.until(State.ARRIVED)
    (_, spline), = made.sent
    assert (spline.times == plan.times).all() and (spline.positions == plan.q).all()
    assert np.abs(tips(made)[:, [0, 2]] - (0.2, 0.05)).max() < 1e-6
    require_inside_limits(made.path, slack=BETWEEN)


@pytest.mark.parametrize('seed', range(10))
def test_a_line_in_mid_motion_begins_on_the_way_the_arm_is_on(seed):
    random = Random(seed)
    made = loop(seed, motion='line')
    to(made, LEFT)
    made.run(random.uniform(0.1, 1.5))
    made.planning = 0.05
    made.do(made.core.take_path([MIDDLE, RIGHT], made.request()))
    while made.reports[-1] is None or made.reports[-1].reason != '1 of 2 targets reached':
        made.run(0.001)
    assert tips(made)[-1] == pytest.approx(MIDDLE.position, abs=0.008)  # 0.05 s before
    made.until(State.ARRIVED)
    require_inside_limits(made.path, slack=BETWEEN)
    assert np.abs(tips(made)[:, [0, 2]] - (0.2, 0.05)).max() < 1e-3
    assert tips(made)[-1] == pytest.approx(RIGHT.position)


def test_disabled_on_its_way_the_arm_brakes_at_once():
    made = loop()
    to(made, LEFT)
    made.run(0.2)
    made.do(made.core.enable(False))
    made.run(1.0)
    require_inside_limits(made.path, slack=0.01)
    top = max(joint.max_velocity / joint.acceleration for joint in ARM.model.joints)
    speeds = np.abs(np.diff(np.array(made.path), axis=0)).max(axis=1)
    assert 0.2 < 0.01 * np.flatnonzero(speeds > 1e-9)[-1] < 0.2 + LEAD + top + 0.02
    assert len(made.sent) == 2


def test_an_arm_whose_states_are_lost_is_told_to_brake():
    made = loop(motion='line', state_timeout=0.5)
    to(made, LEFT)
    made.run(0.3)
    made.silent = True
    made.run(2.0)
    assert [report.cause for report in made.reports if report][-1] == 'state stale'
    require_inside_limits(made.path, slack=BETWEEN)
    assert -0.1 < tips(made)[-1][1] < -0.01 and len(made.sent) == 2


@pytest.mark.parametrize('end, cause', [
    (lambda made: made.do(made.core.enable(False)), 'disabled'),
    (lambda made: setattr(made, 'silent', True), 'state stale')])
def test_an_arm_that_stands_is_sent_nothing_more_whatever_ends_the_command(end, cause):
    made = loop(state_timeout=0.5)
    to(made, LEFT)
    made.until(State.ARRIVED)
    end(made)
    made.run(1.0)
    assert [report.cause for report in made.reports if report][-1] == cause
    assert len(made.sent) == 1


def test_a_node_that_was_stopped_goes_on_where_the_arm_is_by_then():
    made = loop(motion='line')
    to(made, LEFT)
    made.run(0.3)
    made.stopped = made.silent = True
    made.run(0.8)
    made.stopped = made.silent = False
    made.until(State.ARRIVED)
    (begun, spline), = made.sent
    assert made.now < begun + spline.duration + 0.3


def test_an_arm_that_comes_to_rest_a_little_off_has_followed():
    made = loop(arrival_tolerance=0.1)
    made.sag[0] = 0.08
    to(made, LEFT)
    made.until(State.ARRIVED)


def test_an_arm_that_another_has_moved_sets_out_from_where_it_is():
    made = loop()
    to(made, LEFT)
    made.until(State.ARRIVED)
    made.path = [ARM.solve(Target((0.15, 0.0, 0.15), DOWN)).q]
    made.controller = Controller(made.path[0])
    made.run(1.0)
    assert [report.state for report in made.reports if report][-1] is State.ARRIVED
    to(made, RIGHT)
    made.until(State.ARRIVED)
    require_inside_limits(made.path)


def test_states_that_are_late_do_not_make_a_pause():
    made = loop(motion='line')
    to(made, LEFT)
    made.run(0.3)
    made.silent = True
    made.run(0.6)
    made.silent = False
    made.until(State.ARRIVED)
    assert len(made.sent) == 1
    assert 'paused' not in [report.cause for report in made.reports if report]


def go_round(made, rate, seconds, angle=0.0, speed=2.5):
    """
    Send targets of a circle from an angle on, up to 20 % late; return the tip's speeds.

    :param speed: round the circle [rad/s]; by default 0.1 m/s.
    """
    random, begun, first = Random(3), made.now, len(made.path)
    for number in range(round(rate * seconds)):
        made.run(max(0.0, (number + random.uniform(0.0, 0.2)) / rate - (made.now - begun)))
        turn = angle + speed * (made.now - begun)
        to(made, Target((0.18 + 0.04 * np.cos(turn), 0.04 * np.sin(turn), 0.05), DOWN))
    return np.linalg.norm(np.diff(tips(made)[first:], axis=0), axis=1) / 0.01


@pytest.mark.parametrize('rate', [10.0, 30.0, 100.0])
def test_a_stream_of_targets_is_as_even_as_its_motion_and_ends_at_its_last(rate):
    made = loop()
    to(made, Target((0.22, 0.0, 0.05), DOWN))
    made.until(State.ARRIVED)
    speeds = go_round(made, rate, 3.0)[100:]
    assert 0.08 < speeds.min() and speeds.max() < 0.12
    made.run(0.6)
    assert [report.state for report in made.reports if report][-1] is State.ARRIVED
    assert made.path[-1] == pytest.approx(
        [report.solution.q for report in made.reports if report and report.solution][-1], abs=1e-9)
    require_inside_limits(made.path)


def test_a_fast_stream_keeps_the_limits_between_points():
    made = loop()
    to(made, Target((0.22, 0.0, 0.05), DOWN))
    made.until(State.ARRIVED)
    go_round(made, 30.0, 1.5, speed=4.0)
    require_limits_between_points(made, 0.06)


@pytest.mark.parametrize('rate', [10.0, 30.0, 100.0])
def test_an_arm_that_does_not_follow_a_stream_is_told_while_targets_come(rate):
    made = loop()
    to(made, Target((0.22, 0.0, 0.05), DOWN))
    made.until(State.ARRIVED)
    go_round(made, rate, 0.7)
    made.blocked, before = True, len(made.reports)
    go_round(made, rate, 0.5, 2.5 * 0.7)
    assert 'left behind' in [report.cause for report in made.reports[before:] if report]
    made.run(1.0)
    require_inside_limits(made.path, slack=0.03)


@pytest.mark.parametrize('end', ['stop', 'target', 'jog', 'home', 'lost'])
def test_what_ends_a_stream_takes_over_inside_the_limits(end):
    made = loop()
    to(made, Target((0.22, 0.0, 0.05), DOWN))
    made.until(State.ARRIVED)
    go_round(made, 30.0, 1.0)
    if end == 'stop':
        made.do(made.core.enable(False))
        rests = made.path[-1]
        made.run(0.5)
        assert np.abs(made.path[-1] - rests).max() < 0.1
        made.do(made.core.enable(True))
        go_round(made, 30.0, 0.5)
    elif end == 'target':
        to(made, LEFT)
    elif end == 'jog':
        jog(made, 0.5, linear=(0.0, 0.05, 0.0))
    elif end == 'home':
        made.do(made.core.go_home(made.request()))
    else:
        made.blocked = True
        made.run(0.6)
    made.run(2.0)
    require_inside_limits(made.path, slack=0.01)


@pytest.mark.parametrize('after', [None, 0.0, 0.1, 0.3])
@pytest.mark.parametrize('before', [0.0, 0.1, 0.2])
def test_an_arm_that_does_not_follow_is_held_where_it_is(before, after):
    """Told within 0.4 s, braked on its way; a target that follows sets out from the set-point."""
    made = loop()
    to(made, LEFT)
    made.run(before)
    made.blocked, since = True, made.now
    while [report for report in made.reports if report][-1].cause != 'left behind':
        assert made.now < since + 0.4
        made.run(0.02)
    lost = [report for report in made.reports if report][-1]
    assert ('may have refused' in lost.reason) == (before == 0.0)
    if after is not None:
        made.run(after)
        to(made, MIDDLE)
    made.run(2.0)
    assert [report.cause for report in made.reports if report][-1] == 'left behind'
    assert made.path[-1] == pytest.approx(made.measured, abs=0.02)
    require_inside_limits(made.path, slack=0.01)


@pytest.mark.parametrize('lag', [0.05, 0.1, 0.15])
def test_an_arm_that_follows_late_is_not_left_behind(lag):
    made, random = loop(), Random(2)
    made.lag = lag
    for _ in range(40):
        to(made, random_target(random))
        made.run(random.uniform(0.1, 0.8))
    assert 'left behind' not in [report.cause for report in made.reports if report]


def jog(made, seconds, **twist):
    for _ in range(round(seconds / 0.02)):
        made.do(made.core.take_twist(Twist(**twist), made.request()))
        made.run(0.02)


def test_a_jog_goes_evenly_and_ends_with_its_twists():
    made = loop()
    jog(made, 1.0, linear=(0.0, 0.05, 0.0))
    made.run(0.6)
    way = tips(made)
    assert np.abs(way[:, [0, 2]] - (0.2, 0.05)).max() < 1e-3
    assert np.diff(way[30:100, 1]) == pytest.approx(0.0005, rel=0.05)
    assert [report.state for report in made.reports if report][-1] is State.ARRIVED
    require_inside_limits(made.path, slack=0.01)
    count = len(made.sent)
    made.run(1.0)
    assert len(made.sent) == count


@pytest.mark.parametrize('seed', range(5))
def test_jogs_in_any_direction_also_in_mid_motion_keep_the_limits_between_points(seed):
    made, random = loop(seed), Random(seed)
    for _ in range(4):
        jog(made, 0.5, linear=[random.uniform(-0.05, 0.05) for _ in range(3)])
        to(made, random_target(random))
        made.run(random.uniform(0.1, 0.5))
    made.run(1.0)
    require_limits_between_points(made, 0.02)
    require_inside_limits(made.path, slack=0.01)


def test_a_jog_ends_without_the_node():
    made = loop()
    jog(made, 0.5, linear=(0.0, 0.05, 0.0))
    before = made.path[-1]
    made.stopped = True
    made.run(1.0)
    assert np.abs(made.path[-1] - made.path[-20]).max() == 0.0
    assert 0.0 < np.abs(made.path[-1] - before).max() < 0.05
    require_inside_limits(made.path, slack=0.01)


def test_target_and_jog_take_over_from_each_other():
    made = loop()
    to(made, LEFT)
    made.run(0.2)
    jog(made, 0.5, linear=(0.0, 0.05, 0.0))
    to(made, RIGHT)
    made.until(State.ARRIVED)
    assert tips(made)[-1] == pytest.approx(RIGHT.position)
    require_inside_limits(made.path, slack=0.01)


def test_a_stream_of_targets_that_falls_silent_brakes_the_arm():
    made = loop(target_timeout=0.1)
    for y in np.linspace(-0.09, 0.0, 10):
        to(made, Target((0.2, y, 0.05), DOWN))
        made.run(0.03)
    made.run(1.0)
    assert 'target_timeout' in [report.cause for report in made.reports if report]
    require_inside_limits(made.path, slack=0.02)


def test_where_time_jumps_back_in_mid_motion_the_way_is_at_its_start():
    made = loop()
    to(made, LEFT)
    made.run(0.2)
    made.now -= 50.0
    made.core.go_on()
    assert made.core.command == pytest.approx(START)


def test_where_time_jumps_back_the_next_trajectory_begins_at_once():
    made = loop()
    to(made, LEFT)
    made.until(State.ARRIVED)
    made.now -= 50.0
    motion = made.core.take_target(RIGHT, made.request()).motion
    assert motion.begins - made.now == pytest.approx(LEAD)


@pytest.mark.parametrize('soon', [0.01, 0.03, 0.05])
def test_a_target_that_comes_while_a_disabled_arm_still_brakes_sets_out_from_there(soon):
    loop = Loop(Random(0), ARM.home, motion='line')
    for number in range(8):
        target = Target((0.2, 0.1 - 0.2 * (number % 2), 0.05), (0.0, 0.0, -1.0))
        loop.do(loop.core.take_target(target, loop.request()))
        loop.run(0.3 + 0.02 * number)
        loop.do(loop.core.enable(False))
        loop.do(loop.core.enable(True))
        loop.run(soon)
    loop.run(2.0)
    require_inside_limits(loop.path)
