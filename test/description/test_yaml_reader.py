# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Plain words mean what they mean to ROS 2; what it refuses or loses is named with its line."""

import math

from arm_ik.description.yaml_reader import parse_yaml, read_yaml, scalar
from arm_ik.errors import InvalidArmError
import pytest

#: Words and their values, as rclpy 7.1.6 reports them for a parameter; y, Y, n and N apart.
AS_ROS_READS = [
    ('1e-3', 0.001), ('.5', 0.5), ('1.', 1.0), ('.5e3', 500.0), ('-08.5', -8.5), ('08', 8.0),
    ('3', 3), ('+3', 3), ('-3', -3), ('0', 0), ('010', 8), ('0x1F', 31), ('-0x10', -16),
    ('99999999999999999999', 1e20), ('9' * 30, 1e30), ('9' * 5000, '9' * 5000),
    ('9223372036854775807', 2 ** 63 - 1), ('9223372036854775808', 2.0 ** 63),
    ('-9223372036854775808', -2 ** 63), ('-9223372036854775809', -2.0 ** 63),
    ('0777777777777777777777', 2 ** 63 - 1), ('01000000000000000000000', 1e21),
    ('0' * 5000 + '17', 15), ('0x' + '0' * 300 + 'f', 15), ('0x8000000000000000', 2.0 ** 63),
    ('0x' + 'F' * 18, 16.0 ** 18), ('0x' + 'f' * 300, '0x' + 'f' * 300),
    ('.inf', math.inf), ('-.inf', -math.inf), ('inf', math.inf),
    ('+.inf', math.inf), ('.INF', math.inf), ('Infinity', math.inf),
    ('~', '~'), ('null', 'null'), ('1_000', '1_000'), ('1:30', '1:30'),
    ('2020-01-01', '2020-01-01'), ('1e400', '1e400'), ('0b11', '0b11'), ('1d3', '1d3'),
    ('oFF', 'oFF'), ('0o10', '0o10'), ('z', 'z'), ('-x', '-x'),
]


@pytest.mark.parametrize('word, value', AS_ROS_READS)
def test_a_plain_word_has_the_value_that_ros_gives_it(word, value):
    assert (scalar(word), type(scalar(word))) == (value, type(value))


@pytest.mark.parametrize('words, value', [
    ('true True TRUE yes Yes YES on On ON', True),
    ('false False FALSE no No NO off Off OFF', False)])
def test_every_word_that_ros_takes_for_a_bool_is_one(words, value):
    assert [scalar(word) for word in words.split()] == 9 * [value]


@pytest.mark.parametrize('word', ['.nan', 'nan', '.NaN'])
def test_not_a_number_is_a_float(word):
    assert math.isnan(scalar(word))


@pytest.mark.parametrize('word', ['y', 'Y', 'n', 'N'])
def test_a_single_letter_is_a_letter(word):
    assert scalar(word) == word


@pytest.mark.parametrize('word', ['"3"', "'3'", '!!str 3'])
def test_quoted_text_stays_text(word):
    assert parse_yaml(f'a: {word}', 'x') == {'a': '3'}


def test_keys_are_text_whatever_they_look_like():
    assert parse_yaml('{1: a, on: b, y: c, 1.5: d}', 'x') == {
        '1': 'a', 'on': 'b', 'y': 'c', '1.5': 'd'}


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / 'arm.yaml'
    path.write_bytes('a: ü'.encode('utf-8-sig'))
    assert read_yaml(path) == {'a': 'ü'}


#: A text, and what must stand in the message: where, and what was found.
BROKEN = [
    ('a: 1\nb: [1, 2\nc: 3\n', 'line 3', 'expected'),
    ('a: {b: 1\n', 'line 2', 'expected'),
    ('a: 1\n\tb: 2\n', 'line 2', 'tab|\\\\t'),
    ('a: "open\n', 'line 2', 'end of stream'),
    ('a: 1\n  b: 2\n', 'line 2', 'not allowed'),
    ('a: 1\nb: 2\na: 3\n', 'line 3, column 1', 'the key a again, first in line 1'),
    ('a:\n  b: {c: 1, c: 2}\n', 'line 2, column 13', 'the key c again'),
    ('a: &x 1\nb: *x\n', 'line 2, column 4:', 'alias'),
    ('a: &x {b: 1}\nc: {<<: *x}\n', 'line 2', 'alias'),
    ('a: !!python/object:os.system 1\n', 'line 1, column 4', 'tag'),
    ('a: !!float 3\n', 'line 1, column 4', 'tag'),
    ('? [1, 2]\n: 3\n', 'line 1', 'as a key'),
    ('a: 1\n---\nb: 2\n', 'line 2', 'another document'),
    ('a: \x07\n', 'the file', 'special characters'),
    ('[' * 5000, 'the file', 'levels'),
]


@pytest.mark.parametrize('text, where, found', BROKEN)
def test_broken_yaml_is_one_error_with_its_line(text, where, found):
    with pytest.raises(InvalidArmError, match=found) as error:
        parse_yaml(text, 'my_arm.yaml')
    assert str(error.value).startswith(f'my_arm.yaml: {where}')
    assert 'allowed: ' in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidArmError, match=r'nowhere\.yaml: the file: .*No such file'):
        read_yaml(tmp_path / 'nowhere.yaml')


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(InvalidArmError, match='Is a directory'):
        read_yaml(tmp_path)


def test_a_path_with_a_null_is_no_file():
    with pytest.raises(InvalidArmError, match='null'):
        read_yaml('a\0b')


def test_bytes_that_are_no_utf_8_are_named(tmp_path):
    path = tmp_path / 'latin.yaml'
    path.write_bytes('name: größe'.encode('latin-1'))
    with pytest.raises(InvalidArmError, match=r'latin\.yaml: the file: .*0xf6 in .* 8: .*UTF-8'):
        read_yaml(path)


def test_the_longest_integer_in_range_is_an_integer():
    found = scalar('-01000000000000000000000')  # octal
    assert found == -2 ** 63 and type(found) is int
