# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Write an arm as a parameter file, in the order and shape people write them by hand."""

from .yaml_writer import write, write_key

_BASE = {'x': 'base_x', 'y': 'base_y', 'height': 'base_height',
         'shoulder_offset': 'shoulder_offset', 'lateral': 'lateral'}
_LINKS = ('upper_arm', 'forearm', 'hand')


def model_to_mapping(model):
    """
    Return the ``arm`` block that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: nested dicts that :func:`model_from_parameters` turns into an equal model.
    """
    arm = {
        'name': model.name,
        'source': model.source,
        'base': {key: float(getattr(model, field)) for key, field in _BASE.items()},
        'links': {key: float(getattr(model, key)) for key in _LINKS},
        'joint_names': list(model.joint_names),
        'joints': {joint.name: _joint(joint) for joint in model.joints},
        'home': [float(reading) for reading in model.home],
        'floor_height': model.floor_height,
        'extra_joint_names': [joint.name for joint in model.extra_joints],
        'extra_joints': {joint.name: _extra_joint(joint) for joint in model.extra_joints},
    }
    return {key: value for key, value in arm.items() if value not in ('', None, [], {})}


def dump(model):
    """
    Return the text of a parameter file that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: str; :func:`load_model` reads an equal model from it, and ROS 2 the same numbers.
    """
    lines = ['/**:', '  ros__parameters:', '    arm:']
    for key, value in model_to_mapping(model).items():
        if key in ('joints', 'extra_joints'):
            lines.append(f'      {key}:')
            lines += [f'        {write_key(name)}: {write(block)}'
                      for name, block in value.items()]
        else:
            lines.append(f'      {key}: {write(value)}')
    return '\n'.join([*lines, ''])


def _joint(joint):
    return {'role': joint.role, 'sign': int(joint.sign), 'offset': float(joint.offset),
            **_range(joint)}


def _extra_joint(joint):
    return {'type': joint.type, **_range(joint),
            'closed': float(joint.closed), 'open': float(joint.open)}


def _range(joint):
    return {key: float(getattr(joint, key)) for key in ('lower', 'upper', 'max_velocity')}
