# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Messages by class, ordinary and odd, and which of them have to be refused.

Targets are ``PoseStamped``, ``PointStamped`` and ``Vector3Stamped`` (an approach vector ``up`` for
later points); joint states and joint commands are ``JointState``; and bytes that are not a
message.
"""

from math import hypot, inf, isfinite, nan
import struct

from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
import numpy as np
from sensor_msgs.msg import JointState

BASE_FRAME = 'base_link'

#: Largest position along an axis [m] and largest joint position [rad]; how far a quaternion's norm
#: may be from 1, and a stamp ahead [ns].
LARGEST, NORM_TOLERANCE, AHEAD_NS = 1e6, 1e-3, 10**9

#: How many joints the longest joint states have.
MANY = 200_000

_NOT_FINITE = (nan, inf, -inf)
_TINY = (0.0, -0.0, 5e-324, -5e-324, 2.2e-308, -1e-200, 1e-160, 1e-30, -1e-12)
_HUGE = (1e7, -1e9, 1e15, 1e100, -1e154, 1e200, -1e300, 1e308, -1.7976931348623157e308)
_FRAMES = ('', BASE_FRAME, 'map', 'tool0', '/base_link', 'base_link ', 'BASE_LINK', ' ',
           'ä–語🦾', 'a b\n\tc', "'; --", '%s%n{}', '../..', 'base_link/' * 2000, 'y' * 100_000)
_NAMES = ('', ' ', 'wheel', 'base_link', 'ä–語🦾', 'a\n\tb', '%s%n', 'z' * 5000)
_SECONDS_AHEAD = (-4e8, -1e5, -3600.0, -1.0, 0.5, 1.5, 60.0, 1e5, 3e8)
_STAMPS = ((0, 0), (1, 0), (0, 1), (-1, 0), (-2**31, 0), (2**31 - 1, 999_999_999),
           (0, 2**32 - 1))


def pose(position, orientation, frame=BASE_FRAME):
    """Return a PoseStamped with a zero stamp; ``orientation`` is ``(x, y, z, w)``."""
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y, message.pose.position.z = position
    how = message.pose.orientation
    how.x, how.y, how.z, how.w = orientation
    return message


def point(position, frame=BASE_FRAME):
    """Return a PointStamped with a zero stamp."""
    message = PointStamped()
    message.header.frame_id = frame
    message.point.x, message.point.y, message.point.z = position
    return message


def up_vector(values, frame=BASE_FRAME):
    """Return a Vector3Stamped with a zero stamp."""
    message = Vector3Stamped()
    message.header.frame_id = frame
    message.vector.x, message.vector.y, message.vector.z = values
    return message


def pose_at(arm, q):
    """Return the pose to which joint positions [rad] bring an arm's tip."""
    tip = arm.forward(q)
    return pose(tip.position.tolist(), _quaternion_of(tip.rotation))


def position_of(message):
    """Return the three coordinates of a target."""
    part = getattr(message, 'pose', message)
    place = getattr(part, 'position', None) or getattr(part, 'point', None) or part.vector
    return place.x, place.y, place.z


def orientation_of(message):
    """Return a pose's quaternion ``(x, y, z, w)``."""
    how = message.pose.orientation
    return how.x, how.y, how.z, how.w


def target_must_be_refused(message, now_ns):
    """Tell whether a target message has to be refused, as docs/nodes.md says."""
    numbers, stamp = position_of(message), message.header.stamp
    if isinstance(message, PoseStamped):
        if not abs(hypot(*orientation_of(message)) - 1.0) <= NORM_TOLERANCE:
            return True
    far = not isinstance(message, Vector3Stamped) and not max(map(abs, numbers)) <= LARGEST
    ahead_ns = stamp.sec * 10**9 + stamp.nanosec - now_ns
    return (not all(map(isfinite, numbers)) or far
            or message.header.frame_id not in ('', BASE_FRAME)
            or ((stamp.sec, stamp.nanosec) != (0, 0) and ahead_ns > AHEAD_NS))


def state_must_be_refused(message, chain):
    """Tell whether a joint state has to be refused; ``chain`` are the joints it is read for."""
    arrays = message.position, message.velocity, message.effort
    return (any(len(array) not in (0, len(message.name)) for array in arrays)
            or any(name in chain and not abs(position) <= LARGEST
                   for name, position in zip(message.name, message.position)))


def command_must_be_refused(message):
    """Tell whether a joint command has to be refused as a whole."""
    return (len(message.name) != len(message.position)
            or len(set(message.name)) < len(message.name)
            or not all(map(isfinite, message.position)))


