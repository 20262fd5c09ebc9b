# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Transactions with LX-16A servos, one servo at a time.

Nothing in a request can make its answer unlike a late one to the same question. But answers come
in the order of the requests. So after a lost answer a servo is first asked something else, each
time another thing that nobody else asks: when that is answered, all older answers have come.
"""

from itertools import cycle
import time

from . import protocol
from ..serial_transactions import Answers, SerialTransactions

#: What is asked to learn that all older answers have come.
_OTHER = (protocol.ALARMS, protocol.LED, protocol.ID)

#: What a servo may take until it answers [s].
_RETURN_DELAY = 0.001


class Transactions(SerialTransactions):
    """With the servos on a port; as :class:`.serial_transactions.SerialTransactions`."""

    whole_frames = staticmethod(protocol.whole_frames)
    is_answer = staticmethod(protocol.is_answer)

    def __init__(self, *args):
        super().__init__(*args)
        self._late = set()          # ids of servos that have an answer to come
        self._others = cycle(_OTHER)
        self._sent_until = 0.0      # when what was sent last has left

    def read(self, ids, command):
        """
        Read the same of several servos.

        :param ids: the servos.
        :param command: one of those of :mod:`.protocol`.
        :returns: :class:`~.serial_transactions.Answers` with a :class:`~.protocol.Answer` each.
        :raises DriverError: if the port is gone.
        """
        each = [self._read_one(servo_id, command) for servo_id in ids]
        together = Answers(each[0].asked, each[-1].answered)
        for answers in each:
            together.found.update(answers.found)
            together.lost.update(answers.lost)
        return together

    def send(self, request):
        """
        Send what nobody answers.

        :raises DriverError: if the port is gone.
        """
        super().send(request)
        self._sent_until = time.monotonic() + 10.0 * len(request) / self.baud

    def _read_one(self, servo_id, command):
        if servo_id in self._late:
            answers = self._exchange(servo_id, next(self._others))
            if answers.lost:
                return answers
            self._late.discard(servo_id)
        answers = self._exchange(servo_id, command)
        if answers.lost:
            self._late.add(servo_id)
        return answers

    def _exchange(self, servo_id, command):
        waiting = max(0.0, self._sent_until - time.monotonic())
        return self.ask(
            protocol.read(servo_id, command), [servo_id],
            lambda received, awaited: protocol.take_answers(received, awaited, command),
            waiting + _RETURN_DELAY + read_duration(command, self.baud))


def read_duration(command, baud):
    """Return what reading one servo takes on the wire [s]."""
    return 10.0 * (protocol.REQUEST + protocol.answer_size(command)) / baud
