# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the silence of whoever commands the arm comes to, by how long it lasts.

Up to the time-out it is nothing; from then on the arm stands still, and goes on if the command
comes again. From :data:`LONG` times the time-out on, what was commanded before is old: where a
link between two machines has failed, the middleware repeats the last commands when it is back,
to an arm that people have taken to be at rest.
"""

#: The silence after which earlier commands are not taken up again, in time-outs.
LONG = 2.0


class Silence:
    """Counts from the newest command."""

    def __init__(self):
        self._since = None      # None: nobody to wait for
        self._stopped = False

    def end(self, now):
        """Take note of a command at ``now`` [s]."""
        self._since, self._stopped = now, False

    def forget(self):
        """Wait for nobody any more."""
        self._since = None

    def stops(self, now, timeout):
        """Tell, once, that it has lasted for the time-out [s]; 0: it never does."""
        if self._stopped or not self._longer(now, timeout):
            return False
        self._stopped = True
        return True

    def is_long(self, now, timeout):
        """Tell, once, that commands from before it are old."""
        if not self._longer(now, LONG * timeout):
            return False
        self.forget()
        return True

    def _longer(self, now, duration):
        return self._since is not None and 0.0 < duration < now - self._since
