# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page shows in space: the arm, its command, the target and the solver's answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import degrees, radians
import threading
from typing import Any

import numpy as np
import viser.transforms

from .drawing import COMMANDED, DrawnArm, MISS, OTHER, reach_slice, Surface, Trace, up_fan
from ..arm import Arm
from ..description.urdf import Link, links
from ..errors import ArmIkError
from ..kinematics.solution import Solution
from ..kinematics.target import Target
from ..nodes.common.tool_rotation import tool_rotation

#: The other branches that are shown, at most.
OTHERS = 3

_EMPTY = np.zeros((0, 3))


class Scene:
    """
    The picture of one arm.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param arm: the :class:`~arm_ik.Arm`.
    :param solid: the links of the measured arm; empty: simple ones.
    """

    def __init__(self, server: Any, arm: Arm, solid: Sequence[Link] = ()) -> None:
        self._arm = arm
        self._answer: Solution | None = None
        self._is_live = False
        self._reach_of: Target | None = None
        self._slicing: threading.Thread | None = None
        scene, reach, height = server.scene, arm.model.reach, arm.model.base_height
        scene.set_up_direction('+z')
        camera = server.initial_camera
        camera.fov = radians(50.0)
        camera.position = (1.5 * reach, -1.5 * reach, height + 0.9 * reach)
        camera.look_at = (0.0, 0.0, height)
        scene.add_grid('/grid', width=2.5 * reach, height=2.5 * reach, cell_size=0.05,
                       section_size=0.1, cell_thickness=0.5, section_thickness=0.7,
                       cell_color=(150, 150, 150), section_color=(130, 130, 130), plane='xy')
        simple = links(arm.model)
        self._solid = DrawnArm(scene, solid or simple, '/measured')
        self._ghost = DrawnArm(scene, simple, '/commanded', COMMANDED, 0.35)
        self._others = [DrawnArm(scene, simple, f'/others/{index}', OTHER, 0.12)
                        for index in range(OTHERS)]
        self._reach = Surface(scene, '/reach/slice', (60, 160, 255))
        self._fan = Surface(scene, '/fan/slices', (255, 190, 60))
        #: Where the tip has been.
        self.trace = Trace(scene, 0.005 * reach)
        self._words = scene.add_label('/words', '', anchor='bottom-center', visible=False)
        self._miss = scene.add_line_segments(
            '/miss', np.zeros((1, 2, 3), 'f4'), MISS, thickness=4.0, thickness_units='screen',
            visible=False)
        #: Handle that drags the target.
        self.gizmo = scene.add_transform_controls(
            '/target', scale=0.35 * reach, visible=False, depth_test=False)

    def show_measured(self, positions: Mapping[str, float] | None, is_live: bool) -> None:
        """Show the arm at positions by joint name [rad, m], grey if old; ``None``: hide it."""
        self._is_live = is_live
        self._solid.show(positions, is_live=is_live)
        if positions is not None:
            self.trace.add(self._arm.forward(
                [positions[name] for name in self._arm.joint_names]).position)

    def show_target(self, target: Target) -> None:
        """Put the gizmo where a target is."""
        self.gizmo.position = target.position
        self.gizmo.wxyz = tuple(viser.transforms.SO3.from_matrix(
            tool_rotation(self._arm, target)).wxyz.tolist())
        self.gizmo.visible = True

    def explain(self, target: Target, near: Sequence[float]) -> str:
        """
        Show what the solver says of a target, and return it in words.

        :param near: joint positions [rad] that it is solved from.
        """
        try:
            # What counts as reached is as for ik_node.
            solution = self._arm.solve(
                target, near=near, position_tolerance=1e-4, up_tolerance=1e-3)
        except ArmIkError as error:
            self._answer = None
            return str(error)
        self._answer = solution
        miss = f'({1e3 * solution.position_error_m:.1f} mm, {degrees(solution.up_error_rad):.1f}°)'
        x, y, z = target.position
        self._words.position = x, y, z + 0.2 * self._arm.model.reach
        self._words.text = f'{solution.reason.partition(";")[0]} {miss}'
        self._words.visible = not solution.reached
        tip = self._arm.forward(solution.q).position
        self._miss.points = np.array([[tip, target.position]], 'f4')
        self._miss.visible = not solution.reached
        branches = [branch.q for branch in self._arm.solutions(target, near=near)
                    if branch.reached and branch.q != solution.q]
        for drawn, q in zip(self._others, [*branches, *[None] * OTHERS]):
            drawn.show(None if q is None else dict(zip(self._arm.joint_names, q)))
        self._fan.show(*up_fan(self._arm, target.position))
        return f'{solution.reason} {miss}' if solution.reason else 'reached'

    def show_commanded(self, commanded: Mapping[str, float] | None) -> None:
        """Show the arm where it is commanded; ``None``: where the target would bring it."""
        names, answer = self._arm.joint_names, self._answer
        pose = dict(zip(names, answer.q)) if answer is not None else None
        stopping = answer.limited_by if answer is not None else ()
        if commanded is not None:
            if pose is None or any(abs(pose[name] - commanded[name]) > 0.01 for name in names):
                stopping = ()
            pose = dict(commanded)
        self._ghost.show(pose if self._is_live else None, stopping)   # it would tint the grey

    def show_reach(self, target: Target | None) -> None:
        """Shade what can be reached in the plane through a target, or nothing."""
        busy = self._slicing is not None and self._slicing.is_alive()
        if target is self._reach_of or busy:
            return
        self._reach_of = target
        if target is None:
            self._reach.show(_EMPTY, _EMPTY)
        else:
            # A rolling base or a tilting wrist above a floor may take seconds.
            self._slicing = threading.Thread(
                target=self._slice, args=(target,), name='reach_slice', daemon=True)
            self._slicing.start()

    def _slice(self, target: Target) -> None:
        self._reach.show(*reach_slice(self._arm, target.position))
