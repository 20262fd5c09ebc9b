# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Sections of parameter files go to the nodes ROS 2 gives them to, and bad files are named."""

from arm_ik.description.parameter_file import matches, nested, ParameterFile
from arm_ik.errors import InvalidArmError
import pytest

#: A section's name, and the nodes it is for; as seen on rclpy 7.1.6.
SECTIONS = [
    ('/**', {'/ik_node', '/left/ik_node', '/a/b/ik_node', '/left/driver_node'}),
    ('**', {'/ik_node', '/left/ik_node', '/a/b/ik_node', '/left/driver_node'}),
    ('ik_node', {'/ik_node'}),
    ('/ik_node', {'/ik_node'}),
    ('/left/ik_node', {'/left/ik_node'}),
    ('left/ik_node', {'/left/ik_node'}),
    ('/*', {'/ik_node'}),
    ('/*/ik_node', {'/left/ik_node'}),
    ('/**/ik_node', {'/ik_node', '/left/ik_node', '/a/b/ik_node'}),
    ('/left/*', {'/left/ik_node', '/left/driver_node'}),
    ('/left/**', {'/left/ik_node', '/left/driver_node'}),
    ('ik', set()),
]
NODES = SECTIONS[0][1]


@pytest.mark.parametrize('pattern, nodes', SECTIONS)
def test_a_section_is_for(pattern, nodes):
    assert {node for node in NODES if matches(pattern, node)} == nodes


def write(tmp_path, text):
    path = tmp_path / 'parameters.yaml'
    path.write_text(text, encoding='utf-8')
    return path


def test_the_later_section_wins(tmp_path):
    file = ParameterFile(write(tmp_path, """
/**: {ros__parameters: {arm: {name: any, floor_height: 0.0}}}
'**': {ros__parameters: {arm: {name: later}}}
ik_node: {ros__parameters: {arm: {name: special}}}
/*: {ros__parameters: {servos: {port: /dev/one}}}
"""))
    assert file.block('arm') == {'name': 'later', 'floor_height': 0.0}
    assert file.block('servos') is None


def test_dots_and_levels_are_the_same(tmp_path):
    file = ParameterFile(write(tmp_path, """
/**: {ros__parameters: {arm.links: {hand: 1.0}, arm: {links.forearm: 2.0, name: a}}}
"""))
    assert file.block('arm') == {'links': {'hand': 1.0, 'forearm': 2.0}, 'name': 'a'}


def test_a_list_with_a_float_is_a_list_of_floats(tmp_path):
    values = ParameterFile(write(
        tmp_path, '/**: {ros__parameters: {c: {a: [0, -1.2], b: [1, 2]}}}')).block('c')
    assert [type(value) for value in values['a'] + values['b']] == [float, float, int, int]


#: A file, the key its error names, and what is said of it.
BROKEN = [
    ('', 'the file', 'found nothing'),
    ('# only a comment\n', 'the file', 'found nothing'),
    ('{}', 'the file', 'found nothing'),
    ('just text', 'the file', "found 'just text'"),
    ('[1, 2]', 'the file', 'found [1, 2]'),
    ('arm: {name: x}', 'arm: name', "found 'x'; allowed: sections such as"),
    ('/**: {arm: {name: x}}', '/**: arm: name', 'ros__parameters'),
    ('/**:', '/**', 'found nothing'),
    ('/**: {ros_parameters: {a: 1}}', '/**', "'ros_parameters'; allowed: ros__parameters, with"),
    ('/**: {ros__parameters: }', 'ros__parameters', 'found nothing'),
    ('/**: {ros__parameters: 5}', 'ros__parameters', 'found 5; allowed: a mapping'),
    ('/**: {ros__parameters: {a: 1}, b: 2}', '/**: b', 'found 2; allowed: no other key beside'),
    ('/**: {ros__parameters: {a: {b: }}}', 'a.b', 'found nothing'),
    ('/**: {ros__parameters: {a.b: 1, a: {b: 2}}}', 'a.b', 'each name once'),
    ('/**: {ros__parameters: {a: [1, x]}}', 'a', "found [1, 'x']; allowed: a list of values, all"),
    ('/**: {ros__parameters: {a: [1, true]}}', 'a', 'found [1, True]'),
    ('/**: {ros__parameters: {a: [[1]]}}', 'a', 'found [[1]]'),
    ('/**: {ros__parameters: {a: [{b: 1}]}}', 'a', "found [{'b': 1}]"),
    ('/**: {ros__parameters: {a: [x, ]}, }', None, None),
    ('/**: {ros__parameters: {a: [x, ~, ""]}, }', None, None),
]


@pytest.mark.parametrize('text, key, said', BROKEN)
def test_a_file_that_is_no_parameter_file_is_named_with_its_key(tmp_path, text, key, said):
    path = write(tmp_path, text)
    if key is None:
        ParameterFile(path)
        return
    with pytest.raises(InvalidArmError) as error:
        ParameterFile(path)
    assert str(error.value).startswith(f'{path}: {key}: ')
    assert said in str(error.value)


@pytest.mark.parametrize('depth', [1, 2, 3, 4])
def test_no_name_is_both_a_value_and_a_level_at_any_depth(depth):
    value = '.'.join('abcd'[:depth])
    for names in ((value, f'{value}.more'), (f'{value}.more', value)):
        with pytest.raises(InvalidArmError) as error:
            nested(dict.fromkeys(names, 1.0), 'a', 'my.yaml')
        assert error.value.key == value and error.value.source == 'my.yaml'
        assert 'a level' in error.value.allowed


def test_what_stands_below_a_prefix_is_nested_and_nothing_else():
    flat = {'arm.a': 1, 'arm.b.c': 2, 'arm.b.d.e': 3, 'armature.x': 4, 'other.arm': 5}
    assert nested(flat, 'arm') == {'a': 1, 'b': {'c': 2, 'd': {'e': 3}}}
    assert nested({'arm': 6}, 'arm') == 6
    assert nested(flat, 'leg') is None


def test_what_stands_beside_a_prefix_need_not_be_nested():
    assert nested({'x': 1, 'x.y': 2, 'arm.a': 3, 'x.y.z': 4}, 'arm') == {'a': 3}
