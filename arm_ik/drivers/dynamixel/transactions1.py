# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Transactions with AX servos, one after the other."""

from . import ax_table
from .. import frames
from ..serial_transactions import Answers, SerialTransactions

#: The longest return delay a servo can have [s].
_RETURN_DELAY = 0.0005


class Transactions1(SerialTransactions):
    """With the servos on a port; as :class:`.serial_transactions.SerialTransactions`."""

    sync_write = staticmethod(frames.sync_write)

    def read(self, ids, block):
        """
        Read a block of registers of several servos, each by itself.

        :param ids: the servos.
        :param block: the first register and how many, of those in :mod:`.ax_table`.
        :returns: :class:`~.serial_transactions.Answers` with a :class:`~.frames.Status` each.
        :raises DriverError: if the port is gone.
        """
        together = None
        for servo_id in ids:
            answers = self._read_one(servo_id, *block)
            together = together or Answers(answers.asked)
            together.answered = answers.answered
            together.found.update(answers.found)
            together.lost.update(answers.lost)
        return together

    def ask_one(self, servo_id, block):
        """Return one servo's :class:`~.frames.Status` or ``None``, and the reason."""
        answers = self.read([servo_id], block)
        return answers.found.get(servo_id), answers.lost.get(servo_id, '')

    def _read_one(self, servo_id, address, length):
        size = length + self.turn % (ax_table.LAST + 2 - address - length)
        answers = self.ask(
            ax_table.read(servo_id, address, size), [servo_id],
            lambda received, awaited: frames.take_answers(received, awaited, size),
            _RETURN_DELAY + read_duration(1, size, self.baud))
        for status in answers.found.values():
            answers.found[servo_id] = status._replace(data=status.data[:length])
        return answers


def read_duration(count, length, baud):
    """Return what reading ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * count * (8 + length + frames.OVERHEAD) / baud
