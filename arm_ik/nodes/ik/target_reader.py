# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
From messages to :class:`~arm_ik.Target` or shapes, or to one clear reason for a refusal.

The node publishes poses of ``tool0``, whose z axis is the up vector. Targets may follow another
convention: ``up_axis``, see :mod:`...kinematics.tool_axes`.

Frames other than the arm's own go through tf2 where it is installed. ROS 2 from pip has no tf2.
"""

from functools import partial
from math import isfinite
from operator import add

import numpy as np
from rclpy.time import Time
from visualization_msgs.msg import Marker

from ...description.urdf_tree import rpy_of
from ...errors import InvalidInputError
from ...kinematics.model import KeepOut, LARGEST_LENGTH
from ...kinematics.target import Target, unit_vector
from ...kinematics.tool_axes import axes_of, checked_up_axis, up_and_forward
from ...motion.jog import Twist

#: How far ahead of this machine's clock a stamp may be [ns], because clocks differ a little.
FUTURE_TOLERANCE_NS = 1_000_000_000

#: Largest coordinate of a target [m]: beyond it a float no longer resolves a nanometre, and the
#: sender is broken or uses other units.
LARGEST_POSITION = 1e6

#: Most poses of a path: each takes some milliseconds to plan.
MOST_POSES = 100

#: Most shapes at a time, so that looking at paths does not take too long.
MOST_SHAPES = 50

#: How far a stamp may be ahead of the newest transform [ns]: frames that move are published in
#: steps, a target stamped now comes between two of them.
_AHEAD_NS = 50_000_000

#: The base frame in itself: translation, and axes.
_BASE = (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class TargetReader:
    """
    Reads messages; remembers the up vector for points, and the shapes to stay out of.

    :param base_frame: the frame everything is solved in; an empty ``frame_id`` means it.
    :param up_axis: a key of :data:`~arm_ik.kinematics.tool_axes.TOOL_AXES`.
    :param look_up: ``(what, header) -> (translation, quaternion)`` of the header's frame in the
        base frame, raising :class:`~arm_ik.errors.InvalidInputError` where it can't be had.
    :param tool_frame: the frame of the tool, for twists.
    :param forward: whether poses ask for a forward vector too; arms without a wrist roll can't
        serve one.
    """

    def __init__(self, base_frame, up_axis, look_up, forward=True, tool_frame='tool0'):
        self.base_frame, self.tool_frame = base_frame, tool_frame
        self.stored_up, self._shapes = None, {}
        self._up_axis = checked_up_axis(up_axis)
        self._look_up, self._asks_forward = look_up, forward

    def from_pose(self, message, now_ns, what='target_pose', header=None):
        """Return the target of a PoseStamped; ``now_ns`` is the time on the stamps' clock [ns]."""
        position, axes = self.pose(what, message, header or message.header, now_ns)
        up, forward = up_and_forward(axes, self._up_axis)
        return Target.of_unit_vectors(position, up, forward if self._asks_forward else None)

    def from_path(self, message, now_ns):
        """Return the targets of a Path; a pose without a frame is in its."""
        count = len(message.poses)
        if not 1 <= count <= MOST_POSES:
            raise InvalidInputError('target_path', f'a path of {count} poses',
                                    f'1 to {MOST_POSES} poses')
        _check_stamp('target_path', message.header.stamp, now_ns)
        return [self.from_pose(pose, now_ns, f'target_path poses[{number}]',
                               pose.header if pose.header.frame_id else message.header)
                for number, pose in enumerate(message.poses)]

    def pose(self, what, message, header, now_ns):
        """Return position and axes, in the base frame, of a message in the frame of a header."""
        _check_stamp(what, message.header.stamp, now_ns)
        place = _finite(f'{what} position', message.pose.position)
        axes = _axes(f'{what} orientation', message.pose.orientation)
        frame = self._frame(what, header)
        return _placed(f'{what} position', frame, place), [rotate(frame[1], axis) for axis in axes]

    def from_point(self, message, now_ns):
        """Return the target of a PointStamped, with the stored up vector if there is one."""
        _check_stamp('target_point', message.header.stamp, now_ns)
        position = _finite('target_point', message.point)
        frame = self._frame('target_point', message.header)
        return Target(_placed('target_point', frame, position), self.stored_up)

    def store_up(self, message, now_ns):
        """Store the up vector of a Vector3Stamped for points, and return it; zeros clear it."""
        _check_stamp('target_up', message.header.stamp, now_ns)
        up = _finite('target_up', message.vector)
        _, axes = self._frame('target_up', message.header)
        self.stored_up = rotate(axes, unit_vector('target_up', up)) if any(up) else None
        return self.stored_up

    def from_twist(self, message, now_ns):
        """Return the twist of a TwistStamped, in axes of the base or of the tool."""
        _check_stamp('target_twist', message.header.stamp, now_ns)
        frame = message.header.frame_id
        if frame not in ('', self.base_frame, self.tool_frame):
            raise InvalidInputError('target_twist frame_id', frame, f'{self.base_frame!r}, '
                                    f'{self.tool_frame!r}, or empty for the first')
        linear, angular = message.twist.linear, message.twist.angular
        return Twist((linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z),
                     frame == self.tool_frame).checked()

    def from_markers(self, message, now_ns, most=MOST_SHAPES):
        """
        Return all shapes to stay out of by now; a message with anything wrong changes nothing.

        :param message: a MarkerArray.
        :param most: shapes at a time.
        """
        shapes = dict(self._shapes)
        for marker in message.markers:
            name = f'{repr(marker.ns)[1:-1]:.40}/{marker.id}'    # in a line
            if marker.action == Marker.ADD:
                shapes[marker.ns, marker.id] = self._shape(name, marker, now_ns)
            elif marker.action == Marker.DELETE:
                shapes.pop((marker.ns, marker.id), None)
            elif marker.action == Marker.DELETEALL:
                shapes = {key: shape for key, shape in shapes.items()
                          if marker.ns not in ('', key[0])}
            else:
                raise InvalidInputError(f'keep_out {name} action', marker.action,
                                        'ADD (0), DELETE (2), DELETEALL (3)')
        if len(shapes) > most:
            raise InvalidInputError('keep_out', f'{len(shapes)} shapes', f'at most {most}')
        self._shapes = shapes
        return tuple(shapes.values())

    def _shape(self, name, marker, now_ns):
        if marker.type not in (Marker.CUBE, Marker.CYLINDER):
            raise InvalidInputError(f'keep_out {name} type', marker.type, 'CUBE (1), CYLINDER (3)')
        size = x, y, z = marker.scale.x, marker.scale.y, marker.scale.z
        if not all(0.0 < 0.5 * edge <= LARGEST_LENGTH for edge in size):
            raise InvalidInputError(f'keep_out {name} scale', size, 'lengths in metres above zero')
        position, axes = self.pose(f'keep_out {name}', marker, marker.header, now_ns)
        box = marker.type == Marker.CUBE
        return KeepOut(name, 'box' if box else 'cylinder', size if box else (0.5 * max(x, y), z),
                       position, rpy_of(np.transpose(axes)))

    def _frame(self, topic, header):
        """Return (translation, axes) of the message's frame in the base frame."""
        if header.frame_id in ('', self.base_frame):
            return _BASE
        translation, quaternion = self._look_up(f'{topic} frame_id', header)
        return translation, _axes(f'transform of {topic}', quaternion)


