# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What an arm touches in a pose and on a way, judged by coal on the shapes of the URDF."""

from dataclasses import replace

from arm_ik import Arm, InvalidArmError, InvalidInputError, Target
from arm_ik.description import preset_names
from arm_ik.description.urdf import link_names
from arm_ik.kinematics.model import KeepOut
import numpy as np
import pytest

BOX = KeepOut('box', 'box', (0.1, 0.2, 0.05), (0.15, 0.05, 0.1), (0.3, -0.4, 1.0))
POST = KeepOut('post', 'cylinder', (0.04, 0.15), (0.1, -0.2, 0.1), (0.5, 0.4, 0.0))
WALL = KeepOut('wall', 'half_space', (), (-0.1, 0.0, 0.0), (0.0, 1.4, 0.3))


def surrounded(name, *keep_out, floor=None):
    """Return a preset among shapes."""
    return Arm(replace(Arm.preset(name).model, keep_out=keep_out, floor_height=floor))


def judged_pairs(arm, extra={}):
    """Return a judge, and a function of a scene's pair to the two links it is about."""
    pytest.importorskip('coal')
    from coal_judge import CoalJudge
    model, names = arm.model, link_names(arm.model)
    by_role = {joint.role: names[joint.name] for joint in model.joints}
    hand = names[model.joints[-1].name]
    links = {'base': 'base_link', 'upper arm': by_role['shoulder'], 'forearm': by_role['elbow'],
             'wrist': by_role['wrist'],
             **dict.fromkeys(('hand', 'tip', 'fixed finger'), hand),
             **{joint.name.replace('_', ' '): names[joint.name] for joint in model.extra_joints}}
    judge = CoalJudge(arm.to_urdf(), model.keep_out, model.floor_height)
    # The closed ones: in a URDF a joint that is not given is at 0.
    extra = {**{joint.name: joint.closed for joint in model.extra_joints}, **extra}
    return lambda q, part, other: min(judge.distance(
        {**dict(zip(arm.joint_names, q)), **extra}, link, links.get(other, other))
        for link in (links[part], f'{links[part]}_2', f'{links[part]}_3') if link in judge.links)


@pytest.mark.parametrize('name', ['so101', 'rolling_base', 'phantomx_pincher', 'braccio',
                                  'crane_plus', 'wx250', 'roarm_m3', 'lss_5dof'])
def test_distances_are_those_of_coal_with_the_gripper_where_it_is(name):
    arm, rng = surrounded(name, BOX, POST, WALL, floor=0.0), np.random.default_rng(2)
    extra = {joint.name: 0.3 * joint.lower + 0.7 * joint.upper for joint in arm.model.extra_joints}
    scene, judge = arm.scene(extra), judged_pairs(arm, extra)
    touching = 0
    poses = rng.uniform(arm.lower, arm.upper, (300, len(arm.home)))
    touches = arm.clearance(poses, scene) < 0.0
    for q in (*poses[touches][:4], *poses[~touches][:3]):
        nearest = {}
        for part, other, distance in zip(scene.parts, scene.others, scene.distances(q[None])[0]):
            # A link of the URDF may be several parts: hand and finger.
            link = 'hand' if part in ('tip', 'fixed finger') else part
            nearest[link, other] = min(distance, nearest.get((link, other), np.inf))
        for (part, other), distance in nearest.items():
            if np.isinf(distance):
                continue
            wanted = judge(q, part, other)
            touching += wanted < 0.0
            if wanted > 0.0:
                assert wanted - 1e-4 < distance < wanted + 1e-6, (part, other)
            else:
                assert distance < 1e-6, (part, other)
    assert touching > 3


def test_no_pair_of_a_preset_is_skipped_but_neighbours():
    rng = np.random.default_rng(4)
    for name in preset_names():
        arm = Arm.preset(name)
        scene, judge = arm.scene(), judged_pairs(arm)
        skipped = {(part, other) for part, other, distance in zip(
            scene.parts, scene.others, scene.distances(np.array([arm.home]))[0])
            if np.isinf(distance)}
        assert skipped == {('upper arm', 'base')}, name
        poses, pairs = rng.uniform(arm.lower, arm.upper, (20, len(arm.home))), {
            *zip(scene.parts[:-1], scene.others[:-1])}
        assert pairs >= {(part, 'upper arm') for part, _ in pairs} - {
            ('upper arm',) * 2, ('forearm', 'upper arm')}, name
        for part, other in pairs - skipped:
            assert any(judge(q, part, other) > 0.0 for q in poses), (name, part, other)


