# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page reads, types and jogs beside real nodes, and what was set elsewhere."""

from math import nan
from time import monotonic

from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, reserved_domain
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import numpy as np
import pytest
from rcl_interfaces.srv import GetParameters

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.simulated import ArmWithoutRos
from browser import Browser, reset
from test_page import drag, is_at, POSES, Viewer

pytestmark = pytest.mark.about_time


@pytest.fixture(scope='module')
def both():
    with SimulatedArm('so101', timeout=20.0) as arm, Viewer(
            environment=domain_environment(arm.domain_id)) as viewer:
        yield arm, viewer


@pytest.fixture
def arm_and_page(both):
    arm, viewer = both
    with Browser(viewer.port) as page:
        page.says('**OK** connected')
        page.says('**You have control.**')
        yield arm, page
        page.click('Stop (space)')
        reset(arm, page)


@pytest.mark.parametrize('label, scale, node, name', [
    ('Speed [mm/s]', 1e3, 'ik_node', 'tip_speed'),
    ('Joint speed [%]', 1e2, 'driver_node', 'speed')])
def test_a_speed_is_that_of_the_node_by_whomever_it_is_set(arm_and_page, label, scale, node, name):
    arm, page = arm_and_page
    before = page.value(label)
    page.set(label, 40.0)
    with NodeThread('other', domain_id=arm.domain_id) as other:
        def speed():
            other.client(GetParameters, f'{node}/get_parameters').wait_for_service(10.0)
            future = other.call(GetParameters, f'{node}/get_parameters', names=[name])
            assert other.wait_until(future.done, 10.0) is None
            return scale * future.result().values[0].double_value
        deadline = monotonic() + 10.0
        while speed() != pytest.approx(40.0):
            assert monotonic() < deadline
    for shown in (75.0, before):
        arm.set_parameters(node, **{name: shown / scale})
        page.wait_until(lambda: page.value(label) == shown, 'the speed')


def test_the_motion_is_that_of_the_node(arm_and_page):
    arm, page = arm_and_page
    for motion in ('line', 'joint'):
        arm.set_parameters('ik_node', motion=motion)
        page.wait_until(lambda: page.value('Motion') == motion, motion)


def test_the_other_bend_is_the_nodes_setting_by_whomever_it_is_set_and_moves_nothing(
        arm_and_page):
    arm, page = arm_and_page
    page.set('Explain', True)
    drag(arm, page, (0.25, 0.05, 0.45), (0.069, 0.016, 0.997))
    page.says('**Other bend:** down')
    before = arm.status.seq
    with NodeThread('other', domain_id=arm.domain_id) as other:
        def elbow():
            other.client(GetParameters, 'ik_node/get_parameters').wait_for_service(10.0)
            future = other.call(GetParameters, 'ik_node/get_parameters', names=['elbow'])
            assert other.wait_until(future.done, 10.0) is None
            return future.result().values[0].string_value
        page.press('Other bend')
        page.says('**Elbow:** down, for all targets; Go moves the arm')
        assert elbow() == 'down' and arm.status.seq == before
        page.click('Nearest')
        page.says('**Elbow:** nearest')
        assert elbow() == 'nearest'
    arm.set_parameters('ik_node', elbow='up')
    page.says('**Elbow:** up, for all targets')
    arm.set_parameters('ik_node', elbow='nearest')
    page.says('**Elbow:** nearest')
    assert arm.status.seq == before


