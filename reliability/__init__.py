# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Experiments before a release: how driver and nodes behave under bad input and faults.

Each experiment is a module with a function ``run(short, seed, say)`` that returns a list of
:class:`~.figures.Figure`; :data:`EXPERIMENTS` names them, and ``python -m reliability`` runs them.
A new one is a module and its name here.
"""

#: The experiments, in the order in which they are run.
EXPERIMENTS = ('motion', 'corruption', 'servos', 'bus_timing', 'kills', 'senders', 'streams',
               'stops', 'torque_states', 'calibration', 'physics')
