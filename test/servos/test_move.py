# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Move and check: what moves, how far, and how it is left."""

from math import degrees

from arm_ik import Arm, Target
from arm_ik.drivers.servos_file import load_servos
from arm_ik.servos.move import judged
from held_arm import JOINTS, MODEL
from line_time import in_real_time, LineTime
import pytest
from tool_process import run_tool, ToolProcess

pytestmark = pytest.mark.about_time


@pytest.fixture
def held(held, monkeypatch):
    """Return the emulated arm, for whose time no tool in this process waits."""
    LineTime(held.bus, monkeypatch)
    return held


def move(held, folder, *arguments, typed='y\n'):
    return run_tool('move', *arguments, folder=folder, typed=typed)


def verified(path):
    """Have a servos file say that it is; return its path."""
    fingerprint = load_servos(path, JOINTS).fingerprint
    path.write_text(path.read_text().replace(
        '      joints:\n', f"      verified: '{fingerprint}'\n      joints:\n"))
    return path


def goals(held):
    """Return the ticks of all sync writes of a goal since the last time requests were asked."""
    requests = [bytes.fromhex(request) for request in held.bus.do('requests')
                if request[8:12] == '832a']
    return [request[8] | request[9] << 8 for request in requests]


def on(held):
    """Return the ids that hold."""
    return [servo_id for servo_id, torque in held.torque().items() if torque]


def test_a_joint_goes_where_it_is_sent_and_holds_and_no_other(held, mine):
    eeproms = held.eeproms()
    code, output, errors = move(held, mine.parent, 'elbow_flex', '--by', '5', '--servos', mine,
                                '--arm', 'so101')
    assert (code, errors) == (0, '')
    assert held.position('elbow_flex') == pytest.approx(0.0873, abs=2e-3)
    assert 'commanded 5.0 deg   measured 5.0 deg' in output
    assert 'elbow_flex holds where it is, its torque is on' in output
    assert on(held) == [3] and held.eeproms() == eeproms


def test_it_goes_to_a_position_in_the_direction_of_the_file(held, mine):
    assert move(held, mine.parent, 'shoulder_lift', '--to', '-4', '--servos', mine)[0] == 0
    assert held.position('shoulder_lift') == pytest.approx(-0.0698, abs=2e-3)
    assert held.bus.position(2) > held.zeros[2]


def test_it_can_let_go_in_the_end(held, mine):
    output = move(held, mine.parent, 'wrist_flex', '--by', '2', '--servos', mine, '--limp')[1]
    assert 'the torque of wrist_flex is off' in output and on(held) == []


def test_an_unverified_file_is_warned_of_and_a_verified_one_not(held, mine):
    words = 'Nobody has verified this servos file'
    assert words in move(held, mine.parent, 'gripper', '--by', '2', '--servos', mine)[1]
    assert words not in move(held, mine.parent, 'gripper', '--by', '2', '--servos',
                             verified(mine))[1]


def test_moving_is_slow(held, mine):
    held.bus.do('requests')
    assert move(held, mine.parent, 'wrist_roll', '--by', '10', '--servos', mine)[0] == 0
    ticks = goals(held)     # ten degrees in half a second, at 50 set-points a second
    assert len(set(ticks)) > 8 and ticks == sorted(ticks, reverse=True)


def test_a_blocked_servo_is_not_pressed_on(held, mine):
    held.bus.do('servo', servo_id=3, blocked=True)
    code, output, _ = move(held, mine.parent, 'elbow_flex', '--by', '40', '--servos', mine)
    assert code == 1 and 'Blocked: commanded' in output
    assert held.bus.do('state', servo_id=3)['ram'][42] == held.zeros[3] & 0xFF   # where it is


def test_of_a_servo_that_is_stuck_a_small_step_is_an_error_too(held, mine):
    held.bus.do('servo', servo_id=3, blocked=True)
    code, output, _ = move(held, mine.parent, 'elbow_flex', '--by', '3', '--servos', mine)
    assert code == 1 and 'from where it was sent' in output


def test_a_servo_that_falls_silent_is_not_sent_on(held, mine):
    in_real_time(held.bus)
    with ToolProcess('move', 'shoulder_pan', '--by', '100', '--servos', mine, '--yes',
                     folder=mine.parent) as tool:
        tool.expect('deg   measured')
        tool.expect('deg   measured')
        held.bus.do('servo', servo_id=1, present=False)
        tool.expect('No answer any more; its last goal is')
        assert tool.end() == 1
    assert held.position('shoulder_pan') < 1.5


def test_a_joint_that_runs_when_its_torque_comes_is_switched_off(held, mine):
    in_real_time(held.bus)
    with ToolProcess('move', 'elbow_flex', '--by', '5', '--servos', mine, '--yes',
                     folder=mine.parent) as tool:
        while not held.torque()[3]:
            tool.look()
        held.bus.do('servo', servo_id=3, blocked=True, actual=held.zeros[3] + 120.0)
        tool.expect('elbow_flex ran as soon as it had torque, which is off again')
        assert tool.end() == 1
    assert on(held) == []


