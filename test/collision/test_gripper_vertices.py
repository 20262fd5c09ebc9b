# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The checked shapes of hand and fingers where the makers' parts are.

``gripper_vertices.json`` has, for each preset, the outermost vertices [mm] of the meshes of the
maker's URDF that ``source`` of the preset names, in the ``tool0`` at the end of the last link: of
the last link (``hand``), of the link before a wrist roll (``wrist``), with the roll at home, and
of the fingers when closed, and 25, 50, 75 and 100 % open. Of SO-ARM 102 they are corners of its
URDF's collision boxes, and of DOFBOT's wrist those of its camera.
"""

from dataclasses import replace
import json
from pathlib import Path

from arm_ik import Arm, KeepOut
from arm_ik.description import preset_names
import numpy as np
import pytest

VERTICES = json.loads(Path(__file__).with_name('gripper_vertices.json').read_text())


def farthest_out(arm, vertices):
    """Return how far the farthest of a maker's vertices is out of the checked shapes [m]."""
    return max(farthest(arm, [*vertices['hand'], *fingers], {
        joint.name: joint.closed + opening * (joint.open - joint.closed)
        for joint in arm.model.extra_joints}, arm.home)
        for fingers, opening in zip(vertices['fingers'], np.linspace(0.0, 1.0, 5)))


def farthest(arm, vertices, positions, q):
    """Return how far the farthest of vertices [mm] at home is out of the shapes in a pose [m]."""
    end = Arm(replace(arm.model, tip='')).forward(arm.home)
    points = end.position + 1e-3 * np.array(vertices) @ end.rotation.T
    scene = arm.scene(positions, [KeepOut(f'{number}', 'box', (1e-6,) * 3, tuple(point))
                                  for number, point in enumerate(points)])
    distances = scene.distances(np.array([q]))[0]
    return max(distances[scene.others[:-1] == f'{number}'].min() for number in range(len(points)))


def test_every_preset_with_a_gripper_is_measured():
    assert set(VERTICES) == {name for name in preset_names()
                             if Arm.preset(name).model.extra_joints}


@pytest.mark.parametrize('name', VERTICES)
def test_the_makers_hand_and_fingers_are_in_the_checked_shapes_but_for_5_mm(name):
    assert farthest_out(Arm.preset(name), VERTICES[name]) < 0.005


@pytest.mark.parametrize('name', [name for name in VERTICES if 'wrist' in VERTICES[name]])
def test_the_link_before_the_roll_is_in_the_checked_shapes_wherever_the_hand_is_rolled(name):
    arm = Arm.preset(name)
    for roll in np.linspace(arm.lower[-1], arm.upper[-1], 7):
        assert farthest(arm, VERTICES[name]['wrist'], {}, (*arm.home[:-1], roll)) < 0.005


@pytest.mark.parametrize('name, changes', [
    ('so101', {'along': 'x'}), ('so101', {'along': '-y'}), ('crane_plus', {'along': 'y'}),
    ('braccio', {'second': 'none'}), ('braccio', {'travel': None}), ('px100', {'second': 'fixed'}),
    ('open_manipulator_x', {'along': 'x'})])
def test_a_finger_that_moves_otherwise_is_noticed(name, changes):
    model = Arm.preset(name).model
    wrong = replace(model, extra_joints=(replace(model.extra_joints[0], **changes),))
    assert farthest_out(Arm(wrong), VERTICES[name]) > 0.01
