# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``ik_node``: target poses in, joint commands out.

In: ``target_pose``, ``target_point``, ``target_up``, ``joint_states``. Out: ``joint_commands``,
``~/solved_pose``, ``~/status``, ``~/markers``, ``/diagnostics``. Services: ``~/enable``,
``~/home``. What is decided is decided by :class:`~.core.IkCore`; what is said is said by
:class:`~.publishers.IkOut`; here are only the wires in.
"""

from math import ceil
import sys
from time import monotonic

from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from ..common.arm_limits import ArmLimits, is_limit
from ..common.arm_parameters import load_arm_model
from .burst_core import BurstCore
from .cdr import JointStateReader, PoseLayout, read_pose
from .frames import transforms
from .health import Health
from .publishers import IkOut
from .parameters import settings_of, SPECS
from .newest import Newest
from ..common.parameters import Parameters
from .pauses import Pauses
from ..common.qos_events import sender_events
from .report import Order, State
from ..process.run import run
from .target_reader import TargetInput
from ...arm import Arm
from ...errors import InvalidInputError

#: Joint states: whatever its sender offers; deep enough for several senders of partial messages.
STATE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


#: The node looks after itself at least so often [s], however seldom it repeats commands.
_BEAT_S = 0.02


class IkNode(Node):
    """The ROS side of the core; see the module."""

    _flooded = frozenset()  # of Newest

    def __init__(self, **kwargs):
        super().__init__('ik_node', automatically_declare_parameters_from_overrides=True,
                         **kwargs)
        self._given = Parameters(self, SPECS, apply=self._apply_parameters)
        arm = Arm(load_arm_model(self, is_limit))
        self._base_frame = self._given['frame_prefix'] + self._given['base_frame']
        self._input = TargetInput(self._base_frame, self._given['up_axis'],
                                  transforms(self, self._base_frame).look_up,
                                  forward=arm.model.has('wrist_roll'))
        self._flooded = set()
        self._ros_clock = self.get_clock()
        self._states = JointStateReader()
        self._layouts = {frame: PoseLayout.of(frame) for frame in ('', self._base_frame)}
        self._core = BurstCore(arm, settings_of(self._given))
        self._health = Health()
        ArmLimits(self, arm.model, self._core.require_command_inside, self._apply_model)
        self._out = IkOut(self, self._base_frame, self._core, self._health)
        self._out.show_reach(self._given['show_reach'])
        self._make_subscriptions()
        self.create_service(SetBool, '~/enable', self._on_enable)
        self.create_service(Trigger, '~/home', self._on_home)
        self._beats_to_command = 1
        self._pauses = Pauses(self._beat())
        # Rates and ages are those of real time, whatever the stamps' clock does.
        self._timer = self.create_timer(
            self._pauses.period, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def destroy_node(self):
        """End, an arm on its way told to hold where it is."""
        self._core.end()
        self._out.end()
        super().destroy_node()

    @property
    def subscriptions(self):
        """Return what the executor is to watch; in a flood of messages the timer reads them."""
        watched = super().subscriptions
        if not self._flooded:
            return watched
        flooded = [newest.subscription for newest in self._flooded]
        return (subscription for subscription in watched if subscription not in flooded)

    def _make_subscriptions(self):
        health = self._health
        how = {'flood': self._on_flood} if self._given['executor'] == 'events' else {}
        Newest(self, PoseStamped, 'target_pose', self._on_pose, health.poses, raw=True, **how)
        Newest(self, PointStamped, 'target_point', self._on_point, health.points, **how)
        Newest(self, Vector3Stamped, 'target_up', self._on_up, health.ups, **how)
        self.create_subscription(
            JointState, 'joint_states', self._on_state, STATE_QOS, raw=True,
            event_callbacks=sender_events(self._on_sender))

    def _apply_parameters(self):
        self._core.settings = settings_of(self._given)
        self._out.show_reach(self._given['show_reach'])
        period = self._beat()
        if period != self._pauses.period:
            self._pauses.beat()  # what is late by now is so by the old period
            self._pauses.period = period
            self._timer.timer_period_ns = int(1e9 * period)
            self._timer.reset()  # or the old period would have to end first
        self._beats_to_command = min(self._beats_to_command, self._beats_per_command())

    def _apply_model(self, model):
        self._core.arm = Arm(model)
        self._out.show_reach(self._given['show_reach'])

    def _on_pose(self, data, age):
        """Take a PoseStamped as it came; frames other than the base's have it unpacked."""
        short_way = self._core.short_way
        if short_way is not None and short_way(data, age):
            return
        try:
            stamp, frame, position, orientation = read_pose(data)
        except InvalidInputError as error:
            self._on_target((0, 0), '', age, _raise, error)
            return
        if frame and frame != self._base_frame:
            message = deserialize_message(data, PoseStamped)
            self._on_target(stamp, frame, age, self._input.from_pose, message)
        else:
            now_ns = self._on_target(
                stamp, frame, age, self._input.from_values, position, orientation, stamp)
            if now_ns is not None:
                self._begin_burst(frame, now_ns)

    def _begin_burst(self, frame, now_ns):
        # In a burst nobody is told anything, and commands carry the system's time.
        if not (self._out.heard or self._ros_clock.ros_time_is_active):
            self._core.begin_burst(self._pauses.waited(), self._layouts[frame], self._input.to_up,
                                   now_ns // 1_000_000_000, *self._out.commands)

    def _on_point(self, message, age):
        stamp, frame = message.header.stamp, message.header.frame_id
        self._on_target((stamp.sec, stamp.nanosec), frame, age, self._input.from_point, message)

    def _on_target(self, stamp, frame, age, read, *message):
        """Answer a target; return the time [ns] if it is followed, else ``None``."""
        received = monotonic() - age
        self._health.targets.count()
        now_ns = self._now_ns()
        order = self._order(now_ns, stamp, frame)
        try:
            target = read(*message, now_ns)
        except InvalidInputError as error:
            self._out.tell(self._core.refuse(order, str(error), error.what))
            return None
        age = max(age, self._pauses.waited())
        report = self._core.take_target(target, order, age)
        self._out.tell_motion(report, now_ns, received)
        return now_ns if report.state is State.ACCEPTED else None

    def _on_up(self, message, _):
        now_ns = self._now_ns()
        stamp, frame = message.header.stamp, message.header.frame_id
        order = self._order(now_ns, (stamp.sec, stamp.nanosec), frame)
        try:
            self._input.store_up(message, now_ns)
        except InvalidInputError as error:
            self._out.tell(self._core.refuse(order, str(error), error.what))
            return
        self._out.tell(self._core.acknowledge(order, f'up vector of later points: '
                                              f'{self._input.stored_up or "any"}'))

    def _on_state(self, data):
        self._health.states.count()
        try:
            arrays = self._states.read(data)
        except InvalidInputError as error:
            self._out.tell(self._core.complain(error))
            return
        report = self._core.take_state(*arrays)
        self._out.send_last_words()
        self._out.tell(report)

    def _on_sender(self, event):
        if event.current_count_change > 0:
            self._out.tell(self._core.sender_appeared())

    def _on_flood(self, newest, flooded):
        (self._flooded.add if flooded else self._flooded.discard)(newest)
        self.executor.wake()  # it looks anew what to watch

    def _on_enable(self, request, response):
        report = self._core.enable(request.data)
        self._out.repeat_command()
        self._out.tell(report)
        response.success = True
        response.message = 'enabled' if request.data else 'disabled: no commands leave'
        return response

    def _on_home(self, request, response):
        now_ns = self._now_ns()
        report = self._core.go_home(self._order(now_ns))
        self._out.tell_motion(report, now_ns)
        response.success = report.state is not State.REFUSED
        response.message = report.summary
        return response

    def _beats_per_command(self):
        return ceil(1.0 / self._given['command_rate'] / _BEAT_S - 1e-9)

    def _beat(self):
        """Return the timer's period [s]: that of commands, or a part of it."""
        return 1.0 / self._given['command_rate'] / self._beats_per_command()

    def _on_timer(self):
        self._pauses.beat()
        for newest in tuple(self._flooded):
            newest.read()
        report = self._core.check()
        self._beats_to_command -= 1
        if self._beats_to_command <= 0:
            self._beats_to_command = self._beats_per_command()
            self._out.repeat_command()
        else:
            self._out.send_last_words()
        self._out.tell(report)
        self._out.check()

    def _now_ns(self):
        # As the clock's now(), without the two objects that it makes.
        return self._ros_clock.handle.get_now().nanoseconds

    def _order(self, now_ns, stamp=(0, 0), frame=''):
        """Return the next order; a zero stamp and an empty frame stand for now and the base."""
        if stamp == (0, 0):
            stamp = divmod(now_ns, 1_000_000_000)
        return Order(self._core.seq + 1, stamp, frame or self._base_frame)


def _raise(error, _):
    raise error


def main(args=None):
    """Run the node until a signal ends it; the exit code is the process's."""
    return run(IkNode, args, name='ik_node', specs=SPECS)


if __name__ == '__main__':
    sys.exit(main())
