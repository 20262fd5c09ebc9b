# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the tools say and ask, at a terminal or through pipes.

Lines that change are shown in place at a terminal; elsewhere once, when they no longer change.
"""

from contextlib import contextmanager
import os
import select
import signal
import sys
import termios
import time
import tty

from ..errors import InvalidInputError

#: How often changing lines are shown [s].
_REFRESH = 0.15

#: An Enter so soon after another one is the same one [s].
BOUNCE = 0.4

#: The signals that end a tool.
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: Keys that are several bytes.
_ARROWS = {'\x1b[D': 'left', '\x1b[C': 'right', '\x1b[A': 'up', '\x1b[B': 'down'}


class NotWanted(Exception):
    """The user has said no."""


class Terminal:
    """
    The user.

    ``state`` is a sentence on how the servos are left if the tool ends now.

    :param assume_yes: answer every question with yes.
    """

    def __init__(self, assume_yes=False):
        self._assume_yes = assume_yes
        self._is_live = sys.stdout.isatty()
        self._in_place = 0      # lines that the next ones replace
        self._shown_at = 0.0
        self._typed = ''
        self._entered_at = 0.0
        self._input = sys.stdin.fileno()
        self.state = 'no servo was touched'

    def say(self, *lines):
        """Print lines that stay."""
        self._erase()
        if lines:
            print('\n'.join(lines), flush=True)

    def show(self, lines, at_once=False):
        """Show lines in place of those shown before; nothing where there is no terminal."""
        now = time.monotonic()
        if self._is_live and (at_once or now - self._shown_at >= _REFRESH):
            self._shown_at = now
            self._erase()
            width = max(20, os.get_terminal_size(sys.stdout.fileno()).columns or 80) - 1
            print('\n'.join(line[:width] for line in lines), flush=True)
            self._in_place = len(lines)

    def confirm(self, question):
        """
        Ask a question.

        :raises NotWanted: unless the answer is yes.
        """
        if self._assume_yes:
            self.say(f'{question} yes, as --yes says')
        elif not self.choose(question):
            raise NotWanted('not wanted')

    def choose(self, question):
        """Ask a question that ``--yes`` does not answer; return whether the answer is yes."""
        self.drop_typed()
        self._erase()
        print(f'{question} [y/N] ', end='', flush=True)
        before, line = self._entered_at, self._line()
        if not line and self._entered_at - before < BOUNCE:
            line = self._line()
        return line.strip().lower() in ('y', 'yes')

    def drop_typed(self):
        """Forget what was typed at a terminal before it was asked for."""
        if sys.stdin.isatty():
            termios.tcflush(self._input, termios.TCIFLUSH)
            self._typed = ''

    def typed(self):
        """Return a line that was typed; ``None``: none has ended yet."""
        while '\n' not in self._typed and select.select([self._input], [], [], 0.0)[0]:
            self._receive()
        if '\n' not in self._typed:
            return None
        self._in_place += bool(self._in_place)      # the line that Enter has ended
        return self._line().strip()

    def key(self, lines, wait=None):
        """
        Return one key: a character, ``'left'``, ``'enter'``, ...; lines are shown meanwhile.

        :param wait: how long to wait for one [s], after which it is ``''``; ``None``: for ever.
        """
        self.show(lines, at_once=wait is None)
        if not self._typed and not select.select([self._input], [], [], wait)[0]:
            return ''
        key = self._take(1)
        while key in ('\x1b', '\x1b[') and (
                self._typed or select.select([self._input], [], [], 0.05)[0]):
            key += self._take(1)
        return 'enter' if key in '\r\n' else _ARROWS.get(key, key)

    def _line(self):
        while '\n' not in self._typed:
            self._receive()
        line, self._typed = self._typed.split('\n', 1)
        self._entered_at = time.monotonic()
        if not sys.stdin.isatty():
            print(flush=True)
        return line

    def _take(self, count):
        while len(self._typed) < count:
            self._receive()
        taken, self._typed = self._typed[:count], self._typed[count:]
        return taken

    def _receive(self):
        received = os.read(self._input, 1024)
        if not received:
            raise InvalidInputError('the answer', 'the end of the input', 'one typed at a '
                                    'terminal; --yes answers yes to every question')
        self._typed += received.decode(errors='replace')

    @contextmanager
    def whole(self):
        """Have Ctrl-C and the like wait until what is done in this context is done."""
        came = []
        before = {number: signal.signal(number, lambda number, _: came.append(number))
                  for number in INTERRUPTS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)

    @contextmanager
    def key_by_key(self):
        """Take each key as it is pressed, and no line of them, while this context lasts."""
        if not sys.stdin.isatty():
            yield
            return
        before = termios.tcgetattr(self._input)
        tty.setcbreak(self._input, termios.TCSADRAIN)
        try:
            yield
        finally:    # at once: a terminal that is stopped by Ctrl-S must not keep it from ending
            termios.tcsetattr(self._input, termios.TCSANOW, before)

    def _erase(self):
        if self._in_place:
            print(f'\x1b[{self._in_place}A\x1b[J', end='', flush=True)
            self._in_place = 0


def table(heading, rows):
    """
    Return lines in columns: text to the left, numbers to the right.

    :param heading: one word for each column.
    :param rows: lists of text.
    """
    rows = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(heading, *rows)]
    right = [all(_is_number(row[i]) for row in rows) and bool(rows) for i in range(len(heading))]
    return ['  '.join(word.rjust(width) if is_right else word.ljust(width)
                      for word, width, is_right in zip(row, widths, right)).rstrip()
            for row in [list(heading), *rows]]


def _is_number(text):
    return text in ('', '-') or text.lstrip('+-').replace('.', '', 1).isdigit()
