# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which events of the middleware the nodes listen to: as few as they can.

rclpy makes two handlers for every publisher and every subscription, and its usual executor asks
each of them, in Python, before each callback: with a dozen topics that takes as long as a target
does. One of the two, for types that don't match, is never called by Fast DDS. Of the other, for
qualities of service that don't match, one end of a topic is enough: where the nodes listen they
say whom they can't hear, and where they publish, the listener's own node says so.
"""

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.qos import qos_policy_name_from_kind

from . import log


def publisher_events():
    """Return what a publisher listens to: nothing."""
    return PublisherEventCallbacks(use_default_callbacks=False)


def subscription_events(node, topic):
    """
    Return what a subscription listens to: senders that it can't hear are told in the log.

    :param node: the node.
    :param topic: name of the topic.
    """
    def warn(event):
        policy = qos_policy_name_from_kind(event.last_policy_kind)
        log.warning(node, f'{topic}: a sender that is not heard, for its quality of service does '
                    f'not fit: {policy}')
    return SubscriptionEventCallbacks(incompatible_qos=warn, use_default_callbacks=False)


def sender_events(take):
    """
    Return what a subscription listens to that hears every sender.

    :param take: called with an event when a sender appears or leaves.
    """
    return SubscriptionEventCallbacks(matched=take, use_default_callbacks=False)
