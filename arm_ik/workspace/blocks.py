# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Looking at every cell of an area without looking at all of them.

What is looked at fills whole areas. So the corners of blocks are looked at first; a block whose
corners and known cells are all the same is that throughout, any other is divided.
"""

#: What a cell holds that was not looked at.
UNKNOWN = -1

#: Cells along the side of the blocks that are looked at first.
BLOCK = 8


def look_at_blocks(values, look):
    """
    Fill in the unknown cells of an array.

    :param values: array (rows, columns), changed in place; ``UNKNOWN`` where not known.
    :param look: function of row and column that returns a cell's value, and writes it into values.
    """
    rows, columns = values.shape
    blocks = [(top, min(top + BLOCK, rows - 1), left, min(left + BLOCK, columns - 1))
              for top in range(0, rows, BLOCK) for left in range(0, columns, BLOCK)]
    while blocks:
        top, bottom, left, right = blocks.pop()
        inside = values[top:bottom + 1, left:right + 1]
        if not (inside == UNKNOWN).any():
            continue
        corners = {look(row, column) for row in (top, bottom) for column in (left, right)}
        known = corners.union(inside[inside != UNKNOWN].tolist())
        if len(known) == 1:
            inside[inside == UNKNOWN] = known.pop()
        elif bottom - top > 1 or right - left > 1:
            row, column = (top + bottom) // 2, (left + right) // 2
            blocks += [(a, b, c, d) for a, b in {(top, row), (row, bottom)}
                       for c, d in {(left, column), (column, right)}]
