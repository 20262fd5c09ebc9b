# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Paths that have a continuous answer, and paths across the edge of reach.

*The law* says how far a step across the edge may go.
In the arm plane two rigid pieces a and b form a triangle with the line c from the
first one's joint to the end of the second. With ``c^2 = a^2 + b^2 + 2 a b cos g`` a change d of c
changes ``cos g`` by at most ``d (a + b) / (a b)``, and the angle between the pieces by at most::

    dg = 2 asin sqrt(d (a + b) / (2 a b))

worst where the pieces are in line: the square root of a straightening arm. The first piece turns
by at most ``dg max(a, b) / c`` in the triangle and by ``d / c`` with the line. Which pieces there
are depends on what is at a limit: upper arm and forearm where the last link's elevation is
served; with the wrist at a limit upper arm and the rest; with the elbow at one, or straight, what
is before and after the wrist; with the shoulder at one forearm and last link. Where the elevation
of the up vector in the arm plane turns by t, the wrist moves by ``l3 t`` more. Two triangles may
take turns within a step, so the law counts the worst one twice. Away from the edge the arm goes by
its Jacobian, with d instead of its square root, which is less.

On arms whose base only yaws, d comes from the target's distance from the yaw axis,
``sqrt(rho^2 - lateral^2)``, and the yaw turns by ``d / rho`` more. With a rolling base or a
tilting wrist the plane may turn faster than that where wrist and tip come in line with the
shoulder; what goes beyond the law there is a jump like any other, to be judged.

*Whether a jump had to be* is judged by brute force, which knows nothing of branches: in the box
that the law allows around the readings before, no pose is a local optimum and within the tolerance
of the best. It counts with 90 % of the tolerance.
"""

from math import asin, atan2, ceil, cos, dist, hypot, pi, radians, remainder, sin, sqrt

from arm_ik import Target
from brute_force import BruteForce
import numpy as np

#: What the branch may be worse by [m, rad].
TOLERANCE = (0.001, radians(2.0))

#: How far targets are apart [m].
SPACING = 1e-4

#: Steps below this [rad] are no jump by any law.
SMALL = 0.02

#: Largest half side of the box that a continuous step is looked for in [rad].
BOX = 0.3


def along_joints(arm, random, legs=2, step=0.04):
    """
    Return readings along a smooth way through random poses inside the limits.

    Their tips are a path of targets that has a continuous answer: these readings.

    :param random: :class:`random.Random`.
    :param legs: number of poses on the way, the first one not counted.
    :param step: most that a joint moves from one to the next [rad].
    """
    poses = [[random.choice((low, high)) if random.random() < 0.15 else random.uniform(low, high)
              for low, high in zip(arm.lower, arm.upper)] for _ in range(legs + 1)]
    way = [tuple(poses[0])]
    for a, b in zip(poses, poses[1:]):
        count = ceil(0.5 * pi * max([abs(y - x) for x, y in zip(a, b)]) / step)
        shares = [0.5 - 0.5 * cos(pi * i / count) for i in range(1, count + 1)]
        way += [tuple(np.clip([(1.0 - s) * x + s * y for x, y in zip(a, b)], arm.lower,
                              arm.upper).tolist()) for s in shares]
    return way


def across_the_edge(arm, random, with_up, count):
    """
    Return a pose, and targets that go straight out of reach at a random place and back again.

    :param random: :class:`random.Random`.
    :param with_up: whether the targets have the pose's up vector.
    :param count: targets on either side of the edge.
    :returns: ``(readings, targets)``, 4 count targets ``SPACING`` apart.
    """
    q = tuple(random.uniform(low, high) for low, high in zip(arm.lower, arm.upper))
    pose = arm.forward(q)
    way = [random.gauss(0.0, 1.0) for _ in range(3)]
    way = [x / hypot(*way) for x in way]

    def at(distance):
        return [float(x) + distance * d for x, d in zip(pose.position, way)]

    def is_reached(distance):
        return arm.solve(Target(at(distance)), q).reached

    outside = 0.02
    while is_reached(outside):
        outside += 0.02
    inside = outside - 0.02
    for _ in range(16):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if is_reached(middle) else (inside, middle)
    out = [inside + (i + random.random()) * SPACING for i in range(-count, count)]
    up = pose.up if with_up else None
    return q, [Target(at(distance), up) for distance in out + out[::-1]]


def followed(arm, targets, near, **options):
    """Return the answers to targets, each from the one before."""
    answers = []
    for target in targets:
        answers.append(arm.solve(target, near, **options))
        near = answers[-1].q
    return answers


def law(arm, before, after, targets):
    """Return how far a joint may step between two poses that answer two targets [rad], above."""
    model = arm.model
    d = dist(*[target.position for target in targets])
    (r, z, azimuth), (r_after, z_after, azimuth_after) = [
        _in_plane(model, target.position) for target in targets]
    d = max(d, hypot(r_after - r, z_after - z))
    yaw = abs(remainder(azimuth_after - azimuth, 2.0 * pi))
    turned = 0.0
    if targets[0].up is not None:
        turned = abs(remainder(_elevation(targets[1].up, azimuth_after)
                               - _elevation(targets[0].up, azimuth), 2.0 * pi))
    d += model.hand * turned
    worst = 0.0
    for a, b, c in _triangles(arm, before) + _triangles(arm, after):
        if min(a, b, c) < 1e-6:
            return pi
        angle = 2.0 * asin(min(1.0, sqrt(d * (a + b) / (2.0 * a * b))))
        worst = max(worst, angle * (1.0 + max(a, b) / c) + d / c)
    return yaw + turned + 2.0 * worst


def _in_plane(model, position):
    """Return distance from the shoulder's axis [m], height [m] and yaw [rad] of a target."""
    x, y = position[0] - model.base_x, position[1] - model.base_y
    rho = hypot(x, y)
    aside = asin(max(-1.0, min(1.0, model.lateral / max(rho, 1e-12))))
    return sqrt(max(0.0, rho ** 2 - model.lateral ** 2)), position[2], atan2(y, x) - aside