class Targets:
    """
    Makes targets for an arm.

    :param arm: the :class:`~arm_ik.Arm`.
    :param random: a :class:`random.Random`.
    :param now_ns: returns the time on the stamps' clock [ns].
    """

    def __init__(self, arm, random, now_ns):
        self._arm, self._random, self._now_ns = arm, random, now_ns
        self._reach = arm.model.reach

    def reachable(self):
        """Return a pose that the arm reaches exactly: where some joint positions bring it."""
        return pose_at(self._arm, [self._random.uniform(low, high) for low, high
                                   in zip(self._arm.lower, self._arm.upper)])

    def at_limits(self):
        """Return a pose that the arm reaches with joints at their limits or at zero."""
        return pose_at(self._arm, [
            self._random.choice((low, high, min(max(0.0, low), high),
                                 self._random.uniform(low, high)))
            for low, high in zip(self._arm.lower, self._arm.upper)])

    def around(self):
        """Return a pose in a box around the arm."""
        return pose(self._box(1.5 * self._reach), self._quaternion(),
                    self._random.choice(('', BASE_FRAME)))

    def far_away(self):
        """Return a pose up to a thousand kilometres away."""
        return pose(self._box(10 ** self._random.uniform(0, 6)), self._quaternion())

    def points(self):
        """Return a point in a box around the arm."""
        return point(self._box(1.5 * self._reach))

    def special_places(self):
        """Return a pose on an axis of the arm, or where its links end."""
        model, pick = self._arm.model, self._random.choice
        lengths = (0.0, model.hand, model.upper_arm, model.forearm,
                   model.upper_arm + model.forearm, model.reach, -model.reach)
        half = 0.5 ** 0.5
        return pose(
            (model.base_x + pick((0.0, 0.0, model.shoulder_offset, *lengths)),
             model.base_y + pick((0.0, 0.0, model.lateral, *lengths)),
             pick((0.0, model.base_height, -1.0)) + pick(lengths)),
            pick(((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), (0.0, half, 0.0, half),
                  (half, 0.0, 0.0, -half), (0.5, -0.5, 0.5, 0.5))))

    def not_finite(self):
        """Return a pose with NaN or infinity in it."""
        return self._with(_NOT_FINITE)

    def tiny(self):
        """Return a pose with denormal and other tiny numbers in its position."""
        return self._with(_TINY, 3)

    def huge(self):
        """Return a pose with numbers up to 1.8e308 in it."""
        return self._with(_HUGE)

    def any_bits(self):
        """Return a pose of seven doubles of any bits."""
        numbers = struct.unpack('<7d', self._random.randbytes(56))
        return pose(numbers[:3], self._random.choice((numbers[3:], self._quaternion())))

    def zero_quaternions(self):
        """Return a pose whose quaternion is zero, or next to it."""
        return pose(position_of(self.reachable()), [
            self._random.choice((0.0, -0.0, 5e-324, 1e-200)) for _ in range(4)])

    def quaternions_not_of_norm_1(self):
        """Return a pose whose quaternion is not of norm 1, or just about."""
        scale = self._random.choice((1e-200, 1e-9, 0.1, 0.998, 0.9995, 1.0005, 1.002, 2.0, 1e150,
                                     1e308))
        return pose(position_of(self.reachable()),
                    [scale * value for value in self._quaternion()])

    def frames(self):
        """Return a pose or a point in an empty, unknown or huge frame."""
        frame, message = self._random.choice(_FRAMES), self.reachable()
        if self._random.random() < 0.5:
            return point(position_of(message), frame)
        message.header.frame_id = frame
        return message

    def stamps(self):
        """Return a reachable pose with a stamp in the past, at zero or in the future."""
        stamp = self._random.choice(_STAMPS)
        if self._random.random() < 0.5:
            ahead_ns = int(self._random.choice(_SECONDS_AHEAD) * 1e9)
            stamp = divmod(self._now_ns() + ahead_ns, 10**9)
        message = self.reachable()
        message.header.stamp.sec, message.header.stamp.nanosec = stamp
        return message

    def odd_points(self):
        """Return a point with invalid or extreme numbers."""
        return point(position_of(self._with((*_NOT_FINITE, *_TINY, *_HUGE), 3)),
                     self._random.choice(_FRAMES[:3]))

    def odd_up_vectors(self):
        """Return an invalid or extreme approach vector, or a point that uses it."""
        if self._random.random() < 0.5:
            return self.points()
        values = (0.0, 0.0, 1.0, -0.3, *_NOT_FINITE, *_TINY, *_HUGE)
        return up_vector([self._random.choice(values) for _ in range(3)],
                         self._random.choice(_FRAMES[:3]))

    def _with(self, numbers, count=7):
        message = self.reachable()
        values = [*position_of(message), *orientation_of(message)]
        for _ in range(self._random.randint(1, 3)):
            values[self._random.randrange(count)] = self._random.choice(numbers)
        return pose(values[:3], values[3:])

    def _box(self, half):
        return [self._random.uniform(-half, half) for _ in range(3)]

    def _quaternion(self):
        values = np.array([self._random.gauss(0.0, 1.0) for _ in range(4)])
        return (values / np.linalg.norm(values)).tolist()


