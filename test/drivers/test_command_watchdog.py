# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command watchdog tells each thing once, and nothing while no command is waited for."""

from arm_ik.drivers.commands import CommandWatchdog
import pytest

TIMEOUT = 0.5


@pytest.fixture
def watchdog():
    """Return one that was fed at 10.0 s."""
    watchdog = CommandWatchdog()
    watchdog.feed(10.0)
    return watchdog


def test_before_the_first_command_none_is_waited_for():
    assert not CommandWatchdog().stops(1e9, TIMEOUT)
    assert not CommandWatchdog().makes_old(1e9, TIMEOUT)


def test_it_stops_the_arm_once_after_the_time_out(watchdog):
    assert not watchdog.stops(10.5, TIMEOUT)
    assert watchdog.stops(10.501, TIMEOUT)
    assert not watchdog.stops(10.502, TIMEOUT)


def test_a_command_begins_it_anew(watchdog):
    assert watchdog.stops(10.6, TIMEOUT)
    watchdog.feed(11.0)
    assert not watchdog.stops(11.5, TIMEOUT)
    assert watchdog.stops(11.6, TIMEOUT)


def test_earlier_commands_are_old_once_after_two_time_outs(watchdog):
    assert not watchdog.makes_old(11.0, TIMEOUT)
    assert watchdog.makes_old(11.001, TIMEOUT)
    assert not watchdog.makes_old(11.002, TIMEOUT)


def test_without_a_time_out_it_does_nothing(watchdog):
    assert not watchdog.stops(1e9, 0.0)
    assert not watchdog.makes_old(1e9, 0.0)


def test_after_a_reset_no_command_is_waited_for(watchdog):
    watchdog.reset()
    assert not watchdog.stops(1e9, TIMEOUT)
    assert not watchdog.makes_old(1e9, TIMEOUT)
