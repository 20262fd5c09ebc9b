# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The keys that jog the tip, in the terminal and on the page; no ROS."""

Vector = tuple[float, float, float]

ZERO = (0.0, 0.0, 0.0)

_AXES = {'+x': (1.0, 0.0, 0.0), '-x': (-1.0, 0.0, 0.0), '+y': (0.0, 1.0, 0.0),
         '-y': (0.0, -1.0, 0.0), '+z': (0.0, 0.0, 1.0), '-z': (0.0, 0.0, -1.0)}

#: Directions by key: a word, and the linear and angular parts.
DIRECTIONS: dict[str, tuple[str, Vector, Vector]] = {
    **{key: (word, axis, ZERO) for key, (word, axis) in zip('wsadrf', _AXES.items())},
    **{key: (f'turn {word}', ZERO, axis) for key, (word, axis) in zip('uoikjl', _AXES.items())}}
