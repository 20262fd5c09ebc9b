# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is drawn of how a target is solved is what the solver says, on every arm."""

from math import asin, cos, dist, hypot, pi, remainder, sin

from arm_ik import Arm, ArmModel, Joint, presets, Status, Target
from arm_ik.kinematics.explanation.answers_plane import plane_of_answer
from arm_ik.kinematics.three_link import solve_recipe
from arm_ik.kinematics.tolerances import LIMIT_SLACK
from arm_ik.kinematics.two_link import solve_angles, solve_elbow
from arm_ik.kinematics.vectors import angle_between
from arm_ik.viewer.explanation import explain, HIGH, PICTURES, RADIUS, twin_of, two_bones, WIDE
from judged_arms import make_arm
import numpy as np
import pytest

REDUCTION, TWO_LINKS, RECIPE = PICTURES

#: What drawings and solver may differ by [m, rad].
SAME = 1e-6

ARMS = {**{name: lambda name=name: Arm.preset(name) for name in presets()},
        'tip beside the roll axis': lambda: Arm.preset('so101', tip='gripper_frame_link'),
        'rolling base and wrist roll': lambda: make_arm('roll_wrist_roll'),
        'tilting wrist, offsets': lambda: make_arm(
            'tilt_wrist_roll', shoulder_offset=0.02, base_x=0.1, base_height=0.05),
        'three axes': lambda: three_axes(0.0, None),
        'a linkage holds the hand': lambda: three_axes(0.08, -0.4),
        'bent hand': lambda: make_arm('bent_wrist_roll', lateral=0.01, shoulder_offset=0.03)}


def three_axes(hand, elevation):
    """Return an arm without a wrist."""
    roles = ('yaw', 'shoulder', 'elbow')
    return Arm(ArmModel('three', 0.12, 0.1, hand, [Joint(role, role, -2.6, 2.6, 3.0) for role in (
        roles)], (0.0, 0.5, -1.0), shoulder_offset=0.02, hand_elevation=elevation))


