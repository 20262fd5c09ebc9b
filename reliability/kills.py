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
target is sent for two seconds, and the arm must stay at rest or come to rest; or a plain client
sends a target 20 times a second, and service is back when the arm is measured to move there. Times
are those in the stamps of ``joint_states``, at 200 Hz.
"""

from random import Random
from time import time

from arm_ik.kinematics.model import START_TIME

from .figures import every, Figure, none_of, within
from .running_arm import distance, DRIVER, IK, motions, RunningArm, states_since
from .side_to_side import SideToSide, slow

FULL = 120

#: From the kill of ik_node until the arm is at rest [s]: command_timeout, two periods of 0.02 s,
#: a margin for the scheduling of the driver, and the time to brake.
AT_REST = 0.5 + 0.04 + 0.03 + START_TIME

#: Until service is back [s]; longer in the short form, which may run on a busy machine.
SERVICE, SHORT_SERVICE = 3.0, 20.0

#: How long no target is sent [s]: longer than state_timeout and command_timeout.
QUIET = 2.0

#: What is killed, by words.
VICTIMS = {'ik_node': (IK,), 'driver_node': (DRIVER,), 'both': (DRIVER, IK)}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    random = Random(seed)
    cases = [(victims, on_the_way, asked) for victims in VICTIMS for on_the_way in (True, False)
             for asked in (True, False)]
    chosen = [('ik_node', True, False), ('driver_node', False, False), ('both', True, True)] \
        if short else [random.choice(cases) for _ in range(FULL)]
    parameters = {'both': slow('so101'), DRIVER: {'state_rate': 200.0}}
    with RunningArm('so101', parameters) as arm:
        trial = _Trial(arm, random)
        for number, case in enumerate(chosen):
            trial.kill(*case)
            if number % 20 == 19:
                say(f'{number + 1} times')
        ended = arm.ended()
    bound = SHORT_SERVICE if short else SERVICE
    late = 1.0 if short else 0.0
    return [
        none_of('an arm at rest moves although nobody asks for it', trial.moved, trial.at_rest),
        every('ik_node killed on the way: the arm stops before its goal', trial.stopped,
              len(trial.rests)),
        within('ik_node killed on the way: the arm is at rest after', trial.rests,
               AT_REST + late, 's'),
        *(within(f'{victims} killed: a target of a plain client is obeyed after', times, bound,
                 's')
          for victims, times in trial.services.items() if times),
        Figure('nodes that end by themselves', 'none', ended or 'none', not ended)]


class _Trial:
    """What was seen of kills."""

    def __init__(self, arm, random):
        self.moved = self.at_rest = self.stopped = 0
        self.rests = []
        self.services = {victims: [] for victims in VICTIMS}
        self._arm, self._random = arm, random
        self._sides = SideToSide(arm, random)

    def kill(self, victims, on_the_way, asked):
        """Kill nodes, and ask for the other side at once, or for nothing for a while."""
        arm = self._arm
        if on_the_way:
            self._sides.set_out()
        else:
            arm.move_to(self._sides.next())
        arm.spin(self._random.uniform(0.1, 0.5))
        goal = arm.commands[-1][1].position
        killed = arm.kill(*VICTIMS[victims])
        # Joint states that the driver sent just before it was killed may still arrive.
        since = killed + 0.1 if DRIVER in VICTIMS[victims] else killed
        if asked:
            obeyed = self._sides.ask(since, from_home=DRIVER in VICTIMS[victims])
            self.services[victims].append(obeyed - killed)
            return
        arm.spin(QUIET)
        moved = motions(states_since(arm, since))
        if on_the_way and victims == 'ik_node':
            self.rests.append(max(moved, default=killed) - killed)
            self.stopped += distance(arm.states[-1][1], goal) > 0.02
        else:
            self.at_rest += 1
            self.moved += bool(moved)
        self._sides.ask(time(), from_home=DRIVER in VICTIMS[victims])
