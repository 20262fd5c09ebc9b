# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Newton's method inside the limits ends at a local minimum of the tip's distance."""

from random import Random

from arm_ik import Target
from arm_ik.kinematics.closest.spatial.polish import polished
from judged_arms import inside, Judge, KINDS, random_arm, random_readings
import numpy as np
import pytest


@pytest.mark.parametrize('kind', sorted(KINDS))
def test_no_pose_around_the_end_is_nearer(kind):
    for seed in range(12):
        random = Random(seed)
        arm = random_arm(kind, seed)
        judge = Judge(arm, thorough=False)
        target = Target([random.uniform(-0.8, 0.8) for _ in range(3)])
        start = random_readings(arm, random)
        q = polished(arm.solver.geometry, start, target)
        assert inside(arm, q)
        least = judge.errors(q, target)[0]
        assert least <= judge.errors(start, target)[0] + 1e-12
        for size in (1e-4, 1e-3, 1e-2):
            for _ in range(25):
                around = [min(max(x + random.uniform(-size, size), low), high)
                          for x, low, high in zip(q, arm.lower, arm.upper)]
                assert judge.errors(around, target)[0] >= least - 1e-9


def test_from_beside_a_reachable_target_it_ends_on_it():
    for kind in sorted(KINDS):
        random = Random(kind)
        arm = random_arm(kind, 4)
        q = random_readings(arm, random)
        target = Target(arm.forward(q).position)
        start = [min(max(x + random.uniform(-0.02, 0.02), low), high)
                 for x, low, high in zip(q, arm.lower, arm.upper)]
        end = polished(arm.solver.geometry, start, target)
        assert np.linalg.norm(arm.forward(end).position - target.position) < 1e-7


@pytest.mark.parametrize('kind', ['roll', 'tilt'])
def test_what_solve_answers_out_of_reach_cannot_be_polished_further(kind):
    short = 0
    for seed in range(20):
        random = Random(seed)
        arm = random_arm(kind, seed)
        target = Target([random.uniform(-0.5, 0.5) for _ in range(3)],
                        [random.gauss(0, 1) for _ in range(3)])
        solution = arm.solve(target)
        if solution.position_error_m > 1e-6:
            short += 1
            q = polished(arm.solver.geometry, solution.q, target)
            nearer = np.linalg.norm(arm.forward(q).position - target.position)
            assert nearer >= solution.position_error_m - 1e-8
    assert short > 5


def test_of_all_poses_found_the_nearest_are_polished():
    # Two valleys end within 3 um of each other. Brute force finds the deeper one, too.
    solution = random_arm('tilt', 33).solve(Target((0.41005, -0.17666, 0.00688)))
    assert solution.position_error_m == pytest.approx(0.071205689, abs=1e-8)
