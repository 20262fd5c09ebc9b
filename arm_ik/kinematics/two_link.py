# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Two-link inverse kinematics in a plane, by angles and by vectors, in closed form.

Frame: x forward, y up; the shoulder at the origin, the wrist to be put at (x, y). Angles [rad],
counter-clockwise positive; lengths [m]. With the distance d to the wrist and ``h = d^2`` both
methods share two numbers::

    w   = h + l1^2 - l2^2                    2 d times the elbow's distance along the line to the
                                             wrist
    s^2 = ((l1+l2)^2 - h) (h - (l1-l2)^2)    2 d times the elbow's distance from that line, squared
        = 4 l1^2 h - w^2 = (2 l1 l2 sin elbow)^2

*By angles*: ``elbow = atan2(s, h - l1^2 - l2^2)`` (law of cosines; atan2 keeps the precision that
acos loses near a straight arm), and the shoulder is the direction to the wrist less the angle
``atan2(l2 sin elbow, l1 + l2 cos elbow) = atan2(s, w)`` inside the triangle.

*By vectors*: elbow = ``(w (x, y) + side s (-y, x)) / 2h``: one square root, one division.

Beyond reach the links lie on the line to the target: stretched when it is too far, folded when it
is too close. At the origin that line has no direction, and +x is taken, so that both methods are
continuous along (x, 0).

Sources: Ryan Juckett, "Analytic Two-Bone IK in 2D"; Inigo Quilez, "Simple IK".
"""

from math import atan2, frexp, hypot, isfinite, ldexp, pi, sqrt

from .tolerances import ORIGIN, ROUNDING
from ..errors import InvalidInputError


class Triangle:
    """
    The triangle of two links for any wrist target; the numbers of the links are computed once.

    :param l1: length of the first link [m], zero or more.
    :param l2: length of the second link [m]; below zero it points backwards.
    """

    __slots__ = ('l1', 'l2', 'outer', 'inner', 'outer_squared', 'inner_squared',
                 'far', 'close', 'w_less_h', 'squares', 'backwards')

    def __init__(self, l1: float, l2: float) -> None:
        #: Turn of the second link in place of a negative length [rad].
        self.backwards = pi if l2 < 0.0 else 0.0
        l2 = abs(l2)
        self.l1, self.l2 = l1, l2
        self.outer, self.inner = l1 + l2, abs(l1 - l2)
        self.outer_squared, self.inner_squared = self.outer ** 2, self.inner ** 2
        slack = ROUNDING * self.outer
        self.far = (self.outer + slack) ** 2
        self.close = max(self.inner - slack, 0.0) ** 2
        self.w_less_h = l1 * l1 - l2 * l2
        self.squares = l1 * l1 + l2 * l2

    def solve(self, x: float, y: float) -> tuple[float, float, float, float]:
        """
        Return both solutions for a wrist at (x, y), the second link of positive length.

        :returns: ``(shoulder of bend 1, shoulder of bend -1, elbow of bend 1, out of reach)``
            [rad, m]; the elbow of bend -1 is its opposite. Out of reach is positive when too far,
            negative when too close, else 0; the angles then are those of the nearest pose.
        """
        h = x * x + y * y
        if h > self.far:
            towards = atan2(y, x)
            return towards, towards, 0.0, sqrt(h) - self.outer
        if h < self.close:
            shoulder = atan2(y, x) if self.l1 > self.l2 else atan2(-y, -x)
            return shoulder, shoulder, pi, sqrt(h) - self.inner
        s, w = self.s(h), h + self.w_less_h
        xw, xs, yw, ys = x * w, x * s, y * w, y * s
        return atan2(yw - xs, xw + ys), atan2(yw + xs, xw - ys), atan2(s, h - self.squares), 0.0

    def s(self, h: float) -> float:
        """Return the module's s, 0 or more, for a squared distance h [m^2]."""
        radicand = (self.outer_squared - h) * (h - self.inner_squared)
        return sqrt(radicand) if radicand > 0.0 else 0.0

    def bends(self, x: float, y: float, nearest: bool = False) -> tuple[tuple[float, float], ...]:
        """
        Return ``(shoulder, elbow)`` [rad] of both bends for a wrist at (x, y), if in reach.

        :param nearest: whether to return those of the nearest pose where it is out of reach.
        """
        first, second, angle, beyond = self.solve(x, y)
        if beyond and not nearest:
            return ()
        return (first, self.backwards + angle), (second, self.backwards - angle)


