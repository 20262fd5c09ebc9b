# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page shows in space: the arm, its command, the target and the solver's answer."""

from collections import deque
from collections.abc import Mapping, Sequence
from math import radians
import threading
from typing import Any

import numpy as np
import viser.transforms

from .explanation import GIVEN, HIGH, Picture
from .page_words import in_millimetres
from ..arm import Arm
from ..description.collision_shapes import keep_out_shapes
from ..description.urdf import Link, link_frames, links
from ..description.urdf_shapes import COLOURS, Shape
from ..kinematics.model import KeepOut
from ..kinematics.solution import Solution
from ..kinematics.target import Target
from ..kinematics.tolerances import SHOWN_APART
from ..tool_rotation import tool_rotation
from ..workspace.region import reach_area

#: Colours, red, green, blue up to 255.
COMMANDED, OTHER, STOPS, MISS = (90, 160, 255), (150, 150, 160), (230, 60, 50), (230, 40, 40)
REACH, KEEP_OUT, TRACE_COLOUR = (60, 160, 255), (240, 110, 90), np.array((255, 150, 30))

#: Newest points of the trace that are shown.
TRACE = 300

#: From where it can be looked at, and where to, from the foot of the shoulder, in reaches.
VIEWS = {'home': ((1.5, -1.5, 0.9), (0.0, 0.0, 0.0)), 'front': ((2.2, 0.0, 0.2), (0.0, 0.0, 0.2)),
         'side': ((0.4, -1.8, 0.2), (0.4, 0.0, 0.2)), 'top': ((0.3, 0.0, 1.8), (0.4, 0.0, 0.0))}

#: The other branches that are shown, at most.
OTHERS = 3

#: How far the grid is below a table at the same height, or they flicker [m].
_BELOW = 5e-4

#: What the oldest points of the trace fade to.
_FADED = (190, 190, 190)

#: Nearer to its limit than this a joint is at it [rad].
_AT_LIMIT = 1e-3

#: How far the gizmo may be from what a camera looks at, in parts of the camera's distance.
_IN_VIEW = 0.45


