# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Exact inverse kinematics for hobby servo arms: position and up vector in, joint positions out.

The public names, nothing else; see ``docs/`` for conventions and mathematics. Each is imported on
first use, because a node's process has to handle signals before the slow import of numpy.
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers and editors treat it as true

if TYPE_CHECKING:
    from .arm import Arm  # noqa: I300
    from .description.presets import presets
    from .errors import (
        ArmFileWarning, ArmIkError, DriverError, InvalidArmError, InvalidInputError,
        UnknownPresetError)
    from .kinematics.model import ArmModel, ExtraJoint, Joint, KeepOut
    from .kinematics.pose import Pose
    from .kinematics.solution import Solution, Status
    from .kinematics.target import Target

__all__ = [
    'Arm', 'ArmFileWarning', 'ArmIkError', 'ArmModel', 'DriverError', 'ExtraJoint',
    'InvalidArmError', 'InvalidInputError', 'Joint', 'KeepOut', 'Pose', 'Solution', 'Status',
    'Target', 'UnknownPresetError', 'presets',
]

__version__ = '0.1.0'

_HOMES = {
    'arm': ('Arm',),
    'description.presets': ('presets',),
    'errors': ('ArmFileWarning', 'ArmIkError', 'DriverError', 'InvalidArmError',
               'InvalidInputError', 'UnknownPresetError'),
    'kinematics.model': ('ArmModel', 'ExtraJoint', 'Joint', 'KeepOut'),
    'kinematics.pose': ('Pose',),
    'kinematics.solution': ('Solution', 'Status'),
    'kinematics.target': ('Target',),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # a type checker would then accept any name
    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        value = getattr(import_module(f'.{_HOME[name]}', __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
