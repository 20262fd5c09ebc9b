# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is gone, broken or stopped is told on the page, and what comes back is shown again."""

from math import nan
import signal
from time import monotonic

from arm_ik import Arm
from arm_ik.testing.domain import domain_environment
import pytest
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer.drawing import OTHER
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.simulated import SimulatedArm
from reliability.browser import Browser
from reliability.chromium import Chromium, CHROMIUM
from reliability.running_arm import DRIVER, IK, OWN, RunningArm
from test_page import Viewer

pytestmark = pytest.mark.about_time

POSE = (0.2, 0.05, 0.1), (0.0, 1.0, 0.0, 0.0)


@pytest.fixture
def arm_and_page():
    with RunningArm('so101') as arm, Viewer(
            environment=domain_environment(arm.domain)) as viewer, Browser(viewer.port) as page:
        says(page, '**OK** connected')
        yield arm, page


def says(page, words, timeout=10.0):
    page.wait_until(lambda: any(words in text for text in page.words()), words, timeout)


def is_grey(page):
    colours = [node['color'] for name, node in page.nodes.items()
               if name.startswith('/measured/') and node.get('color')]
    return bool(colours) and all(tuple(colour) == OTHER for colour in colours)


def test_both_nodes_are_killed_and_come_back(arm_and_page):
    arm, page = arm_and_page
    page.wait_until(lambda: not is_grey(page), 'colours')
    for name in (DRIVER, IK):
        arm.nodes[name].signal(signal.SIGKILL)
    killed = monotonic()
    says(page, '**STALE** no ik_node')
    page.wait_until(lambda: is_grey(page), 'the grey arm')
    assert monotonic() - killed < 2.0   # as is promised
    assert '**Arm:** no ik_node' in page.words()
    for button, asked in (('Home', 'ik_node/home'), ('Go', 'target_pose'),
                          ('Stop (space)', 'driver_node/stop')):
        page.click(button)
        says(page, f'nobody answers {asked}')
    says(page, 'stopped: press Reset')
    for name in (DRIVER, IK):
        arm.start(name)
    says(page, 'connected', timeout=30.0)
    page.wait_until(lambda: not is_grey(page), 'colours')
    page.reset()
    says(page, '**OK** connected')
    page.drag(*POSE)
    page.click('Go')
    says(page, '**Arm:** arrived')


@pytest.mark.parametrize('name, words', [
    (DRIVER, ('**STALE** no joint_states', 'driver_node is silent')),
    (IK, ('**STALE** no ik_node', 'ik_node is silent'))], ids=[DRIVER, IK])
def test_one_node_ends(arm_and_page, name, words):
    arm, page = arm_and_page
    arm.nodes[name].stop()
    for part in words:
        says(page, part)
    page.wait_until(lambda: is_grey(page) is (name == DRIVER), 'the grey arm')
    assert not any(text.startswith('**Arm:** ready') for text in page.words())


def test_positions_that_are_no_numbers_are_dropped_and_told(arm_and_page):
    arm, page = arm_and_page
    state = JointState(name=list(arm.arm.joint_names), position=[nan] * 5)
    state.header.frame_id = OWN
    arm.wait(lambda: arm.publish('joint_states', state) or any(
        'joint_states: dropped' in text for text in page.words()), 'words')
    page.drag(*POSE)
    page.click('Go')
    says(page, '**Arm:** arrived')
    page.wait_until(lambda: not any('dropped' in text for text in page.words()), 'an end', 20.0)


def test_a_driver_that_somebody_else_has_stopped_is_told_until_it_is_reset_or_gone(arm_and_page):
    arm, page = arm_and_page
    stop = arm.node.create_client(Trigger, 'driver_node/stop')
    arm.wait(stop.service_is_ready, 'driver_node/stop')
    for end in (page.reset, arm.nodes[DRIVER].stop):
        arm.wait(stop.call_async(Trigger.Request()).done, 'the stop')
        says(page, 'driver_node is stopped: press Reset')
        end()
        page.wait_until(lambda: not any('press Reset' in text for text in page.words()), 'an end')


class Fragile(SimulatedArm):
    """An arm that cannot be drawn for a time."""

    is_broken = False

    @property
    def measured(self):
        if self.is_broken:
            raise ValueError('cannot be drawn')
        return super().measured


def test_an_exception_does_not_end_the_picture():
    server, arm = GuardedServer(port=0), Fragile(Arm.preset('so101'))
    picture = Page(server, arm)
    try:
        with Browser(server.bound_port) as page:
            for _ in range(2):
                says(page, '**OK** without ROS')
                arm.is_broken = True
                says(page, '**ERROR** no picture')
                arm.is_broken = False
            says(page, '**OK** without ROS')
    finally:
        picture.close()
        server.stop()


@pytest.mark.skipif(CHROMIUM is None, reason='needs chromium: apt-get install it')
def test_a_page_says_that_its_viewer_is_gone_and_not_that_it_is_back():
    with Viewer('--no-ros') as viewer, Chromium(f'http://127.0.0.1:{viewer.port}/') as page:
        page.wait(lambda: 'OK without ROS' in page.text(), 'the page')
        assert 'The viewer is missing' not in page.text()
        viewer.process.signal(signal.SIGKILL)
        page.wait(lambda: 'The viewer is missing' in page.text(), 'the end')
        with Viewer('--no-ros', '--port', str(viewer.port)):
            page.click('arm_ik: so101')   # it looks for its viewer while it has the focus
            page.wait(lambda: 'The viewer is missing' not in page.text(), 'the beginning')
