# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Paths are looked at before they begin: what is refused, what is warned of, where a jog stops."""

from dataclasses import replace

from arm_ik import Arm, KeepOut, Target
from arm_ik.collision import PathChecker
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.goals import Goals
from arm_ik.nodes.ik.parameters import Settings
from arm_ik.nodes.ik.report import Level, State
from core_bench import CoreBench
import numpy as np
import pytest

MODEL = Arm.preset('so101').model
#: Between two poses of the same height, left and right.
LEFT, RIGHT = (0.6, -0.3, 0.3, 0.3, 0.0), (-0.6, -0.3, 0.3, 0.3, 0.0)
FREE = Arm(MODEL)
TIP = FREE.forward((0.0, *LEFT[1:])).position
POST = KeepOut('post', 'box', (0.2, 0.05, 0.4), (float(TIP[0]) - 0.06, 0.0, float(TIP[2])))
#: Low over it at home.
TABLE = KeepOut('table', 'half_space', (), (0.0, 0.0, float(FREE.forward(FREE.home).position[2])
                                            - 0.04))


def bench(*keep_out, q=FREE.home, **settings):
    return CoreBench(Arm(replace(MODEL, keep_out=keep_out)), q, **settings)


def target_at(q):
    pose = FREE.forward(q)
    return Target(pose.position, pose.up, pose.rotation[:, 0])


def test_a_motion_through_a_shape_is_refused_before_it_begins():
    core = bench(POST, q=LEFT)
    report = core.target(target_at(RIGHT))
    assert (report.state, report.cause, report.level) == (State.REFUSED, 'touch', Level.WARN)
    assert ' would touch the post after ' in report.reason
    assert report.reason.endswith('allowed: paths that touch nothing, or check_path none')
    assert core.core.command is None
    assert bench(q=LEFT).target(target_at(RIGHT)).state is State.ACCEPTED
    assert bench(POST, q=LEFT, check_path='none').target(target_at(RIGHT)).state is State.ACCEPTED


def test_a_motion_beside_a_shape_is_none_of_its_business():
    report = bench(POST, q=LEFT).target(target_at((1.2, *LEFT[1:])))
    assert (report.state, report.level, report.reason) == (State.ACCEPTED, Level.OK, '')


def test_what_it_would_touch_is_looked_at_from_where_the_arm_is_with_its_speed():
    core = bench(POST, q=LEFT)
    core.target(target_at((1.2, *LEFT[1:])))
    core.follow(0.5)
    assert core.target(target_at(LEFT)).state is State.ACCEPTED
    core.until_arrived()
    # Too near to the post to come to rest on this side, at this speed.
    q = (0.35, *LEFT[1:])
    for number in range(3):
        core.state((q[0] - 0.055 * number, *q[1:]))
    assert core.target(target_at((0.30, *LEFT[1:]))).cause == 'touch'


@pytest.mark.parametrize('name', ['target', 'home'])
def test_home_is_a_path_like_others(name):
    across = replace(MODEL, keep_out=(POST,), home=RIGHT)
    core = CoreBench(Arm(across), LEFT)
    report = core.home() if name == 'home' else core.target(target_at(RIGHT))
    assert (report.state, report.cause) == (State.REFUSED, 'touch')


def test_the_arm_itself_is_warned_of_or_refused_as_check_path_says():
    rng = np.random.default_rng(3)
    poses = rng.uniform(FREE.lower, FREE.upper, (300, 5))
    q = next(q for q in poses if FREE.clearance(q) < -0.01)
    core = bench(q=FREE.home, avoid_base=False)
    report = core.target(target_at(q))
    assert report.state is State.ACCEPTED and report.level is Level.OK
    report = core.core.check()
    assert report.state is State.ACCEPTED and report.level is Level.WARN
    assert report.reason.endswith(', by shapes that are rough')
    assert core.core.check() is None
    report = bench(q=FREE.home, avoid_base=False, check_path='all').target(target_at(q))
    assert (report.state, report.cause) == (State.REFUSED, 'touch')
    assert report.reason.endswith('or check_path user or none')
    report = bench(q=FREE.home, avoid_base=False, check_path='none').target(target_at(q))
    assert (report.state, report.level) == (State.ACCEPTED, Level.OK)


