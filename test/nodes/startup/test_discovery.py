# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Nodes are found by every program on this host and by no other, unless the user opens them."""

from contextlib import contextmanager
import os
from pathlib import Path
import re
import sys
from time import monotonic

from arm_ik.nodes.startup import discovery
from arm_ik.nodes.startup.command_line import prepare
from arm_ik.nodes.startup.discovery import CHOICES, PROFILE, search, settings
from arm_ik.testing import SimulatedArm
from arm_ik.testing.processes import NodeProcess, reserved_domain
import pytest

pytestmark = pytest.mark.about_time

RANGE, PEERS = 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_STATIC_PEERS'
TRANSPORTS, SERVER = 'FASTDDS_BUILTIN_TRANSPORTS', 'ROS_DISCOVERY_SERVER'
#: What names a profile to Fast DDS 2 and to Fast DDS 3.
PROFILES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')
SETTINGS = (RANGE, 'ROS_LOCALHOST_ONLY', PEERS, SERVER, TRANSPORTS, *PROFILES)
FILES = ('DEFAULT_FASTRTPS_PROFILES.xml', 'DEFAULT_FASTDDS_PROFILES.xml')

DRIVER = 'arm_ik.nodes.startup.start', 'driver_node', '--arm', 'simple'
ON_THIS_HOST = 'found on this host only (--discovery subnet: on the local network too)'

#: A program without settings of ours: it sees the node in the graph, and hears it.
STOCK_CLIENT = """
import rclpy
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node('stock_client')
heard = []
node.create_subscription(JointState, 'joint_states', heard.append, 10)
while not (heard and 'driver_node' in node.get_node_names()):
    rclpy.spin_once(node, timeout_sec=0.1)
"""

#: Other programs: a hundred DDS participants in one process.
CROWD = """
import signal
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
contexts = [Context() for _ in range(50)]
for context in contexts:
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
nodes = [Node(f'other_{number}', context=context, enable_rosout=False,
              start_parameter_services=False) for number, context in enumerate(contexts)]
print('all there', flush=True)
signal.pause()
"""

#: Their profile. They answer whoever finds them, but search for nobody, not even for each other:
#: that would take the processor for minutes.
QUIET = """
<dds xmlns="http://www.eprosima.com"><profiles>
  <transport_descriptors><transport_descriptor>
    <transport_id>udp</transport_id><type>UDPv4</type>
  </transport_descriptor></transport_descriptors>
  <participant profile_name="quiet" is_default_profile="true"><rtps>
    <userTransports><transport_id>udp</transport_id></userTransports>
    <useBuiltinTransports>false</useBuiltinTransports>
    <builtin>
      <metatrafficUnicastLocatorList><locator><udpv4/></locator></metatrafficUnicastLocatorList>
      <initialPeersList>
        <locator><udpv4><port>9</port><address>127.0.0.1</address></udpv4></locator>
      </initialPeersList>
    </builtin>
  </rtps></participant>
</profiles></dds>
"""

#: A profile that has every transport, as Fast DDS has by itself.
OPEN = """
<dds xmlns="http://www.eprosima.com"><profiles>
  <participant profile_name="open" is_default_profile="true"><rtps>
    <useBuiltinTransports>true</useBuiltinTransports>
  </rtps></participant>
</profiles></dds>
"""


@pytest.fixture
def nothing_set(monkeypatch, tmp_path):
    """Have an environment without any settings for discovery, as most users have."""
    monkeypatch.chdir(tmp_path)
    for name in (*SETTINGS, 'RMW_IMPLEMENTATION'):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def process(module_or_script, *arguments, **variables):
    """Yield a module, or the text of a script, as a process."""
    script = '\n' in module_or_script
    command = [sys.executable, '-c' if script else '-m', module_or_script, *arguments]
    process = NodeProcess(module_or_script[:30], command, variables)
    try:
        yield process
    finally:
        process.stop()


def wait_for_output(process, text):
    deadline = monotonic() + 60.0
    while text not in process.output():
        assert process.wait(0.05) is None and monotonic() < deadline, process.describe()


@pytest.mark.parametrize('rclpy, variable', [
    ('7.1.6', PROFILES[0]), ('9.1.2', PROFILES[1]), ('10.0.0', PROFILES[1])])
