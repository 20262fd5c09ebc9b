# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is gone, broken or stopped is told on the page, and what comes back is shown again."""

from math import nan
import signal
from time import monotonic

from arm_ik import Arm, testing
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment
import pytest
from sensor_msgs.msg import JointState

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.scene import OTHER
from arm_ik.viewer.simulated import ArmWithoutRos
from browser import Browser
from test_page import Viewer

pytestmark = pytest.mark.about_time

DRIVER, IK = 'driver_node', 'ik_node'

POSE = (0.2, 0.05, 0.1), (0.0, 1.0, 0.0, 0.0)


@pytest.fixture
def arm_and_page():
    with testing.SimulatedArm('so101') as arm, Viewer(environment=domain_environment(
            arm.domain_id)) as viewer, Browser(viewer.port) as page:
        page.says('**OK** connected')
        yield arm, page


def is_grey(page):
    colours = [node['color'] for name, node in page.nodes.items()
               if name.startswith('/measured/') and node.get('color')]
    return bool(colours) and all(tuple(colour) == OTHER for colour in colours)


def test_both_nodes_are_killed_and_come_back(arm_and_page):
    arm, page = arm_and_page
    page.wait_until(lambda: not is_grey(page), 'colours')
    for name in (DRIVER, IK):
        arm.processes[name].signal(signal.SIGKILL)
    killed = monotonic()
    page.says('**STALE** no ik_node')
    page.wait_until(lambda: is_grey(page), 'the grey arm')
    assert monotonic() - killed < 2.0   # as is promised
    assert '**Arm:** no ik_node' in page.words()
    for button, asked in (('Home', 'ik_node/home'), ('Go', 'target_pose'),
                          ('Stop (space)', 'driver_node/stop')):
        page.click(button)
        page.says(f'nobody answers {asked}')
    page.says('stopped: press Reset')
    for name in (DRIVER, IK):
        arm.start(name)
    page.says('connected', timeout=30.0)
    page.wait_until(lambda: not is_grey(page), 'colours')
    page.reset()
    page.says('**OK** connected')
    page.drag(*POSE)
    page.click('Go')
    page.says('**Arm:** arrived')


@pytest.mark.parametrize('name, words', [
    (DRIVER, ('**STALE** no joint_states', 'driver_node is silent')),
    (IK, ('**STALE** no ik_node', 'ik_node is silent'))], ids=[DRIVER, IK])
def test_one_node_ends(arm_and_page, name, words):
    arm, page = arm_and_page
    arm.processes[name].stop()
    for part in words:
        page.says(part)
    page.wait_until(lambda: is_grey(page) is (name == DRIVER), 'the grey arm')
    assert not any(text.startswith('**Arm:** ready') for text in page.words())


def test_positions_that_are_no_numbers_are_dropped_and_told(arm_and_page):
    arm, page = arm_and_page
    with NodeThread('other', domain_id=arm.domain_id) as node:
        publisher = node.node.create_publisher(JointState, 'joint_states', 10)
        state = JointState(name=list(arm.arm.joint_names), position=[nan] * 5)
        arm.wait_until(lambda: publisher.publish(state) or any(
            'joint_states: dropped' in text for text in page.words()), 'words')
    page.drag(*POSE)
    page.click('Go')
    page.says('**Arm:** arrived')
    page.wait_until(lambda: not any('dropped' in text for text in page.words()), 'an end', 20.0)


def test_a_driver_that_somebody_else_has_stopped_is_told_until_it_is_reset_or_gone(arm_and_page):
    arm, page = arm_and_page
    for end in (page.reset, arm.processes[DRIVER].stop):
        arm.stop()
        page.says('driver_node is stopped: press Reset')
        end()
        page.wait_until(lambda: not any('press Reset' in text for text in page.words()), 'an end')


class Fragile(ArmWithoutRos):
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
                page.says('**OK** without ROS')
                arm.is_broken = True
                page.says('**ERROR** no picture')
                arm.is_broken = False
            page.says('**OK** without ROS')
    finally:
        picture.close()
        server.stop()


def test_a_page_says_that_its_viewer_is_gone_and_not_that_it_is_back(open_page, shows):
    with Viewer('--no-ros') as viewer:
        page = open_page(f'http://127.0.0.1:{viewer.port}/')
        shows(page, 'OK without ROS')
        shows(page, 'The viewer is missing', still=False)
        viewer.process.signal(signal.SIGKILL)
        shows(page, 'The viewer is missing')
        with Viewer('--no-ros', '--port', str(viewer.port)):
            page.get_by_text('arm_ik: so101').last.click(force=True)   # with the focus it looks
            shows(page, 'The viewer is missing', still=False)
