# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Plays a path on an arm: slowly to its first pose, then along it, at rest in the end.

The arm is whatever has an ``arm``, the :class:`~arm_ik.arm.Arm`, ``measured`` positions and
``set_points`` by name, ``problem``, in words why it takes no commands, ``enable(on)`` of other
senders, and ``stream(names, positions, velocities)``, which takes one command of a stream. A
stream that breaks off comes to rest by itself: so does an arm whose player dies.
"""

from time import monotonic, sleep

import numpy as np

from ..errors import require
from ..motion.joint_path import joint_path
from ..motion.playback import Playback

#: Period of commands [s].
_PERIOD = 0.02

#: The approach takes so many times as long as at the largest velocities, and at least so
#: long [s].
_SLOWER, _LEAST = 6.0, 1.0

#: From pose to pose the joint that has the farthest to go runs at this part of its largest
#: velocity on average; that takes so long at least, and the arm rests so long; and so long, at
#: any speed, while its gripper moves [s].
_PART, _REST, _GRIP = 1.0 / 3.0, 0.2, 1.0

#: How far a position of a file may be past a limit that is meant to be the limit [rad].
_PAST = 0.01

#: At the end a joint may be off by so much [rad]; and how long an arm that does not follow is
#: waited for [s].
_NEAR, _PATIENCE = 0.1, 3.0


class Player:
    """
    Plays paths; ``pace`` is 1, or 0 for a pause, ``stops`` ends it at rest, set from any thread.

    :param arm: see the module.
    """

    def __init__(self, arm):
        self._arm, self._model = arm, arm.arm.model
        self.pace, self.stops = 1.0, False

    def play(self, path, loops=1):
        """
        Play a path.

        :param path: the :class:`~..motion.joint_path.JointPath`.
        :param loops: how often.
        :returns: why it ended before its end, in words, or ``''``; the arm comes to rest.
        """
        first = path.spline.positions[0]
        self._arm.enable(False)
        for _ in range(loops):
            at = self._arm.set_points
            start = [at[name] for name in self._model.joint_names]
            seconds = max(abs(b - a) / joint.max_velocity for joint, a, b in zip(
                self._model.joints, start, first))
            approach = joint_path(
                self._model, [0.0, max(_LEAST, _SLOWER * seconds)], [start, first],
                {name: [at[name], goal] for name, goal in path.extra_at(0.0).items()})
            words = self._along(approach) or self._along(path)
            if words:
                break
        if not self._arm.problem:
            self._arm.enable(True)
        return words

    def _along(self, path):
        names, known, begun = self._model.joint_names, {**self._arm.set_points}, monotonic()
        playback, extra, waits_since = Playback(path.spline, begun), {}, begun
        while True:
            now = monotonic()
            known.update(self._arm.measured)    # without a joint that was not read
            measured = [known[name] for name in names]
            follows = playback.follow(self._model, measured)
            wanted = 0.0 if self.stops else self.pace
            if wanted != playback.pace:
                playback.at_pace(self._model, wanted, now)
            positions, velocities = playback.at(now)
            off, name = max((abs(at - m), name) for at, m, name in zip(positions, measured, names))
            if follows and (not playback.done or off <= _NEAR):
                waits_since = now
            if words := self._arm.problem or now > waits_since + _PATIENCE and (
                    f'{name} is {off:.2f} rad from its path'):
                return words
            self._arm.stream(names, positions, velocities)
            if self.stops and not any(velocities):
                return 'stopped'
            if (there := path.extra_at(playback.travelled()[0])) != extra:
                extra = there
                self._arm.stream([*extra], [*extra.values()], [])
            if playback.done and waits_since == now:
                return ''
            sleep(_PERIOD)


def entry_of(model, positions):
    """
    Return positions by name [rad, m] as an entry of a target file: joints, and the opening.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    """
    entry = {'joints': {name: round(positions[name], 4) for name in model.joint_names}}
    if (part := model.gripper_opening(positions)) is not None:
        entry['gripper'] = round(min(max(part, 0.0), 1.0), 3)
    return entry


def path_of(arm, steps, measured, speed=1.0):
    """
    Return the :class:`~..motion.joint_path.JointPath` through poses.

    The arm rests at each; the gripper moves when the arm is there.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param steps: of a :class:`~..description.target_file.TargetFile`.
    :param measured: where the arm is now, by name [rad, m].
    :param speed: 1: at a third of the largest velocities.
    :raises InvalidArmError: naming the entry that cannot be played.
    """
    q, grippers = [measured[name] for name in arm.joint_names], arm.model.extra_joints
    grip, rows = [np.nan for _ in grippers], []
    for step in steps:
        for seconds, after in _legs(arm, step, q):
            rows.append((max([seconds or _REST, *(abs(b - a) / (_PART * joint.max_velocity)
                              for joint, a, b in zip(arm.model.joints, q, after) if not seconds)]),
                         after, grip))
            q = after
        rest = speed * step.wait
        if step.opening is not None and step.target is None:
            grip = list(arm.model.gripper_goals(step.opening).values())
            rest += speed * _GRIP
        rows.append((_REST + rest, q, grip))
    seconds, q, extra = zip(*rows)
    return joint_path(arm.model, np.cumsum(seconds), q, dict(zip(
        [joint.name for joint in grippers], np.transpose(extra))), speed)


def _legs(arm, step, q):
    """Return times since the one before [s], 0 where there is none, and positions."""
    reason, legs = '', []
    if step.joints is not None and step.joints.keys() != {*arm.joint_names}:
        reason = f'joints {", ".join(step.joints)} instead of {", ".join(arm.joint_names)}'
    elif step.joints is not None:
        at = np.array([step.joints[name] for name in arm.joint_names])
        legs = [(0.0, np.clip(at, arm.lower, arm.upper))]
        reason = 'joints outside their limits' if np.abs(at - legs[0][1]).max() > _PAST else ''
    elif step.speed:
        line = arm.line([step.target], q, tip_speed=step.speed)
        reason, legs = line.reason, [*zip(np.diff(line.times), line.q[1:])]
    elif step.target and step.reachable:
        solution = arm.solve(step.target, near=q)
        reason, legs = '' if solution.reached else solution.reason, [(0.0, solution.q)]
    require(not reason, f'entry {step.entry} ({step.name})', reason, 'what can be played')
    return legs
