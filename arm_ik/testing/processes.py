# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Nodes as processes that never outlive the test that started them, in a domain that is theirs.

A process reserves a ROS domain by binding a port of that number on this host. So tests in parallel
never share a domain, and a process that dies frees its domain. The port is that of ROS 2's own
``domain_coordinator``, so its tests are avoided too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref

from ..nodes.startup import discovery

#: How long a process may take to end after a signal, before it gets a stronger one [s].
PATIENCE = 10.0

#: The folder this package is imported from.
_SOURCE = Path(__file__).resolve().parents[2]

#: How many lines of a process's output a failed test shows.
TAIL = 15

#: Domains whose DDS ports are below the ephemeral ports of Linux.
DOMAINS = range(1, 101)

_PORT_OF_RESERVATION = 32768

#: Number of participants checked: other nodes may outlive the first one of their domain.
_PARTICIPANTS = 20


class NodeProcess:
    """
    One node as a process in a group of its own, which ends with this process, however that ends.

    ``pid`` is the number of the process and of the group.

    :param name: for messages.
    :param command: program and arguments.
    :param environment: variables to set in addition to those of this process.
    :param on_end: called without arguments, from another thread, when the process has ended.
    """

    #: What starts a process.
    popen = subprocess.Popen

    def __init__(self, name: str, command: Sequence[str], environment: dict[str, str],
                 on_end: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self._output = tempfile.TemporaryFile()     # can be read for as long as this is there
        weakref.finalize(self, self._output.close)
        self._process = self.popen(
            command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT,
            env={**os.environ, **_python_environment(), **environment}, start_new_session=True)
        self.pid = self._process.pid
        self._guard = _guard(self.pid)
        self._ended = threading.Event()
        self._on_end = on_end
        threading.Thread(target=self._watch, name=f'watch {name}', daemon=True).start()

    @classmethod
    def of_node(cls, name: str, arguments: Iterable[str], environment: dict[str, str],
                on_end: Callable[[], object] = lambda: None) -> 'NodeProcess':
        """Start a node of the package with this Python; see the constructor."""
        return cls(name, [sys.executable, '-m', 'arm_ik.nodes.startup.start', name, *arguments],
                   environment, on_end)

    @property
    def exit_code(self) -> int | None:
        """Exit code, negative for the signal that ended it; ``None`` while it runs."""
        return self._process.returncode if self._ended.is_set() else None

    def output(self) -> str:
        """Return everything it has written so far."""
        with open(self._output.fileno(), 'rb', closefd=False) as file:
            return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(
                errors='replace')

    def wait(self, timeout: float) -> int | None:
        """Wait until it has ended, at most so long [s]; return the exit code, or ``None``."""
        self._ended.wait(timeout)
        return self.exit_code

    def signal(self, number: int) -> None:
        """Send a signal to the process and all it has started."""
        with suppress(ProcessLookupError):  # all of it has ended
            os.killpg(self.pid, number)

    def stop(self) -> int:
        """
        End it by SIGINT, then SIGTERM, then SIGKILL; nothing of its group is left.

        :returns: the exit code.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            if not self._ended.is_set():
                self.signal(number)
                self._ended.wait(PATIENCE)
        self.signal(signal.SIGKILL)
        self._ended.wait()
        with self._guard:
            self._guard.kill()
        return self._process.returncode

    def describe(self) -> str:
        """Return its state and the last lines of its output, for a failed test."""
        code = self.exit_code
        state = 'running' if code is None else f'ended with exit code {code}'
        lines = self.output().splitlines()[-TAIL:] or ['(no output)']
        return '\n'.join([f'{self.name} ({state}), the end of its output:',
                          *(f'  | {line}' for line in lines)])

    def _watch(self) -> None:
        self._process.wait()
        self._ended.set()
        self._on_end()


def _python_environment() -> dict[str, str]:
    """Return variables that make another Python process use the same copy of this package."""
    variables = {'PYTHONUNBUFFERED': '1'}
    if _SOURCE.name not in ('site-packages', 'dist-packages'):  # found there anyway
        paths = [str(_SOURCE), os.environ.get('PYTHONPATH', '')]
        variables['PYTHONPATH'] = os.pathsep.join(filter(None, paths))
    return variables


def _guard(pid: int) -> subprocess.Popen[bytes]:
    """
    Return a shell that kills a process group when this process dies, however it dies.

    It waits for the end of a pipe that only this process holds open.
    """
    return subprocess.Popen(
        ['/bin/sh', '-c', f'read -r _; kill -s KILL -- -{pid}'], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


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
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables.keys() - before.keys():
            os.environ.pop(name, None)
        os.environ.update(before)


def _is_in_use(domain_id: int) -> bool:
    """Return whether a DDS participant that reserves nothing is in a domain."""
    for port in discovery_ports(domain_id):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            if not _bound(probe, port):
                return True
    return False


def _bound(sock: socket.socket, port: int) -> bool:
    with suppress(OSError):
        sock.bind(('127.0.0.1', port))
        return True
    return False
