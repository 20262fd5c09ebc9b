# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the tools need of Dynamixel servos: X by protocol 2.0, AX by protocol 1.0."""

from arm_ik.description.presets import config_directory
from arm_ik.drivers.maintenance import bus_kind
from arm_ik.drivers.servos_file import load_servos
from arm_ik.errors import DriverError
from arm_ik.servos.named_poses import named_poses
from arm_ik.testing.servos.emulated_bus import EmulatedBus
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL
import pytest
from tool_process import ToolProcess

pytestmark = pytest.mark.about_time

#: Backend of the tools, the emulated servos, and what they are called.
KINDS = (('dynamixel', 'dxl_servos', 'XL430-W250'), ('dynamixel1', 'ax_servos', 'AX-12A'))


@pytest.fixture(params=KINDS, ids=lambda kind: kind[0])
def kind(request):
    return request.param


@pytest.fixture
def start(kind, tmp_path):
    """Return a function that starts servos, and opens the tools for them."""
    opened = []

    def start_servos(*servos):
        bus = EmulatedBus(tmp_path, kind=kind[1], servos=[
            {'servo_id': servo_id, 'position': tick} for servo_id, tick in servos])
        opened.append(bus)
        opened.append(bus_kind(kind[0])(bus.port, patience=0.15))
        return bus, opened[-1]

    yield start_servos
    for each in reversed(opened):
        each.__exit__()


def test_servos_are_found_with_what_they_tell(start, kind):
    _, tools = start((1, 300), (7, 700))
    assert tools.is_anybody_there()
    found = {servo_id: tools.find(servo_id) for servo_id in (1, 2, 7)}
    assert found[2] is None
    assert (found[7].id, found[7].model, found[7].tick) == (7, kind[2], 700)
    assert 7.0 < found[1].voltage_v < 12.5 and found[1].temperature_c > 20.0
    assert not found[1].torque
    assert (found[1].lower_tick, found[1].upper_tick) == (0, tools.last_tick)
    assert tools.read([1, 2, 7]) == {1: 300, 7: 700}


def test_on_a_silent_bus_nobody_is_there(start):
    assert not start()[1].is_anybody_there()


def test_two_servos_with_one_id_are_told_of(start):
    _, tools = start((3, 300), (3, 700))
    assert 'two servos with this id' in tools.find(3).odd[0]


def test_torque_comes_on_where_the_servo_stands_and_then_it_follows(start):
    bus, tools = start((1, 300), (2, 700))
    tools.set_torque(True, [2])
    bus.do('advance', seconds=0.2)
    assert tools.read([1, 2]) == {1: 300, 2: 700}
    assert (tools.find(1).torque, tools.find(2).torque) == (False, True)
    tools.write({2: 710})
    bus.do('advance', seconds=0.2)
    assert tools.read([2])[2] == pytest.approx(710, abs=1)
    tools.set_torque(False, [2])
    assert not tools.find(2).torque


def test_a_servo_that_is_gone_gets_no_torque(start):
    _, tools = start((1, 300))
    with pytest.raises(DriverError, match='id 9: does not answer'):
        tools.set_torque(True, [1, 9])
    assert not tools.find(1).torque


@pytest.mark.parametrize('bus', [DYNAMIXEL, AX12], ids=lambda bus: bus.name)
def test_an_arm_is_calibrated_and_its_example_comes_out(bus, tmp_path):
    (tmp_path / 'like.yml').write_text(
        (config_directory() / 'servos' / f'{bus.arm}.yaml').read_text().replace(
            'max_lead: 0.15', 'max_lead: 0.15\n      patience: 0.15'))
    with bus.emulated(tmp_path) as emulated, ToolProcess(
            'calibrate', bus.arm, '--port', emulated.port, '--like', 'like.yml', '--output',
            'my.yaml', folder=tmp_path) as tool:
        tool.answer('Do you hold it?')

        def hold(positions):
            for name, servo_id in bus.ids.items():
                if name in positions:
                    emulated.do('push', servo_id=servo_id,
                                position=round(bus.tick(name, positions[name])))
            emulated.do('requests')
            heard = 0
            while heard < 5 * len(bus.ids):
                heard += len(emulated.do('requests'))

        for number, pose in enumerate(named_poses(bus.model), start=1):
            tool.expect(f'Pose {number} of 3')
            tool.expect('press Enter')
            hold({name: 0.5 * position for name, position in pose.positions.items()})
            hold(pose.positions)
            tool.type('\n')
        tool.expect('to both of its ends')
        for part in (0.0, 0.3, 0.6, 0.9, 0.0, -0.3, -0.6, -0.9):
            hold({joint.name: part * min(joint.upper, -joint.lower) for joint in bus.model.joints})
        tool.type('\n')
        assert tool.end() == 0, tool.shown
    mine = load_servos(tmp_path / 'my.yaml', bus.joints)
    for name in bus.ids:
        for tick in (0.4 * bus.last_tick, 0.6 * bus.last_tick):
            assert mine.joints[name].ticks.position(tick) == pytest.approx(
                bus.position(name, tick), abs=0.01)
        assert mine.joints[name].drive_mode == bus.file.joints[name].drive_mode


def test_an_id_is_written_for_good_and_only_while_the_servo_is_limp(start):
    bus, tools = start((1, 300), (2, 700))
    tools.set_torque(True, [1])
    with pytest.raises(DriverError, match='id 1 holds'):
        tools.set_id(1, 5)
    tools.set_torque(False, [1])
    tools.set_id(1, 5)
    bus.do('power_cycle')
    assert (tools.find(1), tools.find(5).tick, tools.find(2).tick) == (None, 300, 700)
