# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm as the mathematics sees it: lengths, joints, limits.

Frames, signs and zero pose are those of ``docs/conventions.md``: metres, radians, ``base_link``
with x forward, y left, z up. *Canonical angles* are what the mathematics uses; *joint positions*
are what servos and ``joint_states`` use::

    canonical = sign * position + offset

The roles that are present define the kind of arm.
"""

from dataclasses import dataclass, field, fields
from functools import cached_property
from math import hypot, inf, isfinite
from numbers import Real
from typing import Any

from .forward import Geometry, heights, ROLES
from .tolerances import TIE
from ..errors import (
    did_you_mean, InvalidArmError, InvalidInputError, require, require_one_of)

#: Links that :class:`LinkShape` may be on, beside the fingers of extra joints.
SHAPED_LINKS = ('upper_arm', 'forearm', 'wrist', 'hand')

#: The roles that every arm must have.
REQUIRED_ROLES = ('yaw', 'shoulder', 'elbow')

#: A joint of no ``max_acceleration`` of its own gets to its ``max_velocity`` in this time [s].
START_TIME = 0.1

#: Largest length [m]: beside the square of a larger one, the smaller ones would be lost in
#: rounding.
LARGEST_LENGTH = 1e6


#: Kinds of shapes to stay out of, and what the size of each is made of.
KEEP_OUT_SIZES = {'box': ('x', 'y', 'z'), 'cylinder': ('radius', 'length'), 'half_space': ()}

#: The end of a message on an arm that is of none of the kinds there are.
_FITS = '; docs/arms.md says which arms fit'


class _Numbers:
    """What holds numpy's small floats and integers as Python's own: those are no more exact."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _own(value))


def _number(words: str, above: float = -inf, most: float = inf, many: int = 0, key: str = ''
            ) -> dict[str, Any]:
    """
    Return the metadata of a field that is a finite number, or so many.

    :param words: what is allowed.
    :param key: of the field in the arm file, if that is not its name.
    """
    return {'number': (words, above, most, many, key)}


def _length(key: str, words: str = 'a finite length in metres', above: float = -inf) -> Any:
    return _number(f'{words}, at most {LARGEST_LENGTH:g}', above, LARGEST_LENGTH, key=key)


_LINK = 'a length in metres above zero'
_POSITION, _OFFSET = _number('a finite position [rad]'), _number('a finite angle [rad]')
_SPEED = _number('a speed above zero [rad/s]', 0.0)
_ACCELERATION = _number('an acceleration above zero [rad/s^2]', 0.0)
_MASS, _RADIUS = _number('a mass above zero [kg]', 0.0), _number(
    'a radius in metres above zero', 0.0, LARGEST_LENGTH)
_CENTRE, _INERTIA = (_number(f'{many} finite numbers, beside a mass', many=many)
                     for many in (3, 6))
_PLACE, _TURN = (_number('a finite number [m, rad]', most=most) for most in (LARGEST_LENGTH, inf))
_THREE = _number('three finite numbers', most=LARGEST_LENGTH, many=3)


class _Moving(_Numbers):
    """A joint with ``max_velocity`` and ``max_acceleration``."""

    max_velocity: float
    max_acceleration: float | None

    @property
    def acceleration(self) -> float:
        """Largest acceleration [rad/s^2, m/s^2], by the file or by :data:`START_TIME`."""
        given = self.max_acceleration
        return self.max_velocity / START_TIME if given is None else given


@dataclass(frozen=True)
class Joint(_Moving):
    """
    One joint of the chain.

    ``lower`` and ``upper`` limit the joint position [rad]; ``max_velocity`` is in rad/s,
    ``max_acceleration`` in rad/s^2, ``None`` if the file has none. ``sign`` is +1 or -1,
    ``offset`` [rad] is the canonical angle at position zero. ``servo`` is the model of its servo,
    ``''`` if the file has none. The link that it moves has a ``mass`` [kg], and about its
    ``centre`` [m] an ``inertia`` [kg m^2] as in a URDF, ixx, ixy, ixz, iyy, iyz, izz: all in the
    link's frame of the URDF; what is left out is by the shapes drawn.
    """

    name: str
    role: str
    lower: float = field(metadata=_POSITION)
    upper: float = field(metadata=_POSITION)
    max_velocity: float = field(metadata=_SPEED)
    sign: int = 1
    offset: float = field(default=0.0, metadata=_OFFSET)
    max_acceleration: float | None = field(default=None, metadata=_ACCELERATION)
    servo: str = ''
    mass: float | None = field(default=None, metadata=_MASS)
    centre: tuple[float, ...] = field(default=(), metadata=_CENTRE)
    inertia: tuple[float, ...] = field(default=(), metadata=_INERTIA)

    def canonical(self, position: float) -> float:
        """Return the canonical angle [rad] of a joint position [rad]."""
        return self.sign * position + self.offset

    def position(self, canonical: float) -> float:
        """Return the joint position [rad] of a canonical angle [rad], whatever the limits."""
        return self.sign * (canonical - self.offset)


