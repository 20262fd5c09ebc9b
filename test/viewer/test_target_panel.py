# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A target that is dragged, typed, taken back, and kept above the table; without ROS."""

from dataclasses import replace
from math import dist, radians
import threading
from time import sleep

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm, KeepOut, Target
from arm_ik.description.urdf import link_frames, links
from arm_ik.tool_rotation import ANY, FIXED, PLANE, tool_rotation
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.scene import COMMANDED, STOPS
from arm_ik.viewer.simulated import ArmWithoutRos
from browser import Browser
from viser.transforms import SO3

pytestmark = pytest.mark.about_time

ARM = Arm.preset('so101')


@pytest.fixture
def opened(request):
    """Return an arm and its page in a browser that has control."""
    source, server = ArmWithoutRos(getattr(request, 'param', ARM)), GuardedServer(port=0)
    picture = Page(server, source)
    with Browser(server.bound_port) as page:
        page.says('**You have control.**')
        page.wait_until(lambda: page.nodes.get('/target', {}).get('wxyz'), 'the target')
        yield source, page
    picture.close()
    server.stop()


def drag(page, position, up):
    page.drag(position, SO3.from_matrix(tool_rotation(ARM, Target(position, up))).wxyz.tolist())


def turn_of(page):
    return SO3(np.array(page.nodes['/target']['wxyz'])).as_matrix()


def test_a_target_that_is_dragged_sideways_goes_with_the_plane_and_is_reached(opened):
    source, page = opened
    for mode, wanted in ((FIXED, '**Target:** up vector'), (PLANE, '**Target:** reached'),
                         (ANY, '**Target:** reached')):
        page.set('Up vector', mode)
        drag(page, (0.2, 0.12, 0.12), (1.0, 0.0, -0.5))
        page.says(wanted)
        page.click('Go')
        page.says('**Arm:** arrived')
    drag(page, (0.2, 0.12, 0.12), (1.0, 0.0, -0.5))
    page.set('Up vector', PLANE)
    drag(page, (0.2, 0.12, 0.1), (1.0, 0.0, -0.5))
    level = ARM.target((0.2, 0.12, 0.1), 0.0).up
    # At rest it is drawn as it is sent.
    page.wait_until(lambda: abs(np.cross(
        turn_of(page)[:, 2], level)[2]) < 1e-6, 'its plane')
    assert page.value('Up [°]')[1] == 0.0
    page.set('Up [°]', (-20.0, 15.0))
    turn = np.arctan2(level[1], level[0]) + radians(15.0)
    page.wait_until(lambda: np.allclose(
        turn_of(page)[:, 2], (np.cos(radians(-20.0)) * np.cos(turn), np.cos(
            radians(-20.0)) * np.sin(turn), np.sin(radians(-20.0)))), 'the typed vector')


def test_a_drag_below_the_table_is_refused_until_it_is_lower(opened):
    source, page = opened
    before = dict(source.commanded)
    drag(page, (0.2, 0.0, -0.03), (0.2, 0.0, -1.0))
    page.click('Go')
    page.says('would touch the table')
    assert source.commanded == before
    page.set('Table height [mm]', -80.0)
    page.click('Go')
    page.says('**Arm:** arrived')
    page.set('Table', False)
    page.wait_until(lambda: '/keep_out/0' not in page.nodes, 'no table')
    assert source.keep_out == ()


FLOOR = Arm(replace(ARM.model, keep_out=(KeepOut('own', 'half_space', (), (0.0, 0.0, -0.01)),)))


@pytest.mark.parametrize('opened', [FLOOR], indirect=True)
def test_an_arm_with_shapes_of_its_own_gets_no_table_unless_somebody_asks(opened):
    source, page = opened
    assert source.keep_out == FLOOR.model.keep_out and page.value('Table') is False
    page.wait_until(lambda: '/keep_out/0' in page.nodes, 'its own')
    page.set('Table', True)
    page.wait_until(lambda: '/keep_out/1' in page.nodes, 'the table')


@pytest.mark.parametrize('name', ['simple', 'rolling_base', 'so101', 'rx150'])
def test_no_arm_touches_its_table_at_home(name):
    source, server = ArmWithoutRos(Arm.preset(name)), GuardedServer(port=0)
    picture = Page(server, source)
    arm = source.arm
    assert len(source.keep_out) == 1
    assert arm.clearance(arm.home, arm.scene({}, source.keep_out)) > 0.0
    picture.close()
    server.stop()


