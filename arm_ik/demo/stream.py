# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Send a file's targets one after the other, each when the arm rests on the one before; and judge.

The result is a :class:`Run`: every verdict, and every measured state in between. Judged is where
the arm came to rest, by what its joints measure and the frames of its URDF. Nothing of the solver
is used. What the node reports is checked, too. A pose passes if the arm rests on it within
:data:`TOLERANCE`. A pose that the file calls unreachable passes if the node correctly reports that
it was not reached, why, and by how much.
"""

from itertools import groupby
from math import dist, nan
from time import monotonic, sleep
from typing import Any, NamedTuple

import numpy as np

from ..description.target_file import Step, TargetFile
from ..description.urdf import link_frames, links, TOOL_FRAME
from ..kinematics.model import ArmModel
from ..kinematics.vectors import across, angle_between
from ..testing.touches import first_touch

#: Largest error of a reachable pose [m, rad]. It is small because the simulated servos are ideal:
#: a larger tolerance would hide wrong answers.
TOLERANCE = 1e-6

#: The arm rests when this many measured states in a row are the same ...
REST_STATES = 3

#: ... within this [rad]: more than rounding, and far less than the tolerance of a pose.
REST_TOLERANCE = 1e-9


class Verdict(NamedTuple):
    """
    What the judge finds of a step.

    ``measured`` holds the positions of all joints by name [rad], at rest. ``status`` and
    ``reason`` are what the node reports. ``tip`` is where the tip rests [m], the errors are
    measured; ``None`` where the file asks for no such vector. ``gripper`` is where the gripper
    rests [rad, or m if it slides]. ``failure`` is empty if all is well.
    """

    step: Step
    measured: dict
    status: str
    failure: str = ''
    reason: str = ''
    tip: Any = None
    position_error_m: float = 0.0
    up_error_rad: float | None = None
    forward_error_rad: float | None = None
    gripper: float = nan


class Run(NamedTuple):
    """
    One target file, streamed.

    ``items`` are the verdicts in the file's order; ``samples`` are the measured positions by name
    [rad], in the order of time, at least one. ``stopped`` says why the stream ended early, or
    what the arm touched.
    """

    file: TargetFile
    model: ArmModel
    items: tuple
    samples: tuple
    seconds: float
    stopped: str = ''

    @property
    def verdicts(self):
        """Return the verdicts on the poses."""
        return [item for item in self.items if item.step.target]

    @property
    def grips(self):
        """Return the verdicts on the gripper's steps."""
        return [item for item in self.items if not item.step.target]

    @property
    def passed(self):
        """Return whether everything the file asks for was done, with the expected results."""
        return not self.stopped and len(self.items) == len(self.file.steps) and not any(
            item.failure for item in self.items)

    @property
    def summary(self):
        """One line of figures, for a person."""
        asked = sum(bool(step.target and step.reachable) for step in self.file.steps)
        met = [item for item in self.verdicts if item.step.reachable and not item.failure]
        words = [f'at rest on {len(met)} of {asked} reachable poses']
        if met:
            turns = [item.up_error_rad or 0.0 for item in met]
            turns += [item.forward_error_rad or 0.0 for item in met]
            words.append(f'worst {max(item.position_error_m for item in met):.1e} m, '
                         f'{max(turns):.1e} rad ({TOLERANCE:.0e} allowed)')
        relaxed = [not item.failure for item in self.verdicts if not item.step.reachable]
        if relaxed:
            words.append(f'{sum(relaxed)} of {len(relaxed)} out of reach, and said so')
        return '; '.join([*words, f'{self.seconds:.1f} s'])

    def tips(self, *samples):
        """Return the positions of the tip [m], (n, 3), in samples, by default in all."""
        return np.array([tip_of(self.model, sample)[0] for sample in samples or self.samples])


