# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos that remember where they have been, and the wire to them."""

from arm_ik import Arm
from arm_ik.errors import DriverError
import pytest
from reliability.faults.bus import ADDRESS, Bus, Outside
from reliability.faults.servos import Servos
from reliability.faults.spread import spread

ARM = Arm.preset('so101')
PAN = ARM.joint_names[0]

#: Of every joint [rad/s].
SPEED = 3.0


class Time:
    """A clock [s] that is moved by hand."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
def servos(clock):
    return Servos(ARM.model, clock)


def at(pan):
    return (pan, *ARM.home[1:])


def test_an_order_is_noted_with_its_end(servos, clock):
    servos.write({PAN: 1.5})
    assert servos.goal == at(1.5)
    assert servos.rests_at() == pytest.approx(clock.now + 1.5 / SPEED)


def test_an_order_that_changes_nothing_is_not_noted(servos, clock):
    servos.write({PAN: 1.5})
    notes = len(servos.notes)
    clock.now += 0.1
    servos.write({PAN: 1.5})
    assert len(servos.notes) == notes


def test_an_arm_that_is_held_rests_from_then_on(servos, clock):
    servos.write({PAN: 1.5})
    clock.now += 0.1
    servos.write({PAN: servos.q[0]})
    clock.now += 1.0
    assert servos.first_rest(1000.0) == (pytest.approx(1000.1), pytest.approx(at(0.3)))


def test_an_arm_that_sets_out_again_has_rested_first(servos, clock):
    servos.write({PAN: 0.3})
    clock.now += 1.0
    servos.write({PAN: 1.5})
    clock.now += 1.0
    assert servos.first_rest(1000.0) == (pytest.approx(1000.1), pytest.approx(at(0.3)))
    assert servos.first_rest(1000.5) == (1000.5, pytest.approx(at(0.3)))
    assert servos.moved(at(0.3), 1000.5) == pytest.approx(1.2)


def test_an_arm_that_is_told_another_goal_on_the_way_does_not_rest(servos, clock):
    servos.write({PAN: 1.5})
    clock.now += 0.1
    servos.write({PAN: -0.3})
    clock.now += 1.0
    assert servos.first_rest(1000.0) == (pytest.approx(1000.3), pytest.approx(at(-0.3)))


def test_the_far_end_of_a_way_and_back_counts_as_moved(servos, clock):
    servos.write({PAN: 1.5})
    clock.now += 0.2
    servos.write({PAN: 0.0})
    clock.now += 1.0
    assert servos.q == at(0.0)
    assert servos.moved(at(0.0), 1000.0) == pytest.approx(0.6)


def test_straying_is_counted_off_the_way_only(servos, clock):
    servos.write({PAN: 0.9})
    clock.now += 1.0
    servos.write({PAN: 0.0})
    assert servos.strayed(at(0.0), at(1.5), 1000.0) == 0.0
    assert servos.strayed(at(0.0), at(0.6), 1000.0) == pytest.approx(0.3)


def test_an_arm_that_is_bent_stays_there(servos, clock):
    servos.write({PAN: 1.5})
    clock.now += 0.1
    servos.bend(at(-1.0))
    clock.now += 1.0
    assert servos.q == at(-1.0)


def test_an_order_is_known_by_its_goal_and_its_time(servos, clock):
    servos.write({PAN: 0.3})
    assert servos.wait_for_order(at(0.3), 999.0, 0.0) == 1000.0
    assert servos.wait_for_order(at(0.3), 1000.0, 0.0) is None
    assert servos.wait_for_order(at(0.301), 999.0, 0.0) is None


@pytest.fixture
def outside(servos, monkeypatch):
    bus = Bus(servos)
    monkeypatch.setenv(ADDRESS, bus.address)
    with Outside(ARM.model) as outside:
        yield outside
    bus.close()


def test_a_driver_that_connects_holds_the_arm_where_it_is(servos, clock, outside):
    outside.write({PAN: 1.5})
    outside.close()
    clock.now += 0.1
    outside.connect()
    clock.now += 1.0
    assert outside.read()[PAN] == servos.q[0] == pytest.approx(0.3)


def test_an_arm_whose_driver_is_gone_goes_on_to_its_goal(servos, clock, outside):
    outside.write({PAN: 1.5})
    outside.close()
    clock.now += 1.0
    assert servos.q == at(1.5)


def test_what_the_servos_refuse_is_refused_at_the_drivers_end(outside):
    with pytest.raises(DriverError, match='no joint'):
        outside.write({'tail': 0.0})
    with pytest.raises(DriverError, match='not connected'):
        outside.close()
        outside.read()


def test_a_hundred_values_in_a_few_words():
    assert spread([i / 100.0 for i in range(1, 101)], 's', 2) == \
        'median 0.50, p99 0.99, largest 1.00 s'
    assert spread([2.0], 's', 1) == 'median 2.0, p99 2.0, largest 2.0 s'
