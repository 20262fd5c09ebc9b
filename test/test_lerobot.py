# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""LeRobot's class over an arm: the names and calls that LeRobot has, and answers by its rules."""

from importlib.util import find_spec
import inspect
import json
import warnings

from arm_ik import Arm, InvalidArmError, InvalidInputError, Status, Target, UnknownPresetError
from arm_ik.description import preset_path
from arm_ik.drivers.servos_file import fingerprint
from arm_ik.errors import ArmFileWarning
from arm_ik.lerobot import RobotKinematics
import numpy as np
import pytest
from urdf_judge import UrdfJudge
import yaml

#: LeRobot's own, as read at its commit 7427f3180 in src/lerobot/model/kinematics.py.
NOTHING = inspect.Parameter.empty
CONTRACT = {
    '__init__': {'urdf_path': NOTHING, 'target_frame_name': 'gripper_frame_link',
                 'joint_names': None},
    'forward_kinematics': {'joint_pos_deg': NOTHING},
    'inverse_kinematics': {'current_joint_pos': NOTHING, 'desired_ee_pose': NOTHING,
                           'position_weight': 1.0, 'orientation_weight': 0.01},
}

#: ``list(robot.bus.motors)`` of its SO-100 and SO-101.
MOTORS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper']
CHAIN = MOTORS[:5]

HALF = [10.0, -20.0, 30.0, 40.0, -15.0, 62.5]
FRAMES = ['tool0', 'gripper_frame_link']


def shown(function):
    """Return the parameters of a method, but for ``self``, with their defaults."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {parameter.name: parameter.default for parameter in parameters}


def poses(kinematics, count, seed):
    """Return joint positions inside the limits [deg], the gripper's last, and their poses."""
    rng = np.random.default_rng(seed)
    arm = kinematics.arm
    q = np.hstack([np.degrees(rng.uniform(arm.lower, arm.upper, (count, 5))),
                   rng.uniform(0.0, 100.0, (count, 1))])
    return q, [kinematics.forward_kinematics(each) for each in q]


@pytest.mark.parametrize('name, wanted', CONTRACT.items())
def test_the_parameters_are_those_of_lerobot_and_further_ones_come_after(name, wanted):
    ours = shown(getattr(RobotKinematics, name))
    assert list(ours.items())[:len(wanted)] == list(wanted.items())
    assert set(ours) - set(wanted) <= {'calibration', 'servos', 'prefix', 'names'}
    assert not [word for word in set(ours) - set(wanted) if ours[word] is not None]
    if find_spec('lerobot'):
        from lerobot.model.kinematics import RobotKinematics as Theirs
        assert list(shown(getattr(Theirs, name)).items()) == list(wanted.items())


@pytest.mark.parametrize('made', [
    # As examples/phone_to_so100/teleoperate.py and lerobot_find_joint_limits.py of its own do.
    lambda: RobotKinematics(urdf_path='so101', target_frame_name='gripper_frame_link',
                            joint_names=list(MOTORS)),
    lambda: RobotKinematics('so101', 'gripper_frame_link')])
def test_the_calls_of_lerobot_are_answered(made):
    pose = made().forward_kinematics(np.array(HALF))
    answer = made().inverse_kinematics(np.array(HALF), np.eye(4), orientation_weight=0.01)
    judge = UrdfJudge(Arm.preset('so101').to_urdf())
    assert np.allclose(pose, judge.pose(dict(zip(CHAIN, np.radians(HALF))), 'gripper_frame_link'),
                       rtol=0.0, atol=1e-12)
    assert answer.shape == (6,) and answer.dtype == float and answer[5] == 62.5


@pytest.mark.parametrize('frame', FRAMES)
@pytest.mark.parametrize('away', [5.0, 180.0])
def test_reachable_poses_are_met_from_near_and_far(frame, away):
    kinematics = RobotKinematics('so101', frame, MOTORS)
    judge = UrdfJudge(kinematics.arm.to_urdf())
    q, wanted = poses(kinematics, 70, seed=1)
    near = q + np.random.default_rng(2).uniform(-away, away, q.shape)
    for seed, pose in zip(near, wanted):
        answer = kinematics.inverse_kinematics(seed, pose)
        assert kinematics.solution.status is Status.REACHED
        assert answer[5] == seed[5]
        found = judge.pose(dict(zip(CHAIN, np.radians(answer))))
        assert np.abs(found - pose).max() < 1e-9


