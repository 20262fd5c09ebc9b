# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The viewer's server, asked by raw sockets: as a foreign page or program would ask it."""

import base64
from contextlib import contextmanager
from math import inf, nan
import os
import re
import socket
import sys
import threading
from types import ModuleType, SimpleNamespace

from arm_ik.errors import InvalidInputError
from arm_ik.testing.processes import NodeProcess
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer import guarded_server
from arm_ik.viewer.guarded_server import address_of, GuardedServer
import msgspec
from browser import Browser, CAMERA
import viser
import websockets.asyncio.server

pytestmark = pytest.mark.about_time

TOKEN = 'abcdefghij-0123456789'
SOCKET = ('Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
          f'Sec-WebSocket-Protocol: viser-v{viser.__version__}',
          f'Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}')


@contextmanager
def serving(server=None, **arguments):
    server = server or GuardedServer(port=0, **arguments)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope='module')
def local():
    with serving() as server:
        yield server


@pytest.fixture(scope='module')
def open_one():
    with serving(host='0.0.0.0', token=TOKEN) as server:
        yield server


def ask(address, port, *lines, path='/'):
    """Return the status that the server answers a GET of these header lines with."""
    return int(headers(port, *lines, path=path, address=address)[0].split()[1])


def headers(port, *lines, path='/', address='127.0.0.1'):
    """Return the first line of an answer, and its headers by name."""
    with socket.create_connection((address, port), timeout=10.0) as connection:
        connection.sendall('\r\n'.join((f'GET {path} HTTP/1.1', *lines, '', '')).encode())
        answer = b''
        while b'\r\n\r\n' not in answer:
            answer += connection.recv(4096)
    first, *others = answer.partition(b'\r\n\r\n')[0].decode().split('\r\n')
    return first, dict(line.split(': ', 1) for line in others)


def test_it_listens_on_this_host_only(local):
    sockets = [line.split() for line in open('/proc/net/tcp')][1:]
    listening = {fields[1] for fields in sockets if fields[3] == '0A'}
    assert f'0100007F:{local.bound_port:04X}' in listening
    assert f'00000000:{local.bound_port:04X}' not in listening


@pytest.mark.parametrize('scheme', ['http', 'https'])
@pytest.mark.parametrize('host', ['127.0.0.1:{port}', 'localhost:{port}', 'LocalHost:{port}',
                                  '[::1]:{port}', '127.0.0.1:9000', 'localhost'])
def test_its_own_page_gets_its_socket_also_behind_another_port_or_https(local, host, scheme):
    host = host.format(port=local.bound_port)
    assert ask('127.0.0.1', local.bound_port, f'Host: {host}') == 200
    assert ask('127.0.0.1', local.bound_port, f'Host: {host}',
               f'Origin: {scheme}://{host}', *SOCKET) == 101


def test_a_page_under_another_name_and_a_proxy_that_changes_it_are_told_what_to_do(capfd):
    with serving() as server:     # of its own: a thing is told once in ten seconds
        port = server.bound_port
        with socket.create_connection(('127.0.0.1', port), timeout=10.0) as connection:
            connection.sendall(b'GET / HTTP/1.1\r\nHost: robot.local:8080\r\n\r\n')
            answer = b''
            while more := connection.recv(4096):
                answer += more
        assert b'start the viewer with ARM_IK_VIEWER_TOKEN set' in answer
        for _ in range(3):
            assert ask('127.0.0.1', port, f'Host: 127.0.0.1:{port}', 'Origin: https://robot.local',
                       *SOCKET) == 403
    said = [line for line in capfd.readouterr().err.splitlines() if 'robot.local' in line]
    assert len(said) == 1 and 'has to pass on the Host' in said[0]


def test_for_all_addresses_one_that_opens_is_printed():
    process = NodeProcess('viewer', [
        sys.executable, '-m', 'arm_ik', 'viewer', '--no-ros', '--port', '0', '--host', '0.0.0.0',
        '--token', TOKEN], {})
    try:
        while '?token=' not in process.output():
            assert process.wait(0.05) is None
        (host, port), = re.findall(r'http://([0-9.]+):([0-9]+)/', process.output())
        assert host != '0.0.0.0'
        assert ask(host, int(port), f'Host: {host}:{port}', path=f'/?token={TOKEN}') == 303
    finally:
        process.stop()
    assert address_of('::1', 80) == 'http://[::1]:80/'
    assert address_of('127.0.0.1', 8080) == 'http://127.0.0.1:8080/'


HOST = 'Host: 127.0.0.1:{port}'


