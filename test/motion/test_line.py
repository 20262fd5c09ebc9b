# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Straight lines: on their way, in their time, inside their limits, and honest where they end."""

from dataclasses import replace
from math import cos, inf, nan, sin

from arm_ik import Arm, InvalidInputError, Target
from arm_ik.motion.cubic_spline import accelerations, CubicSpline
import numpy as np
import pytest
from random_lines import optimum, random_line, random_lines

SO101, SIMPLE, ROLLING = (Arm.preset(name) for name in ('so101', 'simple', 'rolling_base'))
PRESETS = ('so101', 'open_manipulator_x', 'px100', 'rx150', 'braccio', 'phantomx_pincher',
           'rolling_base', 'simple')
DOWN, AHEAD = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)
START = SO101.solve(Target((0.2, -0.1, 0.05), DOWN)).q
ACROSS = Target((0.2, 0.1, 0.05), DOWN)


def distances(arm, line, ends, parts):
    """Return how far the tip is from the polyline through ends, joints running evenly."""
    parts = np.linspace(0.0, 1.0, parts)[:, None]
    q = line.q[:-1, None] + parts * np.diff(line.q, axis=0)[:, None]
    tips, off = arm.forward(q).position, []
    for a, b in zip(ends, ends[1:]):
        along = np.subtract(b, a)
        part = np.clip((tips - a) @ along / max(along @ along, 1e-30), 0.0, 1.0)
        off.append(np.linalg.norm(tips - a - part[..., None] * along, axis=-1))
    return np.min(off, axis=0)


def followed(line):
    """Return the joint positions at 1 kHz of whoever takes cubic curves through the set-points."""
    spline = CubicSpline(line.times, line.q, line.velocities)
    return np.array([spline.at(time)[0] for time in np.arange(0.0, line.duration, 1e-3)])


def require_inside_limits(arm, line):
    joints = arm.model.joints
    top, most = [np.array(values) * (1.0 + 1e-6) + 1e-9 for values in (
        [joint.max_velocity for joint in joints], [joint.acceleration for joint in joints])]
    steps = np.diff(line.times)[:, None]
    assert (steps > 0.0).all() and not line.velocities[[0, -1]].any()
    assert (line.q >= arm.lower).all() and (line.q <= arm.upper).all()
    means = np.vstack([0.0 * top, np.diff(line.q, axis=0) / steps, 0.0 * top])
    assert (np.abs(line.velocities) <= top).all() and (np.abs(means) <= top).all()
    assert (np.abs(np.diff(line.velocities, axis=0)) <= most * steps).all()
    between = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]]) / 2.0
    assert (np.abs(np.diff(means, axis=0)) <= most * between).all()
    if len(line.q) > 1:
        # On the cubic curves of whoever follows it; an end is clamped by rounding.
        starts, ends = accelerations(line.q, line.velocities, steps)
        assert np.abs(starts / most).max() < 1.01 and np.abs(ends / most).max() < 1.01
        q = followed(line)
        assert (q > np.array(arm.lower) - 1e-12).all() and (q < np.array(arm.upper) + 1e-12).all()


def test_the_tip_goes_straight_at_its_speed_and_the_hand_does_not_turn():
    line = SO101.line([ACROSS], START)
    assert (line.fraction, line.reason, line.limited_by) == (1.0, '', ())
    assert line.q[0].tolist() == list(START) and line.times[0] == 0.0
    pose = SO101.forward(line.q)
    assert pose.position[-1] == pytest.approx(ACROSS.position, abs=1e-9)
    assert np.abs(pose.position[:, [0, 2]] - (0.2, 0.05)).max() < 1e-6
    assert np.abs(pose.up - DOWN).max() < 1e-5
    speeds = np.linalg.norm(np.diff(pose.position, axis=0), axis=1) / np.diff(line.times)
    assert speeds.max() <= 0.1001 and np.median(speeds) == pytest.approx(0.1, rel=1e-3)
    assert 2.0 < line.duration < 2.1 and line.arrivals == (line.duration,) == (line.times[-1],)
    require_inside_limits(SO101, line)


