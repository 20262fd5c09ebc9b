# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the arm would touch on its way, by ``check_path``."""

import numpy as np

from ...collision import look

#: Further open than this the gripper is another shape [rad or m].
_OPENED = 0.003

#: Values of ``check_path``: nothing is refused, what the user wrote, or the arm itself as well.
MODES = ('none', 'user', 'all')


class PathChecker:
    """
    Looks along ways; a way is joint positions [rad] in order, shape (n, joints), n at least 2.

    :param arm: the :class:`~arm_ik.Arm`.
    :param mode: one of :data:`MODES`.
    :param extra: dict of the newest positions of the extra joints by name, kept up to date.
    :param keep_out: list of shapes beside those of the arm, kept up to date.
    """

    def __init__(self, arm, mode, extra, keep_out):
        self._arm, self._mode, self._extra, self._keep_out = arm, mode, extra, keep_out
        self._built = None              # a scene, and what it was built of

    def objection(self, way):
        """
        Return why a way is not to be gone, and what is warned of on one that is.

        :returns: ``(reason, cause)`` or ``None``, and words or ``''``.
        """
        if self._mode == 'none':
            return None, ''
        found, warning = self._look(way), ''
        if found.is_own and self._mode == 'user':
            warning = f'{found.reason}, by shapes that are rough'
            found = self._look(way, own=False)
        if not found.part:
            return None, warning
        less = 'user or none' if found.is_own else 'none'
        return (f'{found.reason}; allowed: paths that touch nothing, or check_path {less}',
                'touch'), ''

    def clear(self, way):
        """Return how much of a way is clear of what is refused, at most 1, and what touches."""
        if self._mode == 'none':
            return 1.0, ''
        found = self._look(way, own=self._mode == 'all')
        return (float(found.clear), f'slower, and no farther: the {found.part} would touch the '
                f'{found.other}') if found.part else (1.0, '')

    @property
    def is_outdated(self):
        """Whether shapes or gripper are others than those looked at last."""
        return self._built is not None and self._differs(*self._built)

    def _look(self, way, own=True):
        scene = self._with_gripper()
        found = look(scene, np.asarray(way)[None], own | ~scene.is_own[:-1])
        return found._make(each[0] for each in found)

    def _with_gripper(self):
        # At once: paths that are planned beside the node look into it, too.
        built = self._built
        if built is None or self._differs(*built):
            now, shapes = dict(self._extra), tuple(self._keep_out)
            built = self._built = self._arm.scene(now, shapes), now, shapes
        return built[0]

    def _differs(self, _, then, shapes):
        return shapes != tuple(self._keep_out) or any(
            abs(at - then.get(name, np.inf)) > _OPENED for name, at in dict(self._extra).items())
