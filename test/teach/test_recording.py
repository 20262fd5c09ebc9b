# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Recordings: read by others, cut, repaired, played."""

from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip('mcap', reason="pip install '.[record]'")

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.errors import InvalidInputError
from arm_ik.replay.recording import (
    joint_state, path_of_recording, records, Recording, TOPICS)
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

ARM = Arm.preset('so101')
BEGIN, PERIOD = 1_700_000_000_000_000_000, 20_000_000
NAMES = (*ARM.joint_names, 'gripper')


def positions(number):
    t = 1e-9 * PERIOD * number
    return dict(zip(NAMES, [0.5 * np.sin(t * (0.5 + 0.1 * joint)) for joint in range(6)]))


@pytest.fixture
def run(tmp_path):
    """Return a recording of ten seconds."""
    path = tmp_path / 'run.mcap'
    recording = Recording(path)
    for number in range(500):
        now = BEGIN + number * PERIOD
        recording.add('joint_states', joint_state(positions(number), now), now)
    recording.close()
    return path


def read(path):
    """Return what mcap's own reader reads."""
    with open(path, 'rb') as file:
        return [(channel.topic, schema.name, message.log_time, decoded)
                for schema, channel, message, decoded in make_reader(
                    file, decoder_factories=[DecoderFactory()]).iter_decoded_messages()]


def test_mcap_reads_what_was_recorded(run):
    found = read(run)
    assert len(found) == 500
    for number, (topic, kind, now, message) in enumerate(found):
        assert (topic, kind, now) == ('/joint_states', 'sensor_msgs/msg/JointState',
                                      BEGIN + number * PERIOD)
        assert dict(zip(message.name, message.position)) == positions(number)
        assert message.header.stamp.sec * 10 ** 9 + message.header.stamp.nanosec == now


def test_rosbags_reads_what_was_recorded(run):
    with AnyReader([Path(run)]) as reader:
        found = [(connection.topic, reader.deserialize(raw, connection.msgtype))
                 for connection, _, raw in reader.messages()]
    assert len(found) == 500
    assert [(topic, dict(zip(message.name, message.position.tolist())))
            for topic, message in found] == [('/joint_states', positions(number))
                                             for number in range(500)]


def test_the_definitions_are_those_of_ros_2():
    store = get_typestore(Stores.ROS2_JAZZY)
    for known in TOPICS.values():
        ours = get_types_from_msg(known['definition'], known['type'])
        assert known['type'] in ours
        assert ours == {name: store.fielddefs[name] for name in ours}


@pytest.mark.parametrize('part', [0.35, 0.6, 0.99])
def test_of_a_file_that_is_cut_all_but_a_second_is_read(run, part):
    data = run.read_bytes()
    run.write_bytes(data[:int(part * len(data))])
    with pytest.raises((McapError, ValueError)):
        read(run)
    count = sum(1 for _ in records(run))
    assert part * 500 - 75 < count < 500 or part == 0.99 and count == 500
    path_of_recording(ARM, run)


def test_a_file_with_zeros_at_its_end_is_read_up_to_there(run):
    data = run.read_bytes()
    run.write_bytes(data[:len(data) // 2] + bytes(len(data) // 3))
    assert 150 < sum(1 for _ in records(run)) < 300


def test_each_second_is_on_the_disk_before_the_file_is_complete(tmp_path):
    path = tmp_path / 'run.mcap'
    recording = Recording(path)
    for number in range(200):
        now = BEGIN + number * PERIOD
        recording.add('joint_states', joint_state(positions(number), now), now)
        assert sum(1 for _ in records(path)) >= number - 50
    recording.close()


def test_a_recording_is_not_written_over(run):
    before = run.read_bytes()
    with pytest.raises(FileExistsError):
        Recording(run)
    assert run.read_bytes() == before


@pytest.mark.parametrize('speed', [0.5, 1.0, 2.0])
def test_the_path_is_where_the_joints_were_and_the_gripper_with_them(run, speed):
    path = path_of_recording(ARM, run, speed)
    assert path.spline.keeps_limits(ARM.model)
    assert path.spline.duration == pytest.approx(9.9 / speed, rel=0.05)
    for part in np.linspace(0.1, 0.9, 9):
        at = path.spline.at(part * path.spline.duration)[0]
        near = min(range(500), key=lambda number: abs(
            positions(number)['shoulder_pan'] - at[0]) + abs(number / 500 - part))
        assert at == pytest.approx([positions(near)[name] for name in ARM.joint_names], abs=0.01)
        assert path.extra_at(part * path.spline.duration)['gripper'] == pytest.approx(
            positions(near)['gripper'], abs=0.02)


def test_a_recording_of_another_arm_or_far_outside_the_limits_is_refused(run, tmp_path):
    with pytest.raises(InvalidInputError, match='braccio'):
        path_of_recording(Arm.preset('braccio'), run)
    path = tmp_path / 'far.mcap'
    recording = Recording(path)
    for number in range(100):
        now = BEGIN + number * PERIOD
        recording.add('joint_states', joint_state({**positions(number), 'elbow_flex': 3.0}, now),
                      now)
    recording.close()
    with pytest.raises(InvalidInputError, match='limits'):
        path_of_recording(ARM, path)


@pytest.mark.parametrize('name', ['missing.yaml', 'missing.mcap'])
def test_a_missing_file_is_named_before_a_driver_is_looked_for(name, tmp_path):
    done = subprocess.run([sys.executable, '-m', 'arm_ik', 'replay', tmp_path / name],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert name in done.stderr and 'driver_node' not in done.stderr
