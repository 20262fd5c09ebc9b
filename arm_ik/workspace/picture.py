# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Draw regions: what the arm reaches in its slice, and what stops it elsewhere.

What is reached is dark, every cause is pale, so that lightness alone differs. The pale
ones are from Paul Tol's scheme "light", made for all kinds of colour vision.

The file depends on the regions alone: it contains no date, no random ids and no user settings.
"""

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from .cells import points_at_home
from .region import CLOSE, FAR, FIRST_JOINT, FLOOR, name_of_up, REACHED, Region, UP, words
from ..kinematics.model import ArmModel

INK, FAINT, WHITE = '#1f2933', '#7b8794', '#ffffff'

_COLOURS = {REACHED: '#2166ac', FAR: '#eceef1', CLOSE: '#c3c9d1', UP: '#c7b6e0', FLOOR: '#c9b49a'}
_OF_ROLES = {'yaw': '#bbcc33', 'roll': '#44bb99', 'shoulder': '#ee8866', 'elbow': '#eedd88',
             'wrist': '#ffaabb', 'wrist_tilt': '#44bb99', 'wrist_roll': '#99ddff'}

#: Formats by the ending of the file's name.
ENDINGS = ('.png', '.svg')

#: Width of a panel, and margins around the panels [inch].
_SIDE, _LEFT, _BETWEEN, _ABOVE = 5.0, 0.75, 0.6, 0.95

#: Heights below the panels: numbers and label of the axis, a line of the legend [inch].
_LABELS, _LINE = 0.75, 0.22

#: Where the direction of the last link is shown, in parts of the panel.
_CORNER = 0.935, 0.93

#: Dashes of the edge of what is reached with any up vector.
_EDGE = (0, (4, 3))


def colour(model: ArmModel, cause: int) -> str:
    """Return the colour of a cause."""
    return _OF_ROLES[model.roles[cause - FIRST_JOINT]] if cause >= FIRST_JOINT else _COLOURS[cause]


def draw(model: ArmModel, regions: Sequence[Region], any_up: Region, paths: list[Path]) -> None:
    """
    Write a picture of regions, one panel each.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param regions: list of :class:`~arm_ik.workspace.region.Region`.
    :param any_up: the region for any up vector, outlined in the panels of the others.
    :param paths: of the files; the ending of each says what it is.
    :raises OSError: if a file cannot be written.
    """
    # Imported here, because matplotlib takes a second to import and only pictures need it.
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams['svg.hashsalt'] = 'arm_ik'
        figure = _figure(model, regions, any_up)
        for path in paths:
            dated = {'.png': 'Software', '.svg': 'Date'}[path.suffix.lower()]
            figure.savefig(path, dpi=100, metadata={dated: None})


def _figure(model: ArmModel, regions: Sequence[Region], any_up: Region) -> Any:
    from matplotlib.figure import Figure

    rows, columns = regions[0].cause.shape
    high = _SIDE * rows / columns
    entries = _legend_entries(model, regions)
    ranks = 2 * len(regions)
    below = _LABELS + _LINE * ceil(len(entries) / ranks)
    width, height = _LEFT + (_SIDE + _BETWEEN) * len(regions), below + high + _ABOVE
    figure = Figure(figsize=(width, height), facecolor=WHITE)
    for i, region in enumerate(regions):
        axes = figure.add_axes(((_LEFT + i * (_SIDE + _BETWEEN)) / width, below / height,
                                _SIDE / width, high / height))
        _draw_panel(axes, model, region, any_up)
        axes.set_ylabel('z above base_link [m]' if i == 0 else '')
    figure.text(0.15 / width, 1.0 - 0.36 / height, f'Workspace of {model.name}', fontsize=15,
                color=INK, weight='bold')
    figure.legend(handles=entries, loc='lower center', ncol=ranks, frameon=False, fontsize=10,
                  labelcolor=INK, borderaxespad=0.3)
    return figure


def _draw_panel(axes: Any, model: ArmModel, region: Region, any_up: Region) -> None:
    paint(axes, model, region)
    if region.up is not None:
        _outline(axes, any_up, linewidths=1.0, linestyles=[_EDGE])
        # In a corner, out of the arm's reach, where the last link points.
        axes.quiver(*_CORNER, region.up[0], region.up[2], transform=axes.transAxes, color=INK,
                    scale=11.0, width=0.008, pivot='mid')
    _outline(axes, region, linewidths=0.8)
    _draw_arm(axes, model, region)
    left, right, bottom, top = region.slice.extent
    axes.set(xlim=(left, right), ylim=(bottom, top), xlabel='r from the yaw axis [m]')
    axes.set_title(name_of_up(region.up), fontsize=12, color=INK, loc='left')
    axes.tick_params(colors=INK, labelsize=9)
    for spine in axes.spines.values():
        spine.set_color(FAINT)


def _outline(axes: Any, region: Region, **style: Any) -> None:
    """Draw the edge of what is reached, if it has one, without the steps of its cells."""
    share = region.reached.astype(float)
    for axis in (0, 1):
        share = 0.5 * share + 0.25 * (np.roll(share, 1, axis) + np.roll(share, -1, axis))
    if region.reached.any():
        axes.contour(region.slice.r, region.slice.z, share, levels=[0.5], colors=INK, **style)


def paint(axes: Any, model: ArmModel, region: Region) -> None:
    """Fill each cell with the colour of its cause."""
    from matplotlib.colors import ListedColormap

    present, cells = np.unique(region.cause, return_inverse=True)
    axes.imshow(cells.reshape(region.cause.shape), extent=region.slice.extent, origin='lower',
                aspect='auto', interpolation='nearest', vmin=0, vmax=max(1, len(present) - 1),
                cmap=ListedColormap([colour(model, cause) for cause in present.tolist()]))


def _draw_arm(axes: Any, model: ArmModel, region: Region) -> None:
    from matplotlib.patheffects import Normal, Stroke

    outline = [Stroke(linewidth=7.0, foreground=WHITE), Normal()]
    floor = 0.0 if model.floor_height is None else model.floor_height
    axes.axhline(floor, color=INK, linewidth=1.0)
    points = points_at_home(model, region.slice)
    axes.plot(*points[:3].T, color=INK, linewidth=6.0, solid_capstyle='butt', zorder=4)
    axes.plot(*points[2:].T, color=INK, linewidth=3.6, solid_capstyle='round',
              solid_joinstyle='round', path_effects=outline, zorder=5)
    axes.plot(*points[2:5].T, linestyle='', marker='o', markersize=6.0, markerfacecolor=WHITE,
              markeredgecolor=INK, zorder=6)


def _legend_entries(model: ArmModel, regions: Sequence[Region]) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Patch(facecolor=colour(model, cause), edgecolor=FAINT, linewidth=0.6,
              label=words(model, cause))
        for cause in np.unique([region.cause for region in regions]).tolist()]
    if any(region.up is not None for region in regions):
        entries.append(Line2D([], [], color=INK, linestyle=_EDGE, linewidth=1.0,
                              label='reached with any up vector'))
    entries.append(Line2D([], [], color=INK, linewidth=3.6, marker='o', markersize=6.0,
                          markerfacecolor=WHITE, label='the arm at home'))
    return entries
