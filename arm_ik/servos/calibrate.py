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

That is written last, once the servos file is known and has passed its checks; until then ticks
are those of the encoders here, of any turn: a joint's are counted in the turn in which they are
nearest to the middle of its range.
"""

from dataclasses import replace
from math import ceil, degrees, floor, pi, radians, remainder

from . import eeprom
from .arguments import checked_joints, find_each, new_file, shown, write_new
from .named_poses import home_pose, named_poses, with_sums
from .posing import ByHand, ByKeys, NO_ANSWER, reach_pose, STILL, TOO_FAR
from .terminal import table
from ..drivers.servos_file import JointTicks
from ..errors import DriverError

#: How far a joint may be from where a pose has it [rad].
TOLERANCE = radians(10.0)

#: A gripper opens by at least this part of what the example's does.
_LEAST_OPENING = 0.5

#: Steps of the keys, of pulses [us].
_STEPS = (6.0, 50.0)

#: A joint keeps so far from the jump [ticks]: sag and backlash must not carry it over.
_ROOM = 34

#: Where a homing offset puts the middle of a range, as LeRobot does; and the largest one.
_MIDDLE, _MOST_OFFSET = 2047, 2047


def run(options, terminal):
    """Calibrate an arm; return the exit code."""
    new = new_file(options, terminal)
    terminal.say(f'{new.arm.name}, {new.kind.name} servos on {new.block["port"]}; '
                 f'{new.kind.address}s as in {new.example.source}.')
    with new.kind(**new.block) as bus:
        servos = _Servos(terminal, new, bus)
        poser, is_done = _poser(terminal, servos), False
        while not is_done:
            fits, ends = _hold(terminal, servos, poser)
            is_done = not bus.has_feedback or _record_ranges(terminal, servos, poser, fits, ends)
        if servos.wraps:
            _make_room(servos, ends)
        joints = checked_joints(new, _found(terminal, servos, fits, ends))
        if servos.recentred:
            _write_eeprom(terminal, servos, joints)
    write_new(terminal, new, joints, 'as arm_ik servos calibrate found them')
    for name in sorted(servos.beyond):
        terminal.say(f"{name}: its range goes over the servo's jump from {servos.last_tick} to 0. "
                     f'Before that: arm_ik servos set {new.path}')
    return 0


class _Servos:
    """
    The servos of an arm, by joint name, whose ticks are those of their encoders.

    ``found`` is what they say, or will say once their EEPROM is written; ``beyond`` are the joints
    that go over the jump, ``recentred`` those whose offset keeps them off it. ``ticks`` are those
    in which each joint was held pose by pose, ``seen`` the least and the most it was moved to.
    """

    def __init__(self, terminal, new, bus):
        self.new, self.bus, self.model = new, bus, new.arm.model
        self.examples = {name: servo for name, servo in new.example.joints.items()
                         if not servo.same_as}
        self.ids = {name: getattr(servo, bus.address) for name, servo in self.examples.items()}
        # Of a servo that turns the sum of two joints it is the sum that is found.
        self.plus = {name: servo.plus for name, servo in self.examples.items() if servo.plus}
        self.turned = {name: f'{name} + {self.plus[name]}' if name in self.plus else name
                       for name in self.ids}
        self.chain = [joint if joint.name not in self.plus else replace(
            joint, lower=self.examples[joint.name].ticks.lower,
            upper=self.examples[joint.name].ticks.upper)
            for joint in self.model.joints if joint.name in self.ids]
        self.grippers = [joint for joint in self.model.extra_joints if joint.name in self.ids]
        self.found = find_each(terminal, bus, self.ids)
        wrong = ', '.join(self.called(name) for name, servo in self.found.items()
                          if any(odd.startswith('counts ') for odd in servo.odd))
        if wrong:
            raise DriverError(bus.name, f'{wrong}: before that, arm_ik servos set {new.arm.name}')
        self.turn, self.last_tick = bus.family.turn, bus.family.last_tick
        self.wraps = self.turn and self.last_tick + 1 == self.turn
        self.beyond, self.recentred = set(), set()
        self.ticks, self.seen = {name: [] for name in self.ids}, {}

    def called(self, name):
        """Return a joint with its servo, for messages."""
        return f'{name} ({self.bus.address} {self.ids[name]})'

    def offset(self, name):
        """Return what has to be added to ticks of a servo for those of its encoder."""
        return self.found[name].facts.offset if self.bus.family.over_jump == 'offset' else 0

    def read(self):
        """Return ticks by joint name."""
        answers = self.bus.read(list(self.ids.values()))
        return {name: answers[servo_id] + self.offset(name)
                for name, servo_id in self.ids.items() if servo_id in answers}

    def nearest(self, ticks, to=0.0):
        """Return a number of ticks, by whole turns as near as can be to another."""
        return to + remainder(ticks - to, self.turn) if self.wraps else ticks

    def shift(self, name, ends):
        """Return what has to be subtracted from ticks between these for those of the servo."""
        offset, turn = self.offset(name), self.turn
        return offset + ((0.5 * sum(ends) - offset) // turn * turn if turn else 0)

    def fits_a_turn(self, low, high):
        """Return whether there is a turn between whose ends a range has room."""
        return high - low + 2 * _ROOM <= self.last_tick

    def crosses(self, name, low, high):
        """Return whether a joint between these ticks would go over the jump, or near it."""
        last, shift = self.last_tick, self.shift(name, (low, high))
        # A whole turn has no room: then as far as the arm may have been held wrongly.
        room = _ROOM if self.fits_a_turn(low, high) else -TOLERANCE / 2.0 / pi * self.turn
        return low - shift < room or high - shift > last - room

    def drivable(self, terminal, name, ticks):
        """Return two of a servo's ticks, brought to where it may be sent."""
        last, (low, high) = self.last_tick, sorted(ticks)
        if name in self.beyond:
            more = max(0.0, high - low - last) / 2.0      # than a turn
            first, last = ceil(low + more), floor(high - more)
        else:
            facts = self.found[name].facts
            first, most = (facts.lower, facts.upper) if facts.upper else (0, last)
            if low < 0 or high > last:
                terminal.say(f"{name}: it was turned beyond the servo's jump from {last} to 0; it "
                             'is driven up to there')
            if max(low, 0) < first or min(high, last) > most:
                terminal.say(f'{name}: its EEPROM lets it go only from tick {first} to {most}; '
                             f'arm_ik servos set {self.new.arm.name} gives it more')
            last = most
        return [min(max(tick, first), last) for tick in ticks]

    def recorded(self, name):
        """Return what is in the servos file as the servo itself says it."""
        facts, recorded = self.found[name].facts, {}
        if self.examples[name].model and not facts.model.startswith('model '):
            recorded['model'] = facts.model
        if self.bus.family.over_jump:
            recorded['homing_offset'] = facts.offset
        return recorded

    def drawn(self, poses, name):
        """Return where the servo of a joint is in poses [rad]."""
        return [pose.positions[self.turned[name]] for pose in poses]

    def write(self, ticks):
        self.bus.write({self.ids[name]: round(tick) for name, tick in ticks.items()})

    def drop(self, names, number=0):
        """Forget what joints were held in from a pose on, so that it is asked for again."""
        for name in names:
            del self.ticks[name][number:]
            if not number:
                self.seen.pop(name, None)