def test_velocities_are_those_of_the_positions():
    line = SO101.line([ACROSS], START, rate=1000.0)
    means = np.diff(line.q, axis=0) / np.diff(line.times)[:, None]
    middles = 0.5 * (line.velocities[:-1] + line.velocities[1:])
    assert np.abs(means - middles).max() < 0.02 and np.abs(middles).max() > 0.4


def test_set_points_come_at_the_rate():
    for rate in (20.0, 50.0, 333.0):
        steps = np.diff(SO101.line([ACROSS], START, rate=rate).times)
        assert steps[:-1] == pytest.approx(1.0 / rate) and 0.0 < steps[-1] < 1.01 / rate


def test_a_deviation_is_the_largest_there_is():
    for speed in (0.05, 0.5):
        line = SO101.line([ACROSS], START, tip_speed=speed)
        seen = distances(SO101, line, [(0.2, -0.1, 0.05), ACROSS.position], 101).max()
        assert seen == pytest.approx(line.max_deviation_m, rel=0.02, abs=1e-7)


def test_the_up_vector_turns_evenly_along_the_great_circle():
    start = ROLLING.solve(Target((0.15, 0.1, 0.1), (0.3, 0.2, -0.9))).q
    goal = Target((0.2, 0.05, 0.12), (0.9, 0.3, 0.1))
    line = ROLLING.line([goal], start, tip_speed=10.0, tip_turn_speed=0.2)
    pose = ROLLING.forward(line.q)
    a, b = pose.up[0], np.array(goal.up)
    assert line.fraction == 1.0 and np.abs(pose.up[-1] - b).max() < 1e-9
    assert np.abs(pose.up @ np.cross(a, b)).max() < 1e-6
    turned = np.arccos(np.clip(np.sum(pose.up[1:] * pose.up[:-1], axis=1), -1.0, 1.0))
    speeds = turned / np.diff(line.times)
    assert speeds.max() < 0.2002 and np.median(speeds) == pytest.approx(0.2, rel=1e-3)
    part = np.linalg.norm(pose.position - pose.position[0], axis=1) / np.linalg.norm(
        pose.position[-1] - pose.position[0])
    angle = np.arctan2(np.linalg.norm(np.cross(a, pose.up), axis=1), pose.up @ a)
    assert angle == pytest.approx(part * angle[-1], abs=1e-5)


def test_a_hand_that_cannot_leave_the_arm_plane_turns_evenly_in_it():
    def tilted(azimuth, elevation):
        return cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)
    start = SIMPLE.solve(Target((0.18, -0.12, 0.05), tilted(np.arctan2(-0.12, 0.18), -1.0))).q
    line = SIMPLE.line([Target((0.18, 0.12, 0.05), tilted(np.arctan2(0.12, 0.18), -0.4))], start)
    assert line.fraction == 1.0
    pose = SIMPLE.forward(line.q)
    part = (pose.position[:, 1] + 0.12) / 0.24
    assert np.arcsin(pose.up[:, 2]) == pytest.approx(-1.0 + 0.6 * part, abs=1e-5)


@pytest.mark.parametrize('arm', [SO101, SIMPLE, ROLLING], ids=lambda arm: arm.name)
def test_without_an_up_vector_the_hand_keeps_its_elevation(arm):
    start = arm.solve(Target((0.2, -0.1, 0.08)), elevation=-0.9).q
    line = arm.line([Target((0.2, 0.1, 0.05))], start)
    pose = arm.forward(line.q)
    assert line.fraction == 1.0 and np.ptp(pose.up[:, 2]) < 1e-5


