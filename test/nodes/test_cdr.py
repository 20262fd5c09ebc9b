# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Messages as DDS sends them: rclpy's own serialisation is the judge.

rclpy leaves the gaps between values as the memory was, so a plain encoder written here says which
bytes are gaps; all others are compared. It writes both byte orders, which rclpy reads.
"""

from math import copysign, inf, nan
import random
from struct import pack, unpack_from

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.cdr import JointStateReader, JointStateWriter, read_pose, SLACK
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

ORDERS = {'little': '<', 'big': '>'}
NUMBERS = (0.0, -0.0, 1.5, -1e308, 5e-324, inf, -inf, nan)
TEXTS = ('', 'base_link', 'a', 'ab', 'abc', 'abcd', 'Gelenk_ä', '関節', 'x' * 300)


class Encoder:
    """Writes plain CDR, and remembers which bytes say something."""

    def __init__(self, order):
        self.order = order
        self.data, self.told = bytearray([0, order == '<', 0, 0]), [True] * 4

    def value(self, kind, value):
        coded = pack(self.order + kind, value)
        gap = -(len(self.data) - 4) % len(coded)
        self.data += bytes(gap) + coded
        self.told += [False] * gap + [True] * len(coded)

    def text(self, text):
        coded = text.encode() + b'\0'
        self.value('I', len(coded))
        self.data += coded
        self.told += [True] * len(coded)

    def header(self, header):
        self.value('i', header.stamp.sec)
        self.value('I', header.stamp.nanosec)
        self.text(header.frame_id)

    def doubles(self, values):
        self.value('I', len(values))
        for value in values:
            self.value('d', value)


def encoded(message, order='<'):
    """Return an :class:`Encoder` that has written a message."""
    encoder = Encoder(order)
    encoder.header(message.header)
    if isinstance(message, PoseStamped):
        for value in flat(message):
            encoder.value('d', value)
        return encoder
    encoder.value('I', len(message.name))
    for name in message.name:
        encoder.text(name)
    for values in message.position, message.velocity, message.effort:
        encoder.doubles(values)
    return encoder


def flat(message):
    where, how = message.pose.position, message.pose.orientation
    return where.x, where.y, where.z, how.x, how.y, how.z, how.w


def number(rng):
    return rng.choice(NUMBERS) if rng.random() < 0.2 else rng.uniform(-10.0, 10.0)


def stamped(message, rng):
    message.header.stamp.sec = rng.choice((0, -1, 2**31 - 1, -2**31, rng.randrange(2**31)))
    message.header.stamp.nanosec = rng.choice((0, 2**32 - 1, rng.randrange(10**9)))
    message.header.frame_id = rng.choice(TEXTS)
    return message


def a_pose(rng):
    message = stamped(PoseStamped(), rng)
    where, how = message.pose.position, message.pose.orientation
    where.x, where.y, where.z, how.x, how.y, how.z, how.w = (number(rng) for _ in range(7))
    return message


def a_joint_state(rng):
    def array():
        return [number(rng) for _ in range(rng.choice((0, len(names), rng.randrange(9))))]
    names = [rng.choice(TEXTS) for _ in range(rng.randrange(8))]
    return stamped(JointState(name=names, position=array(), velocity=array(), effort=array()), rng)


def same(a, b):
    """Tell whether numbers are the same, NaN and the sign of zero too."""
    return len(a) == len(b) and all(
        x == y and copysign(1.0, x) == copysign(1.0, y) or x != x and y != y
        for x, y in zip(a, b))


def assert_pose(read, message):
    stamp, frame, position, orientation = read
    assert stamp == (message.header.stamp.sec, message.header.stamp.nanosec)
    assert frame == message.header.frame_id
    assert same((*position, *orientation), flat(message))


def assert_joint_state(read, message):
    names, *arrays = read
    assert list(names) == list(message.name)
    for array, wanted in zip(arrays, (message.position, message.velocity, message.effort)):
        assert same(array, wanted)


@pytest.mark.parametrize('make', [a_pose, a_joint_state])
def test_rclpy_writes_what_the_encoder_of_these_tests_writes(make):
    rng = random.Random(1)
    for _ in range(500):
        message = make(rng)
        theirs, ours = bytes(serialize_message(message)), encoded(message)
        assert 0 <= len(theirs) - len(ours.data) <= SLACK
        assert [a for a, told in zip(theirs, ours.told) if told] \
            == [a for a, told in zip(ours.data, ours.told) if told]


@pytest.mark.parametrize('make', [a_pose, a_joint_state])
def test_rclpy_reads_both_orders_of_the_encoder_of_these_tests(make):
    rng = random.Random(2)
    for _ in range(300):
        message = make(rng)
        for order in ORDERS.values():
            read = deserialize_message(bytes(encoded(message, order).data), type(message))
            assert encoded(read).data == encoded(message).data


def test_what_rclpy_has_serialized_is_read():
    rng, reader = random.Random(3), JointStateReader()
    for _ in range(500):
        message = a_pose(rng)
        assert_pose(read_pose(bytes(serialize_message(message))), message)
        message = a_joint_state(rng)
        for _ in range(2):
            assert_joint_state(reader.read(bytes(serialize_message(message))), message)


@pytest.mark.parametrize('order', ORDERS.values(), ids=ORDERS)
def test_both_byte_orders_are_read(order):
    rng, reader = random.Random(4), JointStateReader()
    for _ in range(500):
        message = a_pose(rng)
        assert_pose(read_pose(bytes(encoded(message, order).data)), message)
        message = a_joint_state(rng)
        assert_joint_state(reader.read(bytes(encoded(message, order).data)), message)


def test_a_reader_keeps_nothing_of_another_message():
    # The same names in another order of bytes, in another frame, fewer, more, and again.
    reader = JointStateReader()
    for names in (['a', 'b'], ['a', 'b', 'c'], ['a'], [], ['b', 'a'], ['a', 'b']):
        for frame in ('', 'base', 'base_link_of_somebody'):
            for order in '<><':
                message = JointState(name=names, position=[float(len(frame))] * len(names))
                message.header.frame_id = frame
                assert_joint_state(reader.read(bytes(encoded(message, order).data)), message)


@pytest.mark.parametrize('names', [
    [], [''], ['a'], ['ab'], ['abc'], ['abcd'], ['yaw', 'shoulder', 'elbow', 'wrist'], ['ä', 'b'],
    ['n' * count for count in range(1, 30)]])
def test_what_is_written_is_what_rclpy_writes(names):
    rng, writer = random.Random(5), JointStateWriter(names)
    for _ in range(50):
        message = JointState(name=names, position=[number(rng) for _ in names])
        stamp = rng.randrange(2**31), rng.randrange(10**9)
        message.header.stamp.sec, message.header.stamp.nanosec = stamp
        written = writer.write(stamp, message.position)
        wanted, theirs = encoded(message), bytes(serialize_message(message))
        assert written == wanted.data
        assert all(a == b for a, b, told in zip(written, theirs, wanted.told) if told)
        assert encoded(deserialize_message(written, JointState)).data == wanted.data


def refused(read, data):
    with pytest.raises(InvalidInputError, match='plain CDR'):
        read(bytes(data))


@pytest.mark.parametrize('order', ORDERS.values(), ids=ORDERS)
def test_a_message_cut_off_anywhere_is_refused(order):
    rng, reader = random.Random(6), JointStateReader()
    for _ in range(20):
        for message, read in ((a_pose(rng), read_pose), (a_joint_state(rng), reader.read)):
            data = bytes(encoded(message, order).data)
            for end in range(len(data)):
                refused(read, data[:end])
            read(data)


def test_a_few_bytes_behind_the_end_are_passed_over_and_more_refused():
    rng, reader = random.Random(7), JointStateReader()
    for message, read in ((a_pose(rng), read_pose), (a_joint_state(rng), reader.read)):
        data = encoded(message).data
        read(bytes(data) + b'x' * SLACK)
        refused(read, data + b'x' * (SLACK + 1))
        refused(read, data * 100)


@pytest.mark.parametrize('kind', [b'\0\2', b'\0\3', b'\0\6', b'\0\7', b'\1\0', b'\xff\xff'])
def test_another_encoding_is_refused(kind):
    rng = random.Random(8)
    refused(read_pose, kind + encoded(a_pose(rng)).data[2:])
    refused(JointStateReader().read, kind + encoded(a_joint_state(rng)).data[2:])


@pytest.mark.parametrize('count', [2**31, 2**32 - 1, 2**30, 10**6])
def test_a_count_beyond_the_message_is_refused_before_anything_is_made_of_it(count):
    message = JointState(name=['ab'], position=[1.0], velocity=[2.0], effort=[3.0])
    data = encoded(message).data
    # Of frame_id, of the names, of one name; of positions, velocities and efforts.
    places = [12, 20, 24, 32, 44, 60]
    assert [unpack_from('<I', data, place)[0] for place in places] == [1, 1, 3, 1, 1, 1]
    for place in places:
        wrong = bytearray(data)
        wrong[place:place + 4] = pack('<I', count)
        refused(JointStateReader().read, wrong)
    wrong = encoded(PoseStamped()).data
    wrong[12:16] = pack('<I', count)
    refused(read_pose, wrong)


def test_a_string_without_its_end_is_refused():
    data = encoded(JointState(name=['ab'])).data
    for place in (16, 30):
        assert data[place] == 0
        wrong = bytearray(data)
        wrong[place] = ord('x')
        refused(JointStateReader().read, wrong)
    wrong = encoded(PoseStamped()).data
    wrong[16] = ord('x')
    refused(read_pose, wrong)


def test_strings_of_no_length_and_not_in_utf_8_are_read_as_rclpy_reads_them():
    data = encoded(PoseStamped()).data
    none = bytes(data[:12] + bytes(8) + data[20:])
    data[12:18] = b'\2\0\0\0\xff\0'
    for wrong in none, bytes(data):
        assert read_pose(wrong)[1] == deserialize_message(wrong, PoseStamped).header.frame_id
    data = encoded(JointState(name=['ab'], position=[1.0])).data
    data[28:30] = b'\xc3\x28'
    wrong = bytes(data)
    assert list(JointStateReader().read(wrong)[0]) == deserialize_message(wrong, JointState).name


def test_a_wrong_message_between_right_ones_changes_nothing():
    reader = JointStateReader()
    message = JointState(name=['a', 'b'], position=[1.0, 2.0])
    right = bytes(encoded(message).data)
    for wrong in (b'', right[:10], right[:30], right[:-1], b'\0\1' + b'\xff' * 60):
        assert_joint_state(reader.read(right), message)
        refused(reader.read, wrong)
    assert_joint_state(reader.read(right), message)


@pytest.mark.parametrize('make', [a_pose, a_joint_state])
def test_any_bytes_are_read_as_rclpy_reads_them_or_refused(make):
    rng, reader = random.Random(9), JointStateReader()
    taken = 0
    for _ in range(3000):
        data = bytearray(encoded(make(rng), rng.choice('<>')).data)
        for _ in range(rng.randrange(1, 4)):
            # Not in the options, of which only rclpy on Kilted takes notice.
            place = rng.choice((0, 1, *range(4, len(data))))
            data[place] = rng.choice((0, 1, 2, 255, rng.randrange(256)))
        data = bytes(data)
        try:
            read = (read_pose if make is a_pose else reader.read)(data)
        except InvalidInputError:
            continue
        taken += 1
        theirs = deserialize_message(data, PoseStamped if make is a_pose else JointState)
        (assert_pose if make is a_pose else assert_joint_state)(read, theirs)
    assert taken > 500


def test_arrays_of_two_hundred_thousand_are_read():
    count = 200_000
    message = JointState(name=[f'joint_{i}' for i in range(count)],
                         position=[float(i) for i in range(count)])
    assert_joint_state(JointStateReader().read(bytes(serialize_message(message))), message)
