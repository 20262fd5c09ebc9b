# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Arms to test with, and a judge of their answers that shares no code with the solver.

The judge reads the URDF the package writes: once by ``urdf_judge``, and by pinocchio where that is
installed; an answer is as bad as the worse of the two says.
"""

from functools import partialmethod
from math import atan2, hypot, inf, pi
from random import Random

from arm_ik import Arm, ArmModel, Joint, Status, Target
import numpy as np
import pytest
from urdf_judge import UrdfJudge

try:
    import pinocchio
except ImportError:
    pinocchio = None

#: The roles of every kind of arm, base to tip.
KINDS = {
    'yaw': ('yaw', 'shoulder', 'elbow', 'wrist'),
    'yaw_wrist_roll': ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll'),
    'bent_wrist_roll': ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll'),
    'roll': ('yaw', 'roll', 'shoulder', 'elbow', 'wrist'),
    'roll_wrist_roll': ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_roll'),
    'tilt': ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt'),
    'tilt_wrist_roll': ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll'),
}

#: The kinds that people own. What the others share with them is tested on these alone.
each_kind = pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
all_kinds = pytest.mark.parametrize('kind', KINDS)

#: What the project promises of reachable targets [m, rad].
EXACT = 1e-9


class ExactArm(Arm):
    """An arm that calls reached only what misses by no more than rounding."""

    solve, solutions, solve_batch, track = [
        partialmethod(method, position_tolerance=EXACT, up_tolerance=EXACT)
        for method in (Arm.solve, Arm.solutions, Arm.solve_batch, Arm.track)]


_NUMBERS = ('base_x', 'base_y', 'base_height', 'shoulder_offset', 'lateral', 'floor_height',
            'hand_offset')


def make_arm(kind='yaw', links=(0.12, 0.12, 0.08), home=None, everywhere=(-3.15, 3.15),
             signs=None, offsets=None, **numbers):
    """
    Return an arm whose joints are called like their roles.

    :param kind: key of ``KINDS``.
    :param links: upper arm, forearm, hand [m].
    :param home: readings [rad]; all as near to zero as the limits allow by default.
    :param everywhere: limits [rad] of the joints not named in ``numbers``.
    :param signs: dict from role to sign, 1 by default.
    :param offsets: dict from role to offset [rad], 0 by default.
    :param numbers: lengths by their names in the model, limits ``(lower, upper)`` by role.
    """
    joints = []
    for role in KINDS[kind]:
        lower, upper = numbers.pop(role, everywhere)
        joints.append(Joint(role, role, lower, upper, 3.0, (signs or {}).get(role, 1),
                            (offsets or {}).get(role, 0.0)))
    if home is None:
        home = [min(max(0.0, joint.lower), joint.upper) for joint in joints]
    if kind == 'bent_wrist_roll':
        numbers.setdefault('hand_offset', 0.015)
    assert set(numbers) <= set(_NUMBERS), numbers
    return ExactArm(ArmModel('test', *links, joints=joints, home=home, **numbers))


def random_arm(kind, seed):
    """Return an arm with random numbers everywhere; some ranges are narrow, some past a turn."""
    random = Random(f'{kind} {seed}')
    uniform = random.uniform
    limits = {}
    for role in KINDS[kind]:
        middle, width = uniform(-1.5, 1.5), random.choice((0.5, 2.0, 4.0, 6.0, 9.0))
        limits[role] = (middle - width / 2, middle + width / 2)
    return make_arm(
        kind, links=[uniform(0.05, 0.3) for _ in range(3)],
        home=[uniform(*limits[role]) for role in KINDS[kind]],
        signs={role: random.choice((1, -1)) for role in KINDS[kind]},
        offsets={role: uniform(-pi, pi) for role in KINDS[kind]},
        base_x=uniform(-0.1, 0.1), base_y=uniform(-0.1, 0.1), base_height=uniform(0.0, 0.2),
        shoulder_offset=uniform(-0.05, 0.05),
        lateral=0.0 if 'roll' in KINDS[kind] else random.choice((0.0, uniform(-0.05, 0.05))),
        hand_offset=uniform(-0.05, 0.05) if kind == 'bent_wrist_roll' else 0.0, **limits)


def random_readings(arm, random):
    """Return readings inside the limits."""
    return tuple([random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)])


def inside(arm, q):
    """Tell whether readings are finite and inside the limits, to the last bit."""
    return len(q) == len(arm.lower) and all(
        low <= reading <= high for low, reading, high in zip(arm.lower, q, arm.upper))


class Judge:
    """
    Forward kinematics of an arm by its URDF.

    :param arm: the arm.
    :param thorough: ask pinocchio too, where it is installed.
    """

    def __init__(self, arm, thorough=True):
        self._names = arm.joint_names
        urdf = arm.to_urdf()
        self._by_xml = UrdfJudge(urdf)
        self._model = None
        if thorough and pinocchio is not None:
            self._model = pinocchio.buildModelFromXML(urdf)
            self._data = self._model.createData()
            self._tool = self._model.getFrameId('tool0')
            self._at = [self._model.joints[self._model.getJointId(name)].idx_q
                        for name in self._names]

    def pose(self, q):
        """Return ``tool0`` in ``base_link`` as a 4x4 matrix."""
        return self._by_xml.pose(dict(zip(self._names, q)))

    def point(self, q, joint):
        """Return where a joint's axis is [m], e.g. the elbow for the joint ``elbow``."""
        return self._by_xml.pose(dict(zip(self._names, q)), f'{joint}_link')[:3, 3]

    def target(self, q, up=True, forward=False):
        """Return the target that readings meet."""
        pose = self.pose(q)
        return Target(pose[:3, 3], pose[:3, 2] if up else None, pose[:3, 0] if forward else None)

    def errors(self, q, target):
        """
        Return how far readings are from a target.

        :returns: ``(position [m], up [rad], forward [rad])``, the worse of two judges; forward
            is the turn about the real up vector that is missing, 0 if none was asked for.
        """
        return tuple(np.max([_errors(pose, target) for pose in self._poses(q)], axis=0))

    def _poses(self, q):
        yield self.pose(q)
        if self._model is not None:
            by_pinocchio = np.zeros(self._model.nq)
            by_pinocchio[self._at] = q
            pinocchio.framesForwardKinematics(self._model, self._data, by_pinocchio)
            yield self._data.oMf[self._tool].homogeneous


