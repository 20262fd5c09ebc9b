# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The driver as users run it, on the emulated servos of an SO-101: the servos file, the faults."""

from math import inf

from arm_ik.description.presets import config_directory
from arm_ik.testing.servos.serial_buses import FEETECH
from driver_bench import DriverBench
import pytest

pytestmark = pytest.mark.about_time

EXAMPLE = config_directory() / 'servos' / 'so101.yaml'
ERROR = 2
OTHERS = {'shoulder_pan', 'shoulder_lift', 'wrist_flex', 'wrist_roll', 'gripper'}

#: How long an answer may take on a busy machine [s], and a stop be answered in time with it.
PATIENCE = 0.05


@pytest.fixture
def emulated(tmp_path):
    with FEETECH.emulated(tmp_path) as bus:
        yield bus


@pytest.fixture
def servos_file(emulated, tmp_path):
    """Return the path of the example file on the emulated bus, verified."""
    given = FEETECH.file
    text = EXAMPLE.read_text().replace(given.port, emulated.port)
    path = tmp_path / 'my_so101.yaml'
    path.write_text(text.replace(
        'max_lead: 0.15',
        f"max_lead: 0.25\n      verified: '{given.fingerprint}'\n      patience: {PATIENCE}"))
    return path


@pytest.fixture
def bench(servos_file):
    with DriverBench('--arm', 'so101', '--servos', str(servos_file)) as bench:
        yield bench.ready()


def move(bench, name, position):
    """Repeat a command until a joint is there, to a tick."""
    bench.wait_until(lambda: abs(bench.positions.get(name, inf) - position) < 2e-3,
                     f'{name} at {position}', lambda: bench.command(**{name: position}))


def test_a_commanded_servo_moves_and_a_dead_one_is_named_and_left_out(bench, emulated):
    move(bench, 'shoulder_pan', 0.3)
    assert emulated.position(1) == pytest.approx(2047 + 0.3 * 652, abs=2)
    emulated.do('servo', servo_id=3, present=False)
    bench.wait_until(lambda: set(bench.positions) == OTHERS, 'states without the elbow')
    bench.wait_for_condition(ERROR, 'elbow_flex: no reply')
    output = bench.process.output()
    assert 'so101 on the feetech back end' in output and 'verified' not in output


def test_what_is_given_beats_the_servos_file_and_that_the_defaults(servos_file):
    # In a parameter file, this time.
    text = servos_file.read_text()
    servos_file.write_text(text.replace('on_exit: hold ', 'on_exit: park ').replace(
        'lower_tick: 1415', 'lower_tick: 1500'))
    with DriverBench('--arm', 'so101', '--ros-args', '--params-file', str(servos_file),
                     '-p', 'on_fault:=continue') as bench:
        bench.ready()
        values = {'backend': 'feetech', 'on_exit': 'park', 'on_fault': 'continue',
                  'max_lead': 0.25, 'bus_rate': 100.0}
        assert bench.get(*values) == values
        output = bench.process.output()
        assert 'nobody has verified these servos' in output     # since a joint was changed
        assert 'gripper goes only from -0.05 to 1.75' in output


def test_simulated_servos_need_no_bus_whatever_the_servos_file_says():
    with DriverBench('--arm', 'so101', '--servos', str(EXAMPLE),
                     '--ros-args', '-p', 'backend:=simulated') as bench:
        bench.ready().move(shoulder_pan=0.1)
        assert 'so101 on the simulated back end' in bench.process.output()


def test_a_bus_without_its_servos_file_is_refused_with_one_message():
    with DriverBench('--arm', 'so101', '--ros-args', '-p', 'backend:=feetech') as bench:
        assert bench.process.wait(60.0) == 2
        assert bench.process.output().strip().splitlines() == [
            "driver_node: parameter backend is 'feetech'; allowed: feetech only with a servos "
            'file for it: --servos FILE']


def test_a_bus_that_is_not_there_is_told_with_one_message():
    with DriverBench('--arm', 'so101', '--servos', str(EXAMPLE)) as bench:
        assert bench.process.wait(60.0) == 1
        *_, message = bench.process.output().strip().splitlines()
        assert message.startswith(f'driver_node: feetech: no port {FEETECH.file.port}')