def test_a_pose_within_reach_of_the_yaw_axis_is_met_and_one_that_is_all_but_so():
    kinematics = RobotKinematics('so101')
    q = [41.32841466, -32.21422911, 82.73012544, 68.35559199, -59.28606918]
    pose, off = kinematics.forward_kinematics(q), np.eye(4)
    off[:2, :2] = [[1.0, -4e-6], [4e-6, 1.0]]    # as makers round the numbers of a URDF
    for wanted in (pose, pose @ off):
        answer = kinematics.inverse_kinematics([0.0, -60.0, 60.0, 40.0, 0.0], wanted)
        found = kinematics.forward_kinematics(answer)
        assert np.abs(found - wanted).max() < 1e-5


@pytest.mark.parametrize('names', [
    ['gripper', *reversed(CHAIN)], ['wrist_flex', 'x', 'shoulder_pan', 'elbow_flex', 'gripper',
                                    'wrist_roll', 'shoulder_lift']])
def test_entries_may_be_in_any_order_with_others_among_them_and_after(names):
    plain, other = [RobotKinematics('so101', 'tool0', each) for each in (None, names)]
    given = dict(zip(MOTORS, HALF))
    current = [*(given.get(name, -7.25) for name in names), 1e9, -3.5]
    pose = plain.forward_kinematics([0.0, 10.0, 0.0, 30.0, 40.0])
    answer = other.inverse_kinematics(current, pose)
    assert np.array_equal(other.forward_kinematics(current), plain.forward_kinematics(HALF))
    by_name = dict(zip(names, answer))
    assert [by_name.pop(name) for name in CHAIN] == list(
        plain.inverse_kinematics(HALF, pose)[:5])
    assert by_name == {name: given.get(name, -7.25) for name in by_name}
    assert list(answer[len(names):]) == [1e9, -3.5]


def test_what_is_given_stays_as_it_is_and_the_answer_is_new():
    kinematics = RobotKinematics('so101', 'tool0', MOTORS)
    current = np.array([1, 2, 3, 4, 5, 6])
    pose = kinematics.forward_kinematics(current + 1)
    copies = current.copy(), pose.copy()
    answer = kinematics.inverse_kinematics(current, pose)
    assert np.array_equal(current, copies[0]) and np.array_equal(pose, copies[1])
    assert not np.shares_memory(answer, current) and answer.dtype == float
    floats = current.astype(float)
    kinematics.inverse_kinematics(floats, pose)
    assert np.array_equal(floats, current)
    assert np.allclose(answer, [2, 3, 4, 5, 6, 6])


@pytest.mark.parametrize('frame', FRAMES)
def test_the_same_call_has_the_same_answer_whatever_was_asked_before(frame):
    kinematics = RobotKinematics('so101', frame, MOTORS)
    q, wanted = poses(kinematics, 40, seed=3)
    rng = np.random.default_rng(4)
    for pose in wanted[::2]:    # no longer reachable
        pose[:3, :3], pose[:3, 3] = wanted[1][:3, :3], pose[:3, 3] * 1.5
    calls = [(q[rng.integers(40)], pose) for pose in wanted]
    first = [kinematics.inverse_kinematics(*call) for call in calls]
    order = rng.permutation(40)
    later = [kinematics.inverse_kinematics(*calls[i]) for i in order]
    assert all(np.array_equal(first[i], answer) for i, answer in zip(order, later))


def test_a_bad_frame_of_a_stream_is_refused_and_the_next_one_answered_as_without_it():
    kinematics = RobotKinematics('so101', 'tool0', MOTORS)
    pose, bad = kinematics.forward_kinematics(HALF), np.eye(4)
    bad[1, 3] = np.nan
    answer = kinematics.inverse_kinematics([0.0] * 6, pose)
    solution = kinematics.solution
    with pytest.raises(InvalidInputError, match='position is'):
        kinematics.inverse_kinematics(answer, bad)
    with pytest.raises(InvalidInputError, match='current_joint_pos'):
        kinematics.inverse_kinematics([np.nan] * 6, pose)
    assert kinematics.solution is solution
    assert np.array_equal(kinematics.inverse_kinematics([0.0] * 6, pose), answer)


