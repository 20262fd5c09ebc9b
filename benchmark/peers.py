# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The SO-101 and the frame of its gripper, beside every other solver that is installed here.

    python benchmark/peers.py --save mine.json                   # in one environment
    python benchmark/peers.py --with mine.json --picture peers.png     # in another one

The same poses four ways, and five streams of 30 poses a second; docs/lerobot.md has the table. The
judge is a forward kinematics in this file, which reads the URDF and knows none of the solvers.
Each solver is used as its own documentation does, inside the joint limits where it knows any, and
iterated to convergence. Position counts more than orientation wherever there are weights, as in
LeRobot. What is not installed is left out, and said so. Times are CPU times: a busy machine does
not count, a second thread does.
"""

from argparse import ArgumentParser
from importlib import metadata
import json
from math import degrees, pi, radians
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
from time import process_time
from types import SimpleNamespace
import warnings
from xml.etree import ElementTree

from arm_ik import Arm, Target
from arm_ik.lerobot import RobotKinematics
import numpy as np

BASE, FRAME = 'base_link', 'gripper_frame_link'

#: What counts as met [m, rad]; as the tip at its point though not the orientation [m].
FULL, TIP = (1e-4, 2e-3), 1e-3

#: Near seeds are so far away [rad], in each joint.
NEAR = 0.1

#: A servo that lags: the part of its error that it makes good in a frame, and its speed [rad/s].
LAG, SERVO_SPEED, RATE = 0.35, 3.0, 30.0

#: The iterated ones stop below this step [rad], or after so many.
STEP, MOST_STEPS = 1e-8, 100

#: Those that stop by the clock, by default after 5 ms, get this much [s], for a busy machine.
LONGEST = 0.01

WEIGHTS = (1.0, 0.01)

PEERS = {}


def peer(name, distribution):
    """Keep a function that makes a solver: of a setup, a function of a pose and positions."""
    return lambda make: PEERS.setdefault(name, (distribution, make))


class Setup(SimpleNamespace):
    """The arm as a URDF without shapes (``urdf``), its joints, limits, and the judge."""

    def __init__(self, urdf, folder):
        tree = ElementTree.parse(urdf) if urdf else ElementTree.ElementTree(
            ElementTree.fromstring(Arm.preset('so101').to_urdf()))
        for link in tree.iter('link'):
            for shape in [*link.findall('visual'), *link.findall('collision')]:
                link.remove(shape)
        above = {joint.find('child').get('link'): joint for joint in tree.findall('joint')}
        chain, link = [], FRAME
        while link != BASE:
            chain.insert(0, above[link])
            link = chain[0].find('parent').get('link')
        moving = [joint for joint in chain if joint.get('type') != 'fixed']
        super().__init__(
            urdf=Path(folder) / 'so101.urdf', elements=[BASE, *(
                name for joint in chain for name in (
                    joint.get('name'), joint.find('child').get('link')))],
            chain=[_plain(joint) for joint in chain],
            names=[joint.get('name') for joint in moving],
            lower=np.array([float(joint.find('limit').get('lower')) for joint in moving]),
            upper=np.array([float(joint.find('limit').get('upper')) for joint in moving]))
        tree.write(self.urdf)

    def forward(self, q):
        """Return poses (..., 4, 4) of the gripper's frame at positions (..., joints) [rad]."""
        q = np.asarray(q)
        pose, joint = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4)), 0
        for origin, cross in self.chain:
            pose = pose @ origin
            if cross is not None:
                angle = q[..., joint, None, None]
                turn = np.zeros((*q.shape[:-1], 4, 4)) + np.eye(4)
                turn[..., :3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
                pose, joint = pose @ turn, joint + 1
        return pose

    def inside(self, q):
        return ((q >= self.lower - 1e-6) & (q <= self.upper + 1e-6)).all(axis=-1)

    def random(self, rng, count):
        return rng.uniform(self.lower, self.upper, (count, len(self.names)))


def _plain(joint):
    """Return a joint's origin (4, 4), and its axis as the matrix of the cross product."""
    origin = joint.find('origin')
    numbers = {key: [float(word) for word in origin.get(key, '0 0 0').split()]
               for key in ('xyz', 'rpy')}
    pose = np.eye(4)
    for angle, axis in zip(numbers['rpy'], np.eye(3)):
        cross = _cross(axis)
        pose[:3, :3] = (np.eye(3) + np.sin(angle) * cross
                        + (1 - np.cos(angle)) * cross @ cross) @ pose[:3, :3]
    pose[:3, 3] = numbers['xyz']
    if joint.get('type') == 'fixed':
        return pose, None
    axis = np.array([float(word) for word in joint.find('axis').get('xyz').split()])
    return pose, _cross(axis / np.linalg.norm(axis))


def _cross(axis):
    x, y, z = axis
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rotation(vector):
    """Return the rotation matrix of a rotation vector [rad]."""
    angle = np.linalg.norm(vector)
    cross = _cross(vector / max(angle, 1e-12))
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def nearest(setup, points, rng):
    """Return the least distance [m] from the tip to points, by brute force, and descent."""
    samples = setup.random(rng, 40_000)
    places = setup.forward(samples)[:, :3, 3]
    starts = np.concatenate([
        np.argpartition(np.linalg.norm(places - point, axis=1), 6)[None, :6] for point in points])
    q, goal = samples[starts], np.asarray(points)[:, None]
    damping = np.full(q.shape[:2], 1e-3)

    def error_at(q):
        return goal - setup.forward(q)[..., :3, 3]

    error = error_at(q)
    for _ in range(60):
        columns = [(error - error_at(q + 1e-6 * unit)) / 1e-6 for unit in np.eye(q.shape[-1])]
        jacobian = np.stack(columns, axis=-1)
        gradient = np.einsum('...ij,...i->...j', jacobian, error)
        stuck = (gradient > 0) & (q >= setup.upper) | (gradient < 0) & (q <= setup.lower)
        jacobian = np.where(stuck[..., None, :], 0.0, jacobian)
        normal = np.swapaxes(jacobian, -1, -2) @ jacobian \
            + damping[..., None, None] * np.eye(q.shape[-1])
        step = np.linalg.solve(normal, np.where(stuck, 0.0, gradient)[..., None])[..., 0]
        tried = np.clip(q + step, setup.lower, setup.upper)
        new = error_at(tried)
        better = np.linalg.norm(new, axis=-1) < np.linalg.norm(error, axis=-1)
        q, error = [np.where(better[..., None], a, b) for a, b in ((tried, q), (new, error))]
        damping = np.where(better, 0.3 * damping, 5.0 * damping)
    return np.linalg.norm(error, axis=-1).min(axis=1)


def degrees_of(kinematics):
    """Return a solver in radians of a class that has LeRobot's names."""
    def solve(pose, near):
        return np.radians(kinematics.inverse_kinematics(np.degrees(near), pose))
    return solve


@peer('arm_ik', 'arm_ik')
def arm_ik(setup):
    return degrees_of(RobotKinematics('so101', FRAME, setup.names))


@peer('LeRobot, as it is', 'lerobot')
def lerobot(setup):
    from lerobot.model.kinematics import RobotKinematics as Theirs
    return degrees_of(Theirs(str(setup.urdf), FRAME, setup.names))


@peer('EAIK', 'EAIK')
def eaik(setup):
    # It knows no limits and no seed: what a user has to choose by is in choose().
    solve_bare, rest = eaik_bare(setup)

    def choose(pose, near):
        answer = solve_bare(_turned(pose, rest))
        if not len(answer.Q):
            return None
        found = (np.array(answer.Q) + pi) % (2 * pi) - pi
        allowed = found[setup.inside(found) & ~np.array(answer.is_LS, dtype=bool)]
        if len(allowed):
            return min(allowed, key=lambda q: np.abs(q - near).max())
        found = np.clip(found, setup.lower, setup.upper)
        return found[np.linalg.norm(setup.forward(found)[:, :3, 3] - pose[:3, 3], axis=1).argmin()]
    return choose


def eaik_bare(setup):
    """Return EAIK's bare call, and the rotation it takes for none."""
    from eaik.pybindings.EAIK import Robot
    zero, pose, axes, places = np.zeros(len(setup.names)), np.eye(4), [], [np.zeros(3)]
    for origin, cross in setup.chain:
        pose = pose @ origin
        if cross is not None:
            axes.append(pose[:3, :3] @ [cross[2, 1], cross[0, 2], cross[1, 0]])
            places.append(pose[:3, 3])
    rest = setup.forward(zero)
    offsets = np.diff([*places, rest[:3, 3]], axis=0)
    return Robot(np.array(axes).T, offsets.T, np.eye(3), [], True).calculate_IK, rest


def _turned(pose, rest):
    turned = np.asfortranarray(pose)
    turned[:3, :3] = pose[:3, :3] @ rest[:3, :3].T
    return turned


@peer('TRAC-IK', 'pytracik')
def trac_ik(setup):
    from trac_ik import TracIK
    robot = TracIK(BASE, FRAME, str(setup.urdf), timeout=LONGEST)
    return lambda pose, near: robot.ik(pose[:3, 3], pose[:3, :3], seed_jnt_values=near)


@peer('KDL', 'PyKDL')
def kdl(setup):
    import PyKDL
    chain, fixed, at = PyKDL.Chain(), PyKDL.Frame(), 0
    frame = _kdl_frame(PyKDL)
    for origin, cross in setup.chain:
        fixed = fixed * frame(origin)
        if cross is not None:
            axis = fixed.M * PyKDL.Vector(cross[2, 1], cross[0, 2], cross[1, 0])
            chain.addSegment(PyKDL.Segment(PyKDL.Joint(
                setup.names[at], fixed.p, axis, PyKDL.Joint.RotAxis), fixed))
            fixed, at = PyKDL.Frame(), at + 1
    chain.addSegment(PyKDL.Segment(PyKDL.Joint('end', PyKDL.Joint.Fixed), fixed))

    def array(values):
        made = PyKDL.JntArray(len(values))
        for i, value in enumerate(values):
            made[i] = float(value)
        return made

    forward, velocity = PyKDL.ChainFkSolverPos_recursive(chain), PyKDL.ChainIkSolverVel_pinv(chain)
    solver = PyKDL.ChainIkSolverPos_NR_JL(chain, array(setup.lower), array(setup.upper), forward,
                                          velocity, 500, 1e-6)

    def solve(pose, near):
        q = array(near)
        return np.array([*q]) if solver.CartToJnt(array(near), frame(pose), q) >= 0 else None
    solve.kept = chain, forward, velocity    # the bindings do not keep them
    return solve


def _kdl_frame(kdl):
    def frame(pose):
        return kdl.Frame(kdl.Rotation(*pose[:3, :3].ravel().tolist()),
                         kdl.Vector(*pose[:3, 3].tolist()))
    return frame


@peer('RoboPlan', 'roboplan')
def roboplan(setup):
    from roboplan import core, simple_ik
    scene = core.Scene('so101', core.loadUrdfSceneDescription(str(setup.urdf)))
    scene.addGroupFromChain('arm', BASE, FRAME)
    solver = simple_ik.SimpleIk(scene, simple_ik.SimpleIkOptions(
        group_name='arm', check_collisions=False, max_time=LONGEST,
        max_linear_error_norm=0.5 * FULL[0],
        max_angular_error_norm=0.5 * FULL[1]))

    def solve(pose, near):
        goal = core.CartesianConfiguration(BASE, FRAME, np.asfortranarray(pose))
        found = core.JointConfiguration()
        start = core.JointConfiguration(setup.names, np.ascontiguousarray(near))
        return np.array(found.positions) if solver.solveIk(goal, start, found) else None
    solve.kept = scene
    return solve


@peer('roboticstoolbox', 'roboticstoolbox-python')
def toolbox(setup):
    import roboticstoolbox
    chain = roboticstoolbox.Robot.URDF(str(setup.urdf)).ets(end=FRAME)

    def solve(pose, near):
        found = chain.ik_LM(pose, q0=near, tol=1e-10)
        return np.array(found.q).ravel() if np.all(found.success) else None
    return solve


@peer('ikpy', 'ikpy')
def ikpy(setup):
    from ikpy.chain import Chain
    count = 1 + len(setup.chain)
    moves = [False, *(cross is not None for _, cross in setup.chain)]
    chain = Chain.from_urdf_file(str(setup.urdf), setup.elements, active_links_mask=moves)

    def solve(pose, near):
        start = np.zeros(count)
        start[moves] = np.clip(near, setup.lower + 1e-9, setup.upper - 1e-9)
        return np.array(chain.inverse_kinematics(
            pose[:3, 3], pose[:3, :3], orientation_mode='all', initial_position=start))[moves]
    return solve


def iterated(step):
    """Return a solver that repeats ``step(q)``, which returns the next positions."""
    def solve(q):
        for _ in range(MOST_STEPS):
            before, q = q, step(q)
            if np.abs(q - before).max() < STEP:
                break
        return q
    return solve


@peer('placo, iterated', 'placo')
def placo(setup):
    import placo
    robot = placo.RobotWrapper(str(setup.urdf))
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    task = solver.add_frame_task(FRAME, np.eye(4))
    task.configure(FRAME, 'soft', *WEIGHTS)
    solver.add_regularization_task(1e-4)

    def step(_):
        solver.solve(True)
        robot.update_kinematics()
        return np.array([robot.get_joint(name) for name in setup.names])

    def solve(pose, near):
        for name, position in zip(setup.names, near):
            robot.set_joint(name, position)
        robot.update_kinematics()
        task.T_world_frame = pose
        return iterated(step)(near)
    return solve


def reduced(setup):
    """Return pinocchio's model of the chain alone."""
    import pinocchio
    model = pinocchio.buildModelFromUrdf(str(setup.urdf))
    others = [model.getJointId(name) for name in model.names[1:] if name not in setup.names]
    model = pinocchio.buildReducedModel(model, others, pinocchio.neutral(model))
    if list(model.names)[1:] != setup.names:
        raise RuntimeError(f'pinocchio has the joints in another order: {list(model.names)}')
    return pinocchio, model, model.createData()


@peer('pink', 'pin-pink')
def pink(setup):
    import pink
    pinocchio, model, data = reduced(setup)
    task = pink.tasks.FrameTask(
        FRAME, position_cost=WEIGHTS[0], orientation_cost=WEIGHTS[1], lm_damping=1.0)

    def solve(pose, near):
        configuration = pink.Configuration(model, data, np.clip(near, setup.lower, setup.upper))
        task.set_target(pinocchio.SE3(pose))

        def step(_):
            velocity = pink.solve_ik(configuration, [task], 0.1, solver='daqp', safety_break=False)
            configuration.integrate_inplace(velocity, 0.1)
            return configuration.q.copy()
        return iterated(step)(configuration.q.copy())
    return solve


@peer('mink', 'mink')
def mink(setup):
    import mink
    import mujoco
    text = setup.urdf.read_text().replace(
        '</robot>', '<mujoco><compiler fusestatic="false" boundmass="0.001" '
        'boundinertia="0.000001"/></mujoco></robot>')
    model = mujoco.MjModel.from_xml_string(text)
    places = [model.joint(name).qposadr[0] for name in setup.names]
    configuration, limits = mink.Configuration(model), [mink.ConfigurationLimit(model)]
    task = mink.FrameTask(FRAME, 'body', position_cost=WEIGHTS[0], orientation_cost=WEIGHTS[1],
                          lm_damping=1.0)

    def step(_):
        velocity = mink.solve_ik(configuration, [task], 1.0, 'daqp', damping=1e-8, limits=limits)
        configuration.integrate_inplace(velocity, 1.0)
        return configuration.q[places].copy()

    def solve(pose, near):
        q = np.zeros(model.nq)
        q[places] = np.clip(near, setup.lower, setup.upper)
        configuration.update(q)
        task.set_target(mink.SE3.from_matrix(pose))
        return iterated(step)(q[places])
    return solve


@peer("pinocchio, its docs' loop", 'pin')
def pinocchio(setup):
    pinocchio, model, data = reduced(setup)
    frame = model.getFrameId(FRAME)

    def solve(pose, near):
        q, goal = np.array(near), pinocchio.SE3(pose)
        for _ in range(1000):
            pinocchio.framesForwardKinematics(model, data, q)
            error_in_frame = data.oMf[frame].actInv(goal)
            error = pinocchio.log(error_in_frame).vector
            if np.linalg.norm(error) < 1e-5:
                break
            jacobian = pinocchio.computeFrameJacobian(model, data, q, frame)
            jacobian = -pinocchio.Jlog6(error_in_frame.inverse()) @ jacobian
            velocity = -jacobian.T @ np.linalg.solve(
                jacobian @ jacobian.T + 1e-12 * np.eye(6), error)
            q = pinocchio.integrate(model, q, velocity * 0.1)
        return q
    return solve


def tasks(setup, count, seed):
    """Return the four ways: poses and seeds of each, and the best distance where out of reach."""
    rng = np.random.default_rng(seed)
    q = setup.random(rng, count)
    poses = setup.forward(q)
    near = np.clip(q + rng.uniform(-NEAR, NEAR, q.shape), setup.lower, setup.upper)
    turned, beyond = poses.copy(), poses.copy()
    vectors = rng.normal(size=(2, count, 4))
    turned[:, :3, :3] = [_of_quaternion(vector) for vector in vectors[0]]
    shoulder = setup.forward(setup.random(rng, 20_000))[:, :3, 3]
    middle = 0.5 * (shoulder.min(axis=0) + shoulder.max(axis=0))
    reach = np.linalg.norm(shoulder - middle, axis=1).max()
    ways = rng.normal(size=(count, 3))
    beyond[:, :3, 3] = middle + ways / np.linalg.norm(ways, axis=1)[:, None] \
        * reach * rng.uniform(1.05, 1.5, (count, 1))
    return {'far': (poses, setup.random(rng, count)), 'near': (poses, near),
            'turned': (turned, near), 'beyond': (beyond, near)}, nearest(
                setup, beyond[:, :3, 3], rng)


def _of_quaternion(vector):
    w, x, y, z = vector / np.linalg.norm(vector)
    return rotation(2 * np.arctan2(np.linalg.norm([x, y, z]), w) * np.array([x, y, z])
                    / np.linalg.norm([x, y, z]))


def streams(setup, frames):
    """Return each stream's poses by name; 300 frames take 10 s."""
    turn, slow = np.linspace(0.0, 2 * pi, frames), np.sin(np.linspace(0.0, pi, frames))
    down, level, up = [rotation(np.array([0.0, angle, 0.0])) for angle in (pi, pi / 2, 0.0)]
    held = setup.forward([0.2, -0.3, 0.5, 0.8, 0.1])

    def poses(positions, orientations):
        made = np.zeros((frames, 4, 4)) + np.eye(4)
        made[:, :3, 3], made[:, :3, :3] = positions, orientations
        return made

    def along(*columns):
        return np.stack(np.broadcast_arrays(*columns), axis=-1)

    phone = [held[:3, :3] @ rotation(radians(40.0) * np.array(
        [np.sin(a), np.sin(2 * a), np.sin(3 * a)])) for a in turn]
    return {
        'circle': poses(along(0.22 + 0.05 * np.cos(turn), 0.05 * np.sin(turn), 0.06), down),
        'phone turned': poses(held[:3, 3], phone),
        'shelf': poses(along(0.28, 0.14 * np.sin(turn), 0.15), level),
        'past the reach': poses(along(0.28 + 0.30 * slow, 0.0, 0.15), level),
        'over the axis': poses(along(0.16 - 0.18 * slow, 0.0, 0.45), up)}


def followed(setup, solve, poses, best, lagging):
    """
    Return what a stream comes to.

    :returns: the worst tip error [mm] beyond the best, the largest step [deg], frames unanswered.
    """
    q = measured = np.array(Arm.preset('so101', tip=FRAME).solve(
        Target(poses[0, :3, 3], poses[0, :3, 2], poses[0, :3, 0])).q)
    worst, step, silent = 0.0, 0.0, 0
    for pose, least in zip(poses, best):
        answer = attempt(solve, pose, measured if lagging else q)
        if answer is None:
            silent, answer = silent + 1, q
        answer = np.clip(answer, setup.lower, setup.upper)
        worst = max(worst, np.linalg.norm(setup.forward(answer)[:3, 3] - pose[:3, 3]) - least)
        step, q = max(step, np.abs(answer - q).max()), answer
        most = SERVO_SPEED / RATE
        measured = measured + np.clip(LAG * (q - measured), -most, most)
    return 1e3 * worst, degrees(step), silent


def attempt(solve, pose, near):
    """Return an answer of finite positions, or ``None``."""
    answer = solve(pose.copy(), near.copy())
    return None if answer is None or not np.isfinite(answer).all() else np.asarray(answer, float)


def judged(setup, solve, count, seed, ways, best, moving):
    """Return a row: figures by name."""
    row = {}
    for name, (poses, seeds) in ways.items():
        begin = process_time()
        answers = [attempt(solve, pose, near) for pose, near in zip(poses, seeds)]
        row[f'{name} us'] = 1e6 * (process_time() - begin) / count
        silent = np.array([answer is None for answer in answers])
        q = np.array([near if answer is None else answer for answer, near in zip(answers, seeds)])
        found = setup.forward(q)
        tip = np.linalg.norm(found[:, :3, 3] - poses[:, :3, 3], axis=1)
        off = 2 * np.arcsin(np.clip(np.linalg.norm(
            found[:, :3, :3] - poses[:, :3, :3], axis=(1, 2)) / 8 ** 0.5, 0.0, 1.0))
        ok = setup.inside(q) & ~silent
        if name == 'beyond':
            excess = 1e3 * (tip - best)
            row[name] = None if silent.all() else float(np.median(excess[~silent]))
            row['beyond, best'] = 100.0 * float((ok & (excess < 1.0)).mean())
        elif name == 'turned':
            row[name] = 100.0 * float((ok & (tip < TIP)).mean())
        else:
            row[name] = 100.0 * float((ok & (tip < FULL[0]) & (off < FULL[1])).mean())
            row[f'{name}, tip mm'] = 1e3 * float(tip[~silent].max()) if not silent.all() else None
        row[f'{name}, unanswered'] = 100.0 * float(silent.mean())
        row[f'{name}, outside'] = 100.0 * float((~setup.inside(q)).mean())
    row['streams'] = {name: [followed(setup, solve, poses, least, lagging)
                             for lagging in (False, True)]
                      for name, (poses, least) in moving.items()}
    return row


def version(distribution):
    """Return the version of what is installed."""
    if distribution == 'arm_ik':
        return 'this'
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return getattr(sys.modules.get(distribution.lower(), sys.modules.get(distribution)),
                       '__version__', 'unknown')


def table(rows):
    """Return both tables as lines of Markdown."""
    def percent(value):
        return f'{value:.1f} %'

    def row_of(name, row):
        beyond = 'no answer' if row['beyond'] is None else f'{row["beyond"]:.2f} mm'
        if row['beyond'] is not None and row['beyond, unanswered']:
            beyond += f' ({percent(row["beyond, unanswered"])} unanswered)'
        relaxed = 0.5 * (row['turned us'] + row['beyond us'])
        return (f'| {name} {row["version"]} | {percent(row["far"])} | {percent(row["near"])} | '
                f'{percent(row["turned"])} | {beyond} | {row["near us"]:.0f} µs | '
                f'{relaxed:.0f} µs |')

    moving = list(next(iter(rows.values()))['streams'])
    return ['| solver | pose met, far seed | near seed | any orientation: tip within 1 mm '
            '| out of reach: farther than the best, median | CPU, near | CPU, not reachable |',
            '|' + '---|' * 7, *(row_of(*item) for item in rows.items()), '',
            f'| stream: tip off by mm, largest step in deg | {" | ".join(moving)} |',
            '|' + '---|' * (len(moving) + 1),
            *(f'| {name}, seeded by {seed} | ' + ' | '.join(
                f'{row["streams"][stream][i][0]:.2f}, {row["streams"][stream][i][1]:.1f}'
                + (f' ({row["streams"][stream][i][2]} unanswered)'
                   if row['streams'][stream][i][2] else '') for stream in moving) + ' |'
              for name, row in rows.items() for i, seed in enumerate(('answer', 'servo')))]


def draw(rows, path):
    """Draw the four ways as bars."""
    import matplotlib
    matplotlib.use('svg' if Path(path).suffix == '.svg' else 'agg')
    from matplotlib import pyplot
    panels = {'far': 'pose met, far seed', 'near': 'pose met, near seed',
              'turned': 'any orientation:\ntip within 1 mm',
              'beyond, best': 'out of reach:\nwithin 1 mm of the best'}
    figure, axes = pyplot.subplots(1, 4, figsize=(10, 0.3 * len(rows) + 1.3), sharey=True)
    names = list(rows)[::-1]
    for axis, (key, title) in zip(axes, panels.items()):
        values = [rows[name][key] for name in names]
        axis.barh(names, values, color=['#f28522' if name == 'arm_ik' else '#8a919c'
                                        for name in names])
        for y, value in enumerate(values):
            inside = value > 60
            axis.text(value - 2 if inside else value + 2, y, f'{value:.0f}', va='center',
                      ha='right' if inside else 'left', fontsize=8)
        axis.set(title=title, xlim=(0, 100), xlabel='% of poses')
        axis.title.set_fontsize(9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--urdf', help="the maker's; by default the one that the package writes")
    parser.add_argument('--poses', type=int, default=2000)
    parser.add_argument('--frames', type=int, default=300, help='of each stream')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', nargs='+', choices=list(PEERS), default=list(PEERS))
    parser.add_argument('--save', metavar='FILE', help='write the rows as JSON')
    parser.add_argument('--with', nargs='+', metavar='FILE', dest='others', default=[],
                        help='rows that were saved in other environments')
    parser.add_argument('--picture', metavar='FILE')
    options = parser.parse_args()
    warnings.filterwarnings('ignore')
    rows, missing = {}, []
    with TemporaryDirectory() as folder:
        setup = Setup(options.urdf, folder)
        ways, best = tasks(setup, options.poses, options.seed)
        moving = {name: (poses, nearest(setup, poses[:, :3, 3], np.random.default_rng(0))
                         if name == 'past the reach' else np.zeros(len(poses)))
                  for name, poses in streams(setup, options.frames).items()}
        for name in options.only:
            distribution, make = PEERS[name]
            try:
                solve = make(setup)
            except ImportError as error:
                missing.append(f'{name} ({error.name or error})')
                continue
            rows[name] = judged(setup, solve, options.poses, options.seed, ways, best, moving)
            rows[name]['version'] = version(distribution)
            print(f'{name}: {rows[name]}', file=sys.stderr, flush=True)
        if 'EAIK' in rows:
            bare, rest = eaik_bare(setup)
            poses = [_turned(pose, rest) for pose in ways['near'][0]]
            begin = process_time()
            for pose in poses:
                bare(pose)
            rows['EAIK']['bare us'] = 1e6 * (process_time() - begin) / len(poses)
    for path in options.others:
        for name, row in json.loads(Path(path).read_text()).items():
            rows.setdefault(name, row)
    rows = {name: rows[name] for name in PEERS if name in rows}
    print('\n'.join(table(rows)))
    if 'bare us' in rows.get('EAIK', {}):
        print(f'\nEAIK, the bare call: {rows["EAIK"]["bare us"]:.1f} µs')
    absent = [each for each in missing if each.rsplit(' (', 1)[0] not in rows]
    print(f'\nNot installed here, and left out: {", ".join(absent) or "none"}')
    if options.save:
        Path(options.save).write_text(json.dumps(rows))
    if options.picture:
        draw(rows, options.picture)


if __name__ == '__main__':
    main()
