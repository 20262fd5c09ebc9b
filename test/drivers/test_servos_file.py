# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a servos file may say, and what is said about one that may not."""

from math import pi

from arm_ik import Arm
from arm_ik.description.presets import config_directory
from arm_ik.drivers.servos_file import JointTicks, load_servos, servos_from_parameters
from arm_ik.errors import InvalidArmError
import pytest

EXAMPLES = sorted((config_directory() / 'servos').glob('*.yaml'))

TURN = 2.0 * pi / 4096

SERVO = {'id': 1, 'zero': 2047, 'direction': 1, 'lower_tick': 700, 'upper_tick': 3400}


def block(joints=None, **more):
    return {'backend': 'feetech', 'port': '/dev/ttyACM0',
            'joints': {'pan': SERVO} if joints is None else joints, **more}


def read(**more):
    parameters = block(**more)
    return servos_from_parameters(parameters, parameters['joints'], 'my.yaml')


def complaint(joint_names=('pan',), **more):
    with pytest.raises(InvalidArmError) as caught:
        servos_from_parameters(block(**more), joint_names, 'my.yaml')
    return str(caught.value)


def pan(**more):
    joint = {**SERVO, **more}
    return {'pan': {key: value for key, value in joint.items() if value is not None}}


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_its_arm_and_serves_its_limits_to_a_tick(path):
    model = Arm.preset(path.stem).model
    joints = (*model.joints, *model.extra_joints)
    servos = load_servos(path, [joint.name for joint in joints])
    assert list(servos.joints) == [joint.name for joint in joints]
    for joint in joints:
        ticks = servos.joints[servos.joints[joint.name].same_as or joint.name].ticks
        assert ticks.lower <= joint.lower + ticks.resolution, joint.name
        assert joint.upper - ticks.resolution <= ticks.upper, joint.name
    assert servos.narrowed(model)[1] == []


def test_what_is_left_out_has_a_default():
    servos = read()
    assert (servos.baud, servos.bus_rate, servos.max_lead) == (1000000, 100.0, 0.15)
    assert (servos.on_exit, servos.on_fault, servos.is_verified) == ('hold', 'stop', False)
    joint = servos.joints['pan']
    assert (joint.id, joint.model, joint.homing_offset, joint.max_force) == (1, None, None, None)


def test_what_is_given_counts():
    servos = read(joints=pan(id=7, direction=-1, model='STS3215', homing_offset=-12,
                             max_force=0.4), bus_rate=200, on_exit='park', on_fault='continue')
    assert (servos.bus_rate, servos.on_exit, servos.on_fault) == (200.0, 'park', 'continue')
    joint = servos.joints['pan']
    assert (joint.id, joint.model, joint.homing_offset, joint.max_force) == (
        7, 'STS3215', -12, 0.4)
    assert joint.ticks.position(2047 - 1024) == pytest.approx(pi / 2)


def test_joints_come_in_the_order_of_the_arm():
    joints = {'b': {**SERVO, 'id': 2}, 'a': SERVO}
    assert list(servos_from_parameters(block(joints), ('a', 'b')).joints) == ['a', 'b']


def test_ticks_with_positions_stand_instead_of_zero_and_direction():
    servos = read(joints={'pan': {'id': 1, 'ticks': [2030, 2600, 3500],
                                  'positions': [-0.17, 0.6, 1.74]}})
    assert servos.joints['pan'].ticks.position(2600) == pytest.approx(0.6)


@pytest.mark.parametrize('more, ticks_per_turn, last', [
    ({'backend': 'feetech'}, 4096, 4095),
    ({'backend': 'dynamixel', 'protocol': 1}, 1023 * 1.2, 1023),
    ({'backend': 'lx16a'}, 1500, 1000)])
def test_each_bus_has_its_scale_and_its_last_tick(more, ticks_per_turn, last):
    joints = pan(zero=500, lower_tick=10, upper_tick=last)
    servos = read(joints=joints, **more)
    assert servos.joints['pan'].ticks.position(500 + ticks_per_turn / 8) == pytest.approx(pi / 4)
    assert f'0 to {last}' in complaint(joints=pan(upper_tick=last + 1), **more)


