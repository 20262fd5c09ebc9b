# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
The mutants that live, and why none of them is a fault that a test ought to notice.

``python -m reliability.mutation.survivors`` writes docs/mutation.md from this list.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'docs' / 'mutation.md'

_SHORT_CUT = 'a short cut for the common case: the long way gives the same'
_NO_TURN = 'exactly half a turn off is rounded to no turn on the long way too'
_TIE = 'exactly opposite the middle of the range both limits are as near: either is right'
_USUAL_WAY = 'what is left to the usual way is answered as well'
_AT_THE_EDGE = 'a reading exactly there is turned by no turn: the same'
_FALSY = 'the caller asks for true or false, and None is false'
_ANY_SIZE = 'a size for speed: any will do'
_A_PLACE = 'one place more or less: of messages that wait only the newest is followed'
_ANY_BOUND = 'a bound that ends what would not end: any will do'
_EXACTLY_THERE = 'exactly at a tolerance either is right'
_LITTLE_SOONER = 'a flood counts as over one period of the timer sooner or later'

_GUARD = 'if not -pi <= near - reading <= pi:'
_SETTLED = ('settled = now - self._sent_elsewhere > _SETTLED '
            'and not self._movement.is_moving(')
_GOES_ON = 'return way > _BLOCKED or (way > _ARRIVED and not settled)'
_INSIDE = 'if self.lower <= reading <= self.upper:'

#: For each file, triples of a line, the mutant's line, and why it makes no difference.
SURVIVORS = {
    'arm_ik/kinematics/limits.py': (
        (_GUARD, 'if not -pi < near - reading <= pi:', _NO_TURN),
        (_GUARD, 'if not -pi <= near - reading < pi:', _NO_TURN),
        (_GUARD, 'if not pi <= near - reading <= pi:', _SHORT_CUT),
        (_INSIDE, 'if self.lower < reading <= self.upper:', _SHORT_CUT),
        (_INSIDE, 'if self.lower <= reading < self.upper:', _SHORT_CUT),
        ('return reading', 'pass', _SHORT_CUT),
        ('return reading, 0.0', 'pass', _SHORT_CUT),
        ('if reading < lower:', 'if reading <= lower:', _AT_THE_EDGE),
        ('if reading > upper:', 'if reading >= upper:', _AT_THE_EDGE),
        ('return up if up - upper <= lower - (up - TURN) else up - TURN',
         'return up if up - upper < lower - (up - TURN) else up - TURN', _TIE),
        ('return down if lower - down <= down + TURN - upper else down + TURN',
         'return down if lower - down < down + TURN - upper else down + TURN', _TIE),
        ('if past <= 0.0:', 'if past < 0.0:', 'exactly on a limit the excess is zero either way'),
        ('return past if past <= TURN - above else above - TURN',
         'return past if past < TURN - above else above - TURN', _TIE),
    ),
    'arm_ik/kinematics/batch/input.py': (
        ('_BLOCK = 8192', '_BLOCK = 8191', _ANY_SIZE),
        ('_BLOCK = 8192', '_BLOCK = 8193', _ANY_SIZE),
        ('and values.dtype.itemsize <= 8):', 'and values.dtype.itemsize <= 9):',
         'no type of number has nine bytes'),
        ('continue', 'pass', _SHORT_CUT),
        ('return array.reshape(-1, last)', 'return array.reshape(- 2, last)',
         'numpy takes any negative number for the rest'),
    ),
    'arm_ik/drivers/command_age.py': (
        ('_REMEMBERED = 16', '_REMEMBERED = 17', 'one sender more is remembered'),
        ('if self._knows_numbers and 0.0 < stamp < _NO_TIME:',
         'if self._knows_numbers and 0.0 <= stamp < _NO_TIME:', 'zero was asked for before'),
    ),
    'arm_ik/description/parameter_file.py': (
        ('if len(kinds) > 1 or not kinds <= {str, bool, int, float}:',
         'if len(kinds) > 1 or not kinds < {str, bool, int, float}:',
         'all four at once are more than one already'),
    ),
    'arm_ik/nodes/ik_core.py': (
        ('return self._stop_silent(now - interval if interval <= SOON else now)',
         'return self._stop_silent(now - interval if interval < SOON else now)',
         'a state due in exactly that time may be waited for or not'),
    ),
    'arm_ik/nodes/arm_limits.py': (
        ('self._ranges[name] = descriptor.floating_point_range[0]',
         'self._ranges[name] = descriptor.floating_point_range[ -1]', 'there is one range'),
    ),
    'arm_ik/nodes/pauses.py': (
        ('self._longest, self._forgotten = 0.0, self._beat',
         'self._longest, self._forgotten = 1.0, self._beat', 'forgotten from the start'),
        ('self._longest, self._forgotten = 0.0, self._beat',
         'self._longest, self._forgotten = -1.0, self._beat', 'forgotten from the start'),
        ('if now >= self._forgotten or late >= self._longest:',
         'if now > self._forgotten or late >= self._longest:', _EXACTLY_THERE),
        ('if now >= self._forgotten or late >= self._longest:',
         'if now >= self._forgotten or late > self._longest:',
         'as long a pause is remembered from the one or the other on'),
        ('if now < self._forgotten:', 'if now <= self._forgotten:', _EXACTLY_THERE),
    ),
    'arm_ik/drivers/command_watchdog.py': (
        ('self._stopped = False', 'self._stopped = True',
         'nobody is waited for at first, and the first command sets it'),
    ),
    'arm_ik/drivers/servo_driver.py': (
        ('elif self._way_left(measured) > _BLOCKED:',
         'elif self._way_left(measured) >= _BLOCKED:', _EXACTLY_THERE),
        (_SETTLED, _SETTLED.replace('>', '>='), _EXACTLY_THERE),
        (_GOES_ON, _GOES_ON.replace('way > _ARRIVED', 'way >= _ARRIVED'), _EXACTLY_THERE),
        (_GOES_ON, _GOES_ON.replace('way > _BLOCKED', 'way >= _BLOCKED'), _EXACTLY_THERE),
    ),
    'arm_ik/nodes/burst.py': (
        ('and abs(norm - 1.0) <= QUATERNION_NORM_TOLERANCE',
         'and abs(norm - 1.0) < QUATERNION_NORM_TOLERANCE', _USUAL_WAY),
        ('and isfinite(x + y + z)):', 'and isfinite(x + y - z)):', _USUAL_WAY),
        ('and isfinite(x + y + z)):', 'and isfinite(x - y + z)):', _USUAL_WAY),
    ),
    'arm_ik/nodes/newest.py': (
        ('QUEUE = 32', 'QUEUE = 31', _A_PLACE),
        ('QUEUE = 32', 'QUEUE = 33', _A_PLACE),
        ('QUIET_READS = 5', 'QUIET_READS = 4', _LITTLE_SOONER),
        ('QUIET_READS = 5', 'QUIET_READS = 6', _LITTLE_SOONER),
        ('_AT_ONCE = 4 * QUEUE', '_AT_ONCE = 3 * QUEUE', _ANY_BOUND),
        ('_AT_ONCE = 4 * QUEUE', '_AT_ONCE = 5 * QUEUE', _ANY_BOUND),
        ('while overtaken < _AT_ONCE and (newer := self._waiting()) is not None:',
         'while overtaken <= _AT_ONCE and (newer := self._waiting()) is not None:', _ANY_BOUND),
    ),
    'arm_ik/nodes/motion.py': (
        ('self._ramp = None', 'pass', 'of the two lines the one in command: a ramp that has '
         'ended gives the goal for good'),
    ),
    'arm_ik/nodes/following.py': (
        ('if elapsed >= needed:', 'if elapsed > needed:',
         'exactly then the whole way is gone by the other line too, but for rounding'),
        ('if self._expected == self._command or (elapsed := now - self._since) <= 0.0:',
         'if self._expected == self._command or (elapsed := now - self._since) < 0.0:',
         'no time, no way: the same'),
    ),
    'arm_ik/nodes/parameters.py': (
        ('upper: float = 1e9', 'upper: float = 1000000001.0', 'far beyond any value'),
        ('upper: float = 1e9', 'upper: float = 999999999.0', 'far beyond any value'),
    ),
    'arm_ik/nodes/target_input.py': (
        ('FUTURE_TOLERANCE_NS = 1_000_000_000', 'FUTURE_TOLERANCE_NS = 1000000001',
         'a nanosecond more of a second'),
        ('if not abs(norm - 1.0) <= QUATERNION_NORM_TOLERANCE:',
         'if not abs(norm - 1.0) < QUATERNION_NORM_TOLERANCE:',
         'no float is exactly so far from one'),
    ),
    'arm_ik/kinematics/options.py': (
        ('CHUNK_SIZE = 16384', 'CHUNK_SIZE = 16383', _ANY_SIZE),
        ('CHUNK_SIZE = 16384', 'CHUNK_SIZE = 16385', _ANY_SIZE),
        ('return False', 'pass', _FALSY),
    ),
}