class DrawnScene:
    """
    The picture of one arm.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param arm: the :class:`~arm_ik.Arm`.
    :param solid: the links of the measured arm; empty: simple ones.
    """

    def __init__(self, server: Any, arm: Arm, solid: Sequence[Link] = ()) -> None:
        self._arm = arm
        self._answer: dict[str, float] = {}  # where the target would bring the arm
        self._stopping: list[str] = []       # its joints at a limit that stops it
        self._is_live = False
        self._measured: Mapping[str, float] = {}      # the newest positions, of the gripper, too
        self._reach_of: Target | None = None
        self._slicing = threading.Thread()
        self._scene = scene = server.scene
        reach = arm.model.reach
        scene.set_up_direction('+z')
        server.initial_camera.fov = radians(50.0)
        self.look(server.initial_camera, 'home')
        scene.add_grid('/grid', width=2.5 * reach, height=2.5 * reach, cell_size=0.05,
                       section_size=0.1, cell_thickness=0.5, section_thickness=0.7,
                       cell_color=(150, 150, 150), section_color=(130, 130, 130), plane='xy',
                       position=(0.0, 0.0, -_BELOW))
        simple = links(arm.model)
        self._solid = DrawnArm(scene, solid or simple, '/measured')
        self._ghost = DrawnArm(scene, simple, '/commanded', COMMANDED, 0.35)
        self._others = [DrawnArm(scene, simple, f'/others/{index}', OTHER, 0.12)
                        for index in range(OTHERS)]
        self._trace = Trace(scene, 0.005 * reach)
        # Made with the first node below them they would come after a browser's own, and be seen.
        for node in ('/reach', '/explain'):
            scene.add_frame(node, show_axes=False)
        self._keep_out: Sequence[KeepOut] = ()
        self._walls: list[Any] = []
        self._objects: dict[str, Any] = {}
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
            self._measured = positions
            self._trace.add(self._arm.forward(
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

    def show_objects(self, markers: Mapping[str, Any]) -> None:
        """Show the objects of a simulation, by name the marker of each."""
        for name, marker in markers.items():
            at, turn, size, colour = (
                marker.pose.position, marker.pose.orientation, marker.scale, marker.color)
            if name not in self._objects:
                self._objects[name] = _add_shape(self._scene, f'/objects/{name}', Shape(
                    {1: 'box', 2: 'sphere', 3: 'cylinder'}[marker.type],
                    {'size': (size.x, size.y, size.z), 'radius': 0.5 * size.x, 'length': size.z},
                    (0.0, 0.0, 0.0)), _rgb(f'{colour.r} {colour.g} {colour.b}'), None)
            self._objects[name].position = at.x, at.y, at.z
            self._objects[name].wxyz = turn.w, turn.x, turn.y, turn.z

    def look(self, camera: Any, view: str, is_upright: bool = False) -> None:
        """Have a browser, whose window may be upright, look from one of :data:`VIEWS`."""
        # On a phone the panel covers the lower third.
        far, drop = (1.7, 0.4) if is_upright else (1.0, 0.0)
        reach, (eye, at) = self._arm.model.reach, np.array(VIEWS[view])
        foot = np.array([0.0, 0.0, self._arm.model.base_height])
        camera.position = foot + far * reach * eye
        camera.look_at = foot + reach * (at - (0.0, 0.0, drop))

    def keep_in_view(self, camera: Any, point: Sequence[float]) -> None:
        """Have a browser look from farther away at a target [m] that is far from the arm."""
        if np.linalg.norm(point) < self._arm.model.reach:
            return
        middle, eye = np.array(camera.look_at), np.array(camera.position)
        away = np.linalg.norm(eye - middle)
        far = np.linalg.norm(np.array(point) - middle) + self.gizmo.scale
        if far > _IN_VIEW * away:
            camera.position = middle + far / (_IN_VIEW * away) * (eye - middle)
            camera.look_at = middle      # which has moved along

    def show_target(self, target: Target) -> None:
        """Put the gizmo where a target is, in browsers that have it elsewhere, too."""
        self.gizmo.position, self.gizmo.wxyz = (1e3, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
        self.gizmo.position = target.position
        self.gizmo.wxyz = tuple(viser.transforms.SO3.from_matrix(
            tool_rotation(self._arm, target)).wxyz.tolist())
        self.gizmo.visible = True

    def show_answer(self, target: Target, near: Sequence[float], solution: Solution) -> str:
        """
        Show what the solver says of a target, and return it in words.

        :param near: joint positions [rad] that it is solved from.
        """
        self._answer = dict(zip(self._arm.joint_names, solution.q))
        self._stopping = [joint.name for joint, q in zip(self._arm.model.joints, solution.q)
                          if joint.name in solution.limited_by and min(
                              q - joint.lower, joint.upper - q) < _AT_LIMIT]
        tip = self._arm.forward(solution.q).position
        self._miss.points = np.array([[tip, target.position]], 'f4')
        self._miss.visible = not solution.reached
        branches = [branch.q for branch in self._arm.solutions(target, near=near)
                    if branch.reached and branch.q != solution.q]
        for drawn, q in zip(self._others, [*branches, *[None] * OTHERS]):
            drawn.show({**self._measured, **dict(zip(self._arm.joint_names, q))} if q else None)
        return in_millimetres(solution.reason) or 'reached'

    def show_commanded(self, commanded: Mapping[str, float]) -> None:
        """
        Show the arm where it is commanded, unless it is there; after :meth:`show_answer`.

        :param commanded: by joint name [rad, m]; empty: where the target would bring it.
        """
        pose = commanded or self._answer
        # Not live, it would tint the grey.
        hidden = not self._is_live or self._are_near(pose, self._measured)
        self._ghost.show(None if hidden else {**self._measured, **pose},
                         self._stopping if self._are_near(pose, self._answer) else [])

    def show_reach(self, target: Target | None) -> None:
        """Show what is reached in the plane through a target."""
        if target is self._reach_of or self._slicing.is_alive():
            return
        self._reach_of = target
        # A rolling base or a tilting wrist may take seconds.
        self._slicing = threading.Thread(target=self._slice, args=(target,), daemon=True)
        self._slicing.start()

    def _slice(self, target: Target | None) -> None:
        name, corners = '/reach/slice', np.zeros((0, 3))
        if target is not None:
            corners = reach_area(self._arm.model, target.position[:2]).reshape(-1, 3)
        if not len(corners):
            self._scene.remove_by_name(name)
            return
        faces = np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)
        self._scene.add_mesh_simple(
            name, corners.astype(np.float32), faces, color=REACH, opacity=0.25, side='double',
            flat_shading=True, cast_shadow=False, receive_shadow=False)

    def _are_near(self, one: Mapping[str, float], other: Mapping[str, float]) -> bool:
        return all(abs(one[name] - other[name]) <= SHOWN_APART for name in self._arm.joint_names)


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
        self._links = links
        self._shown: Any = None
        self._root = scene.add_frame(name, show_axes=False, visible=False)
        self._frames = {link.name: scene.add_frame(f'{name}/{link.name}', show_axes=False)
                        for link in links}
        self._shapes = []   # with their colours, and the joints that move them
        for link in links:
            for index, shape in enumerate(link.shapes):
                own = colour or _rgb(shape.colour)
                self._shapes.append((_add_shape(
                    scene, f'{name}/{link.name}/{index}', shape, own, opacity), own, link.joint))

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
        for name, frame in link_frames(self._links, positions).items():
            self._frames[name].position = frame[:3, 3]
            self._frames[name].wxyz = viser.transforms.SO3.from_matrix(frame[:3, :3]).wxyz
        for handle, own, joint in self._shapes:
            stops = joint is not None and joint.name in stopping
            handle.color = OTHER if not is_live else STOPS if stops else own


class Drawing:
    """
    How a target is solved, as a picture.

    :param scene: of the viser server.
    """

    def __init__(self, scene: Any) -> None:
        self._scene, self._nodes = scene, dict[str, Any]()

    def show(self, picture: Picture) -> None:
        """Show a picture instead of the one before."""
        scene, pieces = self._scene, [_pieces(points) for points, _ in picture.lines.values()]
        wanted = {f'label of {name}': (scene.add_label, {
            'text': words, 'position': place, 'font_size_mode': 'scene', 'anchor': 'center-center',
            'font_scene_height': HIGH * picture.size})
            for name, (place, words) in picture.labels.items()}
        wanted['lines'] = scene.add_line_segments, {
            'points': np.concatenate(pieces).astype('f4'), 'thickness_units': 'screen',
            'thickness': 3.0, 'colors': np.concatenate([
                np.full(piece.shape, colour, 'u1')
                for piece, (_, colour) in zip(pieces, picture.lines.values())])}
        turns = np.linspace(0.0, 2.0 * np.pi, 64)
        wanted['plane'] = scene.add_mesh_simple, {
            'vertices': picture.at(*picture.size * np.stack([np.cos(turns), np.sin(turns)])),
            'faces': np.array([(0, one, one + 1) for one in range(1, 63)]),
            'color': GIVEN, 'opacity': 0.12, 'side': 'double', 'cast_shadow': False}
        for name, node in self._nodes.items():
            node.visible = name in wanted
        for name, (make, props) in wanted.items():
            if name not in self._nodes:
                self._nodes[name] = make(f'/explain/{name}', **props)
            for key, value in props.items():
                setattr(self._nodes[name], key, value)


def _pieces(points: np.ndarray) -> np.ndarray:
    """Return the pieces (n - 1, 2, 3) of a line through points (n, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)


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
            '/trace/line', np.zeros((0, 2, 3), 'f4'), np.zeros((0, 2, 3), 'u1'), thickness=2.0,
            thickness_units='screen')

    def add(self, tip: np.ndarray) -> None:
        """Add a point [m], if it is far enough from the last one."""
        if self._points and np.linalg.norm(tip - self._points[-1]) < self._step:
            return
        self._points.append(tip)
        fresh = np.linspace(0.0, 1.0, len(self._points))[:, None]
        self._line.colors = _pieces(fresh * TRACE_COLOUR + (1.0 - fresh) * _FADED).astype(np.uint8)
        self._line.points = _pieces(np.array(self._points, np.float32))


def _add_shape(scene: Any, name: str, shape: Any, colour: tuple[int, ...],
               opacity: float | None) -> Any:
    is_mesh = shape.kind == 'mesh'
    more = {'color': colour, 'opacity': opacity, 'position': shape.xyz,
            'wxyz': viser.transforms.SO3.from_rpy_radians(*shape.rpy).wxyz,
            'cast_shadow': opacity is None and not is_mesh}
    if is_mesh:
        return scene.add_mesh_simple(name, shape.size['vertices'], shape.size['faces'],
                                     flat_shading=True, receive_shadow=False, **more)
    if shape.kind == 'sphere':
        return scene.add_icosphere(name, shape.size['radius'], **more)
    if shape.kind == 'cylinder':
        return scene.add_cylinder(name, shape.size['radius'], shape.size['length'], **more)
    return scene.add_box(name, dimensions=shape.size['size'], **more)


def _rgb(colour: str) -> tuple[int, ...]:
    parts = COLOURS[colour] if colour in COLOURS else tuple(map(float, colour.split()))
    return tuple(round(255 * part) for part in parts[:3])
