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
from arm_ik.kinematics.model import Frame, KeepOut, LinkRadii  # noqa: E402
from arm_ik.nodes.common.parameters import DESCRIPTIONS  # noqa: E402
from arm_ik.nodes.driver.parameters import SPECS as DRIVER_SPECS  # noqa: E402
from arm_ik.nodes.ik.parameters import SPECS as IK_SPECS  # noqa: E402

HEAD = """\
# Parameters

<!-- Written by tools/parameters_page.py from what the nodes declare: change it there. -->

On the command line `--ros-args -p name:=value`; in a file `--ros-args --params-file FILE`, launch
argument `params_file:=FILE`, or the arm's own file, beside `arm`. A misspelt name or a value out
of range stops the node before it starts. `ros2 param set` changes what is not *fixed* while the
node runs ([how](nodes.md#parameters-while-it-runs)). Quote texts: YAML takes a bare `y` for *yes*.
"""

ARM_HEAD = """
## The arm

Keys of [its file](own_arm.md), and parameters of both nodes. `NAME` is a joint; `extra_joints`
have `lower`, `upper`, `max_velocity` and `max_acceleration` too. In `ik_node` the first three may
change while it runs, for joints of the chain; all others are fixed. m are for prismatic joints.

| name | |
|---|---|
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
        yield (f'| `{spec.name}` | `{shown(spec.plain)}` | {allowed(spec)} | {spec.description}.'
               f'{fixed} |\n')


def allowed(spec):
    """Return what a parameter may be, in fewer words than the nodes' errors have."""
    if spec.choices:
        return ', '.join(f'`{choice!r}`' for choice in spec.choices)
    words = spec.allowed
    for long, short in (('true or false', 'bool'), ('a text (in quotes)', 'text'),
                        ('a number from ', ''), ('a list of 2 numbers from', '2 numbers,')):
        words = words.replace(long, short)
    return words


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
    model = replace(model, joints=joints, extra_joints=extra_joints, tip=model.tips[0].name,
                    frames=(Frame('camera'),), link_radii=LinkRadii(*[0.05] * 4),
                    keep_out=(KeepOut('NAME', 'box', (1.0, 1.0, 1.0)),))
    chain, extra = model.joints[0].name, model.extra_joints[0].name
    shared = ('lower', 'upper', 'max_velocity', 'max_acceleration')
    for name in names('arm', model_to_mapping(replace(model, floor_height=0.0))):
        *_, joint, key = name.split('.')
        if joint in (chain, extra) or joint not in (*model.joint_names, extra):
            if joint == extra and key in shared:
                continue
            general = name
            for each in (chain, extra, 'camera', *(tip.name for tip in model.tips)):
                general = general.replace(f'.{each}.', '.NAME.')
            words = DESCRIPTIONS.get(f'{name.split(".")[1]}.{key}') or DESCRIPTIONS[key]
            yield f'| `{general}` | {words} |\n'


def names(prefix, level):
    """Yield the dotted names of all values in nested dicts."""
    for key, value in level.items():
        if isinstance(value, dict):
            yield from names(f'{prefix}.{key}', value)
        else:
            yield f'{prefix}.{key}'


if __name__ == '__main__':
    PAGE.write_text(page(), encoding='utf-8')
