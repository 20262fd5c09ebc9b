# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The slice: where its cells are, and where the arm stands in it."""

from math import cos, hypot, sin

from arm_ik import Arm, InvalidInputError
from arm_ik.workspace.cells import make_slice, points_at_home
from arm_ik.workspace.region import reach_area
import numpy as np
import pytest
from sliced_arms import LIMITED, model


@pytest.mark.parametrize('name', sorted(LIMITED))
def test_the_slice_is_wider_than_the_stretched_arm(name):
    arm = LIMITED[name]
    left, right, bottom, top = make_slice(arm).extent
    assert left == pytest.approx(-right)
    assert right > arm.reach + abs(arm.shoulder_offset)
    assert bottom < arm.base_height - arm.reach and top > arm.base_height + arm.reach


def test_cells_are_squares_of_the_side_asked_for_with_the_yaw_axis_between_two():
    cells = make_slice(model(), 0.013)
    assert np.diff(cells.r) == pytest.approx(0.013) and np.diff(cells.z) == pytest.approx(0.013)
    assert np.abs(cells.r).min() == pytest.approx(0.0065)
    assert cells.grid[0].shape == (len(cells.z), len(cells.r))


def test_cells_are_a_round_number_by_default():
    assert make_slice(model()).cell == 0.002
    assert make_slice(Arm.preset('so101').model).cell == 0.0025


@pytest.mark.parametrize('cell', [0.0, -0.01, 1e-9, 10.0])
def test_cells_of_no_use_are_refused(cell):
    with pytest.raises(InvalidInputError, match='the size of a cell'):
        make_slice(model(), cell)


@pytest.mark.parametrize('name', sorted(LIMITED))
def test_the_arm_stands_at_home_in_its_slice(name):
    arm = Arm(LIMITED[name])
    cells = make_slice(arm.model)
    r, z = points_at_home(arm.model, cells)[-1]
    pose = arm.forward(arm.home)
    assert cells.position(r, z) == pytest.approx(pose.position)
    (wrist_r, wrist_z), length = points_at_home(arm.model, cells)[-3], arm.model.hand
    along = ((r - wrist_r) / length, 0.0, (z - wrist_z) / length)
    assert cells.direction(along) == pytest.approx(pose.up)


def test_the_slice_is_where_the_arm_of_a_urdf_reaches_not_along_x(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(Arm.preset('simple').to_urdf().replace('<robot name="simple">', """
        <robot name="simple"><link name="mast"/><joint name="mount" type="fixed">
        <origin rpy="0 0 2"/><parent link="mast"/><child link="base_link"/></joint>"""))
    arm, turned = Arm.from_urdf(path), Arm.from_urdf(path, forward='home')
    assert make_slice(arm.model).yaw == pytest.approx(2.0)
    assert points_at_home(arm.model, make_slice(arm.model)) == pytest.approx(
        points_at_home(turned.model, make_slice(turned.model)), abs=1e-9)


@pytest.mark.parametrize('kind, home', [
    ('roll', (0.4, 0.7, 1.0, -0.6, 0.3)), ('tilt', (0.4, 1.0, -0.6, 0.3, 0.8))])
def test_an_arm_that_leans_out_of_the_slice_is_drawn_as_seen(kind, home):
    arm = Arm(model(kind, home=home, base_height=0.05, shoulder_offset=0.02))
    cells = make_slice(arm.model)
    r, z = points_at_home(arm.model, cells)[-1]
    x, y, height = arm.forward(arm.home).position
    assert z == pytest.approx(height)
    assert r == pytest.approx(x * cos(cells.yaw) + y * sin(cells.yaw))


def test_what_is_beyond_the_links_is_so_from_wherever_the_shoulder_may_stand():
    arm = model(shoulder_offset=0.05, base_height=0.1)
    cells = make_slice(arm)
    for r, z in ((0.36, 0.1), (-0.36, 0.1), (0.05, 0.41)):
        assert not cells.beyond_links(r, z)
    for r, z in ((0.38, 0.1), (-0.38, 0.1), (0.05, 0.43), (0.3, 0.35)):
        assert cells.beyond_links(r, z)
        assert hypot(abs(r) - 0.05, z - 0.1) > arm.reach


def test_a_tip_beside_the_roll_axis_is_in_the_slice_at_home():
    arm = Arm.preset('so101', tip='gripper_frame_link')
    tip, cells = arm.forward(arm.home).position, make_slice(arm.model)
    begin, end = [np.array(cells.position(r, tip[2])) for r in (0.0, 1.0)]
    assert begin + (tip - begin) @ (end - begin) * (end - begin) == pytest.approx(tip, abs=1e-9)


def test_the_area_of_a_free_arm_is_a_disc_and_its_edge_is_reached():
    triangles = reach_area(model(base_height=0.1), (0.1, 0.2))
    sides = triangles[:, 1:] - triangles[:, :1]
    area = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1).sum()
    assert area == pytest.approx(np.pi * 0.32 ** 2, rel=0.01)
    distance = np.linalg.norm(triangles - (0.0, 0.0, 0.1), axis=-1)
    assert distance.max() == pytest.approx(0.32, abs=1e-3) and distance.max() < 0.32 + 1e-4
    assert triangles[..., 1] == pytest.approx(2.0 * triangles[..., 0])
