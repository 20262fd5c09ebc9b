# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arm users hold: what it hands out, what it takes, what it refuses."""

from copy import deepcopy
from math import inf, nan
import pickle
from statistics import median
from xml.etree import ElementTree

import arm_ik
from arm_ik import Arm, InvalidArmError, InvalidInputError, Solution, Status, Target
from counted_calls import counted, on_3_11
import numpy as np
import pytest

ARM = Arm.preset('simple')
TARGET = Target((0.2, 0.05, 0.1), (1.0, 0.2, 0.0))
solvers = pytest.mark.parametrize('solve', [ARM.solve, ARM.solutions], ids=['solve', 'solutions'])


def test_every_public_name_is_there():
    assert {'Arm', 'Target', 'Solution', 'Status', 'Pose', 'ArmIkError'} <= set(arm_ik.__all__)
    assert all(hasattr(arm_ik, name) for name in arm_ik.__all__)


def test_an_arm_says_its_name_joints_home_and_limits():
    assert ARM.name == 'simple'
    assert ARM.joint_names == ('yaw', 'shoulder', 'elbow', 'wrist')
    assert ARM.home == (0.0, 2.2, -2.0, -0.5)
    assert ARM.lower == (-3.1416, -0.7854, -2.8, -2.8)
    assert ARM.upper == (3.1416, 3.927, 2.8, 2.8)
    assert all(type(reading) is float for reading in (*ARM.home, *ARM.lower, *ARM.upper))
    assert 'simple' in repr(ARM) and 'elbow' in repr(ARM)


def test_an_arm_is_read_from_a_file(tmp_path):
    path = tmp_path / 'my_arm.yaml'
    path.write_text(arm_ik.description.preset_path('simple').read_text()
                    .replace('name: simple', 'name: mine').replace('hand: 0.08', 'hand: 0.09'))
    mine = Arm.from_yaml(path)
    assert (mine.name, mine.model.hand) == ('mine', 0.09)
    path.write_text(path.read_text().replace('hand: 0.09', 'hand: -0.09'))
    with pytest.raises(InvalidArmError, match=r'my_arm\.yaml.*arm\.links\.hand.*-0\.09'):
        Arm.from_yaml(str(path))


@pytest.mark.parametrize('path', ['so101', 'so101.yaml', 'config/so101.yaml', 'so-101'])
def test_a_preset_asked_for_as_a_file_is_pointed_at(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArmError) as caught:
        Arm.from_yaml(path)
    message = str(caught.value)
    assert message.startswith(f'{path}: ') and "did you mean Arm.preset('so101')?" in message


def test_a_missing_file_that_is_called_like_no_preset_is_just_missing(tmp_path):
    with pytest.raises(InvalidArmError, match='No such file') as caught:
        Arm.from_yaml(tmp_path / 'kitchen_robot.yaml')
    assert 'did you mean' not in str(caught.value)


@pytest.mark.parametrize('model, meant', [
    ('so101', "did you mean Arm.preset('so101')?"), ('my_arm.yaml', 'Arm.from_yaml'),
    (None, 'Arm.preset'), (5, 'Arm.preset')])
def test_what_is_no_model_is_refused_with_the_ways_to_make_an_arm(model, meant):
    with pytest.raises(InvalidInputError, match='^model is ') as caught:
        Arm(model)
    assert meant in str(caught.value)


@pytest.mark.parametrize('copied', [deepcopy, lambda arm: pickle.loads(pickle.dumps(arm))],
                         ids=['deepcopy', 'pickle'])
@pytest.mark.parametrize('name', ['simple', 'so101'])
def test_an_arm_can_be_copied_and_sent_to_another_process(copied, name):
    arm = Arm.preset(name)
    other = copied(arm)
    assert other is not arm and other.model == arm.model
    assert other.solve(TARGET) == arm.solve(TARGET)


def test_an_answer_says_everything_about_itself():
    solution = ARM.solve(TARGET, near=ARM.home)
    assert isinstance(solution, Solution) and isinstance(solution.q, tuple)
    assert all(type(reading) is float for reading in solution.q)
    assert solution.status is Status.UP_RELAXED and not solution.reached
    assert [type(x) for x in solution[2:5]] == [float] * 3
    assert isinstance(solution.reason, str) and isinstance(solution.limited_by, tuple)
    with pytest.raises(AttributeError):
        solution.q = ()


@pytest.mark.parametrize('name', ['simple', 'so101', 'rolling_base'])
@pytest.mark.parametrize('number', [np.float64, np.float32, np.int64])
def test_numpy_numbers_come_in_and_plain_floats_go_out(name, number):
    arm = Arm.preset(name)
    for part in (0.3, 0.7):
        pose = arm.forward([low + part * (high - low) for low, high in zip(arm.lower, arm.upper)])
        near = tuple([number(position) for position in arm.home])
        for scale, up in ((1.0, None), (1.0, pose.up), (3.0, pose.up)):
            target = Target(scale * pose.position, up)
            for options in ({}, {'elevation': number(1)}, {'branch_tolerance': (0.01, 0.1)}):
                solution = arm.solve(target, near, **options)
                (followed,) = arm.track([target], near, elevation=options.get('elevation'))
                for found in (solution, followed):
                    assert {type(position) for position in found.q} == {float}
                    assert {type(error) for error in found[2:5]} == {float}
                    assert type(found.step_rad) is float


def test_statuses_get_worse_as_they_get_larger():
    assert (Status.REACHED < Status.FORWARD_RELAXED < Status.UP_RELAXED
            < Status.POSITION_RELAXED)
    assert int(Status.REACHED) == 0


