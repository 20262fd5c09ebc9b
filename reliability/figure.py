# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""One figure of an experiment, or the reason why there is none."""

from typing import NamedTuple


class Figure(NamedTuple):
    """
    What was promised and what was seen.

    :param what: the promise in plain words; it tells an experiment's figures apart.
    :param seen: what was counted or measured, with units.
    :param wanted: the bound; empty for what is only reported.
    :param held: whether what was seen keeps to the bound.
    """

    what: str
    seen: str
    wanted: str
    held: bool


class NotHere(Exception):
    """What an experiment raises that can't be tried on this machine, with the reason."""
