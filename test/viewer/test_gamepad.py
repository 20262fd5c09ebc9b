# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The gamepad of the page: over its websocket, and scripted in a real browser."""

import json
from time import monotonic, sleep

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.description.presets import config_directory
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.jog import Pad as Pad_
from arm_ik.viewer.page import Page
from arm_ik.viewer.simulated import ArmWithoutRos
from browser import Browser
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
import yaml

pytestmark = pytest.mark.about_time

FORWARD = [0.0, -1.0, 0.0, 0.0]
HELD = [0.0] * 4 + [1.0] + [0.0] * 12
SETTLED = 1.0       # [s], far more than the silence that stops


class Noted(ArmWithoutRos):
    """An arm that notes what it is asked for, with the time."""

    def __init__(self):
        super().__init__(Arm.preset('so101'))
        self.jogs, self.openings = [], []

    def jog(self, linear, angular):
        self.jogs.append((monotonic(), tuple(linear), tuple(angular)))
        super().jog(np.array(linear), np.array(angular))

    def gripper(self, opening):
        self.openings.append(opening)
        super().gripper(opening)

    @property
    def moves(self):
        """Whether the newest jog is one that moves."""
        return bool(self.jogs) and any(self.jogs[-1][1])

    def wait(self, holds, what):
        deadline = monotonic() + 10.0
        while not holds():
            assert monotonic() < deadline, what
            sleep(0.005)


@pytest.fixture
def server_and_arm():
    server, arm = GuardedServer(port=0), Noted()
    page = Page(server, arm)
    yield server, arm
    page.close()
    server.stop()


class Pad:
    """The websocket of a page's gamepad."""

    def __init__(self, server, client=0):
        page = f'127.0.0.1:{server.bound_port}'
        self.socket = connect(f'ws://{page}/gamepad', origin=f'http://{page}')
        self.count, self.client = 0, client

    def send(self, axes=FORWARD, buttons=HELD, **more):
        self.count += 1
        self.socket.send(json.dumps({'n': self.count, 'client': self.client, 'axes': axes,
                                     'buttons': buttons, **more}))

    def move(self, arm):
        """Move the tip until it is seen to."""
        deadline = monotonic() + 10.0
        while not arm.moves:
            assert monotonic() < deadline, 'does not move'
            self.send()
            sleep(0.02)


@pytest.fixture
def pad(server_and_arm):
    server, arm = server_and_arm
    with Browser(server.bound_port) as page:
        page.says('**You have control.**')
        pad = Pad(server)
        yield pad, arm, page
        pad.socket.close()


def test_a_stick_moves_the_tip_while_the_button_is_held(pad):
    pad, arm, page = pad
    page.set('Sticks', 'of the base')
    pad.send(buttons=[0.0] * 17)
    arm.wait(lambda: pad.send() or arm.jogs and arm.jogs[-1][1] == pytest.approx(
        (0.1, 0.0, 0.0)), 'the speed of the tip')
    pad.send(buttons=[0.0] * 17)
    arm.wait(lambda: not arm.moves, 'the release')
    assert arm.jogs[-1][1:] == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    count = len(arm.jogs)
    for _ in range(5):
        pad.send(buttons=[0.0] * 17)
    sleep(SETTLED)
    assert len(arm.jogs) == count       # zeros are sent once


def test_a_silence_of_a_fifth_of_a_second_stops_the_tip(pad):
    pad, arm, _ = pad
    pad.move(arm)
    arm.wait(lambda: not arm.moves, 'the stop')
    last = max(at for at, linear, _ in arm.jogs if any(linear))
    assert 0.15 < arm.jogs[-1][0] - last < 1.0
    commanded = dict(arm.commanded)
    sleep(0.3)
    assert arm.commanded == commanded


@pytest.mark.parametrize('how', ['closed', 'killed', 'broken'])
def test_a_websocket_that_ends_stops_the_tip(pad, how):
    pad, arm, _ = pad
    pad.move(arm)
    if how == 'closed':
        pad.socket.close()
    elif how == 'killed':
        pad.socket.socket.shutdown(2)
    else:
        pad.socket.send('{"n": 1e9}')
        with pytest.raises(ConnectionClosed):
            pad.socket.recv(10.0)
    arm.wait(lambda: not arm.moves, 'the stop')


def test_a_message_that_was_overtaken_is_passed_over(pad):
    pad, arm, _ = pad
    pad.count = 100
    pad.send(buttons=[0.0] * 17)
    pad.count = 50
    for _ in range(10):
        pad.send()
    sleep(SETTLED)
    assert not arm.jogs


