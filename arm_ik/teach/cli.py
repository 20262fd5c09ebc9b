# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The commands ``teach``, ``replay`` and ``record``."""

import argparse
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from functools import partial
from math import degrees
from pathlib import Path
import sys
from time import monotonic, sleep, time_ns

from .on_bus import OnBus
from ..arm import Arm
from ..description.target_file import load_targets, store
from ..errors import DriverError, InvalidInputError
from ..nodes.startup import discovery
from ..nodes.startup.command_line import add_options, arm_file, split
from ..replay.paths import entry_of, path_of
from ..replay.player import Player
from ..servos.cli import run_tool
from ..servos.posing import ByHand, STILL

#: Longest wait until an arm is heard [s], and the period of states without ROS.
_PATIENCE, _PERIOD = 5.0, 0.02

_KEYS = """\
Enter stores the pose of the arm as "pose 1" and so on, a name and Enter under that name, in place
of the pose that has it. list; go NAME (torque comes on, the arm goes there slowly); delete NAME;
quit."""


def teach(args=None):
    """Store poses of a limp arm in a target file; return the exit code."""
    return _run(args, _teach, 'teach', f'Store poses of a limp arm in a target file. {_KEYS}',
                _FILE)


def replay(args=None):
    """Play a target file or a recording; return the exit code."""
    return _run(args, _replay, 'replay', 'Go slowly to the first pose of a target file or of a '
                'recording (.mcap), then through all of it. Enter pauses and goes on; Ctrl-C '
                'brakes to rest and ends.', _FILE, _SPEED, _LOOP, _YES)


def record(args=None):
    """Record what an arm does; return the exit code."""
    return _run(args, _record, 'record', 'Record states, commands, targets and status until '
                'Ctrl-C; with --servos the states of a limp arm that is moved by hand.',
                _OUTPUT, _REPAIR)


_FILE = 'file', {'metavar': 'FILE', 'type': Path}
_SPEED = '--speed', {'metavar': 'X', 'type': float, 'default': 1.0,
                     'help': '0.05 to 10 times as fast, inside the limits'}
_LOOP = '--loop', {'metavar': 'N', 'type': int, 'default': 1, 'help': 'how often'}
_YES = '--yes', {'action': 'store_true', 'help': 'do not ask whether there is room'}
_OUTPUT = '-o', {'metavar': 'FILE', 'dest': 'file', 'help': 'the recording, such as run.mcap'}
_REPAIR = '--repair', {'metavar': 'FILE', 'help': 'make a recording whole that was cut, as by a '
                       'power loss'}


def _run(args, work, name, what, *arguments):
    parser = argparse.ArgumentParser(prog=f'arm_ik {name}', description=what)
    add_options(parser)
    parser.add_argument('--servos', metavar='FILE', help='use these servos, without ROS; else the '
                        'topics of a driver that runs')
    for flag, settings in arguments:
        parser.add_argument(flag, **settings)
    own, ros = split(sys.argv[1:] if args is None else args)
    return run_tool(parser.prog, argparse.Namespace(
        ros=['--ros-args', *ros] if ros else [], run=work,
        **{'yes': False, **vars(parser.parse_args(own))}))


@contextmanager
def _connected(options):
    """Yield the arm, on its bus or on topics."""
    if options.servos:
        with closing(OnBus(options)) as arm:
            yield arm
        return
    discovery.adopt(options.discovery)
    from ..viewer.ros_arm import RosArm
    with closing(RosArm(Arm.from_yaml(arm_file(options.arm or 'so101'), options.tip), options.ros,
                        'arm_ik_teach')) as arm:
        end = monotonic() + _PATIENCE
        while not (arm.is_live and arm.reports):
            if monotonic() > end:
                raise DriverError('driver_node', 'not heard; start it, or give --servos FILE')
            sleep(_PERIOD)
        yield arm