def solve_angles(upper_arm: float, forearm: float, x: float, y: float, bend: int = 1
                 ) -> tuple[float, float, bool]:
    """
    Return the joint angles that put the wrist at (x, y), or as near to it as the links allow.

    :param upper_arm: length [m], zero or more.
    :param forearm: length [m], zero or more.
    :param x: wrist target forward of the shoulder [m].
    :param y: wrist target above the shoulder [m].
    :param bend: sign of the elbow angle, 1 or -1.
    :returns: ``(shoulder, elbow, reachable)``; angles [rad], the elbow relative to the upper arm.
        With a link of length zero the elbow is 0 and the other link points at the target; with
        both, everything is 0 and only the origin is reachable.
    :raises InvalidInputError: for a negative or non-finite length or coordinate, or another bend.
    """
    _check_sign('bend', bend)
    upper_arm, forearm, x, y, _ = _scaled(upper_arm, forearm, x, y)
    first, second, elbow, beyond = Triangle(upper_arm, forearm).solve(x, y)
    if upper_arm == 0.0 or forearm == 0.0:
        return atan2(y, x) if upper_arm or forearm else 0.0, 0.0, not beyond
    if x * x + y * y < ORIGIN and not beyond:
        return -bend * pi / 2, bend * pi, True
    return first if bend > 0 else second, bend * elbow, not beyond


def solve_elbow(upper_arm: float, forearm: float, x: float, y: float, side: int = 1,
                stretch: bool = False) -> tuple[float, float] | None:
    """
    Return where the elbow is when the wrist is at (x, y), without trigonometry.

    :param upper_arm: length [m], zero or more.
    :param forearm: length [m], zero or more.
    :param x: wrist target forward of the shoulder [m].
    :param y: wrist target above the shoulder [m].
    :param side: 1 for the elbow left of the line from shoulder to target, -1 for right of it.
    :param stretch: for a target out of reach, stretch links along the line to it instead of
        returning ``None``: both, by the same amount of length squared, when it is too far; only
        the forearm, from the folded elbow, when it is too close.
    :returns: ``(elbow_x, elbow_y)`` [m], or ``None`` when unreachable and not stretched. At the
        origin the line is taken along +x.
    :raises InvalidInputError: for a negative or non-finite length or coordinate, or another side.
    """
    _check_sign('side', side)
    upper_arm, forearm, x, y, exponent = _scaled(upper_arm, forearm, x, y)
    triangle, h = Triangle(upper_arm, forearm), x * x + y * y
    if not (triangle.close <= h <= triangle.far or stretch):
        return None
    if h < triangle.close:
        elbow = _folded_elbow(upper_arm, forearm, x, y)
    elif h < ORIGIN:
        elbow = 0.0, side * upper_arm
    else:
        half, w, s = 0.5 / h, h + triangle.w_less_h, triangle.s(h)
        elbow = (w * x - side * s * y) * half, (w * y + side * s * x) * half
    return ldexp(elbow[0], exponent), ldexp(elbow[1], exponent)


def _folded_elbow(upper_arm: float, forearm: float, x: float, y: float) -> tuple[float, float]:
    """Return the elbow of folded links: stretching both would run to infinity at the origin."""
    distance = hypot(x, y)
    if distance == 0.0:
        x, distance = 1.0, 1.0
    along = upper_arm if upper_arm > forearm else -upper_arm
    return along * x / distance, along * y / distance


def _scaled(upper_arm: float, forearm: float, x: float, y: float
            ) -> tuple[float, float, float, float, int]:
    """Return checked arguments scaled to at most 1 by a power of two, and its exponent."""
    for what, length in (('upper_arm', upper_arm), ('forearm', forearm)):
        if not (isfinite(length) and length >= 0.0):
            raise InvalidInputError(what, length, 'a finite length [m], zero or more')
    for what, value in (('x', x), ('y', y)):
        if not isfinite(value):
            raise InvalidInputError(what, value, 'a finite coordinate [m]')
    # Scaling by a power of two is exact, and then squares can't overflow or all vanish.
    _, exponent = frexp(max(upper_arm, forearm, abs(x), abs(y)))
    upper_arm, forearm, x, y = [ldexp(value, -exponent) for value in (upper_arm, forearm, x, y)]
    return upper_arm, forearm, x, y, exponent


def _check_sign(what: str, value: int) -> None:
    if value not in (1, -1):
        raise InvalidInputError(what, value, '1 or -1')
