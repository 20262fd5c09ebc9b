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

from . import eeprom
from .given import find_each, new_file, shown
from .named_poses import home_pose, named_poses
from .posing import ByHand, ByKeys, reach_pose
from .terminal import table
from .writing import write_new
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


def run(options, terminal):
    """Calibrate an arm; return the exit code."""
    new = new_file(options, terminal)
    terminal.say(f'{new.arm.name}, {new.kind.name} servos on {new.block["port"]}; '
                 f'{new.kind.address}s as in {new.example.source}.')
    with new.kind(**new.block) as bus:
        servos = _Servos(terminal, new, bus)
        session = _Session(terminal, new, servos, options.dry_run)
        poser = _poser(terminal, servos)
        fits, ends = _held(terminal, servos, poser, session, options.no_eeprom)
        if servos.wraps:
            _make_way(terminal, servos, ends, session, options)
        if bus.has_feedback:
            _record_ranges(terminal, servos, poser, fits)
        found = _found(terminal, servos, fits, ends)
        if session.held['recentred'] and not options.dry_run:
            _write_limits(terminal, servos, session, found)
    write_new(terminal, new, found, 'as arm_ik servos calibrate found them', options.dry_run)
    if not options.dry_run:
        session.path.unlink(missing_ok=True)
    for name in sorted(servos.beyond):
        terminal.say(f"{name}: its range goes over the servo's jump from {bus.last_tick} to 0. "
                     f'Before that: arm_ik servos set {new.path}')
    return 0


