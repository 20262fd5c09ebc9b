# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Two arms in namespaces, four processes on one machine: neither disturbs the other."""

from contextlib import contextmanager
import signal

from arm_ik.testing import SimulatedArm
import pytest

pytestmark = pytest.mark.about_time

PLACES = ((0.20, 0.12, 0.05), (0.20, -0.12, 0.05))
DOWN = (0.0, 0.0, -1.0)


@pytest.fixture(scope='module')
def arms():
    with SimulatedArm('so101', namespace='left', frame_prefix='left/') as left, SimulatedArm(
            'px100', namespace='right', frame_prefix='right/', domain_id=left.domain_id) as right:
        yield left, right


@contextmanager
def at_rest(arm):
    """Assert that an arm does not move and publishes no status within the context."""
    record, statuses = arm.record(), len(arm.statuses())
    yield
    arm.wait_until(lambda: len(record) >= 10, 'ten states')
    assert all(positions == record[0] for positions in record)
    assert arm.statuses()[statuses:] == []


def test_a_target_moves_the_arm_it_is_for_and_no_other(arms):
    for one, other in (arms, arms[::-1]):
        for place in PLACES:
            with at_rest(other):
                one.move_to(place, DOWN)
                one.assert_at(place)


def test_a_frame_of_the_other_arm_is_refused(arms):
    left, right = arms
    left.frame, own = right.frame, left.frame
    try:
        with at_rest(right):
            status = left.wait_for_refusal(left.send(PLACES[0], DOWN))
        assert "frame_id is 'right/base_link'; allowed: 'left/base_link'" in status.reason
    finally:
        left.frame = own


def test_one_that_is_stopped_and_disabled_leaves_the_other_free(arms):
    left, right = arms
    left.stop()
    left.enable(False)
    right.move_to(PLACES[0], DOWN)
    with at_rest(right):
        left.reset()
        left.enable(True)
    left.move_to(PLACES[1], DOWN)


def test_one_that_dies_leaves_the_other_as_it_is(arms):
    left, right = arms
    with at_rest(right):
        for process in left.processes.values():
            process.signal(signal.SIGKILL)
            process.wait(60.0)
    right.move_to(PLACES[1], DOWN)
    right.assert_at(PLACES[1])
