# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The straight path to the closest pose gives the general way's answers, and is mostly taken."""

from dataclasses import replace
from random import Random

from arm_ik import Arm, Status, Target
from judged_arms import make_arm, random_arm
import pytest

EXACTLY = ('nearest', 'position', 1e-9, 1e-9)


def both_ways(arm, target, near, options=EXACTLY):
    """Return the straight path's pose, None where it leaves the target, and both answers."""
    solver = arm._solver
    straight = solver.closest_path(target, near, solver.ranking(*options))
    answer = solver.solve_generally(target, near, *options)
    path, solver.closest_path = solver.closest_path, None
    try:
        return straight, answer, solver.solve_generally(target, near, *options)
    finally:
        solver.closest_path = path


def random_targets(arm, seed, count):
    """Yield targets, mostly out of reach, with readings to stay near to."""
    random = Random(seed)
    reach = arm.model.upper_arm + arm.model.forearm + arm.model.hand
    for _ in range(count):
        near = tuple([random.uniform(low - 0.5, high + 0.5)
                      for low, high in zip(arm.lower, arm.upper)])
        if random.random() < 0.5:
            q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
            position = arm.forward(q).position
        else:
            position = [random.uniform(-reach, reach) for _ in range(3)]
        yield Target(position, [random.gauss(0.0, 1.0) for _ in range(3)]), near


def assert_alike(straight, general):
    assert straight.status == general.status
    assert straight.position_error_m == pytest.approx(general.position_error_m, abs=1e-8)
    assert straight.up_error_rad == pytest.approx(general.up_error_rad, abs=1e-7)
    assert straight.step_rad == pytest.approx(general.step_rad, abs=1e-6)
    assert straight.q == pytest.approx(general.q, abs=1e-6)
    assert straight.limited_by == general.limited_by


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
@pytest.mark.parametrize('lateral', [None, 0.0])
def test_it_gives_the_general_answers_on_random_arms(kind, lateral):
    taken = {Status.UP_RELAXED: 0, Status.POSITION_RELAXED: 0}
    for seed in range(60):
        arm = random_arm(kind, seed)
        if lateral is not None:
            arm = Arm(replace(arm.model, lateral=lateral))
        for target, near in random_targets(arm, seed, 15):
            straight, answer, general = both_ways(arm, target, near)
            assert_alike(answer, general)
            if straight is not None:
                taken[general.status] += 1
    assert taken[Status.UP_RELAXED] > 60
    assert taken[Status.POSITION_RELAXED] > 25 or lateral is None


@pytest.mark.parametrize('tolerances', [(1e-4, 1e-3), (0.02, 0.2)])
def test_it_gives_the_general_answers_where_near_enough_is_reached(tolerances):
    for seed in range(20):
        arm = random_arm('yaw', seed)
        for target, near in random_targets(arm, seed, 15):
            _, answer, general = both_ways(arm, target, near, (*EXACTLY[:2], *tolerances))
            assert_alike(answer, general)


def test_it_gives_the_general_answers_where_both_planes_are_alike():
    # Both elbows and both planes are as good: the step chooses.
    arm = Arm.preset('simple')
    taken = 0
    for target, near in random_targets(arm, 3, 300):
        straight, answer, general = both_ways(arm, target, near)
        assert_alike(answer, general)
        taken += straight is not None
    assert taken > 100


def test_it_gives_the_general_answers_where_the_elbow_is_straight_at_a_limit():
    arm = make_arm(elbow=(0.0, 2.8))
    for target, near in random_targets(arm, 4, 200):
        _, answer, general = both_ways(arm, target, near)
        assert_alike(answer, general)


@pytest.mark.parametrize('priority, elbow', [('up', 'nearest'), ('position', 'up')])
def test_it_leaves_other_orders_to_the_general_way(priority, elbow):
    arm = Arm.preset('simple')
    solver = arm._solver
    for target, near in random_targets(arm, 5, 20):
        assert solver.closest_path(target, near, solver.ranking(elbow, priority, 0.0, 0.0)) is None


@pytest.mark.parametrize('arm', [
    make_arm('roll'), make_arm('tilt'), Arm(replace(make_arm().model, floor_height=-0.5))])
def test_arms_without_ordinary_targets_have_no_such_path(arm):
    assert arm._solver.closest_path is None
