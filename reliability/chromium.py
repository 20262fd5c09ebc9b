# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A real browser without a window, driven by its DevTools."""

import base64
import json
from pathlib import Path
import shutil
import subprocess
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.request import urlopen

import numpy as np
from viser.transforms import SO3
from websockets.sync.client import connect

CHROMIUM = shutil.which('chromium') or shutil.which('google-chrome')

#: Where the arrows of the target end, in parts of the arm's reach.
GIZMO = 0.35

#: Opening angle of the page's camera [rad].
_FOV = np.radians(50.0)


class Chromium:
    """
    One tab with a page.

    :param url: of the page.
    :param size: of the window: width and height [pixels].
    """

    def __init__(self, url, size=(1280, 800)):
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen([
            CHROMIUM, '--headless=new', '--no-sandbox', '--use-angle=swiftshader',
            '--enable-unsafe-swiftshader', '--remote-debugging-port=0',
            f'--user-data-dir={self._folder.name}', 'about:blank'],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self._number = 0
        port = Path(self._folder.name) / 'DevToolsActivePort'
        self.wait(lambda: port.exists() and len(port.read_text().splitlines()) == 2, 'DevTools')
        with urlopen(f'http://127.0.0.1:{port.read_text().splitlines()[0]}/json') as answer:
            tab = next(tab for tab in json.load(answer) if tab['type'] == 'page')
        self._socket = connect(tab['webSocketDebuggerUrl'], max_size=None)
        self.call('Emulation.setDeviceMetricsOverride', width=size[0], height=size[1],
                  deviceScaleFactor=1, mobile=size[0] < 600)
        self.navigated = monotonic()   # when [s]
        self.call('Page.navigate', url=url)

    def call(self, method, **params):
        """Call a method of DevTools; return its result."""
        self._number += 1
        self._socket.send(json.dumps({'id': self._number, 'method': method, 'params': params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60.0))
            if answer.get('id') == self._number:
                return answer['result']

    def value(self, script):
        """Return the value of an expression in the page's language."""
        return self.call('Runtime.evaluate', expression=script, returnByValue=True)['result'].get(
            'value')

    def text(self):
        """Return what can be read on the page."""
        return self.value('document.body.innerText') or ''

    def picture(self, file):
        """Write what can be seen to a PNG file."""
        Path(file).write_bytes(base64.b64decode(self.call('Page.captureScreenshot')['data']))

    def click(self, label):
        """Click what has this label."""
        x, y, width, height = self._box('[...document.querySelectorAll("button, div")]'
                                        f'.reverse().find(e => e.innerText == "{label}")')
        self._mouse('Pressed', x + width / 2, y + height / 2)
        self._mouse('Released', x + width / 2, y + height / 2)

    def press_space(self):
        """Press the space bar."""
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=' ', code='Space',
                      windowsVirtualKeyCode=32)

    def drag(self, model, target, axis, distance, back=False, steps=4):
        """
        Drag an arrow of the target by mouse, in the first view of the page.

        :param model: the arm's.
        :param target: what :class:`~.browser.Browser` knows of it: ``position`` and ``wxyz``.
        :param axis: 0 to 2: x, y or z of the tool.
        :param distance: how far along the arrow [m].
        :param back: only if that leads nearer to the base.
        :returns: whether the arrow can be seen, and was dragged.
        """
        direction = SO3(np.array(target['wxyz'])).as_matrix()[:, axis]
        grip = np.array(target['position']) + 0.8 * GIZMO * model.reach * direction
        x, y, width, height = canvas = self._box('document.querySelector("canvas")')
        base, begin, end = (_pixel(model, canvas, point) for point in (
            np.array(target['position']), grip, grip + distance * direction))
        low, high = np.array([x, y]) + 10.0, np.array([x + width, y + height]) - 10.0
        away = direction @ np.array(target['position']) * distance > 0.0
        seen = not (back and away) and all(
            (low < pixel).all() and (pixel < high).all() for pixel in (begin, end))
        in_corner = (begin[0] < x + 200 and begin[1] > y + height - 150) or (
            begin[0] < x + 330 and begin[1] < y + 170)   # Stop, and a note of the browser
        if not seen or in_corner or np.linalg.norm(begin - base) < 30.0:
            return False
        self._mouse('Pressed', *begin)
        for part in np.linspace(0.1, 1.0, steps):
            self._mouse('Moved', *((1.0 - part) * begin + part * end))
        self._mouse('Released', *end)
        return True

    @staticmethod
    def wait(holds, what, timeout=60.0):
        """Poll another process, which gives no notice."""
        deadline = monotonic() + timeout
        while not holds():
            assert monotonic() < deadline, f'waited for {what}'
            sleep(0.05)

    def close(self):
        """Kill it."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _box(self, element):
        """Return an element's place on the page: x, y, width, height."""
        return self.value(f'(() => {{ const b = ({element}).getBoundingClientRect();'
                          ' return [b.x, b.y, b.width, b.height]; })()')

    def _mouse(self, kind, x, y):
        self.call('Input.dispatchMouseEvent', type=f'mouse{kind}', x=x, y=y, button='left',
                  buttons=0 if kind == 'Released' else 1, clickCount=1)
        sleep(0.2)  # the page takes a mouse event per frame


def _pixel(model, canvas, point):
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
    scale = 0.5 * height / np.tan(0.5 * _FOV) / (view @ ahead)
    return np.array([x + 0.5 * width + scale * (view @ right),
                     y + 0.5 * height + scale * (view @ down)])
