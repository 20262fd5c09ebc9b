# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which complaints of servos are faults, and for how long."""

from arm_ik.drivers import Health
from arm_ik.drivers.readings import Faults
import pytest


@pytest.mark.parametrize('flag', ['overload', 'overheat', 'voltage'])
def test_a_fault_is_kept_although_the_servo_is_well_again(flag):
    faults = Faults()
    assert not faults and faults.of('elbow') == ()
    assert faults.look('elbow', Health(flags=(flag, 'angle')), True)
    assert not faults.look('elbow', Health(), True)
    assert faults and 'elbow' in faults and faults.of('elbow') == (flag,)
    assert str(faults) == f'elbow: {flag}'
    faults.clear(['elbow'])
    assert not faults and 'elbow' not in faults


def test_one_that_is_known_is_no_news_and_another_one_is():
    faults = Faults()
    assert faults.look('elbow', Health(flags=('overload',)), True)
    assert not faults.look('elbow', Health(flags=('overload',)), True)
    assert faults.look('elbow', Health(flags=('voltage',), torque=False), True)
    assert faults.look('wrist', Health(flags=('overload',)), True)
    assert str(faults) == 'elbow: overload, voltage, torque lost; wrist: overload'


@pytest.mark.parametrize('torque, should_hold, lost', [
    (False, True, True), (False, False, False), (True, True, False), (None, True, False)])
def test_torque_is_lost_where_it_was_switched_on_and_is_off(torque, should_hold, lost):
    faults = Faults()
    assert faults.look('elbow', Health(torque=torque), should_hold) == lost


def test_other_flags_are_no_faults():
    assert not Faults().look('elbow', Health(flags=('angle', 'moving')), True)
