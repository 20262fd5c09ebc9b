# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``Arm.approach``, judged by forward kinematics and by the drawn shapes."""

from dataclasses import replace
from math import cos, radians, sin

from arm_ik import Arm, InvalidInputError, presets
from arm_ik.kinematics.model import KeepOut
import numpy as np
import pytest

SO101 = Arm.preset('so101')
DOWN = np.array((0.0, 0.0, -1.0))


def places(arm, count, seed=1):
    """Yield places on the table in front of an arm [m]."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        r, yaw = rng.uniform(0.13, 0.24), rng.uniform(-1.2, 1.2)
        yield arm.model.base_x + r * cos(yaw), r * sin(yaw), 0.015


def assert_straight(arm, found, position, length, up=DOWN):
    """Assert that a line ends at a position, and leads there exactly straight."""
    tips = arm.forward(found.line.q)
    behind = (np.array(position) - tips.position) @ up
    assert behind[0] == pytest.approx(length, abs=1e-9) and abs(behind[-1]) < 1e-9
    assert np.abs(tips.position + behind[:, None] * up - position).max() < 1.5e-4
    for end, target in ((0, found.before), (-1, found.at)):
        assert tips.position[end] == pytest.approx(target.position, abs=1e-9)
        assert tips.up[end] == pytest.approx(target.up, abs=1e-3)     # up_tolerance
        assert tips.rotation[end, :, 0] @ target.forward == pytest.approx(1.0, abs=1e-9)
        assert arm.solve(target, near=found.line.q[end]).reached
    assert (np.array(arm.lower) <= found.line.q).all() and (found.line.q <= arm.upper).all()


def tilt(target, up=DOWN):
    return np.arccos(np.clip(np.dot(target.up, up), -1.0, 1.0))


def test_an_arm_comes_straight_down_to_places_on_a_table():
    arm = Arm(replace(SO101.model, floor_height=0.0))
    for position in places(arm, 15):
        found = arm.approach(position, 0.09)
        assert found.reason == ''
        assert_straight(arm, found, position, 0.09)
        open_gripper = arm.scene({'gripper': arm.model.extra_joints[0].open})
        assert arm.clearance(found.line.q, open_gripper).min() >= 0.0
        assert tilt(found.at) < radians(10.1) and tilt(found.before) < radians(20.1)


def test_the_hand_is_tilted_no_more_than_it_must_be():
    upright = SO101.approach((0.25, 0.0, 0.02), 0.03)
    assert tilt(upright.at) < 1e-7 and tilt(upright.before) < 1e-7
    position = (0.2, 0.05, 0.015)
    found = SO101.approach(position, 0.09)
    tilts = tilt(found.at) + tilt(found.before)
    assert radians(4.0) < tilts
    # One step less is not exact, at whichever end it is taken.
    for at in np.arange(0.0, tilts - radians(4.9), radians(5.0)):
        for signs in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
            before = tilts - radians(5.0) - at
            ends = [SO101.solve(SO101.target(point, -0.5 * np.pi + sign * angle))
                    for point, sign, angle in zip(
                        (position, np.array(position) + (0.0, 0.0, 0.09)), signs, (at, before))]
            assert not all(end.reached for end in ends)


@pytest.mark.parametrize('opening', [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, -2.0, 0.5)])
@pytest.mark.parametrize('tip', ['', 'gripper_frame_link'])
@pytest.mark.parametrize('name, axis', [('so101', 0), ('vx300', 1)])
def test_the_fingers_open_in_the_direction_asked_for(name, axis, tip, opening):
    arm = Arm.preset(name, tip=tip if name == 'so101' else None)
    reach = 0.2 if name == 'so101' else 0.35
    found = arm.approach((reach, 0.05, 0.05), 0.04, opening=opening)
    for q in found.line.q[[0, -1]]:
        rotation = arm.forward(q).rotation
        level = np.array(opening) - rotation[:, 2] * (opening @ rotation[:, 2])
        level /= np.linalg.norm(level)
        assert abs(rotation[:, axis] @ level) == pytest.approx(1.0, abs=1e-9)


def test_a_turned_tip_changes_nothing_about_where_the_fingers_open():
    model = SO101.model
    arm = Arm(replace(model, tip='turned', tips=(
        replace(model.tips[0], name='turned', x=0.0, y=0.0, turn=0.7),)))
    turned, plain = [each.approach((0.2, 0.05, 0.05), 0.04, opening=(0.0, 1.0, 0.0))
                     for each in (arm, SO101)]
    assert turned.line.q[-1] == pytest.approx(plain.line.q[-1], abs=1e-9)


def test_a_shape_in_between_is_passed_tilted_or_named():
    position = (0.25, 0.0, 0.02)
    wall = KeepOut('wall', 'box', (0.02, 0.4, 0.4), (0.33, 0.0, 0.0))
    scene = SO101.scene({'gripper': 1.0}, [wall])
    free, found = SO101.approach(position, 0.05), SO101.approach(position, 0.05, scene=scene)
    assert SO101.clearance(free.line.q, scene).min() < 0.0 <= SO101.clearance(
        found.line.q, scene).min()
    lid = KeepOut('lid', 'box', (0.4, 0.4, 0.01), (0.25, 0.0, 0.05))
    found = SO101.approach(position, 0.05, scene=SO101.scene({}, [lid]))
    assert found.line is found.at is found.before is None
    assert 'would touch the lid' in found.reason


def test_the_gripper_comes_open():
    position = (0.25, 0.0, 0.02)
    post = KeepOut('post', 'cylinder', (0.005, 0.12), (0.25, -0.07, 0.05))
    arm = Arm(replace(SO101.model, keep_out=(post,)))
    closed, opened = arm.scene(), arm.scene({'gripper': arm.model.extra_joints[0].open})
    side = (0.0, 1.0, 0.0)
    line = arm.approach(position, 0.05, opening=side, scene=closed).line
    assert arm.clearance(line.q, opened).min() < 0.0
    line = arm.approach(position, 0.05, opening=side).line
    assert arm.clearance(line.q, opened).min() >= 0.0


def test_what_cannot_be_reached_is_said():
    found = SO101.approach((0.9, 0.0, 0.0))
    assert found.line is None and 'too far' in found.reason
    high = SO101.approach((0.25, 0.0, 0.02), 0.6)
    assert high.line is None and high.reason


def test_from_the_side_and_with_another_start():
    ahead = (1.0, 0.0, 0.0)
    found = SO101.approach((0.3, 0.0, 0.15), 0.04, ahead)
    assert_straight(SO101, found, (0.3, 0.0, 0.15), 0.04, np.array(ahead))
    rolled = (*SO101.home[:-1], 2.0)
    near = SO101.approach((0.25, 0.0, 0.02), 0.03, opening=(0.0, 1.0, 0.0), near=rolled)
    other = SO101.approach((0.25, 0.0, 0.02), 0.03, opening=(0.0, 1.0, 0.0))
    assert near.line.q[0, -1] - other.line.q[0, -1] == pytest.approx(np.pi, abs=1e-6)


@pytest.mark.parametrize('name', presets())
def test_every_preset_has_a_line_or_a_reason(name):
    arm = Arm.preset(name)
    tip = arm.forward(arm.home).position
    found = arm.approach(tip, 0.02, opening=(0.0, 1.0, 0.0) if arm.model.has(
        'wrist_roll') else None)
    assert (found.line is None) is bool(found.reason)
    if found.line is not None:
        assert arm.forward(found.line.q[-1]).position == pytest.approx(tip, abs=1e-9)


@pytest.mark.parametrize('wrong', [
    {'distance': 0.0}, {'distance': np.nan}, {'position': (1.0, 2.0)}, {'up': (0.0, 0.0, 0.0)},
    {'opening': (0.0, 0.0, 2.0)}, {'near': (1.0,)}])
def test_bad_input_is_refused(wrong):
    with pytest.raises(InvalidInputError):
        SO101.approach(**{'position': (0.2, 0.0, 0.02), **wrong})
