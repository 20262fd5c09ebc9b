# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page in a real browser: it comes up, its target is dragged by mouse, the space bar stops."""

from time import monotonic

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.simulated import ArmWithoutRos
from browser import Browser
from test_page import Viewer
from viser.transforms import SO3

pytestmark = pytest.mark.about_time

#: Where the arrows of the target end, in parts of the arm's reach.
GIZMO = 0.35


@pytest.mark.parametrize('size', [(1280, 800), (390, 844)], ids=['desktop', 'phone'])
def test_the_page_comes_up_and_stops_from_any_window(open_page, shows, size):
    with Viewer('--no-ros') as viewer:
        page = open_page(f'http://127.0.0.1:{viewer.port}/', size)
        shows(page, 'You have control')
        page.get_by_text('arm_ik: so101').last.click(force=True)   # would fold Stop away
        page.get_by_role('button', name='Stop (space)').click()
        shows(page, 'stopped: press Reset')
        page.get_by_role('button', name='Reset').click()
        shows(page, 'ready: waiting')
        page.keyboard.press('Space')
        shows(page, 'stopped: press Reset')
        if size[0] < size[1]:       # the arm has the upper part of a phone
            assert page.get_by_text('You have control').bounding_box()['y'] > 0.6 * size[1]
        page.get_by_text('Show', exact=True).first.scroll_into_view_if_needed()
        for name in ('Stop (space)', 'Reset'):
            place = page.get_by_role('button', name=name).bounding_box()
            assert place['y'] + place['height'] < size[1]


class Stopped(ArmWithoutRos):
    """An arm that notes when it is stopped."""

    stopped_at = None

    def stop(self):
        self.stopped_at = self.stopped_at or monotonic()
        super().stop()


#: What is clicked before the space bar is pressed; viser's own settings are of the class mantine.
FOCUS = {
    'canvas': 'canvas', 'checkbox': 'input[type=checkbox]:not([id^=mantine])',
    'list': 'input[role=combobox]:not([id^=mantine])', 'slider': '[role=slider]',
    'number': 'input[inputmode=decimal]'}
CHOSEN = ('[...document.querySelectorAll("[type=checkbox], [role=combobox]")]'
          '.map(it => [it.value, it.checked])')


def test_space_stops_once_wherever_the_focus_is_and_does_nothing_else(open_page, shows):
    with Viewer('--no-ros') as viewer:
        holder = open_page(f'http://127.0.0.1:{viewer.port}/')
        shows(holder, 'You have control')
        watcher = open_page(f'http://127.0.0.1:{viewer.port}/')
        for page, focus in [*((holder, focus) for focus in FOCUS), (watcher, 'number')]:
            shows(page, 'ready: waiting')
            page.evaluate("""() => {
                if (!('clicks' in window)) window.addEventListener('click', event =>
                    window.clicks += Boolean(event.target.closest('[style*=red-filled]')));
                window.clicks = 0; }""")
            page.locator(FOCUS[focus]).first.click(force=True)
            shown = page.evaluate(CHOSEN)
            page.keyboard.press('Space')
            shows(page, 'stopped: press Reset')
            assert page.evaluate('window.clicks') == 1, focus
            if focus != 'checkbox':   # which the stop takes back
                assert page.evaluate(CHOSEN) == shown, focus
            holder.get_by_role('button', name='Reset').click()
            shows(holder, 'ready: waiting')


@pytest.mark.parametrize('held', ['key', 'slider'])
def test_each_press_of_space_stops_whatever_is_held(open_page, shows, request, held):
    presses = 200 if request.config.getoption('--long') else 5
    server, arm = GuardedServer(port=0), Stopped(Arm.preset('so101'))
    picture, took = Page(server, arm), []
    try:
        page = open_page(f'http://127.0.0.1:{server.bound_port}/')
        shows(page, 'You have control')
        page.get_by_text('Jog', exact=True).first.click()
        slider = page.locator('[role=slider]').nth(2).bounding_box()
        for press in range(presses):
            if held == 'key':
                page.evaluate(f'document.querySelectorAll("{FOCUS["checkbox"]}")[2].click()')
                page.wait_for_function('!document.querySelector("[style*=gray-filled]").disabled')
                page.keyboard.down('w')
                page.wait_for_timeout(100.0 + 7.0 * (press % 8))    # anywhere in viser's 50 ms
            else:
                page.mouse.move(slider['x'] + 3.0, slider['y'] + 3.0)
                page.mouse.down()
                for step in range(12 + press % 4):
                    page.mouse.move(slider['x'] + 3.0 + step % 7, slider['y'] + 3.0)
            arm.stopped_at, pressed = None, monotonic()
            page.keyboard.down('Space')
            if held == 'slider':
                for step in range(8):
                    page.mouse.move(slider['x'] + 10.0 - step, slider['y'] + 3.0)
            deadline = pressed + 10.0
            while arm.stopped_at is None:
                assert monotonic() < deadline, f'press {press} did not stop'
                page.wait_for_timeout(5.0)
            took.append(arm.stopped_at - pressed)
            page.keyboard.up('Space')
            page.keyboard.up('w')
            page.mouse.up()
            page.wait_for_function('document.querySelector("[style*=gray-filled]").disabled')
            page.get_by_role('button', name='Reset').click()
            shows(page, 'ready: waiting')
    finally:
        picture.close()
        server.stop()
    print(f'{held}: {len(took)} stops, median {1e3 * np.median(took):.0f} ms, '
          f'longest {1e3 * max(took):.0f} ms')


