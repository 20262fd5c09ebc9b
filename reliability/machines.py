# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Two machines: discovery only where it was asked for, and a link that fails and comes back.

``ik_node`` runs in a network namespace of its own, with shared memory of its own; ``driver_node``
and a plain client in another, and a virtual cable joins them. While the arm is on its way the link
fails: unplugged, or commands are lost silently and joint states are not; for 1.3 to 5 s, and every
tenth time for 25 s, after which the nodes have lost each other in discovery. The arm has to be at
rest in time. It may not move when the link is back, although the middleware then repeats old
messages. A new target has to be obeyed. Needs root.
"""

import json
from random import Random
import subprocess
import sys
from time import sleep, time

from .figures import every, Figure, none_of, NotPossibleHere, within
from .kills import AT_REST
from .running_arm import distance, DRIVER, IK, motions, RunningArm, states_since
from .side_to_side import SideToSide, slow

FULL, SHORT = 20, 1

#: How long to wait before nodes count as not finding each other [s]: default clients announce
#: themselves every 3 s.
_LOOK, _SHORT_LOOK = 10.0, 3.5

#: How long the middleware may take to repeat waiting messages [s]: it asks every 3 s.
_REPEATS = 4.0

#: From the first new target to the first motion [s].
_OBEYED = 5.0

_ADDRESS = '10.99.0.{}'
_UNSHARE = ('unshare', '--net', '--mount')

#: What makes a machine of a namespace.
_MACHINE = ('mount -t tmpfs tmpfs /dev/shm && ip link set lo up && '
            'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6')


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    try:
        subprocess.run([*_UNSHARE, 'sh', '-c', _MACHINE], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotPossibleHere(f'network namespaces need root: {error}') from error
    inside = subprocess.run(
        [*_UNSHARE, sys.executable, '-m', __name__, json.dumps([short, seed])],
        stdout=subprocess.PIPE, text=True, check=True)
    return [Figure(*figure) for figure in json.loads(inside.stdout.splitlines()[-1])]


class OtherMachine:
    """A second machine at the other end of a cable from this process's; a context manager."""

    def __enter__(self):
        _run('sh', '-c', _MACHINE)
        self._holder = subprocess.Popen(
            [*_UNSHARE, 'sh', '-c', f'{_MACHINE} && echo up && read -r _'], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._holder.stdout.readline()
        self.enter = ('nsenter', '--target', str(self._holder.pid), '--net', '--mount')
        _run('ip', 'link', 'add', 'cable', 'type', 'veth', 'peer', 'cable', 'netns',
             str(self._holder.pid))
        for number, enter in ((1, ()), (2, self.enter)):
            _run(*enter, 'ip', 'address', 'add', _ADDRESS.format(number) + '/24', 'dev', 'cable')
            _run(*enter, 'ip', 'link', 'set', 'cable', 'up')
        while 'state UP' not in _run('ip', 'link', 'show', 'cable'):
            sleep(0.05)  # a node that starts before that never uses the interface
        return self

    def __exit__(self, *_):
        self._holder.communicate()

    def packets(self):
        """Return how many packets have left the other machine."""
        lines = _run(*self.enter, 'cat', '/proc/net/dev').splitlines()
        return int(next(line for line in lines if 'cable:' in line).split()[10])

    def plug(self, up):
        """Plug the cable in or out."""
        _run('ip', 'link', 'set', 'cable', 'up' if up else 'down')

    def pass_on(self, on):
        """Silently drop everything that the other machine sends, or no longer."""
        what = ('del', _ADDRESS.format(1)) if on else (
            'replace', _ADDRESS.format(1), 'lladdr', '02:00:00:00:00:99', 'nud', 'permanent')
        _run(*self.enter, 'ip', 'neighbour', *what, 'dev', 'cable')


def main():
    """Run the experiment in namespaces of this process; print the figures as JSON."""
    short, seed = json.loads(sys.argv[1])
    with OtherMachine() as other:
        figures = [*_apart(other, _SHORT_LOOK if short else _LOOK),
                   *_failures(other, Random(seed), short)]
    print(json.dumps(figures), flush=True)


def _apart(other, look):
    before = other.packets()
    with RunningArm('so101', prefix={IK: other.enter}, ready=False) as arm:
        arm.wait(lambda: arm.states and 'found' in arm.nodes[IK].output(), 'both nodes run')
        arm.spin(look)
        sent = other.packets() - before
        return [Figure('by default: ik_node on the other machine', 'not heard, 0 packets sent',
                       f'{"heard" if arm.statuses else "not heard"} in {look:g} s, {sent} packets',
                       not arm.statuses and sent == 0)]


def _failures(other, random, short):
    rests, moved, stopped, obeyed = [], 0, 0, []
    count = SHORT if short else FULL
    with RunningArm('so101', {'both': slow('so101'), DRIVER: {'state_rate': 200.0}},
                    ('--discovery', 'subnet'), {IK: other.enter}) as arm:
        sides = SideToSide(arm, random)
        for number in range(count):
            sides.set_out()
            arm.spin(random.uniform(0.1, 0.4))
            goal, cut = arm.commands[-1][1].position, time()
            link = (other.plug, other.pass_on)[number % 2]
            link(False)
            arm.spin(25.0 if number % 10 == 9 else 1.3 if short else random.uniform(1.3, 5.0))
            rests.append(max(motions(states_since(arm, cut)), default=cut) - cut)
            stopped += distance(arm.states[-1][1], goal) > 0.02
            back = time()
            link(True)
            arm.spin(_REPEATS)
            moved += bool(motions(states_since(arm, back)))
            asked = time()
            obeyed.append(sides.ask(asked) - asked)
        ended = arm.ended()
    return [
        every('the link fails on the way: the arm stops before its goal', stopped, count),
        within('the link fails on the way: the arm is at rest after', rests,
               AT_REST + (1.0 if short else 0.0), 's'),
        none_of('the link is back: the arm moves although nobody asks for it', moved, count),
        within('a new target is obeyed after', obeyed, 20.0 if short else _OBEYED, 's'),
        Figure('nodes that end by themselves', 'none', ended or 'none', not ended)]


def _run(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == '__main__':
    main()
