# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Every back end is held to the contract."""

from arm_ik.drivers import backend_names, open_backend
from arm_ik.drivers.simulated import Simulated
from arm_ik.errors import DriverError
from backend_contract import BackendContract
import pytest
from small_arm import HOME, MODEL, Time


class TestSimulated(BackendContract):
    """Simulated servos, with the time in the test's hand."""

    def make(self):
        self.time = Time()
        return Simulated(MODEL, clock=self.time)

    def advance(self, seconds):
        self.time.advance(seconds)


def test_no_back_end_escapes_the_contract():
    assert {contract.__name__ for contract in BackendContract.__subclasses__()} == {
        f'Test{name.title().replace("_", "")}' for name in backend_names()}


def test_a_back_end_is_opened_by_name_connected():
    backend = open_backend('simulated', MODEL, start={'yaw': 0.5})
    assert backend.read() == {**HOME, 'yaw': 0.5}


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(DriverError, match="did you mean 'simulated'"):
        open_backend('simulatd', MODEL)
