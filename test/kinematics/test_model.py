# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The rules of an arm's description, one by one."""

from dataclasses import FrozenInstanceError, replace
from math import inf, nan
import pickle

from arm_ik import ArmModel, ExtraJoint, InvalidArmError, Joint
from arm_ik.kinematics.forward import ROLES
from arm_ik.kinematics.model import LinkShape, Tip
import pytest


def joint(role='yaw', **changes):
    return Joint(**{'name': role, 'role': role, 'lower': -1.0, 'upper': 2.0, 'max_velocity': 3.0,
                    **changes})


def model(joints=None, **changes):
    joints = joints or [joint(role) for role in ('yaw', 'shoulder', 'elbow', 'wrist')]
    return ArmModel(**{'name': 'arm', 'upper_arm': 0.12, 'forearm': 0.11, 'hand': 0.08,
                       'joints': joints, 'home': [0.0] * len(joints), **changes})


def with_joint(**changes):
    """Return a model whose elbow is another."""
    joints = [joint(role, **(changes if role == 'elbow' else {}))
              for role in ('yaw', 'shoulder', 'elbow', 'wrist')]
    return model(joints)


def assert_refused(key, found, make):
    with pytest.raises(InvalidArmError) as caught:
        make()
    assert caught.value.key == key
    for words in (*found.split(' ... '), 'allowed:'):
        assert words in str(caught.value)


def test_readings_and_canonical_angles_are_each_others_inverse():
    turned = joint(sign=-1, offset=0.3)
    assert turned.canonical(0.5) == pytest.approx(-0.2)
    assert turned.position(-0.2) == pytest.approx(0.5)
    assert joint(offset=0.3).canonical(0.5) == pytest.approx(0.8)


def test_a_model_knows_its_names_roles_and_reach():
    arm = model()
    assert arm.joint_names == arm.roles == ('yaw', 'shoulder', 'elbow', 'wrist')
    assert arm.reach == pytest.approx(0.31)
    assert arm.has('wrist') and not arm.has('roll')


def test_a_model_is_locked_and_its_lists_are_tuples():
    arm = model(joints=[joint(role) for role in ('yaw', 'shoulder', 'elbow', 'wrist')])
    assert isinstance(arm.joints, tuple) and isinstance(arm.home, tuple)
    with pytest.raises(FrozenInstanceError):
        arm.hand = 1.0
    with pytest.raises(FrozenInstanceError):
        arm.joints[0].lower = -9.0
    with pytest.raises(InvalidArmError):
        replace(arm, hand=-1.0)


def test_any_empty_tuple_leaves_a_field_out():
    class Another(tuple):
        """Equal to the default, but another object, as it may be before Python 3.11."""

    assert with_joint(centre=Another(), inertia=Another()).joints[2].centre == ()


def test_a_model_survives_pickling():
    arm = model(extra_joints=[ExtraJoint('gripper', 0.0, 1.0, 2.0)])
    assert pickle.loads(pickle.dumps(arm)) == arm


