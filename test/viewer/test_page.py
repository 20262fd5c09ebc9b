# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The viewer beside real nodes, and browsers that talk to it over real websockets."""

import signal
import sys

from arm_ik.testing import SimulatedArm
from arm_ik.testing.domain import domain_environment
from arm_ik.testing.poses import tool_axes
from arm_ik.testing.processes import Guard, NodeProcess
import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from reliability.browser import Browser, port_of
import viser.transforms

POSES = [((0.2, 0.05, 0.1), (0.2, 0.0, -1.0)), ((0.25, -0.1, 0.15), (1.0, -0.4, 0.0)),
         ((0.15, 0.15, 0.2), (0.5, 0.5, 0.5)), ((0.8, 0.0, 0.1), (1.0, 0.0, 0.0))]


class Viewer:
    """The viewer's process."""

    def __init__(self, *args, environment=None):
        self.process = NodeProcess(
            'viewer', [sys.executable, '-m', 'arm_ik', 'viewer', '--port', '0', *args],
            environment or {})
        self._guard = Guard([self.process.pid])
        self.port = port_of(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()
        self._guard.close()


@pytest.fixture(scope='module', params=['z', 'x'])
def both(request):
    parameters = {'ik_node': {'up_axis': request.param}}
    with SimulatedArm('so101', timeout=20.0, parameters=parameters) as arm, Viewer(
            '--arm', 'so101', environment=domain_environment(arm.domain_id)) as viewer:
        yield arm, viewer


@pytest.fixture
def arm_and_page(both):
    arm, viewer = both
    with Browser(viewer.port) as page:
        page.wait_until(lambda: any('connected' in words for words in page.words()), 'the arm')
        page.wait_until(lambda: '**You have control.**' in page.words(), 'control')
        yield arm, viewer, page
        page.click('Stop (space)')
        arm.wait_until(lambda: 'disabled' in arm.status.reason, 'the stop')
        page.reset()
        arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')


def drag(arm, page, position, up):
    axes = tool_axes(arm.arm, position, up)
    page.drag(position, viser.transforms.SO3.from_matrix(axes).wxyz.tolist())
    return axes


def is_at(arm, position, up):
    solved = arm.arm.forward(arm.arm.solve(_target(arm, position, up)).q)
    tip = arm.arm.forward(arm.q)
    return np.abs(tip.position - solved.position).max() < 3e-3 and tip.up @ solved.up > 0.999


def test_the_page_says_of_each_target_what_the_solver_says(arm_and_page):
    arm, _, page = arm_and_page
    for position, up in POSES:
        drag(arm, page, position, up)
        solution = arm.arm.solve(_target(arm, position, up), near=arm.q, position_tolerance=1e-4,
                                 up_tolerance=1e-3)
        wanted = f'**Target:** {solution.reason or "reached"}'
        page.wait_until(lambda: any(words.startswith(wanted) for words in page.words()), wanted)
    assert 'too far' in wanted and page.nodes['/words']['visible']


def _target(arm, position, up):
    from arm_ik import Target
    axes = tool_axes(arm.arm, position, up)
    return Target(position, axes[:, 2], axes[:, 0])


def test_go_sends_the_target_once_and_the_words_are_those_of_the_status(arm_and_page):
    arm, _, page = arm_and_page
    for position, up in POSES[:2]:
        drag(arm, page, position, up)
        page.click('Go')
        arm.wait_until(lambda: is_at(arm, position, up), f'the arm at {position}')
        page.wait_until(lambda: any(
            words.startswith('**Arm:** arrived') for words in page.words()), 'arrived')


def test_without_follow_nothing_moves_and_with_it_each_drag_does(arm_and_page):
    arm, _, page = arm_and_page
    seq = arm.status.seq
    drag(arm, page, *POSES[0])
    page.wait_until(lambda: page.words(), 'the page')
    page.set('Follow', True)
    drag(arm, page, *POSES[2])
    arm.wait_until(lambda: is_at(arm, *POSES[2]), 'the arm at the second')
    assert arm.status.seq == seq + 1


def test_stop_ends_what_was_streamed_until_reset(arm_and_page):
    arm, _, page = arm_and_page
    page.set('Follow', True)
    drag(arm, page, *POSES[1])
    arm.wait_until(lambda: arm.status.state in ('accepted', 'moving'), 'motion')
    page.press('Stop')                        # the space bar
    page.wait_until(lambda: page.value('Follow') is False, 'the end of following')
    arm.wait_until(lambda: 'disabled' in arm.status.reason, 'no more commands')
    seq = arm.status.seq
    for pose in POSES:
        drag(arm, page, *pose)
    page.click('Go')
    page.click('Home')
    page.reset()
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')
    assert arm.status.seq == seq              # none of them was sent


def test_a_browser_that_is_gone_leaves_an_arm_that_holds(both):
    arm, viewer = both
    arm.go_home()
    page = Browser(viewer.port)
    page.wait_until(lambda: '**You have control.**' in page.words(), 'control')
    page.set('Follow', True)
    drag(arm, page, *POSES[3])
    arm.wait_until(lambda: arm.status.state == 'moving', 'motion')
    page.close()
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the hold')
    rests = arm.q
    assert not is_at(arm, *POSES[3])
    with Browser(viewer.port) as other:
        other.wait_until(lambda: '**You have control.**' in other.words(), 'control')
        assert other.value('Follow') is False
    assert np.abs(np.subtract(arm.q, rests)).max() < 0.2


def test_one_browser_has_control_and_another_may_take_it(arm_and_page):
    arm, viewer, page = arm_and_page
    seq = arm.status.seq
    with Browser(viewer.port) as other:
        other.wait_until(lambda: any('You watch' in words for words in other.words()), 'words')
        for label in ('Go', 'Home'):
            other.click(label)
        other.set('Follow', True)
        other.wait_until(lambda: other.value('Follow') is False, 'the box taken back')
        drag(arm, other, *POSES[0])
        assert arm.status.seq == seq
        other.click('Take control')
        other.wait_until(lambda: '**You have control.**' in other.words(), 'control')
        page.wait_until(lambda: any('You watch' in words for words in page.words()), 'words')
        drag(arm, other, *POSES[0])
        other.click('Go')
        arm.wait_until(lambda: arm.status.seq > seq, 'a target')
        page.press('Stop')                    # anybody may
        arm.wait_until(lambda: 'disabled' in arm.status.reason, 'no more commands')
        other.reset()
        arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')
    page.wait_until(lambda: '**You have control.**' in page.words(), 'control back')


@pytest.mark.parametrize('name', ['so101', 'px100', 'braccio'])
def test_without_ros_the_arm_goes_where_it_is_sent(name):
    with Viewer('--arm', name, '--no-ros') as viewer, Browser(viewer.port) as page:
        page.wait_until(lambda: page.nodes.get('/target', {}).get('position'), 'the target')
        x, y, z = page.nodes['/target']['position']
        page.drag((x, y + 0.05, z), page.nodes['/target']['wxyz'])
        page.click('Go')
        page.wait_until(lambda: any('accepted' in words for words in page.words()), 'accepted')
        page.wait_until(lambda: np.linalg.norm(np.subtract(
            page.nodes['/measured/tool0']['position'], (x, y + 0.05, z))) < 2e-3, 'the arm there')


@pytest.mark.parametrize('args, code, words', [
    (['--arm', 'so100'], 2, "did you mean 'so101'"), (['--host', '0.0.0.0'], 2, '--token is'),
    (['--token', 'short'], 2, 'at least 16')])
def test_mistakes_are_told_and_nothing_starts(args, code, words):
    process = NodeProcess('viewer', [
        sys.executable, '-m', 'arm_ik', 'viewer', '--no-ros', '--port', '0', *args], {})
    assert process.wait(30.0) == code
    assert words in process.output() and 'http://' not in process.output()


def test_a_signal_ends_it_cleanly():
    with Viewer('--no-ros') as viewer:
        viewer.process.signal(signal.SIGTERM)
        assert viewer.process.wait(10.0) == 0
