# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A servo that turns the sum of two joints: what it is sent, and what is read of it."""

from dataclasses import replace
from types import SimpleNamespace

from arm_ik.bus.backend import Backend, JointReading, Snapshot
from arm_ik.bus.coupled import Coupled
from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.errors import DriverError, InvalidArmError
from arm_ik.servos.verify import complaints, judged
import pytest
from small_arm import HOME, JOINTS, MODEL
import small_servos


class Servos(Backend):
    """Servos that are where they are sent, at once; those without torque stay."""

    name = 'ideal'

    def __init__(self, model, servos, clock):
        super().__init__(model, clock)
        self.at = {name: small_servos.LINKED.place(name, HOME[name]) and HOME[name]
                   for name in JOINTS}
        self.at['elbow'] += HOME['shoulder']
        self.on, self.lost, self.sent = set(), set(), []

    def open(self):  # noqa: A003
        self._bus = self

    def read(self):
        return Snapshot({name: JointReading(at, 1.0) for name, at in self.at.items()
                         if name not in self.lost}, dict.fromkeys(self.lost, 'no answer'))

    def write(self, set_points):
        self.sent.append(dict(set_points))
        self.at.update({name: at for name, at in set_points.items() if name in self.on})

    def set_torque(self, on, names=None):
        names = set(self.joints if names is None else names)
        self.on = self.on | names if on else self.on - names


@pytest.fixture
def arm():
    backend = Coupled(Servos, MODEL, small_servos.LINKED.file('none'), lambda: 1.0)
    backend.open()
    return backend


def test_the_servo_has_the_sum_and_the_joint_the_difference(arm):
    assert arm.engage() == pytest.approx(HOME)
    assert arm.at['elbow'] == pytest.approx(HOME['shoulder'] + HOME['elbow'])
    arm.write({'shoulder': 0.6, 'elbow': -0.9})
    assert (arm.at['shoulder'], arm.at['elbow']) == pytest.approx((0.6, -0.3))
    assert arm.read().positions['elbow'] == pytest.approx(-0.9)
    arm.write({'shoulder': 1.0})        # the elbow is to stay bent as it is
    assert arm.at['elbow'] == pytest.approx(0.1)
    arm.write({'elbow': -1.2, 'yaw': 0.5})
    assert (arm.at['elbow'], arm.at['yaw'], arm.at['shoulder']) == pytest.approx((-0.2, 0.5, 1.0))


def test_torque_moves_no_servo_whichever_is_switched_on_first_and_however_the_other_sags(arm):
    for first, second in (('shoulder', 'elbow'), ('elbow', 'shoulder')):
        arm.set_torque(False)
        arm.at.update(shoulder=0.8, elbow=-0.7)
        before = dict(arm.at)
        arm.engage([first])
        arm.at[first] += 0.02           # it sags
        before[first] += 0.02
        held = arm.engage([second])
        assert arm.at == pytest.approx(before)
        arm.write(held)
        assert arm.at[second] == pytest.approx(before[second])
        assert arm.at['elbow'] == pytest.approx(before['elbow'], abs=0.021)


def test_beside_a_joint_that_was_moved_by_hand_it_is_where_it_is_measured(arm):
    arm.engage()
    arm.set_torque(False)
    arm.at.update(shoulder=0.3, elbow=-0.5)
    arm.write({'shoulder': 1.1})        # moves nothing, and says nothing of where it is
    assert arm.engage(['elbow'])['elbow'] == pytest.approx(-0.8)
    assert arm.at['elbow'] == -0.5


def test_where_the_other_joint_is_limp_the_sum_is_held(arm):
    held = arm.engage()
    arm.set_torque(False, ['shoulder'])
    arm.at['shoulder'] = 0.3            # it falls
    for _ in range(2):
        arm.write(held)
        assert arm.at['elbow'] == pytest.approx(HOME['shoulder'] + HOME['elbow'])
    assert arm.read().positions['elbow'] == pytest.approx(
        HOME['shoulder'] + HOME['elbow'] - 0.3)


def test_without_the_other_joint_it_is_missing_and_gets_no_torque(arm):
    arm.lost.add('shoulder')
    snapshot = arm.read()
    assert 'elbow' not in snapshot.readings
    assert snapshot.missing == {'shoulder': 'no answer',
                                'elbow': 'shoulder is missing: no answer'}
    with pytest.raises(DriverError, match='no torque for elbow without the position of shoulder'):
        arm.engage(['elbow'])
    assert not arm.on


def test_the_arm_is_a_box_inside_what_the_servo_can(arm):
    file = small_servos.LINKED.file('none')
    ticks = file.joints['elbow'].ticks
    assert (arm.model.home, file.narrowed(MODEL)[1]) == (MODEL.home, [])
    narrow = replace(file, joints={**file.joints, 'elbow': replace(
        file.joints['elbow'], ticks=type(ticks)([1000, 3000], [0.6, -1.2]))})
    model, notes = narrow.narrowed(MODEL)
    _, shoulder, elbow, _ = model.joints
    assert shoulder.lower + elbow.lower >= -1.2 - 1e-9
    assert shoulder.upper + elbow.upper <= 0.6 + 1e-9
    assert shoulder.lower <= 1.1 <= shoulder.upper and elbow.lower <= -1.3 <= elbow.upper
    assert [note.split()[0] for note in notes] == ['shoulder', 'elbow'] and '0.60' in notes[0]
    far = replace(file, joints={**file.joints, 'elbow': replace(
        file.joints['elbow'], ticks=type(ticks)([1000, 3000], [0.6, 0.1]))})
    with pytest.raises(InvalidArmError, match='the sum of elbow and shoulder at home, -0.20'):
        far.narrowed(MODEL)


@pytest.mark.parametrize('plus', ['elbow', 'wrist', 'nobody'])
def test_only_a_joint_before_it_can_be_added(plus):
    blocks = {name: {'id': number, 'zero': 2048, 'direction': 1, 'lower_tick': 100,
                     'upper_tick': 4000} for number, name in enumerate(JOINTS, 1)}
    blocks['elbow']['plus'] = plus
    with pytest.raises(InvalidArmError, match=r'servos\.joints\.elbow\.plus'):
        servos_from_parameters({'backend': 'feetech', 'port': 'none', 'joints': blocks}, JOINTS)


def test_the_zero_of_a_linkage_is_off_by_what_both_joints_are():
    servos, model = small_servos.LINKED.file('none'), replace(MODEL, extra_joints=())
    poses = [SimpleNamespace(positions=dict(zip(JOINTS, at))) for at in (
        (0.0, 0.5, -0.6, 1.2), (0.7, -0.4, 0.5, 0.1), (-0.7, 0.9, 0.2, -0.9))]
    for off, moved in (({'shoulder': 0.3, 'elbow': -0.3}, {'shoulder': 196, 'elbow': 0}),
                       ({'shoulder': 0.3}, {'shoulder': 196}), ({'elbow': 0.3}, {'elbow': -196})):
        readings = [{name: at + off.get(name, 0.0) for name, at in pose.positions.items()}
                    for pose in poses]
        said = complaints(judged(model, servos, poses, readings, 0.1), servos)
        assert [int(words.rpartition(': ')[2].removesuffix(' ticks')) for words in said] == [
            *moved.values()], said
