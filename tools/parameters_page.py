#!/usr/bin/env python3
# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write docs/parameters.md from the parameters that the nodes declare.

Run in the clone, in an environment with ROS 2::

    python tools/parameters_page.py
"""

from dataclasses import replace
from math import isnan
from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'parameters.md'
sys.path.insert(0, str(ROOT))

from arm_ik import Arm  # noqa: E402
from arm_ik.description.arm_file import model_to_mapping  # noqa: E402
from arm_ik.nodes.common.arm_parameters import DESCRIPTIONS, is_limit  # noqa: E402
from arm_ik.nodes.driver.parameters import SPECS as DRIVER_SPECS  # noqa: E402
from arm_ik.nodes.ik.parameters import SPECS as IK_SPECS  # noqa: E402

HEAD = """\
# Parameters

<!-- Written by tools/parameters_page.py from what the nodes declare: change it there. -->

There are three ways to set a parameter:

- on the command line of a node: `--ros-args -p name:=value`
- in a ROS 2 parameter file: `--ros-args --params-file FILE`; the launch file takes
  `params_file:=FILE`
- in the arm's own YAML file, beside `arm`

A misspelt name and a value out of range stop the node before it starts, with the reason.

`ros2 param set` changes a parameter while the node runs, unless the table says *fixed*. What is
set together is checked together: it is changed as a whole, or refused with the reason
([how](nodes.md#parameters-while-it-runs)).

Write `.nan` for *not a number* in a file. Quote texts: YAML takes a bare `y` for *yes*.
"""

ARM_HEAD = """
## The arm

These keys describe an arm. They stand in its file ([your own arm](own_arm.md)) and are parameters
of both nodes. `NAME` is the name of a joint. In `ik_node` the limits of the chain's joints may
change while it runs. All other keys are fixed.

| name | changes | |
|---|---|---|
"""


def page():
    """Return the text of the page."""
    return ''.join([HEAD, *node_section('ik_node', IK_SPECS),
                    *node_section('driver_node', DRIVER_SPECS), ARM_HEAD, *arm_rows()])


def node_section(node, specs):
    """Yield a node's heading and the table of its parameters."""
    yield f'\n## `{node}`\n\n| name | default | allowed | |\n|---|---|---|---|\n'
    for spec in specs:
        fixed = ' *Fixed.*' if spec.read_only else ''
        yield (f'| `{spec.name}` | `{shown(spec.plain)}` | {spec.allowed} | {spec.description}.'
               f'{fixed} |\n')


def shown(value):
    """Return a default as it is written in a parameter file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f'[{", ".join(map(shown, value))}]'
    if isinstance(value, float):
        return '.nan' if isnan(value) else f'{value:.4g}' if value % 1 else f'{value:.1f}'
    return repr(value)


def arm_rows():
    """Yield a row for every key that an arm may have."""
    model = Arm.preset('so101').model
    joints, extra_joints = ([replace(joint, max_acceleration=1.0) for joint in joints]
                            for joints in (model.joints, model.extra_joints))
    model = replace(model, joints=joints, extra_joints=extra_joints)
    chain, extra = model.joints[0].name, model.extra_joints[0].name
    for name in names('arm', model_to_mapping(replace(model, floor_height=0.0))):
        *_, joint, key = name.split('.')
        if joint in (chain, extra) or joint not in (*model.joint_names, extra):
            changes = 'yes' if is_limit(name) else ''
            general = name.replace(f'.{chain}.', '.NAME.').replace(f'.{extra}.', '.NAME.')
            yield f'| `{general}` | {changes} | {DESCRIPTIONS[key]} |\n'


def names(prefix, level):
    """Yield the dotted names of all values in nested dicts."""
    for key, value in level.items():
        if isinstance(value, dict):
            yield from names(f'{prefix}.{key}', value)
        else:
            yield f'{prefix}.{key}'


if __name__ == '__main__':
    PAGE.write_text(page(), encoding='utf-8')