@dataclass(frozen=True)
class ExtraJoint(_Moving):
    """
    A joint that is not part of the chain, such as a gripper.

    ``closed`` and ``open`` are the positions that ``gripper_command`` 0 and 1 mean; without
    them they are ``lower`` and ``upper``. Positions are in rad, or in m where ``type`` is
    ``'prismatic'``.

    The rest is the finger, in the ``tool0`` at the end of the last link, when closed. It opens
    ``along`` x, -x, y or -y. It ``moves`` as the joint does, or ``'slides'`` or ``'turns'`` by
    ``travel`` [m, rad] from closed to open. A box of ``width``, ``thickness`` (along its motion)
    and ``length`` [m] goes from its ``root``, which is the pivot of one that turns, straight
    ahead, or leans inwards by ``lean`` [rad]. The ``second`` finger is ``'mirrored'``, with its
    motion, or ``'fixed'``, or there is ``'none'``. What is left out is by the arm's size.
    ``servo``, ``mass`` of a finger, ``centre`` and ``inertia`` are as in :class:`Joint`.
    """

    name: str
    lower: float = field(metadata=_POSITION)
    upper: float = field(metadata=_POSITION)
    max_velocity: float = field(metadata=_SPEED)
    closed: float = None  # type: ignore[assignment]
    open: float = None  # type: ignore[assignment]  # noqa: A003
    type: str = field(  # noqa: A003
        default='revolute', metadata={'words': ('revolute', 'prismatic')})
    max_acceleration: float | None = field(default=None, metadata=_ACCELERATION)
    along: str = field(default='', metadata={'words': ('x', '-x', 'y', '-y')})
    second: str = field(default='', metadata={'words': ('mirrored', 'fixed', 'none')})
    moves: str = field(default='', metadata={'words': ('turns', 'slides')})
    travel: float | None = None
    root: tuple[float, ...] = field(default=(), metadata=_number('x, y, z in metres', many=3))
    lean: float | None = None
    width: float | None = None
    thickness: float | None = None
    length: float | None = None
    servo: str = ''
    mass: float | None = field(default=None, metadata=_MASS)
    centre: tuple[float, ...] = field(default=(), metadata=_CENTRE)
    inertia: tuple[float, ...] = field(default=(), metadata=_INERTIA)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, default in (('closed', self.lower), ('open', self.upper)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, default)

    @property
    def slides(self) -> bool:
        """Whether the finger slides, by ``moves`` or as the joint does."""
        return self.moves == 'slides' or not self.moves and self.type == 'prismatic'


@dataclass(frozen=True)
class Placed(_Numbers):
    """A place of the hand: x, y, z [m] in the ``tool0`` at the end of the last link."""

    name: str
    x: float = field(default=0.0, metadata=_PLACE)
    y: float = field(default=0.0, metadata=_PLACE)
    z: float = field(default=0.0, metadata=_PLACE)


@dataclass(frozen=True)
class Tip(Placed):
    """
    A point of the hand that ``tool0`` can be put at.

    ``x``, ``y``, ``z`` [m] are in the axes of the ``tool0`` at the end of the last link; ``turn``
    [rad] turns x and y about z, which stays along the last link.
    """

    turn: float = field(default=0.0, metadata=_TURN)


@dataclass(frozen=True)
class Frame(Placed):
    """
    A frame fixed to the hand, such as a camera's; no target is ever for it.

    ``x``, ``y``, ``z`` [m] and the turns about the fixed axes x, y, z [rad] are in the ``tool0``
    at the end of the last link, whichever tip is chosen.
    """

    roll: float = field(default=0.0, metadata=_TURN)
    pitch: float = field(default=0.0, metadata=_TURN)
    yaw: float = field(default=0.0, metadata=_TURN)


