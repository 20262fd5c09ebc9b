# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm goes from YAML to model and back unchanged; every rule broken is one clear error."""

from dataclasses import replace
from pathlib import Path
import pickle
from tempfile import TemporaryDirectory

from arm_ik.description import (
    dump, load_model, model_from_parameters, model_to_mapping, preset_names, preset_path)
from arm_ik.description.yaml_reader import parse_yaml
from arm_ik.errors import ArmFileWarning, InvalidArmError
from arm_ik.kinematics.model import Frame, KeepOut, LinkRadii, Tip
from hypothesis import given, settings, strategies
from judged_arms import all_kinds, random_arm
import pytest
import yaml

ARM = """
name: test
base: {x: 0.01, height: 0.1}
links: {upper_arm: 0.12, forearm: 0.12, hand: 0.08}
joint_names: [base, lift, bend, tilt]
joints:
  base: {role: yaw, lower: -3, upper: 3, max_velocity: 3}
  lift: {role: shoulder, sign: -1, offset: 1.5, lower: -1.5, upper: 1.5, max_velocity: 3.0}
  bend: {role: elbow, lower: -2.5, upper: 2.5, max_velocity: 3.0}
  tilt: {role: wrist, lower: -2.0, upper: 2.0, max_velocity: 3.0}
home: [0, -1.2, 1, 0]
extra_joint_names: [jaw]
extra_joints:
  jaw: {lower: 0, upper: 1, max_velocity: 1}
"""


def arm_with(key, value):
    """Return the arm's text with the value of one dotted key replaced, or the key left out."""
    arm = parse_yaml(ARM, 'test')
    *levels, last = key.split('.')
    level = arm
    for name in levels:
        level = level.setdefault(name, {})
    if value is None:
        del level[last]
    else:
        level[last] = parse_yaml(value, 'test')
    return arm


def in_file(tmp_path, text, name='my_arm.yaml'):
    """Return a file with an ``arm`` block."""
    path = tmp_path / name
    indented = ''.join(f'      {line}\n' for line in text.strip().splitlines())
    path.write_text(f'/**:\n  ros__parameters:\n    arm:\n{indented}', encoding='utf-8')
    return path


def test_an_arm_is_read_with_its_defaults(tmp_path):
    model = load_model(in_file(tmp_path, ARM))
    assert model.joint_names == ('base', 'lift', 'bend', 'tilt')
    assert model.roles == ('yaw', 'shoulder', 'elbow', 'wrist')
    assert (model.base_x, model.base_y, model.base_height) == (0.01, 0.0, 0.1)
    assert (model.shoulder_offset, model.lateral, model.floor_height) == (0.0, 0.0, None)
    assert (model.upper_arm, model.forearm, model.hand) == (0.12, 0.12, 0.08)
    assert [(joint.sign, joint.offset) for joint in model.joints] == [
        (1, 0.0), (-1, 1.5), (1, 0.0), (1, 0.0)]
    assert model.home == (0.0, -1.2, 1.0, 0.0)
    (jaw,) = model.extra_joints
    assert (jaw.type, jaw.closed, jaw.open) == ('revolute', 0.0, 1.0)
    assert model.source == ''


def test_an_acceleration_is_read_and_written_where_there_is_one():
    model = model_from_parameters(arm_with('joints.bend.max_acceleration', '7'))
    assert [joint.max_acceleration for joint in model.joints] == [None, None, 7.0, None]
    assert [joint.acceleration for joint in model.joints] == [30.0, 30.0, 7.0, 30.0]
    assert model.extra_joints[0].acceleration == 10.0
    joints = model_to_mapping(model)['joints']
    assert joints['bend']['max_acceleration'] == 7.0 and 'max_acceleration' not in joints['tilt']
    assert model_from_parameters(model_to_mapping(model)) == model


