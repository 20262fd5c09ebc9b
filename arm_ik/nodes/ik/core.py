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
  targets when the stream goes silent. Only a new target moves the arm again. Where the arm's state
  is known, an arm on its way is told to hold where it is, once.

Ages count on the monotonic clock from receipt.
"""

from time import monotonic

from .answer import objection, solve
from .settings import Settings
from .motion import Motion
from .orders import Orders
from .report import Level, Report, State
from .state_watch import StateWatch
from ...errors import ArmIkError, InvalidInputError
from ...kinematics.solution import Solution, Status
from ...kinematics.target import Target

#: How long to wait for a state before an arm whose stream is silent is told to hold where it was
#: measured last [s].
SOON = 0.05

# Before Python 3.12 the members of an enum are slow to look up.
_ACCEPTED = State.ACCEPTED
_LEVELS = Level.WARN, Level.OK  # of an answer that relaxes something, of one that is reached
_NAMES = tuple(status.name for status in Status)


class IkCore(Orders):
    """
    The state machine between targets, measured states and commands.

    :param arm: the :class:`~arm_ik.Arm`.
    :param settings: :class:`Settings`.
    :param clock: seconds that never run backwards.
    """

    def __init__(self, arm, settings=Settings(), clock=monotonic):
        super().__init__()
        self.enabled = True
        self._clock = clock
        self._watch = StateWatch(arm.joint_names, settings.state_timeout)
        self._motion = Motion(arm.model, settings.arrival_tolerance)
        self._known = False
        self._streamed = None  # when the newest target of a stream came
        self.settings = settings
        self._arm = arm

    @property
    def arm(self):
        """Hold the arm; replaced between two calls by one with other limits."""
        return self._arm

    @arm.setter
    def arm(self, arm):
        self._arm = arm
        self._motion.change_model(arm.model)

    def require_command_inside(self, model):
        """Raise :class:`~arm_ik.errors.InvalidArmError` unless limits hold for the command."""
        self._motion.require_inside(model)

    @property
    def settings(self):
        """Hold what decides; replaced as a whole between two calls."""
        return self._settings

    @settings.setter
    def settings(self, settings):
        self._settings = settings
        self._watch.timeout = settings.state_timeout
        self._motion.arrival.tolerance = settings.arrival_tolerance

    @property
    def state_age(self):
        """Return the age of the joint not heard of for longest [s]; infinite: never."""
        return self._watch.age(self._clock())

    @property
    def fresh(self):
        """Tell whether every joint was heard of within ``state_timeout``."""
        return self._watch.fresh(self._clock())

    @property
    def stuck(self):
        """Return ``(joint, rad)`` of one that is stuck, that far from its command; or ``None``."""
        return self._motion.stuck

    @property
    def command(self):
        """Return the readings to send now [rad], base to tip; ``None``: send nothing."""
        now = self._clock()
        return None if self._watch.paused(now) else self._motion.command(now)

    def last_words(self):
        """Return readings [rad] to send once because a command has ended, or ``None``."""
        return self._motion.last_words()

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
            return self.complain(error)
        if not told or not self._watch.fresh(now):
            return None
        if not self._known:
            self._known = True
            return self._ready('the state of the arm is known') if self.enabled else None
        report = self._motion.progress(self._watch.positions, now)
        # An arm that is told to hold where it was measured just now need not go back there.
        return self._stop_silent(now) or report

    def take_target(self, target, order, age=0.0):
        """
        Solve for a target and follow it, or say why not.

        :param target: the :class:`~arm_ik.Target`.
        :param order: its :class:`~.report.Order`.
        :param age: how long ago it may have been received [s].
        """
        self._take_order(order)
        now = self._clock()
        if not (self.enabled and self._watch.fresh(now)):
            return self.refuse(order, *self.complaint(), target=target)
        settings = self._settings
        if 0.0 < settings.target_timeout < age:
            return self.refuse(
                order, f'received up to {age:.3g} s ago; allowed: at most '
                f'{settings.target_timeout:g} s (target_timeout)', 'target_timeout',
                target)._replace(level=Level.STALE)
        measured = self._watch.positions
        near, follows = self._motion.near(measured, now)
        try:
            solution = solve(self._arm, settings, target, near)
        except ArmIkError as error:
            return self.refuse(order, str(error), 'solve', target)
        reasons = objection(self._arm, settings, solution, near)
        if reasons:
            return self.refuse(order, *reasons, target, solution)
        self._streamed = now - age
        report = Report(_ACCEPTED, _LEVELS[solution.reached], order, solution.reason,
                        _NAMES[solution.status], target, solution)
        return self._motion.start(report, measured, follows, now)

    def go_home(self, order):
        """Go to the home pose, or say why not."""
        self._take_order(order)
        complaint = self.complaint()
        if complaint:
            return self.refuse(order, *complaint)
        now, home = self._clock(), tuple(self._arm.home)
        near, follows = self._motion.near(self._watch.positions, now)
        tip = self._arm.forward(home)
        solution = Solution(home, Status.REACHED, 0.0, 0.0, 0.0,
                            step_rad=max(abs(h - n) for h, n in zip(home, near)))
        self._streamed = None  # one goal, not part of a stream
        report = Report(State.ACCEPTED, Level.OK, order, '', 'home',
                        Target(tip.position, tip.up), solution)
        return self._motion.start(
            report, self._watch.positions, follows, now, self._settings.home_speed)

    def enable(self, on):
        """Let commands leave, or none; what was in force before is not taken up again."""
        self.enabled = on
        if not on:
            return self._stop(State.REFUSED, Level.WARN, 'disabled by ~/enable', 'disabled')
        if self._motion.report is not None or not self._known:
            return None
        return self._ready('enabled')

    def end(self):
        """Let no more commands leave but the last: the node ends."""
        self.enable(False)

    def sender_appeared(self):
        """Take note of a new sender of joint states; after a gap, it is a restarted driver."""
        if self._motion.report is None or not self._watch.interrupted(self._clock()):
            return None
        return self._stop(State.READY, Level.WARN, 'joint_states were interrupted and come from a '
                          'new sender: stopped until a new target', 'new sender', hold=False)

    def check(self):
        """Look at the clock; to be called often."""
        now = self._clock()
        complaint = self._watch.complaint(now)
        if self._known and complaint:
            self._known = False  # so there is nowhere to hold
            return self._stop(State.REFUSED, Level.STALE, *complaint)
        if not self._watch.paused(now):
            self._motion.watch(self._watch.positions, now)
        # Where a state is due soon it is waited for: where the arm was a period ago it would have
        # to go back to.
        interval = self._watch.interval
        return self._stop_silent(now - interval if interval <= SOON else now)

    def _stop_silent(self, now):
        """End the command of a stream of targets that has fallen silent; else return ``None``."""
        timeout = self._settings.target_timeout
        silent = timeout and self._streamed is not None and now - self._streamed > timeout
        if self._motion.report is None or not silent:
            return None
        return self._stop(State.READY, Level.STALE, f'no valid target for {timeout:g} s '
                          '(target_timeout): stopped until a new one', 'target_timeout')

    def _stop(self, state, level, reason, cause, hold=True):
        known = hold and self._known and not self._watch.paused(self._clock())
        self._motion.end(self._watch.positions if known else None)
        return self._stopped(state, level, reason, cause)
