# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The ordinary target in one straight line of code: what most solves are, ten times as fast.

Ordinary is: an arm whose base only yaws (with or without a wrist roll), an up vector and no
forward vector, a target well inside reach and off every degenerate case, a branch that meets it
inside the limits. The formulas and the choice between branches are those of :mod:`.arm_plane`,
:mod:`.branch` and :mod:`.ranking`; whatever is not ordinary is answered ``None`` and left to
them, so every rule has one home. Tests hold both ways equal.

What makes it fast:

* The plane and the elbow nearest to ``near`` come first. The other plane is half a turn of the yaw
  away, the other elbow both bends together: where even these ways are longer than the largest
  step, no other branch can be nearer, and none is looked into.
* A joint whose range is less than a turn has one reading inside at most, so ``near`` need not be
  asked; sine and cosine of the yaw come by algebra.
* The arm's numbers are cells of a closure.

Only the branch taken is measured, by forward kinematics of its readings.
"""

from math import asin, atan, atan2, cos, dist, hypot, pi, sin, sqrt

from .limits import LIMIT_SLACK, TURN
from .ranking import TIE
from .solution import Status

#: Squared lengths [m^2] and sines below this are left to the general way: nearer than 1e-5 m or
#: rad to a degenerate case.
ORDINARY = 1e-10

#: Squared sines of the triangle's angles below this are left to the general way, which knows the
#: rounding rules of straight and folded arms.
BENT = 1e-9

#: Farther from where the yaw is than this [rad], a plane's other side is nearer.
QUARTER_TURN = 0.5 * pi + TIE

#: Readings more turns off than this [rad] are left to the general way.
FAR_TURNED = 20.0

#: Up vectors that stick out of the plane by less than this [rad] are unit in it, to rounding.
UNIT_IN_PLANE = 1e-9

#: A chord of the unit circle shorter than this is as long as its arc, to rounding.
SHORT_CHORD = 1e-5

#: Nearest plane and nearest elbow, nearest plane and other elbow, ...
BRANCHES = ((False, False), (False, True), (True, False), (True, True))


def fast_path(geometry, triangle):
    """
    Return a function that solves the ordinary targets of an arm.

    :param geometry: of the arm.
    :param triangle: of the arm.
    :returns: ``solve(position, up, near, position_tolerance, up_tolerance)`` of plain tuples and
        floats, all finite. It returns the fields of a
        :class:`~arm_ik.kinematics.solution.Solution` that is reached, or ``None``: go the general
        way. ``None`` instead of a function for arms that have no ordinary targets.
    """
    if geometry.has_roll or geometry.has_tilt:
        return None
    base_x, base_y, base_height = geometry.base_x, geometry.base_y, geometry.base_height
    offset, lateral, l3 = geometry.shoulder_offset, geometry.lateral, geometry.l3
    l1, l2 = geometry.l1, geometry.l2
    outer_squared, inner_squared = triangle.outer_squared, triangle.inner_squared
    w_less_h, squares = triangle.w_less_h, triangle.squares
    unbent = BENT * outer_squared * outer_squared
    (y_sign, y_offset, y_low, y_high, y_wide, y_fit) = _numbers(geometry.limits[0])
    (s_sign, s_offset, s_low, s_high, s_wide, s_fit) = _numbers(geometry.limits[1])
    (e_sign, e_offset, e_low, e_high, e_wide, e_fit) = _numbers(geometry.limits[2])
    (w_sign, w_offset, w_low, w_high, w_wide, w_fit) = _numbers(geometry.limits[3])
    clamp_roll = geometry.limits[4].clamp if geometry.has_wrist_roll else None
    lowest = None if geometry.floor is None else geometry.floor - base_height - TIE
    reached = Status.REACHED

    def solve(position, up, near, position_tolerance=1e-9, up_tolerance=1e-9):
        ex, ey, ez = position
        ux, uy, uz = up
        if clamp_roll is None:
            y_near, s_near, e_near, w_near = near
        else:
            y_near, s_near, e_near, w_near, roll_near = near
            roll = float(clamp_roll(roll_near))
        ex -= base_x
        ey -= base_y
        ez -= base_height
        r = ex * ex + ey * ey
        if lateral:
            rho_squared = r
            r -= lateral * lateral
        if r < ORDINARY:
            return None
        r = sqrt(r)
        # Forwards or over the back, r < 0: what needs the shorter turn comes first.
        yaw = y_sign * (atan2(ey, ex) - y_offset)
        travel = abs(yaw - y_near)
        if travel > QUARTER_TURN:
            if travel > FAR_TURNED:
                return None
            while travel > QUARTER_TURN:
                r = -r
                if yaw > y_near:
                    yaw -= pi
                else:
                    yaw += pi
                travel = abs(yaw - y_near)
        if lateral:
            beside = y_sign * atan(lateral / r)
            yaw -= beside
            travel = abs(yaw - y_near)
        # The other plane is no nearer than this.
        other_turn = pi - travel
        if lateral:
            other_turn -= abs(beside + beside)
        best, enough = None, 1e300
        for other_plane, other_elbow in BRANCHES:
            if not other_elbow:
                e = None
                if other_plane:
                    if other_turn > enough:
                        step, yaw, shoulder, elbow, wrist = best
                        break
                    r = -r
                    if yaw > y_near:
                        yaw -= pi
                    else:
                        yaw += pi
                    if lateral:
                        yaw += beside + beside
                    travel = abs(yaw - y_near)
                    if y_wide and travel > pi:
                        yaw = y_fit(y_sign * yaw + y_offset, y_near)
                        if yaw is None:
                            continue
                        travel = abs(yaw - y_near)
                if not y_low <= yaw <= y_high:
                    yaw = y_low + (yaw - y_low) % TURN
                    if yaw > y_high:
                        if yaw <= y_high + LIMIT_SLACK or yaw >= y_low + TURN - LIMIT_SLACK:
                            return None
                        continue
                    if y_wide:
                        yaw = y_fit(y_sign * yaw + y_offset, y_near)
                    travel = abs(yaw - y_near)
                along = ux * ex + uy * ey
                if lateral:
                    aside = uy * ex - ux * ey
                    along, aside = ((r * along - lateral * aside) / rho_squared,
                                    (r * aside + lateral * along) / rho_squared)
                    if abs(aside) > up_tolerance:
                        # Beside the axis the up vector is out of one plane and not of the other.
                        continue
                else:
                    along /= r
                k = l3
                if up_tolerance > UNIT_IN_PLANE:
                    k = along * along + uz * uz
                    if k < ORDINARY:
                        return None
                    k = l3 / sqrt(k)
                x, y = r - offset - k * along, ez - k * uz
                h = x * x + y * y
                s = (outer_squared - h) * (h - inner_squared)
                if s < unbent:
                    if s > -unbent:
                        return None
                    continue
                s = sqrt(s)
                w = h + w_less_h
                e = atan2(s, h - squares)
                e_at = e_sign * e_near + e_offset
                if e_at < 0.0:
                    e, s = -e, -s
                elevation = atan2(uz, along)
            elif e is None or enough < abs(e + e_at) < TURN - enough:
                # No such plane; or even both bends together, the way to the other side, are more.
                continue
            else:
                e, s = -e, -s
            elbow = e_sign * (e - e_offset)
            if not e_low <= elbow <= e_high:
                elbow = e_low + (elbow - e_low) % TURN
                if elbow > e_high:
                    if elbow <= e_high + LIMIT_SLACK or elbow >= e_low + TURN - LIMIT_SLACK:
                        return None
                    continue
            if e_wide and not -pi <= e_near - elbow <= pi:
                elbow = e_fit(e, e_near)
            step = abs(elbow - e_near)
            if travel > step:
                step = travel
            angle = atan2(y * w - x * s, x * w + y * s)
            shoulder = s_sign * (angle - s_offset)
            if not s_low <= shoulder <= s_high:
                shoulder = s_low + (shoulder - s_low) % TURN
                if shoulder > s_high:
                    if shoulder <= s_high + LIMIT_SLACK or shoulder >= s_low + TURN - LIMIT_SLACK:
                        return None
                    continue
            if s_wide and not -pi <= s_near - shoulder <= pi:
                shoulder = s_fit(angle, s_near)
            way = abs(shoulder - s_near)
            if way > step:
                step = way
            angle = elevation - angle - e
            wrist = w_sign * (angle - w_offset)
            if not w_low <= wrist <= w_high:
                wrist = w_low + (wrist - w_low) % TURN
                if wrist > w_high:
                    if wrist <= w_high + LIMIT_SLACK or wrist >= w_low + TURN - LIMIT_SLACK:
                        return None
                    continue
            if w_wide and not -pi <= w_near - wrist <= pi:
                wrist = w_fit(angle, w_near)
            way = abs(wrist - w_near)
            if way > step:
                step = way
            if clamp_roll is not None:
                step = max(step, abs(roll - roll_near))
            if best is None:
                enough = step + LIMIT_SLACK
                if enough < other_turn and enough < abs(e + e_at) < TURN - enough:
                    break
            elif not _is_nearer((step, yaw, shoulder, elbow, wrist), best, near):
                continue
            enough = step + LIMIT_SLACK
            best = step, yaw, shoulder, elbow, wrist
        else:
            if best is None:
                return None
            step, yaw, shoulder, elbow, wrist = best
        # Forward kinematics of the readings is the judge.
        turn = y_sign * yaw + y_offset
        a1 = s_sign * shoulder + s_offset
        a2 = a1 + e_sign * elbow + e_offset
        a3 = a2 + w_sign * wrist + w_offset
        c, s, c3, s3 = cos(turn), sin(turn), cos(a3), sin(a3)
        r = offset + l1 * cos(a1) + l2 * cos(a2) + l3 * c3
        ex -= r * c
        ey -= r * s
        if lateral:
            ex += lateral * s
            ey -= lateral * c
        miss = hypot(ex, ey, ez - (l1 * sin(a1) + l2 * sin(a2) + l3 * s3))
        turned = dist((c3 * c, c3 * s, s3), up)
        if turned > SHORT_CHORD:
            turned = 2.0 * asin(0.5 * turned) if turned < 1.0 else pi
        if not (miss <= position_tolerance and turned <= up_tolerance):
            return None
        if lowest is not None:
            height = l1 * sin(a1)
            if min(height, height + l2 * sin(a2), ez) < lowest:
                # Another branch may be above the floor.
                return None
        if clamp_roll is None:
            q = yaw, shoulder, elbow, wrist
        else:
            q = yaw, shoulder, elbow, wrist, roll
        return q, reached, miss, turned, 0.0, '', (), step

    return solve


def _is_nearer(a, b, near):
    """Tell whether branch a, (largest step, readings...), ranks before branch b."""
    gain = b[0] - a[0]
    if -TIE <= gain <= TIE:
        ways_a, ways_b = [[abs(q - at) for q, at in zip(branch[1:], near)] for branch in (a, b)]
        gain = ways_b[0] - ways_a[0]
        if -TIE <= gain <= TIE:
            gain = sum([way * way for way in ways_b]) - sum([way * way for way in ways_a])
    return gain > TIE


def _numbers(limits):
    """Return what the path needs of one joint, and whether its range may hold two readings."""
    wide = limits.upper - limits.lower >= TURN - 4.0 * LIMIT_SLACK
    return limits.sign, limits.offset, limits.lower, limits.upper, wide, limits.fit
