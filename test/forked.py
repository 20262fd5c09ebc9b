# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Processes of this Python that have their imports done: most of what the start of one costs."""

from multiprocessing import get_context
from multiprocessing.connection import Connection
import os
import runpy
import subprocess
import sys

_CONTEXT = get_context('forkserver')
_CONTEXT.set_forkserver_preload([
    'pytest', 'arm_ik.nodes.driver.driver_node', 'arm_ik.nodes.ik.ik_node', 'arm_ik.servos.cli',
    'arm_ik.viewer.ros_arm', 'arm_ik.viewer.page'])


def popen(command, **options):
    """Start a process as ``subprocess.Popen`` does; that of a module is forked."""
    can_fork = command[:2] == [sys.executable, '-m'] \
        and 'COVERAGE_PROCESS_CONFIG' not in os.environ     # it is to be measured from its start
    return (Forked if can_fork else subprocess.Popen)(command, **options)


class Forked:
    """``python -m MODULE ARGUMENTS`` in a session of its own; as ``subprocess.Popen``."""

    def __init__(self, command, stdin, stdout, stderr, env, cwd='.', start_new_session=True):
        assert start_new_session
        with open(os.devnull) as nowhere:
            ends = [Connection(os.dup(end if isinstance(end, int) else end.fileno())) for end in (
                nowhere if stdin == subprocess.DEVNULL else stdin, stdout,
                stdout if stderr == subprocess.STDOUT else stderr)]
        self._process = _CONTEXT.Process(
            target=_run, args=(command[2:], env, os.path.abspath(cwd), ends))
        self._process.start()
        self.pid, self.returncode = self._process.pid, None

    def wait(self, timeout=None):
        """Wait until it has ended, at most so long [s]; return the exit code, or ``None``."""
        self._process.join(timeout)
        self.returncode = self._process.exitcode
        return self.returncode

    def poll(self):
        """Return the exit code, ``None`` while it runs."""
        return self.wait(0.0)

    def send_signal(self, number):
        """Send a signal."""
        os.kill(self.pid, number)

    def kill(self):
        """End it at once."""
        self._process.kill()


def _run(command, env, folder, ends):
    module, *arguments = command
    os.setsid()
    for number, end in enumerate(ends):
        os.dup2(end.fileno(), number)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    sys.argv = [module, *arguments]
    sys.modules.pop(module, None)       # it is run, not imported
    runpy.run_module(module, run_name='__main__', alter_sys=True)
