# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An adapter that keeps answers, of which the system does not tell: its time is found out."""

import re

from arm_ik.bus.families import bus_kind
from arm_ik.errors import DriverError
from bus_helpers import opened, verified
from line_time import LineTime
import pytest


@pytest.fixture
def emulated(bus, tmp_path, hold, monkeypatch):
    """Return a bus on an adapter that hands on what it has only so often [s]."""
    with bus.emulated(tmp_path, hold=hold, manual_time=True) as emulated:
        LineTime(emulated, monkeypatch)
        yield emulated


def proposed(words, hold):
    """Return the patience that words propose, if they say that all answers are late."""
    found = re.search(r'answers come (\d+) ms late: .* Write "patience: (\S+)" into the servos '
                      'file', words)
    assert found, words
    assert 0.6 * hold < 1e-3 * int(found[1]) < 1.1 * hold
    return float(found[2])


@pytest.fixture
def backend(bus, emulated):
    """Return a function that makes a back end with a patience."""
    made = []

    def make(patience=None):
        made.append(bus.backend(emulated.port, patience=patience))
        return made[-1]

    yield make
    for each in made:
        each.close()


# A servo is asked three times within about 33 ms. A shorter hold ends once in that time, so that
# an answer may come in time, and no servo is refused.
@pytest.mark.parametrize('hold', [0.045])
def test_the_driver_measures_it_and_proposes_a_patience_that_serves(backend, hold):
    slow = opened(backend())
    with pytest.raises(DriverError) as caught:
        slow.verify()
    slow.close()
    patience = proposed(str(caught.value), hold)
    ready = verified(backend(patience))
    assert [ready.read().missing for _ in range(5)] == [{}] * 5
    notes = [note for note in ready.notes if 'late' in note]
    assert len(notes) == 1 and ' ms and more instead of ' in notes[0]
    assert 'An FTDI adapter is prompt after: echo 1 | sudo tee /sys/class/tty/' in notes[0]


@pytest.mark.parametrize('hold', [0.03])
def test_scan_finds_all_servos_and_proposes_it_too(bus, emulated, hold):
    with bus_kind(bus.file.family)(emulated.port) as tools:
        assert tools.is_anybody_there()
        found = [tools.find(servo_id) for servo_id in bus.ids.values()]
    assert all(servo.tick == bus.ticks[servo.id] for servo in found)
    odd = [words for servo in found for words in servo.odd]
    assert len(odd) == 1 and proposed(odd[0], hold)


@pytest.mark.parametrize('hold', [0.0])
def test_two_servos_with_one_id_are_no_slow_adapter(bus, emulated, backend):
    emulated.do('add', **bus.servo(bus.ids[bus.elbow], position=600))
    assert 'another servo with this id' in opened(backend()).verify()[bus.elbow]


@pytest.mark.parametrize('hold', [0.0])
@pytest.mark.parametrize('late, counts', [(2, False), (3, True)])
def test_the_latest_two_of_all_answers_do_not_count(bus, emulated, backend, late, counts):
    line, servo_id = opened(backend(0.05)).bus, bus.ids[bus.elbow]
    emulated.fault('late', [servo_id], seconds=0.03, count=late)
    assert (line.latency(servo_id) > 0.02) == counts
