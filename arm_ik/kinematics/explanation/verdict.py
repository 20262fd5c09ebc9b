# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The verdict on an answer: its status by its measured errors, and the reason in words."""

from .reason import reason_for
from ..forward import residuals
from ..solution import Solution, Status


def verdict(solver, best, planes, target, near, ranking, tolerances, words='', branch=None):
    """
    Return the solution with the verdict on a measured pose.

    :param solver: of the arm.
    :param best: :class:`~arm_ik.kinematics.ranking.Candidate`.
    :param planes: every plane that would be exact without reach and limits.
    :param target: what was asked for.
    :param near: joint positions [rad] the answer was chosen near to.
    :param ranking: that chose it.
    :param tolerances: largest tip error [m] and angle [rad] that count as reached.
    :param words: to be added to the reason.
    :param branch: ``(plane, bend)`` that the answer belongs to, ``None``: any.
    """
    forward, reason, limited_by = best.forward, '', ()
    if target.forward is not None and not solver.geometry.has_wrist_roll:
        forward = residuals(solver.geometry, best.q, target)[2]
    status = status_of(best, *tolerances)
    if status is not Status.REACHED:
        reason, limited_by = reason_for(
            solver, best, status, planes, target, near, branch, ranking.up_first)
    if ranking.elbow_is_wanted is not None and not ranking.elbow_is_wanted(best.q):
        reason = _and(reason, 'no branch with the elbow on the wanted side is as good')
    return Solution(best.q, status, best.position, best.up, forward, _and(reason, words),
                    limited_by, best.step)


def status_of(best, position_tolerance, up_tolerance):
    """Return the status of a measured pose."""
    if best.position > position_tolerance:
        return Status.POSITION_RELAXED
    if best.up > up_tolerance:
        return Status.UP_RELAXED
    return Status.FORWARD_RELAXED if best.forward > up_tolerance else Status.REACHED


def _and(reason, more):
    return f'{reason}; {more}' if reason and more else reason or more
