# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from functools import partial
from math import inf, nan, sqrt
from types import SimpleNamespace

from arm_ik.errors import InvalidInputError
from arm_ik.kinematics import tool_axes
from arm_ik.kinematics.tool_axes import TOOL_AXES
from arm_ik.nodes.common.pose_message import quaternion
from arm_ik.nodes.ik.target_reader import (
    look_up, TargetReader, transforms, without_tf2)
from arm_ik.tool_rotation import target_rotation
from builtin_interfaces.msg import Time
import numpy as np
import pytest

NOW = 1_700_000_000_500_000_000
HALF = sqrt(0.5)
TURNED = (0.5, 0.5, 0.5, 0.5)  # x to y, y to z, z to x


def vector(*values):
    return SimpleNamespace(x=values[0], y=values[1], z=values[2])


def header(frame='base_link', ns=0):
    return SimpleNamespace(
        frame_id=frame, stamp=SimpleNamespace(sec=ns // 10**9, nanosec=ns % 10**9))


def pose(position=(0.2, 0.0, 0.1), orientation=(0.0, 0.0, 0.0, 1.0), **head):
    x, y, z, w = orientation
    return SimpleNamespace(header=header(**head), pose=SimpleNamespace(
        position=vector(*position), orientation=SimpleNamespace(x=x, y=y, z=z, w=w)))


def point(*values, **head):
    return SimpleNamespace(header=header(**head), point=vector(*values))


def up_vector(*values, **head):
    return SimpleNamespace(header=header(**head), vector=vector(*values))


def reader(up_axis='z', look_up=partial(without_tf2, 'base_link')):
    return TargetReader('base_link', up_axis, look_up)


def table(what, header):
    """Return a frame at (1, 2, 3) whose x axis is the base's y."""
    assert header.frame_id == 'table'
    return (1.0, 2.0, 3.0), SimpleNamespace(x=0.0, y=0.0, z=HALF, w=HALF)


@pytest.mark.parametrize('up_axis, up, forward', [
    ('z', (0, 0, 1), (1, 0, 0)), ('-z', (0, 0, -1), (1, 0, 0)),
    ('x', (1, 0, 0), (0, 0, -1)), ('-x', (-1, 0, 0), (0, 0, 1)),
    ('y', (0, 1, 0), (1, 0, 0)), ('-y', (0, -1, 0), (1, 0, 0))])
def test_up_axis_names_the_axis_of_the_targets_frame(up_axis, up, forward):
    target = reader(up_axis).from_pose(pose(), NOW)
    assert (target.up, target.forward) == (up, forward)
    turned = reader(up_axis).from_pose(pose(orientation=TURNED), NOW)
    assert turned.up == pytest.approx((up[2], up[0], up[1]), abs=1e-15)
    assert turned.forward == pytest.approx((forward[2], forward[0], forward[1]), abs=1e-15)


@pytest.mark.parametrize('up_axis', TOOL_AXES)
def test_a_rotation_of_the_tool_can_be_asked_for_in_every_convention(up_axis):
    tool = np.array([[0.0, 0.6, 0.8], [1.0, 0.0, 0.0], [0.0, 0.8, -0.6]])
    target = reader(up_axis).from_pose(
        pose(orientation=quaternion(target_rotation(up_axis, tool))), NOW)
    assert target.up == pytest.approx(tool[:, 2])
    assert target.forward == pytest.approx(tool[:, 0])


def test_every_row_of_the_documented_table_is_a_right_handed_frame():
    rows = {}
    for line in tool_axes.__doc__.splitlines():
        if line.startswith("``'"):
            name, *axes = line.split()[:4]
            rows[name.strip("`'")] = [
                ('xyz'.index(axis[-1]) + 1) * (-1 if axis[0] == '-' else 1) for axis in axes]
    assert set(rows) == set(TOOL_AXES)
    for up_axis, row in rows.items():
        tool_x, tool_y, tool_z = (np.sign(axis) * np.eye(3)[abs(axis) - 1] for axis in row)
        target = reader(up_axis).from_pose(pose(), NOW)
        assert np.cross(tool_x, tool_y) == pytest.approx(tool_z)
        assert (target.up, target.forward) == (tuple(tool_z), tuple(tool_x))


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.parametrize('index', range(7))
def test_a_pose_with_a_number_that_is_not_finite_is_refused(bad, index):
    values = [0.2, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]
    values[index] = bad
    what = 'position' if index < 3 else 'orientation'
    with pytest.raises(InvalidInputError, match=f'target_pose {what} is .*{bad}.* finite numbers'):
        reader().from_pose(pose(values[:3], values[3:]), NOW)


@pytest.mark.parametrize('norm, words', [
    (0.0, 'all zeros is not a rotation'),
    *((norm, 'its norm is ') for norm in (5e-324, 0.5, 0.9989, 1.0011, 2.0, 1e308))])
def test_a_quaternion_of_another_norm_is_refused(norm, words):
    with pytest.raises(InvalidInputError, match=f'target_pose orientation .* {words}'):
        reader().from_pose(pose(orientation=(norm, 0.0, 0.0, norm * 1e-9)), NOW)


@pytest.mark.parametrize('norm', [0.9991, 1.0009])
def test_a_quaternion_of_nearly_norm_one_is_normalised(norm):
    target = reader().from_pose(pose(orientation=[norm * value for value in TURNED]), NOW)
    assert target.up == pytest.approx((1, 0, 0), abs=1e-15)


def test_a_stamp_may_be_one_second_ahead_and_not_more():
    reader().from_pose(pose(ns=NOW + 10**9), NOW)
    reader().from_pose(pose(ns=NOW - 3600 * 10**9), NOW)
    with pytest.raises(InvalidInputError, match='target_pose stamp is .* not 1.100 s'):
        reader().from_pose(pose(ns=NOW + 11 * 10**8), NOW)
    with pytest.raises(InvalidInputError, match='target_point stamp'):
        reader().from_point(point(0.2, 0.0, 0.1, ns=NOW + 2 * 10**9), NOW)
    with pytest.raises(InvalidInputError, match='target_up stamp'):
        reader().store_up(up_vector(0.0, 0.0, 1.0, ns=NOW + 2 * 10**9), NOW)


def test_a_zero_stamp_is_now_even_before_the_clock_has_started():
    reader().from_pose(pose(ns=0), -10 * 10**9)
    for stamp in (3 * 10**9, 3):
        with pytest.raises(InvalidInputError, match='target_pose stamp'):
            reader().from_pose(pose(ns=stamp), -10 * 10**9)


def test_an_empty_frame_is_the_base_frame():
    assert reader().from_pose(pose(frame=''), NOW).position == (0.2, 0.0, 0.1)


@pytest.mark.parametrize('frame', ['camera', '/base_link', 'x' * 100_000])
def test_another_frame_is_refused_without_tf2(frame):
    with pytest.raises(InvalidInputError, match='target_pose frame_id is .*tf2_ros is not') as it:
        reader().from_pose(pose(frame=frame), NOW)
    assert len(str(it.value)) < 400


def test_a_pose_in_another_frame_is_brought_into_the_base_frame():
    target = reader(look_up=table).from_pose(pose((0.1, 0.2, 0.3), TURNED, frame='table'), NOW)
    assert target.position == pytest.approx((0.8, 2.1, 3.3))
    assert target.up == pytest.approx((0, 1, 0))       # z to x, and that to y
    assert target.forward == pytest.approx((-1, 0, 0))  # x to y, and that to -x


def test_a_pose_of_a_path_is_in_its_own_frame_or_in_the_paths():
    path = SimpleNamespace(header=header('table'), poses=[
        pose((0.1, 0.2, 0.3), frame='base_link'), pose((0.1, 0.2, 0.3), frame='')])
    own, paths = reader(look_up=table).from_path(path, NOW)
    assert own.position == pytest.approx((0.1, 0.2, 0.3))
    assert paths.position == pytest.approx((0.8, 2.1, 3.3))


@pytest.mark.parametrize('far', [1000000.5, 1.1e6, -1e154, 1.7e308])
def test_a_position_beyond_a_thousand_kilometres_is_refused(far):
    with pytest.raises(InvalidInputError, match=r'target_pose position is .* 1e\+06 m along'):
        reader().from_pose(pose((0.2, far, 0.1)), NOW)
    with pytest.raises(InvalidInputError, match=r'target_point is .* 1e\+06 m along'):
        reader(look_up=table).from_point(point(0.2, 0.0, far, frame='table'), NOW)
    reader().from_pose(pose((0.2, -1e6, 0.1)), NOW)


def test_a_transform_that_is_none_is_refused():
    def broken(what, header):
        return (0.0, 0.0, 0.0), SimpleNamespace(x=0.0, y=0.0, z=0.0, w=0.0)
    with pytest.raises(InvalidInputError, match='transform of target_pose'):
        reader(look_up=broken).from_pose(pose(frame='table'), NOW)


def test_a_point_takes_any_up_vector_until_one_is_stored():
    targets = reader()
    assert targets.from_point(point(0.2, 0.0, 0.1), NOW).up is None
    targets.store_up(up_vector(0.0, 0.0, -2.0), NOW)
    target = targets.from_point(point(0.2, 0.0, 0.1), NOW)
    assert (target.position, target.up, target.forward) == ((0.2, 0.0, 0.1), (0, 0, -1), None)
    targets.store_up(up_vector(0.0, 0.0, 0.0), NOW)
    assert targets.from_point(point(0.2, 0.0, 0.1), NOW).up is None


def test_point_and_up_vector_are_each_brought_into_the_base_frame():
    targets = reader(look_up=table)
    targets.store_up(up_vector(1.0, 0.0, 0.0, frame='table'), NOW)
    target = targets.from_point(point(0.1, 0.0, 0.0, frame='table'), NOW)
    assert target.position == pytest.approx((1.0, 2.1, 3.0))
    assert target.up == pytest.approx((0, 1, 0))


@pytest.mark.parametrize('bad', [nan, inf])
def test_a_point_or_up_vector_that_is_not_finite_is_refused_and_changes_nothing(bad):
    targets = reader()
    targets.store_up(up_vector(0.0, 0.0, -1.0), NOW)
    with pytest.raises(InvalidInputError, match='target_up is .* three finite numbers'):
        targets.store_up(up_vector(0.0, bad, 1.0), NOW)
    with pytest.raises(InvalidInputError, match='target_up frame_id'):
        targets.store_up(up_vector(0.0, 0.0, 1.0, frame='camera'), NOW)
    with pytest.raises(InvalidInputError, match='target_point is .* three finite numbers'):
        targets.from_point(point(0.2, bad, 0.1), NOW)
    assert targets.stored_up == (0, 0, -1)


@pytest.mark.parametrize('scale', [5e-324, 1e-200, 1e308])
def test_an_up_vector_of_any_length_is_stored_as_a_unit_vector(scale):
    targets = reader()
    assert targets.store_up(up_vector(0.0, scale, 0.0), NOW) == (0, 1, 0) == targets.stored_up
    assert targets.store_up(up_vector(0.0, 0.0, 0.0), NOW) is None is targets.stored_up


def test_an_unknown_up_axis_is_refused():
    with pytest.raises(InvalidInputError, match="up_axis is 'up'; allowed: 'z', '-z'"):
        reader('up')


# Frames by tf2

def camera(**stamp):
    return SimpleNamespace(frame_id='camera', stamp=Time(**stamp))


class NotThereError(Exception):
    pass


class Buffer:
    """What of a tf2 buffer is used."""

    def __init__(self, answer, newest=0):
        self.asked = None
        self._answer = answer
        self._newest = newest

    def get_latest_common_time(self, *_):
        return SimpleNamespace(nanoseconds=self._newest)

    def lookup_transform(self, *asked):
        self.asked = asked
        if isinstance(self._answer, Exception):
            raise self._answer
        return SimpleNamespace(transform=self._answer)


def test_tf2_is_asked_for_the_frame_in_the_base_frame_at_the_stamp():
    rotation = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
    buffer = Buffer(SimpleNamespace(
        translation=SimpleNamespace(x=1.0, y=2.0, z=3.0), rotation=rotation))
    found = look_up(buffer, NotThereError, 'base_link', 'frame_id', camera(sec=5, nanosec=7))
    assert found == ((1.0, 2.0, 3.0), rotation)
    assert buffer.asked[:2] == ('base_link', 'camera')
    assert buffer.asked[2].nanoseconds == 5_000_000_007


@pytest.mark.parametrize('newest_ns, asked_ns', [
    (4_999_700_000, 4_999_700_000), (4_960_000_000, 4_960_000_000),
    (4_900_000_000, 5_000_000_000), (5_100_000_000, 5_000_000_000), (0, 5_000_000_000)])
def test_a_stamp_a_little_ahead_of_a_moving_frame_gets_its_newest_transform(newest_ns, asked_ns):
    buffer = Buffer(SimpleNamespace(
        translation=SimpleNamespace(x=1.0, y=2.0, z=3.0), rotation=None), newest_ns)
    look_up(buffer, NotThereError, 'base_link', 'frame_id', camera(sec=5))
    assert buffer.asked[2].nanoseconds == asked_ns


def test_what_tf2_cannot_transform_is_refused_with_its_reason():
    buffer = Buffer(NotThereError('not connected'))
    with pytest.raises(InvalidInputError, match="frame_id is 'camera'.* not connected"):
        look_up(buffer, NotThereError, 'base_link', 'frame_id', camera())


def test_a_stamp_before_all_time_is_refused_and_not_looked_up():
    buffer = Buffer(None)
    with pytest.raises(InvalidInputError, match='target_pose frame_id, at its stamp is .-1.0+5'):
        look_up(buffer, NotThereError, 'base_link', 'target_pose frame_id',
                camera(sec=-1, nanosec=5))
    assert buffer.asked is None


def test_without_tf2_the_reason_says_so():
    with pytest.raises(InvalidInputError, match="'left/base_link' or empty; .* tf2_ros is not"):
        without_tf2('left/base_link', 'frame_id', camera())


def test_tf2_is_not_needed():
    try:
        import tf2_ros  # noqa: F401
    except ImportError:
        assert transforms(None, 'base_link').func is without_tf2
    else:
        pytest.skip('tf2_ros is installed here')
