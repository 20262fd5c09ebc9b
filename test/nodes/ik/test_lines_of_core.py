# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Lines in the node's core: planned before the arm moves, followed, taken over, refused."""

from dataclasses import replace
from math import dist, nan

from arm_ik import Arm, Status, Target
from arm_ik.description.collision_shapes import base_cylinders
from arm_ik.nodes.ik.core import Settings
from arm_ik.nodes.ik.goals import inside_base
from arm_ik.nodes.ik.report import Level, State
from controlled_loop import ARM, require_inside_limits
from core_bench import CoreBench, PERIOD
import numpy as np
import pytest

DOWN = (0.0, 0.0, -1.0)
LEFT, MIDDLE, RIGHT = (Target((0.2, y, 0.05), DOWN) for y in (0.1, 0.0, -0.1))
START = ARM.solve(RIGHT).q


class Bench(CoreBench):
    """An arm at the right."""

    def __init__(self, arm=ARM, **settings):
        super().__init__(arm, START, **settings)

    def tips(self):
        return ARM.forward([positions for positions, _ in self.commands]).position

    def require_inside_limits(self):
        require_inside_limits([positions for positions, _ in self.commands], PERIOD)


def test_targets_are_gone_to_straight_with_velocities_if_motion_says_so():
    bench = Bench(motion='line')
    report = bench.target(LEFT)
    assert (report.state, report.level) == (State.ACCEPTED, Level.OK)
    assert report.solution.reached and report.solution.position_error_m < 1e-9
    bench.until_arrived()
    tips = bench.tips()
    assert len(tips) == pytest.approx(2.05 / PERIOD, abs=3)
    assert np.abs(tips[:, [0, 2]] - (0.2, 0.05)).max() < 1e-6
    assert dist(tips[-1], LEFT.position) < 1e-9
    under_way = [speeds for _, speeds in bench.commands[:100]]
    assert all(len(speeds) == 5 for speeds in under_way) and max(map(abs, under_way[50])) > 0.1
    bench.follow(PERIOD)
    assert bench.commands[-1][1] == ()
    bench.require_inside_limits()


def test_the_end_of_a_line_says_how_late_it_is():
    bench = Bench(motion='line')
    plan, begun = bench.target(LEFT).player.line, bench.now
    while (motion := bench.core.go_on()).velocities != () and motion.made == bench.now:
        bench.state(motion.positions)
    assert motion.late > 0.001 and motion.made == pytest.approx(bench.now - motion.late)
    assert motion.made == pytest.approx(begun + plan.duration)
    bench.state()
    assert bench.core.go_on().made == motion.made


def test_a_line_begins_when_it_has_been_planned():
    class SlowArm(Arm):
        def line(self, *args, **options):
            bench.now += 0.08
            return super().line(*args, **options)
    bench = Bench(arm=SlowArm(ARM.model), motion='line')
    bench.target(LEFT)
    assert bench.core.command == pytest.approx(START, abs=1e-9)


def test_a_target_moves_the_joints_directly_if_nothing_is_said():
    bench = Bench()
    report = bench.target(LEFT)
    assert bench.core.command == pytest.approx(ARM.solve(LEFT).q)
    assert report.motion.velocities == () and report.player is None


def test_a_path_stops_at_its_corners_and_tells_its_progress():
    bench = Bench()
    assert bench.path(MIDDLE, Target((0.22, 0.0, 0.08), DOWN), LEFT).state is State.ACCEPTED
    bench.until_arrived()
    reasons = [report.reason for report in bench.reports]
    assert [reason for reason, before in zip(reasons, [None, *reasons]) if reason != before] == [
        '', '1 of 3 targets reached', '2 of 3 targets reached', '']
    tips = bench.tips()
    for corner in (MIDDLE.position, (0.22, 0.0, 0.08), LEFT.position):
        assert np.linalg.norm(tips - corner, axis=1).min() < 1e-3
    bench.require_inside_limits()


def test_a_path_goes_round_its_corners_and_tells_its_progress():
    corners = MIDDLE, Target((0.22, 0.0, 0.08), DOWN), LEFT
    stopping, bench = Bench(), Bench(blend_radius=0.01)
    for each in stopping, bench:
        assert each.path(*corners).state is State.ACCEPTED
        each.until_arrived()
    assert len(bench.commands) < len(stopping.commands) - 5
    assert list(dict.fromkeys(report.reason for report in bench.reports)) == [
        '', '1 of 3 targets reached', '2 of 3 targets reached']
    tips = bench.tips()
    for corner in corners[:-1]:
        assert 1e-3 < np.linalg.norm(tips - corner.position, axis=1).min() < 0.006
    assert dist(tips[-1], LEFT.position) < 1e-9
    bench.require_inside_limits()


