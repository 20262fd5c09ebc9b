# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The wire between a driver and servos that another process holds.

Run as a module it is ``driver_node`` with one back end more, ``outside``, at the socket that the
environment names.
"""

from multiprocessing.connection import Client, Listener
import os
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
from threading import Thread

from arm_ik.drivers import Backend, registry
from arm_ik.errors import DriverError

#: Environment variable that names the socket.
ADDRESS = 'ARM_IK_OUTSIDE_SERVOS'


class Bus:
    """
    Serves servos to whatever driver comes, one after another.

    :param servos: a connected :class:`~arm_ik.drivers.Backend`.
    """

    def __init__(self, servos):
        self._servos = servos
        self._folder = TemporaryDirectory(prefix='arm_ik_')
        self.address = str(Path(self._folder.name) / 'servos')
        self._listener = Listener(self.address, 'AF_UNIX')
        Thread(target=self._accept, name='bus', daemon=True).start()

    def close(self):
        """Take no more drivers."""
        self._listener.close()
        self._folder.cleanup()

    def _accept(self):
        while True:
            try:
                connection = self._listener.accept()
            except OSError:  # closed
                return
            Thread(target=self._serve, args=(connection,), name='bus', daemon=True).start()

    def _serve(self, connection):
        with connection:
            while True:
                try:
                    verb, arguments = connection.recv()
                    connection.send(self._answer(verb, arguments))
                except (EOFError, OSError):  # the driver has died
                    return

    def _answer(self, verb, arguments):
        try:
            return getattr(self._servos, verb)(*arguments), ''
        except DriverError as error:
            return None, str(error)


class Outside(Backend):
    """The driver's end."""

    name = 'outside'

    def __init__(self, model):
        super().__init__(model)
        self._connection = None

    def connect(self):
        """See :meth:`Backend.connect`."""
        if self._connection is None:
            self._connection = Client(os.environ[ADDRESS], 'AF_UNIX')
            self.set_torque(True)

    def read(self):
        """See :meth:`Backend.read`."""
        return self._ask('read')

    def write(self, goals):
        """See :meth:`Backend.write`."""
        self._ask('write', dict(goals))

    def set_torque(self, on):
        """See :meth:`Backend.set_torque`."""
        self._ask('set_torque', on)

    def close(self):
        """See :meth:`Backend.close`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, verb, *arguments):
        if self._connection is None:
            raise DriverError(self.name, 'not connected')
        try:
            self._connection.send((verb, arguments))
            result, complaint = self._connection.recv()
        except (EOFError, OSError) as error:
            raise DriverError(self.name, f'no answer: {error}') from error
        if complaint:
            raise DriverError(self.name, complaint)
        return result


def main():
    """Run ``driver_node``."""
    registry._BACKENDS[Outside.name] = Outside
    # Not before: the parameters' choices are what the registry has when they are imported.
    from arm_ik.nodes.driver import driver_node
    return driver_node.main()


if __name__ == '__main__':
    sys.exit(main())
