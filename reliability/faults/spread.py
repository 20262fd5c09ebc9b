# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Many measurements in a few words."""

from math import ceil


def spread(values, unit, digits=3):
    """Return median, 99th percentile and largest of values in words."""
    ordered = sorted(values)
    middle, high = (ordered[ceil(part * len(ordered)) - 1] for part in (0.5, 0.99))
    return (f'median {middle:.{digits}f}, p99 {high:.{digits}f}, '
            f'largest {ordered[-1]:.{digits}f} {unit}')
