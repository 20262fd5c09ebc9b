# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What tests of ``ik_node`` as a process share: one node for each file of tests."""

from arm_ik.nodes.ik.parameters import SPECS
from ik_bench import IkBench
import pytest


@pytest.fixture(scope='module')
def shared():
    """Return a node whose arm's state is known."""
    with IkBench() as bench:
        yield bench.drive()


@pytest.fixture
def bench(shared):
    """Return a node with default parameters and nothing in force, its arm at home."""
    return as_new(shared)


def as_new(bench):
    """Bring a node back to where it was after its start; return its bench."""
    bench.enable(False)
    if bench.states is None:  # a test failed before its driver came back
        bench.drive()
    bench.follows = False
    bench.q = dict(zip(bench.arm.joint_names, bench.arm.home))
    result = bench.set(**{spec.name: spec.plain for spec in SPECS if not spec.read_only})
    assert result.successful, result.reason
    bench.rest(2)
    bench.enable(True)
    stamp = bench.up((0.0, 0.0, 0.0))
    bench.wait_for_status('accepted', stamp, words='any')
    bench.forget(stamp)
    return bench
