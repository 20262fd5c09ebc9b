# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Text table of what was asked for and where the arm came to rest, one row per entry."""

from .judge import GripVerdict

_ROW = '  {:>3}  {:<28} {:<27} {:<27} {:>8}  {:>8}  {}'
_INDENT = ' ' * 7
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
    cells = _grip_cells(items[0]) if isinstance(items[0], GripVerdict) else _pose_cells(items)
    code = _code(items)
    lines = [_ROW.format(items[0].step.entry, *cells[:-1], _paint(cells[-1], code, colour))]
    for number, item in enumerate(items, start=1):
        where = f'pose {number}: ' if len(items) > 1 else ''
        lines += [_INDENT + _paint(where + note, code, colour) for note in _notes(item)]
    return lines


def closing(run, colour=False):
    """Return the lines below the table."""
    lines = [_INDENT + _paint(f'stopped: {run.stopped}', _RED, colour)] if run.stopped else []
    word = _paint('ok', _GREEN, colour) if run.passed else _paint('FAILED', _RED, colour)
    return [*lines, f'  {word}: {run.summary}']


def _pose_cells(verdicts):
    # A line of many poses is one row: its end, and the worst of all its poses.
    last = verdicts[-1]
    name = last.step.name + (f' ({len(verdicts)} poses)' if len(verdicts) > 1 else '')
    statuses = dict.fromkeys(verdict.answer.status or 'no answer' for verdict in verdicts)
    ups = [verdict.up_error_rad for verdict in verdicts if verdict.up_error_rad is not None]
    return (_short(name), _vector(last.step.target.position), _vector(last.tip),
            f'{max(verdict.position_error_m for verdict in verdicts):.1e}',
            f'{max(ups):.1e}' if ups else 'any',
            ', '.join(statuses).lower().replace('_', ' '))


def _grip_cells(grip):
    return (_short(grip.step.name), f'gripper {grip.step.opening:.0%} open',
            f'gripper at {grip.position:.4f}', '', '', 'failed' if grip.failure else 'reached')


def _notes(item):
    notes = [f'FAILED: {item.failure}'] if item.failure else []
    if not isinstance(item, GripVerdict) and item.answer.reason:
        expected = ', as the file expects' if item.passed and not item.step.reachable else ''
        notes.append(f'{item.answer.reason}{expected}')
    return notes


def _code(items):
    if not all(item.passed for item in items):
        return _RED
    return _GREEN if all(getattr(item.step, 'reachable', True) for item in items) else _YELLOW


def _paint(text, code, colour):
    return f'\x1b[{code}m{text}\x1b[0m' if colour else text


def _vector(values):
    # Rounded first, so that no -0.0000 is printed.
    return ' '.join(f'{round(float(value), 4) + 0.0:8.4f}' for value in values)


def _short(name):
    return name if len(name) <= 28 else name[:27] + '…'
