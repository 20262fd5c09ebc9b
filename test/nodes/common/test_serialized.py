# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Messages as bytes: the same as by rclpy's own conversions."""

from operator import attrgetter
from random import Random

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.common.serialized import diagnostic_status, joint_state, pose_stamped
from arm_ik.nodes.ik.ik_node import message_of
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped, PoseStamped
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

FIELDS = attrgetter('header.stamp.sec', 'header.stamp.nanosec', 'header.frame_id', *[
    f'pose.{part}' for part in ('position.x', 'position.y', 'position.z', 'orientation.x',
                                'orientation.y', 'orientation.z', 'orientation.w')])

TEXTS = '', 'a', 'ab', 'abc', 'abcd', 'Tür', '世界', 'x' * 999


def random_pose(rng, frame):
    message = PoseStamped()
    message.header.frame_id = frame
    message.header.stamp.sec = rng.randrange(-2**31, 2**31)
    message.header.stamp.nanosec = rng.randrange(2**32)
    for part in (message.pose.position, message.pose.orientation):
        for axis in part.get_fields_and_field_types():
            setattr(part, axis, rng.uniform(-1e9, 1e9))
    return message


@pytest.mark.parametrize('frame', TEXTS)
def test_a_pose_is_read_as_rclpy_reads_it(frame):
    message = random_pose(Random(frame), frame)
    assert FIELDS(pose_stamped(serialize_message(message))) == FIELDS(message)


def test_a_pose_of_another_byte_order_is_read():
    message = random_pose(Random(1), 'abc')
    data = serialize_message(message)
    cells = [data[begin:begin + size] for begin, size in (
        (4, 4), (8, 4), (12, 4), *[(20 + 8 * number, 8) for number in range(7)])]
    swapped = [cell[::-1] for cell in cells]
    other = b'\0\0\0\0' + b''.join(swapped[:3]) + b'abc\0' + b''.join(swapped[3:])
    assert len(other) == len(data)
    assert FIELDS(pose_stamped(other)) == FIELDS(message)


@pytest.mark.parametrize('kind', [PoseStamped, PointStamped])
def test_a_message_that_is_cut_or_huge_is_refused(kind):
    data = serialize_message(kind())
    assert message_of(kind, 'target', data).header.frame_id == ''
    for part in [data[:size] for size in range(len(data) - 7)] + [data + bytes(80_000)]:
        with pytest.raises(InvalidInputError, match=f'a message of {len(part)} bytes'):
            message_of(kind, 'target', part)


def test_a_frame_that_is_no_text_is_read_with_a_mark():
    data = serialize_message(random_pose(Random(1), 'abc')).replace(b'abc', b'a\xff\xfe')
    assert pose_stamped(data).header.frame_id == 'a��'


@pytest.mark.parametrize('names', [['a'], ['shoulder_pan', 'b', 'Gelenk_ü'], list('abcdefg')])
@pytest.mark.parametrize('has_velocities', [False, True])
def test_joint_states_are_written_as_rclpy_writes_them(names, has_velocities):
    rng = Random(1)
    for _ in range(20):
        positions, velocities = [[rng.uniform(-4, 4) for _ in names] for _ in range(2)]
        message = JointState(name=names, position=positions,
                             velocity=velocities if has_velocities else [])
        message.header.stamp.sec, message.header.stamp.nanosec = rng.randrange(2**31), 999_999_999
        data = joint_state(message.header.stamp.sec * 10**9 + 999_999_999, names, positions,
                           velocities if has_velocities else ())
        assert isinstance(data, bytes)     # rclpy publishes nothing else as bytes
        assert deserialize_message(data, JointState) == message


@pytest.mark.parametrize('text', TEXTS)
def test_a_status_is_written_as_rclpy_writes_it(text):
    values = {'a': text, 'b' + text: 0.1, text + 'c': 7, 'd': text + text}
    message = DiagnosticStatus(
        level=b'\2', name='n' + text, message=text, hardware_id=text,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
    data = diagnostic_status(b'\2', 'n' + text, text, text, values)
    assert deserialize_message(data, DiagnosticStatus) == message
