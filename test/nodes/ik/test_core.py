# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import cos, isnan, nan, radians, sin

from arm_ik import Arm, InvalidInputError, Status, Target
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Level, Request, State
from core_bench import CoreBench, PERIOD
import numpy as np
import pytest

ARM = Arm.preset('simple')
NAMES = ARM.joint_names
AHEAD = Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0))
ASIDE = Target((0.15, 0.12, 0.1), (0.0, 0.0, -1.0))
FAR = Target((2.0, 0.0, 0.1), (1.0, 0.0, 0.0))


def known(**settings):
    """Return a bench whose arm's state is known."""
    return CoreBench(ARM, ARM.home, **settings)


@pytest.fixture
def bench():
    return known()


@pytest.fixture
def arrived(bench):
    bench.target(AHEAD)
    assert bench.state(bench.core.command).state is State.ARRIVED
    return bench


@pytest.mark.parametrize('settings', [{}, {'target_timeout': 0.5}])
def test_nothing_is_commanded_before_a_valid_target(settings):
    bench = known(**settings)
    assert bench.rest(1.0) == []
    assert bench.core.command is None and bench.core.go_on() is None


def test_a_complete_state_makes_it_ready_once():
    bench = CoreBench(ARM)
    assert bench.core.take_state(NAMES[:2], [0.0, 0.0]) is None
    report = bench.core.take_state(NAMES[2:], [0.0] * (len(NAMES) - 2))
    assert (report.state, report.level) == (State.READY, Level.OK)
    assert bench.state() is None


STOPPED = 'driver_node is stopped: call /driver_node/reset', 'driver stopped'
NOT_KNOWN = (f'the state of the arm is not known yet: no joint_states of {NAMES[0]} (no driver, '
             'or one that waits for ~/torque)')


def early(**settings):
    """Return a bench of which all joints but the first are known."""
    bench = CoreBench(ARM, **settings)
    bench.core.take_state(NAMES[1:], bench.q[1:])
    return bench


def test_a_target_before_the_state_is_known_is_kept_and_followed_when_it_is():
    bench = early()
    report = bench.target(AHEAD)
    assert (report.state, report.level, report.cause) == (
        State.READY, Level.STALE, 'state unknown')
    assert report.reason == f'the target is kept for up to 5 s: {NOT_KNOWN}'
    assert bench.core.command is None and bench.core.check() is None
    report = bench.state(after=4.9)
    assert (report.state, report.request.seq, report.target) == (State.ACCEPTED, 1, AHEAD)
    assert bench.core.command == report.solution.q
    assert bench.state(report.solution.q).state is State.ARRIVED


def test_a_path_before_the_state_is_known_is_kept_too():
    bench = early()
    home = ARM.forward(ARM.home)
    behind = Target(home.position - (0.02, 0.0, 0.0), home.up)
    bench.path(behind)
    report = bench.state()
    assert (report.state, report.target) == (State.ACCEPTED, behind)
    assert report.player.line.duration > 0.1


def test_a_target_is_kept_no_longer_than_five_seconds():
    bench = early()
    bench.target(AHEAD)
    bench.now += 5.1
    report = bench.core.check()
    assert (report.state, report.reason, report.request.seq, report.target) == (
        State.REFUSED, NOT_KNOWN, 1, AHEAD)
    assert bench.core.check() is None
    assert bench.state().state is State.READY and bench.core.command is None


def test_a_target_is_kept_no_longer_by_a_node_that_was_stopped_meanwhile():
    bench = early()
    bench.target(AHEAD, age=0.2)
    report = bench.state(after=4.9)
    assert (report.state, report.cause) == (State.REFUSED, 'state unknown')
    assert bench.core.command is None and bench.state() is None


def test_of_targets_before_the_state_is_known_the_newest_counts_and_bad_ones_do_not():
    bench = early()
    bench.target(ASIDE)
    bench.target(AHEAD)
    bench.core.refuse(bench.request(), 'bad', 'bad')
    assert bench.home().state is State.REFUSED
    report = bench.state()
    assert (report.state, report.target, report.request.seq) == (State.ACCEPTED, AHEAD, 2)
    assert bench.core.reports.request.seq == 4
    assert bench.target(ASIDE).request.seq == 5


@pytest.mark.parametrize('settings, target, end, cause', [
    ({}, AHEAD, lambda bench: bench.core.enable(False), 'disabled'),
    ({}, AHEAD, lambda bench: bench.core.take_refusal(STOPPED), 'driver stopped'),
    ({'target_timeout': 0.5}, AHEAD, lambda bench: bench.state(after=0.6), 'target_timeout'),
    ({'follow_relaxed': False}, FAR, CoreBench.state, 'not reachable')])
def test_a_kept_target_is_refused_for_what_refuses_others_and_not_revived(
        settings, target, end, cause):
    bench = early(**settings)
    bench.target(target)
    report = end(bench)
    assert (report.state, report.cause, report.target) == (State.REFUSED, cause, target)
    assert cause != 'disabled' or bench.core.enable(True) is None
    bench.state()
    bench.core.take_refusal(None)
    assert bench.rest(0.1) == [] and bench.core.command is None


def test_a_target_is_not_kept_for_a_state_that_has_gone_stale(bench):
    bench.now += 2.0
    report = bench.target(AHEAD)
    assert (report.state, report.cause) == (State.REFUSED, 'state stale')
    assert bench.core.check().state is State.REFUSED
    assert bench.state().state is State.READY and bench.core.command is None


