# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The one thread that owns a servo bus: newest set-points in, newest snapshot out.

Each turn reads all joints, asks for the set-points that follow from that, and writes them. What
else there is to do comes after the write, so that nothing makes a stop wait; and a stop does not
wait for the next turn, but begins it. A bus that is missing is
given back and opened anew until it is there again.
"""

from concurrent.futures import Future
from itertools import cycle
import threading
import time

from .torque import TorqueRefusedError
from ..errors import DriverError

#: What an action on the bus returns that is to be done again with the next turn.
AGAIN = object()

#: How often a bus that is missing is looked for [s].
_RETRY = 0.2

#: Time in which the health of every servo is read once [s].
_HEALTH_ROUND = 0.4

#: A turn that takes longer than this does not end any more [s].
_LONGEST_TURN = 2.0


class BusThread:
    """
    A back end and what drives it.

    ``error`` is the :class:`DriverError` of a missing bus, or ``None``; ``suspects`` are the
    names of joints at which every other look at a servo's health is.

    :param backend: the :class:`~arm_ik.drivers.Backend`; from :meth:`start` on the thread's own.
    :param step: function of a :class:`~.backend.Snapshot` that returns the set-points to write.
    :param take_health: function of a joint's name and its :class:`~.backend.Health`.
    :param lost: function of the error, called once when the bus is missing.
    :param found: function of a snapshot, called once when it is there again, before the next step.
    :param rate: turns per second.
    :param clock: returns the time [s].
    :param sleep: function that waits for a time [s].
    """

    def __init__(self, backend, step, take_health, lost, found, rate=100.0,
                 clock=time.monotonic, sleep=time.sleep):
        self.backend = backend
        self.error = None
        self._step, self._take_health = step, take_health
        self._on_lost, self._on_found = lost, found
        self._rate, self._clock, self._sleep = rate, clock, sleep
        self._due = clock()
        self._lock = threading.Lock()
        self._requests = []             # (action, future)
        self._retry_at = self._health_at = 0.0
        self._health_put_off = False
        self._names = cycle(backend.joints)     # whose health is read next
        self.suspects, self._looks = (), 0
        self._end, self._hurry = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name='servo_bus', daemon=True)

    def connect(self, without_missing=False, limp=False):
        """
        Make the servos ready: torque on, every joint held where it is.

        Without feedback that waits for somebody who knows where the arm is; servos that have
        torque already keep it.

        :param without_missing: be content with those that answer.
        :param limp: give none of them torque.
        :returns: the set-points they hold, by name, and in sentences by name the servos that got
            no torque, because they would turn.
        :raises DriverError: if that fails; then the bus is given back.
        """
        try:
            self.backend.open()
            missing = self.backend.verify()
            if missing and not without_missing:
                raise DriverError(self.backend.name, '; '.join(dict.fromkeys(missing.values())))
            if limp or not self.backend.has_feedback:
                return self.backend.read().positions, {}
            names = [name for name in self.backend.joints if name not in missing]
            try:
                return self.backend.engage(names), {}
            except TorqueRefusedError as error:
                return self.backend.engage([name for name in names if self.backend.main(
                    name) not in error.refused]), error.refused
        except Exception as error:  # noqa: BLE001, of ports and libraries, whatever they raise
            self.backend.close()
            raise self._named(error) from error

    def start(self):
        """Start the thread."""
        self._thread.start()

    def stop(self):
        """End the thread after its turn; return whether it has ended: some ports never return."""
        self._end.set()
        self._hurry.set()
        if self._thread.is_alive():
            self._thread.join(_LONGEST_TURN)
        return not self._thread.is_alive()

    def request(self, action=lambda: None):
        """
        Have something done on the bus, after the next set-points have been written.

        :param action: callable without arguments.
        :returns: a :class:`concurrent.futures.Future` of what it returns; it fails with a
            :class:`DriverError`, at once if the bus is missing. After :data:`AGAIN` it is not.
        """
        future = Future()
        with self._lock:
            if self.error is None:
                self._requests.append((action, future))
            else:
                future.set_exception(self.error)
        self._hurry.set()
        return future

    def turn(self):
        """Read, step, write, and do what has been requested before."""
        requests, began = [], self._clock()
        try:
            if self.error is None or self._find():
                snapshot = self.backend.read()
                requests = self._take_requests()  # those made during the read, too
                self.backend.write(self._step(snapshot))
                while requests:
                    self._do(*requests.pop(0))
                self._look_at_health(began)
        except Exception as error:  # noqa: BLE001, as above
            self._lose(self._named(error))
        for _, future in requests:
            future.set_exception(self.error)

    def pause(self):
        """Wait until the next turn is due."""
        self._sleep(self._until_due())

    def _until_due(self):
        now = self._clock()
        if now >= self._due:  # else somebody has asked for a turn in between
            self._due = max(self._due + 1.0 / self._rate, now)
        return self._due - now

    def _do(self, action, future):
        try:
            result = action()
            if result is AGAIN:
                with self._lock:
                    self._requests.append((action, future))
            else:
                future.set_result(result)
        except DriverError as error:
            future.set_exception(error)     # refused, or the bus is missing: see the next turn
        except Exception as error:
            future.set_exception(self._named(error))
            raise

    def _take_requests(self):
        with self._lock:
            requests, self._requests = self._requests, []
        return requests

    def _look_at_health(self, began):
        now = self._clock()
        if now < self._health_at:
            return
        # A turn that has waited for a servo that is missing leaves it to the next one.
        self._health_put_off = now - began > 1.0 / self._rate and not self._health_put_off
        if self._health_put_off:
            return
        self._health_at = now + _HEALTH_ROUND / len(self.backend.joints)
        self._looks += 1
        name = self.suspects[self._looks // 2 % len(self.suspects)] \
            if self.suspects and self._looks % 2 else next(self._names)
        self._take_health(name, self.backend.read_health(name))

    def _lose(self, error):
        is_news = self.error is None
        with self._lock:
            self.error = error
        for _, future in self._take_requests():
            future.set_exception(error)
        self._retry_at = self._clock() + _RETRY
        self.backend.close()
        if is_news:
            self._on_lost(error)

    def _find(self):
        """Open a bus that is missing again, if it is time to; return whether it is there."""
        if self._clock() < self._retry_at:
            return False
        self.backend.open()
        self.backend.verify()
        for name in self.backend.joints:  # before any is written to: they may have lost power
            self._take_health(name, self.backend.read_health(name))
        self._on_found(self.backend.read())
        with self._lock:
            self.error = None
        return True

    def _named(self, error):
        """Return an error as one that says whose it is and which joints it is about."""
        if isinstance(error, DriverError):
            return error
        return DriverError(self.backend.name, f'no bus to {", ".join(self.backend.joints)}: '
                                              f'{type(error).__name__}: {error}')

    def _run(self):
        while not self._end.is_set():
            self.turn()
            self._hurry.wait(self._until_due())
            self._hurry.clear()