def test_an_x_servo_may_go_over_its_jump_and_no_farther_than_a_turn():
    joints = pan(zero=4200, lower_tick=3500, upper_tick=5200)
    ticks = read(joints=joints, backend='dynamixel').joints['pan'].ticks
    assert ticks.position(4200 + 512) == pytest.approx(pi / 4)
    for more in ({'lower_tick': 1100}, {'upper_tick': 8192}, {'lower_tick': -4097}):
        assert '0 to 4095' in complaint(joints=pan(**{**joints['pan'], **more}),
                                        backend='dynamixel')


def test_pulses_need_points_and_a_channel():
    joints = {'pan': {'channel': 3, 'ticks': [500, 2500], 'positions': [-1.5, 1.5]}}
    parameters = {'backend': 'pca9685', 'joints': joints}
    servos = servos_from_parameters(parameters, ['pan'])
    assert (servos.port, servos.address, servos.joints['pan'].channel) == ('/dev/i2c-1', 0x40, 3)
    for address in (0x3F, 0x80, 0x70):
        with pytest.raises(InvalidArmError, match='without 0x70 .* to which all chips answer'):
            servos_from_parameters({**parameters, 'address': address}, ['pan'])
    with pytest.raises(InvalidArmError, match=r'pan\.ticks: found nothing'):
        servos_from_parameters({**parameters, 'joints': {'pan': {'channel': 3, 'zero': 1500}}},
                               ['pan'])


def test_simulated_servos_need_no_joints():
    assert servos_from_parameters({'backend': 'simulated'}, ['pan']).joints == {}


@pytest.mark.parametrize('parameters, words', [
    ({'backend': 'feetec'}, "my.yaml: servos.backend: found 'feetec'; allowed: did you mean "
                            "'feetech'?"),
    ({'prot': '/dev/ttyACM0'}, "servos.prot: found '/dev/ttyACM0'; allowed: did you mean 'port'?"),
    ({'port': ''}, 'servos.port'),
    ({'address': 0x40}, 'servos.address'),
    ({'baud': 'fast'}, "servos.baud: found 'fast'; allowed: a whole number"),
    ({'bus_rate': 0.0}, 'servos.bus_rate: found 0.0; allowed: from 1 to 1000'),
    ({'max_lead': -1.0}, 'servos.max_lead'),
    ({'on_exit': 'fall'}, "servos.on_exit: found 'fall'; allowed: one of hold, park, limp"),
    ({'on_fault': 'ignore'}, 'servos.on_fault'),
])
def test_a_bus_that_cannot_be_is_refused(parameters, words):
    assert words in complaint(**parameters)


@pytest.mark.parametrize('joint, words', [
    ({'id': None}, 'servos.joints.pan.id: found nothing'),
    ({'id': 254}, 'servos.joints.pan.id: found 254; allowed: from 0 to 252'),
    ({'id': '1'}, "servos.joints.pan.id: found '1'; allowed: a whole number"),
    ({'channel': 1}, 'servos.joints.pan.channel'),
    ({'zero': None}, 'servos.joints.pan.zero: found nothing'),
    ({'direction': 0}, 'servos.joints.pan.direction: found 0; allowed: 1 or -1'),
    ({'direction': None}, 'servos.joints.pan.direction'),
    ({'lower_tick': 3500}, 'over the wrap from 4095 to 0'),
    ({'lower_tick': 3400}, 'servos.joints.pan.lower_tick: found 3400; allowed: less than upper'),
    ({'lower_tick': -10}, "found '-10 to 3400'; allowed: ticks from 0 to 4095"),
    ({'upper_tick': 4096}, "found '700 to 4096'; allowed: ticks from 0 to 4095"),
    ({'lower_tick': -100, 'upper_tick': 5000}, 'without the wrap'),
    ({'max_force': 1.5}, 'servos.joints.pan.max_force: found 1.5'),
    ({'max_force': 0.0}, 'servos.joints.pan.max_force'),
    ({'shadow_ids': [2]}, 'servos.joints.pan.shadow_ids'),
    ({'directon': 1}, "did you mean 'direction'?"),
    ({'ticks': [1, 2]}, 'servos.joints.pan.zero: found 2047; allowed: one of id'),
])
def test_a_servo_that_cannot_be_is_refused(joint, words):
    assert words in complaint(joints=pan(**joint))


