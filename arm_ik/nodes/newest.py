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

rclpy's events executor queues an event for each message that comes, of which there may be any
number, and serves them in turn: in a flood everything else waits behind events of messages that
have been overtaken long ago, and memory grows. A flood is told, so that the node can take the
subscription away from the executor, and :meth:`Newest.read` it now and then until it is over.
"""

from inspect import Parameter, Signature
from time import time_ns

from rclpy.qos import QoSProfile

from .qos_events import subscription_events

#: Messages that may wait: more than come in while one is answered.
QUEUE = 32

#: After so many reads with room in the queue a flood is over.
QUIET_READS = 5

#: Messages that are read at once, at most: whoever sends more quickly than they are read does not
#: keep the node from answering.
_AT_ONCE = 4 * QUEUE

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
    :param flood: called with this and whether there is a flood from now on, when that changes.
    """

    def __init__(self, node, kind, topic, take, receipts, raw=False, flood=lambda *_: None):
        self._kind, self._raw = kind, raw
        self._take = take
        self._receipts = receipts
        self._flood = flood
        self._flooded, self._quiet_reads = False, QUIET_READS

        def on_message(message, info=None):
            if info is None:  # rclpy's events executor, of Jazzy and of Kilted: both as one tuple
                message, info = message
            self._on_message(message, info)
        on_message.__signature__ = _WITH_INFO
        self.subscription = node.create_subscription(
            kind, topic, on_message, QoSProfile(depth=QUEUE), raw=raw,
            event_callbacks=subscription_events(node, topic))
        self._take_message = self.subscription.handle.take_message

    def read(self):
        """In a flood, hand on the newest of the messages that wait, if there are any."""
        self._quiet_reads += 1
        waiting = self._waiting()
        if waiting is not None:
            self._on_message(*waiting)
        if self._quiet_reads == QUIET_READS:
            self._tell(False)

    def _on_message(self, message, info):
        overtaken = 0
        while overtaken < _AT_ONCE and (newer := self._waiting()) is not None:
            overtaken += 1
            message, info = newer
        full = overtaken + 1 >= QUEUE
        if full:
            self._quiet_reads = 0
            self._tell(True)
        self._receipts.count(overtaken, info['publication_sequence_number'],
                             lambda: full or self._one_sender())
        # By the system's clock, as the middleware has it. Set ahead between the receipt and this
        # line, a message seems older and may be refused; set back, it is new, as most are.
        received = info['received_timestamp']
        self._take(message, max(0.0, (time_ns() - received) * 1e-9) if received else 0.0)

    def _tell(self, flooded):
        if flooded is not self._flooded:
            self._flooded = flooded
            self._flood(self, flooded)

    def _one_sender(self):
        return self.subscription.get_publisher_count() == 1

    def _waiting(self):
        return self._take_message(self._kind, self._raw)
