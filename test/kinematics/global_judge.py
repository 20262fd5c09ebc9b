# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Whether brute force finds a better pose than an answer is."""

from brute_force import BruteForce
from judged_arms import EXACT, inside, Judge
import numpy as np

#: What brute force may be better by [m, rad].
MARGIN = 1e-6

#: The same for the up vector of tips as near as can be, but not exact: nearly as near ones are
#: turned by the square root of what they are farther away.
TIE_MARGIN = 1e-3

#: Two costs within this [m, rad] are equal: where the arm is straight, more of it is an angle of
#: its square root.
SAME = 1e-14


def complaint(case, answer, priority, seed):
    """
    Return what is wrong with an answer, and whether brute force found one as good.

    :param case: :class:`~optimum_cases.Case`.
    :param answer: readings [rad] to judge.
    :param priority: ``'position'`` or ``'up'``: what comes first.
    :param seed: of brute force's samples.
    :returns: ``(words, as good)``: words are empty, or name what is better and by how much.
    """
    arm, target = case.arm, case.target
    if not inside(arm, answer):
        return f'answer outside the limits: {answer}', True
    judge = Judge(arm, thorough=False)
    distance, angle, _ = judge.errors(answer, target)
    q, distances, angles, own = BruteForce(arm, starts=48).search(
        target, priority, seed, [answer, case.near, arm.home])
    first, second = (distance, angle), (distances, angles)
    names = 'distance', 'angle'
    if priority == 'up':
        first, second, names = first[::-1], second[::-1], names[::-1]
    for_second = TIE_MARGIN if priority == 'position' and distance > EXACT else MARGIN
    # What is exact to 1e-9 must not be beaten by using that up: an angle is its square root.
    as_good = second[0] <= (SAME if first[0] <= EXACT else first[0] + SAME)
    if for_second == TIE_MARGIN:
        # Nearer by less than the margin is forgiven, and so is what comes with it.
        as_good &= second[0] >= first[0] - EXACT
    better = (second[0] < first[0] - MARGIN) | (as_good & (second[1] < first[1] - for_second))
    is_found = bool(np.any(own & (second[0] < first[0] + MARGIN) & (
        (second[1] < first[1] + for_second) | (first[0] > EXACT))))
    if not better.any():
        return '', is_found
    of_better = np.flatnonzero(better)
    by_first = second[0][of_better] < first[0] - MARGIN
    name, pick = names[0], second[0]
    if not by_first.any():
        name = f'{names[1]} at the same {names[0]}' if for_second == MARGIN else 'tie'
        pick = second[1]
        if priority == 'position' and for_second == MARGIN:
            name = 'angle with the tip exact'
    best = of_better[np.argmin(pick[of_better])]
    measured = judge.errors(q[best], target)[:2]
    return (f'{name}: answer {distance:.9f} m {angle:.9f} rad at {answer}, brute force '
            f'{measured[0]:.9f} m {measured[1]:.9f} rad at {tuple(q[best].tolist())}'), is_found
