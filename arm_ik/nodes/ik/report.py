# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A report of the node about a request or about itself, before it becomes a message."""

from enum import Enum, IntEnum
from math import nan
from typing import NamedTuple, Optional

from ...kinematics.solution import Solution
from ...kinematics.target import Target


class State(Enum):
    """
    How far a target has come.

    ``READY``: waiting for a target. ``ACCEPTED``: solved, commands are sent. ``MOVING``: the arm
    has been measured to move since. ``ARRIVED``: the arm rests at the goal. ``REFUSED``: not
    followed, for the reason given.
    """

    READY = 'ready'
    ACCEPTED = 'accepted'
    MOVING = 'moving'
    ARRIVED = 'arrived'
    REFUSED = 'refused'


class Level(IntEnum):
    """Levels of diagnostics, REP-107."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


class Request(NamedTuple):
    """
    A request to the node: a target, an up vector for later points, or home.

    ``seq`` counts them from 1, refused ones too; 0: none yet. ``stamp`` is its time as
    ``(seconds, nanoseconds)``, ``frame`` its frame as it was sent.
    """

    seq: int = 0
    stamp: tuple = (0, 0)
    frame: str = ''


class Report(NamedTuple):
    """
    One entry of ``~/status``.

    ``cause`` is the reason without its numbers: consecutive reports of one cause are logged once.
    ``target`` and ``solution`` are ``None`` if there was nothing to solve. ``rest_error_rad`` and
    ``tip_error_m`` are those of an arm that rests off its command.
    """

    state: State
    level: Level
    request: Request = Request()
    reason: str = ''
    cause: str = ''
    target: Optional[Target] = None
    solution: Optional[Solution] = None
    rest_error_rad: float = nan
    tip_error_m: float = nan

    @property
    def summary(self):
        """Return the state and its reason in one line for people."""
        words = self.state.value
        if self.solution is not None and not self.solution.reached:
            words += f', {self.solution.status.name}'
        return f'{words}: {self.reason}' if self.reason else words