def test_an_elevation_that_cannot_be_kept_goes_to_the_nearest_one():
    start = SIMPLE.solve(Target((0.2, 0.0, 0.05), DOWN)).q
    line = SIMPLE.line([Target((0.29, 0.0, 0.05))], start)
    heights = np.arcsin(SIMPLE.forward(line.q).up[:, 2])
    assert line.fraction == 1.0 and np.all(np.diff(heights) > -1e-6) and heights[-1] > -1.0


def test_reaching_over_the_back_a_tolerance_is_no_reason_to_keep_an_elevation():
    # In front, beside the yaw axis, the same up vector would be 0.04 deg off.
    start = (-1.79284788, -1.40559173, -1.33890268, -1.44218597, 0.0)
    target = Target((0.0724170, -0.2876136, 0.0594070))
    exact, tolerant = [SO101.line([target], start, up_tolerance=t) for t in (1e-9, 1e-3)]
    assert exact.fraction == tolerant.fraction == 1.0


def test_the_forward_vector_arrives_with_the_tip():
    start = SO101.solve(Target((0.2, -0.1, 0.05), DOWN, (-1.0, 0.0, 0.0))).q
    goal = Target((0.2, 0.1, 0.05), DOWN, (-1.0, 0.0, 0.0))
    held = SO101.line([goal], start)
    axes = SO101.forward(held.q).rotation[..., 0]
    assert held.fraction == 1.0 and np.abs(axes - (-1.0, 0.0, 0.0)).max() < 1e-5
    turned = SO101.line([Target(goal.position, DOWN, (0.0, 1.0, 0.0))], start, tip_speed=1.0)
    axes = SO101.forward(turned.q).rotation[..., 0]
    assert turned.fraction == 1.0 and axes[-1] == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    angles = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    assert np.abs(np.diff(angles) / np.diff(turned.times)).max() < 1.002


def test_where_the_wrist_roll_ends_the_turn_ends():
    start = SO101.solve(Target((0.2, -0.1, 0.05), DOWN, (-1.0, 0.0, 0.0))).q
    line = SO101.line([Target((0.2, -0.1, 0.05), DOWN, (cos(0.6), -sin(0.6), 0.0))], start)
    assert line.limited_by == ('wrist_roll',) and ' after 88 % of the turn' in line.reason
    assert line.fraction == pytest.approx(
        (SO101.upper[4] - start[4]) / (np.pi - 0.6), abs=1e-3)


def test_a_hand_turns_where_its_tip_stands():
    start = SIMPLE.solve(Target((0.2, 0.0, 0.05), DOWN)).q
    line = SIMPLE.line([Target((0.2, 0.0, 0.05), (0.6, 0.0, -0.8))], start, tip_turn_speed=0.5)
    assert line.fraction == 1.0 and line.max_deviation_m < 1e-4
    assert line.duration == pytest.approx(np.arctan2(0.6, 0.8) / 0.5, abs=0.1)


def test_a_half_turn_goes_by_way_of_ahead_and_one_from_ahead_by_way_of_up():
    for place, up in (((0.12, 0.0, 0.05), DOWN), ((0.12, 0.0, 0.1), AHEAD)):
        line = SIMPLE.line([Target(place, [-part for part in up])],
                           SIMPLE.solve(Target(place, up)).q)
        ups = SIMPLE.forward(line.q).up
        assert line.fraction > 0.2 and np.abs(ups[:, 1]).max() < 1e-9
        assert ups[1:, 0 if up is DOWN else 2].min() > -1e-9


def test_the_arm_stops_at_every_corner():
    corners = [(0.2, 0.1, 0.05), (0.22, 0.1, 0.05), (0.22, -0.1, 0.07)]
    line = SO101.line([Target(corner, DOWN) for corner in corners], START)
    assert line.fraction == 1.0 and len(line.arrivals) == 3 and line.arrivals[-1] == line.duration
    for corner, arrival in zip(corners, line.arrivals):
        i = int(np.argmin(np.abs(line.times - arrival)))
        assert line.times[i] == arrival and not line.velocities[i].any()
        assert SO101.forward(line.q[i]).position == pytest.approx(corner, abs=1e-9)
    assert distances(SO101, line, [(0.2, -0.1, 0.05), *corners], 21).max() < 1e-4
    require_inside_limits(SO101, line)


