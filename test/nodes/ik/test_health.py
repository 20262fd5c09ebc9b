# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik import Solution, Status
from arm_ik.nodes.ik.health import Health
from arm_ik.nodes.ik.report import Level, Order, Report, State
import pytest

REACHED = Solution((0.0,), Status.REACHED, 0.0, 0.0, 0.0)
RELAXED = Solution((0.0,), Status.UP_RELAXED, 0.0, 0.1, 0.0, 'at a limit')


@pytest.mark.parametrize('trouble', [(Level.STALE, 'no joint_states'), (Level.ERROR, 'stuck')])
def test_what_is_wrong_with_the_arm_is_the_level(trouble):
    health = Health()
    health.count(Report(State.ACCEPTED, Level.OK, Order(1), solution=REACHED))
    assert health.level(trouble) is trouble[0]
    assert health.condition(trouble)[:2] == trouble


@pytest.mark.parametrize('report, level', [
    (Report(State.ACCEPTED, Level.OK, solution=REACHED), Level.OK),
    (Report(State.ACCEPTED, Level.WARN, solution=RELAXED), Level.WARN),
    (Report(State.REFUSED, Level.WARN, reason='because'), Level.WARN)])
def test_otherwise_its_level_is_that_of_the_newest_report(report, level):
    health = Health()
    assert health.condition(None)[:2] == (Level.OK, 'ready')
    health.count(report)
    assert health.level(None) is level
    assert health.condition(None)[:2] == (level, report.summary)


def test_it_counts_each_target_once_and_refused_ones_by_cause():
    health = Health()
    for seq, state, solution, cause in (
            (1, State.ACCEPTED, REACHED, ''), (1, State.MOVING, REACHED, ''),
            (1, State.ARRIVED, REACHED, ''), (2, State.ACCEPTED, RELAXED, ''),
            (3, State.ACCEPTED, None, 'acknowledged'), (4, State.REFUSED, None, 'frame'),
            (4, State.REFUSED, None, 'state stale'), (5, State.REFUSED, RELAXED, 'max_step'),
            (6, State.REFUSED, None, 'frame')):
        health.count(Report(state, Level.OK, Order(seq), cause=cause, solution=solution))
    _, _, values = health.condition(None, enabled='true')
    counted = {'enabled': 'true', 'targets_accepted': 2, 'targets_relaxed': 1,
               'targets_refused': 3, 'refused: frame': 2, 'refused: max_step': 1,
               'targets_dropped': 0}
    assert {key: values[key] for key in counted} == counted
    assert 'refused: state stale' not in values


def test_rates_are_those_of_a_second_or_more():
    now = [10.0]
    health = Health(lambda: now[0])
    for _ in range(30):
        health.targets.count()
        health.commands.count()
    now[0] += 0.5
    assert health.condition(None)[2]['targets_per_s'] == '0.0'
    now[0] += 1.0
    for _ in range(2):
        values = health.condition(None)[2]
        assert (values['targets_per_s'], values['joint_states_per_s']) == ('20.0', '0.0')
    now[0] += 1.0
    assert health.condition(None)[2]['commands_per_s'] == '0.0'


def test_latencies_are_told_by_quantiles():
    health = Health()
    assert health.condition(None)[2]['latency_p50_ms'] == 'nan'
    for number in range(1, 2001):  # the newest thousand count
        health.latencies.add(number * 1e-3)
    values = health.condition(None)[2]
    assert (values['latency_p50_ms'], values['latency_p99_ms']) == ('1501.000', '1991.000')


def test_the_last_error_is_remembered_with_its_age():
    now = [10.0]
    health = Health(lambda: now[0])
    assert health.condition(None)[2]['last_error'] == ''
    health.count(Report(State.REFUSED, Level.WARN, Order(1), 'NaN'))
    health.count(Report(State.ACCEPTED, Level.WARN, Order(2), 'too far', solution=RELAXED))
    now[0] += 2.0
    values = health.condition(None)[2]
    assert (values['last_error'], values['last_error_age_s']) == ('NaN', '2.0')


def test_news_of_a_target_after_a_newer_one_was_refused_do_not_count_it_again():
    health = Health()
    health.count(Report(State.ACCEPTED, Level.OK, Order(1), solution=RELAXED))
    health.count(Report(State.REFUSED, Level.WARN, Order(2), 'NaN', 'NaN'))
    health.count(Report(State.ARRIVED, Level.OK, Order(1), solution=RELAXED))
    values = health.condition(None)[2]
    assert (values['targets_accepted'], values['targets_refused']) == (1, 1)


def test_messages_that_waited_and_were_overtaken_are_counted():
    receipts = Health().poses
    for _ in range(20):
        receipts.count()
    assert receipts.dropped == 0
    receipts.count(overtaken=7, number=28)
    receipts.count(overtaken=2)
    assert receipts.dropped == 9


def test_what_a_full_queue_had_no_place_for_is_counted_by_the_numbers():
    receipts = Health().poses
    # Whoever sends may have sent to others before: the first number tells of nothing lost.
    receipts.count(overtaken=31, number=5000)
    assert receipts.dropped == 31
    receipts.count()
    receipts.count()
    receipts.count(overtaken=31, number=5000 + 2 + 32 + 100)
    assert receipts.dropped == 31 + 31 + 100


def test_what_the_senders_queue_had_no_place_for_is_counted_too():
    receipts = Health().poses
    receipts.count(overtaken=9, number=10)
    receipts.count()
    # Of 30 sent to a node that stood still, the sender kept the newest ten.
    receipts.count(overtaken=9, number=41)
    assert receipts.dropped == 9 + 20 + 9


def test_another_sender_is_not_taken_for_a_loss():
    receipts = Health().poses
    for number in (10, 9000, 14, 9030):
        receipts.count(overtaken=1, number=number, plausible=lambda: False)
    assert receipts.dropped == 4


def test_a_sender_that_starts_anew_is_not_taken_for_a_loss():
    receipts = Health().poses
    receipts.count(overtaken=1, number=9000)
    receipts.count(overtaken=1, number=3)
    receipts.count(overtaken=1, number=7)
    assert receipts.dropped == 3 + 2


def test_a_middleware_that_numbers_nothing_is_no_fault():
    receipts = Health().poses
    receipts.count(overtaken=31, number=None)
    receipts.count(overtaken=31, number=None)
    assert receipts.dropped == 62
