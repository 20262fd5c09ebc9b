# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is written is read again as it was meant, whoever reads it."""

from arm_ik.description.ros_text import write
from arm_ik.description.yaml_reader import parse_yaml
import pytest
import yaml


@pytest.mark.parametrize('value', [
    'y', 'yes', 'on', '1', '1e-3', 'null', '', "a # 'quoted' text: \u00fc\u2028\x07 \\\\", 'plain',
    1e-7, 1e3, -3.0, 2, True, float('inf'), -float('inf'), [], [1.0, 0.5], ['y', '1'],
    {'1': {'on': 'off'}, 'n': [0.1]}], ids=repr)
def test_a_value_is_read_as_it_was_written_by_every_reader(value):
    text = write(value)
    for read in (yaml.safe_load(text), parse_yaml(text, 'here')):
        assert read == value and type(read) is type(value)


def test_a_letter_is_in_quotes_for_ros_takes_it_for_a_bool():
    assert write('y') == '"y"' and write('yy') == 'yy'
