# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Send a file's targets one after the other, each when the arm rests on the one before.

The result is a :class:`Run`: every verdict, and every measured state in between.
"""

from dataclasses import dataclass
from itertools import groupby
from time import monotonic

from .judge import Answer, GripVerdict, judge_grip, judge_pose, TOLERANCE
from .target_file import GripperStep, TargetFile
from .urdf_chain import UrdfChain

#: The arm rests when this many measured states in a row are the same ...
REST_STATES = 3

#: ... within this [rad]: more than rounding, and far less than the tolerance of a pose.
REST_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Run:
    """
    One target file, streamed.

    ``items`` are the verdicts in the file's order; ``samples`` are the measured positions by name
    [rad], in the order of time, at least one. ``stopped`` says why the stream ended early,
    if it did.
    """

    file: TargetFile
    arm_name: str
    chain: UrdfChain
    items: tuple
    samples: tuple
    seconds: float
    stopped: str = ''

    @property
    def verdicts(self):
        """Return the verdicts on the poses."""
        return [item for item in self.items if not isinstance(item, GripVerdict)]

    @property
    def grips(self):
        """Return the verdicts on the gripper's steps."""
        return [item for item in self.items if isinstance(item, GripVerdict)]

    @property
    def passed(self):
        """Tell whether everything the file asks for was done, with the expected results."""
        return not self.stopped and len(self.items) == len(self.file.steps) and all(
            item.passed for item in self.items)

    @property
    def title(self):
        """Return the arm and the file, for a heading."""
        return f'{self.arm_name}: {self.file.name}'

    @property
    def summary(self):
        """One line of figures, for a person."""
        steps = [step for step in self.file.steps if getattr(step, 'reachable', False)]
        met = [verdict for verdict in self.verdicts if verdict.step.reachable and verdict.passed]
        words = [f'at rest on {len(met)} of {len(steps)} reachable poses']
        if met:
            words.append(f'worst {max(verdict.position_error_m for verdict in met):.1e} m, '
                         f'{max(verdict.turned_rad for verdict in met):.1e} rad '
                         f'({TOLERANCE:.0e} allowed)')
        relaxed = [verdict for verdict in self.verdicts if not verdict.step.reachable]
        if relaxed:
            honest = sum(verdict.passed for verdict in relaxed)
            words.append(f'{honest} of {len(relaxed)} out of reach, and said so')
        failed = sum(not grip.passed for grip in self.grips)
        if failed:
            words.append(f'{failed} of {len(self.grips)} gripper moves failed')
        words.append(f'{self.seconds:.1f} s')
        return '; '.join(words)


def stream(file, arm, record, on_entry=lambda items: None):
    """
    Send the targets of a file.

    :param file: a :class:`~arm_ik.demo.target_file.TargetFile`.
    :param arm: an :class:`~arm_ik.testing.ArmClient` that is ready.
    :param record: the list that grows by one dict of measured positions per joint state.
    :param on_entry: called with the verdicts on each entry of the file, as soon as it is done.
    :returns: a :class:`Run`; one that was stopped, if the arm gave no answer.
    """
    chain = UrdfChain(arm.arm.to_urdf())
    started, first, items, stopped = monotonic(), len(record), [], ''
    for _, steps in groupby(file.steps, key=lambda step: step.entry):
        came = []
        try:
            for step in steps:
                came.append(_grip(step, arm, record) if isinstance(step, GripperStep)
                            else _pose(step, arm, record, chain))
                _wait(step.wait, arm)
        except AssertionError as error:  # raised by the client if an event does not come in time
            stopped = f'{step.name}: {error}'
        items += came
        if came:
            on_entry(came)
        if stopped:
            break
    return Run(file, arm.arm.name, chain, tuple(items), tuple(record[max(first - 1, 0):]),
               monotonic() - started, stopped)


def _pose(step, arm, record, chain):
    target = step.target
    if step.speed is None:
        arm.set_parameters('ik_node', motion='joint')
    else:
        arm.set_parameters('ik_node', motion='line', tip_speed=step.speed)
    stamp = arm.send(target.position, target.up, target.forward)
    arm.wait_until(
        lambda: _ended(arm, stamp), f'an arrival at {step.name}',
        came=lambda: str((arm.statuses(stamp) or ['no status'])[-1]))
    status = _ended(arm, stamp)
    measured = _rest(arm, record)
    return judge_pose(step, Answer(
        measured, status.status if status.state == 'arrived' else status.state, status.reason,
        status.position_error_m, status.up_error_rad), chain, arm.arm.model.has('wrist_roll'))


def _grip(step, arm, record):
    if not arm.arm.model.extra_joints:
        return judge_grip(step, None, arm.joint_states)
    arm.move_gripper(step.opening)
    return judge_grip(step, arm.arm.model.extra_joints[0], _rest(arm, record))


def _ended(arm, stamp):
    """Return the status that ends a target, or ``None``."""
    ends = [status for status in arm.statuses(stamp) if status.state in ('arrived', 'refused')]
    return ends[-1] if ends else None


def _wait(seconds, arm):
    """Let some time pass, while the arm goes on to tell its states."""
    until = monotonic() + seconds
    arm.wait_until(lambda: monotonic() >= until, f'{seconds:g} s', seconds + arm.timeout)


def _rest(arm, record):
    """Wait for measured states from now on that stay the same, and return the last one."""
    first = len(record)

    def at_rest():
        states = record[first:][-REST_STATES:]
        return len(states) == REST_STATES and all(
            abs(state[name] - states[0][name]) <= REST_TOLERANCE
            for state in states for name in states[0])
    arm.wait_until(at_rest, 'the arm at rest', came=lambda: 'it moves')
    return record[-1]