def test_interrupted_the_joint_stops_at_once_and_holds(held, mine):
    in_real_time(held.bus)
    with ToolProcess('move', 'shoulder_pan', '--by', '100', '--servos', mine, '--yes',
                     folder=mine.parent) as tool:
        for _ in range(3):
            tool.expect('deg   measured')
        tool.interrupt()
        assert tool.end() == 130
    assert 'shoulder_pan holds where it is, its torque is on' in tool.shown
    assert 0.02 < held.position('shoulder_pan') < 1.0 and on(held) == [1]


@pytest.mark.parametrize('arguments, words', [
    (['elbow_flex'], '--by and --to'),
    (['elbow_flex', '--by', '1', '--to', '1'], '--by and --to'),
    (['elbow_flex', '--by', '200'], 'where elbow_flex would go is'),
    (['elbow_flex', '--by', '-110'], 'where elbow_flex would go is'),
    (['elbow_flex', '--to', 'nan'], 'where elbow_flex would go is'),
    (['elbow_flex', '--by', '1', '--speed', '0'], '--speed is 0.0'),
    (['elbow_felx', '--by', '1'], "no joint 'elbow_felx'; there are: shoulder_pan"),
])
def test_a_movement_that_cannot_be_is_refused(held, mine, arguments, words):
    code, _, errors = move(held, mine.parent, *arguments, '--servos', mine)
    assert code in (1, 2) and words in errors and 'no servo was touched' in errors
    assert on(held) == []


@pytest.mark.parametrize('typed', ['n\n', ''])
def test_without_a_yes_nothing_moves(held, mine, typed):
    code, _, errors = move(held, mine.parent, 'elbow_flex', '--by', '5', '--servos', mine,
                           typed=typed)
    assert code in (1, 2) and 'no servo was touched' in errors and on(held) == []


def test_a_joint_is_never_faster_than_the_arm_file_lets_it_be(held, mine):
    fastest = degrees(MODEL.joints[2].max_velocity)
    for speed, words in (('99999', f'slowly ({fastest:.1f} deg a second)'),
                         ('7', 'slowly (7.0 deg a second)')):
        assert words in move(held, mine.parent, 'elbow_flex', '--by', '5', '--speed', speed,
                             '--servos', mine, typed='n\n')[1]


def test_check_sweeps_the_joints_asked_for_and_comes_back(held, mine):
    code, output, errors = run_tool(
        'check', verified(mine).name, '--joint', 'elbow_flex', '--range', '4', '--speed', '60',
        '--yes', '--arm', 'so101', folder=mine.parent)
    assert (code, errors) == (0, '')
    (row,) = [line.split() for line in output.splitlines() if ' deg to both sides ' in line][1:]
    assert row[0] == 'elbow_flex' and abs(float(row[6])) < 0.2 and float(row[8]) < 0.3
    assert held.position('elbow_flex') == pytest.approx(0.0, abs=4e-3)
    assert 'the arm holds where it is, torque is on' in output
    assert on(held) == [1, 2, 3, 4, 5, 6]


def test_check_tells_a_joint_that_is_blocked_and_goes_on(held, mine):
    held.bus.do('servo', servo_id=3, blocked=True)
    code, output, _ = run_tool(
        'check', verified(mine).name, '--joint', 'elbow_flex', '--joint', 'gripper', '--range',
        '12', '--speed', '90', '--yes', folder=mine.parent)
    assert code == 1
    assert 'elbow_flex' in output and 'Blocked: commanded' in output
    assert 'gripper     12 deg to both sides' in output


def test_check_keeps_off_the_table(held, mine):
    low = Arm.preset('so101').solve(Target((0.28, 0.0, 0.01), (1.0, 0.0, -0.4))).q
    held.hold(dict(zip(JOINTS, low)))
    code, output, _ = run_tool('check', verified(mine).name, '--joint', 'shoulder_lift', '--yes',
                               folder=mine.parent)
    assert code == 0 and 'shoulder_lift  not: the table is too near' in output


def test_check_needs_a_verified_file(held, mine):
    code, output, _ = run_tool('check', mine.name, '--yes', folder=mine.parent)
    assert code == 1 and 'arm_ik servos verify first' in output and on(held) == []


def test_check_interrupted_holds(held, mine):
    in_real_time(held.bus)
    with ToolProcess('check', verified(mine).name, '--yes', folder=mine.parent) as tool:
        tool.expect('shoulder_pan   commanded')
        tool.interrupt()
        assert tool.end() == 130
    assert 'the arm holds where it is, torque is on' in tool.shown
    assert on(held) == [1, 2, 3, 4, 5, 6]


def test_offset_and_backlash_are_told_from_both_ways():
    # One degree below when raised, two above when lowered.
    assert judged([-1.0, -1.0], [2.0, 2.0]) == pytest.approx((0.5, 3.0))
    assert judged([2.0, 2.0], [-1.0, -1.0]) == pytest.approx((0.5, 3.0))
    assert judged([0.3, 0.5], [0.4, 0.4]) == pytest.approx((0.4, 0.0))
