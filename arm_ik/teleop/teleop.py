# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command, and its ROS 2 side: twists and the gripper out, status and joint states in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import dist, nan
import sys
from time import monotonic

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
import rclpy
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from .keys import HELP, keyboard, Keys, pressed, Vector, ZERO
from ..arm import Arm
from ..errors import InvalidInputError
from ..nodes.common.diagnostics import STATUS_QOS
from ..nodes.common.pose_message import twist_message
from ..nodes.startup import discovery
from ..nodes.startup.command_line import add_options, arm_file, split
from ..nodes.startup.start import handle_signals
from ..servos.terminal import Terminal

#: Period of twists [s]; a tip that hears none for 0.2 s stops.
PERIOD = 0.02

_DESCRIPTION = f"""\
Drive the tip from the keyboard, by twists to a running ik_node. A key latches its direction: the
tip goes on until the next key.

{HELP}
"""

_STATES = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def main(args: Sequence[str] | None = None) -> int:
    """Drive the tip until q, Ctrl-C or a signal; return the exit code."""
    own, ros = split(sys.argv[1:] if args is None else args)
    options = _parser().parse_args(own)
    keys = Keys(options.speed, options.turn_speed, options.step)
    # No KeyboardInterrupt: raised while a destructor runs, it is lost.
    handle_signals(lambda *_: keys.press('q', monotonic()))
    try:
        arm = Arm.from_yaml(arm_file(options.arm), options.tip)
        with keyboard():
            _drive(arm, options, ros, keys)
    except EOFError:
        pass
    return 0


def _drive(arm: Arm, options: argparse.Namespace, ros: list[str], keys: Keys) -> None:
    discovery.adopt(options.discovery)
    rclpy.init(args=['--ros-args', *ros], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('teleop', namespace=options.namespace)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        teleop, terminal = Teleop(node, arm, options.frame_prefix), Terminal()
        terminal.say(HELP)
        due = monotonic()
        try:
            while not keys.quits:
                for key in pressed(max(0.0, due - monotonic())):
                    keys.press(key, monotonic())
                executor.spin_once(timeout_sec=0.0)
                now = monotonic()
                if now >= due:
                    due = max(due + PERIOD, now)
                    teleop.send(keys, now)
                terminal.show(teleop.lines(keys))
        finally:
            teleop.stop()
            print(flush=True)
    finally:
        rclpy.try_shutdown()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='arm_ik teleop', description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, 'so101')
    parser.add_argument('--speed', metavar='M/S', type=_positive, default=0.05,
                        help='of the tip (default: %(default)g)')
    parser.add_argument('--turn-speed', metavar='RAD/S', type=_positive, default=0.5,
                        help='of the hand (default: %(default)g)')
    parser.add_argument('--step', metavar='M', type=_positive, nargs='?', const=0.005,
                        help='each key moves the tip by one step (default: %(const)g m), or turns '
                        'the hand for as long as that takes')
    parser.add_argument('--namespace', default='', help="the arm's")
    parser.add_argument('--frame-prefix', metavar='PREFIX', default='', help="the arm's")
    return parser


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 10.0:
        raise argparse.ArgumentTypeError(str(InvalidInputError(
            'the number', text, 'one above zero and at most 10')))
    return number


class Teleop:
    """
    An arm that is driven by keys.

    :param node: a node in the arm's namespace.
    :param arm: the :class:`~arm_ik.Arm`.
    :param frame_prefix: the arm's.
    """

    def __init__(self, node: Node, arm: Arm, frame_prefix: str = '') -> None:
        self._node, self._arm, self._prefix = node, arm, frame_prefix
        self._twists = node.create_publisher(TwistStamped, 'target_twist', 1)
        self._grippers = node.create_publisher(Float64, 'gripper_command', 1)
        self._status = 'no ik_node heard; is it running here?'
        self._positions: dict[str, float] = {}
        self._opening: float | None = None
        node.create_subscription(
            DiagnosticStatus, 'ik_node/status', self._on_status, STATUS_QOS)
        node.create_subscription(JointState, 'joint_states', self._on_state, _STATES)

    def send(self, keys: Keys, now: float) -> None:
        """Send what keys ask for at a time [s]."""
        twist = keys.twist(now)
        if twist is not None:
            self._send(twist, keys.in_tool)
        # Keys may be faster than discovery: the opening waits for a driver that hears it.
        if keys.opening != self._opening and self._grippers.get_subscription_count():
            self._opening = keys.opening
            self._grippers.publish(Float64(data=self._opening))

    def stop(self) -> None:
        """Stop the tip, for good."""
        self._send((ZERO, ZERO), False)
        self._twists.wait_for_all_acked(Duration(seconds=0.2))

    def _send(self, twist: tuple[Vector, Vector], in_tool: bool) -> None:
        self._twists.publish(twist_message(
            *twist, f'{self._prefix}tool0' if in_tool else '',
            self._node.get_clock().now().seconds_nanoseconds()))

    def lines(self, keys: Keys) -> list[str]:
        """Return what there is to show."""
        return [f'  {keys}', f'  {self._place()}', f'  {self._gripper()}', f'  {self._status}']

    def _place(self) -> str:
        q = [self._positions.get(name, nan) for name in self._arm.joint_names]
        if any(position != position for position in q):
            return 'tip unknown: joint_states of some joints have not come'
        tip, model = self._arm.forward(q).position, self._arm.model
        shoulder = (model.base_x, model.base_y, model.base_height)
        part = dist(tip, shoulder) / (model.reach + abs(model.shoulder_offset))
        x, y, z = tip
        return f'tip {x:+.3f} {y:+.3f} {z:+.3f} m, {100.0 * part:.0f} % of the reach'

    def _gripper(self) -> str:
        joints = self._arm.model.extra_joints
        if not joints:
            return 'no gripper'
        joint = joints[0]
        position = self._positions.get(joint.name, nan)
        opening = (position - joint.closed) / (joint.open - joint.closed)
        return f'{joint.name} {opening:.2f} (0 closed, 1 open)'

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._status = message.message

    def _on_state(self, message: JointState) -> None:
        self._positions.update(zip(message.name, message.position))
