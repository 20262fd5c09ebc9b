# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What every back end promises, as tests.

To hold a new one to it, subclass :class:`BackendContract` in ``test_backends.py`` and say how it
is made, how its time passes and how its servos are disturbed; a bus is run against its emulator,
which gets the time from the test.
"""

from math import inf, nan

from arm_ik.drivers import Health
from arm_ik.errors import DriverError
import pytest
from small_arm import HOME, JOINTS

#: Time [s] in which every servo of the arm gets to every set-point.
LONG = 4.0

#: Set-points of every joint, off home.
ELSEWHERE = {'yaw': -0.7, 'shoulder': 0.2, 'elbow': -0.4, 'wrist': 0.9, 'gripper': 0.6,
             'slide': 0.02}


#: What no servos can promise that tell nothing back: a joint is where it was sent, and stands at
#: home when it is engaged; one that is dead is not noticed.
WITH_FEEDBACK_ONLY = {
    'test_a_joint_past_its_limit_is_held_there',
    'test_a_dead_servo_is_missing_and_the_others_go_on',
    'test_a_dead_servo_keeps_the_others_from_nothing_but_to_begin',
    'test_lost_replies_are_counted'}


class BackendContract:
    """The promises of :class:`arm_ik.drivers.Backend`."""

    has_feedback = True

    #: How far off a joint may be that nothing holds up [rad, m].
    allowance = 0.0

    @pytest.fixture(autouse=True)
    def with_feedback_only(self, request):
        if not self.has_feedback and request.node.originalname in WITH_FEEDBACK_ONLY:
            pytest.skip('these servos tell nothing back')

    def make(self):
        """Return the back end for ``small_arm.MODEL``, not open, its servos limp at ``HOME``."""
        raise NotImplementedError

    def advance(self, seconds):
        """Let time pass for the servos."""
        raise NotImplementedError

    def push(self, **positions):
        """Move joints by hand, as limp ones or such that are past their limits."""
        raise NotImplementedError

    def kill(self, name):
        """Make the servo of a joint deaf and silent."""
        raise NotImplementedError

    def unplug(self):
        """Take the whole bus away."""
        raise NotImplementedError

    def plug_in(self):
        """Bring the bus back as it was."""
        raise NotImplementedError

    def positions(self, backend):
        """Return where the joints stand."""
        snapshot = backend.read()
        assert not snapshot.missing
        return snapshot.positions

    @pytest.fixture
    def backend(self):
        with self.make() as backend:
            backend.verify()
            backend.engage()
            yield backend

    def assert_stands_at(self, backend, expected):
        # Two counts and rounding: one is of now, one of when it was engaged.
        for name, position in self.positions(backend).items():
            assert abs(position - expected[name]) <= 2.1 * backend.resolution[name], name

    def assert_stays_at(self, backend, expected):
        self.assert_stands_at(backend, expected)
        self.advance(LONG)
        self.assert_stands_at(backend, expected)

    def test_every_verb_but_open_and_close_needs_a_port(self):
        backend = self.make()
        for verb in (backend.verify, backend.engage, backend.read, lambda: backend.write({}),
                     lambda: backend.set_torque(True), lambda: backend.read_health('yaw')):
            with pytest.raises(DriverError, match='not open'):
                verb()
        backend.close()

    def test_what_it_is_is_known_before_it_is_open(self):
        backend = self.make()
        assert list(backend.joints) == list(JOINTS) == list(backend.resolution)
        assert all(count >= 0.0 for count in backend.resolution.values())
        assert backend.has_feedback is self.has_feedback and backend.cycle_time >= 0.0

    def test_a_snapshot_has_every_joint_once_chain_first(self, backend):
        snapshot = backend.read()
        assert list(snapshot.readings) == list(JOINTS) and not snapshot.missing
        assert all(reading.measured == backend.has_feedback
                   for reading in snapshot.readings.values())

    def test_readings_have_the_time_of_the_clock(self, backend):
        before = backend.clock()
        stamps = [reading.stamp for reading in backend.read().readings.values()]
        assert before <= min(stamps) and max(stamps) <= backend.clock()

    def test_to_open_verify_and_engage_moves_nothing(self):
        with self.make() as backend:
            self.assert_stands_at(backend, HOME)
            backend.verify()
            self.assert_stays_at(backend, HOME)
            assert backend.engage().keys() == JOINTS.keys()
            self.assert_stays_at(backend, HOME)

    def test_to_open_and_verify_leaves_the_torque_off(self):
        with self.make() as backend:
            backend.verify()
            backend.write(ELSEWHERE)
            self.assert_stays_at(backend, HOME)

    def test_engage_tells_the_set_points_it_holds(self, backend):
        held = backend.engage()
        assert held == pytest.approx(HOME, rel=0.0, abs=max(backend.resolution.values()))

    def test_an_old_set_point_is_forgotten_when_torque_comes_on(self, backend):
        backend.write(ELSEWHERE)
        self.advance(LONG)
        backend.set_torque(False)
        self.push(**HOME)
        backend.engage()
        self.assert_stays_at(backend, HOME)

    def test_single_joints_are_engaged_and_let_go(self, backend):
        backend.set_torque(False, ['yaw'])
        backend.write({'yaw': 0.5, 'elbow': -0.5})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'elbow': -0.5})
        assert list(backend.engage(['yaw'])) == ['yaw']
        backend.write({'yaw': 0.5})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 0.5, 'elbow': -0.5})

    def test_torque_is_read_back(self, backend):
        told = backend.read_health('yaw').torque
        if told is None:
            pytest.skip('these servos cannot tell')
        assert told
        backend.set_torque(False, ['yaw'])
        assert backend.read_health('yaw').torque is False
        assert backend.read_health('elbow').torque is True

    def test_every_joint_goes_to_its_set_point_and_stays(self, backend):
        backend.write(ELSEWHERE)
        self.advance(LONG)
        self.assert_stays_at(backend, ELSEWHERE)

    def test_a_set_point_for_one_joint_leaves_the_others_theirs(self, backend):
        backend.write({'yaw': 2.1, 'elbow': -0.5})
        backend.write({'wrist': 1.0})
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 2.1, 'elbow': -0.5, 'wrist': 1.0})

    def test_a_set_point_past_a_limit_is_taken_as_it_is(self, backend):
        past = JOINTS['elbow'].upper + 0.05
        backend.write({'elbow': past})
        self.advance(LONG)
        self.assert_stays_at(backend, {**HOME, 'elbow': past})

    def test_a_joint_past_its_limit_is_held_there(self, backend):
        past = JOINTS['elbow'].upper + 0.05
        backend.set_torque(False)
        self.push(elbow=past)
        backend.engage()
        self.assert_stays_at(backend, {**HOME, 'elbow': past})

    @pytest.mark.parametrize('bad', [nan, inf, -inf])
    def test_a_set_point_that_is_not_finite_is_an_error_and_moves_nothing(self, backend, bad):
        with pytest.raises(DriverError, match='elbow'):
            backend.write({'yaw': 1.0, 'elbow': bad, 'wrist': 1.0})
        self.assert_stays_at(backend, HOME)

    def test_a_set_point_for_an_unknown_joint_is_an_error_and_moves_nothing(self, backend):
        with pytest.raises(DriverError, match='knee'):
            backend.write({'yaw': 1.0, 'knee': 1.0})
        self.assert_stays_at(backend, HOME)

    def test_a_dead_servo_is_missing_and_the_others_go_on(self, backend):
        self.kill('elbow')
        snapshot = backend.read()
        assert set(snapshot.missing) == {'elbow'} and snapshot.missing['elbow']
        assert [*snapshot.readings] == [name for name in JOINTS if name != 'elbow']
        backend.write({'yaw': 0.5, 'elbow': -0.5})
        self.advance(1.0)
        assert abs(backend.read().positions['yaw'] - 0.5) <= max(
            self.allowance, backend.resolution['yaw'])
        assert isinstance(backend.read_health('elbow'), Health)
        backend.set_torque(False)

    def test_a_dead_servo_keeps_the_others_from_nothing_but_to_begin(self, backend):
        self.kill('elbow')
        missing = backend.verify()
        assert list(missing) == ['elbow'] and missing['elbow'].startswith('elbow')
        with pytest.raises(DriverError, match='elbow'):
            backend.engage()
        assert 'yaw' in backend.engage(['yaw'])

    def test_lost_replies_are_counted(self, backend):
        before = backend.read_health('elbow').lost_replies
        self.kill('elbow')
        backend.read()
        assert backend.read_health('elbow').lost_replies > before

    def test_health_of_an_unknown_joint_is_an_error(self, backend):
        with pytest.raises(DriverError, match='knee'):
            backend.read_health('knee')

    def test_a_bus_that_is_gone_is_an_exception_and_found_again(self, backend):
        backend.write({'yaw': 0.5})
        self.advance(LONG)
        self.unplug()
        for verb in (backend.read, lambda: backend.write({'yaw': 1.0})):
            with pytest.raises(Exception):  # noqa: B017, whatever the port raises
                verb()
        backend.close()
        with pytest.raises(Exception):  # noqa: B017
            backend.open()
            backend.verify()
        self.plug_in()
        backend.close()
        backend.open()
        backend.verify()
        self.assert_stays_at(backend, {**HOME, 'yaw': 0.5})

    def test_to_open_again_does_not_disturb(self, backend):
        backend.write({'yaw': 2.0})
        backend.open()
        self.advance(LONG)
        self.assert_stands_at(backend, {**HOME, 'yaw': 2.0})

    def test_closing_again_does_nothing_and_nothing_works_afterwards(self, backend):
        backend.close()
        backend.close()
        with pytest.raises(DriverError, match='not open'):
            backend.read()

    def test_a_closed_bus_holds_the_last_set_point(self, backend):
        backend.write({'yaw': 2.0})
        backend.close()
        self.advance(LONG)
        backend.open()
        self.assert_stays_at(backend, {**HOME, 'yaw': 2.0})
