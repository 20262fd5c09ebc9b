# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page in a real browser: it comes up, its target is dragged by mouse, the space bar stops."""

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from reliability.browser import Browser
from reliability.chromium import Chromium, CHROMIUM
from test_page import Viewer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason='needs chromium: apt-get install it')


@pytest.mark.parametrize('size', [(1280, 800), (390, 844)], ids=['desktop', 'phone'])
def test_the_page_comes_up_and_stops_from_any_window(size):
    with Viewer('--no-ros') as viewer, Chromium(
            f'http://127.0.0.1:{viewer.port}/', size) as page:
        page.wait(lambda: 'You have control' in page.text(), 'the page')
        page.click('arm_ik: so101')   # would fold the panel, and Stop with it
        page.click('Stop (space)')
        page.wait(lambda: 'stopped until Reset' in page.text(), 'the stop')
        page.click('Reset')
        page.wait(lambda: 'ready: waiting' in page.text(), 'the reset')
        page.press_space()
        page.wait(lambda: 'stopped until Reset' in page.text(), 'the stop')


def test_the_target_is_dragged_by_mouse():
    model = Arm.preset('so101').model
    with Viewer('--no-ros') as viewer, Chromium(
            f'http://127.0.0.1:{viewer.port}/') as page:
        page.wait(lambda: 'You have control' in page.text(), 'the page')
        with Browser(viewer.port) as watcher:
            watcher.wait_until(lambda: watcher.nodes.get('/target', {}).get('position'), 'target')
            target = dict(watcher.nodes['/target'])
            assert page.drag(model, target, axis=2, distance=0.05)
            watcher.wait_until(
                lambda: np.linalg.norm(np.subtract(watcher.nodes['/target']['position'],
                                                   target['position'])) > 0.02, 'the drag')
