# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The hold command on its way to a driver that brakes: core, driver and servos on one clock."""

from random import Random

from arm_ik import Target
from arm_ik.nodes.ik.report import Request
from clocked_loop import ARM, Loop
import pytest


@pytest.mark.parametrize('seed', range(12))
def test_a_disabled_arm_brakes_on_its_way_and_does_not_come_back(seed):
    random = Random(seed)
    loop = Loop(random)
    loop.run(0.1)
    goal = ARM.forward([random.uniform(low, high) for low, high in zip(ARM.lower, ARM.upper)])
    goal = loop.core.take_target(Target(goal.position, goal.up), Request(1)).solution.q
    loop.run(random.uniform(0.06, 0.6))  # before, it has not been heard to move
    stood = len(loop.path)
    loop.core.enable(False)
    loop.run(0.5)
    for joint, end, *path in zip(ARM.model.joints, goal, *loop.path[stood - 1:]):
        farthest = max(path, key=lambda position: abs(position - path[0]))
        assert path[-1] == pytest.approx(farthest, abs=1e-4)
        gone, allowed = abs(farthest - path[0]), (
            0.5 * joint.max_velocity ** 2 / joint.acceleration + 0.06 * joint.max_velocity)
        assert gone <= min(allowed, abs(end - path[0]) + 1e-9)