def test_a_driver_that_takes_no_commands_ends_the_one_in_force_and_refuses_what_comes(bench):
    bench.target(AHEAD)
    bench.half_way()
    report = bench.core.take_refusal(STOPPED)
    assert (report.state, report.reason, report.cause) == (State.REFUSED, *STOPPED)
    assert bench.core.command is None and report.motion is None
    assert bench.core.take_refusal(STOPPED) is None
    for report in (bench.target(AHEAD), bench.home(),
                   bench.path(AHEAD),
                   bench.core.take_twist(Twist((0.0, 0.0, 0.05)), bench.request()),
                   bench.core.enable(True)):
        assert (report.state, report.reason) == (State.REFUSED, STOPPED[0])
    assert bench.core.take_refusal(None).state is State.READY
    assert bench.rest(1.0) == [] and bench.core.command is None
    assert bench.target(AHEAD).state is State.ACCEPTED


def test_twists_that_go_on_while_the_driver_refuses_do_not_jog_when_it_takes_commands(bench):
    up = Twist((0.0, 0.0, 0.05))
    bench.core.take_twist(up, bench.request())
    bench.core.take_refusal(STOPPED)
    bench.core.take_twist(up, bench.request())
    bench.core.take_refusal(None)
    for _ in range(20):
        bench.state()
        assert bench.core.take_twist(up, bench.request()) is None
    bench.core.take_twist(Twist(), bench.request())
    assert bench.core.take_twist(up, bench.request()).state is State.ACCEPTED


def test_what_the_driver_said_last_is_told_of_a_state_that_goes_stale(bench):
    bench.core.take_refusal(STOPPED)
    bench.now += 2.0
    assert bench.core.check().reason == STOPPED[0]
    assert bench.core.take_refusal(None).cause == 'state stale'


def test_a_driver_that_is_heard_before_its_states_has_them_reported_when_they_come(bench):
    bench.core.take_refusal(STOPPED)
    bench.now += 1.1        # and no check has seen yet that states are missing
    assert bench.core.take_refusal(None).cause == 'state stale'
    assert bench.state(ARM.home).state is State.READY


def test_a_target_is_followed_and_reported_until_the_arm_is_there(bench):
    report = bench.target(AHEAD)
    assert (report.state, report.level, report.request.seq) == (State.ACCEPTED, Level.OK, 1)
    assert report.solution.status is Status.REACHED
    command = bench.core.command
    assert ARM.forward(command).position == pytest.approx(AHEAD.position, abs=1e-9)
    assert bench.state() is None
    assert bench.half_way().state is State.MOVING
    assert bench.state() is None
    assert bench.state(command).state is State.ARRIVED
    assert bench.state() is None
    assert bench.core.command == command


def test_an_unreachable_target_is_approached_and_said_to_be_relaxed(bench):
    report = bench.target(FAR)
    assert (report.state, report.level) == (State.ACCEPTED, Level.WARN)
    assert report.solution.status is Status.POSITION_RELAXED
    assert report.reason == report.solution.reason != ''
    assert bench.core.command == report.solution.q


def test_an_unreachable_target_is_refused_where_relaxed_answers_are_not_followed():
    bench = known(follow_relaxed=False)
    report = bench.target(FAR)
    assert report.state is State.REFUSED
    assert report.solution.position_error_m > 1.0
    assert 'follow_relaxed is false' in report.reason
    assert bench.core.command is None
    assert bench.target(AHEAD).state is State.ACCEPTED


def test_a_refused_target_leaves_the_command_in_force(arrived):
    command = arrived.core.command
    report = arrived.core.refuse(arrived.request(), 'because', 'cause')
    assert (report.state, report.level, report.request.seq) == (State.REFUSED, Level.WARN, 2)
    assert arrived.core.command == command


@pytest.mark.parametrize('off, step', [(0.09, 0.0), (0.2, 0.2)])
def test_it_solves_near_the_command_while_the_arm_follows_and_else_where_it_is(arrived, off, step):
    arrived.state([q + off for q in arrived.core.command])
    assert arrived.target(AHEAD).solution.step_rad == pytest.approx(step, abs=1e-6)


def test_a_refusal_does_not_change_what_following_means(arrived):
    command = arrived.core.command
    arrived.core.change(Settings(follow_relaxed=False))
    arrived.state([q + 0.2 for q in command])
    assert arrived.target(FAR).state is State.REFUSED
    report = arrived.target(AHEAD)
    assert report.solution.step_rad == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize('arrays', [
    (NAMES, [nan] * len(NAMES)), (NAMES, [0.0]), (NAMES, ARM.home, [0.0])])
def test_bad_joint_states_are_refused_once_and_change_nothing(arrived, arrays):
    command = arrived.core.command
    report = arrived.core.take_state(*arrays)
    assert (report.state, report.level) == (State.REFUSED, Level.WARN)
    assert report.reason.startswith('joint_states')
    assert arrived.core.take_state(*arrays) is None
    assert arrived.core.command == command
    assert arrived.target(AHEAD).solution.step_rad == pytest.approx(0.0, abs=1e-9)
    assert arrived.core.take_state(*arrays) is not None


def test_silent_joint_states_stop_commands_for_good(arrived):
    command = arrived.core.command
    arrived.now += 0.3
    assert arrived.core.command is None  # a pause
    assert arrived.core.check().cause == 'paused'
    arrived.now += 1.0
    report = arrived.core.check()
    assert (report.state, report.level) == (State.REFUSED, Level.STALE)
    assert 'state_timeout' in report.reason
    assert arrived.core.check() is None
    assert arrived.target(AHEAD).reason.startswith('the last joint_states of')
    assert arrived.state().state is State.READY
    assert arrived.core.command is None
    assert arrived.target(AHEAD).solution.q == pytest.approx(command)


