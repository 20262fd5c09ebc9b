# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Transactions by protocol 2.0; after a lost answer, with another number of registers.

Which lengths a block is read in is in :class:`~.x_table.Block`: position, health and torque have
none in common, so an answer to one of them is never taken for an answer to another either.
"""

from . import protocol2, x_table
from ..serial_transactions import SerialTransactions

#: The longest return delay a servo can have [s].
_RETURN_DELAY = 0.0005


class Transactions2(SerialTransactions):
    """With the servos on a port; as :class:`.serial_transactions.SerialTransactions`."""

    sync_write = staticmethod(protocol2.sync_write)
    whole_frames = staticmethod(protocol2.whole_frames)
    is_answer = staticmethod(protocol2.is_answer)

    def read(self, ids, block):
        """
        Read a block of registers of several servos.

        :param ids: the servos.
        :param block: the :class:`~.x_table.Block`.
        :returns: :class:`~.serial_transactions.Answers` with a :class:`~.protocol2.Status` each.
        :raises DriverError: if the port is gone.
        """
        longest = block.last - block.first + 1
        size = block.length + self.turn % (longest - block.length + 1)
        start = max(block.first, min(block.address, block.last + 1 - size))
        skip = block.address - start
        answers = self.ask(
            protocol2.sync_read(ids, start, size), ids,
            lambda received, awaited: protocol2.take_answers(received, awaited, size),
            len(ids) * _RETURN_DELAY + read_duration(len(ids), size, self.baud))
        for servo_id, status in answers.found.items():
            answers.found[servo_id] = status._replace(
                data=status.data[skip:skip + block.length])
        return answers

    def ask_one(self, servo_id, block):
        """Return one servo's :class:`~.protocol2.Status` or ``None``, and the reason."""
        answers = self.read([servo_id], block)
        return answers.found.get(servo_id), answers.lost.get(servo_id, '')

    def facts(self, servo_id):
        """Return a servo's :class:`~.x_table.Facts` or ``None``, and the reason."""
        data = []
        for block in (x_table.IDENTITY, x_table.OFFSET, x_table.LIMITS):
            status, reason = self.ask_one(servo_id, block)
            if status is None:
                return None, reason
            data.append(status.data)
        return x_table.Facts(*data), ''


def read_duration(count, length, baud):
    """Return what reading ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * (14 + count + count * (length + protocol2.OVERHEAD)) / baud


def write_duration(count, length, baud):
    """Return what writing ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * (14 + count * (length + 1)) / baud
