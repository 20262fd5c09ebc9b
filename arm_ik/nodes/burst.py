# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets in close succession: the ordinary one in one straight line of code.

Ordinary is: a pose in the frame of the one before, with nothing wrong about it, that the arm
reaches in the branch it is in. For :data:`LASTS_S` after such a target has gone the usual way,
while nothing else comes in, it is still true what the usual way found out: commands are enabled,
the state of the arm is fresh, the arm follows its command, and nobody listens to what is said of
it. So the next ones are read, solved for and sent, and what is to be told and counted is put off
to the end: a target takes a third of the time.

Whatever is not ordinary is left to the usual way, so every rule has one home. Tests hold both ways
equal. Where targets jump about, one thing is not the same: whether the arm follows is judged when
a burst begins, and not again by the command of each target. In so short a time no arm falls back.
"""

from math import hypot, isfinite
from struct import error
from time import time_ns
from typing import NamedTuple, Optional

from .cdr import LITTLE_ENDIAN
from .report import Report
from .target_input import QUATERNION_NORM_TOLERANCE

#: How long a burst goes on at most [s]: an arm moves by a degree in that time, at 3.5 rad/s.
LASTS_S = 0.005

_SECOND_NS = 1_000_000_000


class Ended(NamedTuple):
    """
    What came of a burst: of all its targets ``count`` and ``latencies`` [s], else of the newest.

    ``stamp`` is the target's, or that of its command where it has none; it was ``received`` [s]
    and ``age`` [s] later read; ``found`` are the fields of its solution; ``sent_stamp`` is the
    command's.
    """

    count: int
    latencies: list
    stamp: tuple
    position: tuple
    up: tuple
    found: tuple
    received: float
    age: float
    sent_stamp: tuple
    report: Optional[Report] = None


class Burst:
    """
    The targets that go the short way, from now on.

    :attr:`take` takes bytes and how long ago they were received [s], and tells whether it has
    done with them; if not, nothing has changed.

    :param layout: the :class:`~.cdr.PoseLayout` of the messages.
    :param to_up: gives the up vector of an orientation ``(x, y, z, w)``, a unit quaternion.
    :param latest_sec: latest second that may be in a stamp.
    :param pack: gives the bytes of a command from a stamp and readings [rad].
    :param send: sends bytes.
    :param solver: of the arm, one that has a fast path.
    :param tolerances: of position [m] and up vector [rad].
    :param near: readings [rad] the first target is to be solved from.
    :param longest_age: how long ago a target may have been received [s].
    :param until: when it ends [s], by ``clock``.
    :param clock: seconds that never run backwards.
    """

    def __init__(self, layout, to_up, latest_sec, pack, send, solver, tolerances, near,
                 longest_age, until, clock):
        unpack, frame, longest = layout
        solve, keeps = solver.fast, solver.keeps
        position_tolerance, up_tolerance = tolerances
        count, newest, latencies = 0, None, []
        add_latency = latencies.append

        def take(data, age):
            nonlocal near, count, newest
            now = clock()
            if now > until or age > longest_age:
                return False
            try:
                kind, sec, nanosec, named, x, y, z, qx, qy, qz, qw = unpack(data)
                norm = hypot(qx, qy, qz, qw)
                if not (kind == LITTLE_ENDIAN and named == frame and len(data) <= longest
                        and sec <= latest_sec and nanosec < _SECOND_NS
                        and abs(norm - 1.0) <= QUATERNION_NORM_TOLERANCE
                        and isfinite(x + y + z)):
                    return False
                position, up = (x, y, z), to_up((qx / norm, qy / norm, qz / norm, qw / norm))
                found = solve(position, up, near, position_tolerance, up_tolerance)
                if found is None or not keeps(found, near):
                    return False
            except (error, ValueError, OverflowError):
                return False
            near = found[0]
            sent_stamp = divmod(time_ns(), _SECOND_NS)
            send(pack(sent_stamp, near))
            count += 1
            newest = (sec, nanosec), position, up, found, now - age, age, sent_stamp
            add_latency(clock() - now + age)
            return True

        def end():
            if not count:
                return None
            stamp, *others, sent_stamp = newest
            return Ended(count, latencies, stamp if any(stamp) else sent_stamp, *others,
                         sent_stamp)

        self.take, self.end = take, end
