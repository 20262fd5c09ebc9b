# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The node's core on a bench: a clock that is set, and an arm that is where it is put."""

from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Request, State

#: Of states, checks and commands [s].
PERIOD = 0.02


class CoreBench:
    """
    A core and what it says; its state is known if an arm is given with where it is.

    ``commands`` holds positions and velocities of each period under :meth:`follow`.
    """

    def __init__(self, arm, q=None, **settings):
        self.now, self.seq, self.arm = 100.0, 0, arm
        self.core = IkCore(arm, Settings(**settings), clock=lambda: self.now)
        self.q = arm.home if q is None else tuple(q)
        self.commands, self.reports = [], []
        if q is not None:
            self.core.take_state(arm.joint_names, self.q)

    def request(self):
        self.seq += 1
        return Request(self.seq, (self.seq, 0), 'base_link')

    def state(self, q=None, after=PERIOD):
        """Let time pass, and tell the core where the arm is by then."""
        self.now += after
        self.q = self.q if q is None else tuple(q)
        return self.core.take_state(self.arm.joint_names, self.q)

    def target(self, target, **options):
        return self.core.take_target(target, self.request(), **options)

    def path(self, *targets):
        return self.core.take_path(list(targets), self.request())

    def home(self):
        return self.core.go_home(self.request())

    def half_way(self):
        """Put the arm half-way between where it is and its command; return what is said."""
        return self.state([0.5 * (c + q) for c, q in zip(self.core.command, self.q)])

    def rest(self, seconds, follows=False):
        """Let time pass at the driver's rate; return what is reported meanwhile."""
        reports = []
        for _ in range(round(seconds / PERIOD)):
            motion = self.core.go_on()
            self.commands.append((command := motion and motion.positions,
                                  motion and motion.velocities))
            reports += [self.state(command if follows else None), self.core.check()]
        self.reports += filter(None, reports)
        return [report for report in reports if report]

    def follow(self, seconds):
        """Let the arm be where it is commanded, one period later; return what is reported."""
        return self.rest(seconds, follows=True)

    def until_arrived(self):
        while State.ARRIVED not in [report.state for report in self.reports]:
            assert self.now < 200.0
            self.follow(PERIOD)
