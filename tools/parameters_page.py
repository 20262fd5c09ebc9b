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

from dataclasses import fields, replace
from math import isnan
from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'parameters.md'
sys.path.insert(0, str(ROOT))

from arm_ik import Arm  # noqa: E402
from arm_ik.description.arm_file import model_to_mapping  # noqa: E402
from arm_ik.kinematics.forward import ROLES  # noqa: E402
from arm_ik.kinematics.model import (  # noqa: E402
    ExtraJoint, Frame, KEEP_OUT_SIZES, KeepOut, LinkRadii, SHAPED_LINKS)
from arm_ik.nodes.driver.parameters import SPECS as DRIVER_SPECS  # noqa: E402
from arm_ik.nodes.ik.parameters import SPECS as IK_SPECS  # noqa: E402

HEAD = """\
# Parameters

<!-- Written by tools/parameters_page.py from what the nodes declare: change it there. -->

Defaults, and in brackets what is allowed. On the command line `--ros-args -p name:=value`; in a
file `--ros-args --params-file FILE`, launch argument `params_file:=FILE`, or next to `arm` in the
arm's file. A misspelt name or a value out of range stops the node. `ros2 param set`
[changes](nodes.md#parameters-while-it-runs) what is not *fixed*. Quote texts.

## Which parameter to change first

| for | set |
|---|---|
| slower motion to targets | `speed` of `driver_node`; for one joint its `max_velocity` in the arm file |
| slower lines, paths, home, jogging | `speed` of `ik_node`; `tip_speed` and `tip_turn_speed` for lines, `home_speed` for home |
| no path through table, base or the arm itself | [`keep_out`](clear.md) shapes, `link_radii`, `check_path: all` |
"""  # noqa: E501

ARM_HEAD = """
## The arm

[Its file](own_arm.md), and parameters of both nodes: `arm.base.x`. `NAME` is that of a joint, tip,
frame or shape; `extra_joints` have the limits of `joints`, too. All of it is fixed while they run.
Lengths, radii and speeds are above zero.

```
arm:
"""

#: What the words about an extra joint may be.
WORDS = {field.name: field.metadata.get('words') for field in fields(ExtraJoint)}

#: Descriptions of the keys of an arm by their last level, or by first and last.
DESCRIPTIONS = {
    'name': 'Name of the arm',
    'source': 'Source of its numbers',
    'upper_arm': 'Shoulder axis to elbow axis [m]',
    'forearm': 'Elbow axis to wrist axis [m]',
    'hand': 'Wrist axis to tip [m]',
    'hand_elevation': 'Without a wrist: where a linkage keeps the hand, above forward [rad]',
    'hand_offset': 'Wrist axis to the axis of the wrist roll, upwards [m]',
    'base.x': 'Yaw axis, forward [m]',
    'base.y': 'Yaw axis, to the left [m]',
    'x': 'Position along x [m]',
    'y': 'Position along y [m]',
    'z': 'Position along z [m]',
    'roll': 'Turn about x [rad]',
    'pitch': 'Turn about y [rad]',
    'yaw': 'Turn about z [rad]',
    'turn': 'Turn of x and y about z [rad]',
    'frame_names': 'Frames of the hand, such as a camera, in the axes of tool0 on the roll axis',
    'height': 'Height of the shoulder axis above base_link [m]',
    'shoulder_offset': 'Yaw axis to shoulder axis, forward [m]',
    'lateral': 'Yaw axis to arm plane, to the left [m]',
    'urdf_frame': "Frame of the maker's URDF at base_link's origin; by default its root",
    'urdf_rpy': 'How that frame is turned in base_link: about its x, y, z [rad]',
    'joint_names': 'Joints of the chain, base to tip',
    'home': 'Joint positions, inside the limits [rad]',
    'floor_height': 'Height of the floor: elbow, wrist and tip stay above it [m]',
    'tip_names': 'Tips off the roll axis, in the axes of tool0 on it',
    'tip': 'Which of them tool0 is; empty: on the roll axis',
    'link_radii.base': 'Radius around the yaw axis [m]',
    'link_radii.upper_arm': 'Radius [m]',
    'link_radii.forearm': 'Radius [m]',
    'link_radii.hand': 'Radius without fingers [m]',
    'keep_out_names': 'Shapes that the arm stays out of',
    'kind': f'{", ".join(KEEP_OUT_SIZES)}',
    'size': 'Edges of a box, or radius and length of a cylinder [m]',
    'position': 'Centre of the shape, of a half-space a point of its plane [m]',
    'rpy': 'Turns about the fixed axes x, y, z [rad]',
    'extra_joint_names': 'Joints that are not in the chain, such as a gripper',
    'role': f'One of {", ".join(ROLES)}',
    'sign': 'Direction the servo counts in: 1 or -1',
    'offset': 'Canonical angle at position zero [rad]',
    'lower': 'Lower limit [rad or m]',
    'upper': 'Upper limit [rad or m]',
    'max_velocity': 'Largest speed [rad/s or m/s]',
    'max_acceleration': 'Largest acceleration [rad/s^2 or m/s^2]',
    'servo': 'Model of its servo; of two: 2x MODEL',
    'mass': 'Mass of its link [kg]',
    'centre': "Centre of mass, in the link's frame [m]",
    'inertia': 'ixx, ixy, ixz, iyy, iyz, izz there [kg m^2]',
    'type': f'{" or ".join(WORDS["type"])}',
    'closed': 'Position for gripper_command 0 [rad or m]',
    'open': 'Position for gripper_command 1 [rad or m]',
    'along': f'Its finger opens along {", ".join(WORDS["along"])}',
    'second': f'{", ".join(WORDS["second"])}',
    'moves': f'{" or ".join(WORDS["moves"])}',
    'travel': 'From closed to open [m or rad]',
    'root': 'Where it begins, or its pivot [m]',
    'lean': 'Inwards, when closed [rad]',
    'width': 'Across its motion [m]',
    'thickness': 'Along its motion [m]',
    'length': 'From its root [m]',
    'shape_names': 'Boxes of the arm',
    'on': f'{", ".join(SHAPED_LINKS)} or an extra joint',
}


