# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik import Solution, Status
from arm_ik.nodes.health import Health
from arm_ik.nodes.report import Level, Report, State
import pytest

REACHED = Solution((0.0,), Status.REACHED, 0.0, 0.0, 0.0)
RELAXED = Solution((0.0,), Status.UP_RELAXED, 0.0, 0.1, 0.0, 'at a limit')


def test_without_a_state_it_is_stale_and_says_why():
    assert Health().condition('no joint_states', True, float('inf'))[:2] == (
        Level.STALE, 'no joint_states')


def test_disabled_is_a_warning():
    level, message, values = Health().condition('disabled', False, 0.01)
    assert (level, message, values['enabled']) == (Level.WARN, 'disabled', 'false')


@pytest.mark.parametrize('report, level', [
    (Report(State.ACCEPTED, Level.OK, solution=REACHED), Level.OK),
    (Report(State.ACCEPTED, Level.WARN, solution=RELAXED), Level.WARN),
    (Report(State.REFUSED, Level.WARN, reason='because'), Level.WARN)])
def test_otherwise_its_level_is_that_of_the_newest_report(report, level):
    health = Health()
    assert health.condition('', True, 0.01)[:2] == (Level.OK, 'ready')
    health.count(report)
    assert health.condition('', True, 0.01)[:2] == (level, report.summary)


def test_it_counts_each_target_once():
    health = Health()
    for state, solution in ((State.ACCEPTED, REACHED), (State.MOVING, REACHED),
                            (State.ARRIVED, REACHED), (State.ACCEPTED, RELAXED),
                            (State.ACCEPTED, None), (State.REFUSED, None)):
        health.count(Report(state, Level.OK, solution=solution))
    _, _, values = health.condition('', True, 0.5)
    assert values == {'enabled': 'true', 'joint_states_age_s': '0.500', 'targets_accepted': 2,
                      'targets_relaxed': 1, 'reports_refused': 1}
