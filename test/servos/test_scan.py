# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Scan and set-id: who is there, what is odd, and an id written for good."""

from argparse import Namespace
import sys

from arm_ik.bus.families import bus_kind
from arm_ik.errors import DriverError
from arm_ik.servos import scan as scan_tool
from arm_ik.servos.terminal import Terminal
from arm_ik.testing.servos.emulated_bus import EmulatedBus
from line_time import in_real_time, LineTime
import pytest
from tool_process import run_tool, ToolProcess

pytestmark = pytest.mark.about_time


def scan(bus, folder, ids='0-2, 3 4-7', baud='1000000'):
    return run_tool('scan', '--port', bus.port, '--ids', ids, '--patience', 0.05, '--baud', baud,
                    folder=folder)


@pytest.fixture
def held(held, monkeypatch):
    """Return the emulated arm, for whose time no tool in this process waits."""
    LineTime(held.bus, monkeypatch)
    return held


def rows(output):
    """Return the rows of the table, in words."""
    lines = [line.split() for line in output.splitlines()]
    return [line for line in lines if line and line[0].isdigit()]


@pytest.fixture
def bus(tmp_path, monkeypatch):
    """Return a function that starts a bus with given servos."""
    started = []

    def start(*servos):
        started.append(EmulatedBus(tmp_path, servos=list(servos)))
        LineTime(started[-1], monkeypatch)
        return started[-1]

    yield start
    for each in started:
        each.__exit__()


def test_six_servos_are_shown_with_all_they_tell(held, tmp_path):
    code, output, errors = scan(held, tmp_path)
    assert (code, errors) == (0, '')
    assert rows(output) == [
        [str(servo_id), 'STS3215', '1000000', str(zero), '7.4', '30', 'off', '0', '0..4095',
         '3.10']
        for servo_id, zero in held.zeros.items()]
    assert 'Nothing odd.' in output
    assert set(held.torque().values()) == {0}


def test_a_servo_that_counts_turns_beyond_one_is_named_and_set_mends_it(held, tmp_path):
    held.bus.do('write', servo_id=3, address=18, value=28)
    held.bus.do('servo', servo_id=3, actual=5000.0)
    output = scan(held, tmp_path)[1]
    assert rows(output)[2][:4] == ['3', 'STS3215', '1000000', '5000'], output
    assert 'id 3: counts turns' in output and 'arm_ik servos set' in output
    assert 'two servos' not in output
    code, output, errors = run_tool('calibrate', 'so101', '--port', held.port, folder=tmp_path)
    assert code == 1 and 'two servos' not in output + errors
    assert 'counts turns' in output + errors and 'arm_ik servos set' in errors
    assert not any(held.torque().values())
    code, output, errors = run_tool('set', 'so101', '--port', held.port, '--yes', folder=tmp_path)
    assert (code, errors) == (0, ''), output
    state = held.bus.do('state', servo_id=3)
    assert state['ram'][18] == 12 and state['position'] == 5000 - 4096 and not state['torque']


def test_a_servo_at_another_baud_rate_is_found(bus, tmp_path):
    other = bus({'servo_id': 200, 'baud': 6})
    code, output, _ = run_tool('scan', '--port', other.port, '--ids', '200', folder=tmp_path)
    assert code == 0
    assert [row[:3] for row in rows(output)] == [['200', 'STS3215', '57600']]
    assert 'Write "baud: 57600" into the servos file' in output


def test_one_baud_rate_and_some_ids_can_be_asked_for(held, tmp_path):
    code, output, _ = scan(held, tmp_path, ids='2-3,6')
    assert code == 0 and [row[0] for row in rows(output)] == ['2', '3', '6']


def test_two_servos_with_one_id_are_told_of(bus, tmp_path):
    two = bus({'servo_id': 1, 'position': 1000}, {'servo_id': 1, 'position': 3000})
    code, output, _ = scan(two, tmp_path)
    assert code == 0 and rows(output)[0][:2] == ['1', '?']
    assert 'id 1: answers, but garbled: two servos with this id, or a bad cable' in output


