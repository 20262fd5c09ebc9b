# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which tests are thorough: those that cost most, run by ``./run_tests --all`` and not by default.

Of a test with many cases, some stay in the default tier, evenly spread over all of them.
"""

from collections import defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent

#: By file, and there by test: how many of its cases the default tier keeps. ``'*'``: all tests.
KEPT = {
}


def mark(items, is_whole):
    """
    Mark the thorough cases.

    :param items: what pytest has collected.
    :param is_whole: whether each file was collected with all of its tests.
    :raises pytest.UsageError: if the table names what is not there.
    """
    cases = defaultdict(list)
    for item in items:
        file = item.path.relative_to(FOLDER).as_posix()
        cases[file, '*'].append(item)
        cases[file, getattr(item, 'originalname', item.name)].append(item)
    for file, tests in KEPT.items():
        for test, kept in tests.items():
            found = cases[file, test]
            if not (FOLDER / file).exists() or is_whole and cases[file, '*'] and (
                    len(found) <= kept):
                raise pytest.UsageError(f'test/tiers.py: no more than {kept} of {file}::{test}')
            stay = {(2 * number + 1) * len(found) // (2 * kept) for number in range(kept)}
            for number, item in enumerate(found):
                if number not in stay:
                    item.add_marker('thorough')
