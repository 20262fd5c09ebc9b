# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Draw what the arm did: in space, from above, and from the side.

The tip's path and the arm's postures are forward kinematics of measured joint states; only the
marks of what was asked for come from the target file.
"""

import numpy as np

from ..workspace.picture import check_can_draw, PictureError

__all__ = ['check_can_draw', 'draw', 'PictureError']

INK, FAINT, GRID, FLOOR = '#1f2933', '#9aa5b1', '#e4e7eb', '#eef1f4'
ARM, PATH = '#334e68', '#2b6cb0'
REACHED, RELAXED, MISSED, GRIPPER = '#0b8457', '#dd6b20', '#c81e1e', '#7b2cbf'
#: Postures drawn; more would hide each other.
POSTURES = 5

#: Dots along the path are so many joint states apart.
STRIDE = 5

_STYLE = {
    'grid.color': GRID, 'grid.linewidth': 0.6, 'axes.grid': True, 'axes.axisbelow': True,
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.edgecolor': FAINT,
    'axes.titlesize': 11, 'axes.titlelocation': 'left', 'axes.labelsize': 9, 'text.color': INK,
    'axes.labelcolor': INK, 'axes.titlecolor': INK, 'xtick.color': INK, 'ytick.color': INK,
    'xtick.labelsize': 8, 'ytick.labelsize': 8, 'legend.fontsize': 9.5, 'legend.frameon': False,
    'lines.solid_capstyle': 'round', 'lines.solid_joinstyle': 'round'}


def draw(run, path):
    """
    Write a picture of a run.

    :param run: a :class:`~arm_ik.demo.stream.Run`.
    :param path: of the PNG file.
    :raises PictureError: if the file cannot be written.
    """
    # Imported here, because matplotlib takes a second to import and only pictures need it.
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(13.0, 7.4), facecolor='white')
        FigureCanvasAgg(figure)
        _draw(figure, run)
        try:
            figure.savefig(path, dpi=110)
        except (OSError, ValueError) as error:
            raise PictureError(f'{path}: {error}') from None


def _draw(figure, run):
    grid = figure.add_gridspec(2, 2, width_ratios=(1.4, 1.0), left=0.0, right=0.965, top=0.84,
                               bottom=0.12, wspace=0.14, hspace=0.42)
    tips = np.array([run.chain.tip(sample)[:3, 3] for sample in run.samples])
    rests = [verdict.measured for verdict in run.verdicts] or [run.samples[-1]]
    chosen = sorted({round(index) for index in np.linspace(0, len(rests) - 1, POSTURES)})
    postures = [run.chain.points(rests[index]) for index in chosen]
    for points in postures:
        points[0, :2] = points[1, :2]   # the arm stands at the foot of its yaw axis
    foot = postures[0][0, :2]

    def from_the_side(points):
        return np.stack([np.linalg.norm(points[..., :2] - foot, axis=-1), points[..., 2]], axis=-1)

    space = figure.add_subplot(grid[:, 0], projection='3d', computed_zorder=False)
    _set_space(space, np.vstack([tips, *postures, *(
        np.array([verdict.step.target.position]) for verdict in run.verdicts)]), tips)
    _draw_panel(space, run, tips, postures, np.asarray)
    above = figure.add_subplot(grid[0, 1], aspect='equal', adjustable='datalim', ylabel='x [m]',
                               xlabel='y [m]   (left of the base is left)',
                               title='the tip from above')
    _draw_panel(above, run, tips, [], lambda points: points[..., [1, 0]])
    if is_drawn(run):
        above.plot(*tips[::STRIDE, [1, 0]].T, '.', color=PATH, markersize=3.5, zorder=5,
                   label=f'every {STRIDE}th joint state')
    above.invert_xaxis()
    side = figure.add_subplot(grid[1, 1], aspect='equal', adjustable='datalim', ylabel='z [m]',
                              xlabel='from the yaw axis [m]',
                              title='from the side, all turned into one plane')
    side.axhline(0.0, color=FAINT, linewidth=1.0, zorder=0)
    _draw_panel(side, run, tips, postures, from_the_side)
    figure.text(0.03, 0.935, run.title, fontsize=19, weight='bold')
    figure.text(0.03, 0.895, run.summary, fontsize=11)
    handles = {label: handle for axes in (space, above)
               for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(handles.values(), handles, loc='lower center', bbox_to_anchor=(0.5, 0.005),
                  ncol=len(handles))


def _set_space(axes, everything, tips):
    low, high = everything.min(axis=0) - 0.02, everything.max(axis=0) + 0.02
    low[2] = min(low[2] + 0.02, 0.0)
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]),
             xlabel='x [m]', ylabel='y [m]', zlabel='z [m]')
    axes.view_init(elev=25, azim=-55)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
    floor = np.meshgrid((low[0], high[0]), (low[1], high[1]))
    axes.plot_surface(*floor, np.full((2, 2), low[2]), color=FLOOR, shade=False, zorder=0)
    axes.plot(tips[:, 0], tips[:, 1], low[2], color=FAINT, linewidth=0.9, zorder=1)


def _draw_panel(axes, run, tips, postures, seen):
    """Draw postures, the tip's path and marks, as ``seen`` projects points (..., 3)."""
    for points, alpha in zip(postures, np.linspace(0.22, 0.9, len(postures))):
        axes.plot(*seen(points).T, color=ARM, alpha=alpha, linewidth=4.0, zorder=2)
        axes.plot(*seen(points)[:-1].T, 'o', markersize=5.0, alpha=alpha, zorder=3,
                  markerfacecolor='white', markeredgecolor=ARM)
    axes.plot(*seen(tips).T, color=PATH, linewidth=1.5, zorder=4, label="the tip's measured path")
    size = 4.0 if len(run.verdicts) < 80 else 2.6  # smaller marks, to show the path
    for verdict in run.verdicts:
        way = seen(np.array([verdict.step.target.position, verdict.tip])).T
        colour = mark_colour(verdict)
        if colour == REACHED:
            axes.plot(*way[:, :1], 'o', color=colour, markersize=size, zorder=6,
                      label='asked for, and the arm came to rest there')
        else:
            axes.plot(*way, ':X', color=colour, linewidth=1.6, markersize=9, markevery=[0],
                      markeredgecolor='white', zorder=6, label='missed' if colour == MISSED else
                      'out of reach: the arm said so, and how far off it stopped')
            axes.plot(*way[:, 1:], 'o', color=colour, markersize=6, zorder=6)
    for grip in run.grips:
        axes.plot(*seen(run.chain.tip(grip.measured)[:3, 3])[:, None], 's', color='none',
                  markeredgecolor=GRIPPER, markersize=10, markeredgewidth=1.6, zorder=6,
                  label='the gripper opened or closed')


def is_drawn(run):
    """Tell whether the tip went along lines all the time, from the first pose on."""
    lines = [verdict.step.speed is not None for verdict in run.verdicts[1:]]
    return bool(lines) and all(lines)


def mark_colour(verdict):
    """Return the colour of a verdict: missed, relaxed as the file expects, or reached."""
    if verdict.failure:
        return MISSED
    return REACHED if verdict.step.reachable else RELAXED