def test_weights_say_what_counts_and_by_how_much_makes_no_difference():
    kinematics = RobotKinematics('so101', 'tool0', MOTORS)
    beyond = np.eye(4)
    beyond[:3, 3] = 0.35, 0.0, 0.25    # with the hand straight up: out of reach
    both = [kinematics.inverse_kinematics(HALF, beyond, *weights)
            for weights in ((), (1.0, 0.01), (0.3, 7.0))]
    assert all(np.array_equal(each, both[0]) for each in both)
    assert kinematics.solution.status is Status.UP_RELAXED
    position = kinematics.inverse_kinematics(HALF, beyond, orientation_weight=0.0)
    assert kinematics.solution.status is Status.REACHED
    assert np.allclose(kinematics.forward_kinematics(position)[:3, 3], beyond[:3, 3], atol=1e-9)
    up = kinematics.inverse_kinematics(HALF, beyond, position_weight=0)
    assert kinematics.solution.position_error_m > 0.01
    assert np.allclose(kinematics.forward_kinematics(up)[:3, 2], [0.0, 0.0, 1.0], atol=1e-9)


def test_the_present_branch_is_kept_where_another_gains_little():
    kinematics = RobotKinematics('so101', 'tool0', MOTORS)
    arm, kept, jumped = kinematics.arm, 0, 0
    for q, pose in zip(*poses(kinematics, 150, seed=5)):
        pose[:3, 3] *= 1.05
        answer = kinematics.inverse_kinematics(q, pose)[:5]
        best = arm.solve(Target(pose[:3, 3], pose[:3, 2], pose[:3, 0]), np.radians(q[:5]))
        same = np.allclose(best.q, np.radians(answer), atol=1e-6)
        kept += not same and kinematics.solution.step_rad < best.step_rad - 0.1
        jumped += not same and kinematics.solution.step_rad > best.step_rad + 0.1
    assert kept >= 1 and not jumped


@pytest.mark.parametrize('change', [
    lambda pose: pose[:3], lambda pose: pose * np.nan, lambda pose: pose[None], lambda pose: None,
    lambda pose: pose + np.eye(4, k=1) * 0.01, lambda pose: np.diag([1.0] * 3 + [2.0])])
def test_what_is_no_pose_is_refused(change):
    kinematics = RobotKinematics('so101', 'tool0')
    pose = kinematics.forward_kinematics(HALF)
    kinematics.inverse_kinematics(HALF, pose.astype(np.float32))
    with pytest.raises(InvalidInputError, match='target matrix .*4 x 4'):
        kinematics.inverse_kinematics(HALF, change(pose))


@pytest.mark.parametrize('bad', [
    HALF[:5], [*HALF[:5], np.nan], [np.inf, *HALF[1:]], [HALF], 3.0, None, ['a'] * 6,
    [None, *HALF[1:]], np.array(HALF) * 1j, dict.fromkeys(MOTORS, 0.0)])
def test_joint_positions_that_are_none_are_refused(bad):
    kinematics = RobotKinematics('so101', 'tool0', MOTORS)
    with pytest.raises(InvalidInputError, match='joint_pos_deg .*shoulder_pan'):
        kinematics.forward_kinematics(bad)
    with pytest.raises(InvalidInputError, match='current_joint_pos .*shoulder_pan'):
        kinematics.inverse_kinematics(bad, np.eye(4))


@pytest.mark.parametrize('weights', [(0.0, 0.0), (-1.0, 0.01), (1.0, np.nan), (1.0, 'x')])
def test_weights_that_ask_for_nothing_are_refused(weights):
    with pytest.raises(InvalidInputError, match='orientation_weight'):
        RobotKinematics('so101', 'tool0').inverse_kinematics(HALF, np.eye(4), *weights)


