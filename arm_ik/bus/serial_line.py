# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is said on a serial port: one deadline for each question, and what came until then.

An answer that comes after its deadline looks like the answer to a later question. What has been
received is forgotten before each request; what comes later than that, only the protocol can
separate from a new answer. ``turn`` helps it: it is another one after each request that was not
answered in full. Where the number of registers asked for follows it, an old answer is of the wrong
length.
"""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, nan
import time
from typing import Any, NamedTuple

from . import frames
from .serial_port import users_of
from ..errors import DriverError

#: What an answer may need besides where the machine is busy: the system hands on what a port has
#: received only when it comes to it [s].
BUSY = 0.007

#: The turns there are: an answer has to be late by more than so many transactions, each as long as
#: its deadline, to be taken for another.
TURNS = 12

#: The longest that an adapter may take, where that is to be found out [s], and in so many answers.
_LONGEST, _MEASURED = 0.1, 8

#: Answers that are so much later than is allowed [s] are so by no chance.
SLOWER = 0.001

#: So long a request is remembered; in that time two frames of somebody else are no accident [s].
_MEMORY = 1.0


class NoAnswerError(Exception):
    """A servo has not said what it was asked; the words say how."""


@dataclass
class Answers:
    """
    What a request has brought.

    ``found`` maps ids to what their servos have answered; ``lost`` maps ids to the reason, ``'no
    answer'`` or ``'garbled answer'``. ``asked`` and ``answered`` are when it began and ended [s].
    ``data`` maps ids to what they have said where they say where they are. ``late`` is how long
    the last took beside its time on the wire [s].
    """

    asked: float
    answered: float = 0.0
    found: dict[int, Any] = field(default_factory=dict)
    lost: dict[int, str] = field(default_factory=dict)
    data: dict[int, bytes] = field(default_factory=dict)
    late: float = 0.0


class Question(NamedTuple):
    """
    A request, and what its answers are.

    ``size`` is what each is on the wire [bytes], ``kind`` what the protocol knows it by: how much
    data it has, or which command it answers. ``data`` is the part of the data that was asked for.
    """

    request: bytes
    size: int
    kind: int
    data: slice = slice(None)


class Setting(NamedTuple):
    """A register in the EEPROM, its size, and which of its bits is the sign."""

    address: int
    size: int = 1
    sign_bit: int | None = None

    def value(self, eeprom):
        """Return what is there, given the whole EEPROM."""
        number = int.from_bytes(eeprom[self.address:self.address + self.size], 'little')
        return number if self.sign_bit is None else frames.signed(number, self.sign_bit)

    def data(self, value):
        """Return the bytes of a value."""
        return (abs(value) | (value < 0) << (self.sign_bit or 0)).to_bytes(self.size, 'little')


class SerialLine:
    """
    The servos on a port, by their ids and in their own ticks.

    ``callers`` are the ids of servos that have answered a :meth:`call` since somebody cleared it,
    ``known`` the newest :class:`~.backend.Facts` of servos, by id; ``patience`` may be changed.

    Each family says itself:

    - ``question(ids, block, turn=0)``, static: the :class:`Question` for a block of servos.
    - ``tick(data)``, static: where a servo is by its ``position_block``.
    - ``ask_facts(servo_id)``: its :class:`~.backend.Facts`.
    - ``health(servo_id)``: its :class:`~.backend.Health`.

    What is asked of one servo raises :class:`NoAnswerError` where it does not answer.

    :param port: an open :class:`~arm_ik.bus.serial_port.SerialPort`.
    :param patience: how long an answer may take beside its time on the wire [s]; by
        default what the port's adapter needs.
    :param clock: returns the time [s] of :class:`Answers`.
    """

    #: Whether one request asks all servos: then one that is missing silences others.
    is_together = True

    #: The longest time that a servo takes until it answers [s].
    return_delay = 0.0005

    #: What is asked where a servo is, whether it holds and how it is; and, so that it is quick
    #: where nobody answers, whether it is there.
    position_block: Any = None
    torque_block: Any = None
    health_blocks: tuple[Any, ...] = ()
    presence_block: Any = None

    #: The registers of torque, goal and id, and how many bytes a goal has.
    torque_register = goal_register = id_register = 0
    goal_size = 2

    #: What the tools write into the EEPROM, by name: :class:`Setting`.
    settings: dict[str, Setting] = {}

    #: The protocol: a module with functions as those of :mod:`.frames`.
    protocol: Any = frames

    def __init__(self, port, patience=None, clock=time.monotonic):
        self.turn = 0
        self.callers, self.known = set(), {}
        self._called = {}           # the kind of their answers, by ids that may not be there
        self._port = port
        self._clock = clock
        self._sent = deque()        # (time, request)
        self._sent_until = 0.0      # when what was sent last has left
        self._foreign = deque([-_MEMORY] * 2, maxlen=2)     # when frames of somebody else came
        self.patience = port.latency if patience is None else patience

    @classmethod
    def goals(cls, ticks):
        """Return the request that sends servos to ticks, by id."""
        return cls.protocol.sync_write(cls.goal_register, {
            servo_id: frames.little(tick, cls.goal_size) for servo_id, tick in ticks.items()})

    def is_held(self, data):
        """Return whether a servo holds by its ``torque_block``."""
        return data[0] == 1

    def speed(self, data):
        """Return how fast a servo turns by its ``position_block`` [1/s]; NaN: it is not in it."""
        return nan

    def remedy(self, flags):
        """Return what helps against what a servo complains of, to follow a sentence."""
        return ''

    @classmethod
    def read_duration(cls, ids, block, baud):
        """Return what reading a block of servos takes on the wire [s]."""
        if not cls.is_together and len(ids) > 1:
            return sum(cls.read_duration([servo_id], block, baud) for servo_id in ids)
        question = cls.question(ids, block)
        return 10.0 * (len(question.request) + len(ids) * question.size) / baud

    def read(self, ids, block):
        """
        Read a block of several servos.

        :param ids: the servos.
        :param block: what :meth:`question` takes.
        :returns: :class:`Answers`, with an answer that has ``id`` and ``data`` of each.
        :raises DriverError: if the port is missing.
        """
        answers = Answers(self._clock())
        for each in [ids] if self.is_together else [[servo_id] for servo_id in ids]:
            self.ask(each, block, answers)
        return answers

    def ask(self, ids, block, answers, patience=None):
        """Ask by one request, with so much patience [s]; take note of the :class:`Answers`."""
        question = self.question(ids, block, self.turn)
        awaited = list(ids)
        heard = old = self._port.discard() or b''
        left_at = max(self._sent_until, time.monotonic())
        self.send(question.request)
        expected = left_at + len(ids) * self.return_delay \
            + 10.0 * (len(question.request) + len(ids) * question.size) / self._port.baud
        deadline = expected + (self.patience if patience is None else patience) + BUSY
        received, strange, is_last = bytearray(), 0, False
        while awaited and not is_last:
            is_last = time.monotonic() >= deadline
            chunk = self._port.read(deadline)
            is_last = is_last or not chunk
            received += chunk
            heard += chunk
            if received.startswith(question.request):    # the adapter's echo
                del received[:len(question.request)]
            found, passed = self.protocol.take_answers(received, awaited, question.kind)
            strange += passed
            for answer in found:
                if answer.id in awaited:
                    awaited.remove(answer.id)
                    answers.found[answer.id] = answer._replace(data=answer.data[question.data])
        answers.answered = self._clock()
        for each, kind in list(self._called.items()):
            if self.protocol.take_answers(bytearray(heard), [each], kind)[0]:
                self.callers.add(each)
                del self._called[each]
        if old or strange or received:
            self._listen(heard)
        if awaited:
            self.turn = (self.turn + 1) % TURNS
            reason = 'garbled answer' if strange or received else 'no answer'
            answers.lost.update(dict.fromkeys(awaited, reason))
        answers.late = max(0.0, time.monotonic() - expected)

    def ask_one(self, servo_id, block):
        """Return the answer of one servo to a block: its ``data``, and more."""
        answers = self.read([servo_id], block)
        if servo_id in answers.lost:
            raise NoAnswerError(answers.lost[servo_id])
        return answers.found[servo_id]

    def call(self, servo_id):
        """
        Ask who most likely is not there, and wait only as long as an answer is on the wire.

        One that comes later is heard with the next questions: see ``callers``.
        """
        self._called[servo_id] = self.question([servo_id], self.presence_block, self.turn).kind
        self.ask([servo_id], self.presence_block, Answers(self._clock()), -BUSY)

    def latency(self, servo_id):
        """
        Return how late a servo's answers are beside their time on the wire [s].

        It is asked several times, with all patience; the latest two do not count.

        :returns: 0 if it does not answer.
        """
        answers, latencies = Answers(self._clock()), []
        while not answers.lost and len(latencies) < _MEASURED:
            self.ask([servo_id], self.torque_block, answers, max(self.patience, _LONGEST))
            latencies.append(answers.late)
        return 0.0 if answers.lost else sorted(latencies)[-3]

    def weakness(self, servo_id, is_limited=False):
        """
        Return in words, one after the other, why a servo cannot hold as it is now.

        :param is_limited: whether a limit of its force is written to it before its torque.
        """
        return ()

    def facts(self, servo_id):
        """Ask for a servo's :class:`~.backend.Facts`."""
        facts = self.known[servo_id] = self.ask_facts(servo_id)
        return facts

    def holds(self, servo_id):
        """Return whether a servo holds."""
        return self.is_held(self.ask_one(servo_id, self.torque_block).data)

    def ticks(self, ids):
        """Return :class:`Answers` with where each servo is."""
        answers = self.read(ids, self.position_block)
        for servo_id, answer in answers.found.items():
            answers.data[servo_id] = answer.data
            answers.found[servo_id] = self.tick(answer.data)
        return answers

    def send_goals(self, ticks):
        """Send servos to ticks, by id."""
        if ticks:
            self.send(self.goals(ticks))

    def send_torque(self, ids, on):
        """Switch the torque of servos."""
        self.write(self.torque_register, dict.fromkeys(ids, bytes((int(on),))))

    def send_id(self, servo_id, new_id):
        """Give a servo another id, for good."""
        self.write(self.id_register, {servo_id: bytes((new_id,))})

    def is_called(self, model, found):
        """Return whether a servos file may call so a servo whose model was found."""
        return model.upper().startswith(found)

    def write(self, address, blocks):
        """
        Write a block of registers of each servo; none of them answers.

        :param address: the first register.
        :param blocks: mapping from id to bytes, of the same number for each.
        :raises DriverError: if the port is missing.
        """
        if blocks:
            self.send(self.protocol.sync_write(address, blocks))

    def send(self, request):
        """
        Send a request, if it is anything, and do not wait for answers.

        :raises DriverError: if the port is missing.
        """
        if not request:
            return
        # By the last request, not by now: answers wait as long as this process is halted.
        while self._sent and self._sent[-1][0] - self._sent[0][0] > _MEMORY:
            self._sent.popleft()
        self._sent.append((time.monotonic(), request))
        self._sent_until = time.monotonic() + 10.0 * len(request) / self._port.baud
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
        for frame in self.protocol.whole_frames(heard):
            if not any(frame in request or self.protocol.is_answer(frame, request)
                       for _, request in reversed(self._sent)):
                self._foreign.append(time.monotonic())

    def close(self):
        """Give the port back; never raises."""
        self._port.close()


def tried(ask, *args, tries):
    """Return what a function does, called again after a :class:`NoAnswerError`: so many times."""
    for _ in range(tries - 1):
        with suppress(NoAnswerError):
            return ask(*args)
    return ask(*args)


def heard(ask, *args, tries=1):
    """Return the same; ``None`` if there is no answer at last."""
    with suppress(NoAnswerError):
        return tried(ask, *args, tries=tries)
    return None


def lateness(latency):
    """Return in words that answers are so late [s], and what helps."""
    return f'answers come {1e3 * latency:.0f} ms late: the adapter is slow. Write "patience: ' \
           f'{ceil(2e3 * latency) / 1e3:g}" into the servos file'


def delay_advice(microseconds, register):
    """Return in words that a servo need not wait so long; ``''``: it does not."""
    return f'waits {microseconds} us before every answer; 0 would do (register {register})' \
        if microseconds else ''


def flag_names(names, bits):
    """Return the names of the bits that are set, of those that have one."""
    return tuple(name for bit, name in names.items() if bits & bit)
