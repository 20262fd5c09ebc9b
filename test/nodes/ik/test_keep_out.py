# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/keep_out``: what is read, what is drawn, and what becomes of an arm on its way."""

from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from math import inf, nan, sqrt
from signal import SIGINT
from types import SimpleNamespace

from arm_ik import Arm, InvalidInputError, KeepOut, Target
from arm_ik.description.urdf_tree import rotation, rpy_of
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.ik_node import KEEP_OUT_QOS
from arm_ik.nodes.ik.markers import keep_out_markers
from arm_ik.nodes.ik.report import Level, State
from arm_ik.nodes.ik.target_reader import MOST_SHAPES, TargetReader, without_tf2
from core_bench import CoreBench
from ik_bench import IkBench
import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

ARM = Arm.preset('so101')
LEFT, RIGHT = (0.6, -0.3, 0.3, 0.3, 0.0), (-0.6, -0.3, 0.3, 0.3, 0.0)
TIP = ARM.forward((0.0, *LEFT[1:])).position
POST = KeepOut('post', 'box', (0.2, 0.05, 0.4), (float(TIP[0]) - 0.06, 0.0, float(TIP[2])))


def marker(name='wall', number=0, kind=Marker.CUBE, scale=(0.1, 0.2, 0.3), at=(0.3, 0.0, 0.1),
           turn=(0.0, 0.0, 0.0, 1.0), action=Marker.ADD, frame='base_link'):
    made = Marker(ns=name, id=number, type=kind, action=action)
    made.header.frame_id = frame
    made.scale.x, made.scale.y, made.scale.z = scale
    where, how = made.pose.position, made.pose.orientation
    where.x, where.y, where.z = at
    how.x, how.y, how.z, how.w = turn
    return made


def reader(look_up=partial(without_tf2, 'base_link')):
    return TargetReader('base_link', 'z', look_up)


def read(reader, *markers, **size):
    return reader.from_markers(MarkerArray(markers=list(markers)), 10**18, **size)


def test_boxes_and_cylinders_are_added_changed_and_deleted_by_name_and_number():
    keep_out = reader()
    assert read(keep_out, marker(), marker('post', 7, Marker.CYLINDER, (0.1, 0.1, 0.5))) == (
        KeepOut('wall/0', 'box', (0.1, 0.2, 0.3), (0.3, 0.0, 0.1)),
        KeepOut('post/7', 'cylinder', (0.05, 0.5), (0.3, 0.0, 0.1)))
    wall, post = read(keep_out, marker(at=(0.4, 0.0, 0.1)))     # the other one stays
    assert (wall.position, post.name) == ((0.4, 0.0, 0.1), 'post/7')
    assert read(keep_out, marker(number=1, action=Marker.DELETE)) == (wall, post)
    assert read(keep_out, marker(action=Marker.DELETE)) == (post,)
    assert len(read(keep_out, marker(), marker(number=1))) == 3
    assert read(keep_out, marker(action=Marker.DELETEALL)) == (post,)   # of its namespace
    assert read(keep_out, marker('', action=Marker.DELETEALL), marker()) == (
        replace(wall, position=(0.3, 0.0, 0.1)),)
    assert read(keep_out, marker('', action=Marker.DELETEALL)) == ()


