# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Shapes to stay out of, read from the markers of ``~/keep_out``."""

import numpy as np
from visualization_msgs.msg import Marker

from ...description.urdf_tree import rpy_of
from ...errors import InvalidInputError
from ...kinematics.model import KeepOut, LARGEST_LENGTH

#: Most shapes at a time, so that looking at paths does not take too long.
MOST_SHAPES = 50


class KeepOutReader:
    """
    Reads MarkerArrays; remembers the shapes.

    :param pose: ``(what, message, header, now_ns) -> (position, axes)``, see
        :meth:`.TargetReader.pose`.
    :param most: shapes at a time.
    """

    def __init__(self, pose, most=MOST_SHAPES):
        self._pose, self._most, self._shapes = pose, most, {}

    def read(self, message, now_ns):
        """Return all shapes by now; a message with anything wrong changes nothing."""
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
        if len(shapes) > self._most:
            raise InvalidInputError('keep_out', f'{len(shapes)} shapes', f'at most {self._most}')
        self._shapes = shapes
        return tuple(shapes.values())

    def _shape(self, name, marker, now_ns):
        if marker.type not in (Marker.CUBE, Marker.CYLINDER):
            raise InvalidInputError(f'keep_out {name} type', marker.type, 'CUBE (1), CYLINDER (3)')
        size = x, y, z = marker.scale.x, marker.scale.y, marker.scale.z
        if not all(0.0 < 0.5 * edge <= LARGEST_LENGTH for edge in size):
            raise InvalidInputError(f'keep_out {name} scale', size, 'lengths in metres above zero')
        position, axes = self._pose(f'keep_out {name}', marker, marker.header, now_ns)
        box = marker.type == Marker.CUBE
        return KeepOut(name, 'box' if box else 'cylinder', size if box else (0.5 * max(x, y), z),
                       position, rpy_of(np.transpose(axes)))