def _errors(pose, target):
    x, y, z = pose[:3, :3].T
    position = float(np.linalg.norm(pose[:3, 3] - target.position))
    up = 0.0 if target.up is None else angle(z, target.up)
    forward = 0.0
    if target.forward is not None:
        wanted = np.array(target.forward)
        if 1e-12 < up < pi - 1e-9:
            wanted = smallest_rotation(target.up, z) @ wanted
        forward = abs(atan2(wanted @ y, wanted @ x))
    return position, up, forward


def smallest_rotation(start, end):
    """Return the matrix of the rotation between two unit vectors, which are not opposite."""
    x, y, z = axis = np.cross(start, end)
    turn, length = angle(start, end), np.linalg.norm(axis)
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / length
    return np.eye(3) + np.sin(turn) * across + (1.0 - np.cos(turn)) * across @ across


def angle(a, b):
    """Return the angle between two vectors [rad]."""
    ax, ay, az = a
    bx, by, bz = b
    across = hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    return atan2(across, ax * bx + ay * by + az * bz)


def assert_meets(arm, judge, target, solution):
    """Fail unless an answer says it reached the target and the judge agrees."""
    assert solution.status is Status.REACHED, (solution, target)
    assert inside(arm, solution.q), (arm.lower, solution.q, arm.upper)
    assert max(judge.errors(solution.q, target)) <= EXACT, (
        judge.errors(solution.q, target), solution, target)
    assert solution.reason.partition('elevation ')[0] == '' and solution.limited_by == ()


def step(q, near):
    """Return the largest change of any reading [rad]."""
    return max([abs(a - b) for a, b in zip(q, near)], default=inf)
