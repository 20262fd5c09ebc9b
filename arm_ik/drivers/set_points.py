# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the servos are to do next: to goals, along streams, or along a trajectory."""

from operator import attrgetter

from .following import Following, Grasp, Outcome
from ..motion.generator import Generator, unit
from ..motion.goal_stream import GoalStream
from ..motion.stream import Stream

#: A joint that was silent has not been moved if it is as near to its set-point as it was, give or
#: take so much [rad]; on a prismatic joint this part of its range.
_UNMOVED = 0.01

#: A joint whose stream begins farther from its set-point than this [rad; of a prismatic joint this
#: part of its range] goes there first, at this part of its largest velocity: a leader may be
#: anywhere.
_NEAR, _APPROACH = 0.2, 0.2

#: Longest step that counts, in turns of the bus: after a later one motion goes on from where it
#: stopped, for a leap would be faster than what is commanded.
_LONGEST_TURNS = 1.5


class SetPoints:
    """
    The set-points of an arm's servos, step by step.

    ``generator`` is the :class:`~arm_ik.motion.generator.Generator`, ``goal_stream`` the
    :class:`~arm_ik.motion.goal_stream.GoalStream`, ``following`` the
    :class:`~.following.Following` of a trajectory in progress, or ``None``; ``dt`` the time [s] of
    the step that is taken.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param joints: mapping from names to joints.
    :param max_lead: how far set-points may lead the measured positions [rad].
    :param turn: duration of a turn of the bus [s].
    :param now: the time [s].
    :param guard: the :class:`~.stall_guard.StallGuard`.
    :param say: function of words on how motion ended, empty for the better.
    """

    #: Newest set-points by joint name [rad, m].
    positions = property(attrgetter('generator.set_points'))

    def __init__(self, model, joints, max_lead, turn, now, guard, say):
        self._joints, self._chain = joints, model.joint_names
        self._guard, self._say = guard, say
        self.generator = Generator(model, max_lead)
        self._stream = Stream(joints)   # of commands with velocities
        self.goal_stream = GoalStream(joints)
        self.following = None
        self._grasps = {}               # by the joint's name
        self._leads = {}                # of set-points at rest, when last measured, by name
        self._longest_step = _LONGEST_TURNS * turn
        self._stepped, self.dt = now, 0.0

    @property
    def state(self):
        """Positions and speeds of the set-points, by name."""
        speeds = self.generator.speeds
        return {name: (position, speeds[name]) for name, position in self.positions.items()}

    def is_moving(self, names=None):
        """Return whether the set-points of joints still change; ``None``: of any."""
        return self.generator.is_moving(None if names is None else self.known(names))

    def known(self, names):
        """Return those of some joints that have ever answered: the others have no set-point."""
        return [name for name in names if name in self.positions]

    def begin_anew(self, now):
        """Let all joints rest where their set-points are, at a time [s]."""
        self.generator.begin(self.positions)
        self._stepped = now

    # Where to

    def take(self, command, stamp, now):
        """Go where a :class:`~.gate.JointCommand` of ``stamp`` [s] says, taken ``now``."""
        goals, velocities = command.goals, command.velocities
        if not velocities:
            self.take_goals(goals, stamp, now)
        elif (any(velocities.values()) or any(name in self._stream for name in goals)
              or not self.is_moving(goals)):
            self.preempt(goals)
            self.goal_stream.drop(goals)
            far = [name for name, goal in goals.items() if name not in self._stream and abs(
                goal - self.positions[name]) > _NEAR * unit(self._joints[name])]
            for name in far:
                self.generator.move({name: goals[name]}, _APPROACH)
            if led := {name: (goal, velocities[name]) for name, goal in goals.items()
                       if name not in far}:
                self._stream.take(led, self.state, stamp or now, now)
        else:   # to rest, from the path to a goal
            self.move(goals)

    def take_goals(self, goals, stamp, now):
        """Go to goals by name, or along the stream that they are of."""
        if self._stream.rests_at(goals):
            return  # a stream that is late goes on to its end, not directly there
        self.preempt(goals)
        self._stream.drop(goals)
        led = self.goal_stream.take(goals, self.state, stamp, now)
        # Those that no stream leads; beside one each by itself.
        for others in [{name: goals[name]} for name in goals.keys() - led] if led else [goals]:
            self.generator.move(others)

    def move(self, goals, part=1.0):
        """Go to goals by name, at a part of the largest velocities."""
        self.preempt(goals)
        self.drop_streams(goals)
        self.generator.move(goals, part)

    def follow(self, trajectory, elapsed, tolerances, now):
        """
        Follow a :class:`~arm_ik.motion.trajectory.Trajectory` in the place of the one before.

        :param elapsed: time since its start [s].
        :param tolerances: :class:`~.following.Tolerances`.
        :returns: a future of its :class:`~.following.Outcome`.
        :raises InvalidInputError: if it cannot begin; then the one before goes on.
        """
        trajectory.begin(elapsed, self.state, self._joints)
        self.end_following(Outcome('INVALID_GOAL', 'another trajectory came'))
        self.preempt(trajectory.names, 'a trajectory came')
        self.drop_streams(trajectory.names)
        self.following = Following(trajectory, elapsed, tolerances, self._joints, self._chain, now)
        return self.following.outcome

    def grasp(self, name, goal, part, now):
        """Go to a gripper's goal; return a future of the :class:`~.following.Outcome`."""
        self.move({name: goal}, part)
        self._grasps[name] = grasp = Grasp(self._joints[name], goal, now)
        return grasp.outcome

    def hold(self, names, stuck):
        """Brake joints to rest; those that are stuck, at positions by name, hold there."""
        self.drop_streams(names)
        self.preempt(names, 'held')
        self.generator.stop(names)
        for name, position in stuck.items():
            self.generator.move({name: position})

    def retreat(self, places):
        """Go to places, by name, of joints that have stalled; a trajectory goes on without."""
        self.drop_streams(places)
        for name, place in places.items():
            self.generator.move({name: place})
            if name in self._grasps:
                self._grasps.pop(name).outcome.set_result(
                    Outcome('STALLED', self._guard.held[name]))

    def preempt(self, names, words='a command came', code='INVALID_GOAL'):
        """End the trajectory and the grasps in progress that move one of these joints."""
        if self.following is not None and not set(names).isdisjoint(self.following.names):
            self.end_following(Outcome(code, words))
        for name in self._grasps.keys() & set(names):
            self._grasps.pop(name).outcome.set_result(Outcome(code, words))

    def names_of(self, outcome):
        """Return the names of the joints that go where a future of its outcome is waited for."""
        if self.following is not None and self.following.outcome is outcome:
            return self.following.names
        return [name for name, grasp in self._grasps.items() if grasp.outcome is outcome]

    def end_following(self, outcome):
        """End the trajectory in progress, if there is one, with an outcome."""
        following, self.following = self.following, None
        if following is not None:
            if outcome.code != 'SUCCESSFUL':
                self.generator.stop(following.names)
                self._say(f'trajectory: {outcome.words}' if outcome.words else '')
            following.outcome.set_result(outcome)

    def lose(self, words):
        """Give up goals of streams, the trajectory and grasps, for the bus is missing."""
        self.goal_stream.drop()
        self.preempt(self._joints, words)

    def drop_streams(self, names=None):
        """End the streams of joints; ``None``: of all."""
        self._stream.drop(names)
        self.goal_stream.drop(names)

    # Turn by turn, in this order

    def look(self, now, readings, back, stopped):
        """
        Take note of the time [s] and of where joints are.

        :param readings: :class:`~..bus.backend.JointReading` by name.
        :param back: names of those that are back after a silence.
        :param stopped: whether those get no goal, for the arm is stopped.
        """
        passed, self._stepped = now - self._stepped, now
        self.dt = min(passed, self._longest_step)
        self._stream.wait(passed - self.dt)
        for name, (position, *_) in readings.items():
            if name in back:
                self._take_over(name, position, stopped)
            if name not in back or not stopped:
                self._leads[name] = 0.0 if self.generator.speeds[name] else (
                    self.positions[name] - position)

    def _take_over(self, name, position, stopped):
        """
        Let a joint that is back rest at its set-point; where it is, if it was moved.

        While the arm is stopped it gets no goal at all: its set-point goes where it is put.
        """
        set_point = self.positions.get(name, position)
        lead, slack = self._leads.get(name, 0.0), _UNMOVED * unit(self._joints[name])
        unmoved = min(0.0, lead) - slack <= set_point - position <= max(0.0, lead) + slack
        goal, part = self.generator.goals.get(name, set_point), self.generator.part(name)
        self.generator.begin({name: set_point if unmoved else position})
        if goal != set_point and not stopped:
            self.generator.move({name: goal}, part)

    def end_streams(self, now):
        """End the streams that have broken off by a time [s]."""
        self.move(self.goal_stream.ended(now))
        ended = self._stream.ended(now)
        self._stream.drop(ended)
        if any(ended.values()):  # else they are where they should be, or on their path
            self._say('stopped on its path: the stream of commands has broken off')
            self.generator.stop(ended)

    def step(self, now, measured, positions, waiting):
        """
        Go on to a time [s].

        :param measured: positions by name, of the joints that were measured.
        :param positions: of all that are known.
        :param waiting: names of joints whose set-points stay.
        :returns: the new set-points by name.
        """
        follow = {**self._stream.at(now), **self.goal_stream.step(self.dt, now, self.positions)}
        if self.following is not None:
            path = self.following.step(self.dt, self.positions, self.generator.blocked)
            stalled = self._guard.against({name: position for name, (position, _) in path.items()})
            self._guard.release([name for name in path if name not in stalled])
            follow.update({name: path[name] for name in path if name not in stalled})
        set_points = self.generator.step(self.dt, measured, follow, waiting)
        if self.following is not None:
            outcome = self.following.judge(set_points, self.generator.speeds, positions, now)
            if outcome is not None:
                self.end_following(outcome)
        for name, grasp in list(self._grasps.items()):
            outcome = name in positions and grasp.judge(
                positions[name], set_points[name], name in self.generator.blocked, now)
            if outcome:
                self._grasps.pop(name).outcome.set_result(outcome)
        return set_points
