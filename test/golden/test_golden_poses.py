# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The presets against their makers' URDFs, as pinocchio sees those.

``make_golden.py`` beside this file computed the poses; neither it nor they know the presets'
numbers.
"""

from functools import lru_cache
import json
from math import atan2, cos, sin
from pathlib import Path

from arm_ik import Arm, Status, Target
import numpy as np
import pytest

FOLDER = Path(__file__).parent
MAKERS_ARMS = tuple(sorted(path.stem for path in FOLDER.glob('*.json')))

#: What a preset may differ from its maker's URDF, at most.
POSITION_TOLERANCE_M = 1e-5
ANGLE_TOLERANCE_RAD = 1e-4

#: Where the maker's numbers fit the model, only rounding is left: golden poses are given to
#: 1e-12 m, the presets' lengths and angles to ten digits.
EXACT_ARMS = ('al5d', 'crane_plus', 'dofbot', 'koch', 'lss_5dof', 'omx_f', 'omx_l',
              'open_manipulator_x', 'phantomx_pincher', 'px100', 'px150', 'rx150', 'rx200',
              'vx250', 'vx300', 'wx200', 'wx250')
EXACT_POSITION_M = 1e-9
EXACT_ANGLE_RAD = 1e-9

#: Elsewhere right angles in the maker's URDF (1.5708, 3.14159) tilt axes by some 1e-5 rad.
ROUNDED_POSITION_M = 5e-6
ROUNDED_ANGLE_RAD = 2e-5


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_a_preset_whose_base_is_turned_in_the_makers_frame_says_so(name):
    model, facts = preset(name).model, golden(name)
    if 'base_turn' not in facts:
        assert (model.urdf_frame, model.urdf_rpy) == ('', ())
    else:
        assert model.urdf_frame == facts['base_frame']
        assert model.urdf_rpy == pytest.approx((0.0, 0.0, -facts['base_turn']))


@lru_cache(maxsize=None)
def golden(name):
    return json.loads((FOLDER / f'{name}.json').read_text())


@lru_cache(maxsize=None)
def preset(name):
    return Arm.preset(name)


def angle(u, v):
    return atan2(np.linalg.norm(np.cross(u, v)), np.dot(u, v))


def served(arm, forward):
    """Return the forward vector for arms that can serve one, ``None`` for others."""
    return forward if arm.model.has('wrist_roll') else None


def at_a_limit(name, q):
    facts = golden(name)
    return any(reading in limits for reading, *limits in zip(q, facts['lower'], facts['upper']))


def misses(arm, q, pose):
    """Return how far the arm at q is from a golden pose: tip [m], up and forward vector [rad]."""
    here = arm.forward(q)
    return (np.linalg.norm(np.subtract(here.position, pose['position'])),
            angle(here.up, pose['up']), angle(here.rotation[:, 0], pose['forward']))


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_the_source_named_is_that_of_the_golden_poses(name):
    facts = golden(name)
    for key in ('repository', 'path', 'commit', 'licence'):
        assert facts[key] in preset(name).model.source


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_joints_and_limits_are_the_makers(name):
    facts, model = golden(name), preset(name).model
    assert list(model.joint_names) == facts['joint_names']
    assert [joint.lower for joint in model.joints] == pytest.approx(facts['lower'], abs=1e-9)
    assert [joint.upper for joint in model.joints] == pytest.approx(facts['upper'], abs=1e-9)


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_forward_kinematics_agrees_with_the_makers_urdf(name):
    exact = name in EXACT_ARMS
    most = EXACT_POSITION_M if exact else ROUNDED_POSITION_M
    limit = EXACT_ANGLE_RAD if exact else ROUNDED_ANGLE_RAD
    assert most < POSITION_TOLERANCE_M and limit < ANGLE_TOLERANCE_RAD
    for index, pose in enumerate(golden(name)['poses']):
        position, up, forward = misses(preset(name), pose['q'], pose)
        assert position < most, index
        assert up < limit and forward < limit, index


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_inverse_kinematics_reaches_the_makers_pose(name):
    arm = preset(name)
    for index, pose in enumerate(golden(name)['poses']):
        target = Target(pose['position'], pose['up'], served(arm, pose['forward']))
        solution = arm.solve(target, near=pose['q'])
        position, up, _ = misses(arm, solution.q, pose)
        assert position < POSITION_TOLERANCE_M, index
        if name in EXACT_ARMS:
            assert solution.status is Status.REACHED, (index, solution)
        elif not at_a_limit(name, pose['q']):
            # Position comes first: at a limit, where the maker's pose may be a micrometre out of
            # reach, another branch may serve the position and give up the up vector. The nearer
            # the tip is to the yaw axis, the farther a micrometre turns the yaw.
            from_axis = np.hypot(pose['position'][0] - arm.model.base_x,
                                 pose['position'][1] - arm.model.base_y)
            assert up < ANGLE_TOLERANCE_RAD + ROUNDED_POSITION_M / from_axis, index


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_inverse_kinematics_reaches_the_presets_own_pose_exactly_from_home(name):
    arm = preset(name)
    for index, pose in enumerate(golden(name)['poses']):
        here = arm.forward(pose['q'])
        target = Target(here.position, here.up, served(arm, here.rotation[:, 0]))
        # From home: near q, the answer would be at hand.
        solution = arm.solve(target)
        assert solution.status is Status.REACHED, (index, solution)
        there = arm.forward(solution.q)
        assert np.linalg.norm(np.subtract(there.position, here.position)) < 1e-9, index
        assert angle(there.up, here.up) < 1e-9, index
        # And by a branch of its own, not only by the search for the closest pose.
        assert arm.solutions(target)[0].status is Status.REACHED, index


def test_the_tip_of_the_so101_stays_in_the_arm_plane_whatever_the_roll():
    # 0.18 mm beside the yaw axis; the 18 mm of the maker's shoulder frame are along its axis.
    for pose in golden('so101')['poses']:
        yaw = -pose['q'][0]
        x, y = np.subtract(pose['position'][:2], (0.0388353, 0.0))
        assert -sin(yaw) * x + cos(yaw) * y == pytest.approx(-0.000178, abs=5e-6)
    assert preset('so101').model.lateral == pytest.approx(-0.000178, abs=1e-6)
    assert golden('so101')['tip_moved_onto_roll_axis_m'] == pytest.approx(0.0079, abs=5e-5)
