# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik import Arm, Solution, Status, Target
from arm_ik.nodes.ik.health import CATCH_UP_S, NodeHealth, SchedulingDelay
from arm_ik.nodes.ik.report import Level, Report, Request, State
from core_bench import CoreBench
import pytest

ARM = Arm.preset('simple')
REACHED = Solution((0.0,), Status.REACHED, 0.0, 0.0, 0.0)
RELAXED = Solution((0.0,), Status.UP_RELAXED, 0.0, 0.1, 0.0, 'at a limit')


class Bench(CoreBench):
    """The health of a core whose arm is at home; ``q=None``: not known."""

    def __init__(self, q=ARM.home):
        super().__init__(ARM, q)
        self.health = NodeHealth(self.core)

    @property
    def level_and_message(self):
        level, message, _ = self.health.diagnostics()
        assert self.health.level_and_message() == (level, message)
        return level, message

    @property
    def values(self):
        return self.health.diagnostics()[2]


@pytest.fixture
def bench():
    return Bench()


# The level

def test_before_the_first_state_it_is_stale():
    bench = Bench(q=None)
    assert bench.level_and_message[0] is Level.STALE
    assert 'not known yet' in bench.level_and_message[1]
    assert bench.values['joint_states_age_s'] == 'inf'


def test_after_the_last_state_it_is_stale(bench):
    bench.health.count(Report(State.ACCEPTED, Level.OK, Request(1), solution=REACHED))
    bench.now += 2.0
    assert bench.level_and_message == (
        Level.STALE, 'the last joint_states of yaw came 2 s ago; allowed: at most 1 s '
        '(state_timeout)')
    assert bench.values['joint_states_age_s'] == '2.000'


def test_a_target_that_was_kept_is_counted_when_it_is_taken():
    bench = Bench(q=None)
    bench.health.count(bench.target(Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))))
    assert bench.values['targets_accepted'] == 0
    bench.health.count(bench.state())
    assert bench.values['targets_accepted'] == 1


def test_a_disabled_node_warns(bench):
    bench.core.enable(False)
    assert bench.level_and_message == (Level.WARN, 'disabled: call ~/enable with true first')
    assert bench.values['enabled'] == 'false'


def test_a_blocked_joint_is_an_error_until_the_command_ends(bench):
    report = bench.target(Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0)))
    bench.health.count(report)
    bench.rest(0.3)
    assert bench.level_and_message == (Level.OK, 'accepted')
    bench.rest(1.0)
    distances = [abs(q - h) for q, h in zip(report.solution.q, ARM.home)]
    name = ARM.joint_names[distances.index(max(distances))]
    assert bench.level_and_message == (Level.ERROR, (
        f'{name} does not move, and is {max(distances):.3g} rad from its command'))
    bench.core.enable(False)
    bench.core.enable(True)
    assert bench.level_and_message == (Level.OK, 'accepted')


@pytest.mark.parametrize('report, level', [
    (Report(State.ACCEPTED, Level.OK, solution=REACHED), Level.OK),
    (Report(State.ACCEPTED, Level.WARN, solution=RELAXED), Level.WARN),
    (Report(State.REFUSED, Level.WARN, reason='because'), Level.WARN)])
def test_otherwise_its_level_is_that_of_the_newest_report(bench, report, level):
    assert bench.level_and_message == (Level.OK, 'ready')
    bench.health.count(report)
    assert bench.level_and_message == (level, report.summary)


# What it counts

def test_it_counts_each_target_once_and_refused_ones_by_cause(bench):
    for seq, state, solution, cause in (
            (1, State.ACCEPTED, REACHED, ''), (1, State.MOVING, REACHED, ''),
            (1, State.ARRIVED, REACHED, ''), (2, State.ACCEPTED, RELAXED, ''),
            (3, State.ACCEPTED, None, 'acknowledged'), (4, State.REFUSED, None, 'frame'),
            (4, State.REFUSED, None, 'state stale'), (5, State.REFUSED, RELAXED, 'max_step'),
            (6, State.REFUSED, None, 'frame'), (2, State.ARRIVED, RELAXED, '')):
        bench.health.count(Report(state, Level.OK, Request(seq), cause=cause, solution=solution))
    counted = {'enabled': 'true', 'targets_accepted': 2, 'targets_relaxed': 1,
               'targets_refused': 3, 'refused: frame': 2, 'refused: max_step': 1}
    assert {key: bench.values[key] for key in counted} == counted
    assert 'refused: state stale' not in bench.values


def about(seconds):
    return pytest.approx(seconds, abs=1e-9)


class Process:
    """A clock, and a timer of 0.02 s that fires when it is told to."""

    def __init__(self):
        self.now = 100.0
        self.delay = SchedulingDelay(0.02, clock=lambda: self.now)

    def run(self, seconds):
        for _ in range(round(seconds / 0.02)):
            self.pause(0.02)

    def pause(self, seconds):
        self.now += seconds
        self.delay.tick()


@pytest.fixture
def process():
    process = Process()
    process.run(1.0)
    return process


def test_what_is_read_while_the_timer_is_on_time_has_not_waited(process):
    for _ in range(5):
        process.now += 0.019
        assert process.delay.seconds() == about(0.0)
        process.now += 0.001
        process.delay.tick()
        assert process.delay.seconds() == about(0.0)


def test_what_is_read_after_a_pause_may_have_waited_for_it_until_all_has_been_delivered(process):
    process.now += 0.5
    assert process.delay.seconds() == about(0.48)
    process.delay.tick()
    assert process.delay.seconds() == about(0.48)
    process.run(CATCH_UP_S - 0.02)
    assert process.delay.seconds() == about(0.48)
    process.run(0.04)
    assert process.delay.seconds() == about(0.0)


def test_of_two_pauses_the_longer_counts_and_then_the_later(process):
    process.pause(0.5)
    process.pause(0.1)
    assert process.delay.seconds() == about(0.48)
    process.run(1.0)
    process.pause(0.1)
    assert process.delay.seconds() == about(0.08)


def test_before_the_first_tick_time_counts_from_the_start():
    late = Process()
    assert late.delay.seconds() == about(0.0)
    late.now += 0.3
    assert late.delay.seconds() == about(0.28)
