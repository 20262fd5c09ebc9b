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

from .target_file import Step

#: Largest error of a reachable pose [m, rad]. It is small because the simulated servos are ideal:
#: a larger tolerance would hide wrong answers.
TOLERANCE = 1e-6


class Verdict(NamedTuple):
    """
    What the judge finds of a step.

    ``measured`` holds the positions of all joints by name [rad], at rest. ``status`` and
    ``reason`` are what the node reports. ``tip`` is where the tip rests [m], the errors are
    measured; ``None`` where the file asks for no such vector. ``gripper`` is where the gripper
    rests [rad, or m if it slides]. ``failure`` is empty if all is well.
    """

    step: Step
    measured: dict
    status: str
    failure: str
    reason: str = ''
    tip: Optional[np.ndarray] = None
    position_error_m: float = 0.0
    up_error_rad: Optional[float] = None
    forward_error_rad: Optional[float] = None
    gripper: float = nan


def judge_pose(step, measured, said, chain, serves_forward=True):
    """
    Judge one pose.

    :param step: what was asked for.
    :param measured: positions of all joints by name [rad], at rest.
    :param said: the :class:`~arm_ik.testing.TargetStatus` that ended the target.
    :param chain: the arm, a :class:`~arm_ik.demo.urdf_chain.UrdfChain`.
    :param serves_forward: whether the arm has the joint that a forward vector takes, a wrist roll.
    :returns: a :class:`Verdict`.
    """
    pose = chain.tip(measured)
    tip, forward, up = pose[:3, 3], pose[:3, 0], pose[:3, 2]
    target = step.target
    errors = [float(np.linalg.norm(tip - target.position)), None, None]
    if target.up is not None:
        errors[1] = _angle(up, target.up)
    if target.forward is not None and serves_forward:
        # The tool can follow only the part across the up vector.
        errors[2] = _angle(forward, target.forward - np.dot(target.forward, up) * up)
    status = said.status if said.state == 'arrived' else said.state
    return Verdict(step, measured, status, _failure(step, status, said, errors), said.reason, tip,
                   *errors)


def judge_grip(step, joint, measured):
    """
    Judge one step of the gripper.

    :param step: what was asked for.
    :param joint: the gripper, an :class:`~arm_ik.ExtraJoint`; ``None`` if the arm has none.
    :param measured: positions of all joints by name, at rest.
    :returns: a :class:`Verdict`.
    """
    if joint is None:
        return Verdict(step, measured, 'failed', 'this arm has no gripper')
    wanted = joint.closed + (joint.open - joint.closed) * step.opening
    position = measured[joint.name]
    failure = '' if abs(position - wanted) <= TOLERANCE else f'{joint.name} not at {wanted:.6g}'
    return Verdict(step, measured, 'failed' if failure else 'reached', failure, gripper=position)


def _failure(step, status, said, errors):
    reached = status == 'REACHED' or (
        # A pose message always has a forward vector, even if the file has none.
        status == 'FORWARD_RELAXED' and step.target.forward is None)
    if step.reachable:
        if any(error is not None and not error <= TOLERANCE for error in errors):
            return 'missed'
        if not reached:
            return f'it is there, but the node says {status or "nothing"}'
    elif reached:
        return 'the file calls it unreachable, the node calls it reached'
    elif not said.reason:
        return 'not reached, and the node gives no reason'
    for claimed, measured in zip((said.position_error_m, said.up_error_rad), errors):
        # In this form the check also fails if the claimed error is nan.
        if measured is not None and not abs(claimed - measured) <= TOLERANCE:
            return f'the node claims an error of {claimed:.3g}, it is {measured:.3g}'
    return ''


def _angle(a, b):
    """Return the angle between two vectors [rad]; acos would lose half the digits near zero."""
    return atan2(float(np.linalg.norm(np.cross(a, b))), float(np.dot(a, b)))