def _hold(terminal, servos, poser):
    """
    Have the arm held in its poses; a joint that is too far from one is asked for again.

    :returns: the :class:`_Fit` of each joint of the chain, and the ticks between which each joint
        and gripper goes, by name.
    """
    poses, ticks = named_poses(servos.model, servos.plus), servos.ticks
    while (number := min(map(len, ticks.values()))) < len(poses):
        if number:
            terminal.say('', 'b and Enter: the pose before once more. The name of a joint and '
                         'Enter: this joint alone, from the first pose on.')
        at = reach_pose(terminal, servos.model, poser, poses[number], number + 1,
                        lambda at: _lines(servos, poses[:number + 1], at))
        if poser.typed:
            servos.drop(*(ticks, max(number - 1, 0)) if poser.typed == 'b' else
                        [ticks.keys() & {poser.typed}])
            continue
        wrong = []
        for name in ticks:
            if len(ticks[name]) == number:
                row = _judged(servos, poses[:number + 1], name, at)
                if row[-1] == TOO_FAR:
                    wrong.append(f'- {servos.called(name)} turned {row[0]} from pose 1 to '
                                 f'{number + 1}, drawn are {row[1]}')
                else:
                    ticks[name].append(at[name])
        if wrong:
            terminal.say('', 'These joints do not fit the drawings, and are asked for again:',
                         *wrong, 'Was pose 1 held otherwise than drawn? b and Enter. If all is as '
                         "drawn: is that the id of another joint's servo?")
    fits = {joint.name: _Fit(servos, servos.drawn(poses, joint.name), ticks[joint.name])
            for joint in servos.chain}
    ends = {joint.name: [ticks[joint.name][0], servos.nearest(*ticks[joint.name][1::-1])]
            for joint in servos.grippers}
    ends.update({joint.name: [fits[joint.name].ticks.tick(at) for at in (joint.lower, joint.upper)]
                 for joint in servos.chain})
    return fits, ends


