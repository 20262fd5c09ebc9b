# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a person reads: the table, its summary, and when a run counts as passed."""

from arm_ik.demo import cli
from arm_ik.demo.cli import closing, rows
import pytest
from two_joints import answer, FAR, grip, relaxed, run, step, verdict

MISSED = answer(turn=0.1)


def test_a_pose_has_what_was_asked_for_and_where_the_arm_got_under_their_headings():
    line, _ = rows([verdict(came=MISSED)]).splitlines()
    assert line.split() == ['1', 'a', 'pose', '0.3000', '0.0000', '0.1000', '0.2985', '0.0300',
                            '0.1000', '3.0e-02', '1.0e-01', 'reached']
    assert line.index('reached') == cli.HEADING.index('status')
    assert line.index('3.0e-02') == cli.HEADING.index('tip [m]')


@pytest.mark.parametrize('items, end, notes', [
    ([verdict(FAR, relaxed())], 'position relaxed',
     ['too far by 0.2 m, as the file expects']),
    ([verdict(came=answer(turn=0.1, status='UP_RELAXED', reason='so'))],
     '3.0e-02   1.0e-01  up relaxed', ['FAILED: missed', 'so']),
    ([verdict(), verdict(came=MISSED), verdict()], '3.0e-02   1.0e-01  reached',
     ['pose 2: FAILED: missed']),
    ([verdict(step(up=None, forward=None))], 'any  reached', []),
    ([grip(0.5)], 'reached', []),
    ([grip(failure='no gripper')], 'failed', ['FAILED: no gripper'])])
def test_a_row_ends_with_errors_and_status_and_notes_say_why(items, end, notes):
    line, *found = rows(items).splitlines()
    assert line.endswith(f'  {end}') and [note.strip() for note in found] == notes
    assert ('(3 poses)' in line) == (len(items) == 3)
    assert ('gripper 50% open' in line) == (items[0].step.target is None)


@pytest.mark.parametrize('done, passed, words', [
    (run([verdict(), verdict(FAR, relaxed()), grip()]), True, 'at rest on 1 of 1 reachable poses'),
    (run([verdict(), verdict(FAR, relaxed())]), True, '1 of 1 out of reach, and said so'),
    (run([verdict(), verdict(came=MISSED), grip()]), False, 'at rest on 1 of 2 reachable poses'),
    (run([verdict(FAR, relaxed('REACHED'))]), False, '0 of 1 out of reach'),
    (run([verdict(), grip(failure='no gripper')]), False, 'at rest on 1 of 1'),
    (run([verdict()], stopped='driver_node ended'), False, 'stopped: driver_node ended'),
    (run([verdict()], missing=[step(entry=2)]), False, 'at rest on 1 of 2')])
def test_a_run_passes_if_everything_the_file_asks_for_was_done(done, passed, words):
    assert done.passed == passed and words in closing(done)
    assert closing(done).splitlines()[-1].startswith('  ok: ' if passed else '  FAILED: ')
