# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Arms from URDFs: those that fit are the same arm, those that do not are refused with why."""

from math import pi
import random
import re
import sys
import warnings

from arm_ik import Arm, ArmIkError
from arm_ik.__main__ import main as arm_ik
from arm_ik.description import dump, preset_names
from arm_ik.description.linkage import largest_box
from arm_ik.description.urdf_reader import from_urdf
from arm_ik.errors import ArmFileWarning, InvalidArmError, InvalidInputError
from made_up_urdfs import FLAWS, made_up
import numpy as np
import pytest
from urdf_judge import UrdfJudge


def main(arguments):
    return arm_ik(['from-urdf', *arguments])


@pytest.fixture
def written(tmp_path):
    def write(text, name='arm.urdf'):
        path = tmp_path / name
        path.write_text(text, encoding='utf-8')
        return path
    return write


def assert_same_arm(arm, text, frame, turn=0.0, hold=None, poses=30, tolerance=1e-9):
    """Require that the arm's tip and axes are where those of the URDF are, at random poses."""
    judge = UrdfJudge(text)
    c, s = np.cos(turn), np.sin(turn)
    base = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    for q in np.random.default_rng(0).uniform(arm.lower, arm.upper, (poses, len(arm.home))):
        wanted = judge.pose({**dict(zip(arm.joint_names, q)), **(hold or {})}, frame)
        pose = arm.forward(q)
        assert pose.position == pytest.approx(base @ wanted[:3, 3], abs=tolerance)
        x = base @ wanted[:3, 0]
        across = x - (x @ pose.up) * pose.up
        if arm.model.has('wrist_roll') and np.linalg.norm(across) > 0.12:
            assert pose.rotation[:, 0] == pytest.approx(
                across / np.linalg.norm(across), abs=1e3 * tolerance)


@pytest.mark.parametrize('seed', range(12))
def test_a_made_up_arm_is_read_with_its_lengths_and_its_tip(seed, written):
    text, lengths = made_up(seed)
    path = written(text)
    found = from_urdf(path, forward='home')    # the tip is the only leaf that fits
    turn = re.search(r'turned about z by (\S+) deg', found.notes[0])
    assert {key: getattr(found.model, key) for key in lengths} == pytest.approx(lengths, abs=1e-9)
    assert_same_arm(Arm(found.model), text, 'tip', np.radians(float(turn[1])) if turn else 0.0)
    unturned = from_urdf(path).model
    assert (unturned.urdf_rpy, unturned.urdf_frame) == ((), UrdfJudge(text).links[0])
    assert_same_arm(Arm(unturned), text, 'tip')
    names = [joint.name for joint in found.model.extra_joints]
    assert names == (['finger1'] if 'finger1' in text else [])


def test_made_up_arms_are_of_every_kind():
    texts = [made_up(seed).text for seed in range(12)]
    for word in ('name="j5"', 'continuous', 'velocity="0"', 'finger-1'):
        assert 0 < sum(word in text for text in texts) < 12
    models = [from_made_up.lengths for from_made_up in map(made_up, range(12))]
    assert len({model['lateral'] for model in models}) > 1


@pytest.mark.parametrize('flaw', FLAWS)
def test_an_arm_that_does_not_fit_is_refused_with_the_joint_and_the_reason(flaw, written):
    joint, words = FLAWS[flaw]
    with pytest.raises(InvalidArmError) as error:
        Arm.from_urdf(written(made_up(3, flaw).text), tip='tip')
    assert re.search(rf'arm\.urdf: joint {joint}: found .*{words}', str(error.value))
    assert str(error.value).endswith('docs/arms.md says which arms fit')


def test_without_a_tip_the_leaf_before_the_gripper_is_what_a_refusal_is_about(written):
    finger = ('finger', 'j', 'z_finger', '0 0.01 0', '0 1 0', 'prismatic', 'upper="0.02"')
    spin = ('spin', 'j', 'z_spin', '0 0 0', '1 0 0')
    text = urdf(('tilt', 'c', 'd', '0.1 0 0', '1 0 0'), ('turn', 'd', 'e', '0.05 0 0', '0 -1 0'),
                ('tool', 'e', 'j', '0.05 0 0', '1 0 0'), ('post', 'j', 'post', '0.01 0 0', ''),
                ('end', 'post', 'tip', '0.06 0 0', ''), finger, spin)
    with pytest.raises(InvalidArmError, match=r'joint tilt: .*--hold tilt=0\. The tip was tip'):
        Arm.from_urdf(written(text))


@pytest.mark.parametrize('flaw, hold', [('forearm roll', {'j4': 0.0}), ('wrist yaw', {'j5': 0.2})])
def test_with_a_joint_held_the_rest_is_an_arm(flaw, hold, written):
    text = made_up(3, flaw).text
    arm = Arm.from_urdf(written(text), tip='tip', forward='x', hold=hold)
    assert not hold.keys() & set(arm.joint_names)
    assert_same_arm(arm, text, 'tip', hold=hold)


