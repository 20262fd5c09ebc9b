# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
One arm's core, asked as the node asks it, with every answer judged.

A pose is written as the bytes that DDS would bring, then read, checked and solved as ``ik_node``
does it; the arm follows every command at once, or stands anywhere. Half of the targets come right
after another, so that ordinary ones may go the short way.
"""

from math import isfinite
import struct
from types import SimpleNamespace

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.burst_core import BurstCore
from arm_ik.nodes.ik.cdr import PoseLayout, read_pose
from arm_ik.nodes.ik.frames import NoTransforms
from arm_ik.nodes.ik.report import Order, State
from arm_ik.nodes.ik.target_reader import TargetInput

from .odd_joints import state_must_be_refused
from .odd_targets import BASE_FRAME, must_be_refused
from .tally import CRASH, NO_REASON, NOT_TAKEN, OTHER, OUTSIDE, SHORT_WAY, TAKEN

#: What the stamps' clock shows [ns].
NOW_NS = 1_800_000_000 * 10**9

#: How often the arm stands somewhere else than it was told to.
_ELSEWHERE = 0.1

#: How often a target comes right after another.
_HURRIED = 0.5


class CoreTrial:
    """
    An arm, its core, and what came of it.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`~arm_ik.nodes.ik.settings.Settings`.
    :param random: a :class:`random.Random`.
    :param tally: the :class:`~.tally.Tally` to count in.
    """

    def __init__(self, arm, settings, random, tally):
        self.answers = []  # (class, Asked, stored up vector, Solution), to be judged together
        self._arm, self._settings, self._random, self._tally = arm, settings, random, tally
        self._now = 0.0
        self._core = BurstCore(arm, settings, clock=lambda: self._now)
        self._input = TargetInput(BASE_FRAME, 'z', NoTransforms(BASE_FRAME).look_up,
                                  forward=arm.model.has('wrist_roll'))
        self._sent = None  # by the short way
        self._layout = PoseLayout.of(BASE_FRAME)
        self._seq = 0
        self._stand(arm.home)

    def ask(self, kind, asked):
        """Ask for a target of a class; return the report, ``None`` after a crash."""
        self._seq += 1
        self._now += 0.001
        stored_up = self._input.stored_up
        try:
            report = self._report(asked)
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, error, asked)
            self._stand(self._arm.home)
            return None
        refused = report.state is State.REFUSED
        self._tally.answer(kind, refused)
        self._judge_words(kind, asked, report, refused)
        if report.solution is not None and not refused:
            self.answers.append((kind, asked, stored_up, report.solution))
        self._judge_command(kind, asked)
        if self._random.random() >= _HURRIED:
            self._stand(self._core.command or self._arm.home)
        elif report.state is State.ACCEPTED and report.target is not None:
            self._core.begin_burst(0.0, self._layout, self._input.to_up, NOW_NS // 10**9,
                                   lambda _, readings: readings, self._take_command)
        return report

    def ask_good(self, kind, asked, answers):
        """Ask for a target the arm reaches, after one of a class; add its answer to a list."""
        report = self.ask('reachable', asked)
        if report is not None and report.solution is not None and report.solution.reached:
            answers.append((kind, ('reachable', asked, None, report.solution)))
        else:
            self._tally.good_one(kind, False, asked, report)

    def take_state(self, kind, arrays):
        """Hand in a joint state of a class; return what that is called."""
        kind = f'joint states, {kind}'
        try:
            report = self._core.take_state(*arrays)
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, error, arrays)
        else:
            refused = report is not None and report.state is State.REFUSED
            self._tally.answer(kind, refused)
            if refused and not report.reason:
                self._tally.fault(NO_REASON, kind, arrays)
            if refused != state_must_be_refused(self._arm.joint_names, arrays):
                self._tally.fault(NOT_TAKEN if refused else TAKEN, kind, arrays, report)
        return kind

    def _report(self, asked):
        if asked.topic == 'target_pose' and self._core.short_way is not None \
                and self._core.short_way(pose_bytes(asked), 0.0):
            ended, = self._core.bursts()
            self._tally.short_ways[SHORT_WAY] += 1
            if self._sent != ended.report.solution.q:
                self._tally.fault(OTHER, 'short way', asked, self._sent, ended.report)
            return ended.report
        order = Order(self._seq, asked.stamp, asked.frame)
        try:
            target = self._read(asked)
        except InvalidInputError as error:
            return self._core.refuse(order, str(error), error.what)
        if target is None:
            return self._core.acknowledge(order, 'up vector stored')
        return self._core.take_target(target, order)

    def _read(self, asked):
        if asked.topic == 'target_pose':
            stamp, frame, position, orientation = read_pose(pose_bytes(asked))
            if frame in ('', BASE_FRAME):
                return self._input.from_values(position, orientation, stamp, NOW_NS)
            return self._input.from_pose(_message(asked), NOW_NS)
        if asked.topic == 'target_point':
            return self._input.from_point(_message(asked), NOW_NS)
        return self._input.store_up(_message(asked), NOW_NS)

    def _judge_words(self, kind, asked, report, refused):
        relaxed = report.solution is not None and not report.solution.reached
        if (refused or relaxed) and not report.reason:
            self._tally.fault(NO_REASON, kind, asked, report)
        bad = must_be_refused(asked, NOW_NS)
        if bad and not refused:
            self._tally.fault(TAKEN, kind, asked, report)
        if refused and not bad and self._settings.follow_relaxed:
            self._tally.fault(NOT_TAKEN, kind, asked, report)

    def _judge_command(self, kind, asked):
        command = self._core.command
        if command is None:
            return
        ends = zip(command, self._arm.lower, self._arm.upper)
        if len(command) != len(self._arm.joint_names) or not all(
                isfinite(reading) and low <= reading <= high for reading, low, high in ends):
            self._tally.fault(OUTSIDE, kind, asked, command)

    def _take_command(self, readings):
        self._sent = readings

    def _stand(self, readings):
        if self._random.random() < _ELSEWHERE:
            readings = [self._random.uniform(low - 0.05, high + 0.05)
                        for low, high in zip(self._arm.lower, self._arm.upper)]
        self._core.take_state(self._arm.joint_names, readings)


def pose_bytes(asked):
    """Return a pose as the bytes of a PoseStamped in plain CDR, little endian."""
    frame = asked.frame.encode() + b'\0'
    body = struct.pack('<iII', *asked.stamp, len(frame)) + frame
    return (b'\0\1\0\0' + body + bytes(-len(body) % 8)
            + struct.pack('<7d', *asked.position, *asked.orientation))


def _message(asked):
    """Return what the node sees of a message."""
    position = SimpleNamespace(**dict(zip('xyz', asked.position)))
    return SimpleNamespace(
        header=SimpleNamespace(frame_id=asked.frame, stamp=SimpleNamespace(
            sec=asked.stamp[0], nanosec=asked.stamp[1])),
        pose=SimpleNamespace(position=position, orientation=SimpleNamespace(
            **dict(zip('xyzw', asked.orientation)))),
        point=position, vector=position)
