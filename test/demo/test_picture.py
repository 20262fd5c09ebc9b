# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The picture: written, of the right size, with every kind of mark; and what stands in its way."""

import sys

from arm_ik.demo import picture
import pytest
from two_joints import answer, grip, run, step, verdict

pytest.importorskip('matplotlib')

FAR = step(position=(0.5, 0.0, 0.1), reachable=False)
SAID_SO = answer(status='POSITION_RELAXED', reason='too far by 0.2 m', claimed=(0.2, 0.0))


def test_a_picture_with_every_kind_of_mark_is_written(tmp_path):
    path = tmp_path / 'run.png'
    picture.draw(run([verdict(), verdict(FAR, SAID_SO), verdict(came=answer(0.1)), grip()]), path)
    head = path.read_bytes()[:24]
    assert head[:8] == b'\x89PNG\r\n\x1a\n'
    width, height = int.from_bytes(head[16:20], 'big'), int.from_bytes(head[20:24], 'big')
    assert width > 1000 and height > 600


def test_a_run_of_one_pose_can_be_drawn(tmp_path):
    picture.draw(run([verdict()]), tmp_path / 'one.png')


def test_a_run_that_met_no_pose_can_be_drawn(tmp_path):
    picture.draw(run([], stopped='driver_node ended'), tmp_path / 'none.png')


def test_marks_tell_reached_from_relaxed_from_missed():
    assert picture.mark_colour(verdict()) == picture.REACHED
    assert picture.mark_colour(verdict(FAR, SAID_SO)) == picture.RELAXED
    assert picture.mark_colour(verdict(came=answer(0.1))) == picture.MISSED


def test_dots_tell_the_speed_of_a_run_that_only_draws_lines(tmp_path):
    line = verdict(step()._replace(speed=0.1))
    assert picture.is_drawn(run([verdict(), line, line]))
    assert not picture.is_drawn(run([verdict(), line, verdict()]))
    assert not picture.is_drawn(run([verdict()]))
    picture.draw(run([verdict(), line]), tmp_path / 'line.png')


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(picture.PictureError, match='nowhere'):
        picture.draw(run([verdict()]), tmp_path / 'nowhere' / 'run.png')


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    with pytest.raises(picture.PictureError, match=r'pip install .*plot'):
        picture.check_can_draw()