def urdf(*joints, tail=''):
    """Return a plain arm stretched along x; a joint replaces that of its name or is one more."""
    known = {
        'yaw': ('base', 'a', '0 0 0.1', '0 0 1'), 'lift': ('a', 'b', '0 0 0', '0 -1 0'),
        'bend': ('b', 'c', '0.2 0 0', '0 -1 0'), 'tilt': ('c', 'd', '0.15 0 0', '0 -1 0'),
        'turn': ('d', 'e', '0.05 0 0', '1 0 0'), 'tool': ('e', 'tip', '0.06 0 0', '')}
    known.update({name: (parent, child, xyz, axis, *more)
                  for name, parent, child, xyz, axis, *more in joints})
    links = dict.fromkeys(link for parent, child, *_ in known.values() for link in (parent, child))
    text = ''.join([f'<link name="{link}"/>' for link in links])
    for name, (parent, child, xyz, axis, *more) in known.items():
        kind, limit = [*more, 'revolute', 'lower="-1.5" upper="1.5" velocity="2"'][:2]
        text += (f'<joint name="{name}" type="{kind if axis else "fixed"}"><parent link="{parent}"'
                 f'/><child link="{child}"/><origin xyz="{xyz}"/>')
        if axis:
            text += f'<axis xyz="{axis}"/>' + (f'<limit effort="1" {limit}/>' if limit else '')
        text += '</joint>'
    return f'<robot name="plain">{text}{tail}</robot>'


@pytest.mark.parametrize('home, forward, ahead', [
    ('0 1 0', None, (0.0, 1.0)), ('0.6 0.8 0', None, (0.6, 0.8)), ('0 1 0', 'home', (1.0, 0.0)),
    ('0 1 0', '-y', (-1.0, 0.0)), ('1 0 0', 'home', (1.0, 0.0)), ('1 0 0', 'y', (0.0, -1.0)),
    ('0.6 0.8 0', 'home', (1.0, 0.0))])
def test_the_base_is_turned_only_to_the_axis_asked_for_or_to_where_the_arm_reaches_at_home(
        home, forward, ahead, written):
    azimuth = np.arctan2(*map(float, home.split()[1::-1]))
    text = urdf().replace('xyz="0 0 0.1"', f'xyz="0 0 0.1" rpy="0 0 {azimuth}"')
    found = from_urdf(written(text), forward=forward)
    pose = Arm(found.model).forward(found.model.home)
    assert pose.position == pytest.approx((0.46 * ahead[0], 0.46 * ahead[1], 0.1), abs=1e-9)
    assert ('turned' in found.notes[0]) == bool(found.model.urdf_rpy) == (
        forward in ('y', '-y') or forward == 'home' and azimuth != 0.0)
    assert found.model.heading == pytest.approx(np.arctan2(*ahead[::-1]))


UPRIGHT = {'x': '0 1.5707963267948966 0', '-x': '0 -1.5707963267948966 0',
           'y': '-1.5707963267948966 0 0', '-y': '1.5707963267948966 0 0',
           '-z': '3.141592653589793 0 0'}


@pytest.mark.parametrize('up, forward', [
    *((up, None) for up in UPRIGHT), ('y', 'home'), ('y', 'z'), ('x', '-y'), ('-z', '-x')])
def test_another_axis_up_is_a_turn_that_the_arm_keeps(up, forward, written):
    yaw = ('yaw', 'base', 'a', '0.01 0.02 0.03', '0 0 1')
    text = urdf(yaw).replace('<origin xyz="0.01 0.02 0.03"/>',
                             f'<origin xyz="0.01 0.02 0.03" rpy="{UPRIGHT[up]}"/>')
    arm = Arm.from_urdf(written(text), up=up, forward=forward)
    arm = Arm.from_yaml(written(dump(arm.model), 'arm.yaml'))
    roll, pitch, yaw = arm.model.urdf_rpy
    turn = UrdfJudge(f"""<robot><joint name="a" type="fixed"><origin rpy="{roll} {pitch} {yaw}"/>
        <parent link="base_link"/><child link="b"/></joint></robot>""").pose({}, 'b')[:3, :3]
    signed = {name: (-1.0 if name[0] == '-' else 1.0) * np.eye(3)['xyz'.index(name[-1])]
              for name in (up, forward or 'x') if name != 'home'}
    assert turn @ signed[up] == pytest.approx((0.0, 0.0, 1.0))
    if forward in signed:
        assert turn @ signed[forward] == pytest.approx((1.0, 0.0, 0.0))
    for q in np.random.default_rng(0).uniform(arm.lower, arm.upper, (30, 5)):
        wanted = UrdfJudge(text).pose(dict(zip(arm.joint_names, q)), 'tip')[:3, 3]
        assert arm.forward(q).position == pytest.approx(turn @ wanted, abs=1e-9)
    assert forward != 'home' or arm.model.heading == pytest.approx(0.0)


@pytest.mark.parametrize('up', UPRIGHT)
def test_an_axis_up_that_is_not_z_is_proposed_if_the_arm_is_on_its_side(up, written):
    text = urdf(('lift', 'a', 'b', '0 0 0.1', '0 -1 0')).replace(
        '<origin xyz="0 0 0.1"/>', f'<origin xyz="0 0 0" rpy="{UPRIGHT[up]}"/>', 1)
    if up == '-z':    # as good as z
        assert Arm.from_urdf(written(text)).model.base_height == pytest.approx(-0.1)
    else:
        with pytest.raises(InvalidArmError, match=rf'joint yaw: .*with --up {up}\. The tip'):
            Arm.from_urdf(written(text))


