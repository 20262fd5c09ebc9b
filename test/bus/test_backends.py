# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Every back end is held to the contract."""

from contextlib import ExitStack
from dataclasses import replace
from functools import cache
import sys

from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import Backend, backend_names, make_backend
from arm_ik.errors import DriverError
from arm_ik.testing.servos import emulated_i2c
from arm_ik.testing.servos.emulated_bus import EmulatedBus
from backend_contract import BackendContract
from line_time import LineTime
import pytest
from small_arm import HOME, MODEL, Time
import small_pca9685
import small_servos


class TestSimulated(BackendContract):
    """Simulated servos, with the time in the test's hand."""

    def make(self):
        self.time = Time()
        self.servos = Simulated(MODEL, clock=self.time)
        return self.servos

    def advance(self, seconds):
        self.time.advance(seconds)

    def push(self, **positions):
        self.servos.push(positions)

    def kill(self, name):
        self.change(dead=name)

    def unplug(self):
        self.change(unplugged=True)

    def plug_in(self):
        self.change(unplugged=False)

    def change(self, **values):
        self.servos.imperfections = replace(self.servos.imperfections, **values)


class TestSimulatedWithCounts(TestSimulated):
    """Simulated servos whose encoders are coarse and flicker, and which are slow to hear."""

    def make(self):
        servos = super().make()
        self.change(resolution=0.005, latency=0.02)
        return servos


class TestMujoco(BackendContract):
    """A world whose weight is switched off, as its time is in the test's hand."""

    weight, allowance = 0.0, 0.005

    def make(self):
        pytest.importorskip('mujoco')
        self.time = Time()
        self.servos = make_backend('mujoco', replace(MODEL, base_height=0.3), clock=self.time)
        self.servos.world.opt.gravity[2] *= self.weight
        return self.servos

    def advance(self, seconds):
        self.time.advance(seconds)
        self.servos.step(round(seconds / 0.002))

    def push(self, **positions):
        self.servos.push(positions)

    kill, unplug, plug_in, change = (
        TestSimulated.kill, TestSimulated.unplug, TestSimulated.plug_in, TestSimulated.change)

    def assert_stands_at(self, backend, expected):
        """Assert where joints with torque are, but for what their weight and friction allow."""
        for name, position in self.positions(backend).items():
            if backend.read_health(name).torque:
                world, data = self.servos.world, self.servos.data
                speed, = world.joint(name).dofadr
                force = abs(data.qfrc_bias[speed]) + world.dof_frictionloss[speed]
                allowed = force / world.actuator(name).gainprm[0] + 1e-3
                assert abs(position - expected[name]) <= allowed, name


@pytest.mark.thorough
class TestMujocoWithWeight(TestMujoco):
    """Limp joints fall, and the others sag."""

    weight = 1.0

    def test_to_open_verify_and_engage_moves_nothing(self):
        with self.make() as backend:
            backend.verify()
            held = backend.engage()     # before it has fallen
            assert held == HOME
            self.assert_stays_at(backend, HOME)


@pytest.fixture(scope='module')
def start(tmp_path_factory):
    """Return a function that starts the process of the small arm's servos of a kind, once."""
    with ExitStack() as running:
        yield cache(lambda servos: running.enter_context(EmulatedBus(
            tmp_path_factory.mktemp('serial'), manual_time=True, **servos.emulated)))


class SerialServosContract:
    """Emulated servos behind a pseudo-terminal, their time in the test's hand, too."""

    servos = None

    @pytest.fixture(autouse=True)
    def emulated(self, start, monkeypatch):
        self.bus = start(self.servos)
        LineTime(self.bus, monkeypatch)
        self.time = Time()

    def make(self):
        file = self.servos.file(self.bus.port)
        return make_backend(file.backend, MODEL, servos=file, clock=self.time)

    def advance(self, seconds):
        self.time.advance(seconds)
        self.bus.do('advance', seconds=seconds)

    def push(self, **positions):
        for name, position in positions.items():
            servo_id, tick = self.servos.place(name, position)
            self.bus.do('push', servo_id=servo_id, position=tick)

    def kill(self, name):
        self.bus.do('servo', servo_id=self.servos.place(name, 0.0)[0], present=False)

    def unplug(self):
        self.bus.do('unplug')

    def plug_in(self):
        self.bus.do('plug')


class TestPca9685(BackendContract):
    """A PCA9685 in a file below smbus2, and ideal servos at its channels."""

    has_feedback = False

    @pytest.fixture(autouse=True)
    def emulated(self, tmp_path, monkeypatch):
        monkeypatch.setattr('smbus2.smbus2.ioctl', emulated_i2c.ioctl)
        self.chip = emulated_i2c.Chip(tmp_path / 'i2c-7')
        self.servos = small_pca9685.Servos(self.chip)

    def make(self):
        return make_backend('pca9685', MODEL, servos=small_pca9685.servos(self.chip.path))

    def positions(self, backend):
        """Return where the servos are: the back end only tells where it has sent them."""
        positions = self.servos.positions
        for name, position in backend.read().positions.items():
            assert abs(position - positions[name]) <= backend.resolution[name]
        return positions

    def advance(self, seconds):
        pass

    def push(self, **positions):
        self.servos.push(positions)

    def unplug(self):
        self.chip.unplug()

    def plug_in(self):
        self.chip.plug_in()


@pytest.mark.thorough
class TestLinked(SerialServosContract, BackendContract):
    """Emulated STS3215, one of which turns the sum of two joints."""

    servos = small_servos.LINKED


class TestFeetech(SerialServosContract, BackendContract):
    """Emulated STS3215."""

    servos = small_servos.FEETECH


class TestDynamixel(SerialServosContract, BackendContract):
    """Emulated X servos."""

    servos = small_servos.DYNAMIXEL

    def make(self):
        self.backends = [*getattr(self, 'backends', ()), super().make()]
        return self.backends[-1]

    def advance(self, seconds):
        # Whoever drives them asks them all the time; else their bus watchdog stops them.
        while seconds > 0.0:
            super().advance(min(seconds, 0.2))
            seconds -= 0.2
            for backend in self.backends:
                try:
                    backend.read()
                except DriverError:
                    pass    # not open


class TestAx12(TestDynamixel):
    """Emulated AX-12."""

    servos = small_servos.AX12


class TestLx16A(SerialServosContract, BackendContract):
    """Emulated LX-16A."""

    servos = small_servos.LX16A


def test_no_back_end_escapes_the_contract():
    assert {contract.__name__ for contract in BackendContract.__subclasses__()} == {
        'TestLinked', *(f'Test{name.title().replace("_", "")}' for name in backend_names())}


def test_no_verb_may_be_left_out():
    assert Backend.__abstractmethods__ == {'open', 'read', 'write', 'set_torque'}


def test_a_back_end_is_made_by_name_not_open():
    backend = make_backend('simulated', MODEL, start={'yaw': 0.5})
    with pytest.raises(DriverError, match='not open'):
        backend.read()


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(DriverError, match="did you mean 'simulated'"):
        make_backend('simulatd', MODEL)


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, 'arm_ik.bus.simulated', None)
    with pytest.raises(DriverError, match='no Python module'):
        make_backend('simulated', MODEL)