@pytest.mark.parametrize('ticks, positions, words', [
    ([2000], [0.1], 'pan.positions'),
    ([2000, 3000], [0.1, 0.2, 0.3], 'pan.positions'),
    ([2000, 3000, 2500], [0.1, 0.2, 0.3], 'pan.ticks'),
    ([2000, 2500, 3000], [0.1, 0.3, 0.3], 'pan.positions'),
    ([2000, 5000], [0.1, 0.2], 'ticks from 0 to 4095'),
    ([2000, 3000], None, 'pan.positions: found nothing'),
    ('2000', [0.1], 'a list of numbers'),
])
def test_points_that_cannot_be_are_refused(ticks, positions, words):
    joint = {'id': 1, 'ticks': ticks}
    if positions is not None:
        joint['positions'] = positions
    assert words in complaint(joints={'pan': joint})


@pytest.mark.parametrize('joints, words, more', [
    ({'pan': SERVO}, ['servos.joints.lift: found nothing'], {}),
    ({'pan': SERVO, 'lift': {**SERVO, 'id': 3}, 'pann': {**SERVO, 'id': 2}},
     ["did you mean 'pan'?"], {}),
    ({'pan': SERVO, 'lift': SERVO}, ['servos.joints.lift', '1, which pan has too'], {}),
    ({'pan': {**SERVO, 'shadow_ids': [2]}, 'lift': {**SERVO, 'id': 2}}, ['2, which pan has too'],
     {'backend': 'dynamixel'}),
    ({'pan': SERVO, 'lift': {'same_as': 'lift'}}, ['servos.joints.lift.same_as', 'one of pan'],
     {}),
    ({'pan': SERVO, 'lift': {'same_as': 'middle'}}, ['servos.joints.lift.same_as', 'one of pan'],
     {})], ids=['none', 'no joint', 'id twice', 'shadow', 'itself', 'nobody'])
def test_every_joint_has_one_servo_and_every_servo_a_joint(joints, words, more):
    said = complaint(('pan', 'lift'), joints=joints, **more)
    assert all(each in said for each in words), said


def test_a_finger_may_be_driven_by_the_servo_of_the_other():
    servos = read(joints={'left': SERVO, 'right': {'same_as': 'left'}})
    assert servos.joints['right'].same_as == 'left'


def test_a_file_without_servos_is_refused(tmp_path):
    path = tmp_path / 'my.yaml'
    path.write_text('/**: {ros__parameters: {arm: {name: mine}}}')
    with pytest.raises(InvalidArmError, match='my.yaml: servos: found nothing'):
        load_servos(path, ['pan'])


def test_an_arm_goes_only_where_its_servos_may_its_home_and_its_gripper_too():
    model = Arm.preset('so101').model
    joints = {name: {**SERVO, 'id': number, 'lower_tick': 0, 'upper_tick': 4095}
              for number, name in enumerate((*model.joint_names, 'gripper'))}
    joints['shoulder_lift'].update(lower_tick=1400)     # home is at tick 1265
    joints['gripper'].update(zero=2000, upper_tick=2600)
    narrow, notes = servos_from_parameters(
        block(joints), joints).narrowed(model)
    assert narrow.joints[1].lower == narrow.home[1] == pytest.approx((1400 - 2047) * TURN)
    assert narrow.joints[1].upper == model.joints[1].upper
    gripper = narrow.extra_joints[0]
    assert gripper.upper == gripper.open == pytest.approx(600 * TURN)
    assert (gripper.lower, gripper.closed) == (model.extra_joints[0].lower,) * 2
    assert narrow.home[2:] == model.home[2:]
    assert [note.split()[0] for note in notes] == ['shoulder_lift', 'gripper']


