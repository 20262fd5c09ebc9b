# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos that are not perfect, under the driver as users run it and under both nodes."""

from math import radians
from time import monotonic

from arm_ik.nodes.common.diagnostics import speed, values_of
from arm_ik.testing import SimulatedArm
from driver_bench import DriverBench
import pytest

pytestmark = pytest.mark.about_time

OK, WARN, ERROR = 0, 1, 2

#: A goal that takes every joint a while.
FAR = {'yaw': 2.5, 'shoulder': 0.4, 'elbow': 1.0, 'wrist': 1.5}


@pytest.fixture
def bench(request):
    given = [part for name, value in getattr(request, 'param', {}).items()
             for part in ('-p', f'{name}:={value}')]
    with DriverBench('--arm', 'simple', '--ros-args', *given) as bench:
        yield bench.ready()


def parameters(**given):
    """Return a decorator for tests of a driver with parameters of its own."""
    names = {name.replace('__', '.'): value for name, value in given.items()}
    return pytest.mark.parametrize('bench', [names], indirect=True)


def disturb(bench, **imperfections):
    response = bench.set_parameters(**{
        f'simulated.{name}': value for name, value in imperfections.items()})
    assert all(result.successful for result in response.results), response


def wait_for_servo(bench, name, level, text):
    def found():
        status = bench.status(f'servo {name}')
        return status and status.level[0] == level and text in status.message
    bench.wait_until(found, f'{level} {text!r} of {name}')
    return {pair.key: pair.value for pair in bench.status(f'servo {name}').values}


def test_each_servo_has_a_diagnostic_status_of_its_own(bench):
    bench.wait_until(lambda: bench.status('servo wrist'), 'diagnostics of the wrist')
    bench.wait_until(lambda: 'torque' in wait_for_servo(bench, 'wrist', OK, 'ready'), 'health')
    known = wait_for_servo(bench, 'wrist', OK, 'ready')
    assert known == {'torque': 'True', 'lost_replies': '0', 'flags': '', 'strain': '0.0'}
    assert bench.status('servo wrist').name == 'driver_node: servo wrist'
    assert bench.status('servo wrist').hardware_id == 'simple'
    main = {pair.key: pair.value for pair in bench.status('servos').values}
    assert main == {'backend': 'simulated', 'positions': 'measured', 'torque': 'on',
                    'stopped': 'False'}


def test_a_dead_servo_is_left_out_of_the_states_and_the_arm_can_be_stopped(bench):
    bench.wait_until(lambda: bench.positions['yaw'] > 0.2, 'the arm on its way',
                     lambda: bench.command(**FAR))
    disturb(bench, dead='elbow')
    bench.wait_until(lambda: 'elbow' not in bench.positions, 'states without the elbow')
    assert set(bench.positions) == {'yaw', 'shoulder', 'wrist'}
    assert bench.call('stop').success
    bench.wait_for_condition(ERROR, 'elbow: no reply')
    bench.wait_until(lambda: int(wait_for_servo(
        bench, 'elbow', ERROR, 'no reply')['lost_replies']) > 0, 'lost replies')
    wait_for_servo(bench, 'yaw', OK, 'ready')
    there = bench.come_to_rest()
    response = bench.call('reset')
    assert not response.success and 'elbow: no reply' in response.message
    disturb(bench, dead='')
    bench.wait_for_condition(WARN, 'stopped until reset')
    assert bench.call('reset').success
    assert {name: bench.positions[name] for name in there} == there
    bench.move(**FAR)


def test_the_level_of_a_servo_is_told_at_once_though_that_of_the_driver_stays(bench):
    disturb(bench, brown_out='yaw')     # latched, so the driver's is ERROR from now on
    wait_for_servo(bench, 'yaw', ERROR, 'torque lost')
    began = monotonic()
    for _ in range(4):
        disturb(bench, dead='elbow')
        wait_for_servo(bench, 'elbow', ERROR, 'no reply')
        disturb(bench, dead='')
        wait_for_servo(bench, 'elbow', OK, 'ready')
    assert monotonic() - began < 6.0    # for eight changes, of which the second's beat told one


def test_a_bus_that_is_gone_says_so_and_is_found_again(bench):
    disturb(bench, unplugged=True)
    bench.wait_for_condition(ERROR, 'unplugged')
    assert 'unplugged' in bench.wait_for_commands('refused', stopped='False').message
    told, states = len(bench.diagnostics), len(bench.states)
    bench.wait_until(lambda: len(bench.diagnostics) > told + 12, 'diagnostics, twice')
    assert len(bench.states) == states, 'states are made up'
    for service, request in (('stop', {}), ('reset', {}), ('clear_faults', {}),
                             ('torque', {'data': True})):
        response = bench.call(service, **request)
        assert not response.success and 'unplugged' in response.message, service
    disturb(bench, unplugged=False)
    bench.wait_for_condition(WARN, 'stopped')
    assert bench.call('reset').success
    bench.move(yaw=0.3)


@parameters(stall_guard='all')
def test_a_joint_that_stalls_is_held_and_says_so_until_faults_are_cleared(bench):
    disturb(bench, blocked='elbow')
    bench.wait_until(lambda: bench.status('servos') and 'elbow has stalled' in bench.status(
        'servos').message, 'the guard', lambda: bench.command(**FAR))
    wait_for_servo(bench, 'elbow', WARN, 'elbow has stalled with 100 % of the load')
    assert bench.set_parameters(stall_guard='none').results[0].successful
    disturb(bench, blocked='')
    assert bench.call('clear_faults').success
    wait_for_servo(bench, 'elbow', OK, 'ready')