def test_a_driver_that_is_back_within_the_pause_finds_no_old_command(arrived):
    arrived.now += 0.5
    arrived.state(ARM.home)
    report = arrived.core.sender_appeared()
    assert (report.state, report.level) == (State.READY, Level.WARN)
    assert 'new sender' in report.reason
    assert arrived.core.command is None
    assert arrived.rest(1.0) == []
    assert arrived.core.command is None
    assert arrived.target(AHEAD).state is State.ACCEPTED


def test_a_driver_that_is_back_before_the_pause_ends_the_command_once(arrived):
    arrived.now += 0.15
    assert arrived.core.sender_appeared() is None
    arrived.now += 0.35
    assert arrived.state(ARM.home).cause == 'new sender'
    assert arrived.core.command is None
    assert arrived.target(AHEAD).state is State.ACCEPTED
    assert 'new sender' not in [report.cause for report in arrived.follow(1.5)]


def test_another_sender_beside_a_live_driver_stops_nothing(arrived):
    arrived.rest(2.0)
    command = arrived.core.command
    assert arrived.core.sender_appeared() is None
    assert arrived.core.command == command


def test_a_node_that_stood_still_drops_the_command_that_the_driver_gave_up(under_way):
    assert under_way.core.stood_still(0.9) is None and under_way.core.command is not None
    report = under_way.core.stood_still(1.5)
    assert (report.state, report.cause, report.motion) == (State.READY, 'not running', None)
    assert under_way.core.command is None
    assert under_way.target(AHEAD).state is State.ACCEPTED
    under_way.until_arrived()
    assert under_way.core.stood_still(1.5) is None


def test_disabling_drops_the_command_and_enabling_does_not_take_it_up(arrived):
    assert arrived.core.enable(True) is None and arrived.core.command is not None
    report = arrived.core.enable(False)
    assert (report.state, report.level) == (State.REFUSED, Level.WARN)
    assert arrived.core.command is None
    refused = arrived.target(AHEAD)
    assert refused.state is State.REFUSED
    assert refused.reason.startswith('disabled')
    assert arrived.home().state is State.REFUSED
    assert arrived.core.enable(True).state is State.READY
    assert arrived.core.command is None
    assert arrived.target(AHEAD).state is State.ACCEPTED


def test_home_is_a_target_like_others(arrived):
    away = arrived.core.command
    report = arrived.home()
    assert (report.state, report.request.seq) == (State.ACCEPTED, 2)
    assert report.solution.step_rad == max(abs(h - a) for h, a in zip(ARM.home, away))
    assert report.solution.reached and report.solution[2:5] == (0.0, 0.0, 0.0)
    reports = arrived.follow(10.0)
    assert arrived.core.command == ARM.home
    assert [report.state for report in reports] == [State.MOVING, State.ARRIVED]


@pytest.mark.parametrize('settings, speed', [
    ({'home_speed': 0.1}, 0.1), ({}, 0.5), ({'home_speed': 1.0}, 1.0)])
def test_home_is_approached_at_limited_speed_joints_together(settings, speed):
    bench = CoreBench(ARM, **settings)
    away = [q + offset for q, offset in zip(ARM.home, (0.9, -0.3, 0.2, 0.1))]
    bench.state(away)
    bench.home()
    bench.follow(1.0)
    commands = np.array([command for command, _ in bench.commands])
    assert commands[0] == pytest.approx(away, abs=1e-9)
    parts = np.abs(np.diff(commands, axis=0)) / PERIOD / [
        joint.max_velocity for joint in ARM.model.joints]
    assert parts.max() == pytest.approx(speed)
    moves = parts > 0.0
    assert (moves.all(axis=1) | ~moves.any(axis=1)).all() and moves[0].all()


def test_an_arm_that_does_not_follow_its_way_home_is_stopped(bench):
    bench.state([q + 0.9 for q in ARM.home])
    bench.rest(0.1)
    bench.home()
    reports = []
    for _ in range(50):
        assert bench.core.command is not None or reports
        reports += bench.rest(0.02)
    stop = reports[0]
    assert (stop.state, stop.cause) == (State.READY, 'left behind')
    assert 'does not follow' in stop.reason
    assert bench.core.command is None


def test_the_way_home_goes_on_where_it_paused(arrived):
    arrived.home()
    arrived.follow(0.2)
    arrived.now += 0.7
    assert arrived.core.command is None
    arrived.state()
    gone = max(abs(a - b) for a, b in zip(arrived.core.go_on().positions, arrived.q))
    assert 0.0 < gone <= 0.13 * max(joint.max_velocity for joint in ARM.model.joints)


def test_on_the_way_home_a_new_target_is_solved_from_where_the_arm_is(arrived):
    arrived.home()
    arrived.follow(0.2)
    here = ARM.forward(arrived.q)
    report = arrived.target(Target(here.position, here.up))
    assert report.solution.step_rad < 0.1
    assert max(abs(q - h) for q, h in zip(report.solution.q, ARM.home)) > 0.2
    assert arrived.core.command == report.solution.q
    arrived.rest(1.0)
    assert arrived.core.command == report.solution.q


def test_on_the_way_home_the_arm_is_held_where_it_comes_to_rest(arrived):
    arrived.home()
    arrived.follow(0.2)
    held = arrived.core.enable(False).motion.positions
    assert arrived.core.command is None
    for hold, here, home in zip(held, arrived.q, ARM.home):
        assert abs(hold - here) <= 0.1 and (hold - here) * (home - here) >= 0.0