def flowing(arm, points, start, radius, ups=DOWN, speed=0.3, rate=50.0):
    """Return a line round corners, judged by itself, and the tips of whoever follows it."""
    ups = [ups] * len(points) if ups is None or np.ndim(ups) == 1 else ups
    line = arm.line([Target(point, up) for point, up in zip(points, ups)], start, speed,
                    rate=rate, blend_radius=radius)
    assert (line.fraction, line.reason) == (1.0, '')
    require_inside_limits(arm, line)
    tips = arm.forward(followed(line)).position
    assert (np.linalg.norm(np.diff(tips, axis=0), axis=1) < 1.05e-3 * speed).all()
    ends = [arm.forward(start).position, *points]
    assert distances(arm, line, ends, 5).max() < 0.5 * radius + max(1e-4, 1e-3 * speed)
    assert len(line.arrivals) == len(points) and (np.diff(line.arrivals) >= 0.0).all()
    for point, arrival in zip(points, line.arrivals):
        off = np.linalg.norm(tips - point, axis=1)
        assert off.min() < 0.5 * radius + 1e-4
        # Nearest when it says so.
        assert off[min(round(arrival * 1000.0), len(tips) - 1)] < off.min() + 1e-3
    return line, tips


def test_a_path_of_100_targets_flows():
    angles = np.linspace(0.0, 4.0 * np.pi, 101)[1:]
    points = np.stack([0.2 + 0.08 * np.sin(angles), -0.08 * np.cos(angles),
                       0.0 * angles], axis=1)
    start = SO101.solve(Target((0.2, -0.08, 0.0), DOWN)).q
    line, _ = flowing(SO101, points, start, 0.005)
    assert line.duration < 4.0 and line.arrivals[-1] == line.duration
    assert SO101.line([Target(point, DOWN) for point in points], start, 0.3).duration > 8.0


@pytest.mark.parametrize('arm', [SO101, ROLLING], ids=lambda arm: arm.name)
@pytest.mark.cases(4, 60)
def test_corners_are_rounded_inside_their_radius(arm, case):
    random, fraction = np.random.default_rng(case), 0.0
    while fraction < 1.0:
        middle = (0.16, 0.0, 0.0) if arm is ROLLING else (0.2, 0.0, 0.08)
        points = middle + random.uniform(-0.04, 0.04, (5, 3))
        ups = DOWN + random.uniform(-0.3, 0.3, (5, 3)) if arm is ROLLING else None
        start = arm.solve(Target(middle, DOWN)).q
        targets = [Target(point, None if ups is None else ups[i])
                   for i, point in enumerate(points)]
        stopped = arm.line(targets, start, 0.3)
        fraction = stopped.fraction
    line, _ = flowing(arm, points, start, random.uniform(0.002, 0.02), ups,
                      rate=(50.0, 500.0)[case % 2])
    assert line.duration < stopped.duration
    assert arm.forward(line.q[-1]).position == pytest.approx(points[-1], abs=1e-9)


def test_up_vectors_turn_over_from_one_line_to_the_next():
    start = ROLLING.solve(Target((0.15, -0.04, 0.0), DOWN)).q
    points, ups = [(0.15, 0.0, 0.0), (0.19, 0.0, 0.0)], [(0.3, 0.0, -0.9), (0.0, 0.3, -0.9)]
    line, _ = flowing(ROLLING, points, start, 0.01, ups, speed=0.05)
    ups = ROLLING.forward(line.q).up
    turning = np.linalg.norm(np.diff(ups, axis=0), axis=1) / np.diff(line.times)
    corner = slice(*line.times.searchsorted(np.array(line.arrivals[0]) + [-0.15, 0.15]))
    assert turning[corner].min() > 0.1 and np.abs(np.diff(turning[corner])).max() < 0.1


