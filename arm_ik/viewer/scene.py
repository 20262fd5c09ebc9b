# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page shows in space: the arm, its command, the target and the solver's answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import hypot, radians
import threading
from typing import Any

import numpy as np
import viser.transforms

from .page_words import in_millimetres
from ..arm import Arm
from ..description.collision_shapes import keep_out_shapes
from ..description.urdf import Link, link_frames, links
from ..description.urdf_shapes import COLOURS
from ..errors import ArmIkError
from ..kinematics.model import KeepOut
from ..kinematics.solution import Solution
from ..kinematics.target import Target
from ..nodes.common.tool_rotation import tool_rotation
from ..workspace.cells import make_slice, outline, rows_reached

#: Colours, red, green, blue up to 255.
COMMANDED, OTHER, STOPS, MISS = (90, 160, 255), (150, 150, 160), (230, 60, 50), (230, 40, 40)
REACH, FAN, KEEP_OUT, TRACE_COLOUR = (
    (60, 160, 255), (255, 170, 30), (240, 110, 90), np.array((255, 150, 30)))

#: Cells of the reachable slice from end to end.
CELLS = 36

#: Newest points of the trace that are shown.
TRACE = 300

#: From where it can be looked at.
VIEWS = ('home', 'front', 'side', 'top')

#: The other branches that are shown, at most.
OTHERS = 3

#: How far the grid is above a table at the same height, or they flicker [m].
_ABOVE = 5e-4

#: What the oldest points of the trace fade to.
_FADED = (190, 190, 190)

#: Nearer than this to the arm the commanded one is hidden [rad]; and a joint is at its limit.
_THERE, _AT_LIMIT = 0.01, 1e-3

#: How far a target may be from what a camera looks at, in parts of the camera's distance.
_IN_VIEW = 0.45

_NOTHING, _NO_LINE = np.zeros((0, 3, 3)), np.zeros((0, 2, 3), dtype=np.float32)