def test_a_target_is_typed_and_read_in_millimetres_and_degrees(arm_and_page):
    arm, page = arm_and_page
    drag(arm, page, (0.22, 0.0, 0.1), (1.0, 0.0, -1.0))
    page.wait_until(lambda: page.value('Tip [mm]'), 'the page')
    page.wait_until(lambda: np.allclose(page.value('Tip [mm]'), (220.0, 0.0, 100.0)), 'the tip')
    page.wait_until(lambda: np.allclose(page.value('Up [°]'), (-45.0, 0.0)), 'the up vector')
    page.set('Tip [mm]', (200.0, 50.0, 50.0))
    page.wait_until(lambda: np.allclose(page.nodes['/target']['position'], (0.2, 0.05, 0.05)),
                    'the target where it was typed')
    page.set('Up [°]', (-90.0, 0.0))
    page.click('Go')
    arm.wait_until(lambda: is_at(arm, (0.2, 0.05, 0.05), (0.0, 0.0, -1.0)), 'the arm there')
    page.says('Tip 200.0, 50.0, 50.0 mm; up -90.0°, 0.0°')
    page.set('Follow', True)
    seq = arm.status.seq
    page.set('Tip [mm]', (20.0, 50.0, 50.0))   # on the way to 205: not sent
    page.set('Tip [mm]', (205.0, 50.0, 50.0))
    page.click('Go')
    arm.wait_until(lambda: is_at(arm, (0.205, 0.05, 0.05), (0.0, 0.0, -1.0)), 'the arm there')
    assert arm.status.seq == seq + 1


def test_the_target_is_brought_to_the_tip(arm_and_page):
    arm, page = arm_and_page
    drag(arm, page, *POSES[3])
    page.says('**Target:** too far')
    page.click('Target to the tip')
    page.says('**Target:** reached')
    page.wait_until(lambda: np.allclose(page.nodes['/target']['position'], arm.tip().position,
                                        atol=1e-4), 'the target at the tip')


def test_what_is_measured_stands_beside_what_is_commanded_and_reported(arm_and_page):
    arm, page = arm_and_page
    arm.move_to((0.2, 0.05, 0.1), (0.0, 0.0, -1.0))
    with NodeThread('other', domain_id=arm.domain_id) as node:
        publisher = node.node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        report = DiagnosticArray(status=[DiagnosticStatus(
            name='driver_node: servo elbow_flex', message='ok', values=[
                KeyValue(key=key, value=value) for key, value in (
                    ('load', '0.25'), ('temperature_c', '41.0'), ('voltage_v', 'N/A'))])])
        arm.wait_until(lambda: publisher.publish(report) or any(
            '|°C|' in text for text in page.words()), 'the report')
    at = np.degrees(arm.joint_states['elbow_flex'])
    page.says(f'elbow_flex|{at:.1f}°|{at:.1f}°|25|41|N/A|')


