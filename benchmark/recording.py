# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a recording of a moving arm takes: megabytes in ten minutes, and percent of a core.

    python benchmark/recording.py

``arm_ik record`` beside both nodes of a simulated SO-101 that goes from target to target for 40 s.
"""

import os
from pathlib import Path
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic

from arm_ik.testing import SimulatedArm
from arm_ik.testing.processes import domain_environment

_SECONDS = 40.0


def cpu(process):
    """Return the time that a process has used a core [s]."""
    fields = Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main():
    """Print both figures."""
    with TemporaryDirectory() as folder, SimulatedArm('so101') as arm:
        path = Path(folder) / 'run.mcap'
        process = subprocess.Popen(
            [sys.executable, '-m', 'arm_ik', 'record', '-o', str(path)],
            env={**os.environ, **domain_environment(arm.domain_id)})
        record = arm.record()
        arm.wait_until(lambda: len(record) > 200 and path.exists(), 'the recording')
        begun, used, size, number = monotonic(), cpu(process), path.stat().st_size, 0
        while monotonic() - begun < _SECONDS:
            number += 1
            arm.wait_for_arrival(arm.send(
                (0.2, 0.1 * (-1) ** number, 0.08 + 0.02 * (number % 3)), (0.0, 0.0, -1.0)))
        took = monotonic() - begun
        print(f'{(path.stat().st_size - size) / took * 600.0 / 1e6:.1f} MB in ten minutes, '
              f'{100.0 * (cpu(process) - used) / took:.1f} % of a core; {number} targets')
        process.send_signal(signal.SIGINT)
        process.wait(10.0)


if __name__ == '__main__':
    main()
