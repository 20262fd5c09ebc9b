# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The part of the page that stores poses in a target file, and plays them."""

from collections.abc import Callable
from pathlib import Path
import threading
from typing import Any

from .control import Control, Input
from .page_words import in_lines
from ..description.target_file import load_targets, poses_in, store
from ..errors import ArmIkError
from ..replay.player import entry_of, path_of, Player


class PosesPanel:
    """
    Poses of a target file.

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
