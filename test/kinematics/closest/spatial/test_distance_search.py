# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The search over families of poses: true tips, a true bound on their motion, the nearest."""

from math import pi
from random import Random

from arm_ik.kinematics.closest.spatial.beside_axis import BesideAxis
from arm_ik.kinematics.closest.spatial.distance_search import FINEST, tips
from arm_ik.kinematics.closest.spatial.rolling_base import RollingBase
from arm_ik.kinematics.closest.spatial.tilting_wrist import TiltingWrist
from judged_arms import Judge, random_arm
import numpy as np
import pytest


def searches(kind, seed):
    """Return a random arm and its searches, each with a function from parameters to a pose."""
    arm = random_arm(kind, seed)
    solver = arm.solver
    geometry, planar = solver.geometry, solver.planar_reach(solver.geometry.l3)
    if geometry.has_roll:
        known = RollingBase(geometry, planar)
        return arm, [(known.search, lambda i, p, q: (*known.pose(i, p), 0.0))]
    if geometry.has_tilt:
        known = TiltingWrist(geometry, planar)
        return arm, [
            (known.on_arcs, lambda i, p, q: (0.0, *known.pose_on_arc(i, p))),
            (known.in_families, lambda i, p, q: (0.0, *known.pose_in_family(i, p, q)))]
    known = BesideAxis(geometry, planar)
    return arm, [(known.search, lambda i, p, q: (0.0, *planar.arcs[i].pose(p), 0.0))]


def tip_of(arm, judge, yaw, roll, shoulder, elbow, wrist, tilt):
    """Return the tip [m] from S0 by the judge, at canonical angles."""
    angles = {'yaw': yaw, 'roll': roll, 'shoulder': shoulder, 'elbow': elbow, 'wrist': wrist,
              'wrist_tilt': tilt, 'wrist_roll': 0.0}
    q = [joint.position(angles[joint.role]) for joint in arm.model.joints]
    model = arm.model
    return judge.pose(q)[:3, 3] - (model.base_x, model.base_y, model.base_height)


kinds = pytest.mark.parametrize('kind', ['yaw', 'roll', 'tilt'])


def random_parameters(search, rng, count):
    families = search.families
    which = rng.integers(len(families.low), size=count)
    p, q = rng.uniform(families.low[which], families.high[which]).T
    return which, p, q


@kinds
def test_a_tip_is_where_forward_kinematics_says(kind):
    rng = np.random.default_rng(1)
    for seed in range(4):
        arm, found = searches(kind, seed)
        judge = Judge(arm, thorough=False)
        for search, pose in found:
            which, p, q = random_parameters(search, rng, 40)
            for i, a, b, r, azimuth, height in zip(
                    which, p, q, *tips(search.families, which, p, q)):
                tip = tip_of(arm, judge, 0.7, *pose(i, a, b))
                said = (r * np.cos(azimuth + 0.7), r * np.sin(azimuth + 0.7), height)
                assert tip == pytest.approx(said, abs=1e-12)


@kinds
def test_a_tip_moves_no_farther_than_the_bound_says(kind):
    rng, seen = np.random.default_rng(2), 0.0
    for seed in range(4):
        _, found = searches(kind, seed)
        for search, _ in found:
            families = search.families
            which, p, q = random_parameters(search, rng, 3000)
            dp, dq = rng.normal(0.0, 1e-3, (2, 3000))
            before, after = [
                np.array([r * np.cos(azimuth), r * np.sin(azimuth), height]) for r, azimuth, height
                in (tips(families, which, p, q), tips(families, which, p + dp, q + dq))]
            moved = np.linalg.norm(after - before, axis=0)
            allowed = families.radius[which] * np.abs(dp) + families.hand[which] * np.abs(dq)
            assert (moved <= allowed + 1e-12).all()
            seen = max(seen, (moved / np.maximum(allowed, 1e-9)).max())
    # A bound that is far too large would cost time, but prove nothing wrong.
    assert seen > 0.9


@pytest.mark.parametrize('kind', ['yaw', 'roll'])
def test_the_bottom_of_a_valley_is_exact_at_an_end_of_a_family_too(kind):
    rng, ends = np.random.default_rng(4), 0
    for seed in range(6):
        _, [(search, _)] = searches(kind, seed)
        for _ in range(30):
            e = rng.uniform(-0.5, 0.5, 3)
            for which, p, yaw, distance in search.bottoms(e, np.inf)[:1]:
                low, high = search.families.low[which, 0], search.families.high[which, 0]
                near_p = np.clip(p + np.linspace(-1e-5, 1e-5, 201), low, high)
                r, azimuth, height = tips(
                    search.families, np.full(201, which), near_p, np.zeros(201))
                tried = np.array([r * np.cos(azimuth + yaw), r * np.sin(azimuth + yaw), height])
                missed = np.linalg.norm(tried - e[:, None], axis=0)
                at = np.argmin(np.abs(near_p - p))
                assert missed[at] <= missed.min() + 1e-11
                assert missed[at] <= distance + 1e-12
                ends += p in (low, high)
    assert ends


@kinds
def test_nothing_in_a_family_is_nearer_than_what_is_found(kind):
    rng = np.random.default_rng(3)
    for seed in range(6):
        random = Random(seed)
        arm, found = searches(kind, seed)
        judge = Judge(arm, thorough=False)
        low, high = [joint.canonical(reading) for joint, reading in zip(
            2 * [arm.model.joints[0]], (arm.lower[0], arm.upper[0]))]
        for search, pose in found:
            e = np.array([random.uniform(-0.5, 0.5) for _ in range(3)])
            which, p, q, yaw, distance = search.nearest(e, np.inf)
            i = int(which[0])
            tip = tip_of(arm, judge, yaw[0], *pose(i, p[0], q[0]))
            assert np.linalg.norm(tip - e) == pytest.approx(distance[0], abs=1e-12)
            assert min(low, high) - 1e-9 <= yaw[0] + 2 * pi * round(
                (0.5 * (low + high) - yaw[0]) / (2 * pi)) <= max(low, high) + 1e-9
            which, p, q = random_parameters(search, rng, 200_000)
            yaws = rng.uniform(min(low, high), max(low, high), 200_000)
            r, azimuth, height = tips(search.families, which, p, q)
            tried = np.array([r * np.cos(azimuth + yaws), r * np.sin(azimuth + yaws), height])
            nearest = np.linalg.norm(tried - e[:, None], axis=0).min()
            assert distance[0] <= nearest + 0.5 * max(FINEST.values())
            assert distance[0] >= nearest - 0.05


@kinds
def test_a_tip_that_can_be_had_is_found_however_near_another_is(kind):
    rng = np.random.default_rng(4)
    for seed in range(4):
        arm, found = searches(kind, seed)
        yaw = np.mean([*arm.solver.geometry.limits[0].canonical_ends])
        for search, _ in found:
            which, p, q = random_parameters(search, rng, 20)
            r, azimuth, height = tips(search.families, which, p, q)
            e = np.array([r * np.cos(azimuth + yaw), r * np.sin(azimuth + yaw), height])
            row, *_ = search.nearest_of_each(e, np.full(20, 1e-4))
            assert set(row.tolist()) == set(range(20))
