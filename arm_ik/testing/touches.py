# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What an arm touched, by the states that were measured."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from ..arm import Arm
from ..collision import TOUCH
from ..kinematics.model import KeepOut

#: Poses that are looked at from one state to the next; joints move evenly between.
_BETWEEN = 8


def first_touch(arm: Arm, record: Sequence[Mapping[str, float]], keep_out: Iterable[KeepOut] = ()
                ) -> str:
    """
    Return in words what the arm touched first: floor, shapes, its base, itself; or ``''``.

    :param arm: the :class:`~arm_ik.Arm`.
    :param record: positions by joint name [rad, m] in the order of time.
    :param keep_out: further shapes than those of the arm.
    """
    extra, keep_out = [joint.name for joint in arm.model.extra_joints], tuple(keep_out)
    last: list[list[float]] = []
    for opened, states in groupby(record, lambda state: [state[name] for name in extra]):
        q = np.array([*last, *([state[name] for name in arm.joint_names] for state in states)])
        last = q[-1:].tolist()
        poses = np.concatenate([q[:1], *np.linspace(q[:-1], q[1:], _BETWEEN, axis=1)])
        scene = arm.scene(dict(zip(extra, opened)), keep_out)
        touching = np.flatnonzero(arm.clearance(poses, scene) < TOUCH)
        if touching.size:
            pair = scene.distances(poses[touching[:1]])[0].argmin()
            return f'the {scene.parts[pair]} touched the {scene.others[pair]}'
    return ''
