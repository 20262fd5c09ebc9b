# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether a joint can be where a servo says it is: a checksum of eight bits promises nothing.

A joint cannot have moved faster than :data:`MARGIN` times its ``max_velocity`` since it was last
believed. Three readings that agree with each other are believed whatever was before, so that an
arm moved by hand does not lock itself out; so are the first ones.
"""

#: How much faster than its ``max_velocity`` a joint may be: pushed, or falling.
MARGIN = 2.0

#: Readings that agree before a place far from the last one is believed.
_AGREEING = 3


class Plausibility:
    """
    Watches one joint.

    :param max_velocity: of the joint [rad/s, m/s].
    :param slack: what a joint at rest may seem to move [rad, m].
    """

    def __init__(self, max_velocity, slack):
        self._speed = MARGIN * max_velocity
        self._slack = slack
        self._believed = None       # position, and when it was asked for
        self._candidate = None
        self._agreeing = 0

    def believes(self, position, asked, answered):
        """
        Tell whether a reading is believed.

        :param position: the reading [rad, m].
        :param asked: when the servo was asked [s].
        :param answered: when its answer was there [s]; the joint was there some time between.
        """
        if self._agree(self._believed, position, answered):
            self._agreeing = 0
        else:
            goes_on = self._agree(self._candidate, position, answered)
            self._agreeing = self._agreeing + 1 if goes_on and self._agreeing else 1
            self._candidate = position, asked
            if self._agreeing < _AGREEING:
                return False
            self._agreeing = 0
        self._believed = position, asked
        return True

    def _agree(self, earlier, position, answered):
        return earlier is not None and \
            abs(position - earlier[0]) <= self._speed * (answered - earlier[1]) + self._slack
