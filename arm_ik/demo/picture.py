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


def draw(run, path):
    """
    Write a picture of a run.

    :param run: a :class:`~arm_ik.demo.stream.Run`.
    :param path: of the PNG file.
    :raises PictureError: if the file cannot be written.
    """
    # Imported here, because matplotlib takes a second to import and only pictures need it.
    from matplotlib import rc_context

    with rc_context({'grid.color': GRID, 'grid.linewidth': 0.6}):
        figure = _figure(run)
    try:
        figure.savefig(path, dpi=110)
    except (OSError, ValueError) as error:
        raise PictureError(f'{path}: {error}') from None


def _figure(run):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 7.4), facecolor='white')
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.4, 1.0), left=0.0, right=0.965, top=0.84,
                               bottom=0.12, wspace=0.14, hspace=0.42)
    tips = np.array([run.chain.tip(sample)[:3, 3] for sample in run.samples])
    postures = _postures(run)
    _draw_space(figure.add_subplot(grid[:, 0], projection='3d', computed_zorder=False), run, tips,
                postures)
    _draw_above(figure.add_subplot(grid[0, 1]), run, tips)
    _draw_side(figure.add_subplot(grid[1, 1]), run, tips, postures)
    figure.text(0.03, 0.935, run.title, fontsize=19, color=INK, weight='bold')
    figure.text(0.03, 0.895, run.summary, fontsize=11, color=INK)
    _add_legend(figure, run)
    return figure


def _postures(run):
    """Return postures spread over the run: points from foot to tip (n, 3), and an opacity."""
    rests = [verdict.answer.measured for verdict in run.verdicts] or [run.samples[-1]]
    chosen = sorted({round(index) for index in np.linspace(0, len(rests) - 1, POSTURES)})
    postures = []
    for index, opacity in zip(chosen, np.linspace(0.22, 0.9, len(chosen))):
        points = run.chain.points(rests[index])
        # The origin of base_link is not part of the arm: the arm stands at the foot of its yaw
        # axis.
        points[0, :2] = points[1, :2]
        postures.append((points, opacity))
    return postures


def _draw_space(axes, run, tips, postures):
    asked = [np.array([verdict.step.target.position]) for verdict in run.verdicts]
    everything = np.vstack([tips, *asked, *(points for points, _ in postures)])
    low, high = everything.min(axis=0) - 0.02, everything.max(axis=0) + 0.02
    low[2] = min(low[2] + 0.02, 0.0)
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.view_init(elev=25, azim=-55)
    floor = np.meshgrid((low[0], high[0]), (low[1], high[1]))
    axes.plot_surface(*floor, np.full((2, 2), low[2]), color=FLOOR, shade=False, zorder=0)
    axes.plot(tips[:, 0], tips[:, 1], low[2], color=FAINT, linewidth=0.9, zorder=1)
    for points, opacity in postures:
        _draw_posture(axes, points, opacity)
    _draw_path(axes, tips)
    _draw_marks(axes, run, np.asarray)
    for name in 'xyz':
        axis = getattr(axes, f'{name}axis')
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.set_label_text(f'{name} [m]')
    _style(axes, '')


def _draw_above(axes, run, tips):
    def seen(points):
        return np.asarray(points)[..., [1, 0]]
    _draw_path(axes, seen(tips))
    if is_drawn(run):
        axes.plot(*seen(tips[::STRIDE]).T, '.', color=PATH, markersize=3.5, zorder=5)
    _draw_marks(axes, run, seen)
    axes.set(xlabel='y [m]   (left of the base is left)', ylabel='x [m]')
    axes.invert_xaxis()
    _style(axes, 'the tip from above')


def _draw_side(axes, run, tips, postures):
    yaw_axis = run.chain.points(run.samples[0])[1, :2]

    def seen(points):
        points = np.asarray(points)
        out = np.linalg.norm(points[..., :2] - yaw_axis, axis=-1)
        return np.stack([out, points[..., 2]], axis=-1)
    axes.axhline(0.0, color=FAINT, linewidth=1.0, zorder=0)
    for points, opacity in postures:
        _draw_posture(axes, seen(points), opacity)
    _draw_path(axes, seen(tips))
    _draw_marks(axes, run, seen)
    axes.set(xlabel='from the yaw axis [m]', ylabel='z [m]')
    _style(axes, 'from the side, all turned into one plane')


