# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The judge's own forward kinematics against pinocchio, and against what it must not swallow."""

from arm_ik.demo.urdf_chain import UrdfChain
from arm_ik.description import load_model, preset_names, preset_path, to_urdf
import numpy as np
import pytest


@pytest.mark.parametrize('name', preset_names())
def test_every_arm_that_comes_along_agrees_with_pinocchio(name):
    pinocchio = pytest.importorskip('pinocchio')
    urdf = to_urdf(load_model(preset_path(name)))
    chain = UrdfChain(urdf)
    model = pinocchio.buildModelFromXML(urdf)
    data = model.createData()
    random = np.random.default_rng(7)
    for _ in range(50):
        q = random.uniform(model.lowerPositionLimit, model.upperPositionLimit)
        pinocchio.framesForwardKinematics(model, data, q)
        positions = dict(zip(model.names[1:], q))
        expected = data.oMf[model.getFrameId('tool0')].homogeneous
        assert np.abs(chain.tip(positions) - expected).max() < 1e-14


def joint(name, parent, child, rest, kind='revolute'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{rest}</joint>')


def test_a_chain_worked_by_hand():
    chain = UrdfChain('<robot name="r">' + joint(
        'lift', 'base_link', 'arm', '<origin xyz="0 0 1"/><axis xyz="0 -2 0"/>') + joint(
        'tip', 'arm', 'tool0', '<origin xyz="3 0 0" rpy="0 1.5707963267948966 0"/>', 'fixed')
        + '</robot>')
    assert chain.tip({'lift': 0.0})[:3, 3] == pytest.approx([3, 0, 1])
    assert chain.tip({'lift': 0.0})[:3, 2] == pytest.approx([1, 0, 0])
    raised = {'lift': np.pi / 2}
    assert chain.tip(raised)[:3, 3] == pytest.approx([0, 0, 4])
    assert chain.tip(raised)[:3, 2] == pytest.approx([0, 0, 1])
    assert chain.points(raised) == pytest.approx(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 4]]))


def test_roll_pitch_yaw_turn_about_fixed_axes_in_that_order():
    quarter = '1.5707963267948966'
    chain = UrdfChain('<robot name="r">' + joint(
        'f', 'base_link', 'tool0', f'<origin rpy="{quarter} 0 {quarter}"/>', 'fixed') + '</robot>')
    # y goes up by the roll and stays up in the yaw; x goes left by the yaw.
    assert chain.tip({})[:3, 1] == pytest.approx([0, 0, 1])
    assert chain.tip({})[:3, 0] == pytest.approx([0, 1, 0])


def test_a_missing_tip_is_named():
    with pytest.raises(ValueError, match="'base_link' to 'tool0'"):
        UrdfChain('<robot name="r"/>')


def test_a_joint_it_cannot_judge_is_refused():
    with pytest.raises(ValueError, match="'slide' is prismatic"):
        UrdfChain('<robot name="r">'
                  + joint('slide', 'base_link', 'tool0', '', 'prismatic') + '</robot>')
