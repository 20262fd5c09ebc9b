# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Calibrate: find zeros, directions and ranges of one arm, and write its servos file.

The arm is held in three poses that are drawn from its file. The direction is the one by which all
three give the same zero; the zero is their mean. A joint that does not fit them is not the one it
is taken for, or was not held as drawn. Then every joint is moved to both ends.

A servo counts from 0 to 4095 wherever its horn sits. Where a joint would go over that jump, the
homing offset in the EEPROM is set so that the middle of its range is in the middle of the turn::

    tick = encoder - homing offset

Until the servos file is written, ticks are those of the encoders here.
"""

from functools import partial
import json
from math import ceil, degrees, floor, pi, radians
from pathlib import Path

from . import eeprom, scan
from .given import arm_of, find_each, shown
from .named_poses import home_pose, named_poses
from .posing import ByHand, ByKeys, reach_pose
from .terminal import table
from .writing import bus_of, servos_text, write_new
from ..drivers.families import bus_kind
from ..errors import DriverError

#: How far a joint may be from where a pose has it [rad].
TOLERANCE = radians(10.0)

#: A gripper moves at least so many ticks, or microseconds.
_LEAST_OPENING = 40

#: Steps of the keys: degrees where ticks are an angle, else microseconds.
_STEPS_DEG, _STEPS_US = (1.0, 5.0), (6.0, 50.0)

#: A joint keeps so far from the jump [ticks]: sag and backlash must not carry it over.
_ROOM = 34

#: Where a homing offset puts the middle of a range, as LeRobot does; and the largest one.
_MIDDLE, _MOST_OFFSET = 2047, 2047

#: What is left to those who write no EEPROM.
_REMEDY = ('mount the horn so that the middle of the range is in the middle of the turn, or '
           'calibrate without --no-eeprom')

_ENDS = ('lower_tick', 'upper_tick')

_BUS_KEYS = ('backend', 'port', 'baud', 'joints', 'verified')


def run(options, terminal):
    """Calibrate an arm; return the exit code."""
    arm = arm_of(options.arm)
    block, template, source = bus_of(arm, options.like)
    kind = bus_kind(template.family)
    port = scan.port_of(options.port or (block.get('port') if options.like else None), kind)
    path = Path(options.output or f'my_{arm.name}.yaml')
    block = {**block, 'port': port, **({'baud': options.baud} if options.baud else {})}
    terminal.say(f'{arm.name}, {kind.name} servos on {port}; {kind.address}s as in {source}.')
    if path.exists() and not options.dry_run:
        terminal.confirm(f'{path} is there already. Write over it in the end?')
    with kind(port, block.get('baud'), **{key: value for key, value in block.items()
                                          if key not in _BUS_KEYS}) as bus:
        arm_on_bus = _ArmOnBus(arm, template, bus, terminal)
        kept = path.with_name(f'{path.name}.session')
        session = _session_of(terminal, kept, [port, arm.name, arm_on_bus.ids])
        joints = _joints(terminal, arm_on_bus, block, session, options, kept)
    text = servos_text(arm, block, joints, 'as arm_ik servos calibrate found them')
    write_new(terminal, path, text, options.dry_run)
    kept.unlink(missing_ok=True)
    for name in sorted(arm_on_bus.beyond):
        terminal.say(f"{name}: its range goes over the servo's jump from {bus.last_tick} to 0. "
                     f'Before that: arm_ik servos set {path}')
    return 0


def _session_of(terminal, path, mark):
    """
    Return what has been held so far, as the user likes.

    :param path: of the file that keeps it.
    :param mark: what tells this arm from others.
    """
    try:
        session = json.loads(path.read_text(encoding='utf-8'))
        if session['mark'] == mark and session['poses'] and terminal.choose(
                f'{len(session["poses"])} of 3 poses of this arm were held before, and its horns '
                'are still as they were? Go on from there?'):
            return session
    except (OSError, ValueError, KeyError, TypeError):
        pass    # none
    # Ticks of encoders, pose by pose; joints with a new offset; what was there before.
    return {'mark': mark, 'poses': [], 'recentred': [], 'backup': None}


class _ArmOnBus:
    """The servos of an arm, by joint name; ticks go on where an encoder jumps."""

    def __init__(self, arm, template, bus, terminal):
        self.arm, self.template, self.bus = arm, template, bus
        self.servos = {name: servo for name, servo in template.joints.items() if not servo.same_as}
        self.ids = {name: getattr(servo, bus.address) for name, servo in self.servos.items()}
        self.found = find_each(terminal, bus, self.ids)
        wrong = ', '.join(self.called(name) for name, servo in self.found.items()
                          if any(odd.startswith('counts ') for odd in servo.odd))
        if wrong:
            raise DriverError(bus.name, f'{wrong}: before that, arm_ik servos set {arm.name}')
        self.wraps = bus.turn and bus.last_tick + 1 == bus.turn
        # What stands in the servo, and what will.
        self.offsets = {name: servo.homing_offset if bus.family.over_jump == 'offset' else 0
                        for name, servo in self.found.items()}
        self.planned, self._first = dict(self.offsets), dict(self.offsets)
        self.beyond = set()     # joints that go over the jump
        self._last, self._ticks = {}, {}
        self.seen = {}      # least and greatest ticks

    def called(self, name):
        """Return a joint with its servo, for messages."""
        return f'{name} ({self.bus.address} {self.ids[name]})'

    def read(self):
        """Return ticks by joint name."""
        answers = self.bus.read(list(self.ids.values()))
        now = {name: answers[servo_id] + self.offsets[name]
               for name, servo_id in self.ids.items() if servo_id in answers}
        for name, tick in now.items():
            step = self.nearest(tick - self._last.get(name, tick))
            self._ticks[name] = self._ticks.get(name, tick) + step
            self._last[name] = tick
            at = self._ticks[name]
            least, greatest = self.seen.get(name, (at, at))
            self.seen[name] = min(least, at), max(greatest, at)
        return {name: self._ticks[name] for name in now}

    def limits(self, name):
        """Return the ticks that a servo's EEPROM allows; with a new offset, all."""
        found = self.found[name]
        return (found.lower_tick, found.upper_tick) if found.upper_tick \
            and self.planned[name] == self._first[name] else (0, self.bus.last_tick)

    def nearest(self, ticks, to=0.0):
        """Return a number of ticks, by whole turns as near as can be to another."""
        half = 0.5 * self.bus.turn if self.wraps else 0.0
        return to + (ticks - to + half) % self.bus.turn - half if self.wraps else ticks

    def shift(self, name, middle):
        """Return what has to be subtracted from ticks near another for those of the servo."""
        planned, turn = self.planned[name], self.bus.turn
        return planned + ((middle - planned) // turn * turn if turn else 0)

    def crosses(self, name, ends):
        """Tell whether a joint between these ticks would go over the servo's jump, or near it."""
        low, high = sorted(ends)
        last, shift = self.bus.last_tick, self.shift(name, 0.5 * (low + high))
        # A whole turn has no room: then as far as the arm may have been held wrongly.
        room = _ROOM if high - low + 2 * _ROOM <= last else -TOLERANCE / 2.0 / pi * self.bus.turn
        return low - shift < room or high - shift > last - room

    def write(self, ticks):
        self.bus.write({self.ids[name]: round(tick) for name, tick in ticks.items()})

    def table(self, at):
        """Return lines on where the servos are."""
        return table(('joint', self.bus.address, 'tick'), [
            (name, servo_id, f'{at[name]:.0f}' if name in at else 'no answer')
            for name, servo_id in self.ids.items()])


def _joints(terminal, arm_on_bus, block, session, options, kept):
    """Return what is to stand in the servos file, by joint name."""
    model, bus = arm_on_bus.arm.model, arm_on_bus.bus
    poser = _poser(terminal, arm_on_bus)
    chain, grippers = ([joint for joint in joints if joint.name in arm_on_bus.ids]
                       for joints in (model.joints, model.extra_joints))
    poses = named_poses(model)
    ticks, left = session['poses'], terminal.state
    while True:
        for number, pose in enumerate(poses[len(ticks):], start=len(ticks) + 1):
            at = reach_pose(terminal, model, poser, pose, number, partial(
                _lines, arm_on_bus, chain, poses[:number], ticks))
            ticks.append(at)
            if not options.dry_run:
                kept.write_text(json.dumps(session), encoding='utf-8')
                terminal.state = f'{left}; the poses held are kept: the same command goes on there'
            if number == 1 and options.no_eeprom and arm_on_bus.wraps:
                _foretell(terminal, arm_on_bus, poses[0].positions, ticks[0])
        fits = {joint.name: _Fit(arm_on_bus, [pose.positions[joint.name] for pose in poses],
                                 [at[joint.name] for at in ticks]) for joint in chain}
        wrong = [f'{arm_on_bus.called(name)} {fit.complaint}'
                 for name, fit in fits.items() if fit.complaint]
        wrong += [f'{arm_on_bus.called(name)} did not move from pose 1, closed, to pose 2, open'
                  for name in (joint.name for joint in grippers)
                  if abs(arm_on_bus.nearest(ticks[1][name] - ticks[0][name])) < _LEAST_OPENING]
        if not wrong:
            break
        terminal.say('', 'These joints do not fit the drawings:', *(f'- {each}' for each in wrong),
                     "Held otherwise than drawn? If not: is that the id of another joint's servo?")
        terminal.confirm('Hold all three poses again?')
        ticks.clear()
    ends = {joint.name: [fits[joint.name].tick(at) for at in (joint.lower, joint.upper)]
            for joint in chain}
    ends.update({joint.name: [ticks[0][joint.name], arm_on_bus.nearest(
        ticks[1][joint.name], ticks[0][joint.name])] for joint in grippers})
    if arm_on_bus.wraps:
        _make_way(terminal, arm_on_bus, ends, session, options, block, kept)
    if bus.has_feedback:
        _record_ranges(terminal, poser, arm_on_bus, chain, fits)
    joints, rows = {}, []
    for joint in chain:
        fit = fits[joint.name]
        lower, upper = _range(terminal, joint, fit, arm_on_bus)
        joints[joint.name] = _entry(arm_on_bus, joint.name, block, fit.entry(lower, upper))
        low, high = sorted((fit.position(lower), fit.position(upper)))
        rows.append((joint.name, arm_on_bus.ids[joint.name], f'{fit.zero:.0f}', fit.direction,
                     f'{lower}..{upper}', f'{degrees(low):.0f}..{degrees(high):.0f}',
                     f'{degrees(joint.lower):.0f}..{degrees(joint.upper):.0f}',
                     f'{degrees(fit.worst):.1f}'))
    for joint in grippers:
        closed, opened = _own(arm_on_bus, joint.name, ends[joint.name])
        joints[joint.name] = _entry(arm_on_bus, joint.name, block, curve(
            arm_on_bus.servos[joint.name].ticks, joint, closed, opened))
        rows.append((joint.name, arm_on_bus.ids[joint.name], '', '', f'{closed}..{opened}',
                     f'{shown(joint, joint.closed)}..{shown(joint, joint.open)}', '', ''))
    for name, servo in arm_on_bus.template.joints.items():
        if servo.same_as:
            joints[name] = {'same_as': servo.same_as}
    terminal.say('', *table(('joint', bus.address, 'zero', 'direction', 'ticks', 'degrees',
                             'arm file', 'held within deg'), rows))
    # With some room: a servo outside of its limits moves as soon as it holds.
    limits = {}
    for name in session['recentred']:
        found = joints[name].get('ticks') or [joints[name][key] for key in _ENDS]
        limits[name] = {'lower limit': max(min(found) - _ROOM, 0),
                        'upper limit': min(max(found) + _ROOM, bus.last_tick)}
    if limits and not options.dry_run:
        eeprom.write(terminal, bus, arm_on_bus.ids, limits, session['backup'])
        terminal.say(f'written into the EEPROM: limits of {", ".join(limits)}')
    return joints


def _lines(arm_on_bus, chain, poses, held, at):
    """Return lines on how far joints have turned from the first pose, beside the drawing."""
    if not arm_on_bus.bus.has_feedback:
        return arm_on_bus.table(at)
    rows, drawn = [], {joint.name for joint in chain}
    for name, servo_id in arm_on_bus.ids.items():
        row = ['', '', '', 'answers' if name in at else 'no answer']
        if held and name in at and name in drawn:
            positions = [pose.positions[name] for pose in poses]
            fit = _Fit(arm_on_bus, positions, [*(ticks[name] for ticks in held), at[name]])
            wanted = positions[-1] - positions[0]
            off = fit.direction * fit.degrees(arm_on_bus.nearest(
                at[name] - held[0][name] - fit.tick(wanted) + fit.tick(0.0)))
            row = [f'{degrees(wanted) + off:.0f}', f'{degrees(wanted):.0f}',
                   f'{round(off):+d}', 'ok' if abs(off) <= degrees(TOLERANCE) else 'too far']
        rows.append((name, servo_id, *row))
    return table(('joint', arm_on_bus.bus.address, 'turned deg', 'drawn', 'off', ''), rows)


def _foretell(terminal, arm_on_bus, positions, ticks):
    """Name the joints that will go over the jump, if they turn as those of the example do."""
    names = []
    for joint in (*arm_on_bus.arm.model.joints, *arm_on_bus.arm.model.extra_joints):
        example = arm_on_bus.servos.get(joint.name)
        if example and arm_on_bus.crosses(joint.name, [
                ticks[joint.name] + example.ticks.tick(end)
                - example.ticks.tick(positions[joint.name])
                for end in (joint.lower, joint.upper)]):
            names.append(arm_on_bus.called(joint.name))
    if names:
        terminal.say(f'Over the jump from {arm_on_bus.bus.last_tick} to 0, if they turn as in the '
                     f'example: {", ".join(names)}. They cannot be driven so: {_REMEDY}.')
        terminal.confirm('Go on all the same?')


def _make_way(terminal, arm_on_bus, ends, session, options, block, kept):
    """
    See to it that joints can go over the jump of their servos.

    :param ends: ticks between which joints go, by name.
    :raises DriverError: naming those that cannot.
    """
    bus = arm_on_bus.bus
    crossing = {name: 0.5 * sum(ends[name]) for name in ends
                if arm_on_bus.crosses(name, ends[name])}
    if not crossing:
        return
    called = ', '.join(map(arm_on_bus.called, crossing))
    terminal.say('', f"Over the servo's jump from {bus.last_tick} to 0: {called}.")
    if options.no_eeprom or not bus.family.over_jump:
        raise DriverError(bus.name, f'{called}: to drive that, {_REMEDY}')
    if bus.family.over_jump == 'turns':
        arm_on_bus.beyond.update(crossing)
        return
    for name, middle in crossing.items():
        offset = round(arm_on_bus.nearest(middle - _MIDDLE))
        arm_on_bus.planned[name] = max(-_MOST_OFFSET, min(offset, _MOST_OFFSET))
    changes, settings = eeprom.changes_of(
        terminal, bus, {name: arm_on_bus.ids[name] for name in crossing}, lambda name, _: {
            'lower limit': 0, 'upper limit': bus.last_tick,
            'homing offset': arm_on_bus.planned[name]})
    terminal.say('Later the limits become the ends that you move them to. Nothing moves now.',
                 "A calibration file of LeRobot's does not fit this arm any more then: calibrate "
                 'there anew, or restore what was there.')
    if options.dry_run:
        terminal.say('Dry run: nothing was written.')
        return
    terminal.confirm(f'Write that into the EEPROM of {len(changes)} servos?')
    before = arm_on_bus.read()
    session['backup'] = eeprom.back_up(terminal, bus, block['port'], arm_on_bus.ids, settings)
    session['recentred'] += [name for name in crossing if name not in session['recentred']]
    kept.write_text(json.dumps(session), encoding='utf-8')
    eeprom.write(terminal, bus, arm_on_bus.ids, changes, session['backup'])
    arm_on_bus.offsets.update({name: arm_on_bus.planned[name] for name in crossing})
    now, limit = arm_on_bus.read(), TOLERANCE / 2.0 / pi * bus.turn
    wrong = ', '.join(arm_on_bus.called(name) for name in crossing if abs(arm_on_bus.nearest(
        now.get(name, 0.0) - before.get(name, 0.0))) > limit)
    if wrong:
        raise DriverError(bus.name, f'{wrong}: not where the new offset has it, or moved '
                          f"meanwhile: arm_ik servos restore {session['backup']}, and try again")
    terminal.say('Written and read back.')


def _poser(terminal, arm_on_bus):
    model, bus, servos = arm_on_bus.arm.model, arm_on_bus.bus, arm_on_bus.servos
    if bus.has_feedback:
        every_id = [each for name, servo in servos.items()
                    for each in (arm_on_bus.ids[name], *servo.shadow_ids)]
        return ByHand(terminal, list(arm_on_bus.ids), arm_on_bus.read,
                      lambda: bus.set_torque(False, every_id))
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

    :param arm_on_bus: whose servos have so many ticks a turn; ``None``: that is found, too.
    :param positions: of the joint in the poses [rad].
    :param ticks: in the poses.
    """

    def __init__(self, arm_on_bus, positions, ticks):
        turned, wanted = ticks[1] - ticks[0], positions[1] - positions[0]
        turn, self.ticks = arm_on_bus.bus.turn, ticks
        self.is_pulse = turn is None
        self._scale = abs(turned / wanted) if self.is_pulse and turned else (turn or 4096) / 2 / pi
        seen = 1 if turned * wanted > 0 else -1
        # Moved while nobody looked, a servo may be a turn from where it is believed.
        for direction in (seen, -seen, seen) if arm_on_bus.wraps else (seen,):
            self._fit(arm_on_bus, positions, direction)
            if self.worst <= TOLERANCE:
                break
        self.complaint = '' if self.worst <= TOLERANCE else 'turned ' + '; '.join(
            f'{abs(self.degrees(tick - ticks[0])):.0f} deg from {where}, drawn are '
            f'{abs(degrees(at - positions[0])):.0f}' for tick, at, where in zip(
                ticks[1:], positions[1:], ('pose 1 to 2', '1 to 3')))

    def _fit(self, arm_on_bus, positions, direction):
        zeros = [tick - direction * at * self._scale for tick, at in zip(self.ticks, positions)]
        zeros = [arm_on_bus.nearest(zero, zeros[0]) for zero in zeros]
        self.direction, self.zero = direction, sum(zeros) / len(zeros)
        self.worst = max(abs(zero - self.zero) for zero in zeros) / self._scale

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
        if not short or not terminal.choose(
                f'Less than half of the arm file\'s range: {", ".join(short)}. The arm will go no '
                'farther than you have moved it. Go on moving? n keeps these ranges.'):
            return


def _range(terminal, joint, fit, arm_on_bus):
    """Return the least and the greatest tick of a joint; bring its fit to the servo's own."""
    bus = arm_on_bus.bus
    needed = sorted((fit.tick(joint.lower), fit.tick(joint.upper)))
    if not bus.has_feedback:
        ends = arm_on_bus.servos[joint.name].ticks.points
        terminal.say(f'{joint.name}: its range is that of the arm file, not looked for')
        return round(max(needed[0], ends[0][0])), round(min(needed[1], ends[-1][0]))
    shift = arm_on_bus.shift(joint.name, 0.5 * sum(needed))
    fit.zero -= shift
    lower, upper = (round(tick - shift) for tick in arm_on_bus.seen[joint.name])
    if joint.name in arm_on_bus.beyond:
        more = max(0, upper - lower - bus.last_tick) / 2.0      # than a turn
        return ceil(lower + more), floor(upper - more)
    if lower < 0 or upper > bus.last_tick:
        terminal.say(f"{joint.name}: it was turned beyond the servo's jump from {bus.last_tick} "
                     'to 0; it is driven up to there')
    lower, upper = max(lower, 0), min(upper, bus.last_tick)
    first, last = arm_on_bus.limits(joint.name)
    if lower < first or upper > last:
        terminal.say(f'{joint.name}: its EEPROM lets it go only from tick {first} to {last}')
    return max(lower, first), min(upper, last)


def curve(example, joint, closed, opened):
    """Return ticks and positions of a gripper: those of the example, brought to its ends."""
    places = [(example.tick(at), float(at)) for at in (joint.closed, joint.open)]
    if len(example.points) > 2:     # a horn and rods: not linear
        places = list(example.points)
    first, last = example.tick(joint.closed), example.tick(joint.open)
    return {'ticks': [round(closed + (tick - first) * (opened - closed) / (last - first))
                      for tick, _ in places],
            'positions': [round(at, 6) for _, at in places]}


def _own(arm_on_bus, name, ends):
    """Return the ticks of a gripper, closed and open, as its servo counts."""
    shift, (first, last) = arm_on_bus.shift(name, 0.5 * sum(ends)), arm_on_bus.limits(name)
    if name in arm_on_bus.beyond or not arm_on_bus.bus.has_feedback:
        return [round(tick - shift) for tick in ends]
    return [min(max(round(tick - shift), first), last) for tick in ends]


def _entry(arm_on_bus, name, block, found):
    """Return a joint's block: what was found in place of what the example has."""
    given, servo = block['joints'][name], arm_on_bus.found[name]
    kept = {key: value for key, value in given.items()
            if key in ('id', 'channel', 'model', 'shadow_ids', 'drive_mode')}
    if 'model' in kept and not servo.model.startswith('model '):
        kept['model'] = servo.model
    offset = arm_on_bus.planned[name] if arm_on_bus.bus.family.over_jump == 'offset' \
        else servo.homing_offset
    after = {'homing_offset': offset} if arm_on_bus.bus.family.over_jump else {}
    if 'max_force' in given:
        after['max_force'] = given['max_force']
    return {**kept, **found, **after}
