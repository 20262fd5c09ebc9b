# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What was counted while messages of many classes were answered."""

from collections import Counter

from .figures import every, Figure, none_of

CRASH = 'crashes'
OUTSIDE = 'values out that are not finite or past a joint limit'
NO_REASON = 'refused or not reached, without a reason'
BAD_TAKEN = 'bad messages taken'
SOUND_REFUSED = 'sound messages refused'
NO_ANSWER = 'messages without an answer'
FAULTS = (CRASH, OUTSIDE, NO_REASON, BAD_TAKEN, SOUND_REFUSED, NO_ANSWER)

#: Of each kind of fault so many are printed.
_PRINTED = 5


class Tally:
    """
    Counts by class of message.

    :param say: takes a line of progress.
    """

    def __init__(self, say):
        self.taken, self.refused, self.sent = Counter(), Counter(), Counter()
        self.faults = Counter()
        self.good, self.good_answered = Counter(), Counter()
        self._say = say

    @property
    def total(self):
        """Return how many messages were sent, good ones included."""
        return sum((self.taken + self.refused + self.sent + self.good).values())

    def add(self, other):
        """Add what another tally has counted."""
        for name in ('taken', 'refused', 'sent', 'faults', 'good', 'good_answered'):
            getattr(self, name).update(getattr(other, name))

    def fault(self, fault, *story):
        """Count a fault; the first few of a kind are printed."""
        self.faults[fault] += 1
        if self.faults[fault] <= _PRINTED:
            self._say(f'{fault}: ' + '; '.join(_short(str(part)) for part in story))

    def answer(self, kind, refused):
        """Count a message of a class and whether it was refused; ``None``: nobody can tell."""
        (self.sent if refused is None else self.refused if refused else self.taken)[kind] += 1

    def judge(self, kind, refused, must, reason, *story):
        """Count a message and its answer: whether it must be refused, and what was said."""
        self.answer(kind, refused)
        if refused != must:
            self.fault(SOUND_REFUSED if refused else BAD_TAKEN, kind, reason, *story)
        if refused and not reason:
            self.fault(NO_REASON, kind, *story)

    def good_one(self, kind, answered, *story):
        """Count a good message right after one of a class."""
        self.good[kind] += 1
        self.good_answered[kind] += bool(answered)
        if not answered:
            self.fault('good message not answered', f'after {kind}', *story)

    def figures(self, wanted):
        """Return the figures of all classes; ``wanted``: how many messages at least."""
        kinds = sorted({*self.taken, *self.refused, *self.sent})
        return [
            Figure('messages', f'>= {wanted}', f'{self.total} in {len(kinds)} classes',
                   self.total >= wanted),
            *(none_of(fault, self.faults[fault], self.total) for fault in FAULTS),
            every('good messages answered right after one of a class',
                  sum(self.good_answered.values()), sum(self.good.values())),
            every('classes followed by good messages that were all answered',
                  sum(self.good[kind] == self.good_answered[kind] > 0 for kind in kinds),
                  len(kinds)),
            Figure('taken and refused by class', '', '; '.join(
                f'{kind}: {self._fate(kind)}' for kind in kinds))]

    def _fate(self, kind):
        if self.sent[kind]:
            return f'{self.sent[kind]} sent'
        return f'{self.taken[kind]} taken, {self.refused[kind]} refused'


def _short(text, limit=400):
    return text if len(text) <= limit else text[:limit - 3] + '...'
