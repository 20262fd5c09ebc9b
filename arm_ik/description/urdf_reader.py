# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Make an arm of a URDF: choose base and tip, fit the joints between, and say what was found."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from math import atan2, copysign, degrees, hypot, inf, radians
from pathlib import Path
from typing import Any, NamedTuple

from .urdf import TOOL_FRAME
from .urdf_fit import Fit, fit, frames, free, Misfit, MOST_MISS, POSES, speed, TURNING, WIDEST
from .urdf_tree import read_tree, rotation, rpy_of, UPRIGHT, UrdfJoint, UrdfTree
from .values import number
from ..errors import InvalidArmError, InvalidInputError, one_of
from ..kinematics.forward import Geometry
from ..kinematics.model import ArmModel, ExtraJoint, Tip
from ..kinematics.pose import forward as forward_kinematics

#: A roll axis further off the last link than this [rad] is reported.
REPORTED = radians(0.05)

#: With more moving joints no remedy is looked for.
_LONGEST = 8

#: A finger opens along an axis of the tool if so much of its motion is along it.
_ALONG = 0.9

#: A shoulder, elbow or wrist that turns so far [rad] has no limits of its own in the file.
_NO_LIMITS = 6.2


class UrdfArm(NamedTuple):
    """An arm; what each joint was taken for, in words; and in what it is not as in the URDF."""

    model: ArmModel
    notes: list[str]
    differences: list[str]


class _Request(NamedTuple):
    """
    What is asked of a file.

    ``turn`` and ``tolerance`` as for :func:`~.urdf_fit.fit`; ``chains`` has the joints from the
    base to each frame behind it, those held as fixed ones.
    """

    tree: UrdfTree
    base: str
    up: str
    turn: float | None
    tolerance: float
    hold: Mapping[str, float]
    chains: dict[str, list[UrdfJoint]]

    def moving(self, frame: str) -> list[UrdfJoint]:
        """Return the joints between the base and a frame that move."""
        return free(self.chains[frame])

    def tried(self, frames: Iterable[str]) -> tuple[dict[str, Fit], dict[str, Misfit]]:
        """Return the arms with their tips at frames, and what is wrong with the other frames."""
        fits, misfits, tree = {}, {}, self.tree
        for frame in frames:
            try:
                first, *others = self.chains[frame]
                first = first._replace(origin=rotation(UPRIGHT[self.up]) @ first.origin)
                source = f'{Path(tree.source).name}, tip {frame}'
                fits[frame] = fit([first, *others], tree.name, source, self.turn, self.tolerance)
            except Misfit as misfit:
                misfits[frame] = misfit
        return fits, misfits


def from_urdf(path: Path | str, tip: str | None = None, base: str | None = None,
              forward: str | None = None, hold: Mapping[str, float] | None = None,
              up: str = 'z', tolerance: float = MOST_MISS,
              xacro_args: Mapping[str, object] | None = None) -> UrdfArm:
    """
    Read an arm from a URDF; the parameters are those of :meth:`arm_ik.Arm.from_urdf`.

    :returns: the :class:`UrdfArm`.
    :raises InvalidArmError: if the file is malformed, or no arm of a kind that fits.
    :raises InvalidInputError: for a frame, direction or joint that there is not.
    """
    tree, hold = read_tree(path, xacro_args), dict(hold or {})
    base = tree.root if base is None else base
    _require_known('base', base, {joint.parent for joint in tree.joints})
    behind = chains(tree, base, {})
    joints = {chain[-1].name: chain[-1] for chain in behind.values()
              if chain[-1].kind in (*TURNING, 'prismatic')}
    _require_known('tip', tip, behind)
    _require_known('up', up, UPRIGHT)
    _require_known('forward', forward, ['home', *(axis for axis in UPRIGHT if axis[-1] != up[-1])])
    for name, position in hold.items():
        _require_known('hold', name, joints)
        lower, upper = max(joints[name].lower, -WIDEST), min(joints[name].upper, WIDEST)
        if not lower <= number(f'hold of {name}', position) <= upper:
            raise InvalidInputError(f'hold of {name}', position,
                                    f'a position from {lower:g} to {upper:g}')
    turn = 0.0 if forward is None else None if forward == 'home' else atan2(*(
        rotation(UPRIGHT[up]) @ rotation(UPRIGHT[forward])[2])[1::-1])    # of its y and x
    request = _Request(tree, base, up, turn, number('tolerance', tolerance), hold,
                       chains(tree, base, hold))
    return _reported(request, *_chosen(request, tip))


def _require_known(what: str, found: object, known: Iterable[str]) -> None:
    if found is not None and (not isinstance(found, str) or found not in known):
        raise InvalidInputError(what, found, one_of(found, known))


def chains(tree: UrdfTree, base: str, hold: Mapping[str, float]) -> dict[str, list[UrdfJoint]]:
    """Return the joints from a base to each frame behind it; a fixed one is part of the next."""
    found: dict[str, list[UrdfJoint]] = {base: []}
    for joint in tree.joints:
        if joint.parent in found:
            chain = found[joint.parent]
            if joint.name in hold:
                joint = joint.held(hold[joint.name])
            if chain and chain[-1].kind == 'fixed':
                *chain, part = chain
                joint = joint._replace(origin=part.origin @ joint.origin)
            found[joint.child] = [*chain, joint]
    del found[base]
    return found


