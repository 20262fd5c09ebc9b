# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from importlib import import_module
import os
import subprocess
import sys

from arm_ik.nodes.put_off import put_off
import pytest


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / 'dear_module.py').write_text('def cost(a, b=0):\n    return a + b\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, 'dear_module', raising=False)
    yield 'dear_module'
    sys.modules.pop('dear_module', None)


def test_a_module_that_is_put_off_is_imported_when_its_function_is_called(module):
    put_off(module, 'cost')
    cost = import_module(module).cost
    assert not hasattr(sys.modules[module], '__file__')
    assert (cost(1, b=2), cost(3)) == (3, 3)
    assert sys.modules[module].__file__.endswith('dear_module.py')


def test_a_module_that_is_there_already_stays(module):
    there = import_module(module)
    put_off(module, 'cost')
    assert sys.modules[module] is there


def test_message_types_load_without_their_generator_which_is_there_when_it_is_called():
    script = ('from arm_ik.nodes.put_off import put_off_the_generator as put_off; put_off(); '
              'import sys; from sensor_msgs.msg import JointState; '
              'from rclpy.serialization import serialize_message as pack; '
              'assert len(pack(JointState(name=["a"], position=[1.0]))) > 30; '
              'assert "lark" not in sys.modules; '
              'from rosidl_generator_py import generate_py; '
              'generate_py("no such file", [])')
    ended = subprocess.run(
        [sys.executable, '-c', script], timeout=60, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert 'generate_py_impl.py", line' in ended.stderr, ended.stderr