#: Tips and frames of the arm above.
PLACED = """
tip_names: [pen, claw]
tips: {pen: {x: 0.02, y: -1e-3, z: 0.05, turn: 0.5}, claw: {}}
tip: claw
frame_names: [cam]
frames: {cam: {x: 0.03, roll: 0.1, pitch: -0.6, yaw: 3}}
link_radii: {base: 0.05, hand: 2e-2}
keep_out_names: [table, post]
keep_out:
  table: {kind: half_space, position: [0, 0, -0.02]}
  post: {kind: cylinder, size: [0.02, 1], position: [0.2, 0, 0.1], rpy: [0, 1.57, 0]}
"""


def placed_with(key, value):
    """Return the arm with tips and frames, the value of one dotted key replaced."""
    arm = parse_yaml(ARM + PLACED, 'test')
    *levels, last = key.split('.')
    level = arm
    for name in levels:
        level = level[name]
    level[last] = parse_yaml(value, 'test')
    return arm


def test_tips_frames_and_keep_out_shapes_are_read_and_written(tmp_path):
    model = model_from_parameters(parse_yaml(ARM + PLACED, 'test'))
    assert model.tips == (Tip('pen', 0.02, -0.001, 0.05, 0.5), Tip('claw'))
    assert model.frames == (Frame('cam', x=0.03, roll=0.1, pitch=-0.6, yaw=3.0),)
    assert model.chosen_tip == Tip('claw')
    assert model.link_radii == LinkRadii(base=0.05, hand=0.02)
    assert model.keep_out == (
        KeepOut('table', 'half_space', (), (0.0, 0.0, -0.02)),
        KeepOut('post', 'cylinder', (0.02, 1.0), (0.2, 0.0, 0.1), (0.0, 1.57, 0.0)))
    file = tmp_path / 'arm.yaml'
    file.write_text(dump(model), encoding='utf-8')
    assert load_model(file) == model
    assert model_from_parameters(model_to_mapping(model)) == model
    assert model_from_parameters(placed_with('tip', "''")).chosen_tip == Tip('')


@pytest.mark.parametrize('changed, value, key, found, allowed', [
    ('tips.pen.pitch', '0.5', 'arm.tips.pen.pitch', '0.5', 'z of a tip stays along the last link'),
    ('tips.pen.roll', '0.0', 'arm.tips.pen.roll', '0.0', 'one of arm.frames'),
    ('tips.pen.u', '1', 'arm.tips.pen.u', '1', 'one of x, y, z, turn'),
    ('tips.pen.x', '.nan', 'arm.tips.pen.x', 'nan', 'finite'),
    ('tips.pen.z', '-0.08', 'arm.tips.pen.z', '-0.08', 'above -0.08 [m], where the wrist is'),
    ('tip', 'pem', 'arm.tip', "'pem'", "did you mean 'pen'?"),
    ('frames.cam.turn', '1', 'arm.frames.cam.turn', '1', 'one of x, y, z, roll'),
    ('frames.cam.yaw', '.inf', 'arm.frames.cam.yaw', 'inf', 'finite'),
    ('tips.pen.turn', '.inf', 'arm.tips.pen.turn', 'inf', 'finite'),
    ('link_radii.arm', '0.1', 'arm.link_radii.arm', '0.1', 'one of base, upper_arm'),
    ('link_radii.hand', '-0.1', 'arm.link_radii.hand', '-0.1', 'above zero'),
    ('keep_out.table.kind', 'plane', 'arm.keep_out.table.kind', "'plane'", 'half_space'),
    ('keep_out.post.size', '[0.02]', 'arm.keep_out.post.size', '(0.02,)', '[radius, length]'),
    ('keep_out.post.height', '1', 'arm.keep_out.post.height', '1', 'one of kind, size'),
    ('keep_out.post.rpy', '[1.57]', 'arm.keep_out.post.rpy', '(1.57,)', 'three finite'),
    ('keep_out_names', '[table]', 'arm.keep_out.post', 'not listed', 'keep_out_names'),
    ('tip_names', '[pen, claw, claw]', 'arm.tip_names', "'claw'", 'occur once'),
])
def test_a_broken_rule_of_tips_and_frames_is_named(changed, value, key, found, allowed):
    with pytest.raises(InvalidArmError) as error:
        model_from_parameters(placed_with(changed, value))
    assert str(error.value).startswith(f'{key}: found ')
    assert found in str(error.value).split('; allowed: ')[0] and allowed in str(error.value)


