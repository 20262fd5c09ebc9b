# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A ROS domain that nobody else on this machine uses.

Whoever holds a domain listens on a port of that number on this host, so processes that test in
parallel never share one, and a process that dies gives its domain back. The port is the one that
ROS 2's own ``domain_coordinator`` takes, so tests run by that are kept clear of too.
"""

from contextlib import contextmanager
from importlib.metadata import version
import os
from pathlib import Path
import random
import socket

from ..nodes.process.transport import PROFILES

#: Domains whose DDS ports are sure to be below those that Linux gives out on its own.
DOMAINS = range(1, 101)

_PORT_OF_RESERVATION = 32768

#: Participants looked for: nodes may outlive the one that was first in their domain.
_PARTICIPANTS = 20
_HOST = '127.0.0.1'

_QUICK_DISCOVERY = Path(__file__).with_name('quick_discovery.xml')


def discovery_ports(domain_id):
    """Return the UDP ports that the first DDS participants of a domain on this host listen on."""
    first = 7410 + 250 * domain_id
    return range(first, first + 2 * _PARTICIPANTS, 2)


@contextmanager
def reserved_domain():
    """
    Yield the number of a domain that is ours until the end of the context.

    :raises RuntimeError: if every domain is taken.
    """
    for domain_id in random.sample(DOMAINS, len(DOMAINS)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as reservation:
            if _bound(reservation, _PORT_OF_RESERVATION + domain_id) and not _spoken(domain_id):
                yield domain_id
                return
    raise RuntimeError(f'every ROS domain from {DOMAINS[0]} to {DOMAINS[-1]} is in use')


def domain_environment(domain_id, quick=True):
    """
    Return the environment variables that keep ROS in a domain on this host.

    :param domain_id: number of the domain.
    :param quick: whether nodes are to be found quickly; they are without the settings of Fast DDS
        that users have, then.
    """
    variables = {'ROS_DOMAIN_ID': str(domain_id), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    if quick and not any(name in os.environ for name in PROFILES.values()):
        variables[profiles_variable()] = str(_QUICK_DISCOVERY)
    return variables


def profiles_variable():
    """Return the name of the variable that names a file of settings to Fast DDS."""
    before, since = PROFILES.values()  # version 3, which Kilted, with rclpy 9, has first
    return since if int(version('rclpy').split('.')[0]) >= 9 else before


@contextmanager
def environment(**variables):
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


def _spoken(domain_id):
    """Tell whether somebody who reserves nothing is in a domain."""
    for port in discovery_ports(domain_id):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            if not _bound(probe, port):
                return True
    return False


def _bound(sock, port):
    try:
        sock.bind((_HOST, port))
    except OSError:
        return False
    return True