class _Servos:
    """
    The servos of an arm, by joint name; ticks go on where an encoder jumps.

    ``found`` is what they tell, ``seen`` the least and the greatest ticks since it was cleared;
    ``beyond`` are the joints that go over the jump.
    """

    def __init__(self, terminal, new, bus):
        self.new, self.bus, self.model = new, bus, new.arm.model
        self.examples = {name: servo for name, servo in new.example.joints.items()
                         if not servo.same_as}
        self.ids = {name: getattr(servo, bus.address) for name, servo in self.examples.items()}
        self.chain, self.grippers = ([joint for joint in joints if joint.name in self.ids]
                                     for joints in (self.model.joints, self.model.extra_joints))
        self.found = find_each(terminal, bus, self.ids)
        wrong = ', '.join(self.called(name) for name, servo in self.found.items()
                          if any(odd.startswith('counts ') for odd in servo.odd))
        if wrong:
            raise DriverError(bus.name, f'{wrong}: before that, arm_ik servos set {new.arm.name}')
        self.wraps = bus.turn and bus.last_tick + 1 == bus.turn
        self.beyond, self.seen = set(), {}
        self._last, self._ticks = {}, {}

    def called(self, name):
        """Return a joint with its servo, for messages."""
        return f'{name} ({self.bus.address} {self.ids[name]})'

    def offset(self, name):
        """Return what has to be added to ticks of a servo for those of its encoder."""
        return self.found[name].homing_offset if self.bus.family.over_jump == 'offset' else 0

    def read(self):
        """Return ticks by joint name."""
        answers = self.bus.read(list(self.ids.values()))
        now = {name: answers[servo_id] + self.offset(name)
               for name, servo_id in self.ids.items() if servo_id in answers}
        for name, tick in now.items():
            step = self.nearest(tick - self._last.get(name, tick))
            self._ticks[name] = self._ticks.get(name, tick) + step
            self._last[name] = tick
            at = self._ticks[name]
            least, greatest = self.seen.get(name, (at, at))
            self.seen[name] = min(least, at), max(greatest, at)
        return {name: self._ticks[name] for name in now}

    def nearest(self, ticks, to=0.0):
        """Return a number of ticks, by whole turns as near as can be to another."""
        half = 0.5 * self.bus.turn if self.wraps else 0.0
        return to + (ticks - to + half) % self.bus.turn - half if self.wraps else ticks

    def shift(self, name, ends):
        """Return what has to be subtracted from ticks between these for those of the servo."""
        offset, turn = self.offset(name), self.bus.turn
        return offset + ((0.5 * sum(ends) - offset) // turn * turn if turn else 0)

    def crossing(self, ends):
        """Return the joints that between these ticks would go over the jump, or near it."""
        return [name for name, pair in ends.items() if self._crosses(name, *sorted(pair))]

    def _crosses(self, name, low, high):
        last, shift = self.bus.last_tick, self.shift(name, (low, high))
        # A whole turn has no room: then as far as the arm may have been held wrongly.
        room = _ROOM if high - low + 2 * _ROOM <= last else -TOLERANCE / 2.0 / pi * self.bus.turn
        return low - shift < room or high - shift > last - room

    def drivable(self, terminal, name, ticks):
        """Return two of a servo's ticks, brought to where it may be sent."""
        last, (low, high) = self.bus.last_tick, sorted(ticks)
        if name in self.beyond:
            more = max(0.0, high - low - last) / 2.0      # than a turn
            first, last = ceil(low + more), floor(high - more)
        else:
            servo = self.found[name]
            first, most = (servo.lower_tick, servo.upper_tick) if servo.upper_tick else (0, last)
            if low < 0 or high > last:
                terminal.say(f"{name}: it was turned beyond the servo's jump from {last} to 0; it "
                             'is driven up to there')
            if max(low, 0) < first or min(high, last) > most:
                terminal.say(f'{name}: its EEPROM lets it go only from tick {first} to {most}')
            last = most
        return [min(max(tick, first), last) for tick in ticks]

    def told(self, name):
        """Return what stands in the servos file as the servo itself says it."""
        servo, told = self.found[name], {}
        if self.examples[name].model and not servo.model.startswith('model '):
            told['model'] = servo.model
        if self.bus.family.over_jump:
            told['homing_offset'] = servo.homing_offset
        return told

    def write(self, ticks):
        self.bus.write({self.ids[name]: round(tick) for name, tick in ticks.items()})


class _Session:
    """
    What has been held so far, kept in a file of its own until the servos file is written.

    ``held`` are ticks of encoders pose by pose, the joints with a new offset, and the path of the
    backup file that says what was there before.
    """

    def __init__(self, terminal, new, servos, dry_run):
        self.path, self._terminal = new.path.with_name(f'{new.path.name}.session'), terminal
        self._dry_run = dry_run
        mark = [new.block['port'], new.arm.name, servos.ids]    # tells this arm from others
        self.held = {'mark': mark, 'poses': [], 'recentred': [], 'backup': None}
        try:
            held = json.loads(self.path.read_text(encoding='utf-8'))
            if held['mark'] == mark and held['poses'] and terminal.choose(
                    f'{len(held["poses"])} of 3 poses of this arm were held before, and its horns '
                    'are still as they were? Go on from there?'):
                self.held = held
        except (OSError, ValueError, KeyError, TypeError):
            pass    # none

    def keep(self):
        """Keep what is held."""
        if not self._dry_run:
            self.path.write_text(json.dumps(self.held), encoding='utf-8')
            kept = '; the poses held are kept: the same command goes on there'
            self._terminal.state = self._terminal.state.removesuffix(kept) + kept


def _held(terminal, servos, poser, session, no_eeprom):
    """
    Have the arm held in its poses.

    :returns: the :class:`_Fit` of each joint of the chain, and the ticks between which each joint
        and gripper goes, by name.
    """
    poses = named_poses(servos.model)
    ticks = session.held['poses']
    while True:
        for number, pose in enumerate(poses[len(ticks):], start=len(ticks) + 1):
            ticks.append(reach_pose(terminal, servos.model, poser, pose, number, partial(
                _lines, servos, poses[:number], tuple(ticks))))
            session.keep()
            if number == 1 and no_eeprom and servos.wraps:
                _foretell(terminal, servos, poses[0].positions, ticks[0])
        fits = {joint.name: _Fit(servos, [pose.positions[joint.name] for pose in poses],
                                 [at[joint.name] for at in ticks]) for joint in servos.chain}
        ends = {joint.name: [ticks[0][joint.name], servos.nearest(
            ticks[1][joint.name], ticks[0][joint.name])] for joint in servos.grippers}
        wrong = [f'{servos.called(name)} {fit.complaint}'
                 for name, fit in fits.items() if fit.complaint]
        wrong += [f'{servos.called(name)} did not move from pose 1, closed, to pose 2, open'
                  for name, (closed, opened) in ends.items()
                  if abs(opened - closed) < _LEAST_OPENING]
        if not wrong:
            return fits, {**ends, **{joint.name: [fits[joint.name].tick(at) for at in (
                joint.lower, joint.upper)] for joint in servos.chain}}
        terminal.say('', 'These joints do not fit the drawings:', *(f'- {each}' for each in wrong),
                     "Held otherwise than drawn? If not: is that the id of another joint's servo?")
        terminal.confirm('Hold all three poses again?')
        ticks.clear()


def _found(terminal, servos, fits, ends):
    """Return what is to stand in the servos file, by joint name; show it."""
    found, rows = {}, []
    for joint in servos.chain:
        fit, name = fits[joint.name], joint.name
        shift = servos.shift(name, ends[name])
        fit.zero -= shift
        if servos.bus.has_feedback:
            lower, upper = servos.drivable(
                terminal, name, [round(tick - shift) for tick in servos.seen[name]])
        else:
            (first, _), *_, (last, _) = servos.examples[name].ticks.points
            lower, upper = (round(min(max(tick, first), last)) for tick in sorted(ends[name]))
            terminal.say(f'{name}: its range is that of the arm file, not looked for')
        found[name] = {**fit.entry(lower, upper), **servos.told(name)}
        low, high = sorted((fit.position(lower), fit.position(upper)))
        rows.append((name, servos.ids[name], f'{fit.zero:.0f}', fit.direction,
                     f'{lower}..{upper}', f'{degrees(low):.0f}..{degrees(high):.0f}',
                     f'{degrees(joint.lower):.0f}..{degrees(joint.upper):.0f}',
                     f'{degrees(fit.worst):.1f}'))
    for joint in servos.grippers:
        name, shift = joint.name, servos.shift(joint.name, ends[joint.name])
        closed, opened = servos.drivable(
            terminal, name, [round(tick - shift) for tick in ends[name]])
        found[name] = {**curve(servos.examples[name].ticks, joint, closed, opened),
                       **servos.told(name)}
        rows.append((name, servos.ids[name], '', '', f'{closed}..{opened}',
                     f'{shown(joint, joint.closed)}..{shown(joint, joint.open)}', '', ''))
    terminal.say('', *table(('joint', servos.bus.address, 'zero', 'direction', 'ticks', 'degrees',
                             'arm file', 'held within deg'), rows))
    return found


def _write_limits(terminal, servos, session, found):
    """Write the ends of joints with a new offset into their EEPROMs, as limits."""
    # With some room: a servo outside of its limits moves as soon as it holds.
    limits = {}
    for name in session.held['recentred']:
        ends = found[name].get('ticks') or [found[name][key] for key in ('lower_tick',
                                                                         'upper_tick')]
        limits[name] = {'lower limit': max(min(ends) - _ROOM, 0),
                        'upper limit': min(max(ends) + _ROOM, servos.bus.last_tick)}
    eeprom.write(terminal, servos.bus, servos.ids, limits, session.held['backup'])
    terminal.say(f'written into the EEPROM: limits of {", ".join(limits)}')


def _lines(servos, poses, held, at):
    """Return lines on how far joints have turned from the first pose, beside the drawing."""
    bus, rows, chain = servos.bus, [], {joint.name for joint in servos.chain}
    if not bus.has_feedback:
        return table(('joint', bus.address, 'tick'), [
            (name, servo_id, f'{at[name]:.0f}') for name, servo_id in servos.ids.items()])
    for name, servo_id in servos.ids.items():
        row = ['', '', '', 'answers' if name in at else 'no answer']
        if held and name in at and name in chain:
            positions = [pose.positions[name] for pose in poses]
            fit = _Fit(servos, positions, [*(ticks[name] for ticks in held), at[name]])
            wanted = positions[-1] - positions[0]
            off = fit.direction * fit.degrees(servos.nearest(
                at[name] - held[0][name] - fit.tick(wanted) + fit.tick(0.0)))
            row = [f'{degrees(wanted) + off:.0f}', f'{degrees(wanted):.0f}',
                   f'{round(off):+d}', 'ok' if abs(off) <= degrees(TOLERANCE) else 'too far']
        rows.append((name, servo_id, *row))
    return table(('joint', bus.address, 'turned deg', 'drawn', 'off', ''), rows)


def _foretell(terminal, servos, positions, ticks):
    """Name the joints that will go over the jump, if they turn as those of the example do."""
    ends = {}
    for joint in (*servos.chain, *servos.grippers):
        name, example = joint.name, servos.examples[joint.name].ticks
        ends[name] = [ticks[name] + example.tick(end) - example.tick(positions[name])
                      for end in (joint.lower, joint.upper)]
    names = ', '.join(map(servos.called, servos.crossing(ends)))
    if names:
        terminal.say(f'Over the jump from {servos.bus.last_tick} to 0, if they turn as in the '
                     f'example: {names}. They cannot be driven so: {_REMEDY}.')
        terminal.confirm('Go on all the same?')


def _make_way(terminal, servos, ends, session, options):
    """
    See to it that joints can go over the jump of their servos.

    :param ends: ticks between which joints go, by name.
    :raises DriverError: naming those that cannot.
    """
    bus, crossing = servos.bus, servos.crossing(ends)
    if not crossing:
        return
    called = ', '.join(map(servos.called, crossing))
    terminal.say('', f"Over the servo's jump from {bus.last_tick} to 0: {called}.")
    if options.no_eeprom or not bus.family.over_jump:
        raise DriverError(bus.name, f'{called}: to drive that, {_REMEDY}')
    if bus.family.over_jump == 'turns':
        servos.beyond.update(crossing)
        return
    after = {}
    for name in crossing:
        offset = round(servos.nearest(0.5 * sum(ends[name]) - _MIDDLE))
        offset = max(-_MOST_OFFSET, min(offset, _MOST_OFFSET))
        after[name] = servos.found[name]._replace(
            lower_tick=0, upper_tick=bus.last_tick, homing_offset=offset)
    changes, settings = eeprom.changes_of(
        terminal, bus, {name: servos.ids[name] for name in crossing}, lambda name, _: {
            'lower limit': 0, 'upper limit': bus.last_tick,
            'homing offset': after[name].homing_offset})
    terminal.say('Later the limits become the ends that you move them to. Nothing moves now.',
                 "A calibration file of LeRobot's does not fit this arm any more then: calibrate "
                 'there anew, or restore what was there.')
    terminal.begin(f'Write that into the EEPROM of {len(changes)} servos?')
    before, held = servos.read(), session.held
    held['backup'] = eeprom.back_up(terminal, bus, servos.new.block['port'], servos.ids, settings)
    held['recentred'] += [name for name in crossing if name not in held['recentred']]
    session.keep()
    eeprom.write(terminal, bus, servos.ids, changes, held['backup'])
    servos.found.update(after)
    now, limit = servos.read(), TOLERANCE / 2.0 / pi * bus.turn
    wrong = ', '.join(servos.called(name) for name in crossing if abs(servos.nearest(
        now.get(name, 0.0) - before.get(name, 0.0))) > limit)
    if wrong:
        raise DriverError(bus.name, f'{wrong}: not where the new offset has it, or moved '
                          f"meanwhile: arm_ik servos restore {held['backup']}, and try again")
    terminal.say('Written and read back.')


def _poser(terminal, servos):
    bus, examples = servos.bus, servos.examples
    if bus.has_feedback:
        every_id = [each for name, servo in examples.items()
                    for each in (servos.ids[name], *servo.shadow_ids)]
        return ByHand(terminal, list(servos.ids), servos.read,
                      lambda: bus.set_torque(False, every_id))
    home = home_pose(servos.model).positions

    def start(name):
        tick = examples[name].ticks.tick(home[name])
        servos.write({name: tick})
        bus.set_torque(True, [servos.ids[name]])
        return tick

    steps = [step / 360.0 * bus.turn for step in _STEPS_DEG] if bus.turn else _STEPS_US
    points = {name: servo.ticks.points for name, servo in examples.items()}
    return ByKeys(terminal, servos.model, start, servos.write, dict.fromkeys(examples, steps),
                  {name: (ends[0][0], ends[-1][0]) for name, ends in points.items()})


class _Fit:
    """
    Zero and direction of one joint.

    :param servos: which have so many ticks a turn, or ``None``: that is found, too.
    :param positions: of the joint in the poses [rad].
    :param ticks: in the poses.
    """

    def __init__(self, servos, positions, ticks):
        turned, wanted = ticks[1] - ticks[0], positions[1] - positions[0]
        turn, self.ticks = servos.bus.turn, ticks
        self.is_pulse = turn is None
        self._scale = abs(turned / wanted) if self.is_pulse and turned else (turn or 4096) / 2 / pi
        seen = 1 if turned * wanted > 0 else -1
        # Moved while nobody looked, a servo may be a turn from where it is believed.
        for direction in (seen, -seen, seen) if servos.wraps else (seen,):
            self._fit(servos, positions, direction)
            if self.worst <= TOLERANCE:
                break
        self.complaint = '' if self.worst <= TOLERANCE else 'turned ' + '; '.join(
            f'{abs(self.degrees(tick - ticks[0])):.0f} deg from {where}, drawn are '
            f'{abs(degrees(at - positions[0])):.0f}' for tick, at, where in zip(
                ticks[1:], positions[1:], ('pose 1 to 2', '1 to 3')))

    def _fit(self, servos, positions, direction):
        zeros = [tick - direction * at * self._scale for tick, at in zip(self.ticks, positions)]
        zeros = [servos.nearest(zero, zeros[0]) for zero in zeros]
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


def _record_ranges(terminal, servos, poser, fits):
    def lines(at):
        rows = []
        for joint in servos.chain:
            fit = fits[joint.name]
            low, high = sorted(fit.position(tick) for tick in servos.seen[joint.name])
            rows.append((joint.name, f'{degrees(low):.0f}',
                         f'{degrees(fit.position(at[joint.name])):.0f}'
                         if joint.name in at else 'no answer', f'{degrees(high):.0f}',
                         f'{degrees(joint.lower):.0f} to {degrees(joint.upper):.0f}'))
        return table(('joint', 'least', 'now', 'most', 'arm file, degrees'), rows)

    servos.seen = {}
    while True:
        poser.reach('Now move every joint to both of its ends', lines)
        short = []
        for joint in servos.chain:
            least, most = servos.seen[joint.name]
            moved, whole = fits[joint.name].degrees(most - least), joint.upper - joint.lower
            if moved < 0.5 * degrees(whole):
                short.append(f'{joint.name} ({moved:.0f} of {degrees(whole):.0f} deg)')
        if not short or not terminal.choose(
                f'Less than half of the arm file\'s range: {", ".join(short)}. The arm will go no '
                'farther than you have moved it. Go on moving? n keeps these ranges.'):
            return


def curve(example, joint, closed, opened):
    """Return ticks and positions of a gripper: those of the example, brought to its ends."""
    places = [(example.tick(at), float(at)) for at in (joint.closed, joint.open)]
    if len(example.points) > 2:     # a horn and rods: not linear
        places = list(example.points)
    first, last = example.tick(joint.closed), example.tick(joint.open)
    return {'ticks': [round(closed + (tick - first) * (opened - closed) / (last - first))
                      for tick, _ in places],
            'positions': [round(at, 6) for _, at in places]}
