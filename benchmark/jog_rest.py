# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
From the last twist to rest, and the largest joint step while jogging into everything.

    python benchmark/jog_rest.py

Core, driver and simulated servos of an SO-101 on one simulated clock; then 60 s of jogging in
random directions for each arm that comes with the package, without the nodes.
"""

from math import degrees, hypot
from pathlib import Path
from random import Random
import sys

from arm_ik import Arm
from arm_ik.description import preset_names
from arm_ik.motion.jog import Jog, Twist
from arm_ik.nodes.ik.report import Request
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'nodes' / 'ik'))
from clocked_loop import ARM, Loop  # noqa: E402, I100

_PERIOD = 0.02
_TRIES, _SECONDS = 100, 60


def direction(random, length):
    """Return a vector of a length in a random direction."""
    vector = [random.gauss(0.0, 1.0) for _ in range(3)]
    return tuple(length * part / hypot(*vector) for part in vector)


def rest(seed):
    """Jog and let go; return the time until rest [s], and how far a joint and the tip still go."""
    random = Random(seed)
    loop = Loop(random)
    loop.run(0.1)
    twist = Twist(direction(random, random.choice((0.05, 0.1, 0.2))))
    for number in range(random.randint(10, 40)):
        loop.core.take_twist(twist, Request(number + 1))
        loop.run(_PERIOD)
    let_go = len(loop.path) - 1
    loop.run(1.0)
    path = np.array(loop.path)[let_go:]
    moved = np.flatnonzero(np.any(np.diff(path, axis=0), axis=1))
    tips = ARM.forward(path[[0, -1]]).position
    return (0.01 * (moved.max(initial=-1) + 1), degrees(np.abs(path[-1] - path[0]).max()),
            1e3 * np.linalg.norm(tips[1] - tips[0]))


def wander(name):
    """Jog an arm about; return its largest step, speed and acceleration, and still steps."""
    model, random = Arm.preset(name).model, Random(3)
    jog = Jog(model, model.home, [0.0] * len(model.home))
    step = speed = gain = 0.0
    still = unexplained = 0
    for _ in range(_SECONDS):
        linear = direction(random, random.choice((0.05, 0.1, 0.3)))
        twist = Twist(linear if random.random() < 0.8 else (0.0,) * 3,
                      direction(random, random.choice((0.0, 0.0, 0.5, 2.0))),
                      random.random() < 0.3)
        for _ in range(round(1.0 / _PERIOD)):
            before, slower = jog.q, jog.velocities
            jog.step(twist, _PERIOD)
            for a, b, v, w, joint in zip(before, jog.q, slower, jog.velocities, model.joints):
                step = max(step, abs(b - a))
                speed = max(speed, abs(w) / joint.max_velocity)
                gain = max(gain, abs(w - v) / _PERIOD / joint.acceleration)
            stands = max(map(abs, jog.velocities)) < 1e-3 and twist and not jog.reason
            still = still + 1 if stands else 0
            unexplained += still > 4
    return step, speed, gain, unexplained


def main():
    """Print the figures."""
    times, turns, ways = zip(*map(rest, range(_TRIES)))
    for what, values, unit in (('time from the last twist to rest', times, 's'),
                               ('a joint still turns by', turns, 'deg'),
                               ('the tip still goes', ways, 'mm')):
        print(f'{what}: median {np.median(values):.3g}, largest {max(values):.3g} {unit}')
    print(f'\n{_SECONDS} s of jogging      largest step   speed / largest   acceleration / largest'
          '   halts without a reason')
    for name in preset_names():
        step, speed, gain, unexplained = wander(name)
        print(f'{name:20} {step:9.4f} rad {speed:14.3f} {gain:20.3f} {unexplained:20}')


if __name__ == '__main__':
    main()
