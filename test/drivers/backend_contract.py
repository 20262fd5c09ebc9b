# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What every back end promises, as tests.

To hold a new one to it, subclass :class:`BackendContract` in ``test_backends.py`` and say how it
is made and how its time passes; a bus is run against its emulator, which gets the time from the
test.
"""

from math import inf, nan
from random import Random

from arm_ik.drivers import Backend
from arm_ik.errors import DriverError
import pytest
from small_arm import HOME, JOINTS, MODEL

#: Time [s] in which every joint of the arm reaches every goal.
LONG = 10.0


class BackendContract:
    """The promises of :class:`arm_ik.drivers.Backend`."""

    #: How far a position may be from the truth [rad, m].
    resolution = 0.0

    def make(self):
        """Return the back end for ``small_arm.MODEL``, not connected, its servos at ``HOME``."""
        raise NotImplementedError

    def advance(self, seconds):
        """Let time pass for the servos."""
        raise NotImplementedError

    @pytest.fixture
    def backend(self):
        with self.make() as backend:
            yield backend

    def assert_stands_at(self, backend, expected):
        assert backend.read() == pytest.approx(expected, rel=0.0, abs=self.resolution)

    def test_every_verb_needs_a_connection(self):
        backend = self.make()
        for verb in (backend.read, lambda: backend.write({}), lambda: backend.set_torque(True)):
            with pytest.raises(DriverError, match='not connected'):
                verb()

    @pytest.mark.parametrize('verb', ['connect', 'read', 'write', 'set_torque', 'close'])
    def test_no_verb_may_be_left_out(self, verb):
        kind = type(self.make())
        lacking = type('Lacking', (kind,), {verb: getattr(Backend, verb)})
        with pytest.raises(TypeError, match=verb):
            lacking(MODEL)

    def test_it_is_closed_when_it_is_left(self):
        with self.make() as backend:
            backend.read()
        with pytest.raises(DriverError, match='not connected'):
            backend.read()

    def test_positions_come_by_name_chain_first(self, backend):
        assert list(backend.read()) == list(JOINTS)

    def test_nothing_moves_before_the_first_goal(self, backend):
        self.assert_stands_at(backend, HOME)
        self.advance(LONG)
        self.assert_stands_at(backend, HOME)

    def test_a_joint_comes_to_rest_on_its_goal_and_the_others_stay(self, backend):
        backend.write({'shoulder': 0.123456789})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'shoulder': 0.123456789})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'shoulder': 0.123456789})

    def test_every_joint_is_sent_where_it_should_go(self, backend):
        goals = {'yaw': -0.7, 'shoulder': 0.2, 'elbow': -0.4, 'wrist': 0.9, 'gripper': 0.6,
                 'slide': 0.02}
        backend.write(goals)
        self.advance(LONG)
        self.assert_stands_at(backend, goals)

    def test_a_joint_is_on_its_way_before_it_arrives(self, backend):
        backend.write({'yaw': 2.1})
        self.advance(0.5)
        assert HOME['yaw'] < backend.read()['yaw'] < 2.1

    def test_a_new_goal_takes_over_on_the_way(self, backend):
        backend.write({'yaw': 2.1})
        self.advance(0.5)
        backend.write({'yaw': -1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': -1.0})

    def test_a_goal_for_one_joint_leaves_the_others_theirs(self, backend):
        backend.write({'yaw': 2.1, 'elbow': -0.5})
        self.advance(0.1)
        backend.write({'wrist': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 2.1, 'elbow': -0.5, 'wrist': 1.0})

    def test_a_repeated_goal_changes_nothing(self, backend):
        for _ in range(40):
            backend.write({'yaw': 2.1, 'wrist': -0.2})
            self.advance(0.03)
        self.assert_stands_at(backend, {**HOME, 'yaw': 2.1, 'wrist': -0.2})

    def test_a_goal_past_a_limit_is_taken_as_the_limit(self, backend):
        backend.write(dict.fromkeys(JOINTS, 100.0))
        self.advance(10 * LONG)
        self.assert_stands_at(backend, {name: joint.upper for name, joint in JOINTS.items()})
        backend.write(dict.fromkeys(JOINTS, -100.0))
        self.advance(10 * LONG)
        self.assert_stands_at(backend, {name: joint.lower for name, joint in JOINTS.items()})

    def test_no_joint_is_ever_too_fast_or_past_a_limit(self, backend):
        random = Random(1)
        before = backend.read()
        moved = dict.fromkeys(JOINTS, 0.0)
        for _ in range(500):
            if random.random() < 0.2:
                backend.write({name: random.uniform(joint.lower - 0.5, joint.upper + 0.5)
                               for name, joint in JOINTS.items() if random.random() < 0.7})
            step = random.uniform(0.0, 0.1)
            self.advance(step)
            now = backend.read()
            for name, joint in JOINTS.items():
                way = abs(now[name] - before[name])
                assert way <= joint.max_velocity * step + 2 * self.resolution + 1e-12
                assert joint.lower <= now[name] <= joint.upper
                moved[name] += way
            before = now
        assert all(way > 0.1 for way in moved.values())

    @pytest.mark.parametrize('bad', [nan, inf, -inf])
    def test_a_goal_that_is_not_finite_is_an_error_and_moves_nothing(self, backend, bad):
        with pytest.raises(DriverError, match='elbow'):
            backend.write({'yaw': 1.0, 'elbow': bad, 'wrist': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, HOME)

    def test_a_goal_for_an_unknown_joint_is_an_error_and_moves_nothing(self, backend):
        with pytest.raises(DriverError, match='knee'):
            backend.write({'yaw': 1.0, 'knee': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, HOME)

    def test_without_torque_goals_are_ignored(self, backend):
        backend.set_torque(False)
        backend.write({'yaw': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, HOME)

    def test_torque_back_on_holds_the_arm_where_it_is(self, backend):
        backend.write({'yaw': 2.0})
        self.advance(0.25)
        backend.set_torque(False)
        backend.write({'wrist': 1.0})
        backend.set_torque(True)
        there = backend.read()
        assert HOME['yaw'] < there['yaw'] < 2.0
        self.advance(LONG)
        self.assert_stands_at(backend, there)

    def test_torque_back_on_takes_goals_again(self, backend):
        backend.write({'yaw': 1.0})
        backend.set_torque(False)
        backend.set_torque(True)
        backend.write({'yaw': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 1.0})

    def test_connecting_again_does_not_disturb(self, backend):
        backend.write({'yaw': 2.0})
        backend.connect()
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 2.0})

    def test_closing_again_does_nothing_and_nothing_works_afterwards(self, backend):
        backend.close()
        backend.close()
        with pytest.raises(DriverError, match='not connected'):
            backend.read()

    def test_reconnected_it_holds_the_arm_where_it_is(self, backend):
        backend.write({'yaw': 2.0})
        self.advance(0.25)
        backend.close()
        self.advance(0.25)
        backend.connect()
        there = backend.read()
        self.advance(LONG)
        self.assert_stands_at(backend, there)
