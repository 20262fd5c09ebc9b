# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A driver on servos that are well."""

from driven_arm import DrivenArm
import pytest


@pytest.fixture
def arm():
    """Return a driver on servos that are well, its time the test's."""
    return DrivenArm()


@pytest.fixture
def driver(arm):
    """Return the driver of the arm."""
    return arm.driver
