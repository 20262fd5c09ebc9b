# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Limits of joints as parameters: changed as a whole, or refused and nothing has changed."""

from dataclasses import replace

from arm_ik import Arm
from arm_ik.description import model_to_mapping
from arm_ik.errors import InvalidArmError
from arm_ik.nodes.common.arm_parameters import declare_limits, is_limit
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

MODEL = Arm.preset('simple').model
YAW = 'arm.joints.yaw'


class Bench:
    """A node with the limits of an arm; what it was asked to check and to apply."""

    def __init__(self, context, model=MODEL):
        limits = {f'arm.joints.{joint.name}.{limit}': getattr(joint, limit)
                  for joint in model.joints for limit in ('lower', 'upper', 'max_velocity')}
        self.node = Node(
            'some', context=context, use_global_arguments=False,
            automatically_declare_parameters_from_overrides=True,
            parameter_overrides=[Parameter(name, value=value) for name, value in
                                 {**limits, 'other': 1, f'{YAW}.offset': 0.5}.items()])
        self.checked, self.applied = [], []
        self.error = None
        declare_limits(self.node, model, self.check, self.applied.append)
        self.checked.clear()  # the arm it starts with

    def check(self, model):
        self.checked.append(model)
        if self.error:
            raise self.error

    def change(self, **values):
        return self.node.set_parameters_atomically([
            Parameter(name.replace('__', '.'), value=value) for name, value in values.items()])


@pytest.fixture
def bench(context):
    bench = Bench(context)
    yield bench
    bench.node.destroy_node()


def yaw(model):
    return {joint.name: joint for joint in model.joints}['yaw']


@pytest.mark.parametrize('name, limit', [
    ('arm.joints.yaw.lower', True), ('arm.joints.yaw.upper', True),
    ('arm.joints.my.joint.max_velocity', True), ('arm.joints.yaw.offset', False),
    ('arm.extra_joints.gripper.lower', False), ('state_rate', False), ('lower', False)])
def test_limits_are_those_of_the_chains_joints(name, limit):
    assert is_limit(name) is limit


def test_several_limits_change_at_once_and_the_rest_stays(bench):
    assert bench.change(**{f'{YAW}.lower': -1.5, f'{YAW}.upper': 2.0,
                        'arm.joints.elbow.max_velocity': 0.5, 'other': 2}).successful
    model, = bench.applied
    assert bench.checked[0] == model
    assert (yaw(model).lower, yaw(model).upper) == (-1.5, 2.0)
    wanted = model_to_mapping(MODEL)
    wanted['joints']['yaw'].update(lower=-1.5, upper=2.0)
    wanted['joints']['elbow'].update(max_velocity=0.5)
    assert model_to_mapping(model) == wanted


def test_changes_add_up(bench):
    bench.change(**{f'{YAW}.lower': -1.5})
    bench.change(**{f'{YAW}.upper': 2})
    assert (yaw(bench.applied[-1]).lower, yaw(bench.applied[-1]).upper) == (-1.5, 2.0)
    assert bench.change(**{f'{YAW}.lower': -1000, f'{YAW}.upper': 1000}).successful


@pytest.mark.parametrize('values, words', [
    ({f'{YAW}.lower': 4.0}, 'arm.joints.yaw.lower'), ({f'{YAW}.lower': 0.1}, 'arm.home'),
    ({f'{YAW}.max_velocity': 0.0}, 'max_velocity'),
    ({f'{YAW}.upper': 1001}, 'arm.joints.yaw.upper is 1001; allowed: a number from -1000 to 1000'),
    ({f'{YAW}.lower': -1001}, 'is -1001'), ({f'{YAW}.max_velocity': 1001}, 'is 1001'),
    ({f'{YAW}.upper': 1000.1}, 'out of range')], ids=str)
def test_an_arm_that_breaks_a_rule_is_refused(bench, values, words):
    result = bench.change(**values)
    assert not result.successful and words in result.reason
    assert bench.applied == [] and bench.checked == []


def test_what_the_node_cannot_go_on_with_is_refused_and_nothing_has_changed(bench):
    bench.error = InvalidArmError(f'{YAW}.lower', -1.5, 'less')
    result = bench.change(**{f'{YAW}.lower': -1.5})
    assert not result.successful and result.reason == str(bench.error)
    assert bench.applied == []
    assert bench.node.get_parameter(f'{YAW}.lower').value == yaw(MODEL).lower
    bench.error = None
    assert bench.change(**{f'{YAW}.upper': 2.0}).successful
    assert yaw(bench.applied[-1]).lower == yaw(MODEL).lower


def test_an_arm_as_good_as_unlimited_has_ranges_as_wide(context):
    unlimited = replace(MODEL, joints=tuple(
        replace(joint, lower=-1e9, upper=int(1e9), max_velocity=1e6) for joint in MODEL.joints))
    bench = Bench(context, unlimited)
    for limit, value in (('lower', -1e9), ('upper', 10**9), ('max_velocity', 1e6)):
        assert bench.change(**{f'{YAW}.{limit}': value}).successful
        assert not bench.change(**{f'{YAW}.{limit}': 2 * value}).successful
    bench.node.destroy_node()


@pytest.mark.parametrize('limit, lower, unit, words', [
    ('lower', -1000.0, 'rad', 'Lower limit of yaw; home and the command in force stay inside'),
    ('upper', -1000.0, 'rad', 'Upper limit of yaw; home and the command in force stay'),
    ('max_velocity', 0.0, 'rad/s', 'Largest velocity of yaw; ')])
def test_each_limit_is_described_with_its_unit_and_range(bench, limit, lower, unit, words):
    descriptor = bench.node.describe_parameter(f'{YAW}.{limit}')
    assert descriptor.name == f'{YAW}.{limit}'
    assert descriptor.description.startswith(words)
    assert descriptor.description.endswith(f'[{unit}]')
    assert descriptor.dynamic_typing and not descriptor.read_only
    assert descriptor.additional_constraints == f'a number from {lower:g} to 1000 [{unit}]'
    span, = descriptor.floating_point_range
    assert (span.from_value, span.to_value, span.step) == (lower, 1000.0, 0.0)
