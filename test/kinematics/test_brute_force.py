# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The judge of optima is itself judged: its kinematics, its derivatives, optima known by hand."""

from random import Random

from arm_ik import Target
from brute_chain import Chain
from brute_force import BruteForce
from judged_arms import all_kinds, each_kind, Judge, make_arm, random_arm, random_readings
import numpy as np
import pytest


def chain_of(arm, floor=None):
    return Chain(arm.to_urdf(), arm.joint_names, ('elbow', 'wrist'), floor)


@all_kinds
def test_many_poses_at_once_are_what_the_urdf_says(kind):
    arm, random = random_arm(kind, 5), Random(5)
    judge, target = Judge(arm), Target((0.1, 0.2, 0.3), (0.6, 0.0, 0.8))
    q = [random_readings(arm, random) for _ in range(5)]
    distances, angles, clear = chain_of(arm, 0.05).errors(
        np.array(q), target.position, target.up)
    for i, readings in enumerate(q):
        position, up, _ = judge.errors(readings, target)
        assert (distances[i], angles[i]) == pytest.approx((position, up), abs=1e-12)
        heights = [judge.point(readings, joint)[2] for joint in ('elbow', 'wrist')]
        lowest = min(judge.pose(readings)[2, 3], *heights)
        assert clear[i] == pytest.approx(lowest - 0.05, abs=1e-12)


@each_kind
def test_derivatives_are_those_of_finite_differences(kind):
    arm, random = random_arm(kind, 6), Random(6)
    q = np.array([random_readings(arm, random) for _ in range(4)])
    # A floor that some of the points are below.
    chain = chain_of(arm, arm.model.base_height)

    def cost(moved):
        return chain.cost(moved, np.array((0.1, 0.2, 0.1)), np.array((0.6, 0.0, 0.8)),
                          (3.0, 2.0, 50.0))

    _, gradient, hessian = cost(q)
    for joint in range(q.shape[1]):
        step = np.zeros(q.shape[1])
        step[joint] = 1e-6
        above, below = cost(q + step), cost(q - step)
        assert gradient[:, joint] == pytest.approx((above[0] - below[0]) / 2e-6, abs=1e-7)
        assert hessian[:, joint] == pytest.approx((above[1] - below[1]) / 2e-6, abs=1e-7)


def test_poses_below_the_floor_are_left_out_and_the_floor_is_gone_along():
    arm = make_arm(base_height=0.1, floor_height=0.05)
    target = Target((0.25, 0.0, -0.1), (0.0, 0.0, -1.0))
    q, distances, _, _ = BruteForce(arm).search(target, 'position', 0)
    judge = Judge(arm, thorough=False)
    lowest = [min(judge.pose(r)[2, 3], *[judge.point(r, joint)[2] for joint in ('elbow', 'wrist')])
              for r in q]
    assert min(lowest) >= 0.05 - 1e-9
    assert min(distances) == pytest.approx(0.15, abs=1e-8)


@each_kind
def test_what_is_known_already_is_not_taken_for_found(kind):
    arm = random_arm(kind, 7)
    target = Target((0.1, 0.1, 0.1), (0.0, 0.0, 1.0))
    _, _, _, own = BruteForce(arm, starts=12).search(
        target, 'position', 0, [arm.home, arm.lower, arm.upper])
    assert np.count_nonzero(~own) * 4 == np.count_nonzero(own)
