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
    for said in ('`simple`: `Arm.solve`, up', '`so101`: `Arm.solve`, up and forward', 'too far',
                 'branch_tolerance', '`so101`: `Arm.solve_batch`, up and forward',
                 'besides input and answer'):
        assert said in names
    for said in ('simple, up', 'so101, up', 'so101, up and forward'):
        assert f'`Arm.solve` reached 60 of 60 on {said}' in printed
        assert f'`Arm.solve_batch` reached 200 of 200 on {said}' in printed
    # Every row of the page is printed, but for sizes of inputs, and EAIK's where that is missing.
    page = (ROOT / 'docs' / 'accuracy.md').read_text(encoding='utf-8')
    shown = re.findall(r'^\| (`(?:simple|so101)`: .+?) \| [\d. /]+ ', page, re.MULTILINE)
    printed = {re.sub('[0-9]{3,}', 'N', row[0]) for row in rows}
    ours = {re.sub('[0-9]{3,}', 'N', name) for name in shown if 'EAIK' not in name}
    assert len(ours) >= 4 and ours <= printed


def test_the_figures_of_lines_are_printed_and_no_set_point_is_past_a_limit():
    path = os.pathsep.join([str(ROOT), *sys.path])
    printed = subprocess.run(
        [sys.executable, ROOT / 'benchmark' / 'lines.py', '--lines', '2', '--set-points', '500',
         '--judged', '0', '--arms', 'so101', 'braccio'], text=True, check=True,
        stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': path}).stdout
    for name in ('so101', 'braccio'):
        most, median, joints, up, past = re.search(
            rf'^{name} +([\d.]+) +([\d.]+) +([\d.]+) +([\de.-]+) +(\d+) of', printed,
            re.MULTILINE).groups()
        assert float(median) <= float(most) < 0.15 < float(joints) and float(up) < 1e-3
        assert past == '0'
    assert re.search(r'^planning 300 mm on so101: [\d.]+ ms; track of 150 targets: ', printed,
                     re.MULTILINE)


def test_the_comparison_of_solvers_prints_what_is_installed_and_names_what_is_not(tmp_path):
    path = os.pathsep.join([str(ROOT), *sys.path])

    def run(*args):
        return subprocess.run(
            [sys.executable, ROOT / 'benchmark' / 'peers.py', *args], text=True, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, 'PYTHONPATH': path}).stdout

    printed = run('--poses', '12', '--frames', '10', '--only', 'arm_ik', 'KDL', '--save',
                  tmp_path / 'rows.json')
    row, = re.findall(r'^\| arm_ik this \| (.+) \|$', printed, re.MULTILINE)
    far, near, turned, beyond, *times = row.split(' | ')
    assert (far, near, turned) == ('100.0 %',) * 3
    # The bound of the brute force is independent of us, and no worse.
    assert -0.01 < float(beyond.removesuffix(' mm')) < 0.1 and len(times) == 2
    streams = re.findall(r'^\| arm_ik, seeded by (?:answer|servo) \| (.+) \|$', printed,
                         re.MULTILINE)
    assert len(streams) == 2
    for stream in streams:
        assert all(float(cell.split(',')[0]) < 0.1 for cell in stream.split(' | '))
    assert ('| KDL' in printed) != ('left out: KDL (PyKDL)' in printed)
    again = run('--poses', '2', '--frames', '3', '--only', 'KDL', '--with', tmp_path / 'rows.json')
    assert f'| arm_ik this | {row} |' in again