@pytest.mark.parametrize('name', ['tool0', 'base_link', 'cam'])
def test_a_tip_has_a_name_of_its_own(name):
    arm = parse_yaml(ARM + PLACED.replace('claw', name), 'test')
    with pytest.raises(InvalidArmError, match='names of links that occur once'):
        model_from_parameters(arm)


@pytest.mark.parametrize('role', ['roll', 'wrist_tilt'])
def test_a_tip_beside_the_last_link_does_not_go_with(role):
    model = random_arm({'roll': 'roll', 'wrist_tilt': 'tilt'}[role], 1).model
    assert replace(model, tips=(Tip('long', z=0.1),), tip='long').chosen_tip.z == 0.1
    for tip in (Tip('pen', x=0.01), Tip('pen', y=0.01), Tip('pen', z=-0.01)):
        with pytest.raises(InvalidArmError, match=f'arm.tips.pen: .*{role}'):
            replace(model, tips=(tip,))


def test_integers_become_floats_and_signs_integers(tmp_path):
    model = load_model(in_file(tmp_path, ARM.replace('sign: -1', 'sign: -1.0')))
    assert {type(reading) for reading in model.home} == {float}
    assert type(model.joints[0].lower) is type(model.extra_joints[0].open) is float
    assert type(model.joints[1].sign) is int


def test_optional_values_arrive():
    arm = arm_with('floor_height', '-1e-3')
    arm['source'] = 'measured'
    arm['extra_joints']['jaw'].update(type='prismatic', closed=1.0, open=0.0)
    model = model_from_parameters(arm)
    assert (model.floor_height, model.source) == (-0.001, 'measured')
    (jaw,) = model.extra_joints
    assert (jaw.type, jaw.closed, jaw.open) == ('prismatic', 1.0, 0.0)


