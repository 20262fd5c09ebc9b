# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is made of many parts is started whole or not at all, and ended in any case."""

from arm_ik.testing.whole import Whole
import pytest


class Parts(Whole):
    """Two parts, of which the second may fail to start."""

    def __init__(self, fails):
        super().__init__()
        self.running, self._fails = [], fails

    def _start(self):
        for part in ('first', 'second'):
            if part == 'second' and self._fails:
                raise RuntimeError(part)
            self.running.append(part)
            self._stack.callback(self.running.remove, part)


def test_parts_run_inside_and_are_ended_outside():
    with Parts(fails=False) as parts:
        assert parts.running == ['first', 'second']
    assert parts.running == []


def test_what_cannot_be_started_whole_leaves_nothing_behind():
    parts = Parts(fails=True)
    with pytest.raises(RuntimeError, match='second'):
        parts.__enter__()
    assert parts.running == []
