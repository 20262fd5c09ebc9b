# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Poses that a person can hold an arm in by eye, found from the arm's file, and drawings of them.

Every link is at a multiple of 45 degrees, rather of 90. From one pose to the next each joint
turns far, so that a sign that is wrong, or one servo taken for another, cannot be overlooked.
"""

from itertools import accumulate, combinations, pairwise, product, zip_longest
from math import atan2, cos, degrees, pi, radians, sin
from typing import NamedTuple

from ..errors import InvalidArmError
from ..kinematics.forward import Geometry, heights

#: From one pose to the next a joint turns at least so far [rad].
LEAST_TURN = radians(44.9)

#: Room to a joint's limits [rad], to the floor and to the base [m].
_MARGIN, _ABOVE_FLOOR, _BESIDE_BASE = radians(5.0), 0.03, 0.08

_STEP = pi / 4

#: Size of a drawing in characters, and how often as high as wide one is.
_COLUMNS, _ROWS, _HEIGHT = 46, 15, 2.0

_IN_PLANE = ('shoulder', 'elbow', 'wrist')

#: What a link's elevation is called, at each eighth of a turn.
_ELEVATIONS = ('level, ahead', 'half up, ahead', 'straight up', 'half up, back', 'level, back',
               'half down, back', 'straight down', 'half down, ahead')

#: Where the fingers are, by arm, when the wrist's roll is 0 and 90 degrees.
_FINGERS = {
    'so101': {0: 'the jaws open up and down, the moving one on top',
              90: 'the jaws open left and right, the moving one on the right'},
    'rx150': {0: 'the fingers open left and right', 90: 'the fingers open up and down'},
    'braccio': {0: 'the fingers open up and down', -90: 'the fingers open left and right'}}


class NamedPose(NamedTuple):
    """
    A pose by joint name [rad, m], its words, and its points in the arm plane.

    ``points`` are shoulder, elbow, wrist and tip as (ahead of the yaw axis, above ``base_link``)
    [m].
    """

    positions: dict
    words: tuple[str, ...]
    points: tuple[tuple[float, float], ...]


class _Option(NamedTuple):
    """
    Positions by name, and what makes them hard to hold.

    ``effort`` is that of the links, ``beside`` are the eighths of a turn of the other joints.
    """

    effort: int
    beside: tuple[int, ...]
    at: dict[str, float]


def named_poses(model, plus={}):
    """
    Return three poses of an arm.

    The second is far from the first in every joint. From the first to the third every joint turns
    by another angle, as far as that can be: two servos taken for each other do not fit all three.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param plus: of joints whose servos turn a sum, by name the other joint; of such a servo, too,
        the poses differ as far, and have its position as ``'joint + other'``.
    :raises InvalidArmError: if the arm's limits leave no such poses.
    """
    options = [option._replace(at=with_sums(option.at, plus)) for option in _options(model)]
    for _, _, a in options:
        far = [option for option in options
               if all(abs(option.at[name] - a[name]) >= LEAST_TURN for name in a)]
        far.sort(key=lambda option: option.effort + sum(abs(turn - 2) for turn in option.beside))
        b = next((option.at for option in far if _is_free(model, option.at)), None)
        if b and _is_free(model, a):
            c = _third(model, options, a, b)
            return tuple(_pose(model, {**at, **{
                joint.name: getattr(joint, opening) for joint in model.extra_joints}}, opening)
                for at, opening in ((a, 'closed'), (b, 'open'), (c, 'closed')))
    raise InvalidArmError('arm.joints', 'limits that leave no two poses which differ in every '
                          'joint by 45 degrees', 'wider ones; or a servos file made by hand')


def with_sums(at, plus):
    """Return positions by joint name [rad] and those of servos that turn a sum of two joints."""
    return {**at, **{f'{name} + {other}': at[name] + at[other] for name, other in plus.items()}}


def home_pose(model):
    """Return the arm's home, extra joints closed."""
    return _pose(model, model.all_home, 'closed')


def _wrapped(angle):
    return (angle + pi) % (2.0 * pi) - pi if abs(angle) > pi + 1e-9 else angle


def _inside(joint, canonical):
    """Return the position of a canonical angle, of any number of turns, inside the limits."""
    found = (joint.position(canonical + 2.0 * pi * turns) for turns in (0, -1, 1))
    return next((at for at in found if joint.lower + _MARGIN <= at <= joint.upper - _MARGIN), None)


def _options(model):
    """Return what can be held inside the limits, all at multiples of 45 degrees: easiest first."""
    in_plane = [joint for joint in model.joints if joint.role in _IN_PLANE]
    others = [joint for joint in model.joints if joint.role not in _IN_PLANE]
    found = []
    for links in product(range(-3, 5), repeat=3):
        upper_arm, forearm, hand = links
        # How hard it is to hold them so by eye: right angles are the easiest.
        effort = (sum(link % 2 for link in links) * 2 + abs(upper_arm - 2) + abs(forearm)
                  + abs(hand) + 2 * (forearm not in range(-2, 3)))
        canonical = (upper_arm, forearm - upper_arm, hand - forearm)
        at = {joint.name: _inside(joint, _wrapped(_STEP * turn))
              for joint, turn in zip(in_plane, canonical)}
        for beside in product(range(-4, 5), repeat=len(others)) if None not in at.values() else ():
            at.update({joint.name: _inside(joint, _STEP * turn)
                       for joint, turn in zip(others, beside)})
            if None not in at.values():
                found.append(_Option(
                    effort, beside, {name: at[name] for name in model.joint_names}))
    return sorted(found, key=lambda option: (
        sum(map(abs, option.beside)), option.effort, [-turn for turn in option.beside]))


