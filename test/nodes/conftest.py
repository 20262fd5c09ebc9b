# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What all tests of nodes rely on."""

import signal

import pytest


@pytest.fixture(scope='session', autouse=True)
def hangups_reach_the_nodes():
    """
    Undo, for the nodes, a nohup that the tests were started with.

    What is ignored here would be ignored by every process started from here; what has a handler
    here is back to its default there.
    """
    before = signal.getsignal(signal.SIGHUP)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    yield
    signal.signal(signal.SIGHUP, before)