def test_where_the_tip_stands_or_a_target_is_given_twice_a_path_stops():
    corner, end = (0.2, 0.0, 0.05), (0.25, 0.0, 0.05)
    tilted = SO101.forward(SO101.solve(Target(corner), elevation=-1.2).q).up
    ahead = SO101.forward(SO101.solve(Target(corner, DOWN), START).q).rotation[:, 0]
    for middle in ([Target(corner, DOWN)] * 2, [Target(corner, DOWN), Target(corner, tilted)],
                   [Target(corner, DOWN, ahead)]):
        line = SO101.line([*middle, Target(end)], START, blend_radius=0.01)
        assert line.fraction == 1.0
        i = line.times.searchsorted(line.arrivals[len(middle) - 1])
        assert line.fraction == 1.0 and not line.velocities[i].any()
        assert SO101.forward(line.q[i]).position == pytest.approx(corner, abs=1e-9)


def test_back_along_the_same_line_the_tip_comes_as_far_as_half_the_radius():
    points = [(0.2, 0.1, 0.05), (0.2, -0.1, 0.05)]
    _, tips = flowing(SO101, points, START, 0.02)
    assert tips[:, 1].max() == pytest.approx(0.1 - 0.01, abs=2e-3)


@pytest.mark.parametrize('radius', [-1e-3, nan, inf, None, True])
def test_a_radius_that_is_none_is_refused(radius):
    with pytest.raises(InvalidInputError, match='blend_radius'):
        SO101.line([ACROSS], START, blend_radius=radius)


def test_points_given_twice_take_no_time():
    once = SO101.line([ACROSS], START)
    again = SO101.line([Target((0.2, -0.1, 0.05), DOWN), ACROSS, ACROSS, Target(ACROSS.position)],
                       START)
    assert again.duration == once.duration and len(again.arrivals) == 4
    still = SO101.line([Target((0.2, -0.1, 0.05), DOWN)] * 3, START)
    assert (still.fraction, still.duration, len(still.times)) == (1.0, 0.0, 1)
    assert still.q.shape == still.velocities.shape == (1, 5)


def test_where_the_reach_ends_the_line_ends_at_rest():
    line = SIMPLE.line([Target((0.4, 0.0, 0.0))], SIMPLE.solve(Target((0.2, 0.0, 0.0), AHEAD)).q)
    assert line.fraction == pytest.approx(0.6, abs=1e-3)
    assert 'too far by 0.080 m' in line.reason and '0.120 m of 0.200 m' in line.reason
    assert SIMPLE.forward(line.q[-1]).position == pytest.approx((0.32, 0.0, 0.0), abs=1e-4)
    assert line.arrivals == () and line.max_deviation_m < 1e-4
    require_inside_limits(SIMPLE, line)


def test_where_a_limit_is_the_line_ends_and_names_the_joint():
    for goal, name in (((0.08, -0.04, 0.05), 'wrist_flex'), ((-0.1, -0.25, 0.05), 'shoulder_pan')):
        line = SO101.line([Target(goal, DOWN)], START)
        i = SO101.joint_names.index(name)
        assert 0.5 < line.fraction < 1.0 and line.limited_by == (name,)
        assert f'{name} at its upper limit, ' in line.reason and ' rad past' in line.reason
        assert line.q[-1, i] == pytest.approx(SO101.upper[i], abs=1e-3)


