# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A world with weight: lifts through both nodes, places to pick from, sag, and what it costs.

A place counts as served if the cube ends on the block. Sag is compared with the torque that
MuJoCo needs to hold the arm still; guessed masses with those of the makers.
"""

from dataclasses import replace
from math import cos, sin
import os
from random import Random
from time import perf_counter, sleep

from arm_ik import Arm, KeepOut
import numpy as np

from .figures import every, Figure, NotPossibleHere, within

#: Lifts through both nodes, places in simulated time, poses; in short runs.
NUMBER, PLACES, POSES = 20, 100, 50
SHORT = 1, 4, 5

#: Tip off the place that is known, to either side [m].
_OFF = 0.005


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        raise NotPossibleHere('needs the extra physics') from None
    lifts, places, poses = SHORT if short else (NUMBER, PLACES, POSES)
    return [*lifted(lifts, seed, say), *served(places, seed, say), *sag(poses, seed),
            *guesses(200, seed), *([] if short else cost(10.0))]


def lifted(number, seed, say):
    """Lift a cube off a place that is known to 5 mm, through both nodes over DDS."""
    from arm_ik.demo.physics import objects, once, random_place
    from arm_ik.testing import SimulatedArm
    random, rows = Random(seed), []
    for _ in range(number):
        known = random_place(random)
        scene = objects([each + random.uniform(-_OFF, _OFF) for each in known[:2]], known[2])
        with SimulatedArm('so101', backend='mujoco', objects=scene) as arm:
            rows.append(once(arm, known))
        say(rows[-1])
    up, placed, slips = zip(*rows)
    return [every('cubes lifted through both nodes', sum(up), number),
            every('cubes put on the block', sum(placed), number),
            within('slip in the hand', [1e3 * slip for slip in slips], 6.0, 'mm')]


def served(number, seed, say):
    """Pick from random places, r 0.13 to 0.24 m, in simulated time, and put on the block."""
    from arm_ik.demo.physics import approach, BLOCK, CUBE, objects
    from arm_ik.errors import InvalidInputError
    from arm_ik.kinematics.model import SceneObject
    from arm_ik.testing import SteppedArm
    random, arm, counts = Random(seed), Arm.preset('so101'), {}
    began = perf_counter(), 0.0
    for _ in range(number):
        radius, turn = random.uniform(0.13, 0.24), random.uniform(-1.2, 1.2)
        at = arm.model.base_x + radius * cos(turn), radius * sin(turn)
        block = (*BLOCK[:2], np.arctan2(BLOCK[1], BLOCK[0] - arm.model.base_x))
        near_block = max(abs(at[0] - BLOCK[0]), abs(at[1] - BLOCK[1])) < 0.09
        if near_block:      # or both would be in one another
            block = (BLOCK[0], -BLOCK[1], -block[2])
        scene = objects(at, turn)
        scene['block']['position'][1] = block[1]
        world = SteppedArm(arm, {'scene': tuple(
            SceneObject(name, **{key: tuple(value) if isinstance(value, list) else value
                                 for key, value in its.items()})
            for name, its in scene.items())})
        try:
            cube = approach(arm, (*at, turn), 0.5 * CUBE)
            down = approach(arm, block, 2.0 * BLOCK[2] + 0.5 * CUBE)
        except InvalidInputError as error:
            counts[str(error)[:70]] = counts.get(str(error)[:70], 0) + 1
            continue
        for found, opening in ((cube, 0.0), (down, 0.6)):
            if found is cube:
                world.driver.open_gripper(0.6)
            world.driver.command(arm.joint_names, found.line.q[0])
            world.step(2.5)
            follow(world, found.line)
            world.driver.open_gripper(opening)
            world.step(1.5)
            follow(world, arm.line([found.before], found.line.q[-1]))
        place, _, touches = world.backend.objects['cube']
        ends = 'on the block' if touches == ('block',) else 'elsewhere'
        counts[ends] = counts.get(ends, 0) + 1
        began = began[0], began[1] + world.time
    say(counts)
    done = counts.get('on the block', 0)
    return [Figure('random places whose cube ends on the block', f'{0.9 * number:g}',
                   f'{done} of {number}; {counts}', done >= 0.9 * number),
            Figure('simulated time', '', f'{began[1] / (perf_counter() - began[0]):.0f} times as '
                   'fast as the clock')]


def follow(world, line):
    """Let an arm follow a line, and rest."""
    world.driver.follow(world.arm.joint_names, line.times.tolist(), line.q.tolist(),
                        line.velocities.tolist())
    world.step(line.duration + 0.5)


def sag(number, seed):
    """Compare sag with torque over stiffness in random poses above the floor."""
    from arm_ik.testing import SteppedArm
    arm, generator = Arm.preset('so101'), np.random.default_rng(seed)
    scene = arm.scene(keep_out=[KeepOut('floor', 'half_space')])
    misses, sags, drops = [], [], []
    while len(drops) < number:
        start = [generator.uniform(0.7 * joint.lower, 0.7 * joint.upper)
                 for joint in arm.model.joints]
        if arm.clearance(start, scene) < 0.03:
            continue
        world = SteppedArm(arm, {'start': dict(zip(arm.joint_names, start))})
        world.step(2.0)
        made, data = world.backend.world, world.backend.data
        here = [world.positions[name] for name in arm.joint_names]
        for name, set_point, at in zip(arm.joint_names, start, here):
            speed, = made.joint(name).dofadr
            stiffness = made.actuator(name).gainprm[0]
            misses.append(np.degrees(abs(at - set_point + data.qfrc_bias[speed] / stiffness)))
            sags.append(np.degrees(abs(at - set_point)))
        drops.append(1e3 * np.linalg.norm(arm.forward(here).position
                                          - arm.forward(start).position))
    shoulder, elbow, wrist = (np.median(sags[role::5]) for role in (1, 2, 3))
    return [within('sag less torque over stiffness', misses, 0.17, 'deg'),
            Figure('sag of shoulder, elbow, wrist', '', f'median {shoulder:.2f}, {elbow:.2f}, '
                   f'{wrist:.2f} deg; worst {max(sags):.2f}; the tip by '
                   f'{np.median(drops):.1f} mm')]


def guesses(number, seed):
    """Compare the torque against gravity of guessed masses with that of the maker's."""
    import mujoco

    from arm_ik.bus.mujoco import make_spec
    model, generator = Arm.preset('so101').model, np.random.default_rng(seed)
    guessed = replace(model, **{
        block: tuple(replace(joint, mass=None, centre=(), inertia=())
                     for joint in getattr(model, block)) for block in ('joints', 'extra_joints')})
    poses = generator.uniform([joint.lower for joint in model.joints],
                              [joint.upper for joint in model.joints], (number, 5))
    rms = []
    for each in (model, guessed):
        world = make_spec(each).compile()
        data, torques = mujoco.MjData(world), []
        for pose in poses:
            data.qpos[:5] = pose
            mujoco.mj_forward(world, data)
            torques.append(data.qfrc_bias[:5].copy())
        rms.append(np.sqrt(np.mean(np.square(torques), axis=0)))
    off = abs(rms[1][1:] / rms[0][1:] - 1.0)
    return [Figure('torque by guessed masses at shoulder and elbow, off by', '20 %',
                   f'{100 * off[0]:.0f}, {100 * off[1]:.0f} % (wrist {100 * off[2]:.0f} %)',
                   max(off[:2]) <= 0.2)]


def cost(seconds):
    """Measure what driver_node takes of a core with a scene, at 100 Hz."""
    from arm_ik.demo.physics import objects
    from arm_ik.testing import SimulatedArm
    tick = os.sysconf('SC_CLK_TCK')

    def used(process):
        with open(f'/proc/{process.pid}/stat') as file:
            return sum(map(int, file.read().rpartition(')')[2].split()[11:13])) / tick

    found = []
    for more in ({}, {'backend': 'mujoco', 'objects': objects((0.2, 0.06), 0.0)}):
        with SimulatedArm('so101', **more) as arm:
            sleep(1.0)
            before, begin = used(arm.processes['driver_node']), perf_counter()
            for number in range(round(seconds / 2.0)):
                arm.send((0.25, 0.1 * (-1) ** number, 0.15), (1.0, 0.0, 0.0))
                sleep(2.0)
            found.append(100.0 * (used(arm.processes['driver_node']) - before)
                         / (perf_counter() - begin))
    return [Figure('of a core for driver_node at 100 Hz, moving', '15 %',
                   f'{found[1]:.1f} %, without weight {found[0]:.1f}', found[1] <= 15.0)]