def _check_stamp(topic, stamp, now_ns):
    ahead_ns = stamp.sec * 1_000_000_000 + stamp.nanosec - now_ns
    if ahead_ns > FUTURE_TOLERANCE_NS and (stamp.sec or stamp.nanosec):
        raise InvalidInputError(f'{topic} stamp', f'{stamp.sec}.{stamp.nanosec:09d}',
                                f'at most 1 s ahead of the clock, not {ahead_ns * 1e-9:.3f} s; '
                                'zero means now')


def _finite(what, vector):
    x, y, z = values = vector.x, vector.y, vector.z
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        raise InvalidInputError(what, values, 'three finite numbers')
    return values


def _placed(what, frame, position):
    """Return a position in the base frame that is given in a frame."""
    found = x, y, z = tuple(map(add, frame[0], rotate(frame[1], position)))
    if not max(abs(x), abs(y), abs(z)) <= LARGEST_POSITION:
        raise InvalidInputError(what, found, f'at most {LARGEST_POSITION:g} m along each axis '
                                'of the base frame')
    return found


def rotate(axes, vector):
    """
    Rotate a vector: return the sum of the axes times its components.

    :param axes: the x, y and z axis, as from :func:`~arm_ik.kinematics.tool_axes.columns`.
    :param vector: its three components along them.
    """
    (a, b, c), (d, e, f), (g, h, i) = axes
    x, y, z = vector
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def _axes(what, quaternion):
    return axes_of(what, (quaternion.x, quaternion.y, quaternion.z, quaternion.w))


def transforms(node, base_frame):
    """Return the ``look_up`` of a node's :class:`TargetReader`: with tf2 if it can be imported."""
    try:
        import tf2_ros
    except ImportError:
        return partial(without_tf2, base_frame)
    buffer = tf2_ros.Buffer()
    # The listener lives as long as the node: its subscriptions belong to it.
    buffer.arm_ik_listener = tf2_ros.TransformListener(buffer, node)
    return partial(look_up, buffer, tf2_ros.TransformException, base_frame)


def without_tf2(base_frame, what, header):
    """Raise :class:`~arm_ik.errors.InvalidInputError`: without tf2 no transform is known."""
    raise InvalidInputError(what, header.frame_id, f'{base_frame!r} or empty; other frames need '
                            'tf2, and tf2_ros is not installed here')


def look_up(buffer, failure, base_frame, what, header):
    """
    Return (translation, rotation) of a header's frame in the base frame at its stamp.

    A zero stamp asks for the newest transform; one a little ahead of it gets it too. The call
    never waits: a waiting callback would block the reading of joint states.

    :param buffer: a ``tf2_ros.Buffer``.
    :param failure: the exception type the buffer raises.
    """
    stamp = header.stamp
    if stamp.sec < 0:  # before 1970
        raise InvalidInputError(f'{what}, at its stamp', f'{stamp.sec}.{stamp.nanosec:09d}',
                                'zero or later; zero asks for the newest transform')
    time = Time(seconds=stamp.sec, nanoseconds=stamp.nanosec)
    try:
        newest = buffer.get_latest_common_time(base_frame, header.frame_id)
        if 0 < time.nanoseconds - newest.nanoseconds <= _AHEAD_NS:
            time = newest
        transform = buffer.lookup_transform(base_frame, header.frame_id, time).transform
    except failure as error:
        raise InvalidInputError(what, header.frame_id, f'{base_frame!r}, empty, or a frame that '
                                f'tf2 can transform: {error}') from error
    shift = transform.translation
    return (shift.x, shift.y, shift.z), transform.rotation
