# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``ik_node`` on a bench: an arm that stands where it is put, and ears for all that is said."""

from time import monotonic

from arm_ik import Arm
from arm_ik.testing.connection import TargetStatus
from bench import NodeBench, STATUS_QOS
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from rcl_interfaces.srv import DescribeParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from urdf_judge import UrdfJudge


def cancel(node, timer):
    """Cancel a timer in the thread of its callbacks: rclpy's executor expects it from no other."""
    node.executor.create_task(timer.cancel)


def stamp_of(message):
    """Return the stamp of a message with a header, ``(seconds, nanoseconds)``."""
    return message.header.stamp.sec, message.header.stamp.nanosec


class IkBench(NodeBench):
    """
    ``ik_node`` as a process, and a node in this process that acts as the driver.

    :param arguments: the node's command line beside ``--arm``.
    :param arm: name of the arm.
    :param namespace: the node's.
    :param domain: a ROS domain to share with another bench; ``None``: one of its own.
    """

    def __init__(self, *arguments, arm='so101', namespace='', domain=None):
        super().__init__('ik_node', ('--arm', arm, *arguments), namespace, domain)
        self.arm = Arm.preset(arm)
        self.judge = UrdfJudge(self.arm.to_urdf())
        self.commands, self.statuses, self.poses, self.diagnostics = [], [], [], []
        self.q = dict(zip(self.arm.joint_names, self.arm.home))
        self.follows = False
        self.states = None
        self.sent_states = 0
        self.commanded_at = None  # when the newest command came [s], monotonic
        self._since = 0, 0        # what was commanded before is forgotten
        self._sent, self._old = set(), set()    # stamps of targets; of those that are forgotten

    def set_up(self):
        super().set_up()
        self.pose_topic = self.node.create_publisher(PoseStamped, 'target_pose', 1)
        self.point_topic = self.node.create_publisher(PointStamped, 'target_point', 1)
        self.up_topic = self.node.create_publisher(Vector3Stamped, 'target_up', 1)
        self.listen(JointState, 'joint_commands', self._on_command)
        self.listen(PoseStamped, 'ik_node/solved_pose', self._on_pose)
        self.listen_for_statuses()
        self.listen(DiagnosticArray, '/diagnostics', self._on_diagnostics)
        self.wait_until(lambda: all(topic.get_subscription_count() for topic in (
            self.pose_topic, self.point_topic, self.up_topic)), 'the node to listen', poll=0.05)

    def listen_for_statuses(self):
        """Take statuses from now on, the newest one first."""
        self.status_topic = self.listen(
            DiagnosticStatus, 'ik_node/status',
            lambda message: self.statuses.append(TargetStatus.from_message(message)), STATUS_QOS)

    def destroy(self, entity):
        """Destroy a publisher or subscription between two callbacks, as the executor expects."""
        kind = 'publisher' if isinstance(entity, Publisher) else 'subscription'
        gone = self.node.executor.create_task(getattr(self.node, f'destroy_{kind}'), entity)
        gone.add_done_callback(lambda _: self.notify())
        self.wait_until(gone.done, f'the end of a {kind}')

    # The driver

    def send_state(self, names=None, positions=None, **others):
        """Send one JointState; without arguments, where the arm stands."""
        with self.news:
            if names is None:
                names, positions = list(self.q), list(self.q.values())
            if self.states is not None:
                self.states.publish(
                    JointState(name=list(names), position=list(positions), **others))
                self.sent_states += 1
                self.news.notify_all()

    def rest(self, count=10):
        """Let the time of this many states pass: within the time of one, a command is repeated."""
        enough = self.sent_states + count
        self.wait_until(lambda: self.sent_states >= enough, 'the driver to send states')

    def open_states(self, qos=10):
        """Offer joint states without sending any."""
        self.states = self.node.create_publisher(JointState, 'joint_states', qos)

    def start_driver(self, qos=10):
        """Publish the arm's state at 50 Hz from now on."""
        self.open_states(qos)
        self._timer = self.node.create_timer(0.02, self.send_state)

    def stop_driver(self):
        """Go silent, as a driver that is killed."""
        # The timer's callback may be under way in its thread: it must not meet half of this.
        with self.news:
            cancel(self.node, self._timer)
            states, self.states = self.states, None
        self.destroy(states)

    def drive(self):
        """Start the driver and wait until the node is ready; return the bench."""
        self.start_driver()
        self.wait_for_status('ready')
        return self

    # Targets

    def pose(self, position, orientation=(0.0, 0.0, 0.0, 1.0), frame='', stamp=None):
        """Send a target pose; return its stamp."""
        message = PoseStamped()
        where, how = message.pose.position, message.pose.orientation
        where.x, where.y, where.z = position
        how.x, how.y, how.z, how.w = orientation
        return self.send(self.pose_topic, message, frame, stamp)

    def point(self, position, frame='', stamp=None):
        """Send a target point; return its stamp."""
        message = PointStamped()
        message.point.x, message.point.y, message.point.z = position
        return self.send(self.point_topic, message, frame, stamp)

    def up(self, vector, frame='', stamp=None):
        """Send an up vector for later points; return its stamp."""
        message = Vector3Stamped()
        message.vector.x, message.vector.y, message.vector.z = vector
        return self.send(self.up_topic, message, frame, stamp)

    def send(self, topic, message, frame='', stamp=None):
        """Send a message with a header; return its stamp as the status has it."""
        message.header.frame_id = frame
        message.header.stamp = self.node.get_clock().now().to_msg() if stamp is None else stamp
        topic.publish(message)
        sent = stamp_of(message)
        if stamp is None:
            self._sent.add(sent)
        return sent

    def stamp(self):
        """Return the time as a stamp."""
        now = self.node.get_clock().now().to_msg()
        return now.sec, now.nanosec

    def enable(self, on):
        """Call ``~/enable`` and return the response."""
        return self.ask(SetBool, 'enable', data=on)

    def home(self):
        """Call ``~/home`` and return the response."""
        return self.ask(Trigger, 'home')

    def set(self, **values):  # noqa: A003
        """Set parameters all at once, as ``ros2 param`` and rqt do; return the result."""
        return self.ask(SetParametersAtomically, 'set_parameters_atomically', parameters=[
            Parameter(name, value=value).to_parameter_msg()
            for name, value in values.items()]).result

    def describe(self, *names):
        """Return the descriptors of parameters."""
        return self.ask(DescribeParameters, 'describe_parameters', names=names).descriptors

    # What is waited for, and judged

    def _heard(self):
        return f'{list(map(str, self.statuses[-5:]))}, {len(self.commands)} commands'

    def wait_for_status(self, state, stamp=None, words=''):
        """Wait for a status of that state, of that target if given; return it."""
        def found():
            return [status for status in self.statuses if status.state == state
                    and stamp in (None, status.target_stamp) and words in status.reason]
        self.wait_until(found, f'{state} {stamp or ""} {words}')
        return found()[-1]

    def wait_for_command(self, since=0):
        """Wait for a command beyond the first ``since``; return all beyond as dicts by name."""
        self.wait_until(lambda: len(self.commands) > since, 'a command')
        return [dict(zip(message.name, message.position)) for message in self.commands[since:]]

    def tip(self, positions):
        """Return the 4x4 pose of ``tool0`` at joint positions by name, by the URDF alone."""
        return self.judge.pose(positions)

    def forget(self, since=None):
        """
        Forget all that was heard; with a stamp, also what was made before and is on its way.

        No topic knows the order of another: a command may come after the status that was sent
        later.
        """
        with self.news:
            for heard in (self.commands, self.statuses, self.poses, self.diagnostics):
                heard.clear()
            if since is not None:
                self._since, self._old = since, self._old | self._sent

    def _on_command(self, message):
        if stamp_of(message) < self._since:
            return
        self.commands.append(message)
        self.commanded_at = monotonic()
        if self.follows:
            self.q.update(zip(message.name, message.position))

    def _on_pose(self, message):
        if stamp_of(message) not in self._old:
            self.poses.append(message)

    def _on_diagnostics(self, message):
        if stamp_of(message) >= self._since:
            self.diagnostics += [status for status in message.status if 'ik_node' in status.name]
