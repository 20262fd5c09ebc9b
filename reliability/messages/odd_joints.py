# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Joint states and joint commands that no sender should send, by class.

Each is made of what a ``JointState`` says: names, positions, velocities, efforts.
"""

from functools import cache
from math import isfinite, nan

from .odd_targets import HUGE, NO_NUMBERS, TINY

#: How many joints the longest arrays have.
MANY = 200_000

OTHER_NAMES = ('', ' ', 'wheel', 'base_link', 'ä–語🦾', 'a\n\tb', '%s%n', 'z' * 5000)


def state_must_be_refused(names, arrays):
    """Tell whether a joint state can't be believed; ``names`` are the chain's."""
    told, positions, *others = arrays
    if any(len(array) not in (0, len(told)) for array in (positions, *others)):
        return True
    chain = set(names)
    return any(name in chain and not abs(position) <= 1e6
               for name, position in zip(told, positions))


def command_must_be_refused(arrays):
    """Tell whether a joint command can't be obeyed as a whole."""
    told, positions = arrays[:2]
    return (len(told) != len(positions) or len(set(told)) < len(told)
            or not all(map(isfinite, positions)))


def unknown_names(random, names):
    """Return a message of somebody else's joints, perhaps among these."""
    others = random.sample(OTHER_NAMES, random.randint(1, len(OTHER_NAMES)))
    all_names = [*others, *random.sample(names, random.randint(0, len(names)))]
    random.shuffle(all_names)
    return all_names, _readings(random, all_names), [], []


def missing_names(random, names):
    """Return a message of some of the joints."""
    some = random.sample(names, random.randint(0, len(names) - 1))
    return some, _readings(random, some), [], []


def duplicate_names(random, names):
    """Return a message in which joints stand more than once."""
    more = [random.choice(names) for _ in range(len(names) + random.randint(1, 5))]
    return more, _readings(random, more), [], []


def unequal_arrays(random, names):
    """Return a message whose arrays are not of one length."""
    lengths = [random.choice((0, 1, len(names) - 1, len(names) + 1, 100)) for _ in range(3)]
    return (list(names), *([random.uniform(-1.0, 1.0) for _ in range(length)]
                           for length in lengths))


def odd_numbers(random, names):
    """Return a message with NaN, infinity, or numbers of any size among its positions."""
    positions = _readings(random, names)
    for _ in range(random.randint(1, len(names))):
        positions[random.randrange(len(names))] = random.choice((*NO_NUMBERS, *TINY, *HUGE))
    return list(names), positions, random.choice(([], [nan] * len(names))), []


def long_arrays(random, names):
    """Return a message with arrays of 200 000."""
    if random.random() < 0.5:
        return list(names), [0.1] * MANY, [], []
    return [*_many_names()[len(names):], *names], [0.1] * MANY, [], []


#: The class that takes long to make.
LONG = 'arrays of 200 000'

KINDS = {
    'unknown joint names': unknown_names, 'missing joint names': missing_names,
    'duplicate joint names': duplicate_names, 'unequal arrays': unequal_arrays,
    'NaN, infinity, numbers of any size': odd_numbers,
    LONG: long_arrays,
}


@cache
def _many_names():
    return [f'j{i}' for i in range(MANY)]


def _readings(random, names):
    return [random.uniform(-3.0, 3.0) for _ in names]
