# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver without ROS: which commands reach the servos, and what happens when none come.

The arm moves only for a command that was made after the driver was last released (started, reset
or given torque, a bus or a servo back again) and after the last long gap in the commands. When
commands stop in mid-motion the arm brakes; a gripper finishes. *Hold* means that every joint
brakes to rest and keeps its set-point; only a blocked joint gets its measured position instead.

Two threads meet here under one lock: that of the bus steps and never waits for it long, and
whoever commands never waits for the bus. What has to be done on the bus is a future.
"""

from concurrent.futures import Future
from contextlib import contextmanager
from math import inf
import threading
import time

from .backend import Health
from .bus_thread import AGAIN, BusThread
from .commands import Command, CommandAge, CommandWatchdog, filter_command, gripper_goals
from .following import Following, Outcome, Tolerances
from .readings import Faults, Movement, TORQUE_LOST
from ..errors import DriverError, InvalidInputError
from ..motion import Generator, GoalStream, Stream, Trajectory
from ..motion.generator import unit
from ..motion.goal_stream import LONGEST

#: A joint at rest farther than this from its set-point [rad] is blocked: it would go on when it is
#: let go. Nearer ones sag, and with a goal where they have sagged to they would sag farther.
_BLOCKED = 0.1

#: A joint that has been missing for so long [s] is a fault.
_MISSING = 0.25

#: A joint not heard for so many turns of the bus, and for so long [s], was silent: it may have
#: been moved meanwhile, or have lost its power. Before, a reply was lost.
_SILENT_TURNS, _SILENT = 2.5, 0.025

#: A joint that was silent has not been moved if it is as near to its set-point as it was, give or
#: take so much [rad]; on a prismatic joint this part of its range.
_UNMOVED = 0.01

#: Longest step that counts, in turns of the bus: after a later one motion goes on from where it
#: stopped, for a leap would be faster than what is commanded.
_LONGEST_TURNS = 1.5

#: Without feedback servos start one after the other, so long apart [s]: one that does not stand
#: where it should jumps, and a power supply may not bear all of them at once.
_START_INTERVAL = 0.1

#: Part of the largest velocity at which an arm is parked.
_PARK_SPEED = 0.25

#: How the condition begins while old commands are repeated and no new one has come: as after every
#: reset.
WAITING = 'waiting for a new command'


class ServoDriver:
    """
    A back end with a generator of set-points, and a filter and a watchdog for its commands.

    ``snapshot`` is the newest :class:`~.backend.Snapshot`, ``None`` while the bus is gone;
    ``health`` the newest :class:`~.backend.Health` of each joint, ``missing`` the names of those
    that have not been heard for so long that it is a fault.

    :param backend: an :class:`~arm_ik.drivers.Backend`, not open.
    :param command_timeout: time without a command [s] after which a moving arm stops; 0: never.
    :param bus_rate: turns of the bus per second.
    :param max_lead: how far set-points may lead the measured positions [rad].
    :param on_fault: ``'stop'`` the arm, or let the healthy joints ``'continue'``.
    :param on_exit: ``'hold'``, ``'park'`` (home, slowly) or ``'limp'``.
    :param clock: returns the time [s] that everything here counts on.
    :param stamp_clock: returns the time [s] that the stamps of commands are of.
    :param sleep: function that waits for a time [s] of ``clock``.
    """

    def __init__(self, backend, command_timeout=0.5, bus_rate=100.0, max_lead=0.15,
                 on_fault='stop', on_exit='hold', clock=time.monotonic, stamp_clock=time.time,
                 sleep=time.sleep):
        self.command_timeout = command_timeout
        self.on_fault, self.on_exit = on_fault, on_exit
        self.stopped = False
        self.snapshot = None
        self.health = {}
        self.faults = Faults()
        self._problem = ''              # with the last command
        self._model = backend.model
        self._joints = backend.joints
        self._clock, self._stamp_clock = clock, stamp_clock
        self._age = CommandAge(stamp_clock)
        self._movement = Movement(backend.resolution)
        self._watchdog = CommandWatchdog()
        self._generator = Generator(self._model, max_lead)
        self._stream = Stream()         # of commands with velocities
        self._goal_stream = GoalStream(self._joints)
        self._following = None          # a trajectory
        self._torque = dict.fromkeys(self._joints, False)
        self._has_feedback = backend.has_feedback
        self._may_start = False         # servos without feedback
        self._started = -inf            # when the last of them was [s]
        self._missing_since = {}        # when a joint was first not heard [s], by name
        turn = max(1.0 / bus_rate, backend.cycle_time)
        self._silence = max(_SILENT, _SILENT_TURNS * turn)
        self._longest_step = _LONGEST_TURNS * turn
        self._heard_at = {}             # when a joint was last heard [s], by name, if taken over
        self._leads = {}                # of set-points that stood, when last measured, by name
        self.missing = ()
        self._stepped = clock()
        self._lock = threading.RLock()
        self._bus = BusThread(backend, self._step, self._take_health, self._on_lost,
                              self._on_found, bus_rate, clock, sleep)

    def connect(self):
        """
        Make the servos ready, held where they are; the first turn measures them.

        With ``on_fault='continue'`` those that do not answer are missing from the start on.

        :raises DriverError: if they cannot be.
        """
        held = self._bus.connect(without_missing=self.on_fault == 'continue')
        self._hold_at(held)
        if self._has_feedback:
            self.missing = tuple(name for name in self._joints if name not in held)
        self._missing_since = dict.fromkeys(self.missing, -inf)
        self.turn()
        if self.bus_error is not None:
            raise self.bus_error

    def start(self):
        """Let a thread of its own take the turns from now on."""
        self._bus.start()

    def turn(self):
        """Take one turn of the bus."""
        self._bus.turn()

    @property
    def bus_error(self):
        """:class:`~arm_ik.errors.DriverError` of a bus that is gone, or ``None``."""
        return self._bus.error

    @property
    def torque(self):
        """Whether all servos have been told to hold."""
        return all(self._torque.values())

    @property
    def set_points(self):
        """Newest set-points by joint name [rad, m]."""
        with self._lock:
            return self._generator.set_points

    @property
    def blocked(self):
        """Names of the joints whose set-points wait for them to follow."""
        with self._lock:
            return self._generator.blocked

    @property
    def fault(self):
        """Faults of the servos in words; empty if there are none."""
        parts = [f'{", ".join(self.missing)}: no reply'] if self.missing else []
        return '; '.join(parts + ([f'{self.faults} (until clear_faults)'] if self.faults else []))

    @property
    def condition(self):
        """Return what there is to say of the arm; empty if all is well."""
        with self._lock:
            if self.bus_error is not None:
                return str(self.bus_error)
            parts = ['stopped until reset'] if self.stopped else []
            parts += [self.fault] if self.fault else []
            if not self.torque:
                off = [name for name, on in self._torque.items() if not on]
                every = len(off) == len(self._joints)
                parts.append(('torque is off' if every else f'torque of {", ".join(off)} is off')
                             + ('' if self._has_feedback else
                                '; ~/torque true says that the arm is at home'))
            if not parts and self.blocked:
                parts.append(f'motion waits: {", ".join(self.blocked)} behind')
            return '; '.join(parts) or self._problem

    @property
    def status(self):
        """Whether a new command of the chain would be taken, and what decides that, in words."""
        with self._lock:
            ill, chain = self._ill(), self._model.joint_names
            refused = (self.stopped or self.bus_error is not None or not self.torque
                       or (ill if self.on_fault == 'stop' else set(ill).issuperset(chain)))
            return {'commands': 'refused' if refused else 'taken', 'stopped': str(self.stopped),
                    'torque': 'on' if self.torque else 'off',
                    'fault': str(self.bus_error or self.fault)}

    def command(self, names, positions, stamp=0.0, velocities=()):
        """
        Send joints where a command says, if it may be obeyed.

        :param names: joint names; those of no joint here are passed over.
        :param positions: a position for each [rad, m where it slides].
        :param stamp: when the command was made [s]; 0: now.
        :param velocities: a velocity for each [rad/s, m/s], of a command of a stream; all 0,
            for joints on their way to a goal: come to rest there, at once; or none.
        :returns: the :class:`~arm_ik.drivers.commands.Command` that is carried out.
        :raises InvalidInputError: if it was refused as a whole.
        """
        with self._lock, self._refusals():
            command = filter_command(self._joints, names, positions, velocities)
            if not command.goals:
                return command
            self._require_free(stamp)
            command = self._healthy(command)
            now = self._clock()
            self._preempt(command.goals)
            goals, velocities = command.goals, command.velocities
            if not velocities:
                self._take_goals(goals, stamp, now)
            elif (any(velocities.values()) or any(name in self._stream for name in goals)
                  or not self._generator.is_moving(self._heard(goals))):
                self._goal_stream.drop(goals)
                self._stream.take({name: (goal, velocities[name]) for name, goal in goals.items()},
                                  self._standing, stamp or now, now)
            else:   # to rest, from the way to a goal
                self._move(goals)
            self._problem = '; '.join(command.clamped)
            if any(name in command.goals for name in self._model.joint_names):
                self._watchdog.feed(now)
            return command

    def open_gripper(self, opening):
        """
        Open the extra joints from 0, closed, to 1, open.

        :raises InvalidInputError: if it was refused.
        """
        with self._lock, self._refusals():
            goals = gripper_goals(self._model.extra_joints, opening)
            self._require_free()
            goals = self._healthy(Command(goals)).goals
            self._preempt(goals)
            self._move(goals)
            self._problem = ''

    def follow(self, names, times, positions, velocities, stamp=0.0, tolerances=Tolerances()):
        """
        Follow a trajectory, in the place of the one before; without points, hold.

        :param names: of the joints that it moves.
        :param times: of the points, from its start on [s].
        :param positions: a list for each point, of a position for each name [rad, m].
        :param velocities: the same, or an empty list for each point [rad/s, m/s].
        :param stamp: when it starts [s]; 0: now.
        :param tolerances: :class:`~.following.Tolerances`.
        :returns: a future of its :class:`~.following.Outcome`.
        :raises InvalidInputError: if it was refused; then the one before goes on.
        """
        if not times:
            outcome = Future()
            outcome.set_result(Outcome('INVALID_GOAL', 'empty: the arm is held'))
            with self._lock:
                self._end_following(Outcome('INVALID_GOAL', 'an empty trajectory came'))
                self._hold()
                self._problem = ''
            return outcome
        with self._refusals():
            trajectory = Trajectory(self._joints, names, times, positions, velocities)
            tolerances.require_valid(self._joints)
            with self._lock:
                self._require_free(stamp)
                self._require_well('trajectory', set(names).isdisjoint(self._ill()))
                elapsed, now = self._stamp_clock() - stamp if stamp else 0.0, self._clock()
                trajectory.begin(elapsed, self._standing, self._joints)
                self._end_following(Outcome('INVALID_GOAL', 'another trajectory came'))
                self._drop_streams(names)
                self._following = following = Following(
                    trajectory, elapsed, tolerances, self._joints, self._model.joint_names, now)
                self._problem = ''
        return following.outcome

    def follow_point(self, names, time, positions, velocities, stamp=0.0):
        """
        Follow a trajectory of a single point, which may be one of a stream of them.

        One that is to be there sooner than the limits allow, or at once, is a goal, or one of a
        stream of goals. Parameters and errors are those of :meth:`follow`, without lists.
        """
        with self._lock:
            standing = self._standing
            if time > LONGEST and all(
                    abs(position - standing[name][0]) <= time * self._joints[name].max_velocity
                    for name, position in zip(names, positions) if name in standing):
                return self.follow(names, [time], [positions], [velocities], stamp)
            with self._refusals():
                goals = Trajectory(self._joints, names, [LONGEST], [positions], [velocities]).goals
                self._require_free(stamp)
                self._require_well('trajectory', set(names).isdisjoint(self._ill()))
                self._preempt(goals)
                self._take_goals(goals, stamp, self._clock())
                self._watchdog.reset()
                self._problem = ''

    def cancel(self, outcome):
        """Hold the joints of a trajectory, by the future of its outcome, if it is on its way."""
        with self._lock:
            if self._following is not None and self._following.outcome is outcome:
                self._end_following(Outcome('CANCELED'))

    @property
    def progress(self):
        """The :class:`~.following.Progress` of a trajectory on its way, or ``None``."""
        with self._lock:
            if self._following is None or self.snapshot is None:
                return None
            return self._following.progress(self.snapshot.positions)

    def stop(self):
        """
        Brake every joint to rest and refuse all commands until :meth:`reset`.

        :returns: a future that is done when the servos have been told.
        """
        with self._lock:
            self.stopped = True
            self._may_start = False
            self._hold()
        return self._bus.request()

    def reset(self):
        """
        Take commands again; nothing moves before one that is made from now on.

        :raises DriverError: while the bus is gone or a fault is latched.
        """
        with self._lock:
            if self.bus_error is not None:
                raise self.bus_error
            if self.fault:
                raise DriverError(self._bus.backend.name, f'no reset with a fault: {self.fault}')
            self._hold()
            self.stopped = False
            self._problem = ''
            self._age.begin()

    def set_torque(self, on):
        """
        Switch the servos on, held where they are, or off: a real arm falls.

        Without feedback, to switch on says that joints without torque stand at home. They start
        one after the other, and a stop ends that.

        :returns: a future that is done when the servos have been told.
        """
        self._may_start = bool(on)
        if on and not self._has_feedback:
            return self._bus.request(self._start_next)
        return self._bus.request(self._switch_on if on else self._switch_off)

    def clear_faults(self):
        """
        Forget the faults there were; those that are still there come again.

        A servo that has lost its torque has it off from then on, until :meth:`set_torque`.

        :returns: a future that is done when the servos have been told.
        """
        return self._bus.request(self._clear_faults)

    def close(self, patience=10.0):
        """
        End as ``on_exit`` says, and give the bus back.

        :param patience: longest time that takes [s].
        """
        if self._bus.stop():
            self._end(self._clock() + patience)
            self._bus.backend.close()

    # On the thread of the bus

    def _step(self, snapshot):
        """Take a snapshot and return the set-points to write."""
        with self._lock:
            now = self._clock()
            dt = min(now - self._stepped, self._longest_step)
            self._stream.wait(now - self._stepped - dt)
            self._stepped = now
            measured = {name: reading.position for name, reading in snapshot.readings.items()
                        if reading.measured}
            self.snapshot = snapshot
            self._age.look()
            self._movement.look(measured, now)
            back = self._look_for_missing(snapshot, now)
            self._watch(now)
            for name, on in self._torque.items():
                if not on and name in measured:
                    self._generator.begin({name: measured[name]})  # it goes where it is put
            unheard = [name for name in self._joints if self._heard_at.get(name) != now]
            follow = {**self._stream.at(now), **self._goal_stream.step(dt, now)}
            if self._following is not None:
                follow.update(self._following.step(dt, self._generator.set_points, self.blocked))
            set_points = self._generator.step(dt, measured, follow, (*unheard, *back))
            if self._following is not None:
                outcome = self._following.judge(
                    set_points, self._generator.speeds, snapshot.positions, now)
                if outcome is not None:
                    self._end_following(outcome)
            # Some servos take a set-point for an order to hold.
            return {name: set_point for name, set_point in set_points.items()
                    if self._torque[name] and name not in unheard
                    and TORQUE_LOST not in self.faults.of(name)}

    def _watch(self, now):
        self._move(self._goal_stream.ended(now))
        ended = self._stream.ended(now)
        self._stream.drop(ended)
        if any(ended.values()):  # else they are where they should be, or on their way
            self._problem = 'stopped on its path: the stream of commands has broken off'
            self._generator.stop(ended)
        timeout = self.command_timeout
        chain = [name for name in self._heard(self._model.joint_names)
                 if self._following is None or name not in self._following.names]
        if self._watchdog.stops(now, timeout) and (
                self._generator.is_moving(chain) or any(map(self._is_blocked, chain))):
            self._problem = f'stopped on its path: no command for {timeout:g} s'
            self._hold(chain)
        if self._watchdog.makes_old(now, timeout):
            self._age.begin()

    def _look_for_missing(self, snapshot, now):
        """Look who is heard; return the names of those that are back after a silence."""
        back = []
        for name in snapshot.missing:
            if self._has_feedback:
                self._missing_since.setdefault(name, now)
            elif self._torque[name]:    # its pulses have ended
                self._take_health(name, Health(torque=False))
        some_missing = bool(self._missing_since)    # else a turn of the bus was late
        for name, reading in snapshot.readings.items():
            self._missing_since.pop(name, None)
            heard_at = self._heard_at.get(name)
            if heard_at is None or some_missing and now - heard_at > self._silence:
                back.append(name)
                self._take_over(name, reading.position)
                if self.stopped:
                    self._heard_at.pop(name, None)
                    continue
            self._heard_at[name] = now
            self._leads[name] = 0.0 if self._generator.speeds[name] else (
                self._generator.set_points[name] - reading.position)
        known, self.missing = self.missing, tuple(
            name for name, since in self._missing_since.items() if now - since >= _MISSING)
        if known != self.missing:
            self._stop_for_fault(self.missing)
        return back

    def _take_health(self, name, health):
        with self._lock:
            self.health[name] = health
            if self.faults.look(name, health, self._torque[name]):
                self._stop_for_fault([name])

    def _stop_for_fault(self, names):
        """Stop what a fault of these joints has to stop; what was commanded before is old."""
        self._hold(None if self.on_fault == 'stop' else names)
        self._age.begin()

    def _on_lost(self, error):
        with self._lock:
            self.snapshot = None
            self._goal_stream.drop()
            self._heard_at.clear()
            self._end_following(Outcome('INVALID_GOAL', str(error)))
            self._watchdog.reset()

    def _on_found(self, _snapshot):
        with self._lock:
            self._generator.begin(self._generator.set_points)
            self._stepped = self._clock()
            self._problem = ''
            self._age.begin()

    def _take_over(self, name, position):
        """
        Let a joint that is back stand at its set-point; where it is, if it was moved.

        While the arm is stopped it gets no goal at all: its set-point goes where it is put.
        """
        set_point = self._generator.set_points.get(name, position)
        lead, slack = self._leads.get(name, 0.0), _UNMOVED * unit(self._joints[name])
        unmoved = min(0.0, lead) - slack <= set_point - position <= max(0.0, lead) + slack
        goal = self._generator.goals.get(name, set_point)
        self._generator.begin({name: set_point if unmoved else position})
        if goal != set_point and not self.stopped:
            self._generator.move({name: goal})

    def _switch_on(self):
        held = self._bus.backend.engage([
            name for name in self._joints
            if self.on_fault == 'stop' or name not in self.missing])
        with self._lock:
            self._hold_at(held)
            self._after_switching()

    def _start_next(self):
        off = [name for name, on in self._torque.items() if not on]
        if self.fault or not self._may_start:
            raise DriverError(self._bus.backend.name, f'no torque for {", ".join(off)}: '
                              f'{self.fault or "it was stopped"}')
        if off and self._clock() - self._started >= _START_INTERVAL:
            self._started = self._clock()
            held = self._bus.backend.engage([off.pop(0)])
            with self._lock:
                self._hold_at(held)
                self._after_switching()
        return AGAIN if off else None

    def _hold_at(self, held):
        self._generator.begin(held)
        self._heard_at.update(dict.fromkeys(held, self._clock()))
        # Of all: one that was missing has none when it comes back, and is at fault for that.
        self._torque.update(dict.fromkeys(self._joints if self._has_feedback else held, True))

    def _switch_off(self):
        self._bus.backend.set_torque(False)
        with self._lock:
            self._torque = dict.fromkeys(self._joints, False)
            self._after_switching()

    def _after_switching(self):
        self._drop_streams()
        self._end_following(Outcome('INVALID_GOAL', 'torque was switched'))
        self._watchdog.reset()
        self._age.begin()
        self._problem = ''

    def _clear_faults(self):
        backend = self._bus.backend
        names = [name for name in self._joints if name in self.faults]
        backend.clear_faults(names)
        healths = {name: backend.read_health(name) for name in (*names, *self.missing)}
        silent = [name for name, health in healths.items() if health.torque is None]
        with self._lock:
            self._torque.update({name: False for name in names if healths[name].torque is False})
            self.faults.clear([name for name in names if name not in silent])
            self._age.begin()
        if silent:
            raise DriverError(backend.name, f'{", ".join(silent)}: no reply; what is wrong there '
                                            'is not cleared')

    def _end(self, deadline):
        if self.bus_error is not None:
            return
        with self._lock:
            may_park = not (self.stopped or self.fault or self._missing_since) and self.torque
            self._hold()
        self._come_to_rest(deadline)
        if self.on_exit == 'park' and may_park:
            with self._lock:
                self._generator.move(
                    dict(zip(self._model.joint_names, self._model.home)), _PARK_SPEED)
            self._come_to_rest(deadline)
        elif self.on_exit == 'limp':
            self._bus.request(self._switch_off)
            self.turn()

    def _come_to_rest(self, deadline):
        while self._generator.is_moving() and self._clock() < deadline and not self._bus.error:
            self.turn()
            self._bus.pause()

    # With the lock

    def _preempt(self, names, words='a command came'):
        if self._following is not None and not set(names).isdisjoint(self._following.names):
            self._end_following(Outcome('INVALID_GOAL', words))

    def _end_following(self, outcome):
        following, self._following = self._following, None
        if following is not None:
            if outcome.code != 'SUCCESSFUL':
                self._generator.stop(following.names)
                self._problem = f'trajectory: {outcome.words}' if outcome.words else ''
            following.outcome.set_result(outcome)

    def _move(self, goals):
        self._drop_streams(goals)
        self._generator.move(goals)

    def _take_goals(self, goals, stamp, now):
        self._stream.drop(goals)
        if not self._goal_stream.take(goals, self._standing, stamp, now):
            self._generator.move(goals)

    def _drop_streams(self, names=None):
        self._stream.drop(names)
        self._goal_stream.drop(names)

    @property
    def _standing(self):
        """Positions and speeds of the set-points, by name."""
        speeds = self._generator.speeds
        return {name: (position, speeds[name])
                for name, position in self._generator.set_points.items()}

    def _hold(self, names=None):
        if names is None:
            self._watchdog.reset()
        names = self._heard(self._joints if names is None else names)
        blocked = [name for name in names if self._is_blocked(name)]
        self._drop_streams(names)
        self._preempt(names, 'held')
        self._generator.stop(names)
        for name in blocked:
            self._generator.move({name: self.snapshot.readings[name].position})

    def _heard(self, names):
        """Return those of some joints that have ever answered: the others have no set-point."""
        set_points = self._generator.set_points
        return [name for name in names if name in set_points]

    def _is_blocked(self, name):
        """Tell whether a joint of the chain stands still, away from its set-point."""
        if name not in self._model.joint_names or not self._torque[name] or (
                self.snapshot is None or name not in self.snapshot.readings
                or not self.snapshot.readings[name].measured):
            return False
        distance = self.snapshot.readings[name].position - self._generator.set_points[name]
        return abs(distance) > _BLOCKED and not self._movement.is_moving(self._clock(), [name])

    def _ill(self):
        return [name for name in self._joints if name in self.faults or name in self.missing]

    def _require_well(self, what, are_well):
        """Refuse what is for joints of which none, or not all, are well."""
        if self._ill() and (self.on_fault == 'stop' or not are_well):
            raise InvalidInputError(what, f'one while a servo is at fault ({self.fault})',
                                    'none until it is well')

    def _healthy(self, command):
        """Return the part of a command that is for joints without a fault, if that may be."""
        ill = self._ill()
        goals = {name: goal for name, goal in command.goals.items() if name not in ill}
        self._require_well('command', goals)
        said = [f'not for {name}, at fault' for name in command.goals if name in ill]
        return Command(goals, (*command.clamped, *said), command.velocities)

    def _require_free(self, stamp=0.0):
        old = self._age.is_old(stamp)  # asked of every command: it has to be remembered
        if self.stopped:
            raise InvalidInputError('command', 'one while stopped', 'none until reset')
        if self.bus_error is not None:
            raise InvalidInputError('command', 'one while the bus is missing', 'none until it is '
                                    'there again')
        if not self.torque:
            raise InvalidInputError('command', 'one while torque is off', 'none until it is on')
        if old:
            found, allowed = (
                ('one made before the driver was last started, reset or given torque, or before '
                 'its sender fell silent', 'one made since, or without a stamp')
                if self._age.has_begun else
                ('an old one, or one of unknown age', 'one without a stamp, until /clock '
                 'has come (use_sim_time is set)'))
            raise _OldCommandError('command', found, allowed)

    @contextmanager
    def _refusals(self):
        """Take note of why a command is refused."""
        try:
            yield
        except InvalidInputError as error:
            reason = WAITING if isinstance(error, _OldCommandError) else 'refused'
            self._problem = f'{reason}: {error}'
            raise


class _OldCommandError(InvalidInputError):
    pass
