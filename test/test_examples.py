# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The examples, each run as a user runs it, and what they print."""

from contextlib import ExitStack
from math import degrees
import os
from pathlib import Path
import re
import subprocess
import sys

from arm_ik import Arm
from arm_ik.kinematics.two_link import solve_angles
import pytest

pytestmark = pytest.mark.about_time

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / 'examples').glob('*.py'))

#: Without the licence header and the empty line behind it.
MOST_LINES = 40


def run(*command, **variables):
    """Run Python with arguments as a process of its own; return its output, or fail with it."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run([sys.executable, *map(str, command)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, 'PYTHONPATH': path, **variables})
    assert done.returncode == 0, done.stdout
    return done.stdout


def example(name):
    return ROOT / 'examples' / name


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_tested_here(path):
    assert len(path.read_text().splitlines()) - 6 <= MOST_LINES
    assert f"example('{path.name}')" in Path(__file__).read_text()


def numbers(text):
    return [float(number) for number in re.findall(r'[-+]?\d+\.\d+', text)]


def test_solve_prints_joint_positions_that_put_the_tip_there():
    near, far = re.split(r'(?m)^(?=\()', run(example('solve.py')))[1:]
    assert near.startswith('(0.2, 0.05, 0.05) m: REACHED')
    assert 'off by 0.0 mm and 0.0 degrees' in near
    arm = Arm.preset('so101')
    q = [numbers(line)[0] for line in near.splitlines()[2:]]
    assert arm.forward(q).position == pytest.approx((0.20, 0.05, 0.05), abs=1e-3)
    assert 'POSITION_RELAXED too far by 0.121 m' in far


def test_batch_draws_a_map_that_agrees_with_its_count():
    lines = run(example('batch.py')).splitlines()
    rows = [line for line in lines if line.startswith('x = ')]
    reached, count = map(int, re.search(r'reached: (\d+) of (\d+)', '\n'.join(lines)).groups())
    assert 0 < reached == ''.join(rows).count('#') < count
    assert count == len(rows) * len(rows[0].split()[-1])
    cells = [row.split()[-1] for row in rows]
    assert all(row == row[::-1] for row in cells), 'an arm reaches left as far as right'


def test_track_goes_along_its_line_without_a_jump():
    output = run(example('track.py'))
    assert 'reached: 101 of 101 targets' in output
    step, speed = map(float, re.search(r'at most (\S+) rad a step, (\S+) rad/s', output).groups())
    assert 0.0 < step < 0.05 and speed < 3.0
    ends = [numbers(line) for line in output.splitlines() if line.endswith(' rad')]
    arm = Arm.preset('so101')
    first, last = arm.forward(ends[-5]).position, arm.forward(ends[-1]).position
    assert first == pytest.approx((0.20, -0.15, 0.05), abs=2e-3)
    assert last == pytest.approx((0.20, 0.15, 0.05), abs=2e-3)


def test_an_own_back_end_is_sent_the_solution_inside_its_limits():
    output = run(example('own_backend.py'))
    first, *pulses = output.splitlines()
    assert first == 'pulses on'
    arm = Arm.preset('braccio')
    assert [line.split()[0] for line in pulses] == list(arm.joint_names)
    q = [(float(line.split()[1]) - 500.0) / 637.0 for line in pulses]
    assert arm.forward(q).position == pytest.approx((0.20, 0.05, 0.05), abs=1e-3)


def test_a_target_that_is_sent_over_ros_is_where_the_arm_arrives():
    pytest.importorskip('rclpy')
    from arm_ik.testing import SimulatedArm
    from arm_ik.testing.processes import domain_environment
    with SimulatedArm('so101') as arm:
        output = run(example('send_target.py'), **domain_environment(arm.domain_id))
        arm.assert_at((0.20, 0.05, 0.05), up=(0.0, 0.0, -1.0))
    states = [line.split()[0] for line in output.splitlines()]
    assert states[:2] == ['waiting', 'accepted'] and states[-2:] == ['arrived', 'off']
    assert float(output.split()[-2]) < 1e-9


def test_an_object_is_picked_up_straight_from_above():
    pytest.importorskip('rclpy')
    from arm_ik.testing import SimulatedArm
    from arm_ik.testing.processes import domain_environment
    with SimulatedArm('so101') as arm:
        record = arm.record()
        output = run(example('pick.py'), **domain_environment(arm.domain_id))
        arm.assert_at((0.20, 0.05, 0.095))
    low, high = map(numbers, output.splitlines())
    assert low == pytest.approx((0.20, 0.05, 0.015), abs=1e-3)
    assert high == pytest.approx((0.20, 0.05, 0.095), abs=1e-3)
    names = arm.arm.joint_names
    tips = arm.arm.forward([[state[name] for name in names] for state in record]).position
    below = tips[tips[:, 2] < 0.085]
    assert len(below) > 50 and abs(below[:, :2] - (0.20, 0.05)).max() < 5e-3


def test_a_refused_target_ends_with_an_error():
    pytest.importorskip('rclpy')
    from arm_ik.testing import SimulatedArm
    from arm_ik.testing.processes import domain_environment
    with SimulatedArm('so101') as arm:
        arm.enable(False)
        sender = subprocess.run(
            [sys.executable, example('send_target.py')], text=True, stderr=subprocess.PIPE,
            env={**os.environ, **domain_environment(arm.domain_id)})
    assert sender.returncode == 1 and sender.stderr == 'the target was refused\n'


def test_a_target_waits_until_the_state_of_the_arm_is_known():
    pytest.importorskip('rclpy')
    from arm_ik.testing.processes import domain_environment, reserved_domain
    from arm_ik.testing.processes import NodeProcess
    with reserved_domain() as domain_id, ExitStack() as stack:
        variables = domain_environment(domain_id)

        def start(name):
            node = NodeProcess.of_node(name, ['--arm', 'so101'], variables)
            stack.callback(node.stop)

        start('ik_node')
        sender = stack.enter_context(subprocess.Popen(
            [sys.executable, '-u', example('send_target.py')], text=True, stdout=subprocess.PIPE,
            env={**os.environ, **variables}))
        stack.callback(sender.kill)
        first = sender.stdout.readline()
        start('driver_node')
        states = [line.split()[0] for line in [first, *sender.stdout]]
    assert states[:2] == ['waiting', 'accepted'] and states[-2:] == ['arrived', 'off']


def test_a_launch_test_passes(tmp_path):
    pytest.importorskip('launch_ros', reason='needs launch_ros; a full ROS 2 has it')
    pytest.importorskip('launch_testing', reason='needs launch_testing; a full ROS 2 has it')
    from arm_ik.testing.processes import domain_environment, reserved_domain
    # The launch file is looked for where arm_ik is installed: here, as far as ROS can tell.
    packages = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    packages.mkdir(parents=True)
    (packages / 'arm_ik').touch()
    (tmp_path / 'share' / 'arm_ik').symlink_to(ROOT)
    prefixes = [str(tmp_path), os.environ.get('AMENT_PREFIX_PATH', '')]
    with reserved_domain() as domain_id:
        output = run('-m', 'launch_testing.launch_test', example('launched_arm_test.py'),
                     **domain_environment(domain_id),
                     AMENT_PREFIX_PATH=os.pathsep.join(filter(None, prefixes)))
    assert 'Ran 2 tests' in output


def test_two_bones_are_shown_as_both_functions_answer():
    pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')
    sys.path.append(str(ROOT / 'test' / 'viewer'))
    from browser import Browser
    with subprocess.Popen([sys.executable, example('two_bones.py')], text=True,
                          stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': str(ROOT)}
                          ) as page_of, ExitStack() as stack:
        stack.callback(page_of.kill)
        page = stack.enter_context(Browser(int(page_of.stdout.readline().split(':')[2][:-2])))
        page.says('solve_angles(0.12, 0.12, 0.15, 0.1, 1)')
        for label, value in ('l1 [mm]', 0.0), ('l1 [mm]', 200.0), ('Bend', '-1'), ('Side', '-1'):
            page.set(label, value)
        page.drag((-0.1, -0.05, 0.0), (1.0, 0.0, 0.0, 0.0))
        asked = 0.2, 0.12, -0.1, -0.05, -1
        page.says(f'solve_angles{asked}')
        for name, angle in zip(('shoulder', 'elbow'), solve_angles(*asked)):
            page.says(f'{name}|{degrees(angle):.1f}°|')
        page.says(f'solve_elbow{(*asked, False)}')
        page.drag((-0.3, 0.2, 0.0), (1.0, 0.0, 0.0, 0.0))
        page.wait_until(lambda: not page.nodes['/explain/label of solve_elbow']['visible'], 'None')
        page.set('Out of reach', 'stretch')
        page.wait_until(lambda: page.nodes['/explain/label of solve_elbow']['visible'], 'it')