@pytest.mark.parametrize('near', [
    [0.1, 0.2, 0.3, 0.4], (0.1, 0.2, 0.3, 0.4), np.array([0.1, 0.2, 0.3, 0.4]),
    iter((0.1, 0.2, 0.3, 0.4))], ids=['list', 'tuple', 'array', 'iterator'])
def test_near_may_be_any_sequence(near):
    assert ARM.solve(TARGET, near) == ARM.solve(TARGET, (0.1, 0.2, 0.3, 0.4))


def test_without_near_home_is_near():
    assert ARM.solve(TARGET) == ARM.solve(TARGET, ARM.home)
    assert ARM.solutions(TARGET) == ARM.solutions(TARGET, ARM.home)


@solvers
@pytest.mark.parametrize('near', [
    (), (0.0,) * 3, (0.0,) * 5, 0.0, 'abcd', (0.0, 0.0, None, 0.0), [[0.0]] * 4, {}, 'x',
    '1234', b'1234', {1, 2, 3, 4}, dict.fromkeys((1, 2, 3, 4)), (10 ** 400, 0.0, 0.0, 0.0),
    (0.0, nan, 0.0, 0.0), (0.0, 0.0, -inf, 0.0)], ids=repr)
def test_a_wrong_near_is_refused(solve, near):
    with pytest.raises(InvalidInputError, match='near is .*allowed: (4 joint positions|.*finite)'):
        solve(TARGET, near)


@solvers
@pytest.mark.parametrize('target', [None, (0.1, 0.2, 0.3), np.zeros(3), 'here', Target])
def test_only_targets_are_targets(solve, target):
    with pytest.raises(InvalidInputError, match='allowed: an arm_ik.Target'):
        solve(target)


@solvers
@pytest.mark.parametrize('option', ['position_tolerance', 'up_tolerance'])
@pytest.mark.parametrize('wrong', [nan, -1e-9, '1e-3', None], ids=repr)
def test_a_tolerance_that_is_none_is_refused_by_name(solve, option, wrong):
    with pytest.raises(InvalidInputError, match=option):
        solve(TARGET, **{option: wrong})


@pytest.mark.parametrize('name', ['simple', 'so101'])
@pytest.mark.parametrize('wrong', [
    {'position_tolerance': inf}, {'up_tolerance': inf}, {'position_tolerance': nan},
    {'up_tolerance': '1e-3'}, {'up_tolerance': -1.0}, {'elevation': nan}, {'elbow': 'left'},
    {'priority': None}, {'branch_tolerance': (0.001, inf)}, {'branch_tolerance': 0.001},
    {'near': ()}, {'near': ('a',) * 5}, {'near': (0.0,) * 3}, {'near': (nan,) * 5},
    {'near': (inf,) * 4}, {'near': 5}, {'near': (10 ** 400,) * 5},
    {'position_tolerance': 10 ** 400}, {'up_tolerance': 10 ** 400},
    {'branch_tolerance': (0.001, 10 ** 400)}, {'branch_tolerance': b'12'},
    {'position_tolerance': np.array([1.0, 2.0])}, {'elbow': np.array(['up', 'down'])},
    {'priority': np.array(['up', 'down'])}], ids=lambda wrong: str(wrong)[:50])
def test_nothing_wrong_is_passed_over_because_the_target_is_easy(name, wrong):
    arm = Arm.preset(name)
    pose = arm.forward([0.4 * low + 0.6 * high for low, high in zip(arm.lower, arm.upper)])
    easy = Target(pose.position, pose.up)
    assert arm.solve(easy).reached and arm.solver.solve_fast(easy, arm.home, 1e-9, 1e-9)
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        arm.solve(easy, **wrong)


@pytest.mark.parametrize('elevation', [-0.4, 0.0, 0.5])
def test_a_preferred_elevation_is_taken_where_no_up_vector_is_asked_for(elevation):
    arm = Arm.preset('px100')
    solution = arm.solve(Target(arm.forward((0.2, 0.1, -0.1, 0.1)).position), elevation=elevation)
    _, _, shoulder, elbow, wrist, _, _ = arm.solver.geometry.canonical(solution.q)
    assert solution.reached and shoulder + elbow + wrist == pytest.approx(elevation)


def test_solving_changes_nothing_it_was_given():
    near, position, up = np.array(ARM.home), np.array([0.2, 0.05, 0.1]), np.array([0.0, 0.0, -3.0])
    before = near.copy(), position.copy(), up.copy()
    target = Target(position, up)
    kept = repr(target)
    ARM.solve(target, near, elbow='up', priority='up')
    ARM.solutions(target, near)
    for array, copy in zip((near, position, up), before):
        np.testing.assert_array_equal(array, copy)
    assert repr(target) == kept


def test_the_urdf_is_that_of_the_arm():
    robot = ElementTree.fromstring(ARM.to_urdf())
    names = [joint.get('name') for joint in robot.findall("joint[@type='revolute']")]
    assert names == list(ARM.joint_names)
    assert robot.get('name') == 'simple'


@on_3_11
@pytest.mark.parametrize('kind, usual, most', [
    ('up vector', 10, 30), ('any up vector', 310, 800), ('out of reach', 215, 560)])
def test_to_solve_a_target_takes_few_calls(kind, usual, most):
    # One that is reached has a formula; of any up vector, or out of reach, the best is searched.
    arm, rng, calls = Arm.preset('so101'), np.random.default_rng(1), []
    for _ in range(60):
        tip = arm.forward([rng.uniform(joint.lower, joint.upper) for joint in arm.model.joints])
        target = Target(tip.position * (3.0 if kind == 'out of reach' else 1.0),
                        None if kind == 'any up vector' else tip.up)
        with counted(calls):
            arm.solve(target)
    assert median(calls) <= usual and max(calls) <= most
