# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The comparison of speeds prints its whole table; no time is judged."""

import os
from pathlib import Path
import re
import subprocess
import sys

ROOT = Path(__file__).resolve().parents[1]


def test_the_comparison_of_speeds_prints_its_table():
    command = [sys.executable, ROOT / 'benchmark' / 'speed.py',
               '--targets', '60', '--batch', '200', '--rounds', '1']
    path = os.pathsep.join([str(ROOT), *sys.path])
    printed = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE,
                             env={**os.environ, 'PYTHONPATH': path}).stdout
    rows = re.findall(r'^\| (.+?) \| ([\d. /]+) (us|MB) \| (.*) \|$', printed, re.MULTILINE)
    names = ' '.join(row[0] for row in rows)
    for said in ('`Arm.solve`', 'core', 'too far', 'too close', 'joint limits', 'below the floor',
                 'rolling base', 'tilting wrist', 'solve_batch', 'besides input and answer'):
        assert said in names
    assert '`Arm.solve` reached 60 of 60' in printed
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    for row in rows:
        # Sizes of inputs aside, README's table has the same rows.
        assert re.search(re.sub(r'[0-9]{3,}', '[0-9]+', rf'^\| {re.escape(row[0])} \|'), readme,
                         re.MULTILINE), row[0]


def test_the_comparison_of_batches_prints_its_table():
    command = [sys.executable, ROOT / 'benchmark' / 'batch.py',
               '--batch', '40', '--few', '1', '--rounds', '1']
    path = os.pathsep.join([str(ROOT), *sys.path])
    printed = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE,
                             env={**os.environ, 'PYTHONPATH': path}).stdout
    rows = re.findall(r'^\| (.+?) \| [\d.]+ us \| [\d.]+ us \| [\d.]+ \| [\d. /]+ MB \|$', printed,
                      re.MULTILINE)
    assert len(rows) == len(set(rows)) > 20
