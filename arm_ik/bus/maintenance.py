# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the tools need of a servo bus before there is a servos file: ids and ticks, no joints.

``arm_ik servos`` looks for servos, gives one another id and finds zeros and ranges through this
interface. Nothing here gives torque to a servo that measures: that is what the back end does,
where there is a servos file.
"""

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import NamedTuple

from .backend import Facts, Health
from .families import Family


class FoundServo(NamedTuple):
    """
    One servo, as it says itself.

    ``tick`` is where it is, ``None`` if it does not say. ``odd`` are sentences on what is unusual,
    each with what to do.
    """

    id: int  # noqa: A003
    tick: int | None = None
    facts: Facts = Facts()
    health: Health = Health()
    odd: tuple[str, ...] = ()


class Maintenance(AbstractContextManager):
    """
    Servos on a port, at one baud rate; open as soon as it is made.

    - A servo that does not answer is no error: :meth:`find` returns ``None``, :meth:`read` leaves
      it out.
    - Nothing here writes what outlasts the power, and nothing moves a servo that measures.
    - All is called from one thread.

    :param port: as in the servos file.
    :param baud: bits per second; ``None``: the first of ``bauds``.
    :param bus: further keys of the bus in the servos file (``patience``, ``protocol``,
        ``address``, ...); those that mean nothing here are ignored.
    :raises DriverError: if the port cannot be opened.
    """

    #: Name in the table of families and in messages.
    name = 'unnamed'

    #: What a servo is identified by in the servos file: ``'id'`` or ``'channel'``.
    address = 'id'

    #: Whether ticks are measured; where not, :meth:`read` returns those last written.
    has_feedback = True

    #: Baud rates that servos may have been set to, the usual one first; none where there are none.
    bauds: tuple[int, ...] = ()

    #: What a servo's EEPROM has for some of these, by baud rate.
    baud_codes: dict[int, int] = {}

    #: The one at which this port is open.
    baud: int | None = None

    #: The ids there can be.
    ids = range(253)

    #: The :class:`~.families.Family`.
    family: Family

    def is_anybody_there(self):
        """Return whether it is worth while to ask every id at this baud rate."""
        return True

    @abstractmethod
    def find(self, servo_id):
        """
        Ask one servo for all it can report.

        :returns: :class:`FoundServo`; ``None`` if nobody answers. Where an answer is garbled, its
            ``odd`` says that two servos may have this id.
        """

    @abstractmethod
    def read(self, ids):
        """Return where servos are: dict from id to tick, without those that do not answer."""

    @abstractmethod
    def close(self):
        """Give the port back; every servo keeps its torque. Never raises."""

    def __exit__(self, *_):
        self.close()
