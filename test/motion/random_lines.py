# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Random lines an arm can go, and TOPP-RA's optimum for one of them."""

from arm_ik import Target
from arm_ik.motion.tip_path import TipPath
import numpy as np
import pytest

#: Samples of the judge's own path.
SAMPLES = 600


def random_lines(arm, seed, count, **options):
    """Yield so many ``(start, targets, line)``: of 20 to 300 mm, from random poses."""
    random, found = np.random.default_rng(seed), 0
    while found < count:
        start = random.uniform(arm.lower, arm.upper)
        if np.hypot(*arm.forward(start).position[:2]) < 0.005:
            continue  # on the yaw axis even samples are too far apart for the judge
        step = random.normal(size=3)
        step *= random.uniform(0.02, 0.3) / np.linalg.norm(step)
        targets = [Target(arm.forward(start).position + step)]
        line = arm.line(targets, start, **options)
        if line.fraction == 1.0:
            found += 1
            yield start, targets, line


def random_line(arm, seed, **options):
    """Return the first one."""
    return next(random_lines(arm, seed, 1, **options))


def optimum(arm, start, target, line, tip_speed=0.1, tip_turn_speed=1.0):
    """
    Return the shortest duration [s] of a line by TOPP-RA.

    Two coordinates more than the joints limit the speeds of tip and hand. The path is a straight
    one between the elevations at both ends, solved here; where the arm can't go it, the one that
    a slow line takes.
    """
    ta = pytest.importorskip('toppra', reason='needs TOPP-RA; the extra "test" brings it')
    ta.setup_logging('ERROR')
    ends = Target(target.position, arm.forward(line.q[-1]).up)
    path = TipPath(arm.solver.geometry, tuple(start), ends, True)
    s, q, reached = np.linspace(0.0, 1.0, SAMPLES), [tuple(start)], []
    for part in s[1:]:
        solution = arm.solve(path.at(part), near=q[-1])
        reached.append(solution.reached and solution.step_rad < 0.1)
        q.append(solution.q)
    if not all(reached):
        q = arm.line([target], start, path.length * 50.0 / SAMPLES, 0.3, rate=500.0).q
        s = np.linalg.norm(arm.forward(q).position - arm.forward(start).position, axis=1)
        keep = np.append(True, s[1:] > np.maximum.accumulate(s)[:-1] + 1e-9)
        s, q = s[keep] / s[-1], q[keep]
    turns = 2.0 * np.arcsin(0.5 * np.linalg.norm(np.diff(arm.forward(q).up, axis=0), axis=1))
    coordinates = np.column_stack([q, s * path.length, np.append(0.0, np.cumsum(turns))])
    joints = arm.model.joints
    top = [*[joint.max_velocity for joint in joints], tip_speed, tip_turn_speed]
    most = [*[joint.acceleration for joint in joints], 1e5, 1e5]
    limits = [ta.constraint.JointVelocityConstraint([(-v, v) for v in top]),
              ta.constraint.JointAccelerationConstraint([(-a, a) for a in most])]
    judge = ta.algorithm.TOPPRA(limits, ta.SplineInterpolator(s, coordinates), gridpoints=s,
                                solver_wrapper='seidel')
    speeds = judge.compute_parameterization(0.0, 0.0)[1]
    return float(np.sum(2.0 * np.diff(s) / (speeds[1:] + speeds[:-1])))