def test_with_an_axis_up_forward_is_across_it(written):
    with pytest.raises(InvalidInputError, match="forward is 'x'.*home, y, z, -y, -z"):
        Arm.from_urdf(written(urdf()), up='x', forward='x')


def test_numbers_of_the_file_that_no_servo_has_are_replaced_and_told(written):
    text = urdf(('yaw', 'base', 'a', '0 0 0.1', '0 0 1', 'continuous', 'velocity="10"'),
                ('lift', 'a', 'b', '0 0 0', '0 -1 0', 'revolute', 'lower="0.3" upper="2"'),
                ('turn', 'd', 'e', '0.05 0 0', '1 0 0', 'continuous', ''))
    found = from_urdf(written(text))
    speeds = {joint.name: joint.max_velocity for joint in found.model.joints}
    assert speeds == {'yaw': 3.0, 'lift': 1.0, 'bend': 2.0, 'tilt': 2.0, 'turn': 1.0}
    notes = '\n'.join(found.notes)
    assert 'max_velocity: yaw 3 (URDF: 10.0), lift 1 (URDF: none), turn 1 (URDF: none)' \
        in found.differences
    assert 'to be measured: yaw -3.14159 to 3.14159, turn -3.14159 to 3.14159' \
        in found.differences[1]
    assert (found.model.joints[4].lower, found.model.joints[0].upper) == (-pi, pi)
    assert found.model.home == (0.0, 0.3, 0.0, 0.0, 0.0)
    assert 'home is 0, or the nearest limit: check' in notes


def test_fingers_become_extra_joints_and_what_goes_with_them_is_told(written):
    text = urdf(('jaw', 'e', 'jaw_link', '0.03 0 0', '0 0 1'),
                ('left', 'e', 'left_link', '0.03 0 0', '0 1 0', 'prismatic',
                 'lower="0.01" upper="0.03" velocity="0.01"'),
                ('screw', 'e', 'screw_link', '0 0 0', '1 0 0', 'continuous', ''),
                ('wheel', 'base', 'wheel_link', '0 0 0', '0 1 0'))
    text = text.replace(
        '</robot>', '<link name="right_link"/><joint name="right" type="prismatic"><parent '
        'link="e"/><child link="right_link"/><mimic joint="left"/></joint></robot>')
    found = from_urdf(written(text))
    assert [(joint.name, joint.type, joint.closed, joint.open, joint.max_velocity)
            for joint in found.model.extra_joints] == [
                ('jaw', 'revolute', -1.5, 1.5, 2.0), ('left', 'prismatic', 0.01, 0.03, 0.01)]
    assert [(joint.along, joint.second) for joint in found.model.extra_joints] == [
        ('y', ''), ('y', 'mirrored')]
    notes = '\n'.join(found.notes)
    assert 'right: goes with left' in notes and 'screw: left out' in notes
    assert 'wheel' not in notes


def test_a_tip_beside_the_roll_axis_is_a_tip_of_the_arm_in_the_axes_of_its_frame(written):
    text = urdf(('tool', 'e', 'tip', '0.06 0.003 -0.008', ''))
    text = text.replace('<origin xyz="0.06 0.003 -0.008"/>',
                        '<origin xyz="0.06 0.003 -0.008" rpy="0 1.5707963267948966 0.7"/>')
    path = written(text)
    arm = Arm.from_urdf(path)
    assert (arm.model.tip, arm.model.hand) == ('tip', pytest.approx(0.11))
    (tip,) = arm.model.tips
    assert np.hypot(tip.x, tip.y) == pytest.approx(np.hypot(0.003, 0.008))
    assert (tip.z, tip.turn) == (0.0, 0.0)
    assert_same_arm(arm, text, 'tip')
    assert 'the tip is 8.54 mm beside the roll axis' in from_urdf(path).notes


def test_a_tip_by_the_name_of_a_frame_of_ours_gets_another(written):
    text = urdf(('tool', 'e', 'tool0', '0.06 0.003 0', ''))
    assert Arm.from_urdf(written(text)).model.tip == 'tool0_tip'


@pytest.mark.parametrize('above', [0.0, 0.004, -0.03])
def test_a_roll_axis_that_passes_beside_the_wrist_axis_makes_a_bent_hand(above, written):
    text = urdf(('turn', 'd', 'e', f'0.05 0 {above}', '-1 0 0'))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = from_urdf(written(text))
    arm, judge = Arm(found.model), UrdfJudge(text)
    assert (arm.model.hand, arm.model.hand_offset) == pytest.approx((0.11, above), abs=1e-12)
    assert_same_arm(arm, text, 'tip')
    for q in np.random.default_rng(0).uniform(arm.lower, arm.upper, (10, 5)):
        along = judge.pose(dict(zip(arm.joint_names, q)), 'e')[:3, 0]
        assert arm.forward(q).up == pytest.approx(along, abs=1e-12)
    words = f'{1e3 * abs(above):.2f} mm {"above" if above > 0.0 else "below"} the wrist axis'
    assert any(words in note for note in found.notes) == bool(above)


