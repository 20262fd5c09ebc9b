# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.nodes.ik.arrival import Arrival, EXACT, REST_TIME, REST_TOLERANCE


def arrival(command=(1.0, 0.0), measured=(0.0, 0.0)):
    watch = Arrival(0.05)
    watch.start(command, measured, 0.0)
    return watch


def rest(watch, measured, since, until):
    """Show an arm that stands still, in steps of a tenth of a second; tell what came last."""
    while since < until - 1e-9:
        since = min(since + 0.1, until)
        arrived = watch.arrived(measured, since)
    return arrived


def test_an_arm_that_stands_exactly_there_has_arrived_at_once():
    assert arrival().arrived((1.0, 0.0), 0.01)


def test_an_arm_that_is_off_by_rounding_has_arrived_at_once():
    assert arrival((EXACT, 0.0)).arrived((0.0, 0.0), 0.01)
    assert not arrival((2.0 * EXACT, 0.0)).arrived((0.0, 0.0), 0.01)


def test_an_arm_on_its_way_has_not_arrived():
    watch = arrival()
    assert not watch.arrived((0.0, 0.0), 0.1)
    assert not watch.arrived((0.5, 0.0), 0.5)
    assert not watch.arrived((0.97, 0.0), 0.7)


def test_an_arm_that_sags_has_arrived_when_it_has_come_to_rest():
    watch = arrival()
    assert not watch.arrived((0.97, 0.0), 1.0)
    assert not rest(watch, (0.97, 0.001), 1.0, 1.0 + REST_TIME - 0.01)
    assert watch.arrived((0.97, 0.001), 1.01 + REST_TIME)


def test_an_arm_that_rests_too_far_away_has_not_arrived():
    watch = arrival()
    for now in (1.0, 2.0, 3.0):
        assert not watch.arrived((0.94, 0.0), now)


def test_an_arm_that_rests_as_far_away_as_tolerated_has_arrived():
    assert rest(arrival((0.05, 0.0)), (0.0, 0.0), 0.0, REST_TIME)
    assert not rest(arrival((0.051, 0.0)), (0.0, 0.0), 0.0, REST_TIME)


def test_nearness_says_nothing_of_a_step_smaller_than_the_tolerance():
    watch = arrival((0.02, 0.0))
    assert not watch.arrived((0.0, 0.0), 0.01)
    assert not watch.arrived((0.01, 0.0), 0.1)
    assert watch.arrived((0.02, 0.0), 0.12)


def test_it_notes_whether_the_arm_has_moved():
    watch = arrival()
    watch.arrived((REST_TOLERANCE, 0.0), 0.1)
    assert not watch.moved
    watch.arrived((1.1 * REST_TOLERANCE, 0.0), 0.2)
    assert watch.moved
    watch.start((1.0, 0.0), (0.1, 0.0), 0.3)
    assert not watch.moved


def test_it_has_arrived_as_soon_as_it_has_rested_long_enough():
    watch = arrival()
    assert not watch.arrived((0.99, 0.0), 0.0)
    assert rest(watch, (0.99, 0.0), 0.0, REST_TIME)


def test_rest_under_the_command_before_does_not_count():
    watch = arrival()
    watch.arrived((0.99, 0.0), 0.1)
    watch.start((1.0, 0.0), (0.99, 0.0), 10.0)
    assert not rest(watch, (0.99, 0.0), 10.0, 9.99 + REST_TIME)
    assert watch.arrived((0.99, 0.0), 10.01 + REST_TIME)


def test_what_is_read_after_a_pause_does_not_say_that_the_arm_rests():
    watch = arrival((0.02, 0.0))
    # Measured before the command reached the arm, and read late all at once.
    for now in (5.0, 5.001, 5.002):
        assert not watch.arrived((0.0, 0.0), now)
    assert not watch.arrived((0.01, 0.0), 5.02)
    assert not rest(watch, (0.01, 0.0), 5.02, 5.01 + REST_TIME)
    assert watch.arrived((0.01, 0.0), 5.03 + REST_TIME)


def test_states_that_come_seldom_end_in_an_arrival_too():
    watch = arrival((0.02, 0.0))
    assert [watch.arrived((0.0, 0.0), now) for now in (1.0, 2.0, 3.0)] == [False, True, True]