def test_lines_and_paths_are_looked_at():
    for report in (bench(POST, q=LEFT, motion='line').target(target_at(RIGHT)),
                   bench(POST, q=LEFT).path(target_at(RIGHT))):
        assert (report.state, report.cause) == (State.REFUSED, 'touch')
    report = bench(TABLE, motion='line').target(
        Target((TIP[0], 0.05, TIP[2]), FREE.forward(FREE.home).up))
    assert report.cause != 'touch'


def test_a_line_may_be_clear_where_the_path_of_the_joints_is_not():
    # The joints swing outwards, the line keeps away from the box.
    far, up = FREE.forward(LEFT), FREE.forward(RIGHT)
    middle = 0.5 * (far.position + up.position)
    out = KeepOut('box', 'box', (0.02, 0.02, 0.4), (float(TIP[0]) + 0.005, 0.0, float(TIP[2])))
    assert middle[0] < TIP[0] - 0.03
    target = Target(up.position, up.up)
    assert bench(out, q=LEFT).target(target).cause == 'touch'
    assert bench(out, q=LEFT, motion='line').target(target).state is State.ACCEPTED


def test_the_gripper_is_looked_at_where_it_is():
    joint, q = MODEL.extra_joints[0], (0.0, *LEFT[1:])
    end = FREE.scene({joint.name: joint.open}).points(np.array([q]))[0, -1]
    core = bench(KeepOut('cube', 'box', (0.02, 0.02, 0.02), tuple(map(float, end))), q=LEFT)
    core.core.take_state((joint.name,), (joint.open,))
    report = core.target(target_at(q))
    assert report.cause == 'touch' and 'the gripper would touch the cube' in report.reason
    core.core.take_state((joint.name,), (joint.closed,))
    assert core.target(target_at(q)).state is State.ACCEPTED


@pytest.mark.parametrize('motion', ['joint', 'line'])
def test_a_gripper_that_opens_under_way_stops_an_arm_that_would_touch_with_it(motion):
    joint, q = MODEL.extra_joints[0], (0.0, *LEFT[1:])
    end = FREE.scene({joint.name: joint.open}).points(np.array([q]))[0, -1]
    core = bench(KeepOut('cube', 'box', (0.02, 0.02, 0.02), tuple(map(float, end))), q=LEFT,
                 motion=motion)
    assert core.target(target_at(q)).state is State.ACCEPTED
    core.half_way()

    def gripper_at(part):
        core.now += 0.11
        core.core.take_state((*core.arm.joint_names, joint.name), (
            *core.q, joint.closed + part * (joint.open - joint.closed)))
        return core.core.check()
    assert gripper_at(0.001) is None
    report = gripper_at(1.0)
    assert (report.state, report.cause) == (State.READY, 'touch')
    assert 'the gripper would touch the cube' in report.reason
    # Where it rests it has nothing to stop.
    gripper_at(0.0)
    core.target(target_at(q))
    core.until_arrived()
    assert not any(map(gripper_at, np.linspace(0.0, 1.0, 12)))


def led(core, twist, seconds):
    for _ in range(round(seconds / 0.02)):
        core.core.take_twist(twist, core.request())
        core.follow(0.02)
    return core.core.arm.clearance([command for command, _ in core.commands if command])


