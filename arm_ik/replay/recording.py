# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Recordings: MCAP files of ROS 2 messages, written and read without ROS.

Each second a chunk is complete and on the disk: a file that was cut, as by a power loss, is read
up to there.
"""

from contextlib import suppress
import os
from pathlib import Path
import struct

from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import Writer
from mcap_ros2.decoder import DecoderFactory
import numpy as np
import yaml

from ..errors import InvalidInputError
from ..motion.joint_path import joint_path

#: What is recorded: by topic the type of its messages, and the definition of that.
TOPICS = yaml.safe_load(Path(__file__).with_name('topics.yaml').read_text(encoding='utf-8'))

#: How long a chunk is [ns].
_CHUNK = 1_000_000_000

#: Positions are averaged over so long [s]: a count of an encoder is no acceleration.
_MEAN = 0.1

#: How far a position may be past a limit that is meant to be the limit [rad].
_PAST = 0.1


class Recording:
    """
    A file that is written; ``close`` completes it.

    :param path: of the file, which must not be there.
    """

    def __init__(self, path):
        self._file, self._flushed, self._channels = open(path, 'xb'), 0, {}
        self._writer = Writer(self._file)
        self._writer.start('ros2')

    def add(self, topic, data, now):
        """
        Add a message.

        :param topic: one of :data:`TOPICS`.
        :param data: the message as CDR.
        :param now: the time [ns].
        """
        if topic not in self._channels:
            known = TOPICS[topic]
            self._channels[topic] = self._writer.register_channel(
                f'/{topic}', 'cdr', self._writer.register_schema(
                    known['type'], 'ros2msg', known['definition'].encode()))
        self._writer.add_message(self._channels[topic], now, data, now)
        if now - self._flushed >= _CHUNK:
            self._flushed = now
            self._writer.flush()
            os.fsync(self._file.fileno())

    def close(self):
        """Complete the file."""
        self._writer.finish()
        self._file.close()


def joint_state(positions, now):
    """Return the CDR of a JointState: positions by name [rad, m] at a time [ns]."""
    data = struct.pack('<iIIBxxxI', *divmod(now, 10 ** 9), 1, 0, len(positions))
    for name in positions:
        data += bytes(-len(data) % 4) + struct.pack('<I', len(name) + 1) + name.encode() + b'\0'
    data += bytes(-len(data) % 4) + struct.pack('<I', len(positions))
    data += bytes(-len(data) % 8) + struct.pack(f'<{len(positions)}d', *positions.values())
    return b'\0\1\0\0' + data + bytes(8)


def records(path):
    """Yield ``(channel, schema, message)`` of a file, as far as it is whole."""
    found = {}
    with open(path, 'rb') as file, suppress(Exception):     # whatever libraries raise at its cut
        for record in StreamReader(file).records:
            if isinstance(record, (Channel, Schema)):
                found[type(record), record.id] = record
            elif isinstance(record, Message):
                channel = found[Channel, record.channel_id]
                yield channel, found[Schema, channel.schema_id], record


def path_of_recording(arm, path, speed=1.0):
    """
    Return the :class:`~..motion.joint_path.JointPath` of a recording.

    It leads where joints were commanded, if that was a stream, or else where they were measured;
    the gripper where it was commanded, and before that where it was measured.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param path: of the file.
    :param speed: 1: as it was recorded.
    :raises InvalidInputError: if it is of another arm, or has no motion.
    """
    found = {'joint_states': [], 'joint_commands': [], 'gripper_command': []}
    decoders, model = {}, arm.model
    for channel, schema, message in records(path):
        if channel.topic[1:] in found:
            decode = decoders.setdefault(channel.id, DecoderFactory().decoder_for('cdr', schema))
            found[channel.topic[1:]].append((1e-9 * message.log_time, decode(message.data)))
    states, commands = ([(now, dict(zip(message.name, message.position)))
                         for now, message in found[topic]]
                        for topic in ('joint_states', 'joint_commands'))
    streams = sum(len(each.velocity) > 0 for _, each in found['joint_commands'])
    chain = [(now, *(at[name] for name in arm.joint_names)) for now, at in (
        commands if 2 * streams > len(commands) else states) if at.keys() >= set(arm.joint_names)]
    if len(chain) < 2:
        raise InvalidInputError('recording', str(path), f'one of a {arm.name} that moves')
    rows = np.array(chain)
    part = np.unique(((rows[:, 0] - rows[0, 0]) / _MEAN).astype(int), return_inverse=True)[1]
    s, *q = (np.bincount(part, column) / np.bincount(part) for column in rows.T)
    q, inside = np.transpose(q), np.clip(np.transpose(q), arm.lower, arm.upper)
    if not np.abs(q - inside).max() <= _PAST:
        raise InvalidInputError('recording', str(path), f'one inside the limits of {arm.name}')
    extra = {joint.name: np.interp(s, *zip(*at)) for joint in model.extra_joints if (
        at := [(now, at[joint.name]) for now, at in states if joint.name in at])}
    commands += [(now, model.gripper_goals(each.data)) for now, each in found['gripper_command']]
    for now, goals in sorted(commands, key=lambda each: each[0]):
        for name in goals.keys() & extra.keys():
            extra[name][s >= now] = goals[name]
    return joint_path(model, s, inside, extra, speed)
