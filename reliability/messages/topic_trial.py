# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is sent to the nodes, and how each answer is judged."""

from types import SimpleNamespace

from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from . import odd_bytes
from .claims import misses
from .odd_joints import command_must_be_refused, MANY, state_must_be_refused
from .odd_targets import must_be_refused, Targets
from .tally import NO_ANSWER, NO_REASON, NOT_TAKEN, TAKEN
from .wired_arm import PATIENCE

#: How far from a good target the arm may be sent: the node's own tolerances [m], [rad].
TIP_TOLERANCE, TURN_TOLERANCE = 1e-4, 1e-3

#: How far good commands are from home at most [rad]: near, for the arm has to get there.
_NEAR = 0.02

#: How many targets and bytes are followed by a good target.
_GOOD_ONES = 0.15

#: So many answers that don't come end the trial: each has been waited for.
_ENOUGH = 5

#: How often a joint state is sent if nothing is heard of it.
_TRIES = 3


class GaveUp(Exception):
    """Nothing is to be had from the nodes any more: what was counted so far stands."""


class TopicTrial:
    """
    Messages to a :class:`~.wired_arm.WiredArm`, counted in a :class:`~.tally.Tally`.

    :param random: a :class:`random.Random`.
    :param pool: how many good targets are made in advance.
    """

    def __init__(self, wired, random, tally, pool):
        self.wired, self.sent = wired, 0
        self.joint_names = list(wired.arm.joint_names)
        self._random, self._tally = random, tally
        self._targets = Targets(wired.arm, random, pool)
        self._followed = set()
        self._goods = []  # (class, (class, Asked, None, answer)), to be judged together

    def make(self, kind):
        """Return an :class:`~.odd_targets.Asked` of a class."""
        return self._targets.make(kind, self.wired.now_ns())

    def ask(self, kind, asked):
        """Send a target of a class and return its status, ``None`` if none came."""
        self.wired.doing = kind
        before = must_be_refused(asked, self.wired.now_ns())
        stamped = asked.stamp if kind == 'reachable' and asked.stamp != (0, 0) else None
        status = self._answer(kind, asked.topic, target_message(asked), stamped)
        if status is None:
            return None
        refused = self._judge_words(kind, asked, status)
        # A stamp just ahead may have been overtaken on the way: then either will do.
        if before == must_be_refused(asked, self.wired.now_ns()) != refused:
            self._tally.fault(NOT_TAKEN if refused else TAKEN, kind, asked, status)
        return status

    def ask_good(self, kind):
        """Send a target that the arm reaches, after one of a class."""
        sent_ns = self.wired.now_ns()
        asked, status = self._ask_stamped(sent_ns)
        followed = status is not None and status.status == 'REACHED' and self.wired.wait(
            lambda: self.wired.command and self.wired.command[0] >= sent_ns)
        if followed:
            answer = SimpleNamespace(q=self.wired.command[1], position_error_m=0.0,
                                     up_error_rad=0.0)
            self._goods.append((kind, ('reachable', asked, None, answer)))
        else:
            self._tally.good_one(kind, False, asked, status, self.wired.command)

    def due(self, kind):
        """Tell whether a good target is due after one of a class: always after the first."""
        first = kind not in self._followed
        self._followed.add(kind)
        return first or self._random.random() < _GOOD_ONES

    def judge_goods(self):
        """Count which good targets were met."""
        tips, turns = misses(self.wired.arm, [good for _, good in self._goods])
        for (kind, good), tip, turn in zip(self._goods, tips, turns):
            self._tally.good_one(kind, tip <= TIP_TOLERANCE and turn <= TURN_TOLERANCE, good,
                                 f'off by {tip} m and {turn} rad')

    def send_state(self, kind, arrays):
        """Send a joint state of a class; one that can't be believed has to be complained of."""
        wired, kind = self.wired, f'joint states, {kind}'
        wired.doing, complaints = kind, wired.complaints
        bad = state_must_be_refused(self.joint_names, arrays)
        for _ in range(_TRIES):  # best effort: one may be lost
            self._send('reported_states', joint_state(arrays))
            if not bad or max(map(len, arrays)) == MANY:
                break
            if wired.wait(lambda: wired.complaints > complaints, PATIENCE / _TRIES):
                break
        else:
            self._tally.fault(TAKEN, kind, arrays)
            self._give_up(TAKEN)
        self._tally.answer(kind, bad if max(map(len, arrays)) < MANY else None)

    def command(self, kind, arrays):
        """Send a joint command of a class, and then a good one that has to be carried out."""
        wired, kind = self.wired, f'commands, {kind}'
        wired.doing, refusals = kind, wired.refusals
        self._send('joint_commands', joint_state(arrays))
        refused = command_must_be_refused(arrays)
        self._tally.answer(kind, refused)
        goals = {joint.name: min(max(home + self._random.uniform(-_NEAR, _NEAR), joint.lower),
                                 joint.upper)
                 for joint, home in zip(wired.arm.model.joints, wired.arm.home)}
        self._send('joint_commands', joint_state((list(goals), list(goals.values()), [], [])))
        there = wired.wait(lambda: goals.items() <= wired.readings.items())
        self._tally.good_one(kind, there, goals, wired.readings)
        if refused and not wired.wait(lambda: wired.refusals > refusals):
            self._tally.fault(NO_REASON, kind, arrays)
            self._give_up(NO_REASON)

    def send_bytes(self, topic, kind):
        """Send bytes made of a message that is one; await the answer where one has to come."""
        wired = self.wired
        wired.doing = f'bytes: {kind}'
        if topic in ('reported_states', 'joint_commands'):
            message = joint_state((self.joint_names, list(wired.arm.home), [], []))
        else:
            message = target_message(self._targets.good()._replace(topic=topic))
        data = odd_bytes.KINDS[kind](self._random, serialize_message(message))
        if topic != 'target_pose':
            self._send(topic, data)
            self._tally.answer(wired.doing)
            # It came before these, if it came at all, and was taken before the second.
            self._ask_stamped(wired.now_ns())
            self._ask_stamped(wired.now_ns())
            return
        status = self._answer(wired.doing, topic, data)
        if status is not None and not self._judge_words(wired.doing, data, status) \
                and kind in odd_bytes.NO_MESSAGES:
            self._tally.fault(TAKEN, wired.doing, data, status)

    def send_no_bytes(self, topic):
        """Send a message of no bytes at all."""
        self.wired.doing = 'bytes: none'
        self.wired.publish_nothing(topic)
        self.sent += 1
        self._tally.answer(self.wired.doing)

    def _ask_stamped(self, now_ns):
        """Send a good target whose answer is known by its stamp; return both."""
        good = self._targets.good()._replace(stamp=divmod(now_ns, 10**9))
        return good, self.ask('reachable', good)

    def _answer(self, kind, topic, message, stamp=None):
        wired, seq = self.wired, self.wired.status.seq
        wired.answers.clear()
        self._send(topic, message)
        if wired.wait(lambda: stamp in wired.answers if stamp else wired.status.seq > seq):
            return wired.answers.get(stamp, wired.status)
        self._tally.fault(NO_ANSWER, kind, message, wired.ended())
        self._give_up(NO_ANSWER)
        return None

    def _judge_words(self, kind, asked, status):
        """Count an answer; return whether it is a refusal."""
        refused = status.state == 'refused'
        self._tally.answer(kind, refused)
        if not status.reason and (refused or status.status not in ('REACHED', '')):
            self._tally.fault(NO_REASON, kind, asked, status)
        return refused

    def _send(self, topic, message):
        self.wired.publish(topic, message)
        self.sent += 1

    def _give_up(self, what):
        if self._tally.faults[what] >= _ENOUGH or self.wired.ended():
            raise GaveUp(f'{what}, {self._tally.faults[what]} times; {self.wired.ended()}')


def target_message(asked):
    """Return the ROS message that says what an :class:`~.odd_targets.Asked` does."""
    if asked.topic == 'target_pose':
        message = PoseStamped()
        place, turn = message.pose.position, message.pose.orientation
        turn.x, turn.y, turn.z, turn.w = asked.orientation
    elif asked.topic == 'target_point':
        message = PointStamped()
        place = message.point
    else:
        message = Vector3Stamped()
        place = message.vector
    place.x, place.y, place.z = asked.position
    message.header.frame_id = asked.frame
    message.header.stamp.sec, message.header.stamp.nanosec = asked.stamp
    return message


def joint_state(arrays):
    """Return a JointState of names, positions, velocities and efforts."""
    names, positions, velocities, efforts = arrays
    return JointState(name=names, position=positions, velocity=velocities, effort=efforts)
