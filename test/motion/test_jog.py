# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Jogging, judged by pinocchio's Jacobian of the URDF, and into everything that is in the way."""

from dataclasses import replace
from math import hypot, inf, nan, pi
from random import Random

from arm_ik import Arm, InvalidInputError, Status, Target
from arm_ik.motion.jog import EFFORT, Jog, Twist
import numpy as np
import pytest

DT = 0.02
PRESETS = ('so101', 'px100', 'braccio')


def jog_of(arm, q=None, **options):
    q = arm.home if q is None else q
    return Jog(arm.model, q, [0.0] * len(q), **options)


def random_direction(random, length):
    vector = [random.gauss(0.0, 1.0) for _ in range(3)]
    return tuple(length * part / hypot(*vector) for part in vector)


def elbow_side(arm, q):
    index = arm.model.roles.index('elbow')
    return arm.model.joints[index].canonical(q[index]) > 0.0


def jacobian(arm, q):
    """Return the 6 x joints Jacobian of tool0's velocity in base axes, by pinocchio."""
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(arm.to_urdf())
    data, all_q, columns = model.createData(), pinocchio.neutral(model), []
    for name, position in zip(arm.joint_names, q):
        joint = model.joints[model.getJointId(name)]
        all_q[joint.idx_q] = position
        columns.append(joint.idx_v)
    frame = model.getFrameId('tool0', pinocchio.FrameType.BODY)
    found = pinocchio.computeFrameJacobian(
        model, data, all_q, frame, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    return found[:, columns]


def best_velocities(matrix, linear, angular):
    """Return joint velocities that move the tip exactly, and turn the hand as near as can be."""
    tip, turn = matrix[:3], matrix[3:]
    one = np.linalg.pinv(tip) @ linear
    free = np.linalg.svd(tip)[2][3:].T
    return one + free @ (np.linalg.pinv(turn @ free) @ (angular - turn @ one))


# Against the Jacobian

@pytest.mark.parametrize('in_tool', [False, True], ids=['base', 'tool'])
@pytest.mark.parametrize('name', [*PRESETS, 'rx150', 'open_manipulator_x'])
def test_joints_move_as_the_jacobian_of_the_urdf_says(name, in_tool):
    arm, random, looked_at = Arm.preset(name), Random(7), 0
    while looked_at < 20:
        q = [random.uniform(0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high)
             for low, high in zip(arm.lower, arm.upper)]
        twist = Twist(random_direction(random, 0.02), random_direction(random, 0.2), in_tool)
        jog = jog_of(arm, q)
        for _ in range(8):
            before = jog.q
            jog.step(twist, DT)
        matrix = jacobian(arm, np.mean([before, jog.q], axis=0))
        axes = arm.forward(before).rotation if in_tool else np.eye(3)
        expected = best_velocities(matrix, axes @ twist.linear, axes @ twist.angular)
        if np.linalg.svd(matrix[:3])[1].min() < 0.03 or np.any(np.abs(expected) > 0.3 * np.array([
                joint.max_velocity for joint in arm.model.joints])):
            continue
        looked_at += 1
        assert np.linalg.norm(jog.velocities - expected) < 0.05 * np.linalg.norm(expected)


@pytest.mark.parametrize('name', ['so101', 'px100'])
def test_the_tip_stays_on_its_line_and_a_hand_of_four_axes_keeps_its_elevation(name):
    arm = Arm.preset(name)
    jog, path = jog_of(arm), []
    for _ in range(100):
        jog.step(Twist((0.0, 0.05, 0.0)), DT)
        path.append(jog.q)
    poses = arm.forward(path)
    start = arm.forward(arm.home)
    off = (poses.position - start.position)[:, [0, 2]]
    assert np.abs(off).max() < 1e-5
    assert poses.position[-1, 1] - start.position[1] > 0.09
    assert np.abs(poses.up[:, 2] - start.up[2]).max() < 1e-4


def test_an_arm_with_a_wrist_roll_keeps_its_jaws_as_they_are_over_a_table():
    arm = Arm.preset('so101')
    down = arm.solve(Target((0.22, 0.0, 0.03), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))).q
    jog = jog_of(arm, down)
    for _ in range(50):
        jog.step(Twist((0.0, 0.08, 0.0)), DT)
    assert jog.reason == '' and jog.status is Status.REACHED
    assert arm.forward(jog.q).rotation == pytest.approx(arm.forward(down).rotation, abs=1e-4)


