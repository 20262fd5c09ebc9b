# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The keys of a terminal, one by one, and lines that change in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
import select
import sys
import termios
import tty

from ..errors import InvalidInputError

#: Longest sequence of bytes that one key sends.
_LONGEST = 16


class Keyboard:
    """The terminal; made by :func:`keyboard`."""

    def __init__(self) -> None:
        self._shown: list[str] = []

    def keys(self, seconds: float) -> list[str]:
        """
        Wait for a time [s], or until keys are pressed; return them.

        A key of several bytes, such as an arrow, counts as one, of no meaning.

        :raises EOFError: if the terminal is gone.
        """
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return []
        typed = os.read(sys.stdin.fileno(), 1024)
        if not typed:
            raise EOFError
        if typed.startswith(b'\x1b') and len(typed) <= _LONGEST:
            return ['\x1b']
        return list(typed.decode(errors='replace'))

    def show(self, lines: list[str]) -> None:
        """Show lines in place of those shown before, if they are others."""
        if lines == self._shown:
            return
        up = f'\x1b[{len(self._shown)}A\x1b[J' if self._shown else ''
        width = max(20, os.get_terminal_size(sys.stdin.fileno()).columns or 80) - 1
        print(up + '\n'.join(line[:width] for line in lines), flush=True)
        self._shown = lines


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """
    Read key by key, without an echo, until the end of the context.

    :raises InvalidInputError: if standard input is no terminal.
    """
    if not sys.stdin.isatty():
        raise InvalidInputError('standard input', 'no terminal',
                                'one: keys cannot come from a pipe or a file; with ssh, -t')
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield Keyboard()
    finally:
        # TCSANOW: a terminal that is stopped by Ctrl-S must not keep it from ending.
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)
