# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The commands ``teach``, ``replay`` and ``record``."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from math import degrees
from pathlib import Path
import sys
from time import monotonic, sleep, time_ns

from ..arm import Arm, arm_of
from ..description.target_file import load_targets, poses_in, store
from ..drivers import ServoDriver
from ..errors import DriverError, InvalidInputError
from ..nodes.startup import discovery
from ..nodes.startup.command_line import split
from ..replay.player import entry_of, path_of, Player
from ..servos.arguments import load, require_all
from ..servos.cli import one, run
from ..servos.posing import ByHand, STILL

#: Longest wait until an arm is heard, or a bus has done something; how long an ik_node is listened
#: for, which may be missing; and period of looks [s].
_PATIENCE, _LISTENING, _PERIOD = 5.0, 2.0, 0.02

#: What a servos file says of a driver.
_OF_DRIVER = ('bus_rate', 'max_lead', 'on_fault', 'stall_guard', 'trim')

_NO_FEEDBACK = 'these servos measure nothing, so they cannot be taught'

_KEYS = ('Enter stores the pose of the arm as "pose 1" and so on; a name and Enter under that '
         'name, in place of the pose that has it. list; go NAME (torque comes on, the arm goes '
         'there slowly); delete NAME. Ctrl-C ends it, and leaves the arm limp.')


class OnBus(ServoDriver):
    """
    The arm of a servos file, as :mod:`~..replay.player` wants it.

    ``arm`` is the :class:`~arm_ik.arm.Arm`, inside the limits of its servos. Nothing is switched
    before :meth:`torque`.

    :param options: with ``arm`` and ``servos``, of the command line.
    :raises DriverError: if servos do not answer, are others, or measure nothing.
    """

    def __init__(self, options):
        _, servos, backend = load(options)
        if not backend.has_feedback:
            raise DriverError(backend.name, f'{_NO_FEEDBACK}; replay needs a running driver_node')
        super().__init__(backend, **{name: getattr(servos, name) for name in _OF_DRIVER})
        self.arm, self._begun = Arm(backend.model), False
        backend.open()
        require_all(backend)

    @property
    def measured(self):
        """Newest positions by joint name [rad, m]."""
        return (self.snapshot if self._begun else self._bus.backend.read()).positions

    @property
    def problem(self):
        """Return in words why the arm takes no commands, or ``''``."""
        return self.condition if self.status['commands'] == 'refused' else ''

    def torque(self, on):
        """Give all servos torque, where they are; or take it: a real arm falls."""
        if not self._begun:
            self.connect(limp=not on)
            self.start()
            self._begun = True
        self.set_torque(on).result(_PATIENCE)

    def enable(self, on):
        """Return at once: there are no other senders."""

    def stream(self, names, positions, velocities):
        """Take one command of a stream."""
        with suppress(InvalidInputError):   # the problem says why
            self.command(names, positions, 0.0, velocities)


@contextmanager
def connected(options, taught=True):
    """
    Yield the arm that options of the command line say.

    :raises DriverError: if it is not there, or cannot be taught and is to be.
    """
    if options.servos:
        with closing(OnBus(options)) as arm:
            yield arm
        return
    discovery.adopt(options.discovery)
    from ..viewer.ros_arm import RosArm
    with closing(RosArm(arm_of(options.arm or 'so101', options.tip), options.ros,
                        'arm_ik_teach')) as arm:
        begun = monotonic()
        while not (arm.is_live and arm.reports and (    # an ik_node has to be disabled
                arm.connection == 'connected' or monotonic() > begun + _LISTENING)):
            if monotonic() > begun + _PATIENCE:
                raise DriverError('driver_node', 'not heard; start it, or give --servos FILE')
            sleep(_PERIOD)
        if taught and arm.reports['positions'] == 'commanded':
            raise DriverError('driver_node', _NO_FEEDBACK)
        yield arm