# Into everything

def led(arm, random, seconds, jog=None):
    """Jog about for a time, in new directions each second; yield the jog after each step."""
    jog = jog or jog_of(arm)
    while seconds > 0:
        linear = random_direction(random, random.choice((0.05, 0.1, 0.3)))
        angular = random_direction(random, random.choice((0.0, 0.0, 0.5, 2.0)))
        twist = Twist(linear if random.random() < 0.8 else (0.0,) * 3, angular,
                      random.random() < 0.3)
        for _ in range(50):
            jog.step(twist, DT)
            yield jog, twist
        seconds -= 50 * DT


@pytest.mark.parametrize('priority', ['position', 'up'])
@pytest.mark.parametrize('name', PRESETS)
def test_jogging_into_limits_and_the_edge_of_reach_keeps_every_bound_and_says_why(name, priority):
    arm, random = Arm.preset(name), Random(3)
    side, still, met, speeds = elbow_side(arm, arm.home), 0, set(), (0.0,) * len(arm.home)
    last = arm.home
    for jog, twist in led(arm, random, 30.0, jog_of(arm, priority=priority)):
        for before, now, v, w, joint in zip(last, jog.q, speeds, jog.velocities,
                                            arm.model.joints):
            assert abs(now - before) <= DT * joint.max_velocity + 1e-9
            assert abs(w - v) <= DT * EFFORT * joint.acceleration + 1e-9
            assert joint.lower <= now <= joint.upper
        last, speeds = jog.q, jog.velocities
        assert elbow_side(arm, jog.q) is side
        met.update(jog.limited_by, ['the edge'] if 'edge of reach' in jog.reason else [])
        stands = max(map(abs, jog.velocities)) < 1e-3 and bool(twist) and not jog.reason
        still = still + 1 if stands else 0
        assert still < 5, twist
    assert len(met) >= 3


@pytest.mark.parametrize('slide, least, most', [(0.1, 0.003, 0.0145), (0.5, 0.04, 0.07)])
def test_the_tip_slides_along_the_edge_of_reach_as_far_as_it_may(slide, least, most):
    arm = Arm.preset('simple')
    jog = jog_of(arm, slide=slide)
    for _ in range(400):
        jog.step(Twist((0.1, 0.0, 0.0)), DT)
    assert '0.1 of 0.1 m/s cannot be achieved; ' in jog.reason
    assert 'at the edge of reach' in jog.reason
    assert jog.status is Status.POSITION_RELAXED
    at_the_edge = arm.forward(jog.q).position
    for _ in range(50):
        jog.step(Twist((0.1, 0.1, 0.0)), DT)
    slid = arm.forward(jog.q).position - at_the_edge
    assert least < abs(slid @ (0.707, -0.707, 0.0)) < most
    for _ in range(100):
        jog.step(Twist((-0.1, 0.0, 0.0)), DT)
    assert arm.forward(jog.q).position[0] < at_the_edge[0] - 0.15


def test_a_singular_pose_stands_still_only_in_the_direction_that_is_not_to_be_had():
    arm = Arm.preset('simple')
    straight = [joint.position(angle) for joint, angle in zip(
        arm.model.joints, (0.0, 0.3, 1e-6, 0.0))]
    out = arm.forward(straight).up
    jog = jog_of(arm, straight)
    for _ in range(20):
        jog.step(Twist(tuple(0.05 * out)), DT)
    assert jog.q == pytest.approx(straight, abs=1e-3) and 'edge of reach' in jog.reason
    for sideways in ((0.0, 0.05, 0.0), (-0.05 * out[2], 0.0, 0.05 * out[0])):
        jog = jog_of(arm, straight)
        for _ in range(50):
            jog.step(Twist(sideways), DT)
        moved = arm.forward(jog.q).position - arm.forward(straight).position
        assert moved @ sideways / 0.05 > 0.03


def test_the_tip_passes_over_the_yaw_axis():
    arm = Arm.preset('simple')
    jog = jog_of(arm, arm.solve(Target((0.05, 0.0, 0.25), (0.0, 0.0, 1.0))).q)
    for _ in range(200):
        jog.step(Twist((-0.05, 0.001, 0.0)), DT)
    assert arm.forward(jog.q).position[0] < -0.05