def test_a_target_is_a_goal_by_default(arrived):
    assert arrived.rest(60.0) == []
    assert arrived.core.command is not None


def test_a_stream_that_falls_silent_stops_the_arm():
    bench = known(target_timeout=0.5)
    for _ in range(10):
        bench.target(AHEAD)
        bench.rest(0.4)
        assert bench.core.command is not None
    stop, = [report for report in bench.rest(0.4) if report.level is Level.STALE]
    assert (stop.state, stop.reason) == (
        State.READY, 'no valid target for 0.5 s (target_timeout): stopped until a new one')
    assert bench.core.command is None and stop.motion.positions == bench.q
    assert bench.target(AHEAD).state is State.ACCEPTED


def test_an_arm_that_arrives_in_silence_gets_no_hold_command():
    bench = known(target_timeout=0.5)
    bench.target(AHEAD)
    bench.state(bench.core.command, after=0.51)
    report = bench.core.check()
    assert report.cause == 'target_timeout' and report.motion is None


def test_refused_targets_do_not_keep_a_stream_alive():
    bench = known(target_timeout=0.5, follow_relaxed=False)
    bench.target(AHEAD)
    for _ in range(10):
        assert bench.target(FAR).state is State.REFUSED
        bench.rest(0.1)
    assert bench.core.command is None


def test_home_is_not_part_of_a_stream():
    bench = known(target_timeout=0.5)
    bench.target(AHEAD)
    bench.home()
    bench.follow(10.0)
    assert bench.core.command == ARM.home


def test_tolerances_elbow_and_priority_reach_the_solver():
    high, low = (known(elbow=elbow).target(AHEAD).solution for elbow in ('up', 'down'))
    assert high.reached and low.reached and high.q != low.q
    loose = known(position_tolerance=1.0, up_tolerance=1.0)
    slightly_far = Target((0.33, 0.0, 0.12), None)
    assert loose.target(slightly_far).solution.status is Status.REACHED
    aslant = Target(AHEAD.position, (1.0, 0.1, 0.0))
    assert loose.target(aslant).solution.status is Status.REACHED
    assert known(priority='up').target(FAR).solution.up_error_rad == pytest.approx(0.0, abs=1e-9)


def test_an_up_vector_moves_nothing(bench):
    report = bench.core.take_up((0.0, 0.0, 1.0), bench.request())
    assert (report.state, report.request.seq) == (State.ACCEPTED, 1)
    assert bench.core.command is None


# How far a target may be

def test_a_step_beyond_max_step_is_refused_with_both_numbers_and_the_joint():
    bench = known(max_step=0.2)
    report = bench.target(ASIDE)
    steps = [abs(q - h) for q, h in zip(report.solution.q, ARM.home)]
    assert (report.state, report.cause) == (State.REFUSED, 'max_step')
    assert report.reason == (f'{NAMES[steps.index(max(steps))]} would have to step '
                             f'{max(steps):.3g} rad; allowed: at most 0.2 rad (max_step)')
    assert report.solution.step_rad == pytest.approx(max(steps))
    assert bench.core.command is None


def test_home_is_not_bounded_by_max_step():
    bench = CoreBench(ARM, max_step=0.1)
    bench.state([q + 0.5 for q in ARM.home])
    assert bench.home().state is State.ACCEPTED


@pytest.mark.parametrize('side, past', [(1, 0.02), (-1, 0.02), (1, 0.1)])
@pytest.mark.parametrize('index', range(len(NAMES)))
def test_a_joint_measured_past_a_limit_moves_inward_and_no_other_moves(index, side, past):
    joint = ARM.model.joints[index]
    inside = list(ARM.home)
    inside[index] = joint.upper if side > 0 else joint.lower
    tip = ARM.forward(inside)
    outside = list(inside)
    outside[index] += side * past
    bench = CoreBench(ARM, max_step=0.01)  # less than the way back inside
    bench.state(outside)
    report = bench.target(Target(tip.position, tip.up))
    assert (report.state, report.solution.status) == (State.ACCEPTED, Status.REACHED)
    assert bench.core.command == pytest.approx(inside, abs=1e-6)


