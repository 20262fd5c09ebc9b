# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the emulated serial buses have in common; knows nothing of ``arm_ik``, as they do."""

from math import copysign

BROADCAST = 0xFE


class Bus:
    """
    Servos that hear requests and answer; ``silences``: one that is missing silences the next.

    A bus of its own kind has ``whole_requests`` and ``carry_out``.
    """

    def __init__(self, servos, silences=True):
        self.servos = list(servos)
        self.silences = silences

    def advance(self, seconds):
        for servo in self.servos:
            servo.advance(seconds)

    def take(self, received):
        """
        Take whole requests out of a ``bytearray``.

        :returns: list of ``(request, replies)``; a reply is ``(return delay [s], [frames])`` with
            more than one frame where several servos answer at a time.
        """
        return [(request, self.carry_out(request)) for request in self.whole_requests(received)]

    def write_each(self, address, blocks):
        """Let servos write the blocks of a sync write that they hear."""
        for servo_id, block in blocks.items():
            for servo in self.at(servo_id):
                if servo.deaf:
                    servo.deaf -= 1
                else:
                    servo.write(address, block)

    def at(self, servo_id):
        """Return the servos that a request to an id reaches."""
        return [servo for servo in self.servos
                if servo.present and servo_id in (servo.id, BROADCAST)]


class Walled:
    """
    A servo that holds as a spring does, and may be obstructed.

    ``wall``: the places [ticks] that ``actual`` cannot pass, a pair; ``None``: nothing. Where
    ``blocked`` is true it does not move at all. So far from its goal as ``full`` it presses with
    all it has, by which a wall is pressed in by ``give`` [ticks]; ``force`` is the part of that.
    """

    wall, full, give, force = None, 120.0, 0.0, 0.0
    blocked = False
    actual = 0.0

    def go(self, left, reach, limit=1.0):
        """Move by a distance [ticks], as far as it can; return ``force``."""
        if self.blocked:
            self.force = min(abs(left) / self.full, limit)
        else:
            goal = self.actual + left
            stop = min(max(goal, self.wall[0]), self.wall[1]) if self.wall else goal
            force = min(abs(goal - stop) / (self.full + self.give), limit)
            stop += copysign(force * self.give, goal - stop)
            self.actual += min(max(stop - self.actual, -reach), reach)
            self.force = force if abs(stop - self.actual) < 1e-6 else 0.0
        return self.force


def take_frames(received, header, least, size_of, is_whole):
    """
    Take frames out of a ``bytearray``; return them.

    :param header: what each begins with.
    :param least: how many bytes of it have its size.
    :param size_of: function of what has been received from there on; 0: no frame begins so.
    :param is_whole: function of a frame, whether its checksum is right.
    """
    found = []
    while True:
        start = received.find(header)
        if start < 0:
            del received[:max(0, len(received) + 1 - len(header))]
            return found
        del received[:start]
        size = size_of(received) if len(received) >= least else least
        if len(received) < max(size, least):
            return found
        if size and is_whole(received[:size]):
            found.append(bytes(received[:size]))
            del received[:size]
        else:
            del received[:1]


def checksum(body):
    return ~sum(body) & 0xFF
