# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Explain in the page: what it draws, and that the other bend is set without a motion."""

from arm_ik import Arm
from arm_ik.tool_rotation import target_at
import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from browser import Browser
from test_page import Viewer
from viser.transforms import SO3

pytestmark = pytest.mark.about_time

ARM = Arm.preset('simple')

#: A target with both bends inside the limits, and one whose other bend is outside.
BOTH, ONE = (0.15, 0.1, 0.1), (0.12, 0.0, -0.04)


@pytest.fixture(scope='module')
def viewer():
    with Viewer('simple', '--no-ros', '--explain') as viewer:
        yield viewer


@pytest.fixture
def page(viewer):
    with Browser(viewer.port) as page:
        page.says('**You have control.**')
        page.set('Table', False)
        page.click('Home')
        page.wait_until(lambda: is_at(page, ARM.home), 'home')
        # The page still shows the target of the test before.
        page.says(f'target = Target({target_at(ARM, ARM.home).position}, ')
        yield page


def explain(page, position):
    """Drag the target, and wait until it is explained."""
    page.wait_until(lambda: page.nodes.get('/target', {}).get('position'), 'a target')
    page.drag(position, SO3.from_matrix(ARM.forward(ARM.home).rotation).wxyz.tolist())
    page.says(f'target = Target({position}, ')


def answer(page):
    """Return what the program below all controls gives."""
    begin = [i for i, text in enumerate(page.words()) if text.startswith('from arm_ik')][-1]
    *lines, last = page.words()[begin].splitlines()
    exec('\n'.join(lines), names := {})
    return eval(last, names)


def is_at(page, q):
    names = [f'{name} [°]' for name in ARM.joint_names]
    return all(abs(page.value(name) - np.degrees(at)) < 0.3 for name, at in zip(names, q))


def test_it_is_off_unless_it_is_asked_for():
    with Viewer('simple', '--no-ros') as viewer, Browser(viewer.port) as page:
        page.wait_until(lambda: '/explain' in page.nodes and page.value('Explain') is False, 'it')
        assert not page.nodes['/explain']['visible']
        page.says('**Target:** reached')
        assert not any(name.startswith('/explain/') for name in page.nodes)
        page.set('Explain', True)
        page.wait_until(lambda: '/explain/lines' in page.nodes, 'the picture')


def test_labels_steps_and_program_are_those_of_the_target_that_is_dragged(page):
    explain(page, BOTH)
    q = answer(page)
    assert ARM.forward(q).position == pytest.approx(BOTH, abs=1e-9)
    page.says(f'yaw|{np.degrees(q[0]):.1f}°|')
    page.set('Picture', 'Two links in the plane')
    for name, angle in zip(ARM.joint_names[1:], q[1:]):
        page.wait_until(lambda: page.nodes.get(f'/explain/label of {name}', {}).get(
            'text') == f'{name} {np.degrees(angle):.1f}°', name)
        page.says(f'{name}|{np.degrees(angle):.1f}°|')
    assert not page.nodes['/explain/label of yaw']['visible']      # of the picture before
    page.set('Picture', 'Reduction')


def test_a_bend_outside_its_limits_says_which_joint_and_is_not_chosen(page):
    explain(page, ONE)
    page.says('**Other bend:** shoulder past its limit')
    page.wait_until(lambda: page.is_grey('Other bend'), 'a grey button')
    page.press('Other bend')
    page.click('Other bend')
    page.set('Speed [mm/s]', 90.0)
    page.wait_until(lambda: page.value('Speed [mm/s]') == 90.0, 'it')
    explain(page, BOTH)
    page.says('**Elbow:** nearest')


def test_a_camera_faces_the_plane_and_goes_back(page):
    explain(page, BOTH)
    page.set('View', 'top')      # it begins with another one
    page.wait_until(lambda: page.eye and page.eye[2] > 0.5, 'the view from the top')
    before, across = page.eye, np.cross((*BOTH[:2], 0.0), (0.0, 0.0, 1.0)) / np.hypot(*BOTH[:2])
    page.click('Face the plane')
    page.wait_until(lambda: abs(across @ page.eye) == pytest.approx(
        np.linalg.norm(page.eye), rel=1e-3), 'the plane')
    page.click('Face the plane')
    page.wait_until(lambda: np.allclose(page.eye, before, atol=0.1), 'back')


def test_the_other_bend_is_a_setting_and_go_moves_the_arm(viewer, page):
    explain(page, BOTH)
    first = answer(page)
    page.set('Follow', True)
    with Browser(viewer.port) as watcher:
        watcher.says('You watch')
        watcher.press('Other bend')
        watcher.set('Speed [mm/s]', 30.0)            # which is set back after that
        watcher.wait_until(lambda: watcher.value('Speed [mm/s]') != 30.0, 'it')
    assert page.value('Follow') and '**Elbow:** nearest' in page.words()
    page.press('Other bend')                         # key B
    page.says('**Elbow:** down, for all targets; Go moves the arm')
    page.wait_until(lambda: page.value('Follow') is False, 'no more following')
    other = answer(page)
    points = [ARM.points(q) for q in (first, other)]
    assert np.allclose(points[0].tip, points[1].tip) and not np.allclose(*[
        point.elbow for point in points], atol=0.05)
    explain(page, (*BOTH[:2], BOTH[2] + 0.01))       # a drag moves nothing, either
    explain(page, BOTH)
    page.set('Speed [mm/s]', 95.0)                   # which comes after whatever was sent
    page.wait_until(lambda: page.value('Speed [mm/s]') == 95.0, 'it')
    assert is_at(page, ARM.home)
    page.click('Go')
    page.wait_until(lambda: is_at(page, other), 'the other bend')
    page.click('Nearest')
    page.says('**Elbow:** nearest')
    page.click('Other bend')
    page.says('**Elbow:** up')
    page.set('yaw [°]', 40.0)                        # no other motion of the page takes it
    page.says('**Elbow:** nearest')
    page.wait_until(lambda: is_at(page, (np.radians(40.0), *other[1:])), 'the yaw alone')
