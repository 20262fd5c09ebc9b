# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Keep clear of the ports that dead processes have left in shared memory.

Fast DDS, ROS 2's usual middleware, passes messages between the processes of a host through ports
in shared memory, whose numbers are those of the processes' UDP ports. A process that is killed
leaves its ports behind. Whoever used to send there goes on writing into the old port for 2 to 4 s,
also when a process that was started meanwhile has made a new one of that number, and this one
hears nothing so long. So a node that is started again after a crash has to have other numbers.
Fast DDS takes the lowest whose UDP ports are free; here those of the dead are held until it has.

A port in use is locked by its process; what the kernel lists as locked is not dead. Of many dead
ports the oldest are let go, or numbers would rise with every crash until nobody looks there.
"""

from contextlib import contextmanager, ExitStack
import os
from pathlib import Path

#: Participants of a domain looked at; Fast DDS looks for others on this host at 32 numbers.
_PARTICIPANTS = 28

#: Dead ports held at most.
_HELD = 20

_SHARED_MEMORY = Path('/dev/shm')
_LOCKS = Path('/proc/locks')


@contextmanager
def clear_of_dead_ports(folder=_SHARED_MEMORY):
    """Hold the UDP ports of the dead in this process's domain until the end of the context."""
    with ExitStack() as stack:
        for port in dead_ports(_domain_id(), folder):
            import socket  # half a megabyte, most often for nothing
            for number in (port - 1, port):  # for discovery, and for messages
                held = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                try:
                    held.bind(('', number))
                except OSError:
                    pass  # somebody uses it: nobody else will be given it
        yield


def dead_ports(domain_id, folder=_SHARED_MEMORY):
    """
    Return the numbers of ports whose process has died, the newest first.

    :param domain_id: the ROS domain.
    :param folder: where shared memory is seen as files.
    """
    first = 7411 + 250 * domain_id
    dead, locked = {}, _locked()
    for port in range(first, first + 2 * _PARTICIPANTS, 2):
        for kind in ('fastrtps', 'fastdds'):  # before version 3, and since
            try:
                found = os.stat(folder / f'{kind}_port{port}_el')
            except OSError:
                continue
            if str(found.st_ino) not in locked:
                dead[port] = max(found.st_mtime, dead.get(port, 0.0))
    return sorted(dead, key=dead.get, reverse=True)[:_HELD]


def _locked():
    """Return the inodes of all locked files, as text."""
    try:
        lines = _LOCKS.read_text(encoding='ascii').splitlines()
    except OSError:
        return set()
    # 1: FLOCK  ADVISORY  WRITE 28525 00:19:1136 0 EOF
    return {field.rpartition(':')[2] for line in lines for field in line.split()[1:]
            if field.count(':') == 2}


def _domain_id():
    try:
        return int(os.environ.get('ROS_DOMAIN_ID') or 0)
    except ValueError:
        return 0  # ROS itself complains
