# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Types: the package's own, and what mypy tells a user who has it installed."""

import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

pytest.importorskip('mypy', reason='needs mypy; the extra "test" brings it')

ROOT = Path(__file__).resolve().parents[1]

#: What a user may write. A line that is wrong ends with the kind of error; any other is right.
USE = """
from pathlib import Path

from arm_ik import Arm, ArmIkError, ArmModel, InvalidInputError, Joint, Pose, Solution, Status
from arm_ik import Target, description
from arm_ik.kinematics.three_link import RecipeAngles, solve_recipe
from arm_ik.kinematics.two_link import solve_angles, solve_elbow
import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

Vector = tuple[float, float, float]

arm = Arm.preset('so101')
assert_type(arm, Arm)
assert_type(Arm.from_yaml(Path('my_arm.yaml')), Arm)
assert_type(arm.name, str)
assert_type(arm.joint_names, tuple[str, ...])
assert_type((arm.home, arm.lower, arm.upper), tuple[
    tuple[float, ...], tuple[float, ...], tuple[float, ...]])
assert_type(arm.to_urdf(), str)
assert_type(arm.model, ArmModel)
assert_type(arm.model.joints, tuple[Joint, ...])
assert_type(arm.model.extra_joints[0].closed, float)
assert_type(arm.model.floor_height, float | None)
arm.model.hand = 0.1  # wrong: misc
Arm('so101')  # wrong: arg-type

target = Target((0.2, 0.05, 0.1), up=[0, 0, -1], forward=np.array([1.0, 0.0, 0.0]))
assert_type(target.position, Vector)
assert_type(target.up, Vector | None)
Target('x')  # wrong: arg-type
Target((0.2, 0.05, 0.1), up=3)  # wrong: arg-type
Target()  # wrong: call-arg

solution = arm.solve(target, near=arm.home, elbow='up', priority='position',
                     branch_tolerance=(0.001, 0.03), elevation=1)
assert_type(solution, Solution)
assert_type(solution.q, tuple[float, ...])
assert_type(solution.status, Status)
assert_type(solution.reached, bool)
assert_type(solution.position_error_m, float)
assert_type(solution.reason, str)
assert_type(solution.limited_by, tuple[str, ...])
assert_type(arm.solver.solve(target, arm.home, 'down', 'up', 1e-4, 1e-3), Solution)
assert_type(solution.array, NDArray[np.float64])
assert_type(bool(solution), bool)
assert_type(str(solution.status), str)
np.asarray(solution) - arm.home
for at in (solution, solution.q, list(solution.q), solution.array):
    arm.solve(target, at)
    arm.solve(target, near=at)
    arm.solutions(target, at)
    arm.track([target], at)
    arm.line([target], start=at)
    arm.forward(at)
    arm.clearance(at)
    arm.check_path(at, solution)
solution.statuss  # wrong: attr-defined
arm.solve((0.2, 0.05, 0.1))  # wrong: arg-type
arm.solve(target, elbow='sideways')  # wrong: arg-type
arm.solve(target, near=0.0)  # wrong: arg-type
arm.solve(target, tolerance=1e-6)  # wrong: call-arg
assert_type(arm.solutions(target, near=np.zeros(5)), list[Solution])
assert_type(arm.up_range((0.2, 0.05, 0.1)), tuple[tuple[float, float], ...])

answers = arm.solve_batch(np.zeros((4, 3)), [0.0, 0.0, 1.0], progress=print)
assert_type(answers.q, NDArray[np.float64])
assert_type(answers.status, NDArray[np.int8])
assert_type(answers.reached, NDArray[np.bool_])
arm.solve_batch(np.zeros((4, 3)), threads='all')  # wrong: arg-type

pose = arm.forward(solution.q)
assert_type(pose, Pose)
assert_type(pose.rotation, NDArray[np.float64])
arm.forward(np.zeros((7, 5))).orientation  # wrong: attr-defined

arm.forward([solution, solution])
points = arm.points(solution)
assert_type(points.corner, NDArray[np.float64])
points.hand  # wrong: attr-defined
assert_type(arm.jacobian([arm.home, arm.home]), NDArray[np.float64])
arm.jacobian()  # wrong: call-arg

assert_type(Target.from_matrix(np.eye(4)), Target)
assert_type(Target.from_quaternion([0.2, 0.0, 0.1], (0, 0, 0, 1), up_axis='x'), Target)
Target.from_quaternion([0.2, 0.0, 0.1])  # wrong: call-arg
assert_type(Target.from_pose(object()), Target)
assert_type(arm.target((0.2, 0.05, 0.1), -1.2, forward=(1, 0, 0)), Target)
arm.target((0.2, 0.05, 0.1), (0, 0, 1))  # wrong: arg-type
assert_type(target.replace(up=None), Target)
target.replace(position=None)  # wrong: arg-type
target.replace(elevation=1.0)  # wrong: call-arg
assert_type(arm.placed(0.1, y=0.2, yaw=1.0), Arm)
assert_type(arm == Arm.preset('so101'), bool)
assert_type({arm: 1}, dict[Arm, int])
assert_type(arm.line([target]).q, NDArray[np.float64])
assert_type(arm.track([target]), list[Solution])

assert_type(arm.track((Target((0.2, 0.0, z)) for z in (0.1, 0.2)), start=None), list[Solution])
arm.track([(0.2, 0.0, 0.1)], start=None)  # wrong: list-item

assert_type(solve_angles(0.1, 0.1, 0.1, 0.1), tuple[float, float, bool])
assert_type(solve_elbow(0.1, 0.1, 0.1, 0.1), tuple[float, float] | None)
assert_type(solve_recipe(0.1, 0.1, 0.1, (0.1, 0.0, 0.1), (0.0, 0.0, 1.0)), RecipeAngles)
assert_type(description.preset_names(), tuple[str, ...])
assert_type(description.dump(description.load_model('my_arm.yaml')), str)
try:
    arm.solve(target)
except InvalidInputError as error:
    refused: ArmIkError = error
    assert_type(error.what, str)

import arm_ik
assert_type(arm_ik.presets(), tuple[str, ...])
assert_type(arm_ik.__version__, str)
arm_ik.Tagret  # wrong: attr-defined
description.no_such_thing  # wrong: attr-defined
"""

