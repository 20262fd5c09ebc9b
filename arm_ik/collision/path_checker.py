# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the arm would touch on its path, by ``check_path``."""

import numpy as np

from .paths import look

#: Further open than this the gripper is another shape [rad or m].
_OPENED = 0.003

#: An arm that is led along a stream cuts its corners: by so long a part of its motion [s], and by
#: so much at the most [m].
_LAG, _MOST = 0.05, 0.017

#: What is refused: nothing, what the user wrote, or the arm itself as well.
MODES = ('none', 'user', 'all')


class PathChecker:
    """
    Looks along paths; a path is joint positions [rad] in order, shape (n, joints), n at least 2.

    :param arm: the :class:`~arm_ik.Arm`.
    :param mode: one of :data:`MODES`.
    :param extra: dict of the newest positions of the extra joints by name.
    :param keep_out: shapes in addition to those of the arm.

    ``extra`` and ``keep_out`` may be replaced, not changed: background threads read them.
    """

    def __init__(self, arm, mode, extra, keep_out):
        self._arm, self._mode, self.extra, self.keep_out = arm, mode, extra, tuple(keep_out)
        self._built = None              # a scene, and what it was built of

    @property
    def refuses(self):
        """Whether there is anything that a path is refused for."""
        model = self._arm.model
        return self._mode == 'all' or self._mode == 'user' and (
            model.floor_height is not None or bool(model.keep_out) or bool(self.keep_out))

    @property
    def warns(self):
        """Whether there is anything that is only warned of."""
        return self._mode == 'user'

    def objection(self, path, speeds=()):
        """
        Return ``(reason, cause)`` why a path is not to be taken; ``None``: it is.

        :param speeds: of the joints along a path that the arm is only near to [rad/s].
        """
        if not self.refuses:
            return None
        found = self._look(path, self._mode == 'all', speeds)
        if not found.part:
            return None
        less = 'user or none' if found.is_own else 'none'
        return (f'{found.reason}; allowed: paths that touch nothing, or check_path {less}',
                'touch')

    def warning(self, path):
        """Return what is only warned of on a path, the arm itself, or ``''``."""
        found = self._look(path)
        return f'{found.reason}, by shapes that are rough' if found.is_own else ''

    def clear(self, path):
        """Return how much of a path is clear of what is refused, at most 1, and what touches."""
        if self._mode == 'none':
            return 1.0, ''
        found = self._look(path, self._mode == 'all')
        return (float(found.clear), f'slower, and no farther: the {found.part} would touch the '
                f'{found.other}') if found.part else (1.0, '')

    @property
    def is_outdated(self):
        """Whether shapes or gripper are others than those looked at last."""
        return self._built is not None and self._differs(*self._built)

    def _look(self, path, own=True, speeds=()):
        scene = self._with_gripper()
        margin = min(_MOST, _LAG * (scene.travel @ np.abs(speeds)).max()) if len(speeds) else 0.0
        found = look(scene, np.asarray(path)[None], own | ~scene.is_own[:-1], margin)
        return found._make(each[0] for each in found)

    def _with_gripper(self):
        built = self._built
        if built is None or self._differs(*built):
            extra, shapes = self.extra, self.keep_out
            built = self._built = self._arm.scene(extra, shapes), extra, shapes
        return built[0]

    def _differs(self, _, then, shapes):
        return shapes != self.keep_out or any(
            abs(at - then.get(name, np.inf)) > _OPENED for name, at in self.extra.items())
