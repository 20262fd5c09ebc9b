# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The maker's meshes: they are read in metres and move with the arm; or an error says why not."""

from dataclasses import replace
import re
import signal

from arm_ik import Arm, InvalidInputError
from arm_ik.__main__ import main
from arm_ik.description.urdf import link_frames, to_urdf
import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: pip install .[viewer]')

# flake8: noqa: E402, I100
from arm_ik.viewer.makers_urdf import disagreement, makers_links
from browser import Browser
from test_page import Viewer
import trimesh

pytestmark = pytest.mark.about_time

ARM = Arm.preset('so101')


@pytest.fixture(params=['stl', 'dae'])
def urdf(tmp_path, request):
    """Write a cube of 20 mm as a mesh, and the URDF of SO-101 with it; return both files."""
    part, scale = tmp_path / f'part.{request.param}', 0.001
    if request.param == 'dae':
        pytest.importorskip('collada', reason='needs pycollada')
    trimesh.creation.box((20.0, 20.0, 20.0)).export(part)
    if request.param == 'dae':   # has its unit inside
        part.write_text(part.read_text().replace(
            '<created>', '<unit name="millimeter" meter="0.001"/><created>'))
        scale = 1.0
    return write_urdf(tmp_path, part.name, scale), part


def write_urdf(folder, part, scale=1.0):
    """Write the URDF of SO-101 with a mesh in the place of each shape; return its file."""
    text = re.sub('<(box|cylinder) [^>]*/>', f'<mesh filename="package://so101/{part}" '
                  f'scale="{scale} {scale} {scale}"/>', to_urdf(ARM.model))
    (folder / 'urdf').mkdir()
    (folder / 'urdf' / 'so101.urdf').write_text(text)
    return str(folder / 'urdf' / 'so101.urdf')


def test_meshes_are_read_in_metres(urdf):
    shape, *_ = makers_links(urdf[0], ARM)[0].shapes
    assert np.ptp(shape.size['vertices'], axis=0) == pytest.approx(0.02)


def test_a_mesh_that_cannot_be_read_or_is_not_there_is_named(urdf):
    file, part = urdf
    part.write_text('')
    with pytest.raises(InvalidInputError, match=part.name):
        makers_links(file, ARM)
    part.unlink()
    with pytest.raises(InvalidInputError, match=f'package://so101/{part.name}'):
        makers_links(file, ARM)


@pytest.fixture
def turned_urdf(tmp_path):
    """Write the URDF of SO-101 on a mast that is turned; return the file."""
    trimesh.creation.box((0.02, 0.02, 0.02)).export(tmp_path / 'part.stl')
    file = write_urdf(tmp_path, 'part.stl')
    text = open(file).read().replace('</robot>', """<link name="mast"/>
        <joint name="mount" type="fixed"><origin xyz="0.1 0.2 0.3" rpy="0 0 0.5"/>
        <parent link="mast"/><child link="base_link"/></joint></robot>""")
    with open(file, 'w') as opened:
        opened.write(text)
    return file


@pytest.mark.parametrize('forward', [None, 'y', '-x'])
def test_the_makers_arm_is_where_the_arm_from_its_urdf_is_however_it_is_turned(
        forward, turned_urdf):
    arm = Arm.from_urdf(turned_urdf, tip='tool0', base='base_link', forward=forward)
    solid = makers_links(turned_urdf, arm)
    assert disagreement(solid, arm) == ''
    where = link_frames(solid, dict(zip(arm.joint_names, arm.home)))
    assert where['tool0'][:3, 3] == pytest.approx(arm.forward(arm.home).position, abs=1e-9)
    lost = Arm(replace(arm.model, urdf_rpy=(), urdf_frame=''))
    words = disagreement(makers_links(turned_urdf, lost), lost)
    assert re.search(r'shoulder_pan \d+\.\d mm, .*wrist_roll \d+\.\d mm', words)


@pytest.mark.parametrize('miss, words', [(0.0009, ''), (0.0011, 'shoulder_pan 1.1 mm')])
def test_a_joint_is_named_where_it_is_more_than_a_millimetre_off(miss, words, turned_urdf):
    arm = Arm.from_urdf(turned_urdf, tip='tool0', base='base_link')
    moved = Arm(replace(arm.model, base_y=arm.model.base_y + miss))
    assert disagreement(makers_links(turned_urdf, moved), moved).startswith(words)
    assert bool(disagreement(makers_links(turned_urdf, moved), moved)) == bool(words)


def test_a_urdf_without_the_arms_base_frame_is_refused(turned_urdf):
    with pytest.raises(InvalidInputError, match='one with another_base'):
        makers_links(turned_urdf, Arm(replace(ARM.model, urdf_frame='another_base')))


def test_the_viewer_says_where_the_two_arms_disagree(turned_urdf):
    with Viewer('--no-ros', '--urdf', turned_urdf) as viewer, Browser(viewer.port) as page:
        page.wait_until(lambda: '/measured/base_link/0' in page.nodes, 'the arm')
        assert 'is not where the arm is: shoulder_pan ' in viewer.process.output()


def test_the_makers_meshes_move_as_the_arm_is_measured(tmp_path):
    trimesh.creation.box((0.02, 0.02, 0.02)).export(tmp_path / 'part.stl')
    with Viewer('--no-ros', '--urdf', write_urdf(tmp_path, 'part.stl')) as viewer, \
            Browser(viewer.port) as page:
        page.says('**You have control.**')    # before, what it sends is passed over
        page.go_aside()
        assert 'vertices' in page.nodes['/measured/base_link/0']
        assert not any('--urdf' in words for words in page.words())


def test_a_mesh_that_cannot_be_read_ends_the_viewer_with_one_line(
        tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(signal, 'signal', lambda *_: None)
    (tmp_path / 'part.dae').touch()
    file = write_urdf(tmp_path, 'part.dae')
    assert main(['viewer', 'so101', '--no-ros', '--urdf', file]) == 2
    line, = capsys.readouterr().err.splitlines()
    assert line.startswith('arm_ik viewer: mesh is ') and 'part.dae' in line
