# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The class :class:`Arm`: everything the package can do without ROS.

Joint vectors are in the order of ``joint_names``, base to tip, in radians; tip positions are in
metres in ``base_link``. See ``docs/conventions.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from math import cos, hypot, isfinite, sin
import os
from pathlib import Path
from typing import TYPE_CHECKING
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import description
from .errors import ArmFileWarning, did_you_mean, InvalidArmError, InvalidInputError
from .kinematics import arm_plane, options
from .kinematics.batch.input import checked_array
from .kinematics.limits import TURN
from .kinematics.model import ArmModel, check_keep_out, KeepOut, LARGEST_LENGTH
from .kinematics.options import Elbow, Priority
from .kinematics.pose import ArmPoints, forward, jacobian, points, Pose
from .kinematics.rolled_tip.solver import solver_of
from .kinematics.solution import JointPositions, Solution
from .kinematics.solver import brought_near, Solver
from .kinematics.target import floats, Target
from .kinematics.tolerances import BRANCH_TOLERANCE, DEGENERATE, POSITION_TOLERANCE, UP_TOLERANCE

if TYPE_CHECKING:
    from .collision import PathCheck, Scene
    from .kinematics.batch.solve import BatchSolution
    from .motion.approach import Approach
    from .motion.line import Line


class Arm:
    """
    A robot arm: base yaw, shoulder, elbow and wrist, and the further joints of its model.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`; see :meth:`preset`,
        :meth:`from_yaml`.
    :raises InvalidInputError: if it is not an ``ArmModel``.
    """

    def __init__(self, model: ArmModel) -> None:
        if not isinstance(model, ArmModel):
            raise InvalidInputError('model', model, f'{_preset_meant(model)}an arm_ik.ArmModel; '
                                    'Arm.preset(name) and Arm.from_yaml(path) make arms too')
        self.model = model
        self._solver = solver_of(model)
        self._home = self._solver.geometry.home
        self._count = len(self._home)

    @classmethod
    def preset(cls, name: str, tip: str | None = None) -> Arm:
        """
        Return an arm that comes with the package, by name.

        :param name: e.g. ``'so101'``; :func:`arm_ik.description.preset_names` lists them.
        :param tip: name of the tip that ``tool0`` is at, ``''``: the end of the last link;
            ``None``: as in the file.
        :raises UnknownPresetError: naming the nearest right name.
        :raises InvalidArmError: for a tip that the arm does not have, naming those it has.
        """
        return cls.from_yaml(description.preset_path(name), tip)

    @classmethod
    def from_yaml(cls, path: Path | str, tip: str | None = None) -> Arm:
        """
        Return the arm of a ROS 2 parameter file.

        :param path: of the YAML file.
        :param tip: as for :meth:`preset`.
        :raises InvalidArmError: naming file, key, what was found and what is allowed.
        """
        if not os.path.exists(path) and (meant := _preset_meant(path)):
            raise InvalidArmError('the file', 'No such file or directory',
                                  f'{meant}a YAML file that can be read', str(path))
        model = description.load_model(path)
        return cls(model if tip is None else replace(model, tip=tip))

    @classmethod
    def from_urdf(cls, path: Path | str, tip: str | None = None, base: str | None = None,
                  forward: str | None = None, hold: Mapping[str, float] | None = None,
                  up: str = 'z', tolerance: float = 1e-4,
                  xacro_args: Mapping[str, object] | None = None) -> Arm:
        """
        Return the arm that a URDF describes; ``arm_ik from-urdf`` prints what it took for what.

        ``base_link`` is the URDF's base frame, unless it is turned by ``up`` or ``forward``; the
        model's ``urdf_frame`` and ``urdf_rpy`` say how. Speeds are at most 3.0 rad/s, and 1.0
        where the file has none; home is 0 or the nearest limit. ``tool0``'s z is along the last
        link, its x is the tip frame's x projected across it. One :class:`ArmFileWarning` says
        what is not as in the file: units, speeds, limits, a tolerance that was needed, a roll
        axis that misses the wrist axis.

        A rolling base and a tilting wrist are not read.

        :param path: of the URDF; of a xacro file, if xacro is installed.
        :param tip: frame at the tip; ``None``: the only leaf that fits, or of several ``tool0``.
        :param base: frame before the yaw axis; ``None``: the root.
        :param forward: the axis of ``base`` that is x in ``base_link``: ``'x'``, ``'y'``,
            ``'-x'``, ...; ``'home'``: where the arm reaches at home; ``None``: not turned.
        :param hold: joints that stay at a position [rad, m], by name.
        :param up: the axis of ``base`` that is along the yaw axis, z in ``base_link``.
        :param tolerance: how far the tip may be from that of the URDF [m].
        :param xacro_args: values of a xacro file's arguments, by name.
        :raises InvalidArmError: if the file is malformed, or of no arm that fits, with the joint,
            the reason and the nearest remedy.
        :raises InvalidInputError: for a frame, direction, joint or argument that the file has not.
        """
        from .description.urdf_reader import from_urdf      # XML takes half a megabyte
        found = from_urdf(path, tip, base, forward, hold, up, tolerance, xacro_args)
        if words := [*description.unlikely_units(vars(found.model)), *found.differences]:
            warnings.warn(f'{path}: {"; ".join(words)}', ArmFileWarning, stacklevel=2)
        return cls(found.model)

    @property
    def solver(self) -> Solver:
        """Hold the :class:`~.kinematics.solver.Solver`, for callers with checked numbers."""
        return self._solver

    @property
    def name(self) -> str:
        """Name of the arm."""
        return self.model.name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, base to tip: the order of every joint vector."""
        return self.model.joint_names

    @property
    def home(self) -> tuple[float, ...]:
        """Joint positions [rad] of the home pose."""
        return self._home

    @property
    def lower(self) -> tuple[float, ...]:
        """Lower limits of the joint positions [rad]."""
        return tuple(limits.lower for limits in self._solver.geometry.limits)

    @property
    def upper(self) -> tuple[float, ...]:
        """Upper limits of the joint positions [rad]."""
        return tuple(limits.upper for limits in self._solver.geometry.limits)

    def forward(self, q: ArrayLike) -> Pose:
        """
        Return the tool pose at joint positions.

        :param q: joint positions [rad], shape ``(..., joints)``.
        :returns: :class:`~arm_ik.kinematics.pose.Pose` with ``position`` (..., 3), ``up`` (..., 3)
            and ``rotation`` (..., 3, 3) of ``tool0`` in ``base_link``.
        :raises InvalidInputError: for a wrong number of joints or non-finite positions.
        """
        return forward(self._solver.geometry, q)

    def points(self, q: ArrayLike) -> ArmPoints:
        """
        Return points of the arm at joint positions, for plots and checks.

        :param q: joint positions [rad], shape (..., joints).
        :returns: :class:`~arm_ik.kinematics.pose.ArmPoints`: ``shoulder``, ``elbow``, ``wrist``,
            ``corner`` and ``tip`` in ``base_link`` [m], each (..., 3).
        :raises InvalidInputError: for anything that is not joint positions.
        """
        return points(self._solver.geometry, self._poses('q', q))

    def jacobian(self, q: ArrayLike) -> NDArray[np.float64]:
        """
        Return how ``tool0`` moves with each joint.

        :param q: joint positions [rad], shape (..., joints).
        :returns: shape (..., 6, joints): for 1 rad/s of each joint the velocity of ``tool0``'s
            origin [m/s], then its angular velocity [rad/s], in the axes of ``base_link``.
        :raises InvalidInputError: for anything that is not joint positions.
        """
        return jacobian(self._solver.geometry, self._poses('q', q))

    def solve(self, target: Target, near: JointPositions | None = None,
              elbow: Elbow = 'nearest', priority: Priority = 'position',
              position_tolerance: float = POSITION_TOLERANCE, up_tolerance: float = UP_TOLERANCE,
              elevation: float | None = None,
              branch_tolerance: tuple[float, float] | None = None) -> Solution:
        """
        Return joint positions that bring the tool to a target, or as close to it as possible.

        :param target: :class:`~arm_ik.kinematics.target.Target`.
        :param near: joint positions [rad] to stay near to; ``None``: the home pose. They may be
            outside the limits, by any number of turns.
        :param elbow: ``'nearest'`` (to ``near``), ``'up'`` or ``'down'`` (against gravity). It
            chooses between branches that are equally exact; if none of them has the elbow up or
            down as wanted, the reason says so.
        :param priority: ``'position'`` or ``'up'``: what to keep when both can't be met.
        :param position_tolerance: largest tip error [m] that counts as reached.
        :param up_tolerance: largest angle [rad] that counts as reached.
        :param elevation: preferred elevation of the last link [rad] for targets without an up
            vector: 0 points away from the yaw axis, pi/2 straight up. The nearest reachable
            elevation is taken. ``None``: the present elevation of the last link.
        :param branch_tolerance: ``None``: the best pose of all branches. A pair ([m], [rad]) keeps
            the branch that ``near`` is in, as long as its best pose is worse by no more than that;
            the reason then says by how much.
        :returns: :class:`~arm_ik.kinematics.solution.Solution`. Its joint positions are always
            finite and inside the limits. An unreachable target gives a status, never an exception.
        :raises InvalidInputError: for anything that is not a target, joint positions or a known
            option.
        """
        if near is None:
            near = self._home
        elif near.__class__ is not tuple:
            near = self._near(near)
        if target.__class__ is Target and elevation is None:
            try:
                if elbow == 'nearest' and priority == 'position' and (
                        branch_tolerance is None or options.are_lengths(branch_tolerance)):
                    solution = self._solver.solve_fast(
                        target, near, position_tolerance, up_tolerance, branch_tolerance)
                    if solution is not None:
                        return solution
            except (TypeError, ValueError, OverflowError):
                # The checks below raise an error that names the wrong argument.
                pass
        options.check(elbow, priority, position_tolerance, up_tolerance, elevation,
                      branch_tolerance)
        return self._solver.solve_generally(
            _checked(target), self._near(near), elbow, priority, position_tolerance, up_tolerance,
            options.plain(elevation), branch_tolerance)

    def solutions(self, target: Target, near: JointPositions | None = None,
                  position_tolerance: float = POSITION_TOLERANCE,
                  up_tolerance: float = UP_TOLERANCE) -> list[Solution]:
        """
        Return every branch that meets the tip target by geometry, each with its status.

        For a branch outside the limits or out of reach, the nearest joint positions inside the
        limits are returned, with measured errors and the reason. Of a continuous family of exact
        poses only the one nearest to ``near`` is returned.

        :param target: :class:`~arm_ik.kinematics.target.Target`.
        :param near: joint positions [rad] to stay near to; ``None``: the home pose.
        :returns: list of :class:`~arm_ik.kinematics.solution.Solution`, best first.
        """
        options.check('nearest', 'position', position_tolerance, up_tolerance)
        found = self._solver.solutions(
            _checked(target), self._near(near), position_tolerance, up_tolerance)
        return sorted(found, key=lambda s: (s.status, s.step_rad))

    def solve_batch(self, positions: ArrayLike, ups: ArrayLike | None = None,
                    forwards: ArrayLike | None = None, near: ArrayLike | None = None,
                    elbow: Elbow = 'nearest', priority: Priority = 'position',
                    position_tolerance: float = POSITION_TOLERANCE,
                    up_tolerance: float = UP_TOLERANCE, elevation: float | None = None,
                    branch_tolerance: tuple[float, float] | None = None,
                    chunk_size: int = options.CHUNK_SIZE, threads: int | None = None,
                    progress: Callable[[int, int], object] | None = None) -> BatchSolution:
        """
        Return joint positions for many targets, the same as :meth:`solve` returns one by one.

        Targets with an up vector that an arm whose base only yaws meets inside the limits and
        above the floor are solved as arrays, ten to thirty times as fast as one by one; so are
        those whose up vector is missed by no more than the arm plane must.

        All others are solved one by one, and take as long as by :meth:`solve`: those that need a
        closest pose, degenerate ones such as those on the yaw axis, 50 and fewer, all without up
        vectors, with an ``elbow`` asked for or with a ``branch_tolerance``.

        The answers have no reason in words: ask :meth:`solve` about a single target.

        :param positions: tip targets in ``base_link`` [m], shape (..., 3).
        :param ups: up vectors of any length but zero, shape (..., 3); ``None``: any direction.
        :param forwards: forward vectors, shape (..., 3), not along up; ``None``: any.
        :param near: joint positions [rad] to stay near to, shape (joints,) or (..., joints);
            ``None``: the home pose. Leading axes of all four are broadcast against each other.
        :param elbow: as for :meth:`solve`.
        :param priority: as for :meth:`solve`.
        :param position_tolerance: largest tip error [m] that counts as reached.
        :param up_tolerance: largest angle [rad] that counts as reached.
        :param elevation: as for :meth:`solve`, the same for all.
        :param branch_tolerance: as for :meth:`solve`; these targets are solved one by one.
        :param chunk_size: targets solved together. Together with the number of threads it limits
            the working memory.
        :param threads: how many chunks are solved at the same time; ``None``: one below 50 000
            targets, else one for each processor up to four. The answer does not depend on it.
        :param progress: function of ``(targets done, all targets)``, called in this thread after
            each chunk. An exception that it raises ends the batch and is passed on.
        :returns: :class:`~arm_ik.kinematics.batch.solve.BatchSolution`, arrays over the leading
            axes.
        :raises InvalidInputError: naming the first invalid entry.
        """
        # Imported here, because solving one by one never needs it.
        from .kinematics.batch.solve import Options, solve_batch
        options.check(elbow, priority, position_tolerance, up_tolerance, elevation,
                      branch_tolerance)
        asked = Options(elbow, priority, position_tolerance, up_tolerance,
                        options.plain(elevation), branch_tolerance)
        return solve_batch(self._solver, (positions, ups, forwards, near), asked,
                           chunk_size, threads, progress)

    def up_range(self, position: Iterable[float]) -> tuple[tuple[float, float], ...]:
        """
        Return the elevations of the last link with which the tip can be exactly at a position.

        Elevation a is the up vector ``(cos a g, sin a)``, with g level and facing the target from
        the yaw axis: 0 is away from the axis, pi/2 straight up. Limits and floor are kept;
        poses that reach over the back count as well. See ``docs/conventions.md`` for targets on
        the axis and for arm planes beside it.

        :param position: of the tip in ``base_link`` [m], shape (3,).
        :returns: sorted tuple of closed intervals ``(low, high)`` [rad] with ``-pi < low <= pi``.
            An interval that contains pi inside has ``high > pi``. The full circle is
            ``(-pi, pi)``. A single elevation has ``low == high``. The tuple is empty if the
            position is out of reach.
        :raises InvalidInputError: for anything that is not three finite numbers.
        """
        from .kinematics.position_only.up_range import up_range
        return up_range(self._solver, brought_near(Target(position)).position)

    def target(self, position: Iterable[float], elevation: float,
               forward: Iterable[float] | None = None,
               near: JointPositions | None = None) -> Target:
        """
        Return the target at a position whose up vector has an elevation and is in the arm plane.

        With a ``lateral`` offset or a tip beside the roll axis the plane does not contain the yaw
        axis. It is the one that the arm reaches the position in, facing it or over the back.

        :param position: of the tip in ``base_link`` [m], shape (3,).
        :param elevation: as for :meth:`solve` [rad], from -2 pi to 2 pi.
        :param forward: forward vector, see :class:`~arm_ik.kinematics.target.Target`.
        :param near: joint positions [rad] that it is reached from, as for :meth:`solve`.
        :raises InvalidInputError: for anything else.
        """
        elevation = options.between('elevation', elevation, -TURN, TURN)
        near = self._near(near)
        asked, geometry = Target(position, None, forward), self._solver.geometry
        x, y, _ = arm_plane.from_s0(geometry, asked.position)
        if not geometry.upright and (r := hypot(x, y)) > DEGENERATE:
            c, s = x / r, y / r    # has an arm plane for every up vector
        else:
            solution = self.solve(asked, near, elevation=elevation)
            yaw = geometry.limits[0].canonical(solution.q[0])
            if solution.position_error_m > POSITION_TOLERANCE:
                yaw = (arm_plane.yaws_towards(geometry.lateral, x, y) or [yaw])[0]
            c, s = cos(yaw), sin(yaw)
            if x * c + y * s < -DEGENERATE:
                c, s = -c, -s    # over the back
        return asked.replace(up=(cos(elevation) * c, cos(elevation) * s, sin(elevation)))

    def track(self, targets: Iterable[Target], start: JointPositions | None = None,
              elbow: Elbow = 'nearest', priority: Priority = 'position',
              position_tolerance: float = POSITION_TOLERANCE, up_tolerance: float = UP_TOLERANCE,
              elevation: float | None = None,
              branch_tolerance: tuple[float, float] = BRANCH_TOLERANCE) -> list[Solution]:
        """
        Return joint positions for a path of targets, with as few changes of branch as possible.

        For each target, poses within ``branch_tolerance`` of the best one are allowed. Of all
        sequences of allowed poses the one with the fewest jumps between branches is taken, then
        the one with the smallest jumps, then the best poses, then the smallest steps.
        :mod:`arm_ik.kinematics.branch_hysteresis.track` defines this exactly. The time is
        proportional to the length of the path.

        :param targets: sequence of :class:`~arm_ik.kinematics.target.Target`.
        :param start: joint positions [rad] of the arm before the first target; ``None``: the home
            pose. They may be outside the limits, by any number of turns.
        :param elbow: as for :meth:`solve`.
        :param priority: as for :meth:`solve`.
        :param position_tolerance: largest tip error [m] that counts as reached.
        :param up_tolerance: largest angle [rad] that counts as reached.
        :param elevation: as for :meth:`solve`.
        :param branch_tolerance: by how much a pose may be worse than the best ([m], [rad]).
        :returns: list of :class:`~arm_ik.kinematics.solution.Solution`, one per target;
            ``step_rad`` is counted from the previous answer, for the first one from ``start``.
        :raises InvalidInputError: naming the first item that is not a target, or the wrong option.
        """
        from .kinematics.branch_hysteresis.track import track
        options.check(elbow, priority, position_tolerance, up_tolerance, elevation,
                      branch_tolerance)
        if branch_tolerance is None:
            raise InvalidInputError(
                'branch_tolerance', None, 'a pair of finite numbers, zero or more')
        targets = self._path(targets)
        return track(self._solver, targets, self._near(start, 'start'),
                     self._solver.ranking(elbow, priority), (position_tolerance, up_tolerance),
                     options.plain(elevation), branch_tolerance)

    def line(self, targets: Iterable[Target], start: JointPositions | None = None,
             tip_speed: float = 0.1, tip_turn_speed: float = 1.0, rate: float = 50.0,
             up_tolerance: float = UP_TOLERANCE, blend_radius: float = 0.0, *,
             ongoing: Callable[[], bool] | None = None) -> Line:
        """
        Return set-points in time that take the tip along straight lines from target to target.

        The up vector turns evenly along a great circle, and so does the forward vector; on an arm
        whose base only yaws, up stays in the arm plane, which turns. A target without an up
        vector keeps the present elevation of the last link, or comes as near to it as it can. The
        arm keeps its branch, and comes to rest at each target, or, with a ``blend_radius``, leaves
        the lines to go round the targets between. It runs at ``tip_speed``, and
        slower where the hand would turn too fast, where a joint would exceed its velocity or
        acceleration, or where the tip would leave the line by more than 0.1 mm between two
        set-points (at more than 0.1 m/s: than it goes in 1 ms). :mod:`arm_ik.motion.line` defines
        this exactly.

        :param targets: sequence of :class:`~arm_ik.kinematics.target.Target`, 1 to 1000.
        :param start: joint positions [rad] of the arm at rest before; ``None``: the home pose.
        :param tip_speed: of the tip [m/s]; this and the next two are from 1e-6 to 1e6.
        :param tip_turn_speed: of up vector and forward vector [rad/s].
        :param rate: set-points per second.
        :param up_tolerance: largest angle [rad] by which the up vector, and on an arm with a wrist
            roll the forward vector, may be missed.
        :param blend_radius: how far from a target between two lines the tip may leave them [m]; at
            most half of each line is left. 0: the arm comes to rest. It also does where the tip
            rests, where a target is given twice, and where forward vectors begin or end.
        :param ongoing: asked at each sample of the path whether to go on, of a planning in a
            thread; if not, it ends with an :class:`~arm_ik.errors.ArmIkError`.
        :returns: :class:`~arm_ik.motion.line.Line`. If the path leads out of reach, out of a limit
            or out of the branch, it ends there at rest, with a fraction below 1 and the reason.
        :raises InvalidInputError: for anything that is not a target or joint positions, for speeds
            or a rate beyond these limits, for more than a million set-points.
        """
        from .motion import line
        targets = self._path(targets)
        if not 1 <= len(targets) <= line.MOST_TARGETS:
            raise InvalidInputError(
                'targets', f'a path of {len(targets)}', f'1 to {line.MOST_TARGETS} targets')
        speeds = line.Speeds(*[options.between(what, value, 1e-6, 1e6) for what, value in (
            ('tip_speed', tip_speed), ('tip_turn_speed', tip_turn_speed), ('rate', rate))])
        options.check('nearest', 'position', 0.0, up_tolerance)
        radius = options.between('blend_radius', blend_radius, 0.0, 1e6)
        return line.plan(self._solver, targets, self._near(start, 'start'), speeds,
                         float(up_tolerance), radius, ongoing)

    def approach(self, position: Iterable[float], distance: float = 0.05,
                 up: Iterable[float] | None = None, opening: Iterable[float] | None = None,
                 near: JointPositions | None = None, scene: Scene | None = None) -> Approach:
        """
        Return a straight line on which the gripper can come to an object, and go again.

        Few arms can keep the hand in one direction on it. It is tilted as little as possible, at
        the object and before it, by up to 60 degrees in the arm plane, so that the tip moves
        exactly on the line and the arm touches nothing.

        :param position: of the tip at the object in ``base_link`` [m], shape (3,).
        :param distance: length of the line [m], above 0.
        :param up: the direction that it leads in, and the wish for the hand; ``None``: down.
        :param opening: direction in which the fingers are to open, to either side, as far as the
            up vector leaves it free; ``None``: any. Only arms with a wrist roll can serve it.
        :param near: joint positions [rad] that it is to begin near to; ``None``: the home pose.
        :param scene: from :meth:`scene`; ``None``: with the gripper open.
        :returns: :class:`~arm_ik.motion.approach.Approach`; without a line it has the reason.
        :raises InvalidInputError: for anything else.
        """
        from .motion import approach
        wish = Target(position, (0.0, 0.0, -1.0) if up is None else up, opening)
        return approach.plan(
            self, wish, options.between('distance', distance, 1e-6, LARGEST_LENGTH),
            self._near(near),
            scene or self.scene({joint.name: joint.open for joint in self.model.extra_joints}))

    def scene(self, extra: Mapping[str, float] = {}, keep_out: Iterable[KeepOut] = ()) -> Scene:
        """
        Return the arm's collision shapes among the shapes it is to stay out of.

        :param extra: positions of the extra joints by name [rad or m]; the others are ``closed``.
        :param keep_out: further shapes than those of the model.
        """
        from .collision import Scene
        for shape in (keep_out := tuple(keep_out)):
            check_keep_out(shape)
        return Scene(self._solver.geometry, keep_out, dict(extra))

    def clearance(self, q: ArrayLike, scene: Scene | None = None) -> NDArray[np.float64]:
        """
        Return how far the arm is from floor, keep-out shapes, its base and itself.

        Where parts overlap it is negative, by no more than their radius.

        :param q: joint positions [rad], shape (..., joints).
        :param scene: from :meth:`scene`; ``None``: with the extra joints closed.
        :returns: smallest distance [m], shape (...).
        :raises InvalidInputError: for anything that is not joint positions.
        """
        q = self._poses('q', q)
        scene = scene or self._closed_scene
        found = [scene.distances(rows).min(-1) for rows in _chunks(q.reshape(-1, self._count))]
        return np.concatenate([[], *found]).reshape(q.shape[:-1])

    def check_path(self, q0: ArrayLike, q1: ArrayLike, scene: Scene | None = None) -> PathCheck:
        """
        Return what the arm would touch if each joint moved evenly from one pose to another.

        A path may begin where parts overlap, if it leads no deeper. What is called clear overlaps
        nowhere by more than 1.5 mm.

        :param q0: joint positions [rad], shape (..., joints).
        :param q1: the same; leading axes are broadcast against each other.
        :param scene: as for :meth:`clearance`.
        :returns: :class:`~arm_ik.collision.PathCheck` of arrays over the leading axes.
        :raises InvalidInputError: for anything that is not joint positions.
        """
        from .collision import look, PathCheck
        ends = np.stack(np.broadcast_arrays(self._poses('q0', q0), self._poses('q1', q1)), axis=-2)
        found = [look(scene or self._closed_scene, paths)
                 for paths in _chunks(ends.reshape(-1, 2, self._count))]
        return PathCheck(*[np.concatenate(each).reshape(ends.shape[:-2]) for each in zip(*found)])

    @cached_property
    def _closed_scene(self) -> Scene:
        return self.scene()

    def _poses(self, what: str, q: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(checked_array(
            what, q, self._count, f'{self._count} finite joint positions'), dtype=float)

    def placed(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Arm:
        """
        Return the same arm elsewhere: its old ``base_link`` is at a place in the new one.

        Floor and keep-out shapes move with it. Its base is a column from z = 0 up. It does not
        keep where the frame of its maker's URDF is.

        :param x: of the old ``base_link`` in the new one [m]; ``y`` and ``z`` likewise.
        :param yaw: by how much it is turned to the left [rad].
        :raises InvalidInputError: for anything but finite numbers.
        """
        x, y, z, yaw = [options.between(what, value, -LARGEST_LENGTH, LARGEST_LENGTH)
                        for what, value in (('x', x), ('y', y), ('z', z), ('yaw', yaw))]
        model, c, s = self.model, cos(yaw), sin(yaw)

        def moved(at: tuple[float, ...]) -> tuple[float, float, float]:
            return x + c * at[0] - s * at[1], y + s * at[0] + c * at[1], z + at[2]
        base_x, base_y, base_height = moved((model.base_x, model.base_y, model.base_height))
        first, *others = model.joints
        return Arm(replace(
            model, base_x=base_x, base_y=base_y, base_height=base_height, urdf_frame='',
            urdf_rpy=(), joints=(replace(first, offset=first.offset + yaw), *others),
            floor_height=None if model.floor_height is None else model.floor_height + z,
            keep_out=tuple(replace(shape, position=moved(shape.position), rpy=(
                *shape.rpy[:2], shape.rpy[2] + yaw)) for shape in model.keep_out)))

    def to_urdf(self) -> str:
        """Return the arm as URDF text, frames ``base_link`` to ``tool0``."""
        from .description.urdf import to_urdf
        return to_urdf(self.model)

    def _path(self, targets: Iterable[Target]) -> list[Target]:
        try:
            path = list(targets)
        except TypeError:
            raise InvalidInputError('targets', targets, 'a sequence of arm_ik.Target') from None
        for i, target in enumerate(path):
            _checked(target, f'targets[{i}]')
        return path

    def _near(self, near: JointPositions | None, what: str = 'near') -> tuple[float, ...]:
        if near is None:
            return self._home
        positions = floats(what, near.q if isinstance(near, Solution) else near, self._count,
                           '{} joint positions')
        if not all(map(isfinite, positions)):
            raise InvalidInputError(what, near, 'finite joint positions')
        return positions

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.model,)

    def __eq__(self, other: object) -> bool:
        return self.model == other.model if isinstance(other, Arm) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.joint_names, self._home))

    def __repr__(self) -> str:
        joints = ', '.join(f'{joint.name} ({joint.role})' for joint in self.model.joints)
        tip = f', tip {self.model.tip}' if self.model.tip else ''
        return f'<Arm {self.name}: {joints}; reach {self.model.reach:.3f} m{tip}>'

    def _repr_png_(self) -> bytes | None:
        """Return the arm at home from its right side, for notebooks; needs matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return None
        model, yaw = self.model, self.model.heading
        x, y, z = np.transpose([(model.base_x, model.base_y, 0.0), *self.points(self._home)])
        figure = Figure((3.0, 3.0), layout='constrained')
        axes = figure.subplots()
        axes.plot(x * cos(yaw) + y * sin(yaw), z, 'o-')
        axes.set(title=f'{self.name} at home [m]', aspect='equal')
        figure.savefig(picture := BytesIO(), format='png')
        return picture.getvalue()


def _chunks(rows: NDArray[np.float64]) -> Iterable[NDArray[np.float64]]:
    """Return parts of an array that keep the working memory small, at least one."""
    return (rows[begin:begin + 512] for begin in range(0, max(1, len(rows)), 512))


def _preset_meant(name: object) -> str:
    """Return a question that suggests a preset of a similar name; ``''`` if there is none."""
    if not isinstance(name, (str, os.PathLike)):
        return ''
    return did_you_mean(Path(name).stem, description.preset_names(), 0.8,
                        lambda preset: f'Arm.preset({preset!r})')


def arm_of(name: str, tip: str | None = None) -> Arm:
    """Return the arm of a preset's name, a YAML file or a URDF, by its ending."""
    kind = {'.yaml': Arm.from_yaml, '.yml': Arm.from_yaml, '.urdf': Arm.from_urdf,
            '.xacro': Arm.from_urdf}.get(Path(name).suffix, Arm.preset)
    return kind(name, tip=tip)


def _checked(target: object, what: str = 'target') -> Target:
    if not isinstance(target, Target):
        raise InvalidInputError(what, target, 'an arm_ik.Target')
    return target


__all__ = ['Arm', 'Pose']
