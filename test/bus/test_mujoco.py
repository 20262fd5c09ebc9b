# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A world with weight behind the driver, on a time of its own."""

from dataclasses import replace
from math import nan
import subprocess
import sys

from arm_ik import Arm, Target
from arm_ik.bus.simulated import Imperfections
from arm_ik.description.arm_file import load_objects
from arm_ik.description.presets import preset_names
from arm_ik.drivers import make_backend
from arm_ik.drivers.servos_file import load_servos
from arm_ik.errors import DriverError, InvalidArmError
from arm_ik.kinematics.model import KeepOut, SceneObject
from arm_ik.testing import SteppedArm
import numpy as np
import pytest

mujoco = pytest.importorskip('mujoco', reason='needs the extra "physics"')

ARM = Arm.preset('so101')
CUBE = SceneObject('cube', 'box', (0.03, 0.03, 0.03), (0.2, 0.0, 0.015), mass=0.03)


class Stepped(SteppedArm):
    """An SO-101, or another arm."""

    def __init__(self, arm=ARM, driver={}, **backend):
        super().__init__(arm, backend, **driver)

    def move(self, q, seconds=2.0):
        self.driver.command(self.arm.joint_names, q)
        self.step(seconds)

    def follow(self, line):
        self.driver.follow(self.arm.joint_names, line.times.tolist(), line.q.tolist(),
                           line.velocities.tolist())
        self.step(line.duration + 0.5)

    @property
    def tip(self):
        return self.arm.forward([self.positions[name] for name in self.arm.joint_names]).position


def lowest(q):
    """Return the height of the lowest of elbow, wrist and tip [m]."""
    points = ARM.points(q)
    return min(points.elbow[2], points.wrist[2], points.tip[2])


def picked(cube, real=None):
    """Return a world in which the arm has closed its gripper on a cube and lifted it."""
    world = Stepped(scene=(real or cube,))
    tip = np.array(cube.position) + (0.0, -0.0105, 0.0)
    found = ARM.approach(tip, 0.08, opening=(0.0, -1.0, 0.0), near=ARM.solve(
        Target(tip, (0.0, 0.0, -1.0), (0.0, -1.0, 0.0))).q)
    world.driver.open_gripper(0.6)
    world.move(found.line.q[0])
    world.follow(found.line)
    world.driver.open_gripper(0.0)
    world.step(1.5)
    world.follow(ARM.line([found.before], found.line.q[-1]))
    return world


@pytest.mark.parametrize('name', preset_names())
def test_every_preset_stays_at_home(name):
    world = Stepped(Arm.preset(name))
    world.step(2.0)
    assert world.driver.torque and not world.driver.condition
    for joint, at in world.positions.items():
        assert abs(at - world.backend.home[joint]) < 0.07, joint
    world.step(0.5)
    states = [[*state.values()] for _, state, _ in world.record[-50:]]
    assert np.ptp(states, axis=0).max() < 1e-3


@pytest.mark.parametrize('pause', [0.15, 0.21, 0.25, 0.5])
def test_an_arm_that_nobody_looks_at_while_it_sags_keeps_its_torque(pause):
    world = Stepped(Arm.preset('so101'))
    world.time += pause     # a slow start, or a machine that does other things
    world.step(1.0)
    assert world.driver.torque and not world.driver.condition


def test_it_is_said_which_masses_are_guessed():
    assert Stepped().backend.notes == []
    assert Stepped(Arm.preset('simple')).backend.notes == [
        'guessed are the masses of the links of yaw, shoulder, elbow, wrist']


def test_a_joint_sags_by_its_torque_over_its_stiffness():
    generator, model, judged = np.random.default_rng(3), ARM.model, 0
    for _ in range(10):
        start = [generator.uniform(0.6 * joint.lower, 0.6 * joint.upper) for joint in model.joints]
        if lowest(start) < 0.1:
            continue
        world = Stepped(start=dict(zip(ARM.joint_names, start)))
        world.step(1.5)
        made, data = world.backend.world, world.backend.data
        for name, set_point in zip(ARM.joint_names, start):
            speed, = made.joint(name).dofadr
            stiffness = made.actuator(name).gainprm[0]
            sag = -data.qfrc_bias[speed] / stiffness
            assert abs(world.positions[name] - set_point - sag) <= \
                1.05 * made.dof_frictionloss[speed] / stiffness + 1e-4
        judged += 1
    assert judged >= 5


