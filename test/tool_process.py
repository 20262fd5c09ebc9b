# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A servo tool: a process at a terminal of its own, or in this process."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
import os
from pathlib import Path
import pty
import re
import select
import signal
import sys
from tempfile import TemporaryFile
from time import monotonic
from unittest.mock import patch

from arm_ik.__main__ import main
from arm_ik.servos.terminal import INTERRUPTS
from forked import popen

ROOT = Path(__file__).resolve().parents[1]

#: How long [s] to wait for what has to come: only ever used up by a test that fails.
PATIENCE = 60.0

_CONTROL = re.compile(r'\x1b\[[0-9]*[A-Za-z]')


class ToolProcess:
    """
    ``arm_ik servos`` at a pseudo-terminal; leave it as a context manager.

    ``shown`` is all that it has printed, what it has replaced included.

    :param arguments: its command line.
    :param folder: where it runs.
    :param program: what runs instead of ``arm_ik servos``, a list.
    """

    def __init__(self, *arguments, folder, program=None):
        self._terminal, other = pty.openpty()
        self.process = popen(
            program or [sys.executable, '-m', 'arm_ik', 'servos', *map(str, arguments)],
            stdin=other, stdout=other, stderr=other, cwd=folder,
            env=environment(), start_new_session=True)
        os.close(other)
        self.shown = ''
        self._read_to = 0
        self._has_ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._terminal)

    def expect(self, words):
        """Wait until words are shown that were not waited for before."""
        end = monotonic() + PATIENCE
        while words not in self.shown[self._read_to:]:
            assert not self._has_ended and monotonic() < end, \
                f'no {words!r} in:\n{self.shown[self._read_to:]}'
            self._receive(end)
        self._read_to = self.shown.index(words, self._read_to) + len(words)

    def look(self):
        """Take what is shown now; it goes on."""
        self._receive(monotonic() + 0.01)
        assert not self._has_ended, self.shown

    def type(self, keys):  # noqa: A003
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def answer(self, question, keys='y\n'):
        """Wait for a question, then press keys."""
        self.expect(question)
        self.type(keys)

    def interrupt(self, number=signal.SIGINT):
        """Send a signal."""
        self.process.send_signal(number)

    def end(self):
        """Wait for the end; return the exit code."""
        end = monotonic() + PATIENCE
        while not self._has_ended:
            assert monotonic() < end, f'goes on:\n{self.shown}'
            self._receive(end)
        return self.process.wait(PATIENCE)

    def _receive(self, end):
        if select.select([self._terminal], [], [], max(0.0, end - monotonic()))[0]:
            try:
                received = os.read(self._terminal, 4096)
            except OSError:     # nobody has the other side open any more
                received = b''
            self._has_ended = not received
            self.shown += _CONTROL.sub('', received.decode()).replace('\r', '')


def run_tool(*arguments, folder, typed=''):
    """Run a tool in this process, not at a terminal; return (exit code, output, errors)."""
    output, errors, before = StringIO(), StringIO(), os.getcwd()
    handlers = [(number, signal.getsignal(number)) for number in INTERRUPTS]
    with TemporaryFile('w+') as keys, patch.object(sys, 'stdin', keys), \
            redirect_stdout(output), redirect_stderr(errors):
        keys.write(typed)
        keys.seek(0)
        os.chdir(folder)
        try:
            code = main(['servos', *map(str, arguments)])
        except SystemExit as end:
            code = end.code
        finally:
            os.chdir(before)
            for number, handler in handlers:
                signal.signal(number, handler)
    return code, output.getvalue(), errors.getvalue()


def environment():
    return {**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])}