def _chosen(request: _Request, tip: str | None) -> tuple[str, Fit]:
    """Return the tip asked for, the only leaf that fits, or of several ``tool0``."""
    parents = {joint.parent for joint in request.tree.joints}
    fits, misfits = request.tried([tip] if tip else request.chains.keys() - parents)
    # Without a wrist an arm is read where nothing behind could be one, or its tip is asked for.
    longest = max([len(request.moving(frame)) for frame in request.chains], default=0)
    short = {frame: fit for frame, fit in fits.items() if not tip
             and not fit.model.has('wrist') and len(fit.model.joints) < longest}
    fits = {frame: fit for frame, fit in fits.items() if frame not in short}
    # A camera on the forearm is no tip, if a joint behind it makes a longer arm.
    most = max([len(request.moving(frame)) for frame in fits], default=0)
    others = [each for each in request.chains.keys() & parents if len(request.moving(each)) > most]
    inner = {} if tip or len(fits) > 1 else request.tried(others)[0]
    inner = {frame: fit for frame, fit in inner.items() if fit.model.has('wrist')}
    source = request.tree.source
    if len(fits) == 1 and not inner:
        return fits.popitem()
    if TOOL_FRAME in fits and not inner:
        return TOOL_FRAME, fits[TOOL_FRAME]
    if fits:
        raise InvalidArmError('tip', 'several frames that fit', 'one of these'
                              + _tips({**fits, **inner}), source)
    # The leaf that comes nearest; of those in a gripper and before it, the one before.
    frame = max(misfits, key=lambda each: (misfits[each].fitted, -len(request.moving(each)), each))
    misfit = misfits[frame]
    hint = _tips(inner) or _remedy(request, frame, misfit) or _tips(short)
    raise InvalidArmError(f'joint {misfit.joint}', misfit.found, f'{misfit.allowed}{hint}. The '
                          f'tip was {frame}. A rolling base and a tilting wrist are not read; '
                          'docs/arms.md says which arms fit', source)


def _remedy(request: _Request, frame: str, misfit: Misfit) -> str:
    """
    Return in words with which axis up, joints held and tip it fits; ``''`` if with none.

    Of those that fit, the one with the fewest changes; rather another tip than two joints held.
    """
    joints = request.moving(frame)
    ups = [request.up, *(UPRIGHT if misfit.fitted == 0 else ())]
    tips = [frame, *(joint.child for joint in joints[:-1][::-1])]
    few = [(), *combinations(joints, 1), *combinations(joints, 2)]
    for up, tip, held in sorted(product(ups, tips, few), key=lambda each: (
            (each[0] != request.up) + (each[1] != frame) + len(each[2]), len(each[2]) > 1)):
        hold = {joint.name: joint.home for joint in held}
        among = chains(request.tree, request.base, {**request.hold, **hold})
        fits = len(joints) <= _LONGEST and request._replace(up=up, chains=among).tried([tip])[0]
        if fits and fits[tip].model.has('wrist') and (
                up == request.up or fits[tip].model.base_height >= 0.0):
            return ' '.join(['. It fits with', *[f'--up {up}'] * (up != request.up), *(
                f'--hold {name}={position:g}' for name, position in hold.items()),
                *[f'--tip {tip}'] * (tip != frame)])
    return ''


def _tips(fits: Mapping[str, Fit]) -> str:
    """Return in words which tips fit, and with which joints; ``''`` if none does."""
    return ''.join([f'. It fits with --tip {frame} ({", ".join(fit.model.joint_names)})'
                    for frame, fit in sorted(fits.items())])


