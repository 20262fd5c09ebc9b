# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Each experiment's short form holds every promise."""

import pytest
from reliability import experiments
from reliability.figure import NotHere


@pytest.mark.parametrize('name', experiments.names())
def test_every_promise_is_held(name):
    try:
        figures = experiments.run(name, True, 1, print)
    except NotHere as reason:
        pytest.skip(str(reason))
    assert figures
    assert [figure for figure in figures if not figure.held] == []