@pytest.mark.parametrize('lines', [
    # a websocket of another page
    *((HOST, *SOCKET, f'Origin: {origin}') for origin in (
        'null', '', 'http://example.com', 'ftp://127.0.0.1:{port}', 'http://127.0.0.1',
        'http://127.0.0.1:1', 'http://127.0.0.1:{port}.example.com', 'http://localhost:{port}',
        'http://127.0.0.1:{port}\r\nOrigin: http://example.com', 'file://')),
    # or without origin, in any spelling
    *((HOST, f'Upgrade: {name}', *SOCKET[1:])
      for name in ('websocket', 'WebSocket', 'WEBSOCKET', 'websocket, h2c', 'h2c')),
    # a rebinding name, of the page and of its own websocket
    *(line for host in ('example.com:{port}', 'localhost.example.com:{port}', '127.0.0.2', '',
                        '127.0.0.1:{port}@x', '127.0.0.1:', 'localhost:{port}.example.com')
      for line in ((f'Host: {host}',), (f'Host: {host}', f'Origin: http://{host}', *SOCKET))),
    (HOST, 'Host: example.com'), ('Accept: */*',),
    # a frame
    *((HOST, f'Sec-Fetch-Dest: {kind}')
      for kind in ('iframe', 'frame', 'embed', 'object', 'fencedframe'))])
def test_nothing_is_answered_to_another_page_or_under_another_name(local, lines):
    port = local.bound_port
    assert ask('127.0.0.1', port, *(line.format(port=port) for line in lines)) == 403


def test_an_open_address_needs_a_token_and_a_long_one():
    for host in ('0.0.0.0', '::', '192.0.2.1', ''):
        with pytest.raises(InvalidInputError, match='--token'):
            GuardedServer(host=host, port=0)
    for token in ('short', 'with spaces in it, long', 'x' * 15, 'a;b=c' * 5):
        with pytest.raises(InvalidInputError, match='--token is .*at least 16 letters'):
            GuardedServer(port=0, token=token)


def test_with_a_token_nothing_is_answered_before_it_was_brought(open_one):
    port = open_one.bound_port
    host = f'arm.example.org:{port}'
    for path in ('/', '/index.html', '/?token=', f'/?token={TOKEN[:-1]}', f'/?token={TOKEN}x'):
        assert ask('127.0.0.1', port, f'Host: {host}', path=path) == 403
    own = (f'Host: {host}', f'Origin: http://{host}')
    assert ask('127.0.0.1', port, *own, *SOCKET) == 403
    assert ask('127.0.0.1', port, *own, *SOCKET, path=f'/?token={TOKEN}') == 403
    assert ask('127.0.0.1', port, *own, *SOCKET, f'Cookie: arm_ik_viewer_{port}=wrong') == 403


def test_the_token_becomes_a_cookie_that_no_script_and_no_foreign_page_has(open_one):
    port = open_one.bound_port
    host = f'arm.example.org:{port}'
    first, found = headers(port, f'Host: {host}', path=f'/?token={TOKEN}')
    assert first.startswith('HTTP/1.1 303')
    assert found['Content-Security-Policy'] == "frame-ancestors 'none'"
    assert 'HttpOnly' in found['Set-Cookie'] and 'SameSite=Strict' in found['Set-Cookie']
    brought = 'Cookie: other=1; ' + found['Set-Cookie'].split(';')[0]
    assert ask('127.0.0.1', port, f'Host: {host}', brought) == 200
    for origin, status in ((f'http://{host}', 101), ('http://example.com', 403)):
        assert ask('127.0.0.1', port, f'Host: {host}', f'Origin: {origin}', brought,
                   *SOCKET) == status


def test_a_busy_port_is_an_error_and_no_other_port_is_taken(local):
    with pytest.raises(InvalidInputError, match=f'--port is {local.bound_port}; .*free'):
        GuardedServer(port=local.bound_port)
    for port in (-1, 65536):
        with pytest.raises(InvalidInputError, match=f'--port is {port}; allowed: 0 to 65535'):
            GuardedServer(port=port)


def test_a_browser_that_does_not_answer_is_let_go(monkeypatch):
    monkeypatch.setattr(guarded_server, 'PING_INTERVAL', 0.1)
    monkeypatch.setattr(guarded_server, 'PING_TIMEOUT', 0.2)
    gone = threading.Event()
    with serving() as server:
        server.on_client_disconnect(lambda _: gone.set())
        page = f'127.0.0.1:{server.bound_port}'
        with socket.create_connection(('127.0.0.1', server.bound_port)) as silent:
            silent.sendall('\r\n'.join((
                'GET / HTTP/1.1', f'Host: {page}', f'Origin: http://{page}', *SOCKET, '', '')
            ).encode())
            camera = msgspec.msgpack.encode({'type': 'ViewerCameraMessage', **CAMERA})
            frame = bytes([0x82, 0x80 | 126]) + len(camera).to_bytes(2, 'big') + bytes(4) + camera
            silent.sendall(frame)
            assert gone.wait(20.0)


