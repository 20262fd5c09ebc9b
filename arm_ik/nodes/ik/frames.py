# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Frames other than the arm's own, through tf2 where it is installed.

ROS 2 from pip has no tf2. A node without it works in its base frame only, and refuses other frames
with the reason.
"""

from ...errors import InvalidInputError


#: How far a stamp may be ahead of the newest transform [s]: frames that move are published in
#: steps, a target stamped now comes between two of them.
_AHEAD_S = 0.05


class NoTransforms:
    """
    Refuses every frame but the base frame, because tf2 is not there.

    :param base_frame: the frame to name in the refusal.
    """

    def __init__(self, base_frame):
        self._base_frame = base_frame

    def look_up(self, what, header):
        """Raise :class:`~arm_ik.errors.InvalidInputError`: without tf2 no transform is known."""
        raise InvalidInputError(
            what, header.frame_id, f'{self._base_frame!r} or empty; other frames need tf2, and '
            'tf2_ros is not installed here')


class Tf2Transforms:
    """
    Asks a tf2 buffer.

    :param buffer: a ``tf2_ros.Buffer``.
    :param base_frame: the frame that transforms lead to.
    :param failure: the exception type the buffer raises.
    """

    def __init__(self, buffer, base_frame, failure):
        self._buffer = buffer
        self._base_frame = base_frame
        self._failure = failure

    def look_up(self, what, header):
        """
        Return (translation, rotation) of the header's frame in the base frame at its stamp.

        A zero stamp asks for the newest transform; one a little ahead of it gets it too. The call
        never waits: a waiting callback would block the reading of joint states.
        """
        time = _time(what, header.stamp)
        try:
            newest = self._buffer.get_latest_common_time(self._base_frame, header.frame_id)
            if 0 < time.nanoseconds - newest.nanoseconds <= 1e9 * _AHEAD_S:
                time = newest
            transform = self._buffer.lookup_transform(
                self._base_frame, header.frame_id, time).transform
        except self._failure as error:
            raise InvalidInputError(what, header.frame_id, f'{self._base_frame!r}, empty, or a '
                                    f'frame that tf2 can transform: {error}') from error
        shift = transform.translation
        return (shift.x, shift.y, shift.z), transform.rotation


def transforms(node, base_frame):
    """Return the object that looks transforms up for this node: with tf2 if it can be imported."""
    try:
        import tf2_ros
    except ImportError:
        return NoTransforms(base_frame)
    buffer = tf2_ros.Buffer()
    # The listener lives as long as the node: its subscriptions belong to it.
    buffer.arm_ik_listener = tf2_ros.TransformListener(buffer, node)
    return Tf2Transforms(buffer, base_frame, tf2_ros.TransformException)


def _time(what, stamp):
    from rclpy.time import Time
    try:
        return Time.from_msg(stamp)
    except ValueError:  # before 1970
        raise InvalidInputError(f'{what}, at its stamp', f'{stamp.sec}.{stamp.nanosec:09d}',
                                'zero or later; zero asks for the newest transform') from None
