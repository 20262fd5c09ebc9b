# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 whose tip is sent round a circle by a stream of goals, in simulated time."""

from math import cos, sin
from random import Random

from arm_ik import Arm, Target
from driven_arm import DrivenArm, PERIOD
import numpy

SO101 = Arm.preset('so101')

RADIUS, SPEED = 0.04, 0.1


def circle(time):
    """Return where the tip should be on a circle at 0.1 m/s, hand down."""
    angle = SPEED / RADIUS * time
    return 0.18 + RADIUS * cos(angle), RADIUS * sin(angle), 0.05


def go_round(rate, stamps, seed, seconds=4.0, noise=0.0, lost=None):
    """Send a circle, 20 % early or late; return times, set-points, tips and the last arrival."""
    random, q, sent = Random(seed), None, []
    for number in range(round(seconds * rate)):
        time = number / rate
        target = [x + random.gauss(0.0, noise) for x in circle(time)]
        q = SO101.solve(Target(target, (0.0, 0.0, -1.0)), q).q
        if number != lost:
            sent.append((time + random.uniform(-0.2, 0.2) / rate, time, q))
    arm = DrivenArm(SO101.model)
    names = SO101.model.joint_names
    arm.servos.push(dict(zip(names, sent[0][2])))
    arm.run(1.0, names, sent[0][2])
    arm.run(1.0)
    begin, seen = arm.time.now + 1.0 / rate, []
    while arm.time.now < begin + seconds + 0.5:
        turn = arm.time.now + PERIOD
        while sent and begin + sent[0][0] <= turn:
            arrival, made, q = sent.pop(0)
            arm.time.now = begin + arrival
            arm.driver.command(names, q, begin + made if stamps else 0.0)
        arm.turn(turn - arm.time.now)
        seen.append((arm.time.now - begin, [arm.set_points[name] for name in names]))
    times, q = (numpy.array(values) for values in zip(*seen))
    tips = numpy.array([SO101.forward(tuple(row)).position for row in q])
    return times, q, tips, arrival


def figures(rate, stamps, seed, **more):
    """Return the tip's slowest and fastest speed, the rms acceleration, and the lag [s]."""
    times, q, tips, _ = go_round(rate, stamps, seed, **more)
    steady = (times > 1.0) & (times < 3.8)
    speeds = numpy.linalg.norm(numpy.diff(tips, axis=0), axis=1)[steady[1:]] / PERIOD / SPEED
    limits = [joint.acceleration for joint in SO101.model.joints]
    accelerations = (numpy.diff(q, 2, axis=0) / PERIOD ** 2 / limits)[steady[2:]]
    angle = numpy.unwrap(numpy.arctan2(tips[:, 1], tips[:, 0] - 0.18))[steady]
    return (speeds.min(), speeds.max(), numpy.sqrt((accelerations ** 2).mean(axis=0)).max(),
            (times[steady] - angle * RADIUS / SPEED).mean())
