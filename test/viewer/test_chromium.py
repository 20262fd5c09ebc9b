# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The page in a real browser: it comes up, its target is dragged by mouse, the space bar stops."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import threading
from urllib.parse import quote, unquote, urlsplit

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from reliability.browser import Browser
from reliability.chromium import Chromium, CHROMIUM
from test_page import Viewer

pytestmark = [
    pytest.mark.about_time,
    pytest.mark.skipif(CHROMIUM is None, reason='needs chromium: apt-get install it')]


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


#: What is clicked before the space bar is pressed; viser's own settings are of the class mantine.
FOCUS = {
    'canvas': 'canvas', 'checkbox': 'input[type=checkbox]:not([id^=mantine])',
    'list': 'input[role=combobox]:not([id^=mantine])', 'slider': '[role=slider]',
    'number': 'input[inputmode=decimal]'}
CHOSEN = ('[...document.querySelectorAll("[type=checkbox], [role=combobox]")]'
          '.map(it => [it.value, it.checked])')


def test_space_stops_once_wherever_the_focus_is_and_does_nothing_else():
    with Viewer('--no-ros') as viewer, Chromium(f'http://127.0.0.1:{viewer.port}/') as holder:
        holder.wait(lambda: 'You have control' in holder.text(), 'the page')
        with Chromium(f'http://127.0.0.1:{viewer.port}/') as watcher:
            for page, focus in [*((holder, focus) for focus in FOCUS), (watcher, 'number')]:
                page.wait(lambda: 'ready: waiting' in page.text(), 'the page')
                page.value("""if (!('clicks' in window)) window.addEventListener('click', event =>
                    window.clicks += Boolean(event.target.closest('[style*=red-filled]')));
                    window.clicks = 0""")
                x, y = page.value(f"""(it => {{ it.scrollIntoView({{block: 'center'}});
                    const at = it.getBoundingClientRect();
                    return [at.x + at.width / 2, at.y + at.height / 2];
                    }})(document.querySelector('{FOCUS[focus]}'))""")
                for kind in ('Pressed', 'Released'):
                    page.call('Input.dispatchMouseEvent', type=f'mouse{kind}', x=x, y=y,
                              button='left', buttons=int(kind == 'Pressed'), clickCount=1)
                shown = page.value(CHOSEN)
                page.press_space()
                page.wait(lambda: 'stopped until Reset' in page.text(), f'the stop: {focus}')
                assert page.value('window.clicks') == 1, focus
                if focus != 'checkbox':   # which the stop takes back
                    assert page.value(CHOSEN) == shown, focus
                holder.click('Reset')
                holder.wait(lambda: 'ready: waiting' in holder.text(), 'the reset')


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


class Foreign(BaseHTTPRequestHandler):
    """A foreign page: what its address has after the question mark."""

    def do_GET(self):  # noqa: D102, N802
        page = f'<body style="margin:0">{unquote(urlsplit(self.path).query)}</body>'.encode()
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):  # noqa: D102
        pass


@pytest.fixture(scope='module')
def foreign():
    """Serve foreign pages; return their origin."""
    server = ThreadingHTTPServer(('127.0.0.1', 0), Foreign)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f'http://localhost:{server.server_address[1]}'
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize('tag, source', [('iframe', 'src'), ('object', 'data'), ('embed', 'src')])
def test_a_foreign_page_can_show_and_click_it_only_if_it_is_allowed_to(foreign, tag, source):
    with Viewer('--no-ros') as closed, Viewer('--no-ros', '--allow-frame', foreign) as allowed:
        both = ''.join(f'<{tag} {source}="http://127.0.0.1:{viewer.port}/" style="border:0;'
                       f'width:1280px;height:800px;position:fixed;left:{left}px"></{tag}>'
                       for viewer, left in ((closed, 0), (allowed, 1280)))
        with Browser(allowed.port) as watcher, Chromium(
                f'{foreign}/?{quote(both)}', (2560, 800)) as page:

            def stopped():
                for x in (50, 1330):   # Stop is there
                    for kind in ('Pressed', 'Released'):
                        page.call('Input.dispatchMouseEvent', type=f'mouse{kind}', x=x, y=770,
                                  button='left', buttons=int(kind == 'Pressed'), clickCount=1)
                return any('stopped' in words for words in watcher.words())
            page.wait(stopped, 'the stop')
            with Browser(closed.port) as first:   # that this viewer has seen
                first.wait_until(lambda: '**You have control.**' in first.words(), 'control')
                assert not any('stopped' in words for words in first.words())


@pytest.mark.parametrize('host, words', [
    ('localhost', 'You have control'), ('127.0.0.1', 'open the address with ?token')])
def test_a_frame_can_bring_the_token_to_the_host_of_the_page_around_it_alone(
        foreign, host, words):
    token = 'x' * 20
    with Viewer('--no-ros', '--allow-frame', foreign, '--token', token) as viewer:
        address = f'http://{host}:{viewer.port}/'
        frame = f'<iframe src="{address}?token={token}" onload="loaded = true"></iframe>'
        with Chromium(f'{foreign}/?{quote(frame)}') as page:
            page.wait(lambda: page.value('window.loaded'), 'the frame')
            page.call('Page.navigate', url=address)   # with what it has left: a cookie, or none
            page.wait(lambda: words in page.text(), words)