def reason(mutant):
    """Return why a mutant may live; ``''``: nobody knows."""
    for before, after, why in SURVIVORS.get(mutant.path, ()):
        if (before, _plain(after)) == (mutant.before, _plain(mutant.after)):
            return why
    return ''


def page():
    """Return the text of docs/mutation.md."""
    count = sum(map(len, SURVIVORS.values()))
    parts = [_HEAD.format(count=count)]
    for path, found in SURVIVORS.items():
        parts.append(f'\n## {path}\n\n| line | mutant | why it may live |\n|---|---|---|\n')
        parts += [f'| {_code(before)} | {_code(after)} | {why} |\n'
                  for before, after, why in found]
    return ''.join(parts)


_HEAD = """# Mutants that live

Faults put into limits, validation and the handling of targets, one at a time, that no test
notices: {count} kinds, told apart by file and line. The same line may stand in a file more than
once, so there are some more faults than kinds. How they are made and how many are noticed, in all
and by file, says [reliability.md](reliability.md), section mutation. Each stands here with the
reason why it makes no difference that a user could see. This page is made by
`python -m reliability.mutation.survivors`.
"""


def _code(text):
    return '`` ' + _plain(text).replace('|', '\\|') + ' ``'


def _plain(text):
    # The tool leaves a blank in front of what it puts in.
    return ' '.join(text.split())


if __name__ == '__main__':
    PAGE.write_text(page())
