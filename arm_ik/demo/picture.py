# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Draw what the arm did: in space, from above, and from the side.

The tip's path and the arm's postures are those of measured joint states; only the marks of what
was asked for come from the target file.
"""

import numpy as np

from ..workspace.cells import points_of
from ..workspace.picture import INK

FAINT, GRID, FLOOR, ARM, PATH = '#9aa5b1', '#e4e7eb', '#eef1f4', '#334e68', '#2b6cb0'
REACHED, RELAXED, MISSED, GRIPPER = '#0b8457', '#dd6b20', '#c81e1e', '#7b2cbf'

#: Postures drawn; more would hide each other.
POSTURES = 5

#: Dots along the path are so many joint states apart.
STRIDE = 5

_STYLE = {'grid.color': GRID, 'axes.grid': True, 'axes.axisbelow': True, 'axes.edgecolor': FAINT,
          'axes.spines.top': False, 'axes.spines.right': False, 'axes.titlelocation': 'left',
          'text.color': INK, 'font.size': 9, 'legend.frameon': False}


def draw(run, path):
    """
    Write a picture of a run.

    :param run: a :class:`~arm_ik.demo.stream.Run`.
    :param path: of the PNG file.
    :raises OSError: if the file cannot be written.
    """
    # Imported here, because matplotlib takes a second to import and only pictures need it.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(13.0, 7.4), facecolor='white')
        _draw(figure, run)
        figure.savefig(path, dpi=110, format='png')


def _draw(figure, run):
    grid = figure.add_gridspec(2, 2, width_ratios=(1.4, 1.0), left=0.0, right=0.965, top=0.84,
                               bottom=0.12, wspace=0.14, hspace=0.42)
    tips = run.tips()
    rests = [verdict.measured for verdict in run.verdicts] or [run.samples[-1]]
    chosen = {round(index) for index in np.linspace(0, len(rests) - 1, POSTURES)}
    postures = [points_of(run.model, rests[index]) for index in sorted(chosen)]

    def from_the_side(points):
        out = np.linalg.norm(points[..., :2] - postures[0][0, :2], axis=-1)
        return np.stack([out, points[..., 2]], axis=-1)

    space = figure.add_subplot(grid[:, 0], projection='3d', computed_zorder=False)
    asked = [[verdict.step.target.position] for verdict in run.verdicts]
    _set_space(space, np.vstack([tips, *postures, *asked]), tips, run.model.heading)
    _draw_panel(space, run, tips, postures, np.asarray)
    flat = {'aspect': 'equal', 'adjustable': 'datalim'}
    above = figure.add_subplot(grid[0, 1], xlabel='y [m]   (left of the base is left)',
                               ylabel='x [m]', title='the tip from above', **flat)
    _draw_panel(above, run, tips, [], lambda points: points[..., [1, 0]])
    if is_drawn(run):
        above.plot(*tips[::STRIDE, [1, 0]].T, '.', color=PATH, markersize=3.5, zorder=5,
                   label=f'every {STRIDE}th joint state')
    above.invert_xaxis()
    side = figure.add_subplot(grid[1, 1], xlabel='from the yaw axis [m]', ylabel='z [m]',
                              title='from the side, all turned into one plane', **flat)
    side.axhline(0.0, color=FAINT, linewidth=1.0, zorder=0)
    _draw_panel(side, run, tips, postures, from_the_side)
    figure.text(0.03, 0.935, f'{run.model.name}: {run.file.name}', fontsize=19, weight='bold')
    figure.text(0.03, 0.895, run.summary, fontsize=11)
    handles = {label: handle for axes in (space, above)
               for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(handles.values(), handles, loc='lower center', ncol=len(handles), fontsize=9.5)


def _set_space(axes, everything, tips, heading):
    low, high = everything.min(axis=0) - 0.02, everything.max(axis=0) + 0.02
    low[2] = min(low[2] + 0.02, 0.0)
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]),
             xlabel='x [m]', ylabel='y [m]', zlabel='z [m]')
    axes.view_init(elev=25, azim=np.degrees(heading) - 55)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color('none')
    floor = np.meshgrid((low[0], high[0]), (low[1], high[1]))
    axes.plot_surface(*floor, np.full((2, 2), low[2]), color=FLOOR, shade=False, zorder=0)
    axes.plot(tips[:, 0], tips[:, 1], low[2], color=FAINT, linewidth=0.9, zorder=1)


def _draw_panel(axes, run, tips, postures, seen):
    """Draw postures, the tip's path and marks, as ``seen`` projects points (..., 3)."""
    for points, alpha in zip(postures, np.linspace(0.22, 0.9, len(postures))):
        axes.plot(*seen(points).T, color=ARM, alpha=alpha, linewidth=4.0, zorder=2)
        axes.plot(*seen(points)[:-2].T, 'o', markersize=5.0, alpha=alpha, zorder=3,
                  markerfacecolor='white', markeredgecolor=ARM)
    axes.plot(*seen(tips).T, color=PATH, linewidth=1.5, zorder=4, label="the tip's measured path")
    for verdict in run.verdicts:
        miss = seen(np.array([verdict.step.target.position, verdict.tip])).T
        colour = mark_colour(verdict)
        if colour == REACHED:
            axes.plot(*miss[:, :1], 'o', color=colour, markersize=4.0, zorder=6,
                      label='asked for, and the arm came to rest there')
        else:
            axes.plot(*miss, ':X', color=colour, linewidth=1.6, markersize=9, markevery=[0],
                      markeredgecolor='white', zorder=6, label='missed' if colour == MISSED else
                      'out of reach: the arm said so, and how far off it stopped')
            axes.plot(*miss[:, 1:], 'o', color=colour, markersize=6, zorder=6)
    for grip in run.grips:
        axes.plot(*seen(run.tips(grip.measured)).T, 's', color='none', zorder=6, markersize=10,
                  markeredgecolor=GRIPPER, markeredgewidth=1.6,
                  label='the gripper opened or closed')


def is_drawn(run):
    """Return whether the tip went along lines all the time, from the first pose on."""
    lines = [verdict.step.speed is not None for verdict in run.verdicts[1:]]
    return bool(lines) and all(lines)


def mark_colour(verdict):
    """Return the colour of a verdict: missed, relaxed as the file expects, or reached."""
    if verdict.failure:
        return MISSED
    return REACHED if verdict.step.reachable else RELAXED
