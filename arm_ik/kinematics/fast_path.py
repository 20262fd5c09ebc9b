# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Ordinary targets, which are most of them, solved in one function, ten times as fast.

Ordinary is: an arm whose base only yaws (with or without a wrist roll), an up vector (with or
without a forward vector), a target well inside reach and off every degenerate case, a branch that
meets it inside the limits. The formulas and the choice between branches are those of
:mod:`.arm_plane`, :mod:`.branch` and :mod:`.ranking`. For a target that is not ordinary the
function returns ``None``, and these modules solve it. Tests check that both give the same answers.

It is fast because the plane and the elbow nearest to ``near`` are tried first. Another branch is
given up as soon as one joint moves farther than the largest step of the best branch so far.
"""

from math import asin, atan, atan2, cos, hypot, inf, pi, remainder, sin, sqrt

from .forward import end_of_link
from .limits import TURN
from .solution import Solution, Status
from .tolerances import BENT, LIMIT_SLACK, ORDINARY, TIE


def fast_path(geometry, triangle):
    """
    Return a function that solves the ordinary targets of an arm.

    :param geometry: of the arm.
    :param triangle: of the arm.
    :returns: ``solve(target, near, position_tolerance, up_tolerance, same_bend)``, near a tuple;
        ``same_bend``: only with the elbow bent to the same side as at near. It returns a
        :class:`~arm_ik.kinematics.solution.Solution` that is reached, or ``None``: ask the general
        solver, also for numbers that are not finite. Arguments of a wrong type or length raise.
        ``None`` instead of a function for arms that have no ordinary targets.
    """
    if not (geometry.upright and geometry.has_wrist):
        return None
    base_x, base_y, base_height = geometry.base_x, geometry.base_y, geometry.base_height
    offset, lateral, l3 = geometry.shoulder_offset, geometry.lateral, geometry.l3
    end, hand_offset = geometry.end, geometry.hand_offset
    l1, l2 = geometry.l1, geometry.l2
    outer_squared, inner_squared = triangle.outer_squared, triangle.inner_squared
    w_less_h, squares = triangle.w_less_h, triangle.squares
    ordinary, unbent, half_tie = ORDINARY ** 2, BENT * outer_squared ** 2, 0.5 * TIE
    (y_sign, y_offset, y_fit), (s_sign, s_offset, s_fit), (e_sign, e_offset, e_fit), \
        (w_sign, w_offset, w_fit) = [
            (limits.sign, limits.offset, limits.fit) for limits in geometry.limits[:4]]
    (s_low, s_high), (e_low, e_high), (w_low, w_high) = [
        (limits.lower, limits.upper) for limits in geometry.limits_in_plane]
    has_wrist_roll, roll_limits, beside = \
        geometry.has_wrist_roll, geometry.limits[-1], geometry.beside
    r_sign, r_offset, r_fit = roll_limits.sign, roll_limits.offset, roll_limits.fit
    lowest = None if geometry.floor is None else geometry.floor - base_height - TIE
    reached, make_solution = Status.REACHED, Solution._make

    def solve(target, near, position_tolerance, up_tolerance, same_bend=False):
        up, forward, roll, roll_travel = target.up, target.forward, None, 0.0
        if up is None or beside and forward is None:
            return None
        ux, uy, uz = up
        if forward is not None:
            fx, fy, fz = forward
        if has_wrist_roll:
            y_near, s_near, e_near, w_near, r_near = near
            if forward is None:
                roll = float(roll_limits.clamp(r_near))
                roll_travel = abs(roll - r_near)
                if not roll_travel < inf:
                    return None
        else:
            y_near, s_near, e_near, w_near = near
        ex, ey, ez = target.position
        ex -= base_x
        ey -= base_y
        ez -= base_height
        most_aside = up_tolerance
        if beside:
            tip_x, tip_y, tip_z, most_aside = ex, ey, ez, TIE
            ex, ey, ez = end_of_link(geometry, (ex, ey, ez), up, forward)
        rho_squared = ex * ex + ey * ey
        r = rho_squared - lateral * lateral
        if not ordinary < r < inf:
            return None
        r = sqrt(r)
        # In front or over the back (r < 0): first the one with the shorter turn of the yaw.
        turn = abs(remainder(atan2(ey, ex) - y_sign * y_near - y_offset, TURN))
        if turn > 0.5 * pi:
            r, turn = -r, pi - turn
        least_other_turn = pi - turn - abs(atan(lateral / r))
        elbow_near = e_sign * e_near + e_offset
        best, enough, is_decided, differ = None, inf, False, False
        if lateral:
            # One of the planes may miss the up vector by less: only its branches count, unless
            # the limits of the yaw keep the arm out of it.
            a, b = (uy * ex - ux * ey) * r, (uy * ey + ux * ex) * lateral
            tie = half_tie * rho_squared
            if a > tie or -a > tie:
                differ = b > tie or -b > tie
                if differ and a * b > 0.0:
                    r = -r
        for r in (r, -r):
            if is_decided or enough < least_other_turn:
                break
            # The plane.
            c, s = (ex * r + ey * lateral) / rho_squared, (ey * r - ex * lateral) / rho_squared
            yaw = y_fit(atan2(s, c), y_near)
            if yaw is None:
                continue
            is_decided = differ
            up_left = uy * c - ux * s
            if abs(up_left) > most_aside:
                continue
            along = ux * c + uy * s
            length = sqrt(along * along + uz * uz)
            if length < ORDINARY:
                return None
            c3, s3 = along / length, uz / length
            if has_wrist_roll and forward is not None:
                # Carried along by the rotation from the up vector into the plane.
                f_along = fx * c + fy * s
                f_left = length * (fy * c - fx * s) - up_left * (c3 * f_along + s3 * fz)
                f_down = s3 * f_along - c3 * fz
                if f_left * f_left + f_down * f_down < ordinary:
                    return None
                roll = r_fit(atan2(f_left, f_down), r_near)
                if roll is None:
                    continue
                roll_travel = abs(roll - r_near)
            base_travel = max(abs(yaw - y_near), roll_travel)
            # The triangle.
            x, y = r - offset - l3 * c3 + hand_offset * s3, ez - l3 * s3 - hand_offset * c3
            h = x * x + y * y
            root = (outer_squared - h) * (h - inner_squared)
            if root < unbent:
                if root > -unbent:
                    return None
                continue
            root, w, elevation = sqrt(root), h + w_less_h, atan2(uz, along)
            bend = atan2(root, h - squares)
            if sin(elbow_near) < 0.0:
                root, bend = -root, -bend
            for root, bend in ((root, bend),) if same_bend else ((root, bend), (-root, -bend)):
                if abs(remainder(bend - elbow_near, TURN)) > enough:
                    continue
                angle = atan2(y * w - x * root, x * w + y * root)
                shoulder, elbow = s_fit(angle, s_near), e_fit(bend, e_near)
                wrist = w_fit(elevation - angle - bend, w_near)
                if shoulder is None or elbow is None or wrist is None:
                    continue
                step = max(base_travel, abs(shoulder - s_near), abs(elbow - e_near),
                           abs(wrist - w_near))
                branch = step, yaw, shoulder, elbow, wrist, roll
                if best is None or _is_nearer(branch, best, near):
                    best, enough = branch, step + LIMIT_SLACK
        if best is None:
            return None
        step, yaw, shoulder, elbow, wrist, roll = best
        if step.__class__ is not float or step == inf:
            # The answer must not contain numbers of another type from near; nor is that infinite.
            return None
        if not (s_low < shoulder < s_high and e_low < elbow < e_high and w_low < wrist < w_high):
            # On a limit: the general solver computes the other angles anew from it.
            return None
        # Forward kinematics of the positions is the judge.
        angle = y_sign * yaw + y_offset
        a1 = s_sign * shoulder + s_offset
        a2 = a1 + e_sign * elbow + e_offset
        a3 = a2 + w_sign * wrist + w_offset
        c, s, c3, s3 = cos(angle), sin(angle), cos(a3), sin(a3)
        r = offset + l1 * cos(a1) + l2 * cos(a2) + l3 * c3 - hand_offset * s3
        elbow_height = l1 * sin(a1)
        wrist_height = elbow_height + l2 * sin(a2)
        foot_height = wrist_height + hand_offset * c3
        end_height, aside = foot_height + l3 * s3, lateral
        if beside:
            angle = r_sign * roll + r_offset
            (b_x, b_y), sr, cr = beside, sin(angle), cos(angle)
            above = b_y * sr - b_x * cr
            r -= above * s3
            end_height += above * c3
            aside += b_x * sr + b_y * cr
            ex, ey, ez = tip_x, tip_y, tip_z
        position_error = hypot(ex - r * c + aside * s, ey - r * s - aside * c, ez - end_height)
        up_error = 2.0 * asin(0.5 * hypot(ux - c3 * c, uy - c3 * s, uz - s3))
        # Added to 0.0, because an int may be finite and too large for a float.
        if position_error > TIE or not (position_error <= position_tolerance + 0.0 < inf
                                        and up_error <= up_tolerance + 0.0 < inf):
            return None
        if lowest is not None and min(elbow_height, wrist_height, ez, *(
                (foot_height + end * s3,) if beside else ())) < lowest:
            # Another branch may be above the floor.
            return None
        forward_error = 0.0
        if forward is not None:
            f_along, up_along = fx * c + fy * s, c3 * (ux * c + uy * s) + s3 * uz
            f_left = up_along * (fy * c - fx * s) - (uy * c - ux * s) * (c3 * f_along + s3 * fz)
            angle = atan2(f_left, s3 * f_along - c3 * fz)
            if has_wrist_roll:
                angle = remainder(angle - r_sign * roll - r_offset, TURN)
                if abs(angle) > TIE:
                    return None
            forward_error = abs(angle)
        q = yaw, shoulder, elbow, wrist
        if has_wrist_roll:
            q += (roll,)
        return make_solution((q, reached, position_error, up_error, forward_error, '', (), step))

    return solve


def _is_nearer(a, b, near):
    """Return whether branch a, (largest step, readings...), ranks before branch b."""
    gain = b[0] - a[0]
    if -TIE <= gain <= TIE:
        steps_a, steps_b = [[abs(q - at) for q, at in zip(branch[1:], near)] for branch in (a, b)]
        gain = steps_b[0] - steps_a[0]
        if -TIE <= gain <= TIE:
            gain = sum([step * step for step in steps_b]) - sum([step * step for step in steps_a])
    return gain > TIE
