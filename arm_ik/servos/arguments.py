# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is given on the command line: arm, port, servos file, back end; units for people.

And servos files as text: a new one, and what is changed in one whose rest stays as it is.
"""

from datetime import date
from math import degrees
from pathlib import Path
import re
from typing import NamedTuple

from ..arm import Arm, arm_of
from ..bus.families import bus_kind, SIMULATED
from ..bus.serial_port import ports
from ..description.parameter_file import ParameterFile
from ..description.presets import config_directory, preset_names
from ..description.ros_text import parameter_file
from ..drivers import make_backend
from ..drivers.servos_file import load_servos, servos_from_parameters, ServosFile
from ..errors import DriverError, InvalidArmError, InvalidInputError

#: Keys of a joint that are not the same for all arms of a kind.
_PER_ARM = ('zero', 'direction', 'lower_tick', 'upper_tick', 'ticks', 'positions', 'homing_offset')

#: Readings until a joint that does not answer is said to be lost.
_TRIES = 5


def arm_for(text, servos_path):
    """
    Return the arm given, or the one whose joints a servos file has.

    Of several with the same joints it is the one whose name is in the file's name.

    :raises InvalidInputError: if none has these joints, or several of them.
    """
    if text is not None:
        return arm_of(text)
    file = ParameterFile(servos_path)
    if file.block('arm') is not None:
        return Arm.from_yaml(servos_path)
    servos = file.block('servos')
    if not isinstance(servos, dict) or not isinstance(servos.get('joints'), dict):
        raise InvalidArmError('servos.joints', None, 'a servos file, with its joints', file.source)
    fitting = [arm for arm in map(Arm.preset, preset_names())
               if arm.model.all_joints.keys() == servos['joints'].keys()]
    named = [arm for arm in fitting if arm.name in Path(servos_path).stem]
    if named or len(fitting) == 1:
        return max(named or fitting, key=lambda arm: len(arm.name))
    known = f'one of {", ".join(arm.name for arm in fitting)}' if fitting else \
        'no arm that comes with the package has exactly their joints'
    raise InvalidInputError('--arm', None, f'the arm of these servos; {known}')


def port_of(given, kind):
    """
    Return the port: the one given, or the only one there is.

    :raises InvalidInputError: if there is none, or more than one.
    """
    if given or kind.family.port:
        return given or kind.family.port
    there = ports()
    if len(there) == 1:
        return there[0]
    raise InvalidInputError('--port', None, f'one of {", ".join(there)}' if there else
                            'the port of the servos; none is there: is the adapter plugged in?')


class NewFile(NamedTuple):
    """
    A servos file that is to be written for an arm, after an example.

    ``block`` is the example's ``servos`` block, with the port given; ``kind`` opens its bus.
    """

    path: Path
    arm: Arm
    example: ServosFile
    block: dict
    kind: type


def bus_of(arm, like=None):
    """
    Return what is the same for all arms of a kind: the ``servos`` block of an example.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param like: path of a servos file; ``None``: the example that comes with the package.
    :returns: the block, and what it says as :class:`~arm_ik.drivers.servos_file.ServosFile`.
    """
    folder = config_directory()
    examples = {path.stem: path for path in sorted(folder.glob('servos/*.yaml'))} if folder else {}
    like = like or examples.get(arm.name)
    if like is None:
        raise InvalidInputError('--like', None, f'a servos file with the ids of a {arm.name}; '
                                f'examples come with the package for {", ".join(examples)}')
    block = ParameterFile(like).block('servos')
    return block, servos_from_parameters(block, arm.model.all_joints, str(like))


def new_file(options, terminal):
    """Return the :class:`NewFile` of the options; ask before one is written over."""
    arm = arm_of(options.arm)
    block, example = bus_of(arm, options.like)
    kind = bus_kind(example.family)
    port = port_of(options.port or (block.get('port') if options.like else None), kind)
    path = Path(options.output or f'my_{arm.name}.yaml')
    if path.exists():
        terminal.confirm(f'{path} is there already. Write over it in the end?')
    return NewFile(path, arm, example, {
        **block, 'port': port, **({'baud': options.baud} if options.baud else {})}, kind)


def checked_joints(new, found):
    """
    Return the ``joints`` block of a new servos file, once it has passed.

    :param new: the :class:`NewFile`.
    :param found: by joint name, what is not as in the example.
    :raises InvalidArmError: if that makes no servos file, naming the joint.
    """
    names = new.arm.model.all_joints
    joints = {name: {**{key: value for key, value in new.block['joints'][name].items()
                        if key not in _PER_ARM}, **found.get(name, {})} for name in names}
    servos_from_parameters({**new.block, 'joints': joints}, names, 'what was found')
    return joints


def write_new(terminal, new, joints, how):
    """
    Write a new servos file; say what comes next.

    :param new: the :class:`NewFile`.
    :param joints: as of :func:`checked_joints`.
    :param how: how this was found, for the comment.
    """
    block = {key: value for key, value in new.block.items() if key not in ('joints', 'verified')}
    new.path.write_text(
        f'# The servos of one {new.arm.name}, {how}\n# on {date.today().isoformat()}. Before the '
        'first motion: arm_ik servos verify, with this file.\n'
        + parameter_file('servos', {**block, 'joints': joints}, ('joints',)), encoding='utf-8')
    terminal.say('', f'written: {new.path}', f'next: arm_ik servos verify {new.path}')


def write_verified(path, fingerprint, names):
    """
    Write ``verified`` into a servos file, all else byte for byte as it is.

    :raises InvalidArmError: if it does not count there; then the file stays as it was.
    """
    before, line = path.read_bytes(), f"verified: '{fingerprint}'".encode()
    in_servos, newline = rb'(?ms)(^ *servos:.*?^)( *)', b'\r\n' if b'\r\n' in before else b'\n'
    after, found = re.subn(in_servos + rb'verified: *[^\s#]+', rb'\1\2' + line, before, count=1)
    path.write_bytes(after if found else re.sub(
        in_servos + rb'joints:', rb'\1\2' + line + newline + rb'\2joints:', before, count=1))
    try:
        if not load_servos(path, names).is_verified:
            raise InvalidArmError('servos', 'a file in which a line "verified" does not count',
                                  f"verified: '{fingerprint}' above joints, by hand", str(path))
    except InvalidArmError:
        path.write_bytes(before)
        raise


def load(options):
    """Return arm, servos file and back end, not open, of the options ``arm`` and ``servos``."""
    path = Path(options.servos)
    arm = arm_for(options.arm, path)
    servos = load_servos(path, arm.model.all_joints)
    more = {} if servos.backend in SIMULATED else {'servos': servos}
    return arm, servos, make_backend(servos.backend, arm.model, **more)


def require_all(backend):
    """Raise :class:`DriverError` unless every servo answers, and is the one that is meant."""
    missing = backend.verify()
    if missing:
        raise DriverError(backend.name, '. '.join(missing.values()))


def find_known(bus, servo_id):
    """Return a servo that should be there, as ``find``, but do not believe at once it is not."""
    return next(filter(None, (bus.find(servo_id) for _ in range(_TRIES))), None)


def find_each(terminal, bus, ids):
    """
    Return the servos of joints, by name; say what is odd of them.

    :param ids: by name.
    :raises DriverError: naming those that do not answer.
    """
    found, lost = {}, []
    for name, servo_id in ids.items():
        servo = find_known(bus, servo_id)
        called = f'{name} ({bus.address} {servo_id})'
        if servo is None or bus.has_feedback and servo.tick is None:
            lost.append(f'{called} {servo.odd[0] if servo and servo.odd else "does not answer"}')
        else:
            found[name] = servo
            terminal.say(*(f'{called}: {odd}' for odd in servo.odd))
    if lost:
        raise DriverError(bus.name, f'{"; ".join(lost)}. arm_ik servos scan shows who is there')
    return found


def reading_of(backend, name):
    """
    Return where a joint is.

    :raises DriverError: if it does not say.
    """
    for _ in range(_TRIES):
        snapshot = backend.read()
        if name in snapshot.readings:
            return snapshot.readings[name].position
    raise DriverError(backend.name, f'{name}: {snapshot.missing[name]}')


def unit_of(joint):
    """Return what a position has to be multiplied by for people, and the unit it is in then."""
    return (1000.0, 'mm') if getattr(joint, 'type', '') == 'prismatic' else (degrees(1.0), 'deg')


def shown(joint, position):
    """Return a position for people."""
    scale, unit = unit_of(joint)
    return f'{round(position * scale, 1) + 0.0:.1f} {unit}'


def address(servos, name):
    """Return a joint's servo for people: its id or channel, that of its main servo included."""
    servo = servos.joints[servos.joints[name].same_as or name]
    return f'id {servo.id}' if servo.id is not None else f'channel {servo.channel}'