@pytest.mark.parametrize('name', ['so101', 'rolling_base'])
def test_no_pair_comes_nearer_faster_than_its_travel(name):
    arm, rng = surrounded(name, BOX, POST, WALL, floor=0.0), np.random.default_rng(7)
    scene, count = arm.scene(), len(arm.home)
    q = rng.uniform(arm.lower, arm.upper, (100, count))
    fastest = np.zeros(scene.travel.shape)
    for joint in range(count):
        moved = q.copy()
        moved[:, joint] += 0.02
        with np.errstate(invalid='ignore'):     # of pairs that are skipped
            change = np.abs(scene.distances(moved) - scene.distances(q)).max(axis=0)
        fastest[:, joint] = np.nan_to_num(change) / 0.02
    assert (fastest <= scene.travel + 1e-3).all()
    assert (fastest > 0.3 * scene.travel).mean() > 0.3      # and it is not much more, either


def test_no_way_that_is_called_clear_leads_through_anything():
    arm, rng = surrounded('so101', BOX, POST, WALL, floor=0.0), np.random.default_rng(5)
    poses = rng.uniform(arm.lower, arm.upper, (3000, 5))
    q0, q1 = np.split(poses[arm.clearance(poses) > 0.0][:80], 2)
    ways = arm.check_path(q0, q1)
    between = np.linspace(q0, q1, 80, axis=1)
    deepest = arm.clearance(between).min(axis=1)        # judged by coal above
    clear = ways.part == ''
    assert 10 < clear.sum() < 40
    assert deepest[clear].min() > -0.0015
    assert deepest[~clear].max() < 0.0
    # As far as a way is clear, and where it ends.
    for begin, end, fraction, free in zip(q0[~clear][:15], q1[~clear], ways.fraction[~clear],
                                          ways.clear[~clear]):
        assert arm.clearance(np.linspace(begin, begin + free * (end - begin), 50)).min() > -0.0015
        assert free < fraction <= free + 0.01
        assert arm.clearance(begin + fraction * (end - begin)) < 0.0


def test_a_way_says_what_would_touch_what_and_where():
    arm = surrounded('so101', KeepOut('shelf', 'box', (0.3, 0.1, 0.02), (0.3, 0.3, 0.16)))
    way = arm.check_path((-1.5, 0.0, 0.0, 0.0, 0.0), (1.5, 0.0, 0.0, 0.0, 0.0))
    assert way.reason == ''
    way = arm.check_path((1.5, 0.0, 0.0, 0.0, 0.0), (-1.5, 0.0, 0.0, 0.0, 0.0))
    assert way.reason == ''
    low = (0.0, 0.6, -0.6, 0.0, 0.0)
    way = arm.check_path(low, (-1.5, *low[1:]))
    assert way.other == 'shelf' and way.part and not way.is_own
    assert way.reason == (f'the {way.part} would touch the shelf after '
                          f'{100 * way.fraction:.0f} % of the path')


def test_a_way_may_lead_out_of_an_overlap_and_not_deeper():
    arm = surrounded('so101', floor=None)
    q = arm.solve(Target((0.2, 0.0, 0.03), up=(0.0, 0.0, -1.0))).q
    arm = surrounded('so101', KeepOut('table', 'half_space', (), (0.0, 0.0, 0.035)))
    up, down = np.array(q), np.array(q)
    up[1], down[1] = q[1] - 0.2, q[1] + 0.2
    assert arm.clearance(q) < -0.004
    assert arm.check_path(q, up).reason == ''
    assert 'the table' in arm.check_path(q, down).reason


def test_many_ways_are_answered_as_one_by_one_in_any_shape():
    arm, rng = surrounded('px100', BOX, POST), np.random.default_rng(6)
    q0, q1 = rng.uniform(arm.lower, arm.upper, (2, 2, 3, len(arm.home)))
    ways = arm.check_path(q0, q1)
    assert ways.part.shape == arm.clearance(q0).shape == (2, 3)
    for index in np.ndindex(2, 3):
        one = arm.check_path(q0[index], q1[index])
        assert (one.part, one.other) == (ways.part[index], ways.other[index])
        assert arm.clearance(q0[index]) == pytest.approx(arm.clearance(q0)[index], abs=1e-12)
    assert arm.check_path(q0[:0], q1[:0]).part.shape == (0, 3)
    assert arm.clearance(q0[:0]).shape == (0, 3)
    assert arm.check_path(arm.home, arm.home).part == ''


