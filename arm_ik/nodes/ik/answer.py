# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How the node's settings have a target solved, and which answers they don't let it follow."""

from math import isnan


def solve(arm, settings, target, near):
    """
    Return the arm's answer to a target.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`~.settings.Settings`.
    :param target: the :class:`~arm_ik.Target`.
    :param near: readings [rad] to solve from.
    :returns: :class:`~arm_ik.Solution`.
    :raises ArmIkError: if there is none.
    """
    return arm.solve(
        target, near=near, elbow=settings.elbow, priority=settings.priority,
        position_tolerance=settings.position_tolerance, up_tolerance=settings.up_tolerance,
        elevation=None if isnan(settings.elevation) else settings.elevation,
        branch_tolerance=settings.branch_tolerance)


def objection(arm, settings, solution, near):
    """
    Return ``(reason, cause)`` why an answer is not to be followed; ``None``: it is.

    A step is counted from inside the limits: an arm measured past one is let in.

    :param near: readings [rad] it was solved from.
    """
    if not solution.reached and not settings.follow_relaxed:
        return (f'{solution.reason}; allowed: what can be reached, as follow_relaxed is false',
                'not reachable')
    if not settings.max_step:
        return None
    steps = [abs(q - n) for q, n in zip(solution.q, inside(arm.model, near))]
    longest = max(steps)
    if longest <= settings.max_step:
        return None
    return (f'{arm.joint_names[steps.index(longest)]} would have to step {longest:.3g} rad; '
            f'allowed: at most {settings.max_step:g} rad (max_step)', 'max_step')


def inside(model, readings):
    """Return the readings [rad] inside the limits that are nearest to others."""
    return tuple(min(max(reading, joint.lower), joint.upper)
                 for reading, joint in zip(readings, model.joints))
