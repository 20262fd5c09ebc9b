# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The servos file: which servos this very arm has, and where their zeros are.

The arm file is the kind of arm; the block ``servos`` of a ROS 2 parameter file is one arm of that
kind: bus, ids, zeros, directions, ranges.
"""

from bisect import bisect
from dataclasses import dataclass, field, fields, replace
import hashlib
from itertools import pairwise
import json
from math import pi

from .stall_guard import STALL_GUARD
from ..bus.families import backend_names, FAMILIES, family_name, SIMULATED
from ..description.linkage import largest_box
from ..description.parameter_file import ParameterFile
from ..description.values import (among, check_keys, given, integer, mapping_at, NOTHING, number,
                                  number_list, one_of, required, text, within)
from ..errors import in_file, require

ON_EXIT = ('hold', 'park', 'limp')
ON_FAULT = ('stop', 'continue')

_COMMON_KEYS = ('backend', 'bus_rate', 'on_exit', 'on_fault', 'stall_guard', 'trim',
                'max_lead', 'verified', 'joints')
_LINEAR_KEYS = ('zero', 'direction', 'lower_tick', 'upper_tick')
_POINT_KEYS = ('ticks', 'positions')


class JointTicks:
    """
    Joint positions and a servo's own ticks: the one place that knows zeros and directions.

    A joint that its servo's horn drives is linear; fingers on a horn, gears and PWM are not. They
    go piecewise through points, both strictly monotone, and straight on beyond the outer ones::

        tick = zero + direction * position / radians_per_tick

    Ticks are the servo's: 4096 a turn, 1000 in 240 degrees, microseconds of a pulse.

    ``lower`` and ``upper`` are the positions between which the servo may be sent [rad, m],
    ``first`` and ``last`` the ticks; ``finest`` and ``resolution`` are the smallest and the
    largest step of a tick.

    :param ticks: two or more.
    :param positions: one for each [rad, m].
    """

    def __init__(self, ticks, positions):
        self.points = tuple(sorted(zip(map(float, ticks), map(float, positions))))
        self.first, self.last = self.points[0][0], self.points[-1][0]
        self._by_position = sorted((position, tick) for tick, position in self.points)
        self.lower, self.upper = min(positions), max(positions)
        steps = [abs((p1 - p0) / (t1 - t0)) for (t0, p0), (t1, p1) in pairwise(self.points)]
        self.finest, self.resolution = min(steps), max(steps)

    @classmethod
    def linear(cls, zero, direction, lower_tick, upper_tick, radians_per_tick):
        """
        Return the ticks of a joint that its servo's horn drives.

        :param zero: the tick at position 0.
        :param direction: 1 if ticks grow with the position, -1 if not.
        :param lower_tick: the least tick the servo may be sent to.
        :param upper_tick: the greatest one.
        :param radians_per_tick: the servo's scale.
        """
        ticks = (lower_tick, upper_tick)
        return cls(ticks, [direction * (tick - zero) * radians_per_tick for tick in ticks])

    def tick(self, position):
        """Return the tick at a position [rad, m], a float."""
        return _along(self._by_position, position)

    def position(self, tick):
        """Return the position [rad, m] at a tick."""
        return _along(self.points, tick)


def _along(points, x):
    """Return y at x on the line through points that are sorted by x."""
    index = min(max(bisect(points, (x,)), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[index - 1:index + 1]
    return y0 + (x - x0) * (y1 - y0) / (x1 - x0)


def _ids(key, values):
    return tuple(within(0, 252, integer)(key, value) for value in number_list(key, values))


def _chip_address(key, value):
    value = integer(key, value)
    return require(0x40 <= value <= 0x7F and value != 0x70, key, value, '0x40 to 0x7f (64 to 127) '
                   'without 0x70 (112), to which all chips answer')


def _flag(key, value):
    return require(isinstance(value, bool), key, value, 'true or false')


def _key(check, default=None):
    """Return a field that a key of the block gives, if it is there."""
    return field(default=default, metadata={'check': check})


def _given(kind, key, block):
    """Return what a block gives of a class whose fields are made by :func:`_key`, by name."""
    return given(key, block, {each.name: each for each in fields(kind) if each.metadata})


@dataclass(frozen=True)
class ServoJoint:
    """
    The servo of one joint.

    ``same_as`` names the joint whose servo drives this one too, ``plus`` the joint that a linkage
    adds: the servo turns the sum of both. ``max_force`` is a part of the model's maximum, from 0
    to 1; ``homing_offset`` and ``drive_mode`` are what the servo's EEPROM has to hold.
    """

    name: str
    ticks: JointTicks | None = None
    id: int | None = _key(within(0, 252, integer))  # noqa: A003
    channel: int | None = _key(within(0, 15, integer))
    model: str | None = _key(text)
    homing_offset: int | None = _key(integer)
    drive_mode: int | None = _key(within(0, 1, integer))
    max_force: float | None = _key(within(0.01, 1.0))
    shadow_ids: tuple[int, ...] = _key(_ids, ())
    same_as: str | None = _key(text)
    plus: str | None = _key(text)


@dataclass(frozen=True)
class ServosFile:
    """
    What a servos file says; ``joints`` maps the arm's joints to :class:`ServoJoint`.

    ``patience`` is how long an answer may take beside its time on the wire [s]; ``None``:
    as long as the adapter needs.
    """

    backend: str
    joints: dict[str, ServoJoint]
    fingerprint: str
    source: str | None = None
    port: str = _key(text)
    baud: int = _key(within(1200, 4500000, integer))
    protocol: int = _key(within(1, 2, integer), 2)
    address: int = _key(_chip_address, 0x40)
    frequency: float = _key(within(24.0, 1526.0), 50.0)
    oscillator: float = _key(within(20e6, 30e6), 25e6)
    bus_rate: float = _key(within(1.0, 1000.0))
    on_exit: str = _key(among(ON_EXIT), ON_EXIT[0])
    on_fault: str = _key(among(ON_FAULT), ON_FAULT[0])
    stall_guard: str = _key(among(STALL_GUARD), STALL_GUARD[0])
    trim: bool = _key(_flag, False)
    max_lead: float = _key(within(0.001, pi), 0.15)
    patience: float | None = _key(within(0.001, 1.0))
    verified: str = _key(text, '')

    @property
    def family(self):
        """Return the key of its servos in :data:`~..bus.families.FAMILIES`."""
        return family_name(self.backend, self.protocol)

    @property
    def is_verified(self):
        """Return whether somebody has verified the block ``joints`` as it is now."""
        return self.verified == self.fingerprint

    def narrowed(self, model):
        """
        Return an arm that goes only where its servos may go, and what that changes, in words.

        :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
        :raises InvalidArmError: if a joint can go nowhere then, or home not above the floor.
        """
        notes = []
        places = dict(zip(model.joint_names, model.home))
        with in_file(self.source):
            joints = [joint if self.joints[joint.name].plus else self._narrow(joint, notes)
                      for joint in model.joints]
            for index, joint in enumerate(joints):
                if plus := self.joints[joint.name].plus:
                    self._box(joints, index, model.joint_names.index(plus), places, notes)
            extra = [self._narrow(joint, notes, 'closed', 'open') for joint in model.extra_joints]
        home = [min(max(places[joint.name], joint.lower), joint.upper) for joint in joints]
        return replace(model, joints=joints, home=home, extra_joints=extra), notes

    def _box(self, joints, index, other, home, notes):
        """Narrow two joints, one of which its servo turns together with the other, to a box."""
        joint, first = joints[index], joints[other]
        ticks, at = self.joints[joint.name].ticks, home[joint.name] + home[first.name]
        require(ticks.lower <= at <= ticks.upper
                and first.lower <= home[first.name] <= first.upper, f'servos.joints.{joint.name}',
                f'{ticks.lower:.2f} to {ticks.upper:.2f}', 'a range with the sum of '
                f'{joint.name} and {first.name} at home, {at:.2f}')
        found = largest_box((first.lower, first.upper), (joint.lower, joint.upper),
                            (ticks.lower, ticks.upper), (home[first.name], home[joint.name]))
        why = (f': the servo of {joint.name} turns the sum of both, which goes from '
               f'{ticks.lower:.2f} to {ticks.upper:.2f}')
        for place, (lower, upper) in zip((other, index), found):
            joints[place] = _limited(joints[place], lower, upper, ticks, why, notes)

    def _narrow(self, joint, notes, *places):
        """Return a joint that goes where its servo may, with its places brought there by name."""
        ticks = self.joints[self.joints[joint.name].same_as or joint.name].ticks
        lower, upper = max(joint.lower, ticks.lower), min(joint.upper, ticks.upper)
        require(lower < upper, f'servos.joints.{joint.name}',
                f'{ticks.lower:.2f} to {ticks.upper:.2f}', 'a range that meets that of the arm '
                f'file, {joint.lower:.2f} to {joint.upper:.2f}; is zero or direction wrong?')
        why = f', as the servos file says; the arm file has {joint.lower:.2f} to {joint.upper:.2f}'
        joint = _limited(joint, lower, upper, ticks, why, notes)
        return replace(joint, **{
            what: min(max(getattr(joint, what), lower), upper) for what in places})


def _limited(joint, lower, upper, ticks, why, notes):
    """Return a joint with other limits; note why, if they are narrower by more than a tick."""
    if lower > joint.lower + ticks.resolution or upper < joint.upper - ticks.resolution:
        notes.append(f'{joint.name} goes only from {lower:.2f} to {upper:.2f}{why}')
    return replace(joint, lower=lower, upper=upper)


def load_servos(path, joint_names):
    """
    Read a servos file.

    :param path: the file.
    :param joint_names: the arm's joints, extra ones included.
    :returns: the :class:`ServosFile`.
    :raises InvalidArmError: naming file, key, what was found and what is allowed.
    """
    block = ParameterFile(path).block('servos')
    return servos_from_parameters(NOTHING if block is None else block, joint_names, str(path))


def servos_from_parameters(servos, joint_names, source=None):
    """
    Return what a ``servos`` block says.

    :param servos: the block as nested dicts.
    :param joint_names: the arm's joints, extra ones included.
    :param source: the file, for messages.
    :raises InvalidArmError: naming key, what was found and what is allowed.
    """
    with in_file(source):
        return _servos(mapping_at('servos', servos), tuple(joint_names), source)


def _servos(servos, joint_names, source):
    backend = required('servos', servos, 'backend', among(backend_names()))
    check_keys('servos', servos, (*_COMMON_KEYS, *FAMILIES[backend].bus_keys))
    found = _given(ServosFile, 'servos', servos)
    kind = FAMILIES[family_name(backend, found['protocol'])]
    blocks = mapping_at('servos.joints', servos.get('joints', {}))
    joints = {}
    if backend not in SIMULATED or blocks:
        check_keys('servos.joints', blocks, joint_names)
        joints = {name: _joint(name, required('servos.joints', blocks, name, mapping_at), kind)
                  for name in joint_names}
        _check_servos(joints)
    if kind.port is None:
        required('servos', servos, 'port')
    found.update({key: getattr(kind, key) for key in ('port', 'baud', 'bus_rate')
                  if found[key] is None})
    return ServosFile(backend, joints, fingerprint(blocks), source, **found)


def fingerprint(joints):
    """Return the hash of a ``joints`` block, to be kept in ``verified`` once it is."""
    # ROS hands on 1 as 1.0 in places.
    plain = json.dumps(joints, sort_keys=True, default=str)
    plain = json.dumps(json.loads(plain, parse_int=float), sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _joint(name, block, kind):
    key = f'servos.joints.{name}'
    if 'same_as' in block:
        check_keys(key, block, ('same_as',))
        return ServoJoint(name, **_given(ServoJoint, key, block))
    ticks = _POINT_KEYS if any(word in block for word in _POINT_KEYS) else _LINEAR_KEYS
    check_keys(key, block, (*kind.joint_keys, 'plus', *ticks))
    required(key, block, kind.joint_keys[0])
    return ServoJoint(name, _ticks(key, block, kind), **_given(ServoJoint, key, block))


def _ticks(key, block, kind):
    if any(word in block for word in _POINT_KEYS):
        ticks = required(key, block, 'ticks', number_list)
        positions = required(key, block, 'positions', number_list)
        require(1 < len(ticks) == len(positions), f'{key}.positions', positions,
                f'a position for each of two or more ticks; there are {len(ticks)}')
        for word, values in (('ticks', ticks), ('positions', positions)):
            rises = {later > earlier for earlier, later in pairwise(values)}
            require(len(rises) == 1 and len(set(values)) == len(values), f'{key}.{word}', values,
                    'numbers that only rise or only fall')
        _check_range(f'{key}.ticks', min(ticks), max(ticks), kind)
        return JointTicks(ticks, positions)
    require(kind.turn is not None, f'{key}.ticks', NOTHING, 'pulses [us], with positions')
    zero = required(key, block, 'zero', number)
    direction, lower, upper = (required(key, block, word, integer) for word in _LINEAR_KEYS[1:])
    require(direction in (1, -1), f'{key}.direction', direction, '1 or -1')
    require(lower < upper, f'{key}.lower_tick', lower,
            f'less than upper_tick, which is {upper}; a range over the wrap from {kind.last_tick} '
            'to 0 cannot be driven: calibrate with the joint in the middle of its range')
    _check_range(f'{key}.lower_tick and upper_tick', lower, upper, kind)
    return JointTicks.linear(zero, direction, lower, upper, 2.0 * pi / kind.turn)


def _check_range(key, lower, upper, kind):
    if kind.over_jump == 'turns' and -kind.turn <= lower <= upper < 2.0 * kind.turn \
            and upper - lower <= kind.last_tick:
        return      # a mode that counts turns
    require(0 <= lower <= upper <= kind.last_tick, key, f'{lower:g} to {upper:g}',
            f'ticks from 0 to {kind.last_tick}, without the wrap: calibrate with the joint in the '
            'middle of its range')


def _check_servos(joints):
    """Require that no servo comes twice, and that joints named by others have their own before."""
    own, before, owners = [name for name in joints if not joints[name].same_as], [], {}
    for name, joint in joints.items():
        for word, known in (('same_as', own), ('plus', before)):
            other = getattr(joint, word)
            require(other in (None, *known), f'servos.joints.{name}.{word}', other,
                    one_of(other, known))
        if name in own and not joint.plus:
            before.append(name)
        numbers = (*joint.shadow_ids, joint.id, joint.channel)
        for each in [each for each in numbers if each is not None]:
            require(each not in owners, f'servos.joints.{name}',
                    f'{each}, which {owners.get(each)} has too', 'a servo of its own; or same_as')
            owners[each] = name
