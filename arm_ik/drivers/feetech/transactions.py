# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Transactions with Feetech servos; after a lost answer, with another number of registers."""

from . import protocol
from .. import frames
from ..serial_transactions import SerialTransactions

#: The longest return delay a servo can have [s].
_RETURN_DELAY = 0.0005


class Transactions(SerialTransactions):
    """With the servos on a port; as :class:`.serial_transactions.SerialTransactions`."""

    sync_write = staticmethod(frames.sync_write)

    def read(self, ids, address, length):
        """
        Read a block of registers of several servos.

        :param ids: the servos.
        :param address: the first register.
        :param length: how many.
        :returns: :class:`~.serial_transactions.Answers` with a :class:`~.frames.Status` each.
        :raises DriverError: if the port is gone.
        """
        size = length + self.turn
        answers = self.ask(
            protocol.sync_read(ids, address, size), ids,
            lambda received, awaited: frames.take_answers(received, awaited, size),
            len(ids) * _RETURN_DELAY + read_duration(len(ids), size, self.baud))
        for servo_id, status in answers.found.items():
            answers.found[servo_id] = status._replace(data=status.data[:length])
        return answers


def read_duration(count, length, baud):
    """Return what reading ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * (8 + count + count * (length + frames.OVERHEAD)) / baud