@pytest.mark.parametrize('arguments, error, words', [
    (('so102',), UnknownPresetError, "did you mean 'so101'"),
    ((7,), InvalidInputError, 'urdf_path'),
    (('so101', 'gripper_frame'), InvalidInputError, "did you mean 'gripper_frame_link'"),
    (('px100',), InvalidInputError, 'tool0'),
    (('so101', 'tool0', MOTORS[1:]), InvalidInputError, 'joint_names .*shoulder_pan'),
    (('so101', 'tool0', [*MOTORS, 'gripper']), InvalidInputError, 'joint_names'),
    (('so101', 'tool0', 'shoulder_pan'), InvalidInputError, 'joint_names'),
    (('so101', 'tool0', None, 'a.json'), InvalidInputError, 'both'),
    (('so101', 'tool0', None, None, 'a.yaml'), InvalidInputError, 'both'),
    (('no_such.yaml',), InvalidArmError, 'no_such.yaml')])
def test_what_it_cannot_be_made_of_is_named(arguments, error, words):
    with pytest.raises(error, match=words):
        RobotKinematics(*arguments)


def test_an_arm_and_an_arm_file_serve_as_well_as_a_name():
    frames = [RobotKinematics(each, 'tool0').forward_kinematics(HALF)
              for each in ('so101', preset_path('so101'), str(preset_path('so101')),
                           Arm.preset('so101'))]
    assert all(np.array_equal(each, frames[0]) for each in frames)
    tipped = [RobotKinematics(each).forward_kinematics(HALF) for each in (
        'so101', Arm.preset('so101'), Arm.preset('so101', tip='gripper_frame_link'))]
    assert all(np.array_equal(each, tipped[0]) for each in tipped)
    assert np.linalg.norm(tipped[0][:3, 3] - frames[0][:3, 3]) == pytest.approx(0.007903, abs=1e-6)
    four = RobotKinematics('px100', 'tool0')
    assert four.inverse_kinematics([0.0] * 4, four.forward_kinematics([10.0] * 4)) == \
        pytest.approx([10.0] * 4)


#: A frame of the hand with axes of its own, and a base that stands turned on a table.
FURTHER = """
<link name="pen"/> <joint name="pen_joint" type="fixed"> <parent link="tool0"/>
<child link="pen"/> <origin xyz="0 0 0.03" rpy="0.3 -1.0 2.0"/> </joint>
<link name="world"/> <joint name="table" type="fixed"> <parent link="world"/>
<child link="base_link"/> <origin xyz="0.1 -0.2 0.4" rpy="0 0 1.9"/> </joint> </robot>"""