@pytest.mark.parametrize('roles', [
    ('yaw', 'shoulder', 'elbow', 'wrist'), ('yaw', 'roll', 'shoulder', 'elbow', 'wrist'),
    ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt'),
    ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_roll'),
    ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll')])
def test_every_kind_of_arm_is_accepted(roles):
    assert model([joint(role) for role in roles]).roles == roles


@pytest.mark.parametrize('bad', [0.0, -0.1, nan, inf, None, '0.1', True, 1e7])
@pytest.mark.parametrize('link', ['upper_arm', 'forearm', 'hand'])
def test_links_must_be_longer_than_nothing(link, bad):
    assert_refused(f'arm.links.{link}', repr(bad), lambda: model(**{link: bad}))


@pytest.mark.parametrize('bad', [nan, inf, '0', None, False, -1e7])
@pytest.mark.parametrize('name, key', [
    ('base_x', 'arm.base.x'), ('base_y', 'arm.base.y'), ('base_height', 'arm.base.height'),
    ('shoulder_offset', 'arm.base.shoulder_offset'), ('lateral', 'arm.base.lateral')])
def test_the_base_must_stand_at_finite_lengths(name, key, bad):
    assert_refused(key, repr(bad), lambda: model(**{name: bad}))


@pytest.mark.parametrize('bad', [nan, inf, 'floor'])
def test_a_floor_must_have_a_finite_height(bad):
    assert_refused('arm.floor_height', repr(bad), lambda: model(floor_height=bad))


def test_a_floor_may_be_missing_or_below():
    assert model().floor_height is None
    assert model(floor_height=-0.5).floor_height == -0.5


@pytest.mark.parametrize('home, lowest', [
    ((0.0, -0.3, 0.9, 0.0), 0.06454), ((0.0, 0.5, -1.5, 1.5), 0.06497),
    ((0.0, 0.5, -1.0, -0.5), 0.03748)], ids=['elbow', 'wrist', 'tip'])
def test_home_is_above_the_floor(home, lowest):
    joints = [joint(role, lower=-2.0) for role in ('yaw', 'shoulder', 'elbow', 'wrist')]

    def with_floor(height):
        return model(joints, home=home, base_height=0.1, floor_height=height)

    assert_refused('arm.floor_height', 'arm.home', lambda: with_floor(0.3))
    assert_refused('arm.floor_height', f'at {lowest}', lambda: with_floor(lowest + 1e-3))
    assert with_floor(lowest - 1e-3).home == home


def test_home_may_lie_on_the_floor():
    assert model(base_height=0.1, floor_height=0.1).floor_height == 0.1


@pytest.mark.parametrize('roles, found', [
    (('shoulder', 'elbow', 'wrist'), 'yaw'), (('yaw', 'elbow', 'wrist'), 'shoulder'),
    (('yaw', 'shoulder', 'wrist'), 'elbow')])
def test_no_arm_can_do_without_the_three_roles(roles, found):
    assert_refused('arm.joints', f'no joint with role {found}',
                   lambda: model([joint(role) for role in roles]))
    assert_refused('arm.joints', 'docs/arms.md', lambda: model([joint(role) for role in roles]))


@pytest.mark.parametrize('roles', [
    ('yaw', 'elbow', 'shoulder', 'wrist'), ('roll', 'yaw', 'shoulder', 'elbow', 'wrist'),
    ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll', 'wrist_tilt')])
def test_roles_stand_in_their_order(roles):
    assert_refused('arm.joint_names', f'{roles[0]} ... docs/arms.md',
                   lambda: model([joint(role) for role in roles]))


def test_a_role_occurs_once():
    joints = [joint(role, name=name) for role, name in zip(
        ('yaw', 'shoulder', 'shoulder', 'elbow', 'wrist'), 'abcde')]
    assert_refused('arm.joint_names', 'shoulder', lambda: model(joints))


def test_a_role_is_one_that_exists():
    joints = [joint(role) for role in ('yaw', 'shoulder', 'knee', 'wrist')]
    assert_refused('arm.joints.knee.role', "found 'knee'", lambda: model(joints))
    assert_refused('arm.joints.knee.role', f'{", ".join(ROLES)}; docs/arms.md says which',
                   lambda: model(joints))


@pytest.mark.parametrize('role, meant', [
    ('elbows', 'elbow'), ('SHOULDER', 'shoulder'), ('wrist_rol', 'wrist_roll'),
    ('wrist-tilt', 'wrist_tilt')])
def test_a_misspelt_role_is_put_right(role, meant):
    joints = [joint(given) for given in ('yaw', 'shoulder', role, 'wrist')]
    assert_refused(f'arm.joints.{role}.role', f'did you mean {meant!r}?', lambda: model(joints))


def test_a_rolling_base_and_a_tilting_wrist_exclude_each_other():
    roles = ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_tilt')
    assert_refused('arm.joints', 'wrist_tilt ... docs/arms.md',
                   lambda: model([joint(role) for role in roles]))


def test_an_arm_without_a_wrist_has_no_hand_or_one_that_is_held():
    joints = [joint(role) for role in ('yaw', 'shoulder', 'elbow')]
    assert model(joints, hand=0.0).hand_role == 'wrist'
    assert model(joints, hand_elevation=-0.5).hand_elevation == -0.5
    for key, found, changes in (
            ('arm.links.hand', '0.08', {}), ('arm.links.hand_elevation', 'nan', {
                'hand_elevation': float('nan')}),
            ('arm.links.hand', '0.0', {'hand': 0.0, 'hand_elevation': 0.3}),
            ('arm.tips.pen', 'none on an arm without a wrist', {
                'hand': 0.0, 'tips': (Tip('pen', z=0.01),)})):
        assert_refused(key, found, lambda changes=changes: model(joints, **changes))
    assert_refused('arm.links.hand_elevation', '0.3', lambda: model(hand_elevation=0.3))
    for roles in (('yaw', 'roll', 'shoulder', 'elbow'),
                  ('yaw', 'shoulder', 'elbow', 'wrist_tilt')):
        assert_refused('arm.joints', 'a wrist, or neither roll nor wrist_tilt',
                       lambda roles=roles: model([joint(role) for role in roles], hand=0.0))


@pytest.mark.parametrize('roles', [
    ('yaw', 'shoulder', 'elbow', 'wrist'),
    ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_roll'),
    ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll')])
def test_a_bent_hand_has_a_wrist_roll_and_no_roll_or_tilt(roles):
    joints = [joint(role) for role in roles]
    assert_refused('arm.links.hand_offset', '0.01 ... docs/arms.md',
                   lambda: model(joints, hand_offset=0.01))
    assert_refused('arm.links.hand_offset', 'nan', lambda: model(hand_offset=float('nan')))


def test_a_rolling_base_has_no_lateral_offset():
    joints = [joint(role) for role in ('yaw', 'roll', 'shoulder', 'elbow', 'wrist')]
    assert_refused('arm.base.lateral', '0.01 ... docs/arms.md',
                   lambda: model(joints, lateral=0.01))


def test_joint_names_occur_once_extra_joints_included():
    assert_refused('arm.joint_names', 'yaw', lambda: with_joint(name='yaw'))
    assert_refused('arm.joint_names', 'wrist',
                   lambda: model(extra_joints=[ExtraJoint('wrist', 0.0, 1.0, 1.0)]))


@pytest.mark.parametrize('name', ['', None, 7])
def test_joint_names_are_words(name):
    assert_refused('arm.joint_names', repr(name), lambda: with_joint(name=name))


@pytest.mark.parametrize('changes, key, found', [
    ({'sign': 0}, 'sign', '0'), ({'sign': 2}, 'sign', '2'), ({'sign': -0.5}, 'sign', '-0.5'),
    ({'offset': nan}, 'offset', 'nan'), ({'offset': '1'}, 'offset', "'1'"),
    ({'lower': -inf}, 'lower', '-inf'), ({'upper': nan}, 'upper', 'nan'),
    ({'lower': 3.0}, 'lower', '3.0'), ({'max_velocity': 0.0}, 'max_velocity', '0.0'),
    ({'max_velocity': -1.0}, 'max_velocity', '-1.0'),
    ({'max_velocity': inf}, 'max_velocity', 'inf'),
    ({'max_velocity': True}, 'max_velocity', 'True'), ({'upper': True}, 'upper', 'True'),
    ({'max_acceleration': 0.0}, 'max_acceleration', '0.0'),
    ({'max_acceleration': nan}, 'max_acceleration', 'nan'),
])
def test_each_number_of_a_joint_is_checked_by_its_key(changes, key, found):
    assert_refused(f'arm.joints.elbow.{key}', found, lambda: with_joint(**changes))


def test_a_range_of_one_point_is_a_range():
    assert with_joint(lower=0.0, upper=0.0).joints[2].upper == 0.0


@pytest.mark.parametrize('home, found', [
    ((0.0, 0.0, 0.0), '4 positions'), ((0.0,) * 5, '4 positions'),
    ((0.0, 0.0, 2.1, 0.0), 'from -1.0 to 2.0'), ((0.0, 0.0, nan, 0.0), 'nan'),
    ((0.0, 0.0, '0', 0.0), "'0'")])
def test_home_is_a_position_inside_the_limits_for_every_joint(home, found):
    with pytest.raises(InvalidArmError, match=r'arm\.home') as caught:
        model(home=home)
    assert found in str(caught.value)
    if len(home) == 4:
        assert caught.value.key == 'arm.home[elbow]'


# Extra joints.

def test_an_extra_joint_is_closed_at_its_lower_and_open_at_its_upper_limit_by_default():
    gripper = ExtraJoint('gripper', -0.2, 1.7, 3.0)
    assert (gripper.closed, gripper.open, gripper.type) == (-0.2, 1.7, 'revolute')
    turned = ExtraJoint('gripper', -0.2, 1.7, 3.0, closed=1.7, open=-0.2, type='prismatic')
    assert (turned.closed, turned.open) == (1.7, -0.2)
    assert model(extra_joints=[turned]).extra_joints == (turned,)


@pytest.mark.parametrize('changes, key', [
    ({'lower': 2.0}, 'lower'), ({'upper': inf}, 'upper'), ({'max_velocity': 0.0}, 'max_velocity'),
    ({'closed': 1.1}, 'closed'), ({'open': -0.1}, 'open'), ({'open': nan}, 'open'),
    ({'type': 'linear'}, 'type'), ({'along': 'z'}, 'along'), ({'second': 'left'}, 'second'),
    ({'moves': 'crawls'}, 'moves'), ({'moves': 'slides'}, 'travel'), ({'root': (1.0,)}, 'root'),
    ({'travel': 0.1, 'open': 0.0}, 'travel'), ({'lean': nan}, 'lean'), ({'width': -1.0}, 'width')])
def test_each_number_of_an_extra_joint_is_checked_by_its_key(changes, key):
    extra = ExtraJoint(**{'name': 'gripper', 'lower': 0.0, 'upper': 1.0, 'max_velocity': 1.0,
                          **changes})
    with pytest.raises(InvalidArmError) as caught:
        model(extra_joints=[extra])
    assert caught.value.key == f'arm.extra_joints.gripper.{key}'


@pytest.mark.parametrize('changes, key', [
    ({'on': 'claw'}, 'on'), ({'on': 'wrist'}, 'on'),   # the wrist moves the hand
    ({'size': (0.1, 0.1)}, 'size'), ({'size': (0.1, 0.0, 0.1)}, 'size'),
    ({'position': (0.0, nan, 0.0)}, 'position'), ({'rpy': ()}, 'rpy')])
def test_each_number_of_a_shape_is_checked_by_its_key(changes, key):
    gripper = ExtraJoint('gripper', 0.0, 1.0, 1.0)
    box = LinkShape('box', (0.1, 0.1, 0.1), (0.0, 0.0, 0.0), on='gripper')
    assert model(extra_joints=[gripper], shapes=[box]).shapes == (box,)
    with pytest.raises(InvalidArmError) as caught:
        model(extra_joints=[gripper], shapes=[replace(box, **changes)])
    assert caught.value.key == f'arm.shapes.box.{key}'
