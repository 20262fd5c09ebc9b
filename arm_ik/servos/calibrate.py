# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Calibrate: find zeros, directions and ranges of one arm, and write its servos file.

The arm is held in three poses that are drawn from its file. From the first to the second each
joint turns far: that tells its direction. The zero is the mean of all three; a joint that does not
fit them is not the one it is taken for, or was not held as drawn. Then every joint is moved to
both ends. Nothing is written to a servo but its torque.
"""

from math import degrees, pi, radians
from pathlib import Path

from . import scan
from .given import arm_of, find_each, shown
from .named_poses import home_pose, named_poses
from .posing import ByHand, ByKeys, reach_pose
from .terminal import table
from .writing import bus_of, joint_names, servos_text, write_new
from ..drivers.families import family_name
from ..drivers.families import bus_kind
from ..drivers.servos_file import servos_from_parameters
from ..errors import DriverError

#: How far a joint may be from where a pose has it [rad].
TOLERANCE = radians(10.0)

#: A gripper moves at least so many ticks, or microseconds.
_LEAST_OPENING = 40

#: Steps of the keys: degrees where ticks are an angle, else microseconds.
_STEPS_DEG, _STEPS_US = (1.0, 5.0), (6.0, 50.0)

#: Where a servos file says which homing offset stands in the servo.
_WITH_OFFSET = ('feetech', 'dynamixel')

_BUS_KEYS = ('backend', 'port', 'baud', 'joints', 'verified')


def run(options, terminal):
    """Calibrate an arm; return the exit code."""
    arm = arm_of(options.arm)
    block, source = bus_of(arm, options.like)
    kind = bus_kind(family_name(block['backend'], block.get('protocol')))
    port = scan.port_of(options.port or (block.get('port') if options.like else None), kind)
    path = Path(options.output or f'my_{arm.name}.yaml')
    block = {**block, 'port': port, **({'baud': options.baud} if options.baud else {})}
    terminal.say(f'{arm.name}, {kind.name} servos on {port}; {kind.address}s as in {source}.')
    if path.exists() and not options.dry_run:
        terminal.confirm(f'{path} is there already. Write over it in the end?')
    template = servos_from_parameters(block, joint_names(arm), source)
    with kind(port, block.get('baud'), **{key: value for key, value in block.items()
                                          if key not in _BUS_KEYS}) as bus:
        arm_on_bus = _ArmOnBus(arm, template, bus, terminal)
        joints = _joints(terminal, arm_on_bus, block)
    text = servos_text(arm, block, joints, 'as arm_ik servos calibrate found them')
    write_new(terminal, path, text, options.dry_run)
    return 0


class _ArmOnBus:
    """The servos of an arm, by joint name; ticks go on where a servo's own jump at its wrap."""

    def __init__(self, arm, template, bus, terminal):
        self.arm, self.template, self.bus = arm, template, bus
        self.servos = {name: servo for name, servo in template.joints.items() if not servo.same_as}
        self.ids = {name: getattr(servo, bus.address) for name, servo in self.servos.items()}
        self.found = find_each(terminal, bus, self.ids)
        self._wraps = bus.turn and bus.last_tick + 1 == bus.turn
        self._last, self._ticks = {}, {}
        self.seen = {}      # least and greatest ticks

    def called(self, name):
        """Return a joint with its servo, for messages."""
        return f'{name} ({self.bus.address} {self.ids[name]})'

    def every_id(self):
        return [each for name, servo in self.servos.items()
                for each in (self.ids[name], *servo.shadow_ids)]

    def read(self):
        """Return ticks by joint name."""
        answers = self.bus.read(list(self.ids.values()))
        now = {name: answers[servo_id] for name, servo_id in self.ids.items()
               if servo_id in answers}
        for name, tick in now.items():
            before = self._last.get(name, tick)
            step = tick - before
            if self._wraps:
                step = (step + self.bus.turn / 2) % self.bus.turn - self.bus.turn / 2
            self._ticks[name] = self._ticks.get(name, tick) + step
            self._last[name] = tick
            at = self._ticks[name]
            least, greatest = self.seen.get(name, (at, at))
            self.seen[name] = min(least, at), max(greatest, at)
        return {name: self._ticks[name] for name in now}

    def write(self, ticks):
        self.bus.write({self.ids[name]: round(tick) for name, tick in ticks.items()})

    def table(self, at):
        """Return lines on where the servos are."""
        return table(('joint', self.bus.address, 'tick'), [
            (name, servo_id, f'{at[name]:.0f}' if name in at else 'no answer')
            for name, servo_id in self.ids.items()])