def test_the_plan_is_there_once_before_the_arm_moves():
    bench = Bench()
    plan = bench.path(LEFT).player.line
    assert plan.fraction == 1.0 and plan.q[0].tolist() == pytest.approx(START)
    assert bench.follow(0.1)[0].player is None
    assert bench.path(Target((0.9, 0.0, 0.1))).player is None


@pytest.mark.parametrize('follow_relaxed', [True, False])
def test_a_line_that_ends_before_its_target_is_not_begun(follow_relaxed):
    bench = Bench(motion='line', follow_relaxed=follow_relaxed)
    report = bench.target(Target((0.08, -0.04, 0.05), DOWN))
    assert (report.state, report.level, report.cause) == (State.REFUSED, Level.WARN, 'line')
    assert 'wrist_flex at its upper limit' in report.reason
    assert report.reason.endswith('the line ends after 0.114 m of 0.134 m')  # said once
    assert report.solution.limited_by == ('wrist_flex',) and not report.solution.reached
    assert report.solution.position_error_m == pytest.approx(0.0197, abs=1e-3)
    turned = bench.target(Target((0.9, 0.0, 0.1), (1.0, 0.0, 0.0)))
    assert turned.solution.status is Status.POSITION_RELAXED
    assert turned.solution.up_error_rad > 0.1
    assert bench.core.command is None


@pytest.mark.parametrize('follow_relaxed', [True, False])
@pytest.mark.parametrize('x, y, side', [(0.2, -0.1, (0.0, 0.003)), (0.0, -0.2, (0.003, 0.0))])
def test_a_target_dragged_sideways_is_followed_with_the_nearest_up_vector_of_the_plane(
        x, y, side, follow_relaxed):
    start = ARM.solve(Target((x, y, 0.08)), elevation=-0.7).q
    bench = CoreBench(ARM, start, motion='line', follow_relaxed=follow_relaxed)
    (x, y, z), slanted, _ = ARM.forward(start)
    for step in range(1, 65):
        bench.follow(PERIOD)
        dragged = Target((x + step * side[0], y + step * side[1], z), slanted)
        report = bench.target(dragged)
        assert (report.state is State.ACCEPTED) == follow_relaxed, report
    out = ARM.solve(dragged)
    assert report.solution.status is out.status is Status.UP_RELAXED
    if follow_relaxed:
        assert report.solution.position_error_m < 1e-6
        assert report.solution.up_error_rad == pytest.approx(out.up_error_rad) and \
            out.up_error_rad > 0.3 and report.reason == out.reason
        bench.until_arrived()
        assert dist(ARM.forward(bench.q).position, dragged.position) < 1e-4
        require_inside_limits([q for q, _ in bench.commands if q is not None], PERIOD)


def test_a_refused_line_leaves_the_one_on_its_way():
    bench = Bench(motion='line')
    bench.target(LEFT)
    bench.follow(40 * PERIOD)
    refused = bench.target(Target((0.9, 0.0, 0.1), DOWN))
    assert refused.state is State.REFUSED
    bench.until_arrived()
    assert dist(bench.tips()[-1], LEFT.position) < 1e-9
    bench.require_inside_limits()


def test_a_new_target_in_mid_line_takes_over_inside_all_limits():
    random = np.random.default_rng(3)
    judged = 0
    for _ in range(25):
        bench = Bench(motion='line', tip_speed=0.5)
        bench.target(LEFT)
        bench.follow(random.integers(11, 18) * PERIOD)     # sooner it would be a stream
        goal = Target((random.uniform(0.16, 0.22), random.uniform(-0.1, 0.1), 0.06), DOWN)
        assert bench.target(goal).state is State.ACCEPTED
        first = len(bench.commands)
        bench.until_arrived()
        bench.require_inside_limits()
        tips = bench.tips()
        assert dist(tips[-1], goal.position) < 1e-9
        # It brakes for less than six periods, and from where that ends the tip goes straight.
        straight = tips[first + 6:]
        if len(straight) > 2:
            along = np.subtract(goal.position, straight[0])
            cross = np.cross(straight - straight[0], along)
            assert np.linalg.norm(cross, axis=1).max() < 1e-5 * np.linalg.norm(along)
            judged += 1
    assert judged >= 20


@pytest.mark.parametrize('later', range(4))
def test_a_line_begins_where_one_has_just_ended(later):
    bench = Bench(motion='line', tip_speed=0.5)
    bench.target(MIDDLE)
    while not bench.commands or any(bench.commands[-1][1]) or len(bench.commands) < 3:
        bench.follow(PERIOD)
    bench.follow(later * PERIOD)
    bench.target(LEFT)
    bench.follow(20 * PERIOD)
    assert np.abs(bench.tips()[:, [0, 2]] - (0.2, 0.05)).max() < 1e-5
    bench.require_inside_limits()


