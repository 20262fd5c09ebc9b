# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The picture: written, of the right size, with every kind of mark; and what stands in its way."""

from arm_ik.demo import picture
import pytest
from two_joints import answer, FAR, grip, relaxed, run, step, verdict

pytest.importorskip('matplotlib')

LINE = verdict(step()._replace(speed=0.1))


def test_a_picture_with_every_kind_of_mark_is_written(tmp_path):
    path = tmp_path / 'run.png'
    items = [verdict(), verdict(FAR, relaxed()), verdict(came=answer(0.1)), grip()]
    picture.draw(run(items), path)
    head = path.read_bytes()[:24]
    assert head[:8] == b'\x89PNG\r\n\x1a\n'
    width, height = int.from_bytes(head[16:20], 'big'), int.from_bytes(head[20:24], 'big')
    assert width > 1000 and height > 600


@pytest.mark.parametrize('few', [run([verdict()]), run([], stopped='it ended'),
                                 run([verdict(), LINE])], ids=['one', 'none', 'a line'])
def test_a_run_of_few_poses_can_be_drawn(tmp_path, few):
    picture.draw(few, tmp_path / 'few.png')


def test_marks_tell_reached_from_relaxed_from_missed():
    assert picture.mark_colour(verdict()) == picture.REACHED
    assert picture.mark_colour(verdict(FAR, relaxed())) == picture.RELAXED
    assert picture.mark_colour(verdict(came=answer(0.1))) == picture.MISSED


def test_dots_tell_the_speed_of_a_run_that_only_draws_lines():
    assert picture.is_drawn(run([verdict(), LINE, LINE]))
    assert not picture.is_drawn(run([verdict(), LINE, verdict()]))
    assert not picture.is_drawn(run([verdict()]))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match='nowhere'):
        picture.draw(run([verdict()]), tmp_path / 'nowhere' / 'run.png')
