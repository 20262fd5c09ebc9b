# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the node decides, free of ROS: which targets are followed, from where, and when that ends.

One command is in force at a time, or none. Whatever comes in is answered by a
:class:`~.report.Report`, or by ``None`` when there is nothing new to say.

- Nothing is commanded before a valid target, and a target needs the arm's whole state.
- A refused target starts no motion; the command in force stays in force.
- The command in force is dropped when the node is disabled, when the arm's state goes silent,
  when a new sender of it takes over after a gap (a driver that was restarted), and in a stream of
  targets when the stream goes silent. Only a new target moves the arm again.

Ages count on the monotonic clock from receipt.
"""

from dataclasses import dataclass
from time import monotonic

from .arrival import Arrival
from .following import Following
from .report import Level, Order, Report, State
from .state_watch import StateWatch
from ..errors import ArmIkError, InvalidInputError
from ..kinematics.solution import Solution, Status
from ..kinematics.target import Target


@dataclass(frozen=True)
class Settings:
    """The parameters that decide; ``ik_parameters.py`` says what each one means."""

    position_tolerance: float = 1e-4
    up_tolerance: float = 1e-3
    arrival_tolerance: float = 0.05
    elbow: str = 'nearest'
    priority: str = 'position'
    follow_relaxed: bool = True
    state_timeout: float = 1.0
    target_timeout: float = 0.0


class IkCore:
    """
    The state machine between targets, measured states and commands.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`Settings`.
    :param clock: seconds that never run backwards.
    """

    def __init__(self, arm, settings=Settings(), clock=monotonic):
        self.enabled = True
        self._arm = arm
        self._clock = clock
        self._watch = StateWatch(arm.joint_names, settings.state_timeout)
        self._following = Following([joint.max_velocity for joint in arm.model.joints])
        self._arrival = Arrival(settings.arrival_tolerance)
        self._known = False
        self._complained = ''  # of bad joint states, since the newest order
        self._active = None    # the report of the command in force
        self._latest = Order()
        self._streamed = None  # when the newest target of a stream came
        self.settings = settings

    @property
    def settings(self):
        """Hold what decides; replaced as a whole between two calls."""
        return self._settings

    @settings.setter
    def settings(self, settings):
        self._settings = settings
        self._watch.timeout = settings.state_timeout
        self._arrival.tolerance = settings.arrival_tolerance

    @property
    def state_age(self):
        """Return the age of the joint not heard of for longest [s]; infinite: never."""
        return self._watch.age(self._clock())

    @property
    def command(self):
        """Return the readings to send now [rad], base to tip; ``None``: send nothing."""
        if self._active is None or self._watch.paused(self._clock()):
            return None
        return self._active.solution.q

    def complaint(self):
        """Return ``(reason, cause)`` why no target can be followed now; ``None``: one can."""
        if not self.enabled:
            return 'disabled: call ~/enable with true first', 'disabled'
        return self._watch.complaint(self._clock())

    def take_state(self, *arrays):
        """Take a JointState's names, positions and other arrays; a bad one changes nothing."""
        now = self._clock()
        try:
            told = self._watch.merge(now, *arrays)
        except InvalidInputError as error:
            return self._complain(error)
        if not told or not self._watch.fresh(now):
            return None
        if not self._known:
            self._known = True
            return self._ready('the state of the arm is known') if self.enabled else None
        return self._progress(now)

    def take_target(self, target, order):
        """Solve for a target and follow it, or say why not."""
        self._take_order(order)
        complaint = self.complaint()
        if complaint:
            return self.refuse(order, *complaint, target=target)
        now, settings = self._clock(), self._settings
        near, follows = self._near(now)
        try:
            solution = self._arm.solve(
                target, near=near, elbow=settings.elbow, priority=settings.priority,
                position_tolerance=settings.position_tolerance,
                up_tolerance=settings.up_tolerance)
        except ArmIkError as error:
            return self.refuse(order, str(error), 'solve', target)
        if not solution.reached and not settings.follow_relaxed:
            return self.refuse(
                order, f'{solution.reason}; allowed: what can be reached, as follow_relaxed is '
                'false', 'not reachable', target, solution)
        level = Level.OK if solution.reached else Level.WARN
        self._streamed = now
        return self._follow(
            Report(State.ACCEPTED, level, order, solution.reason, solution.status.name, target,
                   solution), follows, now)

    def go_home(self, order):
        """Go to the home pose, or say why not."""
        self._take_order(order)
        complaint = self.complaint()
        if complaint:
            return self.refuse(order, *complaint)
        now = self._clock()
        (near, follows), home = self._near(now), tuple(self._arm.home)
        tip = self._arm.forward(home)
        solution = Solution(home, Status.REACHED, 0.0, 0.0, 0.0,
                            step_rad=max(abs(h - n) for h, n in zip(home, near)))
        self._streamed = None  # one goal, not part of a stream
        return self._follow(
            Report(State.ACCEPTED, Level.OK, order, '', 'home', Target(tip.position, tip.up),
                   solution), follows, now)

    def refuse(self, order, reason, cause, target=None, solution=None):
        """Say that an order is not followed; the command in force stays."""
        self._take_order(order)
        return Report(State.REFUSED, Level.WARN, order, reason, cause, target, solution)

    def acknowledge(self, order, reason):
        """Say that an order was taken that moves nothing."""
        self._take_order(order)
        return Report(State.ACCEPTED, Level.OK, order, reason, 'acknowledged')

    def enable(self, on):
        """Let commands leave, or none; what was in force before is not taken up again."""
        self.enabled = on
        if not on:
            return self._stop(State.REFUSED, Level.WARN, 'disabled by ~/enable', 'disabled')
        return self._ready('enabled') if self._known else None

    def sender_appeared(self):
        """Take note of a new sender of joint states; after a gap, it is a restarted driver."""
        if self._active is None or not self._watch.interrupted(self._clock()):
            return None
        return self._stop(State.READY, Level.WARN, 'joint_states were interrupted and come from a '
                          'new sender: stopped until a new target', 'new sender')

    def check(self):
        """Look at the clock; to be called often."""
        now = self._clock()
        complaint = self._watch.complaint(now)
        if self._known and complaint:
            self._known = False
            return self._stop(State.REFUSED, Level.STALE, *complaint)
        timeout = self._settings.target_timeout
        silent = timeout and self._streamed is not None and now - self._streamed > timeout
        if self._active is None or not silent:
            return None
        return self._stop(State.READY, Level.STALE, f'no valid target for {timeout:g} s '
                          '(target_timeout): stopped until a new one', 'target_timeout')

    def _take_order(self, order):
        self._latest = order
        self._complained = ''

    def _complain(self, error):
        # Bad joint states come at their sender's rate: one report says it.
        reason = str(error)
        if reason == self._complained:
            return None
        self._complained = reason
        return Report(State.REFUSED, Level.WARN, self._latest, reason, error.what)

    def _near(self, now):
        """Return where to solve from, and whether that is the command the arm follows."""
        measured = self._watch.positions
        if self._active is not None and self._following.follows(measured, now):
            return self._active.solution.q, True
        return measured, False

    def _follow(self, report, follows, now):
        measured, command = self._watch.positions, report.solution.q
        if not follows:
            self._following.start(measured)
        self._following.command(command, now)
        self._arrival.start(command, measured, now)
        self._active = report
        return report

    def _progress(self, now):
        if self._active is None or self._active.state is State.ARRIVED:
            return None
        if self._arrival.arrived(self._watch.positions, now):
            self._active = self._active._replace(state=State.ARRIVED)
        elif self._arrival.moved and self._active.state is State.ACCEPTED:
            self._active = self._active._replace(state=State.MOVING)
        else:
            return None
        return self._active

    def _ready(self, reason):
        return Report(
            State.READY, Level.OK, self._latest, f'{reason}; waiting for a target', 'ready')

    def _stop(self, state, level, reason, cause):
        self._active = None
        return Report(state, level, self._latest, reason, cause)