def _joints(terminal, arm_on_bus, block):
    """Return what is to stand in the servos file, by joint name."""
    model, bus = arm_on_bus.arm.model, arm_on_bus.bus
    poser = _poser(terminal, arm_on_bus)
    chain, grippers = ([joint for joint in joints if joint.name in arm_on_bus.ids]
                       for joints in (model.joints, model.extra_joints))
    poses = named_poses(model)
    while True:
        ticks = [reach_pose(terminal, model, poser, pose, number, arm_on_bus.table)
                 for number, pose in enumerate(poses, start=1)]
        fits = {joint.name: _Fit(bus.turn, [pose.positions[joint.name] for pose in poses],
                                 [at[joint.name] for at in ticks]) for joint in chain}
        wrong = [f'{arm_on_bus.called(name)} {fit.complaint}'
                 for name, fit in fits.items() if fit.complaint]
        wrong += [f'{arm_on_bus.called(name)} did not move from pose 1, closed, to pose 2, open'
                  for name in (joint.name for joint in grippers)
                  if abs(ticks[1][name] - ticks[0][name]) < _LEAST_OPENING]
        if not wrong:
            break
        terminal.say('', 'These joints do not fit the drawings:', *(f'- {each}' for each in wrong),
                     "Held otherwise than drawn? If not: is that the id of another joint's servo?")
        terminal.confirm('Hold all three poses again?')
    if bus.has_feedback:
        _record_ranges(terminal, poser, arm_on_bus, chain, fits)
    joints, rows = {}, []
    for joint in chain:
        fit = fits[joint.name]
        lower, upper, notes = _range(joint, fit, arm_on_bus)
        terminal.say(*notes)
        joints[joint.name] = _entry(arm_on_bus, joint.name, block, fit.entry(lower, upper))
        low, high = sorted((fit.position(lower), fit.position(upper)))
        rows.append((joint.name, arm_on_bus.ids[joint.name], f'{fit.zero:.0f}', fit.direction,
                     f'{lower}..{upper}', f'{degrees(low):.0f}..{degrees(high):.0f}',
                     f'{degrees(joint.lower):.0f}..{degrees(joint.upper):.0f}',
                     f'{degrees(fit.worst):.1f}'))
    for joint in grippers:
        closed, opened = (_own(at[joint.name], arm_on_bus, joint.name) for at in ticks[:2])
        joints[joint.name] = _entry(arm_on_bus, joint.name, block, curve(
            arm_on_bus.servos[joint.name].ticks, joint, closed, opened))
        rows.append((joint.name, arm_on_bus.ids[joint.name], '', '', f'{closed}..{opened}',
                     f'{shown(joint, joint.closed)}..{shown(joint, joint.open)}', '', ''))
    for name, servo in arm_on_bus.template.joints.items():
        if servo.same_as:
            joints[name] = {'same_as': servo.same_as}
    terminal.say('', *table(('joint', bus.address, 'zero', 'direction', 'ticks', 'degrees',
                             'arm file', 'held within deg'), rows))
    return joints


def _poser(terminal, arm_on_bus):
    model, bus, servos = arm_on_bus.arm.model, arm_on_bus.bus, arm_on_bus.servos
    if bus.has_feedback:
        return ByHand(terminal, bus.name, list(arm_on_bus.ids), arm_on_bus.read,
                      lambda: bus.set_torque(False, arm_on_bus.every_id()))
    home = home_pose(model).positions

    def start(name):
        tick = servos[name].ticks.tick(home[name])
        arm_on_bus.write({name: tick})
        bus.set_torque(True, [arm_on_bus.ids[name]])
        return tick

    steps = [step / 360.0 * bus.turn for step in _STEPS_DEG] if bus.turn else _STEPS_US
    points = {name: servo.ticks.points for name, servo in servos.items()}
    return ByKeys(terminal, arm_on_bus.write, dict.fromkeys(servos, steps), {
        name: (ends[0][0], ends[-1][0]) for name, ends in points.items()}).begin(model, start)


class _Fit:
    """
    Zero and direction of one joint.

    :param turn: ticks a turn; ``None``: that is found, too.
    :param positions: of the joint in the three poses [rad].
    :param ticks: in the three poses.
    """

    def __init__(self, turn, positions, ticks):
        turned, wanted = ticks[1] - ticks[0], positions[1] - positions[0]
        self.is_pulse = turn is None
        self.direction = 1 if turned * wanted > 0 else -1
        self._scale = abs(turned / wanted) if self.is_pulse and turned else (turn or 4096) / 2 / pi
        zeros = [tick - self.direction * at * self._scale for tick, at in zip(ticks, positions)]
        self.zero = sum(zeros) / len(zeros)
        off = [(self.position(tick) - at) for tick, at in zip(ticks, positions)]
        self.worst = max(map(abs, off))
        self.complaint = '' if self.worst <= TOLERANCE else 'turned ' + '; '.join(
            f'{abs(self.degrees(tick - ticks[0])):.0f} deg from {where}, drawn are '
            f'{abs(degrees(at - positions[0])):.0f}' for tick, at, where in zip(
                ticks[1:], positions[1:], ('pose 1 to 2', '1 to 3')))

    def position(self, tick):
        """Return the joint's position [rad] at a tick."""
        return self.direction * (tick - self.zero) / self._scale

    def tick(self, position):
        """Return the tick at a position [rad]."""
        return self.zero + self.direction * position * self._scale

    def degrees(self, ticks):
        """Return how far a number of ticks is."""
        return degrees(ticks / self._scale)

    def entry(self, lower, upper):
        """Return what stands in the servos file."""
        if self.is_pulse:
            return {'ticks': [lower, upper],
                    'positions': [round(self.position(tick), 4) for tick in (lower, upper)]}
        return {'zero': round(self.zero), 'direction': self.direction,
                'lower_tick': lower, 'upper_tick': upper}


