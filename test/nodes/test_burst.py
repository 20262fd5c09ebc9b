# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The short way of targets in close succession: held equal to the usual way, to the last bit.

Two cores hear the same: one takes every target the usual way, the other the short way where it
can. What the tests ask of the first one, test_ik_core.py and test_target_input.py hold.
"""

from math import inf, nan
from random import Random
from struct import pack_into
from types import SimpleNamespace

from arm_ik import Arm, InvalidInputError, Target
from arm_ik.description import preset_names
from arm_ik.nodes.burst import LASTS_S
from arm_ik.nodes.burst_core import BurstCore
from arm_ik.nodes.cdr import PoseLayout, read_pose, SLACK
from arm_ik.nodes.frames import NoTransforms
from arm_ik.nodes.health import Health
from arm_ik.nodes.ik_core import IkCore
from arm_ik.nodes.ik_settings import Settings
from arm_ik.nodes.report import Order, State
from arm_ik.nodes.rotation import rotate
from arm_ik.nodes.target_input import TargetInput, TOOL_AXES
import numpy as np
from pose_bytes import path, pose_bytes
import pytest

ARM = Arm.preset('simple')
FRAME = 'base_link'
SECOND_NS = 1_000_000_000
NOW_NS = 1_800_000_000 * SECOND_NS
POSITION, ORIENTATION = 28, 52


class Way:
    """A core as the node has it, and the commands that leave."""

    def __init__(self, core, arm=ARM, up_axis='z', **settings):
        self.now = 100.0
        self.core = core(arm, Settings(**settings), clock=lambda: self.now)
        self.input = TargetInput(FRAME, up_axis, NoTransforms(FRAME).look_up,
                                 forward=arm.model.has('wrist_roll'))
        self.sent, self.reports, self.short = [], [], 0
        self.core.take_state(arm.joint_names, arm.home)

    def begin(self, frame=FRAME, latest_sec=NOW_NS // SECOND_NS, waited=0.0):
        self.core.begin_burst(waited, PoseLayout.of(frame), self.input.to_up, latest_sec,
                              lambda stamp, q: q, self.sent.append)

    def take(self, data, age=0.0):
        """Take a message as the node does; return whether it went the short way."""
        if getattr(self.core, 'short_way', None) is not None and self.core.short_way(data, age):
            self.short += 1
            return True
        order = Order(self.core.seq + 1, (0, 0), FRAME)
        try:
            stamp, frame, position, orientation = read_pose(data)
            order = order._replace(stamp=stamp)
            target = self.input.from_values(position, orientation, stamp, NOW_NS)
        except InvalidInputError as error:
            self.reports.append(self.core.refuse(order, str(error), error.what))
            return False
        report = self.core.take_target(target, order, age)
        self.reports.append(report)
        if report.state is State.ACCEPTED:
            self.sent.append(self.core.command)
            if isinstance(self.core, BurstCore):
                self.begin(frame)
        return False

    @property
    def report(self):
        """Return the report of the command in force."""
        self.core.seq
        return self.core._motion.report


def ways(**how):
    return Way(IkCore, **how), Way(BurstCore, **how)


@pytest.fixture
def burst():
    """Return a way with a burst that has begun."""
    way = Way(BurstCore)
    way.take(path(ARM, 1, 0.01, 1)[0])
    assert way.core.short_way is not None
    return way


@pytest.fixture
def next_one():
    """Return a message that goes on from there."""
    return path(ARM, 2, 0.01, 1)[1]


@pytest.mark.parametrize('up_axis', TOOL_AXES)
@pytest.mark.parametrize('step', [0.02, 0.3, 2.0])
def test_both_ways_send_the_same_commands_to_the_last_bit(step, up_axis):
    usual, short = ways(up_axis=up_axis)
    for data in path(ARM, 300, step, seed=2, up_axis=up_axis):
        usual.take(data)
        short.take(data)
    assert short.sent == usual.sent
    assert len(usual.sent) == 300
    assert short.short > (250 if step < 2.0 else 5)
    assert short.report == usual.report
    for data, q in zip(path(ARM, 300, step, seed=2), short.sent):
        assert ARM.forward(q).position == pytest.approx(read_pose(data)[2], abs=1e-9)


@pytest.mark.parametrize('name', preset_names())
def test_they_do_whatever_the_arm(name):
    arm = Arm.preset(name)
    usual, short = ways(arm=arm)
    for data in path(arm, 100, 0.05, seed=3):
        usual.take(data)
        short.take(data)
    assert short.sent == usual.sent
    # Poses ask arms with a wrist roll for a forward vector too, and a rolling base for more.
    has_short_way = not (arm.model.has('wrist_roll') or arm.model.has('roll'))
    assert (short.short > 50) is has_short_way
    assert short.report == usual.report


def test_they_do_whatever_comes_between():
    rng = Random(4)
    usual, short = ways(target_timeout=0.5)
    good = path(ARM, 2000, 0.005, seed=4)
    for data in good:
        data = bytearray(data)
        kind = rng.randrange(12)
        if kind == 0:
            pack_into('<d', data, rng.randrange(POSITION, 84, 8), rng.choice(
                [nan, inf, -inf, 1e308, -1e200, 5e-324, 0.0, 1e6, 3.0]))
        elif kind == 1:
            data = data[:rng.randrange(len(data))]
        elif kind == 2:
            data[rng.randrange(28)] ^= 1 << rng.randrange(8)
        age = rng.choice([0.0, 0.001, 0.4, 0.6])
        for way in usual, short:
            way.take(bytes(data), age)
        between = rng.randrange(20)
        shift = rng.uniform(-0.01, 0.01)
        for way in usual, short:
            way.now += (0.0001, 0.003)[between == 0]
            if between == 1:
                way.core.take_state(ARM.joint_names, [q + shift for q in way.sent[-1]])
            if between == 2:
                way.reports.append(way.core.check())
    assert len(short.sent) == len(usual.sent) > 1000
    # Once from the command and once from where the arm is: the same branch, but for rounding.
    assert np.array(short.sent) == pytest.approx(np.array(usual.sent), abs=1e-12)
    assert 500 < short.short < len(short.sent)
    assert short.core.seq == usual.core.seq == len(good)
    assert short.report.order == usual.report.order
    assert short.core._streamed == pytest.approx(usual.core._streamed)


@pytest.mark.parametrize('frame', ['', 'b', 'base_link', 'Füße', 'a' * 100])
def test_a_layout_reads_what_read_pose_reads(frame):
    data = pose_bytes(ARM.forward(ARM.home), sec=5, nanosec=6, frame=frame)
    unpack, named, longest = PoseLayout.of(frame)
    kind, sec, nanosec, name, *pose = unpack(data)
    stamp, read_frame, position, orientation = read_pose(data)
    assert (kind, name, read_frame) == (data[:2], named, frame)
    assert ((sec, nanosec), *pose) == (stamp, *position, *orientation)
    assert longest - SLACK <= len(data) <= longest


def refused(burst, data, age=0.0):
    """Tell whether a message is left to the usual way, and nothing is sent for it."""
    before = len(burst.sent)
    taken = burst.core.short_way(bytes(data), age)
    assert len(burst.sent) == before + taken
    return not taken


def test_an_ordinary_target_is_not(burst, next_one):
    assert not refused(burst, next_one)


@pytest.mark.parametrize('end', range(84))
def test_one_that_is_cut_off_is_left_to_the_usual_way(burst, next_one, end):
    assert refused(burst, next_one[:end])


def test_one_with_more_behind_it_is_as_in_the_usual_way(burst, next_one):
    assert not refused(burst, next_one[:84] + bytes(SLACK))
    assert refused(burst, next_one[:84] + bytes(SLACK + 1))


@pytest.mark.parametrize('at', range(POSITION, 84, 8))
@pytest.mark.parametrize('value', [nan, inf, -inf, 1e308, -1e308, 2.0])
def test_one_with_an_exceptional_number_is_left_to_the_usual_way(burst, next_one, at, value):
    data = bytearray(next_one)
    pack_into('<d', data, at, value)
    assert refused(burst, data)


def test_zero_and_unnormalised_quaternions_are_left_to_the_usual_way(burst, next_one):
    pose = read_pose(next_one)[3]
    for scale, is_left in ((0.0, True), (0.998, True), (0.9991, False), (1.0009, False),
                           (1.002, True), (-1.0, False)):
        data = bytearray(next_one)
        pack_into('<4d', data, ORIENTATION, *[scale * value for value in pose])
        assert refused(burst, data) is is_left, scale


@pytest.mark.parametrize('at, value', [(0, 1), (1, 0), (12, 11), (16, ord('B')), (25, 1)],
                         ids=['kind', 'byte order', 'length', 'name', 'end of the name'])
def test_another_kind_or_frame_is_left_to_the_usual_way(burst, next_one, at, value):
    data = bytearray(next_one)
    data[at] = value
    assert refused(burst, data)


def test_a_stamp_that_may_be_in_the_future_is_left_to_the_usual_way(burst, next_one):
    data = bytearray(next_one)
    for sec, is_left in ((NOW_NS // SECOND_NS, False), (NOW_NS // SECOND_NS + 1, True)):
        pack_into('<i', data, 4, sec)
        assert refused(burst, data) is is_left


def test_a_stamp_with_more_than_a_second_of_nanoseconds_is_left_to_the_usual_way(burst, next_one):
    data = bytearray(next_one)
    for nanosec, is_left in ((SECOND_NS - 1, False), (SECOND_NS, True)):
        pack_into('<iI', data, 4, NOW_NS // SECOND_NS, nanosec)
        assert refused(burst, data) is is_left


def test_one_that_has_waited_for_too_long_is_left_to_the_usual_way(next_one):
    way = Way(BurstCore, target_timeout=0.5)
    way.take(path(ARM, 1, 0.01, 1)[0])
    assert refused(way, next_one, age=0.51)
    assert not refused(way, next_one, age=0.5)


@pytest.mark.parametrize('timeout, longest', [(0.5, 0.3), (0.0, 1e6)])
def test_what_may_have_waited_counts_as_that_much_older(next_one, timeout, longest):
    way = Way(BurstCore, target_timeout=timeout)
    way.take(path(ARM, 1, 0.01, 1)[0])
    way.begin(waited=0.2)
    if timeout:
        assert refused(way, next_one, age=longest + 0.01)
    assert not refused(way, next_one, age=longest)
    way.core.check()
    assert way.core._streamed == pytest.approx(way.now - longest - 0.2)


@pytest.mark.parametrize('tip', [(2.0, 0.0, 0.1), (0.0, 0.0, 0.3), (0.05, 0.0, 0.02)])
def test_what_is_out_of_reach_is_left_to_the_usual_way(burst, next_one, tip):
    data = bytearray(next_one)
    pack_into('<3d', data, POSITION, *tip)
    assert refused(burst, data)


def test_it_lasts_a_moment(burst, next_one):
    begun = burst.now
    burst.now = begun + LASTS_S
    assert not refused(burst, next_one)
    burst.now += 1e-6
    assert refused(burst, next_one)


def test_it_ends_before_commands_pause(next_one):
    way = Way(BurstCore, state_timeout=1.0)
    way.now += 0.2 - LASTS_S / 2
    way.take(path(ARM, 1, 0.01, 1)[0])
    assert not refused(way, next_one)
    way.now += LASTS_S / 2 + 1e-6
    assert refused(way, next_one)


@pytest.mark.parametrize('settings', [
    {'max_step': 1.0}, {'elbow': 'up'}, {'elbow': 'down'}, {'priority': 'up'}])
def test_there_is_none_where_more_is_to_be_looked_at(settings):
    way = Way(BurstCore, **settings)
    for data in path(ARM, 3, 0.01, 1):
        way.take(data)
    assert len(way.sent) == 3 and way.core.short_way is None


def test_there_is_none_after_an_answer_that_relaxes_something(burst, next_one):
    data = bytearray(next_one)
    pack_into('<3d', data, POSITION, 2.0, 0.0, 0.1)
    burst.take(bytes(data))
    assert not burst.reports[-1].solution.reached
    assert burst.core.short_way is None


def test_there_is_none_after_a_point_where_poses_ask_for_a_forward_vector_too():
    way = Way(BurstCore, arm=Arm.preset('so101'))
    way.core.take_target(Target((0.2, 0.05, 0.05), (0.0, 0.0, -1.0)), Order(1, (0, 0), FRAME))
    way.begin()
    assert way.core.short_way is None
    assert way.report.solution.reached


PUBLIC = sorted(name for name in dir(IkCore) if not name.startswith('_'))


@pytest.mark.parametrize('name', PUBLIC)
def test_whatever_else_is_asked_ends_it_first(burst, next_one, name):
    burst.core.short_way(next_one, 0.0)
    arguments = {
        'acknowledge': (Order(), 'so'), 'complain': (InvalidInputError('a', 1, 'b'),),
        'enable': (True,), 'go_home': (Order(9),), 'refuse': (Order(9), 'because', 'cause'),
        'require_command_inside': (ARM.model,),
        'take_state': (ARM.joint_names, ARM.home), 'take_target': (burst.report.target, Order(9))}
    member = getattr(BurstCore, name)
    if isinstance(member, property):
        member.fget(burst.core)
    else:
        member(burst.core, *arguments.get(name, ()))
    assert burst.core.short_way is None
    assert [ended.count for ended in burst.core.bursts()] == [1]


@pytest.mark.parametrize('name', ['arm', 'settings'])
def test_what_is_set_ends_it_first(burst, next_one, name):
    burst.core.short_way(next_one, 0.0)
    value = getattr(burst.core, f'_{name}')
    setattr(burst.core, name, value)
    assert burst.core.short_way is None


def test_what_was_put_off_is_told_and_counted_in_the_end():
    way = Way(BurstCore)
    health = Health(clock=lambda: way.now)
    messages = path(ARM, 50, 0.02, seed=5)
    for data in messages:
        way.now += 0.00001
        way.take(data, age=0.25)
    ended, = way.core.bursts()
    assert way.core.bursts() == ()
    assert ended.count == 49
    assert ended.latencies == pytest.approx([0.25] * 49)
    report = ended.report
    assert report.order == Order(50, (1_700_000_000, 49), FRAME)
    assert report.solution.q == way.sent[-1] == way.core.command
    assert report.target.position == read_pose(messages[-1])[2]
    assert report.target.up == pytest.approx(rotate(
        np.transpose(np.eye(3)), ARM.forward(way.sent[-1]).up), abs=1e-9)
    health.count_burst(ended)
    way.now += 1.0
    level, summary, values = health.condition(None)
    assert (summary, values['targets_accepted']) == ('accepted', 49)
    assert values['latency_p50_ms'] == '250.000'
    assert values['targets_per_s'] == values['commands_per_s'] == '49.0'


def test_a_latency_ends_when_the_command_has_left(burst, next_one):
    def send(q):
        burst.now += 0.003
    burst.sent = SimpleNamespace(append=send)
    burst.begin()
    burst.core.short_way(next_one, 0.25)
    ended, = burst.core.bursts()
    assert ended.latencies == pytest.approx([0.253])


def test_a_stamp_of_zero_stands_for_the_commands(burst):
    burst.core.short_way(pose_bytes(ARM.forward(ARM.home), sec=0, nanosec=0), 0.0)
    ended, = burst.core.bursts()
    assert ended.stamp == ended.sent_stamp > (0, 0)
    assert ended.report.order.stamp == ended.sent_stamp


def test_the_age_of_the_newest_target_counts_from_its_receipt(next_one):
    way = Way(BurstCore, target_timeout=0.5)
    way.take(path(ARM, 1, 0.01, 1)[0])
    assert not refused(way, next_one, age=0.3)
    way.now += 0.19
    way.core.take_state(ARM.joint_names, ARM.home)
    assert way.core.check() is None
    way.now += 0.02
    assert way.core.take_state(ARM.joint_names, ARM.home).cause == 'target_timeout'


def test_how_far_the_arm_has_got_is_reckoned_as_in_the_usual_way():
    messages = path(ARM, 3, 0.4, seed=7)
    found = []
    for way in ways():
        way.take(messages[0])
        way.now += 0.25
        way.core.take_state(ARM.joint_names, way.sent[-1])
        way.take(messages[1])
        way.take(messages[2], age=0.25)
        assert way.core.seq == 3
        found.append((vars(way.core._motion.arrival), vars(way.core._motion._following)))
    assert way.short == 1
    assert found[0] == found[1]


def test_what_ends_a_burst_first_still_says_what_it_does():
    assert BurstCore.take_target.__doc__ == IkCore.take_target.__doc__
    assert BurstCore.command.__doc__ == IkCore.command.__doc__
