# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Nodes are killed with ``kill -9`` at random moments and started again, as ``respawn`` does.

SO-101's joints are slowed down to 1.2 rad/s, and the arm goes from side to side. ``ik_node``,
``driver_node`` or both are killed while the arm is on its way or at rest. A restarted driver
begins with the simulated arm at home, so obeying an old command would be visible. Then either no
target is sent for two seconds, and the arm must stay at rest or come to rest; or a target is sent
20 times a second, and service is back when the arm is measured to move there. Times are those in
the stamps of ``joint_states``, at 200 Hz.
"""

from random import Random
from signal import SIGKILL
from time import time

from arm_ik.kinematics.model import START_TIME

from .figures import every, none_of, within
from .side_to_side import motions, SideToSide

FULL = 120

#: From the kill of ik_node until the arm is at rest [s]: command_timeout, two periods of 0.02 s,
#: a margin for the scheduling of the driver, and the time to brake.
AT_REST = 0.5 + 0.04 + 0.03 + START_TIME

#: Until service is back [s]; longer in the short form, which may run on a busy machine.
SERVICE, SHORT_SERVICE = 3.0, 20.0

#: How long no target is sent [s]: longer than state_timeout and command_timeout.
QUIET = 2.0

IK, DRIVER = 'ik_node', 'driver_node'

#: What is killed, by words.
VICTIMS = {IK: (IK,), DRIVER: (DRIVER,), 'both': (DRIVER, IK)}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    random = Random(seed)
    cases = [(victims, on_the_way, asked) for victims in VICTIMS for on_the_way in (True, False)
             for asked in (True, False)]
    chosen = [(IK, True, False), (DRIVER, False, False), ('both', True, True)] \
        if short else [random.choice(cases) for _ in range(FULL)]
    rests, stopped, moved, services = [], 0, [], {victims: [] for victims in VICTIMS}
    with SideToSide(random) as arm:
        for number, (victims, on_the_way, asked) in enumerate(chosen):
            killed = _kill(arm, VICTIMS[victims], on_the_way, random)
            # States that the driver sent just before it was killed may still arrive.
            since = killed + 0.1 * (DRIVER in VICTIMS[victims])
            if asked:
                services[victims].append(_obeyed(arm, since) - killed)
            else:
                states = arm.watch(QUIET)
                moving = motions(states, since)
                if on_the_way and victims == IK:
                    rests.append(max(moving, default=killed) - killed)
                    stopped += arm.left(states[-1][1]) > 0.02
                else:
                    moved.append(bool(moving))
                _obeyed(arm, time())
            if number % 20 == 19:
                say(f'{number + 1} times')
    bound, late = (SHORT_SERVICE, 1.0) if short else (SERVICE, 0.0)
    return [
        none_of('an arm at rest moves although nobody asks for it', sum(moved), len(moved)),
        every('ik_node killed on the way: the arm stops before its goal', stopped, len(rests)),
        within('ik_node killed on the way: the arm is at rest after', rests, AT_REST + late, 's'),
        *(within(f'{victims} killed: a target is obeyed after', times, bound, 's')
          for victims, times in services.items() if times)]


def _kill(arm, names, on_the_way, random):
    """Kill nodes, on the way or at rest, start them again, and return when [s]."""
    if on_the_way:
        arm.set_out()
    else:
        arm.arrive()
    arm.watch(random.uniform(0.1, 0.5))
    killed = time()
    for name in names:
        arm.processes[name].signal(SIGKILL)
    for name in names:
        arm.processes[name].wait(None)
        arm.start(name)
    return killed


def _obeyed(arm, since):
    """Ask for the other side until the arm goes there; return the stamp that shows it [s]."""
    arm.turn()
    sign = 1.0 if arm.goal[0] > 0.0 else -1.0

    def obeyed(states):
        # A simulated arm that starts again stands at home at once: that is no motion.
        return [stamp for (_, before), (stamp, q) in zip(states[-2:], states[-1:])
                if stamp > since and 0.0 < sign * (q[0] - before[0]) < 0.1]
    states = arm.watch(arm.timeout, obeyed, every=arm.ask)
    if not obeyed(states):
        raise RuntimeError(f'not obeyed in {arm.timeout:g} s: {arm.status}')
    return states[-1][0]
