# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A path that is planned beside: the arm goes on meanwhile, and newer requests end it."""

from concurrent.futures import Future
from random import Random

from arm_ik import Target
from arm_ik.errors import ArmIkError
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Request, State
from clocked_loop import Loop
from core_bench import PERIOD
import numpy as np
import pytest
from test_lines_of_core import ARM, Bench, LEFT, MIDDLE, RIGHT

DOWN = (0.0, 0.0, -1.0)
PATH = [MIDDLE, RIGHT]


class Beside(Bench):
    """A bench on which planning is done when the test says so, or at once if it is ``instant``."""

    instant = False

    def __init__(self, **settings):
        super().__init__(**settings)
        self.core = IkCore(ARM, Settings(**settings), lambda: self.now, self._later)
        self.core.take_state(ARM.joint_names, self.q)
        self.asked = []

    def _later(self, action):
        self.asked.append((action, Future()))
        return self.plan() if self.instant else self.asked[-1][1]

    def plan(self):
        """Have the oldest planning done."""
        action, future = self.asked.pop(0)
        try:
            future.set_result(action())
        except ArmIkError as error:
            future.set_exception(error)
        return future


def on_its_way(seconds, **settings):
    bench = Beside(motion='line', **settings)
    bench.target(LEFT)
    bench.follow(seconds)
    return bench


@pytest.mark.parametrize('seconds', [0.1, 0.6, 1.2, 1.9, 3.0])
@pytest.mark.parametrize('slow', [0.0, 0.02, 0.1])
def test_the_arm_goes_on_as_it_did_while_a_path_is_planned(seconds, slow):
    bench, plain = on_its_way(seconds), on_its_way(seconds)
    assert bench.path(*PATH).state is State.PLANNING
    bench.follow(slow)
    plain.follow(slow)
    assert bench.commands == plain.commands
    bench.reports.clear()
    while bench.asked:      # a planning that was too slow is done once more
        bench.plan()
        reports = bench.follow(PERIOD)
    assert reports[-1].player is not None and reports[-1].cause == 'line'
    bench.until_arrived()
    bench.require_inside_limits()
    assert np.abs(bench.tips()[:, [0, 2]] - (0.2, 0.05)).max() < 1e-3
    assert bench.tips()[-1] == pytest.approx(RIGHT.position, abs=1e-9)


def test_on_the_way_to_a_goal_the_line_begins_where_the_arm_will_be():
    bench = Beside()
    bench.target(LEFT)
    bench.rest(0.02)
    assert bench.path(*PATH).state is State.PLANNING and bench.core.go_on().velocities == ()
    bench.plan()
    report = bench.core.check()
    assert report.cause == 'line'
    assert ARM.forward(report.player.line.q[0]).position[1] > RIGHT.position[1] - 1e-9


@pytest.mark.parametrize('end, cause', [
    (lambda bench: bench.target(LEFT), ''), (lambda bench: bench.home(), 'home'),
    (lambda bench: bench.core.take_twist(Twist((0.0, 0.0, 0.05)), bench.request()), 'jog'),
    (lambda bench: bench.core.enable(False), 'disabled'),
    (lambda bench: bench.core.take_refusal(('stopped', 'stopped')), 'stopped')])
def test_what_comes_later_ends_the_planning(end, cause):
    bench = Beside()
    bench.path(*PATH)
    end(bench)
    assert 'not needed' in str(bench.plan().exception())
    assert not [report for report in bench.follow(0.1) if report.player]


def test_a_refused_path_leaves_the_arm_on_its_way():
    bench, plain = on_its_way(0.4), on_its_way(0.4)
    bench.path(MIDDLE, Target((0.9, 0.0, 0.1)))
    bench.plan()
    refused, = [report for report in bench.follow(PERIOD) if report.cause == 'line'
                and report.state is State.REFUSED]
    assert 'line 2 of 2' in refused.reason
    plain.follow(PERIOD)
    bench.follow(0.5), plain.follow(0.5)
    assert bench.commands == plain.commands


def test_a_newer_path_has_the_older_one_refused_and_gets_its_own_word():
    bench = Beside()
    bench.path(*PATH)
    older = bench.core.reports.request
    dropped = bench.path(RIGHT, MIDDLE)
    assert (dropped.state, dropped.request, dropped.cause) == (
        State.REFUSED, older, 'newer path')
    while bench.asked:
        bench.plan()
    report = bench.core.check()
    assert (report.state, report.request) == (State.ACCEPTED, bench.core.reports.request)
    assert report.target == MIDDLE


