# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page in a real browser: it comes up, its target is dragged by mouse, the space bar stops."""

import json
import shutil
import subprocess
from time import monotonic, sleep
from urllib.request import urlopen

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from browser import Browser
from test_page import Viewer
from websockets.sync.client import connect

CHROMIUM = shutil.which('chromium') or shutil.which('google-chrome')
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason='needs chromium (apt)')
WIDTH, HEIGHT = 1000, 700


class Chromium:
    """A headless browser with one tab, over its DevTools."""

    def __init__(self, folder, url):
        self._process = subprocess.Popen([
            CHROMIUM, '--headless=new', '--no-sandbox', '--use-angle=swiftshader',
            '--enable-unsafe-swiftshader', f'--window-size={WIDTH},{HEIGHT}',
            '--remote-debugging-port=0', f'--user-data-dir={folder}', 'about:blank'],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self._number = 0
        port = folder / 'DevToolsActivePort'
        self.wait(lambda: port.exists() and len(port.read_text().splitlines()) == 2, 'DevTools')
        with urlopen(f'http://127.0.0.1:{port.read_text().splitlines()[0]}/json') as answer:
            tab = next(tab for tab in json.load(answer) if tab['type'] == 'page')
        self._socket = connect(tab['webSocketDebuggerUrl'], max_size=None)
        self.call('Page.navigate', url=url)

    def call(self, method, **params):
        """Call a method; return its result."""
        self._number += 1
        self._socket.send(json.dumps(
            {'id': self._number, 'method': method, 'params': params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60.0))
            if answer.get('id') == self._number:
                return answer['result']

    def text(self):
        """Return what can be read on the page."""
        return self.call('Runtime.evaluate', expression='document.body.innerText')[
            'result'].get('value', '')

    def box(self, expression):
        """Return an element's place on the page: x, y, width, height."""
        return self.call('Runtime.evaluate', returnByValue=True, expression=f"""(() => {{
            const b = ({expression}).getBoundingClientRect();
            return [b.x, b.y, b.width, b.height]; }})()""")['result']['value']

    def click(self, label):
        """Click a button."""
        x, y, width, height = self.box(
            f'[...document.querySelectorAll("button")].find(b => b.innerText.includes("{label}"))')
        self.mouse('Pressed', x + width / 2, y + height / 2)
        self.mouse('Released', x + width / 2, y + height / 2)

    def mouse(self, kind, x, y):
        """Move, press or release the mouse."""
        self.call('Input.dispatchMouseEvent', type=f'mouse{kind}', x=x, y=y, button='left',
                  buttons=0 if kind == 'Released' else 1, clickCount=1)
        sleep(0.2)  # the page takes a mouse event per frame

    @staticmethod
    def wait(holds, what, timeout=60.0):
        """Poll another process, which gives no notice."""
        deadline = monotonic() + timeout
        while not holds():
            assert monotonic() < deadline, f'waited for {what}'
            sleep(0.1)

    def close(self):
        """Kill it."""
        self._process.kill()
        self._process.wait()


def test_the_page_comes_up_and_its_target_is_dragged_by_mouse(tmp_path):
    model = Arm.preset('so101').model
    with Viewer('--no-ros') as viewer, Browser(viewer.port) as watcher:
        page = Chromium(tmp_path, f'http://127.0.0.1:{viewer.port}/')
        try:
            page.wait(lambda: 'Take control' in page.text(), 'the page')
            watcher.wait_until(lambda: watcher.nodes.get('/target', {}).get('position'), 'target')
            before = watcher.nodes['/target']['position']
            page.click('Take control')
            page.wait(lambda: 'You have control' in page.text(), 'control')
            # along the gizmo's own z axis, which goes on from the hand
            tool = np.array(_rotation(watcher.nodes['/target']['wxyz']))
            size = 0.35 * model.reach
            canvas = page.box('document.querySelector("canvas")')
            begin, end = (_pixel(model, canvas, np.array(before) + part * size * tool[:, 2])
                          for part in (0.75, 1.3))
            page.mouse('Moved', *begin)
            page.mouse('Pressed', *begin)
            for part in np.linspace(0.1, 1.0, 10):
                page.mouse('Moved', *((1.0 - part) * begin + part * end))
            page.mouse('Released', *end)
            watcher.wait_until(
                lambda: np.linalg.norm(np.subtract(
                    watcher.nodes['/target']['position'], before)) > 0.02, 'the drag')
            page.call('Input.dispatchKeyEvent', type='keyDown', key=' ', code='Space',
                      windowsVirtualKeyCode=32)
            page.wait(lambda: 'stopped until Reset' in page.text(), 'the stop')
        finally:
            page.close()


def _rotation(wxyz):
    import viser.transforms
    return viser.transforms.SO3(np.array(wxyz)).as_matrix()


def _pixel(model, canvas, point, fov=np.radians(50.0)):
    """Return where the page's first view shows a point."""
    reach, height = model.reach, model.base_height
    eye = np.array([1.5 * reach, -1.5 * reach, height + 0.9 * reach])
    ahead = np.array([0.0, 0.0, height]) - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    view = point - eye
    x, y, width, height = canvas
    scale = 0.5 * height / np.tan(0.5 * fov) / (view @ ahead)
    return np.array([x + 0.5 * width + scale * (view @ right),
                     y + 0.5 * height + scale * (view @ down)])
