# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The picture: its pixels are the causes, and its bytes depend on nothing else."""

import os
from pathlib import Path
import subprocess
import sys
from xml.etree import ElementTree

from arm_ik.workspace import picture
from arm_ik.workspace.cells import make_slice
from arm_ik.workspace.picture import colour
from arm_ik.workspace.region import name_of_up, region_of
import numpy as np
import pytest
from sliced_arms import DOWN, LIMITED, model

matplotlib = pytest.importorskip('matplotlib')

ROOT = Path(__file__).resolve().parents[2]


def painted(arm, region):
    """Return the colours in the middles of the cells, rows as those of the region."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 6.0))
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    left, right, bottom, top = region.slice.extent
    axes.set(xlim=(left, right), ylim=(bottom, top))
    picture.paint(axes, arm, region)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]
    r, z = np.meshgrid(region.slice.r, region.slice.z)
    x, y = axes.transData.transform(np.column_stack([r.ravel(), z.ravel()])).T
    return pixels[y.astype(int), x.astype(int)].reshape(*r.shape, 3)


@pytest.mark.parametrize('up', [None, DOWN])
@pytest.mark.parametrize('arm', [
    LIMITED['narrow'], LIMITED['turned'], model(links=(0.3, 0.1, 0.05), floor_height=0.0)],
    ids=['narrow', 'turned', 'floor'])
def test_cells_have_the_colours_of_their_causes(arm, up):
    region = region_of(arm, make_slice(arm, 0.015 if arm.floor_height is None else 0.03), up)
    cause = region.cause
    wanted = np.array([[matplotlib.colors.to_rgb(colour(arm, one)) for one in row]
                       for row in cause])
    right = np.abs(painted(arm, region) - np.round(255 * wanted)).max(axis=-1) <= 1
    # A corner of a few cells is rounded off; where a cell's neighbours are like it, all is right.
    alike = np.logical_and.reduce([cause == np.roll(cause, shift, axis)
                                   for axis in (0, 1) for shift in (1, -1)])
    assert len(np.unique(cause)) >= 3 and alike.mean() > 0.5
    assert right[alike].all()
    assert right.mean() > 0.97


def test_every_role_and_cause_has_a_colour_of_its_own_in_one_arm():
    for kind in ('yaw', 'roll', 'tilt'):
        arm = model(kind)
        colours = [colour(arm, cause) for cause in range(5 + len(arm.joints))]
        assert len({*colours}) == len(colours)


def test_up_vectors_are_called_what_they_are():
    assert name_of_up(None) == 'any up vector'
    assert name_of_up(DOWN) == 'up vector straight down (0, 0, -1)'
    assert name_of_up((0.6, 0.0, -0.8)) == 'up vector at -53.1 deg (0.6, 0, -0.8)'


def drawn(arm, folder, name, ups=(None, DOWN, (0.0, 1.0, 0.0))):
    cells = make_slice(arm, 0.03)
    regions = [region_of(arm, cells, up) for up in ups]
    paths = [folder / f'{name}.png', folder / f'{name}.svg']
    picture.draw(arm, regions, region_of(arm, cells), paths)
    return paths


@pytest.mark.filterwarnings('error:No contour levels')
def test_a_png_and_an_svg_are_written_also_where_nothing_is_reached(tmp_path):
    png, svg = drawn(LIMITED['narrow'], tmp_path, 'one')
    image = matplotlib.image.imread(png)
    assert image.shape[0] > 500 and image.shape[1] > 1500
    assert ElementTree.parse(svg).getroot().tag == '{http://www.w3.org/2000/svg}svg'


def test_neither_display_nor_settings_nor_time_go_into_the_bytes_and_ros_is_not_asked(tmp_path):
    (tmp_path / 'rclpy.py').write_text("raise ImportError('no ROS here')")
    (tmp_path / 'matplotlibrc').write_text(
        'backend: TkAgg\nfont.size: 30\nsvg.fonttype: none\nlines.color: red\nfigure.dpi: 37\n')
    files = []
    for number, settings in enumerate(({}, {
            'MATPLOTLIBRC': str(tmp_path), 'PYTHONHASHSEED': '7', 'TZ': 'Asia/Tokyo',
            'SOURCE_DATE_EPOCH': '1'})):
        environment = {key: value for key, value in os.environ.items()
                       if key not in ('DISPLAY', 'WAYLAND_DISPLAY', 'MPLBACKEND')}
        environment['PYTHONPATH'] = os.pathsep.join(
            [str(tmp_path), str(ROOT), *sys.path])
        png, svg = tmp_path / f'{number}.png', tmp_path / f'{number}.svg'
        subprocess.run([sys.executable, '-m', 'arm_ik', 'workspace', 'simple', '--cell', '0.04',
                        '-o', png, '-o', svg], env={**environment, **settings}, check=True)
        files.append((png.read_bytes(), svg.read_bytes()))
    assert files[0] == files[1]


def test_drawing_leaves_other_peoples_settings_alone(tmp_path):
    before = dict(matplotlib.rcParams)
    matplotlib.rcParams['font.size'] = 17.0
    try:
        drawn(LIMITED['narrow'], tmp_path, 'one', ups=(None,))
        assert matplotlib.rcParams['font.size'] == 17.0
    finally:
        matplotlib.rcParams['font.size'] = before['font.size']
    assert dict(matplotlib.rcParams) == before
