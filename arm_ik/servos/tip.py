# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Tip: where a gripper, a pen or a camera is, by touches of one fixed point from different sides.

``tool0`` is at ``t`` with the axes ``R`` in each touch, the tip at ``p`` in these axes, and the
point at ``s`` in all of them::

    R_i p - s = -t_i        (least squares)
"""

from dataclasses import replace
from math import degrees

import numpy as np

from .arguments import load, require_all
from .posing import ByHand, STILL
from ..arm import Arm
from ..errors import DriverError, InvalidInputError
from ..kinematics.model import Tip

#: Fewer touches say nothing; up to this condition a tick of an encoder is no millimetre.
_LEAST, _WORST = 3, 10.0


def run(options, terminal):
    """Find the tip of an arm; return the exit code."""
    arm, servos, backend = load(options)
    if not arm.model.has('wrist_roll'):
        raise InvalidInputError('the arm', arm.name, 'one that rolls its hand: others touch a '
                                'point from one side only. Measure x, y and z of the tip')
    bare = Arm(replace(arm.model, tip=''))      # its tool0 is on the roll axis
    _require_tip(arm.model, options.name)       # a wrong name, before anyone has touched anything
    if not backend.has_feedback:
        raise DriverError(backend.name, 'these servos measure nothing')
    if not servos.is_verified:
        terminal.say('Nobody has verified this servos file: the tip is no better than its zeros.')
    touches = []
    with backend:
        require_all(backend)
        poser = ByHand(terminal, bare.joint_names, lambda: backend.read().positions,
                       lambda: backend.set_torque(False), STILL)
        while True:
            at = poser.reach(
                f'Touch {len(touches) + 1}: bring the tip to the point, always the same one, from '
                'another side than before', lambda at: [', '.join(
                    f'{name} {degrees(at[name]):.1f}' if name in at else f'{name}: no answer'
                    for name in bare.joint_names)])
            touches.append([at[name] for name in bare.joint_names])
            if len(touches) < _LEAST:
                continue
            pose = bare.forward(touches)
            place, residual, condition, weakest = tip_of(pose.rotation, pose.position)
            terminal.say(f'tip: x {1e3 * place[0]:.1f}, y {1e3 * place[1]:.1f}, z '
                         f'{1e3 * place[2]:.1f} mm; residual {1e3 * residual:.2f} mm, condition '
                         f'{condition:.1f}', *remedy(condition, weakest))
            if not terminal.choose('Another touch?'):
                break
    if condition > _WORST:
        return 1
    x, y, z = (round(float(each), 5) for each in place)
    _require_tip(arm.model, options.name, x, y, z)
    terminal.say('For the block arm of the arm file:', f'tip_names: [{options.name}]',
                 f'tips: {{{options.name}: {{x: {x}, y: {y}, z: {z}}}}}',
                 f'Then --tip {options.name} has tool0 there.')
    return 0


def _require_tip(model, name, *place):
    Arm(replace(model, tips=(*model.tips, Tip(name, *place)), tip=name))


def tip_of(rotations, positions):
    """
    Return the tip by touches: place, residual [m], condition, and the direction known least.

    :param rotations: of ``tool0`` in each touch, shape (n, 3, 3).
    :param positions: the same [m], shape (n, 3).
    """
    sides = np.concatenate([rotations, np.broadcast_to(-np.eye(3), rotations.shape)], axis=2)
    sides, wanted = sides.reshape(-1, 6), -positions.reshape(-1)
    found = np.linalg.lstsq(sides, wanted, rcond=None)[0]
    residual = np.linalg.norm(sides @ found - wanted) / np.sqrt(len(positions))
    return found[:3], residual, np.linalg.cond(sides), np.linalg.svd(sides)[2][-1][:3]


def remedy(condition, weakest):
    """Return lines on what is missing for touches to show where the tip is."""
    if condition <= _WORST:
        return []
    how = 'the hand was hardly rolled. Turn the wrist by a quarter turn'
    if abs(weakest[2]) > 0.5:
        how = 'in all of them the last link points in the same direction. Tilt it, up or down'
    return [f'These touches are too much alike (allowed: a condition of {_WORST:g}): {how}.']