#: The same of the test harness.
USE_OF_HARNESS = """
from arm_ik.testing import ArmClient, SimulatedArm, TargetStatus, simulated_arm
from typing_extensions import assert_type


def test_the_hand_gets_to_the_cube(simulated_arm: SimulatedArm) -> None:
    stamp = simulated_arm.send((0.16, 0.12, 0.02), up=(0.0, 0.0, -1.0))
    assert_type(stamp, tuple[int, int])
    assert_type(simulated_arm.wait_for_arrival(stamp), TargetStatus)
    assert_type(simulated_arm.move_to((0.16, 0.12, 0.02)), tuple[float, ...])
    assert_type(simulated_arm.joint_states, dict[str, float])
    simulated_arm.assert_at((0.16, 0.12, 0.02), up=(0.0, 0.0, -1.0))
    simulated_arm.move_to(0.16, 0.12, 0.02)  # wrong: arg-type
    simulated_arm.wait_for_arrival(stamp).stat  # wrong: attr-defined


with SimulatedArm('px100', parameters={'ik_node': {'elbow': 'up'}}) as arm:
    assert_type(arm, SimulatedArm)
with ArmClient('px100', timeout=5) as client:
    assert_type(client, ArmClient)
"""


def mypy(*arguments, cwd, **variables):
    """Return what mypy finds: line by line, without its summary."""
    done = subprocess.run(
        [sys.executable, '-m', 'mypy', '--cache-dir', os.devnull, '--no-error-summary',
         '--hide-error-context', *map(str, arguments)],
        cwd=cwd, env={**os.environ, **variables}, text=True, capture_output=True)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if ': note: ' not in line]


def test_the_package_has_no_error_of_types():
    assert mypy('arm_ik', cwd=ROOT) == []


def test_a_user_is_told_of_wrong_uses_and_of_no_others(tmp_path):
    example, = [block for block in re.findall(
        r'```python\n(.*?)```', (ROOT / 'README.md').read_text(encoding='utf-8'), re.DOTALL)
        if 'arm.solve(' in block]
    files = {'use.py': USE, 'use_of_harness.py': USE_OF_HARNESS, 'example.py': example}
    wrong = set()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        for number, line in enumerate(text.splitlines(), start=1):
            wrong |= {f'{name}:{number} {kind}' for kind in re.findall('# wrong: (.*)', line)}
    # As a user has the package: among what is installed, by its py.typed.
    found = mypy('--strict', '--config-file', '', *files, cwd=tmp_path,
                 PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path]))
    told = {re.sub(r'(.*?:\d+): error: .*\[(.*)\]', r'\1 \2', line) for line in found}
    assert told == wrong, '\n'.join(found)