def listen(options, topics, take):
    """
    Hear topics, without reading them, until a signal comes.

    :param topics: with the ``type`` of each.
    :param take: called with a topic, a message as CDR, and the time [ns].
    """
    import rclpy
    from ..nodes.common.diagnostics import STATUS_QOS
    from ..nodes.startup.run import make_executor, StopSignal
    stop = StopSignal()
    discovery.adopt(options.discovery)
    rclpy.init(args=options.ros, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    node = rclpy.create_node('arm_ik_record')
    for topic, known in topics.items():
        package, _, name = known['type'].split('/')
        kind = getattr(import_module(f'{package}.msg'), name)
        qos = STATUS_QOS if topic.endswith('status') else rclpy.qos.qos_profile_sensor_data
        node.create_subscription(
            kind, topic, lambda data, topic=topic: take(topic, data, time_ns()), qos, raw=True)
    executor = make_executor('events', node.get_logger())
    executor.add_node(node)
    stop.spin(executor)
    rclpy.try_shutdown()


def _main(name, args):
    """Run one of the commands; return the exit code."""
    own, ros = split(args)
    return run('arm_ik', _TOOLS, [name, *own], ros=['--ros-args', *ros] if ros else [])


#: Store poses of a limp arm in a target file; play such a file or a recording; record an arm.
teach, replay, record = (partial(_main, name) for name in ('teach', 'replay', 'record'))


def _by_hand(terminal, arm):
    model = arm.arm.model
    return ByHand(terminal, [*model.all_joints],
                  lambda: arm.measured, partial(arm.torque, False), STILL)


def _teach(options, terminal):
    path, poser = Path(options.file), None
    poses_in(path)      # what is wrong is said before the arm falls
    with connected(options) as arm:
        terminal.say(_KEYS)
        while True:
            poser = poser or _by_hand(terminal, arm)
            at = poser.reach('Bring the arm into a pose, type a name', lambda at: ['  '.join(
                f'{name} {degrees(at[name]):.1f}' for name in arm.arm.joint_names if name in at)])
            verb, _, name = poser.typed.partition(' ')
            poses = poses_in(path)
            if poser.typed == 'list':
                terminal.say(', '.join(poses) or 'no poses')
            elif verb not in ('go', 'delete'):
                name = store(path, poser.typed, entry_of(arm.arm.model, at), arm.arm.name)
                terminal.say(f'{name}: stored')
            elif name not in poses:
                terminal.say(f'no {name!r}; there are: {", ".join(poses)}')
            elif verb == 'delete':
                store(path, name, None)
            else:
                _play(arm, path_of(arm.arm, [poses[name]], at), 1, terminal)
                poser = None


def _replay(options, terminal):
    if not 0.05 <= options.speed <= 10.0:
        raise InvalidInputError('--speed', options.speed, '0.05 to 10')
    if is_recording := options.file.endswith('.mcap'):
        from ..replay.recording import path_of_recording
        Path(options.file).stat()   # what is wrong is said before a driver is looked for
    else:
        steps = load_targets(options.file).steps
    with connected(options, taught=False) as arm:
        path = (path_of_recording(arm.arm, options.file, options.speed) if is_recording
                else path_of(arm.arm, steps, arm.measured, options.speed))
        return _play(arm, path, options.loop, terminal)


def _play(arm, path, loops, terminal):
    """Play a path until its end, or until Ctrl-C; return the exit code."""
    terminal.confirm(f'To do: torque on; slowly to the first pose; then {path.spline.duration:.0f}'
                     ' s. Is there room around the arm?')
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
    from ..replay.recording import joint_state, Recording, TOPICS
    if not options.servos:
        import_module('rclpy')      # or it is reported as missing before there is a file
    with closing(Recording(options.output)) as recording:
        terminal.say(f'{options.output}: until Ctrl-C')
        if not options.servos:
            listen(options, TOPICS, recording.add)
            return 0
        with connected(options) as arm, suppress(KeyboardInterrupt):
            _by_hand(terminal, arm)
            while True:
                now = time_ns()
                recording.add('joint_states', joint_state(arm.measured, now), now)
                sleep(_PERIOD)
    return 0


_COMMON = (
    one('--servos', 'FILE', 'use these servos, without ROS; else the topics of the driver'),
    one('--arm', 'ARM', 'the arm; by default the one of these servos, or so101'),
    one('--tip', 'TIP', 'of the arm'),
    one('--discovery', 'KIND', discovery.DESCRIPTION, choices=discovery.CHOICES, default=''))
_FILE = one('file', 'FILE', 'the file')
_TOOLS = (
    ('teach', _teach, f'store poses of a limp arm in a target file. {_KEYS}', (_FILE, *_COMMON)),
    ('replay', _replay, 'go slowly to the first pose of a target file or a recording (.mcap), '
     'then through all of it. Enter pauses and goes on, Ctrl-C brakes to rest and ends', (
         _FILE, one('--speed', 'X', '0.05 to 10 times as fast, inside the limits', type=float,
                    default=1.0),
         one('--loop', 'N', 'how often', type=int, default=1),
         one('--yes', None, 'do not ask whether there is room'), *_COMMON)),
    ('record', _record, 'record states, commands, targets and status as MCAP, until Ctrl-C; with '
     '--servos the states of a limp arm that is moved by hand', (
         one('--output -o', 'FILE', 'a new one (default: %(default)s)', default='run.mcap'),
         *_COMMON)))
