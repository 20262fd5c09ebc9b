# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A topic of which only the newest message counts.

Whatever came while the node was busy is taken from the middleware at once; the newest is handed
on, and the older ones are counted. A queue of one would do the same without a word: it does not
say what it lost.
"""

from inspect import Parameter, Signature
from time import time_ns

from rclpy.qos import QoSProfile

#: Messages that may wait: more than come in while one is answered.
QUEUE = 32

#: By this rclpy tells that a callback wants the middleware's information on a message too.
_WITH_INFO = Signature([
    Parameter(name, Parameter.POSITIONAL_ONLY) for name in ('message', 'info')])


class Newest:
    """
    A reliable subscription that hands on the newest message.

    :param node: the node.
    :param kind: type of the message.
    :param topic: name of the topic.
    :param take: called with the newest message and how long ago it was received [s].
    :param receipts: the :class:`~.meters.Receipts` to count in.
    :param raw: whether messages are handed on as bytes.
    """

    def __init__(self, node, kind, topic, take, receipts, raw=False):
        self._kind, self._raw = kind, raw
        self._take = take
        self._receipts = receipts

        def on_message(*given):
            # rclpy's events executor, of Jazzy and of Kilted, gives both as one tuple.
            self._on_message(*(given if len(given) == 2 else given[0]))
        on_message.__signature__ = _WITH_INFO
        self._subscription = node.create_subscription(
            kind, topic, on_message, QoSProfile(depth=QUEUE), raw=raw)

    def _on_message(self, message, info):
        overtaken = 0
        while (newer := self._waiting()) is not None:
            overtaken += 1
            message, info = newer
        self._receipts.count(overtaken, info['publication_sequence_number'],
                             lambda: overtaken + 1 >= QUEUE or self._one_sender())
        received = info['received_timestamp']
        self._take(message, max(0.0, (time_ns() - received) * 1e-9) if received else 0.0)

    def _one_sender(self):
        return self._subscription.get_publisher_count() == 1

    def _waiting(self):
        return self._subscription.handle.take_message(self._kind, self._raw)
