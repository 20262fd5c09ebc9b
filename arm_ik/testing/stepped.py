# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm with weight whose time passes when a test says so; without ROS."""

from typing import Any

from ..arm import Arm
from ..drivers import make_backend, ServoDriver

#: One cycle of the bus [s].
_CYCLE = 0.01


class SteppedArm:
    """
    The driver of an arm in a world with weight, as fast as the machine allows.

    Runs of the same program are the same to the last byte. ``driver`` is the
    :class:`~arm_ik.drivers.ServoDriver`, ``backend`` what it drives, whose ``objects`` are where
    the objects are, ``record`` the time [s], positions by joint name and objects of each cycle.

    :param arm: the :class:`~arm_ik.Arm`.
    :param backend: options of the back end, such as the objects in ``scene`` and a ``seed``.
    :param driver: options of the driver.
    """

    def __init__(self, arm: Arm, backend: dict[str, Any] = {}, **driver: Any) -> None:
        self.arm, self.time, self.record = arm, 0.0, []     # type: ignore[var-annotated]
        self.backend = make_backend('mujoco', arm.model, clock=lambda: self.time, **backend)
        self.driver = ServoDriver(self.backend, **{'command_timeout': 0.0, **driver},
                                  clock=lambda: self.time, stamp_clock=lambda: self.time)
        self.driver.connect()

    def step(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / _CYCLE)):
            self.time += _CYCLE
            self.driver.turn()
            if self.driver.snapshot is not None:
                self.record.append((self.time, self.positions, self.backend.objects))

    @property
    def positions(self) -> dict[str, float]:
        """Newest measured position of every joint, by name [rad, m]."""
        return dict(self.driver.snapshot.positions)