def _by_hand(terminal, arm):
    model = arm.arm.model
    return ByHand(terminal, [joint.name for joint in (*model.joints, *model.extra_joints)],
                  lambda: arm.measured, partial(arm.torque, False), STILL)


def _teach(options, terminal):
    steps = load_targets(options.file).steps if options.file.exists() else ()
    with _connected(options) as arm:
        if arm.reports['positions'] == 'commanded':
            raise DriverError('these servos', 'they measure nothing, so they cannot be taught')
        model, poser = arm.arm.model, None
        terminal.say(_KEYS)
        while True:
            poser = poser or _by_hand(terminal, arm)
            at = poser.reach('Bring the arm into a pose, type a name', lambda at: ['  '.join(
                f'{name} {degrees(at[name]):.1f}' for name in model.joint_names if name in at)])
            poses = {step.name: step for step in steps if step.joints}
            verb, _, name = poser.typed.partition(' ')
            if poser.typed == 'quit':
                terminal.say(terminal.state)
                return 0
            if poser.typed == 'list':
                terminal.say(', '.join(poses) or 'no poses')
            elif verb not in ('go', 'delete'):
                name = poser.typed or next(free for number in range(1, len(poses) + 2) if (
                    free := f'pose {number}') not in poses)
                store(options.file, name, entry_of(model, at), model.name)
                terminal.say(f'{name}: stored')
            elif name not in poses:
                terminal.say(f'no {name!r}; there are: {", ".join(poses)}')
            elif verb == 'delete':
                store(options.file, name, None)
            else:
                _play(arm, path_of(arm.arm, [poses[name]], at), 1, terminal,
                      f'To do: torque on, slowly to {name}')
                poser = None
            steps = load_targets(options.file).steps if options.file.exists() else ()


def _replay(options, terminal):
    if not 0.05 <= options.speed <= 10.0:
        raise InvalidInputError('--speed', options.speed, '0.05 to 10')
    with _connected(options) as arm:
        if options.file.suffix == '.mcap':
            from ..replay.recording import path_of_recording
            path = path_of_recording(arm.arm, options.file, options.speed)
        else:
            path = path_of(arm.arm, load_targets(options.file).steps, arm.measured, options.speed)
        return _play(arm, path, options.loop, terminal, f'To do: {options.file}')


def _play(arm, path, loops, terminal, what):
    """Play a path until its end, or until Ctrl-C; return the exit code."""
    terminal.confirm(f'{what}, {path.spline.duration:.0f} s. Is there room around the arm?')
    terminal.state = 'the arm holds where it came to rest, torque is on'
    arm.torque(True)
    player, pool = Player(arm), ThreadPoolExecutor(1)
    end = pool.submit(player.play, path, loops)
    try:
        while not wait([end], _PERIOD).done:
            if sys.stdin.isatty() and terminal.typed() is not None:
                player.pace = 1.0 - player.pace
                terminal.say('goes on' if player.pace else 'pauses')
    finally:
        player.stops = True
        pool.shutdown()
    terminal.say(end.result() or 'at rest')
    return int(bool(end.result()))


def _record(options, terminal):
    from ..replay.recording import joint_state, Recording, repair, TOPICS
    if options.repair:
        repair(options.repair)
    elif not options.file:
        raise InvalidInputError('-o', None, 'a file that is not there yet, such as run.mcap')
    elif options.servos:
        with _connected(options) as arm, closing(Recording(options.file)) as recording, \
                suppress(KeyboardInterrupt):
            _by_hand(terminal, arm)
            terminal.say('Recording, until Ctrl-C.')
            while True:
                recording.add('joint_states', joint_state(arm.measured, now := time_ns()), now)
                sleep(_PERIOD)
    else:
        from .listener import listen
        with closing(Recording(options.file)) as recording:
            listen(TOPICS, recording.add, options)
    terminal.say(f'{options.repair or options.file} is whole')
    return 0
