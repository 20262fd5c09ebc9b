# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A million corrupted answers of each serial bus: what passes its check, and what is believed, too.

``arm_ik.testing.servos.corrupted_frames`` has the joint that moves and how its
answers are corrupted. One that is hit in a single bit or byte has to be noticed by the check.
"""

from importlib import import_module

from .emulated import serial_buses
from .figures import Figure, none_of

NUMBER, SHORT_NUMBER = 1_000_000, 7_000


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    serial_buses()      # or this machine is not for servos
    frames, figures = import_module('arm_ik.testing.servos.corrupted_frames'), []
    each = (SHORT_NUMBER if short else NUMBER) // len(frames.FAULTS)
    for codec, what in frames.CODECS.items():
        found = {}
        for fault in frames.FAULTS:
            found[fault] = frames.count(each, fault, codec, seed)
            say(f'{codec}, {fault}: {found[fault]}')
        passed, believed, worst = zip(*found.values())
        figures += [
            none_of(f'{what.name}: passed by one bit or byte', found['one bit'][0]
                    + found['one byte'][0], 2 * each),
            Figure(f'{what.name}: corrupted answers that pass it', '',
                   f'{sum(passed)} of {each * len(found)}; believed, too: {sum(believed)}, at '
                   f'most {max(worst):.2f} rad off')]
    return figures