def test_by_default_fast_dds_gets_the_profile_of_this_package(
        nothing_set, rclpy, variable, monkeypatch):
    monkeypatch.setattr(discovery, 'version', lambda package: rclpy)
    variables, line = settings('', {})
    assert variables.pop(variable) == str(PROFILE)
    assert not variables.keys() & set(SETTINGS), 'the range is not touched'
    assert line == ON_THIS_HOST


@pytest.mark.parametrize('name', SETTINGS)
def test_settings_of_the_user_are_left_alone_and_named_in_the_log(nothing_set, name):
    assert settings('', {name: 'x'}) == ({}, f'discovery as the environment says: {name}=x')
    assert settings('', {name: ''}) == settings('', {})


@pytest.mark.parametrize('name', FILES)
def test_so_is_a_profile_that_fast_dds_finds_by_itself_and_all_by_default(nothing_set, name):
    assert settings('default', {RANGE: 'OFF'})[0] == {} == settings('default', {})[0]
    Path(name).touch()
    assert settings('', {}) == ({}, f'discovery as the environment says: {name}')


@pytest.mark.parametrize('name', SETTINGS)
def test_host_on_the_command_line_wins_over_any_setting(nothing_set, name):
    Path(FILES[0]).touch()
    environment = {name: 'x'}
    variables, line = settings('host', environment)
    environment.update(variables)
    assert line == ON_THIS_HOST and 'x' not in environment.values()
    assert str(PROFILE) in environment.values()
    assert environment['SKIP_DEFAULT_XML_FILE'] == '1'


@pytest.mark.parametrize('asked', ['subnet', 'localhost', 'system_default'])
def test_a_range_on_the_command_line_wins_over_any_other(nothing_set, asked):
    environment = {RANGE: 'OFF', 'ROS_LOCALHOST_ONLY': '1', PEERS: '10.0.0.7'}
    variables, line = settings(asked, environment)
    environment.update(variables)
    assert environment[RANGE] == asked.upper() and f'{RANGE}={asked.upper()}' in line
    assert not environment['ROS_LOCALHOST_ONLY'] and environment[PEERS] == '10.0.0.7'


def test_with_a_range_the_nodes_share_no_memory_but_have_transports_of_the_user(nothing_set):
    assert settings('subnet', {})[0][TRANSPORTS] == 'UDPv4'
    environment = settings('host', {})[0]
    environment.update(settings('subnet', environment)[0])
    assert environment[TRANSPORTS] == 'UDPv4' and str(PROFILE) not in environment.values()
    for name in (TRANSPORTS, SERVER, *PROFILES):
        environment = {name: 'x'}
        environment.update(settings('subnet', environment)[0])
        assert environment[name] == 'x' and environment.get(TRANSPORTS) in ('x', None)


def test_what_a_launch_file_has_set_is_no_setting_of_the_user(nothing_set):
    by_launch = settings('', {})[0]
    assert settings('', by_launch) == settings('', {})
    assert settings('', {**by_launch, TRANSPORTS: 'x'})[1] == ON_THIS_HOST


@pytest.mark.parametrize('middleware', ['rmw_cyclonedds_cpp', 'rmw_zenoh_cpp'])
def test_other_middleware_gets_the_range_of_this_host(nothing_set, middleware):
    environment = {'RMW_IMPLEMENTATION': middleware, TRANSPORTS: 'x'}
    assert settings('', environment)[0][RANGE] == 'LOCALHOST'
    assert not set(PROFILES) & settings('', environment)[0].keys()
    assert settings('', {**environment, PEERS: 'x'})[0] == {}
    for name in ('', 'rmw_fastrtps_dynamic_cpp'):
        assert str(PROFILE) in settings('', {'RMW_IMPLEMENTATION': name})[0].values()


def test_a_choice_that_does_not_exist_is_refused_with_those_that_do(capsys):
    with pytest.raises(SystemExit) as ended:
        prepare(['--discovery', 'everywhere'], 'ik_node')
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert 'everywhere' in message and all(name in message for name in CHOICES)


@pytest.mark.parametrize('arguments, asked', [((), ''), (('--discovery', 'subnet'), 'subnet')])
def test_the_command_line_says_what_is_asked_for(arguments, asked):
    assert prepare(['--arm', 'simple', *arguments], 'driver_node')[1] == asked


