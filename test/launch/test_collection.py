# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Tests are found whatever plugins ROS brings."""

from pathlib import Path
import shutil
import subprocess
import sys

import pytest

pytest.importorskip('launch_testing', reason='only its plugin makes trouble; pip has it not')

TESTS = Path(__file__).parents[1]


def test_a_file_skipped_as_a_whole_takes_no_other_with_it(tmp_path):
    for name in ('conftest.py', 'forked.py', 'tiers.py'):   # what all tests share
        shutil.copy(TESTS / name, tmp_path)
    (tmp_path / 'test_needs_more.py').write_text('import pytest\npytest.importorskip("no_such")\n')
    (tmp_path / 'test_plain.py').write_text('def test_plain():\n    pass\n')
    result = subprocess.run([sys.executable, '-m', 'pytest', '-q', str(tmp_path)], cwd=tmp_path,
                            capture_output=True, text=True)
    assert '1 passed, 1 skipped' in result.stdout, result.stdout
