# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A node that is started again after a crash does not take the ports of its dead predecessor."""

import fcntl
import os
from pathlib import Path
import signal
import socket

from arm_ik.nodes.dead_ports import clear_of_dead_ports, dead_ports
from arm_ik.testing.domain import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
from arm_ik.testing.wires import Wires
import pytest

DOMAIN = 42
FIRST = 7411 + 250 * DOMAIN


def make_port(folder, number, age=0.0, kind='fastrtps'):
    path = folder / f'{kind}_port{number}_el'
    path.touch()
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


@pytest.mark.parametrize('kind', ['fastrtps', 'fastdds'])
def test_a_port_that_nobody_has_locked_is_dead(tmp_path, kind):
    make_port(tmp_path, FIRST, kind=kind)
    with make_port(tmp_path, FIRST + 2, kind=kind).open() as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        assert dead_ports(DOMAIN, tmp_path) == [FIRST]
    assert sorted(dead_ports(DOMAIN, tmp_path)) == [FIRST, FIRST + 2]


def test_ports_of_other_domains_are_not_looked_at(tmp_path):
    make_port(tmp_path, FIRST + 250)
    assert dead_ports(DOMAIN, tmp_path) == []


def test_of_many_dead_ports_the_newest_count(tmp_path):
    for i in range(25):
        make_port(tmp_path, FIRST + 2 * i, age=i)
    assert dead_ports(DOMAIN, tmp_path) == [FIRST + 2 * i for i in range(20)]


def test_the_udp_ports_of_the_dead_are_held_until_ros_has_chosen(tmp_path, monkeypatch):
    with reserved_domain() as domain:
        port = 7411 + 250 * domain
        monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
        make_port(tmp_path, port)
        with clear_of_dead_ports(tmp_path):
            assert not is_free(port - 1) and not is_free(port)
            assert is_free(port + 1)
        assert is_free(port - 1) and is_free(port)


@pytest.mark.parametrize('number', ['', 'one'])
def test_a_domain_that_is_no_number_is_left_to_ros(monkeypatch, number):
    monkeypatch.setenv('ROS_DOMAIN_ID', number)
    with clear_of_dead_ports():
        pass


def test_a_driver_that_was_killed_comes_back_at_other_ports():
    with reserved_domain() as domain:
        wires = Wires(domain_id=domain)
        try:
            before, after = (ports_of_a_killed_driver(wires, domain) for _ in range(2))
        finally:
            wires.close()
    assert before and after
    assert not before & after


def ports_of_a_killed_driver(wires, domain):
    """Start a driver, kill it, and return the ports of the domain that it had."""
    now = wires.now()
    driver = NodeProcess.of_module('arm_ik.nodes.driver_node', ['--arm', 'so101'],
                                   domain_environment(domain))
    try:
        with wires.news:
            assert wires.news.wait_for(
                lambda: wires.state_stamp > (now.sec, now.nanosec), 60.0), driver.describe()
        files = [os.readlink(path) for path in Path(f'/proc/{driver.pid}/fd').iterdir()]
        first = 7411 + 250 * domain
        return {port for port in range(first, first + 240)
                if any(file.endswith(f'_port{port}_el') for file in files)}
    finally:
        driver.signal(signal.SIGKILL)
        driver.stop()


def is_free(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('127.0.0.1', port))
        except OSError:
            return False
    return True
