# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a player does for an arm that is slow, blocked, or comes to rest off its command."""

from arm_ik import Arm
from arm_ik.motion.joint_path import joint_path
from arm_ik.replay import player
import numpy as np
import pytest

ARM = Arm.preset('so101')
PAN = ARM.joint_names[0]


class SlowArm:
    """An arm in simulated time whose joints go to their commands at a speed [rad/s]."""

    arm, problem = ARM, ''

    def __init__(self, speed, off=0.0):
        self.now, self.commands, self.blocked = 0.0, [], (np.inf, np.inf)
        self.unread = np.inf, np.inf
        self._q, self._speed, self._off = np.array(ARM.home), speed, off

    @property
    def set_points(self):
        return dict(zip(ARM.joint_names, self._q + self._off))

    @property
    def measured(self):
        found = self.set_points
        if self.unread[0] <= self.now < self.unread[1]:
            del found[PAN]
        return found

    def enable(self, on):
        pass

    def stream(self, names, positions, velocities):
        self.commands.append(np.array(positions))

    def sleep(self, seconds):
        self.now += seconds
        if not self.blocked[0] <= self.now < self.blocked[1]:
            self._q = self._q + np.clip(self.commands[-1] - self._q, -1.0, 1.0) * min(
                1.0, self._speed * seconds)


@pytest.fixture
def play(monkeypatch):
    def play(arm):
        monkeypatch.setattr(player, 'monotonic', lambda: arm.now)
        monkeypatch.setattr(player, 'sleep', arm.sleep)
        there = np.array(ARM.home) + 1.2 * (np.array(ARM.joint_names) == PAN)
        return player.Player(arm).play(joint_path(
            ARM.model, [0.0, 0.1, 0.2], [ARM.home, there, ARM.home])), there
    return play


def test_it_slows_for_an_arm_that_is_slow(play):
    arm = SlowArm(2.0)
    words, there = play(arm)
    assert words == ''
    assert any(np.allclose(command, there, atol=1e-2) for command in arm.commands)


def test_it_waits_for_an_arm_that_is_blocked_and_goes_on(play):
    arm = SlowArm(10.0)
    arm.blocked = 1.3, 3.5
    assert play(arm)[0] == ''


def test_it_waits_for_a_joint_that_is_not_read_for_a_while(play):
    arm = SlowArm(10.0)
    arm.unread = 0.0, 2.5
    words, there = play(arm)
    assert words == ''
    assert any(np.allclose(command, there, atol=1e-2) for command in arm.commands)


def test_it_ends_for_an_arm_that_stays_blocked_and_names_the_joint(play):
    arm = SlowArm(10.0)
    arm.blocked = 1.3, np.inf
    words, _ = play(arm)
    assert words.startswith(f'{PAN} is 0.') and words.endswith(' rad from its path')
    assert 4.0 < arm.now < 6.0


@pytest.mark.parametrize('off, ends', [(0.05, False), (0.12, True)])
def test_an_arm_may_rest_a_little_off_its_commands(play, off, ends):
    assert bool(play(SlowArm(10.0, off))[0]) is ends
