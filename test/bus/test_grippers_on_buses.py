# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A gripper that closes on things, on each bus: the stall guard keeps its servo from tripping."""

from math import radians
import os
from random import Random

from arm_ik.drivers import ServoDriver
from arm_ik.motion.generator import unit
import pytest

#: Turns of the bus a second.
RATE = 50.0

#: Grasps on each bus; GRASPS=25 makes 100.
GRASPS = int(os.environ.get('GRASPS', 1))


class GripperOnBus:
    """
    The driver of an arm on an emulated bus, whose gripper closes on things.

    :param bus: the :class:`~arm_ik.testing.servos.serial_buses.SerialBus`.
    :param emulated: its emulator.
    :param time: their time.
    """

    def __init__(self, bus, emulated, time, **options):
        self._bus, self._emulated, self._time = bus, emulated, time
        self.name, self.id = bus.gripper, bus.id_of(bus.gripper)
        self.is_feetech = bus.name == 'feetech'
        self.max_force = bus.file.joints[self.name].max_force
        self.joint = next(joint for joint in bus.model.extra_joints if joint.name == self.name)
        self.driver = ServoDriver(bus.backend(emulated.port, clock=time), 0.0, RATE, clock=time,
                                  sleep=time.advance, **options)
        self.driver.connect()

    @property
    def resolution(self):
        """One tick [rad]; on a prismatic joint as a part of its range."""
        return self._bus.ticks_of(self.name).resolution / unit(self.joint)

    def tick(self, position):
        """Return the tick at a position."""
        return self._bus.tick(self.name, position)

    def run(self, seconds):
        for _ in range(round(RATE * seconds)):
            self._time.advance(1.0 / RATE)
            self.driver.turn()

    def put_in(self, part, give=0.0):
        """Put something in at which it is open by a part; all its force presses it in by ticks."""
        joint = self.joint
        at = self._actual(self.tick(joint.closed + part * (joint.open - joint.closed)))
        beyond = self._actual(self.tick(joint.closed + 3.0 * (joint.open - joint.closed)))
        self._emulated.do('servo', servo_id=self.id, wall=sorted((at, beyond)),
                          give=give)
        return at

    def _actual(self, tick):
        """Return where the encoder is at a tick."""
        state = self._emulated.do('state', servo_id=self.id)
        return tick + state['actual'] - state['position']

    def change(self, **servo):
        self._emulated.do('servo', servo_id=self.id, **servo)

    @property
    def state(self):
        return self._emulated.do('state', servo_id=self.id)


@pytest.fixture
def gripper(bus, emulated, time):
    """Return the gripper, without a limit of its force that would keep it from tripping."""
    gripper = GripperOnBus(bus, emulated, time)
    yield gripper
    gripper.driver.close()


@pytest.mark.parametrize('give', [0.0, 20.0, 200.0])
def test_a_gripper_that_closes_on_things_trips_no_servo_and_presses_them(gripper, give):
    random = Random(gripper.id)
    for _ in range(GRASPS):
        gripper.put_in(1.0)
        gripper.driver.open_gripper(1.0)
        gripper.run(1.0)
        assert gripper.driver.condition == ''
        at = gripper.put_in(random.uniform(0.4, 0.7), give)
        gripper.driver.open_gripper(0.0)
        gripper.run(3.0)
        state, words = gripper.state, gripper.driver.condition
        assert state['torque'] and not state.get('overloaded') and not gripper.driver.fault
        if gripper.is_feetech:      # its max_force trips no servo: all of it may be used
            assert words == f'motion waits: {gripper.name} behind'
            assert state['force'] == pytest.approx(gripper.max_force)
        else:
            assert f'{gripper.name} has stalled' in words
            assert 0.1 < state['force'] < 0.8, 'a part of all it has'
        assert abs(state['actual'] - at) * gripper.resolution <= radians(0.3) + give * (
            state['force'] * gripper.resolution)


@pytest.mark.parametrize('servos', [{'full': 16.0}, {'full': 16.0, 'give': 10.0}])
def test_stiff_servos_press_less_far(gripper, servos):
    gripper.put_in(0.5)
    gripper.change(**servos)
    gripper.driver.open_gripper(0.0)
    gripper.run(4.0)
    state = gripper.state
    assert state['torque'] and not gripper.driver.fault
    assert 0.1 < state['force'] < 0.8


def test_without_the_guard_it_trips_where_nothing_limits_its_force(bus, emulated, time):
    gripper = GripperOnBus(bus, emulated, time, stall_guard='none')
    emulated.do('servo', servo_id=gripper.id, wall=None)
    gripper.put_in(0.5)
    gripper.driver.open_gripper(0.0)
    gripper.run(3.0)
    limited = bus.file.joints[bus.gripper].max_force
    assert bool(gripper.driver.fault) != bool(limited)
    gripper.driver.close()