def test_a_viser_that_serves_otherwise_is_refused(monkeypatch):
    infra = sys.modules[viser.infra.WebsockServer.__module__]
    alike = ModuleType('websockets')   # which found the function before it was wrapped
    alike.__dict__.update(vars(websockets), asyncio=SimpleNamespace(
        server=SimpleNamespace(serve=websockets.asyncio.server.serve)))
    monkeypatch.setattr(infra, 'websockets', alike)
    with pytest.raises(RuntimeError, match='past the guard'):
        GuardedServer(port=0)


def test_the_wrap_is_taken_off_again(local):
    assert websockets.asyncio.server.serve.__module__.startswith('websockets')


@pytest.mark.parametrize('status, path, host, more', [
    (200, '/', '127.0.0.1:{port}', ()), (404, '/none.js', '127.0.0.1:{port}', ()),
    (404, '/../x', '127.0.0.1:{port}', ()), (500, '/' + 300 * 'a', '127.0.0.1:{port}', ()),
    (403, '/', 'example.com', ()), (403, '/', '127.0.0.1:{port}', SOCKET),
    (101, '/', '127.0.0.1:{port}', ('Origin: http://127.0.0.1:{port}', *SOCKET)),
    (400, '/', '127.0.0.1:{port}', ('Origin: http://127.0.0.1:{port}', SOCKET[0], SOCKET[1])),
    (426, '/', '127.0.0.1:{port}', ('Origin: http://127.0.0.1:{port}', SOCKET[0]))])
def test_no_answer_may_be_framed(local, status, path, host, more):
    port = local.bound_port
    first, found = headers(port, *(line.format(port=port) for line in (f'Host: {host}', *more)),
                           path=path)
    assert first.startswith(f'HTTP/1.1 {status}')
    assert found['Content-Security-Policy'] == "frame-ancestors 'none'"
    assert found['X-Frame-Options'] == 'DENY'


@pytest.mark.parametrize('query', [
    'websocket=ws://example.com', 'x=1&%77ebsocket=ws://example.com', 'playbackPath=http://x/y'])
def test_no_link_has_the_page_run_what_another_server_sends(local, query):
    host = f'Host: 127.0.0.1:{local.bound_port}'
    for more, path in (((), '/?darkMode'), (('Sec-Fetch-Dest: document',), '/')):
        assert ask('127.0.0.1', local.bound_port, host, *more, path=path) == 200
    assert ask('127.0.0.1', local.bound_port, host, path=f'/?{query}') == 403


class Forger(Browser):
    """A program that sends what no page does."""

    def forge(self, label, updates):
        self.wait_until(lambda: self._uuid(label), label)
        self.send('GuiUpdateMessage', uuid=self._uuid(label), updates=updates)

    def send_bytes(self, raw):
        self._socket.send(raw)


FORGED = [
    *(('Stop', updates) for updates in (
        {'update_cb': []}, {'value': True, 'update_cb': []}, {'removed': True}, {'props': 1},
        {'visible': False}, {'disabled': True}, {'sync_cb': None}, {'value': 'x'}, {}, [], None)),
    *(('slider', {'value': value}) for value in (
        nan, inf, -inf, 'x', '0.7', [0.7], [], None, True, {}, 1.01, -0.01, 1e300, 2 ** 63)),
    *(('box', {'value': value}) for value in (1, 0.0, 'yes', None, [True])),
    *(('list', {'value': value}) for value in ('c', '', 1, True, None, ['b'], nan)),
    *(('group', {'value': value}) for value in ('c', 0, ['a'])),
    *(('vector', {'value': value}) for value in (
        (nan, 0.0), (0.0, inf), (0.0, 2.1), (-1.1, 0.0), (0.5,), (0.0, 0.0, 0.0), 0.5, None, 'ab',
        ('0', 0.0)))]

POSE = {'name': '/target', 'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': (0.1, 0.2, 0.3)}

OTHERS = [
    *(('TransformControlsUpdateMessage', {**POSE, **wrong}) for wrong in (
        {'position': (nan, 0.0, 0.0)}, {'position': (0.0, inf, 0.0)}, {'position': (1e300, 0, 0)},
        {'position': (0.0, 0.0)}, {'position': 'abc'}, {'wxyz': (nan, 0.0, 0.0, 1.0)},
        {'wxyz': (0.0, 0.0, 0.0, 0.0)}, {'wxyz': (9.0, 0.0, 0.0, 0.0)}, {'wxyz': None},
        {'name': 3}, {'owner': []})),
    *(('ViewerCameraMessage', {**CAMERA, **wrong}) for wrong in (
        {'fov': nan}, {'position': (inf, 0, 0)}, {'image_width': 'x'}, {'look_at': ()})),
    ('CommandTriggerMessage', {'uuid': []}), ('CommandTriggerMessage', {}),
    ('GuiButtonHoldMessage', {'uuid': 'x'}),
    ('GuiButtonHoldMessage', {'uuid': 'x', 'frequency': nan}),
    ('ShareUrlRequest', {}), ('ShareUrlDisconnect', {}), ('ResetGuiMessage', {}),
    ('GuiFormDirtyMessage', {'uuid': 'x'}), ('GuiCloseModalMessage', {'uuid': 'x'}),
    ('RunJavascriptMessage', {'source': 'alert()'}), ('NoSuchMessage', {}), (3, {}), ([], {}),
    (None, {}), ('Message', {}), ('FileTransferStartUpload', {
        'source_component_uuid': 'x', 'transfer_uuid': 'y', 'filename': 'z', 'mime_type': '',
        'part_count': 9, 'size_bytes': 9})]

