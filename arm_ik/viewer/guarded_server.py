# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
viser's server, safe to have beside an arm.

As it comes, it listens on all addresses and takes websockets from every origin: any page open in
the user's browser could move the arm. Any client may have it ask for a public address, and a busy
port is silently replaced by the next one. Here

- it is bound to this host, unless a token is given;
- the host of every request is one of the server's own names, which stops rebinding of foreign
  names, and with a token, every request but the first carries it in a cookie;
- a websocket needs an origin, and it is the page's own;
- there is no public address;
- a browser that is gone without a word is noticed in seconds;
- a busy port is an error.

All of it is checked by raw sockets at the start, because it hangs on one wrapped function of
another package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from http import HTTPStatus
import re
import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

import viser
import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ..errors import InvalidInputError

#: Addresses that only programs of this host can reach.
LOCAL = ('127.0.0.1', '::1', 'localhost')

#: Shortest token: nobody guesses it over the network.
SHORTEST_TOKEN = 16

_COOKIE = 'arm_ik_viewer'

#: How often a browser is asked whether it is there, and how long it may take to answer [s].
PING_INTERVAL, PING_TIMEOUT = 2.0, 4.0

#: How long the check at the start waits for an answer [s].
_PATIENCE = 10.0


class GuardedServer(viser.ViserServer):
    """
    A :class:`viser.ViserServer` behind the guard.

    :param host: address to listen on.
    :param port: port; 0: any that is free.
    :param token: what browsers have to bring; needed where others than this host can reach it.
    :raises InvalidInputError: for a busy port, or an open address without a token.
    """

    def __init__(self, host: str = '127.0.0.1', port: int = 8080, token: str = '',
                 **kwargs: Any) -> None:
        require_token(host, token)
        listening = _listen(host, port)
        self.bound_port: int = listening.getsockname()[1]
        guard = Guard(host, self.bound_port, token)
        with _guarded(listening, guard):
            super().__init__(host=host, port=self.bound_port, verbose=False, **kwargs)
        try:
            self_check(host, self.bound_port, token)
        except BaseException:
            self.stop()
            raise

    def request_share_url(self, verbose: bool = True) -> None:
        """Do nothing: the arm gets no public address, whoever asks for one."""


class Guard:
    """
    Decides about requests, before viser sees them.

    :param host: address that the server listens on.
    :param port: its port.
    :param token: ``''`` without one.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        self._hosts = {f'{name}:{port}' for name in ('127.0.0.1', 'localhost', '[::1]')}
        if port == 80:
            self._hosts |= {name.rpartition(':')[0] for name in self._hosts}
        self._cookie = f'{_COOKIE}_{port}'
        self._token = token

    def refusal(self, request: Request) -> str | None:
        """Return why a request is refused; ``None``: it is not."""
        hosts = request.headers.get_all('Host')
        if len(hosts) != 1:
            return 'one Host, please'
        host = hosts[0].lower()
        # With a token other names are right too: a foreign page does not have the cookie.
        if not self._token and host not in self._hosts:
            return 'not a name of this server'
        if request.headers.get_all('Upgrade'):
            origins = request.headers.get_all('Origin')
            if len(origins) != 1 or origins[0].lower() != f'http://{host}':
                return 'not the page of this server'
        if self._token and not self._has_cookie(request) and not self.brings_token(request):
            return 'open the address with ?token=... that the viewer has printed'
        return None

    def brings_token(self, request: Request) -> bool:
        """Tell whether the address of a page has the token."""
        given = parse_qs(urlsplit(request.path).query).get('token', [''])
        return (bool(self._token) and not request.headers.get_all('Upgrade')
                and _same(given[0], self._token))

    def welcome(self, request: Request) -> Response:
        """Return the answer to a page's address with the token: a cookie, and the page again."""
        return Response(HTTPStatus.SEE_OTHER.value, 'See Other', Headers({
            'Location': '/', 'Content-Length': '0', 'Cache-Control': 'no-store',
            'Set-Cookie': f'{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/'}))

    def _has_cookie(self, request: Request) -> bool:
        cookies = '; '.join(request.headers.get_all('Cookie')).split(';')
        pairs = (cookie.strip().partition('=') for cookie in cookies)
        return any(name == self._cookie and _same(value, self._token) for name, _, value in pairs)


