# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
viser's server, safe to have with an arm.

As it comes, any web page open in the user's browser could move the arm. Here it is bound to this
host, unless a token is given. The host of a request is one of the server's own names; a websocket
has the page's own origin; with a token, a cookie carries it. No other page may show this one in a
frame. A message sets nothing but an input's value, finite and within its bounds; others are passed
over and reported. There is no public address; a busy port is an error; a browser that is missing
is noticed in seconds. All that hangs on one wrapped function of another package: a viser that does
not call it is refused.
"""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, redirect_stdout
from hmac import compare_digest
from http import HTTPStatus
from io import StringIO
from math import inf
import re
import socket
import sys
from time import monotonic
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit
from weakref import WeakValueDictionary

import msgspec
import viser.infra
import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ..errors import InvalidInputError

#: Addresses that only programs of this host can reach.
LOCAL = ('127.0.0.1', '::1', 'localhost')

#: Shortest token: nobody guesses it over the network.
SHORTEST_TOKEN = 16

#: This host, as its browsers call it, with any port.
_OWN_HOST = r'(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?'

#: The like is not printed again for so long [s].
_AGAIN = 10.0

#: What browsers call the fetch of a page for a frame.
_FRAMES = {'iframe', 'frame', 'fencedframe', 'embed', 'object'}

#: How often a browser is asked whether it is there, and how long it may take to answer [s].
PING_INTERVAL, PING_TIMEOUT = 2.0, 4.0

#: Longest message of a browser [bytes], and farthest that it may be in the scene [m].
_LONGEST, _FARTHEST = 2 ** 16, 1e6

#: A text that is typed.
_NAME = Annotated[str, msgspec.Meta(max_length=40, pattern=r'^[\w .-]*$')]

#: What the page sends. viser takes more, such as files.
_KINDS = {kind.__name__: kind for kind in viser.infra.Message.get_subclasses() if re.fullmatch(
    '(CommandTrigger|GuiButtonHold|GuiUpdate|TransformControls.+|ViewerCamera)Message',
    kind.__name__)}


class GuardedServer(viser.ViserServer):
    """
    A :class:`viser.ViserServer` behind the guard.

    :param host: address to listen on.
    :param port: port; 0: any that is free.
    :param token: what browsers have to bring; needed where others than this host can reach it.
    :raises InvalidInputError: for a bad or busy port, or an open address without a token.
    """

    def __init__(self, host: str = '127.0.0.1', port: int = 8080, token: str = '',
                 **kwargs: Any) -> None:
        if not token and host not in LOCAL:
            raise InvalidInputError('--token', token, f'one, because --host {host} lets others '
                                    'than this host move the arm')
        if token and not re.fullmatch(rf'[A-Za-z0-9_-]{{{SHORTEST_TOKEN},}}', token):
            raise InvalidInputError('--token', token,
                                    f'at least {SHORTEST_TOKEN} letters, digits, _-')
        listening = _listen(host, port)
        self.bound_port: int = listening.getsockname()[1]
        self.guard = guard = Guard(self.bound_port, token)
        # viser prints addresses that may not open.
        with _guarded(listening, guard), redirect_stdout(StringIO()):
            super().__init__(host=host, port=self.bound_port, verbose=False, **kwargs)
        if not guard.is_asked:
            self.stop()
            raise RuntimeError(f'this viser ({viser.__version__}) serves past the guard')


class Guard:
    """
    Decides about requests and messages, before viser sees them.

    :param port: that the server listens on.
    :param token: ``''`` without one.
    """

    def __init__(self, port: int, token: str) -> None:
        self.is_asked = False     # by a server
        #: Serves the websocket of a browser's gamepad.
        self.pad: Callable[[Any], Coroutine[Any, Any, None]] | None = None
        self.passed_over = 0      # messages
        self._printed: dict[str, float] = {}   # when something was printed, by its first word
        self._cookie = f'arm_ik_viewer_{port}'
        self._token = token
        self._inputs: WeakValueDictionary[str, Any] = WeakValueDictionary()  # by uuid: the bounds

    def refusal(self, request: Request) -> str | None:
        """Return why a request is refused; ``None``: it is not."""
        hosts = request.headers.get_all('Host')
        if len(hosts) != 1:
            return 'one Host, please'
        host = hosts[0].lower()
        # With a token other names are right too: a foreign page does not have the cookie. Another
        # port may be in front: a name that leads to a foreign page is what matters.
        if not self._token and not re.fullmatch(_OWN_HOST, host):
            return ("under another name than this host's only with a token: start the viewer "
                    'with ARM_IK_VIEWER_TOKEN set, and open the address that it prints')
        if request.headers.get_all('Upgrade'):
            origins = request.headers.get_all('Origin')
            if len(origins) != 1 or not re.fullmatch(f'https?://{re.escape(host)}',
                                                     origins[0].lower()):
                self._tell(f'refused a page of {", ".join(origins) or "nowhere"} that asks for '
                           f'{host}; a proxy in front has to pass on the Host')
                return 'not the page of this server'
        if _FRAMES & {*request.headers.get_all('Sec-Fetch-Dest')}:
            return 'not in a frame of another page'
        # With these, the page would run what another server sends.
        if {'websocket', 'playbackPath'} & parse_qs(urlsplit(request.path).query).keys():
            return 'not with what another server sends'
        if self._token and not self._has_cookie(request) and not self.brings_token(request):
            return 'open the address with ?token=... that the viewer has printed'
        return None

    def brings_token(self, request: Request) -> bool:
        """Return whether the address of a page has the token."""
        given = parse_qs(urlsplit(request.path).query).get('token', [''])
        return (bool(self._token) and not request.headers.get_all('Upgrade')
                and _same(given[0], self._token))

    def welcome(self, request: Request) -> Response:
        """Return the answer to a page's address with the token: a cookie, and the page again."""
        return Response(HTTPStatus.SEE_OTHER.value, 'See Other', Headers({
            'Location': '/', 'Content-Length': '0', 'Cache-Control': 'no-store',
            'Set-Cookie': f'{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/'}))

    def keep_from_frames(self, _connection: Any, _request: Request, answer: Response) -> None:
        """Have browsers show an answer in no frame."""
        answer.headers['Content-Security-Policy'] = "frame-ancestors 'none'"
        answer.headers['X-Frame-Options'] = 'DENY'

    def learn(self, sent: Any) -> None:
        """Take note of an input that browsers hear of."""
        if hasattr(sent, 'value') and hasattr(sent, 'props'):
            self._inputs[sent.uuid] = sent.props

    async def received(self, receive: Callable[..., Any]) -> bytes:
        """Return the next message of a browser that may pass."""
        while True:
            raw = await receive(decode=False)
            try:
                return self._passed(raw)
            except Exception as error:  # noqa: BLE001, whatever it is
                self.passed_over += 1
                self._tell(f'passed over what no page sends: {error!r:.200}')

    def _tell(self, words: str) -> None:
        """Print something, unless the like was printed a short time ago."""
        kind = words.partition(' ')[0]
        if monotonic() - self._printed.get(kind, -inf) > _AGAIN:
            self._printed[kind] = monotonic()
            print(f'viewer: {words}', file=sys.stderr)

    def _passed(self, raw: bytes) -> bytes:
        """Return a message as viser may have it, or raise what is wrong with it."""
        # JSON has neither NaN nor infinity.
        content = msgspec.json.decode(msgspec.json.encode(msgspec.msgpack.decode(raw)))
        kind = content['type']
        content = msgspec.to_builtins(msgspec.convert(content, _KINDS[kind]))
        if 'updates' in content:
            props = self._inputs[content['uuid']]
            allowed: Any = Literal[props.options] if hasattr(props, 'options') else _between(
                props.min, props.max) if hasattr(props, 'min') else (
                    _NAME if hasattr(props, 'multiline') else bool)
            content['updates'] = {'value': msgspec.convert(
                content['updates'], dict[Literal['value'], allowed])['value']}
        if 'wxyz' in content and not (0.5 < sum(part ** 2 for part in content['wxyz']) < 2.0
                                      and max(map(abs, content['position'])) < _FARTHEST):
            raise ValueError(f'{kind} with {content}')
        return msgspec.msgpack.encode({'type': kind, **content})

    def _has_cookie(self, request: Request) -> bool:
        cookies = '; '.join(request.headers.get_all('Cookie')).split(';')
        pairs = (cookie.strip().partition('=') for cookie in cookies)
        return any(name == self._cookie and _same(value, self._token) for name, _, value in pairs)


