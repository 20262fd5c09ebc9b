# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The level of the node, and the line about it."""

from arm_ik import Arm, Solution, Status, Target
from arm_ik.nodes.ik.report import Level, Report, State
from core_bench import CoreBench
import pytest

ARM = Arm.preset('simple')
TARGET = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))
REACHED = Solution((0.0,), Status.REACHED, 0.0, 0.0, 0.0)
RELAXED = Solution((0.0,), Status.UP_RELAXED, 0.0, 0.1, 0.0, 'at a limit')


def condition(bench, newest=None):
    return bench.core.reports.condition(newest, bench.now)


@pytest.fixture
def bench():
    return CoreBench(ARM, ARM.home)


def test_before_the_first_state_it_is_stale():
    level, words = condition(CoreBench(ARM))
    assert level is Level.STALE and 'not known yet' in words


def test_after_the_last_state_it_is_stale(bench):
    bench.now += 2.0
    assert condition(bench, Report(State.ACCEPTED, Level.OK, solution=REACHED)) == (
        Level.STALE, 'the last joint_states of yaw came 2 s ago; allowed: at most 1 s '
        '(state_timeout)')


def test_a_disabled_node_warns(bench):
    report = bench.core.enable(False)
    assert condition(bench, report) == (Level.WARN, 'disabled: call ~/enable with true first')


def test_a_blocked_joint_is_an_error_until_the_command_ends(bench):
    report = bench.target(TARGET)
    bench.rest(0.3)
    assert condition(bench, report) == (Level.OK, 'accepted')
    bench.rest(1.0)
    distances = [abs(q - h) for q, h in zip(report.solution.q, ARM.home)]
    name = ARM.joint_names[distances.index(max(distances))]
    assert condition(bench, report) == (Level.ERROR, (
        f'{name} does not move, and is {max(distances):.3g} rad from its command'))
    bench.core.enable(False)
    bench.core.enable(True)
    assert condition(bench, report) == (Level.OK, 'accepted')


@pytest.mark.parametrize('report', [
    Report(State.ACCEPTED, Level.OK, solution=REACHED),
    Report(State.ACCEPTED, Level.WARN, solution=RELAXED),
    Report(State.REFUSED, Level.WARN, reason='because')])
def test_otherwise_its_level_is_that_of_the_newest_report(bench, report):
    assert condition(bench) == (Level.OK, 'ready')
    assert condition(bench, report) == (report.level, report.summary)