MALFORMED = [b'', b'\xc1', b'\x91' * 9999, b'\x81' * 9999, b'\x81\xa4type\xa2\xff\xff', b'\x01',
             b'\x81\xa1a' * 9999, 'a text', msgspec.msgpack.encode([{'type': 'ShareUrlRequest'}])]


class Panel:
    """A page with one element of each kind, which keeps what comes in."""

    def __init__(self):
        self.server, self.done, self.stops = GuardedServer(port=0), threading.Event(), []
        gui = self.server.gui
        self.stop = gui.add_button('Stop')
        self.slider = gui.add_slider('slider', 0.0, 1.0, 0.1, 0.2)
        self.box = gui.add_checkbox('box', False)
        self.list = gui.add_dropdown('list', ('a', 'b'))
        self.group = gui.add_button_group('group', ('a', 'b'))
        self.vector = gui.add_vector2('vector', (0.0, 0.5), min=(-1.0, 0.0), max=(1.0, 2.0))
        self.gizmo = self.server.scene.add_transform_controls('/target')
        for told in self.stop.on_click, gui.add_command('Stop').on_trigger:
            told(lambda event: self.stops.append(event.client_id) or self.done.set())

    def state(self):
        return (self.slider.value, self.box.value, self.list.value, self.group.value,
                self.vector.value, self.stop.visible, tuple(self.gizmo.position),
                tuple(self.gizmo.wxyz))

    def is_stopped_by(self, browser):
        self.done.clear()
        browser.click('Stop')
        return self.done.wait(10.0)


@pytest.fixture
def panel():
    panel = Panel()
    yield panel
    panel.server.stop()


def test_the_page_itself_is_understood(panel):
    with Forger(panel.server.bound_port) as page:
        for label, value in (('slider', 1), ('box', True), ('list', 'b'), ('group', 'b'),
                             ('vector', (-1, 1.5))):
            page.set(label, value)
        page.send('TransformControlsDragStartMessage', name='/target', owner='')
        page.send('TransformControlsUpdateMessage', **POSE, owner='')
        page.send('TransformControlsDragEndMessage', name='/target', owner='')
        page.press('Stop')
        assert panel.done.wait(10.0) and panel.is_stopped_by(page)
        assert panel.state() == (1.0, True, 'b', 'b', (-1.0, 1.5), True, POSE['position'],
                                 POSE['wxyz'])
        client, = panel.server.get_clients().values()
        client.gui.add_checkbox('own', False).on_update(lambda _: panel.done.set())
        panel.done.clear()
        page.set('own', True)
        assert panel.done.wait(10.0)


def test_forged_messages_change_nothing_and_everybody_may_still_stop(panel, capfd):
    before = panel.state()
    with Forger(panel.server.bound_port) as page, Forger(panel.server.bound_port) as forger:
        assert panel.is_stopped_by(page) and panel.is_stopped_by(forger)
        for label, updates in FORGED:
            forger.forge(label, updates)
        forger.send('GuiUpdateMessage', uuid='unknown', updates={'value': True})
        for kind, content in OTHERS:
            forger.send(kind, **content)
        for raw in MALFORMED:
            forger.send_bytes(raw)
        assert panel.is_stopped_by(forger) and panel.is_stopped_by(page)
        assert panel.state() == before and len(panel.stops) == 4
    said = capfd.readouterr().err.splitlines()
    assert panel.server.guard.passed_over == len(FORGED) + 1 + len(OTHERS) + len(MALFORMED)
    assert len(said) == 1 and said[0].startswith('viewer: passed over what no page sends: ')


def test_a_huge_message_ends_its_sender_alone(panel):
    forger = Forger(panel.server.bound_port)
    with Forger(panel.server.bound_port) as page:
        assert panel.is_stopped_by(page) and panel.is_stopped_by(forger)
        gone = threading.Event()
        panel.server.on_client_disconnect(lambda _: gone.set())
        forger.send_bytes(bytes(2 ** 20))
        assert gone.wait(20.0) and panel.is_stopped_by(page)