@dataclass(frozen=True)
class LinkRadii(_Numbers):
    """How thick the arm is around its links' axes [m]; ``None``: as its URDF draws it."""

    base: float | None = field(default=None, metadata=_RADIUS)
    upper_arm: float | None = field(default=None, metadata=_RADIUS)
    forearm: float | None = field(default=None, metadata=_RADIUS)
    hand: float | None = field(default=None, metadata=_RADIUS)


@dataclass(frozen=True)
class KeepOut:
    """
    A shape in ``base_link`` that the arm is to stay out of.

    ``size`` [m] of a ``'box'`` is (x, y, z), of a ``'cylinder'`` (radius, length along its z);
    a ``'half_space'`` has none: it is what lies below the x-y plane of its frame. ``position`` [m]
    is the centre, or a point of that plane; ``rpy`` [rad] turns about fixed axes x, y, z.
    """

    #: Where shapes of this class are listed, and the kinds there are.
    listed, sizes = 'arm.keep_out', KEEP_OUT_SIZES

    name: str
    kind: str
    size: tuple[float, ...] = ()
    position: tuple[float, ...] = field(default=(0.0, 0.0, 0.0), metadata=_THREE)
    rpy: tuple[float, ...] = field(default=(0.0, 0.0, 0.0), metadata=_THREE)

    @property
    def edges(self) -> tuple[float, ...]:
        """Edges of the box around it [m]; of a half-space none."""
        x, *others = self.size or (0.0,)
        return self.size if self.kind in ('box', 'half_space') else (
            2.0 * x, 2.0 * x, *(others or (2.0 * x,)))


@dataclass(frozen=True)
class SceneObject(KeepOut):
    """
    What is there beside the arm, in a simulation with weight: a box, a cylinder or a sphere.

    A sphere's ``size`` is (radius,). ``mass`` [kg]; without one it is fixed, as a table is.
    ``friction`` is that of its surface.
    """

    listed, sizes = 'objects', {'box': ('x', 'y', 'z'), 'cylinder': ('radius', 'length'),
                                'sphere': ('radius',)}

    mass: float | None = field(default=None, metadata=_number(
        'a number above zero [kg]; without a mass it is fixed', 0.0))
    friction: float = field(default=1.0, metadata=_number('a number above zero', 0.0))

    @property
    def colour(self) -> tuple[float, ...]:
        """Red, green, blue and opacity that it is drawn in."""
        return (0.62, 0.66, 0.72, 1.0) if self.mass is None else (0.16, 0.45, 0.8, 1.0)


@dataclass(frozen=True)
class LinkShape(_Numbers):
    """
    A box that is part of an arm, drawn as it is and checked as a capsule around it.

    It is ``on`` the ``'hand'`` or on the finger of an extra joint, by its name: in the ``tool0``
    at the end of the last link, when closed; a second finger that is mirrored has its mirror
    image. Or it is on the ``'upper_arm'`` or ``'forearm'``, or on the ``'wrist'``, which tilt and
    roll do not move: from the link's joint axis, with x along the link and z up. ``size`` [m] are
    its edges, ``position`` [m] its centre, ``rpy`` [rad] turns about fixed axes x, y, z.
    """

    name: str
    size: tuple[float, ...] = field(metadata=_number(
        'three finite numbers above zero', 0.0, many=3))
    position: tuple[float, ...] = field(metadata=_THREE)
    rpy: tuple[float, ...] = field(default=(0.0, 0.0, 0.0), metadata=_THREE)
    on: str = 'hand'