@pytest.mark.parametrize('turn', ['', '-1 0 0'], ids=['no roll', 'forearm rolls'])
def test_an_arm_without_a_wrist_is_read_where_nothing_behind_could_be_one(turn, written):
    joints = ('tilt', 'c', 'd', '0.15 0 0.02', ''), ('turn', 'd', 'e', '0.05 0 0', turn)
    if turn:
        joints = ('tilt', 'c', 'd', '0.15 0 0', ''), joints[1]
    text = urdf(*joints)
    arm = Arm.from_urdf(written(text))
    assert arm.model.roles == ('yaw', 'shoulder', 'elbow', *['wrist_roll'] * bool(turn))
    assert (arm.model.hand, arm.model.hand_elevation) == (0.0, None)
    assert_same_arm(arm, text, 'tip')
    text = urdf(*joints, ('grip', 'e', 'jaw', '0 0.01 0', '0 0 1'))
    with pytest.raises(InvalidArmError, match=r'It fits with --tip tip \(yaw, lift, bend'):
        Arm.from_urdf(written(text))
    assert_same_arm(Arm.from_urdf(written(text), tip='tip'), text, 'tip')


def follower(name, parent, child, xyz, leader, multiplier):
    """Return a joint for :func:`urdf` that follows another one."""
    return (name, parent, child, xyz, '0 -1 0', 'revolute',
            f'lower="-2" upper="2"/><mimic joint="{leader}" multiplier="{multiplier}"')


@pytest.mark.parametrize('elevation', [0.0, -0.5])
@pytest.mark.parametrize('axis', ['0 -1 0', '0 1 0'])
@pytest.mark.parametrize('has_sum', [False, True])
def test_a_linkage_keeps_the_hand_at_its_elevation_and_may_turn_the_forearm(
        elevation, axis, has_sum, written):
    back = 1 if axis == '0 1 0' else -1
    forearm = ('bend', 'b', 'c', '0.2 0 0', axis)
    level = [follower('tilt', 'c', 'c2', '0.15 0 0', 'bend', back)]
    if has_sum:
        forearm = [follower('rod', 'b', 'b2', '0.2 0 0', 'lift', -1),
                   ('bend', 'b2', 'c', '0 0 0', axis, 'revolute', 'lower="-0.8" upper="1.1"')]
    else:
        forearm = [forearm]
        level.append(follower('rod', 'c2', 'd', '0 0 0', 'lift', -1))
    text = urdf(*forearm, *level, ('turn', level[-1][2], 'e', '0.05 0 0', ''), (
        'tool', 'e', 'tip', f'{0.06 * np.cos(elevation) - 0.05 * (1 - np.cos(elevation))} 0 '
        f'{0.11 * np.sin(elevation)}', ''))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = from_urdf(written(text))
    arm, judge = Arm(found.model), UrdfJudge(text)
    assert (arm.model.hand, arm.model.hand_elevation) == pytest.approx((0.11, elevation))
    corners = []
    for q in np.random.default_rng(0).uniform(arm.lower, arm.upper, (40, 3)):
        yaw, lift, bend = q
        if has_sum:    # the servo turns the sum
            bend = -back * (lift + bend)
            corners.append(bend)
        wanted = judge.pose({'yaw': yaw, 'lift': lift, 'bend': bend}, 'tip')[:3, 3]
        assert arm.forward(q).position == pytest.approx(wanted, abs=1e-9)
    assert bool(corners) == any('plus: lift in the servos file' in note for note in found.notes)
    assert not corners or -0.8 <= min(corners) and max(corners) <= 1.1


def test_the_largest_box_in_a_parallelogram_contains_home_and_cannot_grow():
    rng = np.random.default_rng(0)
    for _ in range(20):
        home = rng.uniform(-1.0, 1.0, 2)
        first, second, total = [(at - down, at + up) for at, (down, up) in zip(
            (*home, home.sum()), rng.uniform(0.1, 2.0, (3, 2)))]
        (a, b), (c, d) = largest_box(first, second, total, tuple(home))
        assert first[0] <= a <= home[0] <= b <= first[1] and second[0] <= c <= home[1] <= d
        assert d <= second[1] and total[0] - 1e-9 <= a + c and b + d <= total[1] + 1e-9
        for _ in range(200):    # no other has more than a grid's step more
            p, q = sorted(rng.uniform(*first, 2))
            p, q = min(p, home[0]), max(q, home[0])
            low, high = max(second[0], total[0] - p), min(second[1], total[1] - q)
            if low <= home[1] <= high:
                assert (q - p) * (high - low) <= 1.02 * (b - a) * (d - c) + 1e-9


