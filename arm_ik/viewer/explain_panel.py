# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The part of the page that says how the target is solved.

Nothing here moves the arm: the other bend of the elbow is a setting for targets to come.
"""

from math import inf, radians, tan
from time import monotonic
from typing import Any

from .control import Control, Input
from .explanation import explain, Picture, PICTURES
from .page_words import in_lines, in_steps
from .scene import Drawing
from .target_panel import RESTS, TargetPanel
from ..kinematics.explanation.answers_plane import plane_of_answer

#: How far a camera opens that faces a plane [rad], and how much it sees, in sizes of the picture.
FACING, SEEN = radians(8.0), 2.4


class ExplainPanel:
    """
    What is said and drawn of how the target is solved.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param panel: the :class:`~.target_panel.TargetPanel`.
    :param made: arguments of :func:`~arm_ik.arm.arm_of` that make the arm.
    """

    def __init__(self, server: Any, control: Control, source: Any, panel: TargetPanel, made: str
                 ) -> None:
        self._source, self._arm, self._panel, self._made = source, source.arm, panel, made
        self._drawing = Drawing(server.scene)
        self._asked: Any = None                          # what is drawn
        self._picture: Picture | None = None
        self._before: dict[int, dict[str, Any]] = {}     # by browser: where it looked from
        gui, bend = server.gui, control.only(self._bend, lambda _: None)
        with gui.add_folder('How it is solved', expand_by_default=False):
            self._words = gui.add_html('')
            self._kind = Input(control, gui.add_dropdown('Picture', tuple(PICTURES)))
            self._rotations = Input(control, gui.add_slider(
                "Recipe's rotations", 0.0, 5.0, 0.05, 5.0, hint='the roll of the base last'))
            gui.add_button('Face the plane', hint='and back').on_click(self._face)
            self._other = gui.add_button('Other bend', disabled=True, hint='sets elbow; key B')
            self._other.on_click(bend)
            gui.add_command('Other bend', hotkey='b').on_trigger(bend)
            gui.add_button('Nearest', hint='bend of the elbow').on_click(
                control.only(lambda _: panel.nearest()))
        self._steps = gui.add_html('', order=inf)

    def show(self, is_shown: bool, target: Any, elbow: str, near: Any, solution: Any) -> None:
        """Show how a target is solved from joint positions [rad], if some browser wants to see."""
        asked = (solution, self._kind.value, self._rotations.value, is_shown,
                 monotonic() - self._panel.changed > RESTS)
        if asked == self._asked:
            return
        found: Any = is_shown and plane_of_answer(self._arm.solver, target, tuple(near), solution)
        self._asked, self._found = asked, found
        self._other.disabled = not (found and found.other and not found.problem)
        self._words.content = ''.join(in_lines('line', words) for words in (
            ('Elbow:', elbow + ', for all targets; Go moves the arm' * (elbow != 'nearest')),
            ('Other bend:', found and (found.problem or found.elbow) or 'none')))
        self._steps.visible = is_shown
        if is_shown:
            pictures = {kind: explain(kind, self._arm, target, solution, found, asked[2])
                        for kind in (PICTURES if asked[-1] else asked[1:2])}   # all, at rest
            self._picture = pictures[self._kind.value].laid_out()
            self._drawing.show(self._picture)
            self._steps.content = in_steps([picture.steps for picture in pictures.values()], (
                f'from arm_ik import Target\nfrom arm_ik.arm import arm_of\n\n'
                f'target = Target({target.position}, {target.up}, {target.forward})\n'
                f'arm_of({self._made}).solve(target, {tuple(near)}, {elbow!r}).q'))

    def _bend(self, _: Any) -> None:
        if not self._other.disabled:
            self._panel.follow.show(False)      # or the next drag would move the arm to it
            self._source.set('elbow', self._found.elbow)

    def _face(self, event: Any) -> None:
        """Have a browser look square on at the plane, or as it did before."""
        camera, view = event.client.camera, self._before.pop(event.client_id, {})
        if self._picture and not view:
            view = facing(self._picture, max(camera.image_height / camera.image_width, 1.0))
            self._before[event.client_id] = {key: getattr(camera, key) for key in view}
        for key, value in view.items():
            setattr(camera, key, value)


def facing(picture: Picture, tall: float) -> dict[str, Any]:
    """Return how a camera faces a picture in a window that is so many times as high as wide."""
    (origin, _, n, h), seen = picture.frame, SEEN * tall * picture.size
    middle = origin - 0.18 * seen * (tall > 1.0) * h     # on a phone the panel covers the rest
    return {'fov': FACING, 'up_direction': h, 'position': middle - 0.5 * seen / tan(
        0.5 * FACING) * n, 'look_at': middle}
