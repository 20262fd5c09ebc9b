# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The demo as a stranger runs it: a process, real nodes, real DDS, an exit code."""

import os
from pathlib import Path
import signal
import subprocess
import sys

from arm_ik.__main__ import main
from arm_ik.demo.stream import stream
from arm_ik.description.target_file import load_targets
from arm_ik.testing import SimulatedArm
from arm_ik.testing.processes import reserved_domain
import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions
from rclpy.wait_for_message import wait_for_message
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.about_time

ROOT = Path(__file__).resolve().parents[2]

REACHABLE = """
arm: simple
defaults: {up: [1.0, 0.0, 0.0]}
targets:
  - {name: out, position: [0.25, 0.0, 0.05]}
  - {name: along, line_to: [0.22, 0.0, 0.08], steps: 2}
  - {name: any way, position: [0.1, 0.1, 0.1], up: null}
"""

TOO_FAR = '  - {name: a shelf, position: [0.9, 0.0, 0.0]EXPECT}\n'


def start(*args, **variables):
    return subprocess.Popen(
        [sys.executable, '-m', 'arm_ik', 'demo', *map(str, args)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path]), **variables})


def demo(*args, **variables):
    """Run the demo; return (exit code, output, errors)."""
    process = start(*args, **variables)
    output, errors = process.communicate()
    return process.returncode, output, errors


@pytest.fixture
def targets(tmp_path):
    def write(text):
        path = tmp_path / 'targets.yaml'
        path.write_text(text)
        return path
    return write


def test_files_are_followed_shown_and_drawn(targets, tmp_path, monkeypatch):
    pytest.importorskip('matplotlib')
    monkeypatch.chdir(tmp_path)
    one = targets(REACHABLE + TOO_FAR.replace('EXPECT', ', expect: unreachable'))
    two = one.with_name('two.yaml')
    two.write_text('{arm: simple, targets: [{position: [0.25, 0.0, 0.05]}]}')
    code, output, errors = demo('--targets', one, '--targets', two, '--picture', 'here/run.png')
    assert (code, errors) == (0, '')
    assert 'at rest on 4 of 4 reachable poses' in output
    assert '1 of 1 out of reach, and said so' in output
    assert 'too far by' in output and 'as the file expects' in output
    for name in ('targets', 'two'):
        assert Path(f'here/{name}_run.png').stat().st_size > 10_000


def test_a_line_is_straight_and_as_fast_as_the_file_says_and_a_wait_is_waited(targets):
    file = load_targets(targets("""
defaults: {up: [1.0, 0.0, 0.0]}
targets:
  - {position: [0.22, -0.05, 0.05], up: null}
  - {position: [0.22, 0.05, 0.05], up: null, motion: line, speed: 0.05, wait: 1.5}"""))
    with SimulatedArm('simple') as arm:
        run = stream(file, arm, arm.record())
    assert run.passed and run.seconds > 1.5 + 2.0
    tips = run.tips()
    start = int(np.argmin(np.linalg.norm(tips - (0.22, -0.05, 0.05), axis=1)))
    assert np.median(np.abs(tips[start:, [0, 2]] - (0.22, 0.05))) < 1e-4
    steps = np.diff(tips[start:, 1])
    assert np.median(steps[steps > 1e-4]) == pytest.approx(0.001, rel=0.3)


def test_what_cannot_be_done_and_should_be_fails_the_demo(targets):
    path = targets(REACHABLE + TOO_FAR.replace('EXPECT', '') + '  - {gripper: 1}')
    code, output, _ = demo('--targets', path, '--no-picture')
    assert code == 1
    assert 'FAILED: missed' in output and 'at rest on 4 of 5 reachable poses' in output
    assert 'this arm has no gripper' in output


@pytest.mark.parametrize('text, args, variables, words', [
    ('targets: [{position: [1, 2]}]', (), {}, 'entry 1 (position 1): target position'),
    ('{arm: so102, targets: [{gripper: 1}]}', (), {}, "did you mean 'so101'?"),
    (REACHABLE, (), {'ROS_DOMAIN_ID': 'mine'}, "ROS_DOMAIN_ID is 'mine'"),
    (REACHABLE, ('--arm', 'px100'), {}, "the arm is 'px100'; allowed: simple")])
def test_a_mistake_ends_the_demo_before_anything_starts(
        targets, monkeypatch, capsys, text, args, variables, words):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(signal, 'signal', lambda *_: None)
    code = main(['demo', '--targets', str(targets(text)), '--no-picture', *args])
    output, errors = capsys.readouterr()
    assert code == 2 and output == ''
    assert words in errors and errors.count('\n') == 1


def test_a_domain_of_the_users_is_used_so_that_it_can_be_watched(targets):
    with reserved_domain() as domain:
        context = Context()
        rclpy.init(context=context, domain_id=domain,
                   signal_handler_options=SignalHandlerOptions.NO)
        try:
            node = rclpy.create_node('watcher', context=context)
            process = start('--targets', targets(REACHABLE.replace('steps: 2', 'steps: 1000')),
                            '--no-picture', ROS_DOMAIN_ID=str(domain))
            came, state = wait_for_message(JointState, node, 'joint_states', time_to_wait=60.0)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
            assert came and 'yaw' in ' '.join(state.name)
            assert process.returncode == 130 and 'Traceback' not in errors
        finally:
            context.shutdown()


def test_an_arm_that_runs_in_the_users_domain_is_not_moved(targets):
    with SimulatedArm('simple') as other:
        before = other.q
        code, output, errors = demo('--targets', targets(REACHABLE), '--no-picture',
                                    ROS_DOMAIN_ID=str(other.domain_id))
        assert other.q == before
        assert [status.state for status in other.statuses()] == ['ready']
    assert code == 2 and errors.count('\n') == 1
    assert f'ROS domain is {other.domain_id}; allowed: one without another arm' in errors


def test_an_interrupted_demo_leaves_no_process_behind(targets):
    process = start('--targets', targets(REACHABLE.replace('steps: 2', 'steps: 1000')),
                    '--no-picture', MARK_OF_THIS_TEST=str(os.getpid()))
    while 'out' not in process.stdout.readline():
        assert process.poll() is None
    assert len(marked(os.getpid())) >= 3
    process.send_signal(signal.SIGTERM)     # as SIGINT
    _, errors = process.communicate()
    assert process.returncode == 130 and 'interrupted' in errors
    assert 'Traceback' not in errors
    assert marked(os.getpid()) == []


def marked(value):
    """Return the processes that have inherited the mark of this test, from /proc."""
    found = []
    for environ in Path('/proc').glob('[0-9]*/environ'):
        try:
            if f'MARK_OF_THIS_TEST={value}'.encode() in environ.read_bytes().split(b'\0'):
                found.append(environ.parent.name)
        except OSError:
            pass  # it has ended, or is somebody else's
    return found