@pytest.mark.parametrize('bad, words', [
    (marker(at=(nan, 0.0, 0.0)), 'keep_out wall/0 position is (nan'),
    (marker(at=(1e7, 0.0, 0.0)), 'keep_out wall/0 position is (1000000'),
    (marker(turn=(0.0, 0.0, 0.0, 0.0)), 'all zeros is not a rotation'),
    (marker(scale=(0.1, 0.0, 0.1)), 'keep_out wall/0 scale is (0.1, 0.0, 0.1); allowed: lengths'),
    (marker(scale=(0.1, 0.1, nan)), 'keep_out wall/0 scale is (0.1, 0.1, nan)'),
    (marker(scale=(0.1, inf, 0.1)), 'keep_out wall/0 scale'),
    (marker(scale=(0.1, -0.1, 0.1)), 'keep_out wall/0 scale'),
    (marker(kind=Marker.CYLINDER, scale=(5e-324, 5e-324, 0.1)), 'keep_out wall/0 scale'),
    (marker('a\nb', kind=Marker.SPHERE), r'keep_out a\nb/0 type'),
    (marker('x' * 60000, kind=Marker.SPHERE), f'keep_out {"x" * 40}/0 type'),
    (marker(kind=Marker.SPHERE), 'keep_out wall/0 type is 2; allowed: CUBE (1), CYLINDER (3)'),
    (marker(action=7), 'keep_out wall/0 action is 7; allowed: ADD (0), DELETE (2), DELETEALL (3)'),
    (marker(frame='camera'), "keep_out wall/0 frame_id is 'camera'; allowed: 'base_link'")])
def test_one_bad_marker_has_its_message_refused_in_a_line_and_what_was_there_stays(bad, words):
    keep_out = reader()
    before = read(keep_out, marker('post'))
    with pytest.raises(InvalidInputError) as refusal:
        read(keep_out, marker('', action=Marker.DELETEALL), marker('other'), bad)
    assert words in str(refusal.value) and '\n' not in str(refusal.value)
    assert read(keep_out) == before


def test_too_many_shapes_are_refused():
    keep_out = reader()
    assert len(read(keep_out, *(marker(number=n) for n in range(MOST_SHAPES)))) == MOST_SHAPES
    for more in ({'number': MOST_SHAPES}, {'name': 'other'}):
        with pytest.raises(InvalidInputError, match=f'{MOST_SHAPES + 1} shapes.; allowed: at '):
            read(keep_out, marker(**more))


def test_a_shape_in_another_frame_is_where_that_frame_was_then():
    half = sqrt(0.5)
    table = SimpleNamespace(x=0.0, y=0.0, z=half, w=half)
    keep_out = reader(lambda what, header: ((1.0, 2.0, 3.0), table))
    shape, = read(keep_out, marker(at=(0.5, 0.0, 0.0), frame='table'))
    assert shape.position == pytest.approx((1.0, 2.5, 3.0))
    assert shape.rpy == pytest.approx((0.0, 0.0, 0.5 * np.pi))


def test_turns_lead_to_the_axes_also_straight_up_and_down():
    rng = np.random.default_rng(1)
    random = rng.uniform(-3.0, 3.0, (200, 3))
    random[:40, 1] = 0.5 * np.pi
    random[40:80, 1] = -0.5 * np.pi
    for turns in random.tolist():
        axes = rotation(turns)[:3, :3].T
        assert rotation(rpy_of(axes.T))[:3, :3].T == pytest.approx(axes, abs=1e-8)


def test_what_is_drawn_is_what_is_read_and_replaces_what_was():
    shapes = [KeepOut('box', 'box', (0.1, 0.2, 0.3), (0.3, 0.1, 0.2), (0.3, -0.4, 1.0)),
              KeepOut('post', 'cylinder', (0.05, 0.3), (0.2, 0.0, 0.1), (0.1, 0.0, 0.0)),
              KeepOut('floor', 'half_space', (), (0.0, 0.0, -0.1), (0.0, 0.2, 0.0))]
    array = keep_out_markers(shapes, 0.5, 'left/base_link')
    assert array.markers[0].action == Marker.DELETEALL
    assert {each.header.frame_id for each in array.markers} == {'left/base_link'}
    assert all(each.color.a > 0.2 for each in array.markers[1:])
    box, post, plate = TargetReader('left/base_link', 'z', None).from_markers(array, 0)
    for found, shape in ((box, shapes[0]), (post, shapes[1]), (plate, shapes[2])):
        assert found.position == pytest.approx(shape.position)
        assert found.rpy == pytest.approx(shape.rpy)
    assert (box.size, post.size) == (shapes[0].size, shapes[1].size)
    assert plate.size[0] == plate.size[1] > 1.0 and plate.size[2] < 0.01
    assert len(keep_out_markers([], 0.5, 'base_link').markers) == 1


