# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The parts of the page that are about joints: sliders; poses that are stored and played."""

from collections.abc import Callable
from functools import partial
from math import degrees, radians
from pathlib import Path
import threading
from time import monotonic
from typing import Any

from .control import Control, Input
from .page_words import in_lines
from .target_panel import TargetPanel
from ..description.target_file import load_targets, poses_in, store
from ..errors import ArmIkError
from ..replay.player import entry_of, path_of, Player
from ..tool_rotation import target_at

#: So long after a slider was moved, sliders do not yet show the measured positions [s].
_SLIDES = 2.0

#: How many of their steps sliders may be off before they follow the arm.
_OFF = 2.5


class JointPanel:
    """
    Sliders of the joints.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param target: the :class:`~.target_panel.TargetPanel`, which sends poses.
    """

    def __init__(self, gui: Any, control: Control, source: Any, target: TargetPanel) -> None:
        self._source, self._arm, self._target = source, source.arm, target
        self._wished: list[float] = []       # where joints are to be, while sliders are moved
        self._sent: Any = None     # the target with those positions
        model = self._arm.model
        self._sliders = [Input(control, gui.add_slider(
            f'{joint.name} [°]', round(degrees(joint.lower), 1), round(degrees(joint.upper), 1),
            0.1, round(degrees(home), 1)), partial(self._on_slider, index))
            for index, (joint, home) in enumerate(zip(model.joints, model.home))]
        if model.extra_joints:
            self._sliders.append(Input(control, gui.add_slider(
                'Gripper', 0.0, 1.0, 0.01, 0.0, hint='0 closed, 1 open'),
                lambda value: control.stopped or source.gripper(value)))

    def forget(self) -> None:
        """Forget where sliders were moved to."""
        self._wished = []

    def show(self) -> None:
        """Show where the joints are, unless somebody has just moved one."""
        if monotonic() - max(slider.touched for slider in self._sliders) < _SLIDES:
            return
        self.forget()
        measured, model = self._source.measured, self._arm.model
        shown = [degrees(measured[name]) for name in self._arm.joint_names]
        for slider, value in zip(self._sliders, (*shown, model.gripper_opening(measured))):
            if value is not None:
                slider.show_near(value, _OFF)

    def _on_slider(self, index: int, value: float) -> None:
        measured, joints = self._source.measured, self._arm.model.joints
        if not {*self._arm.joint_names} <= measured.keys():
            return
        if not self._wished or self._target.target is not self._sent:
            self._wished = [measured[joint.name] for joint in joints]   # the other joints stay
        self._wished[index] = radians(value)
        self._sent = target_at(self._arm, [min(max(at, joint.lower), joint.upper)
                                           for at, joint in zip(self._wished, joints)])
        self._target.go_to(self._sent)


class PosesPanel:
    """
    Stores poses of the arm in a target file, and plays them.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param path: of the file, which may be missing.
    """

    def __init__(self, gui: Any, control: Control, source: Any, path: Path) -> None:
        self._source, self._path, self._player = source, path, Player(source)
        self._thread = threading.Thread()
        self._name = Input(control, gui.add_text('Name', '', hint='of the next pose'))
        self._list = gui.add_dropdown('Pose', (*poses_in(path),) or ('none yet',))
        self._pose = Input(control, self._list)
        for label, act in (('Store pose', self._store), ('Go to pose', lambda: self._play(
                [poses_in(path)[self._pose.value]])), ('Play', lambda: self._play(
                    load_targets(path).steps))):
            gui.add_button(label).on_click(control.unless_stopped(
                lambda _, act=act: self._try(act)))     # type: ignore[misc]
        self._words = gui.add_html('')

    def stop(self) -> None:
        """Brake a path that is played to rest."""
        self._player.stops = True

    def _try(self, act: Callable[[], str]) -> None:
        try:
            words = act()
        except (ArmIkError, OSError, KeyError) as error:    # KeyError: no such pose or joint
            words = str(error)
        self._words.content = in_lines('note', ('', words or 'at rest'))

    def _store(self) -> str:
        model = self._source.arm.model
        name = store(self._path, self._name.value.strip(), entry_of(
            model, self._source.measured), model.name)
        self._list.options = (*poses_in(self._path),)
        self._name.show('')
        return f'{name}: stored'

    def _play(self, steps: Any) -> str:
        if self._thread.is_alive():
            return 'the arm moves: stop it first'
        path, self._player.stops = path_of(self._source.arm, steps, self._source.measured), False
        self._thread = threading.Thread(target=self._try, daemon=True, args=(
            lambda: self._player.play(path),))
        self._thread.start()
        return 'the arm moves'