@pytest.mark.parametrize('speed', [0.03, 0.15])
def test_a_jog_slows_and_stops_before_a_table_and_can_be_led_away(speed):
    core = bench(TABLE)
    clearances = led(core, Twist((0.0, 0.0, -speed)), 0.1 / speed + 1.0)
    assert clearances.min() > -0.001
    assert clearances[-1] < 0.003
    height = FREE.forward(core.q).position[2]
    core.follow(0.3)
    report = [report for report in core.reports if 'would touch' in report.reason][-1]
    assert report.level is Level.WARN and report.reason.endswith('would touch the table')
    assert led(core, Twist((0.0, 0.0, speed)), 0.05 / speed + 0.5).min() > -0.001
    assert FREE.forward(core.q).position[2] > height + 0.02


def test_a_jog_whose_joints_suddenly_run_stops_before_a_floor():
    arm = Arm(replace(Arm.preset('rolling_base').model, floor_height=-0.0151))
    core = CoreBench(arm, (0.477, -0.794, 1.24, 2.197, 2.237), check_path='all')
    clearances = led(core, Twist((-0.042, 0.1, -0.136)), 1.5)
    assert -0.002 < clearances.min() < 0.003


def test_a_jog_is_not_slowed_where_nothing_is_near():
    led(with_table := bench(TABLE), Twist((0.0, 0.05, 0.0)), 0.5)
    led(without := bench(), Twist((0.0, 0.05, 0.0)), 0.5)
    assert with_table.q == without.q


def test_a_fast_stream_keeps_off_shapes_by_more_but_not_where_it_is_or_ends():
    paths = Goals(Arm(MODEL), Settings(), {}, [POST]).paths
    part = next(part for part in np.linspace(0.0, 1.0, 400)
                if paths.objection([LEFT, between(part)]))      # where it comes to touch
    near, far = between(part - 0.01), between(part - 0.1)
    assert paths.objection([far, near, far]) is None
    reason, _ = paths.objection([far, near, far], np.full(5, 3.0))
    assert 'would touch the post' in reason
    assert paths.objection([far, near], np.full(5, 3.0)) is None
    assert paths.objection([near, far], np.full(5, 3.0)) is None


def between(part):
    return np.array(LEFT) + part * (np.array(RIGHT) - np.array(LEFT))


def test_a_stream_is_looked_along_the_goals_that_are_played_and_a_goal_by_itself(monkeypatch):
    looked = []
    monkeypatch.setattr(PathChecker, 'objection', lambda self, way, speeds=(): looked.append(
        (np.array(way), speeds)))
    core, q = bench(TABLE), np.array(FREE.home)
    for number in range(12):
        looked.clear()
        core.target(target_at(q + 0.01 * number))
        (path, speeds), *_ = looked
        assert len(speeds) == (5 if number else 0)
        core.follow(0.04)
    assert path[1:] == pytest.approx(np.array([q + 0.01 * n for n in (10, 11)]), abs=1e-6)


def test_a_stream_of_targets_ends_before_a_table_and_leads_away_again():
    core, pose, clear = bench(TABLE), FREE.forward(FREE.home), []
    for number in [*range(40), *range(40, -1, -1)]:
        core.target(Target(pose.position - (0.0, 0.0, 0.002 * number), pose.up))
        core.follow(0.04)
        clear.append(float(core.arm.clearance(core.q)))
    assert -0.0006 < min(clear) < 0.004
    core.follow(1.0)
    assert core.q == pytest.approx(FREE.home, abs=0.01)


def test_who_looks_while_another_thread_builds_the_scene_of_a_new_shape_sees_the_shape():
    arm, meanwhile = Arm(MODEL), []
    paths = Goals(arm, Settings()).paths
    assert paths.objection([LEFT, RIGHT]) is None
    build = arm.scene

    def while_building(*args):
        if not meanwhile:
            meanwhile.append(None)
            meanwhile.append(paths.objection([LEFT, RIGHT]))
        return build(*args)
    arm.scene = while_building
    paths.keep_out = POST,
    assert paths.objection([LEFT, RIGHT]) is not None and meanwhile[-1] is not None