def test_if_nobody_answers_it_says_what_to_look_at(bus, tmp_path):
    code, output, _ = run_tool('scan', '--port', bus().port, folder=tmp_path)
    assert code == 1
    assert 'Nobody answers.' in output and 'power of its own' in output and 'SCS' in output


def test_with_one_baud_rate_it_doubts_that(bus, tmp_path):
    assert 'Is 57600 its baud rate?' in scan(bus(), tmp_path, baud='57600')[1]


@pytest.mark.parametrize('arguments, code, words', [
    (['--port', '/dev/ttyNONE'], 1, 'no port /dev/ttyNONE'),
    (['--ids', '1-x'], 2, "--ids is '1-x'; allowed: such as 1-6,20; from 0 to 252"),
    (['--ids', '250-260'], 2, '--ids'),
    (['--ids', '6-1'], 2, '--ids'),
    ([], 2, '--port'),
])
def test_what_is_wrong_is_said(tmp_path, arguments, code, words):
    port = [] if '--port' in arguments or not arguments else ['--port', '/dev/ttyNONE']
    found, _, errors = run_tool('scan', *port, *arguments, folder=tmp_path)
    assert found == code and words in errors


def test_interrupted_it_ends_at_once(held, tmp_path):
    in_real_time(held.bus)
    with ToolProcess('scan', '--port', held.port, folder=tmp_path) as tool:
        tool.expect('1000000 baud: id')
        tool.interrupt()
        assert tool.end() == 130
    assert 'no servo was touched' in tool.shown


def set_id(bus, folder, *arguments, typed='y\n'):
    return run_tool('set-id', *arguments, '--port', bus.port, '--ids', '0-9', '--patience', 0.05,
                    '--baud', 1000000,
                    folder=folder, typed=typed)


def test_one_servo_alone_is_given_an_id_that_lasts(bus, tmp_path):
    one = bus({'servo_id': 1, 'position': 1000})
    code, output, errors = set_id(one, tmp_path, 4)
    assert (code, errors) == (0, '')
    assert 'To be written into its EEPROM, where it lasts: id 4 instead of 1' in output
    assert 'Written and read back: STS3215 with id 4' in output
    assert one.do('state', servo_id=4)['ram'][55] == 1      # locked again
    one.do('power_cycle')
    assert one.do('state', servo_id=4)['ram'][5] == 4


@pytest.mark.parametrize('what, code, now', [('ctrl-c', 130, 4), ('deaf', 1, 1)])
def test_interrupted_or_not_heard_the_eeprom_is_locked_again(bus, tmp_path, what, code, now):
    one = bus({'servo_id': 1})
    in_real_time(one)
    with ToolProcess('set-id', 4, '--port', one.port, '--ids', '1', '--patience', 0.08, '--baud',
                     1000000, folder=tmp_path) as tool:
        tool.expect('Write id 4?')
        one.fault('late', seconds=0.04)
        tool.type('y\n')
        while one.do('state', servo_id=1)['ram'][55]:
            tool.look()
        if what == 'deaf':      # to the id
            one.do('servo', servo_id=1, deaf=1)
        else:
            tool.interrupt()
        assert tool.end() == code
    assert 'id 1 may be 4 now; scan shows it' in tool.shown
    state = one.do('state', servo_id=now)
    assert (state['ram'][55], state['eeprom'][5]) == (1, now)


def test_without_a_yes_nothing_is_written(bus, tmp_path):
    one = bus({'servo_id': 1})
    assert set_id(one, tmp_path, 4, typed='\n')[0] == 1
    assert one.do('state', servo_id=1)['ram'][5] == 1


def test_among_several_servos_one_has_to_be_named(bus, tmp_path):
    two = bus({'servo_id': 1}, {'servo_id': 2})
    code, _, errors = set_id(two, tmp_path, 4)
    assert code == 1 and '2 servos answer: id 1, 2' in errors
    assert set_id(two, tmp_path, 4, '--from', 2)[0] == 0
    assert two.do('state', servo_id=4)['eeprom'][5] == 4
    assert two.do('state', servo_id=1)['eeprom'][5] == 1


