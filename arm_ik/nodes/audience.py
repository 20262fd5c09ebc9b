# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Who listens to what costs time to say.

To ask the middleware takes a tenth of the time that a target takes, so under load it is asked no
more than every ``STALE_S``: whoever comes in the middle of a flood of targets misses a few. At
usual rates it is asked each time.
"""

#: How old an answer of the middleware may be [s].
STALE_S = 0.002


class Audience:
    """
    The number of listeners of several topics.

    :param publishers: of the topics.
    """

    def __init__(self, *publishers):
        self._publishers = publishers
        self._asked = float('-inf')
        self._counts = (0,) * len(publishers)

    def counts(self, now):
        """
        Return how many listen to each topic, in the order of the publishers.

        :param now: seconds that never run backwards.
        """
        if not 0.0 <= now - self._asked <= STALE_S:
            self._asked = now
            self._counts = tuple(
                [publisher.get_subscription_count() for publisher in self._publishers])
        return self._counts
