# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A stream of targets to an arm that moves on after it has said that it arrived, or never does."""

from contextlib import nullcontext
from dataclasses import replace
import types

from arm_ik import Arm, KeepOut
from arm_ik.demo import cli
from arm_ik.demo.stream import stream
from arm_ik.description.target_file import TargetFile
from two_joints import answer, run, step, verdict

ARM = Arm.preset('simple')


class Slow:
    """An arm whose joint states come one by one while somebody waits."""

    arm, timeout = ARM, 1.0

    def __init__(self, states):
        self.record, self._states = [], iter(states)

    def set_parameters(self, node, **values):
        pass

    def send(self, *target):
        return 1, 0

    def statuses(self, stamp):
        return [answer()[1]]

    def wait_until(self, holds, *_, **__):
        while not holds():
            state = next(self._states, None)
            assert state is not None, 'no more states'
            self.record.append(state)


def states(*offsets):
    return [dict(zip(ARM.joint_names, (q + offset for q in ARM.home))) for offset in offsets]


def test_a_pose_is_judged_where_the_arm_rests_and_not_where_it_still_moves():
    tip = ARM.forward(ARM.home)
    file = TargetFile('a test', None, (step(tip.position, tip.up, None),))
    arm = Slow(states(0.2, 0.1, 0.1, 0.0, 0.0, 0.0))
    done = stream(file, arm, arm.record)
    assert done.passed and done.items[0].position_error_m < 1e-9
    never = Slow(states(0.3, 0.2, 0.1, 0.0))
    assert 'no more states' in stream(file, never, never.record).stopped


def test_an_arm_that_touches_something_on_its_way_has_failed():
    tip = ARM.forward(ARM.home)
    file = TargetFile('a test', None, (step(tip.position, tip.up, None),))
    side = ARM.forward([ARM.home[0] + 0.3, *ARM.home[1:]]).position
    for position, words in ((tuple(side), 'touched the post'), ((0.0, 5.0, 0.0), '')):
        post = KeepOut('post', 'box', (0.01, 0.01, 0.01), position)
        arm = Slow([dict(zip(ARM.joint_names, (ARM.home[0] + turn, *ARM.home[1:])))
                    for turn in (0.6, 0.2, 0.0, 0.0, 0.0)])
        arm.arm = Arm(replace(ARM.model, keep_out=(post,)))
        done = stream(file, arm, arm.record)
        assert words in done.stopped and done.passed == (not words)


def test_after_a_stop_no_more_files_are_sent(monkeypatch, tmp_path):
    files = [tmp_path / name for name in ('one.yaml', 'two.yaml')]
    for file in files:
        file.write_text('{arm: simple, targets: [{gripper: 1}]}')
    sent, arm = [], types.SimpleNamespace(arm=ARM, record=list)
    monkeypatch.setattr(cli, 'SimulatedArm', lambda *_, **__: nullcontext(arm))
    monkeypatch.setattr(cli, 'stream', lambda file, *_: sent.append(file) or run(
        [verdict()], stopped='it ended'))
    code = cli.main(['--no-picture', '--targets', str(files[0]), '--targets', str(files[1])])
    assert code == 1 and len(sent) == 1
