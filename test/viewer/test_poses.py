# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Poses that the page stores and plays: what is in the file, and how a path ends."""

from time import sleep

from arm_ik.testing import SimulatedArm
from arm_ik.testing.processes import domain_environment
import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik.description.target_file import load_targets, store
from arm_ik.replay.player import entry_of
from browser import Browser
from test_page import Viewer

pytestmark = pytest.mark.about_time


@pytest.fixture(scope='module')
def both(tmp_path_factory):
    path = tmp_path_factory.mktemp('poses') / 'poses.yaml'
    with SimulatedArm('so101', timeout=20.0) as arm, Viewer(
            '--poses', str(path), environment=domain_environment(arm.domain_id)) as viewer:
        yield arm, viewer, path


@pytest.fixture
def page(both):
    arm, viewer, path = both
    path.unlink(missing_ok=True)
    with Browser(viewer.port) as page:
        page.says('**OK** connected')
        page.says('**You have control.**')
        yield page


def poses(arm, path):
    model = arm.arm.model
    home = {**dict(zip(model.joint_names, model.home)), 'gripper': 0.5}
    for name, pan in (('left', 0.5), ('right', -0.5)):
        store(path, name, entry_of(model, {**home, 'shoulder_pan': pan}), 'so101')


def test_poses_are_stored_under_the_names_given_or_the_next_numbers(both, page):
    arm, _, path = both
    page.click('Store pose')
    page.says('pose 1: stored')
    page.set('Name', 'above cube')
    page.click('Store pose')
    page.says('above cube: stored')
    one, other = load_targets(path).steps
    assert (one.name, other.name) == ('pose 1', 'above cube')
    assert one.joints == pytest.approx(dict(zip(arm.arm.joint_names, arm.q)), abs=1e-3)


@pytest.mark.parametrize('name', ['x' * 41, 'a: {b}', "it's", 'a\nb', 7])
def test_a_name_that_is_long_or_odd_is_passed_over(both, page, name):
    path = both[2]
    page.set('Name', name)
    page.click('Store pose')
    page.wait_until(path.exists, 'the file')
    assert [step.name for step in load_targets(path).steps] == ['pose 1']


def test_a_pose_is_gone_to_and_all_are_played(both, page):
    arm, _, path = both
    poses(arm, path)
    page.click('Store pose')        # the list is read anew
    page.wait_until(lambda: 'pose 1' in path.read_text(), 'the pose')
    page.wait_until(lambda: 'left' in page.options('Pose'), 'the list')
    page.set('Pose', 'left')
    page.click('Go to pose')
    arm.wait_until(lambda: abs(arm.joint_states['shoulder_pan'] - 0.5) < 1e-3, 'left')
    page.says('at rest')
    record = arm.record()
    page.click('Play')
    page.says('the arm moves')
    page.says('at rest', timeout=30.0)
    pan = np.array([state['shoulder_pan'] for state in record])
    assert pan.max() > 0.49 and pan.min() < -0.49
    top = arm.arm.model.joints[0].max_velocity
    assert np.abs(np.diff(pan)).max() < 0.03 * top     # a state comes each 0.02 s
    arm.wait_for_arrival(arm.send((0.2, 0.0, 0.1)))     # ik_node is enabled again


@pytest.mark.parametrize('how', ['stop', 'close'])
def test_a_stop_and_a_page_that_is_closed_brake_a_path_to_rest(both, page, how):
    arm, viewer, path = both
    poses(arm, path)
    if how == 'close':
        other = Browser(viewer.port)
        other.click('Take control')
        other.says('**You have control.**')
    (page if how == 'stop' else other).click('Play')
    arm.wait_until(lambda: abs(arm.joint_states['shoulder_pan']) > 0.2, 'on its path')
    if how == 'stop':
        page.click('Stop (space)')
        page.says('stopped')
    else:
        other.close()
    sleep(1.0)
    record = arm.record()
    arm.wait_until(lambda: len(record) > 30, 'states')
    assert record[0] == record[-1]
    if how == 'stop':
        page.reset()
        record = arm.record()
        arm.wait_until(lambda: len(record) > 30, 'states')
        assert record[0] == record[-1]


def test_a_file_that_cannot_be_played_is_reported(both, page):
    path = both[2]
    path.write_text('targets: [{position: [0.9, 0.0, 0.1]}]')
    page.click('Play')
    page.says('too far')
    path.write_text('targets: 3')
    page.click('Store pose')
    page.says('targets')
    assert path.read_text() == 'targets: 3'
