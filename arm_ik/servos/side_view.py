# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An arm in a pose, seen from its right side, as a drawing of plain characters.

Lines go from axis to axis: a bent upper arm is the straight line between its two axes.
"""

#: Size of a drawing in characters; a character is twice as high as wide.
_COLUMNS, _ROWS = 46, 15

_HEIGHT = 2.0


def side_view(model, pose):
    """
    Return a drawing, with the pose's words beside and below it, as lines of text.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param pose: the :class:`~.named_poses.NamedPose`.
    """
    points = [(0.0, 0.0), *pose.points]
    low = min(0.0, *(z for _, z in points))
    left, right = min(-0.05, *(r for r, _ in points)), max(r for r, _ in points)
    scale = max((right - left) / (_COLUMNS - 6), (max(z for _, z in points) - low)
                / (_ROWS - 3) / _HEIGHT, model.reach / _COLUMNS)

    def place(point):
        r, z = point
        return 2 + round((r - left) / scale), 1 + round((z - low) / scale / _HEIGHT)

    cells = {(column, 0): '=' for column in range(_COLUMNS)}
    base, shoulder, elbow, wrist, tip = map(place, points)
    for column in (base[0] - 1, base[0], base[0] + 1):
        for row in range(1, shoulder[1]):
            cells[column, row] = '#'
    for start, end in ((shoulder, elbow), (elbow, wrist), (wrist, tip)):
        _line(cells, start, end)
    for point, letter in ((shoulder, 'S'), (elbow, 'E'), (wrist, 'W'), (tip, '>')):
        cells[point] = letter
    top = max(row for _, row in cells)
    drawing = [''.join(cells.get((column, row), ' ') for column in range(_COLUMNS)).rstrip()
               for row in range(top, -1, -1)]
    words = ['S shoulder, E elbow, W wrist, > tip', '', *pose.words[:3]]
    above = max(0, len(drawing) - len(words)) // 2
    words = [''] * above + words
    count = max(len(drawing), len(words))
    drawing = [''] * (count - len(drawing)) + drawing
    words += [''] * (count - len(words))
    return [f'{line:{_COLUMNS}}  {word}'.rstrip() for line, word in zip(drawing, words)] + [
        f'  {word}' for word in pose.words[3:]]


def _line(cells, start, end):
    (c0, r0), (c1, r1) = start, end
    across, up = c1 - c0, r1 - r0
    steps = max(abs(across), abs(up), 1)
    if abs(up) * _HEIGHT < 0.4 * abs(across):
        mark = '-'
    elif abs(across) < 0.4 * abs(up) * _HEIGHT:
        mark = '|'
    else:
        mark = '/' if across * up > 0 else '\\'
    for step in range(steps + 1):
        cells[c0 + round(across * step / steps), r0 + round(up * step / steps)] = mark