def test_one_warning_says_all_that_is_not_as_in_the_file(written):
    text = urdf(('lift', 'a', 'b', '0 0 0', '0 -1 0', 'revolute',
                 'lower="-3.14" upper="3.14" velocity="100"'),
                ('turn', 'd', 'e', '0.05 0 0.004', '1 0.002 0'),
                ('bend', 'b', 'c', '0.2 0 0', '0 -1 0.001'))
    with pytest.warns(ArmFileWarning) as caught:
        Arm.from_urdf(written(text), tolerance=1e-3)
    (message,) = [str(each.message) for each in caught]
    for words in ('max_velocity: lift 3 (URDF: 100.0); ', 'lift -3.14 to 3.14; ',
                  'within the tolerance of 1 mm; ', 'off the roll axis by 0.11 deg'):
        assert words in message


def test_a_yaw_axis_a_little_askew_fits_with_a_tolerance_that_is_said_with_its_cost(
        written, capsys):
    path = written(urdf(('yaw', 'base', 'a', '0 0 0.1', '0.001 0 1')))
    with pytest.raises(InvalidArmError, match=(
            r'the tip misses by 0\.61 mm.*at most 0\.1 mm \(--tolerance\)')):
        Arm.from_urdf(path)
    assert main([str(path), '--tolerance', '0.67']) == 0
    assert '# the tip is up to 0.61 mm off, within the tolerance of 0.67 mm' \
        in capsys.readouterr().out


@pytest.mark.parametrize('scale', [100.0, 1000.0])
def test_lengths_in_another_unit_are_recognised_whether_the_arm_fits_or_not(scale, written):
    exact = re.sub('xyz="([^"]*)"/><axis', lambda match: 'xyz="{}"/><axis'.format(' '.join(
        str(scale * float(word)) for word in match[1].split())), urdf())
    with pytest.warns(ArmFileWarning, match='forearm.*look like millimetres or centimetres'):
        Arm.from_urdf(written(exact))
    askew = exact.replace('<axis xyz="1 0 0"/>', '<axis xyz="1 0.0001 0"/>').replace(
        '<axis xyz="0 -1 0"/>', '<axis xyz="0 -1 0.0001"/>', 1)
    with pytest.raises(InvalidArmError, match='forearm.*look like millimetres or centimetres'):
        Arm.from_urdf(written(askew))


def test_a_joint_to_hold_and_another_tip_are_proposed_together(written):
    text = urdf(('tilt', 'c', 'd', '0.15 0 0', '1 0 0'), ('turn', 'd', 'e', '0.05 0 0', '0 -1 0'),
                ('roll', 'e', 'f', '0.05 0 0', '1 0 0'), ('tool', 'f', 'tip', '0.06 0 0', '0 0 1'))
    with pytest.raises(InvalidArmError, match=r'with --hold tilt=0 --tip f\. The tip was tip'):
        Arm.from_urdf(written(text))
    arm = Arm.from_urdf(written(text), hold={'tilt': 0.0}, tip='f')
    assert arm.joint_names == ('yaw', 'lift', 'bend', 'turn', 'roll')


def test_without_a_tip_the_only_leaf_that_fits_is_taken_and_of_several_none(written):
    assert 'tool0 is at tip' in from_urdf(written(urdf())).notes[1]
    camera = ('camera', 'e', 'lens', '0.02 0 0.03', '')
    with pytest.raises(InvalidArmError, match=r'several frames that fit.*--tip lens \(yaw, lift, '
                       r'bend, tilt, turn\)\. It fits with --tip tip \('):
        Arm.from_urdf(written(urdf(camera)))
    assert Arm.from_urdf(written(urdf(camera)), tip='tip').model.tip == ''
    eye = ('eye', 'd', 'lens', '0.02 0 0.03', '')
    jaw = ('tool', 'e', 'tip', '0.06 0 0', '0 0 1')
    with pytest.raises(InvalidArmError, match=r'joint tool: found .a revolute joint behind the '
                       r'wrist roll.*It fits with --tip e \('):
        Arm.from_urdf(written(urdf(jaw)))
    with pytest.raises(InvalidArmError, match=r'several frames.*--tip e \(.*--tip lens \('):
        Arm.from_urdf(written(urdf(jaw, eye)))


@pytest.mark.parametrize('base', ['mast', None])
def test_a_base_frame_that_is_tilted_is_refused_unless_another_is_named(base, written):
    mast = ('mast', 'tilted', 'mast', '0 0 1', '')
    text = urdf(mast, ('yaw', 'mast', 'a', '0 0 0.1', '0 0 1'))
    text = text.replace('<origin xyz="0 0 1"/>', '<origin xyz="0 0 1" rpy="1.57 0 0"/>')
    text = text.replace('<link name="base"/>', '')
    if base:
        assert Arm.from_urdf(written(text), base=base).model.base_height == pytest.approx(0.1)
    else:
        with pytest.raises(InvalidArmError, match=r'joint yaw: found .an axis 90\.0 deg.*base'):
            Arm.from_urdf(written(text))


