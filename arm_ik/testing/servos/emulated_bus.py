# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The handle that tests have on an emulated bus in a process of its own."""

import json
import os
from pathlib import Path
import subprocess
import sys

_FOLDER_OF_PACKAGE = Path(__file__).parents[3]


class EmulatedBus:
    """
    A running emulator; leave it as a context manager.

    :param folder: where the link to the port is made.
    :param config: ``servos``: a list of the arguments of a servo, and what else the emulator
        takes.

    ``written`` is how many bytes were written to the port since the last reset, where that is
    known: a command then need not wait for what the pseudo-terminal may still have to hand on.
    """

    written = None

    def __init__(self, folder, **config):
        self.port = str(Path(folder) / 'usb-emulated-servos')
        self._process = subprocess.Popen(
            [sys.executable, '-m', f'{__package__}.emulator', self.port, json.dumps(config)],
            env={**os.environ, 'PYTHONPATH': str(_FOLDER_OF_PACKAGE)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.device = json.loads(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        Path(self.port).unlink(missing_ok=True)

    def do(self, command, **arguments):
        """Have the emulator do something; return what it answers."""
        if self.written is not None:
            arguments['written'] = self.written
        self._process.stdin.write(json.dumps({'do': command, **arguments}) + '\n')
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def fault(self, kind, ids=None, **more):
        """Let a fault strike replies from now on."""
        self.do('fault', kind=kind, **({'ids': ids} if ids else {}), **more)

    def position(self, servo_id):
        """Return the tick that a servo's present position register holds."""
        return self.do('state', servo_id=servo_id)['position']