@dataclass(frozen=True)
class ArmModel(_Numbers):
    """
    Everything the kinematics needs to know about an arm; checked once, then read-only.

    Lengths [m]: ``base_x``, ``base_y`` place the yaw axis, ``base_height`` the shoulder axis above
    ``base_link``; ``shoulder_offset`` is the distance from the yaw axis to the shoulder axis along
    forward, ``lateral`` the constant offset of the arm plane to the left of the yaw axis. The axis
    of the wrist roll passes the wrist axis ``hand_offset`` above it in the arm plane; ``hand`` is
    then from the foot of the wrist on it. On an arm without a wrist a linkage keeps the hand at
    ``hand_elevation`` [rad], or there is no hand, and the forearm ends at the tip. ``home`` holds
    joint positions, one per joint, base to tip. ``tip`` is the name of the one of ``tips``
    that ``tool0`` is at, ``''`` for the end of the last link. ``urdf_frame`` is the frame of the
    maker's URDF at the origin of ``base_link``, ``''`` for its root; ``urdf_rpy`` [rad] are the
    turns about the fixed axes x, y, z that bring it from ``base_link``'s axes to its own, ``()``
    for none.

    :raises InvalidArmError: naming the YAML key whose rule is broken.
    """

    name: str
    upper_arm: float = field(metadata=_length('links.upper_arm', _LINK, 0.0))
    forearm: float = field(metadata=_length('links.forearm', _LINK, 0.0))
    hand: float
    joints: tuple[Joint, ...]
    home: tuple[float, ...]
    base_x: float = field(default=0.0, metadata=_length('base.x'))
    base_y: float = field(default=0.0, metadata=_length('base.y'))
    base_height: float = field(default=0.0, metadata=_length('base.height'))
    shoulder_offset: float = field(default=0.0, metadata=_length('base.shoulder_offset'))
    lateral: float = field(default=0.0, metadata=_length('base.lateral'))
    floor_height: float | None = field(default=None, metadata=_number('a finite height in metres'))
    extra_joints: tuple[ExtraJoint, ...] = ()
    source: str = ''
    tips: tuple[Tip, ...] = ()
    tip: str = ''
    frames: tuple[Frame, ...] = ()
    link_radii: LinkRadii = field(default_factory=LinkRadii)
    keep_out: tuple[KeepOut, ...] = ()
    urdf_frame: str = ''
    urdf_rpy: tuple[float, ...] = field(default=(), metadata=_number(
        'three finite angles [rad]', many=3, key='base.urdf_rpy'))
    shapes: tuple[LinkShape, ...] = ()
    hand_offset: float = field(default=0.0, metadata=_length('links.hand_offset'))
    hand_elevation: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ('joints', 'home', 'extra_joints', 'tips', 'frames', 'keep_out',
                     'urdf_rpy', 'shapes'):
            object.__setattr__(self, name, tuple(map(_own, getattr(self, name))))
        _check(self)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the chain's joints, base to tip; the order of every joint vector."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def all_joints(self) -> dict[str, Joint | ExtraJoint]:
        """The joints by name, those of the chain first, then the others."""
        joints: tuple[Joint | ExtraJoint, ...] = (*self.joints, *self.extra_joints)
        return {joint.name: joint for joint in joints}

    @cached_property
    def all_home(self) -> dict[str, float]:
        """Positions by name: ``home`` of the chain, ``closed`` of the others [rad or m]."""
        return {**dict(zip(self.joint_names, self.home)),
                **{joint.name: joint.closed for joint in self.extra_joints}}

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """Roles of the chain's joints, base to tip."""
        return tuple(joint.role for joint in self.joints)

    @cached_property
    def reach(self) -> float:
        """Length of the stretched arm, shoulder to tip [m]."""
        tip = self.chosen_tip
        return self.upper_arm + self.forearm + hypot(
            self.hand + tip.z, abs(self.hand_offset) + hypot(tip.x, tip.y))

    @property
    def heading(self) -> float:
        """Canonical yaw at home [rad]: where the arm reaches there."""
        return self.joints[0].canonical(self.home[0])

    @cached_property
    def placed(self) -> tuple[Tip | Frame, ...]:
        """Return what is at a place of the hand: the tips, then the frames."""
        return (*self.tips, *self.frames)

    @cached_property
    def chosen_tip(self) -> Tip:
        """Where ``tool0`` is, a tip without a name at the end of the last link."""
        return next((tip for tip in self.tips if tip.name == self.tip), Tip(''))

    def shapes_on(self, on: str) -> tuple[LinkShape, ...]:
        """Return the shapes that the arm file gives of a link, or of the finger of a joint."""
        return tuple(shape for shape in self.shapes if shape.on == on)

    @property
    def hand_role(self) -> str:
        """Role of the joint that moves the hand; without one ``'wrist'`` all the same."""
        return 'wrist' if self.roles[-1] == 'elbow' else self.roles[-1]

    def has(self, role: str) -> bool:
        """Return whether the chain has a joint of that role."""
        return role in self.roles

    def gripper_goals(self, opening: float) -> dict[str, float]:
        """
        Return the positions by name that open or close the extra joints [rad or m].

        :param opening: from 0, closed, to 1, open.
        :raises InvalidInputError: if the opening is none, or there is nothing to open.
        """
        if not 0.0 <= opening <= 1.0:  # NaN is not, either
            raise InvalidInputError('gripper command', opening, 'from 0, closed, to 1, open')
        if not self.extra_joints:
            raise InvalidInputError('gripper command', opening, 'none: this arm has no gripper')
        # Written so that both ends come out exactly.
        return {joint.name: min(max((1.0 - opening) * joint.closed + opening * joint.open,
                                    joint.lower), joint.upper) for joint in self.extra_joints}

    def gripper_opening(self, positions: dict[str, float]) -> float | None:
        """
        Return how far a gripper is open by its first joint, from 0 to 1; ``None``: not known.

        :param positions: by joint name [rad or m].
        """
        return next(((positions[joint.name] - joint.closed) / (joint.open - joint.closed)
                     for joint in self.extra_joints[:1] if joint.name in positions), None)


