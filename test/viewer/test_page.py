# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The viewer beside real nodes, and browsers that talk to it over real websockets."""

import signal
import sys
from time import monotonic

from arm_ik import Arm, KeepOut, Target
from arm_ik.description.urdf import link_frames, links
from arm_ik.nodes.common.diagnostics import STATUS_QOS
from arm_ik.nodes.ik.ik_node import KEEP_OUT_QOS
from arm_ik.nodes.ik.markers import keep_out_markers
from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, NodeProcess
from arm_ik.tool_rotation import tool_rotation
from geometry_msgs.msg import Vector3
import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer import simulated
from arm_ik.viewer.page_words import in_millimetres
from browser import Browser, port_of, reset
import viser.transforms

pytestmark = pytest.mark.about_time

POSES = [((0.2, 0.05, 0.1), (0.2, 0.0, -1.0)), ((0.25, -0.1, 0.15), (1.0, -0.4, 0.0)),
         ((0.15, 0.15, 0.2), (0.5, 0.5, 0.5)), ((0.8, 0.0, 0.1), (1.0, 0.0, 0.0))]


class Viewer:
    """The viewer's process."""

    def __init__(self, *args, environment=None):
        self.process = NodeProcess(
            'viewer', [sys.executable, '-m', 'arm_ik', 'viewer', '--port', '0', *args],
            environment or {})
        self.port = port_of(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()


@pytest.fixture(scope='module')
def both():
    parameters = {'ik_node': {'up_axis': 'x'}}   # other tests have the default
    with SimulatedArm('so101', timeout=20.0, parameters=parameters) as arm, Viewer(
            '--arm', 'so101', environment=domain_environment(arm.domain_id)) as viewer:
        yield arm, viewer
        ends_cleanly(viewer)


@pytest.fixture
def arm_and_page(both):
    arm, viewer = both
    with Browser(viewer.port) as page:
        page.says('connected')
        page.says('**You have control.**')
        yield arm, viewer, page
        page.click('Stop (space)')
        reset(arm, page)


def drag(arm, page, position, up):
    axes = tool_rotation(arm.arm, Target(position, up))
    page.drag(position, viser.transforms.SO3.from_matrix(axes).wxyz.tolist())
    return axes


def is_at(arm, position, up):
    solved = arm.arm.forward(arm.arm.solve(_target(arm, position, up)).q)
    tip = arm.arm.forward(arm.q)
    return np.abs(tip.position - solved.position).max() < 3e-3 and tip.up @ solved.up > 0.999


def test_the_page_says_of_each_target_what_the_solver_says(arm_and_page):
    arm, _, page = arm_and_page
    page.set('Up vector', 'fixed')
    for position, up in POSES:
        drag(arm, page, position, up)
        solution = arm.arm.solve(_target(arm, position, up), near=arm.q, position_tolerance=1e-4,
                                 up_tolerance=1e-3)
        wanted = f'**Target:** {in_millimetres(solution.reason) or "reached"}'
        page.wait_until(lambda: any(words.startswith(wanted) for words in page.words()), wanted)
    assert 'too far' in wanted and page.nodes['/miss']['visible']


def _target(arm, position, up):
    axes = tool_rotation(arm.arm, Target(position, up))
    return Target(position, axes[:, 2], axes[:, 0])


def test_go_sends_the_target_once_and_the_words_are_those_of_the_status(arm_and_page):
    arm, _, page = arm_and_page
    for position, up in POSES[:2]:
        drag(arm, page, position, up)
        page.click('Go')
        arm.wait_until(lambda: is_at(arm, position, up), f'the arm at {position}')
        page.says('**Arm:** arrived')


def test_along_a_line_the_tip_keeps_to_it(arm_and_page):
    arm, _, page = arm_and_page
    begin, end = (0.22, 0.08, 0.04), (0.22, -0.08, 0.04)
    drag(arm, page, begin, (0.0, 0.0, -1.0))
    page.click('Go')
    arm.wait_until(lambda: is_at(arm, begin, (0.0, 0.0, -1.0)), 'the arm at the begin')
    arm.wait_until(lambda: arm.status.state == 'arrived', 'the arrival')
    page.set('Motion', 'line')
    record = arm.record()
    drag(arm, page, end, (0.0, 0.0, -1.0))
    page.click('Go')
    arm.wait_until(lambda: is_at(arm, end, (0.0, 0.0, -1.0)), 'the arm at the end')
    page.set('Motion', 'joint')
    tips = [arm.arm.forward([state[name] for name in arm.arm.joint_names]).position
            for state in record if set(arm.arm.joint_names) <= set(state)]
    assert max(np.abs(tip[[0, 2]] - (0.22, 0.04)).max() for tip in tips) < 2e-3


def test_the_gripper_opens_and_closes_and_its_slider_shows_it(arm_and_page):
    arm, _, page = arm_and_page
    joint = arm.arm.model.extra_joints[0]
    for opening, wanted in (1.0, joint.open), (0.0, joint.closed):
        page.set('Gripper', opening)
        arm.wait_until(lambda: abs(arm.joint_states[joint.name] - wanted) < 1e-2, 'the gripper')
    for opening in (0.6, 0.0):
        arm.move_gripper(opening)
        page.wait_until(lambda: abs(page.value('Gripper') - opening) < 0.05, 'the slider')


def test_home_is_called_and_the_sliders_show_the_way(arm_and_page):
    arm, _, page = arm_and_page
    drag(arm, page, *POSES[2])
    page.click('Go')
    arm.wait_until(lambda: is_at(arm, *POSES[2]), 'the arm elsewhere')
    page.wait_until(lambda: abs(page.value('shoulder_pan [°]') - np.degrees(arm.q[0])) < 1.0,
                    'there')
    page.click('Home')
    seen = wait_for_sliders_at_home(arm, page)
    assert len(seen) > 4


def wait_for_sliders_at_home(arm, page):
    """Wait for them; return what the first has shown meanwhile."""
    home = {f'{name} [°]': np.degrees(at) for name, at in zip(arm.arm.joint_names, arm.arm.home)}
    seen = set()
    page.wait_until(lambda: seen.add(page.value('shoulder_pan [°]')) or all(
        abs(page.value(name) - at) < 0.3 for name, at in home.items()), 'the sliders at home')
    return seen


def press_all_that_moves_the_arm(page, sign):
    page.click('Go')
    page.click('Home')
    page.set('shoulder_pan [°]', 80.0 * sign)
    page.set('Gripper', 0.5 + 0.3 * sign)


def test_the_transparent_arm_is_where_the_arm_is_commanded(arm_and_page):
    arm, _, page = arm_and_page
    drag(arm, page, *POSES[0])
    page.click('Go')                          # from elsewhere, home is a new command
    arm.wait_until(lambda: is_at(arm, *POSES[0]), 'the arm at the first')
    arm.set_parameters('driver_node', speed=0.2)    # seen before it is there
    arm.go_home()
    tip = arm.arm.forward(arm.arm.home).position
    page.wait_until(lambda: np.abs(np.subtract(
        page.nodes['/commanded/tool0']['position'], tip)).max() < 2e-3, 'the command')
    arm.wait_until(lambda: np.abs(np.subtract(arm.q, arm.arm.home)).max() < 1e-6, 'home')
    arm.set_parameters('driver_node', speed=1.0)
    drag(arm, page, *POSES[1])
    page.wait_until(lambda: np.abs(np.subtract(
        page.nodes['/commanded/tool0']['position'], POSES[1][0])).max() < 2e-3, 'the drag')


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
    press_all_that_moves_the_arm(page, 1.0)
    page.reset()
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')
    assert arm.status.seq == seq              # none of them was sent


def stands_still(states):
    """Whether the arm has moved by less than 1 mrad in the last ten states."""
    return len(states) >= 10 and np.ptp(
        [list(state.values()) for state in states[-10:]], axis=0).max() < 1e-3


def test_a_browser_that_is_gone_leaves_an_arm_that_holds(both):
    arm, viewer = both
    arm.go_home()
    page = Browser(viewer.port)
    page.says('connected')
    page.says('**You have control.**')
    page.set('Follow', True)
    drag(arm, page, *POSES[3])
    arm.wait_until(lambda: (arm.status.state, arm.status.status) == ('moving', 'POSITION_RELAXED'),
                   'motion to the target, not home')
    page.close()
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the hold')
    states = arm.record()
    arm.wait_until(lambda: stands_still(states), 'rest')
    rests = arm.q
    assert not is_at(arm, *POSES[3])
    with Browser(viewer.port) as other:
        other.says('**You have control.**')
        assert other.value('Follow') is False
    assert np.abs(np.subtract(arm.q, rests)).max() < 0.01


def test_one_browser_has_control_and_another_may_take_it(arm_and_page):
    arm, viewer, page = arm_and_page
    seq = arm.status.seq
    with Browser(viewer.port) as other:
        other.says('You watch')
        press_all_that_moves_the_arm(other, -1.0)
        drag(arm, other, *POSES[0])
        drag(arm, page, *POSES[1])
        page.click('Go')
        arm.wait_until(lambda: is_at(arm, *POSES[1]), 'the arm where its holder sent it')
        assert arm.status.seq == seq + 1
        other.click('Take control')
        other.says('**You have control.**')
        page.says('You watch')
        drag(arm, other, *POSES[0])
        other.click('Go')
        arm.wait_until(lambda: arm.status.seq > seq + 1, 'a target')
        page.press('Stop')                    # anybody may
        reset(arm, other)
    page.says('**You have control.**')


def test_what_watchers_do_while_the_holder_slides_is_set_back_and_never_sent(arm_and_page):
    arm, viewer, page = arm_and_page
    arm.go_home()
    wait_for_sliders_at_home(arm, page)
    wanted, record = [*arm.arm.home], arm.record()
    with Browser(viewer.port) as other, Browser(viewer.port) as third:
        for step in range(1, 11):
            for watcher in other, third:
                watcher.set('shoulder_pan [°]', 8.0 * step)
                watcher.set('Gripper', 0.05 * step)
            page.set('wrist_roll [°]', 2.0 * step)
            page.set('wrist_flex [°]', float(np.degrees(arm.arm.home[3])) + step)
            other.set('wrist_roll [°]', -2.0 * step)
        wanted[4], wanted[3] = np.radians(20.0), arm.arm.home[3] + np.radians(10.0)
        arm.wait_until(lambda: np.abs(np.subtract(arm.q, wanted)).max() < 1e-2, 'the joints')
        other.set('Motion', 'line')
        other.wait_until(lambda: other.value('Motion') == 'joint', 'the motion set back')
        for label, at in (('shoulder_pan [°]', 0.0), ('wrist_roll [°]', 20.0), ('Gripper', 0.0)):
            for browser in page, other, third:
                browser.wait_until(lambda: abs(browser.value(label) - at) < 0.6, label)
        assert max(abs(state['shoulder_pan']) for state in record if state) < 1e-2
        page.set('Follow', True)
        drag(arm, page, *POSES[0])
        other.click('Take control')
        for pose in POSES * 5:
            drag(arm, page, *pose)
        other.says('**You have control.**')
        seq = arm.status.seq
        for pose in POSES * 5:
            drag(arm, page, *pose)
        page.set('Gripper', 1.0)
        page.wait_until(lambda: page.value('Gripper') == 0.0, 'the gripper set back')
        assert arm.status.seq == seq
        page.press('Stop')
        reset(arm, other)


@pytest.mark.parametrize('label, node', [
    ('Other branches', '/others'), ('Reach through the target', '/reach'),
    ('Trace of the tip', '/trace')])
def test_what_is_shown_is_each_browsers_own(both, label, node):
    _, viewer = both
    with Browser(viewer.port) as page, Browser(viewer.port) as other:
        for browser in page, other:
            # The node that all share comes first, the browser's own after it.
            browser.wait_until(lambda: browser.value(label) is not None and browser.nodes.get(
                node, {}).get('visible') == browser.value(label), node)
        shown, other.eye = other.nodes[node]['visible'], None
        page.set(label, not shown)
        page.wait_until(lambda: page.nodes[node]['visible'] != shown, 'the change')
        other.wait_until(lambda: any(name.startswith(f'{node}/') for name in other.nodes), 'it')
        other.set('View', 'top')
        other.wait_until(lambda: other.eye is not None, 'the view')
        # A node that is drawn anew comes to all first.
        other.wait_until(lambda: other.nodes[node]['visible'] == shown, 'its own')


def test_what_the_arm_stays_out_of_is_drawn_and_drawn_no_more(arm_and_page):
    arm, _, page = arm_and_page
    wall = KeepOut('', 'box', (0.1, 0.2, 0.3), (0.6, 0.0, 0.1))
    post = KeepOut('', 'cylinder', (0.02, 0.3), (0.0, 0.7, 0.15))
    with NodeThread('walls', domain_id=arm.domain_id) as ros:
        topic = ros.node.create_publisher(MarkerArray, 'ik_node/keep_out', KEEP_OUT_QOS)
        topic.publish(keep_out_markers((wall, post), 0.5, 'base_link'))
        page.wait_until(lambda: '/keep_out/1' in page.nodes, 'the post')
        assert page.nodes['/keep_out/0']['dimensions'] == pytest.approx(wall.size)
        assert page.nodes['/keep_out/1']['position'] == pytest.approx(post.position)
        topic.publish(keep_out_markers((post,), 0.5, 'base_link'))
        page.wait_until(lambda: '/keep_out/1' not in page.nodes and page.nodes.get(
            '/keep_out/0', {}).get('height') == pytest.approx(0.3), 'the post alone')
        topic.publish(keep_out_markers((), 0.5, 'base_link'))
        page.wait_until(lambda: '/keep_out/0' not in page.nodes, 'nothing')


def test_the_objects_of_a_simulation_are_drawn_where_they_are(arm_and_page):
    arm, _, page = arm_and_page
    cube = Marker(ns='cube', type=Marker.CUBE, scale=Vector3(x=0.1, y=0.2, z=0.3))
    ball = Marker(ns='ball', type=Marker.SPHERE, scale=Vector3(x=0.2, y=0.2, z=0.2))
    with NodeThread('world', domain_id=arm.domain_id) as ros:
        topic = ros.node.create_publisher(MarkerArray, 'driver_node/objects', STATUS_QOS)
        for cube.pose.position.x in (0.4, 0.6):
            topic.publish(MarkerArray(markers=[cube, ball]))
            page.wait_until(lambda: '/objects/ball' in page.nodes and page.nodes.get(
                '/objects/cube', {}).get('position', (0.0,))[0] == cube.pose.position.x, 'both')
        assert page.nodes['/objects/cube']['dimensions'] == pytest.approx((0.1, 0.2, 0.3))
        assert page.nodes['/objects/ball']['radius'] == pytest.approx(0.1)


def test_without_ros_the_arm_goes_where_it_is_sent_and_a_signal_ends_it_cleanly():
    with Viewer('--arm', 'px100', '--no-ros') as viewer:
        with Browser(viewer.port) as page:
            page.go_aside()
        ends_cleanly(viewer)


def test_without_ros_a_target_that_a_stop_overtakes_is_not_gone_to(monkeypatch):
    arm = simulated.ArmWithoutRos(Arm.preset('so101'))
    monkeypatch.setattr(simulated.PathChecker, 'objection', lambda *_: arm.stop())
    arm.send(Target((0.2, 0.05, 0.1)))
    assert arm.status == 'refused: stopped: press Reset'
    assert arm.commanded == arm.arm.model.all_home


def test_without_ros_the_gripper_goes_where_it_is_sent():
    arm = simulated.ArmWithoutRos(Arm.preset('so101'))
    joint, deadline = arm.arm.model.extra_joints[0], monotonic() + 20.0
    arm.gripper(1.0)
    while abs(arm.measured[joint.name] - joint.open) > 1e-9:
        assert monotonic() < deadline, arm.measured


@pytest.mark.parametrize('args, code, words', [
    (['--arm', 'so102'], 2, "did you mean 'so101'"), (['--host', '0.0.0.0'], 2, '--token is'),
    (['--urdf', 'none.urdf'], 2, 'none.urdf')])
def test_mistakes_are_told_and_nothing_starts(args, code, words):
    process = NodeProcess('viewer', [
        sys.executable, '-m', 'arm_ik', 'viewer', '--no-ros', '--port', '0', *args], {})
    assert process.wait(30.0) == code
    assert words in process.output() and 'http://' not in process.output()


def ends_cleanly(viewer):
    viewer.process.signal(signal.SIGTERM)
    assert viewer.process.wait(10.0) == 0, viewer.process.describe()


def test_a_target_of_the_chosen_tip_is_where_the_drawn_tool_gets():
    arm = Arm.preset('so101', tip='gripper_frame_link')
    without_ros = simulated.ArmWithoutRos(arm)
    target = Target((0.2, 0.05, 0.06), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    without_ros.send(target)
    tip = link_frames(links(arm.model), without_ros.commanded)['tool0'][:3, 3]
    assert tip == pytest.approx(target.position, abs=1e-9)
    on_axis = link_frames(
        links(Arm.preset('so101').model), without_ros.commanded)['tool0'][:3, 3]
    assert np.linalg.norm(tip - on_axis) == pytest.approx(0.0079030, abs=1e-6)
