# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The gate for commands: whether one may be obeyed now, and in which words it is refused.

The arm moves only for a command that was made after the driver was last released (started, reset
or given torque, a bus or a servo back again) and after the last long gap in the commands. A stream
that has continued since a stop moves nothing after the reset, before it has paused.
"""

from contextlib import contextmanager
from math import inf

from .commands import CommandAge, CommandWatchdog, JointCommand
from ..errors import InvalidInputError

#: So long a stream has to pause after a stop [s].
PAUSE = 0.3

#: Messages whose times are nearer than this [s] are the same one, repeated.
_SAME = 1e-4

#: How the condition begins while old commands are repeated and no new one has come: as after every
#: reset.
WAITING = 'waiting for a new command'


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
    last command, or on what became of it; ``age`` and ``watchdog`` are those of :mod:`.commands`.

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
