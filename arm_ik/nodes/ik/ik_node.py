# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``ik_node``: target poses in, joint commands or trajectories out.

In: ``target_pose``, ``target_point``, ``target_up``, ``target_path``, ``target_twist``,
``joint_states``, ``driver_node/status``, ``~/keep_out``. Out: ``joint_commands`` or
``joint_trajectory``, ``~/solved_pose``, ``~/planned_path``, ``~/status``, ``~/markers``,
``~/keep_out_markers``, ``/diagnostics``. Services: ``~/enable``, ``~/pause``, ``~/home``.
Target messages become targets in :class:`~.target_reader.TargetReader`,
:class:`~.core.IkCore` decides, and :class:`~.publishers.Publishers` publishes the results.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
import struct
from time import monotonic

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, TwistStamped, Vector3Stamped
from nav_msgs.msg import Path
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from .core import CHECK_PERIOD, IkCore, REST_PERIOD
from .parameters import Settings, SPECS
from .publishers import Publishers
from .report import Request, State
from .target_reader import MOST_POSES, MOST_SHAPES, TargetReader, transforms
from ..common.diagnostics import number, refusal, speed, STATUS_QOS, steady_timer, values_of
from ..common.parameters import overrides, Parameters
from ..common.serialized import pose_stamped
from ..startup.run import run
from ...arm import Arm
from ...bus.families import SIMULATED
from ...errors import InvalidInputError

#: Targets: the latest one wins.
TARGET_QOS = QoSProfile(depth=1)

#: QoS of joint states: best effort matches every sender; deep enough for several senders of
#: partial messages.
STATE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)

#: Shapes to stay out of: a late node gets them, too, and none that is sent is left out.
KEEP_OUT_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)

#: Largest request [bytes]: ten times that of the longest path.
LARGEST_MESSAGE = 80_000

#: How long the middleware may take to deliver messages that have waited [s].
CATCH_UP_S = 0.2

#: A driver that publishes no status for so long [s], and no states, is missing: it publishes one
#: each second.
SILENCE = 3.0


class SchedulingDelay:
    """
    How long messages may have waited before the node reads them, by how late a timer fires.

    A process that was stopped, swapped out or busy reads messages late, and the middleware, which
    stopped with it, may stamp them as just received. The same holds for a short time
    afterwards, because the middleware needs time to catch up.

    :param period: of the timer [s]; see :meth:`expect`.
    :param clock: returns monotonic seconds.
    """

    def __init__(self, period, clock=monotonic):
        self._clock, self._period = clock, period
        self._forget_at = now = clock()
        self._longest, self._due = 0.0, now + period

    def tick(self):
        """Record that the timer has fired; return how late it is [s]."""
        now = self._clock()
        late, self._due = now - self._due, now + self._period
        if now >= self._forget_at or late >= self._longest:
            self._longest, self._forget_at = late, now + CATCH_UP_S
        return late

    def expect(self, period):
        """Take note that the timer begins anew, with a period [s]."""
        now, self._period = self._clock(), period
        if now <= self._due:
            self._due = now + period    # else it has not fired when it had to

    def seconds(self):
        """Return how long a message that is read now may have waited [s]."""
        now = self._clock()
        return max(0.0, now - self._due, self._longest if now < self._forget_at else 0.0)