def _check(model: ArmModel) -> None:
    _check_fields('arm', model)
    _check_fields('arm.link_radii', model.link_radii)
    has_hand = model.has('wrist') or model.hand_elevation is not None
    require(_is_finite(model.hand) and (
        0.0 < model.hand <= LARGEST_LENGTH if has_hand else model.hand == 0.0), 'arm.links.hand',
        model.hand, f'{_LINK}, at most {LARGEST_LENGTH:g}' if has_hand else
        'none without a wrist; with hand_elevation the hand stays at that elevation')
    require(model.hand_elevation is None or _is_finite(model.hand_elevation)
            and not model.has('wrist'), 'arm.links.hand_elevation', model.hand_elevation,
            'a finite angle [rad], on an arm without a wrist')
    require(not model.hand_offset or model.has('wrist') and model.has('wrist_roll') and not (
        model.has('roll') or model.has('wrist_tilt')), 'arm.links.hand_offset', model.hand_offset,
        f'0.0 but on an arm with wrist and wrist_roll, without a roll or wrist_tilt{_FITS}')
    for shape in model.keep_out:
        check_keep_out(shape)
    _check_joints(model)
    _check_shapes(model)
    _check_tips(model)
    _check_home(model)


def check_keep_out(shape: KeepOut) -> None:
    """Raise :class:`InvalidArmError` naming the key of a shape whose rule is broken."""
    key = f'{shape.listed}.{shape.name}'
    names = shape.sizes[require_one_of(f'{key}.kind', shape.kind, shape.sizes)]
    require(len(shape.size) == len(names) and all(
        _is_finite(each) and 0.0 < each <= LARGEST_LENGTH for each in shape.size),
        f'{key}.size', shape.size,
        f'[{", ".join(names)}], lengths in metres above zero' if names else 'no size')
    _check_fields(key, shape)


def _check_joints(model: ArmModel) -> None:
    names = [*model.joint_names, *(joint.name for joint in model.extra_joints)]
    for name in names:
        require(isinstance(name, str) and name and names.count(name) == 1, 'arm.joint_names', name,
                'names that are not empty and occur once')
    roles = model.roles
    for joint in model.joints:
        require_one_of(f'arm.joints.{joint.name}.role', joint.role, ROLES, _FITS)
    require(tuple(role for role in ROLES if role in roles) == roles, 'arm.joint_names', roles,
            f'roles at most once each and in this order: {", ".join(ROLES)}{_FITS}')
    missing = [role for role in REQUIRED_ROLES if role not in roles]
    require(not missing, 'arm.joints', f'no joint with role {", ".join(missing)}',
            f'one joint for each of {", ".join(REQUIRED_ROLES)}{_FITS}')
    require(len({'roll', 'wrist_tilt'} & {*roles}) <= int('wrist' in roles), 'arm.joints', roles,
            f'roll or wrist_tilt, not both, beside a wrist, or neither roll nor wrist_tilt{_FITS}')
    require(not ('roll' in roles and model.lateral != 0.0), 'arm.base.lateral', model.lateral,
            f'0.0 on an arm with a rolling base{_FITS}')
    for joint in model.joints:
        key = f'arm.joints.{joint.name}'
        require(joint.sign in (1, -1), f'{key}.sign', joint.sign, '1 or -1')
        _check_range(key, joint)
    for extra in model.extra_joints:
        key = f'arm.extra_joints.{extra.name}'
        _check_range(key, extra)
        for name in ('closed', 'open'):
            _check_position(f'{key}.{name}', extra, getattr(extra, name))


