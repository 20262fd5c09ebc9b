# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A plot of one joint over the last half minute, in each browser that asks for it."""

from __future__ import annotations

from collections import deque
from math import nan
from time import monotonic
from typing import Any

import numpy as np
from viser import uplot

from .page_words import units

#: How long it remembers, how often it takes a point, and how often it is drawn [s].
_LONG, _POINTS, _DRAWN = 30.0, 0.1, 0.5

_SERIES = (uplot.Series(label='time [s]'),
           uplot.Series(label='measured', stroke='#286edc', width=2),
           uplot.Series(label='commanded', stroke='#e08020', width=1))


class Plot:
    """
    What is measured and commanded of all joints, and the plots that browsers show of one.

    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self._units = units(source.arm.model)
        self._points: deque[tuple[float, ...]] = deque(maxlen=int(_LONG / _POINTS))
        self._drawn = 0.0
        self._browsers: dict[int, tuple[Any, Any, Any]] = {}

    def add(self, client: Any) -> None:
        """Add the plot of a browser, which shows it while its box is ticked."""
        with client.gui.add_folder('Plot', expand_by_default=False):
            box = client.gui.add_checkbox('Draw', False, hint='one joint, the last 30 s')
            joint = client.gui.add_dropdown(
                'Joint', [f'{name} [{unit}]' for name, (_, unit) in self._units.items()])
            plot = client.gui.add_uplot(
                (np.zeros(1),) * 3, _SERIES, aspect=1.5, scales={
                    'x': uplot.Scale(time=False)}, visible=False)
        box.on_update(lambda _: setattr(plot, 'visible', box.value))
        self._browsers[client.client_id] = box, joint, plot

    def remove(self, client: Any) -> None:
        """Forget a browser that is closed."""
        self._browsers.pop(client.client_id, None)

    def update(self) -> None:
        """Take a point, and draw, if it is time."""
        now = monotonic()
        if self._points and now - self._points[-1][0] < _POINTS:
            return
        self._points.append((now, *[
            scale * found.get(name, nan)
            for found in (self._source.measured, self._source.commanded)
            for name, (scale, _) in self._units.items()]))
        if now - self._drawn < _DRAWN:
            return
        self._drawn, columns = now, np.array(self._points).T
        for box, joint, plot in list(self._browsers.values()):
            if box.value:
                at = 1 + joint.options.index(joint.value)
                plot.data = columns[0] - now, columns[at], columns[at + len(joint.options)]