def test_without_torque_the_arm_falls_and_the_floor_stops_it():
    world = Stepped()
    world.step(0.5)
    world.driver.set_torque(False)
    world.step(3.0)
    assert world.tip[2] < 0.05 and np.all(world.backend.data.actuator_force == 0.0)
    assert lowest([world.positions[name] for name in ARM.joint_names]) > -0.02


def test_a_joint_that_loses_its_torque_falls_and_is_a_fault():
    world = Stepped()
    world.step(0.5)
    world.backend.imperfections = Imperfections(brown_out='elbow_flex')
    world.step(2.0)
    assert 'elbow_flex: torque lost' in world.driver.fault
    assert world.positions['elbow_flex'] > 1.5


def test_joints_stop_a_little_past_their_limits():
    world = Stepped()
    upper = ARM.model.joints[4].upper
    world.backend.write({'wrist_roll': upper + 0.5})
    for _ in range(100):
        world.time += 0.02
        at = world.backend.read().positions['wrist_roll']
    assert upper + 0.09 < at < upper + 0.12


def test_a_cube_is_lifted_and_the_stall_guard_has_held_the_gripper():
    world = picked(CUBE)
    place, _, touches = world.backend.objects['cube']
    assert place[2] > 0.08 and touches == ('gripper_link', 'wrist_roll_link')
    assert 'gripper has stalled with' in world.driver.condition
    # It presses less now than its servo bears.
    assert world.backend.read_health('gripper').strain < 0.7
    world.step(3.0)
    assert abs(world.backend.objects['cube'][0][2] - place[2]) < 1e-3


@pytest.mark.parametrize('change', [
    {'mass': 0.2}, {'friction': 0.3}, {'rpy': (0.0, 0.0, 0.3)},
    {'position': (0.204, 0.004, 0.015)}])
def test_other_cubes_are_lifted_too(change):
    assert picked(CUBE, replace(CUBE, **change)).backend.objects['cube'][0][2] > 0.08


def test_a_cube_in_a_turning_hand_slips_by_less_than_2_mm():
    world = picked(CUBE)

    def in_hand():
        pose = ARM.forward([world.positions[name] for name in ARM.joint_names])
        return pose.rotation.T @ (np.array(world.backend.objects['cube'][0]) - pose.position)

    before = in_hand()
    q = [world.driver.set_points[name] for name in ARM.joint_names]
    world.move([q[0] + 1.2, *q[1:]])
    assert np.linalg.norm(in_hand() - before) < 2e-3


def test_what_is_trimmed_is_the_sag():
    q = ARM.solve(Target((0.3, 0.0, 0.15), (1.0, 0.0, 0.0))).q
    worlds = []
    for trim in (False, True):
        worlds.append(Stepped(driver={'trim': trim}))
        worlds[-1].move(q, 6.0)
    sagged, trimmed = (np.linalg.norm(world.tip - ARM.forward(q).position) for world in worlds)
    assert sagged > 5e-3 and trimmed < 1e-3


def test_an_arm_that_runs_into_a_wall_is_left_behind_and_waits_there():
    wall = KeepOut('wall', 'box', (0.02, 0.5, 0.5), (0.32, 0.0, 0.25))
    world = Stepped(Arm(replace(ARM.model, keep_out=(wall,))), driver={'stall_guard': 'none'})
    world.move(ARM.solve(Target((0.28, 0.0, 0.2), (1.0, 0.0, 0.0))).q)
    free = world.tip[0]
    world.move(ARM.solve(Target((0.38, 0.0, 0.2), (1.0, 0.0, 0.0))).q, 3.0)
    assert free < world.tip[0] < 0.33
    assert 'motion waits' in world.driver.condition
    behind = [abs(at - world.positions[name]) for name, at in world.driver.set_points.items()]
    assert 0.02 < max(behind) < 0.2        # by max_lead, and no more


