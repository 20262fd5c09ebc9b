# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The viewer's server, asked by raw sockets: as a foreign page or program would ask it."""

import base64
import os
import socket
import threading

from arm_ik.errors import InvalidInputError
import pytest

pytest.importorskip('viser', reason='needs viser: pip install arm_ik[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer import guarded_server
from arm_ik.viewer.guarded_server import ask, GuardedServer, self_check
import msgspec
import viser
import websockets.asyncio.server
from websockets.sync.client import connect

TOKEN = 'abcdefghij-0123456789'
SOCKET = ('Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
          f'Sec-WebSocket-Protocol: viser-v{viser.__version__}',
          f'Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}')


@pytest.fixture(scope='module')
def local():
    server = GuardedServer(port=0)
    yield server
    server.stop()


@pytest.fixture(scope='module')
def open_one():
    server = GuardedServer(host='0.0.0.0', port=0, token=TOKEN)
    yield server
    server.stop()


def test_it_listens_on_this_host_only(local):
    sockets = [line.split() for line in open('/proc/net/tcp')][1:]
    listening = {fields[1] for fields in sockets if fields[3] == '0A'}
    assert f'0100007F:{local.bound_port:04X}' in listening
    assert f'00000000:{local.bound_port:04X}' not in listening


@pytest.mark.parametrize('name', ['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])
def test_its_own_page_is_served_and_gets_its_socket(local, name):
    host = f'{name}:{local.bound_port}'
    assert ask('127.0.0.1', local.bound_port, f'Host: {host}') == 200
    assert ask('127.0.0.1', local.bound_port, f'Host: {host}',
               f'Origin: http://{host}', *SOCKET) == 101


@pytest.mark.parametrize('origin', [
    None, 'null', '', 'http://example.com', 'https://127.0.0.1:{port}', 'http://127.0.0.1',
    'http://127.0.0.1:1', 'http://127.0.0.1:{port}.example.com', 'http://localhost:{port}',
    'http://127.0.0.1:{port}\r\nOrigin: http://example.com', 'file://'])
def test_a_socket_of_another_page_is_refused(local, origin):
    port = local.bound_port
    lines = [f'Host: 127.0.0.1:{port}', *SOCKET]
    lines += [] if origin is None else [f'Origin: {origin.format(port=port)}']
    assert ask('127.0.0.1', port, *lines) == 403


@pytest.mark.parametrize('upgrade', ['WebSocket', 'WEBSOCKET', 'websocket, h2c', 'h2c'])
def test_no_other_spelling_gets_a_socket_without_origin(local, upgrade):
    port = local.bound_port
    lines = [line for line in SOCKET if not line.startswith('Upgrade')]
    assert ask('127.0.0.1', port, f'Host: 127.0.0.1:{port}', f'Upgrade: {upgrade}', *lines) == 403


@pytest.mark.parametrize('host', [
    'example.com:{port}', 'localhost.example.com:{port}', '127.0.0.1', '', '127.0.0.1:{port}@x',
    '127.0.0.1:{port}\r\nHost: example.com'])
@pytest.mark.parametrize('more', [(), SOCKET])
def test_a_rebinding_name_gets_neither_page_nor_socket(local, host, more):
    host = host.format(port=local.bound_port)
    lines = (*more, f'Origin: http://{host.splitlines()[0] if host else ""}') if more else ()
    assert ask('127.0.0.1', local.bound_port, f'Host: {host}', *lines) == 403


def test_without_host_there_is_nothing(local):
    assert ask('127.0.0.1', local.bound_port, 'Accept: */*') == 403


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
    with socket.create_connection(('127.0.0.1', port), timeout=10.0) as connection:
        connection.sendall(f'GET /?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
        answer = connection.recv(4096).decode()
    assert answer.startswith('HTTP/1.1 303')
    cookie = next(line for line in answer.splitlines() if line.startswith('Set-Cookie: '))
    assert 'HttpOnly' in cookie and 'SameSite=Strict' in cookie
    brought = 'Cookie: other=1; ' + cookie.removeprefix('Set-Cookie: ').split(';')[0]
    assert ask('127.0.0.1', port, f'Host: {host}', brought) == 200
    assert ask('127.0.0.1', port, f'Host: {host}', f'Origin: http://{host}', brought,
               *SOCKET) == 101
    assert ask('127.0.0.1', port, f'Host: {host}', 'Origin: http://example.com', brought,
               *SOCKET) == 403


def test_a_busy_port_is_an_error_and_no_other_port_is_taken(local):
    with pytest.raises(InvalidInputError, match=f'--port is {local.bound_port}; .*free'):
        GuardedServer(port=local.bound_port)


def test_no_client_gets_a_public_address(local, monkeypatch):
    made, handled = [], threading.Event()
    monkeypatch.setattr('viser._viser.ViserTunnel', lambda *args, **kwargs: made.append(args))
    answer = GuardedServer.request_share_url

    def answered(server):
        try:
            answer(server)
        finally:
            handled.set()
    monkeypatch.setattr(GuardedServer, 'request_share_url', answered)
    page = f'127.0.0.1:{local.bound_port}'
    with connect(f'ws://{page}', origin=f'http://{page}',
                 subprotocols=[f'viser-v{viser.__version__}']) as client:
        client.send(msgspec.msgpack.encode({'type': 'ShareUrlRequest'}))
        assert handled.wait(20.0)
    assert made == []


def test_a_browser_that_does_not_answer_is_let_go(monkeypatch):
    monkeypatch.setattr(guarded_server, 'PING_INTERVAL', 0.1)
    monkeypatch.setattr(guarded_server, 'PING_TIMEOUT', 0.2)
    server, gone = GuardedServer(port=0), threading.Event()
    server.on_client_disconnect(lambda _: gone.set())
    try:
        page = f'127.0.0.1:{server.bound_port}'
        with socket.create_connection(('127.0.0.1', server.bound_port)) as silent:
            silent.sendall('\r\n'.join((
                'GET / HTTP/1.1', f'Host: {page}', f'Origin: http://{page}', *SOCKET, '', '')
            ).encode())
            # viser tells of those alone that have said where they look from
            camera = msgspec.msgpack.encode({
                'type': 'ViewerCameraMessage', 'wxyz': (1, 0, 0, 0), 'position': (1, 0, 0),
                'fov': 1.0, 'near': 0.1, 'far': 10.0, 'image_height': 100, 'image_width': 100,
                'look_at': (0, 0, 0), 'up_direction': (0, 0, 1)})
            frame = bytes([0x82, 0x80 | 126]) + len(camera).to_bytes(2, 'big') + bytes(4) + camera
            silent.sendall(frame)
            assert gone.wait(20.0)
    finally:
        server.stop()


def test_the_check_at_the_start_notices_a_server_without_guard(monkeypatch):
    server = viser.ViserServer(host='127.0.0.1', port=0, verbose=False)
    try:
        with pytest.raises(RuntimeError, match='a foreign page was answered with 101, not 403'):
            self_check('127.0.0.1', server.get_port())
    finally:
        server.stop()


def test_the_wrap_is_taken_off_again(local):
    assert websockets.asyncio.server.serve.__module__.startswith('websockets')
