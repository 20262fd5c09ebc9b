# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Run tests on a mutant, in a copy of the project and in a process forked for it alone.

The fork saves what makes a test run slow to start: Python, numpy, rclpy, pytest and the project
are loaded already. It forgets the module that is spoiled and all that import it, and loads these
anew, from the copy.
"""

import ctypes
import gc
from importlib import import_module
from importlib.util import find_spec
import os
from pathlib import Path
import resource
import shutil
import signal
import sys
from time import monotonic, sleep
from typing import NamedTuple

from .importers import Importers

#: A run is ended after so many times what the tests take without a fault, and these seconds.
_TIMES_LONGER, _SECONDS_LONGER = 5.0, 30.0

#: Not copied: what is made, not written.
_NOT_COPIED = ('.*', '__pycache__', 'demo_output', '*.egg-info')

#: Loaded before any fork, where there.
_PRELOADED = ('numpy', 'hypothesis', 'pytest', 'rclpy')

#: Exit code of a fork that could not run the tests at all.
_BROKEN = 99

_ADOPT_ORPHANS = 36  # Linux's PR_SET_CHILD_SUBREAPER


class Spoiled(NamedTuple):
    """
    A file with one fault.

    :param path: of the file, from the project's root.
    :param line: number of the first line that differs.
    :param before: that line.
    :param after: what stands there instead.
    :param text: the whole file with the fault.
    """

    path: str
    line: int
    before: str
    after: str
    text: str


class Run(NamedTuple):
    """
    What tests said of a tree.

    :param failed: the test that failed first, or what ended the run; ``''``: all passed.
    :param seconds: how long it took.
    """

    failed: str
    seconds: float


class Tree:
    """
    A copy of the project, to be spoiled and mended.

    :param root: of the project.
    :param folder: where to put the copy; not there yet.
    """

    def __init__(self, root, folder):
        self.folder = Path(folder)
        shutil.copytree(root, self.folder, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        self._importers = Importers(self.folder)
        sys.path.insert(0, str(self.folder))
        for module in (*_PRELOADED, *self._importers.modules):
            if find_spec(module.split('.')[0]) and not module.endswith('__main__'):
                import_module(module)
        gc.freeze()
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)

    def run(self, tests, path, text=None, normal=600.0):
        """
        Run tests until the first one fails.

        :param tests: pytest's arguments.
        :param path: of the file that is spoiled, from the tree's root.
        :param text: what stands in it instead; ``None``: nothing is spoiled.
        :param normal: how long they take without a fault [s].
        :returns: :class:`Run`.
        """
        file = self.folder / path
        touched = self._importers.of('.'.join(Path(path).with_suffix('').parts))
        if text is None:
            return self._run(tests, touched, normal)
        original = file.read_text()
        for compiled in (file.parent / '__pycache__').glob(f'{file.stem}.*'):
            compiled.unlink()  # as long as the mutant, and perhaps of the same second
        file.write_text(text)
        try:
            return self._run(tests, touched, normal, {'PYTHONDONTWRITEBYTECODE': '1'})
        finally:
            file.write_text(original)

    def _run(self, tests, touched, normal, environment=()):
        begin = monotonic()
        most = _TIMES_LONGER * normal + _SECONDS_LONGER
        says, hears = os.pipe()
        child = os.fork()
        if not child:
            code = _BROKEN
            try:
                os.close(says)
                self._enter(touched, int(most), environment)
                code = _run_pytest(tests, hears)
            finally:
                os._exit(code)
        os.close(hears)
        status = _wait(child, begin + most)
        _end_orphans()
        with os.fdopen(says) as pipe:
            failed = pipe.read()
        if status == _BROKEN << 8:
            raise RuntimeError(self._log.read_text()[-2000:])
        if status is None:
            failed = 'time-out'
        elif status:
            failed = failed or f'wait status {status}'
        return Run(failed, monotonic() - begin)

    def _enter(self, touched, seconds, environment):
        """Make this process one of the tree's, with the modules that are touched to be loaded."""
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        gc.disable()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        os.chdir(self.folder)
        os.environ.update(environment, PYTHONPATH=str(self.folder))
        sys.dont_write_bytecode = bool(environment)
        for name in touched:
            sys.modules.pop(name, None)

    @property
    def _log(self):
        return self.folder.with_suffix('.log')


class _FirstFailure:
    """A plugin of pytest that passes on which test failed first."""

    def __init__(self, pipe):
        self._pipe = pipe
        self._told = False

    def pytest_runtest_logreport(self, report):
        self._tell(report)

    def pytest_collectreport(self, report):
        self._tell(report)

    def _tell(self, report):
        if report.failed and not self._told:
            self._told = True
            os.write(self._pipe, report.nodeid.encode()[:2000])


def _run_pytest(tests, pipe):
    from hypothesis import Phase, settings
    import pytest
    # That it fails is enough: no search for a simpler example.
    settings.register_profile('mutants', phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile('mutants')
    return int(pytest.main(
        ['-q', '-x', '--no-header', '-p', 'no:cacheprovider', '--hypothesis-seed=0',
         '--tb=line', '--disable-warnings', *tests], plugins=[_FirstFailure(pipe)]))


def _wait(child, until):
    """Return how a process ended, or ``None`` if it had to be ended."""
    for number, patience in ((None, until - monotonic()), (signal.SIGINT, 15.0),
                             (signal.SIGKILL, 15.0)):
        if number is not None:
            os.kill(child, number)
        end = monotonic() + patience
        while monotonic() < end:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return status if number is None else None
            sleep(0.01)
    return None


def _end_orphans():
    """End processes that the tests left behind: they are this process's now."""
    children = Path(f'/proc/self/task/{os.getpid()}/children')
    for pid in map(int, children.read_text().split()):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
