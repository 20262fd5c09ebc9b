# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Up and forward vector of a frame that a target is given as.

``tool0``'s z axis is the up vector. Targets may follow another convention: ``up_axis`` names the
axis of the *target's* frame that is the up vector. The axes of ``tool0`` in the target's frame are
then

=========  =======  =======  =======  ==============================================
up_axis    tool x   tool y   tool z   who writes so
=========  =======  =======  =======  ==============================================
``'z'``    x        y        z        ROS-Industrial, MoveIt ``tool0``, SO-101
``'-z'``   x        -y       -z
``'x'``    -z       y        x        Interbotix, OpenMANIPULATOR: x ahead, z up side
``'-x'``   z        y        -x
``'y'``    x        -z       y
``'-y'``   x        z        -y
=========  =======  =======  =======  ==============================================

Each row is a right-handed frame. Where the up vector is a y or z axis, tool x stays the target's
x. For ``'x'`` the rows are those of the zero pose, where ``tool0`` is ``rpy 0 pi/2 0`` in the
hand's frame: the up side of the hand is -x of the tool.
"""

from math import hypot

from ..errors import InvalidInputError

#: The axis of the target's frame that is tool x, by the one that is the up vector.
TOOL_AXES = {'z': 'x', '-z': 'x', 'x': '-z', '-x': 'z', 'y': 'x', '-y': 'x'}

#: How far a quaternion's norm may be from 1 [1]: more than rounding to three digits causes, and
#: less than a forgotten component. Within it the quaternion is normalised.
QUATERNION_NORM_TOLERANCE = 1e-3


def checked_up_axis(up_axis):
    """Return a key of :data:`TOOL_AXES`; raise :class:`InvalidInputError` for anything else."""
    if not (isinstance(up_axis, str) and up_axis in TOOL_AXES):
        raise InvalidInputError('up_axis', up_axis, ', '.join(map(repr, TOOL_AXES)))
    return up_axis


def up_and_forward(axes, up_axis):
    """
    Return the up vector and the forward vector of a target's frame.

    :param axes: its x, y and z axis.
    :param up_axis: a key of :data:`TOOL_AXES`.
    """
    return axis(up_axis, axes), axis(TOOL_AXES[up_axis], axes)


def axis(name, axes):
    """Return an axis of a frame by its name, such as ``'-z'``."""
    x, y, z = axes['xyz'.index(name[-1])]
    return (-x, -y, -z) if name[0] == '-' else (x, y, z)


def axes_of(what, quaternion):
    """
    Return the x, y and z axis of the frame that a quaternion rotates.

    :param what: name of the quaternion, for messages.
    :param quaternion: ``(x, y, z, w)``, four floats of norm 1 within
        :data:`QUATERNION_NORM_TOLERANCE`.
    :raises InvalidInputError: for other numbers.
    """
    x, y, z, w = quaternion
    norm = hypot(x, y, z, w)
    if norm == 0.0:
        raise InvalidInputError(what, (x, y, z, w),
                                'a unit quaternion; all zeros is not a rotation')
    if not abs(norm - 1.0) <= QUATERNION_NORM_TOLERANCE:
        raise InvalidInputError(what, (x, y, z, w), 'a quaternion of finite numbers and norm 1 '
                                f'within {QUATERNION_NORM_TOLERANCE:g}; its norm is {norm:.6g}')
    return columns((x / norm, y / norm, z / norm, w / norm))


def columns(quaternion):
    """
    Return the three axes of the frame rotated by a unit quaternion: the columns of its matrix.

    The matrix of ``(x, y, z, w)`` is::

        1 - 2 (y^2 + z^2)    2 (x y - z w)        2 (x z + y w)
        2 (x y + z w)        1 - 2 (x^2 + z^2)    2 (y z - x w)
        2 (x z - y w)        2 (y z + x w)        1 - 2 (x^2 + y^2)

    :param quaternion: ``(x, y, z, w)``, norm 1.
    :returns: the x, y and z axis, three unit vectors.
    """
    x, y, z, w = quaternion
    return ((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
            (2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
            (2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)))