def test_what_was_far_and_has_not_moved_enough_is_not_looked_at_again():
    arm, rng = surrounded('so101', POST, WALL, floor=0.0), np.random.default_rng(8)
    scene, q, looks, found = arm.scene(), np.array(arm.home), 0, []
    for step in range(150):
        seen, goal = scene.seen, np.clip(
            q + rng.normal(0.0, 0.02, 5) + 0.01 * np.sin(0.02 * step), arm.lower, arm.upper)
        found.append(str(arm.check_path(q, goal, scene).part))
        assert found[-1] == arm.check_path(q, goal, arm.scene()).part
        looks += scene.seen is not seen
        q = goal
    assert 5 < sum(map(bool, found)) < 125 and 5 < looks < 140


def test_what_is_called_far_from_the_pose_seen_does_not_touch_until_then():
    arm, rng = surrounded('so101', BOX, POST, WALL, floor=0.0), np.random.default_rng(9)
    scene, far, near = arm.scene(), 0, 0
    for number in range(150):
        begin, end = rng.uniform(arm.lower, arm.upper, (2, 5))
        joint = number % 5
        end[np.arange(5) != joint] = begin[np.arange(5) != joint]
        arm.check_path(begin, end, scene)
        pose, apart = scene.seen
        assert (apart <= scene.distances(pose[None])[0] + 1e-9).all()
        other = pose.copy()
        other[joint] += rng.uniform(-0.5, 0.5)
        is_far = scene.far(other[None, None])
        between = scene.distances(np.linspace(pose, other, 20)).min(axis=0)
        assert between[is_far].min() > 0.0
        far, near = far + is_far.sum(), near + (~is_far).sum()
    assert min(far, near) > 400


def test_nothing_thin_is_passed_over():
    model = Arm.preset('so101').model
    radii, rng = replace(model.link_radii, forearm=0.001, hand=0.001), np.random.default_rng(10)
    thin = replace(model, link_radii=radii, shapes=())
    q = np.array((0.0, 0.3, -0.3, 0.0, 0.0))
    begin, end = Arm(thin).points(q)[1:3]
    for _ in range(30):
        speck = KeepOut('speck', 'box', (0.0005,) * 3, tuple(
            begin + rng.uniform(0.3, 0.98) * (end - begin)))
        arm = Arm(replace(thin, keep_out=(speck,)))
        left, right = rng.uniform(0.2, 1.0, 2)
        way = arm.check_path(q - (left, 0, 0, 0, 0), q + (right, 0, 0, 0, 0))
        assert way.part in ('forearm', 'hand') and way.other == 'speck'
        assert way.fraction == pytest.approx(left / (left + right), abs=0.02)


@pytest.mark.parametrize('q', [(0.0, 0.0), 'home', (0.0, 0.0, 0.0, 0.0, np.nan)])
def test_what_is_no_pose_is_refused(q):
    with pytest.raises(InvalidInputError, match='q0'):
        Arm.preset('so101').check_path(q, (0.0,) * 5)


@pytest.mark.parametrize('shape, words', [
    (KeepOut('table', 'cube', (1.0, 1.0, 1.0)), "table.kind: found 'cube'; allowed: one of box"),
    (KeepOut('table', 'box', (1.0, 1.0)), r'table.size: found \(1.0, 1.0\); allowed: \[x, y, z\]'),
    (KeepOut('post', 'cylinder', (0.1, -1.0)), r'post.size: .* allowed: \[radius, length\]'),
    (KeepOut('wall', 'half_space', (1.0,)), 'wall.size: .* allowed: no size'),
    (KeepOut('wall', 'half_space', (), (0.0, 0.0)), 'wall.position: .* three finite numbers'),
    (KeepOut('wall', 'half_space', (), rpy=(0.0, 0.0, np.nan)), 'wall.rpy: .* three finite'),
])
def test_a_shape_that_is_none_is_refused_by_name(shape, words):
    with pytest.raises(InvalidArmError, match=words):
        surrounded('so101', shape)


def test_link_radii_of_the_file_are_those_of_the_shapes():
    model = Arm.preset('so101').model
    thick = Arm(replace(model, link_radii=replace(model.link_radii, base=0.06, hand=0.03)))
    assert thick.to_urdf().count('<cylinder radius="0.06"') == 2
    assert thick.to_urdf().count('radius="0.03"') == 3      # a cylinder and two balls
    assert thick.clearance(thick.home) < Arm(model).clearance(thick.home)
    with pytest.raises(InvalidArmError, match='arm.link_radii.forearm'):
        replace(model, link_radii=replace(model.link_radii, forearm=0.0))