#: Key that is changed, its new value (None: left out); then key, found and allowed in the message.
#: Rules of the file; test_model has those of the arm.
BROKEN = [
    ('links.forarm', '0.1', 'arm.links.forarm', '0.1', "did you mean 'forearm'?"),
    ('base.hight', '0.1', 'arm.base.hight', '0.1', "did you mean 'height'?"),
    ('joint_name', '[a]', 'arm.joint_name', "['a']", "did you mean 'joint_names'?"),
    ('joints.bend.ofset', '1', 'arm.joints.bend.ofset', '1', "did you mean 'offset'?"),
    ('extra_joints.jaw.kind', 'x', 'arm.extra_joints.jaw.kind', "'x'", 'one of lower, upper'),
    ('name', None, 'arm.name', 'nothing', 'a value; this key is required'),
    ('links', None, 'arm.links.upper_arm', 'nothing', 'required'),
    ('joints', None, 'arm.joints.base', 'nothing', 'a block for each of arm.joint_names'),
    ('joint_names', None, 'arm.joints.base', 'not listed', 'each of arm.joint_names'),
    ('joints.tilt.role', None, 'arm.joints.tilt.role', 'nothing', 'required'),
    ('joints.tilt.max_velocity', None, 'arm.joints.tilt.max_velocity', 'nothing', 'required'),
    ('home', None, 'arm.home', 'nothing', 'required'),
    ('extra_joints.jaw.upper', None, 'arm.extra_joints.jaw.upper', 'nothing', 'required'),
    ('name', '5', 'arm.name', '5', 'text, in quotes'),
    ('source', '[a]', 'arm.source', "['a']", 'text'),
    ('base', '0.1', 'arm.base', '0.1', 'a mapping'),
    ('joints.tilt', '3', 'arm.joints.tilt', '3', 'a mapping'),
    ('extra_joints', 'jaw', 'arm.extra_joints', "'jaw'", 'a mapping'),
    ('links.hand', "'0.08'", 'arm.links.hand', "'0.08'", 'a number'),
    ('links.hand', '0,08', 'arm.links.hand', "'0,08'", 'a decimal point; did you mean 0.08?'),
    ('joints.bend.lower', "'-2,5'", 'arm.joints.bend.lower', "'-2,5'", 'did you mean -2.5?'),
    ('home', "[0, '1,5', 0, 0]", 'arm.home[1]', "'1,5'", 'did you mean 1.5?'),
    ('links.hand', '1,000,000', 'arm.links.hand', "'1,000,000'", 'a number'),
    ('links.hand', 'true', 'arm.links.hand', 'True', 'a number'),
    ('links.hand', '[0.08]', 'arm.links.hand', '[0.08]', 'a number'),
    ('base.urdf_rpy', '[0.0, 1.0]', 'arm.base.urdf_rpy', '(0.0, 1.0)', 'three finite angles'),
    ('base.urdf_frame', '1.0', 'arm.base.urdf_frame', '1.0', 'text, in quotes'),
    ('floor_height', 'on', 'arm.floor_height', 'True', 'a number'),
    ('joints.bend.role', 'yes', 'arm.joints.bend.role', 'True', 'text'),
    ('joints.bend.sign', '0.5', 'arm.joints.bend.sign', '0.5', 'a whole number'),
    ('joints.bend.sign', '.inf', 'arm.joints.bend.sign', 'inf', 'a whole number'),
    ('joints.bend.sign', "'-'", 'arm.joints.bend.sign', "'-'", 'a whole number'),
    ('joint_names', 'base', 'arm.joint_names', "'base'", 'a list of names'),
    ('joint_names', '[1, 2, 3, 4]', 'arm.joint_names[0]', '1', 'text, in quotes'),
    ('joint_names', '[a.b]', 'arm.joint_names[0]', "'a.b'", 'a name without a dot'),
    ('joint_names', '[base, lift, bend]', 'arm.joints.tilt', 'a name that is not listed',
     'a block for each of arm.joint_names, which are base, lift, bend; not in the list: tilt'),
    ('joint_names', '[base, lift, bend, tlit]', 'arm.joints.tlit', 'nothing',
     "did you mean 'tilt'? a block for each of arm.joint_names, which are base, lift, bend, tlit; "
     'not in the list: tilt'),
    ('joint_names', '[]', 'arm.joints.base', 'a name that is not listed', 'arm.joint_names'),
    ('joints.tllt', '{role: wrist_roll, lower: 0, upper: 1, max_velocity: 1}', 'arm.joints.tllt',
     'a name that is not listed', "did you mean 'tilt'?"),
    ('extra_joint_names', None, 'arm.extra_joints.jaw', 'a name that is not listed',
     'a block for each of arm.extra_joint_names, which are none; not in the list: jaw'),
    ('extra_joint_names', '[jaw, claw]', 'arm.extra_joints.claw', 'nothing', 'a block'),
    ('extra_joints', None, 'arm.extra_joints.jaw', 'nothing', 'a block'),
    ('extra_joint_names', '[base]', 'arm.extra_joints.base', 'nothing', 'not in the list: jaw'),
    ('extra_joints.jaw.open', 'true', 'arm.extra_joints.jaw.open', 'True', 'a number'),
    ('tips', '{pen: {x: 0.01}}', 'arm.tips.pen', 'a name that is not listed', 'arm.tip_names'),
    ('tip_names', '[pen]', 'arm.tips.pen', 'nothing', 'a block'),
    ('frame_names', '[cam]', 'arm.frames.cam', 'nothing', 'a block'),
    ('tip', 'pen', 'arm.tip', "'pen'", "one of ''"),
    ('tip', '3', 'arm.tip', '3', 'text'),
    ('home', '0', 'arm.home', '0', 'a list of numbers'),
    ('home', '[0, 0, a, 0]', 'arm.home[2]', "'a'", 'a number'),
]


@pytest.mark.parametrize('changed, value, key, found, allowed', BROKEN)
def test_a_broken_rule_names_file_key_found_and_allowed(changed, value, key, found, allowed):
    with pytest.raises(InvalidArmError) as error:
        model_from_parameters(arm_with(changed, value), 'my_arm.yaml')
    message = str(error.value)
    assert message.startswith(f'my_arm.yaml: {key}: found ')
    assert found in message.split('; allowed: ')[0]
    assert allowed in message.split('; allowed: ')[1]
    assert str(pickle.loads(pickle.dumps(error.value))) == message