def test_it_stays_above_the_floor():
    arm = Arm(replace(Arm.preset('simple').model, floor_height=0.0))
    jog = jog_of(arm)
    for _ in range(300):
        jog.step(Twist((0.02, 0.0, -0.1)), DT)
        assert arm.forward(jog.q).position[2] > -1e-4
    assert 'cannot be achieved' in jog.reason


# Never faster than it is told

OWNED = ('so101', 'px100', 'braccio', 'open_manipulator_x', 'rx150', 'phantomx_pincher')


def speeds(arm, path):
    """Return tips [m], and how fast tip [m/s] and hand [rad/s] went in each step."""
    poses = arm.forward(path)
    turned = np.einsum('nij,nkj->nik', poses.rotation[1:], poses.rotation[:-1])
    angles = np.arccos(np.clip((np.trace(turned, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0))
    return (poses.position, np.linalg.norm(np.diff(poses.position, axis=0), axis=1) / DT,
            angles / DT)


def reach_along(arm, q, way, longest):
    """Return how far [m] continuous answers for the tip alone lead along a unit vector."""
    start, gone = arm.forward(q).position, 0.0
    while gone < longest:
        gone += 1e-3
        answer = arm.solve(Target(start + gone * way), near=q)
        if answer.position_error_m > 1e-6 or max(map(abs, np.subtract(answer.q, q))) > 0.2:
            return gone - 1e-3
        q = answer.q
    return longest


@pytest.mark.parametrize('name', OWNED)
def test_the_tip_never_outruns_its_twist_nor_leaves_its_line_and_gets_as_far_as_it_can(name):
    arm, random, short = Arm.preset(name), Random(11), 0
    for _ in range(12):
        q = [random.uniform(*limits) for limits in zip(arm.lower, arm.upper)]
        speed = random.uniform(0.02, 0.2)
        v = random_direction(random, speed)
        jog, path = jog_of(arm, q), [q]
        for twist, seconds in ((v, 5.0), (tuple(-part for part in v), 1.0), ((0.0,) * 3, 0.2)):
            for _ in range(round(seconds / DT)):
                jog.step(Twist(twist), DT)
                path.append(jog.q)
        tips, tip, hand = speeds(arm, path)
        assert jog.at_rest
        assert tip.max() < 1.05 * speed
        assert hand.max() < 1.05
        way = np.array(v) / speed
        aside = (tips - tips[0]) - np.outer((tips - tips[0]) @ way, way)
        assert np.linalg.norm(aside[50:] - aside[:-50], axis=1).max() < 0.1 * speed
        gone = ((tips - tips[0]) @ way).max()
        short += gone < 0.9 * reach_along(arm, q, way, 5.0 * speed)
        assert gone > 0.5 * reach_along(arm, q, way, 5.0 * speed)
    assert short <= 1


@pytest.mark.parametrize('name', OWNED)
def test_a_new_direction_in_any_pose_makes_no_leap(name):
    arm, random = Arm.preset(name), Random(12)
    for _ in range(6):
        q = [random.uniform(*limits) for limits in zip(arm.lower, arm.upper)]
        jog, path = jog_of(arm, q), [q]
        for _ in range(20):
            twist = Twist(random_direction(random, 0.1))
            for _ in range(random.randint(1, 20)):
                jog.step(twist, DT)
                path.append(jog.q)
        _, tip, hand = speeds(arm, path)
        assert tip.max() < 0.105
        assert hand.max() < 1.05


def test_a_turn_of_the_hand_alone_leaves_the_tip_where_it_is():
    for name in OWNED:
        arm, random = Arm.preset(name), Random(13)
        jog, path = jog_of(arm), [arm.home]
        for _ in range(100):
            jog.step(Twist(angular=random_direction(random, 1.0)), DT)
            path.append(jog.q)
        assert np.linalg.norm(np.ptp(arm.forward(path).position, axis=0)) < 2e-3


@pytest.mark.parametrize('name', ['so101', 'px100', 'rx150'])
def test_from_a_start_on_its_floor_it_goes_along_and_up_but_not_down(name):
    preset = Arm.preset(name)
    low = preset.forward(preset.home).position[2]
    q = preset.solve(Target(preset.forward(preset.home).position)).q
    arm = Arm(replace(preset.model, floor_height=low, home=q))
    for v, along in (((0.0, 0.0, -0.1), 0.0), ((0.0, 0.05, -0.002), 0.015),
                     ((0.0, 0.0, 0.1), 0.0)):
        jog, path = jog_of(arm, q), [q]
        for _ in range(25):
            jog.step(Twist(v), DT)
            path.append(jog.q)
        tips, tip, _ = speeds(arm, path)
        assert tips[:, 2].min() > low - 1e-4
        assert tip.max() < 1.05 * hypot(*v)
        assert abs(tips[-1, 1] - tips[0, 1]) >= along
        assert 'at the floor' in jog.reason or v[2] > 0.0


# What is dropped, and how it ends

def test_what_an_arm_of_four_axes_drops_is_named_with_numbers():
    jog = jog_of(Arm.preset('px100'))
    jog.step(Twist(angular=(0.0, 0.0, 0.5)), DT)
    assert jog.reason == '0.5 of 0.5 rad/s cannot be achieved'
    assert (jog.status, jog.limited_by) == (Status.UP_RELAXED, ())
    for _ in range(20):
        jog.step(Twist((0.0, 0.1, 0.0)), DT)
    assert jog.reason.startswith('the hand turns along, at 0.')
    assert jog.status is Status.REACHED
    for _ in range(20):
        jog.step(Twist((0.0, 0.0, 0.05)), DT)
    assert jog.reason == '' and jog.status is Status.REACHED


def test_a_joint_that_is_as_fast_as_it_may_be_is_named():
    jog = jog_of(Arm.preset('so101'))
    for _ in range(40):
        jog.step(Twist((0.0, 2.0, 0.0)), DT)
    assert 'slowed down: ' in jog.reason


@pytest.mark.parametrize('name', ['so101', 'px100'])
def test_without_a_twist_the_tip_brakes_on_its_way_and_stands(name):
    arm, path = Arm.preset(name), []
    jog = jog_of(arm)
    for _ in range(30):
        jog.step(Twist((0.1, 0.15, -0.1)), DT)
    while not jog.at_rest:
        path.append(jog.q)
        jog.step(Twist(), DT)
    way = arm.forward([*path, jog.q]).position - arm.forward(path[0]).position
    assert 1 < len(path) <= 10
    assert np.linalg.norm(np.cross(way, (0.1, 0.15, -0.1))) < 0.02 * np.linalg.norm(way) * 0.2
    stands = jog.q
    jog.step(Twist(), DT)
    assert jog.q == stands and jog.reason == ''


def test_it_takes_over_at_the_speed_it_begins_with():
    arm = Arm.preset('so101')
    speeds = [1.0, -0.5, 0.3, 0.0, 2.0]
    jog = Jog(arm.model, arm.home, speeds)
    jog.step(Twist((0.0, 0.0, 0.1)), DT)
    for before, now, joint in zip(speeds, jog.velocities, arm.model.joints):
        assert abs(now - before) <= DT * EFFORT * joint.acceleration + 1e-9


@pytest.mark.parametrize('twist, words', [
    (Twist((nan, 0.0, 0.0)), 'target_twist linear'),
    (Twist((0.0, 0.0, 0.0), (0.0, inf, 0.0)), 'target_twist angular'),
    (Twist((2.0, 1.0, 0.0)), 'at most 2 m/s'),
    (Twist(angular=(0.0, 0.0, 4.0 * pi)), 'at most 10 rad/s'),
    (Twist((1e200, 1e200, 0.0)), 'at most 2 m/s')])
def test_twists_that_are_none_are_refused_with_the_reason(twist, words):
    with pytest.raises(InvalidInputError) as error:
        twist.checked()
    assert words in str(error.value)
    assert Twist((0.1, 0.0, 0.0)).checked() and not Twist()


def test_a_tip_beside_the_roll_axis_goes_straight_and_stays_where_the_hand_turns():
    arm = Arm.preset('so101', tip='gripper_frame_link')
    start = arm.solve(Target((0.2, 0.0, 0.06), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))).q
    before = arm.forward(start)
    for floor in (None, 0.0):
        for twist, moved, turned in ((Twist((0.0, 0.05, 0.0)), 0.05, 0.0),
                                     (Twist((0.0,) * 3, (0.0, 0.0, -0.5)), 0.0, 0.5)):
            jog = Jog(replace(arm.model, floor_height=floor, home=start), start, [0.0] * 5)
            for _ in range(100):
                jog.step(twist, DT)
            after = arm.forward(jog.q)
            assert after.position - before.position == pytest.approx(
                (0.0, 2.0 * moved, 0.0), abs=0.002)
            if turned:
                assert abs(jog.q[4] - start[4]) == pytest.approx(2.0 * turned, abs=0.2)