@pytest.mark.parametrize('arguments, words', [
    ([2], 'is taken by another servo'),
    ([4, '--from', 9], 'no servo answers with id 9'),
    ([253], 'the new id is 253; allowed: from 0 to 252'),
])
def test_an_id_that_cannot_be_given_is_refused(bus, tmp_path, arguments, words):
    two = bus({'servo_id': 1}, {'servo_id': 2})
    more = [] if '--from' in arguments or 253 in arguments else ['--from', 1]
    code, _, errors = set_id(two, tmp_path, *arguments, *more)
    assert code in (1, 2) and words in errors
    assert two.do('state', servo_id=1)['eeprom'][5] == 1


def test_one_of_two_with_the_same_id_is_not_written_to(bus, tmp_path):
    code, _, errors = set_id(bus({'servo_id': 1, 'position': 1000},
                                 {'servo_id': 1, 'position': 3000}), tmp_path, 4)
    assert code == 1 and 'two servos with this id' in errors


def test_the_likely_ids_are_asked_first_and_then_all(bus, run_here, capsys):
    class Few(bus_kind('feetech')):
        """There are few ids."""

        ids = range(14)

    one = bus({'servo_id': 1})
    assert run_here(scan_tool.set_id, Few, one, baud=1000000, ids=None, new_id=12,
                    patience=0.03) == 0
    assert 'asked id 0 to 12 at' in capsys.readouterr().out
    assert run_here(scan_tool.set_id, Few, one, baud=1000000, ids=None, new_id=2,
                    patience=0.03) == 0
    assert capsys.readouterr().out.count(' at 1000000 baud: ') >= 2
    assert one.do('state', servo_id=2)['eeprom'][5] == 2


def test_an_id_it_has_already_is_not_written(bus, tmp_path):
    code, output, _ = set_id(bus({'servo_id': 3}), tmp_path, 3, typed='')
    assert code == 0 and 'id 3 it is already' in output


@pytest.fixture
def run_here(bus, monkeypatch, tmp_path):
    """Return a function that runs a tool in this process, with servos that do as a class says."""
    def run(tool, kind, emulated, **options):
        monkeypatch.setattr(scan_tool, 'bus_kind', lambda name: kind)
        (tmp_path / 'nothing').touch()
        with open(tmp_path / 'nothing') as nothing:
            monkeypatch.setattr(sys, 'stdin', nothing)
            return tool(Namespace(**{
                'backend': 'feetech', 'port': emulated.port, 'baud': None, 'patience': 0.15,
                'old_id': None, **options}), Terminal(assume_yes=True))
    return run


def test_an_old_id_that_still_answers_is_told(bus, run_here):
    emulated = bus({'servo_id': 1})

    class Twins(bus_kind('feetech')):
        """There is another servo with the old id, which has not answered before."""

        def set_id(self, servo_id, new_id):
            super().set_id(servo_id, new_id)
            emulated.do('add', servo_id=servo_id)

    with pytest.raises(DriverError, match='id 1 answers as before, too'):
        run_here(scan_tool.set_id, Twins, emulated, baud=1000000, ids='1', new_id=4)


def test_servos_at_two_baud_rates_are_told_of(bus, run_here, capsys):
    emulated = bus({'servo_id': 1}, {'servo_id': 2, 'baud': 6})

    class TwoRates(bus_kind('feetech')):
        """Servos that are looked for at two baud rates only."""

        bauds = (1000000, 57600)

    assert run_here(scan_tool.run, TwoRates, emulated, ids='1-2') == 0
    output = capsys.readouterr().out
    assert [row[:3] for row in rows(output)] == [
        ['1', 'STS3215', '1000000'], ['2', 'STS3215', '57600']]
    assert 'Servos at 2 baud rates (57600: id 2; 1000000: id 1): only those of one can' in output
