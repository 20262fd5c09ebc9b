# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Long work in chunks, on several threads where that is faster, with progress reports.

numpy releases the interpreter's lock while it works on columns, so threads run in parallel. The
result of a chunk does not depend on the thread.
"""

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
import os

from ...errors import InvalidInputError

#: Number of targets below which a second thread costs more than it helps.
WORTH_THREADS = 50_000

#: Most threads used by default: more of them would mostly wait for the interpreter.
MOST_THREADS = 4


def check(chunk_size, threads, progress):
    """
    Check the options of a batch.

    :raises InvalidInputError: naming what was found.
    """
    for what, value in (('chunk_size', chunk_size), ('threads', threads)):
        if value is None and what == 'threads':
            continue
        if not (isinstance(value, Integral) and value > 0):
            raise InvalidInputError(what, value, 'a whole number above zero')
    if progress is not None and not callable(progress):
        raise InvalidInputError('progress', progress, 'a function of (targets done, all targets)')


def threads_for(count):
    """Return how many threads are worth it for a number of targets."""
    if count < WORTH_THREADS:
        return 1
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:
        processors = os.cpu_count() or 1
    return min(processors, MOST_THREADS)


def run_chunks(work, count, chunk_size, threads, after):
    """
    Do work on rows, chunk by chunk.

    :param work: function of the first row of a chunk and the row after its last.
    :param count: number of rows.
    :param chunk_size: rows in a chunk.
    :param threads: how many chunks are worked on at the same time; ``None``: :func:`threads_for`
        decides.
    :param after: function of the number of rows done, called from the calling thread after each
        chunk. What it raises ends the work.
    """
    threads = threads_for(count) if threads is None else threads
    starts = range(0, count, chunk_size)

    def done(start):
        stop = min(start + chunk_size, count)
        work(start, stop)
        return stop

    if threads == 1 or count <= chunk_size:
        for start in starts:
            after(done(start))
        return
    with ThreadPoolExecutor(threads) as pool:
        # If this ends early, no new chunk begins; those that have begun are waited for.
        for stop in pool.map(done, starts):
            after(stop)
