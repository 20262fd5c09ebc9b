# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The fast path gives the general way's answers, and takes most ordinary targets."""

from random import Random

from arm_ik import Arm, Target
from judged_arms import make_arm, random_arm
import pytest

OPTIONS = ('nearest', 'position', 1e-9, 1e-9)


def both_ways(arm, target, near, options=OPTIONS):
    """Return the fast answer, None where it leaves the target, and the general one."""
    solver = arm._solver
    return (solver.solve_fast(target, near, *options[2:]),
            solver.solve_generally(target, near, *options))


def random_targets(arm, seed, count, astray):
    """Yield reachable targets with readings to stay near to, up to ``astray`` [rad] off limits."""
    random = Random(seed)
    for _ in range(count):
        q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        near = tuple([random.uniform(low - astray, high + astray)
                      for low, high in zip(arm.lower, arm.upper)])
        pose = arm.forward(q)
        yield Target(pose.position, pose.up), near


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
def test_it_gives_the_general_answers_on_random_arms(kind):
    taken = 0
    for seed in range(60):
        arm = random_arm(kind, seed)
        for target, near in random_targets(arm, seed, 25, 1.0):
            fast, general = both_ways(arm, target, near)
            if fast is None:
                continue
            taken += 1
            assert fast.q == pytest.approx(general.q, abs=1e-8)
            assert fast.status == general.status and fast.reason == general.reason
            assert fast.step_rad == pytest.approx(general.step_rad, abs=1e-8)
            assert fast.up_error_rad < 1e-9 and fast.position_error_m < 1e-9
    assert taken > 60 * 25 * 0.9


@pytest.mark.parametrize('name', ['simple', 'so101', 'px100', 'rx150', 'braccio'])
def test_it_takes_nearly_every_reachable_target_of_a_preset(name):
    arm = Arm.preset(name)
    taken = sum(arm._solver.solve_fast(target, near, 1e-9, 1e-9) is not None
                for target, near in random_targets(arm, 5, 400, 0.0))
    assert taken >= 396


def test_it_gives_the_general_answers_where_joints_turn_more_than_once():
    arm = make_arm(everywhere=(-7.0, 8.0))
    for target, near in random_targets(arm, 6, 300, 0.0):
        fast, general = both_ways(arm, target, near)
        assert fast is None or fast.q == pytest.approx(general.q, abs=1e-8)


def test_it_gives_the_general_answers_where_tolerances_are_those_of_a_node():
    arm = make_arm(lateral=0.02)
    options = ('nearest', 'position', 1e-4, 1e-3)
    for target, near in random_targets(arm, 7, 300, 0.0):
        fast, general = both_ways(arm, target, near, options)
        assert fast is None or fast.q == pytest.approx(general.q, abs=1e-8)


@pytest.mark.parametrize('arm', [make_arm('roll'), make_arm('tilt')])
def test_arms_without_ordinary_targets_have_no_fast_path(arm):
    assert arm._solver.fast is None


def test_it_gives_the_general_answers_above_a_floor():
    arm, taken, left = make_arm(floor_height=0.0, base_height=0.1), 0, 0
    for target, near in random_targets(arm, 8, 300, 0.0):
        fast, general = both_ways(arm, target, near)
        if fast is None:
            left += 1
            continue
        taken += 1
        assert fast.q == pytest.approx(general.q, abs=1e-8)
    assert taken > 50 and left > 50


def test_where_the_wrist_roll_has_the_farthest_way_the_yaw_decides():
    arm, differ = make_arm('yaw_wrist_roll'), 0
    for target, near in random_targets(arm, 9, 300, 0.0):
        far = (*near[:4], arm.upper[4] + 7.0)
        fast, general = both_ways(arm, target, far)
        assert fast is None or fast.q == pytest.approx(general.q, abs=1e-8)
        nearest = both_ways(arm, target, near)[1]
        differ += abs(general.q[2] - nearest.q[2]) > 1e-8
    assert differ > 20


def test_what_is_not_ordinary_is_left_to_the_general_way():
    arm = make_arm()
    straight, folded = (0.3, 0.2, 0.0, 0.4), (0.3, 0.2, 3.1415926, 0.4)
    for q in (straight, folded):
        pose = arm.forward(q)
        assert both_ways(arm, Target(pose.position, pose.up), q)[0] is None
    for target in (Target((0, 0, 0.2), (0, 0, 1)), Target((0.2, 0, 0), (0, 1, 0)),
                   Target((1e300, 0, 0), (1, 0, 0)), Target((0.4, 0, 0.1), (1, 0, 0))):
        assert both_ways(arm, target, (0.0,) * 4)[0] is None


def test_where_the_yaw_has_the_farthest_way_the_elbow_is_not_flipped():
    arm = make_arm()
    for bend in (0.4, -0.4):
        pose = arm.forward((1.4, 0.4, bend, -0.3))
        target, near = Target(pose.position, pose.up), (0.0, 0.5, bend, -0.2)
        for solution in both_ways(arm, target, near):
            assert solution.q[2] * bend > 0.0
        batch = arm.solve_batch(pose.position, pose.up, near=near)
        assert batch.q[2] * bend > 0.0
