# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What an arm does, as a test sees it: measured, waited for, asserted."""

from math import atan2
from time import monotonic

import numpy as np

from .wires import Wires


class ArmObserver:
    """
    An arm that is running.

    Every method that waits raises ``AssertionError`` when what it waits for does not come, and
    says what was expected and what came. Stamps have to be on the system's clock.

    :param arm: the :class:`~arm_ik.Arm` it is.
    :param namespace: the arm's.
    :param domain_id: the ROS domain the arm is in; ``None``: as ``ROS_DOMAIN_ID`` says.
    :param timeout: how long to wait for anything [s].
    """

    def __init__(self, arm, namespace='', domain_id=None, timeout=60.0):
        self.arm = arm
        self.timeout = timeout
        self._wires = Wires(namespace, domain_id)

    def __enter__(self):
        try:
            self.wait_until_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Let go of the arm; it stays as it is."""
        self._wires.close()

    @property
    def joint_states(self):
        """Newest measured reading of every joint, by name [rad]; grippers too."""
        with self._wires.news:
            return dict(self._wires.readings)

    @property
    def q(self):
        """Newest measured readings of the chain [rad], base to tip."""
        readings = self.joint_states
        return tuple(readings[name] for name in self.arm.joint_names)

    def tip(self):
        """Return the pose of ``tool0`` by forward kinematics of the measured readings."""
        return self.arm.forward(self.q)

    def record(self):
        """Return a list that grows by the readings of all joints with every state from now on."""
        return self._wires.record()

    @property
    def status(self):
        """Newest :class:`TargetStatus`, ``None`` before the first."""
        with self._wires.news:
            return self._wires.statuses[-1] if self._wires.statuses else None

    def statuses(self, stamp=None):
        """Return all statuses so far, or those of the target with a stamp, oldest first."""
        with self._wires.news:
            return [status for status in self._wires.statuses
                    if stamp is None or status.target_stamp == stamp]

    def wait_until_ready(self, timeout=None):
        """Wait until both nodes listen and the arm's state is known to all."""
        names = (*self.arm.joint_names, *(joint.name for joint in self.arm.model.extra_joints))

        def missing():
            return [*(name for name in names if name not in self._wires.readings),
                    *(['ik_node/status'] if not self._wires.statuses else []),
                    *self._wires.unmatched()]

        # Discovery is no news of ours, so it is looked at whenever a joint state comes.
        self.wait_until(lambda: not missing(), 'both nodes listening and every joint measured',
                        timeout, lambda: f'nothing yet of {", ".join(missing())}')

    def wait_for_arrival(self, stamp, timeout=None):
        """Wait until the arm has arrived at the target with that stamp; return its status."""
        status = self._wait_for_fate('arrived', ['refused'], stamp, timeout)
        # The status overtakes the measured state it is about: wait for one measured since.
        now = self._now()
        self.wait_until(lambda: self._wires.state_stamp > (now.sec, now.nanosec),
                        'a joint state after the arrival', timeout)
        return status

    def wait_for_refusal(self, stamp, timeout=None):
        """Wait until the target with that stamp has been refused; return its status."""
        return self._wait_for_fate('refused', ['accepted', 'moving', 'arrived'], stamp, timeout)

    def wait_until(self, holds, expected, timeout=None, came=lambda: 'not so'):
        """
        Wait until something holds; it is looked at whenever there is news of the arm.

        :param holds: callable without arguments.
        :param expected: what is waited for, in words.
        :param timeout: how long [s]; ``None``: the client's.
        :param came: callable that says in words what is the case instead.
        :raises AssertionError: if time is up, or nobody is left who could bring it about.
        """
        timeout = self.timeout if timeout is None else timeout
        deadline = monotonic() + timeout
        with self._wires.news:
            while not holds():
                ended, left = self._obstacle(), deadline - monotonic()
                if ended or left <= 0.0:
                    raise AssertionError(self._complaint(
                        expected, ended or f'{came()}, after {timeout:g} s'))
                self._wires.news.wait(left)

    def assert_at(self, position, up=None, tolerance=1e-6, up_tolerance=1e-6):
        """
        Assert where the arm stands, by its measured readings.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param tolerance: for the tip [m].
        :param up_tolerance: for the up vector [rad].
        """
        tip = self.tip()
        error_m = float(np.linalg.norm(tip.position - np.array(position, float)))
        error_rad = 0.0 if up is None else _angle(tip.up, np.array(up, float))
        if not (error_m <= tolerance and error_rad <= up_tolerance):
            raise AssertionError(self._complaint(
                f'{_words(position, up)}, within {tolerance:g} m and {up_tolerance:g} rad',
                f'{_words(tip.position, tip.up)}, off by {error_m:.3g} m and {error_rad:.3g} rad'))

    def _wait_for_fate(self, wanted, others, stamp, timeout):
        """Wait for the first status of a target among some states; it has to be the wanted one."""
        expected = f'target {_stamp_words(stamp)} {wanted}'

        def fate():
            return next((status for status in self.statuses(stamp)
                         if status.state in (wanted, *others)), None)

        self.wait_until(fate, expected, timeout,
                        lambda: str((self.statuses(stamp) or ['no word of it'])[-1]))
        if fate().state != wanted:
            raise AssertionError(self._complaint(expected, str(fate())))
        return fate()

    def _now(self):
        return self._wires.now()

    def _obstacle(self):
        """Return in words why nothing can come any more; ``''``: it still may."""
        return ''

    def _witnesses(self):
        """Return further paragraphs for a failed test."""
        return []

    def _complaint(self, expected, came):
        with self._wires.news:
            readings, status = dict(self._wires.readings), self.status
        measured = ', '.join(f'{name} {value:.6g}' for name, value in readings.items())
        return '\n'.join([
            f'expected: {expected}', f'came:     {came}', f'status:   {status or "none yet"}',
            f'measured: {measured or "nothing yet"}', *self._witnesses()])


def _angle(a, b):
    return atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def _words(position, up):
    tip = f'tip at ({", ".join(f"{float(value):.6g}" for value in position)}) m'
    if up is None:
        return tip
    return f'{tip}, up ({", ".join(f"{float(value):.6g}" for value in up)})'


def _stamp_words(stamp):
    return f'{stamp[0]}.{stamp[1]:09d}'
