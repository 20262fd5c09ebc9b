# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Target files: what a right one gives, and what a broken one is answered."""

from arm_ik.description.target_file import load_targets
from arm_ik.errors import ArmIkError
import pytest


def load(tmp_path, text):
    path = tmp_path / 'targets.yaml'
    path.write_text(text, encoding='utf-8')
    return load_targets(path)


def error_of(tmp_path, text):
    with pytest.raises(ArmIkError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert 'targets.yaml' in message and '\n' not in message
    return message


def test_a_position_with_an_up_vector(tmp_path):
    file = load(tmp_path, 'targets: [{position: [0.2, 0, 1e-1], up: [0, 0, -2]}]')
    step, = file.steps
    assert step.reachable
    assert step.target.position == (0.2, 0.0, 0.1)
    assert step.target.up == (0.0, 0.0, -1.0) and step.target.forward is None


def test_names_come_from_the_file_where_it_gives_them(tmp_path):
    file = load(tmp_path, '{name: a square, arm: so101, targets: ['
                          '{name: corner, position: [1, 2, 3]}, {gripper: 1}]}')
    assert (file.name, file.arm) == ('a square', 'so101')
    assert [step.name for step in file.steps] == ['corner', 'gripper 2']
    assert load(tmp_path, 'targets: [{gripper: 0}]')[:2] == ('targets', None)


def test_defaults_serve_entries_that_do_not_say(tmp_path):
    file = load(tmp_path, """
defaults: {up: [0, 0, -1], forward: [1, 0, 0]}
targets: [{position: [1, 2, 3]}, {position: [1, 2, 3], up: [0, 1, 0]}]""")
    assert [step.target.up for step in file.steps] == [(0.0, 0.0, -1.0), (0.0, 1.0, 0.0)]
    assert [step.target.forward for step in file.steps] == [(1.0, 0.0, 0.0)] * 2


def test_an_entry_can_take_a_default_back(tmp_path):
    file = load(tmp_path, '{defaults: {up: [0, 0, 1]}, '
                          'targets: [{position: [1, 2, 3], up: null}]}')
    assert file.steps[0].target.up is None


def test_a_line_goes_on_from_the_position_before_in_equal_steps(tmp_path):
    file = load(tmp_path, """
targets:
  - {position: [0.0, 1.0, 2.0]}
  - {gripper: 0.5}
  - {line_to: [0.4, 1.0, 1.0], steps: 4}""")
    assert file.steps[1].target is None and file.steps[1].opening == 0.5
    line = [step.target.position for step in file.steps[2:]]
    assert line == [(0.1, 1.0, 1.75), (0.2, 1.0, 1.5), (pytest.approx(0.3), 1.0, 1.25),
                    (0.4, 1.0, 1.0)]
    assert {step.entry for step in file.steps[2:]} == {3}


def test_a_line_has_a_speed_and_a_step_may_wait(tmp_path):
    file = load(tmp_path, """
defaults: {speed: 0.2}
targets:
  - {position: [1, 2, 3], wait: 0.5}
  - {position: [1, 2, 4], motion: line}
  - {line_to: [1, 2, 6], steps: 2, motion: line, speed: 1e-2, wait: 2}
  - {gripper: 0.5, wait: 1}""")
    assert [getattr(step, 'speed', None) for step in file.steps] == [None, 0.2, 0.01, 0.01, None]
    assert [step.wait for step in file.steps] == [0.5, 0.0, 0.0, 2.0, 1.0]
    lines = load(tmp_path, '{defaults: {motion: line}, targets: [{position: [1, 2, 3]}, '
                           '{position: [1, 2, 3], motion: joint}]}')
    assert [step.speed for step in lines.steps] == [0.1, None]


def test_an_unreachable_target_is_marked(tmp_path):
    file = load(tmp_path, 'targets: [{position: [9, 0, 0], expect: unreachable}]')
    assert not file.steps[0].reachable


@pytest.mark.parametrize('text, words', [
    ('targets: [{position: [1, 2]}]', ('entry 1', 'position', '(1.0, 2.0)', 'three numbers')),
    ('targets: [{position: [1, 2, .nan]}]', ('entry 1', 'position', 'three finite numbers')),
    ('targets: [{position: [1, 2, true]}]', ('entry 1', 'position[2]', 'True', 'a number')),
    ('targets: [{position: [1, 2, 3], up: [0, 0, 0]}]', ('entry 1', 'up vector', 'not zero')),
    ('targets: [{name: pen, position: [1, 2, 3], expects: 1}]',
     ('entry 1 (pen).expects', "'expect'?")),
    ('targets: [{gripper: 0}, {gripper: 1.5}]', ('entry 2', 'gripper', '1.5', 'from 0 to 1')),
    ('targets: [{gripper: open}]', ('entry 1', 'gripper', "'open'", 'a number')),
    ('targets: [{up: [0, 0, 1]}]', ('entry 1', 'exactly one of position')),
    ('targets: [{position: [1, 2, 3], gripper: 1}]', ('entry 1', 'exactly one of position')),
    ('targets: [[1, 2, 3]]', ('entry 1', '[1, 2, 3]', 'a map')),
    ('targets: [{line_to: [1, 2, 3], steps: 2}]', ('entry 1', 'line_to', 'position before')),
    ('targets: [{position: [1, 2, 3]}, {line_to: [1, 2, 3]}]', ('entry 2', 'steps', 'nothing')),
    ('targets: [{position: [1, 2, 3]}, {line_to: [1, 2, 3], steps: 0}]',
     ('entry 2', 'steps', '0')),
    ('targets: [{position: [1, 2, 3], expect: no}]', ('entry 1', 'expect', 'unreachable')),
    ('targets: [{position: [1, 2, 3], motion: curve}]', ('entry 1', "'curve'", 'joint, line')),
    ('targets: [{position: [1, 2, 3], motion: line, speed: 0}]', ('speed', '0', 'from 0.0001')),
    ('targets: [{position: [1, 2, 3], speed: 0.1}]', ('entry 1', 'only with motion: line')),
    ('targets: [{gripper: 1, wait: -1}]', ('entry 1', 'wait', '-1', 'from 0 to 600')),
    ('targets: [{position: [1, 2, 3], motion: line, expect: unreachable}]',
     ('entry 1', 'expect', 'can follow it to its end')),
    ('targets: []', ('targets', 'at least one entry')),
    ('{}', ('targets', 'at least one entry')),
    ('', ('a map',)),
    ('target: [{gripper: 1}]', ('the file.target:', "'targets'?")),
    ('{defaults: {up: 1}, targets: [{gripper: 1}]}', ('defaults: up', 'a list of numbers')),
    ('targets: [{position: [1, 2, 3]', ('line 1', 'valid YAML')),
])
def test_a_broken_file_gets_one_line_that_names_file_and_entry(tmp_path, text, words):
    message = error_of(tmp_path, text)
    for word in words:
        assert word in message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ArmIkError, match='nowhere.yaml.*No such file'):
        load_targets(tmp_path / 'nowhere.yaml')