@pytest.mark.parametrize('motion', ['joint', 'line'])
@pytest.mark.parametrize('seconds', [0.0, 0.1, 0.5])    # of a stream, and not
def test_a_refused_target_leaves_a_path_that_is_being_planned(motion, seconds):
    bench = Beside(motion=motion, follow_relaxed=False)
    bench.target(LEFT)
    bench.follow(seconds)
    bench.path(*PATH)
    assert bench.target(Target((0.9, 0.0, 0.1), LEFT.up)).state is State.REFUSED
    while bench.asked:
        bench.plan()
        bench.follow(PERIOD)
    assert [report.player for report in bench.reports if report.player is not None]


def test_a_jog_comes_to_rest_before_the_path():
    loop = Loop(Random(0))
    later = []
    loop.core = IkCore(ARM, clock=lambda: loop.now, background=lambda action: later.append(
        (action, Future())) or later[-1][1])
    loop.run(0.1)
    for number in range(20):
        loop.core.take_twist(Twist((0.0, 0.0, 0.08)), Request(number + 1))
        loop.run(0.02)
    assert loop.core.take_path([MIDDLE, RIGHT], Request(50)).state is State.PLANNING
    loop.run(0.4)
    there = loop.path[-1]
    loop.run(0.2)
    assert loop.path[-1] == pytest.approx(there, abs=1e-6)
    action, future = later.pop()
    future.set_result(action())
    loop.run(0.1)
    assert loop.reports[-1].cause == 'line'
    assert future.result()[0].q[0] == pytest.approx(there, abs=1e-3)


@pytest.mark.parametrize('seconds', [0.0, 0.3])
def test_lines_that_are_planned_once_more_at_once_are_reported(seconds):
    bench = on_its_way(seconds, tip_speed=0.5)
    bench.path(*PATH)
    bench.asked.clear()
    bench.instant = True
    bench.core.pause(True)
    report = bench.core.check()
    assert report.state is State.ACCEPTED and report.player is not None
    assert report.request.seq == bench.seq and report.solution.q == tuple(report.player.line.q[-1])
    assert bench.core.check() is None
    bench.core.pause(False)
    bench.until_arrived()
    assert bench.tips()[-1] == pytest.approx(RIGHT.position, abs=1e-9)


@pytest.mark.parametrize('speed', [0.2, 1.0])
def test_another_speed_while_a_path_is_planned_has_it_planned_from_where_the_arm_is(speed):
    bench = on_its_way(0.3, speed=0.6, tip_speed=0.5)
    bench.path(*3 * PATH)
    bench.core.change(bench.core.settings._replace(speed=speed))
    bench.follow(PERIOD)
    bench.plan()
    bench.reports.clear()
    bench.follow(PERIOD)
    while bench.asked:
        bench.plan()
        bench.follow(PERIOD)
    line, = [report.player.line for report in bench.reports if report.player is not None]
    there = bench.tips()[-1][1]
    assert 0.0 <= ARM.forward(line.q[0]).position[1] - there < 0.06
    bench.until_arrived()
    bench.require_inside_limits()
    assert bench.tips()[-1] == pytest.approx(RIGHT.position, abs=1e-9)


@pytest.mark.parametrize('seed', range(6))
def test_a_node_that_dies_on_a_fast_line_leaves_an_arm_that_stops_on_it(seed):
    random, loop = Random(seed), Loop(Random(seed))
    loop.core = IkCore(ARM, Settings(motion='line', tip_speed=0.3), clock=lambda: loop.now)
    loop.run(0.2)
    begin, end = ((0.2, side, 0.08) for side in (-0.12, 0.12))
    loop.do(loop.core.take_target(Target(begin, DOWN), Request(1)))
    loop.run(6.0)
    loop.do(loop.core.take_target(Target(end, DOWN), Request(2)))
    begun = len(loop.path)
    loop.run(random.uniform(0.1, 1.1))
    loop.busy = True
    loop.run(1.0)
    tips = ARM.forward(np.array(loop.path[begun:])).position
    assert tips[:, 1].max() < end[1] + 1e-3
    assert np.abs(tips[:, [0, 2]] - (end[0], end[2])).max() < 1e-3
