# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where the arm really is, merged from partial joint states.

Several senders may share ``joint_states``; each message is merged by name, and each joint
remembers when it was last heard of, on the monotonic clock. A message is taken whole or not at
all:

- names that are not the chain's belong to somebody else's joints and are passed over;
- a message without positions tells of velocities or efforts only and is passed over;
- arrays of unequal length, or a chain joint's position that is not finite or farther than any arm
  turns, refuse the message, and what was known before stays known. (Velocities may be NaN: that
  is how ros2_control says that there are none.)
"""

from math import inf

from ...errors import InvalidInputError

#: The largest reading that is believed [rad]: of one much larger, a float's digits no longer say
#: where the joint stands, and its sender has lost its mind or its units.
LARGEST_READING = 1e6


class ArmState:
    """
    The newest reading of each joint of the chain.

    ``positions`` holds them [rad], base to tip, ``None`` where there is none; ``heard`` when the
    joint not heard of for longest was heard of [s], -infinite: never.

    :param joint_names: of the chain, base to tip.
    """

    def __init__(self, joint_names):
        self.joint_names = tuple(joint_names)
        self._index = {name: i for i, name in enumerate(self.joint_names)}
        self.positions = (None,) * len(self.joint_names)
        self.heard = -inf
        self._heard = [-inf] * len(self.joint_names)

    @property
    def unknown_joints(self):
        """Return the names of the joints that were never heard of."""
        return tuple(name for name, position in zip(self.joint_names, self.positions)
                     if position is None)

    def oldest(self, now):
        """Return ``(age [s], name)`` of the joint not heard of for longest; infinite: never."""
        return now - self.heard, self.joint_names[self._heard.index(self.heard)]

    def merge(self, now, names, positions, *others):
        """
        Take over what a message says of this chain's joints.

        :param now: time of receipt on the monotonic clock [s].
        :param names: of joints, any.
        :param positions: readings [rad], one per name, or none at all.
        :param others: the message's other arrays; only their lengths count.
        :returns: whether the message told anything of the chain.
        :raises InvalidInputError: and nothing is taken over.
        """
        count = len(names)
        for array in (positions, *others):
            if len(array) not in (0, count):
                raise InvalidInputError(
                    'joint_states', f'{count} names and an array of {len(array)}',
                    'arrays as long as the names, or empty')
        index = self._index
        news = [(index[name], position) for name, position in zip(names, positions)
                if name in index]
        for i, position in news:
            if not -LARGEST_READING <= position <= LARGEST_READING:  # NaN is not, either
                raise InvalidInputError(f'joint_states position of {self.joint_names[i]}',
                                        position, f'a finite number, at most {LARGEST_READING:g} '
                                        'to either side')
        positions = list(self.positions)
        for i, position in news:
            positions[i] = position
            self._heard[i] = now
        self.positions, self.heard = tuple(positions), min(self._heard)
        return bool(news)
