# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a person reads: the table, its summary, and when a run counts as passed."""

from arm_ik.demo.table import closing, heading, rows
from two_joints import answer, grip, run, step, verdict

FAR = step(position=(0.5, 0.0, 0.1), reachable=False, entry=3, name='a shelf')
SAID_SO = answer(status='POSITION_RELAXED', reason='too far by 0.2 m', claimed=(0.2, 0.0))
MISSED = answer(turn=0.1)


def test_a_pose_has_what_was_asked_for_and_where_the_arm_got():
    line, *_ = rows([verdict(came=answer(turn=0.1))])
    assert line.split() == ['1', 'a', 'pose', '0.3000', '0.0000', '0.1000', '0.2985', '0.0300',
                            '0.1000', '3.0e-02', '1.0e-01', 'reached']


def test_the_columns_stand_under_their_headings():
    line, *_ = rows([verdict(came=answer(turn=0.1))])
    head = heading('two: a test')[1]
    assert line.index('reached') == head.index('status')
    assert line.index('3.0e-02') == head.index('tip [m]')


def test_an_expected_miss_is_told_with_its_reason():
    line, note = rows([verdict(FAR, SAID_SO)])
    assert line.endswith('position relaxed') and '2.0e-01' in line
    assert note.strip() == 'too far by 0.2 m, as the file expects'


def test_a_miss_is_called_failed_with_what_the_node_said():
    line, note, reason = rows([verdict(came=answer(turn=0.1, status='UP_RELAXED', reason='so'))])
    assert line.endswith('up relaxed') and '3.0e-02' in line
    assert note.strip() == 'FAILED: missed' and reason.strip() == 'so'


def test_a_line_of_poses_is_one_row_with_its_worst():
    good, bad = verdict(), verdict(came=MISSED)
    line, note = rows([good, bad, good])
    assert 'a pose (3 poses)' in line and '3.0e-02' in line
    assert note.strip() == 'pose 2: FAILED: missed'


def test_an_up_vector_that_was_not_asked_for_is_any():
    line, = rows([verdict(step(up=None, forward=None))])
    assert line.split()[-2:] == ['any', 'reached']


def test_the_gripper_has_its_row():
    line, = rows([grip(0.5)])
    assert 'gripper 50% open' in line and line.endswith('reached')
    assert 'FAILED: it did not move' in rows([grip(failure='it did not move')])[1]


def test_colours_only_where_wanted():
    assert '\x1b' not in ''.join(rows([verdict()]) + closing(run([verdict()])))
    assert '\x1b[32mreached' in rows([verdict()], colour=True)[0]
    assert '\x1b[33mposition relaxed' in rows([verdict(FAR, SAID_SO)], colour=True)[0]
    assert '\x1b[31m' in rows([verdict(came=MISSED)], colour=True)[0]


def test_a_run_passes_if_everything_in_it_did():
    good = run([verdict(), verdict(FAR, SAID_SO), grip()])
    assert good.passed
    line, = closing(good)
    assert line.startswith('  ok: at rest on 1 of 1 reachable poses; worst ')
    assert '1 of 1 out of reach, and said so' in line


def test_one_missed_pose_fails_a_run():
    bad = run([verdict(), verdict(came=MISSED), grip()])
    assert not bad.passed
    assert closing(bad)[0].startswith('  FAILED: at rest on 1 of 2 reachable poses')


def test_a_dishonest_answer_fails_a_run():
    assert not run([verdict(FAR, answer(claimed=(0.2, 0.0)))]).passed


def test_a_gripper_that_did_not_move_fails_a_run():
    assert not run([verdict(), grip(failure='it did not move')]).passed


def test_a_run_that_was_stopped_has_failed():
    bad = run([verdict()], stopped='driver_node ended')
    assert not bad.passed and 'driver_node ended' in closing(bad)[0]


def test_a_run_that_left_something_out_has_failed():
    assert not run([verdict()], missing=[step(entry=2)]).passed
