# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which options a solve takes, and that every other is refused by name."""

from dataclasses import replace
from math import inf, nan

from arm_ik import Arm, ExtraJoint, Target
from arm_ik.description.values import integer, number
from arm_ik.errors import InvalidInputError
from arm_ik.kinematics.options import check
import numpy as np
import pytest

GOOD = {'elbow': 'nearest', 'priority': 'position', 'position_tolerance': 1e-9,
        'up_tolerance': 1e-9, 'elevation': None, 'branch_tolerance': None}


@pytest.mark.parametrize('option', [
    {}, {'elbow': 'up'}, {'elbow': 'down'}, {'priority': 'up'}, {'position_tolerance': 0.0},
    {'up_tolerance': 0.0}, {'elevation': 0.0}, {'elevation': -2}, {'branch_tolerance': (0.0, 0.0)},
    {'position_tolerance': np.float32(1.0)}, {'up_tolerance': np.float16(1.0)},
    {'elevation': np.float32(1.0)}, {'branch_tolerance': (0.5, 1)},
    {'branch_tolerance': [2.0, 3.0]}], ids=str)
@pytest.mark.filterwarnings('error')
def test_it_takes(option):
    check(**{**GOOD, **option})


@pytest.mark.parametrize('kind', [
    np.float16, np.float32, np.int8, np.uint8, np.int64, np.longdouble])
@pytest.mark.filterwarnings('error')
def test_numbers_of_numpy_are_numbers_wherever_one_is_taken(kind):
    arm, one, zeros = Arm.preset('simple'), kind(1), np.zeros(4, kind)
    target, point = Target((one, 0, 0), (one, one, one)), Target(np.array([0, 0, 1], kind))
    model = replace(arm.model, upper_arm=one, home=zeros, base_height=one, extra_joints=[
        ExtraJoint('jaw', kind(0), one, one)], joints=[
            replace(joint, max_velocity=one, sign=one) for joint in arm.model.joints])
    assert model == replace(model, upper_arm=1.0)
    assert {type(model.upper_arm), type(model.home[0]), type(model.joints[0].sign)} == {float}
    for arm in (arm, Arm(model)):
        assert arm.solve(target, zeros, 'up', 'up', one, one, None, (one, one)).q
        assert arm.solve(point, zeros, elevation=one).q
        assert arm.forward(zeros).up.dtype == float
        assert arm.track([point], zeros, elevation=one)
        assert arm.line([point], zeros, one, one, one, one).times.dtype == float
        whole = one if np.issubdtype(kind, np.integer) else 1
        assert len(arm.solve_batch(np.ones((2, 3), kind), np.ones(3, kind), chunk_size=whole,
                                   threads=whole).q) == 2
    assert number('arm.home', one) == integer('arm.home', one) == 1


@pytest.mark.parametrize('kind', [np.complex64, np.complex128])
@pytest.mark.filterwarnings('error')
def test_complex_arrays_are_refused(kind):
    arm, three = Arm.preset('simple'), np.array([0.1, 0.0, 0.1], kind)
    for what, call in (
            ('target position', lambda: Target(three)),
            ('target up vector', lambda: Target((0.1, 0.0, 0.1), three)),
            ('near', lambda: arm.solve(Target((0.1, 0.0, 0.1)), np.zeros(4, kind))),
            ('joint positions', lambda: arm.forward(np.zeros(4, kind))),
            ('positions', lambda: arm.solve_batch([three, three]))):
        with pytest.raises(InvalidInputError, match=f'{what} is .*j.*; allowed: '):
            call()


@pytest.mark.parametrize('what, option', [
    ('elbow', {'elbow': 'left'}), ('elbow', {'elbow': None}),
    ('elbow', {'elbow': np.array(['up', 'down'])}), ('elbow', {'elbow': np.array([1, 2])}),
    ('priority', {'priority': 'forward'}), ('priority', {'priority': np.array([1, 2])}),
    *(('position_tolerance, up_tolerance', {name: bad})
      for name in ('position_tolerance', 'up_tolerance')
      for bad in (-1e-9, nan, inf, -inf, None, '1', 10 ** 400, np.array([1.0, 2.0]))),
    *(('elevation', {'elevation': bad}) for bad in (
        nan, inf, -inf, 'up', 10 ** 400, np.array([0.5]), np.array([0.5, 0.6]), [0.5])),
    *(('branch_tolerance', {'branch_tolerance': bad})
      for bad in (0.5, (), (1.0,), (1.0, 1.0, 1.0), (-1e-9, 1.0), (1.0, -1e-9), (nan, 1.0),
                  (1.0, nan), (inf, 1.0), (1.0, inf), ('a', 'b'), b'12', {0.1, 0.2},
                  {0.1: 1, 0.2: 2}, (10 ** 400, 1.0), (1.0, 10 ** 400), np.zeros((2, 2))))],
    ids=lambda x: str(x)[:60])
def test_it_refuses_by_name(what, option):
    with pytest.raises(InvalidInputError) as error:
        check(**{**GOOD, **option})
    assert what in error.value.what
    assert ' '.join(repr(next(iter(option.values()))).split())[:40] in str(error.value)


def test_the_words_for_elbow_and_priority_are_listed():
    with pytest.raises(InvalidInputError, match='allowed: nearest, up, down$'):
        check(**{**GOOD, 'elbow': 'left'})
    with pytest.raises(InvalidInputError, match='allowed: position, up$'):
        check(**{**GOOD, 'priority': 'forward'})


def test_without_elevation_and_branch_tolerance_nothing_is_asked_of_them():
    check('nearest', 'position', 1.0, 1.0)
