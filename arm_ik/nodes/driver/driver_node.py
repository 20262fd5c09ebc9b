# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver: commands in, joint states out.

In: ``joint_commands``, ``gripper_command``. Out: ``joint_states``, ``/diagnostics``. Services:
``~/torque``, ``~/stop``, ``~/reset``. Which commands are obeyed, and what happens when none come,
is decided by :class:`~arm_ik.drivers.ServoDriver`; here are its topics and services.
"""

import sys

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from .parameters import SPECS
from ..common.arm_parameters import load_arm_model
from ..common.diagnostics import Diagnostics
from ..common.parameters import Parameters
from ..process.run import run
from ...drivers import open_backend, ServoDriver
from ...errors import ArmIkError, DriverError

#: Commands that may wait: partial ones of several senders should not push each other out.
_COMMAND_DEPTH = 10


class DriverNode(Node):
    """A servo bus, simulated or real, as a ROS node."""

    def __init__(self, **kwargs):
        super().__init__('driver_node', automatically_declare_parameters_from_overrides=True,
                         **kwargs)
        model = load_arm_model(self)
        self._settings = Parameters(self, SPECS, apply=self._apply_parameters)
        self._driver = ServoDriver(
            open_backend(self._settings['backend'], model), model,
            self._settings['command_timeout'],
            stamp_clock=lambda: self.get_clock().now().nanoseconds * 1e-9)
        self._bus_error = ''
        self._logged = ''
        self._state = JointState(name=self._driver.joint_names)
        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self._diagnostics = Diagnostics(self, 'servos', model.name, self._report)
        for kind, topic, take, depth in (
                (JointState, 'joint_commands', self._on_command, _COMMAND_DEPTH),
                (Float64, 'gripper_command', self._on_gripper_command, 1)):
            self.create_subscription(kind, topic, take, depth)
        self.create_service(SetBool, '~/torque', self._on_torque)
        self.create_service(Trigger, '~/stop', self._on_stop)
        self.create_service(Trigger, '~/reset', self._on_reset)
        # On the steady clock: states go on while simulated time stands still.
        self._timer = self.create_timer(self._period(), self._publish_state,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f'{model.name} on the {self._settings["backend"]} back end')

    def destroy_node(self):
        """Hold a moving arm where it is and give the bus back; the servos keep their torque."""
        self._driver.close()
        super().destroy_node()

    def _publish_state(self):
        measured = self._attempt(self._driver.update)
        if measured is not None:
            self._state.position = list(measured.values())
            self._state.header.stamp = self.get_clock().now().to_msg()
            self._states.publish(self._state)

    def _on_command(self, message):
        stamp = message.header.stamp
        self._attempt(self._driver.command, message.name, message.position,
                      stamp.sec + stamp.nanosec * 1e-9)

    def _on_gripper_command(self, message):
        self._attempt(self._driver.open_gripper, message.data)

    def _on_torque(self, request, response):
        done = 'torque is on, the arm holds where it is' if request.data else 'torque is off'
        return self._respond(response, done, self._driver.set_torque, request.data)

    def _on_stop(self, request, response):
        return self._respond(response, 'stopped until reset', self._driver.stop)

    def _on_reset(self, request, response):
        return self._respond(response, 'commands are taken again', self._driver.reset)

    def _respond(self, response, done, action, *args):
        self._attempt(action, *args)
        response.success = not self._bus_error
        response.message = self._bus_error or done
        return response

    def _attempt(self, action, *args):
        """Return what an action returns, or None if it was refused or the bus has failed."""
        try:
            result = action(*args)
            self._bus_error = ''
        except DriverError as error:
            result, self._bus_error = None, str(error)
        except ArmIkError:
            result = None  # refused, as the driver's condition says
        self._log_condition()
        return result

    @property
    def _condition(self):
        """What is wrong with the bus or the driver; ``''`` for nothing."""
        return self._bus_error or self._driver.condition

    def _log_condition(self):
        """Log each change of condition, and diagnose each change of level at once."""
        condition = self._condition
        if condition != self._logged:
            self._logged = condition
            if condition:
                self.get_logger().warning(condition)
            else:
                self.get_logger().info('ready again')
        self._diagnostics.check()

    def _report(self):
        condition = self._condition
        level = Diagnostics.ERROR if self._bus_error else (
            Diagnostics.WARN if condition else Diagnostics.OK)
        return level, condition or 'ready', {
            'backend': self._settings['backend'],
            'torque': 'on' if self._driver.torque else 'off',
            'stopped': self._driver.stopped,
        }

    def _apply_parameters(self):
        self._driver.command_timeout = self._settings['command_timeout']
        self._timer.timer_period_ns = int(self._period() * 1e9)

    def _period(self):
        return 1.0 / self._settings['state_rate']


def main(args=None):
    """Run the driver as a process."""
    return run(DriverNode, args, name='driver_node', specs=SPECS)


if __name__ == '__main__':
    sys.exit(main())
