# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Parameters are described, checked, and changed as a whole."""

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.parameters import Parameters, Spec
from arm_ik.testing.domain import domain_environment, environment, reserved_domain
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

SPECS = (
    Spec('rate', 50.0, 'How often', 'Hz', 1.0, 1000.0),
    Spec('slowest', 5.0, 'How often at least', 'Hz', 1.0, 1000.0),
    Spec('kind', 'round', 'What kind', choices=('round', 'square'), read_only=True),
    Spec('name', 'nobody', 'Whose'),
    Spec('loud', False, 'Whether to be heard'))


@pytest.fixture(scope='module')
def context():
    context = Context()
    with reserved_domain() as domain, environment(**domain_environment(domain)):
        rclpy.init(context=context)
        yield context
        context.shutdown()


@pytest.fixture(params=[True, False], ids=['declared_by_ros', 'declared_by_us'])
def make_node(request, context):
    nodes = []

    def make_node(**given):
        nodes.append(Node('some', context=context, use_global_arguments=False,
                          automatically_declare_parameters_from_overrides=request.param,
                          parameter_overrides=[Parameter(name, value=value)
                                               for name, value in given.items()]))
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


def test_what_is_not_given_is_the_default(make_node):
    parameters = Parameters(make_node(), SPECS)
    assert [parameters[spec.name] for spec in SPECS] == [50.0, 5.0, 'round', 'nobody', False]


def test_what_is_given_counts_and_an_integer_is_a_float(make_node):
    node = make_node(rate=20, kind='square', loud=True)
    parameters = Parameters(node, SPECS)
    assert (parameters['rate'], parameters['kind'], parameters['loud']) == (20.0, 'square', True)
    assert type(parameters['rate']) is float
    assert node.get_parameter('rate').value == 20.0


@pytest.mark.parametrize('name, value, allowed', [
    ('rate', 0.5, r'a number from 1 to 1000 \[Hz\]'), ('rate', 1001, 'a number from 1'),
    ('rate', float('nan'), 'a number from 1'), ('rate', True, 'a number from 1'),
    ('rate', 'fast', 'a number from 1'), ('kind', 'oval', "one of 'round', 'square'"),
    ('name', True, 'a text'), ('loud', 1, 'true or false')])
def test_a_wrong_value_at_the_start_is_an_error_that_says_what_is_allowed(
        make_node, name, value, allowed):
    with pytest.raises(InvalidInputError, match=f'parameter {name} is .*{allowed}'):
        Parameters(make_node(**{name: value}), SPECS)


def test_values_that_do_not_go_together_are_an_error_at_the_start(make_node):
    with pytest.raises(InvalidInputError, match='at most the rate'):
        Parameters(make_node(rate=3.0), SPECS, check=slowest_is_slower)


def test_description_unit_and_range_can_be_asked_for(make_node):
    node = make_node(rate=20)
    Parameters(node, SPECS)
    rate = node.describe_parameter('rate')
    assert rate.description == 'How often [Hz]'
    assert (rate.floating_point_range[0].from_value, rate.floating_point_range[0].to_value) == (
        1.0, 1000.0)
    assert node.describe_parameter('kind').read_only


def test_a_change_counts_at_once_and_is_told_of(make_node):
    node, told = make_node(), []
    parameters = Parameters(node, SPECS, apply=lambda: told.append(parameters['rate']))
    assert set_(node, rate=100).successful
    assert told == [100.0]
    assert set_(node, rate=7.5).successful
    assert told == [100.0, 7.5]


@pytest.mark.parametrize('changed, words', [
    ({'rate': 0.0}, 'out of range'), ({'rate': float('nan')}, 'out of range'),
    ({'rate': 'fast'}, 'from 1'), ({'rate': -3}, 'from 1'),
    ({'kind': 'square'}, 'read-only'), ({'rate': 3.0}, 'at most the rate'),
    ({'slowest': 20.0, 'rate': 10.0}, 'at most the rate'),
    ({'name': 'me', 'rate': 0}, 'from 1')])
def test_a_wrong_change_is_refused_as_a_whole(make_node, changed, words):
    node, told = make_node(), []
    parameters = Parameters(node, SPECS, slowest_is_slower, lambda: told.append(1))
    result = set_(node, **changed)
    assert not result.successful and words in result.reason
    assert [parameters[spec.name] for spec in SPECS] == [50.0, 5.0, 'round', 'nobody', False]
    assert node.get_parameter('name').value == 'nobody' and told == []


def test_changes_that_go_together_are_made_together(make_node):
    node = make_node()
    parameters = Parameters(node, SPECS, slowest_is_slower)
    assert set_(node, slowest=200.0, rate=300.0).successful
    assert (parameters['slowest'], parameters['rate']) == (200.0, 300.0)


def test_parameters_of_others_are_left_alone(make_node):
    node, told = make_node(), []
    Parameters(node, SPECS, apply=lambda: told.append(1))
    node.declare_parameter('else', 1)
    assert set_(node, **{'else': 2}).successful
    assert told == []
