# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Parameters are described, checked, and changed as a whole."""

from math import inf, isnan, nan

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.common.parameters import descriptor, overrides, Parameters
from arm_ik.nodes.common.spec import Spec
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

SPECS = (
    Spec('rate', 50.0, 'How often', 'Hz', 1.0, 1000.0),
    Spec('slowest', 5.0, 'How often at least', 'Hz', 1.0, 1000.0),
    Spec('kind', 'round', 'What kind', choices=('round', 'square'), read_only=True),
    Spec('name', 'none', 'Whose'),
    Spec('loud', False, 'Whether to be heard'))


@pytest.fixture
def make_node(context):
    nodes = []

    def make_node(**given):
        nodes.append(Node('some', context=context, use_global_arguments=False,
                          parameter_overrides=overrides(given)))
        return nodes[-1]

    yield make_node
    for node in nodes:
        node.destroy_node()


def slowest_is_slower(values):
    if values['slowest'] > values['rate']:
        raise InvalidInputError('parameter slowest', values['slowest'], 'at most the rate')


def set_(node, **changed):
    return node.set_parameters_atomically(
        [Parameter(name, value=value) for name, value in changed.items()])


NUMBER = Spec('number', 2.0, 'A number', 'm', -1.0, 5.0)
OPEN = Spec('open', nan, 'A number or none', '', 0.0, 1.0)
PAIR = Spec('pair', (0.5, 0.25), 'Two numbers', 'm, rad', 0.0, 1.0)
WORD = Spec('word', 'round', 'A word', choices=('round', 'square'))
TEXT = Spec('text', '', 'Any text')
FLAG = Spec('flag', True, 'Whether')


@pytest.mark.parametrize('spec, found, value', [
    (NUMBER, -1, -1.0), (NUMBER, 5.0, 5.0), (NUMBER, 0.0, 0.0), (OPEN, 1, 1.0), (OPEN, 0.0, 0.0),
    (PAIR, [0, 1], (0.0, 1.0)), (PAIR, (0.5, 0.5), (0.5, 0.5)), (WORD, 'square', 'square'),
    (TEXT, 'anything', 'anything'), (FLAG, False, False)])
def test_a_value_is_taken_in_the_parameters_type(spec, found, value):
    taken = spec.value_of(found)
    assert taken == value and type(taken) is type(value)
    assert not isinstance(taken, tuple) or all(type(part) is float for part in taken)


def test_what_a_parameter_may_be_is_fixed():
    with pytest.raises(AttributeError):
        NUMBER.upper = 1e6


def test_without_a_range_a_number_is_zero_or_more():
    spec = Spec('plain', 0.5, 'A number')
    assert spec.value_of(0.0) == 0.0 and spec.value_of(1e6) == 1e6
    with pytest.raises(InvalidInputError):
        spec.value_of(-1e-9)


def test_only_a_number_that_is_nan_by_default_may_be_nan():
    assert isnan(OPEN.value_of(nan))
    assert isnan(OPEN.value_of('nan'))  # as ros2 param load has it
    for spec in (NUMBER, PAIR):
        with pytest.raises(InvalidInputError):
            spec.value_of(nan)


@pytest.mark.parametrize('spec, bad, allowed', [
    *((NUMBER, bad, 'a number from -1 to 5 [m]')
      for bad in (-1.001, 5.001, inf, -inf, True, '2', None, [2.0])),
    *((OPEN, bad, 'a number from 0 to 1, or nan') for bad in (-0.1, 1.1, 'none', False)),
    *((PAIR, bad, 'a list of 2 numbers from 0 to 1 [m, rad]')
      for bad in ([0.5], [0.5] * 3, [], [0.5, nan], [0.5, -0.1], [1.1, 0.5], 0.5, '12', 'ab',
                  [True, 0.5], ['0', 0.5], None, [nan, nan])),
    *((WORD, bad, "one of 'round', 'square' (in quotes)") for bad in ('oval', '', 1, True)),
    *((TEXT, bad, 'a text (in quotes)') for bad in (1, True, None)),
    *((FLAG, bad, 'true or false') for bad in (1, 0.0, 'true', None))], ids=str)
def test_any_other_value_is_refused_with_what_is_allowed(spec, bad, allowed):
    with pytest.raises(InvalidInputError) as error:
        spec.value_of(bad)
    assert error.value.what == f'parameter {spec.name}'
    assert error.value.found is bad and error.value.allowed == allowed


