# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm, two of whose joints move, and hand-made runs of it, for the tests in this folder."""

from arm_ik import ArmModel, Joint, Target
from arm_ik.demo.stream import judge_pose, Run, Verdict
from arm_ik.description.target_file import Step, TargetFile
from arm_ik.testing import TargetStatus

_ROLES = ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll')

MODEL = ArmModel(
    'two', 0.1, 0.1, 0.1, [Joint(role, role, -3.0, 3.0, 1.0) for role in _ROLES], [0.0] * 5,
    base_height=0.1)

#: Where the tip is and points with all joints at zero.
TIP, UP, FORWARD = (0.3, 0.0, 0.1), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)


def step(position=TIP, up=UP, forward=FORWARD, reachable=True, entry=1, name='a pose'):
    return Step(entry, name, Target(position, up, forward), reachable=reachable)


FAR = step(position=(0.5, 0.0, 0.1), reachable=False, entry=3, name='a shelf')


def answer(turn=0.0, lift=0.0, status='REACHED', reason='', claimed=(0.0, 0.0), state='arrived'):
    """Return what the joints measure, and what the node says."""
    return dict(zip(_ROLES, (turn, lift, 0.0, 0.0, 0.0))), TargetStatus(
        0, 1, (0, 0), state, status, reason, *claimed, (), 0.0, {})


def relaxed(status='POSITION_RELAXED', reason='too far by 0.2 m', claimed=(0.2, 0.0)):
    """Return the answer to a target that is too far away."""
    return answer(status=status, reason=reason, claimed=claimed)


def verdict(asked=None, came=None):
    return judge_pose(asked or step(), *(came or answer()), MODEL)


def grip(opening=0.5, failure='', entry=2):
    return Verdict(Step(entry, 'grasp', None, opening), answer()[0],
                   'failed' if failure else 'reached', failure, gripper=0.7)


def run(items, stopped='', missing=()):
    samples = [answer(0.1 * k, 0.05 * k)[0] for k in range(8)]
    steps = (*(item.step for item in items), *missing)
    return Run(TargetFile('a test', None, steps), MODEL, tuple(items), tuple(samples), 1.5,
               stopped)
