# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Judge where the arm came to rest, by forward kinematics of what its joints measure.

The judge uses only the URDF and the measured joint states. It also checks what the node reports. A
pose passes if the arm rests on it within :data:`TOLERANCE`. A pose that the file calls unreachable
passes if the node correctly reports that it was not reached, why, and by how much.
"""

from math import atan2, nan
from typing import NamedTuple, Optional

import numpy as np

from .target_file import GripperStep, PoseStep

#: Largest error of a reachable pose [m, rad]. It is small because the simulated servos are ideal:
#: a larger tolerance would hide wrong answers.
TOLERANCE = 1e-6


class Answer(NamedTuple):
    """
    The answer to a pose.

    ``measured`` holds the positions of all joints by name [rad], at rest. The other fields are
    what the node reports: the name of a status, or what happened instead; a reason; errors,
    ``nan`` if it gave none.
    """

    measured: dict
    status: str
    reason: str = ''
    claimed_position_error_m: float = nan
    claimed_up_error_rad: float = nan


class Verdict(NamedTuple):
    """
    What the judge finds of a pose.

    ``tip`` is where the tip rests [m], the errors are measured; ``None`` where the file asks for
    no such vector. ``failure`` is empty if all is well.
    """

    step: PoseStep
    answer: Answer
    tip: np.ndarray
    position_error_m: float
    up_error_rad: Optional[float]
    forward_error_rad: Optional[float]
    failure: str

    @property
    def passed(self):
        """Tell whether the arm did what the file expects."""
        return not self.failure

    @property
    def turned_rad(self):
        """Return the worse of the errors of the up and the forward vector [rad]."""
        return max(self.up_error_rad or 0.0, self.forward_error_rad or 0.0)


class GripVerdict(NamedTuple):
    """
    What the judge finds of a gripper's step.

    ``position`` is where the gripper rests [rad, or m if it slides], ``nan`` if the arm has none;
    ``measured`` as in :class:`Answer`.
    """

    step: GripperStep
    position: float
    measured: dict
    failure: str

    @property
    def passed(self):
        """Tell whether the gripper did what the file asks."""
        return not self.failure


def judge_pose(step, answer, chain, serves_forward=True):
    """
    Judge one pose.

    :param step: what was asked for.
    :param answer: what came.
    :param chain: the arm, a :class:`~arm_ik.demo.urdf_chain.UrdfChain`.
    :param serves_forward: whether the arm has the joint that a forward vector takes, a wrist roll.
    :returns: a :class:`Verdict`.
    """
    pose = chain.tip(answer.measured)
    tip, forward, up = pose[:3, 3], pose[:3, 0], pose[:3, 2]
    target = step.target
    position_error = float(np.linalg.norm(tip - target.position))
    up_error = None if target.up is None else _angle(up, target.up)
    forward_error = None
    if target.forward is not None and serves_forward:
        forward_error = _angle(forward, _across(target.forward, up))
    failure = _failure(step, answer, position_error, up_error, forward_error)
    return Verdict(step, answer, tip, position_error, up_error, forward_error, failure)


def judge_grip(step, joint, measured):
    """
    Judge one step of the gripper.

    :param step: what was asked for.
    :param joint: the gripper, an :class:`~arm_ik.ExtraJoint`; ``None`` if the arm has none.
    :param measured: positions of all joints by name, at rest.
    :returns: a :class:`GripVerdict`.
    """
    if joint is None:
        return GripVerdict(step, nan, measured, 'this arm has no gripper')
    wanted = joint.closed + (joint.open - joint.closed) * step.opening
    position = measured[joint.name]
    missed = not abs(position - wanted) <= TOLERANCE
    return GripVerdict(step, position, measured,
                       f'{joint.name} should be at {wanted:.6g}' if missed else '')


def _failure(step, answer, position_error, up_error, forward_error):
    reached = answer.status == 'REACHED' or (
        # A pose message always has a forward vector, even if the file has none.
        answer.status == 'FORWARD_RELAXED' and step.target.forward is None)
    if step.reachable:
        if max(position_error, up_error or 0.0, forward_error or 0.0) > TOLERANCE:
            return 'missed'
        if not reached:
            return f'it is there, but the node says {answer.status or "nothing"}'
    elif reached:
        return 'the file calls it unreachable, the node calls it reached'
    elif not answer.reason:
        return 'not reached, and the node gives no reason'
    for claimed, measured in ((answer.claimed_position_error_m, position_error),
                              (answer.claimed_up_error_rad, up_error)):
        # In this form the check also fails if the claimed error is nan.
        if measured is not None and not abs(claimed - measured) <= TOLERANCE:
            return f'the node claims an error of {claimed:.3g}, it is {measured:.3g}'
    return ''


def _angle(a, b):
    """Return the angle between two vectors [rad]; acos would lose half the digits near zero."""
    return atan2(float(np.linalg.norm(np.cross(a, b))), float(np.dot(a, b)))


def _across(vector, up):
    """Return the part of a vector perpendicular to the up vector: the part the tool can follow."""
    return np.asarray(vector) - np.dot(vector, up) * up