#: Classes of targets: words, and what makes one.
ORDINARY_TARGETS = {
    'reachable': Targets.reachable, 'at joint limits': Targets.at_limits,
    'around the arm': Targets.around, 'far away': Targets.far_away, 'points': Targets.points}
ODD_TARGETS = {
    'NaN and infinity': Targets.not_finite, 'denormal and tiny numbers': Targets.tiny,
    'numbers up to 1.8e308': Targets.huge, 'any 64 bits as numbers': Targets.any_bits,
    'zero quaternions': Targets.zero_quaternions,
    'quaternions not of norm 1': Targets.quaternions_not_of_norm_1,
    'empty, unknown and huge frames': Targets.frames, 'odd points': Targets.odd_points,
    'past, zero and future stamps': Targets.stamps,
    'odd approach vectors': Targets.odd_up_vectors, 'axes of the arm': Targets.special_places}


def unknown_names(random, chain):
    """Return a message of other joints, possibly with some of these among them."""
    names = [*random.sample(_NAMES, random.randint(1, len(_NAMES))),
             *random.sample(chain, random.randint(0, len(chain)))]
    random.shuffle(names)
    return _joints(random, names)


def missing_names(random, chain):
    """Return a message of some of the joints."""
    return _joints(random, random.sample(chain, random.randint(0, len(chain) - 1)))


def duplicate_names(random, chain):
    """Return a message in which joints occur more than once."""
    return _joints(random, random.choices(chain, k=len(chain) + random.randint(1, 5)))


def unequal_arrays(random, chain):
    """Return a message whose arrays are not of one length."""
    arrays = [[0.1] * random.choice((0, 1, len(chain) - 1, len(chain) + 1, 100))
              for _ in range(3)]
    return JointState(name=chain, position=arrays[0], velocity=arrays[1], effort=arrays[2])


def odd_numbers(random, chain):
    """Return a message with NaN, infinity, or numbers of any size among its positions."""
    message = _joints(random, chain)
    for _ in range(random.randint(1, len(chain))):
        message.position[random.randrange(len(chain))] = random.choice(
            (*_NOT_FINITE, *_TINY, *_HUGE))
    return message


def long_arrays(random, chain):
    """Return a message with arrays of 200 000."""
    return JointState(name=[*map(str, range(MANY - len(chain))), *chain], position=[0.1] * MANY)


#: Classes of joint states and joint commands: words, and what makes one. The last takes long.
LONG = 'arrays of 200 000'
JOINT_MESSAGES = {
    'unknown joint names': unknown_names, 'missing joint names': missing_names,
    'duplicate joint names': duplicate_names, 'unequal arrays': unequal_arrays,
    'numbers of any size': odd_numbers, LONG: long_arrays}


def truncated(random, data):
    """Return the beginning of a message."""
    return data[:random.randint(1, len(data) - 9)]


def too_long(random, data):
    """Return a message with more behind its end."""
    return data + random.randbytes(random.choice((64, 65, 1000, 100_000)))


def other_header(random, data):
    """Return a message with another header, which says how the rest is written."""
    return random.randbytes(4) + data[4:]


def long_lengths(random, data):
    """Return a message that announces up to four gigabytes somewhere."""
    at = 4 * random.randint(1, len(data) // 4 - 1)
    length = random.choice((b'\xff' * 4, b'\xff\xff\xff\x7f', b'\0\0\0\x80', b'\xff\xff\xff\x1f'))
    return data[:at] + length + data[at + 4:]


def flipped_bits(random, data):
    """Return a message with a few bits flipped."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


def any_bytes(random, data):
    """Return bytes of any kind, at most twice as many as a message."""
    return random.randbytes(random.randint(1, 2 * len(data)))


#: Classes of bytes that are no message: words, and what makes them of a serialized message.
ODD_BYTES = {
    'truncated': truncated, 'too long': too_long, 'another header': other_header,
    'lengths of gigabytes': long_lengths, 'flipped bits': flipped_bits, 'any bytes': any_bytes}


def _joints(random, names):
    return JointState(name=names, position=[random.uniform(-3.0, 3.0) for _ in names])


def _quaternion_of(rotation):
    """
    Return the unit quaternion ``(x, y, z, w)`` of a rotation matrix.

    It is the eigenvector of the largest eigenvalue of a symmetric matrix made of its entries
    (Bar-Itzhack 2000).
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation
    symmetric = [[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g],
                 [c + g, f + h, i - a - e, d - b], [h - f, c - g, d - b, a + e + i]]
    return np.linalg.eigh(symmetric)[1][:, -1].tolist()