def test_the_docs_have_every_choice():
    page = Path(__file__).parents[3] / 'docs' / 'machines.md'
    rows = re.findall(r'^\| `(\w+)` \|', page.read_text(encoding='utf-8'), re.MULTILINE)
    assert tuple(rows) == CHOICES


@pytest.mark.parametrize('variables, arguments, line, on_loopback', [
    ({}, (), ON_THIS_HOST, True),
    ({}, ('--discovery', 'subnet'), f'found as far as {RANGE}=SUBNET reaches', False),
    ({PEERS: '127.0.0.1'}, (), f'discovery as the environment says: {PEERS}=127.0.0.1', None)])
def test_a_node_logs_who_can_find_it_and_has_its_sockets_there_and_shares_no_memory(
        nothing_set, variables, arguments, line, on_loopback):
    with reserved_domain() as domain, process(
            *DRIVER, *arguments, ROS_DOMAIN_ID=str(domain), **variables) as node:
        wait_for_output(node, line)
        assert node.output().count('discovery as') + node.output().count('found ') == 1
        addresses = addresses_of(node.pid)
        maps = Path(f'/proc/{node.pid}/maps').read_text(encoding='utf-8')
    if on_loopback is not None:     # by a setting of ours
        assert len(addresses) >= 3
        assert all(address == '0100007F' for address in addresses) is on_loopback
        assert '/dev/shm/fast' not in maps


@pytest.mark.parametrize('variables', [{}, {TRANSPORTS: 'SHM'}])
def test_a_stock_program_sees_and_hears_a_node_of_the_same_shell(nothing_set, variables):
    with reserved_domain() as domain:
        shell = {'ROS_DOMAIN_ID': str(domain), **variables}
        with process(*DRIVER, **shell), process(STOCK_CLIENT, **shell) as client:
            assert client.wait(60.0) == 0, client.describe()


def test_host_on_the_command_line_wins_over_a_profile_that_fast_dds_finds_by_itself(nothing_set):
    for name in FILES:
        Path(name).write_text(OPEN.strip())
    with reserved_domain() as domain, process(
            *DRIVER, '--discovery', 'host', ROS_DOMAIN_ID=str(domain)) as node:
        wait_for_output(node, 'found ')
        assert set(addresses_of(node.pid)) == {'0100007F'}


def test_both_nodes_and_a_stock_program_find_each_other_among_fifty_others(nothing_set):
    Path('quiet.xml').write_text(QUIET.strip())
    profile, = settings('', {})[0].keys() & set(PROFILES)
    with reserved_domain() as domain, process(
            CROWD, ROS_DOMAIN_ID=str(domain), **{profile: str(Path('quiet.xml').absolute())}
    ) as crowd:
        wait_for_output(crowd, 'all there')
        with SimulatedArm('so101', domain_id=domain), \
                process(STOCK_CLIENT, ROS_DOMAIN_ID=str(domain)) as client:
            assert client.wait(60.0) == 0, client.describe()


def addresses_of(pid):
    """Return the local addresses, as /proc has them, of a process's internet sockets."""
    sockets = {os.readlink(file) for file in Path(f'/proc/{pid}/fd').iterdir()}
    lines = [line.split() for name in ('udp', 'udp6', 'tcp', 'tcp6') for line in
             Path(f'/proc/net/{name}').read_text(encoding='ascii').splitlines()[1:]]
    return [fields[1].partition(':')[0] for fields in lines if f'socket:[{fields[9]}]' in sockets]


@pytest.mark.parametrize('states_at, model_at, found, lasts', [
    (0.0, 0.0, (True, True), 0.0), (0.5, 9.0, (True, True), 9.0), (0.5, 11.0, (False, True), 10.0),
    (2.0, 2.0, (False, False), 1.0), (2.0, 0.5, (True, False), 1.0)])
def test_a_model_is_looked_for_while_there_are_joint_states(states_at, model_at, found, lasts):
    time = [0.0]

    def pause(seconds):
        time[0] += seconds
    assert search(lambda: (time[0] >= model_at, time[0] >= states_at),
                  lambda: time[0], pause) == found
    assert time[0] == pytest.approx(lasts, abs=0.06)