def _draw_posture(axes, points, opacity):
    axes.plot(*points.T, color=ARM, alpha=opacity, linewidth=4.0, solid_capstyle='round',
              solid_joinstyle='round', zorder=2)
    axes.plot(*points[:-1].T, linestyle='', marker='o', markersize=5.0, alpha=opacity, zorder=3,
              markerfacecolor='white', markeredgecolor=ARM)


def _draw_path(axes, points):
    axes.plot(*points.T, color=PATH, linewidth=1.5, zorder=4)


def _draw_marks(axes, run, seen):
    size = 4.0 if len(run.verdicts) < 80 else 2.6  # smaller marks, to show the path
    for verdict in run.verdicts:
        asked, got = seen(verdict.step.target.position), seen(verdict.tip)
        colour = mark_colour(verdict)
        if colour == REACHED:
            axes.plot(*asked[:, None], 'o', color=colour, markersize=size, zorder=6)
            continue
        axes.plot(*np.stack([asked, got]).T, ':', color=colour, linewidth=1.6, zorder=5)
        axes.plot(*asked[:, None], 'X', color=colour, markersize=9, markeredgecolor='white',
                  zorder=6)
        axes.plot(*got[:, None], 'o', color=colour, markersize=6, zorder=6)
    for grip in run.grips:
        point = seen(run.chain.tip(grip.measured)[:3, 3])
        axes.plot(*point[:, None], 's', color='none', markeredgecolor=GRIPPER, markersize=10,
                  markeredgewidth=1.6, zorder=6)


def is_drawn(run):
    """Tell whether the tip went along lines all the time, from the first pose on."""
    lines = [verdict.step.speed is not None for verdict in run.verdicts[1:]]
    return bool(lines) and all(lines)


def mark_colour(verdict):
    """Return the colour of a verdict: missed, relaxed as the file expects, or reached."""
    if not verdict.passed:
        return MISSED
    return REACHED if verdict.step.reachable else RELAXED


def _add_legend(figure, run):
    from matplotlib.lines import Line2D

    colours = {mark_colour(verdict) for verdict in run.verdicts}
    rows = [('-', '', PATH, "the tip's measured path")]
    if is_drawn(run):
        rows.append(('', '.', PATH, f'every {STRIDE}th joint state'))
    rows += [row for row in (
        ('', 'o', REACHED, 'asked for, and the arm came to rest there'),
        (':', 'X', RELAXED, 'out of reach: the arm said so, and how far off it stopped'),
        (':', 'X', MISSED, 'missed')) if row[2] in colours]
    if run.grips:
        rows.append(('', 's', GRIPPER, 'the gripper opened or closed'))
    handles = [
        Line2D([], [], linestyle=line, marker=marker, color=colour, label=label,
               markerfacecolor='none' if marker == 's' else colour)
        for line, marker, colour, label in rows]
    figure.legend(handles=handles, loc='lower center', bbox_to_anchor=(0.5, 0.005),
                  ncol=len(handles), frameon=False, fontsize=9.5, labelcolor=INK)


def _style(axes, title):
    axes.set_title(title, fontsize=11, color=INK, loc='left')
    axes.tick_params(colors=INK, labelsize=8)
    axes.xaxis.label.set(color=INK, fontsize=9)
    axes.yaxis.label.set(color=INK, fontsize=9)
    axes.grid(True)
    if not hasattr(axes, 'zaxis'):
        axes.set_aspect('equal', adjustable='datalim')
        axes.set_axisbelow(True)
        for side in ('top', 'right'):
            axes.spines[side].set_visible(False)
        for side in ('left', 'bottom'):
            axes.spines[side].set_color(FAINT)