def _reported(request: _Request, frame: str, fitted: Fit) -> UrdfArm:
    """Return the arm with its fingers, and words on everything that a user may want to check."""
    joints = request.moving(frame)
    names = {joint.name for joint in joints}
    turn = f', turned about z by {degrees(fitted.turn):.5g} deg' if fitted.turn else ''
    above = '' if request.up == 'z' else f', its {request.up} up'
    notes = [f'base_link is {request.base}{above}{turn}',
             f'tool0 is at {frame}; home is 0, or the nearest limit: check that it is free']
    notes += [f'{each.name}: {each.role}, sign {each.sign}, canonical angle '
              f'{degrees(each.offset):.2f} deg at 0' for each in fitted.model.joints]
    notes += [f'{name}: held at {position:g}' for name, position in request.hold.items()]
    fingers: list[ExtraJoint] = []
    drawn = {joint.name for joint in request.tree.joints for link in request.tree.element.findall(
        'link') if link.get('name') == joint.child and link.find('visual') is not None}
    rpy = rpy_of(rotation((0.0, 0.0, -fitted.turn)) @ rotation(UPRIGHT[request.up]))
    for *before, joint in request.chains.values():
        if joint.kind == 'fixed' or not names <= {each.name for each in before}:
            continue
        if joint.mimic:
            notes.append(f'{joint.name}: goes with {joint.mimic}, and is not in the file')
            its = _finger(fitted.model, rpy, [*before, joint._replace(
                axis=copysign(1.0, joint.multiplier) * joint.axis)])
            fingers = [_followed(finger, joint, its, drawn) if finger.name == joint.mimic
                       else finger for finger in fingers]
        elif joint.kind in ('revolute', 'prismatic') and '.' not in joint.name \
                and -inf < joint.lower < joint.upper < inf:
            fingers.append(ExtraJoint(joint.name, joint.lower, joint.upper, speed(joint),
                                      type=joint.kind, **_finger(
                                          fitted.model, rpy, [*before, joint])))
            joints.append(joint)
            notes.append(f'{joint.name}: gripper; check that it is closed at {joint.lower:g}, and '
                         f'open at {joint.upper:g} along {fingers[-1].along or "y"} of tool0')
        else:
            notes.append(f'{joint.name}: left out, for want of limits to open and close to')
    notes.append(f'worst disagreement of the tips in {POSES} poses: {1e6 * fitted.miss:.3f} um')
    model = replace(fitted.model, extra_joints=tuple(fingers), urdf_frame=request.base,
                    urdf_rpy=rpy if any(rpy) else ())
    if any(fitted.beside):
        name = frame.replace('.', '_') + ('_tip' if frame in ('tool0', 'base_link') else '')
        model = replace(model, tips=(Tip(name, *fitted.beside),), tip=name)
        notes.append(f'the tip is {1e3 * hypot(*fitted.beside):.2f} mm beside the roll axis')
    if fitted.summed:
        _, shoulder, elbow, *_ = model.joint_names
        notes.append(f'{elbow}: its joint in the URDF turns the sum of {elbow} and {shoulder}, so '
                     f'limits are narrowed; plus: {shoulder} in the servos file')
    if model.hand_offset:
        notes.append(f'a bent hand: the roll axis passes {1e3 * abs(model.hand_offset):.2f} mm '
                     f'{"above" if model.hand_offset > 0.0 else "below"} the wrist axis')
    return UrdfArm(model, notes, list(_differences(request, fitted, joints)))


def _followed(finger: ExtraJoint, joint: UrdfJoint, its: dict[str, Any], drawn: set[str]
              ) -> ExtraJoint:
    """Return a finger that a joint follows: as the second, or if it alone is drawn, the first."""
    if finger.name in drawn or joint.name not in drawn or finger.travel:
        return replace(finger, second='mirrored')
    return replace(finger, **{
        'second': 'none', 'travel': abs(joint.multiplier) * (finger.upper - finger.lower),
        'moves': 'slides' if joint.kind == 'prismatic' else 'turns', 'root': (), 'length': None,
        **its})


def _finger(model: ArmModel, rpy: Iterable[float], chain: list[UrdfJoint]) -> dict[str, Any]:
    """Return where the finger of a chain's last joint opens to, and its pivot."""
    tool = forward_kinematics(Geometry(model), model.home)
    at_home = frames(chain, [joint.home for joint in free(chain)])[-2]
    frame = tool.rotation.T @ (rotation(rpy) @ at_home)[:3]
    x, y, _ = frame[:, :3] @ chain[-1].axis
    root = frame[:, 3] - tool.rotation.T @ tool.position
    turns = chain[-1].kind == 'revolute'
    x, y = (y, -x) if turns else (x, y)    # of one that turns, across its axis
    along = max(('x', x), ('-x', -x), ('y', y), ('-y', -y), key=lambda each: each[1])
    if along[1] < _ALONG:
        return {}
    found: dict[str, Any] = {'along': along[0]}
    if turns:    # and ends at the tip
        root = root.round(6)
        found.update(root=tuple(root.tolist()), length=max(0.0, float(-root[2])) or None)
    return found


def _differences(request: _Request, fitted: Fit, joints: list[UrdfJoint]) -> Iterator[str]:
    """Return in words in what the arm is not as the URDF has it, or that may be no arm's."""
    if speeds := [f'{joint.name} {speed(joint):g} (URDF: {joint.velocity or "none"})'
                  for joint in joints if speed(joint) != joint.velocity]:
        yield f'max_velocity: {", ".join(speeds)}'
    if limits := [f'{joint.name} {joint.lower:g} to {joint.upper:g}'
                  for joint, role in zip(joints, fitted.model.roles) if joint.kind == 'continuous'
                  or role not in ('yaw', 'wrist_roll') and joint.upper - joint.lower > _NO_LIMITS]:
        yield f'limits that look like placeholders, to be measured: {", ".join(limits)}'
    if fitted.miss > MOST_MISS:
        yield (f'the tip is up to {1e3 * fitted.miss:.2f} mm off, within the tolerance of '
               f'{1e3 * request.tolerance:g} mm')
    if fitted.roll_off > REPORTED:
        yield f'the up vector is off the roll axis by {degrees(fitted.roll_off):.2f} deg'