def require_token(host: str, token: str) -> None:
    """Raise :class:`InvalidInputError` for an open address without a token, or a bad token."""
    if not token and host not in LOCAL:
        raise InvalidInputError('--token', token, f'one, because --host {host} lets others than '
                                'this host move the arm')
    if token and not re.fullmatch(rf'[A-Za-z0-9_-]{{{SHORTEST_TOKEN},}}', token):
        raise InvalidInputError('--token', token, f'at least {SHORTEST_TOKEN} letters, digits, _ '
                                'or -')


def self_check(host: str, port: int, token: str = '') -> None:
    """
    Ask the running server by raw sockets, as a foreign page would.

    :raises RuntimeError: if it lets one in.
    """
    address = {'0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1'}.get(host, host)
    name = f'[{address}]:{port}' if ':' in address else f'{address}:{port}'
    upgrade = ('Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
               'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
               f'Sec-WebSocket-Protocol: viser-v{viser.__version__}')
    cookie = (f'Cookie: {_COOKIE}_{port}={token}',) if token else ()
    cases = [
        ('its own page', 200, (f'Host: {name}', *cookie)),
        ('a websocket of its own page', 101,
         (f'Host: {name}', f'Origin: http://{name}', *upgrade, *cookie)),
        ('a websocket of a foreign page', 403,
         (f'Host: {name}', 'Origin: http://example.com', *upgrade, *cookie)),
        ('a websocket without origin', 403, (f'Host: {name}', *upgrade, *cookie)),
        ('a request without host', 403, cookie)]
    if token:
        cases.append(('a request without token', 403, (f'Host: {name}',)))
    else:
        foreign = f'example.com:{port}'
        cases.append(('a rebinding name', 403, (f'Host: {foreign}', f'Origin: http://{foreign}',
                                                *upgrade)))
    for what, wanted, lines in cases:
        found = ask(address, port, *lines)
        if found != wanted:
            raise RuntimeError(f'the viewer is not safe with this viser ({viser.__version__}): '
                               f'{what} was answered with {found}, not {wanted}')


def ask(address: str, port: int, *lines: str, path: str = '/') -> int:
    """Return the status that the server answers a GET of these header lines with."""
    with socket.create_connection((address, port), timeout=_PATIENCE) as connection:
        connection.sendall('\r\n'.join((f'GET {path} HTTP/1.1', *lines, '', '')).encode())
        answer = connection.recv(64)
    return int(answer.split()[1]) if answer.startswith(b'HTTP/') else 0


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        raise InvalidInputError('--port', port, f'one that is free on {host}: {error.strerror}; '
                                'does another viewer run?') from error
    return listening


@contextmanager
def _guarded(listening: socket.socket, guard: Guard) -> Iterator[None]:
    """Have viser serve on a socket, behind a guard, while its server is made."""
    serve = websockets.asyncio.server.serve

    def wrapped(handler: Any, _host: Any, _port: Any, *, process_request: Callable[..., Any],
                **kwargs: Any) -> Any:
        def guarded(connection: Any, request: Request) -> Any:
            refusal = guard.refusal(request)
            if refusal is not None:
                return connection.respond(HTTPStatus.FORBIDDEN, refusal + '\n')
            if guard.brings_token(request):
                return guard.welcome(request)
            return process_request(connection, request)
        return serve(handler, sock=listening, process_request=guarded,
                     ping_interval=PING_INTERVAL, ping_timeout=PING_TIMEOUT,
                     close_timeout=PING_INTERVAL, **kwargs)

    websockets.asyncio.server.serve = wrapped  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = serve  # type: ignore[misc]


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(), wanted.encode())