@pytest.mark.parametrize('name', ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'])
def test_where_a_joint_past_a_limit_cannot_be_held_the_nearest_pose_is_near_in_every_joint(name):
    arm = Arm.preset('so101')
    upper = arm.upper[arm.joint_names.index(name)]
    measured = tuple(upper + 0.02 if other == name else home
                     for other, home in zip(arm.joint_names, arm.home))
    core = IkCore(arm, Settings(avoid_base=False))
    core.take_state(arm.joint_names, measured)
    tip = arm.forward(measured)
    report = core.take_target(Target(tip.position, tip.up), Request(1))
    assert report.state is State.ACCEPTED and report.solution.step_rad < 0.1
    assert core.command[arm.joint_names.index(name)] <= upper
    assert core.command == pytest.approx(measured, abs=0.1)


# How a command ends

@pytest.fixture
def under_way(bench):
    """Return a bench whose arm is half-way to a target."""
    bench.target(ASIDE)
    bench.half_way()
    return bench


def test_an_arm_on_its_way_gets_one_hold_command(under_way):
    under_way.state()  # it stands again
    held = under_way.core.enable(False).motion
    assert under_way.core.command is None
    assert held.positions == under_way.q
    assert under_way.core.go_on() is None


def test_a_driver_that_is_silent_or_new_gets_no_hold_command(under_way):
    under_way.now += 0.5
    under_way.state(ARM.home)
    assert under_way.core.sender_appeared().motion is None
    under_way.target(ASIDE)
    under_way.now += 5.0
    report = under_way.core.check()
    assert report.level is Level.STALE and report.motion is None


def test_an_arm_whose_state_has_paused_gets_no_hold_command(under_way):
    under_way.rest(0.1)
    under_way.now += 0.5
    assert under_way.core.command is None  # a pause, too short to be stale
    report = under_way.core.enable(False)
    assert report.cause == 'disabled' and report.motion is None


def test_a_new_target_takes_the_place_of_the_hold_command(under_way):
    under_way.core.enable(False)
    under_way.core.enable(True)
    report = under_way.target(ASIDE)
    assert report.motion.positions == under_way.core.go_on().positions == report.solution.q


# Targets that come late

def test_a_target_that_waited_for_longer_than_target_timeout_is_not_followed():
    bench = known(target_timeout=0.5)
    report = bench.target(AHEAD, age=0.6)
    assert (report.state, report.level, report.cause) == (
        State.REFUSED, Level.STALE, 'target_timeout')
    assert report.reason == 'received up to 0.6 s ago; allowed: at most 0.5 s (target_timeout)'
    assert bench.core.command is None
    assert bench.target(AHEAD, age=0.4).state is State.ACCEPTED
    bench.rest(0.2)
    assert bench.core.command is None  # its time counts from receipt


def test_a_goal_may_have_waited_however_long(bench):
    assert bench.target(AHEAD, age=60.0).state is State.ACCEPTED


def made(bench, age):
    """Return a request of an age by its stamp."""
    return bench.request()._replace(age=age)


@pytest.mark.parametrize('take', [
    lambda bench, age: bench.core.take_target(ASIDE, made(bench, age)),
    lambda bench, age: bench.core.take_path([AHEAD], made(bench, age)),
    lambda bench, age: bench.core.take_twist(Twist((0.0, 0.0, 0.05)), made(bench, age))])
def test_what_was_stamped_too_long_ago_is_refused_and_the_command_stays(arrived, take):
    command = arrived.core.command
    arrived.core.change(Settings(target_max_age=0.5))
    report = take(arrived, 0.6)
    assert (report.state, report.level, report.cause) == (
        State.REFUSED, Level.WARN, 'target_max_age')
    assert report.reason == 'stamped 0.6 s ago; allowed: at most 0.5 s (target_max_age)'
    assert arrived.core.command == command
    for age in (0.5, 0.0, -0.9):
        assert take(arrived, age).state is State.ACCEPTED
        arrived.core.enable(False)
        arrived.core.enable(True)
    arrived.core.change(Settings())
    assert take(arrived, 3600.0).state is State.ACCEPTED


def test_a_target_that_is_kept_gets_older_meanwhile():
    for waits, state in ((1.4, State.ACCEPTED), (1.6, State.REFUSED)):
        bench = early(target_max_age=2.0)
        assert bench.core.take_target(AHEAD, made(bench, 0.5)).state is State.READY
        assert bench.state(after=waits).state is state


# Is the arm blocked?

@pytest.mark.parametrize('targets', [(ASIDE,), (ASIDE, AHEAD)], ids=['goal', 'stream'])
def test_an_arm_that_does_not_move_for_a_while_is_blocked(bench, targets):
    for target in 2 * targets:
        bench.target(target)
        bench.rest(0.12)
        assert bench.core.tracker.blocked is None
    for _ in range(20):
        bench.target(targets[0])
        bench.rest(0.1)
    distances = [abs(c - q) for c, q in zip(bench.core.command, bench.q)]
    assert bench.core.tracker.blocked == (
        f'{NAMES[distances.index(max(distances))]} does not move, and '
        f'is {max(distances):.3g} rad from its command')
    bench.state(bench.core.command)
    bench.rest(0.1)
    assert bench.core.tracker.blocked is None


def test_a_target_that_is_not_obeyed_does_not_stay_accepted_for_ever(bench):
    accepted = bench.target(ASIDE)
    blocked, = bench.rest(2.0)
    assert (blocked.state, blocked.level, blocked.cause) == (
        State.ACCEPTED, Level.ERROR, 'blocked')
    assert blocked.reason == bench.core.tracker.blocked
    again = bench.target(ASIDE)  # a stream of targets does not hide it
    assert (again.level, again.cause) == (Level.ERROR, 'blocked')
    away = [q + 0.3 * (c - q) for q, c in zip(bench.q, bench.core.command)]
    moving = bench.state(away)
    assert (moving.state, moving.level) == (State.MOVING, accepted.level)
    blocked = bench.rest(2.0)[-1]  # and is told again
    assert (blocked.state, blocked.cause) == (State.MOVING, 'blocked')
    assert bench.state(bench.core.command).state is State.ARRIVED


def test_a_silent_state_says_nothing_about_blocked_joints(bench):
    bench.target(ASIDE)
    bench.rest(0.4)
    bench.now += 0.5
    assert bench.core.check().cause == 'paused'
    assert bench.core.tracker.blocked is None


# Does it rest off its command?

def sagged(bench, degrees, joint=1):
    """Return where the arm is if one joint sags off its command."""
    q = list(bench.core.command)
    q[joint] -= radians(degrees)
    return q


def rests(report, state, degrees, name=NAMES[1]):
    """Assert that a report says so, with the miss of the tip."""
    assert (report.state, report.level, report.cause) == (state, Level.WARN, 'rest')
    assert f'rests {degrees:.1f} deg from its command: {name}; tip ' in report.reason
    assert report.rest_error_rad == pytest.approx(radians(degrees))
    assert report.reason.endswith(f'tip {1e3 * report.tip_error_m:.0f} mm off')
    assert 0.05 < report.tip_error_m / report.rest_error_rad < 0.4


@pytest.mark.parametrize('degrees, state', [(4.0, State.MOVING), (2.0, State.ARRIVED)])
def test_an_arm_that_rests_off_its_command_is_told_after_a_second_until_it_moves(
        bench, degrees, state):
    accepted = bench.target(AHEAD)
    bench.half_way()
    there = sagged(bench, degrees)
    bench.state(there)
    said = bench.rest(0.9)
    assert [report.state for report in said] == [State.ARRIVED] * (state is State.ARRIVED)
    rest, = bench.rest(2.0)
    rests(rest, state, degrees)
    assert bench.core.tracker.blocked is None
    back = bench.state([0.5 * (c + q) for c, q in zip(bench.core.command, there)])
    last = ([back] if back else []) + bench.rest(0.04)
    assert (last[-1].level, last[-1].reason) == (accepted.level, '')
    assert isnan(last[-1].rest_error_rad) and isnan(last[-1].tip_error_m)


def test_sag_that_comes_at_rest_goes_and_comes_again_is_told_each_time(arrived):
    command = arrived.core.command
    for degrees in (3.0, 5.0):
        arrived.state(sagged(arrived, degrees))
        assert arrived.rest(0.9) == []
        rest, = arrived.rest(1.0)
        rests(rest, State.ARRIVED, degrees)
        arrived.state(command)
        well, = arrived.rest(2.0)
        assert (well.state, well.level, well.reason) == (State.ARRIVED, Level.OK, '')


@pytest.mark.parametrize('degrees, causes', [(0.9, []), (1.1, ['rest']), (5.6, ['rest']),
                                             (6.0, ['blocked'])])
def test_from_one_degree_to_a_tenth_of_a_radian_it_rests_beyond_that_it_is_blocked(
        arrived, degrees, causes):
    arrived.state(sagged(arrived, degrees))
    assert [report.cause for report in arrived.rest(3.0)] == causes


def test_an_arm_that_creeps_does_not_rest(arrived):
    for step in range(150):
        arrived.state(sagged(arrived, 2.0 + 0.02 * step))
        assert arrived.core.check() is None
    rests(arrived.rest(1.1)[0], State.ARRIVED, 4.98)


def test_the_next_motion_clears_it_and_its_end_tells_it_anew(arrived):
    arrived.state(sagged(arrived, 4.0))
    rests(arrived.rest(1.1)[0], State.ARRIVED, 4.0)
    report = arrived.target(ASIDE)
    assert report.cause == 'UP_RELAXED' and isnan(report.rest_error_rad)
    start, goal = arrived.q, sagged(arrived, 3.0)
    for part in range(1, 11):
        arrived.state([s + 0.1 * part * (g - s) for s, g in zip(start, goal)])
        report = arrived.core.check()
        assert report is None or report.cause != 'rest'
    said = arrived.rest(1.5)
    rests(said[-1], State.MOVING, 3.0)


def test_a_stream_of_targets_at_one_place_does_not_hide_it_and_its_last_is_told_too(bench):
    told = []
    for _ in range(20):
        told.append(bench.target(AHEAD))
        bench.state(sagged(bench, 4.0))
        told += bench.rest(0.08)
    assert 'rest' not in [report.cause for report in told[:10]]
    rests(told[-1], State.ACCEPTED, 4.0)
    for x in (0.0, 0.01, 0.02):
        report = bench.target(Target((0.2 - x, 0.0, 0.1), (1.0, 0.0, 0.0)))
        bench.state(sagged(bench, 4.0))
        bench.rest(0.08)
    assert report.cause == 'REACHED'
    rests(bench.rest(1.1)[-1], State.MOVING, 4.0)


def test_a_stop_forgets_it_and_what_is_relaxed_stays_said(bench):
    relaxed = bench.target(FAR)
    bench.state(sagged(bench, 4.0))
    rest = bench.rest(1.5)[-1]
    assert rest.reason.startswith(f'{relaxed.reason}; rests 4.0 deg from its command')
    bench.core.enable(False)
    assert bench.rest(2.0) == []
    bench.core.enable(True)
    assert bench.rest(2.0) == []
    bench.state(ARM.home)
    bench.target(AHEAD)
    bench.state(sagged(bench, 4.0))
    assert 'rest' not in [report.cause for report in bench.rest(0.9)]
    rests(bench.rest(0.2)[-1], State.MOVING, 4.0)


def test_a_way_that_goes_on_is_no_rest(arrived):
    arrived.core.change(Settings(home_speed=0.01))
    arrived.home()
    assert arrived.rest(1.5) == []


# Can a target be followed?

# Branches

#: Just inside a limit of the yaw, and a target on its other side: exact only after a turn about.
BY_THE_LIMIT = (-2.9268, 1.0253, 1.3026, -1.046)
BEYOND = Target((-0.00998, 0.00533, 0.27263), (-0.27841, -0.06075, 0.95854))


@pytest.mark.parametrize('tolerance, kept', [((0.02, 0.2), True), ((0.001, 0.0349), False),
                                             ((0.0, 0.0), False)])
def test_the_present_branch_is_kept_within_branch_tolerance(tolerance, kept):
    bench = CoreBench(ARM, branch_tolerance=tolerance)
    bench.state(BY_THE_LIMIT)
    solution = bench.target(BEYOND).solution
    assert (solution.step_rad < 0.3) == kept == ('kept the present branch' in solution.reason)
    assert (solution.position_error_m < 1e-9) != kept


@pytest.mark.parametrize('elevation', [-0.8, 0.4])
def test_a_preferred_elevation_is_taken_where_a_point_leaves_it_open(elevation):
    bench = known(elevation=elevation)
    solution = bench.target(Target((0.18, 0.05, 0.1))).solution
    assert solution.reached
    assert ARM.forward(solution.q).up[2] == pytest.approx(sin(elevation), abs=1e-6)
    low, high = ARM.up_range((0.18, 0.05, 0.1))[0]
    assert low <= elevation <= high


# Other settings

def test_other_settings_count_at_once(bench):
    bench.now += 2.0
    assert bench.core.gate.state.age(bench.core.clock()) > bench.core.settings.state_timeout
    bench.core.change(Settings(state_timeout=3.0, arrival_tolerance=3.0))
    assert bench.core.settings.state_timeout == 3.0
    assert bench.target(AHEAD).state is State.ACCEPTED
    assert [report.state for report in bench.rest(0.3)] == [
        State.ACCEPTED, State.ARRIVED]  # the pause is over


def test_what_the_solver_refuses_is_refused_with_its_reason():
    class Refusing(Arm):

        def solve(self, target, **options):
            if target is ASIDE:
                raise InvalidInputError('everything', 1, 'nothing')
            return super().solve(target, **options)

    bench = CoreBench(Refusing(ARM.model), ARM.home)
    bench.target(AHEAD)
    before = bench.core.command
    report = bench.target(ASIDE)
    assert report.state is State.REFUSED
    assert report.reason == 'everything is 1; allowed: nothing'
    assert bench.core.command == before


def test_a_step_of_exactly_max_step_is_followed(bench):
    step = bench.target(ASIDE).solution.step_rad
    for most, state in ((step, State.ACCEPTED), (0.999 * step, State.REFUSED)):
        assert known(max_step=most).target(ASIDE).state is state


# Where one thing ends and another begins

def test_times_of_exactly_target_timeout_are_allowed():
    bench = CoreBench(ARM, target_timeout=0.5)
    bench.state(after=0.0)
    report = bench.target(AHEAD, age=0.5)
    assert report.state is State.ACCEPTED
    bench.target(AHEAD)
    bench.state(after=0.5)
    assert bench.core.check() is None
    bench.now += 0.01
    assert bench.core.check().cause == 'target_timeout'


def test_what_comes_of_the_call_for_home_is_reported_of_that_request(arrived):
    request = arrived.request()
    arrived.core.go_home(request)
    assert arrived.core.enable(False).request == request


def test_on_the_way_home_a_lagging_arm_follows_and_a_target_is_solved_from_the_command(arrived):
    arrived.home()
    arrived.follow(0.6)
    here = ARM.forward(arrived.q)
    arrived.state([q + 0.05 for q in arrived.q], after=0.0)
    assert arrived.target(Target(here.position, here.up)).solution.step_rad < 1e-6


def test_the_way_home_begins_at_the_command_of_an_arm_that_sags(arrived):
    command = arrived.core.command
    arrived.state([q + 0.03 for q in command])
    arrived.home()
    assert arrived.core.command == pytest.approx(command, abs=1e-9)


# How often joint states come

def test_a_pause_is_reported_once_and_so_is_its_end(bench):
    accepted = bench.target(AHEAD)
    bench.rest(0.2)
    command = bench.core.command
    bench.now += 0.3
    report = bench.core.check()
    assert (report.state, report.level, report.cause) == (accepted.state, Level.WARN, 'paused')
    assert NAMES[0] in report.reason and '0.3 s ago' in report.reason
    assert bench.core.check() is None and bench.core.command is None
    bench.state()
    assert bench.core.command == command
    assert bench.core.check() == accepted._replace(motion=None)
    assert bench.core.check() is None


def test_a_pause_is_reported_for_each_target(bench):
    bench.now += 0.3
    for _ in range(2):
        report = bench.target(AHEAD)
        assert (report.state, report.cause) == (State.ACCEPTED, 'paused')
        assert bench.core.check() is None
    assert bench.home().cause == 'paused'


# Streams of targets

STREAM = [Target((0.2, 0.002 * number, 0.1), (1.0, 0.0, 0.0)) for number in range(20)]


def streamed(bench, targets=STREAM, interval=0.02, follows=True):
    """Send targets at an interval, to an arm that follows; return what is said of them."""
    reports = []
    for target in targets:
        reports.append(bench.target(target))
        bench.rest(interval, follows)
    return reports


def test_a_target_of_a_stream_has_one_status_and_one_command(bench):
    reports = streamed(bench)
    assert [report.state for report in reports] == [State.ACCEPTED] * len(STREAM)
    assert [report.request.seq for report in reports] == list(range(1, len(STREAM) + 1))
    said = [report for report in bench.reports if report.request.seq > 2]
    assert [report.state for report in said] == []
    assert all(report.motion.rests for report in reports[1:])
    bench.until_arrived()


def test_a_target_that_is_reached_already_is_answered_arrived_with_its_number(arrived):
    for _ in range(5):
        report = arrived.target(AHEAD)
        assert (report.state, report.request.seq) == (State.ARRIVED, arrived.seq)
        assert report.motion is None and arrived.rest(0.02, True) == []
    assert arrived.target(ASIDE).state is State.ACCEPTED


def test_a_target_of_a_stream_that_would_have_a_joint_swing_round_is_held(bench):
    streamed(bench)
    before, last = bench.core.command, STREAM[-1]
    turned = Target(last.position, (-1.0, 0.0, 0.1))    # the hand from behind
    for _ in range(30):     # as long as it goes on
        report = bench.target(turned)
        assert (report.state, report.cause) == (State.REFUSED, 'swing')
        assert 'send it as a single target' in report.reason
        bench.rest(0.02, True)
        assert bench.core.command == before
    bench.rest(0.3, True)
    assert bench.target(turned).state is State.ACCEPTED


def test_a_target_that_leaps_in_a_stream_is_one_by_itself(bench):
    streamed(bench)
    report = bench.target(Target((-0.1, 0.15, 0.1), (0.0, 0.0, -1.0)))
    assert report.state is State.ACCEPTED and not report.motion.rests


@pytest.mark.parametrize('jitter', [0.0, 0.012])
def test_commands_of_a_stream_are_stamped_at_the_intervals_of_its_targets(bench, jitter):
    stamps = []
    for number, target in enumerate(STREAM):
        late = jitter * (number % 2)
        bench.now += late
        time = 50.0 + 0.03 * number
        report = bench.core.take_target(target, Request(number + 1, (
            int(time), round(1e9 * (time % 1.0))), 'base_link'))
        stamps.append(report.motion.made)
        assert 0.0 <= report.motion.late <= 0.1
        assert report.motion.late == pytest.approx(bench.now - report.motion.made)
        bench.now += 0.03 - late
        bench.core.take_state(NAMES, bench.core.command)
    assert np.diff(stamps)[1:] == pytest.approx(0.03, abs=0.013 if not jitter else 1e-6)


def test_a_stop_of_the_driver_ends_what_began_before_it_also_if_only_its_count_is_heard(bench):
    bench.core.take_stops(3.0)
    bench.target(AHEAD)
    assert bench.core.take_stops(3.0) is None
    report = bench.core.take_stops(4.0)
    assert (report.state, report.cause) == (State.READY, 'driver stopped')
    assert bench.core.command is None and bench.core.go_on() is None
    assert bench.core.take_stops(5.0) is None      # nothing is left to be ended
    refused = bench.target(AHEAD)
    assert (refused.state, refused.cause) == (State.REFUSED, 'driver stopped')
    assert 'after a pause of 0.3 s' in refused.reason
    bench.rest(0.4)
    assert bench.target(AHEAD).state is State.ACCEPTED
    assert bench.core.take_stops(0.0) is None      # another driver, that counts anew


def test_a_roll_stays_at_its_limit_in_a_stream_and_turns_back_when_that_pauses():
    arm = Arm.preset('rx150')
    bench, rolls, error, degree = CoreBench(arm, arm.solve(rolled(0.0)).q), [], 0.0, 0
    while error < 0.7:
        report, degree = bench.target(rolled(radians(degree))), degree + 3
        rolls.append(report.solution.q[-1])
        error = report.solution.forward_error_rad
        assert report.solution.position_error_m < 1e-9
        bench.rest(0.02, True)
    assert max(np.abs(np.diff(rolls))) < radians(4.0)
    assert report.solution.status is Status.FORWARD_RELAXED
    assert 'wrist_rotate at its lower limit, until the targets pause' in report.reason
    bench.rest(1.0, True)
    assert bench.core.tracker.report.solution.forward_error_rad < 1e-6
    assert abs(bench.core.tracker.report.solution.q[-1] - rolls[-1]) > 4.0


def test_past_sixty_degrees_of_error_a_roll_turns_back_within_a_stream():
    arm = Arm.preset('rx150')
    bench, errors = CoreBench(arm, arm.solve(rolled(0.0)).q), []
    for degree in range(0, 360, 3):
        errors.append(bench.target(rolled(radians(degree))).solution.forward_error_rad)
        bench.rest(0.02, True)
    assert radians(50.0) < max(errors) <= radians(60.0) and errors[-1] < 1e-6


def rolled(angle):
    """Return a target whose forward vector is turned about its up vector."""
    return Target((0.2, 0.0, 0.06), (0.0, 0.0, -1.0), (cos(angle), sin(angle), 0.0))


def test_a_stream_that_the_driver_plays_too_late_is_shortened_once_and_said(bench):
    streamed(bench, follows=False)
    assert bench.core.take_lag(1.4, 'yaw') is None
    report = bench.core.take_lag(1.6, 'yaw')
    assert report.cause == 'late' and 'yaw is too slow, the stream 1.6 s late' in report.reason
    assert report.motion.positions == bench.core.command
    assert report.motion.velocities == (0.0,) * len(NAMES)      # a goal by itself
    assert bench.core.take_lag(1.6, 'yaw') is None


def test_a_late_stream_is_not_shortened_to_below_it_but_waits_for_a_goal_or_stops():
    line = [Target((0.14 + 0.003 * number, 0.0, 0.05), (0.0, 0.0, 1.0)) for number in range(31)]
    bench = CoreBench(ARM, ARM.solve(line[0]).q)
    streamed(bench, line, follows=False)
    assert bench.core.take_lag(1.6, 'yaw') is None
    streamed(bench, line[29:0:-1], follows=False)        # back to where it is no longer below
    assert 'straight to its newest target' in bench.core.take_lag(1.8, 'yaw').reason
    streamed(bench, line[2:], follows=False)
    report = bench.core.take_lag(2.6, 'yaw')
    assert (report.state, report.cause) == (State.READY, 'late')
    assert 'stopped: yaw is too slow' in report.reason and 'mm below it' in report.reason
    assert bench.core.command is None