class IkNode(Node):
    """
    The ROS side of the core; see the module.

    :param given: its :class:`~..startup.command_line.GivenParameters`.
    """

    def __init__(self, given, **kwargs):
        super().__init__('ik_node', parameter_overrides=overrides(given.values), **kwargs)
        self._settings = Parameters(self, SPECS, given.values, apply=self._apply_parameters)
        model, servos = given.model, given.servos
        if servos is not None and servos.backend not in SIMULATED:
            model, notes = servos.narrowed(model)
            given.notes += notes
        settings = Settings(*self._settings.values())
        prefix = settings.frame_prefix
        self._base_frame = prefix + settings.base_frame
        if prefix[-1:].isalnum():
            self.get_logger().warning(
                f'frames are {self._base_frame} and the like; if not meant so, frame_prefix is '
                f'{prefix}/, with a slash')
        targets = TargetReader(self._base_frame, settings.up_axis, transforms(
            self, self._base_frame), model.has('wrist_roll'), f'{prefix}tool0')
        self._background = ThreadPoolExecutor(2, 'background')
        # A controller goes by simulated time, driver_node does not.
        is_simulated = settings.output == 'trajectory' and self.get_parameter('use_sim_time').value
        clock = (lambda: 1e-9 * self._now_ns()) if is_simulated else monotonic
        self._core = core = IkCore(Arm(model), settings, clock, self._background.submit)
        self._out = Publishers(self, self._base_frame, core)
        for kind, topic, read, take, qos in (
                (PoseStamped, 'target_pose', targets.from_pose, core.take_target, TARGET_QOS),
                (PointStamped, 'target_point', targets.from_point, core.take_target, TARGET_QOS),
                (Path, 'target_path', targets.from_path, core.take_path, TARGET_QOS),
                (Vector3Stamped, 'target_up', targets.store_up, core.take_up, TARGET_QOS),
                (TwistStamped, 'target_twist', targets.from_twist, core.take_twist, TARGET_QOS),
                (MarkerArray, '~/keep_out', targets.from_markers, self._keep_out, KEEP_OUT_QOS)):
            self.create_subscription(kind, topic, partial(
                self._on_request, kind, topic, read, take), qos, raw=True)
        self.create_subscription(
            JointState, 'joint_states', self._on_state, STATE_QOS,
            event_callbacks=SubscriptionEventCallbacks(matched=self._on_sender))
        self._driver_heard = 0.0
        self._driver = self.create_subscription(
            DiagnosticStatus, 'driver_node/status', self._on_driver, STATUS_QOS)
        for service, change, words in (
                ('~/enable', core.enable, ('disabled: no commands leave', 'enabled')),
                ('~/pause', core.pause, ('goes on', 'paused: the arm rests on its path'))):
            self.create_service(SetBool, service, partial(self._on_switch, change, words))
        self.create_service(Trigger, '~/home', self._on_home)
        # Rates and ages are in real time, independent of the clock of the stamps.
        self._timer = steady_timer(self, REST_PERIOD, self._on_timer)
        self._delay, self._checked, self._moved = SchedulingDelay(REST_PERIOD), 0.0, 0.0

    def destroy_node(self):
        """End; an arm in motion gets a hold command."""
        self._out.close(self._core.enable(False))
        self._background.shutdown(wait=False)
        super().destroy_node()

    def _on_request(self, kind, topic, read, take, message):
        """Answer a message: ``read`` says what it asks for, and ``take`` does that in the core."""
        now_ns, header = self._now_ns(), None
        try:
            message = message_of(kind, topic, message)
            header = getattr(message, 'header', None)
            asked = read(message, now_ns)
        except InvalidInputError as error:
            report = self._core.refuse(self._request(now_ns, header), str(error), error.what)
        else:
            report = take(asked, self._request(now_ns, header), self._delay.seconds())
        self._answer(report)
        self._check()

    def _keep_out(self, shapes, request, _):
        self._out.show_keep_out(shapes)
        return self._core.take_keep_out(shapes)

    def _on_state(self, message):
        stamp = message.header.stamp
        self._answer(self._core.take_state(
            message.name, message.position, message.velocity, message.effort,
            stamp=stamp.sec + stamp.nanosec * 1e-9 or None))  # maybe of a target that was kept
        self._check()

    def _on_driver(self, message):
        core, values = self._core, values_of(message)
        self._driver_heard = monotonic()
        if core.tracker.sends_commands:
            core.planner.driver_speed = speed(values)
        self._answer(core.take_refusal(refusal(message, self._driver.topic_name)))
        self._answer(core.take_stops(number(values, 'stops', 0.0)))
        self._answer(core.take_lag(number(values, 'lag_s', 0.0), values.get('slow_joint', '')))

    def _on_sender(self, event):
        if event.total_count_change > 0:  # also of one that comes while another goes
            self._answer(self._core.sender_appeared())

    def _on_switch(self, change, words, request, response):
        self._answer(change(request.data))
        response.success, response.message = True, words[request.data]
        return response

    def _on_home(self, request, response):
        report = self._core.go_home(self._request(self._now_ns()))
        self._answer(report)
        response.success, response.message = report.state is not State.REFUSED, report.summary
        return response

    def _answer(self, report):
        self._out.publish(report)
        if report and (report.motion or report.player):
            self._moved = monotonic()
            self._set_period(anew=True)     # a motion's commands are even from its first one on

    def _on_timer(self):
        self._answer(self._core.stood_still(self._delay.tick()))
        if not self._core.tracker.rests or monotonic() - self._moved > CHECK_PERIOD:
            self._out.move(self._core.go_on())  # else the stream goes on by itself
        self._set_period()
        self._check()

    def _set_period(self, anew=False):
        rests = self._core.tracker.rests
        period = REST_PERIOD if rests else 1.0 / self._settings['command_rate']
        period_ns = round(1e9 * period)
        if period_ns != self._timer.timer_period_ns or anew and not rests:
            self._timer.timer_period_ns = period_ns
            self._timer.reset()     # otherwise the old period would have to end first
            self._delay.expect(period)

    def _check(self):
        """Check, if it is time: messages wake the node more often than that, timers cost more."""
        core, now = self._core, monotonic()
        if now - self._checked < CHECK_PERIOD:
            return
        self._checked = now
        self._answer(core.check())
        silent = (core.gate.state.age(core.clock()) > core.settings.state_timeout
                  and now - self._driver_heard > SILENCE)
        if core.gate.refusal and (silent or not self._driver.get_publisher_count()):
            self._answer(core.take_refusal(None))  # who said so is missing
        self._out.check()

    def _apply_parameters(self):
        self._core.change(Settings(*self._settings.values()))
        self._set_period()

    def _now_ns(self):
        return self.get_clock().now().nanoseconds

    def _request(self, now_ns, header=None):
        """Return the next request; a zero stamp means now, an empty frame the base frame."""
        stamp = (header.stamp.sec, header.stamp.nanosec) if header else (0, 0)
        if stamp == (0, 0):
            stamp = divmod(now_ns, 1_000_000_000)
        age = 1e-9 * (now_ns - stamp[0] * 1_000_000_000 - stamp[1])
        return Request(self._core.reports.request.seq + 1, stamp,
                       header and header.frame_id or self._base_frame, age)


def message_of(kind, topic, serialized):
    """
    Return a message from its bytes.

    :raises InvalidInputError: if they are none, or so many that it would take seconds to read
        them, in which the node does nothing else.
    """
    if len(serialized) <= LARGEST_MESSAGE:
        # RuntimeError is the base class of rclpy's errors, which are not public.
        with suppress(RuntimeError, UnicodeDecodeError, struct.error):
            return (pose_stamped(serialized) if kind is PoseStamped
                    else deserialize_message(serialized, kind))
    raise InvalidInputError(
        topic.removeprefix('~/'), f'a message of {len(serialized)} bytes',
        f'at most {MOST_POSES} poses or {MOST_SHAPES} shapes, in {LARGEST_MESSAGE} bytes')


def main(args=None):
    """Run the node until a signal ends it; the exit code is the process's."""
    return run(IkNode, args, name='ik_node', specs=SPECS)
