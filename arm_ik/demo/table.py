# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Text table of what was asked for and where the arm came to rest, one row per entry."""

_ROW = '  {:>3}  {:<28} {:<27} {:<27} {:>8}  {:>8}  {}'
_GREEN, _YELLOW, _RED = 32, 33, 31


def heading(title):
    """Return the lines above the table."""
    return [title, _ROW.format('#', 'entry', 'asked for: x, y, z [m]', 'got to: x, y, z [m]',
                               'tip [m]', 'up [rad]', 'status')]


def rows(items, colour=False):
    """
    Return the lines about one entry: its row, and notes where needed.

    :param items: the verdicts of its steps: one of the gripper, or those of its poses.
    :param colour: colour the status with ANSI codes.
    """
    # A line of many poses is one row: its end, and the worst of all its poses.
    last, many = items[-1], len(items) > 1
    name = last.step.name + (f' ({len(items)} poses)' if many else '')
    name = name if len(name) <= 28 else name[:27] + '…'
    cells = name, f'gripper {last.step.opening:.0%} open', f'gripper at {last.gripper:.4f}', '', ''
    if last.step.target:
        ups = [item.up_error_rad for item in items if item.up_error_rad is not None]
        cells = (name, _vector(last.step.target.position), _vector(last.tip),
                 f'{max(item.position_error_m for item in items):.1e}',
                 f'{max(ups):.1e}' if ups else 'any')
    code = _RED if any(item.failure for item in items) else (
        _GREEN if last.step.reachable else _YELLOW)
    statuses = ', '.join(dict.fromkeys(item.status or 'no answer' for item in items))
    lines = [_ROW.format(last.step.entry, *cells, _paint(
        statuses.lower().replace('_', ' '), code, colour))]
    for number, item in enumerate(items, start=1):
        notes = [f'FAILED: {item.failure}'] if item.failure else []
        if item.reason:
            expected = not (item.failure or item.step.reachable)
            notes.append(item.reason + (', as the file expects' if expected else ''))
        where = f'pose {number}: ' if many else ''
        lines += ['       ' + _paint(where + note, code, colour) for note in notes]
    return lines


def closing(run, colour=False):
    """Return the lines below the table."""
    lines = ['       ' + _paint(f'stopped: {run.stopped}', _RED, colour)] if run.stopped else []
    word = _paint('ok', _GREEN, colour) if run.passed else _paint('FAILED', _RED, colour)
    return [*lines, f'  {word}: {run.summary}']


def _paint(text, code, colour):
    return f'\x1b[{code}m{text}\x1b[0m' if colour else text


def _vector(values):
    # Rounded first, so that no -0.0000 is printed.
    return ' '.join(f'{round(float(value), 4) + 0.0:8.4f}' for value in values)