def test_where_the_branch_ends_the_line_ends():
    # Its goal can be reached, but the yaw can't pass behind the arm.
    start = SIMPLE.solve(Target((-0.15, 0.1, 0.05), DOWN)).q
    goal = Target((-0.15, -0.1, 0.05), DOWN)
    line = SIMPLE.line([goal], start)
    assert SIMPLE.solve(goal).reached and line.fraction == pytest.approx(0.5, abs=1e-3)
    assert line.reason == ('yaw at a limit: the arm would have to jump by 3.38 rad to another '
                           'branch; the line ends after 0.100 m of 0.200 m')
    assert line.limited_by == ('yaw',)


def test_of_several_lines_the_one_that_ends_is_named():
    points = (0.25, 0.0, 0.05), (0.9, 0.0, 0.05), (0.2, 0.0, 0.05)
    line = SIMPLE.line([Target(point) for point in points],
                       SIMPLE.solve(Target((0.2, 0.0, 0.05))).q)
    assert line.reason.startswith('line 2 of 3: too far by ') and len(line.arrivals) == 1
    assert 0.0 < line.fraction < 0.2


def test_a_goal_out_of_the_arm_plane_is_not_gone_to():
    line = SO101.line([Target((0.2, 0.1, 0.05), (0.7, -0.2, -0.7))], START)
    assert line.fraction < 0.01 and 'out of the arm plane' in line.reason
    up = SO101.forward(SO101.solve(Target((0.2, 0.1, 0.05)), elevation=-1.2).q).up
    nearly = Target((0.2, 0.1, 0.05), up + (0.0, 5e-4, 0.0))
    assert SO101.line([nearly], START, up_tolerance=1e-9).fraction < 1.0
    assert SO101.line([nearly], START).fraction == 1.0


def test_a_start_outside_the_limits_is_not_gone_from():
    start = (START[0], START[1], 1.75, *START[3:])
    line = SO101.line([ACROSS], start)
    assert (line.fraction, line.limited_by) == (0.0, ('elbow_flex',))
    assert 'elbow_flex starts 0.06 rad past its upper limit' == line.reason
    assert line.q.shape == (1, 5) and line.q[0, 2] == SO101.upper[2]


@pytest.mark.parametrize('name', ['so101', 'px100'])
@pytest.mark.cases(5, 250)
def test_where_a_chain_of_answers_goes_without_an_up_vector_a_line_goes(name, case):
    arm, random, q = Arm.preset(name), np.random.default_rng(9000 + case), None
    while q is None:
        start = q = tuple(random.uniform(arm.lower, arm.upper))
        tip, step = arm.forward(start).position, random.normal(size=3)
        goal = tip + step * random.uniform(0.02, 0.3) / np.linalg.norm(step)
        for part in np.linspace(0.0, 1.0, 201)[1:]:
            solution = arm.solve(Target(tip + part * (goal - tip)), near=q)
            if not solution.reached or solution.step_rad > 0.1:
                q = None
                break
            q = solution.q
    line = arm.line([Target(goal)], start)
    assert line.fraction == 1.0
    assert arm.forward(line.q[-1]).position == pytest.approx(goal, abs=1e-9)
    require_inside_limits(arm, line)
    assert distances(arm, line, [tip, goal], 21).max() <= 1.01e-4


@pytest.mark.parametrize(('start', 'goal'), [
    # At the wrist's upper limit; the tip went 7 mm off between two set-points.
    ((-0.172245791, -0.192338941, -1.706937027, 0.595309445),
     (0.0528218, -0.1366745, 0.1561722)),
    # The wrist leaves its limit, to an elevation kept by a pose that is soon far away.
    ((-2.6314727, 0.9629169, -1.7644692, 1.7535278), (-0.0985593, -0.0356834, 0.0230233))])
def test_after_a_sudden_bend_no_joint_swings_between_set_points(start, goal):
    arm, goal = Arm.preset('px100'), np.array(goal)
    line = arm.line([Target(goal)], start)
    tips = arm.forward(followed(line))
    along, off = goal - arm.forward(start).position, tips.position - arm.forward(start).position
    assert line.fraction == 1.0
    assert np.linalg.norm(np.cross(off, along), axis=1).max() < 1e-4 * np.linalg.norm(along)


