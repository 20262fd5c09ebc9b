# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Teach and replay beside nodes that run: over DDS, to rest, and no step larger than a goal's."""

import os
from random import Random
import signal
import sys

from arm_ik.description.target_file import load_targets, store
from arm_ik.replay.player import entry_of
from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from tool_process import ToolProcess

pytestmark = pytest.mark.about_time


@pytest.fixture(scope='module')
def arm():
    with SimulatedArm('so101', timeout=30.0) as arm:
        yield arm


@pytest.fixture
def poses(arm, tmp_path):
    path, model = tmp_path / 'poses.yaml', arm.arm.model
    home = {**dict(zip(model.joint_names, model.home)), 'gripper': 0.0}
    for name, pan in (('left', 0.6), ('right', -0.6)):
        store(path, name, entry_of(model, {**home, 'shoulder_pan': pan}), 'so101')
    return path


def tool(arm, name, path, *arguments):
    return ToolProcess(folder=path.parent, program=[
        'env', *(f'{key}={value}' for key, value in domain_environment(arm.domain_id).items()),
        sys.executable, '-m', 'arm_ik', name, path.name, *arguments])


class Watched:
    """The commands and the states of an arm, looked at in the end."""

    def __init__(self, arm):
        self._arm, self.states, self.commands = arm, [], []
        self._thread = NodeThread('watch', domain_id=arm.domain_id)

    def __enter__(self):
        self._thread.__enter__()
        self._thread.listen(JointState, 'joint_states', self.states.append)
        self._thread.listen(JointState, 'joint_commands', self.commands.append)
        return self

    def __exit__(self, *failed):
        self._thread.__exit__(*failed)
        if failed[0]:
            return
        joints = {joint.name: joint for joint in (
            *self._arm.arm.model.joints, *self._arm.arm.model.extra_joints)}
        for message in (*self.states, *self.commands):
            for name, at in zip(message.name, message.position):
                assert joints[name].lower - 1e-9 <= at <= joints[name].upper + 1e-9
        at = np.array([message.position for message in self.states])
        stamps = np.array([message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
                           for message in self.states])
        most = np.array([joints[name].max_velocity for name in self.states[0].name])
        # A state is at most one cycle of the bus older or newer than its stamp says.
        assert (np.abs(np.diff(at, axis=0)) <= 1.01 * most * (
            np.diff(stamps)[:, None] + 0.012)).all()


def test_a_replay_plays_twice_and_ik_node_takes_targets_again(arm, poses):
    with Watched(arm) as watched, tool(arm, 'replay', poses, '--yes', '--loop', '2',
                                       '--speed', '3') as process:
        process.expect('at rest')
        assert process.end() == 0
    assert arm.joint_states['shoulder_pan'] == pytest.approx(-0.6, abs=1e-3)
    pan = [message.position[0] for message in watched.states]
    turns = np.diff(np.sign(np.array(pan)[np.abs(pan) > 0.1]))
    assert np.count_nonzero(turns) == 3      # left, right, left, right
    arm.wait_for_arrival(arm.send((0.2, 0.0, 0.1)))


@pytest.mark.parametrize('how', ['interrupt', 'kill', 'stop'])
def test_whatever_ends_a_replay_the_arm_brakes_and_holds(arm, poses, how):
    with Watched(arm), tool(arm, 'replay', poses, '--yes') as process:
        arm.wait_until(lambda: 0.2 < arm.joint_states['shoulder_pan'] < 0.5, 'on its path')
        if how == 'stop':
            arm.stop()
            process.expect('stopped')
        else:
            process.interrupt(signal.SIGINT if how == 'interrupt' else signal.SIGKILL)
        assert process.end() == {'interrupt': 130, 'kill': -9, 'stop': 1}[how]
        record = arm.record()
        arm.wait_until(lambda: len(record) > 30, 'states')
        at = record[-1]['shoulder_pan']
        arm.wait_until(lambda: len(record) > 60, 'states')
        assert at < 0.58 and record[-1]['shoulder_pan'] == at
    arm.reset()
    arm.enable()


