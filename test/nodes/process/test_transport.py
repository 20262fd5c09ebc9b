# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Nodes share no memory with processes that may be killed, unless somebody says so."""

import os
from pathlib import Path
from xml.etree import ElementTree

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.process import transport
from arm_ik.nodes.process.discovery import VARIABLE as RANGE
from arm_ik.nodes.process.transport import by_udp, TRANSPORTS, variables
from arm_ik.testing.domain import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
import pytest

HERE = {RANGE: 'LOCALHOST'}
NEW, OLD = 'FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE'
NO_PROFILES = dict.fromkeys((NEW, OLD), '')  # not those of the tests either


@pytest.mark.parametrize('library, name, settings', [
    ('libfastdds.so.3.2', NEW, 'this_host_3.xml'),
    ('libfastrtps.so.2.14', OLD, 'this_host_2.xml')])
def test_on_this_host_the_settings_of_fast_dds_hold(library, name, settings):
    changed = variables(HERE, lambda: f'7f00-7f01 /opt/{library}')
    assert changed.pop(RANGE) == 'SYSTEM_DEFAULT'
    assert Path(changed.pop(name)).name == settings and not changed


def test_the_settings_are_the_same_for_each_fast_dds():
    before, since = (
        [(element.tag.rpartition('}')[2], (element.text or '').strip())
         for element in ElementTree.parse(Path(transport.__file__).with_name(name)).iter()]
        for name in ('this_host_2.xml', 'this_host_3.xml'))
    renamed = {'nackSupressionDuration': 'nack_supression_duration'}
    assert since == [(renamed.get(tag, tag), text) for tag, text in before]


@pytest.mark.parametrize('range_', ['SUBNET', 'SYSTEM_DEFAULT', 'OFF'])
def test_elsewhere_the_variable_does(range_):
    assert variables({RANGE: range_}, str) == {TRANSPORTS: 'UDPv4'}


@pytest.mark.parametrize('name', [TRANSPORTS, NEW, OLD, 'ROS_DISCOVERY_SERVER'])
@pytest.mark.parametrize('range_', ['LOCALHOST', 'SUBNET'])
def test_what_users_say_themselves_is_left_alone(name, range_):
    assert variables({RANGE: range_, name: 'x'}, lambda: 'libfastdds.so') == {}


@pytest.mark.parametrize('name', ['ROS_STATIC_PEERS', 'ROS_LOCALHOST_ONLY'])
def test_so_is_whom_they_name_beside_this_host(name):
    assert variables({**HERE, name: '1'}, lambda: 'libfastdds.so') == {}


@pytest.mark.parametrize('name', ['DEFAULT_FASTRTPS_PROFILES.xml', 'DEFAULT_FASTDDS_PROFILES.xml'])
def test_so_is_a_file_that_fast_dds_finds_by_itself(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert variables(HERE, lambda: 'libfastdds.so')
    Path(name).touch()
    assert variables(HERE, lambda: 'libfastdds.so') == {}


def test_other_middleware_keeps_to_this_host():
    assert variables(HERE, str) == {}


@pytest.mark.parametrize('own', [{}, {NEW: ''}])
def test_the_environment_is_as_it_was(own, monkeypatch):
    monkeypatch.setattr(transport, '_mapped', lambda: 'libfastdds.so')
    environment = {**HERE, **own}
    with by_udp(environment):
        assert environment[NEW]
    assert environment == {**HERE, **own}


def test_no_node_is_left_open_to_the_network_by_settings_that_are_not_heeded(monkeypatch):
    monkeypatch.setattr(transport, '_mapped', lambda: 'libfastdds.so /dev/shm/fastdds_port7411')
    environment = dict(HERE)
    with pytest.raises(InvalidInputError, match=f'{TRANSPORTS}=DEFAULT'), by_udp(environment):
        pass
    assert environment == HERE


@pytest.mark.parametrize('node', ['ik_node', 'driver_node'])
@pytest.mark.parametrize('asked, arguments, shares', [
    ('', (), False), ('', ('--discovery', 'subnet'), False), ('DEFAULT', (), True)])
def test_a_node_shares_memory_only_when_told_to(node, asked, arguments, shares):
    with reserved_domain() as domain_id:
        process = NodeProcess.of_module(
            f'arm_ik.nodes.{node}', ['--arm', 'simple', *arguments],
            {**domain_environment(domain_id), **NO_PROFILES, TRANSPORTS: asked})
        try:
            while 'found ' not in process.output():
                assert process.wait(0.05) is None, process.describe()
            maps = Path(f'/proc/{process.pid}/maps').read_text(encoding='utf-8')
            multicast = _listens(process.pid, 7400 + 250 * domain_id)
        finally:
            process.stop()
    assert ('/dev/shm/fast' in maps) is shares
    assert multicast is bool(arguments), 'found by multicast just where the network may find it'


def _listens(pid, port):
    """Tell whether a process has a UDP socket at a port."""
    mine = {os.readlink(file) for file in Path(f'/proc/{pid}/fd').iterdir()}
    lines = Path('/proc/net/udp').read_text(encoding='ascii').splitlines()[1:]
    return any(int(fields[1].rpartition(':')[2], 16) == port and f'socket:[{fields[9]}]' in mine
               for fields in map(str.split, lines))