def test_of_two_lines_that_end_the_longer_one_is_gone():
    # With the elevation kept as long as it can be, it ends after 0.43.
    line = Arm.preset('px100').line(
        [Target((0.0598, -0.1228, 0.0209))], (-1.9909, -0.8274, 0.5672, -0.4805))
    assert 0.55 < line.fraction < 0.65


def test_a_line_through_the_yaw_axis_leads_beside_it():
    arm = Arm.preset('open_manipulator_x')
    for up in (None, (0.0, 0.0, 1.0)):
        begin, end = (0.1, 0.0, 0.3), (-0.1, 0.0, 0.3)
        line = arm.line([Target(end, up)], arm.solve(Target(begin, up)).q)
        assert line.fraction == 1.0 and abs(line.q[-1, 0] - line.q[0, 0]) > 3.1
        assert distances(arm, line, [begin, end], 21).max() < 1e-4
        require_inside_limits(arm, line)


@pytest.mark.parametrize('yaw', [1.0, -1.0])
def test_through_the_yaw_axis_the_base_turns_back(yaw):
    x, y = 0.1 * cos(yaw), 0.1 * sin(yaw)
    line = SIMPLE.line([Target((-x, -y, 0.3))], SIMPLE.solve(Target((x, y, 0.3))).q)
    assert line.fraction == 1.0 and abs(line.q[-1, 0]) < np.pi


def test_through_the_yaw_axis_a_base_that_cannot_turn_so_far_is_named():
    arm = Arm.preset('px100')
    start = arm.solve(Target((0.1, 0.0, 0.2))).q
    assert 'waist at its upper limit' in arm.line([Target((-0.1, 0.0, 0.2))], start).reason


def test_lines_close_to_the_yaw_axis_are_slow_and_straight():
    start = SIMPLE.solve(Target((0.1, -0.002, 0.2), (0.0, 0.0, 1.0))).q
    line = SIMPLE.line([Target((-0.1, -0.002, 0.2), (0.0, 0.0, 1.0))], start)
    assert line.fraction == 1.0 and line.duration > 2.5
    assert distances(SIMPLE, line, [(0.1, -0.002, 0.2), (-0.1, -0.002, 0.2)], 21).max() < 1.01e-4
    require_inside_limits(SIMPLE, line)


@pytest.mark.parametrize('name', PRESETS)
@pytest.mark.cases(3, 100)
def test_random_lines_are_straight_inside_all_limits_and_as_fast_as_can_be(name, case):
    arm, rate = Arm.preset(name), (50.0, 200.0, 4000.0)[case % 3]
    start, targets, line = random_line(arm, 1000 * PRESETS.index(name) + case, rate=rate)
    require_inside_limits(arm, line)
    ends = [arm.forward(start).position, targets[0].position]
    assert distances(arm, line, ends, 21).max() <= 1.01e-4
    best = optimum(arm, start, targets[0], line)
    assert best * 0.95 < line.duration <= 1.05 * best


@pytest.mark.parametrize('name', PRESETS)
@pytest.mark.cases(1, 40)
def test_fast_lines_of_any_rate_are_inside_all_limits(name, case):
    arm = Arm.preset(name)
    for _, _, line in random_lines(arm, 77 + case, 5, tip_speed=2.0, tip_turn_speed=20.0,
                                   rate=100.0 + 20.0 * case):
        require_inside_limits(arm, line)


@pytest.mark.parametrize('targets', [
    [], None, ACROSS, [ACROSS, None], [(0.2, 0.1, 0.05)], 'xyz', [ACROSS] * 100_000],
    ids=['empty', 'None', 'no list', 'a hole', 'no target', 'text', '100 000'])
def test_what_is_no_path_is_refused(targets):
    with pytest.raises(InvalidInputError, match='targets'):
        SO101.line(targets, START)