@pytest.mark.parametrize('options, words', [
    ({'tip': 'tpi'}, "tip is 'tpi'.*did you mean 'tip'?"), ({'base': 'nothing'}, 'base is'),
    ({'base': 'tip'}, 'base is'), ({'tip': 'a', 'base': 'c'}, 'tip is'),
    ({'forward': 'z'}, 'forward is'), ({'hold': {'roll': 0.0}}, 'hold is'),
    ({'hold': {'turn': 2.0}}, 'hold of turn is 2.0; allowed: a position from -1.5 to 1.5'),
    ({'hold': {'turn': float('nan')}}, 'hold of turn is nan'), ({'hold': {'turn': 'x'}}, 'number'),
    ({'tip': 5}, 'tip is 5'), ({'tip': ['tip']}, 'tip is')])
def test_what_is_asked_for_and_is_not_there_is_refused_by_name(options, words, written):
    with pytest.raises((InvalidInputError, InvalidArmError), match=words):
        Arm.from_urdf(written(urdf()), **options)


def changed(old, new, count=1):
    text = urdf()
    assert old in text
    return text.replace(old, new, count)


LINK = '<link name="a"/>'
MALFORMED = {
    'not XML': ('<robot name="a"><link', 'unclosed token'),
    'empty': ('', 'no element found'),
    'another root': ('<sdf/>', 'found .<sdf> with 0 joints'),
    'no joints': ('<robot name="a"><link name="b"/></robot>', 'with 0 joints'),
    'an entity': ('<!DOCTYPE r [<!ENTITY a "b">]>' + urdf(), 'the file: found .a document type'),
    'an entity of another file': (
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + urdf(), 'a document type'),
    'an entity that is not there': (changed('plain', '&plain;'), 'undefined entity'),
    'two documents': (urdf() + urdf(), 'junk after document element'),
    'a link twice': (changed(LINK, LINK + LINK), 'link a: found .2 of them'),
    'a joint twice': (changed('name="lift"', 'name="bend"'), 'joint bend: found .2 of them'),
    'two parents': (changed('<child link="c"/>', '<child link="b"/>'), 'joint of link b'),
    'no such link': (changed(LINK, ''), 'joint yaw: found .a.; allowed: a link'),
    'a cycle': (changed('parent link="base"', 'parent link="e"'), 'links: found .a cycle'),
    'a cycle of all': (
        changed('<link name="base"/>', '').replace('parent link="base"', 'parent link="tip"'),
        'found .0 roots'),
    'two roots': (changed(LINK, LINK + '<link name="z"/>'), 'found .2 roots'),
    'a joint without a name': (changed(' name="lift"', ''), 'a joint: found nothing'),
    'a joint without a parent': (changed('<parent link="a"/>', ''), 'joint lift, parent'),
    'a type that is not': (changed('"lift" type="revolute"', '"lift" type="revolt"'),
                           r"joint lift, type: found .revolt.; allowed: did you mean 'revolute'"),
    'text for a number': (changed('0.2 0 0', '0.2 O 0'), 'joint bend, origin xyz: found'),
    'too few numbers': (changed('0.2 0 0', '0.2 0'), '3 finite numbers'),
    'not a number': (changed('0.2 0 0', 'nan 0 0'), '3 finite numbers'),
    'an infinite number': (changed('0.2 0 0', '1e999 0 0'), '3 finite numbers'),
    "Python's own writing": (changed('0.2 0 0', '0_2 0 0'), '3 finite numbers'),
    'no axis': (changed('<axis xyz="0 -1 0"/>', '<axis xyz="0 0 0"/>'), 'joint lift, axis'),
    'an axis without numbers': (changed('<axis xyz="0 -1 0"/>', '<axis/>'), 'joint lift, axis'),
    'no limits': (changed('<limit effort="1" lower="-1.5" upper="1.5" velocity="2"/>', ''),
                  'joint yaw: found .limits -inf to inf'),
    'limits that are equal': (changed('upper="1.5"', 'upper="-1.5"'), 'limits -1.5 to -1.5'),
    'limits in degrees': (changed('upper="1.5"', 'upper="90"'), 'limits -1.5 to 90.*radians'),
    'a name with a dot': (changed('"lift"', '"arm.lift"'), 'joint arm.lift: found .a dot'),
    'far too many joints': (
        urdf(tail='<joint/>' * 1000), r'<robot> with 1006 joints'),
    'far too long': (urdf(tail=' ' * 10 ** 7), 'more than 10000000 bytes'),
    'deep': ('<a>' * 100000, 'no element found|unclosed token'),
}


@pytest.mark.parametrize('what', MALFORMED)
def test_a_malformed_file_is_refused_by_one_clear_error(what, written):
    text, words = MALFORMED[what]
    with pytest.raises(InvalidArmError, match=words) as error:
        Arm.from_urdf(written(text))
    assert str(error.value).startswith(str(error.value.source)) and 'arm.urdf' in str(error.value)


@pytest.mark.parametrize('content', [b'\xff\xfe\x00', b'<?xml version="1.0" encoding="x"?><a/>',
                                     b'<robot name="\xff"/>', None])
def test_a_file_that_cannot_be_read_is_refused(content, tmp_path):
    path = tmp_path / 'arm.urdf'
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidArmError, match='arm.urdf: the file'):
        Arm.from_urdf(path)
    with pytest.raises(InvalidArmError, match='the file'):
        Arm.from_urdf(tmp_path)


