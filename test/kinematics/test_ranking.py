# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The order of poses: cost after cost, what is nearer than a tie to the least being equal."""

from itertools import permutations

from arm_ik.kinematics.ranking import Candidate, Ranking
import pytest


def candidate(position=0.0, up=0.0, forward=0.0, step=0.0, yaw_travel=0.0, total=0.0):
    """Return a candidate with these costs."""
    return Candidate((position, up), position, up, forward, step, yaw_travel, total)


@pytest.mark.parametrize('priority, first, second', [
    ('position', 'position', 'up'), ('up', 'up', 'position')])
def test_a_row_of_ties_does_not_lead_away_from_the_least(priority, first, second):
    row = [candidate(**{first: 0.1 + 0.7e-9 * i, second: 0.5 - 0.1 * i}) for i in range(4)]
    for order in permutations(row):
        assert Ranking(priority).best(list(order)) is row[1]


def test_a_pose_is_not_better_than_its_equal():
    ranking = Ranking()
    for step in (0.0, 1.0):
        a, b = candidate(0.1, step=step), candidate(0.1, step=step + 1e-10)
        assert ranking.best([a, b]) is a and ranking.best([b, a]) is b


def test_the_elbow_asked_for_counts_after_the_errors_and_before_the_step():
    ranking = Ranking(elbow_is_wanted=lambda q: q[0] > 0.15)
    wanted, nearer = candidate(0.2, step=3.0), candidate(0.1, step=1.0)
    assert ranking.best([wanted, nearer]) is nearer
    ranking = Ranking(elbow_is_wanted=lambda q: q[1] > 0.0)
    assert ranking.best([nearer, candidate(0.1, up=1e-10, step=3.0)]).step == 3.0