@pytest.mark.parametrize('content', [
    {'axes': [2.0, 0.0, 0.0, 0.0]}, {'axes': [0.0] * 5}, {'axes': [0.0] * 3}, {'buttons': []},
    {'buttons': ['x'] * 16}, {'buttons': [0.0] * 33}, {'n': 'many'},
    {'more': 1}, {'axes': None}, {'axes': [float('nan')] * 4}], ids=str)
def test_what_no_pad_sends_closes_the_websocket_and_moves_nothing(pad, content):
    pad, arm, _ = pad
    pad.send(**content)
    with pytest.raises(ConnectionClosed):
        pad.socket.recv(10.0)
    assert not arm.jogs


def test_a_watcher_moves_nothing_and_may_stop(server_and_arm, pad):
    _, arm, page = pad
    with Browser(server_and_arm[0].bound_port) as watcher:
        watcher.says('You watch')
        other = Pad(server_and_arm[0], client=1)
        for _ in range(5):
            other.send()
        sleep(SETTLED)
        assert not arm.jogs
        other.send(buttons=[0.0, 1.0] + [0.0] * 15)
        page.says('stopped: press Reset')
        assert arm.stopped
        other.socket.close()


def test_after_a_stop_the_stick_moves_nothing(pad):
    pad, arm, page = pad
    pad.move(arm)
    page.click('Stop (space)')
    arm.wait(lambda: arm.stopped, 'the stop')
    pad.send()
    arm.wait(lambda: not arm.moves, 'no more')
    count = len(arm.jogs)
    for _ in range(5):
        pad.send()
        sleep(0.05)
    assert len(arm.jogs) == count


def test_triggers_open_and_close_the_gripper_from_where_it_is(pad):
    pad, arm, _ = pad
    for button, sign in ((7, 1.0), (6, -1.0)):
        arm.openings.clear()
        deadline = monotonic() + 20.0
        while not arm.openings or arm.openings[-1] != (sign > 0.0):
            assert monotonic() < deadline, arm.openings[-3:]
            buttons = list(HELD)
            buttons[button] = 1.0
            pad.send([0.0] * 4, buttons)
            sleep(0.03)
        assert np.all(np.diff(arm.openings) * sign >= 0.0)
        assert np.abs(np.diff(arm.openings)).max() < 0.3


@pytest.mark.parametrize('origin', [None, 'http://elsewhere.example', 'null'])
def test_a_foreign_page_gets_no_gamepad(server_and_arm, origin):
    with pytest.raises(InvalidStatus) as refused:
        connect(f'ws://127.0.0.1:{server_and_arm[0].bound_port}/gamepad', origin=origin)
    assert refused.value.response.status_code == 403


def test_without_the_cookie_there_is_no_gamepad():
    server = GuardedServer(port=0, token='sixteen_letters_or_more')
    page = Page(server, Noted())
    try:
        address = f'127.0.0.1:{server.bound_port}'
        with pytest.raises(InvalidStatus) as refused:
            connect(f'ws://{address}/gamepad', origin=f'http://{address}')
        assert refused.value.response.status_code == 403
    finally:
        page.close()
        server.stop()


def asked(axes=(0.0, 0.0, 0.0, 0.0), **pressed):
    """Return the twist of a pad, with buttons pressed by number as ``b4=1.0``."""
    return Pad_(1, 0, axes, [pressed.get(f'b{number}', 0.0) for number in range(17)]).twist


#: Sticks at rest as browsers report them.
@pytest.mark.parametrize('axes', [
    (0.0207, -0.0479, 0.0602, -0.0127), (0.0039, 0.0039, -0.0118, 0.0039),
    (0.0, 0.0, -0.0001, 0.0)],
    ids=['Xbox 360 045e-028e', 'DualShock 4 054c-09cc', '8BitDo Pro 2 2dc8-6003'])
def test_sticks_at_rest_ask_for_nothing_though_they_are_beside_their_middle(axes):
    assert not asked(axes).any()


@pytest.mark.parametrize('axes, linear, angular', [
    ((0.0, -1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),      # left stick up: forward
    ((-1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)),      # to the left
    ((0.0, 0.0, 0.0, -1.00003), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)),  # right stick up
    ((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, -1.0))])     # to the right: clockwise
