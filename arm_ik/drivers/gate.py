# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The gate for commands: what they ask for, whether one may be obeyed now, why it is refused.

A command is what a ``JointState`` says: names, a position for each, and a velocity for each or
none. It is refused as a whole, or it is goals inside the limits. Parts of an arm may be commanded
by themselves; names that are not joints of this arm are ignored.

The arm moves only for a command that was made after the driver was last released (started, reset
or given torque, a bus or a servo back again) and after the last long gap in the commands. A stream
that has continued since a stop moves nothing after the reset, before it has paused.
"""

from collections import deque
from contextlib import contextmanager
from math import inf, isfinite, isnan
from typing import NamedTuple

from ..errors import InvalidInputError

#: Old commands remembered: one for each sender that goes on repeating its own.
_REMEMBERED = 16

#: How far past its limit a joint may be asked to go [rad, m]: farther is a wrong unit, or a sender
#: that is broken, and at the limit the arm would be as wrong.
_PAST = 1.0

#: A stamp below this [s] is no time but the number of a command.
_NO_TIME = 0.1

#: How long a command may take from its sender's clock to this one [s], ticks of simulated time
#: included; to start a driver takes longer.
_LONGEST_TRANSPORT = 0.1

#: The time without commands after which earlier ones are not taken up again, in time-outs.
LONG = 2.0

#: So long a stream has to pause after a stop [s].
PAUSE = 0.3

#: Messages whose times are nearer than this [s] are the same one, repeated.
_SAME = 1e-4

#: How the condition begins while old commands are repeated and no new one has come: as after every
#: reset.
WAITING = 'waiting for a new command'


class JointCommand(NamedTuple):
    """
    A command that may be carried out.

    ``goals`` maps joint names to positions inside the limits; ``clamped`` says in words which of
    them were brought there. ``velocities`` is empty if the command gave none.
    """

    goals: dict[str, float]
    clamped: tuple[str, ...] = ()
    velocities: dict[str, float] = {}


def filter_command(joints, names, positions, velocities=()):
    """
    Return what a command asks of an arm's joints.

    :param joints: mapping from names to joints with ``lower`` and ``upper``.
    :param names: joint names; those not in ``joints`` are passed over.
    :param positions: a position for each.
    :param velocities: a velocity for each, or none at all; one that is NaN: none.
    :returns: the :class:`JointCommand`; without goals if it names none of the joints.
    :raises InvalidInputError: if lengths differ, a name comes twice or a number is not finite, no
        matter whose, or if a joint is asked to go far past its limit.
    """
    if len(positions) != len(names) or len(velocities) not in (0, len(names)):
        raise InvalidInputError('command', f'{len(names)} names with {len(positions)} positions '
                                f'and {len(velocities)} velocities', 'a position for each name, '
                                'and a velocity for each or none')
    if any(map(isnan, velocities)):     # a joint state relayed from where none is measured
        velocities = ()
    for name, velocity in zip(names, velocities):
        if not isfinite(velocity):
            raise InvalidInputError(f'velocity for {name}', velocity, 'a finite one')
    if len({*names}) < len(names):
        raise InvalidInputError('command', f'{max(names, key=names.count)} twice', 'each once')
    goals, clamped = {}, []
    for name, position in zip(names, positions):
        if not isfinite(position):
            raise InvalidInputError(f'command for {name}', position, 'a finite position')
        if name in joints:
            goals[name] = goal = min(max(float(position), joints[name].lower), joints[name].upper)
            if abs(goal - position) > _PAST:
                raise InvalidInputError(f'command for {name}', position,
                                        f'at most {_PAST:g} past its limit {goal:g}')
            if goal != position:
                clamped.append(f'{name} was asked to go past its limit {goal:g}')
    return JointCommand(goals, tuple(clamped), dict(zip(names, velocities)))


class CommandAge:
    """
    Recognises the commands that were made since the driver was last released, by their stamps.

    A command is old if its stamp lies before that moment. Where the clock of the stamps is set
    back (simulated time that starts over, a host whose time is corrected), *before* says nothing
    any more: then a command is old if it was heard already before the moment, or was refused
    since.

    Where that clock shows no time yet, nobody knows: then a command that has a time was made
    before this driver. Until simulated time has begun nobody has one, and senders count their
    commands in microseconds; of these the one heard last is old, for a driver that was there
    before time began.

    ``has_begun`` says whether that time has begun: simulated time is zero until then.

    :param clock: returns the time [s] that the stamps of commands are of.
    """

    def __init__(self, clock):
        self._clock = clock
        self._newest_time = clock()
        self.has_begun = False
        self._knows_numbers = not self._newest_time
        self._newest_stamp = None
        self._old = deque(maxlen=_REMEMBERED)
        self.begin()

    def begin(self):
        """Take every command that was made until now for old."""
        self.look()
        self._since = self._newest_time
        if self._newest_stamp is not None:
            self._old.append(self._newest_stamp)

    def look(self):
        """Look at the clock, often enough to see it run back."""
        now = self._clock()
        if now < self._newest_time:
            self._since = -inf
        elif now > 0.0 and not self.has_begun:
            self.has_begun, self._since = True, now - _LONGEST_TRANSPORT
        self._newest_time = now

    def is_old(self, stamp):
        """Return whether a command is; ``stamp`` [s], 0: made now."""
        if not stamp:
            return False
        self.look()
        self._newest_stamp = stamp
        is_number = self._knows_numbers and 0.0 < stamp < _NO_TIME
        was_before = not is_number and (not self.has_begun or stamp < self._since)
        if was_before and stamp not in self._old:
            self._old.append(stamp)
        return stamp in self._old


class CommandWatchdog:
    """
    Counts the time since the newest command, and says what is to be done when none come.

    Up to the time-out nothing is; from then on the arm is at rest, and goes on if a command
    comes again. From :data:`LONG` times the time-out on, what was commanded before is old: where a
    link between two machines has failed, the middleware repeats the last commands when it is back,
    to an arm that people have taken to be at rest.
    """

    def __init__(self):
        self._since = None      # None: no command is waited for
        self._stopped = False

    def feed(self, now):
        """Take note of a command at ``now`` [s]."""
        self._since, self._stopped = now, False

    def reset(self):
        """Wait for no command any more."""
        self._since = None

    def stops(self, now, timeout):
        """Say, once, that no command has come for the time-out [s]; 0: never."""
        if self._stopped or not self._has_waited(now, timeout):
            return False
        self._stopped = True
        return True

    def makes_old(self, now, timeout):
        """Say, once, that no command has come for so long that earlier ones are old."""
        if not self._has_waited(now, LONG * timeout):
            return False
        self.reset()
        return True

    def _has_waited(self, now, duration):
        return self._since is not None and 0.0 < duration < now - self._since


class PauseAfterStop:
    """
    Whether messages that go on since a stop have paused, by when they came and were made.

    By both, because messages may be late, each by another time.
    """

    def __init__(self):
        self.is_free = True
        self._came = self._made = -inf

    def stop(self):
        """Wait for a pause from now on."""
        self.is_free = False

    def take(self, made, now):
        """
        Take note of a message, and return whether there was a pause since the stop.

        :param made: when it was made [s], by the clock of ``now``. A repeated one is not new.
        :param now: when it came [s].
        """
        apart = abs(made - self._made)
        self.is_free |= min(now - self._came, apart) >= PAUSE
        if apart > _SAME:
            self._came, self._made = now, max(made, self._made)
        return self.is_free


class Gate:
    """
    What commands have to pass.

    ``stopped``: none does until the reset; ``stops`` counts them; ``problem`` has words on the
    last command, or on what became of it; ``age`` is its :class:`CommandAge`, ``watchdog`` its
    :class:`CommandWatchdog`.

    :param monitor: the :class:`~.monitor.Monitor` of the servos.
    :param guard: the :class:`~.stall_guard.StallGuard`.
    :param bus: the :class:`~..bus.bus_thread.BusThread`.
    :param stamp_clock: returns the time [s] that the stamps of commands are of.
    :param chain: names of the joints of the chain.
    """

    def __init__(self, monitor, guard, bus, stamp_clock, chain):
        self._monitor, self._guard, self._bus = monitor, guard, bus
        self._chain = frozenset(chain)
        self.stopped, self.stops, self.problem = False, 0, ''
        self._pause, self._stamp_clock = PauseAfterStop(), stamp_clock
        self.age, self.watchdog = CommandAge(stamp_clock), CommandWatchdog()

    def stop(self):
        """Let no command pass until the reset, and no stream before it has paused."""
        self.stopped = True
        self._pause.stop()
        self.stops += 1

    def require_open(self):
        """Refuse what comes when no command may."""
        if closed := self._closed():
            raise InvalidInputError('command', *closed)

    def require_new(self, stamp, now):
        """
        Refuse a command that comes when none may, is old, or goes on since the last stop.

        :param stamp: when it was made [s]; 0: unknown.
        :param now: when it came [s].
        """
        # Asked of every command: it has to be remembered.
        old = self.age.is_old(stamp)
        is_free = self._pause.take(now - (self._stamp_clock() - stamp if stamp else 0.0), now)
        self.require_open()
        if old:
            found, allowed = (
                ('one made before the driver was last started, reset or given torque, or before '
                 'its sender fell silent', 'one made since, or without a stamp')
                if self.age.has_begun else
                ('an old one, or one of unknown age', 'one without a stamp, until /clock '
                 'has come (use_sim_time is set)'))
            raise _OldCommandError('command', found, allowed)
        if not is_free:
            raise InvalidInputError('command', 'one of a stream that went on through a stop',
                                    f'any after a pause of {PAUSE:g} s')

    def _closed(self):
        """Return what was found and what is allowed where no command passes; else ``None``."""
        if self.stopped:
            return 'one while stopped', 'none until reset'
        if self._bus.error is not None:
            return 'one while the bus is missing', 'none until it is there again'
        if not all(self._monitor.torque.values()):
            return 'one while torque is off', 'none until it is on'
        return None

    def refuses(self, names):
        """Return whether every command for these joints would be refused, whenever it is made."""
        ill = self._monitor.ill
        return bool(self._closed() or (
            ill if self._monitor.on_fault == 'stop' else set(ill).issuperset(names)))

    def require_well(self, what, names):
        """Refuse what is for these joints, one of which is at fault, or any if that stops all."""
        ill = self._monitor.ill
        if ill and (self._monitor.on_fault == 'stop' or not set(names).isdisjoint(ill)):
            raise InvalidInputError(what, f'one while a servo is at fault ({self._monitor.fault})',
                                    'none until it is well')

    def healthy(self, command):
        """Return the part of a command that is for joints without a fault, if that may be."""
        ill = self._monitor.ill
        goals = {name: goal for name, goal in command.goals.items() if name not in ill}
        self.require_well('command', goals or ill)
        said = [f'not for {name}, at fault' for name in command.goals if name in ill]
        stalled = self.require_away('command', goals)
        said += [f'not for {name}, which has stalled' for name in stalled]
        for name in stalled:
            del goals[name]
        return JointCommand(goals, (*command.clamped, *said), command.velocities)

    def require_away(self, what, *points):
        """
        Refuse what leads on where a joint of the chain has stalled; end guards that it leads from.

        :param points: positions by name, the goals last.
        :returns: names of other joints, not of all, that go on.
        """
        stalled = {name for goals in points for name in self._guard.against(goals)}
        goals = points[-1]
        if stalled.issuperset(goals) or not stalled.isdisjoint(self._chain):
            words = '; '.join(sorted(self._guard.held[name] for name in stalled))
            raise InvalidInputError(what, f'one that leads on ({words})',
                                    'one that leads away, or any after clear_faults')
        self._guard.release([name for name in goals if name not in stalled])
        return stalled

    @contextmanager
    def refusals(self):
        """Take note of why a command is refused."""
        try:
            yield
        except InvalidInputError as error:
            reason = WAITING if isinstance(error, _OldCommandError) else 'refused'
            self.problem = f'{reason}: {error}'
            raise


class _OldCommandError(InvalidInputError):
    pass