def _record_ranges(terminal, poser, arm_on_bus, chain, fits):
    def lines(at):
        rows = []
        for joint in chain:
            fit = fits[joint.name]
            low, high = sorted(fit.position(tick) for tick in arm_on_bus.seen[joint.name])
            rows.append((joint.name, f'{degrees(low):.0f}',
                         f'{degrees(fit.position(at[joint.name])):.0f}'
                         if joint.name in at else 'no answer', f'{degrees(high):.0f}',
                         f'{degrees(joint.lower):.0f} to {degrees(joint.upper):.0f}'))
        return table(('joint', 'least', 'now', 'most', 'arm file, degrees'), rows)

    arm_on_bus.seen = {}
    while True:
        poser.reach('Now move every joint to both of its ends', lines)
        short = [f'{joint.name} ({fits[joint.name].degrees(most - least):.0f} of '
                 f'{degrees(joint.upper - joint.lower):.0f} deg)'
                 for joint in chain for least, most in [arm_on_bus.seen[joint.name]]
                 if fits[joint.name].degrees(most - least)
                 < 0.5 * degrees(joint.upper - joint.lower)]
        if not short:
            return
        terminal.say(f'Less than half of the arm file\'s range: {", ".join(short)}. The arm will '
                     'go no farther than you have moved it.')
        if terminal.choose('Go on moving? n keeps these ranges.'):
            continue
        return


def _range(joint, fit, arm_on_bus):
    """Return the least and the greatest tick of a joint, and notes."""
    bus, found, notes = arm_on_bus.bus, arm_on_bus.found[joint.name], []
    needed = sorted((fit.tick(joint.lower), fit.tick(joint.upper)))
    if not bus.has_feedback:
        ends = arm_on_bus.servos[joint.name].ticks.points
        return (round(max(needed[0], ends[0][0])), round(min(needed[1], ends[-1][0])),
                [f'{joint.name}: its range is that of the arm file, not looked for'])
    least, greatest = arm_on_bus.seen[joint.name]
    if bus.turn:
        # The zero in the servo's own turn.
        turns = fit.zero // bus.turn * bus.turn
        fit.zero -= turns
        least, greatest, needed = least - turns, greatest - turns, [at - turns for at in needed]
    if least < 0 or greatest > bus.last_tick:
        if needed[0] < 0 or needed[1] > bus.last_tick:
            raise DriverError(
                bus.name, f'{arm_on_bus.called(joint.name)}: its range goes over the '
                f"servo's jump from {bus.last_tick} to 0, with its zero at {fit.zero:.0f}. Mount "
                'the horn so that the middle of the range is at about '
                f"{(bus.last_tick + 1) // 2}, or set that middle in the servo with its maker's "
                "tool (LeRobot's calibration does it), and calibrate again")
        notes.append(f"{joint.name}: it was turned beyond the servo's jump from {bus.last_tick} "
                     'to 0; it is driven up to there')
    lower, upper = max(round(least), 0), min(round(greatest), bus.last_tick)
    if found.upper_tick and (lower < found.lower_tick or upper > found.upper_tick):
        notes.append(f'{joint.name}: its EEPROM lets it go only from tick {found.lower_tick} to '
                     f'{found.upper_tick}')
        lower, upper = max(lower, found.lower_tick), min(upper, found.upper_tick)
    return lower, upper, notes


def curve(example, joint, closed, opened):
    """Return ticks and positions of a gripper: those of the example, brought to its ends."""
    places = [(example.tick(at), float(at)) for at in (joint.closed, joint.open)]
    if len(example.points) > 2:     # a horn and rods: not linear
        places = list(example.points)
    first, last = example.tick(joint.closed), example.tick(joint.open)
    return {'ticks': [round(closed + (tick - first) * (opened - closed) / (last - first))
                      for tick, _ in places],
            'positions': [round(at, 6) for _, at in places]}


def _own(tick, arm_on_bus, name):
    """Return the tick of a gripper as its servo counts."""
    bus = arm_on_bus.bus
    if bus.has_feedback and not 0 <= tick <= bus.last_tick:
        raise DriverError(
            bus.name, f"{arm_on_bus.called(name)}: it goes over the servo's jump "
            f'from {bus.last_tick} to 0 between closed and open; mount its horn otherwise')
    return round(tick)


def _entry(arm_on_bus, name, block, found):
    """Return a joint's block: what was found in place of what the example has."""
    given, servo = block['joints'][name], arm_on_bus.found[name]
    kept = {key: value for key, value in given.items()
            if key in ('id', 'channel', 'model', 'shadow_ids', 'drive_mode')}
    if 'model' in kept and not servo.model.startswith('model '):
        kept['model'] = servo.model
    after = {'homing_offset': servo.homing_offset} if servo.homing_offset is not None \
        and arm_on_bus.bus.name in _WITH_OFFSET else {}
    if 'max_force' in given:
        after['max_force'] = given['max_force']
    return {**kept, **found, **after}
