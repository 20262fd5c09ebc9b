# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets to an arm that is running, and what becomes of them."""

from math import atan2
from time import monotonic

from geometry_msgs.msg import PointStamped, Vector3Stamped
import numpy as np
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from .poses import pose_stamped, tool_axes
from .wires import Wires
from ..arm import Arm


class ArmClient:
    """
    An arm that moves, as a test sees it.

    To be used as a context manager, or with :meth:`close`. ``ik_node`` has to run with
    ``up_axis: z``, its default. Every method that waits raises ``AssertionError`` when what it
    waits for does not come, and says what was expected and what came.

    :param arm: an :class:`~arm_ik.Arm`, the name of one that comes with the package, or its file.
    :param namespace: the arm's.
    :param domain_id: the ROS domain the arm is in; ``None``: as ``ROS_DOMAIN_ID`` says.
    :param frame_prefix: the arm's.
    :param timeout: how long to wait for anything [s].
    """

    def __init__(self, arm='so101', namespace='', domain_id=None, frame_prefix='', timeout=60.0):
        self.arm = find_arm(arm)
        self.timeout = timeout
        self.frame = f'{frame_prefix}base_link'
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

    # What is measured

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

    # What is asked

    def send(self, position, up=None, forward=None):
        """
        Send a target and return at once.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param forward: tool x, as far as the up vector leaves it free; ``None``: any.
        :returns: the target's stamp, to wait for its fate.
        """
        if up is not None:
            return self.publish(pose_stamped(
                position, tool_axes(self.arm, position, up, forward), self.frame, self._now()))
        self._clear_stored_up()
        message = PointStamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        message.point.x, message.point.y, message.point.z = map(float, position)
        return self.publish(message)

    def publish(self, message):
        """
        Publish a message of any type the arm takes, as it is.

        :returns: its stamp as ``(seconds, nanoseconds)``, ``None`` for a message without.
        """
        self._wires.publish(message)
        header = getattr(message, 'header', None)
        return (header.stamp.sec, header.stamp.nanosec) if header is not None else None

    def move_to(self, position, up=None, forward=None, timeout=None):
        """Send a target, wait for arrival, and return the measured readings [rad]; see `send`."""
        self.wait_for_arrival(self.send(position, up, forward), timeout)
        return self.q

    def move_gripper(self, opening, timeout=None):
        """Open the gripper (0 closed, 1 open), wait, and return the measured reading."""
        if not self.arm.model.extra_joints:
            raise ValueError(f'{self.arm.name} has no gripper')
        joint = self.arm.model.extra_joints[0]
        goal = joint.closed + opening * (joint.open - joint.closed)
        self._wires.publish(Float64(data=float(opening)))
        self.wait_until(lambda: abs(self.joint_states.get(joint.name, np.inf) - goal) <= 1e-6,
                        f'{joint.name} at {goal:.6g}', timeout)
        return self.joint_states[joint.name]

    def enable(self, on=True):
        """Let commands leave ``ik_node``, or none."""
        return self._call('ik_node/enable', SetBool.Request(data=on))

    def go_home(self):
        """Ask for the home pose; returns at once."""
        return self._call('ik_node/home', Trigger.Request())

    def torque(self, on):
        """Switch the servos' torque; a real arm falls without."""
        return self._call('driver_node/torque', SetBool.Request(data=on))

    def stop(self):
        """Stop the servos where they are, until :meth:`reset`."""
        return self._call('driver_node/stop', Trigger.Request())

    def reset(self):
        """Take commands again after :meth:`stop`."""
        return self._call('driver_node/reset', Trigger.Request())

    # What is waited for

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

    def _clear_stored_up(self):
        message = Vector3Stamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        stamp = self.publish(message)
        self.wait_until(lambda: self.statuses(stamp), 'the stored up vector cleared')

    def _call(self, name, request):
        future = self._wires.call(name, request)
        self.wait_until(future.done, f'an answer of {name}')
        response = future.result()
        if not response.success:
            raise AssertionError(self._complaint(f'{name} done', response.message))
        return response.message

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


def find_arm(arm):
    """Return an arm by name or file, or as it is."""
    if isinstance(arm, Arm):
        return arm
    text = str(arm)
    return Arm.from_yaml(text) if text.endswith(('.yaml', '.yml')) else Arm.preset(text)


def _angle(a, b):
    return atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def _words(position, up):
    tip = f'tip at ({", ".join(f"{float(value):.6g}" for value in position)}) m'
    if up is None:
        return tip
    return f'{tip}, up ({", ".join(f"{float(value):.6g}" for value in up)})'


def _stamp_words(stamp):
    return f'{stamp[0]}.{stamp[1]:09d}'
