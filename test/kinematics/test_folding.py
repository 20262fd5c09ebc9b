# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A folded function is the same function; an arm in steady use has one."""

from arm_ik import Arm
from arm_ik.kinematics import folding
from arm_ik.kinematics.fast_path import fast_path, SOURCE
from arm_ik.kinematics.folding import folded, source_of
from judged_arms import make_arm, random_arm
import pytest
from test_fast_path import random_targets

THIS = source_of(globals())


def closure(sign, offset, beside, clamp):
    def run(x):
        y = sign * (x - offset)
        y += beside
        if beside and y:
            return 'beside'
        y = 2.0 * y - (beside - x)
        if clamp is None:
            return y
        return clamp(y)
    return run


@pytest.mark.parametrize('cells', [
    (1.0, 0.0, 0.0, None), (-1.0, 0.0, 0.0, None), (1.0, 0.5, 0.0, abs), (2.0, 0.0, 0.3, None)])
def test_a_folded_function_returns_the_same(cells):
    run = closure(*cells)
    assert [folded(run, THIS)(x) for x in (-2.0, 0.1, 3.0)] == [run(x) for x in (-2.0, 0.1, 3.0)]


def test_what_does_nothing_is_left_out():
    run, other = [folded(closure(1.0, *cells), THIS).__code__
                  for cells in ((0.0, 0.0, None), (0.5, 0.3, abs))]
    assert not run.co_freevars
    assert len(run.co_code) < len(other.co_code)
    assert 'beside' in other.co_consts and 'beside' not in run.co_consts


def test_a_traceback_still_names_the_line():
    with pytest.raises(TypeError) as error:
        folded(closure(1.0, 0.5, 0.0, None), THIS)('x')
    entry = error.traceback[-1]
    assert str(entry.path) == __file__
    assert 'sign * (x - offset)' in str(entry.statement)


def test_without_its_source_a_function_stays_as_it_is():
    run = closure(1.0, 0.0, 0.0, None)
    assert folded(run, None) is run


@pytest.mark.parametrize('arm', [
    Arm.preset('simple'), Arm.preset('so101'), make_arm(lateral=0.02),
    make_arm(everywhere=(-7.0, 8.0)), make_arm(floor_height=0.0, base_height=0.1),
    *[random_arm('yaw', seed) for seed in range(5)],
    *[random_arm('yaw_wrist_roll', seed) for seed in range(5)]], ids=lambda arm: arm.name)
def test_the_folded_fast_path_gives_the_same_answers_to_the_last_bit(arm):
    plain = fast_path(arm._solver.geometry, arm._solver.triangle)
    quick = folded(plain, SOURCE)
    for target, near in random_targets(arm, 4, 100, 0.5):
        for tolerances in ((1e-9, 1e-9), (1e-4, 1e-3)):
            arguments = target.position, target.up, near, *tolerances
            assert quick(*arguments) == plain(*arguments)


def test_an_arm_in_steady_use_has_a_folded_fast_path(monkeypatch):
    monkeypatch.setattr(folding, 'STEADY', 3)
    arm = make_arm()
    before = arm._solver.fast
    found = [(arm.solve(target, near), arm._solver.fast is before)
             for target, near in list(random_targets(arm, 1, 1, 0.0)) * 4]
    assert [same for _, same in found] == [True, True, False, False]
    assert len({solution for solution, _ in found}) == 1
    assert not arm._solver.fast.__code__.co_freevars
