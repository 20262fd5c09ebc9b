# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver: commands in, joint states out.

In: ``joint_commands``, ``gripper_command``, ``~/joint_trajectory``, and where control_msgs is
installed the actions ``~/follow_joint_trajectory`` and of grippers ``~/JOINT/gripper_cmd`` and
``~/JOINT/parallel_gripper_cmd``. Out: ``joint_states``, ``~/status``, ``/diagnostics``. Services:
``~/torque``, ``~/stop``, ``~/reset``, ``~/clear_faults``. Objects are in :mod:`.objects`. Which
commands are obeyed, and what happens when none come, is decided by
:class:`~arm_ik.drivers.ServoDriver`, which has a thread of its own for the bus; here are its
topics and services, none of which waits for that.
"""

from contextlib import suppress
from functools import partial
import threading
import time

from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from .actions import action_servers, end_all, GoalServer, take_trajectory
from .objects import ObjectPublisher
from .parameters import imperfections, SPECS, specs_with
from ..common.diagnostics import Diagnostics, steady_timer
from ..common.parameters import overrides, Parameters
from ..startup.run import run
from ...bus.families import SIMULATED
from ...description.arm_file import load_objects
from ...drivers import make_backend, ServoDriver
from ...drivers.gate import WAITING
from ...errors import DriverError, InvalidInputError

#: Commands that may wait: partial ones of several senders should not push each other out.
_COMMAND_DEPTH = 10

#: Longest time until a service answers [s]: a stop, and what has to be done servo by servo.
_STOP_ANSWER, _ANSWER = 0.09, 2.0

#: Shortest time without commands after which the arm stops [s]: at rest they come at 5 Hz.
SHORTEST_TIMEOUT = 0.3

#: Clocks are read together with no more than this between [s].
_TOGETHER = 5e-4


class DriverNode(Node):
    """
    A servo bus, simulated or real, as a ROS node.

    :param given: its :class:`~..startup.command_line.GivenParameters`.
    """

    def __init__(self, given, **kwargs):
        self._driver = None     # rclpy may destroy a node that has not come up
        super().__init__('driver_node', parameter_overrides=overrides(given.values), **kwargs)
        model, servos = given.model, given.servos
        self._joints = tuple(model.all_joints)
        self._settings = settings = Parameters(self, specs_with(servos), given.values,
                                               self._check_parameters, self._apply_parameters)
        self._backend = make_backend(settings['backend'], model, **self._options(servos))
        driver = ServoDriver(
            self._backend, bus_rate=settings['bus_rate'], max_lead=settings['max_lead'],
            stamp_clock=lambda: self.get_clock().now().nanoseconds * 1e-9)
        self._set(driver)
        driver.connect(settings['start'] == 'limp')
        self._driver = driver
        self._logged, self._published, self._said = '', None, None  # condition, snapshot, status
        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self._diagnostics = Diagnostics(self, model.name, self._report, self._publish_status)
        self.create_subscription(JointState, 'joint_commands', self._on_command, _COMMAND_DEPTH)
        self.create_subscription(Float64, 'gripper_command', lambda message: self._attempt(
            driver.open_gripper, message.data), 1)
        self.create_subscription(JointTrajectory, '~/joint_trajectory', lambda message: (
            self._attempt(take_trajectory, driver, message)), 1)
        self.create_service(SetBool, '~/torque', self._on_torque)
        self.create_service(Trigger, '~/stop', self._on_stop)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(Trigger, '~/clear_faults', self._on_clear_faults)
        serve = partial(GoalServer, self, driver, self._end_of, self._log_condition)
        self._objects = ObjectPublisher(self, self._backend, settings['frame_prefix'])
        self._actions = action_servers(
            self, driver, serve, [joint.name for joint in model.extra_joints])
        self._timer = steady_timer(self, 1.0 / settings['state_rate'], self._publish_state)
        self._driver.start()
        self.get_logger().info(f'{model.name} on the {settings["backend"]} back end')

    def destroy_node(self):
        """Bring a moving arm to rest, do as ``on_exit`` says, and give the bus back."""
        if self._driver is not None:
            self._driver.close()
            end_all(self._actions, self.executor)
        super().destroy_node()

    def _publish_state(self):
        """Publish the newest snapshot, once: what is not measured anew is no new state."""
        snapshot = self._driver.snapshot
        if snapshot is not None and snapshot is not self._published and snapshot.readings:
            self._published = snapshot
            positions = snapshot.positions
            state = JointState(name=list(positions), position=list(positions.values()),
                               velocity=[reading.velocity for reading
                                         in snapshot.readings.values()])
            state.header.stamp = self._stamp(snapshot)
            self._states.publish(state)
            for action in self._actions:
                action.publish_feedback()
            self._objects.publish(state.header.stamp)
        self._log_condition()

    def _stamp(self, snapshot):
        """Return when the oldest reading of a snapshot was taken."""
        clock = self.get_clock()
        if clock.ros_time_is_active:
            return clock.now().to_msg()
        return Time(seconds=snapshot.stamp + ahead(
            lambda: clock.now().nanoseconds * 1e-9)).to_msg()

    def _on_command(self, message):
        stamp = message.header.stamp
        self._attempt(self._driver.command, message.name, message.position,
                      stamp.sec + stamp.nanosec * 1e-9, message.velocity)

    def _attempt(self, action, *args):
        with suppress(InvalidInputError):   # the driver's condition says it
            action(*args)
        self._log_condition()

    async def _on_torque(self, request, response):
        done = 'torque is on, the arm holds where it is' if request.data else 'torque is off'
        return await self._answer(response, done, self._driver.set_torque(request.data))

    async def _on_stop(self, request, response):
        future = self._driver.stop()
        self._log_condition()
        return await self._answer(response, 'stopped until reset', future, _STOP_ANSWER)

    def _on_reset(self, request, response):
        try:
            self._driver.reset()
            response.success, response.message = True, 'commands are taken again'
        except DriverError as error:
            response.success, response.message = False, str(error)
        self._log_condition()
        return response

    async def _on_clear_faults(self, request, response):
        return await self._answer(response, 'faults are cleared', self._driver.clear_faults())

    async def _answer(self, response, done, future, patience=_ANSWER):
        """Answer when the bus has done something, or after a time [s], without a wait for it."""
        await self._end_of(future, patience)
        response.success = future.done() and future.exception() is None
        if response.success:
            response.message = future.result() or done
        elif future.done():
            response.message = str(future.exception())
        else:
            response.message = f'{self._backend.name}: the servos were not commanded within ' \
                               f'{patience:g} s; they will be as soon as the bus answers'
        self._log_condition()
        return response

    def _end_of(self, future, patience=None):
        """Return an rclpy future that is done when another is, or after a time [s]."""
        end = Future(executor=self.executor)
        if patience is not None:
            timer = threading.Timer(patience, end.set_result, [None])
            timer.daemon = True
            timer.start()
            end.add_done_callback(lambda _: timer.cancel())
        future.add_done_callback(lambda _: end.set_result(None))
        return end

    def _log_condition(self):
        """Log each change of condition, and report each change of status or level at once."""
        while self._backend.notes:
            self.get_logger().warning(self._backend.notes.pop(0))
        condition = self._driver.condition
        if condition != self._logged:
            self._logged = condition
            if condition and not condition.startswith(WAITING):
                self.get_logger().warning(condition)
            else:
                self.get_logger().info(condition or 'ready again')
        if self._driver.status != self._said:
            self._publish_status()
        self._diagnostics.check()

    def _publish_status(self):
        self._said = status = self._driver.status
        level, words = Diagnostics.OK, 'commands are taken'
        if status['commands'] == 'refused' or status['fault']:  # not for the last command alone
            level, words = self._level(), self._driver.condition
        self._diagnostics.say('commands', level, words, status)

    def _level(self):
        driver = self._driver
        if driver.bus_error is not None or driver.fault:
            return Diagnostics.ERROR
        return Diagnostics.WARN if driver.condition else Diagnostics.OK

    def _servo(self, name):
        """Return level and message of a joint's servo."""
        driver = self._driver
        if driver.bus_error is not None:
            return Diagnostics.ERROR, 'the bus is missing'
        words = [driver.monitor.silence(name)] if name in driver.missing else []
        words += driver.faults.words(name)
        if words:
            return Diagnostics.ERROR, ', '.join(words)
        snapshot = None if self._backend.has_feedback else driver.snapshot
        found = driver.guard.held.get(name) or 'behind: motion waits' * (
            name in driver.blocked) or snapshot and snapshot.missing.get(name)
        return (Diagnostics.WARN, found) if found else (Diagnostics.OK, 'ready')

    def _report(self):
        for name in self._joints:
            yield f'servo {name}', *self._servo(name), partial(self._health, name)
        yield 'servos', self._level(), self._driver.condition or 'ready', lambda: {
            'backend': self._backend.name,
            'positions': self._driver.status['positions'],
            'torque': 'on' if self._driver.torque else 'off', 'stopped': self._driver.stopped}

    def _health(self, name):
        """Return what is known of a joint's servo by key."""
        health = self._driver.health.get(name)
        known = {} if health is None else {**health._asdict(), 'flags': ' '.join(health.flags)}
        return {key: value for key, value in known.items() if value is not None}

    def _options(self, servos):
        """Return what the back end's constructor takes besides."""
        backend, objects = self._settings['backend'], self._settings['objects']
        if objects and backend != 'mujoco':
            raise InvalidInputError('parameter objects', objects, 'none, but with backend mujoco')
        if backend in SIMULATED:
            return {'imperfections': imperfections(self._settings),
                    'seed': int(self._settings['simulated.seed']),
                    **({'scene': load_objects(objects)} if objects else {})}
        if servos is None or servos.backend != backend:
            raise InvalidInputError('parameter backend', backend, f'{backend} only with a servos '
                                    'file for it: --servos FILE')
        if not servos.is_verified:
            self.get_logger().warning(
                'nobody has verified these servos: zeros and directions may be wrong. End this '
                'and run: arm_ik servos verify FILE, with the servos file')
        return {'servos': servos}

    def _check_parameters(self, values):
        if 0.0 < values['command_timeout'] < SHORTEST_TIMEOUT:
            raise InvalidInputError('parameter command_timeout', values['command_timeout'],
                                    f'at least {SHORTEST_TIMEOUT:g} s, for the goal of an arm at '
                                    'rest is repeated at 5 Hz; or 0: never')
        for name in ('simulated.blocked', 'simulated.dead', 'simulated.brown_out'):
            if values[name] and values[name] not in self._joints:
                raise InvalidInputError(f'parameter {name}', values[name],
                                        f'one of {", ".join(self._joints)}, or an empty text')

    def _set(self, driver):
        driver.monitor.on_fault = self._settings['on_fault']
        driver.guard.watched = self._settings['stall_guard']
        driver.trim.on = self._settings['trim']
        for name in ('command_timeout', 'on_exit', 'speed'):
            setattr(driver, name, self._settings[name])

    def _apply_parameters(self):
        self._set(self._driver)
        if self._settings['backend'] in SIMULATED:
            self._backend.imperfections = imperfections(self._settings)
        self._timer.timer_period_ns = int(1e9 / self._settings['state_rate'])


def ahead(clock, steady=time.monotonic):
    """Return how far a clock is ahead of the steady one [s], both read together if they can be."""
    for _ in range(5):  # again where other work came between
        before, now = steady(), clock()
        if steady() - before < _TOGETHER:
            break
    return now - before


def main(args=None):
    """Run the driver as a process."""
    return run(DriverNode, args, name='driver_node', specs=SPECS)
