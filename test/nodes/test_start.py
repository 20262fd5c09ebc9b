# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A signal that comes while a node's process still imports ends it as cleanly as a later one."""

import os
import signal
import subprocess
import sys

import pytest

#: Runs an executable as its script does, and sends it a signal when it begins to import rclpy.
SCRIPT = """
import os, sys


class Signaller:
    def find_spec(self, name, *_):
        if name == 'rclpy':
            os.kill(os.getpid(), {number})


sys.meta_path.insert(0, Signaller())
from arm_ik.nodes.start import {node}
sys.argv = ['{node}', '--arm', 'simple']
sys.exit({node}())
"""


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize('node', ['ik_node', 'driver_node'])
def test_a_signal_during_the_imports_ends_it_with_exit_code_0(node, number):
    ended = subprocess.run(
        [sys.executable, '-c', SCRIPT.format(node=node, number=int(number))], timeout=60,
        capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '', '')


@pytest.mark.parametrize('node', ['ik_node', 'driver_node'])
def test_without_a_signal_it_is_the_node_that_runs(node):
    ended = subprocess.run(
        [sys.executable, '-c', SCRIPT.format(node=node, number=0).replace('simple', 'simpel')],
        timeout=60, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{node}: no arm named 'simpel'")