def test_a_bad_drag_leaves_no_gizmo_there_and_is_one_line(both, arm_and_page):
    viewer, page = both[1], arm_and_page[1]
    page.wait_until(lambda: page.nodes.get('/target', {}).get('position'), 'the target')
    before = page.nodes['/target'].pop('position')
    for _ in range(25):
        page.drag((nan, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    page.wait_until(lambda: 'position' in page.nodes['/target'], 'the target, anew')
    page.wait_until(lambda: np.allclose(page.nodes['/target']['position'], before), 'its place')
    assert viewer.process.output().count('passed over') == 1


def test_the_tip_moves_while_a_button_is_held_and_stops_without_a_word(arm_and_page):
    arm, page = arm_and_page
    arm.move_to((0.2, 0.0, 0.15))
    page.hold('W: forward', iter([True] * 10 + [False]).__next__)
    page.set('Hold to jog', True)
    begin = arm.tip().position
    assert np.allclose(begin, (0.2, 0.0, 0.15), atol=1e-4)   # not before it is switched on
    page.hold('W: forward', lambda: arm.tip().position[0] < begin[0] + 0.03)
    states = arm.record()
    arm.wait_until(lambda: len(states) > 30 and np.ptp(
        [list(state.values()) for state in states[-10:]], axis=0).max() < 1e-3, 'rest')
    end = arm.tip().position
    assert np.allclose(end, (end[0], 0.0, 0.15), atol=2e-3) and end[0] < begin[0] + 0.08
    page.wait_until(lambda: np.allclose(page.nodes['/target']['position'], end, atol=1e-3),
                    'the target at the tip')
    page.click('Stop (space)')
    page.wait_until(lambda: page.value('Hold to jog') is False, 'the end of jogging')
    page.reset()
    page.set('Hold to jog', True)
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')
    page.hold('W: forward', lambda: arm.tip().position[0] < end[0] + 0.01)


class Jogged(ArmWithoutRos):
    """An arm that notes how it was jogged, and stays."""

    def jog(self, linear, angular):
        self.jogs.append((*linear, *angular))


@pytest.fixture
def arm_and_server():
    server, arm = GuardedServer(port=0), Jogged(Arm.preset('so101'))
    arm.jogs = []
    picture = Page(server, arm)
    yield arm, server
    picture.close()
    server.stop()


def test_what_is_released_ends_at_once_and_what_is_no_longer_told_of_soon(arm_and_server):
    arm, server = arm_and_server
    with Browser(server.bound_port) as page:
        page.says('**You have control.**')
        page.set('Hold to jog', True)
        for label, direction in (('W: forward', (0.1, 0, 0, 0, 0, 0)), ('K: turn -y', (
                0, 0, 0, 0, -0.5, 0))):
            arm.jogs.clear()
            page.hold(label, lambda: len(arm.jogs) < 15)
            assert arm.jogs[-5:] == [pytest.approx(direction)] * 5   # without the one before
        page.click('K: turn -y')
        page.wait_until(lambda: arm.jogs[-1] == (0.0,) * 6, 'zeros')
        count = len(arm.jogs)
        page.click('K: turn -y')                                     # which is not held
        page.set('Up [°]', (10.0, 0.0))
        page.wait_until(lambda: page.nodes['/target']['wxyz'], 'the target')
        assert len(arm.jogs) == count


def test_what_is_held_together_adds_up(arm_and_server):
    arm, server = arm_and_server
    with Browser(server.bound_port) as page:
        page.says('**You have control.**')
        page.set('Hold to jog', True)
        for labels, direction in ((('W: forward', 'F: down', 'K: turn -y'), (
                0.1, 0.0, -0.1, 0.0, -0.5, 0.0)), (('W: forward', 'S: back'), (0.0,) * 6)):
            first, *others = labels
            page.hold(first, lambda: pytest.approx(direction) not in arm.jogs[-1:], *others)
            for label in labels:
                page.click(label)
            page.wait_until(lambda: arm.jogs[-1] == (0.0,) * 6, 'zeros')
            arm.jogs[:] = [(nan,) * 6]


def test_each_browser_looks_from_where_it_likes(arm_and_server):
    server = arm_and_server[1]
    with Browser(server.bound_port) as page, Browser(server.bound_port) as other:
        other.wait_until(lambda: other.eye is not None, 'the first view')
        seen, others = [], other.eye
        for view in ('front', 'side', 'top', 'home'):
            page.eye = None
            page.set('View', view)
            page.wait_until(lambda: page.eye is not None, view)
            seen.append(np.array(page.eye))
        front, side, top, home = seen
        assert front[0] > 0.5 and abs(front[1]) < 1e-6 and side[1] < -0.5
        assert top[2] > 0.5 and np.hypot(*top[:2]) < 0.3 and home[1] < -0.5 < 0.5 < home[0]
        assert other.eye == others


def test_without_nodes_it_is_told_what_to_start_and_that_it_goes_without():
    with reserved_domain() as domain, Viewer(environment=domain_environment(domain)) as viewer, \
            Browser(viewer.port) as page:
        page.says('no ik_node: start it and driver_node, each with --arm so101')
        page.says('--no-ros')
        deadline = monotonic() + 20.0
        while '--no-ros' not in viewer.process.output():
            assert monotonic() < deadline and viewer.process.wait(0.1) is None
