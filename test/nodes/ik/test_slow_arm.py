# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A line waits for an arm that is behind, and ends for one that is blocked."""

from random import Random

from arm_ik import Target
from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Request, State
from clocked_loop import ARM, Loop
import pytest

DOWN = (0.0, 0.0, -1.0)


class SlowServos(Simulated):
    """Servos that turn no faster than at a velocity [rad/s], whatever they are sent."""

    fastest = 10.0

    def open(self):  # noqa: A003
        super().open()
        self._at = dict(self.home)

    def write(self, set_points):
        most = 0.01 * self.fastest
        self._at.update({name: self._at[name] + min(max(goal - self._at[name], -most), most)
                         for name, goal in set_points.items()})
        super().write(self._at)


def on_a_line(fastest):
    """Return a loop whose arm sets out along a line of 24 cm at 0.2 m/s, and its servos."""
    loop = Loop(Random(1))
    servos = SlowServos(ARM.model, clock=lambda: loop.now)
    loop.driver = ServoDriver(servos, clock=lambda: loop.now, stamp_clock=lambda: loop.now)
    loop.driver.connect()
    loop.core = IkCore(ARM, Settings(motion='line', tip_speed=0.2), clock=lambda: loop.now)
    loop.run(0.5)
    loop.do(loop.core.take_target(Target((0.2, -0.12, 0.05), DOWN), Request(1)))
    loop.run(6.0)
    assert loop.reports[-1].state is State.ARRIVED
    servos.fastest = fastest
    loop.reports.clear()
    loop.do(loop.core.take_target(Target((0.2, 0.12, 0.05), DOWN), Request(2)))
    return loop, servos


@pytest.mark.parametrize('fastest, seconds', [(10.0, 1.7), (0.5, 3.5), (0.2, 8.0)])
def test_a_line_waits_for_an_arm_that_is_slow(fastest, seconds):
    loop, _ = on_a_line(fastest)
    loop.run(seconds)
    assert {report.cause for report in loop.reports} == {'line'}
    assert loop.reports[-1].state is State.ARRIVED


@pytest.mark.parametrize('seconds', [0.3, 0.7])
def test_a_line_ends_for_an_arm_that_is_blocked_and_has_not_gone_far_from_it(seconds):
    loop, servos = on_a_line(10.0)
    loop.run(seconds)
    servos.fastest, farthest = 0.0, 0.0
    here = loop.path[-1]
    for _ in range(100):
        loop.run(0.02)
        if loop.reports[-1].state is State.READY:
            break
        farthest = max([farthest, *(abs(q - h) for q, h in zip(loop.core.command, here))])
    assert loop.reports[-1].cause == 'left behind'
    assert 0.1 < farthest < 0.4
