# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Where an arm goes for its targets, by the settings, and why it does not."""

from math import degrees, hypot, isnan, radians

from ...collision import PathChecker
from ...description.collision_shapes import base_cylinders
from ...kinematics.forward import joint_centres, residuals
from ...kinematics.solution import Solution, Status
from ...motion.line import Speeds
from ...motion.moving_target import led_on
from ...tool_rotation import PLANE, with_up_of

#: Angles of lines are good to this [rad].
_ROUNDING = 1e-6

#: In a stream the wrist roll turns back past this error of the forward vector [rad]; and how far
#: the tip may be moved by a roll that does not [m].
_TURNS_BACK, _KEPT = radians(60.0), 1e-9


class Goals:
    """
    Solves targets and plans lines; changes nothing.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: the :class:`~.parameters.Settings`.
    :param extra: dict of the positions of the extra joints by name.
    :param keep_out: shapes to stay out of, in addition to the arm's own.
    """

    def __init__(self, arm, settings, extra={}, keep_out=()):
        self.arm, self.settings = arm, settings
        self.paths = PathChecker(arm, settings.check_path, extra, keep_out)
        self._base = base_cylinders(arm.model) if settings.avoid_base else []
        self._speeds = Speeds(settings.tip_speed, settings.tip_turn_speed, settings.command_rate)

    def solve(self, target, near):
        """Return the :class:`~arm_ik.Solution` for a target, from joint positions [rad] on."""
        settings = self.settings
        return self.arm.solve(
            target, near=near, elbow=settings.elbow, priority=settings.priority,
            position_tolerance=settings.position_tolerance, up_tolerance=settings.up_tolerance,
            elevation=None if isnan(settings.elevation) else settings.elevation,
            branch_tolerance=settings.branch_tolerance)

    def with_roll_kept(self, solution, target, roll):
        """
        Return a solution of a stream whose wrist roll stays at its limit, rather than turn back.

        Past :data:`_TURNS_BACK` of error it does turn back; with a tip off its axis, always.

        :param roll: its position in the solution before [rad].
        """
        joint, step = self.arm.model.joints[-1], solution.q[-1] - roll
        limit, side = (joint.upper, 'upper') if step < 0.0 else (joint.lower, 'lower')
        if joint.role != 'wrist_roll' or not abs(roll - limit) <= _TURNS_BACK <= abs(step):
            return solution
        q = (*solution.q[:-1], limit)
        position, up, forward = residuals(self.arm.solver.geometry, q, target)
        if forward > _TURNS_BACK or position > solution.position_error_m + _KEPT:
            return solution
        return solution._replace(
            q=q, status=max(solution.status, Status.FORWARD_RELAXED), position_error_m=position,
            up_error_rad=up, forward_error_rad=forward, limited_by=(joint.name,),
            reason=solution.reason or f'forward vector {degrees(forward):.1f} deg off: '
            f'{joint.name} at its {side} limit, until the targets pause')

    def checked_line(self, targets, start, near, ongoing):
        """
        Return the line through targets, its end as a solution, and the objection to it.

        :param start: joint positions [rad] that it begins at.
        :param near: those of the arm now.
        :param ongoing: returns whether it is still needed, as in :meth:`~arm_ik.Arm.line`.
        """
        settings = self.settings
        return self._checked(self.arm.line(
            self._asked(targets, start), start, *self._speeds, settings.up_tolerance,
            settings.blend_radius, ongoing=ongoing), targets, near)

    def checked_on(self, line, time, target, near):
        """
        Return the same of a line in progress that is led on to a target, or ``None``.

        :param time: of the line [s], until which it is kept, see :func:`.moving_target.led_on`.
        """
        further = led_on(self.arm.solver, line, time, *self._asked([target], line.q[-1].tolist()),
                         self._speeds, self.settings.up_tolerance)
        return further and self._checked(further, [target], near)

    def _checked(self, line, targets, near):
        solution = self._end_of(line, targets[-1], near)
        return line, solution, self._objection_to_line(line, targets, solution, near) or (
            self.paths.objection(line.q if len(line.q) > 1 else line.q.repeat(2, axis=0)))

    def _asked(self, targets, start):
        """Return targets with the up vectors to go there with, from positions [rad] on."""
        settings = self.settings
        if len(targets) == 1 and settings.follow_relaxed:
            # One that is dragged sideways keeps an up vector that is soon out of every plane.
            targets = [with_up_of(PLANE, self.arm, targets[0], start)]
        if not isnan(settings.elevation):
            targets = [target if target.up is not None else target.replace(
                up=self.arm.forward(self.solve(target, start).q).up) for target in targets]
        return targets

    def _end_of(self, line, target, near):
        """Return the end of lines as a solution for their last target."""
        q, status = tuple(line.q[-1].tolist()), Status.REACHED
        reason, limited_by = line.reason, line.limited_by
        position, up, forward = residuals(self.arm.solver.geometry, q, target)
        if line.fraction < 1.0:
            # What would be relaxed there, not what is left of the path.
            status = max(self.solve(target, near).status, Status.UP_RELAXED)
        elif up > self.settings.up_tolerance + _ROUNDING:
            status, reason = Status.UP_RELAXED, self.solve(target, q).reason
        return Solution(q, status, position, up, forward, reason, limited_by,
                        max(abs(a - b) for a, b in zip(q, near)))

    def objection(self, target, solution, near):
        """Return ``(reason, cause)`` why a solution is not to be followed; ``None``: it is."""
        if not solution.reached and not self.settings.follow_relaxed:
            return (f'{solution.reason}; allowed: targets that can be reached, because '
                    'follow_relaxed is false', 'not reachable')
        if hit := inside_base(self.arm.solver.geometry, self._base, solution.q):
            return hit, 'base'
        if max_step := self.settings.max_step:
            # Counted from inside the limits, so that an arm measured past one may come back.
            step, name = max([(abs(q - n), name) for q, n, name in zip(
                solution.q, self.arm.solver.geometry.clamped(near), self.arm.joint_names)])
            if step > max_step:
                return (f'{name} would have to step {step:.3g} rad; allowed: at most '
                        f'{max_step:g} rad (max_step)', 'max_step')
        return None

    def _objection_to_line(self, line, targets, solution, near):
        """Return ``(reason, cause)`` why lines that end so are not to be followed, or ``None``."""
        if line.fraction < 1.0:
            part = f'; {100.0 * line.fraction:.1f} % of the path can be travelled'
            return line.reason + part * (len(targets) > 1), 'line'
        stops = line.q[line.times.searchsorted(line.arrivals)].tolist()
        for number, q in enumerate(stops, start=1):
            if hit := inside_base(self.arm.solver.geometry, self._base, q):
                return f'target {number} of {len(stops)}: {hit}', 'base'
        return self.objection(targets[-1], solution, near)

    def below_floor(self, targets):
        """Return in words how far the first target below the floor is below it, or ``''``."""
        floor = self.arm.model.floor_height
        if floor is None or not self.settings.avoid_base:
            return ''
        for number, target in enumerate(targets, start=1):
            below = floor - target.position[2]
            if below > self.settings.position_tolerance:
                return (f'target {number} of {len(targets)}: ' * (len(targets) > 1)
                        + f'the target is {below:.3f} m below the floor; allowed: above it, or '
                        'avoid_base false')
        return ''


def inside_base(geometry, cylinders, q):
    """
    Return in words what would be inside the arm's base at joint positions [rad], or ``''``.

    Only tip, wrist and elbow are looked at, and only where they would come to rest.

    :param cylinders: from :func:`.base_cylinders`.
    """
    for name, (x, y, z) in zip(('elbow', 'wrist', 'tip'), joint_centres(geometry, q)):
        for cylinder in cylinders:
            radius, length = cylinder.size
            if abs(z - cylinder.position[2]) < 0.5 * length and (
                    out := hypot(x - geometry.base_x, y - geometry.base_y)) < radius:
                return (f'the {name} would be inside the base: {out:.3f} m from its axis; '
                        f'allowed: at least {radius:.3f} m, or avoid_base false')
    return ''
