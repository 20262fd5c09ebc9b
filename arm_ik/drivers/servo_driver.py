# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver without ROS: a back end, what is known of its servos, and what they are to do.

Which commands are obeyed is decided by the :class:`~.gate.Gate`, which servos are well by the
:class:`~.monitor.Monitor`, and where joints go next by :class:`~.set_points.SetPoints`. When
commands stop in mid-motion the arm brakes; a gripper finishes. *Hold* means that every joint
brakes to rest and keeps its set-point; only a blocked joint gets its measured position instead.

Two threads meet here under one lock: that of the bus steps and never waits for it long, and
whoever commands never waits for the bus. What has to be done on the bus is a future.
"""

from concurrent.futures import Future
from functools import partial
from math import degrees, inf
from operator import attrgetter
import threading
import time

from .following import Outcome, Tolerances
from .gate import filter_command, Gate, JointCommand
from .monitor import Monitor
from .set_points import SetPoints
from .stall_guard import StallGuard
from .trim import STRAINED, Trim
from ..bus.backend import Health
from ..bus.bus_thread import AGAIN, BusThread
from ..bus.torque import MOST, RUNS, runs, STAYS, WATCHED
from ..errors import DriverError, InvalidInputError
from ..motion.generator import unit
from ..motion.goal_stream import LONGEST
from ..motion.trajectory import Trajectory

#: Without feedback servos start one after the other, so long apart [s]: one that is not
#: where it should jumps, and a power supply may not bear all of them at once.
_START_INTERVAL = 0.1

#: A servo that sags when its torque comes has mostly done so in two thirds of the time that it is
#: watched. One that runs goes on: it is farther in the end, by this factor.
_GOES_ON = 1.25

#: Part of the largest velocity at which an arm is parked.
_PARK_SPEED = 0.25


class ServoDriver:
    """
    The servos of an arm, its set-points, and the gate for its commands.

    ``monitor`` is the :class:`~.monitor.Monitor` of the servos, some of which can be asked here,
    ``guard`` the :class:`~.stall_guard.StallGuard`, ``trim`` the :class:`~.trim.Trim`;
    ``bus_error`` the :class:`~arm_ik.errors.DriverError` of a bus that is missing, or ``None``;
    ``stopped`` says whether all commands are refused until :meth:`reset`.

    :param backend: an :class:`~arm_ik.drivers.Backend`, not open.
    :param command_timeout: time without a command [s] after which a moving arm stops; 0: never.
    :param bus_rate: turns of the bus per second.
    :param max_lead: how far set-points may lead the measured positions [rad].
    :param on_fault: ``'stop'`` the arm, or let the healthy joints ``'continue'``.
    :param on_exit: ``'hold'``, ``'park'`` (home, slowly) or ``'limp'``.
    :param stall_guard: the joints that are held where they stall, as in :mod:`.stall_guard`.
    :param trim: whether joints at rest that sag are brought to their set-points.
    :param clock: returns the time [s] that everything here counts on.
    :param stamp_clock: returns the time [s] that the stamps of commands are of.
    :param sleep: function that waits for a time [s] of ``clock``.
    """

    snapshot = property(attrgetter('monitor.snapshot'))
    health = property(attrgetter('monitor.health'))
    missing = property(attrgetter('monitor.missing'))
    faults = property(attrgetter('monitor.faults'))
    fault = property(attrgetter('monitor.fault'))
    bus_error = property(attrgetter('_bus.error'))
    stopped = property(attrgetter('_gate.stopped'))

    def __init__(self, backend, command_timeout=0.5, bus_rate=100.0, max_lead=0.15,
                 on_fault='stop', on_exit='hold', stall_guard='gripper', trim=False,
                 clock=time.monotonic, stamp_clock=time.time, sleep=time.sleep):
        self.command_timeout, self.on_exit = command_timeout, on_exit
        self._model, self._joints = backend.model, backend.joints
        self._has_feedback = backend.has_feedback
        self._clock, self._stamp_clock = clock, stamp_clock
        self._fresh = {}    # by name where torque came, what it holds, until when it is watched,
        #                     and where it was at two thirds of that
        self._looked = clock()
        self._may_start = False         # servos without feedback
        self._started = -inf            # when the last of them was [s]
        self._lock = threading.RLock()
        self._bus = BusThread(backend, self._step, self._take_health, self._on_lost,
                              self._on_found, bus_rate, clock, sleep)
        turn = max(1.0 / bus_rate, backend.cycle_time)
        self.monitor = Monitor(backend, turn, on_fault)
        self.guard = guard = StallGuard(self._model, stall_guard)
        self._gate = Gate(self.monitor, guard, self._bus, stamp_clock, self._model.joint_names)
        self._set_points = SetPoints(self._model, self._joints, max_lead, turn, clock(), guard,
                                     self._say)
        self.trim = Trim({name: self._joints[name] for name in self._model.joint_names},
                         backend.resolution, trim)

    def connect(self, limp=False):
        """
        Make the servos ready, held where they are; the first turn measures them.

        With ``on_fault='continue'`` those that do not answer are missing from the start on.

        :param limp: switch the torque of all servos off instead: a real arm falls.
        :raises DriverError: if they cannot be.
        """
        held, refused = self._bus.connect(self.monitor.on_fault == 'continue', limp)
        off = [name for name in self._joints if limp or self._bus.backend.main(name) in refused]
        self._hold_at(held, off)
        if limp:
            self._fresh.clear()
            self.set_torque(False)
        self.monitor.refused = refused
        if self._has_feedback:
            self.monitor.begin_without([name for name in self._joints
                                        if name not in held and name not in off])
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
    def speed(self):
        """Hold the part of their ``max_velocity`` at which joints go to goals."""
        return self._set_points.generator.speed

    @speed.setter
    def speed(self, speed):
        self._set_points.generator.speed = speed

    @property
    def torque(self):
        """Whether all servos have been ordered to hold."""
        return all(self.monitor.torque.values())

    @property
    def set_points(self):
        """Newest set-points by joint name [rad, m]."""
        with self._lock:
            return self._set_points.positions

    @property
    def blocked(self):
        """Names of the joints whose set-points wait for them to follow."""
        with self._lock:
            return self._set_points.generator.blocked

    @property
    def condition(self):
        """Return what there is to say of the arm; empty if all is well."""
        with self._lock:
            if self.bus_error is not None:
                return str(self.bus_error)
            parts = (['stopped until reset'] if self.stopped else []) + self.monitor.words
            parts += self.guard.held.values()
            if not parts and self.blocked:
                parts.append(f'motion waits: {", ".join(self.blocked)} behind')
            return '; '.join(parts) or self._gate.problem

    @property
    def status(self):
        """Whether a new command of the chain would be taken, and what decides that, in words."""
        with self._lock:
            refused = self._gate.refuses(self._model.joint_names)
            stream = self._set_points.goal_stream
            return {'commands': 'refused' if refused else 'taken', 'stopped': str(self.stopped),
                    'stops': str(self._gate.stops), 'torque': 'on' if self.torque else 'off',
                    'positions': 'measured' if self._has_feedback else 'commanded',
                    'set_points': '' if not self.torque or self._set_points.is_moving() else
                    ' '.join(f'{name}={at:.4f}' for name, at in self.set_points.items()),
                    'fault': str(self.bus_error or self.fault), 'speed': str(self.speed),
                    'lag_s': f'{stream.lag:.1f}', 'slow_joint': stream.slow_joint}

    def command(self, names, positions, stamp=0.0, velocities=()):
        """
        Send joints where a command says, if it may be obeyed.

        :param names: joint names; those of no joint here are passed over.
        :param positions: a position for each [rad, m where it slides].
        :param stamp: when the command was made [s]; 0: now.
        :param velocities: a velocity for each [rad/s, m/s], of a command of a stream; all 0,
            for joints on their path to a goal: come to rest there, at once; or none.
        :returns: the :class:`~arm_ik.drivers.gate.JointCommand` that is carried out.
        :raises InvalidInputError: if it was refused as a whole.
        """
        with self._lock, self._gate.refusals():
            command = filter_command(self._joints, names, positions, velocities)
            if not command.goals:
                return command
            now = self._clock()
            self._gate.require_new(stamp, now)
            command = self._gate.healthy(command)
            self._set_points.take(command, stamp, now)
            self._say('; '.join(command.clamped))
            if any(name in command.goals for name in self._model.joint_names):
                self._gate.watchdog.feed(now)
            return command

    def open_gripper(self, opening):
        """
        Open the extra joints from 0, closed, to 1, open.

        :raises InvalidInputError: if it was refused.
        """
        with self._lock, self._gate.refusals():
            goals = self._model.gripper_goals(opening)
            self._gate.require_open()
            self._set_points.move(self._gate.healthy(JointCommand(goals)).goals)
            self._say('')

    def grasp(self, name, names, positions, velocities=()):
        """
        Move an extra joint, in the place of what moves it.

        :param names: its name alone.
        :param positions: its goal [rad, m].
        :param velocities: the largest [rad/s, m/s], or none.
        :returns: a future of the :class:`~.following.Outcome`.
        :raises InvalidInputError: if it was refused; then what moves it goes on.
        """
        joint = self._joints[name]
        with self._lock, self._gate.refusals():
            command = filter_command(self._joints, names, positions, velocities)
            velocity = command.velocities.get(name, 0.0)
            if list(command.goals) != [name] or command.clamped or velocity < 0.0:
                raise InvalidInputError(
                    f'goal of {name}', {**command.goals, **dict(zip(names, positions))},
                    f'{name} alone, {joint.lower:g} to {joint.upper:g}, no negative velocity')
            self._gate.require_open()
            self._gate.require_well('goal', [name])
            self._gate.require_away('goal', command.goals)
            self._say('')
            return self._set_points.grasp(name, command.goals[name], min(
                1.0, velocity / joint.max_velocity or 1.0), self._clock())

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
                self._set_points.end_following(Outcome('INVALID_GOAL', 'an empty trajectory came'))
                self._hold()
                self._say('')
            return outcome
        with self._gate.refusals():
            trajectory = Trajectory(self._joints, names, times, positions, velocities)
            tolerances.require_valid(self._joints)
            with self._lock:
                self._gate.require_new(stamp, self._clock())
                self._gate.require_well('trajectory', names)
                self._gate.require_away('trajectory', *(dict(zip(names, q)) for q in positions))
                elapsed = self._stamp_clock() - stamp if stamp else 0.0
                outcome = self._set_points.follow(trajectory, elapsed, tolerances, self._clock())
                self._say('')
        return outcome

    def follow_point(self, names, time, positions, velocities, stamp=0.0):
        """
        Follow a trajectory of a single point, which may be one of a stream of them.

        One that is to be there sooner than the limits allow, or at once, is a goal, or one of a
        stream of goals. Parameters and errors are those of :meth:`follow`, without lists.
        """
        with self._lock:
            state = self._set_points.state
            if time > LONGEST and all(
                    abs(position - state[name][0]) <= time * self._joints[name].max_velocity
                    for name, position in zip(names, positions) if name in state):
                return self.follow(names, [time], [positions], [velocities], stamp)
            with self._gate.refusals():
                Trajectory(self._joints, names, [LONGEST], [positions], [velocities])
                self._gate.require_well('trajectory', names)
            self.command(names, positions, stamp)
            self._gate.watchdog.reset()

    def cancel(self, outcome):
        """Hold the joints of what is in progress, by the future of its outcome, if it still is."""
        with self._lock:
            names = self._set_points.names_of(outcome)
            self._set_points.preempt(names, '', 'CANCELED')
            self._hold(names)

    @property
    def progress(self):
        """Return the :class:`~.following.Progress` of a trajectory in progress, or ``None``."""
        with self._lock:
            following = self._set_points.following
            return following and self.snapshot and following.progress(self.snapshot.positions)

    def stop(self):
        """
        Brake every joint to rest and refuse all commands until :meth:`reset`.

        :returns: a future that is done when the servos have been written to.
        """
        with self._lock:
            self._gate.stop()
            self._may_start = False
            self._hold()
        return self._bus.request()

    def reset(self):
        """
        Take commands again; nothing moves before one that is made from now on.

        :raises DriverError: while the bus is missing or a fault is latched.
        """
        with self._lock:
            if self.bus_error is not None:
                raise self.bus_error
            if self.fault:
                raise DriverError(self._bus.backend.name, f'no reset with a fault: {self.fault}')
            self._hold()
            self._gate.stopped = False
            self._say('')
            self._gate.age.begin()

    def set_torque(self, on):
        """
        Switch the servos on, held where they are, or off: a real arm falls.

        Without feedback, to switch on says that joints without torque are at home. They start
        one after the other, and a stop ends that.

        :returns: a future that is done when the servos have been written to.
        """
        self._may_start = bool(on)
        if on and not self._has_feedback:
            return self._bus.request(self._start_next)
        return self._bus.request(self._switch_on if on else self._switch_off)

    def clear_faults(self):
        """
        Forget the faults there were; those that are still there come again.

        A servo that has lost its torque has it off from then on, until :meth:`set_torque`.

        :returns: a future that is done when the servos have been written to.
        """
        return self._bus.request(self._clear_faults)

    def close(self, patience=10.0):
        """
        End as ``on_exit`` says, and give the bus back.

        :param patience: longest time that takes [s].
        """
        if self._bus.stop():
            self._end(self._clock() + patience)
            self._gate.stopped = True
            self._bus.backend.close()

    # On the thread of the bus

    def _step(self, snapshot):
        """Take a snapshot and return the set-points to write."""
        with self._lock:
            now, monitor = self._clock(), self.monitor
            self._gate.age.look()
            if not self._has_feedback:
                for name in snapshot.missing:
                    if monitor.torque[name]:    # its pulses have ended
                        self._take_health(name, Health(torque=False))
            were_missing, back = monitor.missing, monitor.look(snapshot, now, self.stopped)
            self._set_points.look(now, snapshot.readings, back, self.stopped)
            self.trim.drop([name for name in back if self._set_points.positions[name]
                            == monitor.measured.get(name)])     # it is held where it was put
            if monitor.missing != were_missing:
                self._stop_for_fault(monitor.missing)
            self._set_points.end_streams(now)
            self._watch(now)
            self._watch_torque(now)
            self._set_points.generator.begin({
                name: position for name, position in monitor.measured.items()
                if not monitor.torque[name]})   # it goes where it is put
            self.trim.drop([name for name, on in monitor.torque.items() if not on])
            unheard = monitor.unheard(now)
            set_points = self._set_points.step(
                now, monitor.measured, snapshot.positions, (*unheard, *back))
            self._guard_stalls(set_points, unheard, now)
            return {name: sent for name, sent in self._trimmed(set_points, now).items()
                    if monitor.holds(name) and name not in unheard}

    def _trimmed(self, set_points, now):
        """Return what is sent for set-points."""
        chain, monitor = self._model.joint_names, self.monitor
        frozen = self.stopped or monitor.fault or not self.guard.held.keys().isdisjoint(chain)
        held = chain if frozen else [*self._stuck(chain), *(
            name for name, health in monitor.health.items() if (health.strain or 0.0) > STRAINED)]
        errors = {name: set_points[name] - position for name, position in monitor.measured.items()
                  if name in chain and name not in held}
        return self.trim.step(
            self._set_points.dt, set_points, errors, not self._set_points.is_moving(chain),
            not monitor.movement.is_moving(now))

    def _guard_stalls(self, set_points, unheard, now):
        """Hold joints that have stalled, and of the chain all."""
        places = self.guard.look(
            set_points, {name: position for name, position in self.monitor.measured.items()
                         if self.monitor.holds(name) and name not in unheard}, now)
        self._bus.suspects = tuple(self.guard.suspects)
        if not places.keys().isdisjoint(self._model.joint_names):
            self._hold(self._model.joint_names)
        self._set_points.retreat(places)

    def _watch(self, now):
        """Hold an arm whose commands have stopped, and take those before for old later."""
        watchdog, timeout = self._gate.watchdog, self.command_timeout
        following = self._set_points.following
        chain = [name for name in self._set_points.known(self._model.joint_names)
                 if following is None or name not in following.names]
        if watchdog.stops(now, timeout) and (
                self._set_points.is_moving(chain) or self._stuck(chain)):
            self._say(f'stopped on its path: no command for {timeout:g} s')
            self._hold(chain)
        if watchdog.makes_old(now, timeout):
            self._gate.age.begin()

    def _watch_torque(self, now):
        """Switch servos off that run, just after their torque has come on."""
        unseen, self._looked = max(0.0, now - self._looked - WATCHED / 3.0), now
        for name, (begin, held, end, before) in list(self._fresh.items()):
            at, end = self.monitor.measured.get(name, begin), end + unseen
            before = at if now < end - WATCHED / 3.0 else before
            self._fresh[name] = begin, held, end, before
            by = (RUNS if now < end else STAYS) * unit(self._joints[name])
            is_sent = self._set_points.positions[name] != held
            has_run = runs(at, begin, held, by) and (
                now < end or abs(at - begin) > _GOES_ON * abs(before - begin))    # else it sags
            if is_sent or has_run or now >= end:
                del self._fresh[name]
            if has_run and not is_sent:
                self.monitor.refused[name] = (f'{name} ran as soon as it had torque, and was '
                                              'switched off')
                self._bus.request(partial(self._switch_off, [name]))

    def _take_health(self, name, health):
        if self._has_feedback and health.torque and not self.monitor.torque[name]:
            self._bus.request(lambda: self._switch_off_again(name))
        with self._lock:
            self.guard.hear(name, health)
            if self.monitor.look_at(name, health):
                self._stop_for_fault([name])

    def _stop_for_fault(self, names):
        """Stop what a fault of these joints has to stop; what was commanded before is old."""
        self._hold(None if self.monitor.on_fault == 'stop' else names)
        self._gate.age.begin()

    def _on_lost(self, error):
        with self._lock:
            self.monitor.lose()
            self._set_points.lose(str(error))
            self._gate.watchdog.reset()

    def _on_found(self, _snapshot):
        with self._lock:
            self._set_points.begin_anew(self._clock())
            self.guard.release()
            self._say('')
            self._gate.age.begin()

    def _switch_on(self):
        self._engage([name for name in self._joints
                      if self.monitor.on_fault == 'stop' or name not in self.missing], MOST)
        turning = [f'{name} goes {degrees(abs(turn)):.1f} deg to the limit of its servo'
                   for name, turn in self._bus.backend.turning.items()]
        return turning and f'torque is on; {", ".join(turning)}; the others stay where they are'

    def _start_next(self):
        off = [name for name, on in self.monitor.torque.items() if not on]
        if self.fault or not self._may_start:
            raise DriverError(self._bus.backend.name, f'no torque for {", ".join(off)}: '
                              f'{self.fault or "it was stopped"}')
        if off and self._clock() - self._started >= _START_INTERVAL:
            self._started = self._clock()
            self._engage([off.pop(0)])
        return AGAIN if off else None

    def _engage(self, names, most=STAYS):
        held = self._bus.backend.engage(names, most)
        with self._lock:
            self._hold_at(held)
            self._after_switching()

    def _hold_at(self, held, off=()):
        self._set_points.generator.begin(held)
        self.trim.drop()
        now = self._clock()
        self.monitor.engaged(held, now, off)
        if self._has_feedback:
            self._fresh = {name: (self.monitor.measured.get(name, at), at, now + WATCHED, at)
                           for name, at in held.items()}

    def _switch_off(self, names=None):
        backend = self._bus.backend
        backend.set_torque(False, names)
        with self._lock:
            self.monitor.torque.update(dict.fromkeys(names or self._joints, False))
            self._fresh.clear()
            self._after_switching()
        silent = [name for name in self._joints if backend.read_health(name).torque is None]
        if silent and self._has_feedback:
            raise DriverError(backend.name, f'{", ".join(silent)}: no reply; torque is switched '
                                            'off there when there is one')

    def _switch_off_again(self, name):
        """Switch a servo off that was not heard when all were."""
        if not self.monitor.torque[name]:
            self._bus.backend.set_torque(False, [self._bus.backend.main(name)])

    def _after_switching(self):
        self._set_points.drop_streams()
        self._set_points.preempt(self._joints, 'torque was switched')
        self.guard.release()
        self._gate.watchdog.reset()
        self._gate.age.begin()
        self._say('')

    def _clear_faults(self):
        backend = self._bus.backend
        names = [name for name in self._joints if name in self.faults]
        backend.clear_faults(names)
        healths = {name: backend.read_health(name) for name in (*names, *self.missing)}
        silent = [name for name, health in healths.items() if health.torque is None]
        with self._lock:
            self.monitor.torque.update(
                {name: False for name in names if healths[name].torque is False})
            self.faults.forget([name for name in names if name not in silent])
            self.guard.release()
            self._gate.age.begin()
        if silent:
            raise DriverError(backend.name, f'{", ".join(silent)}: no reply; what is wrong there '
                                            'is not cleared')

    def _end(self, deadline):
        if self.bus_error is not None:
            return
        with self._lock:
            may_park = not self.stopped and self.monitor.is_whole
            self._hold()
        self._come_to_rest(deadline)
        if self.on_exit == 'park' and may_park:
            with self._lock:
                self.speed = 1.0
                self._set_points.move(
                    dict(zip(self._model.joint_names, self._model.home)), _PARK_SPEED)
            self._come_to_rest(deadline)
        elif self.on_exit == 'limp':
            self._bus.request(self._switch_off)
            self.turn()

    def _come_to_rest(self, deadline):
        while self._set_points.is_moving() and self._clock() < deadline and not self._bus.error:
            self.turn()
            self._bus.pause()

    # With the lock

    def _hold(self, names=None):
        if names is None:
            self._gate.watchdog.reset()
        names = self._set_points.known(self._joints if names is None else names)
        self._set_points.hold(names, self._stuck(names))

    def _stuck(self, names):
        stuck = self.monitor.stuck(self._set_points.positions, self._clock())
        return {name: stuck[name] for name in names if name in stuck}

    def _say(self, words):
        self._gate.problem = words
