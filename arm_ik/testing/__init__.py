# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A test harness for programs that move an arm: send targets, wait for arrival, check joint states.

With plain pytest, a simulated arm and ``ik_node`` as processes in a ROS domain of their own::

    from arm_ik.testing import simulated_arm  # noqa: F401, a fixture

    def test_the_arm_gets_there(simulated_arm):
        simulated_arm.move_to((0.25, 0.05, 0.05), up=(0.0, 0.0, -1.0))
        simulated_arm.assert_at((0.25, 0.05, 0.05), up=(0.0, 0.0, -1.0))

Other arms with ``@pytest.mark.parametrize('simulated_arm', ['px100'], indirect=True)``, or without
the fixture by ``with SimulatedArm('px100') as arm:``. With launch_testing, :class:`ArmClient`
offers the same of an arm that the launch description started. :class:`SteppedArm` has weight and
needs no ROS.

Every wait ends with its event. If the event does not come in time, the test fails and shows what
was expected, what came instead, and the end of the output of the processes.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import ArmClient
    from .connection import TargetStatus
    from .pytest_plugin import simulated_arm
    from .simulated import SimulatedArm
    from .stepped import SteppedArm

__all__ = ['ArmClient', 'SimulatedArm', 'SteppedArm', 'TargetStatus', 'simulated_arm']

if not TYPE_CHECKING:
    _HOMES = {'ArmClient': 'client', 'SimulatedArm': 'simulated', 'TargetStatus': 'connection',
              'simulated_arm': 'pytest_plugin', 'SteppedArm': 'stepped'}

    def __getattr__(name):
        # Imported here: the fixture alone needs pytest, and .servos neither that nor ROS.
        if name not in _HOMES:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        return getattr(import_module(f'.{_HOMES[name]}', __name__), name)
