# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arm that is taught or played on: its servos without ROS, or the topics of a driver."""

from contextlib import closing, contextmanager, suppress
from importlib import import_module
from time import monotonic, sleep, time_ns

from ..arm import Arm
from ..drivers import ServoDriver
from ..errors import DriverError, InvalidInputError
from ..nodes.startup import discovery
from ..nodes.startup.command_line import arm_file
from ..servos.arguments import load, require_all

#: Longest wait until an arm is heard, or a bus has done something [s], and period of looks.
_PATIENCE, _PERIOD = 5.0, 0.02

#: What a servos file says of a driver.
_OF_DRIVER = ('bus_rate', 'max_lead', 'on_fault', 'stall_guard', 'trim')

_NO_FEEDBACK = 'these servos measure nothing, so they cannot be taught'


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
    with closing(RosArm(Arm.from_yaml(arm_file(options.arm or 'so101'), options.tip), options.ros,
                        'arm_ik_teach')) as arm:
        end = monotonic() + _PATIENCE
        while not (arm.is_live and arm.reports):
            if monotonic() > end:
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
        node.create_subscription(
            getattr(import_module(f'{package}.msg'), name), topic,
            lambda data, topic=topic: take(topic, data, time_ns()),
            STATUS_QOS if topic.endswith('status') else rclpy.qos.qos_profile_sensor_data,
            raw=True)
    executor = make_executor('events', node.get_logger())
    executor.add_node(node)
    stop.spin(executor)
    rclpy.try_shutdown()
