# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The pytest fixture.

By ``from arm_ik.testing import simulated_arm``, or for a whole test suite by
``pytest_plugins = ['arm_ik.testing.pytest_plugin']`` in its ``conftest.py``.
"""

from collections.abc import Iterator

import pytest

from .simulated import SimulatedArm


@pytest.fixture
def simulated_arm(request: pytest.FixtureRequest) -> Iterator[SimulatedArm]:
    """
    Yield a :class:`~arm_ik.testing.SimulatedArm`, SO-101 if not parametrized otherwise.

    The parameter is the arm's name, its file, or a dict of arguments of ``SimulatedArm``.
    """
    given = getattr(request, 'param', 'so101')
    arguments = given if isinstance(given, dict) else {'arm': given}
    with SimulatedArm(**arguments) as arm:
        yield arm
