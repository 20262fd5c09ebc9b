# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The question before torque: where a servo would be with it, once the nearest goal is written.

A servo takes its goal inside its own limits alone, and may count otherwise with torque than
without. So it may turn although its goal is where it is. Drivers and tools ask here, by what they
have just read from the servo, and give no torque to one that would turn.
"""

from math import degrees, radians

from ..errors import DriverError

#: A servo that would turn by no more than this stays [rad]; by this it may turn if somebody asks
#: for torque.
STAYS, MOST = radians(1.5), radians(10.0)

#: How fast it turns then [rad/s].
SLOWLY = radians(10.0)

#: For so long a servo is watched after its torque came on [s]; one that has turned by more than
#: this in that time ran [rad].
WATCHED, RUNS = 0.3, radians(5.0)


class TorqueRefusedError(DriverError):
    """
    Servos were given no torque, because they would turn or are others than the file says.

    :param backend: name of the back end.
    :param refused: sentences by the name of the joint, or by the id of the servo.
    """

    def __init__(self, backend, refused):
        super().__init__(backend, '. '.join(refused.values()))
        self.refused = refused


def turn_of(facts, tick, unit, most):
    """
    Return by how much a servo would turn [rad], of either sign, and why it gets no torque.

    :param facts: its :class:`~.backend.Facts`, just read.
    :param tick: where it is.
    :param unit: ticks per radian.
    :param most: by how much it may turn [rad].
    :returns: the angle, and words or ``''``.
    """
    turn, goal = facts.turn(tick) / unit, facts.goal(tick)
    if abs(turn) <= most:
        return turn, ''
    by = f'it would turn by {degrees(abs(turn)):.1f} deg with torque'
    if goal == tick:
        return turn, (f'is at tick {tick}, across the wrap-around of its encoder: {by}. Move it '
                      'back by hand, or let it count turns (mode 4, register 11)')
    remedy = '' if abs(turn) > MOST else 'with ~/torque true, or by arm_ik servos move, it goes '\
        f'there at {degrees(SLOWLY):.0f} deg/s; or '
    return turn, (f'is at tick {tick}, and its own limits are {facts.lower} to {facts.upper}'
                  f'{facts.limit_registers and f" (registers {facts.limit_registers})"}: {by}, to '
                  f'tick {goal}: {remedy}move it inside by hand, or change its limits (arm_ik '
                  'servos set, or calibrate)')


def runs(at, begin, goal, by=RUNS):
    """Return whether a servo is off the path from where it was to its goal by more than that."""
    return not min(begin, goal) - by <= at <= max(begin, goal) + by
