# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page shows of words from outside, in a real browser: where, and as text."""

from dataclasses import replace

import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik import Arm
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page import Page
from arm_ik.viewer.simulated import ArmWithoutRos

pytestmark = pytest.mark.about_time

#: Where each control is, whether its folder is open or not.
PLACES = ('[...document.querySelectorAll("button, input, [role=slider]")]'
          '.map(it => [it.innerText, it.getBoundingClientRect().y])')

#: Would change the title of the page, if it were not shown as text.
SCRIPT = 'document.title = "owned"; parent.document.title = "owned"'
EVIL = (f"<img src=x onerror='{SCRIPT}'>"
        f'<iframe srcdoc="<script>{SCRIPT.replace(chr(34), chr(39))}</script>"></iframe>'
        '[x](javascript:alert) **y** | `z`')


class Told(ArmWithoutRos):
    """An arm of which a test says what is reported; it stays at home."""

    health = [(0, 'simulated')]
    status = ''
    is_known = True

    @property
    def measured(self):
        return super().measured if self.is_known else {}


@pytest.fixture
def arm_and_page(open_page, shows):
    """Return an arm, and the function that opens its page."""
    model = Arm.preset('so101').model
    gripper = replace(model.extra_joints[0], name=f'gripper {EVIL}')
    source = Told(Arm(replace(model, name=EVIL, extra_joints=(gripper,), shapes=())))
    server = GuardedServer(port=0)
    picture = Page(server, source)

    def opened():
        page = open_page(f'http://127.0.0.1:{server.bound_port}/')
        shows(page, 'Arm:')
        return page
    yield source, opened
    picture.close()
    server.stop()


def test_no_control_changes_its_place_whatever_is_said(arm_and_page, shows):
    source, opened = arm_and_page
    page = opened()
    shows(page, 'You have control')
    shows(page, 'reached')
    places = page.evaluate(PLACES)
    assert {'Go', 'Home', 'Reset', 'Take control', 'Enable'} <= {
        text for text, _ in places}
    long = 'a servo is warm, and what is said of that is more than fits into a line; ' * 4
    for number, (health, connection, status, stopped) in enumerate((
            ([(1, f'{part}: {long}') for part in range(5)], 'connected', 'arrived', False),
            ([(2, 'stopped: press Reset')], 'connected', f'refused: {long}', True),
            ([(3, 'driver_node is silent')], 'no joint_states of ' + ', '.join(
                source.arm.joint_names), 'no joint_states', False),
            ([(3, '')], 'no ik_node', f'no ik_node: {long}', False),
            ([], 'connected', '', False))):
        source.connection, source.status, source.stopped = connection, status, stopped
        source.is_known = connection != 'no ik_node'
        source.servos = {name: {'load': '0.25', 'voltage_v': '7.4'}
                         for name in source.arm.joint_names} if number else {}
        source.health = [*health, (1, f'state {number}')]
        shows(page, f'state {number}')
        assert page.evaluate(PLACES) == places, (health, connection)
    watcher = opened()
    shows(watcher, 'You watch')
    shows(watcher, 'state 4')
    assert watcher.evaluate(PLACES) == places


def test_words_from_messages_and_files_are_shown_as_text(arm_and_page, shows):
    source, opened = arm_and_page
    page = opened()
    title = page.title()
    source.connection, source.status = f'connection {EVIL}', f'status {EVIL}'
    source.health = [(1, f'health {EVIL}')]
    for place in ('connection', 'status', 'health', 'gripper', 'arm_ik:'):
        shows(page, f'{place} {EVIL}')
    page.wait_for_timeout(500.0)    # an image that cannot be loaded says so by then
    assert page.title() == title
    assert not page.query_selector('iframe, img[src=x], a[href^=java]')
