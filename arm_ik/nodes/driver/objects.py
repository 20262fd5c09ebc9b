# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The objects of a world with weight: out ``~/objects``, and tf where it is installed.

A marker has the name of its object as ``ns``, and as ``text`` the links and objects that it
touches. Service: ``~/reset_objects`` puts all of them where they were at the start.
"""

from geometry_msgs.msg import TransformStamped
from std_srvs.srv import Trigger
from visualization_msgs.msg import Marker, MarkerArray

from ..common.diagnostics import STATUS_QOS
from ...description.urdf import BASE_FRAME

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None    # pip has no tf2_msgs

_TYPES = {'box': Marker.CUBE, 'cylinder': Marker.CYLINDER, 'sphere': Marker.SPHERE}


class ObjectPublisher:
    """
    What a back end has of objects, which may be none, as topics of a node.

    :param node: the rclpy node.
    :param backend: the :class:`~arm_ik.bus.backend.Backend`.
    :param prefix: of the frames.
    """

    def __init__(self, node, backend, prefix):
        self._backend, self._prefix, self._published = backend, prefix, {}
        if getattr(backend, 'scene', ()):
            self._markers = node.create_publisher(MarkerArray, '~/objects', STATUS_QOS)
            self._tf = TFMessage and node.create_publisher(TFMessage, '/tf', 100)
            node.create_service(Trigger, '~/reset_objects', self._reset)

    def publish(self, stamp):
        """Publish where the objects are, if one has moved."""
        objects = getattr(self._backend, 'objects', {})
        if objects == self._published:
            return
        self._published, markers, frames = objects, [], []
        for each in self._backend.scene:
            marker, frame = Marker(ns=each.name, type=_TYPES[each.kind]), TransformStamped()
            marker.header.frame_id, marker.header.stamp = self._prefix + BASE_FRAME, stamp
            frame.header, frame.child_frame_id = marker.header, self._prefix + each.name
            at, turn, touches = objects[each.name]
            for place in (marker.pose.position, frame.transform.translation):
                place.x, place.y, place.z = at
            turned = frame.transform.rotation = marker.pose.orientation
            turned.w, turned.x, turned.y, turned.z = turn
            marker.scale.x, marker.scale.y, marker.scale.z = each.edges
            colour, marker.text = marker.color, ' '.join(touches)
            colour.r, colour.g, colour.b, colour.a = each.colour
            markers.append(marker)
            frames.append(frame)
        self._markers.publish(MarkerArray(markers=markers))
        if self._tf:
            self._tf.publish(TFMessage(transforms=frames))

    def _reset(self, _, response):
        self._backend.reset_objects()
        response.success, response.message = True, 'the objects go where they were at the start'
        return response
