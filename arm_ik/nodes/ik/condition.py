# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is wrong with the arm, and how its driver is, as far as the core can know."""

from math import isfinite

from .report import Level


def trouble(core):
    """
    Return ``(level, words)`` of what is wrong; ``None``: nothing is.

    :param core: the :class:`~.core.IkCore`.
    """
    complaint = core.complaint()
    if complaint:
        return (Level.STALE if core.enabled else Level.WARN), complaint[0]
    if core.stuck:
        name, way = core.stuck
        return Level.ERROR, f'{name} does not move, and is {way:.3g} rad from its command'
    return None


def driver(core):
    """Return in a word how the driver is; see :func:`trouble`."""
    if not core.fresh:
        return 'silent' if isfinite(core.state_age) else 'unknown'
    return 'not following' if core.stuck else 'answering'
