# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How a target is solved, as pictures: lines, areas and labels by name, and the value of each step.

Letters are those of the kinematics: S0, e, u, p and l3 of :mod:`~arm_ik.kinematics.arm_plane`;
f, n, h of :mod:`~arm_ik.kinematics.forward`; l1, l2, d, w, s of
:mod:`~arm_ik.kinematics.two_link`. Everything is in ``base_link`` [m, rad]. Nothing here draws.
"""

from dataclasses import replace
from functools import cache
from cmath import rect
from contextlib import suppress
from math import cos, dist, hypot, remainder, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from .page_words import shown
from ..arm import Arm
from ..errors import InvalidInputError
from ..kinematics.arm_plane import normal_of
from ..kinematics.limits import TURN
from ..kinematics.target import Target
from ..kinematics.three_link import solve_recipe
from ..kinematics.tolerances import SAME
from ..kinematics.two_link import solve_angles, solve_elbow, Triangle

#: Red, green, blue up to 255.
LINK, GIVEN, FOUND, GHOST, MISS, LIMIT, FAINT = (40, 60, 90), (0, 110, 200), (0, 140, 90), (
    235, 140, 30), (230, 40, 40), (240, 170, 170), (170, 170, 170)

#: Height of a label, width of its letters, the radius of an angle, and how far lines of labels are
#: apart, in sizes of the picture.
HIGH, WIDE, RADIUS, APART = 0.055, 0.027, 0.18, 0.075

_X, _Y, _Z = np.eye(3)

#: Where labels go from their points, in sizes of the picture, evenly dense.
_SPIRAL = [0.4 * HIGH * sqrt(number) * rect(1.0, 2.399963 * number) for number in range(9, 2000)]

#: By joint in the plane.
_FORMULAS = {'shoulder': 'atan2(y, x) - atan2(s, w)', 'elbow': 'atan2(s, d² - l1² - l2²)',
             'wrist': 'elevation - shoulder - elbow'}


class Picture(NamedTuple):
    """
    What is drawn in and around an arm plane, of which a disc of a size [m] is seen.

    Frame, (4, 3): the shoulder, and f, n, h. All else is by name. Lines: points (n, 3), colour.
    Labels: place (3,), words. Steps: a value [m, rad, m^2], the unit to show it in, the formula.
    """

    frame: np.ndarray
    size: float
    lines: dict[str, tuple[np.ndarray, tuple[int, int, int]]]
    labels: dict[str, tuple[np.ndarray, str]]
    steps: dict[str, tuple[float, str, str]]

    def at(self, x: Any, y: Any) -> np.ndarray:
        """Return points at x along f and y along h [m], shape (..., 3)."""
        origin, f, _, h = self.frame
        return origin + np.multiply.outer(x, f) + np.multiply.outer(y, h)

    def line(self, name: str, *points: Any, colour: Any = FAINT, label: str = '',
             formula: str = '') -> None:
        """Add a line; with a formula, the distance of its ends is a step."""
        self.lines[name] = at, _ = np.array(points, dtype=float), colour
        if formula:
            self.steps[name] = step = dist(at[0], at[-1]), 'mm', formula
            label = f'{name} {shown(*step)}{label}'
        if label:
            self.labels[name] = 0.5 * (at[(len(at) - 1) // 2] + at[len(at) // 2]), label

    def arc(self, name: str, centre: Any, first: Any, second: Any, angle: float, formula: str,
            colour: Any = FOUND, label: str = '', radius: float = 0.0) -> None:
        """Add an angle from a unit vector towards another across it; a radius is its step."""
        turns = np.linspace(0.0, angle, 73)[:, None]
        points = centre + (radius or RADIUS * self.size) * (
            np.cos(turns) * first + np.sin(turns) * second)
        self.lines[name] = points, colour
        self.steps[name] = step = (radius or angle), 'mm' if radius else '°', formula
        self.labels[name] = points[26], f'{name} {shown(*step)}{label}'

    def triangle(self, triangle: Triangle, x: float, y: float) -> None:
        """Add what all triangles have: the distance, the ring, and what both methods share."""
        origin, f, _, h = self.frame
        squared, beyond = x * x + y * y, triangle.solve(x, y)[3]
        for name, radius in ('l1 + l2', triangle.outer), ('|l1 - l2|', triangle.inner):
            self.arc(name, origin, h, f, TURN, name, FAINT, radius=radius or 1e-9)
        self.line('d', origin, self.at(x, y), colour=GIVEN, formula='hypot(x, y)', label=(
            f', too {"far" if beyond > 0.0 else "close"} by {shown(abs(beyond))}' * bool(beyond)))
        self.steps['w'] = squared + triangle.w_less_h, 'mm²', 'd² + l1² - l2²'
        self.steps['s'] = triangle.s(squared), 'mm²', '√(4 l1² d² - w²)'

    def laid_out(self) -> 'Picture':
        """Move labels apart, as seen square on, and lead each to its point."""
        origin, f, _, h = self.frame
        taken = {name: complex((at - origin) @ f, (at - origin) @ h) / self.size
                 for name, (at, _) in self.labels.items()}
        wide = dict.fromkeys(taken, 0.0)     # but no label covers what another one is of
        for name, (at, words) in self.labels.items():
            own = WIDE * (len(words) + 1)
            taken[name] = spot = next(at for at in map(taken[name].__add__, _SPIRAL) if all(
                abs((away := at - other).real) > 0.5 * (own + each) or abs(away.imag) > APART
                for other, each in zip(taken.values(), wide.values())))
            wide[name], place = own, origin + self.size * (spot.real * f + spot.imag * h)
            self.labels[name] = place, words
            self.lines[f'to {name}'] = np.stack([at, place]), FAINT
        return self


def frame_of(geometry: Any, yaw: float, roll: float) -> np.ndarray:
    """Return shoulder, f, n and h of the arm plane at a yaw and roll [rad], shape (4, 3)."""
    f, n = np.array((cos(yaw), sin(yaw), 0.0)), np.array(normal_of(yaw, roll))
    return np.array((_base(geometry) + geometry.shoulder_offset * f + geometry.lateral * n, f, n,
                     np.cross(f, n)))


def explain(picture: str, arm: Arm, target: Target, solution: Any, found: Any,
            rotations: float = 5.0) -> Picture:
    """
    Return a picture of how a target is solved.

    :param picture: one of :data:`PICTURES`.
    :param solution: of :meth:`arm_ik.Arm.solve`.
    :param found: its :func:`~arm_ik.kinematics.explanation.answers_plane.plane_of_answer`.
    :param rotations: how many of the recipe's are done.
    """
    frame, ends = frame_of(found.solver.geometry.whole, *found.plane[:2]), arm.points(solution.q)
    drawn = Picture(frame, arm.model.reach, {}, {}, {})
    with suppress(InvalidInputError):    # the recipe has no answer to some
        PICTURES[picture](drawn, arm, target, found, ends, solution, rotations)
    return drawn


def _reduction(drawn: Picture, arm: Arm, target: Target, found: Any, ends: Any, *_: Any) -> None:
    """Draw the plane, and the wrist in it."""
    geometry, (yaw, roll, tilt, x, y, elevation, miss) = found.solver.geometry, found.plane
    (origin, f, n, h), size, e = drawn.frame, drawn.size, np.array(target.position)
    base, wrist, elevation = _base(geometry.whole), drawn.at(x, y), elevation - geometry.bend
    drawn.line('e', base, e, formula='target - S0')
    drawn.arc('yaw', base, _X, _Y, remainder(yaw, TURN), 'atan2(-n_x, n_y)' if geometry.has_roll
              else 'atan2(e_y, e_x) - asin(lateral / |e_xy|); with a tilt, of p', LINK)
    if geometry.has_roll:
        drawn.arc('roll', base + 0.4 * size * f, _Z, np.cross(f, _Z), remainder(roll, TURN),
                  'atan2(n_z, ± hypot(n_x, n_y))', LINK)
    drawn.line('n', origin, origin + 0.3 * size * n, colour=LINK, label='n')
    tip = ends.tip if dist(ends.wrist, wrist) <= SAME else e     # where the plane is the answer's
    drawn.line('l3', wrist, tip, colour=LINK, formula='p = e - l3 · (u in the plane)')
    drawn.labels['p'] = wrist, 'wrist p'
    if target.up is not None and geometry.has_wrist:
        u, inside = np.array(target.up), cos(elevation) * f + sin(elevation) * h
        drawn.line('u', e, e + 0.4 * size * u, colour=GIVEN, label='u')
        drawn.line('inside', e, e + 0.4 * size * inside, colour=FOUND, label='u in the plane')
        drawn.steps['elevation'] = remainder(elevation, TURN), '°', 'atan2(u·h, u·f)'
        if geometry.has_tilt:
            drawn.arc('wrist_tilt', wrist, inside, n, remainder(tilt, TURN), 'asin(u·n), π - it')
        else:
            drawn.arc('out of the plane', e, inside, n if u @ n > 0.0 else -n, miss, '|asin(u·n)|')
    drawn.steps.update(x=(x, 'mm', 'p·f - shoulder_offset'), y=(y, 'mm', 'p·h'))
    if not geometry.upright:
        for answer in (twin := twin_of(arm.model)).solutions(target)[:1]:
            drawn.line('twin', *twin.points(answer.q), colour=GHOST, label=twin.name)


@cache
def twin_of(model: Any) -> Arm:
    """Return an arm of these lengths, with a tilting wrist for a rolling base or vice versa."""
    other, lengths = Arm.preset('tilting_wrist' if model.has('roll') else 'rolling_base').model, (
        'upper_arm', 'forearm', 'hand', 'base_x', 'base_y', 'base_height', 'shoulder_offset')
    return Arm(replace(other, **{name: getattr(model, name) for name in lengths}))


def _two_links(drawn: Picture, arm: Arm, target: Target, found: Any, ends: Any, *it: Any) -> None:
    """Draw the triangle, the ring, both bends, and how far the answer is off."""
    geometry, solution = found.solver.geometry, it[0]
    yaw, roll, *angles, _, _ = geometry.whole.canonical(solution.q)
    drawn.triangle(found.solver.triangle, found.plane.x, found.plane.y)
    s, e = [np.linspace(*limit.canonical_ends) for limit in geometry.limits_in_plane[:2]]
    for number, (one, other) in enumerate(((s[0], e), (s[-1], e), (s, e[0]), (s, e[-1]))):
        drawn.line(f'limit {number}', *drawn.at(*[geometry.l1 * turn(one) + geometry.l2 * turn(
            one + other) for turn in (np.cos, np.sin)]), colour=LIMIT)
    for name, begin, end in ('l1', 0, 2), ('l2', 1, 3), ('hand', 2, 5):
        drawn.line(name, *ends[begin:end], colour=LINK, formula='of the arm')
    turned, (_, f, _, h) = 0.0, frame_of(geometry.whole, yaw, roll)
    closest = ', for the closest pose' * (dist(ends.wrist, drawn.at(*found.plane[3:5])) > SAME)
    for (role, formula), centre, angle in zip(_FORMULAS.items(), ends, angles):
        if role in geometry.roles:
            stops = arm.joint_names[geometry.roles.index(role)] in solution.limited_by
            drawn.arc(role, centre, cos(turned) * f + sin(turned) * h,
                      cos(turned) * h - sin(turned) * f, remainder(angle, TURN), formula + closest,
                      MISS if stops else FOUND, ' at its limit' if stops else '')
        turned += angle
    if found.other:
        drawn.line('other bend', *arm.points(found.other), colour=FAINT if found.problem else
                   GHOST, label=f'other bend: {found.problem or found.elbow}')
    if solution.position_error_m > SAME:
        drawn.line('gap', ends.tip, target.position, colour=MISS, formula=solution.reason)


def _recipe(drawn: Picture, arm: Arm, target: Target, *it: Any) -> None:
    """Draw a stick figure after some of the recipe's rotations, as it is and repaired."""
    geometry, e, rotations = arm.solver.geometry.whole, target.position, it[-1]
    lengths, base = (geometry.l1, geometry.l2, geometry.l3), _base(geometry)
    drawn.labels['target'] = np.array(e), 'target'
    for repaired, name, colour in (False, 'article', GHOST), (True, 'repaired', FOUND):
        angles = solve_recipe(*lengths, e - base, target.up or _Z, repaired)
        # Its order: yaw, shoulder, elbow, wrist, and the roll last.
        done = np.clip(rotations - np.array((0, 4, 1, 2, 3)), 0.0, 1.0) * angles
        drawn.steps.update({f'{name}: {role}': (angle, '°', 'of the recipe')
                            for role, angle in zip(angles._fields, done)})
        at, turned = np.cumsum(done[2:]), frame_of(geometry, *done[:2])
        figure = base + np.cumsum([(0.0, 0.0), *np.transpose(
            [lengths * np.cos(at), lengths * np.sin(at)])], axis=0) @ turned[1::2]
        drawn.line(name, *figure, colour=colour, label=name)
        drawn.line(f'{name} misses by', figure[-1], e, colour=MISS, formula='|tip - target|')


