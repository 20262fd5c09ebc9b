# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The driver as users run it, on servos that tell nothing back: a Braccio on a PCA9685."""

import signal

from arm_ik.description.presets import config_directory
from arm_ik.testing.servos.emulated_i2c import Chip
from driver_bench import DriverBench
import pytest

pytestmark = pytest.mark.about_time

EXAMPLE = config_directory() / 'servos' / 'braccio.yaml'
ERROR, WARN = 2, 1
HOME = {'joint_base': 1.5708, 'joint_1': 2.2, 'joint_2': 0.3, 'joint_3': 0.4, 'joint_4': 1.5708,
        'right_gripper_joint': 1.2741}

#: One count of a pulse [rad], and one of its microseconds.
COUNT, RADIANS = 4.88 * 3.1416 / 1856.0, 3.1416 / 1856.0


@pytest.fixture
def chip(tmp_path):
    return Chip(tmp_path / 'i2c-1')


@pytest.fixture
def start(chip, tmp_path):
    """Return a function that makes benches."""
    path = tmp_path / 'my_braccio.yaml'
    path.write_text(EXAMPLE.read_text().replace('/dev/i2c-1 ', str(chip.path)))
    return lambda *more: DriverBench('--arm', 'braccio', '--servos', str(path), '--ros-args',
                                     *more, module='arm_ik.testing.servos.driver_on_emulated_i2c')


def confirm(bench):
    """Say that the arm is at home."""
    response = bench.call('torque', data=True)
    assert response.success, response.message
    bench.states.clear()
    bench.ready()
    bench.wait_until(lambda: bench.positions == pytest.approx(HOME), 'the arm at home')


def test_nothing_is_told_and_nothing_moves_until_the_arm_is_said_to_stand_at_home(start, chip):
    with start() as bench:
        bench.wait_for_condition(WARN, 'torque is off; ~/torque true says that the arm is at')
        bench.command(joint_base=1.0)
        bench.wait_for_condition(WARN, 'torque is off')
        assert bench.call('stop').success and bench.call('reset').success
        bench.wait_until(lambda: bench.status('servo joint_1').level == b'\1', 'its status')
        assert 'no pulses' in bench.status('servo joint_1').message
        assert bench.states == [] and chip.pulses == {}
        assert 'is at home' in bench.wait_for_commands('refused', torque='off').message
        output = bench.process.output()
        assert 'is at home (joint_base 1.57, joint_1 2.20' in output
        confirm(bench)
        bench.wait_for_condition(0, 'ready')
        values = {value.key: value.value for value in bench.status('servos').values}
        assert values['positions'] == 'commanded' and values['torque'] == 'on'
        assert sorted(chip.pulses) == [0, 1, 2, 3, 4, 5]
        bench.move(joint_base=1.0)
        assert chip.pulses[0] == pytest.approx(544.0 + 1.0 / RADIANS, abs=2.5)


def test_a_killed_driver_leaves_the_arm_held_and_the_next_one_takes_it_up_there(start, chip):
    with start() as bench:
        confirm(bench)
        bench.move(joint_base=1.0)
        bench.end(signal.SIGKILL)
    before = chip.registers
    with start() as bench:
        bench.ready()
        assert bench.positions == pytest.approx({**HOME, 'joint_base': 1.0}, abs=COUNT)
        bench.wait_until(lambda: 'all servos have pulses already' in bench.process.output(),
                         'the note', poll=0.05)
        bench.move(joint_2=0.5)
        assert before[:10] == chip.registers[:10]


@pytest.mark.parametrize('on_exit, pulse', [('park', 544.0 + 1.5708 / RADIANS), ('limp', None)])
def test_an_orderly_end_is_as_it_was_asked_for(start, chip, on_exit, pulse):
    with start() as bench:
        confirm(bench)
        bench.move(joint_base=1.4)
        assert bench.set_parameters(on_exit=on_exit).results[0].successful
        assert bench.end(signal.SIGTERM) == 0
    assert chip.pulses.get(0) == (pulse and pytest.approx(pulse, abs=2.5))
    assert len(chip.pulses) == (6 if pulse else 0)
