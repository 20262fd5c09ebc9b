# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What moves joints and reads them: the interface that every servo bus, simulated or real, fulfils.

Positions are those of ``joint_states``: rad, or m on a prismatic extra joint, by joint name. The
promises below hold for every back end; ``test/bus/backend_contract.py`` runs them over each.
"""

from abc import ABC, abstractmethod
from math import isfinite, nan
from pathlib import Path
import time
from typing import NamedTuple

from .torque import STAYS
from ..errors import DriverError


class JointReading(NamedTuple):
    """
    Where a joint is.

    ``stamp`` is when, on the clock of the back end [s]; ``measured`` is false where nothing
    measures: then ``position`` is the set-point. ``velocity`` is a measured one [rad/s, m/s], NaN
    where there is none.
    """

    position: float
    stamp: float
    measured: bool = True
    velocity: float = nan


class Snapshot(NamedTuple):
    """
    One reading of all joints: ``readings`` by name, and of the others the reason in ``missing``.

    In both cases in the order of :attr:`Backend.joints`, and each joint once.
    """

    readings: dict[str, JointReading]
    missing: dict[str, str] = {}

    @property
    def positions(self):
        """Positions by name, of the joints that were read."""
        return {name: reading.position for name, reading in self.readings.items()}

    @property
    def stamp(self):
        """When the oldest of the readings was taken [s]; there has to be one."""
        return min(reading.stamp for reading in self.readings.values())


class Health(NamedTuple):
    """
    How a servo is; ``None`` is what it cannot report.

    ``load`` is a part of what the servo can do, from -1 to 1; ``strain`` is its load or its heat
    as a part of what trips it. ``torque`` is whether it holds, read back from the servo.
    ``lost_replies`` counts since :meth:`Backend.open`. ``flags`` are what the servo complains of,
    in words: ``'overload'``, ``'overheat'``, ``'voltage'``, and others.
    """

    temperature_c: float | None = None
    voltage_v: float | None = None
    current_a: float | None = None
    load: float | None = None
    torque: bool | None = None
    lost_replies: int = 0
    flags: tuple[str, ...] = ()
    strain: float | None = None


class Facts(NamedTuple):
    """
    What is in a servo's EEPROM; ``None`` is what is not.

    ``lower`` and ``upper`` are the ticks it may be sent to. ``odd`` says in words what keeps it
    from being driven, whatever the servos file says, ``advice`` what could be better. ``is_known``
    is false where its registers are not known here; ``data`` is the EEPROM, from register 0 on;
    ``firmware`` is its version, if it says so. ``limit_registers`` are those of the limits, in
    words, and ``speed_unit`` what one step of a speed is [ticks/s].
    """

    model: str = ''
    lower: int | None = None
    upper: int | None = None
    offset: int | None = None
    odd: tuple[str, ...] = ()
    advice: str = ''
    is_known: bool = True
    data: bytes = b''
    firmware: str = ''
    limit_registers: str = ''
    speed_unit: float = 1.0

    def goal(self, tick):
        """Return the goal nearest to a tick that the servo takes; without an upper limit any."""
        return min(max(tick, self.lower), self.upper) if self.upper else tick

    def turn(self, tick):
        """Return by how many ticks it turns from a tick, if it gets that goal and torque."""
        return self.goal(tick) - tick


def no_right(path):
    """Return in words that one may not use a device, and what helps."""
    try:
        group = Path(path).group()
    except (OSError, KeyError):
        group = 'dialout'
    return (f'no right to {path}, which belongs to the group {group}: '
            f'sudo usermod -a -G {group} $USER, then log out and in again')


class Openable:
    """What is opened where a ``with`` block begins, and closed where it ends."""

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()


class Backend(Openable, ABC):
    """
    One arm's servos.

    - They are made ready by :meth:`open`, :meth:`verify` and :meth:`engage`, in this order; none
      of them moves a joint.
    - A servo follows the set-points that are written to it. The last one lasts, whatever becomes
      of this process. How far and how fast set-points may go is decided above.
    - A joint that does not answer is no error: it is missing from what is read.
    - Every verb but :meth:`open` and :meth:`close` raises :class:`DriverError` unless open. Other
      exceptions may come out, too, of a missing port: who calls makes DriverErrors of them.
    - All verbs are called from one thread.

    ``model`` is the arm as these servos can move it, ``joints`` its chain's joints, then its extra
    ones, by name; ``home`` is where they are when the arm is at home, extra ones closed; ``notes``
    are words for the log. ``turning`` are the joints that go slowly to the limits of their servos
    since :meth:`engage`: how far their servos turn, by name [rad].

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param clock: returns the time [s]; steadily growing.
    """

    #: Name in the table of families and in messages.
    name = 'unnamed'

    #: Whether positions are measured.
    has_feedback = True

    #: What one :meth:`read` and one :meth:`write` take together at least [s].
    cycle_time = 0.0

    def __init__(self, model, clock=time.monotonic):
        self._bus = None
        self.model = model
        self.notes, self.turning = [], {}
        self.joints, self.home = model.all_joints, model.all_home
        self.clock = clock

    @property
    def bus(self):
        """Return what its servos are spoken to by, while it is open."""
        self.require_open()
        return self._bus

    @property
    def resolution(self):
        """Smallest step of a reading by joint name [rad, m]; 0: none."""
        return dict.fromkeys(self.joints, 0.0)

    @abstractmethod
    def open(self):  # noqa: A003
        """
        Open the port; nothing moves, the torque stays as it is. Again does nothing.

        :raises DriverError: if it cannot be opened.
        """

    def verify(self):
        """
        Make sure that every servo that answers is the one it should be, where that can be seen.

        :returns: of the joints that do not answer a dict from their names to a sentence.
        :raises DriverError: naming the joints whose servos are others, and what is wrong.
        """
        return {name: f'{name}: {reason}' for name, reason in self.read().missing.items()}

    def turns(self, names=None, most=STAYS):
        """
        Ask the servos of joints, which have been read, where they would be with torque.

        :param names: of the joints; ``None``: all.
        :param most: by how much a servo may turn [rad].
        :returns: by how much joints turn that do not stay, by name [rad at the servo].
        :raises TorqueRefusedError: naming those that would turn farther, or cannot be driven.
        """
        return {}

    def engage(self, names=None, most=STAYS):
        """
        Switch torque on with every joint held where it is: no joint moves.

        One that is outside its servo's own limits goes to them slowly, if ``most`` allows it.

        :param names: of the joints; ``None``: all.
        :param most: by how much a servo may turn [rad], see :meth:`turns`.
        :returns: dict from their names to the set-points they hold.
        :raises DriverError: if one of them does not answer, or as :meth:`turns`; then none is
            switched on.
        """
        names = list(self.joints) if names is None else names
        snapshot = self.read()
        lost = [f'{name} ({snapshot.missing[name]})' for name in names if name in snapshot.missing]
        if lost:
            raise DriverError(self.name, f'no torque without a position: {", ".join(lost)}')
        self.turning.update(self.turns(names, most))
        held = {name: snapshot.readings[name].position for name in names}
        self.write(held)
        self.set_torque(True, names)
        return held

    @abstractmethod
    def read(self):
        """
        Return a :class:`Snapshot` of where the joints are.

        :raises DriverError: only if the bus as a whole is missing.
        """

    @abstractmethod
    def write(self, set_points):
        """
        Give servos set-points; the others keep theirs. Without torque none moves.

        :param set_points: mapping from joint names to positions, taken as they are: inside the
            limits of a joint or not.
        :raises DriverError: for an unknown joint or a position that is not finite, before anything
            has been written; else only if the bus as a whole is missing.
        """

    @abstractmethod
    def set_torque(self, on, names=None):
        """
        Switch torque on, towards whatever set-point the servo has, or off: a real arm falls.

        To switch it on, call :meth:`engage`.

        :param on: whether the servos hold.
        :param names: of the joints; ``None``: all.
        :raises DriverError: if the bus fails.
        """

    def read_health(self, name):
        """
        Return the :class:`Health` of a joint's servo, as far as it is known.

        :raises DriverError: only if the bus as a whole is missing.
        """
        self.require_known((name,))
        return Health()

    def clear_faults(self, names=None):
        """
        Make servos forget the faults they have latched themselves; no joint moves, none falls.

        :param names: of the joints; ``None``: all.
        :raises DriverError: if that cannot be done now, naming the joints and what to do before.
        """

    def close(self):
        """Give the bus back; every joint keeps its torque. Again does nothing; never raises."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def main(self, name):
        """Return the joint whose servo drives a joint."""
        return name

    def require_open(self):
        """Raise :class:`DriverError` unless it is open."""
        if self._bus is None:
            raise DriverError(self.name, 'not open')

    def require_known(self, names):
        """Raise :class:`DriverError` unless these are joints of this back end."""
        for name in names:
            if name not in self.joints:
                raise DriverError(self.name, f'no joint {name!r}; there are: '
                                             f'{", ".join(self.joints)}')

    def require_finite(self, set_points):
        """Raise :class:`DriverError` unless all joints are known and all positions finite."""
        self.require_known(set_points)
        for name, position in set_points.items():
            if not isfinite(position):
                raise DriverError(self.name, f'set-point {position} for {name}; allowed: a finite '
                                             'position')


class BackendByFile(Backend):
    """
    Servos that a servos file describes; some drive two joints.

    ``model`` has the limits of the arm file, narrowed to what the servos file allows.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param clock: returns the time [s].
    """

    def __init__(self, model, servos, clock=time.monotonic):
        model, self._narrowings = servos.narrowed(model)
        super().__init__(model, clock)
        self._file = servos
        self._drive = {name: servo for name, servo in servos.joints.items() if not servo.same_as}
        self._main = {name: servos.joints[name].same_as or name for name in self.joints}

    @property
    def resolution(self):
        """Smallest step of a reading, or of a pulse, by joint name [rad, m]."""
        return {name: self._drive[main].ticks.resolution for name, main in self._main.items()}

    def main(self, name):
        """As in :meth:`Backend.main`."""
        return self._main[name]

    def _driven(self, names):
        """Return those of some joints, or of all, that have a servo of their own; while open."""
        self.require_open()
        names = self.joints if names is None else names
        self.require_known(names)
        return [name for name in names if name in self._drive]

    def _of_all(self, of_mains):
        """Return what holds for joints with servos of their own for all joints, by name."""
        return {name: of_mains[main] for name, main in self._main.items() if main in of_mains}
