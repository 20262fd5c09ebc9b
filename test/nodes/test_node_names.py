# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""The nodes inherit from rclpy's Node, whose private attributes they must not overwrite."""

import ast
import inspect
import textwrap

from arm_ik.nodes.driver.driver_node import DriverNode
from arm_ik.nodes.ik.ik_node import IkNode
import pytest


def names_of(kind):
    """Return the names of a class's methods, and of the attributes that it sets on itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    found = {name for name in vars(kind) if not name.startswith('__')}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) \
                and isinstance(node.value, ast.Name) and node.value.id == 'self':
            found.add(node.attr)
    return found


@pytest.mark.parametrize('kind', [IkNode, DriverNode])
def test_a_node_overwrites_nothing_of_rclpys_node(kind, node):
    ours = names_of(kind)
    assert len(ours) > 10
    assert ours & {*dir(node), *vars(node)} == {'destroy_node'}
