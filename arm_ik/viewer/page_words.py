# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Words, numbers and styles of the page, and what it does in the browser before viser does."""

from collections.abc import Iterable, Mapping
from html import escape
from math import atan2, degrees, hypot
from pathlib import Path
import re
from typing import Any

from ..kinematics.model import ArmModel

#: What servos report, as columns: its key, what it is multiplied by, and its heading.
_REPORTED = (('load', 100.0, 'load %'), ('temperature_c', 1.0, '°C'), ('voltage_v', 1.0, 'V'))

#: By unit: what a value in metres, radians or square metres is multiplied by.
_SCALES = {'mm': 1e3, '°': degrees(1.0), 'mm²': 1e6}


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding='utf-8')


def script(name: str) -> str:
    """Return HTML that runs a script of this folder in the browser."""
    return f'<style onload="{escape(_read(f"{name}.js"))}"></style>'


STYLE = f'{script("page")}<style>{_read("page.css")}</style>'

#: Sent each second: what a browser shows 3 s after it got it last. viser fades what is around it.
SILENT = ('<div data-beat="{}">'
          'The viewer is missing: nothing here is live, and Stop does not work.</div>')


def in_lines(kind: str, *lines: tuple[str, str]) -> str:
    """
    Return lines as HTML, each a word in bold and others; all of them are shown as text.

    :param kind: ``'line'``, a single one, or ``'box'``; either has a height that never changes; or
        ``'note'``, as high as it has to be.
    """
    return f'<div class="arm-ik-{kind}">{{}}</div>'.format(''.join(
        f'<div title="{escape(words)}"><b>{escape(bold)}</b> {escape(words)}</div>'
        for bold, words in lines))


def table(model: ArmModel, measured: Mapping[str, float], commanded: Mapping[str, float],
          servos: Mapping[str, Mapping[str, str]]) -> str:
    """Return what is measured, commanded and reported of each joint, as HTML."""
    shown = [column for column in _REPORTED if any(column[0] in it for it in servos.values())]
    rows = [['', 'measured', 'commanded', *(heading for *_, heading in shown)]]
    for name, joint in model.all_joints.items():
        unit = 'mm' if getattr(joint, 'type', '') == 'prismatic' else '°'
        positions = [f'{rounded(_SCALES[unit] * found[name])}{unit}' if name in found else ''
                     for found in (measured, commanded)]
        reports = [_scaled(servos.get(name, {}).get(key, ''), factor) for key, factor, _ in shown]
        rows.append([name, *positions, *reports])
    return f'<table class="arm-ik-table">{_rows(rows)}</table>'


def in_steps(pictures: Iterable[Mapping[str, tuple[float, str, str]]], code: str) -> str:
    """Return the steps of pictures and a program, as HTML that can be selected."""
    rows = [(name, shown(*it), it[2]) for steps in pictures for name, it in steps.items()]
    return '<div class="arm-ik-steps"><table>{}</table><pre>{}</pre></div>'.format(
        _rows(rows), escape(code))


def shown(value: float, unit: str = 'mm', *_: str) -> str:
    """Return a value [m, rad, m^2] with its unit, ``'mm'``, ``'°'`` or ``'mm²'``."""
    return f'{rounded(_SCALES[unit] * value)} {unit}'.replace(' °', '°')


def in_millimetres(words: str) -> str:
    """Return words with their metres and radians in millimetres and degrees."""
    words = re.sub(r'([\d.]+) m\b', lambda found: f'{1e3 * float(found[1]):.3g} mm', words)
    return re.sub(r'([\d.]+) rad\b', lambda found: f'{degrees(float(found[1])):.3g} deg', words)


def rounded(value: float) -> float:
    """Return a number to one decimal; never -0.0."""
    return round(value, 1) + 0.0


def angles(up: Any, yaw: float = 0.0) -> tuple[float, float]:
    """
    Return elevation and azimuth of a unit vector [deg]; upright ones have no azimuth.

    :param yaw: the direction that azimuths are measured from [rad].
    """
    x, y, z = map(float, up)
    level = hypot(x, y)
    turn = degrees(atan2(y, x) - yaw) if level > 1e-6 else 0.0
    return rounded(degrees(atan2(z, level))), rounded((turn + 180.0) % 360.0 - 180.0)


def _rows(rows: Iterable[Iterable[str]]) -> str:
    """Return the rows of a table as HTML."""
    return ''.join(f'<tr><td>{"</td><td>".join(map(escape, row))}</td></tr>' for row in rows)


def _scaled(text: str, factor: float) -> str:
    """Return a number times a factor, and what is none as it is."""
    try:
        return f'{factor * float(text):.4g}'
    except ValueError:
        return text
