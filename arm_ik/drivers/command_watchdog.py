# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command watchdog: what is to be done when commands stop coming.

Up to the time-out nothing is; from then on the arm stands still, and goes on if a command comes
again. From :data:`LONG` times the time-out on, what was commanded before is old: where a link
between two machines has failed, the middleware repeats the last commands when it is back, to an
arm that people have taken to be at rest.
"""

#: The time without commands after which earlier ones are not taken up again, in time-outs.
LONG = 2.0


class CommandWatchdog:
    """Counts the time since the newest command."""

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
        """Tell, once, that no command has come for the time-out [s]; 0: never."""
        if self._stopped or not self._has_waited(now, timeout):
            return False
        self._stopped = True
        return True

    def makes_old(self, now, timeout):
        """Tell, once, that no command has come for so long that earlier ones are old."""
        if not self._has_waited(now, LONG * timeout):
            return False
        self.reset()
        return True

    def _has_waited(self, now, duration):
        return self._since is not None and 0.0 < duration < now - self._since