def page():
    """Return the text of the page."""
    return ''.join([HEAD, *node_section('ik_node', IK_SPECS),
                    *node_section('driver_node', DRIVER_SPECS),
                    ARM_HEAD, *arm_lines(arm_keys(), 'arm', 1), '```\n'])


def node_section(node, specs):
    """Yield a node's heading and its parameters, with their defaults."""
    yield f'\n## `{node}`\n\n```\n'
    for spec in specs:
        fixed = ' Fixed.' if spec.read_only else ''
        yield (f'# {spec.description}{allowed(spec)}.{fixed}\n'
               f'{spec.name}: {shown(spec.plain)}\n')
    yield '```\n'


def allowed(spec):
    """Return what a parameter may be, in brackets; nothing of a text or a bool."""
    if spec.choices:
        return f' ({", ".join(map(repr, spec.choices))})'
    if isinstance(spec.plain, (bool, str)):
        return ''
    unit = f' {spec.unit}'.replace(' 1', '').rstrip()
    return f' ({spec.lower:g} to {spec.upper:g}{unit})'


def shown(value):
    """Return a default as it is written in a parameter file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f'[{", ".join(map(shown, value))}]'
    if isinstance(value, float):
        return '.nan' if isnan(value) else f'{value:.4g}' if value % 1 else f'{value:.1f}'
    return repr(value)


def arm_keys():
    """Return every key that an arm may have, in nested dicts."""
    model = Arm.preset('so101').model
    joint, extra = (replace(joints[0], max_acceleration=1.0)
                    for joints in (model.joints, model.extra_joints))
    extra, shape = replace(extra, moves='turns', travel=1.0), replace(model.shapes[0], name='hand')
    keys = model_to_mapping(replace(
        model, joints=(joint, *model.joints[1:]), extra_joints=(extra,), floor_height=0.0,
        tip=model.tips[0].name, frames=(Frame('camera'),), link_radii=LinkRadii(*[0.05] * 4),
        shapes=(shape,), keep_out=(KeepOut('table', 'box', (1.0, 1.0, 1.0)),), urdf_frame='base',
        urdf_rpy=(0.0, 0.0, 1.0)))
    keys['links'].update(hand_offset=0.01, hand_elevation=0.0)
    for key, of in (('joints', joint), ('extra_joints', extra), ('tips', model.tips[0]),
                    ('frames', Frame('camera')), ('shapes', shape),
                    ('keep_out', KeepOut('table', 'box', (1,) * 3))):
        keys[key] = {'NAME': keys[key][of.name]}
    keys['extra_joints']['NAME'] = {
        key: value for key, value in keys['extra_joints']['NAME'].items()
        if key not in keys['joints']['NAME']}
    return keys


def arm_lines(keys, parent, depth):
    """Yield a line for every key, with what it is."""
    for key, value in keys.items():
        line = f'{"  " * depth}{key}:'
        if isinstance(value, dict):
            yield f'{line}\n'
            yield from arm_lines(value, parent if key == 'NAME' else key, depth + 1)
        else:
            yield f'{line:24} # {DESCRIPTIONS.get(f"{parent}.{key}") or DESCRIPTIONS[key]}\n'


if __name__ == '__main__':
    PAGE.write_text(page(), encoding='utf-8')
