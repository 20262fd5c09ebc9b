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

#: Runs an executable as its script does, and sends it a signal when it begins a long import.
SCRIPT = """
import os, sys


class Signaller:
    def find_spec(self, name, *_):
        if name == '{imported}':
            os.kill(os.getpid(), {number})


sys.meta_path.insert(0, Signaller())
from arm_ik.nodes.startup.start import {node}
sys.argv = ['{node}', '--arm', 'simple']
sys.exit({node}())
"""


@pytest.mark.parametrize('imported, node, number', [
    ('numpy', 'ik_node', signal.SIGINT), ('rclpy', 'driver_node', signal.SIGTERM),
    ('rclpy', 'ik_node', signal.SIGHUP), ('numpy', 'driver_node', signal.SIGQUIT)])
def test_a_signal_during_the_imports_ends_it_with_exit_code_0(imported, node, number):
    ended = run(SCRIPT.format(node=node, number=int(number), imported=imported))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '', '')


@pytest.mark.parametrize('node', ['ik_node', 'driver_node'])
def test_without_a_signal_it_is_the_node_that_runs(node):
    ended = run(SCRIPT.format(node=node, number=0, imported='rclpy').replace('simple', 'simpel'))
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{node}: no arm named 'simpel'")


@pytest.mark.parametrize('node', ['ik_node', 'driver_node'])
def test_without_ros_it_says_what_is_missing_in_one_line(node):
    ended = run(f"""
import sys
sys.modules.update(dict.fromkeys(['rclpy', 'geometry_msgs']))
from arm_ik.nodes.startup.start import {node}
sys.exit({node}())
""")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f'{node}: no Python module ')
    assert ended.stderr.count('\n') == 1


def run(script):
    return subprocess.run(
        [sys.executable, '-c', script], timeout=60, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