def test_undo_goes_back_motion_by_motion(opened):
    source, page = opened
    places = [page.nodes['/target']['position']]
    for place in ((0.2, 0.05, 0.12), (0.22, -0.05, 0.1)):
        page.wait_until(lambda: dist(page.nodes['/measured/tool0']['position'], places[-1]) < 2e-3,
                        'the arm there')
        drag(page, place, (0.5, 0.0, -1.0))
        page.click('Go')
        places.append(place)
        page.wait_until(lambda: dist(page.nodes['/measured/tool0']['position'], place) < 2e-3,
                        'the arm there')
        sleep(1.1)      # what follows sooner is the same motion
    for place in places[-2::-1]:
        page.click('Undo')
        page.wait_until(lambda: dist(page.nodes['/measured/tool0']['position'], place) < 2e-3,
                        f'the arm back at {place}')


def test_a_far_target_stays_in_view_and_its_miss_is_said_in_millimetres(opened):
    source, page = opened
    page.wait_until(lambda: page.eye is not None, 'a camera')
    page.eye, far = None, 1.3e3 * ARM.model.reach
    page.set('Tip [mm]', (far, 0.0, 100.0))
    page.wait_until(lambda: page.eye is not None, 'the camera')
    page.says(' mm')
    assert not any(' m ' in f'{words} ' for words in page.words() if 'too far' in words)


def test_home_brings_the_target_along(opened):
    source, page = opened
    place, tip = (0.2, 0.05, 0.12), ARM.forward(ARM.home).position
    drag(page, place, (0.5, 0.0, -1.0))
    page.wait_until(lambda: dist(page.nodes['/target']['position'], place) < 1e-6, 'the drag')
    page.click('Home')
    page.wait_until(lambda: dist(page.nodes['/target']['position'], tip) < 1e-6, 'the target')


def test_a_watcher_sets_nothing(opened):
    source, page = opened
    drag(page, (0.2, 0.05, 0.12), (0.5, 0.0, -1.0))
    page.wait_until(lambda: page.nodes['/target']['position'][1] == 0.05, 'the drag')
    before = dict(source.commanded)
    with Browser(page.port) as other:
        other.says('You watch')
        for button in ('Go', 'Home', 'Undo', 'Target to the tip'):
            other.click(button)
        other.set('Commands', 'Disable')
        del other.nodes['/target']['position']
        drag(other, (0.2, -0.1, 0.2), (0.5, 0.0, -1.0))
        other.wait_until(lambda: 0.05 in other.nodes['/target'].get('position', ()), 'its place')
        for label, value in (
                ('Follow', True), ('Up vector', ANY), ('Speed [mm/s]', 10.0),
                ('Tip [mm]', (1.0, 2.0, 3.0)), ('Up [°]', (10.0, 20.0)), ('Table', False),
                ('Table height [mm]', 50.0), ('shoulder_pan [°]', 10.0), ('Gripper', 1.0),
                ('Hold to jog', True)):
            shown = page.value(label)
            other.set(label, value)
            other.wait_until(lambda: other.value(label) == shown, label)
    assert len(source.keep_out) == 1 and source.commanded == before
    assert page.nodes['/target']['position'][1] == 0.05
    page.says('ready: waiting')


class AtOnce:
    """Does what is to be done in a thread before it returns."""

    def __init__(self, max_workers):
        self.submit = lambda act, *given: act(*given)

    def shutdown(self):
        """Wait for nothing."""


def test_what_a_watcher_drags_is_set_back_however_soon_that_is_done(monkeypatch, request):
    monkeypatch.setattr('arm_ik.viewer.control.ThreadPoolExecutor', AtOnce)
    _, page = request.getfixturevalue('opened')
    place = page.nodes['/target']['position']
    with Browser(page.port) as other:
        other.wait_until(lambda: 'position' in other.nodes.get('/target', ()), 'the target')
        del other.nodes['/target']['position']
        drag(other, (0.2, -0.1, 0.2), (0.5, 0.0, -1.0))
        other.wait_until(lambda: other.nodes['/target'].get('position') == place, 'its place')


