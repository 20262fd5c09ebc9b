# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Odd and random targets and joint states into the core of ``ik_node``, without DDS.

Every arm that comes with the package is tried, and one with a tilting wrist, with several
settings. The arm stands where it was commanded, or anywhere. Every answer is checked: values by
the joint limits, the reported errors by forward kinematics from the URDF. One in six is followed
by a pose that the arm reaches, which has to be met.

This is the only file of this folder that uses the classes of ``ik_node``.
"""

from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from math import atan2, isfinite, pi
from random import Random

from arm_ik import Arm, ArmModel, Joint
from arm_ik.demo.urdf_chain import UrdfChain
from arm_ik.description import preset_names
from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.frames import NoTransforms
from arm_ik.nodes.ik.report import Request, State
from arm_ik.nodes.ik.target_reader import TargetReader
from geometry_msgs.msg import PointStamped, PoseStamped
import numpy as np

from .figures import Figure
from .odd_messages import (
    BASE_FRAME, JOINT_MESSAGES, LONG, ODD_TARGETS, ORDINARY_TARGETS, orientation_of, position_of,
    state_must_be_refused, target_must_be_refused, Targets)
from .tally import CRASH, NO_REASON, OUTSIDE, Tally

#: How many targets, and how many for each arm that is searched over planes: some ten milliseconds
#: each.
FULL, FULL_SEARCHED = 200_000, 1_000
SHORT, SHORT_SEARCHED = 2_000, 40

#: Bounds for the errors of targets and for the reported errors [m, rad].
EXACT = 1e-9

SETTINGS = (
    Settings(), Settings(priority='up'), Settings(elbow='up', elevation=-0.5),
    Settings(follow_relaxed=False),
    Settings(position_tolerance=EXACT, up_tolerance=EXACT, branch_tolerance=(0.0, 0.0)))
# Good targets are random poses, some of them inside the base.
SETTINGS = tuple(settings._replace(avoid_base=False) for settings in SETTINGS)

#: What the stamps' clock shows [ns].
_NOW_NS = 1_800_000_000 * 10**9

#: How often the arm stands anywhere, a joint state comes in between, a good target follows, and
#: the errors of an answer are looked at.
_ANYWHERE, _STATE, _GOOD, _LOOKED_AT = 0.1, 0.05, 0.12, 0.1

_SEARCHED = ('rolling_base', 'tilting_wrist')


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    names = ('so101', 'px100', 'rolling_base') if short else (*preset_names(), 'tilting_wrist')
    total, searched = (SHORT, SHORT_SEARCHED) if short else (FULL, FULL_SEARCHED)
    plain = len({*names} - {*_SEARCHED})
    shares = [(name, searched if name in _SEARCHED else total // plain, seed) for name in names]
    tally, errors, differences = Tally(say), [], []
    if short:
        results = map(_of_arm, shares)
    else:
        with ProcessPoolExecutor() as pool:
            results = list(pool.map(_of_arm, shares))
    for part, lines, missed, told in results:
        for line in lines:
            say(line)
        tally.add(part)
        errors += missed
        differences += told
    return [*tally.figures(sum(count for _, count, _ in shares)),
            _at_most('error of good targets, tolerances of 1e-9', errors),
            _at_most('reported error, compared with that by the URDF', differences)]


def _at_most(what, values):
    worst = max(values, default=float('nan'))
    return Figure(what, f'<= {EXACT:g}', f'{worst:.2g} m or rad, {len(values)} looked at',
                  worst <= EXACT)


def _of_arm(share):
    """Return an arm's tally, what there is to say, errors of good targets, and differences."""
    name, count, seed = share
    arm = _tilting_wrist() if name == 'tilting_wrist' else Arm.preset(name)
    lines = []
    tally, random = Tally(lines.append), Random(f'{seed} {name}')
    trials = [_Trial(arm, settings, random, tally) for settings in SETTINGS]
    kinds = cycle({**ORDINARY_TARGETS, **ODD_TARGETS}.items())
    states = cycle(kind for kind in JOINT_MESSAGES if kind != LONG)
    for number in range(count):
        trial = trials[number % len(trials)]
        kind, make = next(kinds)
        trial.ask(kind, make(trial.targets))
        if random.random() < _STATE or number < 2 * len(JOINT_MESSAGES):
            kind = trial.take_state(LONG if number == 0 else next(states))
        elif random.random() > _GOOD and number > 2 * len(trials) * len(ODD_TARGETS):
            continue
        trial.ask_good(kind)
    return (tally, lines, trials[-1].missed,
            [difference for trial in trials for difference in trial.differences])