@pytest.mark.parametrize('arm, found', [(None, 'None'), (5, '5'), ([1], '[1]'), ({}, 'nothing')])
def test_an_arm_that_is_no_mapping_is_named(arm, found):
    with pytest.raises(InvalidArmError) as error:
        model_from_parameters(arm)
    assert f'found {found}; allowed' in str(error.value)


def test_errors_of_the_model_name_the_file_too(tmp_path):
    path = in_file(tmp_path, ARM.replace('hand: 0.08', 'hand: -0.08'))
    with pytest.raises(InvalidArmError) as error:
        load_model(path)
    assert str(error.value).startswith(f'{path}: arm.links.hand: found -0.08')


#: Key that is changed, its new value; then what the warning says.
UNLIKELY = [
    ('joints.bend', '{role: elbow, lower: -90, upper: 90, max_velocity: 3}',
     'arm.joints.bend.lower -90, arm.joints.bend.upper 90: look like degrees'),
    ('joints.bend.lower', '-15', 'arm.joints.bend.lower -15: look like degrees'),
    ('joints.bend.upper', '360', 'arm.joints.bend.upper 360: look like degrees'),
    ('joints.lift.offset', '90', 'arm.joints.lift.offset 90: look like degrees'),
    ('extra_joints.jaw.upper', '60', 'arm.extra_joints.jaw.upper 60: look like degrees'),
    ('extra_joints.jaw', '{type: prismatic, lower: 0, upper: 30, max_velocity: 1}',
     'arm.extra_joints.jaw.upper 30: look like millimetres'),
    ('links', '{upper_arm: 120, forearm: 116.5, hand: 80}',
     'arm.links.upper_arm 120, arm.links.forearm 116.5, arm.links.hand 80: look like millimetres'),
    ('links', '{upper_arm: 12, forearm: 11.65, hand: 8}',
     'arm.links.upper_arm 12, arm.links.forearm 11.65, arm.links.hand 8: look like millimetres'),
    ('base', '{x: 38, height: 54}', 'arm.base.x 38, arm.base.height 54: look like millimetres'),
    ('floor_height', '-20', 'arm.floor_height -20: look like millimetres')]


@pytest.mark.parametrize('changed, value, words', UNLIKELY)
def test_another_unit_is_warned_of(changed, value, words):
    with pytest.warns(ArmFileWarning) as caught:
        model_from_parameters(arm_with(changed, value), 'my_arm.yaml')
    (warning,) = caught
    assert str(warning.message).startswith(f'my_arm.yaml: {words}')


def test_another_unit_that_breaks_a_rule_is_warned_of_too():
    with pytest.warns(ArmFileWarning, match=r'^arm\.home\[lift\] -70: look like degrees'):
        with pytest.raises(InvalidArmError, match=r'arm\.home\[lift\]'):
            model_from_parameters(arm_with('home', '[0, -70, 1, 0]'))


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('changed, value', [
    ('joints.bend', '{role: elbow, lower: -12.56, upper: 12.56, max_velocity: 3}'),
    ('joints.base', '{role: yaw, lower: -1000, upper: 1000, max_velocity: 30}'),
    ('joints.base.max_velocity', '40'), ('links.hand', '1.5'), ('base.height', '2.5'),
    ('extra_joints.jaw.type', 'prismatic')])
def test_unusual_arms_are_not_warned_of(changed, value):
    model_from_parameters(arm_with(changed, value))


def test_a_decimal_comma_between_braces_is_told(tmp_path):
    path = in_file(tmp_path, ARM.replace('upper_arm: 0.12', 'upper_arm: 0,12'))
    with pytest.raises(InvalidArmError, match=r'arm\.links\.12: .*a decimal point in numbers'):
        load_model(path)


