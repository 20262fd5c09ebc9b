# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What was counted while messages of many classes were answered."""

from collections import Counter

from ..figure import Figure

CRASH = 'crashes'
OUTSIDE = 'values out that are not finite or past a limit'
NO_REASON = 'refused or not reached, without a reason'
TAKEN = 'bad ones taken'
NOT_TAKEN = 'sound ones refused'
NO_ANSWER = 'no answer'
OTHER = 'commands sent by the short way that are not those told of'
SHORT_WAY = 'of these, by the short way'
FAULTS = (CRASH, OUTSIDE, NO_REASON, TAKEN, NOT_TAKEN, OTHER)

#: Of each kind of fault, so many are told in full.
_TOLD = 5


class Tally:
    """
    Counts by class, and faults of all classes by kind.

    :param say: takes a line of progress.
    """

    def __init__(self, say):
        self.counts = {name: Counter() for name in (
            'tried', 'taken', 'refused', 'good', 'good_answered', 'faults', 'short_ways')}
        (self.tried, self.taken, self.refused, self.good, self.good_answered,
         self.faults, self.short_ways) = self.counts.values()
        self._say = say

    def add(self, counts):
        """Add the counts of another tally."""
        for name, count in counts.items():
            self.counts[name].update(count)

    def fault(self, kind, *story):
        """Count a fault; the first few of a kind are told: the class, and what belongs to it."""
        self.faults[kind] += 1
        if self.faults[kind] <= _TOLD:
            self._say(f'{kind}: ' + '; '.join(_short(part) for part in story))

    def answer(self, kind, refused=None):
        """Count a message of a class and its answer; ``None``: nobody can tell."""
        self.tried[kind] += 1
        if refused is not None:
            (self.refused if refused else self.taken)[kind] += 1

    def good_one(self, kind, answered, *story):
        """Count a good one right after one of a class."""
        self.good[kind] += 1
        if answered:
            self.good_answered[kind] += 1
        else:
            self.fault('good one not answered', f'after {kind}', *story)

    def total(self, what, kinds, wanted):
        """Return the figure that says how many messages of some classes were tried."""
        tried = sum(self.tried[kind] for kind in kinds)
        return Figure(what, f'{tried} in {len(kinds)} classes', f'at least {wanted}',
                      tried >= wanted)

    def figures(self):
        """Return the figures of all classes together."""
        good, answered = sum(self.good.values()), sum(self.good_answered.values())
        return [
            *(Figure(kind, str(self.faults[kind]), '0', not self.faults[kind])
              for kind in FAULTS),
            Figure('good ones answered, right after one of a class', f'{answered} of {good}',
                   'all', answered == good > 0)]

    def figures_by_class(self):
        """Return a figure for each class."""
        return [Figure(
            f'class: {kind}', f'{self._fate(kind)}; '
            f'{self.good_answered[kind]} of {self.good[kind]} good ones after it',
            'all good ones', self.good_answered[kind] == self.good[kind] > 0)
            for kind in sorted(self.tried)]

    def _fate(self, kind):
        if self.taken[kind] or self.refused[kind]:
            return f'{self.taken[kind]} taken, {self.refused[kind]} refused'
        return f'{self.tried[kind]} sent'


def _short(part, limit=400):
    text = part if isinstance(part, str) else repr(part)
    return text if len(text) <= limit else text[:limit - 3] + '...'
