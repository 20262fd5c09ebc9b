# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Between files and arms: YAML and URDF, in and out; presets by name."""

from importlib import import_module
from typing import TYPE_CHECKING

from .arm_file import dump, load_model, model_from_parameters, model_to_mapping
from .presets import preset_names, preset_path
from .ros_text import normalised_text

if TYPE_CHECKING:
    from .urdf import to_urdf
    from .urdf_reader import from_urdf

__all__ = [
    'dump', 'from_urdf', 'load_model', 'model_from_parameters', 'model_to_mapping',
    'normalised_text', 'preset_names', 'preset_path', 'to_urdf']

if not TYPE_CHECKING:
    def __getattr__(name):
        # Imported on use: Python's XML modules take half a megabyte, and only URDF needs them.
        modules = {'from_urdf': 'urdf_reader', 'to_urdf': 'urdf'}
        if name in modules:
            return getattr(import_module(f'.{modules[name]}', __name__), name)
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
