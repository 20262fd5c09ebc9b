# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose to an ordinary target out of reach in one straight line of code.

What :mod:`..fast_path` is to targets that are met. Ordinary is: an arm whose base only yaws, no
floor, a target off the yaw axis which the base can turn towards and away from, and an up vector.
The formulas are those of :mod:`.section` and :mod:`.planar_reach`; whatever is not ordinary,
targets that can be met included, is answered ``None`` and left to them. Tests hold both ways
equal.

Only the planes towards the target and over the back count here. The position is met in no other,
and where it is not met, a tip in front of the yaw axis is nearest when it faces the target, one
behind the axis over the back.
"""

from math import atan2, cos, hypot, inf, pi, remainder, sin, sqrt

from ..arm_plane import Plane
from ..limits import TURN
from ..ranking import measure, TIE

#: Squared lengths [m^2] and lengths of the up vector in a plane below this are left to the general
#: way.
ORDINARY = 1e-10

#: Angles [rad] this far past a limit are inside to rounding.
STRICTLY = 1e-12


def closest_path(geometry, planar):
    """
    Return a function that finds the closest poses to the ordinary targets out of reach of an arm.

    :param geometry: of the arm.
    :param planar: :class:`~arm_ik.kinematics.closest.planar_reach.PlanarReach` of the arm.
    :returns: ``closest(target, near, ranking)``, which returns a measured
        :class:`~arm_ik.kinematics.ranking.Candidate` and the planes that would be exact but for
        reach and limits, or ``None``: go the general way. ``None`` instead of a function for arms
        that have no ordinary targets.
    """
    if not geometry.upright or geometry.floor is not None:
        return None
    base_x, base_y, base_height = geometry.base_x, geometry.base_y, geometry.base_height
    offset, lateral, l3 = geometry.shoulder_offset, geometry.lateral, geometry.l3
    y_limits, s_limits, e_limits, w_limits = geometry.limits[:4]
    clamp_roll = geometry.limits[4].clamp if geometry.has_wrist_roll else None
    reach_squared = planar.reach ** 2
    is_met, least_turned, nearest = _is_met(planar), _least_turned(planar), _nearest(planar)

    def closest(target, near, ranking):
        if ranking.up_first or ranking.elbow_is_wanted is not None:
            return None
        is_loose = ranking.is_loose
        ex, ey, ez = target.position
        ux, uy, uz = target.up
        ex -= base_x
        ey -= base_y
        y = ez - base_height
        r = ex * ex + ey * ey - lateral * lateral
        if r < ORDINARY:
            return None
        r = sqrt(r)
        nearer = r - abs(offset)
        if nearer * nearer + y * y > reach_squared:
            return None
        planes, sides, poses, most, met = [], [], [], inf, 0
        for yaw, x in (
                (atan2(ey * r - ex * lateral, ex * r + ey * lateral), r - offset),
                (atan2(-ey * r - ex * lateral, ey * lateral - ex * r), -r - offset)):
            cy, sy = cos(yaw), sin(yaw)
            along = ux * cy + uy * sy
            level = along * along + uz * uz
            if level < ORDINARY:
                return None
            level = sqrt(level)
            hand = l3 / level
            wrist_x, wrist_y, elevation = x - hand * along, y - hand * uz, atan2(uz, along)
            planes.append(Plane(yaw, 0.0, 0.0, wrist_x, wrist_y, elevation,
                                atan2(abs(uy * cy - ux * sy), level)))
            yaw_reading = y_limits.fit(yaw, near[0])
            if yaw_reading is None:
                continue
            sides.append((planes[-1], yaw_reading, x))
            if is_met(wrist_x, wrist_y, elevation):
                return None
            found, turn = least_turned(x, y, elevation, most)
            if found:
                met += 1
                if not lateral and not is_loose:
                    # Both planes are one: the other has to do with no more.
                    if turn < most - TIE:
                        poses = []
                    most = turn
                poses += [(planes[-1], yaw_reading, pose) for pose in found]
        if is_loose:
            # A pose of another plane may be near enough, or where the arm is.
            if poses and (lateral or met < len(sides)):
                return None
            for q in (geometry.home, geometry.clamped(near)):
                if measure(geometry, q, target, near).position <= ranking.position_tolerance:
                    return None
        if not poses:
            if lateral or len(sides) < 2:
                return None
            poses = nearest(sides, y)
            for _, _, (s, e, w) in poses:
                if abs(offset + planar.tip(s, e, w)[0]) < TIE:
                    # The tip on the yaw axis is as near at every yaw.
                    return None
        best = best_of(poses, target, near, ranking)
        if best is None or (best.position > TIE or best.up <= ranking.up_tolerance if met
                            else best.position <= max(TIE, ranking.position_tolerance)):
            # Reached, or not what it should be: near a singular pose digits are lost.
            return None
        return best, planes

    def best_of(poses, target, near, ranking):
        found = []
        for plane, yaw_reading, pose in poses:
            if not planar.fits(pose, STRICTLY):
                return None
            s, e, w = pose
            q = (yaw_reading, s_limits.fit(s, near[1]), e_limits.fit(e, near[2]),
                 w_limits.fit(w, near[3]))
            if clamp_roll is not None:
                q += (clamp_roll(near[4]),)
            found.append((plane, q))
        if lateral or ranking.is_loose:
            return ranking.best([measure(geometry, q, target, near) for _, q in found])
        # All are as good: the steps choose.
        return measure(geometry, ranking.best_exact(found, near), target, near)

    return closest


def _is_met(planar):
    """Return a function that tells whether an elevation brings the wrist to a point."""
    (s_low, s_span), (e_low, e_span), (w_low, w_span) = planar.slack_ranges
    triangle = planar.arm
    close, far, outer, inner = (
        triangle.close, triangle.far, triangle.outer_squared, triangle.inner_squared)
    w_less_h, squares = triangle.w_less_h, triangle.squares

    def is_met(x, y, elevation):
        h = x * x + y * y
        if close <= h <= far:
            s = (outer - h) * (h - inner)
            s = sqrt(s) if s > 0.0 else 0.0
            w, elbow = h + w_less_h, atan2(s, h - squares)
            for elbow, s in ((elbow, s), (-elbow, -s)):
                if (elbow - e_low) % TURN <= e_span:
                    shoulder = atan2(y * w - x * s, x * w + y * s)
                    if (shoulder - s_low) % TURN <= s_span \
                            and (elevation - shoulder - elbow - w_low) % TURN <= w_span:
                        return True
        return False
    return is_met


def _least_turned(planar):
    """
    Return a function that finds the pose that reaches a target least turned from an elevation.

    One joint is at a limit, or the elbow straight or folded; of the two others one depends on the
    triangle's bend only, the other on its direction too.
    """
    centres = _triangles(planar)

    def least_turned(x, y, elevation, most):
        """Return the poses turned by no more than ``most``, all as little, and their turn."""
        found = []
        for centre_x, centre_y, triangles in centres:
            dx, dy = x - centre_x, y - centre_y
            h = dx * dx + dy * dy
            for close, far, numbers in triangles:
                if not close <= h <= far:
                    continue
                (outer, inner, w_less_h, squares, lean, bent_low, bent_span, low, span,
                 pose_at) = numbers
                s = (outer - h) * (h - inner)
                s = sqrt(s) if s > 0.0 else 0.0
                w, bent = h + w_less_h, atan2(s, h - squares)
                for bent, s in ((bent, s), (-bent, -s)):
                    if (bent - bent_low) % TURN <= bent_span:
                        direction = atan2(dy * w - dx * s, dx * w + dy * s)
                        if (direction - low) % TURN <= span:
                            turn = abs(remainder(direction + bent + lean - elevation, TURN))
                            if turn < most + TIE:
                                if turn < most - TIE:
                                    found = []
                                found.append((pose_at, direction, bent))
                                most = min(most, turn)
        return [pose_at(direction, bent) for pose_at, direction, bent in found], most
    return least_turned


def _triangles(planar):
    """
    Return ``(x, y, triangles)`` for each point where triangles begin, x and y [m].

    A triangle is its least and largest length squared [m^2] and what :func:`_least_turned` needs
    where the target is in between: its numbers, what its two angles lack to the elevation of the
    last link, lowest value and span of the angle between its sides and of the direction of the
    first [rad], and the pose (shoulder, elbow, wrist) as a function of direction and angle.
    """
    (s_low, s_span), (e_low, e_span), (w_low, w_span) = planar.slack_ranges
    at_shoulder, at_elbows = [], []
    for w, turned, _, triangle in planar.at_wrist:
        at_shoulder.append(_triangle(
            triangle, w - turned, e_low + turned, e_span, s_low, s_span,
            lambda direction, bent, w=w, turned=turned: (direction, bent - turned, w)))
    for i, (e, turned, _, triangle) in enumerate(planar.at_elbow):
        if any(abs(remainder(e - other, TURN)) < TIE for other, *_ in planar.at_elbow[:i]):
            # Straight at a limit.
            continue
        at_shoulder.append(_triangle(
            triangle, 0.0, w_low - turned + e, w_span, s_low + turned, s_span,
            lambda direction, bent, e=e, turned=turned: (
                direction - turned, e, bent + turned - e)))
    for s, elbow_x, elbow_y in planar.at_shoulder:
        at_elbows.append((elbow_x, elbow_y, [_triangle(
            planar.beyond_elbow, 0.0, w_low, w_span, e_low + s, e_span,
            lambda direction, bent, s=s: (s, direction - s, bent))]))
    return [(0.0, 0.0, at_shoulder), *at_elbows]


def _triangle(triangle, lean, bent_low, bent_span, *rest):
    # The angle between the sides lets the triangle be so long and so short only.
    bents = [bent for end in (0.0, pi, bent_low, bent_low + bent_span)
             for bent in (abs(remainder(end, TURN)), -abs(remainder(end, TURN)))
             if (bent - bent_low + TIE) % TURN <= bent_span + 2.0 * TIE]
    sides = 0.5 * (triangle.outer_squared - triangle.inner_squared)
    lengths = [triangle.squares + sides * cos(bent) for bent in bents]
    slack = TIE * triangle.outer_squared
    return (max(triangle.close, min(lengths, default=inf) - slack),
            min(triangle.far, max(lengths, default=0.0) + slack),
            (triangle.outer_squared, triangle.inner_squared, triangle.w_less_h, triangle.squares,
             lean, bent_low, bent_span, *rest))


def _nearest(planar):
    """Return a function that finds the pose whose tip is nearest to the target, of all planes."""
    circles = []
    for arc in planar.arcs:
        if not circles or circles[-1][:2] != (arc.x, arc.y):
            circles.append((arc.x, arc.y, []))
        low, span = planar.slack_ranges[arc.joint]
        circles[-1][2].append((arc.radius, low - arc.turned, span, arc))
    corners = planar.corners

    def nearest(sides, y):
        """Return ``(plane, its yaw reading, pose)`` of the nearest, all as near."""
        found, most = [], inf
        for plane, yaw_reading, x in sides:
            for centre_x, centre_y, arcs in circles:
                dx, dy = x - centre_x, y - centre_y
                away, direction = hypot(dx, dy), None
                for radius, low, span, arc in arcs:
                    distance = abs(away - radius)
                    if distance < most + TIE:
                        if direction is None:
                            direction = atan2(dy, dx)
                        if (direction - low) % TURN <= span:
                            if distance < most - TIE:
                                found = []
                            found.append((plane, yaw_reading, arc.pose(direction)))
                            most = min(most, distance)
            for corner_x, corner_y, pose in corners:
                distance = hypot(x - corner_x, y - corner_y)
                if distance < most + TIE:
                    if distance < most - TIE:
                        found = []
                    found.append((plane, yaw_reading, pose))
                    most = min(most, distance)
        return found
    return nearest
