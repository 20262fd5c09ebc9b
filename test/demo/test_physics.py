# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A cube that is really lifted, through both nodes."""

from math import dist
import os
from pathlib import Path
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: source it, or install the extra jazzy')
pytest.importorskip('mujoco', reason='needs the extra "physics"')

# flake8: noqa: E402, F811, I100
from arm_ik.demo.physics import BLOCK, objects, once
from arm_ik.testing import simulated_arm, SimulatedArm  # noqa: F401
from arm_ik.testing.connection import NodeThread
from std_srvs.srv import Trigger
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.about_time

BALL = {'kind': 'sphere', 'size': [0.02], 'position': [0.0, 0.3, 0.02], 'mass': 0.05}
CAN = {'kind': 'cylinder', 'size': [0.03, 0.1], 'position': [0.0, -0.3, 0.05]}


def demo(*arguments, **variables):
    """Run the demo; return exit code, output and errors."""
    ran = subprocess.run([sys.executable, '-m', 'arm_ik', 'demo', *map(str, arguments)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **variables})
    return ran.returncode, ran.stdout, ran.stderr


def test_the_demo_lifts_and_places_a_cube_and_draws_that(tmp_path):
    picture = tmp_path / 'here' / 'pick.png'
    code, output, errors = demo('--physics', 1, '--picture', picture)
    assert (code, errors) == (0, '')
    assert '  lifted  placed  slip ' in output and 'lifted 1 of 1, placed 1' in output
    drawn = picture.exists() and picture.with_suffix('.gif').exists()
    assert drawn or 'no pictures' in output and 'EGL' in output
    if drawn:
        assert 10_000 < picture.stat().st_size
        assert 100_000 < picture.with_suffix('.gif').stat().st_size < 2_000_000


def test_without_egl_all_but_the_pictures_is_done(tmp_path):
    code, output, _ = demo('--physics', 1, '--picture', tmp_path / 'pick.png',
                           MUJOCO_GL='egl', MUJOCO_EGL_DEVICE_ID='99')
    assert code == 0 and 'lifted 1 of 1, placed 1' in output
    assert 'no pictures: ' in output and 'apt-get install libegl1' in output
    assert not (tmp_path / 'pick.png').exists()


def test_no_times_are_no_demo():
    code, output, errors = demo('--physics', 0)
    assert code == 2 and 'at least 1' in errors and output == ''


def test_a_pick_by_the_harness_is_seen_in_the_objects_and_undone():
    scene = {**objects((0.2, 0.06), 0.3), 'ball': BALL, 'can': CAN}
    with SimulatedArm('so101', backend='mujoco', objects=scene) as arm, NodeThread(
            'watcher', domain_id=arm.domain_id) as watcher:
        markers = {}
        watcher.listen(MarkerArray, 'driver_node/objects', lambda message: markers.update(
            {marker.ns: marker for marker in message.markers}), 10)
        with pytest.raises(AssertionError, match='held by two links of the arm\n.*touches floor'):
            arm.assert_holds('cube')
        record = arm.record()
        lifted, placed, slip = once(arm, (0.2, 0.06, 0.3))
        assert lifted and placed and slip < 0.005
        assert dist(arm.objects['cube'].position[:2], BLOCK[:2]) < 0.04
        assert max(state['cube'].position[2] for state in record) > 0.08
        arm.wait_until(lambda: {'cube', 'ball', 'can', 'block'} <= markers.keys(), 'all markers')
        assert markers['ball'].type == Marker.SPHERE and markers['ball'].scale.x == 0.04
        assert (markers['can'].scale.x, markers['can'].scale.z) == (0.06, 0.1)
        assert markers['cube'].header.frame_id == 'base_link' and markers['cube'].text == 'block'
        answer = watcher.call(Trigger, 'driver_node/reset_objects')
        arm.wait_until(lambda: answer.done() and dist(
            arm.objects['cube'].position, (0.2, 0.06, 0.015)) < 1e-3, 'the cube back')
        assert answer.result().success


@pytest.mark.parametrize('simulated_arm', [
    {'arm': 'so101', 'backend': 'mujoco', 'parameters': {'driver_node': {'trim': True}}}],
    indirect=True)
def test_the_fixture_takes_it_too_and_trim_brings_the_tip_there(simulated_arm):  # noqa: F811
    simulated_arm.move_to((0.25, 0.05, 0.08), up=(0.0, 0.0, -1.0))
    simulated_arm.wait_until_at((0.25, 0.05, 0.08), (0.0, 0.0, -1.0), 2e-3, 0.02)


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'objects': {'ball': BALL}}, 'objects.*none, but with backend mujoco'),
    ({'backend': 'mujoco', 'objects': {'ball': {**BALL, 'mass': 0.0}}}, 'objects.ball.mass'),
    ({'backend': 'mujoco', 'objects': {'ball': {**BALL, 'position': [0.04, 0.0, 0.1]}}},
     'mm deep in'),
    ({'backend': 'mujoco', 'objects': '/no/such.yaml'}, '/no/such.yaml')])
def test_objects_that_cannot_be_end_the_driver_with_one_line(arguments, words):
    with pytest.raises(AssertionError, match=words) as caught:
        with SimulatedArm('so101', **arguments):
            pass
    assert 'driver_node ended with exit code' in str(caught.value)
    assert 'Traceback' not in str(caught.value)


def test_the_picture_of_the_readme_is_at_most_2_mb():
    picture = Path(__file__).parents[2] / 'docs' / 'images' / 'pick_a_cube.gif'
    assert 100_000 < picture.stat().st_size <= 2_000_000
