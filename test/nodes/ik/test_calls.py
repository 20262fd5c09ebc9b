# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How much Python a target of a stream takes in the core."""

from dataclasses import replace
from math import cos, sin
from statistics import median

from arm_ik import Arm, KeepOut, Target
from arm_ik.nodes.ik.report import State
from core_bench import CoreBench, PERIOD
from counted_calls import counted, on_3_11
import pytest

FREE = Arm.preset('so101')
TABLE = KeepOut('table', 'box', (0.5, 0.5, 0.02), (0.2, 0.0, -0.02))


def pose(time):
    """Return a full pose that is reached, of a joint motion."""
    tip = FREE.forward((0.3 * sin(time), -1.0 + 0.2 * sin(1.3 * time), 1.0 + 0.2 * cos(time), 0.6,
                        0.3 * sin(0.7 * time)))
    return Target(tuple(tip.position), tuple(tip.up), tuple(tip.rotation[:, 0]))


@on_3_11
@pytest.mark.parametrize('shapes, settings, most', [
    ((), {}, 180), ((TABLE,), {}, 260), ((), {'check_path': 'all'}, 260),
    ((), {'check_path': 'none'}, 180)])
def test_a_target_of_a_stream_takes_few_calls_and_so_does_the_time_between(shapes, settings, most):
    core = CoreBench(Arm(replace(FREE.model, keep_out=shapes)), FREE.home, **settings)
    targets, between = [], []
    for number in range(150):
        with counted(targets):
            report = core.target(pose(PERIOD * number))
        assert report.state is State.ACCEPTED and report.solution.reached
        with counted(between):
            core.core.check()
            core.core.go_on()
        core.half_way()
    assert median(targets) <= most and max(targets[1:]) <= 750
    assert sum(between) * (1.0 / PERIOD) / len(between) <= 4500      # a second