def stream(file, arm, record, on_entry=lambda items: None):
    """
    Send the targets of a file.

    :param file: a :class:`~arm_ik.description.target_file.TargetFile`.
    :param arm: an :class:`~arm_ik.testing.ArmClient` that is ready.
    :param record: the list that grows by one dict of measured positions per joint state.
    :param on_entry: called with the verdicts on each entry of the file, as soon as it is done.
    :returns: a :class:`Run`; one that was stopped, if the arm gave no answer.
    """
    started, first, items, stopped = monotonic(), len(record), [], ''
    for _, steps in groupby(file.steps, key=lambda step: step.entry):
        came = []
        try:
            for step in steps:
                came.append((_pose if step.target else _grip)(step, arm, record))
                sleep(step.wait)
        except AssertionError as error:  # raised by the client if an event does not come in time
            stopped = f'{step.name}: {error}'
        items += came
        if came:
            on_entry(came)
        if stopped:
            break
    samples = tuple(record[max(first - 1, 0):])
    return Run(file, arm.arm.model, tuple(items), samples, monotonic() - started,
               stopped or first_touch(arm.arm, samples))


def _pose(step, arm, record):
    arm.set_parameters('ik_node', **(
        {'motion': 'line', 'tip_speed': step.speed} if step.speed else {'motion': 'joint'}))
    stamp = arm.send(step.target.position, step.target.up, step.target.forward)

    def ended():
        return [status for status in arm.statuses(stamp) if status.state in ('arrived', 'refused')]
    arm.wait_until(ended, f'an arrival at {step.name}',
                   came=lambda: str((arm.statuses(stamp) or ['no status'])[-1]))
    return judge_pose(step, _rest(arm, record), ended()[-1], arm.arm.model)


def _grip(step, arm, record):
    if not arm.arm.model.extra_joints:
        return Verdict(step, _rest(arm, record), 'failed', 'this arm has no gripper')
    arm.move_gripper(step.opening)   # and wait until it is there
    measured = _rest(arm, record)
    return Verdict(step, measured, 'reached', gripper=measured[arm.arm.model.extra_joints[0].name])


def _rest(arm, record):
    """Wait for measured states from now on that stay the same, and return the last one."""
    first = len(record)

    def at_rest():
        states = [[*state.values()] for state in record[first:][-REST_STATES:]]
        return len(states) == REST_STATES and np.ptp(states, axis=0).max() <= REST_TOLERANCE
    arm.wait_until(at_rest, 'the arm at rest', came=lambda: 'it moves')
    return record[-1]


def tip_of(model, positions):
    """
    Return where ``tool0`` is: its origin [m], its forward and its up vector, in ``base_link``.

    :param model: the arm's :class:`~arm_ik.ArmModel`.
    :param positions: by joint name [rad].
    """
    forward, _, up, tip = link_frames(links(model), positions)[TOOL_FRAME][:3].T
    return tip, forward, up


def judge_pose(step, measured, said, model):
    """
    Judge one pose.

    :param step: what was asked for.
    :param measured: positions of all joints by name [rad], at rest.
    :param said: the :class:`~arm_ik.testing.TargetStatus` that ended the target.
    :param model: the arm's :class:`~arm_ik.ArmModel`.
    :returns: a :class:`Verdict`.
    """
    tip, forward, up = tip_of(model, measured)
    target = step.target
    errors = [dist(tip, target.position), None, None]
    if target.up is not None:
        errors[1] = angle_between(up, target.up)
    if target.forward is not None and model.has('wrist_roll'):
        # The tool can follow only the part across the up vector.
        errors[2] = angle_between(forward, across(target.forward, up))
    status = said.status if said.state == 'arrived' else said.state
    return Verdict(step, measured, status, _failure(step, status, said, errors), said.reason, tip,
                   *errors)


def _failure(step, status, said, errors):
    reached = status == 'REACHED' or (
        # A pose message always has a forward vector, even if the file has none.
        status == 'FORWARD_RELAXED' and step.target.forward is None)
    # In this form, comparisons also fail if an error is nan.
    if step.reachable and not all(error is None or error <= TOLERANCE for error in errors):
        return 'missed'
    if reached != step.reachable:
        expected = 'reachable' if step.reachable else 'unreachable'
        return f'the file calls it {expected}, the node says {status or "nothing"}'
    if not (reached or said.reason):
        return 'not reached, and the node gives no reason'
    for claimed, measured in zip((said.position_error_m, said.up_error_rad), errors):
        if measured is not None and not abs(claimed - measured) <= TOLERANCE:
            return f'the node claims an error of {claimed:.3g}, it is {measured:.3g}'
    return ''
