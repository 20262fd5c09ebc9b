# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A ROS domain that nobody else on this machine uses.

A process reserves a domain by binding a port of that number on this host. So tests in parallel
never share a domain, and a process that dies frees its domain. The port is that of ROS 2's own
``domain_coordinator``, so its tests are avoided too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
import os
import random
import socket

from ..nodes.startup import discovery

#: Domains whose DDS ports are below the ephemeral ports of Linux.
DOMAINS = range(1, 101)

_PORT_OF_RESERVATION = 32768

#: Number of participants checked: other nodes may outlive the first one of their domain.
_PARTICIPANTS = 20
_HOST = '127.0.0.1'


def discovery_ports(domain_id: int) -> range:
    """Return the UDP ports that the first DDS participants of a domain on this host listen on."""
    first = 7410 + 250 * domain_id
    return range(first, first + 2 * _PARTICIPANTS, 2)


@contextmanager
def reserved_domain() -> Iterator[int]:
    """
    Yield the number of a domain that is ours until the end of the context.

    :raises RuntimeError: if every domain is taken.
    """
    for domain_id in random.sample(DOMAINS, len(DOMAINS)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as reservation:
            if _bound(reservation, _PORT_OF_RESERVATION + domain_id) and not _is_in_use(domain_id):
                yield domain_id
                return
    raise RuntimeError(f'every ROS domain from {DOMAINS[0]} to {DOMAINS[-1]} is in use')


def domain_environment(domain_id: int) -> dict[str, str]:
    """
    Return the environment variables that keep ROS in a domain on this host.

    Discovery and transport are those that the nodes have by default.

    :param domain_id: number of the domain.
    """
    variables, _ = discovery.settings('host', os.environ)
    return {'ROS_DOMAIN_ID': str(domain_id), **variables}


@contextmanager
def own_domain() -> Iterator[int]:
    """Make this process start its ROS nodes in an unused domain until the context ends."""
    with reserved_domain() as domain_id, environment(**domain_environment(domain_id)):
        yield domain_id


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set environment variables of this process until the end of the context."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _is_in_use(domain_id: int) -> bool:
    """Tell whether a DDS participant that reserves nothing is in a domain."""
    for port in discovery_ports(domain_id):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            if not _bound(probe, port):
                return True
    return False


def _bound(sock: socket.socket, port: int) -> bool:
    try:
        sock.bind((_HOST, port))
    except OSError:
        return False
    return True
