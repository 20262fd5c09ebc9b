# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The article's recipe: where it is exact once it is repaired, and that it misses elsewhere."""

from math import cos, dist, pi, sin
import random

from arm_ik import Arm, ArmModel, InvalidInputError, Joint, Target
from arm_ik.kinematics.three_link import solve_recipe
import pytest

L1, L2, L3 = 0.12, 0.10, 0.08


@pytest.fixture(scope='module')
def arm():
    roles = ('yaw', 'roll', 'shoulder', 'elbow', 'wrist')
    return Arm(ArmModel('rolling', L1, L2, L3, [Joint(r, r, -pi, pi, 3.0) for r in roles],
                        [0.0] * 5))


def tip(q):
    """Place the tip by rotating the links one after the other: no code of the package."""
    yaw, roll, shoulder, elbow, wrist = q
    x = z = 0.0
    for length, angle in ((L1, shoulder), (L2, shoulder + elbow), (L3, shoulder + elbow + wrist)):
        x, z = x + length * cos(angle), z + length * sin(angle)
    y, z = -z * sin(roll), z * cos(roll)
    return x * cos(yaw) - y * sin(yaw), x * sin(yaw) + y * cos(yaw), z


def random_target(arm, rng, roll):
    q = [rng.uniform(-pi, pi), roll] + [rng.uniform(-2.0, 2.0) for _ in range(3)]
    return tip(q), arm.forward(q).up.tolist()


def test_the_repaired_recipe_is_exact_with_the_up_vector_in_the_vertical_plane(arm):
    rng = random.Random(4)
    for _ in range(200):
        position, up = random_target(arm, rng, 0.0)
        q = solve_recipe(L1, L2, L3, position, up, repaired=True)
        assert dist(tip(q), position) < 1e-7


def test_the_repaired_recipe_is_exact_with_the_wrist_level_with_the_shoulder(arm):
    rng = random.Random(5)
    for _ in range(200):
        azimuth, distance = rng.uniform(-pi, pi), rng.uniform(0.05, 0.2)
        wrist = (distance * cos(azimuth), distance * sin(azimuth), 0.0)
        up = Target((0, 0, 0), [rng.gauss(0, 1) for _ in range(3)]).up
        position = [p + L3 * u for p, u in zip(wrist, up)]
        q = solve_recipe(L1, L2, L3, position, up, repaired=True)
        assert dist(tip(q), position) < 1e-7


def test_elsewhere_the_repaired_recipe_keeps_the_up_vector_and_misses_by_centimetres(arm):
    rng = random.Random(6)
    misses = []
    for _ in range(400):
        position, up = random_target(arm, rng, rng.uniform(0.3, 1.2) * rng.choice((1, -1)))
        q = solve_recipe(L1, L2, L3, position, up, repaired=True)
        assert arm.forward(q).up == pytest.approx(up, abs=1e-9)
        misses.append(dist(tip(q), position))
    assert sorted(misses)[200] > 0.01


def test_the_recipe_as_printed_misses_even_where_the_repaired_one_is_exact(arm):
    rng = random.Random(7)
    misses = []
    for _ in range(400):
        position, up = random_target(arm, rng, 0.0)
        misses.append(dist(tip(solve_recipe(L1, L2, L3, position, up)), position))
    assert sorted(misses)[200] > 0.05


@pytest.mark.parametrize('arguments', [
    (0.0, L2, L3, (0.1, 0, 0), (0, 0, 1)),
    (L1, float('nan'), L3, (0.1, 0, 0), (0, 0, 1)),
    (L1, L2, L3, (0.1, 0, float('inf')), (0, 0, 1)),
    (L1, L2, L3, (0.1, 0, 0), (0, 0, 0)),
    (L1, L2, L3, (0, 0, L3), (0, 0, 1)),
])
def test_the_recipe_refuses_bad_numbers(arguments):
    with pytest.raises(InvalidInputError):
        solve_recipe(*arguments)
