# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Observation of an arm in a test: measured states, waits, assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import atan2
from typing import TypeVar

from builtin_interfaces.msg import Time
import numpy as np

from .connection import ArmConnection
from .status import Stamp, TargetStatus
from ..arm import Arm
from ..kinematics.pose import Pose

Observer = TypeVar('Observer', bound='ArmObserver')


class ArmObserver:
    """
    An arm that is running.

    Every method that waits raises ``AssertionError`` if its event does not come in time. The error
    says what was expected and what came instead. Stamps have to be on the system's clock.

    :param arm: the :class:`~arm_ik.Arm` it is.
    :param namespace: the arm's.
    :param domain_id: the ROS domain the arm is in; ``None``: as ``ROS_DOMAIN_ID`` says.
    :param timeout: how long to wait for anything [s].
    """

    def __init__(self, arm: Arm, namespace: str = '', domain_id: int | None = None,
                 timeout: float = 60.0) -> None:
        self.arm = arm
        self.timeout = timeout
        self._connection = ArmConnection(namespace, domain_id)

    def __enter__(self: Observer) -> Observer:
        try:
            self.wait_until_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; the arm stays as it is."""
        self._connection.close()

    @property
    def joint_states(self) -> dict[str, float]:
        """Newest measured position of every joint, by name [rad]; grippers too."""
        with self._connection.changed:
            return dict(self._connection.positions)

    @property
    def q(self) -> tuple[float, ...]:
        """Newest measured positions of the chain [rad], base to tip."""
        positions = self.joint_states
        return tuple(positions[name] for name in self.arm.joint_names)

    @property
    def state_stamp(self) -> Stamp:
        """Stamp of the newest joint state, ``(seconds, nanoseconds)``; zeros before the first."""
        with self._connection.changed:
            return self._connection.state_stamp

    def tip(self) -> Pose:
        """Return the pose of ``tool0`` by forward kinematics of the measured positions."""
        return self.arm.forward(self.q)

    def record(self) -> list[dict[str, float]]:
        """Return a list to which every state from now on adds the positions of all joints."""
        return self._connection.record()

    @property
    def status(self) -> TargetStatus | None:
        """Newest :class:`TargetStatus`, ``None`` before the first."""
        with self._connection.changed:
            return self._connection.statuses[-1] if self._connection.statuses else None

    def statuses(self, stamp: Stamp | None = None) -> list[TargetStatus]:
        """Return all statuses so far, or those of the target with a stamp, oldest first."""
        with self._connection.changed:
            return [status for status in self._connection.statuses
                    if stamp is None or status.target_stamp == stamp]

    def wait_until_ready(self, timeout: float | None = None) -> None:
        """Wait until both nodes listen and every joint has been measured."""
        names = (*self.arm.joint_names, *(joint.name for joint in self.arm.model.extra_joints))

        def missing() -> list[str]:
            return [*(name for name in names if name not in self._connection.positions),
                    *(['ik_node/status'] if not self._connection.statuses else []),
                    *self._connection.unmatched()]

        # Discovery sends no notification, so it is checked at every joint state.
        self.wait_until(lambda: not missing(), 'both nodes listening and every joint measured',
                        timeout, lambda: f'nothing yet of {", ".join(missing())}')

    def wait_for_arrival(self, stamp: Stamp, timeout: float | None = None) -> TargetStatus:
        """Wait until the arm has arrived at the target with that stamp; return its status."""
        status = self._wait_for_state('arrived', ['refused'], stamp, timeout)
        # The status may arrive before the measured state it is about: wait for a later state.
        now = self._now()
        self.wait_until(lambda: self.state_stamp > (now.sec, now.nanosec),
                        'a joint state after the arrival', timeout)
        return status

    def wait_for_refusal(self, stamp: Stamp, timeout: float | None = None) -> TargetStatus:
        """Wait until the target with that stamp has been refused; return its status."""
        return self._wait_for_state('refused', ['accepted', 'moving', 'arrived'], stamp, timeout)

    def wait_until(self, holds: Callable[[], object], expected: str,
                   timeout: float | None = None, came: Callable[[], str] = lambda: 'not so'
                   ) -> None:
        """
        Wait until a condition holds; it is checked whenever a message of the arm comes.

        :param holds: callable without arguments.
        :param expected: what is waited for, in words.
        :param timeout: how long [s]; ``None``: the client's.
        :param came: callable that says in words what is the case instead.
        :raises AssertionError: if time is up, or a process of the arm has ended.
        """
        timeout = self.timeout if timeout is None else timeout
        ended = self._connection.wait_until(holds, timeout, self._ended)
        if ended is not None:
            raise AssertionError(self._failure(
                expected, ended or f'{came()}, after {timeout:g} s'))

    def assert_at(self, position: Iterable[float], up: Iterable[float] | None = None,
                  tolerance: float = 1e-6, up_tolerance: float = 1e-6) -> None:
        """
        Assert where the arm stands, by its measured positions.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param tolerance: for the tip [m].
        :param up_tolerance: for the up vector [rad].
        """
        tip = self.tip()
        error_m = float(np.linalg.norm(tip.position - np.array(position, float)))
        error_rad = 0.0 if up is None else _angle(tip.up, np.array(up, float))
        if not (error_m <= tolerance and error_rad <= up_tolerance):
            raise AssertionError(self._failure(
                f'{_words(position, up)}, within {tolerance:g} m and {up_tolerance:g} rad',
                f'{_words(tip.position, tip.up)}, off by {error_m:.3g} m and {error_rad:.3g} rad'))

    def _wait_for_state(self, wanted: str, others: list[str], stamp: Stamp,
                        timeout: float | None) -> TargetStatus:
        """Wait for the first status of a target among some states; it has to be the wanted one."""
        expected = f'target {_stamp_words(stamp)} {wanted}'

        def found() -> list[TargetStatus]:
            return [status for status in self.statuses(stamp)
                    if status.state in (wanted, *others)]

        self.wait_until(found, expected, timeout,
                        lambda: str(next(reversed(self.statuses(stamp)), 'no status of it')))
        status = found()[0]
        if status.state != wanted:
            raise AssertionError(self._failure(expected, str(status)))
        return status

    def _now(self) -> Time:
        return self._connection.now()

    def _ended(self) -> str:
        """Return in words which process has ended; ``''``: none."""
        return ''

    def _process_outputs(self) -> list[str]:
        """Return the output of each process, for a failed test."""
        return []

    def _failure(self, expected: str, came: str) -> str:
        with self._connection.changed:
            positions, status = dict(self._connection.positions), self.status
        measured = ', '.join(f'{name} {value:.6g}' for name, value in positions.items())
        return '\n'.join([
            f'expected: {expected}', f'came:     {came}', f'status:   {status or "none yet"}',
            f'measured: {measured or "nothing yet"}', *self._process_outputs()])


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def _words(position: Iterable[float], up: Iterable[float] | None) -> str:
    tip = f'tip at ({", ".join(f"{float(value):.6g}" for value in position)}) m'
    if up is None:
        return tip
    return f'{tip}, up ({", ".join(f"{float(value):.6g}" for value in up)})'


def _stamp_words(stamp: Stamp) -> str:
    return f'{stamp[0]}.{stamp[1]:09d}'
