# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""LeRobot's class ``RobotKinematics``, answered by an :class:`~arm_ik.Arm`: docs/lerobot.md."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import degrees, nan, radians
import os
from pathlib import Path
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arm import Arm, arm_of
from .errors import ArmFileWarning, InvalidInputError, one_of
from .kinematics.forward import tool
from .kinematics.options import are_lengths
from .kinematics.solution import Solution
from .kinematics.target import is_complex, NOT_VECTORS, Target
from .kinematics.tolerances import BRANCH_TOLERANCE
from .kinematics.vectors import cross

#: From the degrees of a joint to its position [rad], and back.
_Unit = tuple[Callable[[float], float], Callable[[float], float]]

#: The frame name that means the tip an arm has already.
OWN_TIP = 'tool0'


class RobotKinematics:
    """
    Forward and inverse kinematics with the names, the order and the units that LeRobot uses.

    Joint positions are in degrees, in the order of ``joint_names``. Entries that are no joint of
    the chain, such as LeRobot's gripper (0 to 100), go through unchanged, and so do entries beyond
    ``joint_names``. Poses are 4 x 4, of the target frame in the base frame [m].

    :param urdf_path: path of a URDF or of an arm file (YAML), the name of a preset, or an
        :class:`~arm_ik.Arm`.
    :param target_frame_name: a frame of the URDF; a tip of the preset or arm; ``'tool0'``: the tip
        that the preset or arm has already.
    :param joint_names: which joint each entry is; ``None``: the joints of the chain, base to tip.
    :param calibration: path of LeRobot's calibration file (JSON), given together with ``servos``;
        ``None``: degrees are those of the URDF.
    :param servos: path of this very arm's servos file. Its ranges are kept.
    :param prefix: of the motors of this arm in the calibration file, such as ``'left_arm_'``.
    :param names: the arm's joints by the calibration file's names, without the prefix.
    :raises InvalidInputError: naming the wrong argument.
    :raises InvalidArmError: for an arm, a URDF or a servos file that cannot be used.

    ``arm``: the :class:`~arm_ik.Arm`. ``solution``: the :class:`~arm_ik.Solution` of the last
    inverse kinematics, ``None`` before; nothing depends on it.
    """

    def __init__(self, urdf_path: str | os.PathLike[str] | Arm,
                 target_frame_name: str = 'gripper_frame_link',
                 joint_names: Iterable[str] | None = None,
                 calibration: str | os.PathLike[str] | None = None,
                 servos: str | os.PathLike[str] | None = None,
                 prefix: str | None = None, names: Mapping[str, str] | None = None) -> None:
        self.arm, self._frame = _arm(urdf_path, target_frame_name)
        self.target_frame_name = target_frame_name
        self.solution: Solution | None = None
        self._units: list[_Unit] = [(radians, degrees)] * len(self.arm.joint_names)
        if calibration is not None and servos is not None:
            self.arm, self._units = _calibrated(
                self.arm, Path(calibration), Path(servos), prefix or '', names or {})
        elif calibration is not None or servos is not None:
            raise InvalidInputError('(calibration, servos)', (calibration, servos),
                                    'both of them, or neither')
        self.joint_names = _names(joint_names, self.arm.joint_names)
        self._places = [self.joint_names.index(name) for name in self.arm.joint_names]

    def forward_kinematics(self, joint_pos_deg: ArrayLike) -> NDArray[np.float64]:
        """
        Return the pose of the target frame, shape (4, 4).

        :param joint_pos_deg: joint positions [deg], one for each of ``joint_names`` or more.
        :raises InvalidInputError: for too few of them, or one that is not finite.
        """
        tip, up, forward, left = tool(self.arm.solver.geometry, self._positions(
            _checked('joint_pos_deg', joint_pos_deg, self.joint_names)))
        pose = np.eye(4)
        pose[:3] = np.transpose([forward, left, up, tip])
        if self._frame is not None:
            pose[:3, :3] = pose[:3, :3] @ self._frame
        return pose

    def inverse_kinematics(self, current_joint_pos: ArrayLike, desired_ee_pose: ArrayLike,
                           position_weight: float = 1.0,
                           orientation_weight: float = 0.01) -> NDArray[np.float64]:
        """
        Return joint positions [deg] that bring the target frame to a pose, or nearest to it.

        Nearest is: the position first, then the direction of the last link, then the turn about
        it. The arm keeps its present branch, as :meth:`Arm.solve` does with ``branch_tolerance``.
        The answer depends on the arguments alone.

        :param current_joint_pos: joint positions [deg], one for each of ``joint_names`` or more.
        :param desired_ee_pose: pose of the target frame, shape (4, 4).
        :param position_weight: 0: the direction of the last link first, then the position. Other
            values make no difference.
        :param orientation_weight: 0: the position only. Other values make no difference.
        :returns: a new array of floats, as long as ``current_joint_pos``.
        :raises InvalidInputError: for NaN, too few positions, no rotation matrix, weights below 0
            or both 0.
        """
        weights = position_weight, orientation_weight
        if not are_lengths(weights) or not any(weights):
            raise InvalidInputError('(position_weight, orientation_weight)', weights,
                                    'finite numbers, zero or more, not both 0')
        answer = _checked('current_joint_pos', current_joint_pos, self.joint_names)
        target = Target.from_matrix(desired_ee_pose)
        if not orientation_weight:
            target = Target(target.position)
        elif self._frame is not None and target.up and target.forward:
            axes = np.array([target.forward, cross(target.up, target.forward), target.up])
            forward, _, up = (self._frame @ axes).tolist()
            target = Target(target.position, up, forward)
        self.solution = self.arm.solve(
            target, self._positions(answer), branch_tolerance=BRANCH_TOLERANCE,
            priority='position' if position_weight else 'up')
        for place, (_, shown), q in zip(self._places, self._units, self.solution.q):
            answer[place] = shown(q)
        return answer

    def _positions(self, values: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the chain's positions [rad] of checked numbers in LeRobot's order."""
        given = values.tolist()
        return tuple([read(given[place]) for place, (read, _) in zip(self._places, self._units)])


def _arm(given: str | os.PathLike[str] | Arm,
         frame: str) -> tuple[Arm, NDArray[np.float64] | None]:
    """Return the arm with its tip at a frame, and its rotation in ``tool0`` (3, 3), if any."""
    if isinstance(given, Arm):
        tips = [OWN_TIP, *(tip.name for tip in given.model.tips)]
        if frame not in tips:
            raise InvalidInputError('target_frame_name', frame, one_of(frame, tips))
        return given if frame == OWN_TIP else Arm(replace(given.model, tip=frame)), None
    if not isinstance(given, (str, os.PathLike)):
        raise InvalidInputError('urdf_path', given, 'a path, the name of a preset, or an Arm')
    path = Path(given)
    if path.suffix in ('.yaml', '.yml') or str(given) == path.stem:    # no folder, no ending
        return _arm(arm_of(str(given)), frame)
    arm = Arm.from_urdf(path, tip=frame)
    # Of a URDF an arm knows only where the tip is; LeRobot means the frame's own axes.
    from .description.urdf_fit import frames
    from .description.urdf_reader import chains
    from .description.urdf_tree import read_tree
    tree, at_zero = read_tree(path), np.zeros(len(arm.joint_names))
    there = frames(chains(tree, tree.root, {})[frame], at_zero)[-1]
    return arm, arm.forward(at_zero).rotation.T @ there[:3, :3]


def _names(given: Iterable[str] | None, chain: tuple[str, ...]) -> list[str]:
    names = list(chain if given is None else given)
    if isinstance(given, NOT_VECTORS) or len({*names}) < len(names) or not {*chain} <= {*names}:
        raise InvalidInputError('joint_names', given, 'names without doubles, and among them '
                                f'those of the chain: {", ".join(chain)}')
    return names


def _checked(what: str, given: ArrayLike, names: list[str]) -> NDArray[np.float64]:
    """Return a copy of joint positions, as floats."""
    try:
        values = np.array(nan if is_complex(given) else given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.array(nan)
    if values.ndim != 1 or len(values) < len(names) or not np.isfinite(values).all():
        raise InvalidInputError(what, given, f'finite numbers, one for each of {", ".join(names)}')
    return values


def _calibrated(arm: Arm, calibration: Path, servos_path: Path, prefix: str,
                names: Mapping[str, str]) -> tuple[Arm, list[_Unit]]:
    """Return the arm inside its servos' ranges, and what LeRobot's degrees are."""
    # Imported here, because most callers have no calibration.
    from .drivers.servos_file import load_servos
    from .servos.lerobot import degrees_at, read_json, tick_at
    servos = load_servos(servos_path, arm.model.all_joints)
    motors = read_json(calibration, arm.joint_names, prefix, names)

    def unit(name: str) -> _Unit:
        motor, servo = motors[name], servos.joints[name]
        if servo.plus:
            raise InvalidInputError(f'{servos_path}: {name}.plus', servo.plus, 'none, for a '
                                    'calibration of LeRobot knows no linkage')
        for key, found in (('id', servo.id), ('homing_offset', servo.homing_offset)):
            if found not in (None, motor[key]):
                raise InvalidInputError(f'{servos_path}: {name}.{key}', found, f'{motor[key]}, as '
                                        f'in {calibration}; of one calibration both have to be')
        return (lambda shown: servo.ticks.position(tick_at(shown, motor)),
                lambda q: degrees_at(servo.ticks.tick(q), motor))

    units = [unit(name) for name in arm.joint_names]
    if not servos.is_verified:
        warnings.warn(f'{servos_path} has not been verified: arm_ik servos verify {servos_path}',
                      ArmFileWarning, stacklevel=3)
    return Arm(servos.narrowed(arm.model)[0]), units


__all__ = ['RobotKinematics']
