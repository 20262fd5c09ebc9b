# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The target files of the package: as reachable as they claim, and clear of the table."""

from math import ceil

from arm_ik import Arm, KeepOut, Status
from arm_ik.demo.cli import shipped_files
from arm_ik.description.target_file import load_targets
import numpy as np
import pytest

FILES = {path.stem: path for path in shipped_files()}


def solved(file, arm):
    """Yield every pose step with its solution, each from where the arm is then."""
    near = arm.home
    for step in file.steps:
        if step.target:
            solution = arm.solve(step.target, near=near)
            near = solution.q
            yield step, solution


def together(arm, start, end):
    """Yield the positions on the way, all joints arriving together."""
    for part in np.linspace(0.0, 1.0, 50):
        yield start + part * np.subtract(end, start)


def each_at_its_speed(arm, start, end):
    """Yield the positions on the way, every joint at its full speed, 5 ms apart."""
    speeds = np.array([joint.max_velocity for joint in arm.model.joints])
    way = np.subtract(end, start)
    for k in range(1, ceil(np.max(np.abs(way) / speeds) / 0.005) + 1):
        yield start + np.clip(way, -speeds * 0.005 * k, speeds * 0.005 * k)


def test_both_files_come_along():
    assert sorted(FILES) == ['figure', 'pick_and_place']


@pytest.mark.parametrize('path', FILES.values(), ids=FILES)
def test_poses_are_reachable_where_the_file_says_so(path):
    file = load_targets(path)
    for step, solution in solved(file, Arm.preset(file.arm)):
        assert (solution.status is Status.REACHED) == step.reachable, (step.name, solution.reason)


@pytest.mark.parametrize('motion', [together, each_at_its_speed])
@pytest.mark.parametrize('path', FILES.values(), ids=FILES)
def test_the_arm_stays_clear_of_the_table_of_its_base_and_of_itself_on_the_way(path, motion):
    file = load_targets(path)
    arm = Arm.preset(file.arm)
    scene, q = arm.scene(keep_out=[KeepOut('table', 'half_space')]), np.array(arm.home)
    for step, solution in solved(file, arm):
        way = motion(arm, q, solution.q) if step.speed is None else arm.line([step.target], q).q
        way = np.array(list(way)).reshape(-1, len(q))
        assert (arm.clearance(way, scene) > 0.005).all(), step.name
        q = np.array(solution.q)


def test_the_figure_is_drawn_with_the_pen_upright_and_never_turned():
    poses = [step for step in load_targets(FILES['figure']).steps if step.target]
    assert [step.speed for step in poses] == [None, 0.04, *[0.08] * 5, 0.04]
    assert {step.target.up for step in poses} == {(0.0, 0.0, -1.0)}
    assert {step.target.forward for step in poses} == {(-1.0, 0.0, 0.0)}


def test_the_gripper_is_opened_closed_on_the_cube_and_opened_again():
    steps = load_targets(FILES['pick_and_place']).steps
    openings = [step.opening for step in steps if not step.target]
    assert openings[:3] == [1.0, 0.3, 1.0]
