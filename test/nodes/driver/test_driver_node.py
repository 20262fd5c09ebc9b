# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The driver as users run it: a process, spoken to over DDS."""

from math import nan
import signal

from arm_ik.description import load_model, preset_path
from arm_ik.nodes.driver.driver_node import ahead
from driver_bench import DriverBench
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

pytestmark = pytest.mark.about_time

OK, WARN = 0, 1

SIMPLE = load_model(preset_path('simple'))
HOME = dict(zip(SIMPLE.joint_names, SIMPLE.home))

#: A goal that takes every joint a while.
FAR = {'yaw': 2.5, 'shoulder': 0.4, 'elbow': 1.0, 'wrist': 1.5}

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.fixture
def bench(request):
    arguments = getattr(request, 'param', ('--arm', 'simple'))
    with DriverBench(*arguments) as bench:
        yield bench.ready()


def arguments(*given):
    """Return a decorator for tests of a driver with arguments of its own."""
    return pytest.mark.parametrize('bench', [given], indirect=True)


def assert_stays(bench):
    there, *later = bench.wait_for_states(11)
    assert later == [there] * len(later)
    return there


def set_on_its_way(bench):
    bench.wait_until(lambda: bench.positions['yaw'] > 0.2, 'the arm on its way',
                     lambda: bench.command(**FAR))


def test_joint_states_come_at_once_and_say_home(bench):
    bench.wait_for_states(10)
    for state in bench.states:
        assert tuple(state.name) == SIMPLE.joint_names
        assert tuple(state.position) == SIMPLE.home
        assert list(state.velocity) == [0.0] * 4 and not state.effort
    stamps = [(state.header.stamp.sec, state.header.stamp.nanosec) for state in bench.states]
    assert stamps == sorted(set(stamps))
    now = bench.now()
    assert stamps[0][0] > now.sec - 600 and stamps[-1] <= (now.sec, now.nanosec)


def test_what_comes_between_two_clocks_makes_no_stamp_wrong():
    steady, late = [100.0], iter((0.026, 0.003, 0.0))

    def clock():
        steady[0] += next(late)
        return 5000.0 + steady[0]
    assert ahead(clock, lambda: steady[0]) == pytest.approx(5000.0, abs=1e-9)


def test_a_commanded_arm_moves_and_comes_to_rest_exactly_at_its_goal(bench):
    goal = {'yaw': 0.123456789, 'shoulder': 1.9, 'elbow': -1.7000000001, 'wrist': 0.3}
    bench.move(**goal)
    assert assert_stays(bench) == goal
    bench.wait_for_condition(OK, 'ready')
    on_the_way = [state.position[1] for state in bench.states if 1.9 < state.position[1] < 2.2]
    assert on_the_way, 'the arm jumped'


def test_a_bad_command_is_refused_and_the_arm_stays_and_obeys_the_next(bench):
    words, bad = 'wrist is nan', JointState(name=['yaw', 'wrist'], position=[0.5, nan])
    bench.wait_for_condition(WARN, words, lambda: bench.commands.publish(bad))
    assert assert_stays(bench) == HOME
    bench.move(yaw=0.5)
    bench.wait_for_condition(OK, 'ready')
    assert bench.process.output().count(words) == 1, 'logged once'


def test_commands_with_velocities_are_a_stream(bench):
    def command(velocity):
        bench.commands.publish(JointState(name=['yaw'], position=[0.1], velocity=[velocity]))
    bench.wait_until(lambda: bench.positions['yaw'] == 0.1, 'the yaw in place',
                     lambda: command(0.0))
    command(0.5)
    bench.wait_for_condition(WARN, 'the stream of commands has broken off')
    assert 0.1 < bench.come_to_rest()['yaw'] < 0.4
    bad = JointState(name=['yaw', 'wrist'], position=[0.5, 0.1], velocity=[1.0])
    bench.wait_for_condition(WARN, '1 velocities', lambda: bench.commands.publish(bad))
    bench.move(yaw=0.5)


@arguments('--arm', 'so101')
def test_a_gripper_is_opened_and_closed_by_number_and_by_name(bench):
    model = load_model(preset_path('so101'))
    gripper = model.extra_joints[0]
    assert tuple(bench.states[-1].name) == (*model.joint_names, gripper.name)
    start = bench.positions
    assert start[gripper.name] == gripper.closed
    bench.gripper.publish(Float64(data=1.0))
    bench.wait_until(lambda: bench.positions[gripper.name] == gripper.open, 'an open gripper',
                     lambda: bench.gripper.publish(Float64(data=1.0)))
    for bad in (nan, 1.5):
        bench.wait_for_condition(WARN, f'gripper command is {bad}',
                                 lambda bad=bad: bench.gripper.publish(Float64(data=bad)))
    assert assert_stays(bench) == {**start, gripper.name: gripper.open}
    half = 0.5 * (gripper.open + gripper.closed)
    bench.move(**{gripper.name: half})
    assert assert_stays(bench) == {**start, gripper.name: half}


def test_diagnostics_tell_of_a_stop_however_short(bench):
    bench.wait_for_condition(OK, 'ready')
    for _ in range(8):
        bench.call('stop')
        bench.call('reset')
    bench.wait_for_condition(OK, 'ready')
    assert [status.message for status in bench.diagnostics].count('stopped until reset') >= 8


def test_rate_and_timeout_can_be_changed_while_it_runs(bench):
    response = bench.set_parameters(state_rate=5, command_timeout=0)
    assert all(result.successful for result in response.results), response
    changed = bench.now()
    bench.command(yaw=0.3)
    bench.wait_until(lambda: bench.positions['yaw'] == 0.3, 'the goal',
                     lambda: bench.command(yaw=0.3))
    bench.command(**FAR)
    bench.wait_until(lambda: bench.positions == FAR, 'the goal')
    assert_no_faster(bench.states_since(changed), 0.2)
    response = bench.set_parameters(state_rate=0)
    assert 'from 1 to 1000' in response.results[0].reason


@pytest.mark.parametrize('number', SIGNALS)
def test_a_signal_ends_a_busy_driver_with_exit_code_0_and_no_traceback(number):
    with DriverBench('--arm', 'simple', '--ros-args', '-p', 'state_rate:=1000') as bench:
        set_on_its_way(bench.ready())
        assert bench.end(number) == 0, bench.process.describe()
        assert 'Traceback' not in bench.process.output()
        assert 'rror' not in bench.process.output()


def assert_no_faster(states, period):
    """Assert that states came at that period [s] or a longer one."""
    first, last = (stamp.sec + stamp.nanosec * 1e-9
                   for stamp in (states[0].header.stamp, states[-1].header.stamp))
    # The first may have been late by as much as a period, and the next one is on time again.
    assert len(states) > 5 and last - first > 0.99 * period * (len(states) - 2)