def test_a_blocked_joint_is_told_of_and_the_arm_waits_for_it(bench):
    disturb(bench, blocked='elbow')
    start = bench.positions['elbow']
    bench.wait_for_condition(WARN, 'motion waits: elbow behind', lambda: bench.command(**FAR))
    wait_for_servo(bench, 'elbow', WARN, 'behind: motion waits')
    assert bench.positions['elbow'] == start and bench.positions['yaw'] < FAR['yaw']
    disturb(bench, blocked='')
    bench.move(**FAR)


@parameters(simulated__read_time=0.03)
def test_a_slow_bus_makes_no_service_wait_and_every_reading_a_state(bench):
    assert bench.call('stop').success
    assert bench.call('reset').success
    bench.move(yaw=0.3)
    stamps = [state.header.stamp for state in bench.states]
    assert len({(stamp.sec, stamp.nanosec) for stamp in stamps}) == len(stamps)


def test_an_arm_of_coarse_lagging_sagging_servos_arrives_under_both_nodes():
    with SimulatedArm('so101', parameters={'driver_node': {
            'simulated.resolution': radians(0.29), 'simulated.latency': 0.04,
            'simulated.sag': 0.02, 'simulated.lost_replies': 0.02}}) as arm:
        for place in ((0.20, 0.05, 0.10), (0.22, -0.08, 0.08)):
            stamp = arm.send(place, (0.0, 0.0, -1.0))
            assert arm.wait_for_arrival(stamp).state == 'arrived'


def test_an_arm_that_sags_too_far_is_told_as_long_as_it_does():
    with SimulatedArm('so101', parameters={'driver_node': {'simulated.sag': 0.06}}) as arm:
        stamp = arm.send((0.22, -0.08, 0.08), (0.0, 0.0, -1.0))
        arm.wait_until(lambda: 'rests 3.4 deg from its command: shoulder_lift, elbow_flex, '
                       'wrist_flex; tip ' in arm.status.reason, 'the sag')
        assert (arm.status.state, arm.status.level) == ('moving', WARN)
        assert float(arm.status.values['rest_error_rad']) == pytest.approx(0.06, abs=1e-6)
        assert 0.005 < float(arm.status.values['tip_error_m']) < 0.05
        arm.disturb(sag=0.0)
        assert arm.wait_for_arrival(stamp).state == 'arrived'
        arm.wait_until(lambda: (arm.status.level, arm.status.reason) == (OK, ''), 'all well')


def test_a_test_of_somebody_else_disturbs_the_servos_and_makes_them_well_again():
    with SimulatedArm('so101') as arm:
        arm.disturb(blocked='elbow_flex')
        stamp = arm.send((0.22, -0.08, 0.08), (0.0, 0.0, -1.0))
        start = arm.joint_states['elbow_flex']
        arm.wait_until(lambda: arm.q != tuple(arm.arm.home), 'some joints on their way')
        assert arm.joint_states['elbow_flex'] == start
        arm.disturb(blocked='')
        assert arm.wait_for_arrival(stamp).state == 'arrived'
        arm.assert_at((0.22, -0.08, 0.08), (0.0, 0.0, -1.0))
        with pytest.raises(AssertionError, match='knee'):
            arm.disturb(dead='knee')


def test_the_status_says_whether_commands_are_taken_and_why_not(bench):
    status = bench.wait_for_commands('taken', stopped='False', torque='on', fault='')
    assert (status.level[0], status.name, status.hardware_id, status.message) == (
        OK, 'driver_node: commands', 'simple', 'commands are taken')
    bench.call('torque', data=False)
    bench.wait_for_commands('refused', stopped='False', torque='off', fault='')
    bench.call('torque', data=True)
    bench.wait_for_commands('taken', torque='on')
    bench.call('stop')
    status = bench.wait_for_commands('refused', stopped='True', torque='on', fault='')
    assert (status.level[0], status.message) == (WARN, 'stopped until reset')
    disturb(bench, dead='elbow')
    status = bench.wait_for_commands('refused', stopped='True', fault='elbow: no reply')
    assert status.level[0] == ERROR
    disturb(bench, dead='')
    bench.wait_for_commands('refused', stopped='True', fault='')
    bench.call('reset')
    bench.wait_for_commands('taken', stopped='False')
    bench.set_parameters(speed=0.25)
    bench.wait_until(lambda: speed(values_of(bench.statuses[-1])) == 0.25, 'its speed')


def test_the_status_comes_on_each_change_each_second_and_to_who_listens_late(bench):
    bench.wait_for_commands('taken')
    before = len(bench.statuses)
    bench.move(yaw=0.2)
    for times in range(3):
        bench.call('stop')
        bench.call('reset')
    said = [{pair.key: pair.value for pair in status.values}['commands']
            for status in bench.statuses[before:]]
    changes = [now for last, now in zip(['taken', *said], said) if last != now]
    assert changes == ['refused', 'taken'] * 3
    before = len(bench.statuses)
    bench.wait_until(lambda: len(bench.statuses) > before + 2, 'a status each second')
    bench.call('stop')
    heard = len(bench.statuses)
    bench.hear_statuses()
    bench.wait_until(lambda: len(bench.statuses) > heard, 'the status for a late listener')
    bench.wait_for_commands('refused', stopped='True')


@parameters(on_fault='continue')
def test_commands_are_taken_as_long_as_healthy_joints_are_to_go_on(bench):
    disturb(bench, dead='elbow')
    status = bench.wait_for_commands('taken', fault='elbow: no reply')
    assert (status.level[0], status.message) == (ERROR, 'elbow: no reply')
    bench.set_parameters(on_fault='stop')
    bench.wait_for_commands('refused', fault='elbow: no reply')
