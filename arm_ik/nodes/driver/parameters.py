# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parameters of ``driver_node``."""

from ..common.parameters import Spec
from ...drivers import backend_names

SPECS = (
    Spec('backend', 'simulated', 'What moves the joints', choices=backend_names(),
         read_only=True),
    Spec('state_rate', 50.0, 'How often joint_states is published', 'Hz', 1.0, 1000.0),
    Spec('command_timeout', 0.5, 'The arm stops where it is if no joint_commands come for longer '
         'while it moves; 0: never', 's', 0.0, 3600.0),
)
