# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""For any input the output is finite and inside the limits, or a refusal."""

from functools import partial
from math import inf, isfinite, nan
import random
from types import SimpleNamespace

from arm_ik import Arm, Target
from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.core import IkCore
from arm_ik.nodes.ik.report import Request, State
from arm_ik.nodes.ik.target_reader import TargetReader, without_tf2
import pytest

NUMBERS = (0.0, -0.0, 5e-324, 1e-308, 1e-160, 1e-9, 0.1, -0.2, 0.5, 1.0, -1.0, 1e9, 1e154, 1e300,
           -1.7e308, nan, inf, -inf)
UNIT = ((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), (0.5, -0.5, 0.5, 0.5), (0.6, 0.0, 0.8, 0.0))


def random_pose(rng):
    def number():
        return rng.choice(NUMBERS) if rng.random() < 0.2 else rng.uniform(-0.4, 0.4)
    x, y, z, w = rng.choice(UNIT) if rng.random() < 0.7 else [rng.choice(NUMBERS)] * 4
    stamp = SimpleNamespace(sec=rng.choice((0, 1, -5, 2**31 - 1)),
                            nanosec=rng.choice((0, 2**32 - 1)))
    return SimpleNamespace(
        header=SimpleNamespace(frame_id=rng.choice(('', 'base_link', 'base_link', 'x', '\0')),
                               stamp=stamp),
        pose=SimpleNamespace(position=SimpleNamespace(x=number(), y=number(), z=number()),
                             orientation=SimpleNamespace(x=x, y=y, z=z, w=w)))


@pytest.mark.parametrize('name, count', [('so101', 300), ('simple', 300), ('rolling_base', 100)])
def test_random_and_exceptional_targets_never_crash_it(name, count):
    rng = random.Random(20260711)
    arm = Arm.preset(name)
    now = [0.0]
    core = IkCore(arm, clock=lambda: now[0])
    targets = TargetReader('base_link', 'z', partial(without_tf2, 'base_link'))
    good = Target(arm.forward(arm.home).position)
    followed = 0
    for seq in range(count):
        now[0] += 0.02
        core.take_state(arm.joint_names, [rng.choice((*NUMBERS, *range(-3, 4))) * 0.5
                                          for _ in arm.joint_names])
        core.take_state(arm.joint_names, [q + rng.uniform(-0.1, 0.1) for q in arm.home])
        try:
            report = core.take_target(targets.from_pose(random_pose(rng), 10**18), Request(seq))
        except InvalidInputError as error:
            assert str(error)
            continue
        assert report.state is State.ACCEPTED or report.cause in ('base', 'swing')
        followed += 1
        assert len(core.command) == len(arm.joint_names)
        for joint, position in zip(arm.model.joints, core.command):
            assert isfinite(position) and joint.lower <= position <= joint.upper
        assert isfinite(report.solution.position_error_m)
        assert isfinite(report.solution.up_error_rad)
        assert report.solution.reached or report.reason
    assert 0.2 * count < followed < 0.93 * count
    assert core.take_target(good, Request()).solution.reached
