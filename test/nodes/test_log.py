# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a process does before its first words are out, which takes long if Python has its way."""

import os
import subprocess
import sys

from arm_ik.testing.domain import domain_environment, reserved_domain

SCRIPT = """
import gc, inspect
from arm_ik.nodes import stop_signal
from arm_ik.nodes.start import driver_node

def spin(executor, stop):
    print(len(inspect.modulesbyfile), gc.isenabled(), gc.get_freeze_count() > 10_000)

stop_signal.spin_until = spin
import sys
sys.argv = ['driver_node', '--arm', 'simple']
driver_node()
"""


def test_a_node_that_has_spoken_has_not_looked_through_all_modules_nor_for_garbage():
    with reserved_domain() as domain:
        ended = subprocess.run(
            [sys.executable, '-c', SCRIPT], timeout=60, capture_output=True, text=True,
            env={**os.environ, **domain_environment(domain),
                 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert 'simple on the simulated back end' in ended.stderr, ended.stderr
    files, collects, frozen = ended.stdout.split()
    assert int(files) < 10
    assert (collects, frozen) == ('True', 'True')
