# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether paths of an arm are clear, looked at in ever smaller intervals; what is refused of them.

Between two poses, with distances a and b of a pair and joints that move by dq in one direction, no
point of the pair comes nearer by more than L = travel |dq| in all, so the pair stays apart by

    (a + b - L) / 2

If that is too little the interval is divided. A path may begin where a pair overlaps: it may lead
out of there, and not deeper. So step after step leads no deeper than the first touch.
"""

from math import ceil
from typing import NamedTuple

import numpy as np

#: A pair touches where it is nearer than this [m]; nowhere on a clear path is it nearer than that.
TOUCH, DEEPEST = -0.0005, -0.0015

#: Distances less than this are always exact [m].
_LEAST = 1e-9

#: A path is first divided into parts of about this motion [m], at most so many.
_PART, _MOST = 0.03, 24

#: Where an interval is looked at again, its ends included.
_FRACTIONS = np.linspace(0.0, 1.0, 5)

#: Further open than this the gripper is another shape [rad or m].
_OPENED = 0.003

#: An arm that is led along a stream cuts its corners: by so long a part of its motion [s], and by
#: so much at the most [m].
_LAG, _CUT = 0.05, 0.017

#: What is refused: nothing, what the user wrote, or the arm itself as well.
MODES = ('none', 'user', 'all')


class PathCheck(NamedTuple):
    """
    What is on a path; of several paths each is an array.

    ``fraction`` is the part of the path until the first touch, ``clear`` how far it is clear for
    sure before; both are 1 if there is none. ``part`` of the arm touches ``other``, both are
    ``''`` if there is none; ``is_own`` says whether that is the arm's base or the arm itself.
    """

    fraction: np.ndarray
    clear: np.ndarray
    part: np.ndarray
    other: np.ndarray
    is_own: np.ndarray

    @property
    def reason(self):
        """Say of a single path what touches where; ``''`` if it is clear."""
        if not self.part:
            return ''
        return (f'the {self.part} would touch the {self.other} after {100.0 * self.fraction:.0f} '
                '% of the path')


def look(scene, paths, counts=True, margin=0.0):
    """
    Return the :class:`PathCheck` of each of some paths.

    :param scene: the :class:`~.scene.Scene`.
    :param paths: joint positions [rad] in order, shape (paths, n, joints), n at least 2; between
        two of them each joint moves evenly.
    :param counts: mask of the pairs that count.
    :param margin: how far the arm may be off the path in between [m]; of a pair no more than it is
        apart where the path begins and ends.
    """
    number, last, counts = len(paths), paths.shape[1] - 1, counts & ~scene.far(paths, margin)
    travel, travelled = scene.travel.T, np.zeros(paths.shape)
    np.cumsum(np.abs(paths[:, 1:] - paths[:, :-1]), axis=1, out=travelled[:, 1:])
    both = np.concatenate([paths, travelled @ travel], axis=-1)

    def at(path, time):
        before = np.minimum(time.astype(int), last - 1)
        rows, part = both[path, before], (time - before)[..., None]
        rows = rows + part * (both[path, before + 1] - rows)
        return rows[..., :paths.shape[2]], rows[..., paths.shape[2]:]

    def distances(q, gap):
        found = scene.distances(q, np.where(counts, gap, -np.inf))
        scene.seen = q[-1], found[-1]
        return np.where(counts, found, np.inf)

    parts = min(_MOST, max(1, ceil(both[:, -1, paths.shape[2]:].max(initial=0.0) / _PART)))
    path = np.arange(number if counts.any() else 0)
    times = np.tile(np.linspace(0.0, last, parts + 1), (number, 1))
    allowed = d = None
    first, clear = np.full(number, np.inf), np.full(number, 1.0 * last)
    pair = np.full(number, -1)
    while len(path):
        # Intervals in a row: path, and times, distances and travel at the ends of each.
        q, far = at(path[:, None], times)
        length = far[:, 1:] - far[:, :-1]
        gap = np.full(far.shape, _LEAST)
        gap[:, 1:] = np.maximum(0.5 * length, _LEAST)
        gap[:, :-1] = np.maximum(gap[:, :-1], 0.5 * length) + margin
        gap[:, -1] += margin
        new = q if d is None else q[:, 1:-1]
        if d is not None:
            gap = np.where(d[:, :1] < np.inf, gap[:, 1:-1], -np.inf)
        inner = distances(new.reshape(-1, q.shape[-1]), gap.reshape(-1, gap.shape[-1]))
        inner = inner.reshape(*new.shape[:2], -1)
        if d is None:
            allowed, d = np.minimum(inner[:, 0] - TOUCH - _LEAST, 0.0), inner
            if margin:
                allowed += np.clip(np.minimum(inner[:, 0], inner[:, -1]), 0.0, margin)
            d = d - allowed[:, None]
        else:
            inner = np.where(gap > -np.inf, inner - allowed[path, None], np.inf)
            d = np.concatenate([d[:, :1], inner, d[:, 1:]], axis=1)
        np.minimum.at(first, path, np.where(d.min(axis=-1) < TOUCH, times, np.inf).min(axis=1))
        row, end = np.nonzero(times[:, 1:] == first[path, None])
        clear[path[row]], pair[path[row]] = times[row, end], d[row, end + 1].argmin(axis=-1)
        close = d[:, 1:] + d[:, :-1] - length < 2.0 * DEEPEST
        row, begin = np.nonzero(close.any(axis=-1) & (times[:, :-1] < first[path, None]))
        path, ends = path[row], (times[row, begin], times[row, begin + 1])
        # What is far enough in the whole interval needs no more looking at.
        d = np.where(close[row, begin][:, None],
                     np.stack([d[row, begin], d[row, begin + 1]], axis=1), np.inf)
        times = ends[0][:, None] + _FRACTIONS * (ends[1] - ends[0])[:, None]
    return PathCheck(np.minimum(first, last) / last, clear / last, scene.parts[pair],
                     scene.others[pair], scene.is_own[pair])


class PathChecker:
    """
    Looks along paths, by ``check_path``.

    A path is joint positions [rad] in order, shape (n, joints), n at least 2.

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
        return f'{found.reason}; allowed: paths that touch nothing, or check_path {less}', 'touch'

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
        built = self._built
        if built is None or self._differs(*built):
            extra, shapes = self.extra, self.keep_out
            built = self._built = self._arm.scene(extra, shapes), extra, shapes
        scene, *_ = built
        margin = min(_CUT, _LAG * (scene.travel @ np.abs(speeds)).max()) if len(speeds) else 0.0
        found = look(scene, np.asarray(path)[None], own | ~scene.is_own[:-1], margin)
        return found._make(each[0] for each in found)

    def _differs(self, _, then, shapes):
        return shapes != self.keep_out or any(
            abs(at - then.get(name, np.inf)) > _OPENED for name, at in self.extra.items())
