# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A browser as the viewer sees it: messages over a real websocket, without a picture."""

from html import unescape
from math import dist
import re
import threading
from time import monotonic, sleep

import msgspec
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
import zstandard


#: viser tells of those browsers alone that have said where they look from.
CAMERA = {'wxyz': (1, 0, 0, 0), 'position': (1, 0, 0), 'fov': 1.0, 'near': 0.1, 'far': 10.0,
          'image_height': 100, 'image_width': 100, 'look_at': (0, 0, 0), 'up_direction': (0, 0, 1)}


def port_of(process):
    """Return the port of a viewer's process, as soon as it says it."""
    while not (found := re.search(r'viewer: http://127.0.0.1:(\d+)/', process.output())):
        if process.wait(0.05) is not None:
            raise RuntimeError(process.describe())
    return int(found.group(1))


class Browser:
    """
    One open page.

    :param port: of the viewer.
    """

    def __init__(self, port):
        self.port, page = port, f'127.0.0.1:{port}'
        self.received = 0   # bytes
        self._changed = threading.Condition()
        self._gui = {}      # by uuid: what an element is
        self._commands = {}
        self.nodes = {}     # by name: what was last said of a node of the scene
        self.eye = None     # where it was told to look from
        self._socket = connect(f'ws://{page}', origin=f'http://{page}', max_size=None,
                               subprotocols=[f'viser-v{viser.__version__}'])
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        self.send('ViewerCameraMessage', **CAMERA)

    def send(self, kind, **content):
        """Send a message as the page's script does."""
        self._socket.send(msgspec.msgpack.encode({'type': kind, **content}))

    def click(self, label):
        """Click a button."""
        self.set(label, True)

    def set(self, label, value):  # noqa: A003
        """Set a checkbox or slider, or click a button."""
        self.wait_until(lambda: self._uuid(label), label)
        with self._changed:
            self._gui[self._uuid(label)]['value'] = value   # nobody tells a browser of its own
        self.send('GuiUpdateMessage', uuid=self._uuid(label), updates={'value': value})

    def reset(self):
        """Click Reset, as soon as it can be clicked, and wait until it cannot any more."""
        self.says('**You have control.**')   # which another that is closed may still have
        reset = self._gui[self._uuid('Reset')]
        self.wait_until(lambda: not reset['disabled'], 'Reset')
        self.click('Reset')
        self.wait_until(lambda: reset['disabled'], 'the end of the stop')
        sleep(0.3)      # what comes sooner may be a stream that has gone on

    def press(self, command):
        """Press the key of a command."""
        self.wait_until(lambda: command in self._commands, command)
        self.send('CommandTriggerMessage', uuid=self._commands[command])

    def hold(self, label, still, *others):
        """Hold a button, and others, as long as something is so."""
        self.wait_until(lambda: self._uuid(label), label)
        deadline = monotonic() + 10.0
        while still():
            assert monotonic() < deadline, f'{label} has no effect; the page says {self.words()}'
            for each in (label, *others):
                self.send('GuiButtonHoldMessage', uuid=self._uuid(each), frequency=20.0)
            sleep(0.05)

    def drag(self, position, wxyz):
        """Drag the target."""
        self.send('TransformControlsUpdateMessage', name='/target', wxyz=tuple(wxyz),
                  position=tuple(position), owner='')

    def value(self, label):
        """Return the value of an element, ``None`` before there is one."""
        return self._gui.get(self._uuid(label), {}).get('value')

    def is_grey(self, label):
        """Return whether a button cannot be clicked."""
        return self._gui[self._uuid(label)]['disabled']

    def options(self, label):
        """Return what a list offers."""
        return self._gui[self._uuid(label)]['options']

    def words(self):
        """Return all texts of the page, line by line; what is bold is between two stars."""
        with self._changed:
            texts = [element['content'] for element in self._gui.values()
                     if 'content' in element and not any(
                         part in element['content'] for part in ('<style', 'data-beat'))]
        for tag, plain in (('</?b>', '**'), ('</td>', '|'), ('<[^/].*?>', '')):
            texts = [re.sub(tag, plain, text) for text in texts]
        return [unescape(line).replace('****', '').strip()
                for text in texts for line in re.split('</.*?>', text)]

    def wait_until(self, holds, what, timeout=10.0):
        """Wait for what a message brings."""
        deadline = monotonic() + timeout
        with self._changed:
            while not holds():
                left = deadline - monotonic()
                assert left > 0.0, f'waited for {what}; the page says {self.words()}'
                self._changed.wait(min(left, 0.5))

    def says(self, words, timeout=10.0):
        """Wait until a text of the page has these words."""
        self.wait_until(lambda: any(words in text for text in self.words()), words, timeout)

    def go_aside(self):
        """Have the arm go 5 cm aside, and wait until it is shown there."""
        self.wait_until(lambda: {'position', 'wxyz'} <= self.nodes.get('/target', {}).keys(),
                        'the target')
        x, y, z = self.nodes['/target']['position']
        self.drag((x, y + 0.05, z), self.nodes['/target']['wxyz'])
        self.click('Go')
        self.says('accepted')
        self.wait_until(lambda: dist(
            self.nodes['/measured/tool0']['position'], (x, y + 0.05, z)) < 2e-3, 'the arm there')

    def close(self):
        """Close the page, as a browser that is killed: without goodbye."""
        self._socket.socket.shutdown(2)
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _uuid(self, label):
        return next((uuid for uuid, element in self._gui.items()
                     if element.get('label') == label), None)

    def _read(self):
        try:
            for raw in self._socket:
                self.received += len(raw)
                size = int.from_bytes(raw[8:16], 'little')
                packed = zstandard.ZstdDecompressor().decompress(raw[16:16 + size])
                with self._changed:
                    for message in msgspec.msgpack.decode(packed)['messages']:
                        self._take(message)
                    self._changed.notify_all()
        except (ConnectionClosed, OSError):
            pass

    def _take(self, message):
        kind = message['type']
        if kind == 'RegisterCommandMessage':
            self._commands[message['props']['label']] = message['uuid']
        elif kind.startswith('Gui') and 'props' in message:
            self._gui[message['uuid']] = {**message['props'], 'value': message.get('value')}
        elif kind == 'GuiUpdateMessage':
            self._gui.setdefault(message['uuid'], {}).update(message['updates'])
        elif kind == 'SetCameraPositionMessage':
            self.eye = message['position']
        elif kind == 'RemoveSceneNodeMessage':
            self.nodes.pop(message['name'], None)
        elif 'name' in message:
            node = self.nodes.setdefault(message['name'], {})
            node.update(message.get('props', {}), **message.get('updates', {}))
            node.update({key: message[key] for key in ('position', 'wxyz', 'visible')
                         if key in message})


def reset(arm, page):
    """Wait until an arm has been stopped, and have a page release the stop."""
    arm.wait_until(lambda: 'disabled' in arm.status.reason, 'no more commands')
    page.reset()
    arm.wait_until(lambda: 'enabled' in arm.status.reason, 'the reset')
