# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Parameters of ``ik_node`` while it runs: changed as a whole between targets, or not at all."""

from math import pi
from time import monotonic

from arm_ik.description.presets import config_directory
from arm_ik.nodes.ik.parameters import SPECS
from ik_bench import IkBench
import pytest
from tip_targets import ASIDE, assert_only_the_good_target_moves_it, GOOD, send_tip

pytestmark = pytest.mark.about_time

AHEAD = (0.0, 0.5 ** 0.5, 0.0, 0.5 ** 0.5)
PAN = 'arm.joints.shoulder_pan'


# The command timer

def test_another_command_rate_counts_at_once(bench):
    send_tip(bench, GOOD)
    assert bench.set(command_rate=1.0).successful
    heard = len(bench.commands)
    bench.rest(20)
    assert len(bench.commands) <= heard + 2  # one may have been under way
    heard, changed = len(bench.commands), monotonic()
    assert bench.set(command_rate=200.0).successful
    bench.wait_for_command(heard + 50)
    assert monotonic() - changed < 0.8  # the old period has 0.6 s to go, and these take 0.25


def test_parameters_that_change_again_and_again_do_not_hold_commands_up(bench):
    assert bench.set(command_rate=10.0).successful
    send_tip(bench, GOOD)
    heard, began = len(bench.commands), monotonic()
    while len(bench.commands) < heard + 4:
        assert bench.set(home_speed=0.4, command_rate=10.0).successful
        assert monotonic() - began < 5.0


def test_a_stream_that_falls_silent_is_stopped_however_seldom_commands_are_repeated(bench):
    assert bench.set(command_rate=1.0, target_timeout=0.1).successful
    sent = monotonic()
    send_tip(bench, ASIDE)
    bench.wait_until(
        lambda: bench.commands and tuple(bench.commands[-1].position) == bench.arm.home,
        'the hold command')
    assert monotonic() - sent < 0.6


# What may not be

@pytest.mark.parametrize('values, words', [
    ({'branch_tolerance': [0.001, -1.0]}, 'a list of 2 numbers from 0 to 10 [m, rad]'),
    ({'output': 'trajectory'}, 'read-only'), ({f'{PAN}.upper': 1.0}, 'read-only'),
    ({'home_speed': 0.4, 'command_rate': 0.0}, 'command_rate'),
])
def test_what_is_wrong_is_refused_with_the_reason_and_nothing_changes(bench, values, words):
    before = bench.get(*values)
    result = bench.set(**values)
    assert not result.successful and words in result.reason
    assert repr(bench.get(*values)) == repr(before)
    assert_only_the_good_target_moves_it(bench)


def test_limits_are_those_that_the_servos_keep(tmp_path):
    servos = config_directory() / 'servos' / 'so101.yaml'
    narrow = tmp_path / 'servos.yaml'
    narrow.write_text(servos.read_text().replace('lower_tick: 790,', 'lower_tick: 1395,'))
    limit = (1395 - 2047) * 2.0 * pi / 4096
    with IkBench('--servos', str(narrow)) as bench:
        bench.drive()
        far = {**GOOD, 'shoulder_pan': -1.05}
        status = bench.wait_for_status('accepted', send_tip(bench, far))
        assert 'shoulder_pan' in status.limited_by
        assert bench.wait_for_command()[0]['shoulder_pan'] == pytest.approx(limit)
        assert 'shoulder_pan goes only from -1.00 to 1.92, as the' in bench.process.output()


def test_every_parameter_is_described_with_its_range(bench):
    names = [spec.name for spec in SPECS]
    found = bench.describe(*names)
    assert [descriptor.name for descriptor in found] == names
    for descriptor in found:
        assert descriptor.description and descriptor.additional_constraints
        numbers = descriptor.type == 3 and descriptor.name != 'elevation'
        assert len(descriptor.floating_point_range) == numbers, descriptor.name
        assert '[' in descriptor.description or not numbers
