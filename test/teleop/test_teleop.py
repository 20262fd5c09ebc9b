# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Teleop at a pseudo-terminal, with real nodes."""

import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading

from arm_ik.__main__ import main
from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment
from geometry_msgs.msg import TwistStamped
import pytest

pytestmark = pytest.mark.about_time

#: Longest wait [s]; only a failing test waits that long.
PATIENCE = 60.0


@pytest.fixture(scope='module')
def arm():
    with SimulatedArm('so101') as arm:
        yield arm


class Session:
    """Teleop in a process of its own, and what it shows."""

    def __init__(self, arm, *arguments, program=('-m', 'arm_ik')):
        self._master, self._slave = pty.openpty()
        self.before = termios.tcgetattr(self._slave)
        self._process = subprocess.Popen(
            [sys.executable, *program, 'teleop', *arguments], stdin=self._slave,
            stdout=self._slave, stderr=self._slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal
            env={**os.environ, **domain_environment(arm.domain_id)})
        self.shown, self._news = '', threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._slave)

    def _read(self):
        while True:
            try:
                text = os.read(self._master, 4096).decode(errors='replace')
            except OSError:
                return
            with self._news:
                self.shown += text
                self._news.notify_all()

    def press(self, keys):
        os.write(self._master, keys.encode())

    def wait_for(self, pattern):
        """Wait until it has shown something since this was last called."""
        with self._news:
            assert self._news.wait_for(
                lambda: re.search(pattern, self.shown), PATIENCE), (pattern, self.shown[-2000:])
            self.shown = ''

    def signal(self, number):
        self._process.send_signal(number)

    def end(self):
        """Return the exit code, and whether the terminal is as it was."""
        code = self._process.wait(PATIENCE)
        return code, termios.tcgetattr(self._slave) == self.before


def go_home(arm):
    arm.go_home()
    arm.wait_until(lambda: arm.q == arm.arm.home and arm.status.state == 'arrived', 'home')


@pytest.fixture
def session(arm):
    go_home(arm)
    with Session(arm) as session:
        session.wait_for('(?s)tip .* % of the reach.*(arrived|ready)')
        yield session


def test_twists_are_in_the_frame_that_the_keys_say_and_the_last_one_is_zero(arm, session):
    with NodeThread('ear', domain_id=arm.domain_id) as ear:
        heard = []
        ear.listen(TwistStamped, 'target_twist', heard.append)

        def hears(frame, up):
            return heard and (heard[-1].header.frame_id, heard[-1].twist.linear.z > 0.0) == (
                frame, up)
        session.press('r')
        assert ear.wait_until(lambda: hears('', True), PATIENCE, poll=0.05) is None
        session.press('tr')
        assert ear.wait_until(lambda: hears('tool0', True), PATIENCE, poll=0.05) is None
        session.press('q')
        assert ear.wait_until(lambda: hears('', False), PATIENCE, poll=0.05) is None
        assert all(message.header.stamp.sec for message in heard)   # for target_max_age
        assert session.end() == (0, True)


def test_a_key_moves_the_tip_until_another_stops_it_and_q_ends(arm, session):
    start = arm.tip().position
    session.press('r')
    session.wait_for(r'\+z .*0\.050 m/s')
    arm.wait_until(lambda: arm.tip().position[2] > start[2] + 0.02, 'the tip to rise')
    session.press(' ')
    session.wait_for('arrived')
    record = arm.record()
    arm.wait_until(lambda: len(record) > 20, 'some states')
    assert record[-1] == pytest.approx(record[0], abs=1e-4)     # servos that lag still settle
    assert abs(arm.tip().position - start)[:2].max() < 1e-3
    session.press('q')
    assert session.end() == (0, True)


@pytest.mark.parametrize('how', [
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, '\x03', '\x04q'], ids=str)
def test_the_terminal_is_as_it_was_and_the_arm_stands_however_it_ends(arm, session, how):
    session.press('r')
    session.wait_for(r'\+z')
    start = arm.q
    arm.wait_until(lambda: arm.q != start, 'the arm on its way')
    if isinstance(how, str):
        session.press(how)
    else:
        session.signal(how)
    code, restored = session.end()
    assert (code, restored) == (0, True)
    assert 'Traceback' not in session.shown
    arm.wait_until(lambda: arm.status.state == 'arrived', 'rest')


def test_a_signal_that_comes_in_a_destructor_ends_it_too(arm):
    with Session(arm, program=('-c', """
import signal, sys
from arm_ik.__main__ import main
from arm_ik.teleop import teleop
class Signals:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
teleop.lines = lambda source, keys: Signals() and ['shown']
sys.exit(main())
""")) as session:
        assert session.end() == (0, True)


def test_the_gripper_opens_and_closes(arm, session):
    session.press('vvv')
    session.wait_for(r'gripper 0\.80')
    session.press('c')
    session.wait_for(r'gripper 0\.70')
    session.press('q')
    assert session.end() == (0, True)


def test_a_step_is_as_long_as_asked(arm):
    go_home(arm)
    start = arm.tip().position
    with Session(arm, '--step', '0.01', '--arm', 'so101') as session:
        session.wait_for('(arrived|ready)')
        session.press('r')
        session.wait_for(r'\+z')
        session.wait_for('stop')
        arm.wait_until(lambda: arm.status.state == 'arrived', 'rest')
        assert arm.tip().position[2] - start[2] == pytest.approx(0.01, abs=0.004)
        session.press('q')
        assert session.end() == (0, True)


def test_without_an_ik_node_it_says_so(arm):
    with Session(arm, '--namespace', 'nobody') as session:
        session.wait_for('(?s)tip unknown.*no ik_node: start it')
        session.press('q')
        assert session.end() == (0, True)


@pytest.mark.parametrize('arguments, words', [
    ([], 'no terminal'), (['--arm', 'so102'], "did you mean 'so101'?")])
def test_what_is_wrong_is_one_line(arguments, words, capsys, monkeypatch):
    with open(os.devnull) as nothing:
        monkeypatch.setattr('sys.stdin', nothing)
        assert main(['teleop', *arguments]) == 2
    errors = capsys.readouterr().err
    assert words in errors and errors.count('\n') == 1
