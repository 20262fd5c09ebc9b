# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The documentation site and the pages that are written by a program."""

from pathlib import Path
import runpy
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_page_of_parameters_is_the_one_the_nodes_specs_give():
    pytest.importorskip('rclpy')
    written = runpy.run_path(str(ROOT / 'tools' / 'parameters_page.py'))
    assert written['PAGE'].read_text('utf-8') == written['page'](), (
        'run: python tools/parameters_page.py')


#: Sphinx where no ROS 2 is found, installed or not.
WITHOUT_ROS = """
import sys
class Hidden:
    def find_spec(self, name, *_):
        if name.partition('.')[0].endswith(('rclpy', '_msgs', '_srvs', '_interfaces')):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


def test_the_site_is_built_without_ros_without_a_warning_and_can_be_searched(tmp_path):
    for name in ('sphinx', 'myst_parser', 'furo'):
        pytest.importorskip(name, reason='needs the extra "docs"')
    site = tmp_path / 'site'
    built = subprocess.run([sys.executable, '-c', WITHOUT_ROS, '-W', '-q', '-d',
                            tmp_path / 'cache', ROOT / 'docs', site],
                           text=True, stderr=subprocess.PIPE)
    assert (built.returncode, built.stderr) == (0, '')
    for page, words in (('index', 'Move my arm on ROS 2'), ('readme', 'closed form'),
                        ('parameters', 'up_axis'), ('api/arm_ik', 'solve_batch'),
                        ('api/testing', 'move_to'), ('api/drivers', 'set_torque')):
        assert words in (site / f'{page}.html').read_text('utf-8')
    assert 'raspberri' in (site / 'searchindex.js').read_text('utf-8')   # as its stemmer has it
