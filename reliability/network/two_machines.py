# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Two machines in one: network namespaces joined by a cable that can be cut.

Each has a ``/dev/shm`` of its own too, or Fast DDS would pass data through shared memory as if
there were no network between them. Nothing of it is seen from outside, and all of it is gone
when this process ends, however that happens.
"""

from contextlib import ExitStack
import os
import subprocess
from time import sleep

#: What keeps a machine in being: until the pipe from this process closes.
_HOLD = ('mount -t tmpfs tmpfs /dev/shm && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; '
         'ip link set lo up && echo up && read -r _')

_CABLE = 'cable'

#: A network card that does not exist.
_NOBODY = '02:00:00:00:00:99'


class Machine:
    """
    A network namespace with its own shared memory.

    :param number: last part of its address.
    :raises OSError: where namespaces can't be had; the message says why.
    """

    def __init__(self, number):
        self.address = f'10.99.0.{number}'
        self._holder = subprocess.Popen(
            ['unshare', '--net', '--mount', 'sh', '-c', _HOLD], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self._holder.stdout.readline() != 'up\n':
            raise OSError(self._holder.communicate()[1].strip() or 'no reason given')

    @property
    def pid(self):
        """Process whose namespaces they are."""
        return self._holder.pid

    def command(self, *command):
        """Return a command that runs another in this machine."""
        return ['nsenter', '--target', str(self.pid), '--net', '--mount', *command]

    def run(self, *command):
        """Run a command in this machine and return what it prints."""
        return _run(*self.command(*command))

    def plug(self, up=True):
        """Bring this end of the cable up, or down."""
        self.run('ip', 'link', 'set', _CABLE, 'up' if up else 'down')

    def wait_for_the_link(self):
        """Wait until the kernel calls the link up: a node that starts before never looks there."""
        while 'state UP' not in self.run('ip', '-oneline', 'link', 'show', 'dev', _CABLE):
            sleep(0.05)

    def lose(self, machine, lost=True):
        """Lose what is sent to another machine without a word to anybody, or no longer."""
        self.run(*self._losing(machine, lost))

    def lose_for(self, machine, seconds):
        """Lose what is sent to another machine for some time; return the process that does it."""
        on, off = (' '.join(self._losing(machine, lost)) for lost in (True, False))
        return subprocess.Popen(self.command('sh', '-c', f'{on} && sleep {seconds} && {off}'))

    def packets_sent(self):
        """Return how many packets have left through the cable."""
        lines = self.run('cat', '/proc/net/dev').splitlines()
        counts = next(line for line in lines if line.strip().startswith(f'{_CABLE}:'))
        return int(counts.split()[10])

    def _losing(self, machine, lost):
        what = ['replace', machine.address, 'lladdr', _NOBODY, 'nud', 'permanent'] if lost else [
            'del', machine.address]
        return ['ip', 'neighbour', *what, 'dev', _CABLE]

    def close(self):
        """Let go of the namespaces; they are gone with the last process in them."""
        self._holder.communicate()


class TwoMachines:
    """Two joined machines, as a context manager: ``here`` and ``there``."""

    def __enter__(self):
        with ExitStack() as stack:
            self.here, self.there = (_kept(stack, Machine(number)) for number in (1, 2))
            _run('ip', 'link', 'add', 'name', _CABLE, 'netns', str(self.here.pid),
                 'type', 'veth', 'peer', 'name', _CABLE, 'netns', str(self.there.pid))
            for machine in (self.here, self.there):
                machine.run('ip', 'address', 'add', f'{machine.address}/24', 'dev', _CABLE)
                machine.plug()
            for machine in (self.here, self.there):
                machine.wait_for_the_link()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()


def why_not():
    """Return in words why there can be no two machines here; empty: there can."""
    try:
        with TwoMachines():
            return ''
    except (OSError, subprocess.SubprocessError) as error:
        return (f'network namespaces cannot be made here (user id {os.geteuid()}): '
                f'{getattr(error, "stderr", None) or error}').strip()


def _kept(stack, machine):
    stack.callback(machine.close)
    return machine


def _run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