class _Trial:
    """One arm's core under one setting, asked as ``ik_node`` asks it, every answer judged."""

    def __init__(self, arm, settings, random, tally):
        self.targets = Targets(arm, random, lambda: _NOW_NS)
        self.missed = []       # errors of good targets [m, rad]
        self.differences = []  # differences between reported and true errors [m per m, rad]
        self._arm, self._settings, self._random, self._tally = arm, settings, random, tally
        self._chain = UrdfChain(arm.to_urdf())
        self._now, self._count = 0.0, 0
        self._core = IkCore(arm, settings, clock=lambda: self._now)
        self._input = TargetReader(BASE_FRAME, 'z', NoTransforms(BASE_FRAME).look_up,
                                   forward=arm.model.has('wrist_roll'))
        self._stand(arm.home)

    def ask(self, kind, message):
        """Ask for a target of a class; return the report, ``None`` after a crash."""
        self._count += 1
        self._now += 0.001
        request = Request(self._count, (0, 0), message.header.frame_id)
        try:
            report = self._answer(message, request)
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, repr(error), message)
            return None
        refused, solution = report.state is State.REFUSED, report.solution
        must = target_must_be_refused(message, _NOW_NS)
        if refused and not must and not self._settings.follow_relaxed and solution is not None:
            must = not solution.reached
        self._tally.judge(kind, refused, must, report.reason, message)
        if solution is not None:
            if not solution.reached and not report.reason:
                self._tally.fault(NO_REASON, kind, message, report)
            if self._random.random() < _LOOKED_AT:
                self._look_at(message, report)
        self._judge_command(kind, message)
        self._stand(self._core.command or self._arm.home)
        return report

    def ask_good(self, kind):
        """Ask for a pose that the arm reaches, after a message of a class."""
        message = self.targets.reachable()
        report = self.ask('reachable', message)
        if report is None or report.solution is None:
            self._tally.good_one(kind, False, report, message)
            return
        position, up, forward = self._errors(message, report.solution.q)
        self.missed += [position, up, forward]
        self._tally.good_one(kind, position <= self._settings.position_tolerance
                             and max(up, forward) <= self._settings.up_tolerance, report, message)

    def take_state(self, kind):
        """Hand in a joint state of a class; return what that is called."""
        message = JOINT_MESSAGES[kind](self._random, list(self._arm.joint_names))
        kind = f'joint states, {kind}'
        try:
            report = self._core.take_state(
                message.name, message.position, message.velocity, message.effort)
        except Exception as error:  # noqa: BLE001, a crash is what is counted
            self._tally.fault(CRASH, kind, repr(error), message)
            return kind
        self._tally.judge(kind, report is not None and report.state is State.REFUSED,
                          state_must_be_refused(message, self._arm.joint_names),
                          report and report.reason, message)
        return kind

    def _answer(self, message, request):
        try:
            if isinstance(message, PoseStamped):
                target = self._input.from_pose(message, _NOW_NS)
            elif isinstance(message, PointStamped):
                target = self._input.from_point(message, _NOW_NS)
            else:
                self._input.store_up(message, _NOW_NS)
                return self._core.acknowledge(request, 'approach vector stored')
        except InvalidInputError as error:
            return self._core.refuse(request, str(error), error.what)
        return self._core.take_target(target, request)

    def _judge_command(self, kind, message):
        command = self._core.command
        if command is not None and not all(
                isfinite(value) and low <= value <= high for value, low, high
                in zip(command, self._arm.lower, self._arm.upper)):
            self._tally.fault(OUTSIDE, kind, command, message)

    def _look_at(self, message, report):
        solution, place = report.solution, position_of(message)
        stored_up = self._input.stored_up
        position, up, forward = self._errors(message, solution.q, stored_up)
        # Beyond a metre it is relative to the distance, like the resolution of a float.
        self.differences.append(
            abs(position - solution.position_error_m) / max(1.0, *map(abs, place)))
        if isinstance(message, PoseStamped) or stored_up is not None:
            self.differences.append(abs(up - solution.up_error_rad))

    def _errors(self, message, q, stored_up=None):
        """Return how far joint positions are from a target: tip, up and forward vector."""
        tip = self._chain.tip(dict(zip(self._arm.joint_names, q)))
        distance = float(np.linalg.norm(tip[:3, 3] - position_of(message)))
        if not isinstance(message, PoseStamped):
            return distance, 0.0 if stored_up is None else _angle(tip[:3, 2], stored_up), 0.0
        x, y, z, w = orientation_of(message) / np.linalg.norm(orientation_of(message))
        up = (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y))
        forward = (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w))
        return (distance, _angle(tip[:3, 2], up),
                _angle(tip[:3, 0], forward) if self._arm.model.has('wrist_roll') else 0.0)

    def _stand(self, q):
        if self._random.random() < _ANYWHERE:
            q = [self._random.uniform(low - 0.05, high + 0.05)
                 for low, high in zip(self._arm.lower, self._arm.upper)]
        self._core.take_state(self._arm.joint_names, q)


def _angle(a, b):
    return atan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))


def _tilting_wrist():
    limits = {'yaw': pi, 'shoulder': 1.9, 'elbow': 2.4, 'wrist': 1.9, 'wrist_tilt': 1.5,
              'wrist_roll': 2.8}
    return Arm(ArmModel(
        'tilting_wrist', 0.12, 0.12, 0.08, base_height=0.06, home=[0.0] * len(limits),
        joints=[Joint(role, role, -limit, limit, 3.0) for role, limit in limits.items()]))