def test_a_list_has_no_range_of_ros_nor_has_a_number_that_may_be_nan():
    for spec in (OPEN, PAIR, WORD, FLAG):
        assert not descriptor(spec).floating_point_range
    span, = descriptor(NUMBER).floating_point_range
    assert (span.from_value, span.to_value, span.step) == (-1.0, 5.0, 0.0)
    assert descriptor(NUMBER).description == 'A number [m]'
    assert descriptor(OPEN).description == 'A number or none'
    assert descriptor(NUMBER).dynamic_typing and not descriptor(NUMBER).read_only
    assert descriptor(SPECS[2]).read_only


def test_a_pair_is_declared_as_a_list_and_may_be_changed(make_node):
    node = make_node()
    parameters = Parameters(node, (PAIR, NUMBER), {})
    assert list(node.get_parameter('pair').value) == [0.5, 0.25]
    assert set_(node, pair=[0.125, 1.0]).successful
    assert parameters['pair'] == (0.125, 1.0)


def test_what_is_not_given_is_the_default(make_node):
    parameters = Parameters(make_node(), SPECS, {})
    assert [parameters[spec.name] for spec in SPECS] == [50.0, 5.0, 'round', 'none', False]


def test_what_is_given_counts_and_an_integer_is_a_float(make_node):
    given = {'rate': 20, 'kind': 'square', 'loud': True}
    parameters = Parameters(node := make_node(**given), SPECS, given)
    assert (parameters['rate'], parameters['kind'], parameters['loud']) == (20.0, 'square', True)
    assert type(parameters['rate']) is float
    assert type(node.get_parameter('rate').value) is float
    assert node.get_parameter('rate').value == 20.0


@pytest.mark.parametrize('name, value, allowed', [
    ('rate', 0.5, r'a number from 1 to 1000 \[Hz\]'), ('name', True, 'a text'),
    ('kind', 'oval', "one of 'round', 'square'"), ('loud', 1, 'true or false')])
def test_a_wrong_value_at_the_start_is_an_error_that_says_what_is_allowed(
        make_node, name, value, allowed):
    with pytest.raises(InvalidInputError, match=f'parameter {name} is .*{allowed}'):
        Parameters(make_node(), SPECS, {name: value})


def test_values_that_do_not_go_together_are_an_error_at_the_start(make_node):
    with pytest.raises(InvalidInputError, match='at most the rate'):
        Parameters(make_node(), SPECS, {'rate': 3.0}, slowest_is_slower)


def test_a_change_counts_at_once_and_is_applied(make_node):
    node, applied = make_node(), []
    parameters = Parameters(node, SPECS, {}, apply=lambda: applied.append(parameters['rate']))
    assert set_(node, rate=100).successful
    assert applied == [100.0]
    assert set_(node, rate=7.5).successful
    assert applied == [100.0, 7.5]


@pytest.mark.parametrize('changed, words', [
    ({'rate': 0.0}, 'out of range'), ({'rate': float('nan')}, 'out of range'),
    ({'rate': 'fast'}, 'from 1'), ({'rate': -3}, 'from 1'),
    ({'kind': 'square'}, 'read-only'), ({'rate': 3.0}, 'at most the rate'),
    ({'slowest': 20.0, 'rate': 10.0}, 'at most the rate'),
    ({'name': 'me', 'rate': 0}, 'from 1')])
def test_a_wrong_change_is_refused_as_a_whole(make_node, changed, words):
    node, applied = make_node(), []
    parameters = Parameters(node, SPECS, {}, slowest_is_slower, lambda: applied.append(1))
    result = set_(node, **changed)
    assert not result.successful and words in result.reason
    assert [parameters[spec.name] for spec in SPECS] == [50.0, 5.0, 'round', 'none', False]
    assert node.get_parameter('name').value == 'none' and applied == []


def test_changes_that_go_together_are_made_together(make_node):
    node = make_node()
    parameters = Parameters(node, SPECS, {}, slowest_is_slower)
    assert set_(node, slowest=200.0, rate=300.0).successful
    assert (parameters['slowest'], parameters['rate']) == (200.0, 300.0)


def test_parameters_of_others_are_left_alone(make_node):
    node, applied = make_node(), []
    Parameters(node, SPECS, {}, apply=lambda: applied.append(1))
    node.declare_parameter('else', 1)
    assert set_(node, **{'else': 2}).successful
    assert applied == []