#: What can be drawn.
PICTURES = {'Reduction': _reduction, 'Two links in the plane': _two_links,
            "The article's recipe": _recipe}


def two_bones(l1: float, l2: float, x: float, y: float, bend: int = 1, side: int = 1,
              stretch: bool = False) -> Picture:
    """Return a picture of both planar methods, with the arguments of their functions."""
    origin, p = np.zeros(3), np.array((x, y, 0.0))
    drawn = Picture(np.array((origin, _X, -_Z, _Y)), max(l1 + l2, hypot(x, y)), {}, {}, {})
    drawn.triangle(Triangle(l1, l2), x, y)
    drawn.arc('l1', origin, _Y, _X, TURN, 'about the origin', GHOST, radius=l1 or 1e-9)
    drawn.arc('l2', p, _Y, _X, TURN, 'about the target', GHOST, radius=l2 or 1e-9)
    shoulder, elbow, reachable = solve_angles(l1, l2, x, y, bend)
    first, second = drawn.at(np.cos(at := np.cumsum((shoulder, elbow))), np.sin(at))
    joint, end = l1 * first, l1 * first + l2 * second
    for name, each, colour in ('other crossing', -side, FAINT), ('solve_elbow', side, GHOST):
        if (crossing := solve_elbow(l1, l2, x, y, each, stretch)) is not None:
            drawn.line(name, origin, drawn.at(*crossing), p, colour=colour, label=name)
    drawn.line('by angles', origin, joint, end, colour=LINK, label='solve_angles')
    drawn.arc('shoulder', origin, _X, _Y, shoulder, _FORMULAS['shoulder'])
    drawn.arc('elbow', joint, first, np.cross(_Z, first), elbow, _FORMULAS['elbow'])
    if not reachable:
        drawn.line('gap', end, p, colour=MISS, formula='out of reach')
    return drawn


def _base(geometry: Any) -> np.ndarray:
    return np.array((geometry.base_x, geometry.base_y, geometry.base_height))