# Of the core

def target_at(q):
    pose = ARM.forward(q)
    return Target(pose.position, pose.up, pose.rotation[:, 0])


def on_its_way(seconds=0.15, **settings):
    core = CoreBench(ARM, LEFT, **settings)
    report = core.target(target_at(RIGHT))
    assert report.state is State.ACCEPTED
    core.follow(seconds)
    return core


def clearance(core):
    commands = [command for command, _ in core.commands if command]
    return ARM.clearance([core.q, *commands], ARM.scene(keep_out=[POST])).min()


@pytest.mark.parametrize('motion', ['line', 'trajectory'])
def test_an_arm_on_its_way_stops_before_a_wall_that_appears(motion):
    core = on_its_way(**({'motion': 'line', 'tip_speed': 0.2} if motion == 'line' else {
        'output': 'trajectory', 'seconds': 0.08}))
    report = core.core.take_keep_out([POST])
    assert (report.state, report.level, report.cause) == (State.READY, Level.WARN, 'touch')
    assert report.reason.startswith('stopped: the ') and 'touch the post after' in report.reason
    assert report.motion is not None
    assert core.core.tracker.report is None
    if motion == 'trajectory':
        end = report.motion.spline
        assert ARM.clearance(end.evenly(), ARM.scene(keep_out=[POST])).min() > 0.0
        assert end.velocities[-1] == pytest.approx((0.0,) * 5)
    else:
        assert ARM.clearance(report.motion.positions, ARM.scene(keep_out=[POST])) > 0.0


def test_an_arm_on_its_way_elsewhere_goes_on():
    core = on_its_way(motion='line')
    far = replace(POST, position=(-0.3, 0.0, 0.2))
    assert core.core.take_keep_out([far]) is None
    core.until_arrived()
    assert core.q == pytest.approx(RIGHT, abs=0.01)
    # What is behind it is none of its business either.
    behind = replace(POST, size=(0.05, 0.02, 0.05), position=tuple(
        map(float, ARM.forward((0.5, *LEFT[1:])).position)))
    core = on_its_way(motion='line', tip_speed=0.3, seconds=0.9)
    assert ARM.forward(core.q).position[1] > behind.position[1] + 0.1
    assert core.core.take_keep_out([behind]) is None
    assert on_its_way(motion='line', seconds=0.0).core.take_keep_out([behind]) is not None


def test_a_goal_by_commands_stops_where_the_arm_comes_to_rest():
    core = on_its_way(seconds=0.0)
    for yaw in (0.58, 0.55, 0.51):      # on its way
        core.state((yaw, *LEFT[1:]))
    thin = replace(POST, size=(0.2, 0.005, 0.4))
    report = core.core.take_keep_out([thin])
    assert report.cause == 'touch' and 0.2 < report.motion.positions[0] < 0.51
    assert ARM.clearance(report.motion.positions, ARM.scene(keep_out=[thin])) > 0.0


def test_an_arm_that_rests_or_is_disabled_takes_note_only():
    core = CoreBench(ARM, LEFT)
    assert core.core.take_keep_out([POST]) is None
    assert core.target(target_at(RIGHT)).cause == 'touch'
    assert core.core.take_keep_out([replace(POST, position=(-0.3, 0.0, 0.2))]) is None  # moved
    assert core.target(target_at(RIGHT)).state is State.ACCEPTED
    core.until_arrived()
    assert core.core.take_keep_out([POST]) is None
    core = on_its_way(check_path='none')
    assert core.core.take_keep_out([POST]) is None


def test_shapes_outlast_a_change_of_settings_and_come_beside_the_files():
    file = KeepOut('wall', 'box', (0.02, 0.5, 0.5), (0.5, 0.0, 0.2))
    core = CoreBench(Arm(replace(ARM.model, keep_out=(file,))), LEFT)
    core.core.take_keep_out([POST])
    core.core.change(core.core.settings._replace(tip_speed=0.2))
    assert 'touch the post' in core.target(target_at(RIGHT)).reason
    reach = core.target(Target((0.44, 0.2, 0.2)))
    assert 'touch the' in reach.reason