@pytest.mark.parametrize('value', [0.0, -0.1, 1e-300, nan, inf, None, 'fast', True, 10**400])
@pytest.mark.parametrize('what', ['tip_speed', 'tip_turn_speed', 'rate'])
def test_a_speed_or_rate_that_is_none_is_refused(what, value):
    with pytest.raises(InvalidInputError, match=what):
        SO101.line([ACROSS], START, **{what: value})


@pytest.mark.parametrize('start', [(0.0,) * 4, (nan,) * 5, 'abcde', 3.0])
def test_a_start_of_no_joint_positions_is_refused(start):
    with pytest.raises(InvalidInputError, match='start'):
        SO101.line([ACROSS], start)


def test_a_line_of_too_many_set_points_is_refused():
    with pytest.raises(InvalidInputError, match='set-points'):
        SO101.line([ACROSS], START, tip_speed=1e-6)


def test_targets_of_any_size_have_an_answer():
    for target in (Target((1e300, 0.0, 0.0)), Target((0.0, 0.0, -1e300), DOWN),
                   Target((0.0, 0.0, 0.0)), Target((0.0, 0.0, 0.05), DOWN)):
        for arm in (SO101, SIMPLE, ROLLING):
            line = arm.line([target], None)
            assert np.isfinite(line.q).all() and 0.0 <= line.fraction <= 1.0
            assert bool(line.reason) == (line.fraction < 1.0)


def test_a_line_under_the_floor_says_that_the_floor_is_in_the_way():
    arm = Arm(replace(SO101.model, floor_height=0.02))
    line = arm.line([Target((0.2, 0.0, -0.03), DOWN)], START)
    assert 0.2 < line.fraction < 0.5
    assert line.reason.startswith('elbow, wrist or tip would go below the floor; the line ends')
    assert arm.forward(line.q).position[:, 2].min() > 0.02 - 1e-9


def test_an_elevation_that_is_kept_does_not_lead_below_the_floor():
    arm = Arm(replace(SO101.model, floor_height=0.0))
    line = arm.line([Target((0.1191, -0.4433, -0.0242))],
                    (0.8414, 0.9449, -1.3216, 1.4788, 1.0237))
    assert 'below the floor' in line.reason
    assert all(arm.solver.above_floor(tuple(q)) for q in line.q.tolist())


TIPPED = Arm.preset('so101', tip='gripper_frame_link')
TIPPED_START = TIPPED.solve(Target((0.2, -0.1, 0.05), DOWN, (0.0, 1.0, 0.0))).q


@pytest.mark.parametrize('asked', [(2, 0), (2,), (None, 0), ()],
                         ids=['all', 'up', 'forward', 'position'])
def test_a_tip_beside_the_roll_axis_keeps_to_its_line(asked):
    turned = np.array([0.8, 0.1, -0.1, -0.3, 0.4 if 0 in asked else 0.0])
    goal = TIPPED.forward(TIPPED_START + turned)
    target = Target(goal.position, *[
        None if axis is None else goal.rotation[:, axis] for axis in asked])
    line = TIPPED.line([target], TIPPED_START)
    ends = [TIPPED.forward(TIPPED_START).position, np.array(target.position)]
    assert line.fraction == 1.0, line.reason
    assert distances(TIPPED, line, ends, 5).max() < 1e-4
    require_inside_limits(TIPPED, line)
    last = TIPPED.forward(line.q[-1])
    assert np.linalg.norm(last.position - target.position) < 1e-6
    if target.up:
        assert last.up == pytest.approx(target.up, abs=1e-6)
    if target.forward:
        assert last.rotation[:, 0] @ target.forward > 0.9999 * np.linalg.norm(
            target.forward - (last.up @ target.forward) * last.up)
        assert np.ptp(line.q[:, 4]) > 0.2
    else:
        assert np.ptp(line.q[:, 4]) < 1e-9
