# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A limp arm leads another one: two drivers on two emulated buses, over DDS."""

from time import monotonic

from arm_ik.description.presets import config_directory
from arm_ik.testing.processes import domain_environment, NodeProcess
from arm_ik.testing.servos.serial_buses import FEETECH
from driver_bench import DriverBench
import numpy as np
import pytest

pytestmark = pytest.mark.about_time

EXAMPLE = config_directory() / 'servos' / 'so101.yaml'


@pytest.fixture
def buses(tmp_path):
    for name in ('leader', 'follower'):
        (tmp_path / name).mkdir()
    with FEETECH.emulated(tmp_path / 'leader') as leader, FEETECH.emulated(
            tmp_path / 'follower') as follower:
        yield leader, follower


def servos_file(bus, path):
    path.write_text(EXAMPLE.read_text().replace(FEETECH.file.port, bus.port).replace(
        'max_lead: 0.15', f"max_lead: 0.15\n      verified: '{FEETECH.file.fingerprint}'\n"
        '      patience: 0.05'))
    return str(path)


def torques(bus):
    return [bus.do('state', servo_id=servo_id)['ram'][40] for servo_id in FEETECH.ids.values()]


def test_a_driver_starts_limp_and_holds_when_it_is_asked_to(buses, tmp_path):
    _, bus = buses
    with FEETECH.backend(bus.port) as backend:
        backend.verify()
        backend.engage()
    assert all(torques(bus))    # as an earlier driver leaves them
    with DriverBench('--servos', servos_file(bus, tmp_path / 'f.yaml'), '--arm', 'so101',
                     '--ros-args', '-p', 'start:=limp') as bench:
        bench.ready()
        bench.wait_for_commands('refused', torque='off', positions='measured', set_points='')
        assert not any(torques(bus))
        before = bench.positions
        bench.command(shoulder_pan=0.5)
        bench.wait_for_states(20)
        assert bench.positions == before and not any(torques(bus))


def test_a_limp_arm_leads_another_one_inside_its_limits(buses, tmp_path):
    leader, follower = buses
    joint = FEETECH.model.joints[0]
    with DriverBench('--servos', servos_file(follower, tmp_path / 'f.yaml'), '--arm', 'so101',
                     '--ros-args', '-r', '__ns:=/follower', namespace='/follower') as bench:
        bench.ready()
        process = NodeProcess.of_node(
            'driver_node', ['--servos', servos_file(leader, tmp_path / 'l.yaml'), '--arm', 'so101',
                            '--ros-args', '-r', '__ns:=/leader', '-p', 'start:=limp',
                            '-r', 'joint_states:=/follower/joint_commands'],
            domain_environment(bench.domain), bench.notify)
        try:
            bench.wait_until(lambda: 'driver_node' in [
                info.node_name for info in bench.node.get_publishers_info_by_topic(
                    '/follower/joint_commands')], 'the leader', poll=0.05)
            began, lags, count = monotonic(), [], len(bench.states)
            while (t := monotonic() - began) < 4.0:
                wished = 0.6 * np.sin(min(t, np.pi) * 2.0)      # up to 1.2 rad/s
                leader.do('servo', servo_id=1, actual=FEETECH.tick(joint.name, wished))
                at = FEETECH.position(joint.name, follower.position(1))
                if abs(np.cos(2.0 * t)) > 0.5 and 0.3 < t < np.pi:
                    lags.append((wished - at) / (1.2 * np.cos(2.0 * t)))
            print(f'the follower is {1e3 * np.median(lags):.0f} ms behind')
            assert not any(torques(leader)) and all(torques(follower))
            bench.wait_until(lambda: abs(
                leader.position(1) - follower.position(1)) < 12, 'the follower at its leader')
            at = np.array([state.position[0] for state in bench.states[count:]])
            stamps = np.array([state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
                               for state in bench.states[count:]])
            assert np.ptp(at) > 1.0
            assert (np.abs(np.diff(at)) <= 1.05 * joint.max_velocity * (
                np.diff(stamps) + 0.02)).all()
        finally:
            process.stop()
        rests = bench.come_to_rest()
        assert rests == bench.come_to_rest() and all(torques(follower))
