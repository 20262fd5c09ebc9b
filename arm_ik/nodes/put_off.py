# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Put off the import of a module whose only function is hardly ever called.

To load a message type, ROS 2 imports ``rosidl_generator_py``, and with it the generator of Python
code and its parsers: an eighth of a node's start-up and some megabytes, of which no node has any
use. Until the generator is called, if ever, a function of the same name stands in for it.
"""

from importlib import import_module
import sys
from types import ModuleType


def put_off(name, function):
    """
    Let a module be imported no sooner than its function is called.

    :param name: full name of the module; nothing happens if it has been imported.
    :param function: the name of the only thing that others import from it.
    """
    def call(*args, **kwargs):
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return getattr(import_module(name), function)(*args, **kwargs)

    stand_in = ModuleType(name, 'Stands in for the module until it is needed.')
    setattr(stand_in, function, call)
    sys.modules.setdefault(name, stand_in)


def put_off_the_generator():
    """Let message types be loaded without the generator of message types."""
    put_off('rosidl_generator_py.generate_py_impl', 'generate_py')
