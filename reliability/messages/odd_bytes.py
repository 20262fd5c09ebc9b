# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Serialized messages that are none: what comes out of a broken or hostile sender."""


def truncated(random, data):
    """Return the beginning of a message."""
    return data[:random.randint(1, len(data) - 9)]


def oversized(random, data):
    """Return a message with more behind its end than any serialiser leaves."""
    return data + random.randbytes(random.choice((64, 65, 1000, 100_000)))


def other_header(random, data):
    """Return a message with another header: how the rest is written."""
    return random.randbytes(4) + data[4:]


def long_lengths(random, data):
    """Return a message that announces up to four gigabytes somewhere."""
    at = 4 * random.randint(1, len(data) // 4 - 1)
    return data[:at] + random.choice((b'\xff' * 4, b'\xff\xff\xff\x7f', b'\0\0\0\x80',
                                      b'\xff\xff\xff\x1f')) + data[at + 4:]


def flipped_bits(random, data):
    """Return a message with a few bits the other way round."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


def any_bytes(random, data):
    """Return bytes of any kind, at most twice as many as a message."""
    return random.randbytes(random.randint(1, 2 * len(data)))


KINDS = {
    'truncated': truncated, 'oversized': oversized, 'another header': other_header,
    'lengths of gigabytes': long_lengths, 'flipped bits': flipped_bits, 'any bytes': any_bytes,
}

#: Those that a reader which looks at every byte has to refuse.
NO_MESSAGES = ('truncated', 'oversized')
