# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Mutation testing: the tests notice faults in limits, validation and the handling of targets.

Every file of ``mutation_scope.py`` is spoiled in one place at a time, by cosmic-ray's operators
and two of our own (``mutants.py`` says which), and the tests that hold the file are run on it. A
mutant is killed when a test fails. What survives is listed, with the reason why no test can or
need notice it, in docs/mutation.md. The full form tries all mutants, some 2000; the short form a
few fixed ones.
"""

import argparse
from collections import Counter, defaultdict
from contextlib import contextmanager
from multiprocessing import get_context
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from . import survivors
from .mutant_run import Spoiled, Tree
from .mutation_scope import FIXED, Scope, SCOPES
from ..figure import Figure

ROOT = Path(__file__).resolve().parents[2]

#: Share of all mutants that have to be killed.
WANTED = 0.9

#: Trees that mutants are tried in at a time.
JOBS = 2


def run(short, seed, say):
    """Try the mutants; see ``reliability/figure.py``."""
    if short:
        return [_fixed_faults(say)]
    fates = {}
    for path, fates[path] in fates_by_file(SCOPES):
        say(f'{path}: {_share(fates[path])}')
    return figures_of(fates, say)


def figures_of(fates, say):
    """
    Return the figures.

    :param fates: for each file, the fates of its mutants.
    :param say: told of mutants that live and nobody knows why.
    """
    unexplained = [mutant for found in fates.values() for mutant, killed_by, _ in found
                   if not killed_by and not survivors.reason(mutant)]
    for mutant in unexplained:
        say(f'lives: {mutant.path}:{mutant.line}: {mutant.before}  ->  {mutant.after}')
    every = [fate for found in fates.values() for fate in found]
    return [
        Figure('survivors without a reason in docs/mutation.md', str(len(unexplained)), '0',
               not unexplained),
        Figure('mutants killed', _share(every), f'at least {100.0 * WANTED:g} %',
               _dead(every) >= WANTED * len(every)),
        *(Figure(path, _share(found), '', True) for path, found in sorted(fates.items()))]


def _dead(fates):
    return sum(bool(fate.killed_by) for fate in fates)


def _share(fates):
    return f'{_dead(fates)} of {len(fates)}, {100.0 * _dead(fates) / len(fates):.1f} %'


def _fixed_faults(say):
    tasks = []
    for number, (path, before, after, tests) in enumerate(FIXED):
        text = (ROOT / path).read_text()
        spoiled = text.replace(before, after)
        if text.count(before) != 1:
            raise RuntimeError(f'{before!r} stands {text.count(before)} times in {path}')
        tasks.append((Scope(path, (tests,)), Spoiled(path, number, before, after, spoiled)))
    with workers() as pool:
        fates = pool.map(_try, tasks, chunksize=1)
    for fate in fates:
        say(f'{fate.mutant.path}, {fate.mutant.after}: {fate.killed_by or "not noticed"}')
    return Figure('fixed faults that tests notice', f'{_dead(fates)} of {len(fates)}', 'all',
                  _dead(fates) == len(fates))


class Fate(NamedTuple):
    """What became of a mutant; ``killed_by`` is empty for one that lives."""

    mutant: object
    killed_by: str
    seconds: float


class Trial:
    """
    The tests of one file, run on its mutants, in a process of its own.

    :param folder: to copy the project to.
    """

    def __init__(self, folder):
        self._tree = Tree(ROOT, folder)
        self._normal = {}

    def of(self, scope, mutant):
        """Return the :class:`Fate` of a mutant."""
        seconds = 0.0
        for stage in scope.stages:
            run = self._tree.run(stage.split(), mutant.path, mutant.text,
                                 self._normal_time(stage, mutant.path))
            seconds += run.seconds
            if run.failed:
                return Fate(mutant, run.failed, seconds)
        return Fate(mutant, '', seconds)

    def _normal_time(self, stage, path):
        """Return how long tests take without a fault [s]; they have to pass."""
        if (stage, path) not in self._normal:
            run = self._tree.run(stage.split(), path)
            if run.failed:
                raise RuntimeError(f'without a fault in {path}, {run.failed} fails already')
            self._normal[stage, path] = run.seconds
        return self._normal[stage, path]


def _begin(folders):
    global _trial
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # forks have no use for more
    _trial = Trial(folders.get())


def _try(task):
    return _trial.of(*task)


def _mutants(scope):
    """Return pairs of the scope and each of its mutants."""
    from .mutants import mutants_of
    return [(scope, mutant) for mutant in mutants_of(scope.path, (ROOT / scope.path).read_text())]


@contextmanager
def workers(jobs=JOBS):
    """Yield a pool of processes, each with a copy of the project to spoil."""
    context = get_context('spawn')
    with TemporaryDirectory(prefix='mutants_') as folder:
        folders = context.SimpleQueue()
        for number in range(jobs):
            folders.put(f'{folder}/tree_{number}')
        with context.Pool(jobs, _begin, (folders,)) as pool:
            yield pool


def fates_by_file(scopes, jobs=JOBS):
    """Yield ``(path, fates)`` of every file, its mutants in order."""
    with workers(jobs) as pool:
        tasks = [task for tasks in pool.imap_unordered(_mutants, scopes) for task in tasks]
        due = Counter(mutant.path for _, mutant in tasks)
        fates = defaultdict(list)
        for fate in pool.imap_unordered(_try, tasks):
            path = fate.mutant.path
            fates[path].append(fate)
            if len(fates[path]) == due[path]:
                yield path, sorted(fates.pop(path))


def main():
    """Try the files named on the command line, or all, and print what lives."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('paths', nargs='*', help='part of a path in mutation_scope.py')
    parser.add_argument('--jobs', type=int, default=JOBS)
    arguments = parser.parse_args()
    scopes = [scope for scope in SCOPES
              if not arguments.paths or any(part in scope.path for part in arguments.paths)]
    for path, fates in fates_by_file(scopes, arguments.jobs):
        print(f'{path}: {_share(fates)} killed, {sum(fate.seconds for fate in fates):.0f} s',
              flush=True)
        for mutant, killed_by, _ in fates:
            if not killed_by or killed_by == 'time-out':
                print(f'  {mutant.line}: {mutant.before}\n      -> {mutant.after} '
                      f'{killed_by}', flush=True)


if __name__ == '__main__':
    main()
