# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The log: one line for each goal and each arrival, and few for a stream."""

from arm_ik import Arm, Target
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import IkCore
from arm_ik.nodes.ik.report import Journal, Level, STREAM
from core_bench import CoreBench, PERIOD
import pytest

ARM = Arm.preset('simple')
UP = (1.0, 0.0, 0.0)
LINES = [Target((0.2 - 0.002 * number, 0.0, 0.1), UP) for number in range(60)]
FAR = Target((2.0, 0.0, 0.1), UP)

#: The arm is where it is sent one period later, so the first target of a stream has arrived, too.
FIRST = ['target 1: accepted', 'target 1: arrived']


class Desk(CoreBench):
    """A core, what its arm follows, and the lines of the log."""

    def __init__(self, **settings):
        super().__init__(ARM, ARM.home, **settings)
        self.journal, self.lines = Journal(lambda: self.now), []

    def log(self, report):
        self.lines += filter(None, [report and self.journal.take(report)])

    def send(self, *targets, then=PERIOD):
        for target in targets:
            self.log(self.core.refuse(self.request(), f'{target} is wrong', target)
                     if isinstance(target, str) else self.target(target))
            self.go_on(then)

    def go_on(self, seconds, follows=True):
        for _ in range(round(seconds / PERIOD)):
            motion = self.core.go_on()
            self.log(self.state(motion.positions if follows and motion else None))
            self.log(self.core.check())

    @property
    def words(self):
        return [words for _, words in self.lines]


@pytest.fixture
def desk():
    return Desk()


def test_each_goal_and_each_arrival_has_a_line_even_if_they_are_alike(desk):
    desk.send(*LINES[:5], then=0.5)
    assert desk.words == [words for number in range(1, 6) for words in (
        f'target {number}: accepted', f'target {number}: arrived')]
    assert {level for level, _ in desk.lines} == {Level.OK}


def test_a_goal_that_is_refused_has_one_and_so_has_the_next_that_is_refused_alike(desk):
    desk.send(LINES[0], 'number', 'number', then=0.5)
    assert desk.lines[2:] == [(Level.WARN, f'target {number}: refused: number is wrong')
                              for number in (2, 3)]


def test_of_a_stream_its_first_and_the_arrival_at_its_last_have_one(desk):
    desk.send(*LINES)
    desk.go_on(0.14)
    assert desk.words == FIRST
    desk.go_on(0.5)
    assert desk.words == [*FIRST, 'target 60: arrived']


def test_a_target_that_is_repeated_has_no_more_lines(desk):
    desk.send(*60 * [LINES[0]])
    assert desk.words == FIRST


def test_of_refusals_in_a_stream_each_cause_has_one(desk):
    desk.send('number', *2 * (*LINES[:4], 'number', 'frame', 'number'))
    desk.go_on(0.5)
    assert [words for words in desk.words if 'refused' in words] == [
        'target 1: refused: number is wrong', 'target 7: refused: frame is wrong']
    desk.send('number')
    assert desk.words[-1] == 'target 16: refused: number is wrong'


def test_a_stream_that_becomes_a_single_goal_and_a_goal_that_becomes_a_stream(desk):
    desk.send(*LINES[:10])
    desk.go_on(STREAM + 0.3)
    desk.send(LINES[20], then=0.5)
    desk.send(*LINES[30:40])
    desk.go_on(0.5)
    assert desk.words == [
        *FIRST, 'target 10: arrived', 'target 11: accepted', 'target 11: arrived',
        'target 12: accepted', 'target 12: arrived', 'target 21: arrived']


@pytest.mark.parametrize('gap, lines', [(0.19, 1), (0.21, 3)])
def test_a_fifth_of_a_second_is_between_a_stream_and_goals(desk, gap, lines):
    for target in LINES[:3]:
        desk.log(desk.target(target))
        desk.now += gap
    assert len(desk.lines) == lines


def test_what_is_relaxed_is_a_warning_with_its_reason(desk):
    report = desk.target(FAR)
    desk.log(report)
    assert desk.lines == [(Level.WARN, f'target 1: {report.summary}')]
    assert 'POSITION_RELAXED: too far by' in desk.words[0]


def test_what_keeps_a_command_is_told_when_it_begins_and_ends_in_a_stream_too(desk):
    for _ in range(20):
        desk.log(desk.target(LINES[0]))
        desk.go_on(0.1, follows=False)
    blocked, = desk.words[1:]
    assert 'does not move' in blocked and desk.lines[1][0] is Level.ERROR
    desk.go_on(STREAM, follows=False)
    assert not desk.words[2:]
    desk.go_on(0.5)
    assert desk.words[-1] == 'target 20: arrived'


def test_what_ends_a_command_and_what_is_no_target_is_told_once(desk):
    desk.send(LINES[0], then=0.5)
    for on in (False, False, True):
        desk.log(desk.core.enable(on))
        desk.go_on(0.1)
    assert desk.words[2:] == ['refused: disabled by ~/enable', 'ready: enabled; waiting for a '
                              'target']
    for _ in range(5):
        desk.log(desk.core.take_up(None, desk.request()))
        desk.send(LINES[1])
    desk.go_on(0.5)
    assert [words for words in desk.words[4:] if 'up vector' in words] == [
        'target 2: accepted: up vector of later points: any']


def test_a_target_that_is_kept_has_a_line_when_it_is_and_one_when_it_is_followed():
    desk = Desk()
    early = IkCore(ARM, clock=lambda: desk.now)
    for report in (early.take_target(LINES[0], desk.request()),
                   early.take_state(ARM.joint_names, ARM.home)):
        desk.log(report)
    kept, accepted = desk.words
    assert kept.startswith('target 1: ready: the target is kept for up to 5 s: the state of the ')
    assert accepted == 'target 1: accepted'


def test_a_jog_has_a_line_at_its_begin_and_one_at_its_end(desk):
    for _ in range(50):
        desk.log(desk.core.take_twist(Twist((0.0, 0.0, 0.02)), desk.request()))
        desk.go_on(PERIOD)
    desk.go_on(1.0)
    assert desk.words == ['target 1: accepted', 'target 50: arrived']