def _check_shapes(model: ArmModel) -> None:
    for extra in model.extra_joints:
        key = f'arm.extra_joints.{extra.name}'
        for name in ('lean', 'travel', 'width', 'thickness', 'length'):
            value = getattr(extra, name) or 0.0
            require(_is_finite(value) and (value >= 0.0 or name == 'lean'), f'{key}.{name}',
                    value, 'a finite number [m, rad], not below zero')
        require(extra.closed != extra.open if extra.travel
                else extra.slides == (extra.type == 'prismatic'), f'{key}.travel', extra.travel,
                'how far the finger moves from closed to open, where the joint does not')
    links = (*(link for link in SHAPED_LINKS if link != 'wrist' or model.hand_role != 'wrist'),
             *(extra.name for extra in model.extra_joints))
    for shape in model.shapes:
        key = f'arm.shapes.{shape.name}'
        require_one_of(f'{key}.on', shape.on, links)
        _check_fields(key, shape)


def _check_range(key: str, joint: Joint | ExtraJoint) -> None:
    _check_fields(key, joint)
    require(joint.lower <= joint.upper, f'{key}.lower', joint.lower,
            f'at most upper, which is {joint.upper}')
    for name, many in (('centre', 3), ('inertia', 6)):
        value = getattr(joint, name)
        require(not value or joint.mass, f'{key}.{name}', value,
                f'{many} finite numbers, beside a mass')


def _check_position(key: str, joint: Joint | ExtraJoint, position: float) -> None:
    require(_is_finite(position) and joint.lower <= position <= joint.upper, key, position,
            f'a position from {joint.lower} to {joint.upper}')


def _check_tips(model: ArmModel) -> None:
    names = [placed.name for placed in model.placed]
    for placed in model.placed:
        kind = 'tips' if isinstance(placed, Tip) else 'frames'
        require(isinstance(placed.name, str) and placed.name
                and placed.name not in ('base_link', 'tool0') and names.count(placed.name) == 1,
                f'arm.{kind[:-1]}_names', placed.name,
                'names of links that occur once, other than base_link and tool0')
        _check_fields(f'arm.{kind}.{placed.name}', placed)
    for tip in model.tips:
        require(model.has('wrist'), f'arm.tips.{tip.name}', tip, 'none on an arm without a wrist')
        require(tip.z > -model.hand, f'arm.tips.{tip.name}.z', tip.z,
                f'above {-model.hand:g} [m], where the wrist is')
        require(tip.x == tip.y == 0.0 <= tip.z
                or not (model.has('roll') or model.has('wrist_tilt')), f'arm.tips.{tip.name}',
                f'x {tip.x:g}, y {tip.y:g}, z {tip.z:g}', 'x and y 0.0 and z not below: a tip '
                'beside the last link does not go with a joint of role roll or wrist_tilt')
    known = ['', *(tip.name for tip in model.tips)]
    if model.tip not in known:
        allowed = ', '.join(map(repr, known))
        raise InvalidArmError('arm.tip', model.tip,
                              f'{did_you_mean(model.tip, known[1:])}one of {allowed}')


def _check_home(model: ArmModel) -> None:
    require(len(model.home) == len(model.joints), 'arm.home', model.home,
            f'{len(model.joints)} positions, one for each of {", ".join(model.joint_names)}')
    for joint, position in zip(model.joints, model.home):
        _check_position(f'arm.home[{joint.name}]', joint, position)
    if model.floor_height is not None:
        # Home is the answer if no pose nearer to a target is above the floor.
        lowest = min(heights(Geometry(model), model.home))
        require(model.floor_height <= lowest + TIE, 'arm.floor_height', model.floor_height,
                'at most the height of elbow, wrist and tip at arm.home, the lowest of which is '
                f'at {lowest:.4g}')


def _own(value: object) -> object:
    """Return a number of numpy's as one of Python's, anything else as it is."""
    return float(value) if isinstance(value, Real) and not isinstance(value, int) else value


def _check_fields(where: str, part: Any) -> None:
    """Require of a part's fields what they say, but of numbers that are left out."""
    for each in fields(part):
        value = getattr(part, each.name)
        known = each.metadata.get('words')
        if known and value != each.default:
            require_one_of(f'{where}.{each.name}', value, known)
        # Before Python 3.11 an empty tuple may be another one than the default.
        is_left_out = value is each.default or (value, each.default) == ((), ())
        if not known and each.metadata and not is_left_out:
            words, above, most, many, key = each.metadata['number']
            numbers = value if many else (value,)
            require(len(numbers) == (many or 1) and all(
                _is_finite(one) and above < one and abs(one) <= most for one in numbers),
                f'{where}.{key or each.name}', value, words)


def _is_finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
