# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a silence comes to: each thing once, and nothing while nobody is waited for."""

from arm_ik.drivers.silence import Silence
import pytest

TIMEOUT = 0.5


@pytest.fixture
def silence():
    """Return one that has lasted since 10.0 s."""
    silence = Silence()
    silence.end(10.0)
    return silence


def test_before_the_first_command_nobody_is_waited_for():
    assert not Silence().stops(1e9, TIMEOUT)
    assert not Silence().is_long(1e9, TIMEOUT)


def test_it_stops_the_arm_once_after_the_time_out(silence):
    assert not silence.stops(10.5, TIMEOUT)
    assert silence.stops(10.501, TIMEOUT)
    assert not silence.stops(10.502, TIMEOUT)


def test_a_command_begins_it_anew(silence):
    assert silence.stops(10.6, TIMEOUT)
    silence.end(11.0)
    assert not silence.stops(11.5, TIMEOUT)
    assert silence.stops(11.6, TIMEOUT)


def test_it_is_long_once_after_two_time_outs(silence):
    assert not silence.is_long(11.0, TIMEOUT)
    assert silence.is_long(11.001, TIMEOUT)
    assert not silence.is_long(11.002, TIMEOUT)


def test_without_a_time_out_it_is_nothing(silence):
    assert not silence.stops(1e9, 0.0)
    assert not silence.is_long(1e9, 0.0)


def test_when_it_is_forgotten_nobody_is_waited_for(silence):
    silence.forget()
    assert not silence.stops(1e9, TIMEOUT)
    assert not silence.is_long(1e9, TIMEOUT)
