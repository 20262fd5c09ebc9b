# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What people write in their first programs, and what they get."""

import warnings

from arm_ik import Arm, InvalidInputError, Status, Target
import numpy as np
import pytest

ARM = Arm.preset('so101')
MET = Target((0.20, 0.05, 0.05), (0.0, 0.0, -1.0))
FAR = Target((2.0, 0.05, 0.05), (0.0, 0.0, -1.0))
KINDS = ['so101', 'simple', 'rolling_base', 'px100']
each_kind = pytest.mark.parametrize('name', KINDS)


def random_poses(arm, count, seed=0):
    """Return joint positions inside the limits, shape (count, joints)."""
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (count, len(arm.lower)))


# Answers.

def test_a_status_is_printed_by_its_name_and_stays_a_number():
    status = ARM.solve(FAR).status
    assert str(status) == f'{status}' == '%s' % status == 'POSITION_RELAXED'
    assert f'{status:>18}|{status:d}' == '  POSITION_RELAXED|3' and status == 3
    assert not Status.REACHED and Status.FORWARD_RELAXED


def test_a_solution_is_true_if_it_is_reached():
    assert ARM.solve(MET)
    assert not ARM.solve(FAR)


def test_a_solution_gives_an_array_to_reckon_with():
    solution = ARM.solve(MET)
    np.testing.assert_array_equal(solution.array, solution.q)
    solution.array[0] = 7.0
    assert solution.array[0] == solution.q[0] != 7.0
    np.testing.assert_array_equal(np.array([solution, solution]), [solution.q] * 2)


def test_a_solution_is_taken_wherever_joint_positions_are():
    at = ARM.solve(Target((0.15, -0.1, 0.1), (0.5, -0.3, -1.0)))
    assert at.step_rad > 0.1
    assert ARM.solve(MET, at) == ARM.solve(MET, at.q) != ARM.solve(MET)
    assert ARM.solutions(MET, at) == ARM.solutions(MET, at.q)
    assert ARM.track([MET], at) == ARM.track([MET], at.q)
    np.testing.assert_array_equal(ARM.line([MET], at).q, ARM.line([MET], at.q).q)
    np.testing.assert_array_equal(ARM.forward(at).rotation, ARM.forward(at.q).rotation)
    assert ARM.forward(ARM.track([MET, FAR], at)).position.shape == (2, 3)
    assert ARM.clearance(at) == ARM.clearance(at.q)
    assert ARM.check_path(at, ARM.solve(MET)) == ARM.check_path(at.q, ARM.solve(MET).q)
    batch = [ARM.solve_batch([MET.position], [MET.up], near=near).q for near in (at, at.q)]
    np.testing.assert_array_equal(*batch)
    with pytest.raises(InvalidInputError, match='near is .*allowed: 4 joint positions'):
        Arm.preset('simple').solve(MET, at)


def test_a_notebook_shows_a_solution_as_a_table_of_its_words():
    solution = ARM.solve(FAR)._replace(reason='a < b')
    table = getattr(solution, '_repr_html_')()
    assert 'POSITION_RELAXED' in table and 'a &lt; b' in table
    assert all(f'{position:.4f}' in table for position in solution.q)


# Joint positions.

@pytest.mark.parametrize('kind', [list, np.array, np.float32])
def test_near_of_any_type_takes_the_fast_path(kind, monkeypatch):
    monkeypatch.setattr(ARM.solver, 'solve_generally', None)
    assert ARM.solve(MET, kind(ARM.home))


@each_kind
def test_one_pose_is_the_same_as_one_of_many(name):
    arm = Arm.preset(name)
    poses = random_poses(arm, 20)
    for many in zip(*arm.forward(poses), poses):
        for one in (arm.forward(many[-1]), arm.forward(many[-1].tolist())):
            for found, expected in zip(one, many):
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    first = arm.forward(poses[0])
    before = first.rotation.copy()
    first.up[:] = 0.0
    np.testing.assert_array_equal(first.rotation, before)


@pytest.mark.parametrize('many', [False, True])
def test_forward_of_degrees_is_warned_of_and_of_radians_is_not(many):
    degrees = [10.0, -60.0, 60.0, 50.0, 0.0]
    with pytest.warns(UserWarning, match='shoulder_pan at 10 rad .*degrees') as caught:
        ARM.forward([degrees, degrees] if many else degrees)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for q in (ARM.home, ARM.lower, np.add(ARM.upper, 6.2), [6.9] * 5):
            ARM.forward([q, q] if many else q)


def test_lines_and_tracks_start_at_home():
    assert ARM.track([MET]) == ARM.track([MET], ARM.home)
    np.testing.assert_array_equal(ARM.line([MET]).q, ARM.line([MET], ARM.home).q)