def test_a_frame_of_a_urdf_has_its_own_axes_and_the_root_is_the_base(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(Arm.preset('so101').to_urdf().replace('</robot>', FURTHER))
    kinematics, judge = RobotKinematics(str(path), 'pen', MOTORS), UrdfJudge(path.read_text())

    def pose(q):
        return judge.pose(dict(zip(CHAIN, np.radians(q))), 'pen')

    assert np.allclose(kinematics.forward_kinematics(HALF), pose(HALF), rtol=0.0, atol=1e-9)
    then = np.array([-30.0, 12.0, 3.0, 50.0, 77.0, 1.0])
    answer = kinematics.inverse_kinematics(HALF, pose(then))
    assert np.allclose(answer, [*then[:5], 62.5], rtol=0.0, atol=1e-6)
    with pytest.raises(InvalidInputError, match="did you mean 'pen'"):
        RobotKinematics(path, 'pencil')
    with pytest.raises(InvalidArmError, match='no_such.urdf'):
        RobotKinematics('./no_such.urdf')


class Calibrated:
    """LeRobot's calibration and a servos file of one arm, whose zeros are their own."""

    def __init__(self, folder, verified=True):
        middles = [2000, 2110, 1950, 2060, 2047.5, 2050]
        halves = [1000, 900, 950, 1010, 2047.5, 600]
        self.motors = {name: {
            'id': i + 1, 'drive_mode': 0, 'homing_offset': 17 - 9 * i,
            'range_min': int(middle - half), 'range_max': int(middle + half)}
            for i, (name, middle, half) in enumerate(zip(MOTORS, middles, halves))}
        self.zeros = dict(zip(MOTORS, [2005.0, 2094.5, 1950.0, 2071.25, 2040.0, 2050.0]))
        self.directions = dict(zip(MOTORS, [1, -1, 1, 1, 1, 1]))
        joints = {name: {
            'id': motor['id'], 'zero': self.zeros[name], 'direction': self.directions[name],
            'homing_offset': motor['homing_offset'], 'lower_tick': motor['range_min'],
            'upper_tick': motor['range_max']} for name, motor in self.motors.items()}
        block = {'backend': 'feetech', 'port': '/dev/null', 'joints': joints,
                 **({'verified': fingerprint(joints)} if verified else {})}
        self.calibration, self.servos = folder / 'my_arm.json', folder / 'my_so101.yaml'
        self.calibration.write_text(json.dumps(self.motors))
        self.servos.write_text(yaml.safe_dump({'/**': {'ros__parameters': {'servos': block}}}))

    def radians(self, shown):
        """Return positions of LeRobot's degrees by the formulas that its sources have."""
        ticks = [degrees * 4095 / 360 + (motor['range_min'] + motor['range_max']) / 2
                 for degrees, motor in zip(shown, self.motors.values())]
        return [self.directions[name] * (tick - self.zeros[name]) * 2.0 * np.pi / 4096
                for name, tick in zip(CHAIN, ticks)]


def test_calibrated_degrees_are_ticks_of_this_very_arm(tmp_path):
    files = Calibrated(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        kinematics = RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos)
    judge = UrdfJudge(Arm.preset('so101').to_urdf())
    shown_now, shown_then = [5.0, 12.0, -9.0, 20.0, 33.0, 50.0], [-8.0, 3.0, 14.0, 2.0, -20.0, 1.0]
    wanted = judge.pose(dict(zip(CHAIN, files.radians(shown_then))))
    assert np.allclose(kinematics.forward_kinematics(shown_then), wanted, rtol=0.0, atol=1e-12)
    answer = kinematics.inverse_kinematics(shown_now, wanted)
    assert np.allclose(answer, [*shown_then[:5], 50.0], rtol=0.0, atol=1e-9)
    # Inside the ranges of the servos, which are narrower than the arm's: far out to the side.
    wanted[:3, 3] = 0.04, -0.5, 0.1
    answer = kinematics.inverse_kinematics(shown_now, wanted)
    assert 1000.0 * 360.0 / 4095 == pytest.approx(max(np.abs(answer[:4])), abs=1e-6)


def test_one_arm_of_two_in_a_calibration_is_the_one_of_the_prefix(tmp_path):
    files = Calibrated(tmp_path)
    alone = RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos)
    other = Calibrated(tmp_path).motors
    for motor in other.values():
        motor['id'] += 10
    files.calibration.write_text(json.dumps({
        **{f'right_arm_{name}': motor for name, motor in other.items()},
        **{f'left_arm_{name.replace("shoulder_pan", "base")}': motor
           for name, motor in files.motors.items()},
        **other}))
    of_two = RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos,
                             prefix='left_arm_', names={'base': 'shoulder_pan'})
    assert (of_two.forward_kinematics(HALF) == alone.forward_kinematics(HALF)).all()
    with pytest.raises(InvalidInputError, match='shoulder_pan is None'):
        RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos,
                        prefix='left_arm_')


def test_files_of_two_calibrations_are_refused_and_an_unverified_one_warned_of(tmp_path):
    files = Calibrated(tmp_path, verified=False)
    with pytest.warns(ArmFileWarning, match='has not been verified') as caught:
        RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos)
    assert [warning.filename for warning in caught] == [__file__]
    for key, value in (('homing_offset', 3), ('id', 9)):
        files.motors['elbow_flex'][key] = value
        files.calibration.write_text(json.dumps(files.motors))
        with pytest.raises(InvalidInputError, match=rf'elbow_flex\.{key}'):
            RobotKinematics('so101', 'tool0', MOTORS, files.calibration, files.servos)
        files = Calibrated(tmp_path)
