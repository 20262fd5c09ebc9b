# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Seventeen faults of a bus and its servos, on every bus: what becomes of each, or why it cannot be.

The faults are those of ``test/drivers``: its tests are run here, and each row of the table says
which buses they have passed on. The short form tries one serial bus.
"""

import re

import pytest

from .emulated import serial_buses
from .figures import Figure, ROOT

_TELLS_NOTHING = 'nobody tells: a servo on pulses answers nothing'
_CLOCKED = 'cannot occur: the adapter clocks every byte'

#: Each fault, what has to become of it on a serial bus, and the test of ``test_serial_faults.py``
#: that tries it: a part of its name, and its parameter.
FAULTS = (
    ('a reply lost', 'its joint is missing: no answer', 'replies_are_no_good', '-lost'),
    ('a reply corrupted', 'its joint is missing: garbled answer', 'replies_are_no_good',
     '-corrupted'),
    ('a reply truncated', 'its joint is missing: garbled answer', 'replies_are_no_good',
     '-truncated'),
    ('a reply late', 'its joint is missing; never taken for a later one', 'late_replies', ''),
    ('requests echoed', 'read as without', 'echoes_change_nothing', ''),
    ('a reply of a wrong id', 'its joint is missing: garbled answer', 'replies_are_no_good',
     '-wrong_id'),
    ('an id twice', 'its joint is missing: garbled answer', 'second_servo_with_an_id', ''),
    ('stray bytes', 'read as without', 'stray_bytes', ''),
    ('a servo gone', 'its joint is missing, the others are read; comes back', 'one_servo_gone',
     ''),
    ('all servos gone', 'all joints are missing; come back', 'all_servos_gone', ''),
    ('unplugged', 'an error that names the port', 'unplugged_it_says_so', '-same device'),
    ('plugged in again', 'read again, nothing written before', 'unplugged_it_says_so',
     '-same device'),
    ('plugged in as another device', 'found by its link', 'unplugged_it_says_so',
     '-another device'),
    ('too hot', 'told, beside the position', 'what_a_servo_complains_of', '-overheat'),
    ('overloaded', 'told, beside the position', 'what_a_servo_complains_of', '-overload'),
    ('voltage too low', 'told, beside the position', 'what_a_servo_complains_of', '-voltage'),
    ('torque lost with the power', 'told; not given back by set-points', 'torque_lost_with', ''))

#: The same for a PCA9685: what becomes of it and a part of its test's name, or why there is none.
PCA9685 = {
    'a reply lost': ('asked again, twice', 'transfer_is_tried_three_times'),
    'a reply corrupted': ('nobody tells; the next set-point mends it', 'garbled_on_the_wire'),
    'a reply truncated': _CLOCKED,
    'a reply late': _CLOCKED,
    'requests echoed': 'cannot occur: what is sent is not heard',
    'a reply of a wrong id': 'cannot occur: a reply has no id',
    'an id twice': 'nobody tells: chips with one address make the same pulses',
    'stray bytes': _CLOCKED,
    'a servo gone': _TELLS_NOTHING,
    'all servos gone': ('the chip without power: an error',
                        'chip_that_has_lost_its_power_has_no_positions'),
    'unplugged': ('an error that names the bus', 'adapter_that_is_unplugged_is_told'),
    'plugged in again': ('held where it was', 'bus_that_is_back_finds_the_arm'),
    'plugged in as another device': ('an error with the buses there are',
                                     'adapter_that_is_unplugged_is_told'),
    'too hot': _TELLS_NOTHING,
    'overloaded': _TELLS_NOTHING,
    'voltage too low': _TELLS_NOTHING,
    'torque lost with the power': ('told, a fault until it is cleared',
                                   r'lost_its_power_is_a_fault_that_stays\[stop\]')}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    tests = _Tests(say)
    buses = [bus.name for bus in serial_buses().BUSES[:1 if short else None]]
    chosen = ['-k', f'{buses[0]} or pca9685'] if short else []
    pytest.main(['-p', 'no:terminal', '-p', 'no:cacheprovider', '--rootdir', str(ROOT),
                 *chosen, *(str(ROOT / f'test/drivers/test_{name}.py')
                            for name in ('serial_faults', 'pca9685', 'pca9685_driven'))], [tests])
    return [_row(fault, outcome, {bus: tests.outcome(rf'{test}\w*\[{bus}{parameter}\]')
                                  for bus in buses}, tests)
            for fault, outcome, test, parameter in FAULTS]


class _Tests:
    """What has become of tests, by their names, told by pytest."""

    def __init__(self, say):
        self._outcomes, self._say = {}, say

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self._say(f'{report.nodeid}: {report.longreprtext}')
        if report.when == 'call' or not report.passed:
            self._outcomes[report.nodeid] = \
                report.longrepr[2].partition('Skipped: ')[2] if report.skipped else report.outcome

    def outcome(self, test):
        """Return ``'passed'``, or what is told instead of the test that a pattern matches."""
        return next((outcome for name, outcome in self._outcomes.items()
                     if re.search(test, name)), 'not tried')


def _row(fault, outcome, serial, tests):
    """Return a fault's figure: where its test has passed, and what else there is to say."""
    seen = [', '.join(bus for bus, told in serial.items() if told == 'passed')]
    seen += [told.replace('cannot occur on ', '').replace(': ', ': cannot occur: ', 1)
             for told in serial.values() if told != 'passed']
    kept = all(told == 'passed' or told.startswith('cannot occur') for told in serial.values())
    if isinstance(PCA9685[fault], str):
        seen.append(f'pca9685: {PCA9685[fault]}')
    else:
        words, test = PCA9685[fault]
        told = tests.outcome(test)
        seen.append(f'pca9685: {words}' if told == 'passed' else f'pca9685: {told}')
        kept = kept and told == 'passed'
    return Figure(fault, outcome, '; '.join(filter(None, seen)), kept)