class Slow(ArmWithoutRos):
    """An arm whose gripper is moved as soon as it may."""

    may = threading.Event()

    def gripper(self, opening):
        assert self.may.wait(20.0)


def test_what_the_holder_sets_counts_though_a_watcher_has_just_set_it():
    source, server = Slow(ARM), GuardedServer(port=0)
    picture = Page(server, source)
    with Browser(server.bound_port) as page, Browser(server.bound_port) as other:
        page.says('**You have control.**')
        other.says('You watch')
        page.set('Gripper', 1.0)        # what follows is queued
        label = 'Table height [mm]'
        other.set(label, -50.0)
        page.wait_until(lambda: page.value(label) == -50.0, 'what the watcher has set')
        page.set(label, -60.0)
        other.wait_until(lambda: other.value(label) == -60.0, 'what the holder has set')
        source.may.set()
        page.wait_until(lambda: source.keep_out[0].position[2] < -0.06, 'the table')
        page.click('Go')
        page.says('**Arm:** arrived')
        assert page.value(label) == other.value(label) == -60.0
    picture.close()
    server.stop()


def test_the_transparent_arm_is_hidden_where_the_arm_is_and_red_is_a_limit_of_the_answer(opened):
    source, page = opened
    page.wait_until(lambda: page.nodes.get('/commanded', {}).get('visible') is False, 'hidden')
    drag(page, (0.05, 0.0, 0.02), (0.0, 0.0, -1.0))
    page.wait_until(lambda: page.nodes['/commanded']['visible'], 'the ghost')
    axes = tool_rotation(ARM, Target((0.05, 0.0, 0.02), (0.0, 0.0, -1.0)))
    solution = ARM.solve(Target((0.05, 0.0, 0.02), axes[:, 2], axes[:, 0]), near=ARM.home,
                         up_tolerance=1e-3)
    assert len(solution.limited_by) > 1
    # Its gripper is as open as the measured one, at no position of a joint that is not given.
    gripper = ARM.model.extra_joints[0]
    assert source.measured[gripper.name] == gripper.closed != 0.0
    frame = link_frames(links(ARM.model), {
        **dict(zip(ARM.joint_names, solution.q)), gripper.name: gripper.closed})['gripper_link']
    turn = SO3(np.array(page.nodes['/commanded/gripper_link']['wxyz'])).as_matrix()
    assert turn == pytest.approx(frame[:3, :3], abs=2e-3)
    for joint, q in zip(ARM.model.joints, solution.q):
        limited = min(q - joint.lower, joint.upper - q) < 1e-3 and joint.name in (
            solution.limited_by)
        colours = {tuple(node['color']) for name, node in page.nodes.items()
                   if name.startswith(f'/commanded/{joint.name}_link/') and 'color' in node}
        assert colours == {STOPS if limited else COMMANDED}, joint.name


def test_disabled_it_goes_nowhere_and_enabled_it_does(opened):
    source, page = opened
    page.set('Commands', 'Disable')
    page.says('**Arm:** refused: disabled')
    drag(page, (0.2, 0.05, 0.12), (0.5, 0.0, -1.0))
    before = dict(source.commanded)
    page.click('Go')
    page.set('Commands', 'Enable')
    page.says('ready: waiting')
    assert source.commanded == before
    page.click('Go')
    page.says('**Arm:** arrived')


@pytest.mark.parametrize('between', ['nothing', 'stop', 'disable', 'another target'])
def test_a_slider_leaves_the_other_joints_where_they_are_to_be(opened, between):
    source, page = opened
    page.set('Joint speed [%]', 5.0)
    page.set('shoulder_pan [°]', 60.0)
    page.says('**Arm:** accepted')
    if between == 'stop':
        page.click('Stop (space)')
        page.reset()
    elif between == 'disable':
        page.set('Commands', 'Disable')
        page.says('**Arm:** refused: disabled')
        page.set('Commands', 'Enable')
    elif between == 'another target':
        page.click('Target to the tip')
    page.set('wrist_roll [°]', 10.0)
    page.wait_until(lambda: abs(source.commanded['wrist_roll'] - radians(10.0)) < 1e-2, 'the roll')
    pan, *others, _ = [source.commanded[name] for name in ARM.joint_names]
    assert (abs(pan - radians(60.0)) < 1e-2) == (between == 'nothing')
    assert others == pytest.approx(ARM.home[1:-1], abs=1e-2)