def mutated(text, rng):
    """Return a text with a few numbers, words or elements changed by chance."""
    numbers = r'(?<=[" ])-?\d+\.?\d*(?=[" ])', ['0', '-1', '0.013', '1', '0.2', 'nan', '', 'x']
    for _ in range(rng.choice([1, 1, 2, 3])):
        pattern, others = rng.choice([
            numbers, numbers, numbers, numbers,
            (r'(?<==")\w+(?=")', ['a', 'b', 'j1', 'fixed', 'prismatic', '', 'x.y', 'p&#10;q']),
            (r'<(axis|limit|origin|parent|child|mimic)[^>]*/>', ['', '<mimic joint="j1"/>']),
            (r'<joint.*?</joint>', ['', '<joint/>']), (r'[<>"/]', ['', '&', '<', '"'])])
        places = list(re.finditer(pattern, text))
        if places:
            place = rng.choice(places)
            text = text[:place.start()] + rng.choice(others) + text[place.end():]
    return text


@pytest.mark.filterwarnings('ignore::arm_ik.errors.ArmFileWarning')
def test_mutated_files_are_refused_or_read_as_they_are(written, tmp_path):
    rng, read = random.Random(5), 0
    for index in range(120):
        text = mutated(urdf() if index % 2 else made_up(index % 20).text, rng)
        path = written(text)
        try:
            arm = Arm.from_urdf(path, tip='tip', forward='x')
        except ArmIkError:
            continue
        read += 1
        assert_same_arm(arm, text, 'tip', poses=3, tolerance=1.1e-4)
        assert Arm.from_yaml(written(dump(arm.model), 'arm.yaml')).model == arm.model
    assert 10 < read < 80


def test_the_command_writes_an_arm_file_and_says_what_it_took_for_what(written, tmp_path, capsys):
    path, output = written(urdf()), tmp_path / 'my_arm.yaml'
    assert main([str(path), '--forward', '-x', '-o', str(output)]) == 0
    shown = capsys.readouterr().out
    assert 'lift: shoulder, sign 1, canonical angle 0.00 deg at 0\n' in shown
    assert 'worst disagreement of the tips in 10000 poses: 0.000 um' in shown
    assert shown.endswith(f'written: {output}\n')
    arm = Arm.from_yaml(output)
    exact = Arm.from_urdf(path, forward='-x')
    assert not re.search(r'\.\d{9}', output.read_text())    # a person reads it
    assert arm.model.joint_names == exact.model.joint_names and arm.lower == exact.lower
    assert arm.forward((0.1, 0.2, 0.3, 0.4, 0.5)).position == pytest.approx(
        exact.forward((0.1, 0.2, 0.3, 0.4, 0.5)).position, abs=1e-7)
    assert arm.forward(arm.home).position[0] == pytest.approx(-0.46)
    assert main([str(path), '-o', str(output)]) == 2    # it is there already
    assert 'a file that is not there yet' in capsys.readouterr().err
    assert main([str(path), '--hold', 'turn=0.1', '--tip', 'tip', '--base', 'base']) == 0
    text = capsys.readouterr().out
    assert Arm.from_yaml(written(text, 'held.yaml')).joint_names == ('yaw', 'lift', 'bend', 'tilt')
    assert '# turn: held at 0.1\n' in text


@pytest.mark.parametrize('options', [['--hold', 'turn'], ['--hold', 'turn=x'], ['--tip', 'x'],
                                     ['-o', '/nowhere/at/all.yaml']])
def test_the_command_refuses_in_one_line(options, written, capsys):
    assert main([str(written(urdf())), *options]) == 2
    shown = capsys.readouterr()
    assert shown.out == '' and shown.err.startswith('arm_ik from-urdf: ')
    assert shown.err.count('\n') == 1


def test_a_name_with_a_line_break_does_not_end_a_comment(written, capsys):
    path = written(changed('"tip"', '"tip&#10;  arm: 1"', 2).replace('"turn"', '"tu&#x85;rn"'))
    assert main([str(path)]) == 0
    text = capsys.readouterr().out
    assert Arm.from_yaml(written(text, 'arm.yaml')).model == Arm.from_urdf(path).model


XACRO = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'
PARTS = """<xacro:macro name="arm" params="hand">
    <xacro:property name="at" value="${hand} 0 0"/>BODY</xacro:macro>"""
MAIN = """<xacro:arg name="unused" default="1"/>
    <xacro:include filename="$(find PKG)/urdf/parts.xacro"/><xacro:arm hand="$(arg hand)"/>"""


@pytest.fixture
def package(tmp_path):
    """Write a package of a xacro file that includes another; return its folder of files."""
    folder = tmp_path / 'my_arm' / 'urdf'
    folder.mkdir(parents=True)
    body = urdf().partition('>')[2].removesuffix('</robot>')
    for name, text in (
            ('parts.xacro', PARTS.replace('BODY', body.replace('"0.06 0 0"', '"${at}"'))),
            ('arm.urdf.xacro', MAIN.replace('PKG', 'my_arm')), ('raw.urdf', MAIN),
            ('bad.xacro', '<xacro:if value="${1/0}"/>'),
            ('far.urdf.xacro', MAIN.replace('PKG', 'elsewhere'))):
        (folder / name).write_text(f'{XACRO}{text}</robot>')
    return folder