def test_verified_holds_until_a_joint_changes_and_where_numbers_have_become_floats():
    once = read().fingerprint
    assert read(verified=once).is_verified
    assert read(verified=once, joints=pan(zero=2047.0)).is_verified
    other_way = {'pan': dict(reversed(SERVO.items()))}
    assert read(verified=once, joints=other_way).is_verified, 'by the order of its keys'
    assert not read(verified=once, joints=pan(zero=2048)).is_verified


def test_a_servo_that_can_go_nowhere_the_arm_can_is_refused():
    model = Arm.preset('so101').model
    joints = {name: {**SERVO, 'id': number, 'zero': 9000 if name == 'elbow_flex' else 2047}
              for number, name in enumerate((*model.joint_names, 'gripper'))}
    with pytest.raises(InvalidArmError, match=r'elbow_flex: found .*is zero or direction wrong\?'):
        servos_from_parameters(block(joints), joints).narrowed(model)


# Positions to ticks and back.

@pytest.mark.parametrize('direction', [1, -1])
def test_a_quarter_turn_adds_ticks_or_takes_them_away_as_the_servo_turns(direction):
    ticks = JointTicks.linear(2047, direction, 700, 3400, TURN)
    assert ticks.tick(pi / 2) == pytest.approx(2047 + direction * 1024)
    assert ticks.position(2047 + direction * 1024) == pytest.approx(pi / 2)


@pytest.mark.parametrize('direction, lower, upper', [(1, -1024, 512), (-1, -512, 1024)])
def test_limits_are_positions_in_order(direction, lower, upper):
    ticks = JointTicks.linear(2048, direction, 1024, 2560, TURN)
    assert (ticks.lower, ticks.upper) == pytest.approx((lower * TURN, upper * TURN))


@pytest.mark.parametrize('ticks, positions', [
    ([2000, 2600, 3500], [-0.2, 0.6, 1.7]), ([3500, 2600, 2000], [-0.2, 0.6, 1.7]),
    ([2000, 2600, 3500], [1.7, 0.6, -0.2]), ([3500, 2600, 2000], [1.7, 0.6, -0.2])])
def test_points_given_are_met_in_any_order_and_between_them_it_is_straight(ticks, positions):
    joint = JointTicks(ticks, positions)
    for tick, position in zip(ticks, positions):
        assert joint.tick(position) == pytest.approx(tick)
        assert joint.position(tick) == pytest.approx(position)
    assert joint.position((ticks[0] + ticks[1]) / 2) == pytest.approx(
        (positions[0] + positions[1]) / 2)
    assert joint.tick((positions[1] + positions[2]) / 2) == pytest.approx(
        (ticks[1] + ticks[2]) / 2)


def test_beyond_the_outer_points_it_goes_straight_on():
    joint = JointTicks([1000, 2000, 3000], [0.0, 1.0, 3.0])
    assert joint.position(500) == pytest.approx(-0.5)
    assert joint.position(3500) == pytest.approx(4.0)
    assert joint.tick(-0.5) == pytest.approx(500)
    assert joint.tick(4.0) == pytest.approx(3500)


@pytest.mark.parametrize('direction', [1, -1])
def test_every_tick_comes_back(direction):
    ticks = JointTicks.linear(1900, direction, 0, 4095, TURN)
    assert [round(ticks.tick(ticks.position(tick))) for tick in range(4096)] == list(range(4096))


def test_the_resolution_is_the_largest_step():
    joint = JointTicks([1000, 2000, 3000], [0.0, 1.0, 3.0])
    assert joint.resolution == pytest.approx(0.002)
    assert joint.finest == pytest.approx(0.001)