def _found(terminal, servos, fits, ends):
    """Return what is to be in the servos file, by joint name; show it."""
    found, rows = {}, []
    for joint in servos.chain:
        fit, name = fits[joint.name], joint.name
        shift = servos.shift(name, ends[name])
        if servos.bus.has_feedback:
            lower, upper = servos.drivable(
                terminal, name, [round(tick - shift) for tick in servos.seen[name]])
        else:
            example = servos.examples[name].ticks
            lower, upper = (round(min(max(tick, example.first), example.last))
                            for tick in sorted(ends[name]))
            terminal.say(f'{name}: its range is that of the arm file, not looked for')
        found[name] = {**fit.entry(lower, upper, shift), **servos.recorded(name)}
        low, high = sorted(fit.ticks.position(tick + shift) for tick in (lower, upper))
        rows.append((name, servos.ids[name], f'{fit.zero - shift:.0f}', fit.direction,
                     f'{lower}..{upper}', f'{degrees(low):.0f}..{degrees(high):.0f}',
                     f'{degrees(joint.lower):.0f}..{degrees(joint.upper):.0f}',
                     f'{degrees(fit.worst):.1f}'))
    for joint in servos.grippers:
        name, shift = joint.name, servos.shift(joint.name, ends[joint.name])
        closed, opened = servos.drivable(
            terminal, name, [round(tick - shift) for tick in ends[name]])
        found[name] = {**curve(servos.examples[name].ticks, joint, closed, opened),
                       **servos.recorded(name)}
        rows.append((name, servos.ids[name], '', '', f'{closed}..{opened}',
                     f'{shown(joint, joint.closed)}..{shown(joint, joint.open)}', '', ''))
    terminal.say('', *table(('joint', servos.bus.address, 'zero', 'direction', 'ticks', 'degrees',
                             'arm file', 'held within deg'), rows))
    return found


def _judged(servos, poses, name, at):
    """Return how far a joint has turned, how far it should have, the difference, and a verdict."""
    held = [*servos.ticks[name], at.get(name)]
    gripper = next((joint for joint in servos.grippers if joint.name == name), None)
    if len(held) > len(poses):
        return '', '', '', 'taken'
    if name not in at:
        return '', '', '', NO_ANSWER
    if len(held) == 1 or gripper and len(held) == 3:
        return '', '', '', 'answers'
    if gripper:
        example = servos.examples[name].ticks
        part = abs(servos.nearest(held[1] - held[0]) / (
            example.tick(gripper.open) - example.tick(gripper.closed)))
        return (f'{100 * part:.0f} %', '100 %', '', TOO_FAR if part < _LEAST_OPENING else 'ok')
    positions = servos.drawn(poses, name)
    fit, drawn = _Fit(servos, positions, held), degrees(positions[-1] - positions[0])
    return (f'{round(drawn + fit.off)} deg', f'{round(drawn)} deg', f'{round(fit.off):+d}',
            TOO_FAR if abs(fit.off) > degrees(TOLERANCE) else 'ok')