def test_a_number_that_is_typed_counts_when_it_is_complete_and_inside_the_limits(open_page, shows):
    server, arm = GuardedServer(port=0), ArmWithoutRos(Arm.preset('so101'))
    picture = Page(server, arm)
    try:
        page = open_page(f'http://127.0.0.1:{server.bound_port}/')
        shows(page, 'You have control')
        box = page.locator('.mantine-Flex-root:has([role=slider]) input[inputmode]').nth(2)
        for typed, key, at in (
                ('500', 'Enter', 0.0), ('30', 'Enter', 30.0), ('-20', 'Tab', -20.0)):
            before = dict(arm.commanded)
            box.click()
            page.keyboard.press('Control+a')
            page.keyboard.type(typed)
            page.wait_for_timeout(300.0)
            assert arm.commanded == before      # not yet
            page.keyboard.press(key)
            page.wait_for_function(f'[...document.querySelectorAll("[role=slider]")][2]'
                                   f'.getAttribute("aria-valuenow") == {at}')
            deadline = monotonic() + 20.0
            while abs(np.degrees(arm.commanded['shoulder_pan']) - at) > 0.2:
                assert monotonic() < deadline
                page.wait_for_timeout(20.0)
            assert float(box.input_value()) == at
    finally:
        picture.close()
        server.stop()


def pixel(model, canvas, point):
    """Return where the page's first view shows a point; its camera opens by 50 degrees."""
    reach, height = model.reach, model.base_height
    eye = np.array([1.5 * reach, -1.5 * reach, height + 0.9 * reach])
    ahead = np.array([0.0, 0.0, height]) - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    view = point - eye
    scale = 0.5 * canvas['height'] / np.tan(np.radians(25.0)) / (view @ ahead)
    return (canvas['x'] + 0.5 * canvas['width'] + scale * (view @ right),
            canvas['y'] + 0.5 * canvas['height'] + scale * (view @ np.cross(ahead, right)))


def test_the_target_is_dragged_by_mouse(open_page, shows):
    model = Arm.preset('so101').model
    with Viewer('--no-ros') as viewer:
        page = open_page(f'http://127.0.0.1:{viewer.port}/')
        shows(page, 'You have control')
        with Browser(viewer.port) as watcher:
            watcher.wait_until(lambda: {'position', 'wxyz'} <= watcher.nodes.get(
                '/target', {}).keys(), 'target')
            before = np.array(watcher.nodes['/target']['position'])
            along = SO3(np.array(watcher.nodes['/target']['wxyz'])).as_matrix()[:, 2]
            grip, canvas = before + 0.8 * GIZMO * model.reach * along, page.locator(
                'canvas').first.bounding_box()
            page.mouse.move(*pixel(model, canvas, grip))
            page.mouse.down()
            for part in (0.25, 0.5, 0.75, 1.0):
                page.mouse.move(*pixel(model, canvas, grip + part * 0.05 * along))
                page.wait_for_timeout(200.0)   # it takes a mouse event per frame
            page.mouse.up()
            watcher.wait_until(lambda: np.linalg.norm(
                watcher.nodes['/target']['position'] - before) > 0.02, 'the drag')


def test_keys_move_the_tip_until_they_are_released_or_the_focus_is_elsewhere(open_page, shows):
    with Viewer('--no-ros') as viewer:
        page = open_page(f'http://127.0.0.1:{viewer.port}/')
        shows(page, 'You have control')
        page.get_by_text('Jog', exact=True).first.click()
        watcher = Browser(viewer.port)
        watcher.wait_until(
            lambda: watcher.nodes.get('/measured/tool0', {}).get('position'), 'the arm')

        def tip():
            return np.array(watcher.nodes['/measured/tool0']['position'])

        def moves():
            begin = tip()
            watcher.wait_until(lambda: np.linalg.norm(tip() - begin) > 5e-3, 'motion', 30.0)

        def rests():
            before = begin = tip()
            page.wait_for_timeout(1000.0)
            while not np.array_equal(before, now := tip()):
                assert np.linalg.norm(now - begin) < 0.1, 'it does not stop'
                before = now
                page.wait_for_timeout(1000.0)

        begin = tip()
        page.keyboard.down('w')
        rests()                                       # it is not switched on
        page.keyboard.up('w')
        page.evaluate(f'document.querySelectorAll("{FOCUS["checkbox"]}")[2].click()')
        page.wait_for_function('!document.querySelector("[style*=gray-filled]").disabled')
        typed = page.locator(FOCUS['number']).first
        typed.click()
        page.keyboard.down('w')
        rests()                                       # somebody types
        page.keyboard.up('w')
        assert np.array_equal(tip(), begin)
        page.get_by_text('Arm:').click()
        for end in ('keyup', 'blur', 'hidden', 'click'):
            page.keyboard.down('r')
            moves()
            if end == 'keyup':
                page.keyboard.up('r')
            elif end == 'blur':
                page.evaluate('window.dispatchEvent(new Event("blur"))')
            elif end == 'hidden':
                page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
            else:
                page.get_by_role('button', name='Stop (space)').click()
                shows(page, 'stopped: press Reset')
            rests()
            page.keyboard.up('r')
            if end != 'click':
                button = page.get_by_role('button', name='F: down')
                button.hover()
                page.mouse.down()
                moves()
                if end == 'blur':
                    page.evaluate('window.dispatchEvent(new Event("blur"))')
                else:
                    page.mouse.up()
                rests()
                page.mouse.up()
        watcher.close()
