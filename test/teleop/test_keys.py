# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.teleop.keys import DIRECTIONS, HELP, Keys, ZERO
import pytest

ZEROS = (ZERO, ZERO)


@pytest.fixture
def keys():
    return Keys(0.05, 0.5)


def test_nothing_is_sent_before_a_key(keys):
    assert keys.twist(0.0) is None


def test_a_key_latches_its_direction_until_another_comes(keys):
    keys.press('w', 1.0)
    assert keys.twist(1.0) == keys.twist(99.0) == ((0.05, 0.0, 0.0), (0.0, 0.0, 0.0))
    keys.press('w', 2.0)  # held down
    assert keys.twist(2.0) == ((0.05, 0.0, 0.0), (0.0, 0.0, 0.0))
    keys.press('l', 3.0)
    assert keys.twist(3.0) == ((0.0, 0.0, 0.0), (0.0, 0.0, -0.5))


@pytest.mark.parametrize('key', [' ', 'x', '\x1b', '\n', 't', 'q', '?'])
def test_any_other_key_stops_and_after_a_while_nothing_is_sent(keys, key):
    keys.press('r', 1.0)
    keys.press(key, 2.0)
    assert keys.twist(2.0) == keys.twist(2.25) == ZEROS
    assert keys.twist(2.5) is None
    assert keys.in_tool is (key == 't') and keys.quits is (key == 'q')


def test_speed_and_gripper_keys_stop_nothing(keys):
    keys.press('a', 1.0)
    keys.press('+', 1.1)
    assert keys.twist(1.1)[0] == pytest.approx((0.0, 0.0625, 0.0))
    keys.press('-', 1.2)
    keys.press('v', 1.3)
    assert keys.twist(1.3)[0] == pytest.approx((0.0, 0.05, 0.0))
    assert keys.opening == 0.6
    for _ in range(20):
        keys.press('c', 2.0)
        keys.press('-', 2.0)
    assert keys.opening == 0.0 and keys.twist(2.0)[0] == pytest.approx((0.0, 0.005, 0.0))


def test_steps_end_by_themselves_and_a_key_begins_a_new_one():
    keys = Keys(0.05, 0.5, step=0.005)
    keys.press('s', 1.0)
    assert keys.twist(1.09) == ((-0.05, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert keys.twist(1.11) == ZEROS
    keys.press('s', 1.2)
    assert keys.twist(1.29) == ((-0.05, 0.0, 0.0), (0.0, 0.0, 0.0))
    keys.press('+', 2.0)
    keys.press('s', 2.0)    # as long a way, in less time
    assert keys.twist(2.079)[0] == pytest.approx((-0.0625, 0.0, 0.0))
    assert keys.twist(2.081) == ZEROS


def test_every_direction_has_an_opposite_and_stands_in_the_help():
    parts = [linear + angular for _, linear, angular in DIRECTIONS.values()]
    assert all(tuple(-value for value in part) in parts for part in parts)
    assert len(set(parts)) == 12 and all(f' {key} ' in HELP for key in DIRECTIONS)
