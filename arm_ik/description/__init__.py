# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Between files and arms: YAML and URDF, in and out; presets by name."""

from .arm_file import dump, load_model, model_from_parameters, model_to_mapping, unlikely_units
from .presets import preset_names, preset_path

__all__ = ['dump', 'load_model', 'model_from_parameters', 'model_to_mapping', 'preset_names',
           'preset_path', 'unlikely_units']
