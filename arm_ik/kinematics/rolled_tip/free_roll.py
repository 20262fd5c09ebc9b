# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The rolls of a tip beside the roll axis that no forward vector asks for.

An up vector that is not vertical is met only in the two arm planes along it. Such a plane is
``e.n`` beside the yaw axis, which the roll has to bring about::

    lateral + x sin(roll) + y cos(roll) = e.n

With a vertical up vector, or none, any roll may do; then the one nearest to ``near`` at which the
arm reaches is at the end of an interval, between two samples.
"""

from math import atan2, hypot, pi, sqrt

from ..arm_plane import from_s0
from ..tolerances import ROUNDING, SAME, TIE

#: Rolls that are tried, and how often the distance to the nearest that will do is halved.
SAMPLES, HALVINGS = 48, 40


def rolls_along_up(geometry, target, near):
    """Return the rolls [rad] in whose arm plane an up vector lies, which is not vertical."""
    (ex, ey, _), (ux, uy, _), (x, y) = (
        from_s0(geometry, target.position), target.up, geometry.beside)
    length, radius, found = hypot(ux, uy), hypot(x, y), []
    for side in (1.0, -1.0):
        beside = side * (ey * ux - ex * uy) / length - geometry.lateral
        square = radius * radius - beside * beside
        if square < -ROUNDING:
            continue
        off = atan2(sqrt(max(square, 0.0)), beside)
        for turn in (off, -off):
            roll = geometry.limits[-1].fit(atan2(x, y) + turn, near[-1])
            if roll is not None and all(abs(roll - other) > SAME for other in found):
                found.append(roll)
    return found


def nearest_roll(limits, at, reaches):
    """
    Return the roll nearest to a position at which something is reached, ``None`` if none is.

    :param limits: of the roll.
    :param at: position [rad].
    :param reaches: function of a roll [rad].
    """
    at = limits.clamp(at)
    step = min(limits.upper - limits.lower, 2.0 * pi) / SAMPLES
    rolls = [at + side * k * step for k in range(SAMPLES + 1) for side in (1.0, -1.0)]
    inner = next((roll for roll in rolls
                  if limits.lower <= roll <= limits.upper and reaches(roll)), None)
    if inner is None or inner == at:
        return inner
    outer = inner - step if inner > at else inner + step
    for _ in range(HALVINGS):
        middle = 0.5 * (inner + outer)
        if abs(inner - outer) < TIE:
            break
        inner, outer = (middle, outer) if reaches(middle) else (inner, middle)
    return inner