def test_the_stall_guard_holds_an_arm_that_presses_against_a_wall():
    wall = KeepOut('wall', 'box', (0.02, 0.5, 0.5), (0.32, 0.0, 0.25))
    world = Stepped(Arm(replace(ARM.model, keep_out=(wall,))), driver={
        'stall_guard': 'all', 'max_lead': 1.0})
    world.move(ARM.solve(Target((0.38, 0.0, 0.2), (1.0, 0.0, 0.0))).q, 4.0)
    assert 'has stalled' in world.driver.condition
    strains = [world.backend.read_health(name).strain for name in ARM.joint_names]
    assert max(strains) < 0.9


def test_a_joint_that_is_jammed_does_not_move_and_the_others_wait():
    world = Stepped(imperfections=Imperfections(blocked='shoulder_pan'))
    world.move([0.8, *ARM.home[1:]], 1.0)
    assert abs(world.positions['shoulder_pan']) < 1e-3
    assert 'motion waits: shoulder_pan behind' in world.driver.condition


def test_what_the_collision_check_calls_clear_touches_nothing_but_is_close():
    block = KeepOut('block', 'box', (0.06, 0.3, 0.12), (0.25, 0.0, 0.06))
    arm = Arm(replace(ARM.model, keep_out=(block,)))
    high = ARM.solve(Target((0.2, -0.2, 0.3), (1.0, -1.0, 0.0))).q
    over = ARM.solve(Target((0.2, -0.2, 0.1), (0.0, 0.0, -1.0))).q
    assert 'block' in arm.check_path(over, [-over[0], *over[1:]]).reason
    for q0, hits in ((over, True), (high, False)):
        q1 = [-q0[0], *q0[1:]]
        assert (arm.check_path(q0, q1).reason == '') is not hits
        world = Stepped(arm, start=dict(zip(arm.joint_names, q0)))
        touched = []
        world.driver.command(arm.joint_names, q1)
        for _ in range(200):
            world.step(0.01)
            touched += world.backend.data.contact.dist.tolist()
        assert bool(touched) is hits


def test_two_runs_are_the_same_to_the_last_byte():
    one, other = (repr(picked(CUBE).record) for _ in range(2))
    assert one == other and len(one) > 1e5


def test_time_that_a_slow_machine_misses_is_lost_and_reported():
    world = Stepped(scene=(replace(CUBE, position=(0.2, 0.0, 0.5)),))
    before = world.backend.data.time
    world.time += 0.3
    world.backend.read()
    assert world.backend.data.time - before <= 0.1 + 1e-9 and not world.backend.notes
    for _ in range(10):
        world.time += 0.3
        world.backend.read()
    assert [note for note in world.backend.notes if 'too slow for the world' in note]
    assert len(world.backend.notes) <= 3


def test_a_state_that_is_not_finite_is_an_error_once_and_nothing_is_lost(tmp_path, monkeypatch):
    world = Stepped(scene=(CUBE,))
    world.step(0.5)
    before = world.positions
    monkeypatch.chdir(tmp_path)
    world.backend.data.qvel[0] = nan
    world.step(0.01)
    assert not list(tmp_path.iterdir())     # MuJoCo's log
    assert 'no longer finite' in str(world.driver.bus_error)
    world.step(0.5)
    assert world.driver.bus_error is None
    for name, at in world.positions.items():
        assert abs(at - before[name]) < 0.05
    assert world.backend.objects['cube'][0] == pytest.approx(CUBE.position, abs=2e-3)


def test_objects_are_put_back():
    world = picked(CUBE)
    world.backend.reset_objects()
    world.step(0.02)
    assert world.backend.objects['cube'][0] == pytest.approx(CUBE.position, abs=1e-3)
    before = world.tip
    world.step(0.2)
    assert world.tip == pytest.approx(before, abs=2e-3)     # the arm has stayed


@pytest.mark.parametrize(('shape', 'words'), [
    ({'position': (0.04, 0.0, 0.1)}, 'cube .* mm deep in|mm deep in cube'),
    ({'position': (0.2, 0.0, 0.0)}, 'floor is 1. mm deep in cube|cube is 1. mm deep in floor'),
    ({'name': 'gripper_link'}, 'no such world')])
def test_an_object_that_cannot_be_there_is_refused(shape, words):
    with pytest.raises(DriverError, match=words):
        Stepped(scene=(replace(CUBE, **shape),))


