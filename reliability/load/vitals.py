# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What Linux says of a process: memory, threads, open files, processor time."""

import os
from pathlib import Path
from typing import NamedTuple


class Vitals(NamedTuple):
    """Of one moment."""

    resident: int   # memory [KiB], all kinds
    anonymous: int  # of it what the process has made itself [KiB]
    threads: int
    files: int      # descriptors
    cpu: float      # processor time so far, all threads [s]


def vitals(pid):
    """Return the vitals of a process that runs."""
    proc = Path('/proc') / str(pid)
    lines = dict(line.split(':', 1) for line in (proc / 'status').read_text().splitlines())
    # Behind the program's name, which may hold anything: from the third field on.
    fields = (proc / 'stat').read_text().rpartition(')')[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return Vitals(_kib(lines, 'VmRSS'), _kib(lines, 'RssAnon'), int(lines['Threads']),
                  len(os.listdir(proc / 'fd')), ticks / os.sysconf('SC_CLK_TCK'))


def _kib(lines, key):
    return int(lines[key].split()[0])