def test_a_stream_of_lines_that_leads_onwards_does_not_stop():
    bench = Bench(motion='line', tip_speed=0.2)
    for y in (-0.05, 0.0, 0.05, 0.1):
        bench.target(Target((0.2, y, 0.05), DOWN))
        bench.follow(6 * PERIOD)
    speeds = np.linalg.norm(np.diff(bench.tips(), axis=0), axis=1) / PERIOD
    assert speeds[3:].min() > 0.15
    bench.until_arrived()
    bench.require_inside_limits()


def test_disabled_in_mid_line_the_arm_is_held_ahead():
    bench = Bench(motion='line')
    bench.target(LEFT)
    bench.follow(50 * PERIOD)
    tip = bench.tips()[-1]
    held = ARM.forward(bench.core.enable(False).motion.positions).position
    assert 0.0 < held[1] - tip[1] < 0.02 and abs(held[0] - 0.2) < 1e-3
    assert bench.core.command is None


def test_without_an_up_vector_the_elevation_asked_for_is_taken():
    for elevation, expected in ((nan, -np.pi / 2), (-1.2, -1.2)):
        bench = Bench(motion='line', elevation=elevation)
        bench.target(Target(MIDDLE.position))
        bench.until_arrived()
        up = ARM.forward(bench.q).up
        assert np.arctan2(up[2], np.hypot(*up[:2])) == pytest.approx(expected, abs=1e-6)


def way_into_the_base():
    """Return joint positions outside the base, and targets: one inside it, and back."""
    random, geometry = np.random.default_rng(5), ARM.solver.geometry
    shapes = base_cylinders(ARM.model)
    while True:
        q = tuple(random.uniform(ARM.lower, ARM.upper).tolist())
        inside = ARM.forward(q)
        if not inside_base(geometry, shapes, q).startswith('the tip'):
            continue
        outside = inside.position + 0.06 * np.append(random.normal(size=2), 0.5)
        line = ARM.line([Target(outside)], q)
        start = tuple(line.q[-1].tolist())
        back = [Target(inside.position), Target(outside)]
        if line.fraction == 1.0 and not inside_base(geometry, shapes, start) \
                and ARM.line(back, start).fraction == 1.0:
            return start, back


def test_a_path_that_stops_inside_the_base_is_refused():
    start, targets = way_into_the_base()
    for avoid_base in (True, False):
        bench = Bench(avoid_base=avoid_base)
        bench.core.take_state(ARM.joint_names, start)
        report = bench.path(*targets)
        assert (report.state is State.REFUSED) == avoid_base
        if avoid_base:
            assert report.cause == 'base' and report.reason.startswith('target 1 of 2: the tip')


def test_a_goal_that_is_too_far_for_max_step_is_refused():
    bench = Bench(motion='line', max_step=0.3)
    report = bench.target(LEFT)
    assert (report.state, report.cause) == (State.REFUSED, 'max_step')


def test_a_line_to_where_the_arm_is_has_arrived():
    bench = Bench(motion='line')
    assert bench.target(RIGHT).state is State.ACCEPTED
    bench.until_arrived()
    assert len(bench.commands) < 3


def test_a_path_is_no_stream_that_could_fall_silent():
    path = Bench(target_timeout=0.3)
    path.path(LEFT)
    path.until_arrived()


def test_a_line_of_too_many_set_points_is_refused_with_the_planners_reason():
    bench = Bench(motion='line', tip_speed=1e-6)
    report = bench.target(LEFT)
    assert report.state is State.REFUSED and 'set-points' in report.reason


@pytest.mark.parametrize('motion', ['joint', 'line'])
def test_a_target_below_the_floor_is_refused_unless_that_is_switched_off(motion):
    arm, below = Arm(replace(ARM.model, floor_height=0.03)), Target((0.2, 0.0, 0.02), DOWN)
    # The jaws of an SO-101 reach 6 mm beyond its tip.
    bench = Bench(arm, motion=motion, check_path='none')
    report = bench.target(below)
    assert (report.state, report.cause) == (State.REFUSED, 'floor')
    assert report.solution is None      # it takes long
    assert 'the target is 0.010 m below the floor; allowed: above it' in report.reason
    report = bench.path(MIDDLE, below, LEFT)
    assert report.reason.startswith('target 2 of 3: the target is 0.010 m below the floor')
    assert bench.path(MIDDLE).state is State.ACCEPTED
    on_it = Target((0.2, 0.0, 0.03 - 1e-9), DOWN)
    assert bench.target(on_it).state is State.ACCEPTED
    bench.core.change(Settings(avoid_base=False, check_path='none'))
    report = bench.target(below)
    assert report.state is State.ACCEPTED and arm.forward(report.solution.q).position[2] > 0.0299