def test_a_file_without_an_arm_is_named(tmp_path):
    path = tmp_path / 'other.yaml'
    path.write_text('/**: {ros__parameters: {rate: 1}}')
    with pytest.raises(InvalidArmError, match=r'other\.yaml: arm: found nothing; allowed: one'):
        load_model(path)


def two_arms(tmp_path):
    path = tmp_path / 'two.yaml'
    texts = (dump(model_from_parameters(arm_with('name', name))) for name in ('left', 'right'))
    path.write_text(''.join(text.replace('/**:', f'/{name}/ik_node:')
                            for name, text in zip(('left', 'right'), texts)))
    return path


def test_an_arm_for_one_node_only_is_found(tmp_path):
    path = two_arms(tmp_path)
    path.write_text(path.read_text().partition('/right')[0])
    assert load_model(path).name == 'left'
    more = '//left/ik_node: {ros__parameters: {command_rate: 20.0}}\n'  # the same node once more
    path.write_text(path.read_text() + more)
    assert load_model(path).name == 'left'


def test_of_two_arms_none_is_taken(tmp_path):
    with pytest.raises(InvalidArmError, match='arms in /left/ik_node, /right/ik_node'):
        load_model(two_arms(tmp_path))


@all_kinds
def test_an_arm_of_any_kind_survives_the_round_trip(tmp_path, kind):
    for seed in range(5):
        arm = model_to_mapping(random_arm(kind, seed).model)
        if seed % 2:
            arm.update(floor_height=-1.0, source='a "quoted" # source: \n\u2028 y',
                       extra_joint_names=['on'], extra_joints={'on': {
                           'type': 'prismatic', 'lower': -1e-7, 'upper': 1e22,
                           'max_velocity': 5e-324}})
        model = model_from_parameters(arm)
        path = tmp_path / 'round.yaml'
        path.write_text(dump(model), encoding='utf-8')
        assert load_model(path) == model
        assert model_from_parameters(model_to_mapping(model)) == model


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('name', preset_names())
def test_a_preset_is_not_warned_of_and_survives_the_round_trip(tmp_path, name):
    model = load_model(preset_path(name))
    path = tmp_path / 'round.yaml'
    path.write_text(dump(model), encoding='utf-8')
    assert load_model(path) == model


@settings(max_examples=40, deadline=None)
@given(strategies.text(min_size=1).filter(str.strip),
       strategies.floats(allow_nan=False, allow_infinity=False))
def test_any_name_and_number_survive_the_round_trip(name, number):
    arm = parse_yaml(ARM, 'test')
    arm['name'] = name
    arm['joints']['bend']['offset'] = number
    model = model_from_parameters(arm)
    read_back = parse_yaml(dump(model), 'dump')['/**']['ros__parameters']['arm']
    assert model_from_parameters(read_back) == model


DAMAGE = '[]{}:,-#&*!|>%@?<= \n\t"\'.0159enyx~ü\0'


@settings(max_examples=60, deadline=None)
@given(strategies.data())
def test_a_damaged_file_is_an_arm_or_one_clear_error(data):
    text = preset_path('so101').read_text(encoding='utf-8')
    for _ in range(data.draw(strategies.integers(1, 3))):
        place = data.draw(strategies.integers(0, len(text)))
        length = data.draw(strategies.integers(0, 12))
        patch = data.draw(strategies.text(alphabet=DAMAGE, max_size=6))
        text = text[:place] + patch + text[place + length:]
    with TemporaryDirectory() as directory:
        path = Path(directory) / 'damaged.yaml'
        path.write_text(text, encoding='utf-8')
        try:
            model = load_model(path)
        except InvalidArmError as error:
            assert str(error).startswith(f'{path}: ') and '; allowed: ' in str(error)
        else:
            assert model_from_parameters(model_to_mapping(model)) == model


def test_plain_pyyaml_reads_what_is_written_too():
    arm = parse_yaml(ARM, 'test')
    arm.update(name='on', source='null', floor_height=-1e-7)
    model = model_from_parameters(arm)
    written = yaml.safe_load(dump(model))['/**']['ros__parameters']['arm']
    assert written == model_to_mapping(model)
    assert model_from_parameters(written) == model
