# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A bus that fails, is slow, or is gone; and the thread that owns it."""

from dataclasses import replace
import threading

from arm_ik.bus.bus_thread import BusThread
from arm_ik.bus.simulated import Imperfections, Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.errors import DriverError
from driven_arm import DrivenArm, PERIOD, Recorded
import pytest
from small_arm import HOME, MODEL, Time

#: How long to wait for what has to come [s]: only ever used up by a test that fails.
PATIENCE = 30.0


class Raising(Recorded):
    """Servos on a port that raises what ports raise."""

    error = None

    def read(self):
        if self.error is not None:
            raise self.error
        return super().read()

    def open(self):  # noqa: A003
        if self.error is not None:
            raise self.error
        super().open()


class TermiosError(Exception):
    """As termios.error is: no OSError."""


ERRORS = [OSError(5, 'Input/output error'), TermiosError(5, 'Input/output error'),
          AttributeError("'NoneType' object has no attribute 'read'"), DriverError('test', 'gone')]


@pytest.mark.parametrize('error', ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_a_port_raises_is_an_error_of_the_bus_that_names_its_joints(error):
    arm = DrivenArm(backend=Raising)
    arm.servos.error = error
    arm.turn()
    words = str(arm.driver.bus_error)
    assert isinstance(arm.driver.bus_error, DriverError)
    if error is not ERRORS[-1]:
        assert 'simulated: no bus to yaw, shoulder, elbow' in words
        assert type(error).__name__ in words and str(error) in words
    assert arm.driver.snapshot is None
    assert arm.driver.condition == words


@pytest.mark.parametrize('error', ERRORS, ids=lambda error: type(error).__name__)
def test_servos_that_cannot_be_made_ready_are_given_back(error):
    servos = Raising(MODEL)
    servos.error = error
    with pytest.raises(DriverError):
        ServoDriver(servos).connect()
    assert servos.done[-1][1] == 'close'


def test_with_the_bus_gone_a_stop_says_so_at_once_and_is_latched(arm):
    arm.run(0.3, ['yaw'], [2.9])
    arm.disturb(unplugged=True)
    future = arm.driver.stop()
    arm.turn()
    with pytest.raises(DriverError, match='unplugged'):
        future.result(0.0)
    with pytest.raises(DriverError, match='unplugged'):  # without another turn
        arm.driver.stop().result(0.0)
    arm.disturb(unplugged=False)
    arm.run(0.5)
    assert arm.driver.bus_error is None
    arm.refuses('stopped', ['yaw'], [0.0])


def test_with_the_bus_gone_nothing_can_be_reset_switched_or_commanded(arm):
    arm.driver.stop()
    arm.disturb(unplugged=True)
    arm.turn()
    with pytest.raises(DriverError, match='unplugged'):
        arm.driver.reset()
    assert arm.driver.stopped
    with pytest.raises(DriverError, match='unplugged'):
        arm.driver.set_torque(False).result(0.0)
    arm.disturb(unplugged=False)
    arm.run(0.5)
    arm.driver.reset()
    arm.disturb(unplugged=True)
    arm.turn()
    arm.refuses('bus is missing', ['yaw'], [0.5])


def test_after_a_reconnect_nothing_is_sent_that_was_commanded_before(arm):
    made = arm.time.now
    for _ in range(30):
        arm.driver.command(['yaw'], [2.9], stamp=made)
        arm.turn()
    last = arm.servos.written[-1]
    arm.disturb(unplugged=True)
    arm.run(1.0)
    arm.disturb(unplugged=False)
    told = len(arm.servos.written)
    arm.run(0.5)
    assert arm.positions == last
    arm.refuses('made before', ['yaw'], [2.9], stamp=made)
    arm.run(1.0)
    assert arm.servos.written[told:] and all(
        written == last for written in arm.servos.written[told:])
    arm.driver.command(['yaw'], [2.9], stamp=arm.time.now)
    assert arm.run(0.2)['yaw'] > last['yaw']


def test_after_a_reconnect_no_sender_is_waited_for(arm):
    arm.driver.command(['yaw'], [0.2])
    arm.disturb(unplugged=True)
    arm.turn()
    arm.disturb(unplugged=False)
    arm.run(0.9)
    made = arm.time.now
    arm.run(0.2)
    arm.driver.command(['gripper'], [0.5], stamp=made)  # is not old


def test_nor_to_a_joint_whose_reply_is_lost_just_then(arm):
    arm.run(0.3, ['yaw'], [2.9])
    last = arm.servos.written[-1]
    arm.disturb(unplugged=True)
    arm.turn()
    arm.disturb(unplugged=False, lost_replies=1.0)
    arm.run(0.22)
    arm.disturb(lost_replies=0.0)
    arm.run(0.5)
    assert arm.servos.written[-1] == last


def test_an_arm_that_was_moved_while_the_bus_was_gone_is_held_where_it_is_found(arm):
    arm.disturb(unplugged=True)
    arm.turn()
    arm.disturb(brown_out='yaw', unplugged=False)
    arm.servos.push({'yaw': 1.5})
    told = len(arm.servos.written)
    assert arm.run(0.5)['yaw'] == 1.5 == arm.set_points['yaw']
    assert 'torque lost' in arm.driver.condition
    # Some servos take a set-point for an order to hold.
    assert all('yaw' not in written for written in arm.servos.written[told:])


def test_an_arm_that_sags_is_not_lowered_by_replugs():
    arm = DrivenArm(imperfections={'sag': 0.06})
    there = arm.turn()
    for _ in range(5):
        arm.disturb(unplugged=True)
        arm.run(0.3)
        arm.disturb(unplugged=False)
        arm.run(0.3)
    assert arm.turn() == there


def test_a_bus_that_is_gone_is_looked_for_a_few_times_a_second(arm):
    arm.disturb(unplugged=True)
    arm.turn()
    opened = len(arm.servos.done)
    arm.run(2.0)
    assert 5 <= len(arm.servos.done) - opened <= 12  # each one closes again


def test_the_bus_is_given_back_although_it_has_failed():
    arm = DrivenArm(backend=Raising)
    arm.run(0.3, ['yaw'], [2.9])
    arm.servos.error = OSError('gone')
    arm.driver.close()
    assert arm.servos.done[-1][1] == 'close'


def test_the_health_of_every_servo_is_read_within_half_a_second(arm):
    arm.run(0.42)
    assert set(arm.driver.health) == set(HOME)


class Slow(Recorded):
    """Servos that take their time [s] to tell where they are."""

    takes = 0.0

    def read(self):
        self.clock.advance(self.takes)
        return super().read()

    def read_health(self, name):
        self.done.append((self.clock(), 'health', name))
        return super().read_health(name)


def test_every_other_look_at_health_is_at_a_suspect_and_all_are_looked_at_still():
    arm, looks = DrivenArm(stall_guard='all', command_timeout=0.0), []
    arm.disturb(sag=0.08)       # more than a joint may be off, and no load
    read_health = arm.servos.read_health
    arm.servos.read_health = lambda name: looks.append(name) or read_health(name)
    arm.run(2.4)
    suspects = {'shoulder', 'elbow', 'wrist'}
    assert set(arm.driver.guard.suspects) == suspects
    assert set(looks[1::2]) == suspects or set(looks[::2]) == suspects
    assert set(looks) == set(HOME) and len(looks) == pytest.approx(2.4 * 6 / 0.4, rel=0.1)


@pytest.mark.parametrize('then', [0.0, 1.5 * PERIOD], ids=['short', 'long'])
def test_a_turn_longer_than_its_period_leaves_health_to_the_next_one_however_long_that_is(then):
    arm = DrivenArm(backend=Slow)

    def done(takes):
        arm.servos.done.clear()
        arm.servos.takes = takes
        arm.turn(0.1)
        return [verb for _, verb, _ in arm.servos.done]
    for _ in range(3):
        assert [done(takes) for takes in (0.5 * PERIOD, 1.5 * PERIOD, then)] == [
            ['write', 'health'], ['write'], ['write', 'health']]


def test_turns_come_at_their_rate_whatever_they_take():
    time = Time()
    servos = Slow(MODEL, clock=time)
    servos.takes = 0.3 * PERIOD
    bus = BusThread(servos, lambda snapshot: {}, lambda *_: None, lambda error: None,
                    lambda snapshot: None, 1.0 / PERIOD, time, time.advance)
    servos.open()
    start = time.now
    for _ in range(20):
        bus.turn()
        bus.pause()
    assert time.now - start == pytest.approx(20 * PERIOD)


def test_what_is_raised_when_torque_is_switched_is_an_error_of_the_bus(arm, monkeypatch):

    def fail(on, names=None):
        raise OSError('gone')
    monkeypatch.setattr(arm.servos, 'set_torque', fail)
    future, next_one = arm.driver.set_torque(False), arm.driver.stop()
    arm.turn()
    for failed in (future, next_one):
        with pytest.raises(DriverError, match='OSError: gone'):
            failed.result(0.0)
    assert 'OSError: gone' in str(arm.driver.bus_error)


# The thread


class Hanging(Simulated):
    """Servos whose port does not return from a read until it is let go."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.hangs, self.goes_on, self.threads = threading.Event(), threading.Event(), set()
        self.goes_on.set()
        self.reads = self.reads_then = 0

    def read(self):
        self.reads += 1
        self.threads.add(threading.current_thread())
        if not self.goes_on.is_set():
            self.reads_then = self.reads
            self.hangs.set()
            assert self.goes_on.wait(PATIENCE)
        return super().read()


@pytest.fixture
def hanging():
    servos = Hanging(MODEL)
    driver = ServoDriver(servos)
    driver.connect()
    servos.threads.clear()
    driver.start()
    servos.goes_on.clear()
    assert servos.hangs.wait(PATIENCE)
    yield servos, driver
    servos.goes_on.set()
    driver.close()


def test_nobody_waits_for_a_bus_that_is_slow(hanging):
    servos, driver = hanging
    driver.command(['yaw'], [2.0])
    driver.open_gripper(1.0)
    assert driver.condition == '' and driver.snapshot is not None
    stop = driver.stop()
    driver.reset()
    torque = driver.set_torque(False)
    assert not stop.done() and not torque.done()
    servos.goes_on.set()
    assert stop.result(PATIENCE) is None and torque.result(PATIENCE) is None
    assert len(servos.threads) == 1 and threading.current_thread() not in servos.threads


def test_a_stop_that_comes_during_a_read_is_written_right_after_it(hanging):
    servos, driver = hanging
    stop = driver.stop()
    reads = []
    stop.add_done_callback(lambda _: reads.append(servos.reads))
    servos.goes_on.set()
    stop.result(PATIENCE)
    assert reads == [servos.reads_then]


def test_a_stop_does_not_wait_for_the_next_turn():
    driver = ServoDriver(Simulated(MODEL), bus_rate=1e-3)
    driver.connect()
    driver.start()
    assert driver.stop().result(PATIENCE) is None
    driver.close()


def test_a_stop_waits_for_the_step_that_is_under_way():
    steps, stopped, during = [], threading.Event(), []

    def stop():
        arm.driver.stop()
        stopped.set()

    def clock():    # a step looks at it
        if steps:
            steps.clear()
            threading.Thread(target=stop).start()
            during.append(stopped.wait(0.2))
        return 1000.0

    arm = DrivenArm(stamp_clock=clock)
    steps.append('the next one')
    arm.turn()
    assert during == [False] and stopped.wait(PATIENCE)


def test_a_bus_that_never_answers_does_not_keep_the_process_from_ending(hanging, monkeypatch):
    monkeypatch.setattr('arm_ik.bus.bus_thread._LONGEST_TURN', 0.05)
    hanging[1].close()


class Watched(BusThread):
    """A bus to which something happens while somebody looks whether it is there."""

    meanwhile = None

    @property
    def error(self):
        seen, thread, self.meanwhile = self._seen, self.meanwhile, None
        if thread is not None:
            thread.start()
            thread.join(0.2)
        return seen

    @error.setter
    def error(self, error):
        self._seen = error


def test_a_request_that_comes_just_when_the_bus_is_lost_fails_too():
    servos = Simulated(MODEL)
    bus = Watched(servos, lambda snapshot: {}, lambda *_: None, lambda error: None,
                  lambda snapshot: None)
    bus.connect()
    servos.imperfections = Imperfections(unplugged=True)
    bus.meanwhile = threading.Thread(target=bus.turn)
    with pytest.raises(DriverError, match='unplugged'):
        bus.request().result(5.0)


def test_requests_that_were_waiting_when_the_bus_was_lost_fail():
    servos = Simulated(MODEL)
    bus = BusThread(servos, lambda snapshot: {}, lambda *_: None, lambda error: None,
                    lambda snapshot: None)
    bus.connect()
    first = bus.request()
    servos.imperfections = replace(Imperfections(), unplugged=True)
    second = bus.request()
    bus.turn()
    for future in (first, second):
        with pytest.raises(DriverError, match='unplugged'):
            future.result(0.0)