def _lines(servos, poses, at):
    """Return lines on how far joints have turned from the first pose, beside the drawing."""
    bus = servos.bus
    if not bus.has_feedback:
        return table(('joint', bus.address, 'tick'), [
            (name, servo_id, f'{at[name]:.0f}') for name, servo_id in servos.ids.items()])
    return table(('joint', bus.address, 'turned', 'drawn', 'off', ''), [
        (name, each, *_judged(servos, poses, name, at)) for name, each in servos.ids.items()])


def _make_room(servos, ends):
    """
    See to it that joints can go over the jump of their servos; nothing is written yet.

    :param ends: ticks between which joints go by the arm file, by name.
    """
    wide = {}
    for name, pair in ends.items():
        pair = [*pair, *servos.seen.get(name, ())]
        pair = min(pair), max(pair)
        wide[name] = pair if servos.fits_a_turn(*pair) else ends[name]
    crossing = [name for name, pair in wide.items() if servos.crosses(name, *sorted(pair))]
    if servos.bus.family.over_jump == 'turns':
        servos.beyond.update(crossing)
        return
    for name in crossing:
        offset = round(servos.nearest(0.5 * sum(wide[name]) - _MIDDLE))
        servo = servos.found[name]
        servos.found[name] = servo._replace(facts=servo.facts._replace(
            offset=max(-_MOST_OFFSET, min(offset, _MOST_OFFSET)), lower=0, upper=servos.last_tick))
    servos.recentred.update(crossing)


def _write_eeprom(terminal, servos, joints):
    """Write new offsets into EEPROMs, and as limits the ends of these joints."""
    bus, names = servos.bus, sorted(servos.recentred)

    def wanted(name, _):
        ticks = joints[name].get('ticks') or [joints[name]['lower_tick'],
                                              joints[name]['upper_tick']]
        # With some room: a servo outside of its limits moves as soon as it holds.
        return {'lower limit': max(min(ticks) - _ROOM, 0),
                'upper limit': min(max(ticks) + _ROOM, servos.last_tick),
                'homing offset': servos.offset(name)}

    terminal.say('', f"Over the servo's jump from {servos.last_tick} to 0: "
                     f'{", ".join(map(servos.called, names))}.')
    changes, before = eeprom.changes_of(
        terminal, bus, {name: servos.ids[name] for name in names}, wanted)
    if not changes:
        return
    terminal.say("A calibration file of LeRobot's does not fit this arm any more then: calibrate "
                 'there anew, or restore what was there. Nothing moves now.')
    terminal.confirm(f'Write that into the EEPROM of {len(changes)} servos?')
    was = bus.read([servos.ids[name] for name in changes])
    backup = eeprom.write(terminal, bus, servos.new.block['port'], servos.ids, changes, before)
    now, limit = servos.read(), TOLERANCE / 2.0 / pi * servos.turn
    wrong = ', '.join(servos.called(name) for name in changes if name not in now or limit < abs(
        servos.nearest(now[name] - was.get(servos.ids[name], 0) - before[name]['homing offset'])))
    if wrong:
        raise DriverError(bus.name, f'{wrong}: not where the new offset has it, or moved '
                          f'meanwhile: arm_ik servos restore {backup}, and try again')
    terminal.say('Written and read back.')


def _poser(terminal, servos):
    bus, examples = servos.bus, servos.examples
    if bus.has_feedback:
        every_id = [each for name, servo in examples.items()
                    for each in (servos.ids[name], *servo.shadow_ids)]
        return ByHand(terminal, list(servos.ids), servos.read,
                      lambda: bus.release(every_id), STILL / 2.0 / pi * servos.turn)
    home = with_sums(home_pose(servos.model).positions, servos.plus)

    def start(name):
        tick = examples[name].ticks.tick(home[servos.turned[name]])
        servos.write({name: tick})
        return tick

    return ByKeys(terminal, servos.model, start, servos.write, dict.fromkeys(examples, _STEPS),
                  {name: (each.ticks.first, each.ticks.last) for name, each in examples.items()})