def cases(arm, count=12):
    """Yield targets in reach, out of it, and with an up vector out of the plane, explained."""
    rng = np.random.default_rng(57)
    for number in range(count):
        q = rng.uniform(arm.lower, arm.upper)
        pose, near = arm.forward(q), tuple(rng.uniform(arm.lower, arm.upper))
        position, up, forward = pose.position, pose.up, pose.rotation[:, 0]
        if number % 4 == 1:
            position = position * (0.1, 3.0)[number // 4 % 2]
        if number % 4 == 2:
            up = up + 0.3 * rng.normal(size=3)
        target = Target(position, up, forward if arm.model.has('wrist_roll') else None)
        solution = arm.solve(target, near)
        yield target, near, solution, plane_of_answer(arm.solver, target, near, solution)


def angle_of(arm, line):
    """Return how far an arc goes [rad], by its pieces."""
    piece = dist(*line[0][:2])
    return 2.0 * (len(line[0]) - 1) * asin(piece / (2.0 * RADIUS * arm.model.reach))


def directions(arm, q):
    """Return from where to where each angle turns, by points and axes of the arm."""
    points, up = arm.points(q), arm.forward(q).up
    upper_arm, forearm = [unit(end - begin) for begin, end in zip(points, points[1:3])]
    x, _, z = np.eye(3)
    yaw, roll, _, _, _, tilt, _ = arm.solver.geometry.whole.canonical(q)
    f = np.array((cos(yaw), sin(yaw), 0.0))
    n = np.array((-sin(yaw) * cos(roll), cos(yaw) * cos(roll), sin(roll)))
    hand = unit(up - (up @ n) * n) * np.sign(cos(tilt))
    return {'yaw': (x, f), 'roll': (z, np.cross(f, n)), 'shoulder': (f, upper_arm),
            'elbow': (upper_arm, forearm), 'wrist': (forearm, hand), 'wrist_tilt': (hand, up)}


def unit(vector):
    return vector / np.linalg.norm(vector)


def is_same(one, other):
    return np.allclose(one, other, rtol=0.0, atol=SAME)


def is_same_angle(one, other):
    return abs(remainder(one - other, 2.0 * pi)) < SAME


def overlapping(picture):
    """Return pairs of labels that overlap, seen square on."""
    boxes = [(words, 0.5 * WIDE * picture.size * len(words), *(
        picture.frame[1::2] @ (at - picture.frame[0]))) for at, words in picture.labels.values()]
    return [(a[0], b[0]) for i, a in enumerate(boxes) for b in boxes[:i]
            if abs(a[2] - b[2]) < a[1] + b[1] and abs(a[3] - b[3]) < HIGH * picture.size]


@pytest.mark.parametrize('name', ARMS)
def test_what_is_drawn_is_what_the_solver_says(name):
    arm, seen = ARMS[name](), set()
    geometry = arm.solver.geometry.whole
    for target, near, solution, found in cases(arm):
        e, points = np.array(target.position), arm.points(solution.q)
        canonical = dict(zip(('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_tilt'),
                             geometry.canonical(solution.q)))
        reduction, flat = [explain(kind, arm, target, solution, found).laid_out()
                           for kind in (REDUCTION, TWO_LINKS)]
        is_met = solution.position_error_m < SAME
        is_exact = is_met and solution.up_error_rad < found.plane.miss + 1e-9
        seen.add(solution.status)
        for picture in reduction, flat:
            assert overlapping(picture) == []
            for step, (value, scale, _) in picture.steps.items():
                if scale == '°' and step in picture.lines:
                    assert angle_of(arm, picture.lines[step]) == pytest.approx(
                        abs(value), abs=SAME), step
                elif step in picture.lines and '+' not in step and '|' not in step:
                    assert dist(*picture.lines[step][0][[0, -1]]) == pytest.approx(value), step
                if scale == '°' and step in canonical and (is_exact or picture is flat):
                    assert is_same_angle(value, canonical[step]), step
            for step, (begin, end) in directions(arm, solution.q).items():
                if step in picture.lines and (is_exact or picture is flat):
                    turned = np.subtract(*picture.lines[step][0][[-1, 0]])
                    assert is_same(turned, RADIUS * arm.model.reach * (end - begin)), step
        # The answer, and how far it is off.
        for line, length, ends in (
                ('l1', geometry.l1, points[:2]), ('l2', geometry.l2, points[1:3])):
            assert is_same(flat.lines[line][0], ends) and abs(flat.steps[line][0] - length) < SAME
        assert is_same(flat.lines['hand'][0], points[2:])
        assert ('gap' in flat.steps) is not is_met
        assert is_met or abs(flat.steps['gap'][0] - solution.position_error_m) < SAME
        assert is_met or flat.steps['gap'][2] == solution.reason
        # The up vector's part in the plane, and how far it is out of it.
        if arm.model.has('wrist'):
            inside = unit(np.subtract(*reduction.lines['inside'][0][::-1]))
            n, up = reduction.frame[2], np.array(target.up)
            assert abs(inside @ n) < SAME and (is_same(n @ np.cross(up, inside), 0.0))
            if not arm.model.has('wrist_tilt'):
                out = reduction.steps['out of the plane'][0]
                assert abs(out - angle_between(up, inside)) < SAME and out < 0.5 * pi + SAME
                assert not is_exact or abs(solution.up_error_rad - out) < SAME
        # The wrist of the target, from the tip back along the hand.
        wrist, tip = reduction.lines['l3'][0]
        assert dist(tip, e) < 1e-4 or not is_exact
        if arm.model.tip == '':
            assert abs(reduction.steps['l3'][0] - hypot(geometry.l3, geometry.hand_offset)) < SAME
        if is_exact:
            assert is_same(wrist, points.wrist) and is_same(flat.lines['d'][0], points[:3:2])
            bend = 1 if sin(canonical['elbow']) > 0.0 else -1
            x, y = [reduction.steps[name][0] for name in 'xy']
            for angle, role in zip(solve_angles(geometry.l1, geometry.l2, x, y, bend),
                                   ('shoulder', 'elbow')):
                assert is_same_angle(flat.steps[role][0], angle)
        # The other bend ends at the target, too, and is what it is chosen by.
        if found.other:
            seen.add('other')
            if arm.solver.with_roll(near[-1]) is arm.solver:
                assert is_same(flat.lines['other bend'][0][-1], e)
            if not found.problem:
                seen.add('allowed')
                assert is_same(arm.solve(target, near, elbow=found.elbow).q, found.other)
                assert not is_same(found.other, solution.q)
            elif 'past its limit' in found.problem:
                seen.add('past')
                for joint, q in zip(arm.model.joints, found.other):
                    assert (joint.name in found.problem) == (not (
                        joint.lower - LIMIT_SLACK <= q <= joint.upper + LIMIT_SLACK))
    assert {Status.POSITION_RELAXED, 'other'} <= seen and seen & {'past', 'allowed'}


@pytest.mark.parametrize('repaired', [False, True], ids=['article', 'repaired'])
def test_the_recipe_turns_as_forward_kinematics_does_and_misses_by_what_is_said(repaired):
    arm, name = Arm.preset('so101'), ('article', 'repaired')[repaired]
    model = arm.model
    links = model.upper_arm, model.forearm, model.hand
    rolling = make_arm('roll', links, base_x=model.base_x, base_height=model.base_height)
    for target, _, solution, found in cases(arm):
        position = np.subtract(target.position, (model.base_x, 0.0, model.base_height))
        yaw, roll, *plane = solve_recipe(*links, position, target.up, repaired)
        # In its order: the base, shoulder, elbow, wrist, and the roll of the base last.
        for done, q in ((0.0, [0.0] * 5), (1.5, [yaw, 0.0, 0.5 * plane[0], 0.0, 0.0]),
                        (4.0, [yaw, 0.0, *plane]), (5.0, [yaw, roll, *plane])):
            picture = explain(RECIPE, arm, target, solution, found, done).laid_out()
            joints = rolling.points(q)[:4]
            tip = joints[-1]
            assert is_same(picture.lines[name][0], joints)
            assert abs(picture.steps[f'{name} misses by'][0] - dist(tip, target.position)) < SAME
            assert overlapping(picture) == []


@pytest.mark.parametrize('name, twin', [('rolling_base', 'tilting_wrist'),
                                        ('tilting_wrist', 'rolling_base')])
def test_a_rolling_base_and_a_tilting_wrist_meet_the_same_and_are_drawn_side_by_side(name, twin):
    arm, met = Arm.preset(name), 0
    assert twin_of(arm.model).model.roles == Arm.preset(twin).model.roles
    for target, _, solution, found in cases(arm):
        joints = explain(REDUCTION, arm, target, solution, found).lines['twin'][0]
        lengths = [dist(*pair) for pair in zip(joints, joints[1:])]
        assert is_same(lengths, (0.12, 0.12, 0.08, 0.0))
        met += solution.reached
        assert not solution.reached or is_same(joints[-1], target.position)
    assert met > 5


def test_two_bones_are_drawn_as_both_functions_answer_in_all_quadrants():
    rng, seen = np.random.default_rng(5), set()
    for number in range(200):
        l1, l2 = rng.choice((0.0, 0.08, 0.12, 0.2), 2)
        x, y = rng.uniform(-0.3, 0.3, 2) if number else (0.0, 0.0)
        bend, side, stretch = rng.choice((-1, 1)), rng.choice((-1, 1)), bool(number % 2)
        picture = two_bones(l1, l2, x, y, bend, side, stretch).laid_out()
        shoulder, elbow, reachable = solve_angles(l1, l2, x, y, bend)
        joints = picture.lines['by angles'][0]
        assert is_same([dist(*pair) for pair in zip(joints, joints[1:])], (l1, l2))
        for role, angle in ('shoulder', shoulder), ('elbow', elbow):
            assert is_same(picture.steps[role][0], angle)
        assert reachable == ('gap' not in picture.steps)
        assert not reachable or is_same(joints[-1], (x, y, 0.0))
        crossing = solve_elbow(l1, l2, x, y, side, stretch)
        assert (crossing is None) == ('solve_elbow' not in picture.lines)
        if crossing:
            assert is_same(picture.lines['solve_elbow'][0], [(0, 0, 0), (*crossing, 0), (x, y, 0)])
        seen.add((reachable, crossing is None, x > 0.0, y > 0.0))
        assert overlapping(picture) == []
    assert len(seen) == 12
