# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An SO-101 picks up a cube, each time from another place, and puts it on a block.

It knows the place to 5 mm and the turn to 10 degrees. Both nodes run, and the driver's back end is
a world with weight.
"""

from math import atan2, cos, dist, radians, sin
import os
from random import Random

import numpy as np

from ..arm import Arm
from ..errors import InvalidInputError
from ..kinematics.model import SceneObject
from ..kinematics.target import Target
from ..testing import SimulatedArm

#: Edge of the cube [m], middle of the block, and how far the hand goes up from both.
CUBE, BLOCK, RISE = 0.03, (0.2, -0.12, 0.01), 0.09

#: The places of the cube: radius [m] and direction [rad] from the yaw axis; and what may be wrong
#: with what the arm knows of it, to either side [m, rad].
_RADII, _DIRECTIONS, _OFF, _TURNED = (0.13, 0.24), (-0.1, 1.2), 0.005, radians(10.0)

#: The cube's place between open fingers is so far from the tip, against the forward vector [m];
#: and the opening, from 0 to 1.
_BESIDE, _OPEN = 0.0105, 0.6

#: Width and height of picture and animation [pixels], whose frames are so many states apart.
_SIZE, _SMALL, _STRIDE = (960, 600), (480, 300), 6


def pick_and_place(times, picture, **more):
    """
    Pick and place a cube; print how each went, and how many were lifted and placed.

    :param times: so many.
    :param picture: path of a PNG to draw the last one in, with a GIF beside it, or ``None``.
    :param more: for :class:`~arm_ik.testing.SimulatedArm`.
    :returns: whether all were placed.
    """
    if times < 1:
        raise InvalidInputError('--physics', times, 'a number of times, at least 1')
    random, rows = Random(1), []
    for number in range(1, times + 1):
        known = random_place(random)
        scene = objects([each + random.uniform(-_OFF, _OFF) for each in known[:2]],
                        known[2] + random.uniform(-_TURNED, _TURNED))
        with SimulatedArm('so101', backend='mujoco', objects=scene, **more) as arm:
            record = arm.record()
            rows.append(once(arm, known))
        print(f'  {number:3}  cube at {known[0]:.3f} {known[1]:6.3f}  '
              '{}lifted  {}placed  slip {:.1f} mm'.format(
                  *['' if done else 'NOT ' for done in rows[-1][:2]], 1e3 * rows[-1][2]))
    lifted, placed, slips = zip(*rows)
    print(f'  lifted {sum(lifted)} of {times}, placed {sum(placed)}, worst slip '
          f'{1e3 * max(slips):.1f} mm')
    if picture is not None:
        try:
            draw(arm.arm.model, scene, record, picture)
            print(f'  pictures: {picture} and {picture.with_suffix(".gif")}')
        except Exception as error:  # noqa: BLE001, whatever EGL raises where it is missing
            print(f'  no pictures: {error!r}. They need EGL (apt-get install libegl1) and Pillow')
    return all(lifted + placed)


def random_place(random):
    """Return a place of the cube: x, y [m] and its turn [rad], facing the arm."""
    radius, turn = random.uniform(*_RADII), random.uniform(*_DIRECTIONS)
    return Arm.preset('so101').model.base_x + radius * cos(turn), radius * sin(turn), turn


def objects(at, turn):
    """Return cube and block, by name as in a file of objects."""
    return {'cube': {'kind': 'box', 'size': [CUBE] * 3, 'position': [*at, 0.5 * CUBE],
                     'rpy': [0.0, 0.0, turn], 'mass': 0.03},
            'block': {'kind': 'box', 'size': [0.08, 0.08, 2.0 * BLOCK[2]], 'position': [*BLOCK]}}


def approach(arm, place, height):
    """
    Return the :class:`~arm_ik.motion.approach.Approach` of open fingers to a cube.

    :param arm: the :class:`~arm_ik.Arm`.
    :param place: x, y [m] and turn [rad].
    :param height: of the middle of the cube [m].
    """
    x, y, turn = place
    forward = np.array((sin(turn), -cos(turn), 0.0))
    tip = (x, y, height) + _BESIDE * forward
    found = arm.approach(tip, RISE, opening=forward, near=arm.solve(
        Target(tip, (0.0, 0.0, -1.0), forward)).q)     # or the fingers may be half a turn off
    if not found.at:
        raise InvalidInputError('place of the cube', (x, y), f'another one: {found.reason}')
    return found


def once(arm, place):
    """
    Pick the cube at a place and put it on the block.

    :returns: whether it was lifted, whether it is on the block, and how far it has moved in the
        hand between being gripped and being above the block [m].
    """
    def go(target, motion='line'):
        arm.set_parameters('ik_node', motion=motion)
        arm.wait_for_arrival(arm.send(target.position, target.up, target.forward))

    def in_hand():
        tip = arm.tip()
        return tip.rotation.T @ (np.array(arm.objects['cube'].position) - tip.position)

    cube = approach(arm.arm, place, 0.5 * CUBE)
    arm.move_gripper(_OPEN)
    go(cube.before, 'joint')
    go(cube.at)
    arm.move_gripper(0.0)
    gripped = in_hand()
    go(cube.before)
    lifted = arm.holds('cube')
    block = approach(arm.arm, (*BLOCK[:2], atan2(BLOCK[1], BLOCK[0] - arm.arm.model.base_x)),
                     2.0 * BLOCK[2] + 0.5 * CUBE)
    go(block.before, 'joint')
    slip = dist(gripped, in_hand())
    go(block.at)
    arm.move_gripper(_OPEN)
    go(block.before)
    there = arm.objects['cube']
    return lifted, dist(there.position[:2], BLOCK[:2]) < 0.04 and there.touches == {'block'}, slip


def draw(model, scene, record, path):
    """Draw a record with the cube at its highest, and all of it as a GIF beside that."""
    os.environ.setdefault('MUJOCO_GL', 'egl')
    import mujoco
    from PIL import Image

    from ..bus.mujoco import make_spec
    world = make_spec(model, [SceneObject(name, **its) for name, its in scene.items()]).compile()
    world.vis.global_.offwidth, world.vis.global_.offheight = _SIZE
    data, camera = mujoco.MjData(world), mujoco.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (
        (0.14, 0.0, 0.09), 0.55, 215.0, -27.0)

    def images(frames, size):
        with mujoco.Renderer(world, size[1], size[0]) as renderer:
            for frame in frames:
                for name in model.joint_names + ('gripper',):
                    data.joint(name).qpos = frame[name]
                data.qpos[-7:] = *frame['cube'].position, *np.roll(frame['cube'].rotation, 1)
                mujoco.mj_forward(world, data)
                renderer.update_scene(data, camera)
                yield Image.fromarray(renderer.render())

    path.parent.mkdir(parents=True, exist_ok=True)
    next(images([max(record, key=lambda frame: frame['cube'].position[2])], _SIZE)).save(path)
    first, *rest = [image.quantize(128, method=2) for image in images(record[::_STRIDE], _SMALL)]
    first.save(path.with_suffix('.gif'), save_all=True, append_images=rest, duration=120, loop=0)