def test_a_pause_that_ends_looks_at_what_came_meanwhile():
    core = on_its_way(motion='line', tip_speed=0.2)
    core.core.pause(True)
    core.follow(1.0)
    assert core.core.take_keep_out([POST]) is None
    report = core.core.pause(False)
    assert report.cause == 'touch' and report.reason.startswith('stopped: ')
    core.follow(1.0)
    assert clearance(core) > 0.0


def test_paths_being_planned_are_planned_anew():
    core, begun = CoreBench(ARM), []

    def beside(action):
        begun.append((Future(), action))
        return begun[-1][0]
    core.core = IkCore(ARM, clock=lambda: core.now, background=beside)
    core.state(LEFT)
    assert core.path(target_at((0.7, *LEFT[1:])), target_at(RIGHT)).state is State.PLANNING
    assert core.core.take_keep_out([POST]) is None
    (_, _), (future, action) = begun
    future.set_result(action())
    assert core.core.check().cause == 'touch'


def test_a_jog_looks_at_shapes_that_came_on_its_way_and_as_check_path_says_by_now():
    core = CoreBench(ARM, LEFT, check_path='none')
    for number in range(150):
        core.core.take_twist(Twist((0.0, 0.1, 0.0)), core.request())
        if number == 20:
            core.core.change(Settings())
            behind = replace(POST, size=(0.02,) * 3, position=tuple(
                map(float, ARM.forward(LEFT).position)))
            assert ARM.clearance(core.q, ARM.scene(keep_out=[behind])) > 0.01
            assert core.core.take_keep_out([behind, POST]) is None
        core.follow(0.02)
    assert -0.001 < clearance(core) < 0.01


# Of the node

@pytest.mark.about_time
def test_the_node_keeps_out_of_what_is_published_before_and_while_it_runs():
    with IkBench() as bench:
        arrays, late = [], []
        bench.listen(MarkerArray, 'ik_node/keep_out_markers', arrays.append, KEEP_OUT_QOS)
        topic = bench.node.create_publisher(MarkerArray, 'ik_node/keep_out', KEEP_OUT_QOS)
        bench.q = dict(zip(ARM.joint_names, LEFT))
        bench.drive()
        topic.publish(MarkerArray(markers=[marker('post', scale=POST.size, at=POST.position)]))
        bench.wait_until(lambda: arrays and len(arrays[-1].markers) == 2, 'the post')
        tip, point = ARM.forward(RIGHT), np.array(target_at(RIGHT).position)
        assert tip.position == pytest.approx(point)
        refused = bench.wait_for_status('refused', bench.point(tuple(map(float, point))))
        assert 'would touch the post/0 after' in refused.reason
        topic.publish(MarkerArray(markers=[marker('post', action=Marker.DELETE),
                                           marker(kind=Marker.SPHERE)]))
        bench.wait_for_status('refused', words='keep_out wall/0 type is 2')
        bench.wait_for_status('refused', bench.point(tuple(map(float, point))), 'post/0')
        topic.publish(MarkerArray(markers=[marker('', action=Marker.DELETEALL)]))
        bench.wait_until(lambda: len(arrays[-1].markers) == 1, 'no post')
        bench.wait_for_status('accepted', bench.point(tuple(map(float, point))))
        bench.listen(MarkerArray, 'ik_node/keep_out_markers', late.append, KEEP_OUT_QOS)
        bench.wait_until(lambda: late, 'the newest, for who comes late')
        shown = []
        bench.listen(MarkerArray, 'ik_node/markers', shown.append)
        bench.wait_until(lambda: shown, 'markers')
        bench.process.signal(SIGINT)
        bench.wait_until(lambda: shown[-1].markers[0].action == Marker.DELETEALL, 'no markers')