def _third(model, options, a, b):
    """Return the positions of the pose that distinguishes joints best."""
    signs = {name: 1.0 if b[name] > a[name] else -1.0 for name in a}

    def cost(option):
        turns = [signs[name] * (option.at[name] - a[name]) for name in a]
        alike = sum(abs(one - other) < LEAST_TURN for one, other in combinations(turns, 2))
        return alike, option.effort + sum(map(abs, option.beside))

    return next(option.at for option in sorted(options, key=cost) if _is_free(model, option.at))


def _is_free(model, at):
    """Return whether an arm keeps off the floor and its own base."""
    floor = max(0.0, model.floor_height or 0.0) + _ABOVE_FLOOR
    q = [at[name] for name in model.joint_names]
    return min(heights(Geometry(model), q)) >= floor and all(
        abs(r) >= _BESIDE_BASE or z >= model.base_height - 1e-9
        for r, z in _points(model, _links(model, at))[1:])


def _links(model, at):
    """Return how far upper arm, forearm and hand are above ahead [rad]."""
    angles = Geometry(model).canonical([at[name] for name in model.joint_names])
    return [_wrapped(angle) for angle in accumulate(angles[2:5])]


def _points(model, links):
    points = [(model.shoulder_offset, model.base_height)]
    lengths = (model.upper_arm, 0.0), (model.forearm, 0.0), (model.hand, model.hand_offset)
    for (ahead, above), angle in zip(lengths, links):
        (r, z), c, s = points[-1], cos(angle), sin(angle)
        points.append((r + ahead * c - above * s, z + ahead * s + above * c))
    return tuple(points)


def _pose(model, at, opening):
    links = _links(model, at)
    words = [f'{name:9} {_elevation(angle)}'
             for name, angle in zip(('upper arm', 'forearm', *['hand'] * bool(model.hand)), links)]
    words += [f'{joint.name}: {_beside(model, joint, _wrapped(joint.canonical(at[joint.name])))}'
              for joint in model.joints if joint.role not in _IN_PLANE]
    words += [f'{joint.name}: {opening}' for joint in model.extra_joints]
    return NamedPose(at, tuple(words), _points(model, links))


def _elevation(angle):
    eighths = round(angle / _STEP)
    named = _ELEVATIONS[eighths % 8] if abs(angle - eighths * _STEP) < radians(0.01) else ''
    return f'{round(degrees(angle)):4d} deg   {named}'.rstrip()


def _beside(model, joint, angle):
    whole = round(degrees(angle))
    aside = f'{abs(whole)} deg to the {"left" if whole > 0 else "right"}'
    if joint.role == 'yaw':
        return f'{aside}, seen from above' if whole else 'straight ahead'
    if joint.role == 'wrist_tilt':
        return f'hand {aside}' if whole else 'hand in line'
    turned = f'{abs(whole)} deg {"" if whole > 0 else "counter-"}clockwise'
    if joint.role == 'roll':
        return 'upright' if not whole else f'{turned}, seen from behind'
    fingers = _FINGERS.get(model.name, {0: "tool0's y to the left, as in RViz"})
    more = f': {fingers[whole]}' if whole in fingers else f', from where {fingers[0]}'
    return f'rolled {turned}, seen from the wrist{more}' if whole else fingers[0]


def side_view(model, pose):
    """
    Return a drawing from the right side, its words beside and below it, as lines of text.

    Lines go from axis to axis: a bent upper arm is the straight line between its two axes.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param pose: the :class:`NamedPose`.
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
    for (column, row), (end, top) in pairwise((shoulder, elbow, wrist, tip)):
        across, up = end - column, top - row
        steps = max(abs(across), abs(up), 1)
        mark = '-/|\\'[round(atan2(_HEIGHT * up, across) / _STEP) % 4]
        for step in range(steps + 1):
            cells[column + round(across * step / steps), row + round(up * step / steps)] = mark
    for point, letter in ((shoulder, 'S'), (elbow, 'E'), (wrist, 'W'), (tip, '>')):
        cells[point] = letter
    top = max(row for _, row in cells)
    drawing = [''.join(cells.get((column, row), ' ') for column in range(_COLUMNS)).rstrip()
               for row in range(top, -1, -1)]
    words = ['S shoulder, E elbow, W wrist, > tip', '', *pose.words[:3]]
    above = max(0, len(drawing) - len(words)) // 2
    return [f'{line:{_COLUMNS}}  {word}'.rstrip() for line, word in zip_longest(
        drawing, [''] * above + words, fillvalue='')] + [f'  {word}' for word in pose.words[3:]]