def test_a_pause_is_a_rest_on_the_path(arm, poses):
    with Watched(arm), tool(arm, 'replay', poses, '--yes', '--speed', '0.5') as process:
        arm.wait_until(lambda: arm.joint_states['shoulder_pan'] > 0.58, 'left')
        arm.wait_until(lambda: arm.joint_states['shoulder_pan'] < 0.4, 'on its path')
        process.type('\n')
        process.expect('pauses')
        record = arm.record()
        arm.wait_until(lambda: len(record) > 60 and record[-1] == pytest.approx(
            record[-20], abs=1e-6), 'rest')
        assert -0.5 < record[-1]['shoulder_pan'] < 0.4
        process.type('\n')
        process.expect('at rest')
        assert process.end() == 0


def test_poses_are_taught_beside_a_driver_and_the_torque_stays_off(arm, tmp_path):
    path = tmp_path / 'new.yaml'
    with tool(arm, 'teach', path) as process:
        process.answer('Do you hold it?')
        process.expect('press Enter')
        process.type('here\n')
        process.expect('here: stored')
        process.interrupt()
        assert process.end() == 130
    step, = load_targets(path).steps
    assert step.joints == pytest.approx(dict(zip(arm.arm.joint_names, arm.q)), abs=1e-3)
    with tool(arm, 'replay', path, '--yes') as process:
        assert process.end() == 0, process.shown
    assert os.path.exists(path)


def test_what_was_recorded_is_played_again(arm, poses):
    path = poses.parent / 'run.mcap'
    with tool(arm, 'record', poses.with_name('-o'), path.name) as recorder:
        recorder.expect('until Ctrl-C')
        for place in ((0.2, 0.1, 0.1), (0.2, -0.1, 0.1), (0.25, 0.0, 0.15)):
            arm.wait_for_arrival(arm.send(place, (0.0, 0.0, -1.0)))
            record = arm.record()
            arm.wait_until(lambda: len(record) > 30, 'states at rest')  # means of some are played
        there = arm.q
        recorder.interrupt()
        assert recorder.end() == 0, recorder.shown
    arm.go_home()
    arm.wait_until(lambda: np.allclose(arm.q, arm.arm.home, atol=1e-3), 'home')
    with Watched(arm) as watched, tool(arm, 'replay', path, '--yes', '--speed', '2') as process:
        process.expect('at rest')
        assert process.end() == 0
    tips = arm.arm.forward([message.position[:5] for message in watched.states]).position
    for place in ((0.2, 0.1, 0.1), (0.2, -0.1, 0.1), (0.25, 0.0, 0.15)):
        assert np.linalg.norm(tips - place, axis=1).min() < 0.02
    assert arm.q == pytest.approx(there, abs=0.01)
    assert 'enabled' in arm.status.reason
    assert any('disabled' in status.reason for status in arm.statuses())


@pytest.mark.parametrize('seed', [1, 2])
def test_in_any_order_of_replay_teach_stop_unplug_and_kill_nothing_leaps(arm, poses, seed):
    order, processes = Random(seed), []

    def replay():
        processes.append(tool(arm, 'replay', poses, '--yes', '--speed', str(order.choice(
            (0.5, 3.0, 10.0)))).__enter__())

    def teach():
        with tool(arm, 'teach', poses.with_name('new.yaml')) as process:
            process.answer('Do you hold it?')
            process.expect('press Enter')
            process.interrupt()
            process.end()
        arm.torque(True)

    def unplug():
        arm.disturb(unplugged=True)
        count = len(arm.record())
        arm.wait_until(lambda: True, 'a message')
        arm.disturb(unplugged=False)
        assert count == 0

    def stop():
        arm.stop()
        arm.reset()

    def end():
        for process in processes:
            process.interrupt(order.choice((signal.SIGINT, signal.SIGKILL)))

    with Watched(arm):
        try:
            for _ in range(8):
                order.choice((replay, replay, teach, unplug, stop, end))()
                record = arm.record()
                arm.wait_until(lambda: len(record) > order.choice((5, 40)), 'states')
        finally:
            for process in processes:
                process.__exit__()
        record = arm.record()
        arm.wait_until(lambda: len(record) > 60, 'rest')    # commands end with their senders
        assert record[-1] == record[-20]
    arm.enable()