def test_a_xacro_file_takes_arguments_and_finds_its_package_above_it(package, capsys):
    pytest.importorskip('xacro', reason='needs xacro: pip install xacro')
    path = package / 'arm.urdf.xacro'
    assert Arm.from_urdf(path, xacro_args={'hand': 0.2}).model.hand == pytest.approx(0.25)
    assert main([str(path), '--tip', 'tip', 'hand:=0.3']) == 0
    assert 'hand: 0.35}' in capsys.readouterr().out
    described = package.parent.rename(package.parents[1] / 'a_clone')
    (described / 'package.xml').write_text('<package><name>my_arm</name></package>')
    path = described / 'urdf' / 'arm.urdf.xacro'
    assert Arm.from_urdf(path, xacro_args={'hand': 0.2}).model.hand == pytest.approx(0.25)


FAILURES = {
    ('arm.urdf.xacro',): 'its argument hand without a value.*hand:=VALUE',
    ('far.urdf.xacro', 'hand:=1'): r'find elsewhere\), and no such package above.*sourced',
    ('raw.urdf',): 'xacro that is not expanded.*name ends in .xacro',
    ('raw.urdf', 'hand:=1'): 'arguments for it.*name ends in .xacro',
    ('parts.xacro',): 'macros only, and no joints.*the file that includes this one',
    ('arm.urdf.xacro', 'hand=1'): 'NAME:=VALUE',
    ('bad.xacro',): 'ZeroDivision|division by zero',
}


@pytest.mark.parametrize('words', FAILURES)
def test_what_is_wrong_with_a_xacro_file_is_said(words, package, capsys):
    pytest.importorskip('xacro', reason='needs xacro: pip install xacro')
    assert main([str(package / words[0]), *words[1:]]) == 2
    shown = capsys.readouterr().err
    assert re.search(FAILURES[words], shown) and 'pip install' not in shown


def test_without_xacro_it_is_said_how_to_install_it(written, monkeypatch):
    path = written(f'{XACRO}</robot>', 'arm.urdf.xacro')
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(InvalidArmError, match='xacro is not installed.*pip install xacro'):
        Arm.from_urdf(path)
    path.write_text('<!DOCTYPE a [<!ENTITY b "c">]><robot/>')
    with pytest.raises(InvalidArmError, match='a document type'):
        Arm.from_urdf(path)


def test_a_tip_beside_a_roll_axis_a_little_askew_misses_as_little_as_it_can(written):
    text = Arm.preset('so101', tip='gripper_frame_link').to_urdf().replace(
        '"-1.0 0.0 0.0"', '"-1.0 0.012 0.0"')
    arm = from_urdf(written(text), tip='tool0').model
    assert arm.chosen_tip.z == 0.0
    assert_same_arm(Arm(arm), text, 'tool0', tolerance=1e-4)


# What this package writes.

@pytest.mark.parametrize('name', preset_names())
@pytest.mark.parametrize('on_axis', [False, True])
def test_what_is_written_is_read_again_or_the_kind_is_named(name, on_axis, tmp_path):
    arm, path = Arm.preset(name, tip='' if on_axis else None), tmp_path / 'written.urdf'
    path.write_text(arm.to_urdf())
    if arm.model.has('roll') or arm.model.has('wrist_tilt'):
        with pytest.raises(InvalidArmError, match='A rolling base and a tilting wrist are not '):
            Arm.from_urdf(path)
        return
    read = Arm.from_urdf(path, forward='x')
    assert (read.joint_names, read.lower, read.upper) == (arm.joint_names, arm.lower, arm.upper)
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (50, len(arm.lower)))
    for found, expected in zip(read.forward(q), arm.forward(q)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert read.model.roles == arm.model.roles
    for found, joint in zip(read.model.extra_joints, arm.model.extra_joints, strict=True):
        assert (found.name, found.type, found.lower, found.upper) == (
            joint.name, joint.type, joint.lower, joint.upper)
        # What is read opens towards its upper limit.
        other = joint.along[1:] if joint.along[0] == '-' else f'-{joint.along}'
        assert found.along == (joint.along if joint.open > joint.closed else other)
        assert (found.second == 'mirrored') == (joint.second == 'mirrored')
        assert found.slides == joint.slides and found.travel == pytest.approx(joint.travel)
        if not found.slides:
            np.testing.assert_allclose(found.root, joint.root, rtol=0, atol=1e-6)


def test_a_finger_that_follows_its_joint_backwards_opens_the_other_way(written):
    text = Arm.preset('dofbot').to_urdf()
    for sign, along in ('', '-y'), ('-', 'y'):      # by rising positions of the joint
        backwards = text.replace('multiplier="', f'multiplier="{sign}')
        finger, = from_urdf(written(backwards), tip='tool0', forward='x').model.extra_joints
        assert (finger.along, finger.moves) == (along, 'slides')
        assert finger.travel == pytest.approx(0.03)
