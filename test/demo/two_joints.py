# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm of two joints and hand-made runs of it, for the tests in this folder."""

from math import pi

from arm_ik import Target
from arm_ik.demo.judge import judge_pose, Verdict
from arm_ik.demo.stream import Run
from arm_ik.demo.target_file import Step, TargetFile
from arm_ik.demo.urdf_chain import UrdfChain
from arm_ik.testing import TargetStatus

_URDF = f"""
<robot name="two">
  <joint name="turn" type="revolute"><parent link="base_link"/><child link="a"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="revolute"><parent link="a"/><child link="b"/>
    <axis xyz="0 -1 0"/></joint>
  <joint name="tip" type="fixed"><parent link="b"/><child link="tool0"/>
    <origin xyz="0.3 0 0" rpy="0 {pi / 2!r} 0"/></joint>
</robot>
"""

CHAIN = UrdfChain(_URDF)

#: Where the tip stands and points with both joints at zero.
TIP, UP, FORWARD = (0.3, 0.0, 0.1), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)


def step(position=TIP, up=UP, forward=FORWARD, reachable=True, entry=1, name='a pose'):
    return Step(entry, name, Target(position, up, forward), reachable=reachable)


def answer(turn=0.0, lift=0.0, status='REACHED', reason='', claimed=(0.0, 0.0), state='arrived'):
    """Return what the joints measure, and what the node says."""
    return {'turn': turn, 'lift': lift}, TargetStatus(
        0, 1, (0, 0), state, status, reason, *claimed, (), 0.0, {})


def verdict(asked=None, came=None):
    return judge_pose(asked or step(), *(came or answer()), CHAIN)


def grip(opening=0.5, failure='', entry=2):
    return Verdict(Step(entry, 'grasp', None, opening), answer()[0],
                   'failed' if failure else 'reached', failure, gripper=0.7)


def run(items, stopped='', missing=()):
    samples = [{'turn': 0.1 * k, 'lift': 0.05 * k} for k in range(8)]
    steps = (*(item.step for item in items), *missing)
    return Run(TargetFile('a test', None, steps), 'two', CHAIN, tuple(items), tuple(samples), 1.5,
               stopped)
