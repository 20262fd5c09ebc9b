# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Transactions with Feetech servos: one deadline each, and what came until then.

An answer that comes after its deadline looks like the answer to a later request. So what has been
received is forgotten before each request; and after a request that was not answered in full, the
next one asks for another number of registers: an old answer is of the wrong length then.
"""

from dataclasses import dataclass, field
import time
from typing import Dict

from . import protocol

#: The lengths that requests take turns with after a lost answer: it has to be late by more than so
#: many transactions, each as long as its deadline, to be taken for another.
_TURNS = 12

#: The longest return delay a servo can have [s].
_RETURN_DELAY = 0.0005


@dataclass
class Answers:
    """
    What a sync read has brought.

    ``found`` maps ids to :class:`~.protocol.Status`; ``lost`` maps ids to the reason, ``'no
    answer'`` or ``'garbled answer'``. ``asked`` and ``answered`` are when it began and ended [s].
    """

    asked: float
    answered: float = 0.0
    found: Dict[int, protocol.Status] = field(default_factory=dict)
    lost: Dict[int, str] = field(default_factory=dict)


class Transactions:
    """
    With the servos on a port.

    :param port: an open :class:`~arm_ik.drivers.serial_port.SerialPort`.
    :param patience: how long an answer may be under way beside its time on the wire [s]; by
        default what the port's adapter needs.
    :param clock: returns the time [s] of :class:`Answers`.
    """

    def __init__(self, port, patience=None, clock=time.monotonic):
        self._port = port
        self._clock = clock
        self._patience = port.latency if patience is None else patience
        self._turn = 0

    def read(self, ids, address, length):
        """
        Read a block of registers of several servos.

        :param ids: the servos.
        :param address: the first register.
        :param length: how many.
        :returns: :class:`Answers`.
        :raises DriverError: if the port is gone.
        """
        awaited, size = list(ids), length + self._turn
        request = protocol.sync_read(awaited, address, size)
        self._port.discard()
        answers = Answers(self._clock())
        self._port.write(request)
        deadline = time.monotonic() + self._patience + len(awaited) * _RETURN_DELAY \
            + read_duration(len(awaited), size, self._port.baud)
        received, strange, is_last = bytearray(), 0, False
        while awaited and not is_last:
            is_last = time.monotonic() >= deadline
            chunk = self._port.read(deadline)
            is_last = is_last or not chunk
            received += chunk
            if received.startswith(request):    # the adapter's echo
                del received[:len(request)]
            statuses, passed = protocol.take_answers(received, awaited, size)
            strange += passed
            for status in statuses:
                if status.id in awaited:
                    awaited.remove(status.id)
                    answers.found[status.id] = status._replace(data=status.data[:length])
        answers.answered = self._clock()
        if awaited:
            self._turn = (self._turn + 1) % _TURNS
            reason = 'garbled answer' if strange or received else 'no answer'
            answers.lost = dict.fromkeys(awaited, reason)
        return answers

    def write(self, address, blocks):
        """
        Write a block of registers of each servo; none of them answers.

        :param address: the first register.
        :param blocks: mapping from id to bytes, of the same number for each.
        :raises DriverError: if the port is gone.
        """
        if blocks:
            self._port.write(protocol.sync_write(address, blocks))

    def close(self):
        """Give the port back; never raises."""
        self._port.close()


def read_duration(count, length, baud):
    """Return what reading ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * (8 + count + count * (length + protocol.OVERHEAD)) / baud


def write_duration(count, length, baud):
    """Return what writing ``length`` registers of ``count`` servos takes on the wire [s]."""
    return 10.0 * (8 + count * (length + 1)) / baud
