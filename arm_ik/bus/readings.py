# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is made of readings: which are believed, which joints move, which servos are at fault."""

from math import inf

#: How much faster than its ``max_velocity`` a joint may be: pushed, or falling.
MARGIN = 2.0

#: Readings that agree before a place far from the last one is believed.
_AGREEING = 3


class Plausibility:
    """
    Whether a joint can be where its servo says it is: eight bits of checksum promise nothing.

    It cannot have moved faster than :data:`MARGIN` times its ``max_velocity`` since it was last
    believed. Three readings that agree with each other are believed whatever was before, so that
    an arm moved by hand does not lock itself out; so are the first ones.

    :param max_velocity: of the joint [rad/s, m/s].
    :param slack: what a joint at rest may seem to move [rad, m].
    """

    def __init__(self, max_velocity, slack):
        self._speed = MARGIN * max_velocity
        self._slack = slack
        self._believed = None       # position, and when it was asked for
        self._candidate = None
        self._agreeing = 0

    def believes(self, position, asked, answered):
        """
        Return whether a reading is believed.

        :param position: the reading [rad, m].
        :param asked: when the servo was asked [s].
        :param answered: when its answer was there [s]; the joint was there some time between.
        """
        if self._agree(self._believed, position, answered):
            self._agreeing = 0
        else:
            goes_on = self._agree(self._candidate, position, answered)
            self._agreeing = self._agreeing + 1 if goes_on and self._agreeing else 1
            self._candidate = position, asked
            if self._agreeing < _AGREEING:
                return False
            self._agreeing = 0
        self._believed = position, asked
        return True

    def _agree(self, earlier, position, answered):
        return earlier is not None and \
            abs(position - earlier[0]) <= self._speed * (answered - earlier[1]) + self._slack


#: A joint that stays within this is at rest [rad, m], whatever measures it.
STILL = 2e-3

#: One that stays within so many counts of its encoder is at rest, too: the last digit flickers.
_COUNTS = 2.5

#: Longer steps to and fro are motion [rad]: more than one count of 0.29 deg, as AX-12 have them.
_LONGEST_FLICKER = 6e-3

#: How long ago the last motion may be [s].
JUST_NOW = 0.2


class Movement:
    """
    Which joints have moved just now, by what is measured; an arm that sags does not.

    A joint at rest may still be measured to go to and fro: the last digit of its encoder flickers.
    How far that is differs from servo to servo. Where nobody says, it is seen from steps to and
    fro.

    :param resolution: smallest step of a reading by joint [rad, m]; ``None``: it is learnt.
    """

    def __init__(self, resolution=None):
        self._counts = dict(resolution or {})
        self._steps = {} if resolution is None else None    # the newest, to learn from
        self._read = {}         # joint: newest position
        self._rested = {}       # joint: where it rested
        self._moved_at = {}     # joint: when it was seen to move

    def look(self, measured, now):
        """Take note of positions by joint [rad], measured at ``now`` [s]."""
        for name, position in measured.items():
            if self._steps is not None:
                self._learn(name, position)
            still = max(STILL, _COUNTS * self._counts.get(name, 0.0))
            if abs(position - self._rested.setdefault(name, position)) > still:
                self._rested[name], self._moved_at[name] = position, now

    def _learn(self, name, position):
        step = position - self._read.get(name, position)
        self._read[name] = position
        if step:
            last, self._steps[name] = self._steps.get(name, 0.0), step
            if last * step < 0.0 and (size := min(abs(last), abs(step))) <= _LONGEST_FLICKER:
                self._counts[name] = size

    def moved_at(self, names=None):
        """Return when one of these joints, or of all, was seen to move last [s]; or minus inf."""
        names = self._moved_at if names is None else names
        return max((self._moved_at.get(name, -inf) for name in names), default=-inf)

    def is_moving(self, now, names=None):
        """Return whether one of these joints, or of all, has moved just now [s]."""
        return now - self.moved_at(names) <= JUST_NOW


#: What of a joint whose servo answers, but says what cannot be.
IMPLAUSIBLE = 'implausible answer'


#: The flags of servos that are faults.
FLAGS = ('overload', 'overheat', 'voltage')

#: A servo that should hold and does not.
TORQUE_LOST = 'torque lost'


class Faults(dict[str, tuple[str, ...]]):
    """
    The faults of each joint in words, by what its servo says; kept until somebody clears them.

    A servo that has cut its torque for an overload may take it back a second later: the arm has
    sunk by then, and its owner should have a look before it goes on.
    """

    def __init__(self):
        super().__init__()
        self._volts = {}    # the lowest with that flag [V], by name

    def __str__(self):
        return '; '.join(f'{name}: {", ".join(self.words(name))}' for name in self)

    def words(self, name):
        """Return those of a joint with the lowest voltage that was read with the flag, a list."""
        volts = f' ({self._volts[name]:.1f} V)' if name in self._volts else ''
        return [fault + volts * (fault == 'voltage') for fault in self.of(name)]

    def of(self, name):
        """Return the faults of a joint, a tuple of words."""
        return self.get(name, ())

    def look(self, name, health, should_hold):
        """
        Take note of a :class:`~.backend.Health`; return whether it has a fault not known yet.

        :param should_hold: whether the servo's torque has been switched on.
        """
        found = [flag for flag in health.flags if flag in FLAGS]
        if should_hold and health.torque is False:
            found.append(TORQUE_LOST)
        if 'voltage' in found and health.voltage_v is not None:
            self._volts[name] = min(health.voltage_v, self._volts.get(name, inf))
        new = [fault for fault in found if fault not in self.of(name)]
        if new:
            self[name] = (*self.of(name), *new)
        return bool(new)

    def forget(self, names):
        """Clear those of some joints; what is still there comes again with the next look."""
        for name in names:
            self.pop(name, None)
            self._volts.pop(name, None)
