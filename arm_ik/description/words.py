# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Words for messages about arm descriptions."""

from ..errors import did_you_mean


class _Nothing:
    """Stands for a missing value in a message: reads ``found nothing``."""

    def __repr__(self):
        return 'nothing'

    def __reduce__(self):
        return 'NOTHING'


#: What is found where a key is missing.
NOTHING = _Nothing()


def one_of(word, known):
    """
    Return the words allowed, led by the one that was probably meant.

    :param word: what stands in the file.
    :param known: the words allowed.
    """
    known = tuple(known)
    return f'{did_you_mean(word, known)}one of {", ".join(known)}' if known else 'no key here'