def _elevation(up, yaw):
    return atan2(up[2], up[0] * cos(yaw) + up[1] * sin(yaw))


def _triangles(arm, q):
    """Return the triangles (a, b, c) [m] that may move about a pose."""
    model, first = arm.model, arm.model.roles.index('shoulder')
    elbow, wrist = [model.joints[i].sign * q[i] + model.joints[i].offset
                    for i in (first + 1, first + 2)]
    s_held, e_held, w_held = [
        min(q[i] - arm.lower[i], arm.upper[i] - q[i]) < 1e-4 for i in range(first, first + 3)]
    l1, l2, l3 = model.upper_arm, model.forearm, model.hand
    outer, rest = _sum(l1, l2, elbow), _sum(l2, l3, wrist)
    found = [(l1, l2, outer)]
    whole = hypot(l1 + l2 * cos(elbow) + l3 * cos(elbow + wrist),
                  l2 * sin(elbow) + l3 * sin(elbow + wrist))
    if s_held:
        found.append((l2, l3, rest))
    if e_held or abs(sin(elbow)) < 1e-3:
        found.append((outer, l3, whole))
    if w_held:
        found.append((l1, rest, whole))
    return found


def _sum(a, b, angle):
    return hypot(a + b * cos(angle), b * sin(angle))


class Avoidable:
    """
    Looks for poses that would have spared an arm a jump.

    :param arm: :class:`arm_ik.Arm`.
    """

    def __init__(self, arm):
        self._arm = arm
        self._search = BruteForce(arm, samples=400, starts=24)
        self._low, self._high = np.array(arm.lower), np.array(arm.upper)

    def poses(self, target, near, radius):
        """Return local optima within the tolerance, no joint farther than radius from near."""
        count = self._search.count
        here = np.clip(near, self._low, self._high)
        low, high = np.maximum(self._low, here - radius), np.minimum(self._high, here + radius)
        self._search.low, self._search.high = low, high
        q, distances, angles, _ = self._search.search(target, 'position', 0, [here])
        best = self._arm.solve(target, near)
        held = ((q <= low + 1e-5) & (low > self._low)) | ((q >= high - 1e-5) & (high < self._high))
        good = (distances <= best.position_error_m + 0.9 * TOLERANCE[0]) & (
            angles <= best.up_error_rad + 0.9 * TOLERANCE[1]) & ~held[:, :count].any(axis=1)
        nearest = sorted(q[good], key=lambda found: np.abs(found - here)[:count].max())
        return [tuple(found) for found in nearest[:3] if self._is_settled(found, target)]

    def _is_settled(self, q, target):
        """Tell whether a pose is a local optimum: going downhill once more leads nowhere."""
        search, count = self._search, self._search.count
        search.low, search.high = self._low, self._high
        position = np.array(target.position)
        up = None if target.up is None else np.array(target.up)
        settled = q[None, :count]
        for _ in range(2):
            by_first = search.first_only(settled, position, up, 'position')
            settled = search.in_order(settled, by_first, position, up, 'position')[0][:1]
        return bool(np.abs(settled[0] - q[:count]).max() < 1e-3)