@pytest.mark.parametrize(('text', 'words'), [
    ('objects: {cube: {kind: ball, size: [0.1]}}', "objects.cube.kind.*'ball'.*sphere"),
    ('objects: {cube: {kind: box, size: [0.1, 0.1, 0.1], mass: 0.0}}', 'objects.cube.mass.*0.0'),
    ('objects: {cube: {kind: box, size: [0.1, 0.1], mass: 1.0}}', 'objects.cube.size'),
    ('objects: {cube: {kind: box, size: [0.1, 0.1, 0.1], mas: 1.0}}', "'mass'"),
    ('objects: {cube: {kind: box, size: [0.1, 0.1, .nan]}}', 'objects.cube.size'),
    ('cube: {kind: box, size: [0.1, 0.1, 0.1]}', 'one of objects'),
    ('[]', 'a mapping')])
def test_a_wrong_file_of_objects_is_refused_by_its_key(tmp_path, text, words):
    file = tmp_path / 'objects.yaml'
    file.write_text(text)
    with pytest.raises(InvalidArmError, match=words) as caught:
        load_objects(file)
    assert 'objects.yaml' in str(caught.value)


def test_shapes_of_all_kinds_fall_on_the_floor_and_on_what_is_fixed(tmp_path):
    file = tmp_path / 'objects.yaml'
    file.write_text("""
objects:
  table: {kind: box, size: [0.2, 0.2, 0.1], position: [0.6, 0.0, 0.05]}
  ball: {kind: sphere, size: [0.02], position: [0.6, 0.0, 0.2], mass: 0.02}
  can: {kind: cylinder, size: [0.03, 0.1], position: [0.0, 0.5, 0.2], mass: 0.1, friction: 0.5}
""")
    world = Stepped(scene=load_objects(file))
    world.step(1.5)
    objects = world.backend.objects
    assert objects['table'][0] == (0.6, 0.0, 0.05)
    assert objects['ball'][0][2] == pytest.approx(0.12, abs=1e-3)
    assert objects['ball'][2] == ('table',) and objects['can'][2] == ('floor',)
    assert objects['can'][0][2] == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize(('friction', 'slides'), [(0.1, True), (1.0, False)])
def test_friction_decides_whether_a_box_slides_down_a_ramp(friction, slides):
    ramp = SceneObject('ramp', 'box', (0.4, 0.2, 0.02), (0.6, 0.0, 0.1), (0.0, 0.35, 0.0),
                       friction=0.1)
    box = SceneObject('box', 'box', (0.04, 0.04, 0.02), (0.607, 0.0, 0.119), (0.0, 0.35, 0.0),
                      mass=0.1, friction=friction)
    world = Stepped(scene=(ramp, box))
    world.step(0.5)
    assert (world.backend.objects['box'][0][0] - 0.607 > 0.05) is slides


def test_the_model_written_is_the_one_that_runs(tmp_path):
    file = tmp_path / 'so101.xml'
    subprocess.run([sys.executable, '-m', 'arm_ik', 'mjcf', 'so101', '-o', file], check=True)
    made = Stepped().backend.world
    written = mujoco.MjModel.from_xml_path(str(file))
    assert written.nu == made.nu == 6 and written.opt.cone == made.opt.cone
    assert written.body_mass == pytest.approx(made.body_mass, rel=1e-5)
    assert written.actuator_gainprm[:, 0] == pytest.approx(made.actuator_gainprm[:, 0])
    data = mujoco.MjData(written)
    data.ctrl[:] = 0.1
    mujoco.mj_step(written, data, 1000)
    assert data.qpos == pytest.approx(np.full(6, 0.1), abs=0.06)


def test_a_model_of_no_arm_is_an_error(tmp_path):
    ran = subprocess.run([sys.executable, '-m', 'arm_ik', 'mjcf', 'so102', '-o', tmp_path / 'x'],
                         stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 2 and "did you mean 'so10" in ran.stderr


def test_without_mujoco_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    for name in [name for name in sys.modules if name.startswith('arm_ik.bus.mujoco')]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(DriverError, match=r"no Python module 'mujoco'; .*\[physics\]"):
        make_backend('mujoco', ARM.model)


def test_a_servos_file_may_ask_for_it(tmp_path):
    file = tmp_path / 'servos.yaml'
    file.write_text('/**: {ros__parameters: {servos: {backend: mujoco, trim: true}}}')
    assert load_servos(file, (*ARM.joint_names, 'gripper')).backend == 'mujoco'