class _Fit:
    """
    Zero and direction of one joint: the direction is the one by which poses fit best.

    ``ticks`` are its :class:`~..drivers.servos_file.JointTicks`, in ticks as given here.
    ``off`` is how far the last tick is from where the first one has it [deg], ``worst`` how far
    any is from their mean [rad].

    :param servos: which have so many ticks a turn, or ``None``: that is found, too.
    :param positions: of the joint in the poses [rad].
    :param ticks: in the poses, or in the first of them.
    """

    def __init__(self, servos, positions, ticks):
        turned, wanted = ticks[1] - ticks[0], positions[1] - positions[0]
        turn = servos.turn
        self.is_pulse = turn is None
        self._scale = abs(turned / wanted) if self.is_pulse and turned else (turn or 4096) / 2 / pi
        fits = []
        for direction in (1, -1):
            zeros = [tick - direction * at * self._scale for tick, at in zip(ticks, positions)]
            zeros = [servos.nearest(zero, zeros[0]) for zero in zeros]
            mean = sum(zeros) / len(zeros)
            fits.append((max(abs(zero - mean) for zero in zeros) / self._scale, direction, mean,
                         direction * self.degrees(zeros[-1] - zeros[0])))
        self.worst, self.direction, self.zero, self.off = min(fits)
        self.ticks = JointTicks.linear(self.zero, self.direction, 0, 4096, 1.0 / self._scale)

    def degrees(self, ticks):
        """Return how far a number of ticks is."""
        return degrees(ticks / self._scale)

    def entry(self, lower, upper, shift):
        """Return what is in the servos file, whose ticks are less than these here by a shift."""
        if self.is_pulse:
            return {'ticks': [lower, upper],
                    'positions': [round(self.ticks.position(tick), 4) for tick in (lower, upper)]}
        return {'zero': round(self.zero - shift, 1), 'direction': self.direction,
                'lower_tick': lower, 'upper_tick': upper}


def _record_ranges(terminal, servos, poser, fits, ends):
    """Have joints moved to both ends; return whether they were, else a pose is to be held anew."""
    seen = servos.seen

    def lines(at):
        rows = []
        for joint in servos.chain:
            name, fit, now = joint.name, fits[joint.name], NO_ANSWER
            if name in at:
                tick = servos.nearest(at[name], 0.5 * sum(ends[name]))
                least, most = seen.get(name, (tick, tick))
                seen[name] = min(least, tick), max(most, tick)
                now = f'{degrees(fit.ticks.position(tick)):.0f}'
            low, high = sorted(degrees(fit.ticks.position(tick)) for tick in seen[name])
            rows.append((name, f'{low:.0f}', now, f'{high:.0f}',
                         f'{degrees(joint.lower):.0f} to {degrees(joint.upper):.0f}'))
        return table(('joint', 'least', 'now', 'most', 'arm file, degrees'), rows)

    terminal.say('', 'b and Enter: the last pose once more. The name of a joint and Enter: the '
                 'range of this joint once more.')
    while True:
        poser.reach('Now move every joint to both of its ends', lines)
        if poser.typed == 'b':
            servos.drop(servos.ids, 2)
            return False
        if poser.typed:
            seen.pop(poser.typed, None)
            continue
        short = []
        for joint in servos.chain:
            least, most = seen[joint.name]
            moved, whole = fits[joint.name].degrees(most - least), joint.upper - joint.lower
            if moved < 0.5 * degrees(whole):
                short.append(f'{joint.name} ({moved:.0f} of {degrees(whole):.0f} deg)')
        if not short or not terminal.choose(
                f'Less than half of the arm file\'s range: {", ".join(short)}. The arm will go no '
                'farther than you have moved it. Go on moving? n keeps these ranges.'):
            return True


def curve(example, joint, closed, opened):
    """Return ticks and positions of a gripper: those of the example, brought to its ends."""
    # Of more than two points: a horn and rods, not linear.
    places = example.points if len(example.points) > 2 else [
        (example.tick(at), float(at)) for at in (joint.closed, joint.open)]
    first, last = example.tick(joint.closed), example.tick(joint.open)
    return {'ticks': [round(closed + (tick - first) * (opened - closed) / (last - first))
                      for tick, _ in places],
            'positions': [round(at, 6) for _, at in places]}
