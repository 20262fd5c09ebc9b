# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Transactions with servos on a serial port: one deadline each, and what came until then.

An answer that comes after its deadline looks like the answer to a later request. What has been
received is forgotten before each request; what comes later than that, only the protocol can tell
from a new answer. ``turn`` helps it: it is another one after each request that was not answered in
full. Where the number of registers asked for follows it, an old answer is of the wrong length.
"""

from collections import deque
from dataclasses import dataclass, field
import time
from typing import Any, Dict

from . import frames
from .serial_port import users_of
from ..errors import DriverError

#: What an answer may need besides where the machine is busy: the system hands on what a port has
#: received only when it comes to it [s].
_BUSY = 0.007

#: The turns there are: an answer has to be late by more than so many transactions, each as long as
#: its deadline, to be taken for another.
TURNS = 12

#: So long a request is remembered; in that time two frames of somebody else are no accident [s].
_MEMORY = 1.0


@dataclass
class Answers:
    """
    What a request has brought.

    ``found`` maps ids to what their servos have answered; ``lost`` maps ids to the reason, ``'no
    answer'`` or ``'garbled answer'``. ``asked`` and ``answered`` are when it began and ended [s].
    """

    asked: float
    answered: float = 0.0
    found: Dict[int, Any] = field(default_factory=dict)
    lost: Dict[int, str] = field(default_factory=dict)


class SerialTransactions:
    """
    With the servos on a port.

    ``in_haste`` is for those who most likely do not answer: then nothing waits for a busy machine.

    :param port: an open :class:`~arm_ik.drivers.serial_port.SerialPort`.
    :param patience: how long an answer may be under way beside its time on the wire [s]; by
        default what the port's adapter needs.
    :param clock: returns the time [s] of :class:`Answers`.
    """

    #: The protocol's function of address and blocks, its request to :meth:`write` them.
    sync_write: Any = None

    #: The protocol's functions of bytes, the whole frames in them; and of a frame and a request,
    #: whether it may be a servo's answer to it.
    whole_frames: Any = staticmethod(frames.whole_frames)
    is_answer: Any = staticmethod(frames.is_answer)

    def __init__(self, port, patience=None, clock=time.monotonic):
        self.turn = 0
        self.in_haste = False
        self.baud = port.baud
        self._port = port
        self._clock = clock
        self._sent = deque()        # (time, request)
        self._foreign = deque([-_MEMORY] * 2, maxlen=2)     # when frames of somebody else came
        self._patience = port.latency if patience is None else patience

    def ask(self, request, ids, take, duration):
        """
        Send a request and wait for the answers to it.

        :param request: its bytes.
        :param ids: of the servos that answer.
        :param take: function of a ``bytearray``, what has been received, and of the ids awaited:
            it takes whole answers out of it, and returns a list of them, each with an ``id``, and
            how many bytes of no answer it has passed over.
        :param duration: how long request and answers are on the wire, the servos' own delay
            included [s].
        :returns: :class:`Answers`.
        :raises DriverError: if the port is gone.
        """
        awaited = list(ids)
        heard = old = self._port.discard() or b''
        answers = Answers(self._clock())
        self.send(request)
        deadline = time.monotonic() + self._patience + duration + (not self.in_haste) * _BUSY
        received, strange, is_last = bytearray(), 0, False
        while awaited and not is_last:
            is_last = time.monotonic() >= deadline
            chunk = self._port.read(deadline)
            is_last = is_last or not chunk
            received += chunk
            heard += chunk
            if received.startswith(request):    # the adapter's echo
                del received[:len(request)]
            found, passed = take(received, awaited)
            strange += passed
            for answer in found:
                if answer.id in awaited:
                    awaited.remove(answer.id)
                    answers.found[answer.id] = answer
        answers.answered = self._clock()
        if old or strange or received:
            self._listen(heard)
        if awaited:
            self.turn = (self.turn + 1) % TURNS
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
            self.send(self.sync_write(address, blocks))

    def send(self, request):
        """
        Send what nobody answers.

        :raises DriverError: if the port is gone.
        """
        # By the last request, not by now: answers wait as long as this process is halted.
        while self._sent and self._sent[-1][0] - self._sent[0][0] > _MEMORY:
            self._sent.popleft()
        self._sent.append((time.monotonic(), request))
        self._port.write(request)

    def require_alone(self):
        """
        Refuse to share the port.

        :raises DriverError: if another program talks on it, naming who has it open too.
        """
        if time.monotonic() - self._foreign[0] < _MEMORY:
            raise DriverError(self._port.backend, f'another program talks on {self._port.path}: '
                              f'{users_of(self._port.path) or "nobody knows which"}; end it first')

    def _listen(self, heard):
        """Take note of frames that are neither late answers nor the adapter's echo."""
        for frame in self.whole_frames(heard):
            if not any(frame in request or self.is_answer(frame, request)
                       for _, request in reversed(self._sent)):
                self._foreign.append(time.monotonic())

    def close(self):
        """Give the port back; never raises."""
        self._port.close()
