# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How exact reachable targets are met: worst errors over random targets, judged by pinocchio.

    pip install .[test]
    python benchmark/accuracy.py [--targets 10000] [--seed 1]

For every kind of arm, with random lengths, signs, offsets and limits, and for every arm that comes
with the package: joint readings are drawn inside the limits, pinocchio says from the URDF that the
package writes where they bring the tool, and that pose is the target. Missed are targets that are
not called reached, and answers outside the limits. The clock is not looked at.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from math import atan2, hypot, pi
from random import Random
import sys

from arm_ik import Arm, ArmModel, Joint, Target
from arm_ik.description import preset_names
from arm_ik.kinematics.model import ROLES
import pinocchio

#: Optional roles of each kind of arm.
KINDS = {
    'yaw': (), 'yaw, wrist roll': ('wrist_roll',),
    'rolling base': ('roll',), 'rolling base, wrist roll': ('roll', 'wrist_roll'),
    'tilting wrist': ('wrist_tilt',), 'tilting wrist, wrist roll': ('wrist_tilt', 'wrist_roll'),
}

#: Targets drawn for one random arm.
TARGETS_PER_ARM = 100


class Judge:
    """Where pinocchio says the tool of an arm is."""

    def __init__(self, arm):
        self._model = pinocchio.buildModelFromXML(arm.to_urdf())
        self._data = self._model.createData()
        self._tool = self._model.getFrameId('tool0')
        self._q = pinocchio.neutral(self._model)
        self._at = [self._model.joints[self._model.getJointId(name)].idx_q
                    for name in arm.joint_names]

    def pose(self, q):
        """Return tip [m], up vector and forward vector at joint readings [rad]."""
        self._q[self._at] = q
        pinocchio.framesForwardKinematics(self._model, self._data, self._q)
        pose = self._data.oMf[self._tool]
        forward, _, up = pose.rotation.T.tolist()
        return pose.translation.tolist(), up, forward


def random_arm(optional, random):
    """Return an arm with the required roles and those named, and random numbers everywhere."""
    joints, home = [], []
    for role in ROLES:
        if role in ('roll', 'wrist_tilt', 'wrist_roll') and role not in optional:
            continue
        middle, width = random.uniform(-1.5, 1.5), random.choice((0.5, 2.0, 4.0, 6.0, 9.0))
        lower, upper = middle - width / 2, middle + width / 2
        joints.append(Joint(role, role, lower, upper, 3.0, random.choice((1, -1)),
                            random.uniform(-pi, pi)))
        home.append(random.uniform(lower, upper))
    base = {name: random.uniform(-0.1, 0.1) for name in ('base_x', 'base_y', 'base_height')}
    if 'roll' not in optional:
        base['lateral'] = random.uniform(-0.03, 0.03)
    return Arm(ArmModel('random', *[random.uniform(0.05, 0.3) for _ in range(3)], joints, home,
                        shoulder_offset=random.uniform(-0.05, 0.05), **base))


def angle(a, b):
    """Return the angle between two vectors [rad]."""
    ax, ay, az = a
    bx, by, bz = b
    across = hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    return atan2(across, ax * bx + ay * by + az * bz)


def judged(arm, count, random):
    """
    Yield the errors of the answers to random reachable targets.

    :returns: ``(position [m], up [rad], forward [rad], missed)`` of each.
    """
    judge = Judge(arm)
    ends = list(zip(arm.lower, arm.upper))
    with_forward = 'wrist_roll' in arm.model.roles
    for _ in range(count):
        position, up, forward = judge.pose([random.uniform(*pair) for pair in ends])
        target = Target(position, up, forward if with_forward else None)
        near = random.choice((None, [random.uniform(*pair) for pair in ends]))
        solution = arm.solve(target, near)
        tip, z, x = judge.pose(solution.q)
        inside = all(low <= reading <= high for reading, (low, high) in zip(solution.q, ends))
        yield (hypot(*[a - b for a, b in zip(tip, position)]), angle(z, up),
               angle(x, forward) if with_forward else 0.0, not (solution.reached and inside))


def row(name, errors):
    """Print a row of the table; return how many targets were missed."""
    positions, ups, forwards, missed = zip(*errors)
    turned = f'{max(forwards):.1e}' if any(forwards) else '-'
    print(f'| {name:26} | {len(missed):7} | {max(positions):13.1e} | {max(ups):14.1e} '
          f'| {turned:>14} | {sum(missed):6} |', flush=True)
    return sum(missed)


def main():
    """Print the table; exit with 1 if a target was missed."""
    parser = ArgumentParser(description=__doc__.strip().splitlines()[0],
                            formatter_class=ArgumentDefaultsHelpFormatter)
    parser.add_argument('--targets', type=int, default=10000, help='per kind of arm and preset')
    parser.add_argument('--seed', type=int, default=1, help='of the random numbers')
    arguments = parser.parse_args()
    count, missed = arguments.targets, 0
    print(f'Random reachable targets, seed {arguments.seed}; the judge is pinocchio '
          f'{pinocchio.__version__} on the URDF.\n')
    print('| arm                        | targets | position [m]  | up vector [rad]'
          '| forward [rad]  | missed |\n|---|---|---|---|---|---|')
    for kind, optional in KINDS.items():
        random, errors = Random(f'{kind} {arguments.seed}'), []
        while len(errors) < count:
            errors += judged(random_arm(optional, random),
                             min(TARGETS_PER_ARM, count - len(errors)), random)
        missed += row(kind, errors)
    for name in preset_names():
        random = Random(f'{name} {arguments.seed}')
        missed += row(name, judged(Arm.preset(name), count, random))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