class DrawnScene:
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
        self._measured: Mapping[str, float] = {}      # the newest positions, of the gripper, too
        self._reach_of: Target | None = None
        self._slicing = threading.Thread()
        self._scene = scene = server.scene
        reach, height = arm.model.reach, arm.model.base_height
        scene.set_up_direction('+z')
        camera = server.initial_camera
        camera.fov = radians(50.0)
        camera.position = (1.5 * reach, -1.5 * reach, height + 0.9 * reach)
        camera.look_at = (0.0, 0.0, height)
        scene.add_grid('/grid', width=2.5 * reach, height=2.5 * reach, cell_size=0.05,
                       section_size=0.1, cell_thickness=0.5, section_thickness=0.7,
                       cell_color=(150, 150, 150), section_color=(130, 130, 130), plane='xy',
                       position=(0.0, 0.0, _ABOVE))
        simple = links(arm.model)
        self._solid = DrawnArm(scene, solid or simple, '/measured')
        self._ghost = DrawnArm(scene, simple, '/commanded', COMMANDED, 0.35)
        self._others = [DrawnArm(scene, simple, f'/others/{index}', OTHER, 0.12)
                        for index in range(OTHERS)]
        #: Where the tip has been.
        self.trace = Trace(scene, 0.005 * reach)
        self._keep_out: Sequence[KeepOut] = ()
        self._walls: list[Any] = []
        self._miss = scene.add_line_segments(
            '/miss', np.zeros((1, 2, 3), 'f4'), MISS, thickness=4.0, thickness_units='screen',
            visible=False)
        self._fan = scene.add_line_segments(
            '/fan/outline', _NO_LINE, FAN, thickness=2.0, thickness_units='screen')
        #: Handle that drags the target.
        self.gizmo = scene.add_transform_controls(
            '/target', scale=0.35 * reach, visible=False, depth_test=False)

    def show_measured(self, positions: Mapping[str, float] | None, is_live: bool) -> None:
        """Show the arm at positions by joint name [rad, m], grey if old; ``None``: hide it."""
        self._is_live = is_live
        self._solid.show(positions, is_live=is_live)
        if positions is not None:
            self._measured = positions
            self.trace.add(self._arm.forward(
                [positions[name] for name in self._arm.joint_names]).position)

    def show_keep_out(self, shapes: Sequence[KeepOut]) -> None:
        """Show the shapes that the arm stays out of."""
        if shapes == self._keep_out:
            return
        for wall in self._walls:
            wall.remove()
        self._keep_out = shapes
        self._walls = [
            _add_shape(self._scene, f'/keep_out/{number}', shape, KEEP_OUT, 0.35)
            for number, shape in enumerate(keep_out_shapes(shapes, self._arm.model.reach))]

    def look(self, camera: Any, view: str) -> None:
        """Have a browser look from one of :data:`VIEWS`."""
        reach, height = self._arm.model.reach, self._arm.model.base_height
        eye, at = {'home': ((1.5, -1.5, 0.9), (0.0, 0.0, 0.0)),
                   'front': ((2.2, 0.0, 0.2), (0.0, 0.0, 0.2)),
                   'side': ((0.4, -1.8, 0.2), (0.4, 0.0, 0.2)),
                   'top': ((0.3, 0.0, 1.8), (0.4, 0.0, 0.0))}[view]
        far, drop = (1.0, 0.0) if camera.image_width >= camera.image_height else (1.5, 0.35)
        # On a phone the panel covers the lower third.
        camera.position = far * reach * np.array(eye) + (0.0, 0.0, height)
        camera.look_at = reach * (np.array(at) - (0.0, 0.0, drop)) + (0.0, 0.0, height)

    def keep_in_view(self, camera: Any, point: Sequence[float]) -> None:
        """Have a browser look from farther away at a target [m] that is far from the arm."""
        if np.linalg.norm(point) < self._arm.model.reach:
            return
        middle, eye = np.array(camera.look_at), np.array(camera.position)
        away, far = np.linalg.norm(eye - middle), np.linalg.norm(np.array(point) - middle)
        if far > _IN_VIEW * away:
            camera.position = middle + far / (_IN_VIEW * away) * (eye - middle)

    def show_target(self, target: Target) -> None:
        """Put the gizmo where a target is, in browsers that have it elsewhere, too."""
        self.gizmo.position, self.gizmo.wxyz = (1e3, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
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
            self._miss.visible = False
            return str(error)
        self._answer = solution
        tip = self._arm.forward(solution.q).position
        self._miss.points = np.array([[tip, target.position]], 'f4')
        self._miss.visible = not solution.reached
        branches = [branch.q for branch in self._arm.solutions(target, near=near)
                    if branch.reached and branch.q != solution.q]
        for drawn, q in zip(self._others, [*branches, *[None] * OTHERS]):
            drawn.show({**self._measured, **dict(zip(self._arm.joint_names, q))} if q else None)
        self._fan.points = up_fan(self._arm, target.position)
        return in_millimetres(solution.reason) or 'reached'

    def show_commanded(self, commanded: Mapping[str, float] | None, measured: Sequence[float]
                       ) -> None:
        """
        Show the arm where it is commanded, unless it is there.

        :param commanded: by joint name [rad, m]; ``None``: where the target would bring it.
        :param measured: joint positions [rad], base to tip.
        """
        names, answer = self._arm.joint_names, self._answer
        pose, stopping = None, []
        if answer is not None:
            pose = dict(zip(names, answer.q))
            stopping = [joint.name for joint, q in zip(self._arm.model.joints, answer.q)
                        if joint.name in answer.limited_by and min(
                            q - joint.lower, joint.upper - q) < _AT_LIMIT]
        if commanded is not None:
            if pose is None or any(abs(pose[name] - commanded[name]) > _THERE for name in names):
                stopping = []
            pose = dict(commanded)
        if pose is not None and all(abs(pose[name] - at) < _THERE
                                    for name, at in zip(names, measured)):
            pose = None
        self._ghost.show(     # it would tint the grey
            {**self._measured, **pose} if pose and self._is_live else None, stopping)

    def show_reach(self, target: Target | None) -> None:
        """Shade what can be reached in the plane through a target, or nothing."""
        if target is self._reach_of or self._slicing.is_alive():
            return
        self._reach_of = target
        # A rolling base or a tilting wrist above a floor may take seconds.
        self._slicing = threading.Thread(target=self._slice, args=(target,), daemon=True)
        self._slicing.start()

    def _slice(self, target: Target | None) -> None:
        triangles = _NOTHING if target is None else reach_slice(self._arm, target.position)
        _show_surface(self._scene, '/reach/slice', REACH, triangles)


class DrawnArm:
    """
    An arm of simple shapes, or of meshes.

    :param scene: of the viser server.
    :param links: the arm's, each after the one that it hangs on.
    :param name: its place in the scene's tree.
    :param colour: of all shapes; ``None``: those of the URDF.
    :param opacity: 0 to 1.
    """

    def __init__(self, scene: Any, links: Sequence[Link], name: str,
                 colour: tuple[int, int, int] | None = None, opacity: float | None = None) -> None:
        self._links, self._colour = links, colour
        self._shown: Any = None
        self._root = scene.add_frame(name, show_axes=False, visible=False)
        self._frames = {link.name: scene.add_frame(f'{name}/{link.name}', show_axes=False)
                        for link in links}
        self._shapes = [
            (_add_shape(scene, f'{name}/{link.name}/{index}', shape, colour, opacity), shape,
             link.joint) for link in links for index, shape in enumerate(link.shapes)]

    def show(self, positions: Mapping[str, float] | None, stopping: Sequence[str] = (),
             is_live: bool = True) -> None:
        """
        Show it at joint positions.

        :param positions: by joint name [rad, m]; ``None``: hide it.
        :param stopping: names of joints to be coloured.
        :param is_live: whether it is there now; if not, all of it is grey.
        """
        self._root.visible = positions is not None
        shown = positions, stopping, is_live
        if positions is None or shown == self._shown:
            return
        self._shown = shown
        for name, (where, how) in link_frames(self._links, positions).items():
            self._frames[name].position = where
            self._frames[name].wxyz = how[3], *how[:3]
        for handle, shape, joint in self._shapes:
            stops = joint is not None and joint.name in stopping
            handle.color = (OTHER if not is_live else STOPS if stops
                            else self._colour or _rgb(shape.colour))


def reach_slice(arm: Arm, position: Iterable[float]) -> np.ndarray:
    """
    Return what the tip reaches, with any up vector, in the upright plane through a point.

    :param position: the point in ``base_link`` [m].
    :returns: triangles that cover the area reached (n, 3, 3) [m]; there may be none.
    """
    model, (x, y, _) = arm.model, position
    cells = make_slice(model, 2.0 * (model.reach + abs(model.shoulder_offset)) / CELLS, (x, y))
    area, _ = outline(model, cells, np.array(list(rows_reached(model, cells))))
    return np.stack(cells.position(*area.reshape(-1, 2).T), axis=-1).reshape(-1, 3, 3)


def up_fan(arm: Arm, position: Iterable[float]) -> np.ndarray:
    """
    Return the outline of the up vectors that a position can be reached with, in the arm's plane.

    :param position: in ``base_link`` [m].
    :returns: line segments (n, 2, 3) [m]; there may be none.
    """
    model, middle = arm.model, np.array(list(position), dtype=float)
    x, y = middle[0] - model.base_x, middle[1] - model.base_y
    length = hypot(x, y) or 1.0
    plane = 0.3 * model.reach * np.array([(x / length, y / length, 0.0), (0.0, 0.0, 1.0)])
    outlines = [_NO_LINE]
    for lower, upper in arm.up_range(middle):
        angles = np.linspace(lower, upper, max(2, int((upper - lower) / 0.1)) + 1)
        edge = middle + np.stack([np.cos(angles), np.sin(angles)], axis=-1) @ plane
        line = np.concatenate([middle[None], edge, middle[None]])
        outlines.append(np.stack([line[:-1], line[1:]], axis=1).astype('f4'))
    return np.concatenate(outlines)


def _show_surface(scene: Any, name: str, colour: tuple[int, int, int], triangles: np.ndarray
                  ) -> None:
    """Show triangles (n, 3, 3) in place of those before; none: hide them."""
    if len(triangles):
        vertices = triangles.reshape(-1, 3).astype(np.float32)
        scene.add_mesh_simple(
            name, vertices, np.arange(len(vertices), dtype=np.uint32).reshape(-1, 3), color=colour,
            opacity=0.25, side='double', flat_shading=True, cast_shadow=False,
            receive_shadow=False)
    else:
        scene.remove_by_name(name)


class Trace:
    """
    Where the tip was.

    :param scene: of the viser server.
    :param step: shortest distance of two points [m].
    """

    def __init__(self, scene: Any, step: float) -> None:
        self._step = step
        self._points: deque[np.ndarray] = deque(maxlen=TRACE)
        self._line = scene.add_line_segments(
            '/trace', _NO_LINE, np.zeros((0, 2, 3), np.uint8), thickness=2.0,
            thickness_units='screen')

    def add(self, tip: np.ndarray) -> None:
        """Add a point [m], if it is far enough from the last one."""
        if self._points and np.linalg.norm(tip - self._points[-1]) < self._step:
            return
        self._points.append(np.array(tip, dtype=np.float32))
        line = np.array(self._points)
        fresh = np.linspace(0.0, 1.0, len(line))[:, None]
        colours = (fresh * TRACE_COLOUR + (1.0 - fresh) * _FADED).astype(np.uint8)
        self._line.colors = np.stack([colours[:-1], colours[1:]], axis=1)
        self._line.points = np.stack([line[:-1], line[1:]], axis=1)

    def clear(self) -> None:
        """Forget all."""
        self._points.clear()
        self._line.points, self._line.colors = _NO_LINE, np.zeros((0, 2, 3), np.uint8)


def _add_shape(scene: Any, name: str, shape: Any, colour: tuple[int, int, int] | None,
               opacity: float | None) -> Any:
    more = {'color': colour or _rgb(shape.colour), 'opacity': opacity, 'position': shape.xyz,
            'wxyz': viser.transforms.SO3.from_rpy_radians(*shape.rpy).wxyz,
            'cast_shadow': opacity is None}
    if shape.kind == 'cylinder':
        return scene.add_cylinder(name, shape.size['radius'], shape.size['length'], **more)
    if shape.kind == 'mesh':
        return scene.add_mesh_simple(name, shape.size['vertices'], shape.size['faces'],
                                     flat_shading=True, receive_shadow=False,
                                     **{**more, 'cast_shadow': False})
    return scene.add_box(name, dimensions=shape.size['size'], **more)


def _rgb(colour: str) -> tuple[int, ...]:
    parts = COLOURS[colour] if colour in COLOURS else tuple(map(float, colour.split()))
    return tuple(round(255 * part) for part in parts[:3])
