# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The ordinary target in one straight line of code: what most solves are, five times as fast.

Ordinary is: an arm whose base only yaws (with or without a wrist roll), an up vector and no
forward vector, a target well inside reach and off every degenerate case, a branch that meets it
inside the limits. The formulas and the choice between branches are those of :mod:`.arm_plane`,
:mod:`.branch` and :mod:`.ranking`; whatever is not ordinary is answered ``None`` and left to
them, so every rule has one home. Tests hold both ways equal.

What makes it fast: the arm's numbers are cells of a closure; a joint whose range is less than a
turn has one reading inside at most, so ``near`` need not be asked; sine and cosine of the yaw come
by algebra; a plane or an elbow that already travels farther than the best branch is not looked
into.
"""

from math import atan2, cos, inf, pi, sin, sqrt

from .limits import LIMIT_SLACK, TURN
from .ranking import TIE
from .solution import Solution, Status

#: Squared lengths [m^2] and sines below this are left to the general way: nearer than 1e-5 m or
#: rad to a degenerate case.
ORDINARY = 1e-10

#: Squared sines of the triangle's angles below this are left to the general way, which knows the
#: rounding rules of straight and folded arms.
BENT = 1e-9


def fast_path(geometry, triangle):
    """
    Return a function that solves the ordinary targets of an arm.

    :param geometry: of the arm.
    :param triangle: of the arm.
    :returns: ``solve(target, near, position_tolerance, up_tolerance)``, which returns a
        :class:`~arm_ik.kinematics.solution.Solution` that is reached, or ``None``: go the general
        way. ``None`` instead of a function for arms that have no ordinary targets.
    """
    if geometry.has_roll or geometry.has_tilt or geometry.floor is not None:
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
    make, solution, reached = tuple.__new__, Solution, Status.REACHED

    def solve(target, near, position_tolerance, up_tolerance):
        if target.up is None or target.forward is not None:
            return None
        tx, ty, tz = target.position
        ux, uy, uz = target.up
        ex, ey, ez = tx - base_x, ty - base_y, tz - base_height
        y_near, s_near, e_near, w_near = near if clamp_roll is None else near[:4]
        rho_squared = ex * ex + ey * ey
        r_squared = rho_squared - lateral * lateral
        if not ORDINARY < r_squared < 1e12:
            return None
        r = sqrt(r_squared)
        # Yaw in front and over the back, as rho^2 (cos, sin); then as readings.
        c, s = ex * r + ey * lateral, ey * r - ex * lateral
        c_back, s_back = ey * lateral - ex * r, -ey * r - ex * lateral
        front = y_sign * (atan2(s, c) - y_offset)
        back = y_sign * (atan2(s_back, c_back) - y_offset)
        if not y_low <= front <= y_high:
            front = y_low + (front - y_low) % TURN
            if front > y_high and (front <= y_high + LIMIT_SLACK
                                   or front >= y_low + TURN - LIMIT_SLACK):
                return None
        if not y_low <= back <= y_high:
            back = y_low + (back - y_low) % TURN
            if back > y_high and (back <= y_high + LIMIT_SLACK
                                  or back >= y_low + TURN - LIMIT_SLACK):
                return None
        if y_wide:
            if not -pi <= y_near - front <= pi:
                front = y_fit(y_sign * front + y_offset, y_near)
            if not -pi <= y_near - back <= pi:
                back = y_fit(y_sign * back + y_offset, y_near)
        front_travel = front - y_near if front > y_near else y_near - front
        back_travel = back - y_near if back > y_near else y_near - back
        # The plane with less yaw travel first: it mostly rules the other out.
        if back_travel < front_travel - TIE:
            planes = ((back, back_travel, c_back, s_back, -r), (front, front_travel, c, s, r))
        else:
            planes = ((front, front_travel, c, s, r), (back, back_travel, c_back, s_back, -r))
        best_step, best_travel, best_total, best = 1e300, 0.0, 1e300, None
        for yaw, travel, c, s, r in planes:
            if yaw > y_high or travel > best_step + TIE:
                continue
            if lateral and abs(uy * c - ux * s) > up_tolerance * rho_squared:
                # Out of this plane by more than the tolerance; beside the axis the other may do.
                continue
            along = (ux * c + uy * s) / rho_squared
            k = along * along + uz * uz
            if not k > ORDINARY:
                return None
            k = l3 / sqrt(k)
            x, y = r - offset - k * along, ez - k * uz
            h = x * x + y * y
            s = (outer_squared - h) * (h - inner_squared)
            if s <= unbent:
                if s >= -unbent:
                    return None
                continue
            s = sqrt(s)
            w = h + w_less_h
            bend = atan2(s, h - squares)
            elevation = atan2(uz, along)
            if e_sign * e_near + e_offset < 0.0:
                # The side the elbow is on first: it mostly rules the other out.
                bend, s = -bend, -s
            for e, s in ((bend, s), (-bend, -s)):
                elbow = e_sign * (e - e_offset)
                if not e_low <= elbow <= e_high:
                    elbow = e_low + (elbow - e_low) % TURN
                    if elbow > e_high:
                        if elbow <= e_high + LIMIT_SLACK or elbow >= e_low + TURN - LIMIT_SLACK:
                            return None
                        continue
                if e_wide and not -pi <= e_near - elbow <= pi:
                    elbow = e_fit(e, e_near)
                way = elbow - e_near if elbow > e_near else e_near - elbow
                if way > best_step + TIE:
                    continue
                step = travel if travel > way else way
                total = way * way
                angle = atan2(y * w - x * s, x * w + y * s)
                shoulder = s_sign * (angle - s_offset)
                if not s_low <= shoulder <= s_high:
                    shoulder = s_low + (shoulder - s_low) % TURN
                    if shoulder > s_high:
                        if (shoulder <= s_high + LIMIT_SLACK
                                or shoulder >= s_low + TURN - LIMIT_SLACK):
                            return None
                        continue
                if s_wide and not -pi <= s_near - shoulder <= pi:
                    shoulder = s_fit(angle, s_near)
                way = shoulder - s_near if shoulder > s_near else s_near - shoulder
                if way > step:
                    step = way
                total += way * way
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
                way = wrist - w_near if wrist > w_near else w_near - wrist
                if way > step:
                    step = way
                total += way * way
                gain = best_step - step
                if -TIE <= gain <= TIE:
                    gain = best_travel - travel
                    if -TIE <= gain <= TIE:
                        gain = best_total - total
                if gain > TIE:
                    best_step, best_travel, best_total = step, travel, total
                    best = yaw, shoulder, elbow, wrist
        if not best_total < 1e300:
            # No branch, or readings to stay near to that are no numbers.
            return None
        # Forward kinematics of the readings is the judge.
        yaw, shoulder, elbow, wrist = best
        yaw = y_sign * yaw + y_offset
        a1 = s_sign * shoulder + s_offset
        a2 = a1 + e_sign * elbow + e_offset
        a3 = a2 + w_sign * wrist + w_offset
        c, s, c3, vz = cos(yaw), sin(yaw), cos(a3), sin(a3)
        vx, vy = c3 * c, c3 * s
        r = offset + l1 * cos(a1) + l2 * cos(a2)
        dx = r * c - lateral * s + l3 * vx - ex
        dy = r * s + lateral * c + l3 * vy - ey
        dz = l1 * sin(a1) + l2 * sin(a2) + l3 * vz - ez
        position = sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = vy * uz - vz * uy, vz * ux - vx * uz, vx * uy - vy * ux
        up = atan2(sqrt(dx * dx + dy * dy + dz * dz), vx * ux + vy * uy + vz * uz)
        if not (position <= position_tolerance < inf and up <= up_tolerance < inf):
            return None
        if clamp_roll is not None:
            roll = clamp_roll(near[4])
            best = (*best, roll)
            best_step = max(best_step, abs(roll - near[4]))
        return make(solution, (best, reached, position, up, 0.0, '', (), best_step))

    return solve


def _numbers(limits):
    """Return what the path needs of one joint, and whether its range may hold two readings."""
    wide = limits.upper - limits.lower >= TURN - 4.0 * LIMIT_SLACK
    return limits.sign, limits.offset, limits.lower, limits.upper, wide, limits.fit
