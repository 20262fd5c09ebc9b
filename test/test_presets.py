# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arms that come with the package: which there are, and what each must have."""

from math import cos, pi, sin
from pathlib import Path

from arm_ik import Arm
from arm_ik.description.presets import preset_names
import pytest
import yaml

#: The names docs/arms.md promises.
MAKERS_ARMS = (
    'al5d', 'braccio', 'crane_plus', 'dofbot', 'koch', 'lekiwi', 'lss_5dof', 'omx_f', 'omx_l',
    'open_manipulator_x', 'phantomx_pincher', 'px100', 'px150', 'roarm_m3', 'rx150', 'rx200',
    'so100', 'so101', 'so101_old_calib', 'so_arm_102', 'turtlebot_arm', 'vx250', 'vx300', 'wx200',
    'wx250')
PRESETS = (*MAKERS_ARMS, 'rolling_base', 'simple', 'tilting_wrist')

ROOT = Path(__file__).parents[1]

#: How far home is from every limit, at least.
HOME_MARGIN_RAD = 0.1


@pytest.fixture(scope='module')
def arms():
    return {name: Arm.preset(name) for name in PRESETS}


def test_the_presets_are_those_promised_and_every_makers_arm_has_golden_poses():
    assert sorted(path.stem for path in (ROOT / 'config').glob('*.yaml')) == sorted(
        (*PRESETS, 'joy'))
    golden = (ROOT / 'test' / 'golden').glob('*.json')
    assert sorted(path.stem for path in golden) == sorted(MAKERS_ARMS)


@pytest.mark.parametrize('name', PRESETS)
def test_the_documented_joints_and_reach_are_those_of_the_preset(name, arms):
    model = arms[name].model
    rows = [line for line in (ROOT / 'docs' / 'arms.md').read_text().splitlines()
            if line.startswith(f'| `{name}` |')]
    assert len(rows) == 1
    _, roles, reach, *_ = (cell.strip() for cell in rows[0].strip('|').split('|'))
    four = 'yaw, shoulder, elbow, wrist'
    assert {'4': four, '5': f'{four}, wrist_roll'}.get(roles, roles) == ', '.join(model.roles)
    assert reach == f'{model.reach:.3f}'


@pytest.mark.parametrize('name', PRESETS)
def test_a_preset_has_its_own_name_its_source_and_a_home_well_inside_the_limits(name, arms):
    model = arms[name].model
    assert model.name == name
    assert model.source.startswith('https://' if name in MAKERS_ARMS else 'made up')
    for joint, position in zip(model.joints, model.home):
        assert joint.lower + HOME_MARGIN_RAD <= position <= joint.upper - HOME_MARGIN_RAD


@pytest.mark.parametrize('name', PRESETS)
def test_home_is_above_the_floor_in_the_middle_of_the_yaw_with_the_elbow_up(name, arms):
    arm = arms[name]
    model = arm.model
    here = arm.forward(arm.home)
    assert here.position[2] > 0.08
    yaw = model.joints[0]
    middle = yaw.canonical((yaw.lower + yaw.upper) / 2.0)
    ahead = ((here.position[0] - model.base_x) * cos(middle)
             + (here.position[1] - model.base_y) * sin(middle))
    assert ahead > 0.1
    # The Braccio looks along y, the middle of its half turn.
    along, aside = here.up[:2] if name != 'braccio' else here.up[1::-1]
    assert along > 0.7 and abs(aside) < 1e-5
    elbow = model.roles.index('elbow')
    assert model.joints[elbow].canonical(arm.home[elbow]) < -0.5


@pytest.mark.parametrize('name', MAKERS_ARMS)
def test_a_makers_arm_has_a_gripper_that_opens_and_closes(name, arms):
    grippers = arms[name].model.extra_joints
    assert grippers
    for gripper in grippers:
        assert gripper.open != gripper.closed
        # Metres at the fingers, radians at a crank or a jaw: a finger has no way of 0.1 m.
        assert (abs(gripper.open - gripper.closed) < 0.1) == (gripper.type == 'prismatic')


@pytest.mark.parametrize('name, q, position, up', [
    ('simple', (pi / 2, 0.0, 0.0, 0.0), (0.0, 0.32, 0.0), (0.0, 1.0, 0.0)),
    ('simple', (0.0, pi / 2, -pi / 2, 0.0), (0.20, 0.0, 0.12), (1.0, 0.0, 0.0)),
    ('simple', (0.0, pi / 2, -pi / 2, -pi / 2), (0.12, 0.0, 0.04), (0.0, 0.0, -1.0)),
    # Rolled a quarter turn to the right, what stood up lies on the right-hand side.
    ('rolling_base', (0.0, pi / 2, pi / 2, -pi / 2, 0.0), (0.20, -0.12, 0.0), (1.0, 0.0, 0.0)),
    ('rolling_base', (pi / 2, -pi / 2, pi / 2, 0.0, 0.0), (-0.32, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    # Tilted by a quarter turn, the hand points to the left.
    ('tilting_wrist', (0.0, pi / 2, -pi / 2, 0.0, pi / 2), (0.12, 0.08, 0.12), (0.0, 1.0, 0.0)),
])
def test_an_arm_made_up_stands_where_it_was_worked_out_by_hand(name, q, position, up, arms):
    here = arms[name].forward(q)
    assert here.position == pytest.approx(position, abs=1e-12)
    assert here.up == pytest.approx(up, abs=1e-12)


def test_sticks_have_names_and_types_of_teleop_twist_joy():
    given = yaml.safe_load((ROOT / 'config' / 'joy.yaml').read_text())
    values = given['teleop_twist_joy_node']['ros__parameters']
    assert 'joy' not in preset_names() and values['require_enable_button'] is True
    buttons = {name: value for name, value in values.items() if name.endswith('_button')}
    assert set(buttons) == {'require_enable_button', 'enable_button', 'enable_turbo_button'}
    for kind, names in (('linear', 'x y z'), ('angular', 'yaw')):
        for key, of in ((f'axis_{kind}', int), (f'scale_{kind}', float),
                        (f'scale_{kind}_turbo', float)):
            assert {type(value) for value in values[key].values()} == {of}
            assert list(values[key]) == names.split()


def test_buttons_stop_by_themselves_and_move_the_gripper_with_the_dead_man_alone():
    given = yaml.safe_load((ROOT / 'config' / 'joy.yaml').read_text())
    sticks = given['teleop_twist_joy_node']['ros__parameters']
    buttons = given['joy_teleop']['ros__parameters']
    assert buttons.pop('stop') == {
        'type': 'service', 'interface_type': 'std_srvs/srv/Trigger',
        'service_name': 'driver_node/stop', 'buttons': [1]}     # SDL's B
    assert {name: each['message_value']['data']['value'] for name, each in buttons.items()} == {
        'open': 1.0, 'close': 0.0}
    for each in buttons.values():
        assert (each['type'], each['topic_name'], each['interface_type']) == (
            'topic', 'gripper_command', 'std_msgs/msg/Float64')
        assert sticks['enable_button'] in each['deadman_buttons']