def address_of(host: str, port: int) -> str:
    """Return the address to open for a server that listens on a host's address, or on all."""
    if host in ('0.0.0.0', '::', ''):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect(('192.0.2.1', 9))   # sends nothing: which address would be used
                host = asked.getsockname()[0]
            except OSError:
                host = '127.0.0.1'
    return f'http://[{host}]:{port}/' if ':' in host else f'http://{host}:{port}/'


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise InvalidInputError('--port', port, '0 to 65535, where 0 is any that is free')
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=':' in host)
    except OSError as error:
        raise InvalidInputError('--port', port, f'one that is free on {host}: {error.strerror}; '
                                'does another viewer run?') from error


@contextmanager
def _guarded(listening: socket.socket, guard: Guard) -> Iterator[None]:
    """Have viser serve on a socket, behind a guard that is noted while its server is made."""
    serve, make = websockets.asyncio.server.serve, viser.infra.WebsockServer

    def wrapped(handler: Any, _host: Any, _port: Any, *, process_request: Callable[..., Any],
                max_size: int, **kwargs: Any) -> Any:
        def guarded(connection: Any, request: Request) -> Any:
            if refusal := guard.refusal(request):
                return connection.respond(HTTPStatus.FORBIDDEN, refusal + '\n')
            if guard.brings_token(request):
                return guard.welcome(request)
            return process_request(connection, request)

        def handled(connection: Any) -> Any:
            if connection.request.path == '/gamepad' and guard.pad:
                return guard.pad(connection)
            connection.recv = lambda receive=connection.recv: guard.received(receive)
            return handler(connection)
        guard.is_asked = True
        return serve(handled, sock=listening, process_request=guarded, max_size=_LONGEST,
                     process_response=guard.keep_from_frames, ping_interval=PING_INTERVAL,
                     ping_timeout=PING_TIMEOUT, close_timeout=PING_INTERVAL, **kwargs)

    def noted(**kwargs: Any) -> Any:
        server: Any = make(**kwargs)
        # A serializer's filter sees all that is sent. This one has it keep nothing.
        server.get_message_serializer(guard.learn)
        server.on_client_connect(lambda client: client.get_message_serializer(guard.learn))
        return server

    websockets.asyncio.server.serve, viser.infra.WebsockServer = wrapped, noted  # type: ignore
    try:
        yield
    finally:
        websockets.asyncio.server.serve, viser.infra.WebsockServer = serve, make  # type: ignore


def _between(low: Any, high: Any) -> Any:
    """Return the type of numbers in a range, or of vectors of them."""
    if isinstance(low, tuple):
        return tuple[tuple(map(_between, low, high))]  # type: ignore[misc]
    return Annotated[float, msgspec.Meta(ge=low, le=high)]


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(), wanted.encode())
