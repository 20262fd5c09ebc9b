# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Judge where the arm came to rest, by what its joints measure and the frames of its URDF.

Nothing of the solver is used. What the node reports is checked, too. A pose passes if the arm
rests on it within :data:`TOLERANCE`. A pose that the file calls unreachable passes if the node
correctly reports that it was not reached, why, and by how much.
"""

from math import dist, nan
from typing import Any, NamedTuple, Optional

from ..description.target_file import Step
from ..description.urdf import link_frames, links, TOOL_FRAME
from ..kinematics.vectors import across, angle_between

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
    failure: str = ''
    reason: str = ''
    tip: Any = None
    position_error_m: float = 0.0
    up_error_rad: Optional[float] = None
    forward_error_rad: Optional[float] = None
    gripper: float = nan


def tip_of(model, positions):
    """
    Return where ``tool0`` is: its origin [m], its forward and its up vector, in ``base_link``.

    :param model: the arm's :class:`~arm_ik.ArmModel`.
    :param positions: by joint name [rad].
    """
    forward, _, up, tip = link_frames(links(model), positions)[TOOL_FRAME][:3].T
    return tip, forward, up


def judge_pose(step, measured, said, model):
    """
    Judge one pose.

    :param step: what was asked for.
    :param measured: positions of all joints by name [rad], at rest.
    :param said: the :class:`~arm_ik.testing.TargetStatus` that ended the target.
    :param model: the arm's :class:`~arm_ik.ArmModel`.
    :returns: a :class:`Verdict`.
    """
    tip, forward, up = tip_of(model, measured)
    target = step.target
    errors = [dist(tip, target.position), None, None]
    if target.up is not None:
        errors[1] = angle_between(up, target.up)
    if target.forward is not None and model.has('wrist_roll'):
        # The tool can follow only the part across the up vector.
        errors[2] = angle_between(forward, across(target.forward, up))
    status = said.status if said.state == 'arrived' else said.state
    return Verdict(step, measured, status, _failure(step, status, said, errors), said.reason, tip,
                   *errors)


def _failure(step, status, said, errors):
    reached = status == 'REACHED' or (
        # A pose message always has a forward vector, even if the file has none.
        status == 'FORWARD_RELAXED' and step.target.forward is None)
    # In this form, comparisons also fail if an error is nan.
    if step.reachable and not all(error is None or error <= TOLERANCE for error in errors):
        return 'missed'
    if reached != step.reachable:
        expected = 'reachable' if step.reachable else 'unreachable'
        return f'the file calls it {expected}, the node says {status or "nothing"}'
    if not (reached or said.reason):
        return 'not reached, and the node gives no reason'
    for claimed, measured in zip((said.position_error_m, said.up_error_rad), errors):
        if measured is not None and not abs(claimed - measured) <= TOLERANCE:
            return f'the node claims an error of {claimed:.3g}, it is {measured:.3g}'
    return ''