def test_sticks_are_the_same_in_a_browser_and_over_ros(axes, linear, angular):
    assert asked(axes) == pytest.approx(np.array([linear, angular]))
    given = yaml.safe_load((config_directory() / 'joy.yaml').read_text())[
        'teleop_twist_joy_node']['ros__parameters']
    # SDL numbers the sticks of all three pads so; ROS has left and up positive.
    joy = [-min(max(value, -1.0), 1.0) for value in axes]
    for parts, kind, names in ((linear, 'linear', 'xyz'), (angular, 'angular', ('yaw',))):
        scale = max(given[f'scale_{kind}'].values())
        for name, part in zip(names, parts if kind == 'linear' else parts[2:]):
            sent = joy[given[f'axis_{kind}'][name]] * given[f'scale_{kind}'][name]
            assert sent == pytest.approx(part * scale)
    assert given['enable_button'] == 9      # SDL's left shoulder, LB and L1


def test_a_stick_begins_outside_its_dead_zone_without_a_step():
    for value, part in ((0.15, 0.0), (0.151, 0.001 / 0.85), (0.575, 0.5), (1.0, 1.0)):
        assert asked((0.0, -value, 0.0, 0.0))[0, 0] == pytest.approx(part)
        assert asked((0.0, value, 0.0, 0.0))[0, 0] == pytest.approx(-part)


#: A pad of the browser, in the hand of the test.
SCRIPT = """
window.pad = {id: 'Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e Product: 02fd)',
  mapping: 'standard', connected: true, axes: [0, 0, 0, 0],
  buttons: Array.from({length: 17}, () => ({value: 0}))};
navigator.getGamepads = () => [null, window.pad, null, null];
window.hold = on => {
  pad.axes = [0, on ? -1 : 0.02, 0, 0]; pad.buttons[4] = {value: Number(on)}; };
"""


@pytest.fixture
def padded(server_and_arm, open_page, shows):
    server, arm = server_and_arm

    def opened(*scripts):
        page = open_page(f'http://127.0.0.1:{server.bound_port}/', (800, 500), SCRIPT, *scripts)
        shows(page, 'You have control')
        page.get_by_text('Jog', exact=True).first.click()
        return page, arm
    return opened


#: How a pad is released or not seen, and how it is seen again.
ENDS = {
    'released': ('window.hold(false)', ''),
    'unplugged': ('pad.connected = false', 'pad.connected = true'),
    'missing': ('window.kept = pad; window.pad = null', 'window.pad = kept'),
    'hidden': ("Object.defineProperty(document, 'hidden', {value: true, configurable: true}); "
               "document.dispatchEvent(new Event('visibilitychange'))",
               "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))"),
    'blurred': ("document.hasFocus = () => false; window.dispatchEvent(new Event('blur'))",
                "delete document.hasFocus; window.dispatchEvent(new Event('focus'))"),
    'reloaded': ('location.reload()', '')}


def test_a_scripted_pad_moves_the_tip_until_it_is_released_or_not_seen(padded, shows):
    page, arm = padded()
    shows(page, 'hold LB to move')
    for how, (end, again) in ENDS.items():
        begun = len(arm.jogs)
        page.evaluate('window.hold(true)')
        arm.wait(lambda: arm.moves, f'a jog before it is {how}')
        page.wait_for_timeout(500.0)
        assert len(arm.jogs) > begun + 1
        page.evaluate(end)
        page.wait_for_timeout(300.0)    # for what was on its way
        arm.wait(lambda: not arm.moves, f'the stop when it is {how}')
        commanded = dict(arm.commanded)
        page.wait_for_timeout(500.0)
        assert arm.commanded == commanded and not arm.moves, how
        page.evaluate(again)
        if again:
            page.evaluate('window.hold(false)')
    for joint in arm.arm.model.joints:
        assert joint.lower <= arm.commanded[joint.name] <= joint.upper


def test_the_button_b_stops(padded, shows):
    page, arm = padded()
    shows(page, 'hold LB to move')
    page.evaluate('pad.buttons[1] = {value: 1}')
    shows(page, 'stopped: press Reset')
    assert arm.stopped


def test_the_page_says_what_to_do_where_there_is_no_secure_context(padded, shows):
    page, _ = padded("Object.defineProperty(window, 'isSecureContext', {value: false})")
    shows(page, 'ssh -L 9000:127.0.0.1:')


def test_a_pad_without_the_standard_layout_is_named_and_moves_nothing(padded, shows):
    page, arm = padded("window.pad.mapping = ''; window.pad.id = '8BitDo SN30 Pro'")
    shows(page, '8BitDo SN30 Pro has no standard layout')
    page.evaluate('window.hold(true)')
    page.wait_for_timeout(500.0)
    assert not arm.jogs
