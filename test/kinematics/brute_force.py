# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best poses inside the limits that brute force finds: the enemy of every claim of an optimum.

The box of the limits is sampled densely, and Newton's method, kept inside the box, takes the best
samples of all its parts downhill. An order ("first the distance, then the angle") becomes a sum
whose first cost weighs more and more, up to 1e10. Every returned pose is measured, so a better
pose found here is a fact; that none was found proves nothing.
"""

from brute_chain import Chain
import numpy as np

#: Weights of what comes first, relative to what comes second, one after the other.
WEIGHTS = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10)

#: Weight where poses join that have gone downhill in what comes first before.
JOINED = 1e4

#: Weights of being below the floor, one after the other.
FLOOR_WEIGHTS = (100.0, 1e4, 1e6, 1e8, 1e10)


class BruteForce:
    """
    The search for one arm.

    :param arm: :class:`arm_ik.Arm`.
    :param samples: poses sampled for each target.
    :param starts: samples that are taken downhill.
    """

    def __init__(self, arm, samples=6000, starts=96):
        model = arm.model
        # A wrist roll moves neither tip nor up vector.
        self.count = len(model.joints) - model.has('wrist_roll')
        self._chain = Chain(
            arm.to_urdf(), model.joint_names[:self.count],
            [joint.name for joint in model.joints if joint.role in ('elbow', 'wrist')],
            model.floor_height)
        self.low = np.array(arm.lower)
        self.high = np.array(arm.upper)
        self._unit = model.reach ** -2
        self._samples, self._starts = samples, starts

    def search(self, target, priority, seed, known=()):
        """
        Return poses that are good in the order asked for.

        :param target: :class:`arm_ik.Target`.
        :param priority: ``'position'`` or ``'up'``: which cost comes first.
        :param seed: of the samples.
        :param known: readings [rad] to begin from as well.
        :returns: readings (n, joints), distances (n,) [m], angles (n,) [rad], and (n,) whether
            found without ``known``.
        """
        position = np.array(target.position)
        up = None if target.up is None else np.array(target.up)
        low, high = self.low[:self.count], self.high[:self.count]
        at = np.random.default_rng(seed).uniform(low, high, (self._samples, self.count))
        known = np.reshape(known, (-1, len(self.low)))[:, :self.count]
        known = np.clip(known, low, high)
        starts = np.concatenate([known, self._chosen(at, position, up, priority)])
        by_first = self.first_only(starts, position, up, priority)
        q = np.concatenate([
            starts, by_first, *self.in_order(starts, by_first, position, up, priority)])
        own = np.arange(len(q)) % len(starts) >= len(known)
        distances, angles, clear = self._chain.errors(q, position, up)
        rolls = np.broadcast_to(self.low[self.count:], (len(q), len(self.low) - self.count))
        kept = clear >= -1e-9
        return np.concatenate([q, rolls], axis=1)[kept], distances[kept], angles[kept], own[kept]

    def _chosen(self, at, position, up, priority):
        """Return the best of the samples of every part of the box, and some at random."""
        distance, angle, clear = self._chain.errors(at, position, up)
        cost = (distance * self._unit ** 0.5 if priority == 'position' else angle)
        cost = cost + 10.0 * (clear < 0.0)
        width = np.where(self.high > self.low, self.high - self.low, 1.0)[:self.count]
        part = np.minimum(((at - self.low[:self.count]) / width * 3.0).astype(int), 2)
        part = part @ 3 ** np.arange(self.count)
        order = np.lexsort((cost, part))
        first = order[np.diff(part[order], prepend=-1) != 0]
        first = first[np.argsort(cost[first])][:self._starts * 2 // 3]
        return at[np.concatenate([first, np.arange(self._starts - len(first))])]

    def first_only(self, q, position, up, priority, iterations=25):
        """Go downhill in what comes first alone."""
        weights = (self._unit, 0.0) if priority == 'position' else (0.0, 1.0)
        floor = FLOOR_WEIGHTS if self._chain.floor is not None else FLOOR_WEIGHTS[-1:]
        for weight in floor:
            q = self._downhill(q, position, up, (*weights, weight * self._unit), iterations)
        return q

    def in_order(self, q, by_first, position, up, priority):
        """
        Go downhill in what comes second, and in what comes first ever more steeply.

        :param q: readings [rad] to begin from with both.
        :param by_first: readings [rad] to begin from where the first is least.
        :returns: list of readings: at the end, and from there in the first alone.
        """
        for weight in WEIGHTS:
            if weight == JOINED:
                q = np.concatenate([q, by_first])
            weights = (weight * self._unit, 1.0) if priority == 'position' else (
                self._unit, weight)
            weights = (*weights, max(weight, FLOOR_WEIGHTS[0]) * self._unit)
            q = self._downhill(q, position, up, weights, 4 if weight < WEIGHTS[-1] else 16)
        return [q, self.first_only(q, position, up, priority, 6)]

    def _downhill(self, q, position, up, weights, iterations):
        """Return where Newton's method goes inside the box, saddle-free and damped."""
        low, high = self.low[:self.count], self.high[:self.count]
        damping = np.full(len(q), 1e-3)
        now = self._chain.cost(q, position, up, weights)
        for _ in range(iterations):
            step = _step(q, now[1], now[2], damping, low, high)
            tried = np.clip(q + step, low, high)
            then = self._chain.cost(tried, position, up, weights)
            better = then[0] <= now[0] * (1.0 + 4e-16)
            q = np.where(better[:, None], tried, q)
            now = tuple(np.where(better.reshape(-1, *[1] * (old.ndim - 1)), new, old)
                        for new, old in zip(then, now))
            damping = np.where(better, np.maximum(damping * 0.1, 1e-14), damping * 8.0)
        return q


def _step(q, gradient, hessian, damping, low, high):
    """
    Return Newton's steps, damped and saddle-free, of joints that may stop at their limits.

    A joint that would cross its limit is taken to the limit, and the step of the others is
    computed anew: what comes first is kept while going along it.
    """
    held = ((q <= low) & (gradient >= 0.0)) | ((q >= high) & (gradient <= 0.0))
    fixed = np.zeros(q.shape)
    step = np.zeros(q.shape)
    rows = np.arange(len(q))
    for _ in range(q.shape[1]):
        free = ~held[rows]
        slope = (gradient[rows] + np.einsum('nij,nj->ni', hessian[rows], fixed[rows])) * free
        curvature, directions = np.linalg.eigh(
            hessian[rows] * free[:, None] * free[:, :, None])
        along = np.einsum('nij,ni->nj', directions, slope)
        along /= np.abs(curvature) + damping[rows, None]
        step[rows] = fixed[rows] - np.einsum('nij,nj->ni', directions, along) * free
        step[rows] /= np.maximum(np.abs(step[rows]).max(axis=1, keepdims=True), 1.0)
        ends = np.clip(q[rows] + step[rows], low, high)
        crossing = (ends != q[rows] + step[rows]) & free
        fixed[rows] = np.where(crossing, ends - q[rows], fixed[rows])
        held[rows] |= crossing
        rows = rows[crossing.any(axis=1)]
        if not len(rows):
            break
    return step
